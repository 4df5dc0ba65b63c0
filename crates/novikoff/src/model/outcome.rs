//! What one trial came to: for the final label and for each class.

use super::Model;
use crate::classes::Task;
use crate::label::Label;

/// One binary problem in a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassOutcome {
    /// Which class.
    pub class: usize,
    /// Its margin before the update.
    pub margin: f64,
    /// Whether its sign was wrong.
    pub mistake: bool,
    /// Whether its state moved.
    pub updated: bool,
}

/// The learner of classes that have not appeared, in a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackgroundEvent {
    /// Whether its sign was wrong.
    pub mistake: bool,
    /// Whether its state moved.
    pub updated: bool,
}

/// What a trial came to. It borrows the model, so nothing is copied, and it is gone before the next trial.
#[derive(Clone, Copy)]
#[must_use = "a trial says whether the prediction was wrong"]
pub struct Outcome<'m> {
    pub(super) model: &'m Model,
    pub(super) mistake: bool,
}

impl<'m> Outcome<'m> {
    /// Whether the final label was wrong.
    pub fn is_mistake(self) -> bool {
        self.mistake
    }

    /// Whether the predictor that is [validated](Model::validate) was wrong, if one is.
    pub fn is_validation_error(self) -> Option<bool> {
        self.model.scratch.validation_error
    }

    /// The model after the trial.
    pub fn model(self) -> &'m Model {
        self.model
    }

    /// What happened to a class.
    pub fn class(self, class: usize) -> ClassOutcome {
        let lane = self.model.lane(class);
        ClassOutcome {
            class,
            margin: self.model.scratch.trial.margin[lane],
            mistake: self.model.is_mistaken(lane),
            updated: self.model.scratch.trial.updated[lane],
        }
    }

    /// What happened to the learner of classes that have not appeared, where there is one.
    pub fn background(self) -> Option<BackgroundEvent> {
        let model = self.model;
        (!model.classes.is_binary()).then(|| BackgroundEvent {
            mistake: model.is_mistaken(0),
            updated: model.scratch.trial.updated[0],
        })
    }

    /// The classes that were mistaken or changed, in the order of their labels.
    pub fn events(self) -> impl Iterator<Item = ClassOutcome> + use<'m> {
        let order = self.model.classes.order().iter();
        order
            .map(move |&class| self.class(class))
            .filter(|event| event.mistake || event.updated)
    }

    /// How far the trial was on the right side, from before the update: above 0 only if the prediction was right, below 0 only if it
    /// was wrong. Of two labels it is `y w.x`; of one class of several the score of the row's class less the best of the others (less 0
    /// if there is no other); of several labels per row the least margin towards the right side over all labels met. Nothing where
    /// numbers are predicted, or no label was met yet. It is as large as the weights: margins of two learners cannot be compared.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::Perceptron};
    ///
    /// let mut model = Model::builder(Perceptron::default()).build()?;
    /// let _ = model.learn(Row::dense(&[2.0]), [Label::Neg])?; // w = -2
    /// let outcome = model.learn(Row::dense(&[1.5]), [Label::Neg])?;
    /// assert_eq!((outcome.class(0).margin, outcome.margin_of_truth()), (-3.0, Some(3.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn margin_of_truth(self) -> Option<f64> {
        let classes = self.model.classes();
        let towards = |class: usize| {
            let margin = self.class(class).margin;
            if self.is_positive(class) {
                margin
            } else {
                -margin
            }
        };
        match classes.task() {
            Task::Regression => None,
            Task::Binary { .. } => Some(towards(0)),
            Task::OneVsRest => {
                let truth = self.positives().next()?;
                let others = (0..classes.list().len()).filter(|&class| class != truth);
                let best = others.map(|class| self.score(class)).reduce(f64::max);
                Some(self.score(truth) - best.unwrap_or(0.0))
            }
            Task::MultiLabel => (0..classes.list().len()).map(towards).reduce(f64::min),
        }
    }

    /// Whether the matrix changed, of the learner of classes that have not appeared (where there is one) and of each class, for learners
    /// whose updates may leave it as it is; empty if there was no update.
    pub fn matrix_updates(self) -> &'m [bool] {
        &self.model.scratch.trial.matrix
    }

    /// The score of a class, which is compared with those of other classes.
    pub fn score(self, class: usize) -> f64 {
        self.model.scratch.trial.score[self.model.lane(class)]
    }

    /// Whether the row has the label of a class.
    pub fn is_positive(self, class: usize) -> bool {
        self.model
            .scratch
            .positive
            .contains(&self.model.lane(class))
    }

    /// The classes whose labels the row has.
    pub fn positives(self) -> impl Iterator<Item = usize> + use<'m> {
        let first = usize::from(!self.model.classes.is_binary());
        self.model
            .scratch
            .positive
            .iter()
            .map(move |lane| lane - first)
    }
}

impl Model {
    /// Whether the sign of the last trial was wrong in a lane.
    pub(super) fn is_mistaken(&self, lane: usize) -> bool {
        (Label::of(self.scratch.trial.margin[lane]) == Label::Pos)
            != self.scratch.positive.contains(&lane)
    }
}
