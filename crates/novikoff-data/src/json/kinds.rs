//! What the fields of an input are, decided by its first rows.

use std::collections::HashMap;

use novikoff::remark::Remark;
use novikoff::remedy::{Complaint, Remedy, Setting};
use novikoff::table::{Column, ColumnKind, Table};

use super::problem::JsonProblem;
use super::walk::{Scalar, Visit};
use crate::error::Token;
use crate::kinds::{ColumnLook, Policy, Value, list, near};
use crate::options::ReadOptions;
use crate::usual;

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
    /// The values that are in no array.
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
        let place = if let Some(&place) = self.places.get(path) {
            place
        } else {
            self.places.insert(path.to_owned(), self.names.len());
            self.names.push(path.to_owned());
            self.first.push(None);
            self.looks.push(ColumnLook::default());
            self.names.len() - 1
        };
        if item.is_none() {
            self.looks[place].add(match value {
                Scalar::Null => Value::Missing,
                Scalar::Text(text) => Value::Text(text.as_bytes()),
                Scalar::Number(number) => Value::number(number),
                Scalar::Truth(_) => Value::Number(None),
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

/// What the fields of an input are.
pub(super) struct Kinds {
    /// As a model keeps it.
    pub(super) table: Table,
    /// Features of fields that are single numbers.
    pub(super) numbers: Vec<String>,
    pub(super) remarks: Vec<Remark>,
}

impl Fields {
    /// Whether a field was met.
    pub(super) fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The field that is the label, if there is one. Rows for a model (`frozen`) may have it later, for one row is looked at.
    fn label<'a>(
        &'a self,
        options: &'a ReadOptions,
        frozen: bool,
    ) -> Result<Option<&'a str>, Complaint> {
        let may_come = |name: &&str| self.places.contains_key(*name) || frozen;
        let trained_on = options.table.as_ref();
        if let Some(label) = options.label.as_deref() {
            return match Some(label).filter(may_come) {
                None if !options.unlabelled => Err(self.no_label(label)),
                found => Ok(found),
            };
        }
        if let Some(label) = usual::known_label(trained_on).filter(may_come) {
            return Ok(Some(label));
        }
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        match usual::label(&names, trained_on) {
            Some(at) => Ok(Some(names[at])),
            None if options.unlabelled || trained_on.is_some() => Ok(None),
            None => Err(usual::which_label(&list(&names), trained_on)),
        }
    }

    /// What the fields are. `frozen`: the features are those of a model, and there will be no others.
    pub(super) fn kinds(&self, options: &ReadOptions, frozen: bool) -> Result<Kinds, Complaint> {
        let label = self.label(options, frozen)?.map(str::to_owned);
        let mut policy = Policy::new(options, frozen).nested();
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        policy.check_names(&names, label.as_deref())?;
        let mut columns: Vec<Column> = Vec::new();
        let mut numbers = Vec::new();
        for (place, &name) in names.iter().enumerate() {
            if label.as_deref() == Some(name) {
                continue;
            }
            let first = self.first[place];
            let kind = match (policy.certain(name), first) {
                (Some(kind), _) => kind,
                // a model has met no such text, so that it cannot weigh the words: they are counts
                (None, Some(First::Texts)) if frozen => continue,
                (None, Some(First::Texts)) => ColumnKind::Text,
                (None, Some(First::Numbers)) => ColumnKind::Number,
                (None, _) => policy.decide(name, &self.looks[place])?,
            };
            let column = policy.column(name.to_owned(), kind);
            if first != Some(First::Numbers) && first.is_some() {
                numbers.extend(column.number().map(String::from));
            }
            columns.push(column);
        }
        // fields that the first rows happen to lack stay what they were
        for column in options.table.iter().flat_map(|table| &table.columns) {
            if !self.places.contains_key(&column.name) {
                columns.push(column.clone());
            }
        }
        let table = Table {
            label,
            columns,
            missing: options.missing(),
            text: options.text_form(),
        };
        Ok(Kinds {
            table,
            numbers,
            remarks: policy.remarks,
        })
    }

    fn no_label(&self, name: &str) -> Complaint {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let what = format!(
            "no field is called {}, which was to be the label;{} the fields are {}",
            Token::new(name.as_bytes()),
            near(name, &names),
            list(&names)
        );
        Complaint::new(what, Remedy::give(Setting::Label, "FIELD"))
    }
}
