//! The model as the fold of its log: entry after entry, one thread, nothing else.

use std::sync::Arc;

use novikoff::classes::{LabelError, Task};
use novikoff::label::Label;
use novikoff::model::{Model, Outcome};
use novikoff::remedy::Remedy;
use novikoff::rows::Block;
use novikoff::run::{self, Observer, Position};
use novikoff_data::json::ObjectColumns;
use novikoff_data::model::{from_bytes, to_bytes};
use novikoff_data::named_rows::NamedRows;
use novikoff_data::options::ReadOptions;

use crate::api::LearnedRow;
use crate::settings::{CheckedSettings, begin};
use crate::words::said;

/// Why a solved model learns no row.
const SOLVED: &str = "the model was solved for, so it predicts and does not learn row by row; solve again with the new rows, or upload a model of `novikoff train`";

/// Rows that were refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The row at fault, counted from 0, if it is one.
    pub row: Option<usize>,
    /// What is wrong, what is allowed and what to do.
    pub detail: String,
}

/// Counts after a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountsAfter {
    /// Mistakes of the model.
    pub mistakes: u64,
    /// Errors of its predictor.
    pub errors: u64,
}

/// What rows came to, one by one.
#[derive(Clone, Debug, Default)]
pub struct Trials {
    /// What was predicted for each.
    pub predictions: Vec<LearnedRow>,
    /// The counts after each.
    pub counts: Vec<CountsAfter>,
    labels: SharedLabels,
}

/// Texts of labels that were predicted lately: most predictions share one of a few.
#[derive(Clone, Debug, Default)]
struct SharedLabels {
    recent: Vec<Arc<str>>,
    next: usize,
    text: Vec<u8>,
}

/// How many labels are looked through.
const RECENT: usize = 8;

impl SharedLabels {
    /// What `write` writes.
    fn get(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Arc<str> {
        self.text.clear();
        write(&mut self.text);
        let mut known = self.recent.iter();
        if let Some(known) = known.find(|known| known.as_bytes() == self.text) {
            return Arc::clone(known);
        }
        let label: Arc<str> = String::from_utf8_lossy(&self.text).into();
        if self.recent.len() < RECENT {
            self.recent.push(Arc::clone(&label));
        } else {
            self.recent[self.next] = Arc::clone(&label);
            self.next = (self.next + 1) % RECENT;
        }
        label
    }
}

/// A model that may not have met its first row.
#[derive(Clone)]
pub struct Fold {
    settings: CheckedSettings,
    model: Option<Model>,
}

impl Fold {
    /// Before the first row.
    pub fn new(settings: CheckedSettings) -> Self {
        Fold {
            settings,
            model: None,
        }
    }

    /// The model that was kept.
    pub fn with_model(settings: CheckedSettings, model: Option<Model>) -> Self {
        Fold { settings, model }
    }

    /// The settings.
    pub fn settings(&self) -> &CheckedSettings {
        &self.settings
    }

    /// The model, once there was a row.
    pub fn model(&self) -> Option<&Model> {
        self.model.as_ref()
    }

    /// What the fields of JSON objects are: what the model says, or what it was made with.
    pub fn columns(&self) -> ObjectColumns {
        let table = match &self.model {
            Some(model) => model.table(),
            None => self.settings.table.as_ref(),
        };
        ObjectColumns::new(table)
    }

