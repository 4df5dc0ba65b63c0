//! Conjugate gradients on the variables that are not at an end, for the square regulariser.
//!
//! Coordinate steps soon find out which variables rest at an end or a kink of `c`; where the rows of the others are nearly
//! dependent, the last digits take them thousands of passes. On those others D is quadratic, so that conjugate
//! gradients find its maximum in as many steps as the rows have dimensions.
//! Update: `p` from `(Q + q) p = -(c'(a) + t)`, `Q_ij = (1/(lambda n)) k_j z_i.z_j`, on the free variables; then `a <- clip(a + theta p)` with the first
//! `theta` of 1, 1/2, 1/4, ... that raises D.
//! Cost: two passes over the free rows per step.
//! Paper: Moré and Toraldo 1991 (gradient projection and conjugate gradients for bounds); docs/theory/dual.md#algorithm-1.

use std::iter::zip;

use super::ascent::Ascent;
use super::loss::Loss;
use super::space::DualSpace;

/// Residuals this much smaller than the first end the search.
const ENOUGH: f64 = 1e-6;

/// Halvings of the step, at most.
const HALVINGS: u32 = 10;

/// The variables that are not at an end.
struct Face {
    rows: Vec<usize>,
    /// `s_i`.
    sign: Vec<f64>,
    /// `k_i`.
    weight: Vec<f64>,
    /// What a bias of 1 adds.
    constant: Vec<f64>,
    /// `x_i . w + b`.
    inner: Vec<f64>,
}

/// Moves the free variables of an ascent; `other` is a space to work in, `most` the steps of the search. True if D rose.
pub(crate) fn polish<L: Loss, S: DualSpace>(
    ascent: &mut Ascent<'_, L, S>,
    other: &mut S,
    most: usize,
) -> bool {
    let face = Face::of(ascent);
    let p = face.direction(ascent, other, most);
    let mut theta = 1.0;
    for _ in 0..HALVINGS {
        if face.step(ascent, other, &p, theta) {
            return true;
        }
        theta *= 0.5;
    }
    false
}

/// How many variables are free.
pub(crate) fn free_rows<L: Loss, S: DualSpace>(ascent: &Ascent<'_, L, S>) -> usize {
    (0..ascent.a.len()).filter(|&i| is_free(ascent, i)).count()
}

fn is_free<L: Loss, S: DualSpace>(ascent: &Ascent<'_, L, S>, i: usize) -> bool {
    let aim = &ascent.aims()[i];
    let (low, high) = ascent.loss().conjugate_slopes(ascent.a[i], aim.target);
    aim.weight > 0.0 && low == high
}

impl Face {
    fn of<L: Loss, S: DualSpace>(ascent: &Ascent<'_, L, S>) -> Self {
        let rows: Vec<usize> = (0..ascent.a.len())
            .filter(|&i| is_free(ascent, i))
            .collect();
        let aims = ascent.aims();
        let bias = ascent.free.bias();
        let constant = |i: usize| ascent.constants().at(i);
        Face {
            constant: rows.iter().map(|&i| constant(i)).collect(),
            sign: rows.iter().map(|&i| aims[i].sign).collect(),
            weight: rows.iter().map(|&i| aims[i].weight).collect(),
            inner: rows
                .iter()
                .map(|&i| ascent.space.margin(i) + constant(i) * bias)
                .collect(),
            rows,
        }
    }

    /// `sum_i k_i a_i b_i`.
    fn dot(&self, a: &[f64], b: &[f64]) -> f64 {
        let products = zip(zip(a, b), &self.weight).map(|((a, b), k)| k * a * b);
        products.sum()
    }

    /// `other` becomes the change of v for the change `p` of the variables; answers that of `v_b`.
    fn change<L: Loss, S: DualSpace>(
        &self,
        ascent: &Ascent<'_, L, S>,
        other: &mut S,
        p: &[f64],
    ) -> (Vec<f64>, f64) {
        let mut c = vec![0.0; ascent.a.len()];
        for (&i, &p) in zip(&self.rows, p) {
            c[i] = ascent.coefficient(i, p);
        }
        other.set(&c, ascent.threads);
        let bias = ascent.bias_of(&c);
        (c, bias)
    }

