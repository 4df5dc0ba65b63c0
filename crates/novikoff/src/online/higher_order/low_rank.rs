//! Higher-order perceptron, low-rank form, for any p.
//!
//! Keeps the rows of the updates as the implicit form does, and `q_j = B x_j` of each, B that of its trial:
//! then `B = I - sum rho_j q_j g(x_j)'`, and products with it do not wait for each other. For dense rows, while
//! the updates are fewer than half the features.
//! Update: `q = x - sum rho_j (g(x_j).x) q_j`; with `vx = g(x).v` and `r = 1 - rho (y vx + |x|_p^2)`:
//! `Bv <- Bv + y r q`, `v <- v + y x`, keep rho, x, g(x) and q if rho > 0; then, z standing for `g(Bv)`,
//! `w = z - sum rho_j (q_j.z) g(x_j)`.
//! Cost: k updates so far: O(nnz) per right answer, O(d k) per update; O(d k) memory.
//! Bound: that of the implicit form.
//! Paper: Brotto, Gentile, Vitale 2007, section 3; docs/theory/higher-order.md#forms; T13.

use super::implicit::Factors;
use super::{HigherOrderWith, Transform};
use crate::linalg;
use crate::online::second_order::take_vectors;
use crate::row::Row;
use crate::state::{State, StateError};

/// The low-rank form.
pub(crate) type HigherOrderLowRank = HigherOrderWith<LowRank>;

/// B as the identity less a sum of outer products.
#[derive(Clone, Debug, Default)]
pub(crate) struct LowRank {
    pub(super) factors: Factors,
    /// q of each, zero past its end.
    pub(super) q: Vec<Vec<f64>>,
    /// How many numbers they have.
    numbers: usize,
}

impl LowRank {
    /// Bytes of the q.
    pub(super) fn q_bytes(&self) -> u128 {
        8 * self.numbers as u128
    }
}

impl Transform for LowRank {
    const KEEPS: &'static str = "it keeps a vector for every row it was mistaken on";
    const INSTEAD: &'static str =
        "use higher-order:form=implicit for sparse rows, form=primal for few features";

    fn slots(&self) -> usize {
        self.factors.slots
    }

    fn times(&self, x: Row<'_>) -> Vec<f64> {
        let mut z = vec![0.0; self.slots().max(super::slots_of(x))];
        x.add_to(1.0, &mut z);
        let Factors { rows, rho, .. } = &self.factors;
        let parts: Vec<f64> = rows.images().map(|g| g.dot(&z)).collect();
        for ((rho, part), q) in rho.iter().zip(parts).zip(&self.q) {
            let part = rho * part;
            if part != 0.0 {
                for (z, q) in z.iter_mut().zip(q) {
                    *z -= part * q;
                }
            }
        }
        z
    }

    fn transposed_times(&self, z: &mut [f64]) {
        let Factors { rows, rho, .. } = &self.factors;
        let parts: Vec<f64> = self.q.iter().map(|q| linalg::dot(q, z)).collect();
        for ((rho, part), image) in rho.iter().zip(parts).zip(rows.images()) {
            image.add_to(-rho * part, z);
        }
    }

    fn update(&mut self, rho: f64, x: Row<'_>, image: &[f64], bx: Vec<f64>) {
        self.factors.push(rho, x, image);
        self.numbers += bx.len();
        self.q.push(bx);
    }

    fn bytes(&self) -> u128 {
        self.factors.bytes() + self.q_bytes()
    }

    fn save<'a>(&'a self, out: &mut State<'a>) {
        self.factors.save(out);
        let ends = self.q.iter().scan(0, |end, q| {
            *end += q.len() as u64;
            Some(*end)
        });
        out.put_u64("q-ends", ends.collect::<Vec<_>>());
        out.put_f64("q", self.q.concat());
    }

    fn load(from: &mut State<'static>, p: f64, slots: usize) -> Result<Self, StateError> {
        let factors = Factors::load(from, p, slots)?;
        let q = take_vectors(from, ("q-ends", "q"), slots)?;
        if q.len() != factors.rho.len() {
            return Err(from.bad("q-ends", "not one vector for each row"));
        }
        let numbers = q.iter().map(Vec::len).sum();
        Ok(LowRank {
            factors,
            q,
            numbers,
        })
    }
}
