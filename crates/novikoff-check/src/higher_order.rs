//! The higher-order perceptron: T12 and T13.
//! Theory: docs/theory/higher-order.md.

use crate::Row;
use crate::view::{Said, TrialView, View, norm, norm_of, solved};

/// `g(x)`, the gradient of `|x|_p^2/2`: `sign(x_j) |x_j|^(p-1)/|x|_p^(p-2)`.
fn gradient(x: &Row, p: f64) -> Row {
    let length = norm_of(x, p);
    let entry = |v: f64| v.signum() * libm::pow(v.abs() / length, p - 1.0) * length;
    x.iter().map(|(j, v)| (*j, entry(*v))).collect()
}

fn inner(x: &Row, v: &[f64]) -> f64 {
    crate::view::dot(v, x)
}

fn add(v: &mut [f64], c: f64, x: &Row) {
    for (j, value) in x {
        v[*j] += c * value;
    }
}

/// What a trial does, or would do: rho and `r = 1 - rho (y g(x).v + |x|_p^2)`, how much of its row an update adds to Bv.
struct Step {
    rho: f64,
    r: f64,
    /// `|x|_p`.
    length: f64,
    /// `max(0, 1 - y U.Bx)`.
    xi: f64,
    /// `|Bx|_p`, of updates.
    size: f64,
}

/// The run again. Before update k: `v = sum y x` over the earlier updates, `B = (I - rho_1 x_1 g(x_1)') ... (I - rho_{k-1} x_{k-1} g(x_{k-1})')`.
fn steps(view: &View<'_>) -> Result<Vec<Step>, String> {
    let (p, c) = (view.number("p")?, view.number("c")?);
    let schedule = view.word("schedule");
    let slots = view.trials.iter().flat_map(|t| t.x).map(|(j, _)| j + 1);
    let slots = slots.max().unwrap_or(0);
    let mut v = vec![0.0; slots];
    // B'U, for U.Bx = (B'U).x
    let mut image = view.weights()?.to_vec();
    image.resize(image.len().max(slots), 0.0);
    let mut factors: Vec<(f64, &Row, Row)> = Vec::new();
    let (mut k, mut steps) = (1.0, Vec::new());
    for t in &view.trials {
        let g = gradient(t.x, p);
        let (known, length) = (inner(&g, &v), norm_of(t.x, p));
        let rho = match schedule {
            "harmonic" => c / k,
            "sparse" if t.y * known >= 0.0 => c / k,
            "sparse" => 0.0,
            "cap" => (1.0 - c) / (1.0 + known.abs()),
            "constant" => c,
            _ => return Err(format!("there is no schedule {schedule:?}")),
        };
        let value = inner(t.x, &image);
        steps.push(Step {
            rho,
            r: 1.0 - rho * (t.y * known + length * length),
            length,
            xi: (1.0 - t.y * value).max(0.0),
            size: if t.updated {
                transformed(t, &factors, slots, p)
            } else {
                0.0
            },
        });
        if t.updated {
            k += 1.0;
            add(&mut v, t.y, t.x);
            add(&mut image, -rho * value, &g);
            factors.push((rho, t.x, g));
        }
    }
    Ok(steps)
}

/// `|Bx|_p`: the factors of B, from the last to the first.
fn transformed(t: &TrialView<'_>, factors: &[(f64, &Row, Row)], slots: usize, p: f64) -> f64 {
    let mut z = vec![0.0; slots];
    add(&mut z, 1.0, t.x);
    for (rho, x, g) in factors.iter().rev() {
        let part = -rho * inner(g, &z);
        add(&mut z, part, x);
    }
    norm(z.into_iter(), p)
}

/// T12, p = 2: with `c <= r_k <= 2 - c`, `al = (2-c)/c`, rows of length at most R and Lt the hinge loss over the transformed trials:
/// `n <= E(al Lt, al |U| sqrt(R^2 + 2 tau/(2-c)))`. `theorem` has the schedule's own c.
/// Theory: docs/theory/higher-order.md#t12-higher-order-p--2.
pub(crate) fn t12(view: &View<'_>) -> Result<Said, String> {
    if view.number("p")? != 2.0 {
        return Err("T12 is about p=2".to_owned());
    }
    let tau = view.number("margin")?;
    let counts_updates = view.learns_by_margin(tau)?;
    let steps = steps(view)?;
    let updates = || steps.iter().zip(&view.trials).filter(|(_, t)| t.updated);
    let least = updates().map(|(s, _)| s.r).fold(1.0, f64::min);
    let most = updates().map(|(s, _)| s.r).fold(1.0, f64::max);
    let c = least.min(2.0 - most);
    if c <= 0.0 || updates().any(|(s, t)| s.rho * t.square > 2.0) {
        return Err("a step was larger than T12 allows".to_owned());
    }
    let longest = updates().map(|(s, _)| s.length).fold(0.0, f64::max);
    let hinge: f64 = steps.iter().map(|s| s.xi).sum();
    let norm = view.norm();
    let bound = |c: f64| {
        let alpha = (2.0 - c) / c;
        let size = (longest * longest + 2.0 * tau / (2.0 - c)).sqrt();
        solved(alpha * hinge, alpha * norm * size)
    };
    let alpha = (2.0 - c) / c;
    let part = (alpha * hinge).min(bound(c));
    let mut said = Said::new(bound(c), part, "norm", norm).made_of(&[
        ("hinge", hinge),
        ("c", c),
        ("alpha", alpha),
        ("norm", norm),
        ("longest", longest),
    ]);
    let own = match view.word("schedule") {
        "harmonic" | "sparse" => Some(1.0 - view.number("c")?),
        "cap" => Some(view.number("c")?),
        _ => None,
    };
    if let Some(own) = own.filter(|own| *own <= c * (1.0 + 1e-6)) {
        said.ingredients.push(("theorem", bound(own)));
    }
    said.counts_updates = counts_updates;
    Ok(said)
}

/// T13, any p, `1/p + 1/q = 1`: `sum_M r <= sum r xi + |U|_q sqrt((p-1) sum_M r^2 |Bx|_p^2 + 2 tau sum_M r)`, the hinge losses over all trials with the r
/// each would have had; so n is at most that over the least r of an update.
/// Theory: docs/theory/higher-order.md#t13-higher-order-any-p.
pub(crate) fn t13(view: &View<'_>) -> Result<Said, String> {
    let (p, tau) = (view.number("p")?, view.number("margin")?);
    let counts_updates = view.learns_by_margin(tau)?;
    let steps = steps(view)?;
    let updates = || {
        let pairs = steps.iter().zip(&view.trials);
        pairs.filter(|(_, t)| t.updated).map(|(s, _)| s)
    };
    let least = updates().map(|s| s.r).fold(1.0, f64::min);
    if least <= 0.0 {
        return Err("a step was larger than T13 allows".to_owned());
    }
    let hinge: f64 = steps.iter().map(|s| s.r.max(0.0) * s.xi).sum();
    let weights: f64 = updates().map(|s| s.r).sum();
    let squares: f64 = updates().map(|s| s.r * s.r * s.size * s.size).sum();
    let length = norm(view.weights()?.iter().copied(), p / (p - 1.0));
    let root = ((p - 1.0) * squares + 2.0 * tau * weights).sqrt();
    let theorem = hinge + length * root;
    let mut said = Said::new(theorem / least, hinge / least, "norm", length).made_of(&[
        ("hinge", hinge),
        ("weights", weights),
        ("least", least),
        ("squares", squares),
        ("norm", length),
        ("theorem", theorem),
    ]);
    said.counts_updates = counts_updates;
    Ok(said)
}
