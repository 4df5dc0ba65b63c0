//! The local problem of one partition: rows in several places, one shared vector (CoCoA+, adding).
//!
//! The rows of a problem with the square regulariser are dealt to K partitions, which may be processes or machines. Every
//! partition holds its rows and their dual variables; all share `v = (1/(lambda n)) sum_i k_i a_i s_i x_i`, n the rows of all
//! partitions. In each round every partition begins from the same v, makes some passes of coordinate ascent over its own
//! rows, and answers with its new variables and the change of v ([`Partition::solve`]); the driver adds the changes up.
//! Update: `t_i = s_i (x_i.u + b)`, `a_i` <- the minimum of `c_i(a') + (a' - a_i) t_i + sigma (b_i/2)(a' - a_i)^2`, `u += sigma` times the change of v; u begins as v.
//! With `sigma = K` (sigma' in the paper) the sum of the changes never lowers the dual, whatever the passes.
//! Free bias: [`FreeBias`] carries the augmented Lagrangian of `dual/lagrangian.rs`; the driver sets the multiplier to b after
//! each round. The certificate is that of the [balanced](Partition::balanced) variables at the best of several
//! [candidates](Candidates) for b.
//! Sums: an answer holds the partition's [`PartitionSums`] at the variables and the vector it was *given*. Each sum is a plain f64 sum over
//! the rows in their order; the driver adds those of the partitions in the order of the partitions. So the same partitions give
//! the same bits wherever and whenever they are worked on. The gap is exact only if v is the sum of the rows: every
//! few rounds v is put together again from [`Partition::vector`], because the changes leave rounding behind.
//! Paper: Ma et al., Adding vs. averaging in distributed primal-dual optimization, 2015; docs/theory/dual.md#the-local-solver.
//!
//! A driver for partitions of one process, without a free bias:
//!
//! ```
//! use novikoff::dual::local::{Partition, PartitionSums, Round};
//! use novikoff::dual::{Aim, Problem, loss::Margin};
//! use novikoff::Rows;
//!
//! // two partitions of two rows
//! let rows = [[[1.0, 0.5], [-0.3, 1.0]], [[0.2, 0.0], [0.0, -1.0]]].map(|part| {
//!     let mut rows = Rows::new();
//!     for x in part {
//!         rows.push(1, x[0]);
//!         rows.push(2, x[1]);
//!         rows.end_row(0);
//!     }
//!     rows
//! });
//! let aims = |signs: [f64; 2]| signs.map(|sign| Aim { sign, target: 1.0, weight: 1.0 }).to_vec();
//! let problems = [
//!     Problem::new(rows[0].view(), Vec::new(), aims([1.0, -1.0])),
//!     Problem::new(rows[1].view(), Vec::new(), aims([1.0, 1.0])),
//! ];
//! let parts: Vec<_> = problems.iter().map(|p| Partition::new(p, Margin::SQUARED_HINGE)).collect();
//! let (n, lambda) = (4, 0.1);
//! let mut a = [vec![0.0; 2], vec![0.0; 2]];
//! let certificate = loop {
//!     // each round begins with the exact v
//!     let mut v = vec![0.0; 3];
//!     for (part, a) in parts.iter().zip(&a) {
//!         let of_part = part.vector(a, lambda * n as f64);
//!         v.iter_mut().zip(of_part).for_each(|(v, part)| *v += part);
//!     }
//!     let mut sums = PartitionSums::default();
//!     for (k, (part, a)) in parts.iter().zip(&mut a).enumerate() {
//!         let round = Round {
//!             sigma: parts.len() as f64,
//!             passes: 2,
//!             seed: k as u64,
//!             ..Round::at(&v, lambda * n as f64)
//!         };
//!         let answer = part.solve(a, &round);
//!         sums.add(&answer.sums); // at the v and the variables that the round began with
//!         *a = answer.dual;
//!     }
//!     let certificate = sums.certificate(n, lambda, &v, 0.0);
//!     if certificate.reaches(1e-9) {
//!         break certificate;
//!     }
//! };
//! assert!(certificate.gap >= 0.0 && certificate.dual > 0.0);
//! ```