    /// Where D would be largest if there were no ends.
    fn direction<L: Loss, S: DualSpace>(
        &self,
        ascent: &Ascent<'_, L, S>,
        other: &mut S,
        most: usize,
    ) -> Vec<f64> {
        let (aims, loss) = (ascent.aims(), ascent.loss());
        let all = zip(&self.rows, zip(&self.sign, &self.inner));
        let slope = |i: usize| loss.conjugate_slopes(ascent.a[i], aims[i].target).0;
        let mut rest: Vec<f64> = all.map(|(&i, (s, u))| -(slope(i) + s * u)).collect();
        let mut p = vec![0.0; rest.len()];
        let mut way = rest.clone();
        let mut size = self.dot(&rest, &rest);
        let enough = ENOUGH * ENOUGH * size;
        for _ in 0..most {
            if size <= enough || size == 0.0 {
                break;
            }
            let (_, bias) = self.change(ascent, other, &way);
            let bias = bias * ascent.free.stiffness;
            let rows = zip(zip(&self.rows, &self.sign), zip(&self.constant, &way));
            let image: Vec<f64> = rows
                .map(|((&i, s), (constant, way))| {
                    s * (other.margin(i) + constant * bias) + loss.curvature() * way
                })
                .collect();
            let bend = self.dot(&way, &image);
            if bend <= 1e-14 * self.dot(&way, &way) {
                // D rises along a line without end: as far as the first variable may go
                let room = self.room(ascent, &p, &way);
                zip(&mut p, &way).for_each(|(p, way)| *p += room * way);
                break;
            }
            let step = size / bend;
            zip(&mut p, &way).for_each(|(p, way)| *p += step * way);
            zip(&mut rest, &image).for_each(|(rest, image)| *rest -= step * image);
            let next = self.dot(&rest, &rest);
            let turn = next / size;
            zip(&mut way, &rest).for_each(|(way, rest)| *way = rest + turn * *way);
            size = next;
        }
        p
    }

    /// How far all variables may move from `a + p` along `way`.
    fn room<L: Loss, S: DualSpace>(
        &self,
        ascent: &Ascent<'_, L, S>,
        p: &[f64],
        way: &[f64],
    ) -> f64 {
        let mut room = f64::INFINITY;
        for (&i, (p, way)) in zip(&self.rows, zip(p, way)) {
            let (low, high) = ascent.loss().piece(ascent.a[i]);
            let at = (ascent.a[i] + p).clamp(low, high);
            let end = if *way > 0.0 { high } else { low };
            if *way != 0.0 {
                room = room.min((end - at) / way);
            }
        }
        if room.is_finite() { room } else { 0.0 }
    }

    /// Goes to `clip(a + theta p)` if D is larger there.
    fn step<L: Loss, S: DualSpace>(
        &self,
        ascent: &mut Ascent<'_, L, S>,
        other: &mut S,
        p: &[f64],
        theta: f64,
    ) -> bool {
        let (aims, loss, n) = (ascent.aims(), ascent.loss(), ascent.a.len() as f64);
        let moved = zip(&self.rows, p).map(|(&i, p)| {
            let (low, high) = loss.piece(ascent.a[i]);
            (ascent.a[i] + theta * p).clamp(low, high)
        });
        let moved: Vec<f64> = moved.collect();
        let by = zip(&self.rows, &moved).map(|(&i, moved)| moved - ascent.a[i]);
        let by: Vec<f64> = by.collect();
        let (c, bias) = self.change(ascent, other, &by);
        let (mut fall, mut rise) = (0.0, 0.5 * bias * bias * ascent.free.stiffness);
        for (&i, (inner, moved)) in zip(&self.rows, zip(&self.inner, &moved)) {
            let (a, aim) = (ascent.a[i], &aims[i]);
            let conjugates = loss.conjugate(a, aim.target) - loss.conjugate(*moved, aim.target);
            fall += aim.weight * conjugates;
            rise += c[i] * (inner + 0.5 * other.margin(i));
        }
        let rises = fall / n > ascent.lambda * rise;
        if !rises {
            return false;
        }
        for (&i, moved) in zip(&self.rows, moved) {
            ascent.a[i] = moved;
            if c[i] != 0.0 {
                ascent.space.add(i, c[i]);
            }
        }
        ascent.free.v += bias;
        true
    }
}
