//! What may do better than a result that is no better than a constant answer.

use super::Errors;
use crate::remedy::{Hint, Remedy, Setting};

/// What may do better than answers that are no better than the mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NumberAdvice {
    /// A constant is missing.
    pub bias: bool,
    /// Features are not centred and scaled, and there are numbers to be.
    pub standardize: bool,
}

impl NumberAdvice {
    pub(super) fn remedy(self) -> Remedy {
        let free = Remedy::give(Setting::Bias, "free");
        let standardize = Remedy::give(Setting::Standardize, "");
        let other = "check the labels and how the data is read";
        match (self.bias, self.standardize) {
            (true, true) => free.or(standardize),
            (true, false) => free,
            (false, true) => standardize.or(other),
            (false, false) => Remedy::clause("try a smaller or larger lambda").or(other),
        }
    }
}

/// What may do better than a run that is no better than the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // none of these facts follows from the others
pub struct Advice {
    /// Features are not centred and scaled, and there are numbers to be.
    pub standardize: bool,
    /// Other learners were not run beside it.
    pub compare: bool,
    /// There are two labels, and few rows have the rarer one: few errors say little, and the order of the scores may be worth more.
    pub rare: bool,
    /// Classes have weights: more errors of the frequent label are what was asked for.
    pub weighted: bool,
}

/// A label is rare if no more than this share of the rows has it.
const RARE: f64 = 0.2;

impl Advice {
    /// This advice where a constant answer to two labels makes these errors on some rows.
    #[must_use]
    pub fn on(self, baseline: Errors, is_binary: bool) -> Self {
        Advice {
            rare: is_binary && baseline.errors > 0 && baseline.share() <= RARE,
            ..self
        }
    }
}

impl Advice {
    /// This advice where classes have weights, or have none.
    #[must_use]
    pub fn weighted(self, weighted: bool) -> Self {
        Advice { weighted, ..self }
    }

    pub(super) fn remedy(self) -> Remedy {
        if self.weighted {
            return Remedy::clause(
                "judge by the AUC and not by errors: class weights give up rows of the frequent label to find more of the others",
            );
        }
        let standardize = Remedy::give(Setting::Standardize, "");
        let remedy = match (self.standardize, self.compare) {
            (true, true) => standardize.or(Remedy::hint(Hint::Compare)),
            (true, false) => standardize,
            (false, true) => Remedy::hint(Hint::Compare),
            (false, false) => Remedy::clause("check the labels and how the data is read"),
        };
        if self.rare {
            remedy.or(ranking())
        } else {
            remedy
        }
    }
}

/// What to look at where one label is rare.
pub(super) fn ranking_alone() -> Remedy {
    Remedy::hint(Hint::RankRare)
}

/// What to do where a learner is yet to be trained.
fn ranking() -> Remedy {
    ranking_alone()
        .or(Remedy::give(Setting::ClassWeight, "balanced").aim("to find more of the rare label"))
}
