//! A model that learns bodies as a whole or not at all: a state to go back to, and the rows learned since.
//!
//! The state to go back to is copied again after about as many values as the model has weights, so that copies cost no more than learning does. To go back
//! is to copy it and to learn the rows since again: seldom, for what most refusals are about is noticed before the first row of a body is learned.

use std::sync::Arc;

use novikoff::model::{Model, Snapshot};
use novikoff_data::named_rows::NamedRows;

use crate::fold::{Fold, Refused, Trials};
use crate::settings::CheckedSettings;

/// Values that are learned again rather than copied for.
const FEW_VALUES: usize = 100_000;

/// The model of the writer.
pub struct LiveModel {
    fold: Fold,
    base: Option<Snapshot>,
    /// What was learned and acknowledged since.
    since: Vec<Arc<NamedRows>>,
    since_values: usize,
    /// What was learned behind that and is not acknowledged.
    group: Vec<Arc<NamedRows>>,
}

/// About how many numbers a model has.
pub fn size(model: &Model) -> usize {
    (model.width() as usize + 1) * model.learner().lanes()
}

impl LiveModel {
    /// A model that goes on.
    pub fn new(fold: Fold) -> Self {
        let base = fold.model().map(Model::snapshot);
        LiveModel {
            fold,
            base,
            since: Vec::new(),
            since_values: 0,
            group: Vec::new(),
        }
    }

    /// The settings.
    pub fn settings(&self) -> &CheckedSettings {
        self.fold.settings()
    }

    /// The model, once there was a row.
    pub fn model(&self) -> Option<&Model> {
        self.fold.model()
    }

    /// Learns a body, or nothing of it.
    pub fn learn(&mut self, rows: &Arc<NamedRows>) -> Result<Trials, Refused> {
        let learned = self.fold.learn(rows);
        match learned {
            Ok(trials) => {
                self.group.push(Arc::clone(rows));
                Ok(trials)
            }
            Err(refused) => {
                self.restore(true);
                Err(refused)
            }
        }
    }

    /// Goes on from a model file. Must stand alone in its group: there is no way back behind it.
    pub fn upload(&mut self, bytes: &[u8]) -> Result<(), String> {
        let mut fold = Fold::new(self.fold.settings().clone());
        fold.upload(bytes)?;
        *self = LiveModel::new(fold);
        Ok(())
    }

    /// What was learned is acknowledged.
    pub fn commit(&mut self) {
        for rows in self.group.drain(..) {
            self.since_values += rows.values() + rows.len();
            self.since.push(rows);
        }
        let few = self.fold.model().map_or(FEW_VALUES, size).max(FEW_VALUES);
        if self.since_values > few {
            self.snapshot();
        }
    }

    /// What was learned since the last [`commit`](Self::commit) is not to be.
    pub fn abort(&mut self) {
        if !self.group.is_empty() {
            self.restore(false);
        }
    }

    /// The model as it is; what was learned must be acknowledged.
    pub fn snapshot(&mut self) -> Option<Snapshot> {
        if !self.since.is_empty() {
            self.base = self.fold.model().map(Model::snapshot);
            self.since.clear();
            self.since_values = 0;
        }
        self.base.clone()
    }

    fn restore(&mut self, with_group: bool) {
        if !with_group {
            self.group.clear();
        }
        let base = self.base.as_ref().map(|snapshot| Model::clone(snapshot));
        self.fold = Fold::with_model(self.fold.settings().clone(), base);
        for rows in self.since.iter().chain(&self.group) {
            // they were learned before from the same state, so none is refused
            let again = self.fold.learn(rows);
            debug_assert!(again.is_ok());
        }
    }
}
