//! The certificate: the gap between a primal and a dual point, row by row.
//!
//! With `w = grad h(v)`, `P - D = (1/n) sum_i k_i (f_i(t_i) + c_i(a_i) + a_i t_i)`, each term at least 0. It holds only for the v
//! that is the sum of its rows, so v is recomputed from the variables. Where the weight of a constant feature is held (`dual/lagrangian.rs`), P is taken
//! at that weight, or at the best one, and the gap has the half of lambda times the square of its difference to v besides.
//! Paper: docs/theory/dual.md#the-gap; with a free bias section 3.

use super::ascent::Ascent;
use super::lagrangian::{BiasSearch, repaired};
use super::loss::Loss;
use super::space::DualSpace;
use crate::parallel::{self, CHUNK};

/// What is certain about a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GapCertificate {
    /// P, the objective: mean loss plus lambda times the regulariser.
    pub primal: f64,
    /// D, which no objective is below.
    pub dual: f64,
    /// P - D, summed row by row.
    pub gap: f64,
    /// The mean loss.
    pub loss: f64,
    /// Rows whose variables are not 0.
    pub support: usize,
    /// The bias at which P was taken, if it is free; else 0.
    pub intercept: f64,
}

impl GapCertificate {
    /// `gap / max(|P|, |D|)`; 0/0 is 0.
    pub fn relative_gap(&self) -> f64 {
        if self.gap == 0.0 {
            0.0
        } else {
            self.gap / self.size()
        }
    }

    /// `max(|P|, |D|)`.
    pub(crate) fn size(&self) -> f64 {
        self.primal.abs().max(self.dual.abs())
    }

    /// Whether the relative gap is at most `gap`, or rounding is all there is to it.
    pub fn reaches(&self, gap: f64) -> bool {
        let rounding = 1e-12 * self.loss.abs().max(1.0);
        self.gap.is_finite() && (self.relative_gap() <= gap || self.gap <= rounding)
    }
}

/// Takes certificates of an ascent.
pub(crate) struct Judge<S> {
    /// Where the point is that the last certificate is about, if it is not the ascent's own.
    repaired: Option<(S, Vec<f64>)>,
    inner: Vec<f64>,
    /// The free bias, or by how much the weight of the constant feature is above the space's.
    intercept: f64,
}

#[derive(Clone, Copy, Default)]
struct GapSums {
    gap: f64,
    loss: f64,
    conjugate: f64,
    support: usize,
}

impl<S: DualSpace> Judge<S> {
    pub(crate) fn new<L: Loss>(ascent: &Ascent<'_, L, S>) -> Self {
        let a = || (ascent.space.clone(), Vec::new());
        Judge {
            repaired: ascent.free.is_free().then(a),
            inner: vec![0.0; ascent.a.len()],
            intercept: 0.0,
        }
    }

    /// The certificate of where the ascent is, which should have a relative gap of `gap`; `enough` is how far from its best P may be for the bias.
    pub(crate) fn certify<L: Loss>(
        &mut self,
        ascent: &mut Ascent<'_, L, S>,
        gap: f64,
        enough: f64,
    ) -> GapCertificate {
        let threads = ascent.threads;
        let aims = ascent.aims();
        let enough = enough * aims.len() as f64;
        if let Some((space, a)) = &mut self.repaired {
            *a = repaired(aims, &ascent.a);
            let all = a.iter().enumerate();
            let c: Vec<f64> = all.map(|(i, &a)| ascent.coefficient(i, a)).collect();
            space.set(&c, threads);
            space.margins(&mut self.inner, threads);
            let search = BiasSearch {
                loss: ascent.loss(),
                aims,
                inner: &self.inner,
                constants: ascent.constants(),
                held: (0.0, 0.0),
                threads,
            };
            self.intercept = search.best(ascent.free.bias(), enough);
            return self.weigh(ascent);
        }
        ascent.rebuild();
        ascent.space.margins(&mut self.inner, threads);
        if !ascent.free.is_held() {
            self.intercept = 0.0;
            return self.weigh(ascent);
        }
        // mostly the weight that the rows saw is good enough
        self.intercept = ascent.free.seen();
        let certificate = self.weigh(ascent);
        if certificate.reaches(gap) {
            return certificate;
        }
        let search = BiasSearch {
            loss: ascent.loss(),
            aims,
            inner: &self.inner,
            constants: ascent.constants(),
            held: (ascent.lambda * aims.len() as f64, ascent.free.v),
            threads,
        };
        self.intercept = search.best(self.intercept, enough);
        self.weigh(ascent)
    }

