//! WM: the weighted majority makes few mistakes more than the best of its experts.
//!
//! `M <= (m + ln N / eta_T) / F`, where m are the mistakes of any expert, N how many experts there are, eta_T the rate of the last trial and
//! F the mean of `f(eta) = ln(2/(1 + exp(-eta)))/eta` over the trials on which the majority was wrong. With shared weight, m are the mistakes
//! of any sequence of experts with k changes, and `M <= (m eta + ln N + k ln((N-1)(1-s)/s)) / (f(eta) eta - ln(1/(1-s)))`.
//! Proof: docs/theory/majority.md.

use super::{Certificate, Up};
use crate::learner::{Panel, Votes};
use crate::majority::progress;

/// What rounding of weights and sums may have made wrong, relative to their size.
const ROUNDING: f64 = 1e-12;

/// What the majority is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rivalled {
    /// Mistakes of an expert, or of a sequence of experts, or a bound of them.
    pub mistakes: f64,
    /// Changes of the expert in the sequence.
    pub switches: u64,
}

impl Rivalled {
    /// The expert with the fewest mistakes, or the best sequence where weight is shared.
    pub fn best(votes: &Votes) -> Self {
        match votes.sequence {
            Some(sequence) => Rivalled {
                mistakes: sequence.mistakes as f64,
                switches: sequence.switches,
            },
            None => Rivalled {
                mistakes: votes.mistakes.iter().copied().min().unwrap_or(0) as f64,
                switches: 0,
            },
        }
    }
}

/// The certificate of one vote; none where weight is shared and the bound has no positive denominator. `share` is s.
pub fn bound(votes: &Votes, share: f64, rival: Rivalled) -> Option<Certificate> {
    let experts = votes.mistakes.len() as f64;
    let ln_n = Up::new(libm::log(experts));
    let eta = votes.eta;
    let mean = match votes.majority {
        0 => progress(eta),
        wrong => votes.progress / wrong as f64,
    };
    let low = |value: f64| value * (1.0 - ROUNDING);
    let (of_expert, of_experts, mut ingredients) = if share > 0.0 {
        let denominator = low(mean * eta) - libm::log(1.0 / (1.0 - share)) * (1.0 + ROUNDING);
        if denominator <= 0.0 {
            return None;
        }
        let change = libm::log((experts - 1.0) * (1.0 - share) / share);
        let changes = Up::new(rival.switches as f64) * Up::new(change);
        (
            (Up::new(rival.mistakes) * Up::new(eta)).over(denominator),
            (ln_n + changes).over(denominator),
            vec![("share", share), ("switches", rival.switches as f64)],
        )
    } else {
        let over_eta = if experts > 1.0 {
            ln_n.over(low(eta))
        } else {
            Up::default()
        };
        (
            Up::new(rival.mistakes).over(low(mean)),
            over_eta.over(low(mean)),
            Vec::new(),
        )
    };
    let bound = (of_expert + of_experts).value();
    ingredients.extend([
        ("mistakes", rival.mistakes),
        ("number", experts),
        ("eta", eta),
        ("progress", mean),
    ]);
    Some(Certificate {
        theorem: "WM",
        name: if share > 0.0 {
            "weighted majority, shared weight"
        } else {
            "weighted majority"
        },
        counted: votes.majority,
        bound,
        ingredients: [
            vec![
                ("expert", of_expert.value()),
                ("experts", bound - of_expert.value()),
            ],
            ingredients,
        ]
        .concat(),
    })
}

