//! Vectors whose squares wait to be taken off a symmetric matrix, many at a time.

use crate::simd::widest;

/// Slots of a panel, and rows and columns of a tile.
pub(super) const TILE: usize = 8;

/// Vectors that are taken off together.
pub(super) const QUEUE: usize = 64;

/// Numbers of a panel: of eight slots, those of all vectors that may wait.
pub(super) const PANEL: usize = QUEUE * TILE;

/// Rows of tiles that are swept together: their panels stay in the nearest cache.
const TOGETHER: usize = 4;

/// Panels that are visited together.
const ABREAST: usize = 4;

/// The vectors.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    /// Panel by panel, in a panel vector by vector.
    panels: Vec<f64>,
    count: usize,
}

/// Eight rows and columns of a matrix, row by row.
pub(super) type Tile = [[f64; TILE]; TILE];

/// The sums of products of two panels' vectors; registers hold the sums of `HELD` rows at once.
#[inline(always)]
fn products<const HELD: usize>(rows: &[[f64; TILE]], columns: &[[f64; TILE]]) -> Tile {
    let mut all = [[0.0; TILE]; TILE];
    for part in 0..TILE / HELD {
        let mut sums = [[0.0; TILE]; HELD];
        for (row, column) in rows.iter().zip(columns) {
            for r in 0..HELD {
                for c in 0..TILE {
                    sums[r][c] += row[part * HELD + r] * column[c];
                }
            }
        }
        all[part * HELD..][..HELD].copy_from_slice(&sums);
    }
    all
}

/// `out <- out - sum of c z` for the vectors' parts in these panels, whose sums do not wait for each other.
#[inline(always)]
fn take_abreast<const N: usize>(
    coefficients: &[f64],
    panels: &[[f64; PANEL]; N],
    out: &mut [[f64; TILE]; N],
) {
    let mut left = *out;
    for (k, c) in coefficients.iter().enumerate() {
        for n in 0..N {
            let values = &panels[n][k * TILE..][..TILE];
            for l in 0..TILE {
                left[n][l] -= c * values[l];
            }
        }
    }
    *out = left;
}

impl Waiting {
    /// The vectors of these numbers, if they fit together.
    pub(super) fn of_parts(panels: Vec<f64>, count: usize) -> Option<Self> {
        let whole = panels.len().is_multiple_of(PANEL) && count < QUEUE;
        whole.then_some(Waiting { panels, count })
    }

    /// Its numbers, and how many vectors there are.
    pub(super) fn parts(&self) -> (&[f64], usize) {
        (&self.panels, self.count)
    }

    /// How many vectors.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// How many panels.
    pub(super) fn len(&self) -> usize {
        self.panels.len() / PANEL
    }

    /// Makes room for this many panels.
    pub(super) fn reach(&mut self, panels: usize) {
        self.panels
            .resize((panels * PANEL).max(self.panels.len()), 0.0);
    }

    /// The products of the vectors with x, for its `(slot, value)` pairs.
    #[allow(clippy::needless_pass_by_value)] // an iterator, to be cloned
    pub(super) fn with(&self, x: impl Iterator<Item = (usize, f64)> + Clone) -> [f64; QUEUE] {
        let mut products = [0.0; QUEUE];
        let (some, _) = products.as_chunks_mut::<TILE>();
        // past the last vector there are zeros
        for (k, products) in some.iter_mut().enumerate().take(self.count.div_ceil(TILE)) {
            let mut sums = [0.0; TILE];
            for (j, xj) in x.clone() {
                let at = j / TILE * PANEL + k * TILE * TILE;
                let values = &self.panels[at..at + TILE * TILE];
                for l in 0..TILE {
                    sums[l] += xj * values[l * TILE + j % TILE];
                }
            }
            *products = sums;
        }
        products
    }

