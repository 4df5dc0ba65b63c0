//! What the fields of an input are, decided by its first rows.

use std::collections::HashMap;

use novikoff::grammar::nearest_match;
use novikoff::remedy::{Complaint, Remedy, Setting};
use novikoff::table::{Column, ColumnKind, Table};

use super::problem::JsonProblem;
use super::walk::{Scalar, Visit};
use crate::error::Token;
use crate::options::ReadOptions;
use crate::usual;

/// How many fields a message lists.
const LISTED: usize = 10;

/// What the first value of a field is that is not null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum First {
    Number,
    Text,
    Numbers,
    Texts,
}

/// The fields of the first rows, in the order in which they are met.
#[derive(Debug, Default)]
pub(super) struct Fields {
    names: Vec<String>,
    /// What each holds, if that is known.
    first: Vec<Option<First>>,
    places: HashMap<String, usize>,
}

impl Visit for Fields {
    fn field(&mut self, _: &str) -> Result<(), JsonProblem> {
        Ok(())
    }

    fn value(
        &mut self,
        path: &str,
        item: Option<usize>,
        value: Scalar<'_>,
    ) -> Result<(), JsonProblem> {
        let place = if let Some(&place) = self.places.get(path) {
            place
        } else {
            self.places.insert(path.to_owned(), self.names.len());
            self.names.push(path.to_owned());
            self.first.push(None);
            self.names.len() - 1
        };
        let first = match (value, item) {
            (Scalar::Null, _) => return Ok(()),
            (Scalar::Text(_), None) => First::Text,
            (Scalar::Text(_), Some(_)) => First::Texts,
            (_, None) => First::Number,
            (_, Some(_)) => First::Numbers,
        };
        self.first[place].get_or_insert(first);
        Ok(())
    }
}

/// What a field is that neither the model nor the options speak of.
fn kind(first: Option<First>) -> ColumnKind {
    match first {
        Some(First::Text) => ColumnKind::Category,
        Some(First::Texts) => ColumnKind::Text,
        Some(First::Number | First::Numbers) | None => ColumnKind::Number,
    }
}

/// What a field is: what the model says, else what was asked for, else what its first value says.
fn decide(
    name: &str,
    first: Option<First>,
    options: &ReadOptions,
) -> Result<ColumnKind, Complaint> {
    let asked = |list: &[String]| list.iter().any(|wanted| wanted == name);
    let known = options.table.as_ref().and_then(|table| table.column(name));
    match known {
        Some(known) if asked(&options.text) && known.kind != ColumnKind::Text => {
            Err(usual::not_text(known))
        }
        Some(known) => Ok(known.kind),
        None if asked(&options.text) => Ok(ColumnKind::Text),
        None if asked(&options.categorical) => Ok(ColumnKind::Category),
        None => Ok(kind(first)),
    }
}

impl Fields {
    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The field that is the label, if there is one.
    fn label(&self, options: &ReadOptions) -> Result<Option<&str>, Complaint> {
        let there = |name: &str| {
            self.places
                .get_key_value(name)
                .map(|(name, _)| name.as_str())
        };
        let trained_on = options.table.as_ref();
        if let Some(label) = &options.label {
            return match there(label) {
                None if !options.unlabelled => Err(self.no_field(label, "be the label")),
                found => Ok(found),
            };
        }
        if let Some(label) = usual::known_label(trained_on).and_then(there) {
            return Ok(Some(label));
        }
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        match usual::label(&names, trained_on) {
            Some(at) => Ok(Some(names[at])),
            None if options.unlabelled || trained_on.is_some() => Ok(None),
            None => Err(usual::which_label(&self.list())),
        }
    }

    /// The table as a model keeps it, and the fields that are single numbers.
    pub(super) fn table(&self, options: &ReadOptions) -> Result<(Table, Vec<String>), Complaint> {
        let label = self.label(options)?.map(str::to_owned);
        for (wanted, hold) in [
            (&options.categorical, "hold categories"),
            (&options.text, "hold text"),
        ] {
            for name in wanted {
                let known = options.table.as_ref().and_then(|table| table.column(name));
                if known.is_none() && !self.places.contains_key(name)
                    || label.as_ref() == Some(name)
                {
                    return Err(self.no_field(name, hold));
                }
            }
        }
        let mut table = Table {
            label,
            columns: Vec::new(),
            missing: options.missing(),
            text: options.text_form(),
        };
        let mut numbers = Vec::new();
        for (name, &first) in self.names.iter().zip(&self.first) {
            if table.label.as_ref() == Some(name) {
                continue;
            }
            let kind = decide(name, first, options)?;
            if kind == ColumnKind::Number && first == Some(First::Number) {
                numbers.push(name.clone());
            }
            table.columns.push(Column::new(name.clone(), kind));
        }
        // fields that the first rows happen to lack stay what they were
        for column in options.table.iter().flat_map(|table| &table.columns) {
            if !self.places.contains_key(&column.name) {
                table.columns.push(column.clone());
            }
        }
        Ok((table, numbers))
    }

    fn no_field(&self, name: &str, hold: &str) -> Complaint {
        let near = match nearest_match(name, self.names.iter().map(String::as_str)) {
            Some(near) => format!(" did you mean {}?", Token::new(near.as_bytes())),
            None => String::new(),
        };
        let (name, listed) = (Token::new(name.as_bytes()), self.list());
        let what = format!(
            "no field is called {name}, which was to {hold};{near} the fields are {listed}"
        );
        if hold == "be the label" {
            return Complaint::new(what, Remedy::give(Setting::Label, "FIELD"));
        }
        Complaint::plain(what)
    }

    /// The first names.
    fn list(&self) -> String {
        let shown = self.names.iter().take(LISTED);
        let shown: Vec<String> = shown
            .map(|name| Token::new(name.as_bytes()).to_string())
            .collect();
        match self.names.len().saturating_sub(LISTED) {
            0 => shown.join(", "),
            more => format!("{} and {more} more", shown.join(", ")),
        }
    }
}
