//! What a learner is: a [`Rule`] (one algorithm's update) on one weight vector per class.

mod hypothesis;
mod linear;
mod linear_score;
mod memory;
mod panel;
mod refusal;
mod rule;
mod survey;
mod trial;
mod voter;

use crate::row::Row;

pub use crate::space::{Lane, Lookahead, Planes, Primal, Support};
#[doc(hidden)]
pub use crate::space::{SharedValues, StoredRows, UpcomingRows};
pub use crate::state::{Array, State, StateError};
pub use hypothesis::Hypothesis;
pub use linear::Linear;
pub use linear_score::LinearScore;
pub use memory::Memory;
#[doc(hidden)]
pub use memory::VectorsOnly;
pub use panel::{
    ExpertFacts, ExpertSequence, LaneCounts, Panel, PanelMoment, RetiredBecause, Retirement, Votes,
    Voting,
};
pub use refusal::Refusal;
pub use rule::{RowScorer, Rule};
pub use survey::Survey;
pub use trial::{Prediction, Tie, Trial, TrialRow};
pub use voter::Voter;

/// A learner of any kind, for one class or several side by side.
pub trait Learner: Predictor + Survey + Lookahead + Send + Sync {
    /// A copy of the whole state; what is kept to save time, and changes no result, is left behind.
    fn copy(&self) -> Box<dyn Learner>;
    /// How many classes.
    fn lanes(&self) -> usize;
    /// Whether rows may have weights other than 1.
    fn is_weighted(&self) -> bool;
    /// Adds a class whose learner is a copy of class `like`'s.
    fn add_lane(&mut self, like: usize) -> Result<(), Refusal>;
    /// One trial, whose step counts `out.weight` times: y = +1 for the classes in `positive`, -1 for
    /// the others. `x` must not be zero.
    fn trial(&mut self, x: Row<'_>, positive: &[usize], out: &mut Trial) -> Result<(), Refusal>;
    /// The plain vectors that its margins begin with, where they do: others may compute `<w_k, x>` for it.
    #[doc(hidden)] // for learners that are several
    fn plain_vectors(&self) -> Option<&Primal> {
        None
    }
    /// [`trial`](Learner::trial), given `<w_k, x>` of each of its [plain vectors](Learner::plain_vectors) if it has some.
    #[doc(hidden)] // for learners that are several
    fn trial_given(
        &mut self,
        x: Row<'_>,
        _inner: &[f64],
        positive: &[usize],
        out: &mut Trial,
    ) -> Result<(), Refusal> {
        self.trial(x, positive, out)
    }
    /// [`scores`](Predictor::scores), given `<w_k, x>` of each of its [plain vectors](Learner::plain_vectors) in `out` if it has some.
    #[doc(hidden)] // for learners that are several
    fn scores_given(&self, x: Row<'_>, by: Hypothesis, out: &mut [f64]) {
        self.scores(x, by, out);
    }
    /// Its only vector and what that is to be multiplied by, if the score of a predictor follows from `<w, x>` alone: then
    /// [`scores_given`](Learner::scores_given) looks at no row.
    #[doc(hidden)] // for rows that are not stored as rows are
    fn only_vector(&self, _by: Hypothesis) -> Option<(&[f64], f64)> {
        None
    }
    /// A pass over the data has ended.
    fn end_pass(&mut self);
    /// Keeps the average of its weight vectors over trials from now on, and deploys it; false if it cannot. That it is right is known of
    /// learners that only scale their vectors and add multiples of rows.
    fn keep_average(&mut self) -> bool;
    /// What the labels of its classes are to each other; asked by learners that compare classes within a trial.
    fn set_voting(&mut self, _voting: Voting) {}
    /// What is known of the learners that it consists of, if it consists of several.
    fn panel(&self) -> Option<Panel> {
        None
    }
    /// The learners whose answers a predictor is made of, if it is the vote of several, or the answer of one of several.
    fn voters(&self, _by: Hypothesis) -> Vec<Voter<'_>> {
        Vec::new()
    }
    /// A copy of one of those learners, with its counts.
    fn expert(&self, _number: usize) -> Option<(Box<dyn Learner>, Vec<LaneCounts>)> {
        None
    }
    /// The whole state.
    fn save<'a>(&'a self, out: &mut State<'a>);
    /// Becomes the learner that was saved.
    fn load(&mut self, lanes: usize, from: &mut State<'static>) -> Result<(), StateError>;
}

/// What a learner says of rows.
pub trait Predictor {
    /// Whether a row is zero in feature space.
    fn is_zero(&self, x: Row<'_>) -> bool;
    /// The margin of such a row.
    fn zero_margin(&self) -> f64;
    /// What the scores of a predictor are counted in, if that grows from trial to trial: of the vote, the votes that were cast; 1 otherwise.
    fn score_unit(&self, _by: Hypothesis) -> f64 {
        1.0
    }
    /// The predictors on offer; the first is the deployed one.
    fn hypotheses(&self) -> &'static [Hypothesis];
    /// The scores of a predictor for every class.
    fn scores(&self, x: Row<'_>, by: Hypothesis, out: &mut [f64]);
    /// The scores of a predictor for many rows and every class, row by row.
    fn scores_of(&self, rows: &StoredRows, by: Hypothesis, threads: usize, out: &mut [f64]);
    /// The scores of several predictors for many rows: row by row, predictor by predictor, class by class. In the space of a kernel they
    /// share the kernel's values.
    fn scores_of_each(
        &self,
        rows: &StoredRows,
        by: &[Hypothesis],
        threads: usize,
        out: &mut [f64],
    ) {
        let Some(per_row) = out.len().checked_div(rows.len()) else {
            return;
        };
        let lanes = per_row / by.len().max(1);
        let mut scores = vec![0.0; rows.len() * lanes];
        for (k, &by) in by.iter().enumerate() {
            self.scores_of(rows, by, threads, &mut scores);
            let all = scores.chunks_exact(lanes.max(1));
            for (of_row, scores) in out.chunks_exact_mut(per_row.max(1)).zip(all) {
                of_row[k * lanes..(k + 1) * lanes].copy_from_slice(scores);
            }
        }
    }
    /// The weights of class `k` by slot, where the deployed predictor (the first of [`hypotheses`](Predictor::hypotheses)) is one vector: the
    /// averaged one of `averaged`, say. The score is `w.x`, of `alma` `w.x/|x|_p`. `voted` decides by many vectors; these weights are those of the last of them. Slot 0 is the constant
    /// feature. What is added to `w.x` otherwise is in no slot: the threshold of `winnow` and `normalised-winnow`, and the intercept of a
    /// solution with a free bias. Without a kernel it is the score of a row without values.
    fn weights(&self, k: usize) -> Vec<f64>;
    /// How many rows its vectors are made of, where they are sums of stored rows.
    fn stored(&self) -> Option<usize>;
    /// In the space of a kernel, the rows that the weight vectors are made of.
    fn support(&self) -> Option<&Support>;
    /// The score of a predictor for class `k` as a formula, if it is a sum over slots or over stored rows.
    fn linear_score(&self, _k: usize, _by: Hypothesis) -> Option<LinearScore> {
        None
    }
}

impl Clone for Box<dyn Learner> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}
