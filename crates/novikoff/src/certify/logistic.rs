//! Online logistic regression: LR. Theory: docs/theory/logistic.md#the-comparator.
//!
//! What is made small is `L(U) + sum rho_j(U_j)`, L the log loss. rho rises almost as a multiple of `|U_j|` does, and a square with the same slope stands for
//! it: the solver's problem is that of rows whose features are multiplied, with `(mu/2) |V|^2`. At first all features have the scale `1/sqrt(S + M^2)`,
//! for several mu; then the scales follow from the last U, `sqrt(|U_j| / rho_j'(U_j))`. That is done for the features, and for the differences in their
//! place.

use super::path::{CandidateVector, Path, PathVector};
use super::search::Effort;
use super::{Ask, CertifiedRun, Chosen, POINTS};
use crate::certificate::logistic::{BettorSums, Replay, in_mistakes, log_loss};
use crate::certificate::{Inexact, PastTrial, Rival, Up};
use crate::label::Label;
use crate::online::logistic::{constant, walk};
use crate::rows::Rows;

/// The first mu, the ratio of one to the next, and how many there are.
const MU: f64 = 64.0;
const RATIO: f64 = 4.0;
const STEPS: u32 = 6;

/// How often scales follow from the last U, and what the bound must fall by for one more time, relative to it.
const ROUNDS: u32 = 6;
const GAIN: f64 = 1e-3;

/// The logarithm of a scale is looked for within this of 0, in this many golden sections.
const REACH: f64 = 40.0;
const SECTIONS: u32 = 70;

/// The least bound so far, as a loss.
struct BestLoss {
    loss: f64,
    u: Vec<f64>,
    solves: u32,
}

/// The coordinates that U is looked for in.
struct Frame {
    /// Of each slot.
    bettor_sums: Vec<BettorSums>,
    /// Slots that stand for a difference from a row, what that has there, and its constant feature.
    compared: Vec<u32>,
    bases: Vec<f64>,
    constant: f64,
}

impl Frame {
    /// From coordinates to U by slot.
    fn to_slots(&self, mut u: Vec<f64>) -> Vec<f64> {
        for (slot, base) in self.compared.iter().zip(&self.bases) {
            if let Some(own) = u.get(*slot as usize).copied() {
                u[*slot as usize] = self.constant * own;
                u[0] -= base * own;
            }
        }
        u
    }
}

impl Ask<'_, '_> {
    pub(super) fn logistic(&self) -> CertifiedRun {
        let past = &self.trials.past;
        let replay = Replay::of(past);
        let mut best = BestLoss {
            loss: self.loss_of(&replay, &[]),
            u: Vec::new(),
            solves: 0,
        };
        if let Some(given) = self.given() {
            best.loss = f64::INFINITY;
            self.rescaled(&replay, given, &mut best);
        } else {
            let plain = Frame {
                bettor_sums: replay.frame(false),
                compared: Vec::new(),
                bases: Vec::new(),
                constant: 0.0,
            };
            let compared = replay.compared().map(|bets| Frame {
                bettor_sums: replay.frame(true),
                compared: bets.compared.clone(),
                bases: bets.differences.iter().map(|d| d.base).collect(),
                constant: bets.constant,
            });
            for frame in compared.into_iter().chain([plain]) {
                self.search_frame(&replay, &frame, &mut best);
            }
        }
        let chosen = Chosen::by_slot(best.u, None, best.solves);
        let certificate = replay.certify(past, self.trials.mistakes, chosen.slots());
        let rival = self.rival(&chosen.vector);
        let curve = self.logistic_curve(&rival, chosen.slots());
        let log_loss = certificate.ingredient("log_loss").unwrap_or(0.0);
        let log_loss = in_mistakes(Up::new(log_loss)).value();
        let mut answer = self.answer(certificate, (&chosen, &rival), log_loss, "regret", false);
        for (name, _) in &mut answer.terms {
            if *name == "hinge" {
                *name = "log_loss";
            }
        }
        (answer.curve, answer.hinge) = (curve, None);
        answer
    }

    /// `L(U) + sum rho_j(U_j)`, near enough to compare vectors.
    fn loss_of(&self, replay: &Replay, u: &[f64]) -> f64 {
        let rows = self.trials.aims.iter().enumerate();
        let met = rows.filter(|(_, aim)| aim.weight > 0.0);
        let losses = met.map(|(i, aim)| {
            let value = Inexact::exact(self.run.rows.row(i).dot(u));
            aim.weight * log_loss(value, Label::of(aim.sign)).value()
        });
        losses.sum::<f64>() + replay.regret(u).value()
    }

