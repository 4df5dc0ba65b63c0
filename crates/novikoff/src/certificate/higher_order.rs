//! The higher-order perceptron: T12 and T13 (docs/theory/higher-order.md).
//!
//! Both look at the run through `r_k`, how much of its row an update added to `Bv`, and through the hinge
//! loss of U on transformed rows: `max(0, 1 - y U.Bx)`, B that of the trial. As `U.Bx = (B'U).x`, and
//! `B'U <- B'U - rho (x.B'U) g(x)` at an update, all trials can be transformed at O(nnz) each.
//!
//! T12 (p = 2): with `c <= r_k <= 2 - c`, al = (2-c)/c and rows of length at most R:
//! `n <= E(al L~, al |U| sqrt(R^2 + 2 tau/(2-c)))`, E(L, b) the solution of `n = L + b sqrt(n)`. Terms: `hinge` is
//! L~, `c` what the run measured, `alpha` al, `norm` `|U|`, `longest` R; `theorem` is the bound with the
//! schedule's own c, where it has one.
//! Theory: docs/theory/higher-order.md#t12-higher-order-p--2.
//!
//! T13 (any p): `sum r_k <= sum r_t xi_t + |U|_q sqrt((p-1) sum r_k^2 |B x_k|_p^2 + 2 tau sum r_k)`, hence
//! `n <= (...)/least r_k`. Terms: `hinge` is the weighted sum over all trials (with the r each would have
//! had), `weights` `sum r_k`, `least` the least of them, `squares` `sum r_k^2 |B x_k|_p^2`, `norm` `|U|_q`,
//! `theorem` the right-hand side, which bounds `weights`.
//! Theory: docs/theory/higher-order.md#t13-higher-order-any-p.
//!
//! Rounding: what a run measured (r, `|B x|`, lengths, `U.Bx`) is taken for wrong by 1e-9, far more than rounding makes it; c and the
//! least r are rounded down, `|U|_q` up.

use super::{Certificate, Inexact, NotApplicable, PastTrial, Up, slack};
use crate::label::Label;
use crate::online::higher_order::implicit::Factors;
use crate::online::higher_order::{HigherOrder, Schedule, Transform};

use crate::row::Row;
use crate::space::gradient_of;

/// Relative errors are taken for so large, far more than rounding makes them.
const SLACK: f64 = 1e-9;

