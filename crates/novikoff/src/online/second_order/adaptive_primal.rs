//! Second-order perceptron whose a grows with its mistakes, primal form.
//!
//! Keeps `XX'` and the Cholesky factor of `a_0 I + XX'` for an earlier a, both as triangles: the size does not
//! grow with the mistakes. Solutions for the present a come from conjugate gradients, preconditioned by the
//! factor; as `a_0 <= a <= 2 a_0` a few steps are enough.
//! Update: `v <- v + y x`, `XX' <- XX' + x x'`, the factor by plane rotations; then `w = (a I + XX')^-1 v` for
//! the next a.
//! Cost: O(nnz) per right answer, some 30 d^2 per update, d^3/6 for each doubling of a; O(d^2) memory.
//! Bound: that of the dual form.
//! Paper: Cesa-Bianchi, Conconi, Gentile 2005, section 4.1; docs/theory/second-order.md#adaptive-a; T10.

use super::slots_of;
use crate::linalg;
use crate::row::Row;
use crate::space::{Lane, Primal};
use crate::state::{State, StateError};

/// More updates than f64 can count.
const MOST: u64 = 1 << 53;

/// The updates of one class, summed up.
#[derive(Clone, Debug, Default)]
pub(crate) struct GrowingPairs {
    /// `XX'`, row by row.
    products: Vec<f64>,
    /// L of `a_0 I + XX' = L L'`, row by row.
    factor: Vec<f64>,
    v: Vec<f64>,
    updates: u64,
}

impl GrowingPairs {
    /// Sums over the updates of rows of up to `slots` slots, and the factor for `base`.
    pub(super) fn of<'r>(
        updates: impl Iterator<Item = (Row<'r>, f64)>,
        slots: usize,
        base: f64,
    ) -> Self {
        let mut pairs = GrowingPairs {
            v: vec![0.0; slots],
            ..GrowingPairs::default()
        };
        linalg::triangle_grow_zero(&mut pairs.products, slots);
        for (x, y) in updates {
            linalg::triangle_add_outer(&mut pairs.products, &x.iter());
            x.add_to(y, &mut pairs.v);
            pairs.updates += 1;
        }
        pairs.refactor(base);
        pairs
    }

    /// How many updates.
    pub(super) fn len(&self) -> usize {
        self.updates as usize
    }

    /// Bytes at `slots` slots.
    pub(super) fn bytes(slots: usize) -> u128 {
        2 * 8 * linalg::triangle_len(slots) + 8 * slots as u128
    }

    /// Makes room for `slots` slots; the factor is that for `base`.
    pub(super) fn reach(&mut self, slots: usize, base: f64) {
        linalg::triangle_grow_zero(&mut self.products, slots);
        for i in self.v.len()..slots {
            self.factor.resize(self.factor.len() + i, 0.0);
            self.factor.push(base.sqrt());
            self.v.push(0.0);
        }
    }

    /// Learns a row, for which there must be room.
    pub(super) fn add(&mut self, x: Row<'_>, y: f64, base: f64) {
        self.reach(slots_of(x), base);
        linalg::triangle_add_outer(&mut self.products, &x.iter());
        x.add_to(y, &mut self.v);
        self.updates += 1;
        let (spread, mut unused) = (self.spread(x), vec![0.0; self.v.len()]);
        linalg::rotate_in(&mut self.factor, &mut unused, &spread, 0.0);
    }

    fn spread(&self, x: Row<'_>) -> Vec<f64> {
        let mut spread = vec![0.0; self.v.len()];
        x.add_to(1.0, &mut spread);
        spread
    }

    /// Recomputes the factor, for another a.
    pub(super) fn refactor(&mut self, a: f64) {
        self.factor = linalg::cholesky(self.products.clone(), a);
    }

    /// `(a I + XX')^-1 b`, the factor being that of some a near this one.
    fn solve(&self, b: &[f64], a: f64) -> Vec<f64> {
        let times = |p: &[f64], out: &mut [f64]| {
            linalg::triangle_apply(&self.products, p, out);
            for (out, p) in out.iter_mut().zip(p) {
                *out += a * p;
            }
        };
        linalg::solve_near(&self.factor, times, b)
    }

    /// `x'(a I + XX')^-1 x` of a row for which there is room.
    pub(super) fn square(&self, x: Row<'_>, a: f64) -> f64 {
        x.dot(&self.solve(&self.spread(x), a)).max(0.0)
    }

    /// Puts `w = (a I + XX')^-1 v` in its place.
    pub(super) fn weigh(&self, a: f64, w: &mut Lane<'_, Primal>) {
        for (j, value) in self.solve(&self.v, a).into_iter().enumerate() {
            w.set(j, value);
        }
    }

    /// Adds all to a state.
    pub(super) fn save<'a>(&'a self, out: &mut State<'a>) {
        out.put_u64("updates", vec![self.updates]);
        out.put_f64("v", &self.v[..]);
        out.put_f64("products", &self.products[..]);
        out.put_f64("products-factor", &self.factor[..]);
    }

    /// Takes it out again.
    pub(super) fn load(planes: &Primal, from: &mut State<'static>) -> Result<Self, StateError> {
        let [updates] = from.take_counts("updates")?;
        if updates >= MOST {
            return Err(from.bad("updates", "no run is so long"));
        }
        let v = from.take_f64("v")?;
        if v.len() > planes.slots() {
            return Err(from.bad("v", "wider than the weights"));
        }
        let len = linalg::triangle_len(v.len()) as usize;
        Ok(GrowingPairs {
            products: from.take_vector("products", len)?,
            factor: from.take_vector("products-factor", len)?,
            v,
            updates,
        })
    }
}
