//! The primal problem as Newton's method sees it: its value, slopes and curvature over all rows.
//!
//! Vectors have a place for each slot and a last one for the bias, which stays 0 where there is no free bias. Sums
//! over rows are made from a fixed number of pieces, so that threads change no bit.

use std::iter::zip;

use super::certificate::GapCertificate;
use super::loss::Loss;
use super::problem::{Aim, Problem};
use crate::linalg;
use crate::parallel::{self, CHUNK};
use crate::row::Row;

/// Pieces that sums over rows are made from.
const PIECES: usize = 16;

/// With fewer values a pass is over before another thread has begun.
const VALUES_FOR_THREADS: usize = 1 << 18;

/// P for one lambda.
pub(super) struct PrimalObjective<'n, L> {
    problem: &'n Problem<'n>,
    /// Of so many rows one is seen; 1 sees all.
    every: usize,
    /// Whether directions are found by way of a factor.
    factors: bool,
    loss: L,
    lambda: f64,
    free_bias: bool,
    threads: usize,
}

/// Weights, with what all rows see of them.
#[derive(Clone)]
pub(super) struct PrimalPoint {
    pub(super) w: Vec<f64>,
    /// `s_i (x_i.w + b)`.
    margins: Vec<f64>,
    /// P.
    value: f64,
}

/// What is known at a place.
pub(super) struct Judged {
    pub(super) certificate: GapCertificate,
    /// The slopes of P.
    pub(super) gradient: Vec<f64>,
    /// Dual variables that prove it.
    pub(super) a: Vec<f64>,
}

/// The second derivatives of P at a place: `lambda + sum_i c_i x_i x_i'`.
pub(super) struct Curvature {
    /// The rows whose `c_i` is not 0.
    rows: Vec<(u32, f64)>,
    /// A bias that no row bends is held as weights are.
    hold: f64,
    nearly: Nearly,
}

/// What is near the second derivatives, and easy to solve with.
enum Nearly {
    /// Their diagonal.
    Diagonal(Vec<f64>),
    /// The factor of what one row in [`SAMPLED`] says of them.
    Factor(Vec<f64>),
}

/// A factor sees one row in so many.
const SAMPLED: usize = 8;

impl Curvature {
    /// Nearly the inverse times `rest`.
    pub(super) fn over(&self, rest: &[f64]) -> Vec<f64> {
        match &self.nearly {
            Nearly::Diagonal(diagonal) => zip(rest, diagonal).map(|(r, d)| r / d).collect(),
            Nearly::Factor(factor) => {
                let mut over = rest.to_vec();
                linalg::solve_lower(factor, &mut over);
                linalg::solve_upper(factor, &mut over);
                over
            }
        }
    }
}

/// The inner product.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    zip(a, b).map(|(a, b)| a * b).sum()
}

/// `to += c by`.
pub(super) fn add(to: &mut [f64], c: f64, by: &[f64]) {
    zip(to, by).for_each(|(to, by)| *to += c * by);
}

impl<'n, L: Loss> PrimalObjective<'n, L> {
    pub(super) fn new(
        problem: &'n Problem<'n>,
        loss: L,
        lambda: f64,
        free_bias: bool,
        threads: usize,
    ) -> Self {
        let threads = if problem.values() < VALUES_FOR_THREADS {
            1
        } else {
            threads
        };
        PrimalObjective {
            problem,
            every: 1,
            factors: false,
            loss,
            lambda,
            free_bias,
            threads,
        }
    }

    /// The objective of one row in `every`: it estimates that of all.
    pub(super) fn of_some(self, every: usize) -> Self {
        PrimalObjective {
            every,
            threads: 1,
            ..self
        }
    }

    /// The objective whose directions are found by way of a factor of second derivatives over some rows.
    pub(super) fn with_factors(self) -> Self {
        PrimalObjective {
            factors: true,
            ..self
        }
    }

    /// How many rows are seen.
    fn len(&self) -> usize {
        self.problem.len() / self.every
    }

    /// Which row is the one seen in place `i`: one of each `every` neighbours, not always the same.
    #[inline]
    fn seen(&self, i: usize) -> usize {
        if self.every == 1 {
            return i;
        }
        let any = (i as u32).wrapping_mul(0x9e37_79b9) >> 16;
        i * self.every + any as usize % self.every
    }

