//! Platt's sigmoid.
//!
//! `p = 1/(1 + exp(a m + b))` for margin m, where a and b minimise the cross-entropy
//! `-sum t log p + (1-t) log(1-p)` with targets `t = (P+1)/(P+2)` for the P rows that have the label and
//! `1/(N+2)` for the N others, which keeps a and b finite on separable margins.
//! Fit: Newton's method with the Hessian's diagonal raised a little and steps halved until the value falls; sums
//! avoid `log(1-p)` near 0. Margins are divided by the largest first, so that their unit does not matter.
//! Cost: O(rows) per step, some ten steps.
//! Paper: Platt 1999; Lin, Lin, Weng 2007, A note on Platt's probabilistic outputs for support vector machines.

/// The map `1/(1 + exp(slope m + offset))`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sigmoid {
    /// Below 0 where higher margins are likelier.
    pub slope: f64,
    /// At margin 0 the log of the odds against the label.
    pub offset: f64,
}

/// Steps at most; ten are usual.
const STEPS: u32 = 200;

/// Platt's probability for rows that are all alike.
pub(super) fn constant(rows: &[(f64, bool)]) -> f64 {
    let n = rows.len() as f64;
    let positives = rows.iter().filter(|r| r.1).count() as f64;
    (positives + 1.0) / (n + 2.0)
}

impl Sigmoid {
    /// Fitted on margins, and whether each row has the label.
    pub fn fit(rows: &[(f64, bool)]) -> Self {
        let positives = rows.iter().filter(|r| r.1).count() as f64;
        let negatives = rows.len() as f64 - positives;
        let unit = rows.iter().fold(0.0_f64, |top, r| top.max(r.0.abs()));
        let unit = if unit > 0.0 { unit } else { 1.0 };
        let targets = [
            1.0 / (negatives + 2.0),
            (positives + 1.0) / (positives + 2.0),
        ];
        let examples = Examples {
            rows,
            unit,
            targets,
        };
        let prior = libm::log((negatives + 1.0) / (positives + 1.0));
        let (a, b) = examples.minimise(prior);
        Sigmoid {
            // margins next to nothing would need more
            slope: (a / unit).clamp(-f64::MAX, f64::MAX),
            offset: b,
        }
    }

    /// The probability at a margin.
    pub fn probability(&self, margin: f64) -> f64 {
        sigmoid(self.log_odds(margin))
    }

    /// The logarithm of the odds at a margin.
    pub(crate) fn log_odds(&self, margin: f64) -> f64 {
        -(self.slope * margin + self.offset)
    }
}

/// `1/(1 + e^-z)`, the probability of log-odds z, without overflow.
pub fn sigmoid(z: f64) -> f64 {
    if z <= 0.0 {
        let e = libm::exp(z);
        e / (1.0 + e)
    } else {
        1.0 / (1.0 + libm::exp(-z))
    }
}

struct Examples<'r> {
    rows: &'r [(f64, bool)],
    unit: f64,
    targets: [f64; 2],
}

