//! Conjugate gradients with a preconditioner, for systems whose factor is near but not exact.

use super::{dot, solve_lower, solve_upper};

/// Steps at most.
const STEPS: usize = 60;

/// Steps without halving the residual after which nothing more is gained.
const PATIENCE: usize = 4;

/// Where conjugate gradients stop, relative to the right side.
const RESIDUAL: f64 = 1e-14;

/// The solution of `A x = b`, given the Cholesky factor of a matrix near A; `times(p, out)` is `A p`.
pub(crate) fn solve_near(
    factor: &[f64],
    times: impl FnMut(&[f64], &mut [f64]),
    b: &[f64],
) -> Vec<f64> {
    let near = |r: &mut [f64]| {
        solve_lower(factor, r);
        solve_upper(factor, r);
    };
    let mut solution = b.to_vec();
    near(&mut solution);
    conjugate_gradients(times, near, b, &mut solution, RESIDUAL * largest(b));
    solution
}

/// Improves a solution `x` of `A x = b` until no component of the residual is larger than `enough`, or
/// until rounding allows no more. `times(p, out)` is `A p`, `near(r)` solves with a matrix near `A` in
/// place. Never leaves x worse than it was.
fn conjugate_gradients(
    mut times: impl FnMut(&[f64], &mut [f64]),
    near: impl Fn(&mut [f64]),
    b: &[f64],
    x: &mut Vec<f64>,
    enough: f64,
) {
    let mut image = vec![0.0; b.len()];
    times(x, &mut image);
    let mut rest: Vec<f64> = b.iter().zip(&image).map(|(b, i)| b - i).collect();
    let mut best = (largest(&rest), x.clone());
    let (mut goal, mut waited) = (best.0 / 2.0, 0);
    let mut direction: Vec<f64> = Vec::new();
    let mut slope = 0.0;
    for _ in 0..STEPS {
        if best.0 <= enough || waited == PATIENCE {
            break;
        }
        let mut better = rest.clone();
        near(&mut better);
        let next = dot(&rest, &better);
        if direction.is_empty() {
            direction = better;
        } else {
            let keep = next / slope;
            for (d, b) in direction.iter_mut().zip(&better) {
                *d = b + keep * *d;
            }
        }
        slope = next;
        times(&direction, &mut image);
        let step = slope / dot(&direction, &image);
        // negated, so that NaN ends it too
        let sound = step > 0.0 && step.is_finite();
        if !sound {
            break;
        }
        for (i, d) in direction.iter().enumerate() {
            x[i] += step * d;
            rest[i] -= step * image[i];
        }
        let now = largest(&rest);
        waited = if now <= goal { 0 } else { waited + 1 };
        goal = goal.min(now / 2.0);
        if now < best.0 {
            best = (now, x.clone());
        }
    }
    *x = best.1;
}

fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}
