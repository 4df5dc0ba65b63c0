//! What a bound says of its run.

/// The one rule by which a run is judged: what text, JSON, pages and `--require-certificate` say follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The bound is proved for every run, and this run kept to it.
    Holds,
    /// The bound is of the expectation over the learner's coins. It is no proof about this run, and a run beyond it is no error.
    Expected,
    /// The bound is proved for every run, and this run is beyond it: an error in the program.
    Violated,
    /// There is no bound.
    None {
        /// Why.
        reason: String,
    },
}

impl Verdict {
    /// The verdict on a run that has a bound: what the theorem counts, the bound, and whether the bound is of an expectation.
    pub fn of(counted: u64, bound: f64, expected: bool) -> Self {
        if expected {
            Verdict::Expected
        } else if counted as f64 <= bound {
            Verdict::Holds
        } else {
            Verdict::Violated
        }
    }

    /// Its word in JSON.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Expected => "expected",
            Verdict::Violated => "violated",
            Verdict::None { .. } => "none",
        }
    }
}

/// Whether a bound is vacuous: no run over `trials` trials can make more mistakes or updates.
pub fn is_vacuous(bound: f64, trials: u64) -> bool {
    bound >= trials as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule() {
        assert_eq!(Verdict::of(4, 4.0, false), Verdict::Holds);
        assert_eq!(Verdict::of(5, 4.999, false), Verdict::Violated);
        assert_eq!(Verdict::of(0, f64::NAN, false), Verdict::Violated);
        for counted in [4, 5] {
            assert_eq!(Verdict::of(counted, 4.5, true), Verdict::Expected);
        }
        assert!(is_vacuous(8.0, 8) && !is_vacuous(7.999, 8));
    }
}