    /// By how much the weight of the constant feature is above that of the space, in the last certificate.
    pub(crate) fn held(&self) -> f64 {
        if self.repaired.is_some() {
            0.0
        } else {
            self.intercept
        }
    }

    /// The certificate with the bias in the middle of all that are as good.
    pub(crate) fn settle<L: Loss>(&mut self, ascent: &Ascent<'_, L, S>) -> GapCertificate {
        if self.repaired.is_some() {
            let search = BiasSearch {
                loss: ascent.loss(),
                aims: ascent.aims(),
                inner: &self.inner,
                constants: ascent.constants(),
                held: (0.0, 0.0),
                threads: ascent.threads,
            };
            self.intercept = search.middle(self.intercept);
        }
        self.weigh(ascent)
    }

    /// The point of the last certificate: its space and variables.
    pub(crate) fn point<'s, L: Loss>(&'s self, ascent: &'s Ascent<'_, L, S>) -> (&'s S, &'s [f64]) {
        match &self.repaired {
            Some((space, a)) => (space, a),
            None => (&ascent.space, &ascent.a),
        }
    }

    /// `s_i (w.x_i + b)` of each row at the point of the last certificate.
    pub(crate) fn margins<L: Loss>(&self, ascent: &Ascent<'_, L, S>) -> Vec<f64> {
        let rows = ascent.aims().iter().zip(&self.inner).enumerate();
        rows.map(|(i, (aim, inner))| aim.sign * (inner + ascent.constants().at(i) * self.intercept))
            .collect()
    }

    fn weigh<L: Loss>(&self, ascent: &Ascent<'_, L, S>) -> GapCertificate {
        let (space, a) = self.point(ascent);
        let (aims, loss) = (ascent.aims(), ascent.loss());
        let sums = parallel::map(0..aims.len().div_ceil(CHUNK), ascent.threads, |k| {
            let mut sums = GapSums::default();
            for i in k * CHUNK..((k + 1) * CHUNK).min(aims.len()) {
                let (aim, a) = (&aims[i], a[i]);
                if aim.weight == 0.0 {
                    continue;
                }
                let bias = ascent.constants().at(i) * self.intercept;
                let t = aim.sign * (self.inner[i] + bias);
                let (f, c) = (loss.value(t, aim.target), loss.conjugate(a, aim.target));
                sums.gap += aim.weight * (f + c + a * t).max(0.0);
                sums.loss += aim.weight * f;
                sums.conjugate += aim.weight * c;
                sums.support += usize::from(a != 0.0);
            }
            sums
        });
        let sum = |of: fn(&GapSums) -> f64| sums.iter().map(of).sum::<f64>() / aims.len() as f64;
        let loss = sum(|s| s.loss);
        // of the weight that is held: by how much g and h are above the product, and g above what it is at v
        let (held, v) = (self.held(), ascent.free.v);
        let gap = sum(|s| s.gap) + 0.5 * ascent.lambda * held * held;
        let more = held * (v + 0.5 * held);
        let h = space.conjugate();
        let primal = loss + ascent.lambda * (space.inner() - h + more);
        // rounding does not put D above P
        let dual = if gap.is_finite() {
            primal - gap
        } else {
            -sum(|s| s.conjugate) - ascent.lambda * h
        };
        GapCertificate {
            primal,
            dual,
            gap,
            loss,
            support: sums.iter().map(|s| s.support).sum(),
            intercept: self.repaired.as_ref().map_or(0.0, |_| self.intercept),
        }
    }
}
