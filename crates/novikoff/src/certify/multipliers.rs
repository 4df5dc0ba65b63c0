//! Lower bounds of what the theorems can say, by duality.
//!
//! Let each row z (times its label) have a weight k and a multiplier `a >= 0`, and let `S = sum k a`, `N` the dual norm of `sum k a z`.
//! Every U has `k xi >= k a (1 - U.z)` where `a <= 1`, so that `L(U) >= S - N |U|`: no U makes `L + kappa |U|` smaller than S if
//! `N <= kappa`. Multipliers may be scaled. The other bounds here follow in the same way; the solver's own dual variables come
//! near to the best multipliers.
//! Paper: docs/theory/comparators.md#lower-bounds.

/// What lower bounds need to know of the multipliers of all rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Multipliers {
    /// `S = sum k a`.
    pub(super) sum: f64,
    /// N, the dual norm of `sum k a z`.
    pub(super) norm: f64,
    /// `Q^2 = sum k a^2`.
    pub(super) squares: f64,
    /// The largest a.
    pub(super) most: f64,
}

impl Multipliers {
    /// Of rows with these weights, given `k a` of each.
    pub(super) fn new(weighted: impl Iterator<Item = (f64, f64)>, norm: f64) -> Self {
        let mut all = Multipliers {
            sum: 0.0,
            norm,
            squares: 0.0,
            most: 0.0,
        };
        for (k, ka) in weighted.filter(|(k, ka)| *k > 0.0 && *ka > 0.0) {
            all.sum += ka;
            all.squares += ka * ka / k;
            all.most = all.most.max(ka / k);
        }
        all
    }

    /// The mean with others, which have the weight `share`: its norms are no larger than these.
    fn and(&self, other: &Self, share: f64) -> Self {
        let mean = |a: f64, b: f64| a + share * (b - a);
        let root = mean(self.squares.sqrt(), other.squares.sqrt());
        Multipliers {
            sum: mean(self.sum, other.sum),
            norm: mean(self.norm, other.norm),
            squares: root * root,
            most: mean(self.most, other.most),
        }
    }

    /// The least `L + kappa |U|` is no less.
    pub(super) fn sum_of_loss_and_norm(&self, kappa: f64) -> f64 {
        at_least(self.sum * (1.0 / self.most).min(kappa / self.norm))
    }

    /// The least m with `m = L + b |U| sqrt(m)` is no less.
    pub(super) fn solved(&self, b: f64) -> f64 {
        self.solved_with(b, 0.0)
    }

    /// The least m with `m = L + (b sqrt(m) + eta m) |U|` is no less.
    pub(super) fn solved_with(&self, b: f64, eta: f64) -> f64 {
        // m >= t if S >= t and S (b sqrt(t) + eta t) >= t N, each with a scale up to the largest allowed
        let slope = self.norm - self.sum * eta;
        let by_norm = if slope > 0.0 {
            let root = self.sum * b / slope;
            root * root
        } else {
            f64::INFINITY
        };
        at_least((self.sum / self.most).min(by_norm))
    }

    /// The least `(L + kappa |U|)/(1 - eta |U|)` is no less.
    pub(super) fn shared_with(&self, kappa: f64, eta: f64) -> f64 {
        // it is at most t iff L + (kappa + eta t) |U| is
        let slope = self.norm - self.sum * eta;
        let by_norm = if slope > 0.0 {
            self.sum * kappa / slope
        } else {
            f64::INFINITY
        };
        at_least((self.sum / self.most).min(by_norm))
    }

    /// The least `(r |U| + sqrt(sum k xi^2))^2` is no less.
    pub(super) fn square_of_norms(&self, r: f64) -> f64 {
        let root = self.sum * (1.0 / self.squares.sqrt()).min(r / self.norm);
        at_least(root * root)
    }

