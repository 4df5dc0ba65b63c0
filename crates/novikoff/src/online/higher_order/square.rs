//! Higher-order perceptron, primal form for p > 2.
//!
//! Keeps B itself, a number for each pair of features in both orders: when the updates have outgrown the
//! features.
//! Update: `q = B x`; with `vx = g(x).v` and `r = 1 - rho (y vx + |x|_p^2)`: `Bv <- Bv + y r q`, `v <- v + y x`,
//! `B <- B - rho q g(x)'`; then `w = B'g(Bv)`.
//! Cost: O(nnz) per right answer, O(d^2) per update; O(d^2) memory.
//! Bound: that of the implicit form.
//! Paper: Brotto, Gentile, Vitale 2007, section 3; docs/theory/higher-order.md#forms; T13.

use super::{HigherOrderWith, Transform, slots_of};
use crate::row::Row;
use crate::space::Image;
use crate::state::{State, StateError};

/// The primal form for p > 2.
pub(crate) type HigherOrderSquare = HigherOrderWith<DenseTransform>;

/// B, row by row.
#[derive(Clone, Debug, Default)]
pub(crate) struct DenseTransform {
    rows: Vec<Vec<f64>>,
}

impl DenseTransform {
    /// Grows B to n rows; the new ones are those of the identity.
    fn grow(&mut self, n: usize) {
        if n <= self.rows.len() {
            return;
        }
        for row in &mut self.rows {
            row.resize(n, 0.0);
        }
        for i in self.rows.len()..n {
            let mut row = vec![0.0; n];
            row[i] = 1.0;
            self.rows.push(row);
        }
    }

    /// Bytes of n rows.
    pub(super) fn bytes_of(n: usize) -> u128 {
        8 * (n as u128).pow(2)
    }
}

impl Transform for DenseTransform {
    const KEEPS: &'static str = "";
    const INSTEAD: &'static str = "use higher-order:form=implicit (grows with the mistakes)";

    fn slots(&self) -> usize {
        self.rows.len()
    }

    fn times(&self, x: Row<'_>) -> Vec<f64> {
        let mut z = vec![0.0; self.slots().max(slots_of(x))];
        x.add_to(1.0, &mut z);
        for (z, row) in z.iter_mut().zip(&self.rows) {
            *z = x.dot(row);
        }
        z
    }

    fn transposed_times(&self, z: &mut [f64]) {
        let mut sum = vec![0.0; self.rows.len()];
        for (row, z) in self.rows.iter().zip(&*z) {
            if *z != 0.0 {
                for (sum, row) in sum.iter_mut().zip(row) {
                    *sum += z * row;
                }
            }
        }
        z[..sum.len()].copy_from_slice(&sum);
    }

    fn update(&mut self, rho: f64, x: Row<'_>, image: &[f64], bx: Vec<f64>) {
        self.grow(slots_of(x));
        let slots: Vec<u32> = x.stored().1.map(|(j, _)| j).collect();
        let image = Image::new(&slots, image);
        for (row, q) in self.rows.iter_mut().zip(bx) {
            if q != 0.0 {
                image.add_to(-rho * q, row);
            }
        }
    }

    fn bytes(&self) -> u128 {
        0
    }

    fn reach_bytes(&self, slots: usize) -> u128 {
        Self::bytes_of(slots)
    }

    fn save<'a>(&'a self, out: &mut State<'a>) {
        out.put_u64("square-slots", vec![self.slots() as u64]);
        out.put_f64("square", self.rows.concat());
    }

    fn load(from: &mut State<'static>, _p: f64, slots: usize) -> Result<Self, StateError> {
        let [n] = from.take_counts("square-slots")?;
        let n = usize::try_from(n).unwrap_or(usize::MAX);
        if n > slots {
            return Err(from.bad("square-slots", "wider than the weights"));
        }
        let numbers = from.take_vector("square", n * n)?;
        let rows = numbers.chunks_exact(n.max(1)).map(<[f64]>::to_vec);
        Ok(DenseTransform {
            rows: rows.collect(),
        })
    }
}
