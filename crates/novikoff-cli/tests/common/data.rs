//! Random data as svmlight text. Values are multiples of 1/4, so that all sums are exact, unless asked.

use std::fmt::Write as _;

/// SplitMix64 as docs/theory/numerics.md#random-numbers writes it down, for data and for the shuffles to be expected.
pub(crate) struct SplitMix64(pub(crate) u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / 9_007_199_254_740_992.0
    }

    /// Uniform in 0 .. n.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64).floor() as usize
    }

    /// The order of one epoch: the identity, shuffled from the end.
    pub(crate) fn order(&mut self, rows: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..rows).collect();
        for i in (1..rows).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }
}

/// What random data is like.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) rows: usize,
    pub(crate) width: usize,
    /// No value is below zero.
    pub(crate) positive: bool,
    /// Values have many digits: there are no ties, but sums are rounded.
    pub(crate) ragged: bool,
    pub(crate) seed: u64,
}

impl Default for Shape {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Shape {
    pub(crate) const DEFAULT: Self = Shape {
        rows: 120,
        width: 9,
        positive: false,
        ragged: false,
        seed: 1,
    };

    /// Rows whose labels `label` computes from the number of the row and a class 0 .. `classes`
    /// that can be learned, most of the time.
    pub(crate) fn text(
        self,
        classes: usize,
        mut label: impl FnMut(usize, usize, &mut SplitMix64) -> String,
    ) -> String {
        let mut g = SplitMix64(self.seed);
        let centres: Vec<Vec<f64>> = (0..classes)
            .map(|_| (0..self.width).map(|_| g.uniform() - 0.5).collect())
            .collect();
        let mut text = String::new();
        for row in 0..self.rows {
            let x: Vec<f64> = (0..self.width)
                .map(|_| {
                    let size = g.below(9) as f64 / 4.0;
                    let size = if self.ragged {
                        (size + g.uniform()) as f32
                    } else {
                        size as f32
                    };
                    let keep = g.below(3) > 0;
                    let sign = if self.positive || g.below(2) == 0 {
                        1.0
                    } else {
                        -1.0
                    };
                    if keep { sign * f64::from(size) } else { 0.0 }
                })
                .collect();
            let score = |c: &Vec<f64>| c.iter().zip(&x).map(|(c, x)| c * x).sum::<f64>();
            let best =
                (0..classes).max_by(|&a, &b| score(&centres[a]).total_cmp(&score(&centres[b])));
            let class = match best {
                Some(class) if g.below(10) > 0 => class,
                _ => g.below(classes),
            };
            text.push_str(&label(row, class, &mut g));
            for (j, v) in x.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                let _ = write!(text, " {}:{v}", j + 1); // writing to a String cannot fail
            }
            text.push('\n');
        }
        text
    }

    /// Labels -1 and +1.
    pub(crate) fn binary(self) -> String {
        self.text(2, |_, class, _| ["-1", "+1"][class].to_owned())
    }

    /// Labels 0, 1, ...; class k appears in row `k * every` or later.
    pub(crate) fn many(self, classes: usize, every: usize) -> String {
        self.text(classes, |row, class, _| {
            let known = (row / every.max(1) + 1).min(classes);
            (class % known).to_string()
        })
    }

    /// One to three labels of 0, 1, ...; as many appear late.
    pub(crate) fn multi(self, classes: usize, every: usize) -> String {
        self.text(classes, |row, class, g| {
            let known = (row / every.max(1) + 2).min(classes);
            let mut labels = vec![class % known];
            for _ in 0..g.below(3) {
                labels.push(g.below(known));
            }
            if row == 0 {
                labels = vec![1, 0];
            }
            labels.sort_unstable();
            labels.dedup();
            labels
                .iter()
                .map(usize::to_string)
                .collect::<Vec<_>>()
                .join(",")
        })
    }
}
