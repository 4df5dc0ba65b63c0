//! The shifting perceptron, 9.7, compared with one U.

use std::collections::BTreeMap;

use crate::view::{Said, View};

/// 9.7: mistake k (from 0) takes `w <- (1 - l_k) w + l_k y x`, `l_k = lam/(lam + k)`. With `c_k = l_k (1 - l_{k+1}) ... (1 - l_{m-1})`:
/// `m <= m (sum c_k xi + |U| |w_m|)`. A trial that was right counts as much as the mistake before it, before the first as much as the
/// first. `|w_m|^2 <= sum c_k^2`, which gives `theorem`.
pub(crate) fn shifting(view: &View<'_>) -> Result<Said, String> {
    view.weights()?;
    view.learns_from_mistakes_only()?;
    let lam = view.number("lambda")?;
    if let Some(t) = view.updates().find(|t| (t.square - 1.0).abs() > 1e-8) {
        let (row, square) = (t.row, t.square);
        return Err(format!(
            "the theorem needs rows of length 1, and row {row} has |x|^2 = {square}"
        ));
    }
    let mut w: BTreeMap<usize, f64> = BTreeMap::new();
    let mut c: Vec<f64> = Vec::new();
    for (k, t) in view.updates().enumerate() {
        let new = lam / (lam + k as f64);
        let old = k as f64 / (lam + k as f64);
        for w in w.values_mut() {
            *w *= old;
        }
        for (slot, v) in t.x {
            *w.entry(*slot).or_default() += new * t.y * v;
        }
        for c in &mut c {
            *c *= old;
        }
        c.push(new);
    }
    let m = c.len() as f64;
    let mut made = 0_usize;
    let mut hinge = 0.0;
    for t in &view.trials {
        made += usize::from(t.updated);
        hinge += c.get(made.max(1) - 1).map_or(0.0, |c| m * c * t.xi);
    }
    let length = m * view.norm() * w.values().map(|w| w * w).sum::<f64>().sqrt();
    let most = m * view.norm() * c.iter().map(|c| c * c).sum::<f64>().sqrt();
    Ok(
        Said::new(hinge + length, hinge, "norm", view.norm()).made_of(&[
            ("hinge", hinge),
            ("norm", length),
            ("shift", 0.0),
            ("theorem", hinge + most),
        ]),
    )
}
