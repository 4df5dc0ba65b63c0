//! The second-order perceptron and AROW: T8 to T11 and AROW.
//! Theory: docs/theory/second-order.md.

use std::collections::{BTreeMap, BTreeSet};

use crate::matrix::{self, Matrix};
use crate::view::{Said, TrialView, View, dot, norm_of};
use crate::{Parameter, Row};

/// The learner's parameter `a` is a number.
fn fixed(view: &View<'_>) -> Result<f64, String> {
    if ["diagonal", "sketch"].contains(&view.word("form")) {
        return Err("the theorem is not about form=diagonal and form=sketch".to_owned());
    }
    view.number("a")
}

/// `n <= L + sqrt(quadratic (factor + 2 tau n))` for n updates, the smaller of two factors. `quadratic` is `a |U|^2 + sum_M (U.x)^2`.
fn said(view: &View<'_>, a: f64, (spectral, observed): (Option<f64>, f64)) -> Result<Said, String> {
    let tau = view.number("margin")?;
    let counts_updates = view.learns_by_margin(tau)?;
    let hinge = view.hinge();
    let squares: f64 = view.updates().map(|t| t.value * t.value).sum();
    let quadratic = a * view.norm_sq + squares;
    let more = 2.0 * tau * view.updates().count() as f64;
    let bound = |factor: f64| hinge + (quadratic * (factor + more)).sqrt();
    let least = spectral.map_or(observed, |spectral| spectral.min(observed));
    let mut said = Said::new(bound(least), hinge, "spectral", view.norm()).made_of(&[
        ("hinge", hinge),
        ("quadratic", quadratic),
        ("observed", observed),
    ]);
    if let Some(spectral) = spectral {
        said.ingredients.push(("spectral", spectral));
        said.ingredients.push(("theorem", bound(spectral)));
    }
    said.counts_updates = counts_updates;
    Ok(said)
}

/// The values of the kernel for all pairs of rows.
fn gram(view: &View<'_>, rows: &[&Row]) -> Matrix {
    let value = |x: &&Row, z: &&Row| view.run.kernel.value(x, z);
    let row = |x| rows.iter().map(|z| value(x, z)).collect();
    rows.iter().map(row).collect()
}

/// Whether the values of all pairs of rows are the smaller matrix, or the only one.
fn is_by_gram(view: &View<'_>, rows: &[&Row]) -> bool {
    let slots = rows.iter().flat_map(|x| x.iter()).map(|(slot, _)| *slot);
    let slots: BTreeSet<usize> = slots.collect();
    view.weights().is_err() || rows.len() < slots.len()
}

/// Rows as plain vectors over the slots that some of them have.
fn dense(rows: &[&Row]) -> Vec<Vec<f64>> {
    let mut places = BTreeMap::new();
    for (slot, _) in rows.iter().flat_map(|x| x.iter()) {
        let next = places.len();
        places.entry(*slot).or_insert(next);
    }
    let vector = |x: &&Row| {
        let mut vector = vec![0.0; places.len()];
        x.iter().for_each(|(slot, v)| vector[places[slot]] = *v);
        vector
    };
    rows.iter().map(vector).collect()
}

/// `sum x x'` over plain vectors.
fn sum_of_outer(vectors: &[Vec<f64>]) -> Matrix {
    let mut sum = matrix::zero(vectors.first().map_or(0, Vec::len));
    for x in vectors {
        matrix::add_outer(&mut sum, x);
    }
    sum
}

/// `x_k'A_k^-1 x_k` of each update, `A_k = a_k I + sum_{j <= k} x_j x_j'`. In the space of a kernel, or where there are fewer updates than
/// features, it is `g.z` with `(a_k I + G_k) z = e_k`, G_k the values of the kernel and g its last row.
fn observed(view: &View<'_>, a: &[f64]) -> Vec<f64> {
    let rows: Vec<&Row> = view.updates().map(|t| t.x).collect();
    if is_by_gram(view, &rows) {
        let gram = gram(view, &rows);
        let each = a.iter().enumerate().map(|(k, &a)| {
            let part: Matrix = gram[..=k].iter().map(|row| row[..=k].to_vec()).collect();
            let mut e = vec![0.0; k + 1];
            e[k] = 1.0;
            matrix::dot(&part[k], &matrix::solve(&part, a, &e))
        });
        return each.collect();
    }
    let vectors = dense(&rows);
    let mut sum = matrix::zero(vectors.first().map_or(0, Vec::len));
    let each = vectors.iter().zip(a).map(|(x, &a)| {
        matrix::add_outer(&mut sum, x);
        matrix::dot(x, &matrix::solve(&sum, a, x))
    });
    each.collect()
}

