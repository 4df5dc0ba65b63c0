//! What is known of a model without asking its writer.

use std::path::Path;

use novikoff::model::Model;
use novikoff_engine::weights::class_names;

use crate::api::{Description, LogState, RemarkBody, SnapshotState, Standing, Validation};
use crate::course::Course;
use crate::live::size;
use crate::log::read::segments;
use crate::settings::Settings;

/// What a model says of itself at some moment.
pub struct Look {
    totals: (u64, u64, u64),
    validation: Option<Validation>,
    features: u32,
    /// The labels; none where they are those that were known.
    classes: Option<Vec<String>>,
    probabilities: bool,
    bytes: u64,
}

impl Look {
    /// What a model says to somebody who knows that many of its labels.
    pub fn at(model: &Model, known: usize) -> Self {
        let totals = model.totals();
        let stored = model.learner().stored().unwrap_or(0) as u64;
        Look {
            totals: (totals.trials, totals.mistakes, totals.updates),
            validation: model.validation().map(|counted| Validation {
                rows: counted.rows,
                errors: counted.errors,
                error: (counted.rows > 0).then(|| counted.errors as f64 / counted.rows as f64),
            }),
            features: model.width(),
            classes: (model.classes().count() != known).then(|| class_names(model)),
            probabilities: model.has_probabilities(None),
            bytes: 8 * size(model) as u64 + model.names().bytes() + 64 * stored,
        }
    }
}

/// What is known of a model. Written when a group is on disk.
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
        }
    }

    /// What the model says.
    pub fn look(&mut self, look: Look) {
        self.totals = look.totals;
        self.validation = look.validation;
        self.features = look.features;
        if let Some(classes) = look.classes {
            self.classes = classes;
        }
        self.probabilities = look.probabilities;
        self.bytes = look.bytes;
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
    pub fn description(&self, name: &str, remarks: Vec<RemarkBody>) -> Description {
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
            remarks,
        }
    }
}
