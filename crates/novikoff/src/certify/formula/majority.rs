//! The weighted majority beside its experts.

use super::{Formula, MathSymbol, Notation, given};
use crate::certificate::Certificate;

impl Formula {
    /// The formula of the certificate of a majority.
    pub fn of_majority(certificate: &Certificate) -> Self {
        let value = |name: &str| certificate.ingredient(name).unwrap_or(f64::NAN);
        let experts = value("number");
        let eta = || {
            let meaning =
                "the rate of the last trial: an expert's weight is exp(−η times its mistakes)";
            given(Notation::Sub("η", "T"), meaning, value("eta"))
        };
        let ln_n = || {
            const LN_N: Notation =
                Notation::Beside(&[Notation::Letter("ln"), Notation::Letter("N")]);
            let meaning = "natural logarithm of the number N of experts";
            given(LN_N, meaning, libm::log(experts))
        };
        let progress = given(
            Notation::Letter("F"),
            "the mean of ln(2/(1 + exp(−η)))/η over the trials on which the majority was wrong",
            value("progress"),
        );
        let share = certificate.ingredient("share");
        let mistakes =
            |index, meaning| given(Notation::Sub("m", index), meaning, value("mistakes"));
        let (bound, holds_for) = match share {
            None => {
                let mistakes = mistakes("i", "mistakes of the best expert");
                // one expert has no weight to lose
                let over = if experts > 1.0 {
                    mistakes + ln_n() / eta()
                } else {
                    mistakes
                };
                (over / progress, "every expert i")
            }
            Some(share) => {
                let mistakes = mistakes("S", "mistakes of the best sequence S of experts");
                let change = given(
                    Notation::Letter("c"),
                    "what a change costs: ln((N − 1)(1 − s)/s), s being the learner's key share",
                    libm::log((experts - 1.0) * (1.0 - share) / share),
                );
                let changes = given(
                    Notation::Letter("k"),
                    "changes of the expert in S",
                    value("switches"),
                );
                let lost = given(
                    Notation::Letter("d"),
                    "what sharing costs at each mistake: ln(1/(1 − s))",
                    libm::log(1.0 / (1.0 - share)),
                );
                let over = mistakes * eta() + ln_n() + changes * change;
                (
                    over / (progress * eta() - lost),
                    "every sequence S of experts with k changes",
                )
            }
        };
        Formula {
            counted: MathSymbol {
                notation: Notation::Letter("m"),
                meaning: "mistakes of the majority",
                value: certificate.counted as f64,
                made_of: None,
            },
            expected: false,
            bound,
            holds_for,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Formula;
    use crate::certificate::majority::{Rivalled, bound};
    use crate::learner::Votes;

    #[test]
    fn the_formula_is_the_bound() {
        for (mistakes, share) in [(&[10, 12, 20][..], 0.0), (&[10, 12, 20], 0.01), (&[7], 0.0)] {
            let votes = Votes {
                mistakes: mistakes.to_vec(),
                weights: vec![1.0; mistakes.len()],
                majority: 15,
                eta: if mistakes.len() > 1 { 0.7 } else { 0.0 },
                progress: 15.0 * 0.45,
                sequence: None,
            };
            let rival = Rivalled {
                mistakes: 9.0,
                switches: u64::from(share > 0.0) * 2,
            };
            let certificate = bound(&votes, share, rival).expect("a bound");
            let formula = Formula::of_majority(&certificate);
            let (found, expected) = (formula.bound.value(), certificate.bound);
            assert!(
                (found - expected).abs() < 1e-9 * expected,
                "{found} {expected}"
            );
            assert!(
                formula
                    .symbols()
                    .iter()
                    .all(|symbol| symbol.value.is_finite())
            );
        }
    }
}