mod candidates;
mod sums;

use std::iter::zip;

pub use candidates::Candidates;
pub use sums::PartitionSums;

use super::ascent::{self, Walk};
use super::lagrangian::{self, Free};
use super::loss::Loss;
use super::order::{self, PassOrders};
use super::problem::Problem;
use super::regulariser::Square;
use super::space::{DualSpace, LinearSpace};

/// A bias that is not regularised, in the augmented Lagrangian.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeBias {
    /// The multiplier s, the b of the round before.
    pub multiplier: f64,
    /// `1/mu`; a tenth of the mean `|x|^2` of all rows is a good one.
    pub rho: f64,
    /// `v_b = (1/(lambda n)) sum_i k_i a_i s_i` over all partitions, which becomes 0.
    pub v: f64,
}

impl FreeBias {
    /// A bias that stays where it is: for sums without steps.
    pub fn fixed(b: f64) -> Self {
        FreeBias {
            multiplier: b,
            rho: 0.0,
            v: 0.0,
        }
    }

    /// b, `s + rho v_b`.
    pub fn b(&self) -> f64 {
        self.multiplier + self.rho * self.v
    }
}

/// What a partition is given for one round.
#[derive(Clone, Copy, Debug)]
pub struct Round<'r> {
    /// The shared vector, by slot; it has a place for every slot of the partition's rows.
    pub v: &'r [f64],
    /// lambda times the number of rows of all partitions.
    pub lambda_n: f64,
    /// The free bias, if there is one.
    pub bias: Option<FreeBias>,
    /// sigma': the number of partitions that are added up.
    pub sigma: f64,
    /// Passes over the partition's rows; 0 for the sums alone.
    pub passes: u32,
    /// The seed of the orders; a different one per round and partition.
    pub seed: u64,
    /// Values of b at which the losses are wanted too.
    pub candidates: &'r [f64],
}

impl<'r> Round<'r> {
    /// No passes, no bias, no candidates.
    pub fn at(v: &'r [f64], lambda_n: f64) -> Self {
        Round {
            v,
            lambda_n,
            bias: None,
            sigma: 1.0,
            passes: 0,
            seed: 0,
            candidates: &[],
        }
    }
}

/// What a partition found in one round.
#[derive(Clone, Debug)]
pub struct LocalUpdate {
    /// The partition's dual variables after the steps. Values, not differences: `a + (a' - a)` may round out of the loss's domain.
    pub dual: Vec<f64>,
    /// What the steps add to v, by slot.
    pub v: Vec<f64>,
    /// What the steps add to `v_b`; 0 without a free bias.
    pub v_b: f64,
    /// The partition's sums before the steps.
    pub sums: PartitionSums,
}

/// The rows of one partition.
pub struct Partition<'p, L> {
    problem: &'p Problem<'p>,
    loss: L,
    /// `|x_i|^2`.
    norms: Vec<f64>,
}

impl<'p, L: Loss> Partition<'p, L> {
    /// Its rows with their aims, and the loss. One pass over the rows.
    pub fn new(problem: &'p Problem<'p>, loss: L) -> Self {
        let norms = (0..problem.len()).map(|i| problem.row(i).norm_sq());
        Partition {
            problem,
            loss,
            norms: norms.collect(),
        }
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.norms.len()
    }

    /// The sum of all `|x_i|^2`: over all partitions and divided by n, what [`FreeBias::rho`] is a tenth of.
    pub fn norm_sq(&self) -> f64 {
        self.norms.iter().sum()
    }

