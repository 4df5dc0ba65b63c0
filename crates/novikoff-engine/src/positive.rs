//! Whether rows have the label that is learned against the rest.

use novikoff::classes::Task;
use novikoff::grammar::nearest_match;
use novikoff::label::{LabelName, RawLabel};
use novikoff::remark::Remark;
use novikoff::rows::Block;

use crate::Error;
use crate::events::Context;
use crate::rows::HeldRows;

/// Looks for rows of the label that is learned against the rest.
pub(crate) struct PositiveSearch {
    /// The label, until a row has it.
    wanted: Option<LabelName>,
    /// The first labels that rows have.
    others: Vec<LabelName>,
}

/// Labels that are named where the one asked for is missing.
const OTHERS: usize = 10;

impl PositiveSearch {
    /// What there is to look for if this task was asked for.
    pub(crate) fn new(task: Option<&Task>) -> Self {
        let wanted = match task {
            Some(Task::Binary {
                negative: None,
                positive,
            }) => Some(positive.clone()),
            _ => None,
        };
        PositiveSearch {
            wanted,
            others: Vec::new(),
        }
    }

    /// Looks at more rows.
    pub(crate) fn block(&mut self, block: Block<'_>) {
        let Some(wanted) = &self.wanted else {
            return;
        };
        for label in (0..block.len()).flat_map(|row| block.labels(row)) {
            if wanted.is(label) {
                self.wanted = None;
                return;
            }
            let is_known = self.others.iter().any(|other| other.is(label));
            let is_near = || is_spelled_like(wanted, label);
            if !is_known && (self.others.len() < OTHERS || is_near()) {
                self.others.truncate(OTHERS - 1);
                self.others.push(LabelName::new(label));
            }
        }
    }

    /// Looks at rows that are held.
    pub(crate) fn held(&mut self, held: &HeldRows) {
        for block in held.blocks() {
            self.block(block);
        }
    }

    /// No row has the label.
    pub(crate) fn remark(&self) -> Option<Remark> {
        let wanted = self.wanted.as_ref()?;
        let mut others: Vec<&LabelName> = self.others.iter().collect();
        others.sort();
        let names = || others.iter().map(|label| label.name());
        let label = wanted.name().to_owned();
        let alike = names().find(|name| is_alike(name, &label));
        let near = alike.or_else(|| nearest_match(&label, names()));
        Some(Remark::NoPositive {
            near: near.map(str::to_owned),
            others: names().map(str::to_owned).collect(),
            label,
        })
    }
}

/// Whether two labels differ in case and blanks only.
pub(crate) fn is_alike(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.trim().to_lowercase()
}

fn is_spelled_like(wanted: &LabelName, label: RawLabel<'_>) -> bool {
    let wanted = wanted.name().as_bytes().trim_ascii();
    label.text().trim_ascii().eq_ignore_ascii_case(wanted)
}

/// An error if no row has the label that is to be learned against the rest, unless the job is lenient.
pub(crate) fn check_positive(
    task: Option<&Task>,
    held: &HeldRows,
    lenient: bool,
    context: Context<'_>,
) -> Result<(), Error> {
    let mut search = PositiveSearch::new(task);
    search.held(held);
    match search.remark() {
        Some(remark) => context.allow(&remark, lenient),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use novikoff::classes::Task;
    use novikoff::label::LabelName;
    use novikoff::remark::Remark;
    use novikoff::rows::Rows;

    use super::{OTHERS, PositiveSearch};

    fn search(wanted: &str, labels: &[&str]) -> Option<Remark> {
        let mut rows = Rows::new();
        for label in labels {
            rows.push_label(label.parse().unwrap_or(f64::NAN), label.as_bytes());
            rows.end_row(0);
        }
        let task = Task::Binary {
            negative: None,
            positive: LabelName::typed(wanted),
        };
        let mut search = PositiveSearch::new(Some(&task));
        search.block(rows.view());
        search.remark()
    }

    #[test]
    fn a_label_that_no_row_has_is_named_with_the_nearest() {
        assert_eq!(search("1", &["0", "1.0"]), None, "the same number");
        assert_eq!(search("yes", &["no", "yes"]), None);
        let Some(Remark::NoPositive { near, others, .. }) = search("yes", &["no", "Yes", "no"])
        else {
            panic!("no row has it");
        };
        assert_eq!(near.as_deref(), Some("Yes"));
        assert_eq!(others, ["Yes", "no"]);
    }

    #[test]
    fn the_nearest_is_kept_whatever_comes_before() {
        let mut labels: Vec<String> = (0..100).map(|k| format!("class {k}")).collect();
        labels.push("SPAM".to_owned());
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let Some(Remark::NoPositive { near, others, .. }) = search("spam", &labels) else {
            panic!("no row has it");
        };
        assert_eq!((near.as_deref(), others.len()), (Some("SPAM"), OTHERS));
    }
}