    /// Takes the vectors off: `out <- out - sum of c z`.
    pub(super) fn take_from(&self, coefficients: &[f64; QUEUE], out: &mut [f64]) {
        let coefficients = &coefficients[..self.count];
        let (out, _) = out.as_chunks_mut::<TILE>();
        let (panels, _) = self.panels.as_chunks::<PANEL>();
        widest(
            #[inline(always)]
            |_| {
                let (some, rest) = out.as_chunks_mut::<ABREAST>();
                let (of_some, of_rest) = panels[..some.len() * ABREAST + rest.len()].as_chunks();
                for (out, panels) in some.iter_mut().zip(of_some) {
                    take_abreast::<ABREAST>(coefficients, panels, out);
                }
                for (out, panel) in rest.iter_mut().zip(of_rest) {
                    take_abreast::<1>(
                        coefficients,
                        std::array::from_ref(panel),
                        std::array::from_mut(out),
                    );
                }
            },
        );
    }

    /// Adds a vector, which must not be longer than there is room; gives whether no more may come.
    pub(super) fn push(&mut self, z: &[f64]) -> bool {
        let panels = self.panels.chunks_exact_mut(PANEL);
        for (panel, values) in panels.zip(z.chunks(TILE)) {
            panel[self.count * TILE..][..values.len()].copy_from_slice(values);
        }
        self.count += 1;
        self.count == QUEUE
    }

    /// The vectors, one after the other, each of `slots` numbers.
    pub(super) fn vectors(&self, slots: usize) -> Vec<f64> {
        let value =
            |k: usize, slot: usize| self.panels[slot / TILE * PANEL + k * TILE + slot % TILE];
        let vector = |k| (0..slots).map(move |slot| value(k, slot));
        (0..self.count).flat_map(vector).collect()
    }

    /// Gives `sweep` the tiles `(i, j)`, `j <= i`, of the sum of the squares, and forgets the vectors.
    pub(super) fn empty(&mut self, sweep: impl FnMut(usize, usize, &Tile)) {
        widest(
            #[inline(always)]
            |eights| {
                if eights {
                    self.sweep::<TILE>(sweep);
                } else {
                    self.sweep::<{ TILE / 2 }>(sweep);
                }
            },
        );
        self.panels.fill(0.0);
        self.count = 0;
    }

    #[inline(always)]
    fn sweep<const HELD: usize>(&self, mut sweep: impl FnMut(usize, usize, &Tile)) {
        let (panels, _) = self.panels.as_chunks::<PANEL>();
        let panel = |k: usize| panels[k].as_chunks::<TILE>().0;
        for first in (0..panels.len()).step_by(TOGETHER) {
            let last = (first + TOGETHER).min(panels.len());
            for j in 0..last {
                for i in first.max(j)..last {
                    sweep(i, j, &products::<HELD>(panel(i), panel(j)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn wide_and_plain_agree_to_the_bit() {
        let mut random = SplitMix64::new(3);
        for panels in [1, ABREAST, 2 * ABREAST + 3] {
            let mut waiting = Waiting::default();
            waiting.reach(panels);
            let slots = panels * TILE - 3;
            for count in 0..QUEUE - 1 {
                let z: Vec<f64> = (0..slots).map(|_| random.uniform() - 0.5).collect();
                assert!(!waiting.push(&z));
                if count % 9 != 1 {
                    continue;
                }
                let vectors = waiting.vectors(slots);
                let x: Vec<(usize, f64)> = (0..slots)
                    .step_by(3)
                    .map(|j| (j, random.uniform()))
                    .collect();
                let with = waiting.with(x.iter().copied());
                let mut out = vec![1.0; panels * TILE];
                waiting.take_from(&with, &mut out);
                let mut want = vec![1.0; panels * TILE];
                for (z, got) in vectors.chunks(slots).zip(with) {
                    let c = x.iter().fold(0.0, |sum, &(j, xj)| sum + xj * z[j]);
                    assert_eq!(got.to_bits(), c.to_bits());
                    for (want, z) in want.iter_mut().zip(z) {
                        *want -= c * z;
                    }
                }
                assert_eq!(out, want);
            }
            let vectors = waiting.vectors(slots);
            waiting.empty(|i, j, tile| {
                for (r, row) in tile.iter().enumerate() {
                    for (c, sum) in row.iter().enumerate() {
                        let (p, q) = (i * TILE + r, j * TILE + c);
                        if p.max(q) < slots {
                            let all = vectors.chunks(slots);
                            let want = all.fold(0.0, |sum, z| sum + z[p] * z[q]);
                            assert_eq!(sum.to_bits(), want.to_bits(), "{p}, {q}");
                        }
                    }
                }
            });
        }
    }
}
