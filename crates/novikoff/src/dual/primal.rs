//! The primal problem as Newton's method sees it: its value, slopes and curvature over all rows.
//!
//! Vectors have a place for each slot and a last one for the bias, which stays 0 where there is no free bias. Sums
//! over rows are made from a fixed number of pieces, so that threads change no bit.

use std::iter::zip;

use super::alike::{AlikeRows, Table};
use super::certificate::GapCertificate;
use super::loss::{Loss, LossSlopes};
use super::problem::{Aim, Problem};
use crate::linalg;
use crate::parallel::{self, CHUNK};
use crate::row::Row;

/// Pieces that sums over rows are made from.
const PIECES: usize = 16;

/// Rows that bend a bias by less than this, and by less than lambda, say little of how far it is to go. A large lambda holds weights, but no bias: it would
/// go there in steps as small as lambda is large.
const LEAST_BEND: f64 = 0.01;

/// With fewer values a pass is over before another thread has begun.
const VALUES_FOR_THREADS: usize = 1 << 18;

/// P for one lambda.
pub(super) struct PrimalObjective<'n, L> {
    problem: &'n Problem<'n>,
    /// A copy of the rows, if their values are all alike.
    alike: Option<&'n AlikeRows>,
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
    pub(super) margins: Vec<f64>,
    /// Slopes and second derivatives of the losses.
    losses: Vec<(f64, f64)>,
    /// P.
    value: f64,
}