/// Bytes that certifying takes.
pub fn bytes(trials: &[PastTrial<'_>]) -> u128 {
    let updates = trials.iter().filter(|t| t.updated);
    let values: usize = updates.map(|t| t.x.len()).sum();
    let slots = trials.iter().filter_map(|t| t.x.last_slot()).max();
    20 * values as u128 + 24 * (u128::from(slots.unwrap_or(0)) + 1)
}

/// What the theorems say of the run, given U by slot: the smaller bound, or why there is none.
pub fn certify(
    by: &HigherOrder,
    trials: &[PastTrial<'_>],
    u: &[f64],
) -> Result<Certificate, NotApplicable> {
    let any = any_norm(by, trials, u);
    match euclidean(by, trials, u) {
        Ok(t12) if any.as_ref().is_ok_and(|t13| t13.bound < t12.bound) => any,
        Ok(t12) => Ok(t12),
        Err(_) => any,
    }
}

/// Every row of a run transformed as it was at its trial: `put(B x, r, y)`.
pub fn transform(
    by: &HigherOrder,
    trials: &[PastTrial<'_>],
    mut put: impl FnMut(&[f64], f64, Label),
) {
    let slots = trials.iter().filter_map(|t| t.x.last_slot()).max();
    let slots = slots.map_or(0, |j| j as usize + 1);
    let (mut v, mut factors) = (vec![0.0; slots], Factors::default());
    let mut updates = 0;
    for trial in trials {
        let (x, y) = (trial.x, trial.y.sign());
        let image = gradient_of(x, by.p);
        let (known, norm_sq) = by.known(x, &image, &v);
        let step = by.step(updates + 1, y, known, norm_sq);
        put(&factors.times(x), step.r, trial.y);
        if trial.updated {
            updates += 1;
            x.add_to(y, &mut v);
            if step.rho > 0.0 {
                factors.update(step.rho, x, &image, Vec::new());
            }
        }
    }
}

/// T12.
pub fn euclidean(
    by: &HigherOrder,
    trials: &[PastTrial<'_>],
    u: &[f64],
) -> Result<Certificate, NotApplicable> {
    if by.p != 2.0 {
        return Err(NotApplicable::OtherNorm);
    }
    let run = Replay::of(by, trials, u, false);
    let c = run.least.min(2.0 - run.most);
    if c <= 0.0 || !run.shrinks {
        return Err(NotApplicable::TooLargeStep);
    }
    let norm = norm(u, 2.0);
    let bound = |c: f64| {
        let alpha = Up::new(2.0 - c).over(c);
        let more = Up::new(2.0 * by.margin).over((2.0 - c).next_down());
        let size = (run.longest * run.longest + more).sqrt();
        (alpha, solved(alpha * run.hinge, alpha * norm * size))
    };
    let (alpha, least) = bound(c);
    let mut ingredients = vec![
        ("hinge", run.hinge.value()),
        ("c", c),
        ("alpha", alpha.value()),
        ("norm", norm.value()),
        ("longest", run.longest.value()),
    ];
    let own = match by.schedule {
        Schedule::Harmonic | Schedule::Sparse => Some((1.0 - by.c).next_down()),
        Schedule::Cap => Some(by.c),
        Schedule::Constant => None,
    };
    if let Some(own) = own.filter(|own| *own <= c * (1.0 + 1e3 * SLACK)) {
        ingredients.push(("theorem", bound(own).1.value()));
    }
    Ok(Certificate {
        theorem: "T12",
        name: "higher-order, p = 2",
        counted: run.updates,
        bound: least.value(),
        ingredients,
    })
}

/// T13.
pub fn any_norm(
    by: &HigherOrder,
    trials: &[PastTrial<'_>],
    u: &[f64],
) -> Result<Certificate, NotApplicable> {
    let run = Replay::of(by, trials, u, true);
    if run.least <= 0.0 {
        return Err(NotApplicable::TooLargeStep);
    }
    let norm = norm(u, by.p / (by.p - 1.0));
    let squares = Up::new(by.p - 1.0) * run.squares;
    let root = (squares + Up::new(2.0 * by.margin) * run.weights).sqrt();
    let theorem = run.weighted + norm * root;
    Ok(Certificate {
        theorem: "T13",
        name: "higher-order, any p",
        counted: run.updates,
        bound: theorem.over(run.least).value(),
        ingredients: vec![
            ("hinge", run.weighted.value()),
            ("weights", run.weights.value()),
            ("least", run.least),
            ("squares", run.squares.value()),
            ("norm", norm.value()),
            ("theorem", theorem.value()),
        ],
    })
}

/// `E(L, b)`: `n <= L + b sqrt(n)` solved for n.
pub(super) fn solved(hinge: Up, b: Up) -> Up {
    let root = (b + (b * b + Up::new(4.0) * hinge).sqrt()).over(2.0);
    root * root
}

/// `|U|_q`.
pub(super) fn norm(u: &[f64], q: f64) -> Up {
    let top = u.iter().fold(0.0_f64, |m, u| m.max(u.abs()));
    if top == 0.0 {
        return Up::default();
    }
    let sum: f64 = u.iter().map(|u| libm::pow(u.abs() / top, q)).sum();
    let rounding = 1.0 + 8.0 * f64::EPSILON * (u.len() + 8) as f64;
    Up::new(top * libm::pow(sum, 1.0 / q) * rounding)
}

/// A run once more, as far as the theorems look at it.
struct Replay {
    updates: u64,
    /// The transformed hinge loss, and the same weighted by r; of all trials.
    hinge: Up,
    weighted: Up,
    /// `sum r_k`, the least and the largest of them.
    weights: Up,
    least: f64,
    most: f64,
    /// `sum r_k^2 |B x_k|_p^2`.
    squares: Up,
    /// The longest row of an update.
    longest: Up,
    /// No factor of B makes anything longer (p = 2).
    shrinks: bool,
}

impl Replay {
    /// `sized` says that the lengths of the transformed rows are wanted.
    fn of(by: &HigherOrder, trials: &[PastTrial<'_>], u: &[f64], sized: bool) -> Self {
        let slots = trials.iter().filter_map(|t| t.x.last_slot()).max();
        let slots = slots.map_or(0, |j| j as usize + 1).max(u.len());
        let mut run = Replay {
            updates: 0,
            hinge: Up::default(),
            weighted: Up::default(),
            weights: Up::default(),
            least: 1.0,
            most: 1.0,
            squares: Up::default(),
            longest: Up::default(),
            shrinks: true,
        };
        let (mut v, mut factors) = (vec![0.0; slots], Factors::default());
        let mut bu = u.to_vec();
        bu.resize(slots, 0.0);
        // of B'U, no smaller than its q-norm
        let mut largest = size(&bu);
        for trial in trials {
            let (x, y) = (trial.x, trial.y.sign());
            let image = gradient_of(x, by.p);
            let (known, norm_sq) = by.known(x, &image, &v);
            let step = by.step(run.updates + 1, y, known, norm_sq);
            let doubt = SLACK * (1.0 + step.rho * (known.abs() + norm_sq));
            let inner = Inexact {
                value: x.dot(&bu),
                error: SLACK * largest * norm_sq.sqrt(),
            };
            let xi = slack(inner, trial.y);
            run.hinge = run.hinge + xi;
            let r = Up::new(step.r + doubt);
            run.weighted = run.weighted + r * xi;
            if !trial.updated {
                continue;
            }
            run.updates += 1;
            run.weights = run.weights + r;
            run.least = run.least.min(step.r - doubt);
            run.most = run.most.max(step.r + doubt);
            let length = Up::new(norm_sq.sqrt() * (1.0 + SLACK));
            if length > run.longest {
                run.longest = length;
            }
            run.shrinks &= step.rho * norm_sq <= 2.0;
            if sized {
                let size = run.length(by, &factors, x, length);
                run.squares = run.squares + r * r * size * size;
            }
            x.add_to(y, &mut v);
            if step.rho > 0.0 {
                let part = step.rho * inner.value;
                for ((j, _), g) in x.iter().zip(&image) {
                    bu[j] -= part * g;
                }
                largest = largest.max(size(&bu));
                if sized {
                    factors.update(step.rho, x, &image, Vec::new());
                }
            }
        }
        run
    }

    /// `|B x|_p`.
    fn length(&self, by: &HigherOrder, b: &Factors, x: Row<'_>, length: Up) -> Up {
        let measured = norm(&b.times(x), by.p);
        let size = Up::new(measured.value() * (1.0 + SLACK)) + Up::new(SLACK) * length;
        if by.p == 2.0 && self.shrinks {
            size.min(length)
        } else {
            size
        }
    }
}

/// No smaller than any norm.
fn size(v: &[f64]) -> f64 {
    v.iter().map(|v| v.abs()).sum()
}
