//! Theorems about rows that U separates, and T16, which needs no such U: the whitened perceptron, ROMMA, the maximum margin algorithm
//! and ALMA.

use std::collections::BTreeSet;

use crate::second_order::{leverage, quadratic};
use crate::view::{Said, View, norm, norm_of};

/// T7, `M = ridge I + sum x x'` over the data, `y U.x >= 1` on all rows: `m <= max(x'M^+ x) U'MU`. U is divided by its least `y U.x`.
/// Theory: docs/theory/whitened.md#t7-whitened-perceptron-separable-rows.
pub(crate) fn t7(view: &View<'_>) -> Result<Said, String> {
    view.learns_from_mistakes_only()?;
    let (u, ridge, least) = (view.weights()?, view.number("ridge")?, view.least()?);
    let (leverage, is_whole) = leverage(view.run.rows, ridge);
    if !is_whole {
        return Err("the learner sees only a part of some rows".to_owned());
    }
    let leverage = leverage.min(1.0);
    let quadratic = quadratic(u, view.run.rows, ridge) / (least * least);
    let said = Said::new(leverage * quadratic, 0.0, "norm", view.norm());
    Ok(said.made_of(&[
        ("least", least),
        ("leverage", leverage),
        ("quadratic", quadratic),
    ]))
}

/// `m <= m norm_sq / sum of 1/(|x|^2 + lam)` over the mistakes; without mistakes the bound is `(R^2 + lam) norm_sq`.
fn by_inverses(view: &View<'_>, first: (&'static str, f64), norm_sq: f64, lam: f64) -> Said {
    let inverses: f64 = view.mistakes().map(|t| 1.0 / (t.square + lam)).sum();
    let longest = view.longest() * view.longest() + lam;
    let m = view.mistakes().count() as f64;
    let bound = if m > 0.0 {
        m * norm_sq / inverses
    } else {
        longest * norm_sq
    };
    Said::new(bound, 0.0, "norm", view.norm()).made_of(&[
        first,
        ("norm_sq", norm_sq),
        ("inverses", inverses),
        ("longest", longest),
        ("theorem", longest * norm_sq),
    ])
}

/// T14, T15 for aggressive ROMMA, `y U.x >= 1` on all rows: `sum 1/|x|^2 <= |U|^2` over the mistakes, so `m <= R^2 |U|^2`.
/// Theory: docs/theory/romma.md#t14-maximum-margin, docs/theory/romma.md#t15-aggressive-romma.
pub(crate) fn t14(view: &View<'_>, aggressive: bool) -> Result<Said, String> {
    if view.number("noise")? > 0.0 {
        return Err("the learner has noise above 0, about which T16 is".to_owned());
    }
    if (view.word("aggressive") == "on") != aggressive {
        return Err("T15 is T14 for aggressive ROMMA".to_owned());
    }
    let least = view.least()?;
    let norm_sq = view.norm_sq / (least * least);
    Ok(by_inverses(view, ("least", least), norm_sq, 0.0))
}

/// T16, noise lam > 0: `m <= (R^2 + lam)(|U|^2 + (1/lam) sum xi^2)`, the sum over the rows that came, each once.
/// Theory: docs/theory/romma.md#t16-maximum-margin-with-noise-control.
pub(crate) fn t16(view: &View<'_>) -> Result<Said, String> {
    let lam = view.number("noise")?;
    if lam <= 0.0 {
        return Err("T16 is about noise above 0".to_owned());
    }
    let mut met = BTreeSet::new();
    let first = view.trials.iter().filter(|t| met.insert(t.row));
    let slacks: f64 = first.map(|t| t.xi * t.xi).sum();
    let norm_sq = view.norm_sq + slacks / lam;
    Ok(by_inverses(view, ("slacks", slacks), norm_sq, lam))
}

/// S as far as it is computed one by one.
const FAR: u32 = 1 << 16;

/// 9.3, ALMA: with g the least `y U.x/|x|_p` over `|U|_q`, `A = 8/alpha - 6`, `S(0) = 0` and `S(k) = (S(k-1) + k^(-1/2))/sqrt(1 + A/k)`, n updates
/// have `g sqrt(2/(p-1)) S(n) <= 1`; also `n <= (2(p-1)/g^2) (2/alpha - 1)^2`. Beyond 65536 the bound uses
/// `S(n) >= (2/(A+1)) (sqrt(n) - d)`.
pub(crate) fn alma(view: &View<'_>) -> Result<Said, String> {
    let (u, p, alpha) = (view.weights()?, view.number("p")?, view.number("alpha")?);
    view.least()?;
    let length = norm(u.iter().copied(), p / (p - 1.0));
    let margins = view.trials.iter();
    let margins = margins.map(|t| t.y * t.value / (norm_of(t.x, p) * length));
    let g = margins.fold(f64::INFINITY, f64::min);
    // the learner's own margins are rounded
    let limit = ((p - 1.0) / 2.0).sqrt() / g * (1.0 + 1e-9);
    let half = 4.0 / alpha - 2.0;
    let theorem = half * half * limit * limit;
    let a = 8.0 / alpha - 6.0;
    let (mut s, mut last) = (0.0_f64, 0);
    for k in 1..=FAR {
        let k_ = f64::from(k);
        s = (s + 1.0 / k_.sqrt()) / (1.0 + a / k_).sqrt();
        if s <= limit {
            last = k;
        }
    }
    let most = if last < FAR {
        f64::from(last)
    } else {
        let far = f64::from(FAR);
        let needed = (far + a).sqrt() / (2.0 * a * far);
        let d = (far.sqrt() - f64::midpoint(a, 1.0) * s).max(needed);
        let root = f64::midpoint(a, 1.0) * limit + d;
        root * root
    };
    let said = Said::new(most.min(theorem), 0.0, "margin", length);
    let mut said = said.made_of(&[("margin", g), ("norm", length), ("theorem", theorem)]);
    said.counts_updates = true;
    Ok(said)
}
