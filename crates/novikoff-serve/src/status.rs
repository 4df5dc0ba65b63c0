//! What is known of a model without asking its writer.

use std::collections::VecDeque;
use std::path::Path;

use novikoff::model::Model;
use novikoff_engine::weights::class_names;

use crate::api::{Description, LogState, Mistake, SnapshotState, Standing, Validation};
use crate::course::Course;
use crate::live::size;
use crate::log::read::segments;
use crate::settings::Settings;

/// How many mistakes are kept to be looked at.
pub const MISTAKES: usize = 50;

/// What is known of a model. Written by its writer, after each group.
#[derive(Clone, Debug)]
pub struct Status {
    /// What it was made with.
    pub settings: Settings,
    /// Rows learned.
    pub seq: u64,
    /// Trials, mistakes, updates.
    pub totals: (u64, u64, u64),
    /// Errors of its predictor.
    pub validation: Option<Validation>,
    /// How it has done.
    pub course: Course,
    /// The highest feature.
    pub features: u32,
    /// The labels.
    pub classes: Vec<String>,
    /// Whether it has probabilities.
    pub probabilities: bool,
    /// Memory, about.
    pub bytes: u64,
    /// Its log.
    pub log: LogState,
    /// The last snapshot.
    pub snapshot: Option<SnapshotState>,
    /// The last mistakes, newest first.
    pub mistakes: VecDeque<Mistake>,
}

impl Status {
    /// What is known of a model that has learned nothing yet.
    pub fn new(settings: Settings, sync: &str) -> Self {
        Status {
            settings,
            seq: 0,
            totals: (0, 0, 0),
            validation: None,
            course: Course::default(),
            features: 0,
            classes: Vec::new(),
            probabilities: false,
            bytes: 0,
            log: LogState {
                sync: sync.to_owned(),
                bytes: 0,
                segments: 0,
                first_seq: 1,
                blocked: None,
            },
            snapshot: None,
            mistakes: VecDeque::new(),
        }
    }

    /// What the model says.
    pub fn look(&mut self, model: Option<&Model>) {
        let Some(model) = model else {
            return;
        };
        let totals = model.totals();
        self.totals = (totals.trials, totals.mistakes, totals.updates);
        self.validation = model.validation().map(|counted| Validation {
            rows: counted.rows,
            errors: counted.errors,
            error: (counted.rows > 0).then(|| counted.errors as f64 / counted.rows as f64),
        });
        self.features = model.width();
        let classes = model.classes().count();
        if classes != self.classes.len() {
            self.classes = class_names(model);
        }
        self.probabilities = model.has_probabilities(None);
        let stored = model.learner().stored().unwrap_or(0) as u64;
        self.bytes = 8 * size(model) as u64 + model.names().bytes() + 64 * stored;
    }

    /// What the folder says of the log.
    pub fn look_at_log(&mut self, folder: &Path) {
        let Ok(list) = segments(folder) else {
            return;
        };
        let length = |path: &Path| std::fs::metadata(path).map_or(0, |about| about.len());
        self.log.bytes = list.iter().map(|(_, path)| length(path)).sum();
        self.log.segments = list.len() as u64;
    }

    /// For `events`.
    pub fn standing(&self) -> Standing {
        let (rows, mistakes, updates) = self.totals;
        Standing {
            seq: self.seq,
            rows,
            mistakes,
            updates,
            validation: self.validation,
            window: self.course.window(),
        }
    }

    /// For a name.
    pub fn description(&self, name: &str) -> Description {
        let (rows, mistakes, updates) = self.totals;
        Description {
            name: name.to_owned(),
            spec: self.settings.spec.clone(),
            options: self.settings.options.clone(),
            seq: self.seq,
            rows,
            mistakes,
            updates,
            validation: self.validation,
            window: self.course.window(),
            features: self.features,
            classes: self.classes.clone(),
            probabilities: self.probabilities,
            bytes: self.bytes,
            log: self.log.clone(),
            snapshot: self.snapshot.clone(),
        }
    }
}
