//! Learners on a budget: the forgetron and the projectron, docs/theory/budget-shifting.md#94-forgetron and docs/theory/budget-shifting.md#96-projectron. Rows must have a length of at
//! most 1 in the learner's space.
//!
//! The forgetron, n updates: `n <= |U|^2 (1 + sum (1-f)/(1+f)) + 2 L(U) + Q + Q'`, where f, Q and Q' are what the run had:
//! it is run once more to find them. Terms: `hinge` is L(U), `norm` `|U|`, `shrunk` the sum, `cost` Q + Q'. For a budget of
//! at least 83 that never changed and short U also `theorem`, `2 |U|^2 + 4 L(U)`; the bound takes the smaller.
//!
//! The projectron, m mistakes, with plus or without: `m <= E(L(U)/c, |U|/c)` with `c = 1 - eta |U|` (term `share`) and E
//! the solution of `m = L + b sqrt(m)` (term `theorem`). Without plus also `m <= (L(U) + |U| sqrt(sum |x|^2))/c`, the sum
//! (`squares`) over the updates: an update adds the projection of `y x`, so `|w|^2` grows by at most `|x|^2`, and `U.w` by at
//! least `1 - xi - eta |U|`. It is no larger, for `m <= E` and rows have a length of at most 1.
//!
//! Rounding: what a run measured (f, Q) and lengths a little above 1 get 1e-9 per update, far more than rounding makes of them;
//! the limit of `|U|` and `1 - eta |U|` are rounded down.

use super::higher_order::solved;
use super::{Certificate, NotApplicable, PastRun, PastTrial, Rival, Up};
use crate::online::forgetron::{ActiveSet, Forgetron};
use crate::online::projectron::{self, Projectron};
use crate::space::{Lane, Planes};

/// Lengths may be larger than 1 by this, and errors of what a run measured are taken for so large: far more
/// than rounding makes them.
const SLACK: f64 = 1e-9;

/// Budgets from which on the forgetron's own theorem speaks.
pub const LEAST_BUDGET: usize = 83;

fn fits<P: Planes>(space: &P, trials: &[PastTrial<'_>]) -> Result<(), NotApplicable> {
    let mut updates = trials.iter().filter(|t| t.updated);
    if updates.all(|t| space.norm_sq_of(t.x) <= 1.0 + SLACK) {
        Ok(())
    } else {
        Err(NotApplicable::TooLong)
    }
}

/// How many rows a problem may hold when it makes its updates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limits {
    /// Always as many.
    Constant(usize),
    /// At each update; none is larger than the one before.
    AtUpdates(Vec<usize>),
}

impl From<usize> for Limits {
    fn from(rows: usize) -> Self {
        Limits::Constant(rows)
    }
}

impl Limits {
    fn at(&self, update: usize) -> usize {
        match self {
            Limits::Constant(rows) => *rows,
            Limits::AtUpdates(rows) => rows.get(update).copied().unwrap_or(1),
        }
    }

    /// The limit, if it never changed.
    pub fn constant(&self) -> Option<usize> {
        match self {
            Limits::Constant(rows) => Some(*rows),
            Limits::AtUpdates(rows) => match (rows.first(), rows.last()) {
                (Some(first), Some(last)) if first == last => Some(*first),
                _ => None,
            },
        }
    }
}

