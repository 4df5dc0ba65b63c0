//! Algorithm 1 with a lambda that moves: the path of solutions is followed while they are being found.
//!
//! A solution for one lambda is only a step on the way to another, so none is finished: after every pass lambda may change, and the variables stay.
//! Cost: one product per row and pass, and one sum per step, in one part; a certificate takes one more product per row.
//! Paper: docs/theory/comparators.md#along-a-path.

use super::ascent::{Ascent, AscentOptions};
use super::loss::margin::Margin;
use super::order::group_of;
use super::problem::Problem;
use super::regulariser::{Regulariser as _, square::Square};
use super::solve::Trend;
use super::space::{DualSpace as _, LinearSpace};

/// An ascent whose lambda moves.
pub(crate) struct Pursuit<'p> {
    problem: &'p Problem<'p>,
    ascent: Ascent<'p, Margin, LinearSpace<'p, Square>>,
    trend: Trend,
}

/// What a pass saw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PursuitStep {
    /// `|w|`.
    pub(crate) norm: f64,
    /// About what the sum of the rows' gaps is after the pass.
    pub(crate) gap: f64,
    /// The largest change of a variable, relative to its size.
    pub(crate) moved: f64,
}

impl<'p> Pursuit<'p> {
    /// Whether it is worth its while: rows must be many and sparse, so that passes are dear and few suffice, and have no constant feature, whose weight
    /// needs care of its own.
    pub(crate) fn suits(problem: &Problem<'_>) -> bool {
        let space = LinearSpace::new(problem, Square);
        group_of(problem) > 1 && space.constants().is_none()
    }

    /// Begins with the variables `a`.
    pub(crate) fn new(
        problem: &'p Problem<'p>,
        loss: Margin,
        lambda: f64,
        a: Vec<f64>,
        (seed, threads): (u64, usize),
    ) -> Self {
        let space = LinearSpace::new(problem, Square);
        // two parts cost more than they gain before the last digits
        let parts = space.parts();
        let options = AscentOptions {
            lambda,
            free: false,
            bias: 0.0,
            holds: false,
            seed: Some(seed),
            group: group_of(problem),
            shrinks: true,
            threads,
            parts: Some(if parts > 2 { parts } else { 1 }),
        };
        Pursuit {
            problem,
            ascent: Ascent::new(loss, problem.aims(), space, a, options),
            trend: Trend::new::<LinearSpace<'_, Square>>(),
        }
    }

    /// One pass over the rows that move.
    pub(crate) fn pass(&mut self) -> PursuitStep {
        let seen = self.ascent.pass();
        PursuitStep {
            norm: self.norm(),
            gap: self.trend.foretell(seen.gap),
            moved: seen.moved,
        }
    }

    /// Moves to another lambda.
    pub(crate) fn move_to(&mut self, lambda: f64) {
        let share = self.ascent.move_to(lambda);
        let zero = LinearSpace::new(self.problem, Square);
        let now = self.ascent.space.clone();
        let parts = std::iter::once(&now);
        self.ascent.space.merge(&zero, parts, share);
    }

    /// All rows move again.
    pub(crate) fn restore(&mut self) {
        self.ascent.restore();
    }

    /// Whether all rows move.
    pub(crate) fn is_whole(&self) -> bool {
        self.ascent.is_whole()
    }

    /// The variables.
    pub(crate) fn dual(&self) -> &[f64] {
        &self.ascent.a
    }

    /// w, by slot.
    pub(crate) fn weights(&self) -> &[f64] {
        self.ascent.space.vector()
    }

    /// `s_i w.x_i` of each row.
    pub(crate) fn margins(&self) -> Vec<f64> {
        let mut margins = vec![0.0; self.problem.len()];
        let space = &self.ascent.space;
        space.margins(&mut margins, self.ascent.threads);
        for (margin, aim) in margins.iter_mut().zip(self.problem.aims()) {
            *margin *= aim.sign;
        }
        margins
    }

    fn norm(&self) -> f64 {
        (2.0 * Square.value(self.weights())).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dual::{Aim, Settings, solve};
    use crate::label::Label;
    use crate::random::SplitMix64;
    use crate::row::Row;
    use crate::rows::Rows;

    /// Sparse rows with noisy labels.
    fn rows() -> (Rows, Vec<Aim>) {
        let mut random = SplitMix64::new(9);
        let (mut rows, mut aims) = (Rows::new(), Vec::new());
        for _ in 0..12_000 {
            let mut slots: Vec<u32> = (0..12).map(|_| 1 + random.below(2000) as u32).collect();
            slots.sort_unstable();
            slots.dedup();
            let votes = slots.iter().filter(|slot| **slot % 2 == 0).count();
            let noise = random.below(20) == 0;
            let y = Label::of(if (2 * votes > slots.len()) == noise {
                -1.0
            } else {
                1.0
            });
            rows.add(y, Row::sparse(&slots, &vec![0.3; slots.len()]));
            aims.push(Aim::label(y));
        }
        (rows, aims)
    }

    #[test]
    fn it_ends_where_a_solve_for_its_last_lambda_ends() {
        let (rows, aims) = rows();
        let problem = Problem::new(rows.view(), Vec::new(), aims);
        assert!(Pursuit::suits(&problem));
        let n = problem.len() as f64;
        let (first, last) = (2.0 / n, 0.5 / n);
        let a = vec![0.0; problem.len()];
        let mut pursuit = Pursuit::new(&problem, Margin::HINGE, first, a, (0, 1));
        for pass in 0..60 {
            let step = pursuit.pass();
            let norm = pursuit.weights().iter().map(|w| w * w).sum::<f64>().sqrt();
            assert!((step.norm - norm).abs() < 1e-12 * norm);
            if pass == 3 {
                pursuit.move_to(last);
                // w is the sum of rows for the new lambda
                let mut sum = vec![0.0; problem.slots()];
                for (i, (aim, a)) in problem.aims().iter().zip(pursuit.dual()).enumerate() {
                    problem.row(i).add_to(aim.sign * a / (last * n), &mut sum);
                }
                let off = |(w, sum): (&f64, &f64)| (w - sum).abs();
                let off = pursuit.weights().iter().zip(&sum).map(off);
                assert!(off.fold(0.0, f64::max) < 1e-9);
            }
            if pass % 10 == 9 {
                pursuit.restore();
            }
        }
        let value = |w: &[f64]| {
            let slack = |(i, aim): (usize, &Aim)| (1.0 - aim.sign * problem.row(i).dot(w)).max(0.0);
            let loss: f64 = problem.aims().iter().enumerate().map(slack).sum();
            loss / n + last * Square.value(w)
        };
        let settings = Settings {
            gap: 1e-5,
            ..Settings::default()
        };
        let solved = solve(
            &problem,
            Margin::HINGE,
            Square,
            last,
            None,
            &settings,
            &mut |_| true,
        );
        let (found, least) = (value(pursuit.weights()), value(&solved.weights));
        assert!(found < least * (1.0 + 1e-3), "{found} {least}");
        for (i, margin) in pursuit.margins().into_iter().enumerate() {
            let inner = problem.row(i).dot(pursuit.weights());
            assert_eq!(margin, problem.aims()[i].sign * inner);
        }
        assert!(pursuit.dual().iter().all(|a| (0.0..=1.0).contains(a)));
    }
}
