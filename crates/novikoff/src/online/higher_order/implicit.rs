//! Higher-order perceptron, implicit form, for any p.
//!
//! Keeps the rows of the updates with their images `g(x)`, and applies `B = (I - rho_1 x_1 g(x_1)') ...
//! (I - rho_k x_k g(x_k)')` factor by factor: the smallest form for sparse rows.
//! Update: `z = B x`, from the last factor to the first `z <- z - rho_j (g(x_j).z) x_j`; with `vx = g(x).v` and
//! `r = 1 - rho (y vx + |x|_p^2)`: `Bv <- Bv + y r z`, `v <- v + y x`, keep rho, x and g(x) if rho > 0; then
//! `w = B'g(Bv)`, from the first factor to the last `z <- z - rho_j (x_j.z) g(x_j)`.
//! Cost: O(nnz) per right answer, O(d + the kept rows' nnz) per update; O(d + the kept rows' nnz) memory.
//! Bound: with `r_k > 0` and `xi_k` the hinge loss of U on `(B x_k, y_k)`, B that of the trial:
//! `sum r_k <= sum r_k xi_k + |U|_q sqrt((p-1) sum r_k^2 |B x_k|_p^2 + 2 tau sum r_k)`, over the updates.
//! Paper: Brotto, Gentile, Vitale 2007, section 3; docs/theory/higher-order.md#forms; T13.

use super::{HigherOrderWith, Transform, slots_of};
use crate::row::Row;
use crate::space::ImagedRows;
use crate::state::{State, StateError};

/// The implicit form.
pub(crate) type HigherOrderImplicit = HigherOrderWith<Factors>;

/// B as its factors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factors {
    pub(super) rows: ImagedRows,
    pub(super) rho: Vec<f64>,
    /// One more than the rows' highest slot.
    pub(super) slots: usize,
}

impl Factors {
    /// Keeps one more factor.
    pub(super) fn push(&mut self, rho: f64, x: Row<'_>, image: &[f64]) {
        self.rows.push(x, image);
        self.rho.push(rho);
        self.slots = self.slots.max(slots_of(x));
    }
}

impl Transform for Factors {
    const KEEPS: &'static str = super::dual::KEEPS;
    const INSTEAD: &'static str = "use higher-order:form=primal for few features";

    fn slots(&self) -> usize {
        self.slots
    }

    fn times(&self, x: Row<'_>) -> Vec<f64> {
        let mut z = vec![0.0; self.slots.max(slots_of(x))];
        x.add_to(1.0, &mut z);
        let factors = self
            .rho
            .iter()
            .zip(self.rows.rows().zip(self.rows.images()));
        for (rho, (row, image)) in factors.rev() {
            let part = rho * image.dot(&z);
            if part != 0.0 {
                row.add_to(-part, &mut z);
            }
        }
        z
    }

    fn transposed_times(&self, z: &mut [f64]) {
        let factors = self.rows.rows().zip(self.rows.images());
        for (rho, (row, image)) in self.rho.iter().zip(factors) {
            let part = rho * row.dot(z);
            if part != 0.0 {
                image.add_to(-part, z);
            }
        }
    }

    fn update(&mut self, rho: f64, x: Row<'_>, image: &[f64], _bx: Vec<f64>) {
        self.push(rho, x, image);
    }

    fn bytes(&self) -> u128 {
        self.rows.bytes() + 8 * self.rho.len() as u128
    }

    fn save<'a>(&'a self, out: &mut State<'a>) {
        out.put_f64("rho", &self.rho[..]);
        self.rows.save(out);
    }

    fn load(from: &mut State<'static>, p: f64, slots: usize) -> Result<Self, StateError> {
        let rho = from.take_f64("rho")?;
        let rows = ImagedRows::load(from, rho.len(), p)?;
        let own = rows.slots();
        if own > slots {
            return Err(from.bad("row-slots", "the stored rows are wider than the weights"));
        }
        Ok(Factors {
            rows,
            rho,
            slots: own,
        })
    }
}
