//! The predictors that a learner can offer.

/// Which predictor of a learner to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hypothesis {
    /// The weights after the last trial.
    Final,
    /// The average of the weights over all trials.
    Averaged,
    /// The majority vote of the weights of all trials.
    Voted,
    /// The answer of the expert with the fewest mistakes, of learners that are several.
    Best,
}

impl Hypothesis {
    /// Its name in commands and messages.
    pub fn name(self) -> &'static str {
        match self {
            Hypothesis::Final => "final",
            Hypothesis::Averaged => "averaged",
            Hypothesis::Voted => "voted",
            Hypothesis::Best => "best",
        }
    }

    /// Its number in states that are kept.
    pub fn code(self) -> u64 {
        self as u64
    }

    /// The predictor of a number.
    pub fn from_code(code: u64) -> Option<Self> {
        let all = [
            Hypothesis::Final,
            Hypothesis::Averaged,
            Hypothesis::Voted,
            Hypothesis::Best,
        ];
        all.into_iter().find(|hypothesis| hypothesis.code() == code)
    }
}
