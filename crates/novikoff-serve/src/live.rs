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
    // many learners of several keep a second number per weight
    let vectors = (2 * model.spec().parts().len()).max(1);
    (model.width() as usize + 1) * model.learner().lanes() * vectors
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
        let base = self.base.as_ref().map(|snapshot| (**snapshot).clone());
        self.fold = Fold::with_model(self.fold.settings().clone(), base);
        for rows in self.since.iter().chain(&self.group) {
            // they were learned before from the same state, so none is refused
            let again = self.fold.learn(rows);
            debug_assert!(again.is_ok());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use novikoff::names::Names;
    use novikoff::random::SplitMix64;
    use novikoff::row::Row;
    use novikoff::rows::Rows;

    fn settings(spec: &str) -> CheckedSettings {
        let settings = crate::settings::Settings {
            spec: spec.to_owned(),
            options: crate::api::ModelOptions::default(),
            memory: 1 << 16,
            max_features: 100_000,
        };
        settings.check().expect("a learner")
    }

    /// Some rows; now and then one that many learners refuse: negative, of a weight, too long, or of a feature beyond the memory.
    fn body(random: &mut SplitMix64, labels: &[&str]) -> Arc<NamedRows> {
        let mut rows = Rows::new();
        for _ in 0..=random.below(4) {
            let strange = random.below(12);
            let first = 1 + random.below(5) as u32;
            let last = if strange == 0 {
                90_000
            } else {
                6 + random.below(5) as u32
            };
            let value = match strange {
                1 => -1.0,
                2 => 3e38,
                _ => 0.5 + random.below(4) as f32,
            };
            if strange == 3 {
                rows.set_weight(2.0);
            }
            let label = labels[random.below(labels.len())];
            rows.push_label(label.parse().unwrap_or(f64::NAN), label.as_bytes());
            Row::sparse(&[first, last], &[1.0, value])
                .iter()
                .for_each(|(slot, value)| rows.push(slot as u32, value as f32));
            rows.end_row(0);
        }
        Arc::new(NamedRows::new(Names::new(), rows))
    }

    /// The model that learns groups, some of which are not acknowledged, is the fold of what was acknowledged.
    #[test]
    fn refused_bodies_and_groups_leave_no_trace() {
        let specs = [
            "perceptron",
            "winnow:theta=1",
            "second-order",
            "averaged",
            "arow",
            "romma",
            "passive-aggressive",
            "auto",
        ];
        let (mut refused, mut aborted) = (0, 0);
        for (k, spec) in specs.into_iter().enumerate() {
            for labels in [&["1", "-1"][..], &["a", "b", "c", "d"]] {
                let mut random = SplitMix64::new(k as u64 + 1);
                let mut live = LiveModel::new(Fold::new(settings(spec)));
                let mut acknowledged: Vec<Arc<NamedRows>> = Vec::new();
                for _ in 0..60 {
                    let mut group = Vec::new();
                    for _ in 0..=random.below(3) {
                        let rows = body(&mut random, labels);
                        match live.learn(&rows) {
                            Ok(trials) => {
                                assert_eq!(trials.predictions.len(), rows.len());
                                group.push(rows);
                            }
                            Err(_) => refused += 1,
                        }
                    }
                    if random.below(4) == 0 {
                        live.abort();
                        aborted += 1;
                    } else {
                        live.commit();
                        acknowledged.extend(group);
                    }
                    if random.below(5) == 0 {
                        live.snapshot();
                    }
                }
                let mut plain = Fold::new(settings(spec));
                for rows in &acknowledged {
                    plain.learn(rows).expect("learned before");
                }
                let bytes = live
                    .model()
                    .map(|model| novikoff_data::model::to_bytes(model).expect("bytes"));
                assert!(bytes == plain.bytes().expect("bytes"), "{spec} {labels:?}");
            }
        }
        assert!(refused > 50 && aborted > 50, "{refused} {aborted}");
    }
}
