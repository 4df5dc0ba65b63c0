//! One of several learners whose vote is an answer.

use super::{Hypothesis, Learner};

/// One of several learners, as its part in a vote can be written down. Its row is that of the whole model, with a constant feature and a norm of its
/// own. Its ballot of a class is its score `s` there: yes where `s >= 0`, and `u/(1 + |u|)` with `u = s/usual` where ballots are graded.
#[derive(Clone)]
pub struct Voter<'m> {
    /// The learner.
    pub learner: &'m dyn Learner,
    /// The predictor of it that votes.
    pub by: Hypothesis,
    /// The constant feature of its rows, where rows have one.
    pub bias: Option<f32>,
    /// The p of the norm that its rows are divided by.
    pub normalize: Option<f64>,
    /// Its weight: one per lane where each is a question of its own, else one.
    pub weights: Vec<f64>,
    /// What the absolute value of its scores usually is; 0 if it has had none.
    pub usual: f64,
}