/// `sum ln(1 + lam/a)`, lam the eigenvalues of the matrix of the rows.
fn log_det(view: &View<'_>, rows: &[&Row], a: f64) -> f64 {
    if rows.is_empty() {
        0.0
    } else if is_by_gram(view, rows) {
        matrix::log_det(&gram(view, rows), a)
    } else {
        matrix::log_det(&sum_of_outer(&dense(rows)), a)
    }
}

/// `sum ln(1 + lam/a)`, lam the eigenvalues of the matrix of the rows of all trials.
pub(crate) fn log_det_of_all(view: &View<'_>, a: f64) -> f64 {
    let rows: Vec<&Row> = view.trials.iter().map(|t| t.x).collect();
    log_det(view, &rows, a)
}

fn log_det_of_updates(view: &View<'_>, a: f64) -> f64 {
    let rows: Vec<&Row> = view.updates().map(|t| t.x).collect();
    log_det(view, &rows, a)
}

/// T8, T9 with a kernel: `n <= L + sqrt((a |U|^2 + sum_M (U.x)^2) F)`, F the smaller of `sum ln(1 + lam/a)` and `sum_k x_k'A_k^-1 x_k`.
/// Theory: docs/theory/second-order.md#t8-second-order-fixed-a, docs/theory/second-order.md#t9-second-order-fixed-a-with-a-kernel.
pub(crate) fn t8(view: &View<'_>, with_kernel: bool) -> Result<Said, String> {
    if view.weights().is_err() != with_kernel {
        return Err("T9 is T8 in the space of a kernel".to_owned());
    }
    let a = fixed(view)?;
    let each = decided(view, a, with_kernel);
    let observed: f64 = observed(view, &each).iter().sum();
    let spectral = log_det_of_updates(view, a);
    // without an update there is no matrix
    let last = each.last().copied();
    let added = last.unwrap_or(if with_kernel { a } else { 0.0 });
    said(view, added, (Some(spectral), observed))
}

/// The a with which each update was decided. Inner products of 16 digits leave nothing below 1e-9 of the longest `|x|^2`, so a form that keeps
/// rows raises a to four times that at an update. A learner that changes to pairs of features, if features are few or fewer than updates,
/// does so with the first a.
fn decided(view: &View<'_>, a: f64, with_kernel: bool) -> Vec<f64> {
    let form = view.word("form");
    let (mut now, mut by_pairs) = (a, form == "primal" && !with_kernel);
    let (mut each, mut trace, mut slots) = (Vec::new(), 0.0, 0_usize);
    for t in view.updates() {
        each.push(now);
        if by_pairs {
            continue;
        }
        if 1e-9 * t.square > now {
            now = 4e-9 * t.square;
        }
        trace += t.square;
        slots = t.x.iter().fold(slots, |most, (slot, _)| most.max(slot + 1));
        let few = slots * (slots + 1) / 2 <= 1 << 21 && trace > 1e6 * a;
        if form == "auto" && !with_kernel && (few || (each.len() >= slots && now <= a)) {
            (now, by_pairs) = (a, true);
        }
    }
    each
}

