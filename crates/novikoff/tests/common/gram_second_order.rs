//! The second-order perceptron with an adaptive a and without one, as docs/theory/second-order.md#adaptive-a and docs/theory/second-order.md#pseudo-inverse define it, on all values
//! of a kernel: every trial solves its equations from nothing.

use super::gram::{Gram, Judged, Slow, wrong};
use super::matrix::{Matrix, add_outer, dot, identity, plus, solve};

fn updates(r: f64, y: f64, tau: f64) -> bool {
    wrong(r, y) || (tau > 0.0 && y * r <= tau)
}

/// 4.2.
pub(crate) struct Adaptive {
    pub(crate) c: f64,
    /// R^2, if it is given.
    pub(crate) r2: Option<f64>,
    pub(crate) tau: f64,
    pub(crate) list: Vec<(usize, f64)>,
    pub(crate) largest: f64,
}

impl Slow for Adaptive {
    fn trial(&mut self, gram: &Gram, t: usize) -> Judged {
        let (y, own) = (gram.labels[t], gram.values[t][t]);
        self.largest = self.largest.max(own);
        let a = self.c * self.r2.unwrap_or(self.largest) * (self.list.len() + 1) as f64;
        let (mut rows, mut labels): (Vec<usize>, Vec<f64>) = self.list.iter().copied().unzip();
        let with =
            |rows: &[usize]| -> Vec<f64> { rows.iter().map(|&i| gram.values[i][t]).collect() };
        let al = gram.solve(&rows, a, &labels);
        let f = dot(&al, &with(&rows));
        let parts = al.iter().zip(&rows);
        let scale: f64 = parts
            .map(|(al, &i)| al.abs() * gram.values[i][i].sqrt())
            .sum();
        // the row in question inside, with label 0
        rows.push(t);
        labels.push(0.0);
        let r = dot(&gram.solve(&rows, a, &labels), &with(&rows));
        let updates = updates(r, y, self.tau);
        if updates {
            self.list.push((t, y));
        }
        let scale = scale * own.sqrt();
        Judged {
            margin: r,
            or: f,
            scale,
            updates,
            doubtful: self.tau > 0.0 && (y * r - self.tau).abs() < 1e-9 * (scale + self.tau),
        }
    }
}

/// 4.3: the span of the updates is that of some of them, B; rows in it are `sum z_i b_i`.
#[derive(Default)]
pub(crate) struct Pseudoinverse {
    pub(crate) tau: f64,
    /// B.
    basis: Vec<usize>,
    list: Vec<(usize, f64)>,
    /// Rows that were new, and rows that were not.
    pub(crate) met: (usize, usize),
}

impl Pseudoinverse {
    pub(crate) fn new(tau: f64) -> Self {
        Pseudoinverse {
            tau,
            ..Pseudoinverse::default()
        }
    }

    fn z(&self, gram: &Gram, t: usize) -> Vec<f64> {
        let products: Vec<f64> = self.basis.iter().map(|&i| gram.values[i][t]).collect();
        gram.solve(&self.basis, 0.0, &products)
    }

    /// `sum |al_i| |b_i|` of a vector w given as `z'w` for all rows `sum z_i b_i`.
    fn size(&self, gram: &Gram, w: &[f64]) -> f64 {
        let al = gram.solve(&self.basis, 0.0, w);
        let parts = al.iter().zip(&self.basis);
        parts
            .map(|(al, &i)| al.abs() * gram.values[i][i].sqrt())
            .sum()
    }
}

impl Slow for Pseudoinverse {
    fn trial(&mut self, gram: &Gram, t: usize) -> Judged {
        let (y, own) = (gram.labels[t], gram.values[t][t]);
        let z = self.z(gram, t);
        let products: Vec<f64> = self.basis.iter().map(|&i| gram.values[i][t]).collect();
        let parts = z.iter().zip(&self.basis);
        let parts = parts.map(|(z, &i)| z.abs() * gram.values[i][i].sqrt());
        let size = own.sqrt() + parts.sum::<f64>();
        let share = (own - dot(&products, &z)) / (size * size * (self.basis.len() + 1) as f64);
        // squares of distances have half of the digits
        let new = share > 4e-15;
        let mut judged = Judged {
            margin: 0.0,
            or: 0.0,
            scale: 1.0,
            updates: updates(0.0, y, self.tau),
            doubtful: (5e-16..1e-12).contains(&share),
        };
        if new {
            self.met.0 += 1;
        } else {
            // in coordinates z: f = z'(ZZ')^-1 Zy, r = f/(1 + z'(ZZ')^-1 z)
            self.met.1 += 1;
            let others: Vec<Vec<f64>> = self.list.iter().map(|&(i, _)| self.z(gram, i)).collect();
            let mut matrix: Matrix = identity(z.len(), 0.0);
            let mut v = vec![0.0; z.len()];
            for (other, (_, y)) in others.iter().zip(&self.list) {
                add_outer(&mut matrix, 1.0, other);
                v = plus(&v, *y, other);
            }
            let w = solve(matrix.clone(), &v);
            let square = dot(&z, &solve(matrix.clone(), &z));
            let f = dot(&z, &w);
            judged.margin = f / (1.0 + square);
            judged.or = f;
            // labels may cancel, and w be next to nothing beside its parts
            let parts = others.iter().map(|other| solve(matrix.clone(), other));
            let parts: f64 = parts.map(|part| self.size(gram, &part)).sum();
            judged.scale = own.sqrt() * self.size(gram, &w).max(1e-5 * parts);
            judged.updates = updates(judged.margin, y, self.tau);
            let edge = (y * judged.margin - self.tau).abs();
            judged.doubtful |= self.tau > 0.0 && edge < 1e-9 * (judged.scale + self.tau);
        }
        if judged.updates {
            self.list.push((t, y));
            if new {
                self.basis.push(t);
            }
        }
        judged
    }
}