    #[inline]
    fn row(&self, i: usize) -> Row<'n> {
        self.problem.row(self.seen(i))
    }

    /// What all rows that are seen aim at.
    fn aims(&self) -> impl Iterator<Item = &'n Aim> {
        (0..self.len()).map(|i| self.aim(i))
    }

    #[inline]
    fn aim(&self, i: usize) -> &'n Aim {
        &self.problem.aims()[self.seen(i)]
    }

    /// Places of a vector.
    pub(super) fn places(&self) -> usize {
        self.problem.slots() + 1
    }

    /// A sum over `count` items that each add something to `length` numbers.
    fn sum(&self, count: usize, length: usize, add: impl Fn(usize, &mut [f64]) + Sync) -> Vec<f64> {
        let piece = count.div_ceil(PIECES).max(1);
        let sums = parallel::map(0..count.div_ceil(piece), self.threads, |k| {
            let mut sum = vec![0.0; length];
            (k * piece..((k + 1) * piece).min(count)).for_each(|i| add(i, &mut sum));
            sum
        });
        let mut total = vec![0.0; length];
        for sum in &sums {
            self::add(&mut total, 1.0, sum);
        }
        total
    }

    /// `x_i.w + b`.
    #[inline]
    fn inner(&self, i: usize, w: &[f64]) -> f64 {
        match w.split_last() {
            Some((bias, w)) => self.row(i).dot(w) + bias,
            None => 0.0,
        }
    }

    /// `sum += c (x_i, 1)`, the 1 for a free bias.
    #[inline]
    fn add(&self, i: usize, c: f64, sum: &mut [f64]) {
        if let Some((bias, sum)) = sum.split_last_mut() {
            self.row(i).add_to(c, sum);
            if self.free_bias {
                *bias += c;
            }
        }
    }

    /// The best place on the way from 0 to the weights of dual variables, which may be those of another lambda.
    pub(super) fn begin(&self, a: Option<&[f64]>) -> PrimalPoint {
        let origin = self.place(vec![0.0; self.places()]);
        let Some(a) = a else {
            return origin;
        };
        let (n, places) = (self.len(), self.places());
        let unit = 1.0 / (self.lambda * n as f64);
        let mut w = self.sum(n, places, |i, sum| {
            let aim = self.aim(i);
            self.add(i, unit * aim.weight * aim.sign * a[i], sum);
        });
        w[places - 1] = 0.0;
        let along = self.margins(&w);
        let mut best = origin.clone();
        for k in 0..20 {
            let place = self.beside(&origin, &w, &along, 1.0 / f64::from(1 << k));
            if place.value < best.value {
                best = place;
            } else if k > 0 && best.value < origin.value {
                break;
            }
        }
        best
    }

    /// The place of some weights, or 0 if it is better.
    pub(super) fn begin_at(&self, w: Vec<f64>) -> PrimalPoint {
        let (origin, place) = (self.place(vec![0.0; self.places()]), self.place(w));
        if place.value < origin.value {
            place
        } else {
            origin
        }
    }

    fn place(&self, w: Vec<f64>) -> PrimalPoint {
        let margins = self.margins(&w);
        let value = self.value(&w, &margins);
        PrimalPoint { w, margins, value }
    }

    /// The place recomputed from its `w`, without the rounding of many steps.
    pub(super) fn again(&self, place: &PrimalPoint) -> PrimalPoint {
        self.place(place.w.clone())
    }

    /// All `s_i (x_i.w + b)`.
    fn margins(&self, w: &[f64]) -> Vec<f64> {
        let mut margins = vec![0.0; self.len()];
        parallel::fill(&mut margins, self.threads, |k, out| {
            for (i, out) in zip(k * CHUNK.., out) {
                *out = self.aim(i).sign * self.inner(i, w);
            }
        });
        margins
    }

    /// A sum of numbers of the rows that count, by margin and aim.
    fn mean(&self, margins: &[f64], of: impl Fn(usize, f64, &Aim) -> f64 + Sync) -> f64 {
        let n = margins.len();
        let sums = parallel::map(0..n.div_ceil(CHUNK), self.threads, |k| {
            let rows = k * CHUNK..((k + 1) * CHUNK).min(n);
            let counts = rows.filter(|&i| self.aim(i).weight > 0.0);
            counts
                .map(|i| self.aim(i).weight * of(i, margins[i], self.aim(i)))
                .sum::<f64>()
        });
        sums.iter().sum::<f64>() / n as f64
    }

    fn value(&self, w: &[f64], margins: &[f64]) -> f64 {
        let loss = self.mean(margins, |_, t, aim| self.loss.value(t, aim.target));
        let weights = &w[..w.len() - 1];
        loss + 0.5 * self.lambda * dot(weights, weights)
    }

    /// A function of margin and target, for all rows.
    fn each(&self, place: &PrimalPoint, of: impl Fn(f64, f64) -> f64 + Sync) -> Vec<f64> {
        let mut values = vec![0.0; self.len()];
        parallel::fill(&mut values, self.threads, |k, out| {
            for (i, out) in zip(k * CHUNK.., out) {
                *out = of(place.margins[i], self.aim(i).target);
            }
        });
        values
    }

    /// Slopes and certificate; one pass over the rows.
    ///
    /// The dual variables are `a_i = -f'(t_i)`, for which the rows have no gap; what is left is `lambda |w - v|^2/2`. With a free
    /// bias those of the heavier sign are scaled down until their sum is 0, as in the ascent's certificate.
    pub(super) fn judge(&self, place: &PrimalPoint) -> Judged {
        let (n, places) = (self.len(), self.places());
        let mut a = self.each(place, |t, y| -self.loss.slopes(t, y).0);
        let signed = |a: f64, aim: &Aim| aim.weight * aim.sign * a / n as f64;
        // both signs on their own
        let sums = self.sum(n, 2 * places, |i, sum| {
            let c = signed(a[i], self.aim(i));
            let (positive, negative) = sum.split_at_mut(places);
            if c > 0.0 {
                self.add(i, c, positive);
            } else if c < 0.0 {
                self.add(i, c, negative);
            }
        });
        let (positive, negative) = sums.split_at(places);
        let weights = places - 1;
        let mut gradient = vec![0.0; places];
        add(&mut gradient, -1.0, positive);
        add(&mut gradient, -1.0, negative);
        add(&mut gradient[..weights], self.lambda, &place.w);
        let (up, down) = (positive[weights], -negative[weights]);
        let (share_up, share_down) = match self.free_bias {
            true if up > down => (down / up, 1.0),
            true if down > up => (1.0, up / down),
            _ => (1.0, 1.0),
        };
        let mut rows_gap = 0.0;
        if (share_up, share_down) != (1.0, 1.0) {
            for (a, aim) in zip(&mut a, self.aims()) {
                *a *= if signed(*a, aim) > 0.0 {
                    share_up
                } else {
                    share_down
                };
            }
            rows_gap = self.mean(&place.margins, |i, t, aim| {
                self.loss.gap(a[i], t, aim.target)
            });
        }
        let vector = zip(&positive[..weights], negative);
        let v = vector.map(|(p, q)| (share_up * p + share_down * q) / self.lambda);
        let away: f64 = zip(&place.w, v).map(|(w, v)| (w - v) * (w - v)).sum();
        let gap = rows_gap + 0.5 * self.lambda * away;
        let of_weights = dot(&place.w[..weights], &place.w[..weights]);
        let counts = zip(&a, self.aims()).filter(|(a, aim)| **a != 0.0 && aim.weight > 0.0);
        let certificate = GapCertificate {
            primal: place.value,
            dual: place.value - gap,
            gap,
            loss: place.value - 0.5 * self.lambda * of_weights,
            support: counts.count(),
            intercept: place.w[weights],
        };
        Judged {
            certificate,
            gradient,
            a,
        }
    }

    /// The second derivatives; one pass over the rows.
    pub(super) fn curvature(&self, place: &PrimalPoint) -> Curvature {
        let n = self.len() as f64;
        let bends = self.each(place, |t, y| self.loss.bend(t, y));
        let factors = zip(self.aims(), bends).map(|(aim, bend)| aim.weight * bend / n);
        let rows: Vec<(u32, f64)> = zip(0.., factors).filter(|(_, c)| *c > 0.0).collect();
        let places = self.places();
        if self.factors {
            let hold = self.hold(rows.iter().map(|(_, c)| c).sum());
            let nearly = Nearly::Factor(self.factor(&rows));
            return Curvature { rows, hold, nearly };
        }
        let mut diagonal = self.sum(rows.len(), places, |k, sum| {
            let (i, c) = rows[k];
            for (slot, x) in self.row(i as usize).iter() {
                sum[slot] += c * x * x;
            }
            sum[places - 1] += c;
        });
        let hold = self.hold(diagonal[places - 1]);
        add(
            &mut diagonal[..places - 1],
            self.lambda,
            &vec![1.0; places - 1],
        );
        diagonal[places - 1] += hold;
        let nearly = Nearly::Diagonal(diagonal);
        Curvature { rows, hold, nearly }
    }

    /// What holds a bias that all rows together bend by this much.
    fn hold(&self, bend: f64) -> f64 {
        if bend < self.lambda { self.lambda } else { 0.0 }
    }

    /// The factor of lambda and the second derivatives of some of these rows, as many times as there are more.
    fn factor(&self, rows: &[(u32, f64)]) -> Vec<f64> {
        let places = self.places();
        let mut triangle = Vec::new();
        linalg::triangle_grow_zero(&mut triangle, places);
        let mut x: Vec<(usize, f64)> = Vec::new();
        for &(i, c) in rows.iter().step_by(SAMPLED) {
            x.clear();
            x.extend(self.row(i as usize).iter());
            if self.free_bias {
                x.push((places - 1, 1.0));
            }
            for (k, &(slot, value)) in x.iter().enumerate() {
                let (start, times) = (slot * (slot + 1) / 2, SAMPLED as f64 * c * value);
                for &(other, by) in &x[..=k] {
                    triangle[start + other] += times * by;
                }
            }
        }
        linalg::cholesky(triangle, self.lambda)
    }

    /// The second derivatives times `p`; one pass over the rows.
    pub(super) fn image(&self, curvature: &Curvature, p: &[f64]) -> Vec<f64> {
        let rows = &curvature.rows;
        let mut image = self.sum(rows.len(), self.places(), |k, sum| {
            let (i, c) = rows[k];
            self.add(i as usize, c * self.inner(i as usize, p), sum);
        });
        let weights = self.places() - 1;
        add(&mut image[..weights], self.lambda, p);
        image[weights] += curvature.hold * p[weights];
        image
    }

    /// `place + theta direction`; `along` are the direction's margins.
    fn beside(
        &self,
        place: &PrimalPoint,
        direction: &[f64],
        along: &[f64],
        theta: f64,
    ) -> PrimalPoint {
        let go = |from: &[f64], by: &[f64]| -> Vec<f64> {
            zip(from, by).map(|(from, by)| from + theta * by).collect()
        };
        let (w, margins) = (go(&place.w, direction), go(&place.margins, along));
        let value = self.value(&w, &margins);
        PrimalPoint { w, margins, value }
    }

    /// The first of the places 1, 1/2, 1/4, ... along a direction of slope `slope` at which P is low enough, or a later one if it
    /// is lower still; one pass over the rows.
    pub(super) fn search(
        &self,
        from: &PrimalPoint,
        direction: &[f64],
        slope: f64,
    ) -> Option<PrimalPoint> {
        let along = self.margins(direction);
        let rounding = 4.0 * f64::EPSILON * from.value.abs();
        let (mut theta, mut best): (f64, Option<PrimalPoint>) = (1.0, None);
        for _ in 0..60 {
            let place = self.beside(from, direction, &along, theta);
            let value = place.value;
            match &best {
                Some(best) if value >= best.value => break,
                None if value > from.value + 0.01 * theta * slope + rounding => {}
                // what the parabola foretold
                None if value <= from.value + 0.3 * theta * slope => return Some(place),
                _ => best = Some(place),
            }
            theta *= 0.5;
        }
        best
    }
}