/// T10: `a_k = c r2 k` at update k, r2 given, or the largest `|x|^2` so far. F is the smaller of `sum_k x_k'A_k^-1 x_k` and, where r2 is given,
/// `(R^2/s) ln((R^2 + s m)/(R^2 + s)) + sum ln(1 + lam/a_m)` with `s = c r2` and R that of the updates.
/// Theory: docs/theory/second-order.md#t10-second-order-adaptive-a.
pub(crate) fn t10(view: &View<'_>) -> Result<Said, String> {
    if view.word("a") != "adaptive" {
        return Err("T10 is about a=adaptive".to_owned());
    }
    let c = view.number("c")?;
    let given = match view.run.parameters.iter().find(|(name, _)| name == "r2") {
        Some((_, Parameter::Number(r2))) => Some(*r2),
        _ => None,
    };
    let (mut largest, mut a) = (0.0_f64, Vec::new());
    for t in &view.trials {
        largest = largest.max(t.square);
        if t.updated {
            a.push(c * given.unwrap_or(largest) * (a.len() + 1) as f64);
        }
    }
    let last = a.last().copied().unwrap_or(0.0);
    let observed: f64 = observed(view, &a).iter().sum();
    let log_det = log_det_of_updates(view, last);
    let longest = view.updates().map(|t| t.square).fold(0.0, f64::max);
    let spectral = given.map(|r2| {
        let (s, m) = (c * r2, a.len() as f64);
        let growth = libm::log((longest + s * m.max(1.0)) / (longest + s));
        longest / s * growth + log_det
    });
    said(view, last, (spectral, observed))
}

/// Vectors by their coordinates in an orthonormal basis that grows with what is new in them.
fn coordinates(vectors: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut all = Vec::new();
    for x in vectors {
        let mut rest = x.clone();
        let mut coordinates = vec![0.0; basis.len()];
        // twice, for the first time leaves rounding
        for _ in 0..2 {
            for (q, sum) in basis.iter().zip(&mut coordinates) {
                let c = matrix::dot(q, &rest);
                *sum += c;
                rest.iter_mut().zip(q).for_each(|(r, q)| *r -= c * q);
            }
        }
        let size = matrix::dot(&rest, &rest).sqrt();
        if size > 1e-8 * matrix::dot(x, x).sqrt() {
            basis.push(rest.iter().map(|r| r / size).collect());
            coordinates.push(size);
        }
        all.push(coordinates);
    }
    all
}

