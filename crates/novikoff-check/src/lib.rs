//! Certificates recomputed: from the trials of a run, its rows and the vector U, in slow and obvious arithmetic.
//!
//! This crate shares no code with the library that finds certificates. Each theorem is one function with its formula above it;
//! statements and proofs are listed in docs/theory/README.md#the-theorems. Sums are plain `f64` sums; the library rounds its bounds up, so that a claimed bound is
//! larger than the one computed here by rounding, and never smaller.
//!
//! In all formulas M are the updates, `xi = max(0, 1 - y U.x)`, `L = sum of xi` over all trials, and `|x|^2` is `K(x, x)`.

mod budget;
mod claim;
mod cost;
mod higher_order;
mod kernel;
mod logistic;
mod majority;
mod margin;
mod matrix;
mod multiplicative;
mod order;
mod passive_aggressive;
mod perceptron;
mod second_order;
mod selective;
mod shifting;
mod theorem;
mod view;

pub use claim::{Claim, differences};
pub use cost::multiplications;
pub use kernel::Kernel;
pub use majority::{MajorityFound, MajorityRun};
pub use order::orders;
pub use theorem::names;
use view::View;

/// An instance: slots in rising order with their values. Slot 0 is the constant feature.
pub type Row = Vec<(usize, f64)>;

/// One trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The number of its row.
    pub row: usize,
    /// The sign was wrong.
    pub mistake: bool,
    /// The state moved.
    pub updated: bool,
}

/// A parameter of a learner.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
}

/// U.
#[derive(Clone, Debug, PartialEq)]
pub enum Vector {
    /// Weights by slot.
    Weights(Vec<f64>),
    /// In the space of a kernel: a sum of rows with coefficients.
    Sum(Vec<(f64, Row)>),
}

/// A run of one binary learner, as far as a certificate is about it.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The name of the learner.
    pub learner: &'a str,
    /// All its parameters.
    pub parameters: &'a [(String, Parameter)],
    /// Its kernel.
    pub kernel: Kernel,
    /// The rows as the learner saw them.
    pub rows: &'a [Row],
    /// -1 or +1 for each row.
    pub labels: &'a [f64],
    /// All trials, in order.
    pub trials: &'a [Trial],
    /// Where there are several classes, the trial in which each appeared.
    pub appeared: &'a [usize],
    /// U.
    pub comparator: &'a Vector,
}

/// What a theorem says of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Recomputed {
    /// The theorem counts updates, not mistakes.
    pub counts_updates: bool,
    /// The bound is of what is expected, over the learner's coins.
    pub expected: bool,
    /// Mistakes of the run.
    pub mistakes: u64,
    /// Mistakes or updates, whichever the theorem counts.
    pub counted: u64,
    /// At most this many there can be.
    pub bound: f64,
    /// What the bound is the sum of.
    pub terms: Vec<(&'static str, f64)>,
    /// What the terms are made of.
    pub ingredients: Vec<(&'static str, f64)>,
    /// `|U|` in the theorem's norm.
    pub norm: f64,
    /// `L(U)` over all trials, zero rows included, where the theorem has a margin.
    pub hinge: Option<f64>,
}

/// The theorem of that name on a run, or why it says nothing about it.
pub fn evaluate(run: &Run<'_>, theorem: &str) -> Result<Recomputed, String> {
    if run.rows.len() != run.labels.len() {
        return Err("there is not one label per row".to_owned());
    }
    if run.trials.iter().any(|t| t.row >= run.rows.len()) {
        return Err("a trial is of a row that the data does not have".to_owned());
    }
    let view = View::new(run)?;
    let entry = theorem::entry(theorem)?;
    let learners = entry.learners;
    if !learners.contains(&run.learner) {
        let (learner, learners) = (run.learner, learners.join(", "));
        return Err(format!(
            "the theorem {theorem} is about {learners}, not about {learner}"
        ));
    }
    Ok((entry.evaluate)(&view)?.with_zero_rows(&view))
}
