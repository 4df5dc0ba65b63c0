//! Why there is no certificate.

use crate::catalog::NoTheorem;
use crate::certificate::NotApplicable;
use crate::remedy::{Complaint, Remedy, Setting};

/// Why a run has no certificate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NoCertificate {
    /// The learner has no theorem.
    #[error(transparent)]
    NoTheorem(#[from] NoTheorem),
    /// Its theorem says nothing of such a run.
    #[error(transparent)]
    NotApplicable(#[from] NotApplicable),
    /// The search in the space of a kernel takes too long.
    #[error(
        "looking for a comparator in the space of a kernel takes the values of all pairs of {rows} rows, which would cost too much"
    )]
    ManyPairs {
        /// How many rows.
        rows: usize,
    },
    /// The trials do not fit.
    #[error("the trials alone take {needed} MB, and {limit} MB are there for a certificate")]
    Memory {
        /// Megabytes needed.
        needed: u128,
        /// Megabytes there.
        limit: u128,
    },
    /// Rows and trials of several classes do not fit.
    #[error(
        "certifying more than {rows} rows of {classes} binary problems takes more than {limit} MB beside the rows"
    )]
    ManyRows {
        /// How many rows fit.
        rows: u128,
        /// How many problems.
        classes: u128,
        /// Megabytes there.
        limit: u128,
    },
    /// The stream is longer than what is kept of it.
    #[error(
        "the rows of the stream take more than {limit} MB, and certifying takes a second look at them"
    )]
    LongStream {
        /// Megabytes that are kept.
        limit: u128,
    },
    /// The theorem looks at rows that were not kept.
    #[error("the theorem of {learner} looks at the rows themselves, and they were not kept")]
    RowsNotKept {
        /// The learner.
        learner: &'static str,
    },
    /// The rows that were given are not those that the learner saw.
    #[error(
        "the model changes rows before its learner sees them, and these are not as the learner saw them"
    )]
    OtherRows,
    /// The rows cannot be held as the learner had them.
    #[error("{0}")]
    Rows(Complaint),
    /// The theorem's eigenvalues take too long.
    #[error("the theorem's eigenvalues, of a matrix of {side} rows, would cost too much")]
    Eigenvalues {
        /// The rows of the matrix.
        side: usize,
    },
    /// The theorem's transformed rows take too long.
    #[error(
        "transforming every row by all earlier updates, as the theorem asks, would cost too much"
    )]
    Transforms,
    /// The dual form worked with a larger a than the theorem has.
    #[error(
        "the rows are so long that the dual form raised its a, and the theorem is about a fixed a"
    )]
    Raised,
    /// There are too many pairs of features.
    #[error(
        "the theorem needs a number for each pair of {features} features, which is done for up to {most}"
    )]
    Wide {
        /// How many features.
        features: usize,
        /// For how many it is done.
        most: usize,
    },
    /// The learner sees only a part of some rows.
    #[error(
        "the matrix of the rows is nearly singular, so that the learner sees only a part of some rows"
    )]
    NearlySingular {
        /// A ridge that mends it.
        ridge: f64,
    },
    /// So much weight is shared that the theorem of the weighted majority says nothing.
    #[error("with share={share} the denominator of the bound is not positive")]
    Shared {
        /// The part of a weight that is shared.
        share: f64,
    },
    /// The vector to compete with does not go with the run.
    #[error("{0}")]
    Comparator(Complaint),
    /// It was not given, and cannot be looked for.
    #[error("there is no vector to compete with")]
    NoVector,
    /// It is in another space.
    #[error("the vector to compete with is not in the space of the run's kernel")]
    OtherSpace,
    /// Rows have weights.
    #[error("rows have weights other than 1, about which the theorems say nothing")]
    Weighted,
    /// All rows are zero.
    #[error("every row is zero, and about such rows no theorem says anything")]
    ZeroRows,
    /// No class was met.
    #[error("there is no class")]
    NoClass,
    /// There was a request to stop.
    #[error("certifying was interrupted")]
    Interrupted,
    /// A thread died.
    #[error("certifying ended unexpectedly")]
    Ended,
    /// The bound is no number.
    #[error("the bound is larger than any number")]
    Infinite,
    /// Mistakes were made that taught nothing.
    #[error(
        "mistakes were made on rows from which nothing could be learned, and about those the theorem says nothing"
    )]
    Unlearned,
    /// One class of several has none.
    #[error("class {class}: {why}")]
    OfClass {
        /// Its label.
        class: String,
        /// Why.
        why: Box<NoCertificate>,
    },
}

impl NoCertificate {
    /// What to do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            NoCertificate::NoTheorem(why) => why.remedy(),
            NoCertificate::NotApplicable(why) => why.remedy(),
            NoCertificate::Rows(why) | NoCertificate::Comparator(why) => why.remedy.clone(),
            NoCertificate::OfClass { why, .. } => why.remedy(),
            NoCertificate::ManyPairs { .. } => Some("certify a part of the run".into()),
            NoCertificate::Memory { .. } | NoCertificate::ManyRows { .. } => {
                Some(Remedy::raise(Setting::MaxMemory))
            }
            NoCertificate::LongStream { .. } => {
                let given = Remedy::give(Setting::Comparator, "MODEL")
                    .aim("for a vector to compete with, which needs none for a perceptron");
                Some(Remedy::raise(Setting::Spool).or(given))
            }
            NoCertificate::RowsNotKept { .. } => {
                let file = Remedy::clause("give a file instead of a stream");
                Some(file.or(Remedy::leave_out(&[Setting::Comparator])))
            }
            NoCertificate::OtherRows => {
                Some("make the problem with Problem::prepared of what Model::prepared gives".into())
            }
            NoCertificate::Shared { .. } => Some("use a smaller share".into()),
            NoCertificate::Raised => Some("use form=primal, or a larger a".into()),
            NoCertificate::NearlySingular { ridge } => {
                Some(Remedy::clause(format!("use ridge={ridge:.0e} or more")))
            }
            _ => None,
        }
    }

    /// Whether the reason is that no vector separates the rows.
    pub fn is_inseparable(&self) -> bool {
        match self {
            NoCertificate::NotApplicable(why) => *why == NotApplicable::DoesNotSeparate,
            NoCertificate::OfClass { why, .. } => why.is_inseparable(),
            _ => false,
        }
    }
}
