//! Rows whose values are all alike, over few features: a copy of a byte per value.
//!
//! Rows of categories have a 1 for each answer. A product with such a row is a sum of weights, whose places are then all there is to read, and
//! a table of 256 weights needs no look at whether a place is inside. A constant feature of another value makes rows other than alike. Newton's method goes over its rows often enough for a copy.

use super::problem::Problem;

/// Weights by place; the last place belongs to no feature.
pub(super) type Table = [f64; PLACES];

const PLACES: usize = 256;

/// The place that rows are filled up with.
const NOWHERE: u8 = (PLACES - 1) as u8;

/// Values per row, at most.
const LONGEST: usize = 64;

/// Rows that are looked at before any is copied.
const FIRST: usize = 100;

fn is_alike(problem: &Problem<'_>, i: usize) -> bool {
    let mut values = problem.row(i).stored().1.map(|(_, value)| value);
    let first = values.next();
    values.all(|value| Some(value) == first)
}

/// Rows of equal length; the values of each are all the same.
pub(super) struct AlikeRows {
    /// The slots, two by two.
    pairs: Vec<[u8; 2]>,
    /// Pairs per row.
    width: usize,
    /// The value of each row; empty if all are 1.
    factors: Vec<f64>,
}

impl AlikeRows {
    /// A copy of a problem's rows, if they are of this kind.
    pub(super) fn of(problem: &Problem<'_>) -> Option<Self> {
        let n = problem.len();
        let longest = (0..n).map(|i| problem.row(i).len()).max().unwrap_or(0);
        let is_filled = n * longest <= 2 * problem.values();
        let begins_alike = || (0..n.min(FIRST)).all(|i| is_alike(problem, i));
        if problem.slots() > PLACES - 1 || longest > LONGEST || !is_filled || !begins_alike() {
            return None;
        }
        let width = longest.div_ceil(2);
        let mut pairs = vec![[NOWHERE; 2]; n * width];
        let mut factors = vec![1.0; n];
        for (i, factor) in factors.iter_mut().enumerate() {
            let (scale, mut values) = problem.row(i).stored();
            let row = pairs[i * width..(i + 1) * width].as_flattened_mut();
            let mut places = row.iter_mut();
            let Some((slot, first)) = values.next() else {
                continue;
            };
            *places.next()? = u8::try_from(slot).ok()?;
            for (slot, value) in values {
                if value != first {
                    return None;
                }
                *places.next()? = u8::try_from(slot).ok()?;
            }
            *factor = scale * f64::from(first);
        }
        if factors.iter().all(|factor| *factor == 1.0) {
            factors.clear();
        }
        Some(AlikeRows {
            pairs,
            width,
            factors,
        })
    }

    /// A vector by slot as a table.
    pub(super) fn table(w: &[f64]) -> Table {
        let mut table = [0.0; PLACES];
        let kept = w.len().min(PLACES - 1);
        table[..kept].copy_from_slice(&w[..kept]);
        table
    }

    #[inline]
    fn row(&self, i: usize) -> &[[u8; 2]] {
        &self.pairs[i * self.width..(i + 1) * self.width]
    }

    #[inline]
    fn factor(&self, i: usize) -> f64 {
        self.factors.get(i).copied().unwrap_or(1.0)
    }

    /// `x_i . w`.
    #[inline]
    pub(super) fn dot(&self, i: usize, w: &Table) -> f64 {
        let mut sums = [0.0; 2];
        for [one, two] in self.row(i) {
            sums[0] += w[usize::from(*one)];
            sums[1] += w[usize::from(*two)];
        }
        self.factor(i) * (sums[0] + sums[1])
    }

    /// `sum += c x_i`.
    #[inline]
    pub(super) fn add(&self, i: usize, c: f64, sum: &mut Table) {
        let c = c * self.factor(i);
        for [one, two] in self.row(i) {
            sum[usize::from(*one)] += c;
            sum[usize::from(*two)] += c;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dual::Aim;
    use crate::random::SplitMix64;
    use crate::row::Row;
    use crate::rows::Rows;

    fn problem(rows: &Rows, scale: Vec<f64>) -> Problem<'_> {
        let aims = vec![Aim::number(1.0); rows.len()];
        Problem::new(rows.view(), scale, aims)
    }

    #[test]
    fn products_and_sums_are_those_of_the_rows() {
        let mut random = SplitMix64::new(5);
        let mut rows = Rows::new();
        for i in 0..100 {
            let slots: Vec<u32> = (0..255).filter(|_| random.below(20) == 0).collect();
            let slots = &slots[..slots.len().min(12)];
            let value = if i % 2 == 0 { 1.0 } else { 0.5 };
            rows.add("0", Row::sparse(slots, &vec![value; slots.len()]));
        }
        let w: Vec<f64> = (0..255).map(|_| random.uniform() - 0.5).collect();
        let scale = (0..100).map(|_| 0.5 + random.uniform()).collect();
        for problem in [problem(&rows, Vec::new()), problem(&rows, scale)] {
            let alike = AlikeRows::of(&problem);
            let alike = alike.unwrap_or_else(|| panic!("rows are alike"));
            let table = AlikeRows::table(&w);
            for i in 0..100 {
                let expected = problem.row(i).dot(&w);
                assert!((alike.dot(i, &table) - expected).abs() < 1e-14);
                let (mut sum, mut by_row) = (AlikeRows::table(&w), w.clone());
                alike.add(i, 0.7, &mut sum);
                problem.row(i).add_to(0.7, &mut by_row);
                for (sum, expected) in sum.iter().zip(&by_row) {
                    assert!((sum - expected).abs() < 1e-15);
                }
            }
        }
    }

    #[test]
    fn other_rows_are_not_copied() {
        let of = |slots: &[u32], values: &[f32]| {
            let mut rows = Rows::new();
            rows.add("0", Row::sparse(slots, values));
            AlikeRows::of(&problem(&rows, Vec::new())).is_some()
        };
        assert!(of(&[3, 254], &[2.0, 2.0]));
        assert!(!of(&[3, 254], &[2.0, 1.0]), "values differ");
        assert!(!of(&[3, 255], &[2.0, 2.0]), "too many features");
        let many: Vec<u32> = (0..80).map(|j| 2 * j).collect();
        assert!(!of(&many, &[1.0; 80]), "too long");
    }
}
