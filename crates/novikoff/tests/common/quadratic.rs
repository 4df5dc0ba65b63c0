//! The quadratic programs of the maximum margin learners, solved slowly by other means than theirs.

use super::matrix::{dot, length, plus, solve, times};

/// The shortest v with `y v.x >= 1` and `v.w >= |w|^2`, by trying which of the two bind; none if there is no v.
pub(crate) fn two_constraints(w: &[f64], x: &[f64], y: f64) -> Option<Vec<f64>> {
    let alone = times(y / dot(x, x), x);
    let ww = dot(w, w);
    if dot(&alone, w) >= ww {
        return Some(alone);
    }
    if y * dot(w, x) >= 1.0 {
        return Some(w.to_vec());
    }
    // in units of length 1
    let (w_unit, x_unit) = (times(1.0 / length(w), w), times(1.0 / length(x), x));
    let along = dot(&w_unit, &x_unit);
    let apart = plus(&x_unit, -along, &w_unit);
    if length(&apart) < 1e-6 {
        return None;
    }
    let second = times(1.0 / length(&apart), &apart);
    // v = length(w) w_unit + b second, and v.x = y
    let matrix = vec![vec![1.0, 0.0], vec![dot(x, &w_unit), dot(x, &second)]];
    let by = solve(matrix, &[length(w), y]);
    Some(plus(&times(by[0], &w_unit), by[1], &second))
}

/// The shortest v with `v.z >= 1` for all rows z, by Hildreth's method: one constraint after the other is made to
/// hold. None if it has not settled, or if `|v|^2` would be more than `most`, by duality no less than the weights'
/// sum less half of `|v|^2` for any weights.
pub(crate) fn shortest(rows: &[Vec<f64>], most: f64) -> Option<Vec<f64>> {
    let mut v = vec![0.0; rows.first()?.len()];
    let mut weights = vec![0.0; rows.len()];
    for _ in 0..200_000 {
        let mut moved = 0.0_f64;
        for (z, weight) in rows.iter().zip(&mut weights) {
            let square = dot(z, z);
            let wanted = f64::max(0.0, *weight + (1.0 - dot(&v, z)) / square);
            let step = wanted - *weight;
            v = plus(&v, step, z);
            moved = moved.max(step.abs() * square.sqrt());
            *weight = wanted;
        }
        if moved <= 1e-13 * length(&v) {
            return Some(v);
        }
        if 2.0 * weights.iter().sum::<f64>() - dot(&v, &v) > most {
            return None;
        }
    }
    None
}
