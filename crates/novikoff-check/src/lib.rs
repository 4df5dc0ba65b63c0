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
mod view;

pub use claim::{Claim, differences};
pub use cost::multiplications;
pub use kernel::Kernel;
pub use majority::{MajorityFound, MajorityRun};
pub use order::orders;
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
    let learners: &[&str] = match theorem {
        "T1" | "T2" | "T2''" => &["perceptron", "averaged", "voted"],
        "T3" => &["perceptron"],
        "T4" => &["p-norm"],
        "T5" => &["eg", "balanced-winnow"],
        "T6" => &["winnow"],
        "T7" => &["whitened"],
        "T8" | "T9" | "T10" | "T11" => &["second-order"],
        "T12" | "T13" => &["higher-order"],
        "T14" | "T16" => &["romma", "max-margin"],
        "T15" => &["romma"],
        "9.1" | "9.2" => &["selective"],
        "9.3" => &["alma"],
        "9.4" => &["forgetron"],
        "9.6" => &["projectron"],
        "9.7" => &["shifting"],
        "PA" | "PA-I" | "PA-I'" | "PA-II" | "PA-II'" => &["passive-aggressive"],
        "AROW" => &["arow"],
        "LR" => &["logistic"],
        _ => return Err(unknown(theorem)),
    };
    if !learners.contains(&run.learner) {
        let (learner, learners) = (run.learner, learners.join(", "));
        return Err(format!(
            "the theorem {theorem} is about {learners}, not about {learner}"
        ));
    }
    let said = match theorem {
        "T1" => perceptron::t1(&view),
        "T2" => perceptron::t2(&view),
        "T2''" => perceptron::t2_squared(&view),
        "T3" => perceptron::t3(&view),
        "T4" => multiplicative::t4(&view),
        "T5" => multiplicative::t5(&view),
        "T6" => multiplicative::t6(&view),
        "T7" => margin::t7(&view),
        "T8" => second_order::t8(&view, false),
        "T9" => second_order::t8(&view, true),
        "T10" => second_order::t10(&view),
        "T11" => second_order::t11(&view),
        "AROW" => second_order::arow(&view),
        "LR" => logistic::bound(&view),
        "T12" => higher_order::t12(&view),
        "T13" => higher_order::t13(&view),
        "T14" => margin::t14(&view, false),
        "T15" => margin::t14(&view, true),
        "T16" => margin::t16(&view),
        "9.1" => selective::perceptron(&view),
        "9.2" => selective::second_order(&view),
        "9.3" => margin::alma(&view),
        "9.4" => budget::forgetron(&view),
        "9.6" => budget::projectron(&view),
        "9.7" => shifting::shifting(&view),
        "PA" => passive_aggressive::pa(&view),
        "PA-I" => passive_aggressive::pa_1(&view),
        "PA-I'" => passive_aggressive::pa_1_shares(&view),
        "PA-II" => passive_aggressive::pa_2(&view),
        "PA-II'" => passive_aggressive::pa_2_shares(&view),
        _ => return Err(unknown(theorem)),
    };
    Ok(said?.with_zero_rows(&view))
}

fn unknown(theorem: &str) -> String {
    format!("there is no theorem {theorem} here")
}
