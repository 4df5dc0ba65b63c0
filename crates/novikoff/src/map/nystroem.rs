//! Nyström's features of the Gaussian kernel.
//!
//! Update: none. With landmarks z_1 .. z_m, `K = L L'` the kernel's values among them and k(x) those of x with them: the mapped row is
//! `L^-1 k(x)`. The inner product of two mapped rows is `k(x)' K^-1 k(z)`: the kernel's value of their projections to the span of the
//! landmarks, exact where one of them is a landmark. No mapped row is longer than 1.
//! Cost: m kernel values and m^2/2 products per row; the landmarks and m^2/2 numbers in memory and in models.
//! Paper: Williams, Seeger, "Using the Nyström method to speed up kernel machines", NIPS 2000.
//!
//! The landmarks are rows that were looked at, in an order drawn by the seed. A row that is nearly in the span of those before it is passed
//! over: at most 1e-8 of its square would be outside.

use crate::kernel::{Kernel, KernelBlock, KernelShape, WIDE};
use crate::linalg;
use crate::random::SplitMix64;
use crate::row::Row;
use crate::simd::wide;
use crate::space::StoredRows;
use crate::state::{State, StateError};

/// The share of its square that a landmark must have outside of the span of those before it.
const LEAST: f64 = 1e-8;

/// The map.
#[derive(Debug)]
pub(super) struct Nystroem {
    kernel: Kernel,
    landmarks: StoredRows,
    /// L, row by row.
    factor: Vec<f64>,
    /// L, column by column: from the diagonal down.
    columns: Vec<f64>,
    /// The landmarks, [`WIDE`] at a time.
    blocks: Vec<KernelBlock>,
}

/// Memory that every row uses again.
#[derive(Clone, Debug, Default)]
pub(super) struct NystroemBuffer {
    /// k(x), then `L^-1 k(x)`.
    values: Vec<f64>,
}

impl Nystroem {
    /// The map with at most `dim` landmarks out of `rows`, in an order drawn by `seed`.
    pub(super) fn new(dim: usize, gamma: f64, seed: u64, rows: &StoredRows) -> Self {
        let kernel = gaussian(gamma);
        let mut order: Vec<usize> = (0..rows.len()).collect();
        SplitMix64::new(seed).shuffle(&mut order);
        let (mut landmarks, mut factor) = (StoredRows::default(), Vec::new());
        for row in order {
            if landmarks.len() == dim {
                break;
            }
            let x = rows.row(row);
            let kept = landmarks.rows().map(|z| (z, kernel.facts(z)));
            let mut h: Vec<f64> = kernel.between(kept, x).collect();
            let own = kernel.own(kernel.facts(x));
            let rest = linalg::schur(&factor, &mut h, own, 0.0);
            if rest > LEAST * own {
                landmarks.push(x);
                factor.extend(h);
                factor.push(rest.sqrt());
            }
        }
        Self::of(kernel, landmarks, factor)
    }

    fn of(kernel: Kernel, landmarks: StoredRows, factor: Vec<f64>) -> Self {
        let m = landmarks.len();
        let at = |i: usize, j: usize| factor[i * (i + 1) / 2 + j];
        let columns = (0..m).flat_map(|j| (j..m).map(move |i| (i, j)));
        let columns = columns.map(|(i, j)| at(i, j)).collect();
        let block = |first: usize| {
            let rows = first..(first + WIDE).min(m);
            KernelBlock::new(kernel, rows.map(|i| landmarks.row(i)))
        };
        let blocks = (0..m).step_by(WIDE).map(block).collect();
        Nystroem {
            kernel,
            landmarks,
            factor,
            columns,
            blocks,
        }
    }

    /// How many features there are: landmarks.
    pub(super) fn features(&self) -> usize {
        self.landmarks.len()
    }

    /// The landmarks, and L row by row.
    pub(super) fn landmarks(&self) -> (&StoredRows, &[f64]) {
        (&self.landmarks, &self.factor)
    }

    /// Writes the mapped row.
    pub(super) fn apply(&self, x: Row<'_>, buffer: &mut NystroemBuffer, out: &mut [f32]) {
        let values = &mut buffer.values;
        values.clear();
        values.resize(self.features(), 0.0);
        let facts = self.kernel.facts(x);
        for (b, block) in self.blocks.iter().enumerate() {
            let row = std::iter::once((x, facts));
            block.values(0, row, |place, _, value| values[b * WIDE + place] = value);
        }
        wide(
            #[inline(always)]
            || self.solve(values),
        );
        for (out, value) in out.iter_mut().zip(values) {
            *out = *value as f32;
        }
    }

    /// `L^-1 k` in the place of k, column by column.
    #[inline(always)]
    fn solve(&self, k: &mut [f64]) {
        let mut columns = &self.columns[..];
        for j in 0..k.len() {
            let (column, rest) = columns.split_at(k.len() - j);
            columns = rest;
            let value = k[j] / column[0];
            k[j] = value;
            for (k, l) in k[j + 1..].iter_mut().zip(&column[1..]) {
                *k -= value * l;
            }
        }
    }