/// The bound after each moment that a majority of one vote has kept, each time against the best expert so far, and at the end as [`bound`] has it. What
/// mistakes between two moments brought forward is counted at the rate of the first, which is no lower than theirs: so no point is too low. A point that is
/// above a later one is lowered to it. Empty where weight is shared, for the best sequences of the past are not kept.
pub fn curve(panel: &Panel, share: f64) -> Vec<(u64, f64)> {
    let [votes] = &panel.votes[..] else {
        return Vec::new();
    };
    if share > 0.0 {
        return Vec::new();
    }
    let mut before = None;
    let (mut sum, mut made) = (0.0, 0);
    let mut points = Vec::new();
    for moment in &panel.course {
        // before the first moment nothing is known of the rate, which halves a weight at most
        let eta = before.unwrap_or_else(|| moment.eta.max(core::f64::consts::LN_2));
        sum += moment.majority.saturating_sub(made) as f64 * progress(eta);
        (made, before) = (moment.majority, Some(moment.eta));
        let then = Votes {
            mistakes: moment.mistakes.clone(),
            weights: Vec::new(),
            majority: moment.majority,
            eta: moment.eta,
            progress: sum,
            sequence: None,
        };
        if let Some(certificate) = bound(&then, 0.0, Rivalled::best(&then)) {
            points.push((moment.trials, certificate.bound));
        }
    }
    points.retain(|(trials, _)| *trials < panel.trials);
    let last = bound(votes, 0.0, Rivalled::best(votes));
    points.extend(last.map(|certificate| (panel.trials, certificate.bound)));
    // what bounds the mistakes of a longer run bounds those of a shorter one
    let mut least = f64::INFINITY;
    for (_, bound) in points.iter_mut().rev() {
        least = least.min(*bound);
        *bound = least;
    }
    points
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::learner::PanelMoment;

    #[test]
    fn no_point_of_the_curve_is_too_low() {
        // two experts; the rate falls with the mistakes of the better one
        let rate = |least: u64| {
            let falling = (8.0 * core::f64::consts::LN_2 / (1.0 + least as f64)).sqrt();
            falling.min(core::f64::consts::LN_2)
        };
        let (mut first, mut second, mut majority) = (0_u64, 0_u64, 0_u64);
        let (mut exact, mut course, mut bounds) = (0.0, Vec::new(), Vec::new());
        for trial in 1..=4000_u64 {
            let eta = rate(first.min(second));
            if trial % 5 < 2 {
                majority += 1;
                exact += progress(eta);
            }
            first += u64::from(trial % 3 == 0);
            second += u64::from(trial % 4 != 0);
            if trial % 100 == 0 {
                let eta = rate(first.min(second));
                course.push(PanelMoment {
                    trials: trial,
                    eta,
                    majority,
                    mistakes: vec![first, second],
                    weights: vec![0.5, 0.5],
                });
                let then = Votes {
                    progress: exact,
                    ..votes(&[first, second], majority, eta)
                };
                bounds.push(bound(&then, 0.0, Rivalled::best(&then)).unwrap().bound);
            }
        }
        let whole = Votes {
            progress: exact,
            ..votes(&[first, second], majority, rate(first.min(second)))
        };
        let panel = Panel {
            experts: Vec::new(),
            votes: vec![whole],
            trials: 4000,
            cost: 0.0,
            most: 8.0,
            course,
        };
        let points = curve(&panel, 0.0);
        assert_eq!(points.len(), bounds.len());
        assert!(points.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1));
        for k in (1..bounds.len()).rev() {
            bounds[k - 1] = bounds[k - 1].min(bounds[k]);
        }
        for ((trials, point), exact) in points.iter().zip(&bounds) {
            // and not much too high either; before the first moment the rate is not known
            assert!(
                point >= exact && *point < 1.05 * exact,
                "{trials}: {point} for {exact}"
            );
        }
        assert_eq!(points.last().map(|p| p.1), bounds.last().copied());
        assert!(curve(&panel, 0.01).is_empty());
    }

    fn votes(mistakes: &[u64], majority: u64, eta: f64) -> Votes {
        Votes {
            mistakes: mistakes.to_vec(),
            weights: vec![1.0 / mistakes.len() as f64; mistakes.len()],
            majority,
            eta,
            progress: majority as f64 * progress(eta),
            sequence: None,
        }
    }

    #[test]
    fn for_a_fixed_rate_it_is_the_bound_of_the_book() {
        // (m ln(1/beta) + ln N) / ln(2/(1+beta)) with beta = 1/2, m = 10, N = 4
        let votes = votes(&[10, 12, 20, 30], 15, core::f64::consts::LN_2);
        let got = bound(&votes, 0.0, Rivalled::best(&votes)).unwrap();
        let want = (10.0 * core::f64::consts::LN_2 + libm::log(4.0)) / libm::log(4.0 / 3.0);
        assert!(
            got.bound >= want && got.bound < want * (1.0 + 1e-11),
            "{} {want}",
            got.bound
        );
        let sum = got.ingredient("expert").unwrap() + got.ingredient("experts").unwrap();
        assert!((sum - got.bound).abs() < 1e-12 * sum);
        assert!(got.holds() && got.counted == 15);
    }

    #[test]
    fn shared_weight_has_a_bound_where_its_denominator_is_positive() {
        let votes = votes(&[10, 12], 15, core::f64::consts::LN_2);
        let rival = Rivalled {
            mistakes: 3.0,
            switches: 2,
        };
        assert!(bound(&votes, 0.4, rival).is_none(), "ln(4/3) < ln(1/0.6)");
        let (s, beta) = (0.01_f64, 0.5_f64);
        let top = 3.0 * libm::log(2.0) + libm::log(2.0) + 2.0 * libm::log((1.0 - s) / s);
        let want = top / (libm::log(2.0 / (1.0 + beta)) - libm::log(1.0 / (1.0 - s)));
        let got = bound(&votes, s, rival).unwrap().bound;
        assert!(got >= want && got < want * (1.0 + 1e-10), "{got} {want}");
    }

    #[test]
    fn one_expert_is_at_most_doubled() {
        let votes = votes(&[7], 7, 0.0);
        let got = bound(&votes, 0.0, Rivalled::best(&votes)).unwrap();
        assert!((got.bound - 14.0).abs() < 1e-9, "{}", got.bound);
    }
}