    /// Takes a vector at its best scale if it is better: the loss is convex in the scale.
    fn rescaled(&self, replay: &Replay, u: &[f64], best: &mut BestLoss) {
        let golden = 0.618_033_988_749_894_9;
        let times = |s: f64| -> Vec<f64> { u.iter().map(|u| u * libm::exp(s)).collect() };
        let at = |s: f64| self.loss_of(replay, &times(s));
        let (mut low, mut high) = (-REACH, REACH);
        let (mut a, mut b) = (high - golden * (high - low), low + golden * (high - low));
        let (mut at_a, mut at_b) = (at(a), at(b));
        for _ in 0..SECTIONS {
            if at_a <= at_b {
                (high, b, at_b) = (b, a, at_a);
                a = high - golden * (high - low);
                at_a = at(a);
            } else {
                (low, a, at_a) = (a, b, at_b);
                b = low + golden * (high - low);
                at_b = at(b);
            }
        }
        for s in [0.0, f64::midpoint(low, high)] {
            let loss = at(s);
            if loss < best.loss {
                (best.loss, best.u) = (loss, times(s));
            }
        }
    }

    /// Looks for a better vector in some coordinates.
    fn search_frame(&self, replay: &Replay, frame: &Frame, best: &mut BestLoss) {
        let even: Vec<f64> = frame
            .bettor_sums
            .iter()
            .map(|ledger| {
                if ledger.room > 0.0 {
                    1.0 / ledger.room.sqrt()
                } else {
                    0.0
                }
            })
            .collect();
        let mut path = self.scaled_path(frame, &even);
        let mut mus: Vec<f64> = (0..STEPS)
            .map(|k| MU / libm::pow(RATIO, f64::from(k)))
            .collect();
        if self.effort == Effort::Quick {
            mus = vec![1.0];
        }
        // of this frame, in its coordinates
        let mut own = (f64::INFINITY, Vec::new());
        for mu in mus {
            if !path.goes_on() {
                return;
            }
            let found = path.solve_logistic(mu);
            self.consider(replay, (frame, &even), &found, (&mut own, best));
            path.report(best.solves, None);
        }
        if self.effort == Effort::Quick {
            return;
        }
        for _ in 0..ROUNDS {
            let before = own.0;
            let scales: Vec<f64> = (frame.bettor_sums.iter().zip(&own.1))
                .map(|(ledger, u)| {
                    if *u == 0.0 || ledger.largest == 0.0 {
                        0.0
                    } else {
                        (u.abs() / ledger.price(*u)).sqrt()
                    }
                })
                .collect();
            let mut path = self.scaled_path(frame, &scales);
            if !path.goes_on() {
                return;
            }
            let found = path.solve_logistic(1.0);
            self.consider(replay, (frame, &scales), &found, (&mut own, best));
            path.report(best.solves, None);
            if own.0 > before * (1.0 - GAIN) {
                break;
            }
        }
        let u = best.u.clone();
        self.rescaled(replay, &u, best);
    }

    /// Compares a solution with the best of its frame and of all.
    fn consider(
        &self,
        replay: &Replay,
        (frame, scales): (&Frame, &[f64]),
        found: &CandidateVector,
        (own, best): (&mut (f64, Vec<f64>), &mut BestLoss),
    ) {
        best.solves += 1;
        let PathVector::Slots(v) = &found.vector else {
            return;
        };
        let u: Vec<f64> = v.iter().zip(scales).map(|(v, s)| v * s).collect();
        let by_slot = frame.to_slots(u.clone());
        let loss = self.loss_of(replay, &by_slot);
        if loss < own.0 {
            *own = (loss, u);
        }
        if loss < best.loss {
            (best.loss, best.u) = (loss, by_slot);
        }
    }

    /// The rows in some coordinates, these multiplied by scales.
    fn scaled_path(&self, frame: &Frame, scales: &[f64]) -> Path<'_> {
        let mut rows = Rows::new();
        for i in 0..self.run.rows.len() {
            let x = self.run.rows.row(i);
            let constant = constant(x);
            walk(x, &frame.compared, |slot, value, compared| {
                let value = compared.map_or(value, |k| {
                    frame.constant * value - frame.bases[k] * constant
                });
                let value = (value * scales.get(slot).copied().unwrap_or(0.0)) as f32;
                if value != 0.0 && value.is_finite() {
                    rows.push(slot as u32, value);
                }
            });
            rows.end_row(0);
        }
        Path::instead(rows, self.trials.aims.clone(), self.options())
    }

    /// The bound over time, the run repeated once more.
    fn logistic_curve(&self, rival: &Rival, u: &[f64]) -> Vec<(u64, f64)> {
        let past = &self.trials.past;
        let values: Vec<Inexact> = rival.values().copied().collect();
        let slots = past.iter().filter_map(|t| t.x.last_slot()).max();
        let mut replay = Replay::new(slots.map_or(0, |slot| slot as usize + 1));
        let (step, count) = (past.len().div_ceil(POINTS).max(1), past.len());
        let mut losses = 0.0;
        self.curve(rival, |k, t: &PastTrial<'_>, _| {
            replay.trial(t.x, t.y);
            losses += log_loss(values[k], t.y).value();
            if k % step == step - 1 || k + 1 == count {
                in_mistakes(Up::new(losses) + replay.regret(u)).value()
            } else {
                0.0
            }
        })
    }
}
