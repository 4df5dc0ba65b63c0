//! `--class-weight`: how much the rows of a label count.

use novikoff::label::{LabelName, RawLabel};

use crate::error::Failure;

/// What was asked for.
pub(super) enum ClassWeight {
    /// All labels alike.
    Off,
    /// Labels and what their rows' weights are multiplied by.
    Given(Vec<(LabelName, f64)>),
    /// Every class counts as much as any other: `n / (classes * rows of the class)`.
    Balanced,
}

impl ClassWeight {
    /// `LABEL=W,LABEL=W` or `balanced`.
    pub(super) fn parse(typed: Option<&str>) -> Result<Self, Failure> {
        let Some(typed) = typed else {
            return Ok(ClassWeight::Off);
        };
        if typed == "balanced" {
            return Ok(ClassWeight::Balanced);
        }
        let mut given: Vec<(LabelName, f64)> = Vec::new();
        for pair in typed.split(',') {
            let wrong = |what: &str| {
                let pair: String = pair.chars().take(40).collect();
                format!(
                    "--class-weight: `{pair}` {what}; give LABEL=W,LABEL=W with numbers W > 0, or balanced"
                )
            };
            let (label, weight) = pair
                .rsplit_once('=')
                .filter(|(label, _)| !label.is_empty())
                .ok_or_else(|| wrong("is not LABEL=W"))?;
            let weight = weight.parse().ok();
            let weight = weight.filter(|w: &f64| w.is_finite() && *w > 0.0);
            let weight = weight.ok_or_else(|| wrong("has no number > 0 as its weight"))?;
            let label = LabelName::typed(label);
            if given.iter().any(|(other, _)| *other == label) {
                return Err(wrong("is a label that has a weight already").into());
            }
            given.push((label, weight));
        }
        Ok(ClassWeight::Given(given))
    }

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
pub(super) fn stranger(label: &LabelName) -> Failure {
    let label: String = label.name().chars().take(40).collect();
    format!("--class-weight: no row has the label `{label}`; give labels of the data, or balanced")
        .into()
}

/// For each class with so many rows, what makes all classes count alike: `n / (classes * rows)`.
pub(super) fn balanced(counts: &[usize]) -> Vec<f64> {
    let n: usize = counts.iter().sum();
    let classes = counts.iter().filter(|&&rows| rows > 0).count();
    let weight = |&rows: &usize| match rows {
        0 => 1.0,
        _ => n as f64 / (classes as f64 * rows as f64),
    };
    counts.iter().map(weight).collect()
}
