//! A solution as a learner: it predicts, is saved and loaded as others are, and no longer learns.

use super::Solution;
use super::problem::Problem;
use crate::kernel::Kernel;
use crate::label::Label;
use crate::learner::{Learner, Linear, Rule, TrialRow};
use crate::row::Row;
use crate::space::{Lane, Planes, Primal, StoredRows, Support};
use crate::state::{State, StateError};

/// Weights that were solved for, with an intercept a class.
#[derive(Clone, Debug, Default)]
pub struct Solved;

impl<P: Planes> Rule<P> for Solved {
    /// The intercept.
    type State = f64;

    const SKIPS_ZERO: bool = false;

    // the weights of its rows were part of the problem
    const WEIGHTED: bool = true;

    fn start(&self, _planes: &P) -> f64 {
        0.0
    }

    fn margin(&self, intercept: &f64, inner: f64, _glance: f64) -> f64 {
        inner + intercept
    }

    fn intercept(&self, intercept: &f64) -> f64 {
        *intercept
    }

    fn learn(
        &self,
        _intercept: &mut f64,
        _w: Lane<'_, P>,
        _trial: TrialRow<'_>,
        _y: Label,
    ) -> bool {
        false
    }

    fn save<'a>(&self, intercept: &'a f64, out: &mut State<'a>) {
        out.put_f64("intercept", vec![*intercept]);
    }

    fn load(&self, _planes: &P, from: &mut State<'static>) -> Result<f64, StateError> {
        let [intercept] = from.take_scalars("intercept")?;
        if intercept.is_finite() {
            Ok(intercept)
        } else {
            Err(from.bad("intercept", "not a finite number"))
        }
    }
}

/// What one class scores rows with.
#[derive(Clone, Copy, Debug)]
pub struct Scorer<'s> {
    /// By slot, or in the space of a kernel one coefficient per row.
    pub values: &'s [f64],
    /// Added to every score.
    pub intercept: f64,
}

/// The learner of one solution per class, in the space of features; it may take `memory` bytes. The score of class `k` is
/// `w_k.x + intercept_k`; a class without a solution scores 0.
pub fn learner(
    solutions: &[Option<&Solution>],
    memory: u128,
) -> Result<Box<dyn Learner>, StateError> {
    learner_of(&scorers(solutions, |s| &s.weights), memory)
}

fn scorers<'s>(
    solutions: &[Option<&'s Solution>],
    values: fn(&Solution) -> &[f64],
) -> Vec<Option<Scorer<'s>>> {
    let scorer = |s: &'s Solution| Scorer {
        values: values(s),
        intercept: s.intercept,
    };
    let classes = solutions.iter();
    classes.map(|solution| solution.map(scorer)).collect()
}

/// A learner of the weights of each class, in the space of features.
pub fn learner_of(
    scorers: &[Option<Scorer<'_>>],
    memory: u128,
) -> Result<Box<dyn Learner>, StateError> {
    let lanes = scorers.len();
    let solved = scorers.iter().flatten();
    let slots = solved.map(|s| s.values.len()).max().unwrap_or(0);
    let mut weights = vec![0.0; slots * lanes];
    for (k, scorer) in scorers.iter().enumerate() {
        let of_class = scorer.map_or(&[][..], |s| s.values);
        for (j, w) in of_class.iter().enumerate() {
            weights[j * lanes + k] = *w;
        }
    }
    let mut state = State::new();
    state.put_f64("factors", vec![1.0; lanes]);
    state.put_f64("weights", weights);
    put_intercepts(scorers, &mut state);
    let mut learner = Linear::within(Primal::default(), Solved, memory);
    learner.load(lanes, &mut state)?;
    Ok(Box::new(learner))
}

/// The learner of one solution per class, in the space of a kernel: the rows of the problem that some class needs are kept.
pub fn kernel_learner(
    solutions: &[Option<&Solution>],
    problem: &Problem<'_>,
    kernel: Kernel,
    memory: u128,
) -> Result<Box<dyn Learner>, StateError> {
    let scorers = scorers(solutions, |s| &s.coefficients);
    let rows = (0..problem.len()).map(|i| problem.row(i));
    kernel_learner_of(&scorers, rows, problem.slots(), kernel, memory)
}

/// A learner of the coefficients of each class, in the space of a kernel: the rows, whose vectors have `slots` slots, are kept where
/// some class needs them.
pub fn kernel_learner_of<'r>(
    scorers: &[Option<Scorer<'_>>],
    rows: impl Iterator<Item = Row<'r>>,
    slots: usize,
    kernel: Kernel,
    memory: u128,
) -> Result<Box<dyn Learner>, StateError> {
    let mut support = Support::new(kernel);
    for _ in 1..scorers.len() {
        support.add_lane(0);
    }
    for (i, row) in rows.enumerate() {
        for (k, scorer) in scorers.iter().enumerate() {
            let c = scorer.and_then(|s| s.values.get(i).copied());
            if let Some(c) = c.filter(|c| *c != 0.0) {
                support.add(k, c, row);
            }
        }
    }
    let mut rows = StoredRows::default();
    support.rows().for_each(|row| rows.push(row));
    let all = (0..scorers.len()).flat_map(|k| support.coefficients(k));
    let mut state = State::new();
    rows.save_as("support", &mut state);
    state.put_f64("factors", vec![1.0; scorers.len()]);
    state.put_f64("coefficients", all.collect::<Vec<_>>());
    state.put_u64("slots", vec![slots as u64]);
    put_intercepts(scorers, &mut state);
    let mut learner = Linear::within(Support::new(kernel), Solved, memory);
    learner.load(scorers.len(), &mut state.into_owned())?;
    Ok(Box::new(learner))
}

fn put_intercepts(scorers: &[Option<Scorer<'_>>], state: &mut State<'_>) {
    for (k, scorer) in scorers.iter().enumerate() {
        state.under(&k.to_string());
        let intercept = scorer.map_or(0.0, |s| s.intercept);
        state.put_f64("intercept", vec![intercept]);
    }
    state.under("");
}
