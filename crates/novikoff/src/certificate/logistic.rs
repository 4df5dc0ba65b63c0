//! Online logistic regression: LR (docs/theory/logistic.md#lr-logistic-regression).
//!
//! `m ln 2 <= L(U) + sum over the bettors of rho(U_j)`, L being the log loss of U over all trials and
//! `rho(u) = 1 + (|u|/z)(ln(|u|/z) - 1 + z^2 (S + M^2) + R)` for the best `0 < z <= 1/(2M)`, `rho(0) = 1 - e^-R`. M, S and R are of the run:
//! M and S as the learner has them, and R the sum of `g^2 (1 - 2 v g)^2 / (4 (S + M^2))` over the trials, S with its g. What U has of a feature goes to the
//! bettor of the feature, or for all features that have a difference to that of the difference, whichever makes the sum smaller. Terms: `log_loss` is L(U),
//! `regret` the sum; `theorem` is the bound with `ln((S + M^2)/M_1^2)`, which is no smaller than R, in its place.
//!
//! Rounding: the run is repeated, and what it measured counts as larger by 1e-9; logarithms and exponentials are right to one unit in the last place
//! and rounded up.

use super::{Certificate, Inexact, PastTrial, Up, inner};
use crate::label::Label;
use crate::learner::{Prediction, Rule as _, TrialRow};
use crate::online::logistic::{Bets, Logistic, slope};
use crate::row::Row;
use crate::space::{Lane, Planes as _, Primal};

/// What the numbers of a run may be wrong by, relative to their size.
const MEASURED: f64 = 1e-9;

/// What rounding can have made wrong in a few operations.
const FEW: f64 = 16.0 * f64::EPSILON;

/// A run, repeated up to some trial.
#[derive(Clone, Debug)]
pub struct Replay {
    planes: Primal,
    bets: Bets,
    /// R, M_1 and v of each bettor: those of features by slot, those of differences after them.
    measured: Vec<Measured>,
    trials: u64,
    /// The row that others are compared with was the first.
    compares_from_first: bool,
}

/// What a theorem asks of a bettor beside what it keeps.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    shortfall: f64,
    first: f64,
    fraction: f64,
}

/// What rho needs to know of a bettor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BettorSums {
    /// `S + M^2`, no smaller than it is.
    pub room: f64,
    /// M, no smaller than it is.
    pub largest: f64,
    /// R, no smaller than it is.
    pub shortfall: f64,
}

impl BettorSums {
    /// z for a weight: where rho is least.
    pub fn stake(&self, u: f64) -> f64 {
        let most = 0.5 / self.largest * (1.0 - FEW);
        // where z^2 room = ln(|u|/z) + R: with y = 2 z^2 room that is y + ln y = k
        let k = 2.0 * (libm::log(u.abs()) + self.shortfall) + libm::log(2.0 * self.room);
        let mut y = if k > 1.0 { k } else { libm::exp(k) };
        for _ in 0..STEPS {
            y *= (1.0 + k - libm::log(y)) / (1.0 + y);
        }
        let best = (y / (2.0 * self.room)).sqrt();
        // any z is valid
        if best > 0.0 { best.min(most) } else { most }
    }

    /// rho of a weight.
    pub fn regret(&self, u: f64) -> Up {
        if self.largest == 0.0 {
            return Up::default();
        }
        if u == 0.0 {
            return Up::new(-libm::expm1(-self.shortfall) * (1.0 + FEW));
        }
        let z = self.stake(u);
        let (times, log) = (u.abs() / z, libm::log(u.abs() / z));
        let more = z * z * self.room + self.shortfall;
        let error = times * (log.abs() + 1.0 + more) * FEW;
        Up::new(1.0 + times * (log - 1.0 + more) + error + FEW)
    }

    /// How fast rho rises.
    pub fn price(&self, u: f64) -> f64 {
        let z = self.stake(u);
        (libm::log(u.abs() / z) + self.shortfall) / z + z * self.room
    }
}

/// Steps of Newton's method that find z; from such a start four are enough.
const STEPS: u32 = 6;

impl Replay {
    /// Before the first trial, of rows with this many slots.
    pub fn new(slots: usize) -> Self {
        let (mut planes, mut bets) = (Primal::default(), Bets::default());
        planes.reach(slots, 0.0);
        Logistic.reach(&mut bets, slots);
        Replay {
            planes,
            bets,
            measured: vec![Measured::default(); slots],
            trials: 0,
            compares_from_first: false,
        }
    }

