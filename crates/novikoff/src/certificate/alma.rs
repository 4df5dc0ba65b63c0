//! ALMA_p on rows that U separates (Gentile 2001, theorem 3; docs/theory/p-norm-winnow.md#93-alma-separable-rows).
//!
//! Let g be the least `y U.xh` over `|U|_q`, where `xh = x/|x|_p`, and let A be `8/alpha - 6`. An update makes
//! `|th|_p^2` at most `1 + A/k` before th is put back into the unit ball, and `U.th` is at most `|U|_q` there. So n updates
//! have `g sqrt(2/(p-1)) S(n) <= 1`, where `S(k) = (S(k-1) + k^(-1/2))/sqrt(1 + A/k)` and `S(0) = 0`: the bound is the last such n. By induction
//! `S(n) >= (2/(A+2)) sqrt(n)`, which gives `n <= (2(p-1)/g^2) (2/alpha - 1)^2` (`theorem`); Gentile has `8/alpha - 4` more.
//! Terms: `margin` is g, `norm` `|U|_q`.
//!
//! Rounding: g is rounded down, `|U|_q` and `|x|_p` up; S, which rounding makes wrong by less than 1e-10 of itself, is compared with
//! a limit that is larger by 1e-9.

use super::higher_order::norm;
use super::{Certificate, Inexact, LENGTH, NotApplicable, PastTrial, Up, inner};

/// By how much the learner's margins and S are taken to be wrong: far more than rounding makes them.
const WRONG: f64 = 1e-9;

/// S is computed as far as this; from there on it is at least `(2/(A+1)) (sqrt(n) - d)`.
const FAR: u32 = 1 << 16;

/// The run's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlmaBound {
    /// p.
    pub p: f64,
    /// alpha.
    pub alpha: f64,
}

impl AlmaBound {
    /// What the theorem says of the run, given U by slot, or why it says nothing.
    pub fn certify(
        &self,
        trials: &[PastTrial<'_>],
        u: &[f64],
    ) -> Result<Certificate, NotApplicable> {
        let norm = norm(u, self.p / (self.p - 1.0));
        let surely = |t: &PastTrial<'_>| {
            let Inexact { value, error } = inner(u, t.x);
            let length = Up::new(t.x.norm(self.p) * (1.0 + LENGTH));
            let margin = (t.y.sign() * value - error).next_down() / (length * norm).value();
            // of no vector, or one that is too long, there is no margin
            if margin.is_finite() {
                margin.next_down()
            } else {
                0.0
            }
        };
        let margin = trials.iter().map(surely).fold(f64::INFINITY, f64::min);
        if margin <= 0.0 {
            return Err(NotApplicable::NotSeparated);
        }
        let limit = self.limit(margin);
        let theorem = self.in_closed_form(limit);
        Ok(Certificate {
            theorem: "9.3",
            name: "ALMA, separable rows",
            counted: trials.iter().filter(|t| t.updated).count() as u64,
            bound: self.most(limit.value()).min(theorem).value(),
            ingredients: vec![
                ("margin", margin),
                ("norm", norm.value()),
                ("theorem", theorem.value()),
            ],
        })
    }

    /// S(n) is at most this for a U of this margin.
    fn limit(&self, margin: f64) -> Up {
        Up::new((self.p - 1.0) / 2.0).sqrt().over(margin) * Up::new(1.0 + WRONG)
    }

    /// The last n with `g sqrt(2/(p-1)) S(n) <= 1`, for this margin g.
    pub fn last_update(&self, margin: f64) -> f64 {
        self.most(self.limit(margin).value()).value()
    }

    /// The bound for a U of margin 1 and this length.
    #[cfg(feature = "linalg")]
    pub(crate) fn bound_for(&self, norm: f64) -> f64 {
        let limit = Up::new((self.p - 1.0) / 2.0).sqrt() * Up::new(norm);
        let most = self.most(limit.value());
        most.min(self.in_closed_form(limit)).value()
    }

    /// `(2(p-1)/g^2) (2/alpha - 1)^2`.
    fn in_closed_form(&self, limit: Up) -> Up {
        let half = Up::new(Up::new(4.0 / self.alpha).value() - 2.0);
        half * half * limit * limit
    }

    /// The last n with `S(n) <= limit`, or no less.
    fn most(&self, limit: f64) -> Up {
        let a = 8.0 / self.alpha - 6.0;
        let (mut s, mut last) = (0.0_f64, 0);
        for k in 1..=FAR {
            let k_ = f64::from(k);
            s = (s + 1.0 / k_.sqrt()) / (1.0 + a / k_).sqrt();
            if s <= limit {
                last = k;
            }
        }
        if last < FAR {
            return Up::new(f64::from(last));
        }
        // d is no smaller than what the step from n - 1 to n needs
        let far = f64::from(FAR);
        let needed = (far + a).sqrt() / (2.0 * a * far);
        let half = f64::midpoint(a, 1.0);
        let d = Up::new((far.sqrt() - half * s).max(needed));
        let root = Up::new(half) * Up::new(limit) + d;
        root * root
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S(n), step by step.
    fn sum(alpha: f64, n: u32) -> f64 {
        let a = 8.0 / alpha - 6.0;
        let step = |s: f64, k: f64| (s + 1.0 / k.sqrt()) / (1.0 + a / k).sqrt();
        (1..=n).map(f64::from).fold(0.0, step)
    }

    #[test]
    fn the_last_n() {
        for alpha in [0.01, 0.3, 0.9, 1.0] {
            let alma = AlmaBound { p: 2.0, alpha };
            for n in [1, 2, 10, 1000] {
                let s = sum(alpha, n);
                assert_eq!(alma.most(s).value().floor(), f64::from(n), "{alpha} {n}");
                assert!(alma.most(s * (1.0 - 1e-12)).value() < f64::from(n));
                assert!(s >= f64::from(n).sqrt() / (4.0 / alpha - 2.0));
            }
        }
    }

    /// Beyond what is computed the bound is larger, by little.
    #[test]
    fn far_away() {
        for alpha in [0.003, 0.1, 0.9, 1.0] {
            let alma = AlmaBound { p: 2.0, alpha };
            for n in [FAR, FAR + 1, 2 * FAR, 40 * FAR] {
                let (most, n) = (
                    alma.most(sum(alpha, n) * (1.0 + 1e-10)).value(),
                    f64::from(n),
                );
                assert!((n..n * 1.05).contains(&most), "{alpha}: {most} for {n}");
            }
        }
    }
}
