//! How much the rows of a class count.

use novikoff::label::{LabelName, RawLabel};

use crate::{Error, Remedy};

/// Weights of classes.
#[derive(Clone, Debug, Default)]
pub enum ClassWeight {
    /// All labels alike.
    #[default]
    Off,
    /// Labels and what their rows' weights are multiplied by.
    Given(Vec<(LabelName, f64)>),
    /// Every class counts as much as any other: `n / (classes * rows of the class)`.
    Balanced,
}

impl ClassWeight {
    pub(super) fn is_off(&self) -> bool {
        matches!(self, ClassWeight::Off)
    }

    /// The labels that were given a weight.
    pub(super) fn given(&self) -> &[(LabelName, f64)] {
        match self {
            ClassWeight::Given(given) => given,
            _ => &[],
        }
    }

    /// Which of them a label is.
    pub(super) fn find(&self, label: RawLabel<'_>) -> Option<usize> {
        self.given().iter().position(|(name, _)| name.is(label))
    }
}

/// No row has a label that was given a weight.
pub(super) fn stranger(label: &LabelName) -> Error {
    let label: String = label.name().chars().take(40).collect();
    let what = format!("class weights: no row has the label `{label}`");
    Error::refused(
        what,
        Remedy::clause("give labels of the data").or("balanced"),
    )
}

/// The factor per class, given its number of rows, that makes all classes count alike: `n / (classes * rows)`.
pub(super) fn balanced(counts: &[usize]) -> Vec<f64> {
    let n: usize = counts.iter().sum();
    let classes = counts.iter().filter(|&&rows| rows > 0).count();
    let weight = |&rows: &usize| match rows {
        0 => 1.0,
        _ => n as f64 / (classes as f64 * rows as f64),
    };
    counts.iter().map(weight).collect()
}
