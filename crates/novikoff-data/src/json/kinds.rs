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

/// What the first value of a field is that is not null.
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
    /// What each holds, if that is known.
    first: Vec<Option<First>>,
    /// What was seen of single values.
    looks: Vec<ColumnLook>,
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
        let place = match self.places.get(path) {
            Some(&place) => place,
            None => {
                self.places.insert(path.to_owned(), self.names.len());
                self.names.push(path.to_owned());
                self.first.push(None);
                self.looks.push(ColumnLook::default());
                self.names.len() - 1
            }
        };
        if item.is_none() {
            self.looks[place].add(match value {
                Scalar::Null => Value::Missing,
                Scalar::Text(text) => Value::Text(text.as_bytes()),
                _ => Value::Number,
            });
        }
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

impl Fields {
    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The field that is the label, if there is one. Rows may lack a field, so that one that was named or is the model's need not be there.
    fn label(&self, options: &ReadOptions, names: &[&str]) -> Result<Option<String>, Complaint> {
        let trained_on = options.table.as_ref();
        if let Some(label) = &options.label {
            let is_there = self.places.contains_key(label);
            return match is_there || options.unlabelled || trained_on.is_some() {
                true => Ok(Some(label.clone())),
                false => {
                    let (near, listed) = (near(label, names), list(names));
                    let label = Token::new(label.as_bytes());
                    let what = format!(
                        "no field is called {label}, which was to be the label;{near} the fields are {listed}"
                    );
                    Err(Complaint::new(what, Remedy::give(Setting::Label, "FIELD")))
                }
            };
        }
        if let Some(label) = usual::known_label(trained_on) {
            return Ok(Some(label.to_owned()));
        }
        match usual::label(names, trained_on) {
            Some(at) => Ok(Some(names[at].to_owned())),
            None if options.unlabelled || trained_on.is_some() => Ok(None),
            None => Err(usual::which_label(&list(names))),
        }
    }

    /// The table as a model keeps it, and the names of the features that are single numbers.
    pub(super) fn table(
        &self,
        options: &ReadOptions,
        policy: &mut Policy<'_>,
    ) -> Result<(Table, Vec<String>), Complaint> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let label = self.label(options, &names)?;
        let mut features = names.clone();
        features.retain(|&name| label.as_deref() != Some(name));
        policy.check_names(&features, label.as_deref())?;
        let mut table = Table {
            label,
            columns: Vec::new(),
            missing: options.missing(),
            text: options.text_form(),
        };
        let mut numbers = Vec::new();
        for (k, name) in names.into_iter().enumerate() {
            if table.label.as_deref() == Some(name) {
                continue;
            }
            let kind = match (policy.certain(name), self.first[k]) {
                (Some(kind), _) => kind,
                (None, Some(First::Texts)) => ColumnKind::Text,
                (None, Some(First::Numbers)) => ColumnKind::Number,
                (None, _) => policy.decide(name, &self.looks[k])?,
            };
            let column = policy.column(name.to_owned(), kind);
            let is_list = matches!(self.first[k], None | Some(First::Numbers));
            if let Some(number) = column.number().filter(|_| !is_list) {
                numbers.push(number.into_owned());
            }
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
