//! The rows of a path, times their labels, as points of a Euclidean space.

use std::iter::zip;

use super::path::{ComparatorSpace, Path};
use crate::linalg;

/// The points, and those among them whose inner products are asked for.
pub(super) struct Points<'p, 'r> {
    path: &'p Path<'r>,
    rows: Vec<usize>,
    /// Of those in a metric: `C^-1 z`.
    images: Vec<Vec<f64>>,
    /// What the square of each slot counts, where not all count alike.
    diagonal: Option<Vec<f64>>,
    squares: Vec<f64>,
    values: f64,
    /// A vector of zeros, by slot.
    scratch: Vec<f64>,
}

impl<'p, 'r> Points<'p, 'r> {
    /// The points of a path, each slot with its weight if there is a diagonal.
    pub(super) fn new(path: &'p Path<'r>, diagonal: Option<Vec<f64>>) -> Self {
        let n = path.aims.len();
        let mut points = Points {
            path,
            rows: Vec::new(),
            images: Vec::new(),
            diagonal,
            squares: Vec::new(),
            values: 0.0,
            scratch: vec![0.0; path.slots()],
        };
        points.values = (0..n).map(|i| path.original_row(i).len() as f64).sum();
        points.squares = (0..n).map(|i| points.square(i)).collect();
        points
    }

    fn square(&self, i: usize) -> f64 {
        match (&self.path.space, &self.diagonal) {
            (ComparatorSpace::Kernel(gram), _) => gram.own(i),
            (ComparatorSpace::Metric { .. }, _) => {
                let image = self.image(i);
                linalg::dot(&image, &image)
            }
            (_, Some(diagonal)) => {
                let row = self.path.row(i).iter();
                row.map(|(j, v)| diagonal[j] * v * v).sum()
            }
            (_, None) => self.path.row(i).norm_sq(),
        }
    }

    /// `C^-1 z` of a row in a metric.
    fn image(&self, i: usize) -> Vec<f64> {
        let mut image = vec![0.0; self.scratch.len()];
        if let ComparatorSpace::Metric { factor, .. } = &self.path.space {
            image.resize(linalg::triangle_order(factor), 0.0);
            let sign = self.path.aims[i].sign;
            let row = self.path.original_row(i).before(image.len());
            row.add_to(sign, &mut image);
            linalg::solve_lower(factor, &mut image);
        }
        image
    }

    fn len(&self) -> usize {
        self.path.aims.len()
    }

    /// How many multiplications [`Points::margins`] takes.
    pub(super) fn work(&self) -> f64 {
        let (pushed, rows) = (self.rows.len() as f64, self.len() as f64);
        match self.path.space {
            ComparatorSpace::Kernel(_) => pushed * rows,
            _ => self.values * (1.0 + pushed / rows),
        }
    }

    /// The rows that were pushed.
    pub(super) fn rows(&self) -> &[usize] {
        &self.rows
    }

    fn met(&self) -> impl Iterator<Item = usize> {
        let aims = self.path.aims.iter().enumerate();
        aims.filter(|(_, aim)| aim.weight > 0.0).map(|(i, _)| i)
    }

    /// The largest square of a length.
    pub(super) fn longest_square(&self) -> f64 {
        self.met().map(|i| self.squares[i]).fold(0.0, f64::max)
    }

    /// The shortest row.
    pub(super) fn shortest(&self) -> Option<usize> {
        self.met()
            .min_by(|&i, &j| self.squares[i].total_cmp(&self.squares[j]))
    }

    /// The row of least margin, and that.
    pub(super) fn least(&self, margins: &[f64]) -> Option<(usize, f64)> {
        let least = self
            .met()
            .min_by(|&i, &j| margins[i].total_cmp(&margins[j]));
        least.map(|i| (i, margins[i])).filter(|(_, m)| !m.is_nan())
    }

    /// Pushes a row; its inner products with the rows that were pushed, itself the last.
    pub(super) fn push(&mut self, i: usize) -> Vec<f64> {
        self.rows.push(i);
        let aims = &self.path.aims;
        let sign = |j: usize| aims[i].sign * aims[j].sign;
        match &self.path.space {
            ComparatorSpace::Kernel(gram) => {
                let column = gram.column(i);
                self.rows.iter().map(|&j| sign(j) * column[j]).collect()
            }
            ComparatorSpace::Metric { .. } => {
                self.images.push(self.image(i));
                let [others @ .., own] = &self.images[..] else {
                    return Vec::new();
                };
                let others = others.iter().map(|other| linalg::dot(own, other));
                others.chain([linalg::dot(own, own)]).collect()
            }
            _ => {
                let x = self.path.row(i);
                match &self.diagonal {
                    None => x.add_to(1.0, &mut self.scratch),
                    Some(diagonal) => {
                        x.iter()
                            .for_each(|(j, v)| self.scratch[j] += diagonal[j] * v);
                    }
                }
                let inner = |&j: &usize| sign(j) * self.path.row(j).dot(&self.scratch);
                let products = self.rows.iter().map(inner).collect();
                x.iter().for_each(|(j, _)| self.scratch[j] = 0.0);
                products
            }
        }
    }

    /// Takes a pushed row away, by its place.
    pub(super) fn remove(&mut self, at: usize) {
        self.rows.remove(at);
        if at < self.images.len() {
            self.images.remove(at);
        }
    }

    /// The sum of the pushed rows with these shares, by slot.
    fn sum(&self, shares: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.scratch.len()];
        for (&i, share) in zip(&self.rows, shares) {
            let sign = self.path.aims[i].sign;
            self.path.row(i).add_to(share * sign, &mut sum);
        }
        sum
    }

    /// The inner products of all rows with the sum of the pushed ones.
    pub(super) fn margins(&self, shares: &[f64]) -> Vec<f64> {
        let aims = &self.path.aims;
        match &self.path.space {
            ComparatorSpace::Kernel(gram) => {
                let mut values = vec![0.0; self.len()];
                for (&i, share) in zip(&self.rows, shares) {
                    let c = share * aims[i].sign;
                    zip(&mut values, gram.column(i).iter()).for_each(|(v, k)| *v += c * k);
                }
                zip(&mut values, &**aims).for_each(|(v, aim)| *v *= aim.sign);
                values
            }
            ComparatorSpace::Metric { factor, .. } => {
                let mut u = vec![0.0; linalg::triangle_order(factor)];
                for (image, share) in zip(&self.images, shares) {
                    zip(&mut u, image).for_each(|(u, v)| *u += share * v);
                }
                linalg::solve_upper(factor, &mut u);
                let inner = |(i, sign): (usize, f64)| sign * self.path.original_row(i).dot(&u);
                aims.iter()
                    .map(|aim| aim.sign)
                    .enumerate()
                    .map(inner)
                    .collect()
            }
            _ => {
                let mut u = self.sum(shares);
                if let Some(diagonal) = &self.diagonal {
                    zip(&mut u, diagonal).for_each(|(u, d)| *u *= d);
                }
                let inner = |(i, sign): (usize, f64)| sign * self.path.row(i).dot(&u);
                aims.iter()
                    .map(|aim| aim.sign)
                    .enumerate()
                    .map(inner)
                    .collect()
            }
        }
    }
}
