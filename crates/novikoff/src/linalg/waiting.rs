//! Vectors whose squares wait to be taken off a symmetric matrix, many at a time.

use crate::simd::wide;

/// Slots of a panel, and rows and columns of a tile.
pub(super) const TILE: usize = 8;

/// Vectors that are taken off together.
pub(super) const QUEUE: usize = 64;

/// Numbers of a panel: of eight slots, those of all vectors that may wait.
pub(super) const PANEL: usize = QUEUE * TILE;

/// Rows of a tile that registers hold at once.
const HALF: usize = TILE / 2;

/// Rows of tiles that are swept together: their panels stay in the nearest cache.
const TOGETHER: usize = 4;

/// The vectors.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    /// Panel by panel, in a panel vector by vector.
    panels: Vec<f64>,
    count: usize,
}

/// Eight rows and columns of a matrix, row by row.
pub(super) type Tile = [[f64; TILE]; TILE];

/// The sums of products of two panels' vectors.
#[inline(always)]
fn products(rows: &[[f64; TILE]], columns: &[[f64; TILE]]) -> Tile {
    let mut all = [[0.0; TILE]; TILE];
    for half in 0..TILE / HALF {
        let mut sums = [[0.0; TILE]; HALF];
        for (row, column) in rows.iter().zip(columns) {
            for r in 0..HALF {
                for c in 0..TILE {
                    sums[r][c] += row[half * HALF + r] * column[c];
                }
            }
        }
        all[half * HALF..][..HALF].copy_from_slice(&sums);
    }
    all
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
    pub(super) fn with(&self, x: impl Iterator<Item = (usize, f64)>) -> [f64; QUEUE] {
        let mut products = [0.0; QUEUE];
        for (j, xj) in x {
            let panel = self.panels[j / TILE * PANEL..].as_chunks::<TILE>().0;
            for (product, values) in products[..self.count].iter_mut().zip(panel) {
                *product += xj * values[j % TILE];
            }
        }
        products
    }

    /// Takes the vectors off: `out <- out - sum of c z`.
    pub(super) fn take_from(&self, coefficients: &[f64; QUEUE], out: &mut [f64]) {
        let coefficients = &coefficients[..self.count];
        let (out, _) = out.as_chunks_mut::<TILE>();
        wide(
            #[inline(always)]
            || {
                for (out, panel) in out.iter_mut().zip(self.panels.chunks_exact(PANEL)) {
                    let (panel, _) = panel.as_chunks::<TILE>();
                    for (c, values) in coefficients.iter().zip(panel) {
                        for l in 0..TILE {
                            out[l] -= c * values[l];
                        }
                    }
                }
            },
        );
    }

    /// Adds a vector, which must not be longer than there is room; gives whether no more may come.
    pub(super) fn push(&mut self, z: &[f64]) -> bool {
        for (slot, value) in z.iter().enumerate() {
            self.panels[slot / TILE * PANEL + self.count * TILE + slot % TILE] = *value;
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
    pub(super) fn empty(&mut self, mut sweep: impl FnMut(usize, usize, &Tile)) {
        let panels: Vec<&[[f64; TILE]]> = self
            .panels
            .chunks_exact(PANEL)
            .map(|panel| panel.as_chunks::<TILE>().0)
            .collect();
        for first in (0..panels.len()).step_by(TOGETHER) {
            let last = (first + TOGETHER).min(panels.len());
            for j in 0..last {
                for i in first.max(j)..last {
                    let sums = wide(
                        #[inline(always)]
                        || products(panels[i], panels[j]),
                    );
                    sweep(i, j, &sums);
                }
            }
        }
        self.panels.fill(0.0);
        self.count = 0;
    }
}