    /// Learns rows. If one is refused, rows before it were learned: the caller has the state from before, or can make it again.
    pub fn learn(&mut self, rows: &NamedRows) -> Result<Trials, Refused> {
        let names_refused = |error: novikoff::names::NamesError| Refused {
            row: None,
            detail: said(&error, Some(&error.remedy())),
        };
        let options = self.settings.read_with_bias();
        let placed = if let Some(model) = &mut self.model {
            if !model.spec().learns() {
                return Err(Refused {
                    row: None,
                    detail: SOLVED.to_owned(),
                });
            }
            check_labels(model, rows.view())?;
            let bias = model.preparation().bias;
            let options = ReadOptions { bias, ..options };
            let placed = rows.placed(model.schema_mut(), &options);
            placed.map_err(names_refused)?
        } else {
            let mut schema = self.settings.schema();
            let placed = rows.placed(&mut schema, &options).map_err(names_refused)?;
            let model = self.settings.build(schema, placed.view());
            let model = model.map_err(|detail| Refused { row: None, detail })?;
            check_labels(&model, rows.view())?;
            self.model = Some(model);
            placed
        };
        let Some(model) = &mut self.model else {
            return Err(Refused {
                row: None,
                detail: "no model".to_owned(),
            });
        };
        let position = Position {
            epoch: 0,
            first: model.totals().trials,
        };
        let mut trials = Trials::default();
        trials.predictions.reserve_exact(placed.len());
        trials.counts.reserve_exact(placed.len());
        let ran = run::block(model, placed.view(), 0..placed.len(), position, &mut trials);
        ran.map_err(|stopped| Refused {
            row: Some(stopped.row),
            detail: said(&stopped.error, Some(&stopped.error.remedy())),
        })?;
        Ok(trials)
    }

    /// Goes on from a model file.
    pub fn upload(&mut self, bytes: &[u8]) -> Result<(), String> {
        let loaded = from_bytes(bytes, self.settings.memory());
        let loaded = loaded.map_err(|error| said(&error, error.remedy().as_ref()))?;
        let mut model = loaded.model;
        if loaded.unfinished.is_some() {
            return Err(
                "the file is a checkpoint in the middle of a run; finish the run first".to_owned(),
            );
        }
        if model.spec().learns() {
            let _ = model.validate(None);
        }
        begin(&mut model);
        self.model = Some(model);
        Ok(())
    }

    /// The bytes of the model file; none before the first row.
    pub fn bytes(&self) -> Result<Option<Vec<u8>>, String> {
        let bytes = self.model.as_ref().map(to_bytes).transpose();
        bytes.map_err(|error| error.to_string())
    }
}

/// Labels that no trial would take are noticed before the first trial, while nothing has changed.
fn check_labels(model: &Model, rows: Block<'_>) -> Result<(), Refused> {
    let refused = |row: usize, error: &LabelError| Refused {
        row: Some(row),
        detail: match error {
            // no row of a body is passed over
            LabelError::None => said(error, Some(&Remedy::clause("give every row a label"))),
            _ => said(error, Some(&error.remedy())),
        },
    };
    for row in 0..rows.len() {
        let mut labels = rows.labels(row);
        let error = match (model.classes().task(), labels.len(), labels.next()) {
            (Task::MultiLabel, _, _) => continue,
            (_, 0, _) | (_, _, None) => LabelError::None,
            (
                Task::Binary {
                    negative: Some(negative),
                    positive,
                },
                1,
                Some(label),
            ) => {
                if negative.is(label) || positive.is(label) {
                    continue;
                }
                LabelError::Third {
                    got: String::from_utf8_lossy(label.text()).into_owned(),
                    negative: negative.name().to_owned(),
                    positive: positive.name().to_owned(),
                }
            }
            (_, 1, _) => continue,
            (_, count, _) => LabelError::Several { count },
        };
        return Err(refused(row, &error));
    }
    Ok(())
}

impl Observer for Trials {
    fn trial(&mut self, _epoch: u32, _row: u64, outcome: Outcome<'_>) {
        let model = outcome.model();
        let label = self.labels.get(|label| match model.classes().task() {
            Task::OneVsRest => {
                let classes = model.classes();
                if let Some(best) = classes.best(|class| outcome.score(class)) {
                    label.extend_from_slice(classes.list()[best].label.name().as_bytes());
                }
            }
            _ => model.labels_where(
                |class| Label::of(outcome.class(class).margin) == Label::Pos,
                label,
            ),
        });
        self.predictions.push(LearnedRow {
            label,
            mistake: outcome.is_mistake(),
        });
        self.counts.push(CountsAfter {
            mistakes: model.totals().mistakes,
            errors: model.validation().map_or(0, |counted| counted.errors),
        });
    }
}
