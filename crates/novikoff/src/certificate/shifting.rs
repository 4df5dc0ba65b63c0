//! The shifting perceptron, docs/theory/budget-shifting.md#97-shifting-perceptron, compared with vectors that take turns. Rows must have length 1.
//!
//! For m mistakes, `U_k` the vector of mistake k and `c_k`, `b_k` as in `online::shifting`:
//! `1 <= sum c_k xi_k(U_k) + |U_{m-1}| |w_m| + sum b_k |U_k - U_{k-1}| |w_k|`. The bound is m times the right side, which for
//! lam = 1 and one vector is `L(U) + |U| |v|`, the perceptron's. A trial that was right counts in the hinge loss as
//! much as the mistake before it (before the first: as the first). Terms: `hinge`, `norm` and `shift` are the three parts;
//! `theorem` is the bound with `|w_k|^2` replaced by what it cannot exceed, the sum of the squared shares.
//!
//! Rounding: `|w_k|` and the whole get 1e-9 added, far more than rounding makes of what a run measured and of shares that do not sum up to
//! 1 exactly; all else is [`Up`].

use super::{Certificate, NotApplicable, PastTrial, Up, inner, norm_sq, slack};
use crate::online::shifting::Shifting;
use crate::space::{Lane, Primal};

/// Lengths may differ from 1 by this, and errors of what a run measured are taken for so large: far more than rounding
/// makes them.
const SLACK: f64 = 1e-9;

/// A sum of squares that was reduced below this share of its terms is recomputed.
const CANCELLED: f64 = 1e-4;

/// What trials are compared with: from a trial on, U by slot. Before the first stage it is zero.
pub type ComparatorStage<'a> = (usize, &'a [f64]);

/// One mistake.
struct Mistake {
    /// The stage it belongs to.
    stage: usize,
    /// `1 - l` and `l`.
    shares: (f64, f64),
    /// `|w|` after it: as measured, and what it cannot exceed.
    length: (Up, Up),
}

