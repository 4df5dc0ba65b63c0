//! Why a theorem says nothing of a run.

use crate::remedy::{Remedy, Setting};

/// What a theorem asks of a run that the run does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotApplicable {
    /// The shifting perceptron's rows have length 1.
    #[error("the theorem needs rows of length 1")]
    NotOne,
    /// Rows of a learner on a budget are no longer than 1.
    #[error("the theorem needs rows of length at most 1")]
    TooLong,
    /// The projectron forgets too much of U.
    #[error("the theorem needs eta |U| < 1")]
    TooWide,
    /// The higher-order perceptron made too large a step.
    #[error("a step was larger than the theorem allows")]
    TooLargeStep,
    /// T12 is for p = 2.
    #[error("the theorem is for p = 2")]
    OtherNorm,
    /// Selective sampling with a margin.
    #[error("the theorem is about mistakes only")]
    Margin,
    /// The given vector does not separate the rows of a maximum margin.
    #[error("U does not separate the rows")]
    DoesNotSeparate,
    /// No vector was found that separates the rows.
    #[error("the theorem is about rows that a vector separates, and none was found")]
    NotSeparated,
    /// No weights were found as Winnow's theorem wants them.
    #[error(
        "no weights of 0 or more were found whose sum is at least 1 on every row of +1 and at most 1 - 2 (alpha - 1) on every other row"
    )]
    NoWeights,
    /// Winnow's rows are of zeros and ones.
    #[error("the theorem is about rows whose values are all 0 or 1")]
    NotBoolean,
    /// Winnow's parameters.
    #[error("the theorem needs alpha of at most 1.5 and theta of at least 1")]
    Alpha,
}

impl NotApplicable {
    /// What to do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        let unit = || Remedy::give(Setting::Normalize, "2");
        match self {
            NotApplicable::NotOne => Some(unit()),
            NotApplicable::TooLong => Some(unit().or("a kernel with cosine")),
            NotApplicable::TooWide => Some("use a smaller eta".into()),
            NotApplicable::TooLargeStep => {
                Some(Remedy::clause("use schedule=cap").or("rows of p-norm 1"))
            }
            NotApplicable::Margin => Some("use margin=0".into()),
            NotApplicable::DoesNotSeparate => {
                Some("learn with noise above 0, whose certificate takes any U".into())
            }
            NotApplicable::NoWeights | NotApplicable::NotBoolean => {
                let any = Remedy::give(Setting::Learner, "balanced-winnow");
                Some(any.aim("for a theorem about any rows"))
            }
            NotApplicable::OtherNorm | NotApplicable::NotSeparated | NotApplicable::Alpha => None,
        }
    }
}
