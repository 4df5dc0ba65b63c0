//! One trial, as the caller of a learner sees it and as a rule sees it.

use std::cell::Cell;

use super::Hypothesis;
use crate::label::Label;
use crate::row::Row;

/// One trial: how much it counts, and what happened, for each class.
#[derive(Clone, Debug)]
pub struct Trial {
    /// How many times its step counts: 1 unless the data says otherwise.
    pub weight: f64,
    /// Which example it is, if it may come again.
    pub id: Option<u64>,
    /// The margin before the update: its sign is the prediction.
    pub margin: Vec<f64>,
    /// The score before the update: the class of the largest is the prediction among several.
    pub score: Vec<f64>,
    /// Whether the state moved.
    pub updated: Vec<bool>,
    /// How many states moved per class, of a learner that is several; empty of one that is not.
    pub updates: Vec<u64>,
    /// A predictor whose scores of the row before the update are asked for.
    pub validates: Option<Hypothesis>,
    /// Those scores.
    pub deployed: Vec<f64>,
    /// Whether the matrix changed in each class, of learners whose updates may leave it as it is; empty if none had an update.
    pub matrix: Vec<bool>,
    /// What a margin of 0 predicts.
    pub tie: Tie,
}

/// What a margin of exactly 0 predicts while a learner learns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tie {
    /// +1.
    #[default]
    Positive,
    /// -1.
    Negative,
    /// The wrong label, whatever the right one is: what papers count that call `y m <= 0` a mistake.
    Mistake,
}

impl Tie {
    /// The margin of a trial; one of 0 becomes the smallest on the side that it predicts. `y` is the right label.
    pub(crate) fn decided(self, margin: f64, y: Label) -> f64 {
        const NEXT_TO_ZERO: f64 = 1e-300;
        match self {
            Tie::Negative if margin == 0.0 => -NEXT_TO_ZERO,
            Tie::Mistake if margin == 0.0 => -y.sign() * NEXT_TO_ZERO,
            _ => margin,
        }
    }
}

impl Default for Trial {
    fn default() -> Self {
        Trial {
            weight: 1.0,
            id: None,
            margin: Vec::new(),
            score: Vec::new(),
            updated: Vec::new(),
            updates: Vec::new(),
            validates: None,
            deployed: Vec::new(),
            matrix: Vec::new(),
            tie: Tie::default(),
        }
    }
}

impl Trial {
    /// How many states moved in a class.
    pub fn updates_of(&self, lane: usize) -> u64 {
        let several = self.updates.get(lane).copied();
        several.unwrap_or(u64::from(self.updated[lane]))
    }
}

/// A row in a trial, with what is known about it.
#[derive(Clone, Copy)]
pub struct TrialRow<'a> {
    /// The row.
    pub x: Row<'a>,
    /// Which example it is, if it may come again.
    pub id: Option<u64>,
    /// The class's margin.
    pub margin: f64,
    /// The rule's glance.
    pub glance: f64,
    /// How many binary problems are known: classes, or 1.
    pub problems: usize,
    /// How many times the step counts; not 1 only for rules that are [`WEIGHTED`](super::Rule::WEIGHTED).
    pub weight: f64,
    /// What the trial will report.
    pub prediction: &'a Prediction,
}

/// What a trial reports. Rules whose margin costs more than a prediction put it in once they
/// know it.
#[derive(Debug, Default)]
pub struct Prediction {
    /// The margin of the trial; its sign is the prediction.
    pub margin: Cell<f64>,
    /// The score, which is compared with those of other classes. It is at least 0 iff the margin is, so that where every
    /// class is right the true one alone scores at least 0, and the arg-max is right too.
    pub score: Cell<f64>,
    /// Scores are compared: there is more than one class.
    pub several: bool,
    /// Whether the update changed the matrix, of rules whose updates may leave it as it is.
    pub matrix: Cell<Option<bool>>,
}