    /// The partition's share of v, `(1/(lambda n)) sum_i k_i a_i s_i x_i`, by slot.
    ///
    /// # Panics
    /// If there is not one variable per row.
    pub fn vector(&self, a: &[f64], lambda_n: f64) -> Vec<f64> {
        self.check_rows(a);
        let mut v = vec![0.0; self.problem.slots()];
        for (i, (aim, a)) in zip(self.problem.aims(), a).enumerate() {
            let c = aim.weight * aim.sign * a / lambda_n;
            if c != 0.0 {
                self.problem.row(i).add_to(c, &mut v);
            }
        }
        v
    }

    /// The partition's variables where `sum_i k_i a_i s_i` over all partitions is 0: those of the heavier sign are scaled down.
    /// `all` holds the sums of all partitions. Only at such variables is the certificate of a free bias valid.
    ///
    /// # Panics
    /// If there is not one variable per row.
    pub fn balanced(&self, a: &[f64], all: &PartitionSums) -> Vec<f64> {
        self.check_rows(a);
        lagrangian::balanced(self.problem.aims(), a, all.positive, all.negative)
    }

    /// Sums at the variables `a` and the round's vector, then passes of coordinate ascent. Work: O(values) per pass, and
    /// O(slots).
    ///
    /// # Panics
    /// If there is not one variable per row, or v has too few places.
    pub fn solve(&self, a: &[f64], round: &Round<'_>) -> LocalUpdate {
        LocalUpdate {
            sums: self.sums(a, round),
            ..self.steps(a, round)
        }
    }

    /// The sums alone, at the variables `a` and the round's vector.
    ///
    /// # Panics
    /// If there is not one variable per row, or v has too few places.
    pub fn sums(&self, a: &[f64], round: &Round<'_>) -> PartitionSums {
        self.check(a, round);
        let (problem, b) = (self.problem, round.bias.map_or(0.0, |bias| bias.b()));
        let space = LinearSpace::at(problem, Square, round.v.to_vec());
        let inner: Vec<f64> = (0..problem.len()).map(|i| space.margin(i)).collect();
        PartitionSums::of(self.loss, problem.aims(), a, &inner, b, round.candidates)
    }

    /// The passes alone; the sums of the answer are empty.
    ///
    /// # Panics
    /// If there is not one variable per row, or v has too few places.
    pub fn steps(&self, a: &[f64], round: &Round<'_>) -> LocalUpdate {
        self.check(a, round);
        let (problem, aims) = (self.problem, self.problem.aims());
        let bias = round.bias.unwrap_or(FreeBias::fixed(0.0));
        let mut space = LinearSpace::at(problem, Square, round.v.to_vec());
        let mut free = Free::at(bias.multiplier, bias.v, bias.rho);
        let unit = 1.0 / round.lambda_n;
        let walk = Walk::of_part(self.loss, aims, unit, &self.norms, round.sigma);
        let moving: Vec<u32> = ascent::moving(aims).collect();
        let mut orders = PassOrders::new(round.seed, order::group_of(problem));
        let mut next = a.to_vec();
        for _ in 0..round.passes {
            let order = orders.next(&moving);
            let mut in_order: Vec<f64> = order.iter().map(|&i| next[i as usize]).collect();
            let mut stays = vec![true; order.len()];
            walk.stretch(&mut space, &mut free, &order, &mut in_order, &mut stays);
            for (&i, a) in zip(&order, in_order) {
                next[i as usize] = a;
            }
        }
        let changes = zip(space.vector(), round.v);
        LocalUpdate {
            dual: next,
            v: changes.map(|(u, v)| (u - v) / round.sigma).collect(),
            v_b: match round.bias {
                Some(bias) => (free.v - bias.v) / round.sigma,
                None => 0.0,
            },
            sums: PartitionSums::default(),
        }
    }

    fn check(&self, a: &[f64], round: &Round<'_>) {
        self.check_rows(a);
        assert!(
            round.v.len() >= self.problem.slots(),
            "v has {} places, the rows need {}",
            round.v.len(),
            self.problem.slots()
        );
    }

    fn check_rows(&self, a: &[f64]) {
        assert_eq!(a.len(), self.problem.len(), "one dual variable per row");
    }
}
