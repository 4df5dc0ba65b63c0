//! The p-norm perceptron, exponentiated gradient, balanced Winnow and Winnow: T4, T5 and T6.
//! Theory: docs/theory/p-norm-winnow.md.

use std::collections::BTreeSet;

use crate::view::{Said, View, norm, norm_of, solved};

/// T4: `n <= L + |U|_q sqrt((p-1) sum_M |x|_p^2 + 2 beta n)`, `1/p + 1/q = 1`.
/// Theory: docs/theory/p-norm-winnow.md#t4-p-norm-perceptron.
pub(crate) fn t4(view: &View<'_>) -> Result<Said, String> {
    let (u, p, beta) = (view.weights()?, view.number("p")?, view.number("margin")?);
    let counts_updates = view.learns_by_margin(beta)?;
    let length = norm(u.iter().copied(), p / (p - 1.0));
    let square = |x| norm_of(x, p) * norm_of(x, p);
    let squares: f64 = view.updates().map(|t| square(t.x)).sum();
    let longest = view.trials.iter().map(|t| norm_of(t.x, p));
    let longest = longest.fold(0.0, f64::max);
    let (n, hinge) = (view.updates().count() as f64, view.hinge());
    let bound = hinge + length * ((p - 1.0) * squares + 2.0 * beta * n).sqrt();
    let b = length * ((p - 1.0) * longest * longest + 2.0 * beta).sqrt();
    let mut said = Said::new(bound, hinge, "norm", length).made_of(&[
        ("hinge", hinge),
        ("norm", length),
        ("squares", squares),
        ("longest", longest),
        ("theorem", solved(hinge, b)),
    ]);
    said.counts_updates = counts_updates;
    Ok(said)
}

/// Slots in which some row of a trial has a value.
fn features(view: &View<'_>) -> usize {
    let slots = view.trials.iter().flat_map(|t| t.x).map(|(j, _)| *j);
    slots.collect::<BTreeSet<usize>>().len()
}

/// T5: `m <= L + |U|_1 (ln(2d)/eta + (eta/2) sum_M |x|_inf^2)`; balanced Winnow has `eta = ln(alpha)`.
/// Theory: docs/theory/p-norm-winnow.md#t5-exponentiated-gradient.
pub(crate) fn t5(view: &View<'_>) -> Result<Said, String> {
    view.learns_from_mistakes_only()?;
    let u = view.weights()?;
    let eta = match view.run.learner {
        "eg" => view.number("eta")?,
        _ => libm::log(view.number("alpha")?),
    };
    let length: f64 = u.iter().map(|u| u.abs()).sum();
    let square = |x: &crate::Row| {
        let top = x.iter().fold(0.0_f64, |top, (_, v)| top.max(v.abs()));
        top * top
    };
    let squares: f64 = view.updates().map(|t| square(t.x)).sum();
    let longest = view.trials.iter().map(|t| square(t.x)).fold(0.0, f64::max);
    let start = libm::log(2.0 * features(view).max(1) as f64) / eta;
    let hinge = view.hinge();
    let bound = hinge + length * (start + eta / 2.0 * squares);
    let mut said = Said::new(bound, hinge, "entropy", length).made_of(&[
        ("hinge", hinge),
        ("norm", length),
        ("start", start),
        ("squares", squares),
    ]);
    // solved for m with |x|_inf of the longest row, where that can be
    let below = 1.0 - length * eta / 2.0 * longest;
    if below > 0.0 {
        let theorem = (hinge + length * start) / below;
        said.ingredients.push(("theorem", theorem));
    }
    Ok(said)
}

/// T6: `alpha = 1 + del/2`, mu >= 0, `mu.x >= 1` on rows of +1, `mu.x <= 1 - del` on the others, rows of zeros and ones:
/// `m <= 8d/(del^2 theta) + (5/del + 14 ln(theta)/del^2) sum mu`.
/// Theory: docs/theory/p-norm-winnow.md#t6-winnow.
pub(crate) fn t6(view: &View<'_>) -> Result<Said, String> {
    view.learns_from_mistakes_only()?;
    let mu = view.weights()?;
    let (alpha, theta) = (view.number("alpha")?, view.number("theta")?);
    let del = 2.0 * (alpha - 1.0);
    if !(del > 0.0 && del <= 1.0 && theta >= 1.0) {
        return Err("T6 needs alpha of at most 1.5 and theta of at least 1".to_owned());
    }
    if mu.iter().any(|mu| *mu < 0.0) {
        return Err("T6 needs weights that are not negative".to_owned());
    }
    for t in &view.trials {
        if t.x.iter().any(|(_, v)| *v != 0.0 && *v != 1.0) {
            return Err("T6 is about rows of zeros and ones".to_owned());
        }
        let kept = if t.y > 0.0 {
            t.value >= 1.0 - 1e-8
        } else {
            t.value <= 1.0 - del + 1e-8
        };
        if !kept {
            let (row, value) = (t.row, t.value);
            return Err(format!(
                "row {row} has mu.x = {value}, which T6 does not allow"
            ));
        }
    }
    let sum: f64 = mu.iter().sum();
    let start = 8.0 * features(view) as f64 / (del * del * theta);
    let factor = 5.0 / del + 14.0 * libm::log(theta) / (del * del);
    let mut said = Said::new(start + factor * sum, 0.0, "entropy", sum).made_of(&[
        ("start", start),
        ("factor", factor),
        ("sum", sum),
    ]);
    said.has_hinge = false;
    Ok(said)
}
