//! A model as it was at one moment, for readers in other threads.

use std::ops::Deref;
use std::sync::Arc;

use super::Model;

/// A model that no longer changes. It predicts as the model did at that moment, while the model continues to learn.
///
/// Taking one costs a copy of the learner's state: 8 bytes per weight and class, the matrices of second-order
/// learners, the stored rows of kernels. What is known of rows is shared with the model, which copies the names of features when
/// the next new one comes. A clone of a snapshot costs the increment of a counter.
///
/// ```
/// use novikoff::{Label, Model, Row, learners::Perceptron};
///
/// let mut model = Model::builder(Perceptron::default()).build()?;
/// let x = [0.0, 2.0];
/// let before = model.snapshot();
/// assert!(model.learn(Row::dense(&x), [Label::Neg])?.is_mistake());
/// let score = |model: &Model| {
///     let mut scores = Vec::new();
///     model.scores(Row::dense(&x), None, &mut scores);
///     scores[0]
/// };
/// assert_eq!((score(&before), score(&model)), (0.0, -4.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Snapshot(Arc<Model>);

impl Model {
    /// The model as it is now; see [`Snapshot`] for what it costs.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(Arc::new(self.clone()))
    }
}

impl Deref for Snapshot {
    type Target = Model;

    fn deref(&self) -> &Model {
        &self.0
    }
}