/// What is known at a place.
pub(super) struct Judged {
    pub(super) certificate: GapCertificate,
    /// The slopes of P.
    pub(super) gradient: Vec<f64>,
    /// What dual variables that prove it are multiplied by beside minus the slopes of the losses, by the sign of what they add.
    shares: (f64, f64),
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
        (problem, alike): (&'n Problem<'n>, Option<&'n AlikeRows>),
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
            alike,
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

    /// The objective; if `factors`, its directions are found by way of a factor of second derivatives over some rows.
    pub(super) fn with_factors(self, factors: bool) -> Self {
        PrimalObjective { factors, ..self }
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

    /// A sum over `count` items; `work` adds those of a range to a vector.
    fn sum(
        &self,
        count: usize,
        work: impl Fn(std::ops::Range<usize>, &mut [f64]) + Sync,
    ) -> Vec<f64> {
        let places = self.places();
        let piece = count.div_ceil(PIECES).max(1);
        let sums = parallel::map(0..count.div_ceil(piece), self.threads, |k| {
            let mut sum = vec![0.0; places];
            work(k * piece..((k + 1) * piece).min(count), &mut sum);
            sum
        });
        let mut total = vec![0.0; places];
        for sum in &sums {
            add(&mut total, 1.0, sum);
        }
        total
    }

    /// `sum_i c_i (x_i, 1)`, the 1 for a free bias.
    fn combine(&self, c: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
        self.sum(self.len(), |rows, sum| {
            let rows = rows.map(|i| (i, c(i))).filter(|(_, c)| *c != 0.0);
            self.add_rows(rows, sum);
        })
    }

    /// Adds rows times factors.
    #[inline]
    fn add_rows(&self, rows: impl Iterator<Item = (usize, f64)>, sum: &mut [f64]) {
        let Some((bias, sum)) = sum.split_last_mut() else {
            return;
        };
        let mut all = 0.0;
        if let Some(alike) = self.alike {
            let mut table = AlikeRows::table(sum);
            for (i, c) in rows {
                alike.add(self.seen(i), c, &mut table);
                all += c;
            }
            sum.copy_from_slice(&table[..sum.len()]);
        } else {
            for (i, c) in rows {
                self.row(i).add_to(c, sum);
                all += c;
            }
        }
        if self.free_bias {
            *bias += all;
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
        let mut w = self.combine(|i| {
            let aim = self.aim(i);
            unit * aim.weight * aim.sign * a[i]
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
        self.at(w, margins)
    }

    /// The place of weights whose margins are known.
    fn at(&self, w: Vec<f64>, margins: Vec<f64>) -> PrimalPoint {
        let n = self.len();
        let mut losses = vec![(0.0, 0.0); n];
        let pieces = zip(losses.chunks_mut(CHUNK), margins.chunks(CHUNK));
        let sums = parallel::map(
            pieces.enumerate(),
            self.threads,
            |(k, (losses, margins))| {
                let mut sum = 0.0;
                for (i, (out, &t)) in zip(k * CHUNK.., zip(losses, margins)) {
                    let aim = self.aim(i);
                    if aim.weight > 0.0 {
                        let LossSlopes { value, slope, bend } = self.loss.look(t, aim.target);
                        sum += aim.weight * value;
                        *out = (slope, bend);
                    }
                }
                sum
            },
        );
        let weights = &w[..w.len() - 1];
        let of_weights = 0.5 * self.lambda * dot(weights, weights);
        let value = sums.iter().sum::<f64>() / n as f64 + of_weights;
        PrimalPoint {
            w,
            margins,
            losses,
            value,
        }
    }

    /// The place recomputed from its `w`, without the rounding of many steps.
    pub(super) fn again(&self, place: &PrimalPoint) -> PrimalPoint {
        self.place(place.w.clone())
    }

    /// All `s_i (x_i.w + b)`.
    fn margins(&self, w: &[f64]) -> Vec<f64> {
        let mut margins = vec![0.0; self.len()];
        parallel::fill(&mut margins, self.threads, |k, out| {
            let (bias, w) = w.split_last().unwrap_or((&0.0, &[]));
            if let Some(alike) = self.alike {
                let table = AlikeRows::table(w);
                for (i, out) in zip(k * CHUNK.., out) {
                    let inner = alike.dot(self.seen(i), &table);
                    *out = self.aim(i).sign * (inner + bias);
                }
            } else {
                for (i, out) in zip(k * CHUNK.., out) {
                    *out = self.aim(i).sign * (self.row(i).dot(w) + bias);
                }
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

    /// Slopes and certificate; one pass over the rows.
    ///
    /// The dual variables are `a_i = -f'(t_i)`, for which the rows have no gap; what is left is `lambda |w - v|^2/2`. With a free
    /// bias those of the heavier sign are scaled down until their sum is 0, as in the ascent's certificate.
    pub(super) fn judge(&self, place: &PrimalPoint) -> Judged {
        let (n, weights) = (self.len() as f64, self.places() - 1);
        // what the dual variable of a row, minus its slope, adds to lambda v
        let signed = |i: usize| {
            let aim = self.aim(i);
            -aim.weight * aim.sign * place.losses[i].0 / n
        };
        let (mut gradient, mut v);
        let mut shares = (1.0, 1.0);
        let mut rows_gap = 0.0;
        if self.free_bias {
            // both signs on their own
            let positive = self.combine(|i| signed(i).max(0.0));
            let negative = self.combine(|i| signed(i).min(0.0));
            let (up, down) = (positive[weights], -negative[weights]);
            if up > down {
                shares.0 = down / up;
            } else if down > up {
                shares.1 = up / down;
            }
            let sum = |shares: (f64, f64)| {
                let both = zip(&positive, &negative);
                let sum = both.map(|(p, q)| shares.0 * p + shares.1 * q);
                sum.collect::<Vec<f64>>()
            };
            (gradient, v) = (sum((1.0, 1.0)), sum(shares));
            if shares != (1.0, 1.0) {
                rows_gap = self.mean(&place.margins, |i, t, aim| {
                    self.loss
                        .gap(self.variable(place, shares, i), t, aim.target)
                });
            }
        } else {
            v = self.combine(signed);
            gradient = v.clone();
        }
        for g in &mut gradient {
            *g = -*g;
        }
        add(&mut gradient[..weights], self.lambda, &place.w);
        for v in &mut v {
            *v /= self.lambda;
        }
        let away: f64 = zip(&place.w[..weights], v)
            .map(|(w, v)| (w - v) * (w - v))
            .sum();
        let gap = rows_gap + 0.5 * self.lambda * away;
        let of_weights = dot(&place.w[..weights], &place.w[..weights]);
        let counts = (0..self.len()).filter(|&i| self.variable(place, shares, i) != 0.0);
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
            shares,
        }
    }

    /// The dual variable of row `i`; 0 if the row does not count.
    #[inline]
    fn variable(&self, place: &PrimalPoint, (up, down): (f64, f64), i: usize) -> f64 {
        let a = -place.losses[i].0;
        a * if self.aim(i).sign * a > 0.0 { up } else { down }
    }

    /// The dual variables that prove what is known at a place.
    pub(super) fn dual(&self, place: &PrimalPoint, judged: &Judged) -> Vec<f64> {
        let all = 0..self.len();
        all.map(|i| self.variable(place, judged.shares, i))
            .collect()
    }

    /// The second derivatives; one pass over the rows.
    pub(super) fn curvature(&self, place: &PrimalPoint) -> Curvature {
        let n = self.len() as f64;
        let bends = zip(self.aims(), &place.losses);
        let factors = bends.map(|(aim, (_, bend))| aim.weight * bend / n);
        let rows: Vec<(u32, f64)> = zip(0.., factors).filter(|(_, c)| *c > 0.0).collect();
        let places = self.places();
        if self.factors {
            let hold = self.hold(rows.iter().map(|(_, c)| c).sum());
            let nearly = Nearly::Factor(self.factor(&rows));
            return Curvature { rows, hold, nearly };
        }
        let mut diagonal = self.sum(rows.len(), |range, sum| {
            for &(i, c) in &rows[range] {
                for (slot, x) in self.row(i as usize).iter() {
                    sum[slot] += c * x * x;
                }
                sum[places - 1] += c;
            }
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
        let least = self.lambda.min(LEAST_BEND);
        if bend < least { least } else { 0.0 }
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
        let weights = self.places() - 1;
        let (bias, of_weights) = (p[weights], &p[..weights]);
        let mut image = self.sum(rows.len(), |range, sum| {
            let rows = rows[range].iter().map(|&(i, c)| (i as usize, c));
            if let Some(alike) = self.alike {
                let table: Table = AlikeRows::table(of_weights);
                let inner = |i: usize| alike.dot(self.seen(i), &table) + bias;
                self.add_rows(rows.map(|(i, c)| (i, c * inner(i))), sum);
            } else {
                let inner = |i: usize| self.row(i).dot(of_weights) + bias;
                self.add_rows(rows.map(|(i, c)| (i, c * inner(i))), sum);
            }
        });
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
        self.at(w, margins)
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
