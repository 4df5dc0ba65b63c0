//! Why a learner does not take a row, and what to do about it.

use crate::remedy::{Remedy, Setting};

/// A row that a learner cannot take.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// Winnow multiplies weights by positive features only.
    #[error("feature {feature} is {value}, but winnow takes no negative values")]
    Negative {
        /// The feature.
        feature: usize,
        /// Its value.
        value: f64,
    },
    /// Neither can the constant feature be negative.
    #[error("the bias is {value}, but winnow takes no negative values")]
    NegativeBias {
        /// Its value.
        value: f64,
    },
    /// The learner has no weighted form.
    #[error("the row has weight {weight}, but {learner} takes rows of weight 1 only")]
    Weight {
        /// The learner.
        learner: &'static str,
        /// The row's weight.
        weight: f64,
        /// Learners that have one.
        others: Vec<&'static str>,
    },
    /// The state would not fit.
    #[error("{features} features need {needed} MB of memory, and the limit is {limit} MB{}", because(.why))]
    Memory {
        /// Highest feature number.
        features: usize,
        /// Megabytes needed.
        needed: u128,
        /// Megabytes allowed.
        limit: u128,
        /// What it keeps, where that is more than a vector; may be empty.
        why: &'static str,
        /// What to do.
        remedy: Box<Remedy>,
    },
    /// Numbers left the range of f64.
    #[error("the score is no longer a finite number")]
    NotFinite,
}

fn because(why: &str) -> String {
    match why {
        "" => String::new(),
        why => format!("; {why}"),
    }
}

impl Refusal {
    /// What to do about it.
    pub fn remedy(&self) -> Remedy {
        match self {
            Refusal::Negative { .. } => "use balanced-winnow or eg".into(),
            Refusal::NegativeBias { .. } => Remedy::give(Setting::Bias, "B").aim("above 0"),
            Refusal::Weight { others, .. } => {
                let others = others.join(", ");
                Remedy::clause(format!("use one of {others}")).or("remove the weights")
            }
            Refusal::Memory { remedy, .. } => Remedy::clone(remedy),
            Refusal::NotFinite => {
                Remedy::clause("scale the data").or(Remedy::give(Setting::Normalize, "2"))
            }
        }
    }
}
