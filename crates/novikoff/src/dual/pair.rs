//! Losses and regularisers that do not go together, and those that seldom do.

use std::fmt;

use super::named::{NamedLoss, NamedRegulariser};
use crate::remedy::{Remedy, Setting};

/// What cannot go together, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PairError {
    /// A kernel has no weights of features.
    #[error(
        "{regulariser} needs the weights of features, which a kernel does not have; kernels go with l2 only"
    )]
    Kernel {
        /// The regulariser.
        regulariser: &'static str,
    },
    /// Maximum entropy needs a distribution.
    #[error("max-entropy finds a distribution, which {regulariser} does not give")]
    NoDistribution {
        /// The regulariser, as typed.
        regulariser: String,
    },
    /// A free bias makes the likelihood larger without end.
    #[error("likelihood with a free bias has no optimum: the larger the bias, the better")]
    NoOptimum,
}

impl PairError {
    /// What to do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            PairError::Kernel { .. } => None,
            PairError::NoDistribution { .. } => {
                let loss = Remedy::give(Setting::Loss, "squared");
                Some(Remedy::give(Setting::Regulariser, "entropy").or(loss))
            }
            PairError::NoOptimum => Some(Remedy::give(Setting::Bias, "off")),
        }
    }
}

/// A pair that goes together though it is unusual.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnusualPair {
    /// Mixtures have no negative weights.
    NegativeMixture {
        /// The regulariser.
        regulariser: &'static str,
    },
    /// Every prediction will be +.
    NoThreshold {
        /// The regulariser.
        regulariser: &'static str,
    },
}

impl fmt::Display for UnusualPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnusualPair::NegativeMixture { regulariser: g } => write!(
                f,
                "likelihood is meant for weights that are not negative, as entropy has them; {g} allows others"
            ),
            UnusualPair::NoThreshold { regulariser: g } => write!(
                f,
                "{g} has no negative weights, so without a threshold the sign of non-negative features is always +"
            ),
        }
    }
}

impl UnusualPair {
    /// What to do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            UnusualPair::NegativeMixture { .. } => None,
            UnusualPair::NoThreshold { .. } => {
                let threshold = Remedy::give_both(Setting::Theta, Setting::Alpha);
                Some(Remedy::give(Setting::Bias, "free").or(threshold))
            }
        }
    }
}

/// Whether a loss and a regulariser go together, in the space of a kernel or not; if they do though it is unusual, what
/// to know about it. `threshold` tells whether there is a bias or another threshold than 0.
pub fn check_pair(
    loss: &NamedLoss,
    by: &NamedRegulariser,
    free_bias: bool,
    kernel: bool,
    threshold: bool,
) -> Result<Option<UnusualPair>, PairError> {
    let (f, regulariser) = (loss.name(), by.name());
    if kernel && regulariser != "l2" {
        return Err(PairError::Kernel { regulariser });
    }
    if f == "max-entropy" && (regulariser != "entropy" || by.is_signed()) {
        let regulariser = by.text().to_owned();
        return Err(PairError::NoDistribution { regulariser });
    }
    if f == "likelihood" && free_bias {
        return Err(PairError::NoOptimum);
    }
    let mixtures = regulariser == "l2" || by.is_one_sided();
    if f == "likelihood" && !mixtures {
        return Ok(Some(UnusualPair::NegativeMixture { regulariser }));
    }
    if loss.loss().classifies() && by.is_one_sided() && !threshold {
        return Ok(Some(UnusualPair::NoThreshold { regulariser }));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn pairs_that_make_no_sense_are_refused() {
        let check = |loss: &str, by: &str, free, kernel| {
            let (loss, by) = (
                NamedLoss::parse(loss).unwrap(),
                NamedRegulariser::parse(by).unwrap(),
            );
            check_pair(&loss, &by, free, kernel, free)
        };
        let regulariser = "entropy";
        assert_eq!(
            check("hinge", "entropy", false, true),
            Err(PairError::Kernel { regulariser })
        );
        let said = check("max-entropy", "l2", false, false).unwrap_err();
        assert_eq!(
            said.to_string(),
            "max-entropy finds a distribution, which l2 does not give"
        );
        assert_eq!(
            said.remedy().unwrap().to_string(),
            "use reg=entropy, or loss=squared"
        );
        assert!(check("max-entropy", "entropy:signed", false, false).is_err());
        assert_eq!(
            check("likelihood", "l2", true, false),
            Err(PairError::NoOptimum)
        );
        assert!(
            check("likelihood", "elastic", false, false)
                .unwrap()
                .is_some()
        );
        let unusual = check("hinge", "entropy", false, false).unwrap().unwrap();
        assert_eq!(unusual, UnusualPair::NoThreshold { regulariser });
        assert_eq!(
            unusual.remedy().unwrap().to_string(),
            "use bias=free, or theta and alpha"
        );
        assert_eq!(check("hinge", "entropy", true, false), Ok(None));
        assert_eq!(check("max-entropy", "entropy", false, false), Ok(None));
        assert_eq!(check("squared", "elastic", true, false), Ok(None));
    }
}