/// What the theorem says of a run, or why it says nothing. The stages are in order.
pub fn certify(
    by: &Shifting,
    trials: &[PastTrial<'_>],
    stages: &[ComparatorStage<'_>],
) -> Result<Certificate, NotApplicable> {
    let mistakes = replay(by, trials, stages)?;
    let m = mistakes.len();
    let (c, b) = products(&mistakes);
    let mut hinge = Up::default();
    let mut made = 0;
    for (t, trial) in trials.iter().enumerate() {
        made += usize::from(trial.updated);
        let weight = c.get(made.max(1) - 1).copied().unwrap_or_default();
        let u = vector(stages, stage_of(stages, t));
        hinge = hinge + weight * slack(inner(u, trial.x), trial.y);
    }
    let (mut shift, mut most) = (Up::default(), Up::default());
    for (k, pair) in mistakes.windows(2).enumerate() {
        let step = vector(stages, pair[0].stage);
        let moved = b[k + 1] * distance(step, vector(stages, pair[1].stage));
        shift = shift + moved * pair[0].length.0;
        most = most + moved * pair[0].length.1;
    }
    let last = mistakes.last();
    let size = last.map_or(Up::default(), |l| norm_sq(vector(stages, l.stage)).sqrt());
    let (length, longest) = last.map_or_else(Default::default, |l| l.length);
    let times = |part: Up| part * Up::new(m as f64) * Up::new(1.0 + SLACK);
    let bound = times(hinge + size * length + shift);
    Ok(Certificate {
        theorem: "9.7",
        name: "shifting perceptron",
        counted: m as u64,
        bound: bound.value(),
        ingredients: vec![
            ("hinge", times(hinge).value()),
            ("norm", times(size * length).value()),
            ("shift", times(shift).value()),
            ("theorem", times(hinge + size * longest + most).value()),
        ],
    })
}

/// What a run says about its bound before there is a U.
#[derive(Clone, Debug)]
pub struct Measured {
    /// m.
    pub mistakes: f64,
    /// What each trial's hinge loss counts, before it is multiplied by m.
    pub weights: Vec<f64>,
    /// `|w|` at the end.
    pub length: f64,
}

/// Measures a run, or says why there is no certificate.
pub fn measure(by: &Shifting, trials: &[PastTrial<'_>]) -> Result<Measured, NotApplicable> {
    let mistakes = replay(by, trials, &[])?;
    let (c, _) = products(&mistakes);
    let mut made = 0;
    let weight = |trial: &PastTrial<'_>| {
        made += usize::from(trial.updated);
        c.get(made.max(1) - 1).map_or(0.0, |c| c.value())
    };
    Ok(Measured {
        mistakes: mistakes.len() as f64,
        weights: trials.iter().map(weight).collect(),
        length: mistakes.last().map_or(0.0, |last| last.length.0.value()),
    })
}

/// The mistakes of a run, which is run once more.
fn replay(
    by: &Shifting,
    trials: &[PastTrial<'_>],
    stages: &[ComparatorStage<'_>],
) -> Result<Vec<Mistake>, NotApplicable> {
    let slots = trials.iter().filter_map(|t| t.x.last_slot()).max();
    let mut planes = Primal::default();
    planes.reach(slots.map_or(0, |j| j as usize + 1), 0.0);
    let mut w = Lane::new(&mut planes, 0);
    let (mut square, mut largest) = (0.0, 0.0);
    let mut mistakes = Vec::new();
    for (t, trial) in trials.iter().enumerate().filter(|(_, t)| t.updated) {
        let norm_sq = trial.x.norm_sq();
        if norm_sq.is_nan() || (norm_sq - 1.0).abs() > SLACK {
            return Err(NotApplicable::NotOne);
        }
        let k = mistakes.len() as u64;
        let (old, new) = by.shares(k);
        let inner = trial.y.sign() * w.inner(trial.x);
        square = old * old * square + 2.0 * old * new * inner + new * new * norm_sq;
        largest = old * old * largest + new * new * norm_sq;
        by.step(k, &mut w, trial.x, trial.y);
        if square < CANCELLED * largest {
            square = w.norm_sq();
        }
        let longest = Up::new(largest * (1.0 + SLACK)).sqrt();
        let length = Up::new(square * (1.0 + SLACK)).sqrt() + Up::new(1e-3 * SLACK) * longest;
        mistakes.push(Mistake {
            stage: stage_of(stages, t),
            shares: (old, new),
            length: (length.min(longest), longest),
        });
    }
    Ok(mistakes)
}

/// `c_k` and `b_k`, with `b_m = 1` at the end.
fn products(mistakes: &[Mistake]) -> (Vec<Up>, Vec<Up>) {
    let mut rest = Up::new(1.0);
    let (mut c, mut b) = (Vec::new(), vec![rest]);
    for Mistake {
        shares: (old, new), ..
    } in mistakes.iter().rev()
    {
        c.push(rest * Up::new(*new));
        rest = rest * Up::new(*old);
        b.push(rest);
    }
    c.reverse();
    b.reverse();
    (c, b)
}

/// How many stages have begun.
fn stage_of(stages: &[ComparatorStage<'_>], t: usize) -> usize {
    stages.partition_point(|(from, _)| *from <= t)
}

fn vector<'a>(stages: &[ComparatorStage<'a>], stage: usize) -> &'a [f64] {
    let begun = stage.checked_sub(1).and_then(|last| stages.get(last));
    begun.map_or(&[], |(_, u)| u)
}

/// `|u - v|`.
fn distance(u: &[f64], v: &[f64]) -> Up {
    let at = |v: &[f64], j: usize| v.get(j).copied().unwrap_or(0.0);
    let apart = (0..u.len().max(v.len())).map(|j| Up::new((at(u, j) - at(v, j)).abs()));
    apart.map(|d| d * d).sum::<Up>().sqrt()
}