impl Examples<'_> {
    /// Margins in units, with their targets.
    fn each(&self) -> impl Iterator<Item = (f64, f64)> {
        let target = |has: bool| self.targets[usize::from(has)];
        self.rows
            .iter()
            .map(move |&(m, has)| (m / self.unit, target(has)))
    }

    /// The cross-entropy, as a sum of terms that are no differences of large ones.
    fn value(&self, a: f64, b: f64) -> f64 {
        let term = |(m, t): (f64, f64)| {
            let z = a * m + b;
            if z >= 0.0 {
                t * z + libm::log1p(libm::exp(-z))
            } else {
                (t - 1.0) * z + libm::log1p(libm::exp(z))
            }
        };
        self.each().map(term).sum()
    }

    fn minimise(&self, prior: f64) -> (f64, f64) {
        let (mut a, mut b) = (0.0, prior);
        let mut value = self.value(a, b);
        let small = 1e-12 * self.rows.len() as f64;
        for _ in 0..STEPS {
            let mut g = [0.0; 2];
            let mut h = [1e-12, 0.0, 1e-12];
            for (m, t) in self.each() {
                let p = sigmoid(-(a * m + b));
                let (d, curve) = (t - p, p * (1.0 - p));
                g[0] += m * d;
                g[1] += d;
                h[0] += m * m * curve;
                h[1] += m * curve;
                h[2] += curve;
            }
            if g[0].abs() <= small && g[1].abs() <= small {
                break;
            }
            let det = h[0] * h[2] - h[1] * h[1];
            let step = [
                -(h[2] * g[0] - h[1] * g[1]) / det,
                -(h[0] * g[1] - h[1] * g[0]) / det,
            ];
            let falls = g[0] * step[0] + g[1] * step[1];
            let mut length = 1.0;
            let moved = loop {
                let (next_a, next_b) = (a + length * step[0], b + length * step[1]);
                let next = self.value(next_a, next_b);
                if next < value + 1e-4 * length * falls {
                    (a, b, value) = (next_a, next_b, next);
                    break true;
                }
                length /= 2.0;
                // also ends steps that are not numbers
                if length < 1e-10 {
                    break false;
                }
            };
            if !moved {
                break;
            }
        }
        (a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// The cross-entropy as its definition says.
    fn slow(rows: &[(f64, bool)], a: f64, b: f64) -> f64 {
        let positives = rows.iter().filter(|r| r.1).count() as f64;
        let negatives = rows.len() as f64 - positives;
        let each = rows.iter().map(|&(m, has)| {
            let t = if has {
                (positives + 1.0) / (positives + 2.0)
            } else {
                1.0 / (negatives + 2.0)
            };
            let p = 1.0 / (1.0 + libm::exp(a * m + b));
            -(t * libm::log(p) + (1.0 - t) * libm::log(1.0 - p))
        });
        each.sum()
    }

    #[test]
    fn it_is_the_minimum() {
        let mut random = SplitMix64::new(21);
        for round in 0..60 {
            let n = 2 + random.below(50);
            let unit = [1e-6, 1.0, 1e5][round % 3];
            let rows: Vec<(f64, bool)> = (0..n)
                .map(|_| {
                    let m = 2.0 * random.uniform() - 1.0;
                    (m * unit, random.uniform() < 0.5 + 0.5 * m)
                })
                .collect();
            let fit = Sigmoid::fit(&rows);
            let best = slow(&rows, fit.slope, fit.offset);
            // no point of a grid around it is better
            for i in -4_i32..=4 {
                for j in -4_i32..=4 {
                    for width in [1e-3, 0.1, 1.0] {
                        let a = fit.slope + f64::from(i) * width / unit;
                        let b = fit.offset + f64::from(j) * width;
                        assert!(slow(&rows, a, b) >= best - 1e-9, "{i} {j} {width}");
                    }
                }
            }
        }
    }

    /// Balanced margins +-1: the sigmoid must hit both targets.
    #[test]
    fn two_margins_by_hand() {
        let mut rows = vec![(1.0, true); 8];
        rows.extend([(-1.0, false); 8]);
        let fit = Sigmoid::fit(&rows);
        // t = 9/10 at +1 and 1/10 at -1: a + b = -ln 9, -a + b = ln 9
        assert!((fit.slope + libm::log(9.0)).abs() < 1e-9, "{fit:?}");
        assert!(fit.offset.abs() < 1e-9, "{fit:?}");
        assert!((fit.probability(1.0) - 0.9).abs() < 1e-9);
    }

    #[test]
    fn hard_margins_stay_finite() {
        for rows in [
            vec![(0.0, true), (0.0, false)],
            vec![(0.0, true)],
            vec![(5.0, true), (5.0, true)],
            vec![(1e300, true), (-1e300, false)],
            vec![(f64::MAX, true), (-f64::MAX, false), (0.0, true)],
            vec![(1e-300, true), (-1e-300, false)],
            vec![(5e-324, true), (-5e-324, false)],
            vec![(1.0, false), (-1.0, true)],
        ] {
            let fit = Sigmoid::fit(&rows);
            assert!(
                fit.slope.is_finite() && fit.offset.is_finite(),
                "{rows:?} {fit:?}"
            );
            for (m, _) in rows {
                let p = fit.probability(m);
                assert!(p > 0.0 && p < 1.0, "{fit:?} at {m}: {p}");
            }
        }
    }
}
