//! A model that learns bodies as a whole or not at all: a state to go back to, and the rows learned since.
//!
//! The model runs ahead of the disk: groups of rows that were learned wait until they are acknowledged, or are taken back all together. The state to go
//! back to is copied again after about as many values as the model has weights, so that copies cost no more than learning does. To go back
//! is to copy it and to learn the rows since again: seldom, for what most refusals are about is noticed before the first row of a body is learned.

use std::collections::VecDeque;
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
    /// The state to go back to; what it has learned is acknowledged.
    base: Option<Snapshot>,
    /// What was learned and acknowledged since.
    since: Vec<Arc<NamedRows>>,
    /// Groups that were learned behind that and wait for the disk.
    groups: VecDeque<Group>,
    /// The group that is being learned.
    group: Vec<Arc<NamedRows>>,
    /// Values learned since the last copy, whether that is acknowledged or not.
    values: usize,
}

/// Rows that are acknowledged together.
struct Group {
    /// The `seq` behind them.
    end: u64,
    rows: Vec<Arc<NamedRows>>,
    /// The model behind them, if it was copied.
    after: Option<Snapshot>,
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
            groups: VecDeque::new(),
            group: Vec::new(),
            values: 0,
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
                self.values += rows.values() + rows.len();
                self.group.push(Arc::clone(rows));
                Ok(trials)
            }
            Err(refused) => {
                self.restore();
                Err(refused)
            }
        }
    }

    /// What was learned since the last group is a group. The model has learned `end` rows with it.
    pub fn end_group(&mut self, end: u64) {
        if self.group.is_empty() {
            return;
        }
        let rows = std::mem::take(&mut self.group);
        let after = None;
        self.groups.push_back(Group { end, rows, after });
        let few = self.fold.model().map_or(FEW_VALUES, size).max(FEW_VALUES);
        if self.values > few {
            self.snapshot();
        }
    }

    /// Groups up to this `seq` are acknowledged.
    pub fn acknowledge(&mut self, seq: u64) {
        while self.groups.front().is_some_and(|group| group.end <= seq)
            && let Some(group) = self.groups.pop_front()
        {
            if group.after.is_some() {
                self.base = group.after;
                self.since.clear();
            } else {
                self.since.extend(group.rows);
            }
        }
    }

    /// What is not acknowledged is not to be.
    pub fn abort(&mut self) {
        if !self.groups.is_empty() || !self.group.is_empty() {
            self.groups.clear();
            self.group.clear();
            self.restore();
            self.values = self
                .since
                .iter()
                .map(|rows| rows.values() + rows.len())
                .sum();
        }
    }

    /// The model behind the last group, which may wait for the disk.
    pub fn snapshot(&mut self) -> Option<Snapshot> {
        debug_assert!(self.group.is_empty());
        let last = match self.groups.back_mut() {
            Some(group) => &mut group.after,
            None => &mut self.base,
        };
        if self.values > 0 {
            self.values = 0;
            *last = self.fold.model().map(Model::snapshot);
            let copied = last.clone();
            if self.groups.is_empty() {
                self.since.clear();
            }
            return copied;
        }
        last.clone()
    }

    fn restore(&mut self) {
        let base = self.base.as_ref().map(|snapshot| (**snapshot).clone());
        self.fold = Fold::with_model(self.fold.settings().clone(), base);
        let waiting = self.groups.iter().flat_map(|group| &group.rows);
        for rows in self.since.iter().chain(waiting).chain(&self.group) {
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

    /// The model that learns groups, acknowledged or not, is the fold of what was acknowledged.
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
                let (mut flying, mut seq) = (std::collections::VecDeque::new(), 0);
                for _ in 0..60 {
                    let mut group = Vec::new();
                    for _ in 0..=random.below(3) {
                        let rows = body(&mut random, labels);
                        match live.learn(&rows) {
                            Ok(trials) => {
                                assert_eq!(trials.predictions.len(), rows.len());
                                seq += 1;
                                group.push(rows);
                            }
                            Err(_) => refused += 1,
                        }
                    }
                    live.end_group(seq as u64);
                    flying.push_back((seq, group));
                    if random.below(5) == 0 {
                        live.snapshot();
                    }
                    match random.below(8) {
                        0 => {
                            live.abort();
                            flying.clear();
                            seq = acknowledged.len();
                            aborted += 1;
                        }
                        1..=5 => {
                            let some = random.below(flying.len()) + 1;
                            for (end, group) in flying.drain(..some) {
                                live.acknowledge(end as u64);
                                acknowledged.extend(group);
                            }
                        }
                        _ => {}
                    }
                    if random.below(5) == 0 {
                        live.snapshot();
                    }
                }
                live.abort();
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
