//! The coefficients of several vectors that are sums of the same rows.

use crate::kernel::WIDE;
use crate::simd::wide;

/// The coefficients of all vectors, those of one row side by side.
#[derive(Clone, Debug)]
pub(super) struct Coefficients {
    pub(super) lanes: usize,
    values: Vec<f64>,
}

/// How many numbers a row has: those of more than one vector fill registers.
pub(super) fn stride(lanes: usize) -> usize {
    if lanes == 1 {
        1
    } else {
        lanes.next_multiple_of(4)
    }
}

impl Coefficients {
    pub(super) fn new(lanes: usize) -> Self {
        Coefficients {
            lanes,
            values: Vec::new(),
        }
    }

    /// The coefficients of vector `k`.
    pub(super) fn of(&self, k: usize) -> impl Iterator<Item = f64> {
        let of_k = self.values.iter().skip(k);
        of_k.step_by(stride(self.lanes)).copied()
    }

    /// Row by row.
    #[inline(always)]
    pub(super) fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(stride(self.lanes))
    }

    pub(super) fn at(&mut self, place: usize, k: usize) -> &mut f64 {
        &mut self.values[place * stride(self.lanes) + k]
    }

    /// Zeros for one row more.
    pub(super) fn push(&mut self) {
        let stride = stride(self.lanes);
        self.values.resize(self.values.len() + stride, 0.0);
    }

    /// Another vector.
    pub(super) fn add_lane(&mut self, like: usize) {
        let mut more = Coefficients::new(self.lanes + 1);
        for of_row in self.rows() {
            more.values.extend(&of_row[..self.lanes]);
            more.values.push(of_row[like]);
            more.values
                .resize(more.values.len().next_multiple_of(stride(more.lanes)), 0.0);
        }
        *self = more;
    }

    /// The coefficients of the rows that stay.
    pub(super) fn kept(&self, stays: impl Fn(usize) -> bool) -> Self {
        let mut kept = Coefficients::new(self.lanes);
        for (_, of_row) in self.rows().enumerate().filter(|(place, _)| stays(*place)) {
            kept.values.extend(of_row);
        }
        kept
    }

    /// Of each vector, the sum of coefficients times values, in the order of the rows.
    pub(super) fn sums(&self, values: &[f64], out: &mut [f64]) {
        wide(
            #[inline(always)]
            || {
                for (g, out) in out.chunks_mut(WIDE).enumerate() {
                    match out.len() {
                        1 => self.some::<1>(values, g, out),
                        2..=4 => self.some::<4>(values, g, out),
                        5..=8 => self.some::<8>(values, g, out),
                        9..=12 => self.some::<12>(values, g, out),
                        _ => self.some::<WIDE>(values, g, out),
                    }
                }
            },
        );
    }

    /// The sums of the first vectors in group `g`, at most `N` of them.
    #[inline(always)]
    fn some<const N: usize>(&self, values: &[f64], g: usize, out: &mut [f64]) {
        let mut sums = [0.0; N];
        for (value, of_row) in values.iter().zip(self.rows()) {
            let Some(of_row) = of_row[g * WIDE..].first_chunk::<N>() else {
                return;
            };
            for (sum, c) in sums.iter_mut().zip(of_row) {
                *sum += c * value;
            }
        }
        out.copy_from_slice(&sums[..out.len()]);
    }
}
