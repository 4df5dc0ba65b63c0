//! Which column is the label, and what the others are called.

use novikoff::remedy::Complaint;

use crate::error::Token;
use crate::kinds::{list, near};
use crate::options::ReadOptions;
use crate::usual;

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
            (None, Some(label)) => Err(self.no_column(label, "the label")),
            (None, None) => {
                let names = self.names.iter().flatten().map(String::as_str);
                let names: Vec<&str> = names.collect();
                Err(usual::which_label(&list(&names), options.table.as_ref()))
            }
        }
    }

    /// The column whose text is kept with every row, counted from 0, if one was asked for.
    pub(super) fn id(&self, options: &ReadOptions) -> Result<Option<usize>, Complaint> {
        let found = |name: &String| {
            self.place(name)
                .ok_or_else(|| self.no_column(name, "the id"))
        };
        options.id.as_ref().map(found).transpose()
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
            let features = features.or(options.unnamed_features);
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

    /// There is no column that was to be something.
    fn no_column(&self, name: &str, what: &str) -> Complaint {
        let wanted = Token::new(name.as_bytes());
        match &self.names {
            Some(names) => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                Complaint::plain(format!(
                    "no column is called {wanted}, which was to be {what};{} the columns are {}",
                    near(name, &names),
                    list(&names)
                ))
            }
            None => Complaint::plain(format!(
                "no column is called {wanted}, which was to be {what}; the table has no line of \
                 names, so use the number of a column, 1 to {}",
                self.count
            )),
        }
    }

    /// The name of the label's column, and those of the others.
    pub(super) fn split(self, label: Option<usize>) -> (Option<String>, Vec<String>) {
        if let Some(mut names) = self.names {
            return (label.map(|k| names.remove(k)), names);
        }
        let features = self.count - usize::from(label.is_some());
        let names = (1..=features).map(|number| number.to_string());
        (label.map(|k| (k + 1).to_string()), names.collect())
    }
}