/// Runs the forgetron over its updates once more: `each(f, Q + Q')` is called after every one.
fn repeat<P: Planes>(
    space: &P,
    limits: &Limits,
    trials: &[PastTrial<'_>],
    mut each: impl FnMut(f64, f64),
) {
    let mut planes = space.single();
    let slots = trials.iter().filter_map(|t| t.x.last_slot()).max();
    planes.reach(slots.map_or(0, |j| j as usize + 1), 0.0);
    let (mut state, mut surplus) = (ActiveSet::default(), 0.0);
    for (update, trial) in trials.iter().filter(|t| t.updated).enumerate() {
        let mut w = Lane::new(&mut planes, 0);
        let forgotten = Forgetron::step(&mut state, &mut w, trial.x, trial.y, limits.at(update));
        surplus += forgotten.surplus;
        each(forgotten.factor, state.cost() + surplus);
    }
}

/// Q + Q' of a run of the forgetron after each of its updates.
pub fn forgetron_costs<P: Planes>(
    space: &P,
    limits: &Limits,
    trials: &[PastTrial<'_>],
) -> Vec<f64> {
    let mut costs = Vec::new();
    repeat(space, limits, trials, |_, cost| costs.push(cost));
    costs
}

/// What the theorems say of a run of the forgetron in a space, or why they say nothing.
pub fn forgetron<P: Planes>(
    space: &P,
    limits: &Limits,
    trials: &[PastTrial<'_>],
    rival: &Rival,
) -> Result<Certificate, NotApplicable> {
    fits(space, trials)?;
    let (mut updates, mut shrunk, mut last) = (0, Up::default(), 0.0);
    repeat(space, limits, trials, |f, cost| {
        shrunk = shrunk + Up::new((1.0 - f) / (1.0 + f));
        (updates, last) = (updates + 1, cost);
    });
    let (hinge, norm_sq) = (rival.hinge(trials), rival.norm_sq());
    let rounding = Up::new(SLACK * (updates + 1) as f64);
    let cost = Up::new(last) + rounding;
    let whole = Up::new(1.0) + shrunk + rounding;
    let mut bound = (norm_sq * whole + Up::new(2.0) * hinge + cost) * Up::new(1.0 + 8.0 * SLACK);
    let mut ingredients = vec![
        ("hinge", hinge.value()),
        ("norm", rival.norm().value()),
        ("shrunk", shrunk.value()),
        ("cost", last),
    ];
    let budget = limits.constant().unwrap_or(0);
    let size = (budget as f64) + 1.0;
    let longest = (1.0 - SLACK) * (size / libm::log(size)).sqrt() / 4.0;
    if budget >= LEAST_BUDGET && rival.norm().value() <= longest {
        let own = Up::new(2.0) * norm_sq + Up::new(4.0) * hinge;
        let own = own * Up::new(1.0 + 8.0 * SLACK);
        ingredients.push(("theorem", own.value()));
        bound = bound.min(own);
    }
    Ok(Certificate {
        theorem: "9.4",
        name: "forgetron",
        counted: updates,
        bound: bound.value(),
        ingredients,
    })
}

/// What the theorem says of a run of the projectron in a space, or why it says nothing.
pub fn projectron<P: Planes>(
    space: &P,
    by: &Projectron,
    run: PastRun<'_>,
    rival: &Rival,
) -> Result<Certificate, NotApplicable> {
    let PastRun { trials, mistakes } = run;
    fits(space, trials)?;
    let (hinge, norm) = (rival.hinge(trials), rival.norm());
    let near = Up::new(by.eta.max(projectron::LEAST.sqrt()));
    let share = (1.0 - (near * norm).value()).next_down() - SLACK;
    if share.is_nan() || share <= 0.0 {
        return Err(NotApplicable::TooWide);
    }
    let longest = Up::new(1.0 + SLACK);
    let theorem = solved(hinge.over(share), (norm * longest).over(share));
    let mut ingredients = vec![
        ("hinge", hinge.value()),
        ("norm", norm.value()),
        ("share", share),
        ("theorem", theorem.value()),
    ];
    let mut bound = theorem;
    if !by.plus {
        let updates = trials.iter().filter(|t| t.updated);
        let squares: Up = updates.map(|t| Up::new(space.norm_sq_of(t.x))).sum();
        ingredients.push(("squares", squares.value()));
        let sum = hinge + norm * squares.sqrt() * longest;
        bound = bound.min(sum.over(share));
    }
    Ok(Certificate {
        theorem: "9.6",
        name: "projectron",
        counted: mistakes,
        bound: bound.value(),
        ingredients,
    })
}
