//! Which column is the label, what the others are called, and which hold categories.

use std::collections::HashMap;

use novikoff::grammar::nearest_match;
use novikoff::remedy::Complaint;
use novikoff::table::{Column, ColumnKind, Table};

use crate::error::Token;
use crate::options::ReadOptions;
use crate::usual;

/// How many columns a message lists.
const LISTED: usize = 10;

/// The number that a name is, if it is one.
fn number(name: &str) -> Option<usize> {
    let digits = !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| name.parse().unwrap_or(usize::MAX))
}

/// Whether a label that was asked for is a name and not a number.
pub(super) fn is_name(label: &str) -> bool {
    number(label).is_none()
}

/// The columns of a table before it is known which is which.
pub(super) struct Header {
    /// Their names, if the table begins with them.
    pub(super) names: Option<Vec<String>>,
    /// How many there are.
    pub(super) count: usize,
}

impl Header {
    /// The column that is the label, counted from 0, if there is one.
    pub(super) fn label(&self, options: &ReadOptions) -> Result<Option<usize>, Complaint> {
        let found = match &options.label {
            Some(label) => self.place(label),
            None => self.usual_label(options),
        };
        match (found, &options.label) {
            (Some(at), _) => Ok(Some(at)),
            (None, _) if options.unlabelled => Ok(None),
            (None, Some(label)) => Err(self.no_label(label)),
            (None, None) => {
                let names = list(self.names.as_deref().unwrap_or_default());
                Err(usual::which_label(&names))
            }
        }
    }

    /// The place of a column by its name, or else by its number.
    fn place(&self, name: &str) -> Option<usize> {
        let names = self.names.as_deref().unwrap_or_default();
        let named = names.iter().position(|other| other == name);
        let numbered = || number(name)?.checked_sub(1);
        named.or_else(|| numbered().filter(|&k| k < self.count))
    }

    /// The label's place if none was asked for.
    fn usual_label(&self, options: &ReadOptions) -> Option<usize> {
        let table = options.table.as_ref();
        let Some(names) = &self.names else {
            let features = table.map(|table| table.columns.len());
            if options.unlabelled && features == Some(self.count) {
                return None;
            }
            let same = table.and_then(|table| self.place(table.label.as_deref()?));
            return same.or((self.count > 0).then_some(0));
        };
        let place = |name: &str| names.iter().position(|other| other == name);
        let same = usual::known_label(table).and_then(place);
        same.or_else(|| usual::label(&names.iter().map(String::as_str).collect::<Vec<_>>(), table))
    }

    fn no_label(&self, label: &str) -> Complaint {
        let wanted = Token::new(label.as_bytes());
        match &self.names {
            Some(names) => Complaint::plain(format!(
                "no column is called {wanted}, which was to be the label;{} the columns are {}",
                near(label, names),
                list(names)
            )),
            None => Complaint::plain(format!(
                "no column is called {wanted}, which was to be the label; the table has no line of \
                 names, so use the number of a column, 1 to {}",
                self.count
            )),
        }
    }

    /// The table as a model keeps it. `first` says of each column whether its first value is a
    /// category.
    pub(super) fn table(
        self,
        label: Option<usize>,
        first: impl Fn(usize) -> bool,
        options: &ReadOptions,
    ) -> Result<Table, Complaint> {
        let features = (0..self.count).filter(|&k| Some(k) != label);
        let kind = |k| {
            if first(k) {
                ColumnKind::Category
            } else {
                ColumnKind::Number
            }
        };
        let mut kinds: Vec<ColumnKind> = features.map(kind).collect();
        let (label, names) = if let Some(mut names) = self.names {
            (label.map(|k| names.remove(k)), names)
        } else {
            let names = (1..=kinds.len()).map(|number| number.to_string());
            (label.map(|k| (k + 1).to_string()), names.collect())
        };
        let mut places: HashMap<&str, usize> = HashMap::with_capacity(names.len());
        places.extend(names.iter().enumerate().map(|(k, name)| (name.as_str(), k)));
        let place = |name: &String, hold: &str| match places.get(name.as_str()) {
            Some(&k) => Ok(k),
            None => Err(Complaint::plain(format!(
                "no column is called {}, which was to hold {hold};{} the columns are {}",
                Token::new(name.as_bytes()),
                near(name, &names),
                list(&names)
            ))),
        };
        for name in &options.categorical {
            kinds[place(name, "categories")?] = ColumnKind::Category;
        }
        for name in &options.text {
            kinds[place(name, "text")?] = ColumnKind::Text;
        }
        for column in options.table.iter().flat_map(|table| &table.columns) {
            if let Some(&k) = places.get(column.name.as_str()) {
                if options.text.contains(&column.name) && column.kind != ColumnKind::Text {
                    return Err(usual::not_text(column));
                }
                kinds[k] = column.kind;
            }
        }
        let columns = names.into_iter().zip(kinds);
        let columns = columns
            .map(|(name, kind)| Column::new(name, kind))
            .collect();
        Ok(Table {
            label,
            columns,
            missing: options.missing(),
            text: options.text_form(),
        })
    }
}

/// A hint at the name that was meant.
fn near(name: &str, names: &[String]) -> String {
    match nearest_match(name, names.iter().map(String::as_str)) {
        Some(near) => format!(" did you mean {}?", Token::new(near.as_bytes())),
        None => String::new(),
    }
}

/// The first names.
fn list(names: &[String]) -> String {
    let shown = names.iter().take(LISTED);
    let shown: Vec<String> = shown
        .map(|name| Token::new(name.as_bytes()).to_string())
        .collect();
    match names.len().saturating_sub(LISTED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
