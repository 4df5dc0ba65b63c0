//! Validation: how often the predictor that a model deploys is wrong about rows it has not learned yet.
//!
//! The mistakes of a run are those of the online rule. What is saved may be another predictor, such as the average of the weights. Its errors,
//! each row predicted before it is learned, tell what to expect of the saved model.

use super::Model;
use crate::kernel::Kernel;
use crate::label::Label;
use crate::learner::Hypothesis;
use crate::remedy::{Remedy, Setting};

/// Errors of one predictor, each row predicted before it is learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validation {
    /// The predictor.
    pub by: Hypothesis,
    /// Trials.
    pub rows: u64,
    /// Trials on which it was wrong.
    pub errors: u64,
}

/// Why a predictor is not validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotValidated {
    /// A vote asks all vectors so far.
    #[error(
        "a vote costs as much as all updates so far, so it is counted only where it is asked for"
    )]
    Vote,
    /// An average in the space of a kernel costs as much as a trial.
    #[error(
        "with a kernel the average costs as much as all stored rows on every trial, so it is not counted"
    )]
    KernelAverage,
    /// The first part of the run was not counted.
    #[error("the run was begun without counting it")]
    BegunWithout,
}

impl NotValidated {
    /// What to do about it.
    pub fn remedy(self) -> Option<Remedy> {
        match self {
            NotValidated::Vote => Some(Remedy::give(Setting::Use, "voted")),
            NotValidated::KernelAverage => Some(Remedy::give(Setting::Test, "FILE")),
            NotValidated::BegunWithout => None,
        }
    }
}

impl Model {
    /// Counts the errors of a predictor (the deployed one) from the next trial on, until the [pass ends](Model::end_pass). It must be one
    /// that the learner [offers](crate::learner::Predictor::hypotheses).
    pub fn validate(&mut self, by: Option<Hypothesis>) -> Result<(), NotValidated> {
        let by = self.validated(by)?;
        self.resume_validation(Validation {
            by,
            rows: 0,
            errors: 0,
        });
        Ok(())
    }

    /// The predictor that is validated where this one is asked for, or why none is.
    pub fn validated(&self, by: Option<Hypothesis>) -> Result<Hypothesis, NotValidated> {
        match by.unwrap_or(self.learner.hypotheses()[0]) {
            Hypothesis::Voted if by.is_none() => Err(NotValidated::Vote),
            Hypothesis::Averaged if self.kernel != Kernel::LINEAR => {
                Err(NotValidated::KernelAverage)
            }
            by => Ok(by),
        }
    }

    /// Counts on where a run stopped.
    #[doc(hidden)] // for checkpoints
    pub fn resume_validation(&mut self, validation: Validation) {
        self.validation = Some(validation);
    }

    /// What was counted in the pass so far, if anything is.
    pub fn validation(&self) -> Option<Validation> {
        self.validation
    }

    /// Ends counting.
    pub(crate) fn end_validation(&mut self) -> Option<Validation> {
        self.validation.take()
    }

    /// Whether the validated predictor had the wrong sign in a lane of the last trial.
    pub(super) fn was_wrong(&self, lane: usize) -> bool {
        let is_positive = Label::of(self.scratch.trial.deployed[lane]) == Label::Pos;
        is_positive != self.scratch.positive.contains(&lane)
    }

    /// Counts the last trial.
    pub(super) fn count_validation(&mut self, is_wrong: impl FnOnce(&Self) -> bool) {
        if let Some(mut validation) = self.validation {
            validation.rows += 1;
            validation.errors += u64::from(is_wrong(self));
            self.validation = Some(validation);
        }
    }
}
