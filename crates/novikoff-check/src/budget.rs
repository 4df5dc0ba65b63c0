//! Learners on a budget: the forgetron, 9.4, and the projectron, 9.6.

use crate::view::{Said, View, solved};

fn short_rows(view: &View<'_>) -> Result<(), String> {
    match view.updates().find(|t| t.square > 1.0 + 1e-8) {
        None => Ok(()),
        Some(t) => Err(format!(
            "the theorem needs rows of length at most 1, and row {} has |x|^2 = {}",
            t.row, t.square
        )),
    }
}

/// 9.4, the forgetron of budget N, n mistakes: `n <= |U|^2 (1 + sum (1-f)/(1+f)) + 2 L + Q`, f and Q as the run had them. If N never changed,
/// `N >= 83` and `|U| <= sqrt((N+1)/ln(N+1))/4` also `n <= 2 |U|^2 + 4 L`.
///
/// N is the budget divided by the classes that have appeared, rounded down and at least 1. If it has become smaller, a mistake first takes
/// away the oldest rows beyond it, one after the other, and `s^2 - 2 s u + 2 s` of each belongs to the cost, but not to the Q of the factor.
///
/// The run again: a mistake adds its row with the coefficient y. If there are N + 1 rows then, the oldest has the coefficient `y_r s`, and
/// `u = y_r w.x_r`; f is the largest factor up to 1 with `Q + f^2 (s^2 - 2 s u) + 2 f s <= (15/32) n`; Q grows by that, all coefficients are
/// multiplied by f, and the oldest row goes.
pub(crate) fn forgetron(view: &View<'_>) -> Result<Said, String> {
    view.learns_from_mistakes_only()?;
    short_rows(view)?;
    let budget = view.number("budget")?;
    let appeared = &view.run.appeared;
    let limit_at = |trial: usize| {
        let problems = appeared.iter().filter(|&&at| at <= trial).count();
        (budget / problems.max(1) as f64).floor().max(1.0)
    };
    let updated = |trial: &usize| view.run.trials[*trial].updated;
    let limits = (0..view.run.trials.len()).filter(updated).map(limit_at);
    let limits: Vec<f64> = limits.collect();
    let size_and_margin = |terms: &[(f64, &crate::Row)]| {
        let (c, oldest) = terms[0];
        let value = |(c, x): &(f64, &crate::Row)| c * view.run.kernel.value(x, oldest);
        let w: f64 = terms.iter().map(value).sum();
        (c.abs(), c.signum() * w)
    };
    let mut terms: Vec<(f64, &crate::Row)> = Vec::new();
    let (mut q, mut n, mut shrunk, mut surplus) = (0.0, 0.0, 0.0, 0.0);
    for (t, &limit) in view.updates().zip(&limits) {
        while terms.len() as f64 > limit {
            let (s, u) = size_and_margin(&terms);
            surplus += s * s - 2.0 * s * u + 2.0 * s;
            terms.remove(0);
        }
        n += 1.0;
        terms.push((t.y, t.x));
        if terms.len() as f64 <= limit {
            continue;
        }
        let (s, u) = size_and_margin(&terms);
        let (square, twice, room) = (s * s - 2.0 * s * u, 2.0 * s, 15.0 / 32.0 * n - q);
        let f = if square + twice <= room {
            1.0
        } else {
            let root = (twice * twice + 4.0 * square * room).max(0.0).sqrt();
            2.0 * room / (twice + root)
        };
        q += f * f * square + f * twice;
        shrunk += (1.0 - f) / (1.0 + f);
        terms.remove(0);
        for (c, _) in &mut terms {
            *c *= f;
        }
    }
    let (hinge, norm) = (view.hinge(), view.norm());
    let q = q + surplus;
    let measured = view.norm_sq * (1.0 + shrunk) + 2.0 * hinge + q.max(0.0);
    let own = 2.0 * view.norm_sq + 4.0 * hinge;
    let limit = match (limits.first(), limits.last()) {
        _ if appeared.len() < 2 => budget,
        (Some(first), Some(last)) if first == last => *first,
        _ => 0.0,
    };
    let size = limit + 1.0;
    let has_own = limit >= 83.0 && norm <= (size / libm::log(size)).sqrt() / 4.0;
    let (bound, times) = if has_own && own < measured {
        (own, 4.0)
    } else {
        (measured, 2.0)
    };
    let mut said = Said::new(bound, times * hinge, "norm", norm).made_of(&[
        ("hinge", hinge),
        ("norm", norm),
        ("shrunk", shrunk),
        ("cost", q),
    ]);
    if has_own {
        said.ingredients.push(("theorem", own));
    }
    Ok(said)
}

/// 9.6, the projectron: `m <= E(L/c, |U|/c)` with `c = 1 - eta |U|` and E(L, b) the solution of `m = L + b sqrt(m)`. Without plus also
/// `m <= (L + |U| sqrt(sum |x|^2))/c`, the sum over the updates, which is no larger. The learner keeps no row nearer than 1e-5 to the others, so that
/// eta counts as at least that.
pub(crate) fn projectron(view: &View<'_>) -> Result<Said, String> {
    view.learns_from_mistakes()?;
    short_rows(view)?;
    let (eta, norm, hinge) = (view.number("eta")?, view.norm(), view.hinge());
    let share = 1.0 - eta.max(1e-5) * norm;
    if share <= 0.0 {
        return Err("the theorem needs eta |U| < 1".to_owned());
    }
    let theorem = solved(hinge / share, norm / share);
    let mut ingredients = vec![
        ("hinge", hinge),
        ("norm", norm),
        ("share", share),
        ("theorem", theorem),
    ];
    let mut bound = theorem;
    if view.word("plus") != "on" {
        let squares: f64 = view.updates().map(|t| t.square).sum();
        ingredients.push(("squares", squares));
        bound = bound.min((hinge + norm * squares.sqrt()) / share);
    }
    Ok(Said::new(bound, hinge, "norm", norm).made_of(&ingredients))
}
