//! What the fields of an input are, decided by its first rows.

use std::collections::HashMap;

use novikoff::remedy::{Complaint, Remedy, Setting};
use novikoff::table::{ColumnKind, Table};

use super::problem::JsonProblem;
use super::walk::{Scalar, Visit};
use crate::error::Token;
use crate::kinds::{ColumnLook, Policy, Value, list, near};
use crate::options::ReadOptions;
use crate::usual;

/// What an array of a field holds, by its first item that is not null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Items {
    Numbers,
    Texts,
}

/// What was seen of one field.
#[derive(Clone, Debug, Default)]
struct Look {
    single: ColumnLook,
    items: Option<Items>,
}

/// The fields of the first rows, in the order in which they are met.
#[derive(Debug, Default)]
pub(super) struct Fields {
    names: Vec<String>,
    looks: Vec<Look>,
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
            self.looks.push(Look::default());
            self.names.len() - 1
        };
        let look = &mut self.looks[place];
        match (value, item) {
            (Scalar::Null, Some(_)) => {}
            (Scalar::Null, None) => look.single.add(Value::Missing),
            (Scalar::Text(text), None) => look.single.add(Value::Text(text.as_bytes())),
            (_, None) => look.single.add(Value::Number),
            (Scalar::Text(_), Some(_)) => {
                look.items.get_or_insert(Items::Texts);
            }
            (_, Some(_)) => {
                look.items.get_or_insert(Items::Numbers);
            }
        }
        Ok(())
    }
}

impl Fields {
    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    /// The field that is the label, if there is one. Rows to be predicted may have it later, or not at all.
    fn label(&self, options: &ReadOptions, frozen: bool) -> Result<Option<String>, Complaint> {
        let (names, trained_on) = (self.names(), options.table.as_ref());
        let may_come = |name: &str| {
            self.places.contains_key(name) || options.unlabelled || frozen
        };
        if let Some(label) = &options.label {
            if may_come(label) {
                return Ok(Some(label.clone()));
            }
            let what = format!(
                "no column is called {}, which was to be the label;{} the columns are {}",
                Token::new(label.as_bytes()),
                near(label, &names),
                list(&names)
            );
            return Err(Complaint::new(what, Remedy::give(Setting::Label, "FIELD")));
        }
        if let Some(label) = usual::known_label(trained_on).filter(|label| may_come(label)) {
            return Ok(Some(label.to_owned()));
        }
        match usual::label(&names, trained_on) {
            Some(at) => Ok(Some(names[at].to_owned())),
            None if options.unlabelled || trained_on.is_some() => Ok(None),
            None => Err(usual::which_label(&list(&names))),
        }
    }

    /// The table as a model keeps it, and the numbers whose names get slots before the first row.
    pub(super) fn table(
        &self,
        options: &ReadOptions,
        policy: &mut Policy<'_>,
        frozen: bool,
    ) -> Result<(Table, Vec<String>), Complaint> {
        let label = self.label(options, frozen)?;
        policy.check_names(&self.names(), label.as_deref())?;
        let mut table = Table {
            label,
            columns: Vec::new(),
            missing: options.missing(),
            text: options.text_form(),
        };
        let mut numbers = Vec::new();
        for (name, look) in self.names.iter().zip(&self.looks) {
            if table.label.as_ref() == Some(name) {
                continue;
            }
            let kind = match look.items {
                Some(items) if policy.certain(name).is_none() => match items {
                    Items::Numbers => ColumnKind::Number,
                    Items::Texts => ColumnKind::Text,
                },
                _ => policy.decide(name, &look.single)?,
            };
            let column = policy.column(name.clone(), kind);
            // the features of an array have names of their own
            let number = column.number().filter(|_| look.items.is_none());
            numbers.extend(number.map(std::borrow::Cow::into_owned));
            table.columns.push(column);
        }
        // fields that the first rows happen to lack stay what they were
        for column in options.table.iter().flat_map(|table| &table.columns) {
            if !self.places.contains_key(&column.name) && table.label.as_ref() != Some(&column.name) {
                table.columns.push(column.clone());
            }
        }
        Ok((table, numbers))
    }
}