    /// After all trials.
    pub fn of(trials: &[PastTrial<'_>]) -> Self {
        let last = trials.iter().filter_map(|t| t.x.last_slot()).max();
        let mut replay = Self::new(last.map_or(0, |slot| slot as usize + 1));
        for t in trials {
            replay.trial(t.x, t.y);
        }
        replay
    }

    /// One more trial.
    pub fn trial(&mut self, x: Row<'_>, y: Label) {
        self.trials += 1;
        let (bets, measured) = (&mut self.bets, &mut self.measured);
        bets.compare_with(x);
        measured.resize(
            bets.features.len() + bets.compared.len(),
            Measured::default(),
        );
        if self.trials == 1 {
            self.compares_from_first = !bets.compared.is_empty();
        }
        bets.each(x, |k, bettor, value| {
            bettor.widen(value.abs());
            measured[k].fraction = bettor.fraction();
            if measured[k].first == 0.0 {
                measured[k].first = bettor.largest;
            }
        });
        let prediction = Prediction::default();
        // the bettors know the row already, so the weights that are in force may be old ones
        bets.settle(x, 0.0, &mut Lane::new(&mut self.planes, 0));
        let margin = self.planes.inner(0, x);
        let row = TrialRow {
            problems: 1,
            x,
            id: None,
            margin,
            glance: 0.0,
            weight: 1.0,
            prediction: &prediction,
        };
        Logistic.learn(bets, Lane::new(&mut self.planes, 0), row, y);
        let c = slope(margin, y);
        bets.each(x, |k, bettor, value| {
            let (g, v) = (c * value, measured[k].fraction);
            let turn = g * (1.0 - 2.0 * v * g);
            measured[k].shortfall += turn * turn / (4.0 * bettor.room());
        });
    }

    /// The bettors of features, then those of differences; `known` is what could be known of R without the run.
    fn bettor_sums(&self, known: bool) -> impl Iterator<Item = BettorSums> {
        let features = self.bets.features.iter();
        let differences = self.bets.differences.iter().map(|d| &d.bettor);
        let all = features.chain(differences).zip(&self.measured);
        all.map(move |(bettor, measured)| {
            let room = bettor.room() * (1.0 + MEASURED);
            let shortfall = if known && measured.first > 0.0 {
                2.0 * libm::log(bettor.room().sqrt() / measured.first) + MEASURED
            } else {
                measured.shortfall
            };
            BettorSums {
                room,
                largest: bettor.largest * (1.0 + FEW),
                shortfall: shortfall * (1.0 + MEASURED),
            }
        })
    }

    /// What the theorem knows of the bettor of each feature, by slot; with differences, of the difference in place of a feature that has one.
    pub fn frame(&self, by_differences: bool) -> Vec<BettorSums> {
        let slots = self.bets.features.len();
        let all: Vec<BettorSums> = self.bettor_sums(false).collect();
        let mut frame = all[..slots].to_vec();
        if by_differences {
            for (slot, ledger) in self.bets.compared.iter().zip(&all[slots..]) {
                frame[*slot as usize] = *ledger;
            }
        }
        frame
    }

    /// The bettors as they are now, if U may be spread over differences.
    pub fn compared(&self) -> Option<&Bets> {
        self.compares_from_first.then_some(&self.bets)
    }

    /// U spread over all bettors.
    fn spread(&self, u: &[f64], by_differences: bool) -> Vec<f64> {
        let slots = self.bets.features.len();
        let mut all: Vec<f64> = u.iter().copied().take(slots).collect();
        all.resize(slots + self.bets.compared.len(), 0.0);
        if by_differences {
            let mut size = all[0].abs();
            for (k, (slot, difference)) in self
                .bets
                .compared
                .iter()
                .zip(&self.bets.differences)
                .enumerate()
            {
                let own = std::mem::take(&mut all[*slot as usize]);
                all[slots + k] = own / self.bets.constant;
                let offset = difference.base * own / self.bets.constant;
                all[0] += offset;
                size += offset.abs();
            }
            let error = size * (self.bets.compared.len() + 2) as f64 * f64::EPSILON;
            all[0] += error.copysign(all[0]);
        }
        all
    }

    /// The sum of rho for U by slot; `known` is what could be known of R without the run.
    fn sum(&self, u: &[f64], known: bool) -> Up {
        let sum = |by_differences: bool| -> Up {
            let spread = self.spread(u, by_differences);
            let all = self.bettor_sums(known).zip(spread);
            all.map(|(ledger, u)| ledger.regret(u)).sum()
        };
        let plain = sum(false);
        if self.compares_from_first {
            plain.min(sum(true))
        } else {
            plain
        }
    }

    /// The sum of rho for U by slot.
    pub fn regret(&self, u: &[f64]) -> Up {
        self.sum(u, false)
    }

    /// What the theorem says of a run with `mistakes` mistakes, given U by slot; the trials are those that were repeated.
    pub fn certify(&self, trials: &[PastTrial<'_>], mistakes: u64, u: &[f64]) -> Certificate {
        let losses = trials.iter().map(|t| log_loss(inner(u, t.x), t.y));
        let log_loss: Up = losses.sum();
        let [regret, known] = [false, true].map(|known| self.sum(u, known));
        Certificate {
            theorem: "LR",
            name: "logistic regression",
            counted: mistakes,
            bound: in_mistakes(log_loss + regret).value(),
            ingredients: vec![
                ("log_loss", log_loss.value()),
                ("regret", regret.value()),
                ("theorem", in_mistakes(log_loss + known).value()),
            ],
        }
    }
}

/// A loss over that of a mistake at least, ln 2.
pub fn in_mistakes(loss: Up) -> Up {
    loss.over(core::f64::consts::LN_2.next_down())
}

/// `ln(1 + e^(-y U.x))` from `U.x`, wrong by at most `error`.
pub fn log_loss(inner: Inexact, y: Label) -> Up {
    let Inexact {
        value: inner,
        error,
    } = inner;
    let least = y.sign() * inner - error;
    let tail = libm::log1p(libm::exp(-least.abs()));
    Up::new((tail + (-least).max(0.0)) * (1.0 + FEW))
}
