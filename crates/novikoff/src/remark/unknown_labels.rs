//! The remark on labels of rows that a model does not know.

use std::fmt;

use crate::quantity::{count, plural};
use crate::remedy::Remedy;

/// How many labels are named.
const NAMED: usize = 5;

/// Labels of rows that a model does not know. They count as errors, whatever it answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLabels {
    /// The labels, the most frequent first, each with how often it occurs.
    pub labels: Vec<(String, u64)>,
    /// How often such labels occur.
    pub times: u64,
    /// Rows.
    pub rows: u64,
    /// The labels that the model knows.
    pub known: Vec<String>,
    /// No row has a label that the model knows.
    pub none: bool,
}

impl UnknownLabels {
    /// Unknown labels that differ from a known one in case and blanks only, each with that.
    fn spellings(&self) -> impl Iterator<Item = (&str, &str)> {
        let plain = |label: &str| label.trim().to_lowercase();
        self.labels.iter().filter_map(move |(label, _)| {
            let same = |known: &&String| plain(known) == plain(label);
            Some((label.as_str(), self.known.iter().find(same)?.as_str()))
        })
    }

    pub(super) fn remedy(&self) -> Remedy {
        let written = self.spellings().take(NAMED);
        let written: Vec<String> = written
            .map(|(label, known)| format!("{known} for {label}"))
            .collect();
        if written.is_empty() {
            let check = "check that the label is the one of training";
            return Remedy::clause(check).or("train with these labels");
        }
        Remedy::clause(format!("write {}", written.join(", ")))
    }
}

impl fmt::Display for UnknownLabels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.labels.iter().take(NAMED);
        let named: Vec<String> = named
            .map(|(label, times)| format!("{label} ({})", count(*times)))
            .collect();
        let mut named = named.join(", ");
        if self.labels.len() > NAMED {
            named.push_str(", ...");
        }
        if self.none {
            let known: Vec<&str> = self.known.iter().take(NAMED).map(String::as_str).collect();
            let more = if self.known.len() > NAMED {
                ", ..."
            } else {
                ""
            };
            return write!(
                f,
                "no row has a label that the model knows: rows have {named}, and the model knows {}{more}",
                known.join(", ")
            );
        }
        write!(
            f,
            "labels that the model does not know occur {} in {}, and count as errors: {named}",
            plural(self.times, "time"),
            plural(self.rows, "row")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::UnknownLabels;
    use crate::remedy::{Library, said};

    fn text(labels: &[(&str, u64)], none: bool) -> String {
        let labels = labels.iter().map(|(label, n)| ((*label).to_owned(), *n));
        let unknown = UnknownLabels {
            labels: labels.collect(),
            times: 411,
            rows: 1000,
            known: vec!["no".to_owned(), "yes".to_owned()],
            none,
        };
        said(&unknown, Some(&unknown.remedy()), &Library)
    }

    #[test]
    fn the_spelling_is_the_remedy() {
        assert_eq!(
            text(&[("No", 300), (" YES", 111)], true),
            "no row has a label that the model knows: rows have No (300),  YES (111), and the model knows no, yes; \
             write no for No, yes for  YES"
        );
        assert_eq!(
            text(&[("maybe", 411)], false),
            "labels that the model does not know occur 411 times in 1,000 rows, and count as errors: maybe (411); \
             check that the label is the one of training, or train with these labels"
        );
    }
}