/// Coordinates from inner products alone: `L c = b` for the products b with the vectors that were new, whose products are `L L'`. What is
/// left of `|x|^2` is a difference, so a vector is new only where that is more than rounding.
fn coordinates_by_products(gram: &Matrix) -> Vec<Vec<f64>> {
    let (mut new, mut factor): (Vec<usize>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    let mut all = Vec::new();
    for (i, products) in gram.iter().enumerate() {
        let mut c: Vec<f64> = Vec::new();
        for (row, &j) in factor.iter().zip(&new) {
            let known: f64 = c.iter().zip(row).map(|(c, l)| c * l).sum();
            c.push((products[j] - known) / row[c.len()]);
        }
        // x is near sum z_j b_j, L'z = c
        let mut z = c.clone();
        for k in (0..z.len()).rev() {
            z[k] /= factor[k][k];
            let value = z[k];
            for (l, z) in z.iter_mut().enumerate().take(k) {
                *z -= factor[k][l] * value;
            }
        }
        let parts = z
            .iter()
            .zip(&new)
            .map(|(z, &j)| z.abs() * gram[j][j].sqrt());
        let size = products[i].sqrt() + parts.sum::<f64>();
        let left = products[i] - matrix::dot(&c, &c);
        if left > 16.0 * f64::EPSILON * (new.len() + 1) as f64 * size * size {
            c.push(left.sqrt());
            factor.push(c.clone());
            new.push(i);
        }
        all.push(c);
    }
    all
}

/// T11, no a: with r the rank of the updates' rows, `q = r(r+1)/2` and l the smallest positive eigenvalue of their matrix at any time,
/// F is the smaller of `r + q ln(1 + R^2 m/(q l))` and the sum of 1 for each update outside the span of the earlier ones and of
/// `x'(XX')^+ x` for the others.
/// Theory: docs/theory/second-order.md#t11-second-order-without-a-parameter.
pub(crate) fn t11(view: &View<'_>) -> Result<Said, String> {
    if view.word("a") != "pinv" {
        return Err("T11 is about a=pinv".to_owned());
    }
    let rows: Vec<&Row> = view.updates().map(|t| t.x).collect();
    let placed = if view.weights().is_ok() {
        coordinates(&dense(&rows))
    } else {
        coordinates_by_products(&gram(view, &rows))
    };
    let mut known: Vec<Vec<f64>> = Vec::new();
    let (mut least, mut observed, mut rank) = (f64::INFINITY, 0.0, 0);
    for coordinates in placed {
        let is_new = coordinates.len() > rank;
        rank = coordinates.len();
        known.push(coordinates.clone());
        for c in &mut known {
            c.resize(rank, 0.0);
        }
        let sum = sum_of_outer(&known);
        if is_new {
            let values = matrix::eigen(&sum).into_iter().map(|(value, _)| value);
            least = least.min(values.fold(f64::INFINITY, f64::min));
            observed += 1.0;
        } else {
            let z = matrix::solve(&sum, 0.0, &coordinates);
            observed += matrix::dot(&coordinates, &z);
        }
    }
    let (rank, m) = (rank as f64, rows.len() as f64);
    let q = rank * (rank + 1.0) / 2.0;
    let longest = view.updates().map(|t| t.square).fold(0.0, f64::max);
    let log = libm::log1p(longest * m / (q.max(1.0) * least));
    said(view, 0.0, (Some(rank + q * log), observed))
}

/// AROW, m mistakes and n right answers that were learned from, `A = r I + sum_M x x'`: `m <= L + sqrt(U'AU (F + n)) - n`, F the smaller of
/// `sum ln(1 + lam/r)` and of `x'A^-1 x` summed over the mistakes, each with the matrix just after it.
pub(crate) fn arow(view: &View<'_>) -> Result<Said, String> {
    view.weights()?;
    if view.word("form") != "full" {
        return Err("the theorem is about form=full".to_owned());
    }
    view.learns_from_mistakes()?;
    let (r, updates) = (view.number("r")?, view.updates());
    let made: Vec<&TrialView<'_>> = updates.collect();
    let each = observed(view, &vec![r; made.len()]);
    let observed = made.iter().zip(each).filter(|(t, _)| t.mistake);
    let observed: f64 = observed.map(|(_, term)| term).sum();
    let spectral = log_det_of_updates(view, r);
    let right = made.iter().filter(|t| !t.mistake).count() as f64;
    let hinge = view.hinge();
    let squares: f64 = made.iter().map(|t| t.value * t.value).sum();
    let quadratic = r * view.norm_sq + squares;
    let bound = |factor: f64| (hinge + (quadratic * (factor + right)).sqrt() - right).max(0.0);
    let least = bound(observed.min(spectral));
    let mut said = Said::new(least, hinge, "spectral", view.norm()).made_of(&[
        ("hinge", hinge),
        ("quadratic", quadratic),
        ("observed", observed),
        ("spectral", spectral),
        ("right", right),
        ("theorem", bound(spectral)),
    ]);
    said.parts.push(("right_answers", -right));
    Ok(said)
}

/// `x'M^+ x` of the row where it is largest, and whether M has all of every row; M is `ridge I + sum x x'` over the data.
pub(crate) fn leverage(data: &[Row], ridge: f64) -> (f64, bool) {
    let rows: Vec<&Row> = data.iter().collect();
    let vectors = dense(&rows);
    let mut sum = sum_of_outer(&vectors);
    (0..sum.len()).for_each(|i| sum[i][i] += ridge);
    let pairs = matrix::eigen(&sum);
    let top = pairs
        .iter()
        .fold(0.0_f64, |top, (value, _)| top.max(*value));
    let kept = || pairs.iter().filter(|(value, _)| *value > 1e-10 * top);
    let (mut most, mut whole) = (0.0_f64, true);
    for (x, row) in vectors.iter().zip(data) {
        let parts: Vec<(f64, f64)> = kept().map(|(v, q)| (*v, matrix::dot(q, x))).collect();
        most = most.max(parts.iter().map(|(value, c)| c * c / value).sum());
        let mut rest = x.clone();
        for ((_, q), (_, c)) in kept().zip(&parts) {
            rest.iter_mut().zip(q).for_each(|(r, q)| *r -= c * q);
        }
        whole &= matrix::dot(&rest, &rest).sqrt() <= 1e-6 * norm_of(row, 2.0);
    }
    (most, whole)
}

/// `U'MU` of the same M.
pub(crate) fn quadratic(u: &[f64], data: &[Row], ridge: f64) -> f64 {
    let squares: f64 = data.iter().map(|x| dot(u, x) * dot(u, x)).sum();
    ridge * matrix::dot(u, u) + squares
}
