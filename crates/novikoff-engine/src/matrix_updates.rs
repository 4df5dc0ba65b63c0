//! Updates that change the matrix of a learner, counted epoch by epoch.

use novikoff::model::Outcome;
use novikoff_report::EpochEnd;

/// Counts them as updates are counted: a class that appears brings those of the learner of classes that have not appeared.
#[derive(Default)]
pub(crate) struct MatrixUpdates {
    /// Of the classes, in this epoch.
    now: u64,
    /// Of the learner of classes that have not appeared, in this epoch.
    background: u64,
    /// Classes before this trial.
    classes: usize,
    /// Whether the learner is one whose updates may leave its matrix as it is.
    is_known: bool,
    epochs: Vec<u64>,
}

impl MatrixUpdates {
    /// Before a run whose model has some classes.
    pub(crate) fn new(classes: usize) -> Self {
        MatrixUpdates {
            classes,
            ..MatrixUpdates::default()
        }
    }

    pub(crate) fn trial(&mut self, outcome: Outcome<'_>) {
        let classes = outcome.model().classes().list().len();
        let appeared = classes.saturating_sub(self.classes) as u64;
        self.classes = classes;
        self.now += appeared * self.background;
        let changed = outcome.matrix_updates();
        if changed.is_empty() {
            return;
        }
        self.is_known = true;
        let several = outcome.background().is_some();
        let (background, of_classes) = changed.split_at(usize::from(several));
        self.background += u64::from(background.contains(&true));
        self.now += of_classes.iter().filter(|changed| **changed).count() as u64;
    }

    pub(crate) fn end_epoch(&mut self) {
        self.epochs.push(self.now);
        (self.now, self.background) = (0, 0);
    }

    /// Those of all epochs so far, if the learner has some to count.
    pub(crate) fn total(&self) -> Option<u64> {
        self.is_known.then(|| self.epochs.iter().sum())
    }

    /// Puts the counts into the ends of epochs, if the learner has some to count.
    pub(crate) fn put_into(&self, ends: &mut [EpochEnd]) {
        if self.is_known && self.epochs.len() == ends.len() {
            for (end, updates) in ends.iter_mut().zip(&self.epochs) {
                end.matrix_updates = Some(*updates);
            }
        }
    }
}
