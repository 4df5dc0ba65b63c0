//! A solution as a learner: it predicts, is saved and loaded as others are, and no longer learns.

use super::Solution;
use super::problem::Problem;
use crate::kernel::Kernel;
use crate::label::Label;
use crate::learner::{Learner, Linear, Rule, Seen};
use crate::space::{Lane, Planes, Primal, StoredRows, Support};
use crate::state::{State, StateError};

/// Weights that were solved for, with an intercept a class.
#[derive(Clone, Debug, Default)]
pub struct Solved;

impl<P: Planes> Rule<P> for Solved {
    /// The intercept.
    type State = f64;

    const SKIPS_ZERO: bool = false;

    fn start(&self, _planes: &P) -> f64 {
        0.0
    }

    fn margin(&self, intercept: &f64, inner: f64, _glance: f64) -> f64 {
        inner + intercept
    }

    fn learn(&self, _intercept: &mut f64, _w: Lane<'_, P>, _seen: Seen<'_>, _y: Label) -> bool {
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

/// The learner of one solution a class, in the space of features; it may take `memory` bytes. The score of class `k` is
/// `w_k.x + intercept_k`; a class without a solution scores 0.
pub fn learner(
    solutions: &[Option<&Solution>],
    memory: u128,
) -> Result<Box<dyn Learner>, StateError> {
    let lanes = solutions.len();
    let solved = solutions.iter().flatten();
    let slots = solved.map(|s| s.weights.len()).max().unwrap_or(0);
    let mut weights = vec![0.0; slots * lanes];
    for (k, solution) in solutions.iter().enumerate() {
        let of_class = solution.map_or(&[][..], |s| &s.weights);
        for (j, w) in of_class.iter().enumerate() {
            weights[j * lanes + k] = *w;
        }
    }
    let mut state = State::new();
    state.put_f64("factors", vec![1.0; lanes]);
    state.put_f64("weights", weights);
    put_intercepts(solutions, &mut state);
    let mut learner = Linear::within(Primal::default(), Solved, memory);
    learner.load(lanes, &mut state)?;
    Ok(Box::new(learner))
}

/// The same in the space of a kernel: the rows of the problem that some class needs are kept.
pub fn kernel_learner(
    solutions: &[Option<&Solution>],
    problem: &Problem<'_>,
    kernel: Kernel,
    memory: u128,
) -> Result<Box<dyn Learner>, StateError> {
    let mut support = Support::new(kernel);
    for _ in 1..solutions.len() {
        support.add_lane(0);
    }
    for i in 0..problem.len() {
        for (k, solution) in solutions.iter().enumerate() {
            let c = solution.map_or(0.0, |s| s.coefficients[i]);
            if c != 0.0 {
                support.add(k, c, problem.row(i));
            }
        }
    }
    let mut rows = StoredRows::default();
    support.rows().for_each(|row| rows.push(row));
    let all = (0..solutions.len()).flat_map(|k| support.coefficients(k));
    let mut state = State::new();
    rows.save_as("support", &mut state);
    state.put_f64("factors", vec![1.0; solutions.len()]);
    state.put_f64("coefficients", all.collect::<Vec<_>>());
    state.put_u64("slots", vec![problem.slots() as u64]);
    put_intercepts(solutions, &mut state);
    let mut learner = Linear::within(Support::new(kernel), Solved, memory);
    learner.load(solutions.len(), &mut state.into_owned())?;
    Ok(Box::new(learner))
}

fn put_intercepts(solutions: &[Option<&Solution>], state: &mut State<'_>) {
    for (k, solution) in solutions.iter().enumerate() {
        state.under(&k.to_string());
        let intercept = solution.map_or(0.0, |s| s.intercept);
        state.put_f64("intercept", vec![intercept]);
    }
    state.under("");
}