    /// Adds the landmarks and L to a state.
    pub(super) fn save<'a>(&'a self, out: &mut State<'a>) {
        self.landmarks.save_as("landmark", out);
        out.put_f64("landmark-factor", &self.factor[..]);
    }

    /// Takes them out again.
    pub(super) fn load(
        gamma: f64,
        dim: usize,
        from: &mut State<'static>,
    ) -> Result<Self, StateError> {
        let factor = from.take_f64("landmark-factor")?;
        let m = linalg::triangle_order(&factor);
        let diagonal = |i: usize| factor[i * (i + 1) / 2 + i];
        let is_factor = linalg::triangle_len(m) == factor.len() as u128
            && m <= dim
            && (0..m).all(|i| diagonal(i) > 0.0);
        if !is_factor {
            return Err(from.bad("landmark-factor", "no factor of that many landmarks"));
        }
        let landmarks = StoredRows::load_as("landmark", from, m)?;
        Ok(Self::of(gaussian(gamma), landmarks, factor))
    }

    /// Whether it has the same landmarks and the same kernel as another.
    pub(super) fn same(&self, other: &Self) -> bool {
        let same = |(a, b): (Row<'_>, Row<'_>)| a.iter().eq(b.iter());
        self.kernel == other.kernel
            && self.factor == other.factor
            && self.landmarks.rows().zip(other.landmarks.rows()).all(same)
    }
}

fn gaussian(gamma: f64) -> Kernel {
    Kernel {
        shape: KernelShape::Gaussian { gamma },
        cosine: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: usize, seed: u64) -> StoredRows {
        let (mut rows, mut random) = (StoredRows::default(), SplitMix64::new(seed));
        for _ in 0..count {
            let index: Vec<u32> = (1..30).filter(|_| random.uniform() < 0.4).collect();
            let value: Vec<f32> = index
                .iter()
                .map(|_| random.uniform() as f32 - 0.5)
                .collect();
            rows.push(Row::sparse(&index, &value).scaled(1.5));
        }
        rows
    }

    fn mapped(map: &Nystroem, x: Row<'_>) -> Vec<f64> {
        let mut out = vec![0.0; map.features()];
        map.apply(x, &mut NystroemBuffer::default(), &mut out);
        out.into_iter().map(f64::from).collect()
    }

    /// `k(x)' K^-1 k(z)`, the system solved by elimination with pivots.
    fn slow_inner(gamma: f64, landmarks: &StoredRows, x: Row<'_>, z: Row<'_>) -> f64 {
        let kernel = |a: Row<'_>, b: Row<'_>| {
            let distance = a.norm_sq() + b.norm_sq() - 2.0 * a.inner(&b);
            libm::exp(-gamma * distance)
        };
        let m = landmarks.len();
        let mut a: Vec<Vec<f64>> = (0..m)
            .map(|i| {
                let row = (0..m).map(|j| kernel(landmarks.row(i), landmarks.row(j)));
                row.chain([kernel(landmarks.row(i), z)]).collect()
            })
            .collect();
        for j in 0..m {
            let top = (j..m).max_by(|&p, &q| a[p][j].abs().total_cmp(&a[q][j].abs()));
            a.swap(j, top.expect("a row"));
            for i in 0..m {
                if i != j {
                    let factor = a[i][j] / a[j][j];
                    let pivot = a[j].clone();
                    for (value, other) in a[i].iter_mut().zip(pivot).skip(j) {
                        *value -= factor * other;
                    }
                }
            }
        }
        let solution = (0..m).map(|i| a[i][m] / a[i][i]);
        solution
            .enumerate()
            .map(|(i, c)| c * kernel(landmarks.row(i), x))
            .sum()
    }

    #[test]
    fn inner_products_are_those_of_the_definition() {
        let (gamma, first, others) = (0.7, rows(60, 1), rows(10, 2));
        for dim in [1, 7, 16, 33] {
            let map = Nystroem::new(dim, gamma, 4, &first);
            assert_eq!(map.features(), dim);
            for x in others.rows() {
                for z in others.rows() {
                    let (a, b) = (mapped(&map, x), mapped(&map, z));
                    let inner: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
                    let slow = slow_inner(gamma, &map.landmarks, x, z);
                    assert!((inner - slow).abs() < 1e-6, "{inner} {slow}");
                }
            }
        }
    }

    #[test]
    fn rows_that_come_twice_are_one_landmark() {
        let once = rows(20, 3);
        let mut twice = StoredRows::default();
        for x in once.rows().chain(once.rows()) {
            twice.push(x);
        }
        let map = Nystroem::new(40, 1.0, 0, &twice);
        assert_eq!(map.features(), 20);
        // a landmark is mapped exactly
        for x in once.rows() {
            let own: f64 = mapped(&map, x).iter().map(|v| v * v).sum();
            assert!((own - 1.0).abs() < 1e-6, "{own}");
        }
    }

    #[test]
    fn it_is_kept_in_a_state() {
        let map = Nystroem::new(9, 0.2, 1, &rows(30, 6));
        let mut state = State::new();
        map.save(&mut state);
        let mut state = state.into_owned();
        let back = Nystroem::load(0.2, 9, &mut state).expect("whole");
        assert!(back.same(&map) && state.left().is_none());
        let x = rows(1, 9);
        assert_eq!(mapped(&map, x.row(0)), mapped(&back, x.row(0)));
        let mut state = State::new();
        map.save(&mut state);
        let mut state = state.into_owned();
        assert!(Nystroem::load(0.2, 8, &mut state).is_err(), "more than dim");
    }
}