    /// The least `(B + sqrt(|U|^2 + B^2))^2`, `B^2 = sum k xi^2`, is no less.
    pub(super) fn square_of_roots(&self) -> f64 {
        // the most that N n + Q b can be where b + sqrt(n^2 + b^2) <= 1
        let (n, q) = (self.norm, self.squares.sqrt());
        let polar = if n < q {
            (q * q + n * n) / (2.0 * q)
        } else {
            n
        };
        let root = self.sum / polar;
        at_least(root * root)
    }

    /// The least `|U|^2 + 2c L` is no less.
    pub(super) fn square_and_loss(&self, c: f64) -> f64 {
        let scale = (self.sum / (c * self.norm * self.norm)).min(1.0 / self.most);
        at_least(c * scale * (2.0 * self.sum - c * scale * self.norm * self.norm))
    }

    /// The least `|U|^2 + c sum k xi^2` is no less.
    pub(super) fn square_and_squares(&self, c: f64) -> f64 {
        at_least(self.sum * self.sum / (self.norm * self.norm + self.squares / c))
    }

    /// The least `|U|^2` with `U.z >= 1` on all rows is no less.
    pub(super) fn separating(&self) -> f64 {
        let least = self.sum / self.norm;
        at_least(least * least)
    }
}

/// The most that some multipliers of a list, or a mean of two, say: means have no longer sums.
pub(super) fn most(all: &[Multipliers], says: &dyn Fn(&Multipliers) -> f64) -> f64 {
    let mut best = all.iter().map(says).fold(0.0, f64::max);
    for (k, a) in all.iter().enumerate() {
        for b in &all[..k] {
            // what they say rises and then falls on the way from one to the other
            let (mut low, mut high) = (0.0_f64, 1.0_f64);
            for _ in 0..SECTIONS {
                let third = (high - low) / 3.0;
                let (left, right) = (low + third, high - third);
                let (of_left, of_right) = (says(&a.and(b, left)), says(&a.and(b, right)));
                best = best.max(of_left).max(of_right);
                if of_left < of_right {
                    low = left;
                } else {
                    high = right;
                }
            }
        }
    }
    best
}

/// Thirds of the way between two multipliers.
const SECTIONS: u32 = 24;

/// Nothing is known where a number is none; no bound is below 0.
fn at_least(value: f64) -> f64 {
    if value > 0.0 { value } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One row of length 2 and weight 3, with several multipliers: every formula against its least value over all lengths u of U.
    #[test]
    fn no_vector_is_below() {
        let k = 3.0;
        for a in [0.05, 0.2, 0.5, 0.8, 1.0] {
            let m = Multipliers::new([(k, k * a)].into_iter(), k * a * 2.0);
            assert!((m.sum - k * a).abs() < 1e-12 && (m.most - a).abs() < 1e-12);
            for step in 0..2000 {
                let u = f64::from(step) * 0.001;
                let xi = f64::max(0.0, 1.0 - 2.0 * u);
                let (l, b) = (k * xi, (k * xi * xi).sqrt());
                let more = 1.0 + 1e-12;
                for kappa in [0.1, 1.0, 5.0, 50.0] {
                    assert!(m.sum_of_loss_and_norm(kappa) <= (l + kappa * u) * more);
                    for eta in [0.01, 0.4] {
                        let shared = (l + kappa * u) / (1.0 - eta * u);
                        assert!(m.shared_with(kappa, eta) <= shared * more);
                    }
                    let half = kappa * u / 2.0;
                    let root = half + (half * half + l).sqrt();
                    assert!(m.solved(kappa) <= root * root * more);
                    let squared = (kappa * u + b) * (kappa * u + b);
                    assert!(m.square_of_norms(kappa) <= squared * more);
                    assert!(m.square_and_loss(kappa) <= (u * u + 2.0 * kappa * l) * more);
                    assert!(m.square_and_squares(kappa) <= (u * u + kappa * b * b) * more);
                }
                let root = b + (u * u + b * b).sqrt();
                assert!(m.square_of_roots() <= root * root * more);
                if xi == 0.0 {
                    assert!(m.separating() <= u * u * more);
                }
            }
        }
    }
}
