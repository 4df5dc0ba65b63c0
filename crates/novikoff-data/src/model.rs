//! Models on disk: what a [`Model`] is, as a header and arrays in our container.

use std::path::Path;
use std::sync::Arc;

use novikoff::calibration::Calibration;
use novikoff::classes::{Class, Classes, Counts, Pending, Task};
use novikoff::kernel::Kernel;
use novikoff::label::{LabelName, RawLabel};
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, Preparation, Totals};
use novikoff::names::{MAX_BITS, Names};
use novikoff::parameter::{Parameter, Parameters};
use novikoff::remedy::Remedy;
use novikoff::run::Ledger;
use novikoff::spec::Spec;
use novikoff::standardize::Moments;
use novikoff::state::State;
use novikoff::table::{Column, Table};
use serde::{Deserialize, Serialize};

use crate::container::{self, ContainerError, Digest, SectionInfo};

/// Where the means and inverse deviations of `--standardize` are kept.
const MEAN: &str = "standardize/mean";
const SCALE: &str = "standardize/scale";

/// More trials than any run makes: counts of them stay far from overflowing.
const TRIALS: u64 = 1 << 48;

/// What to say of greater ones.
const NO_RUN: &str = "counts that no run leaves behind";

/// The header of a model file.
#[derive(Serialize, Deserialize)]
struct Header {
    spec: String,
    kernel: String,
    parameters: Vec<(String, StoredParameter)>,
    bias: Option<f32>,
    standardize: bool,
    normalize: Option<f64>,
    task: StoredTask,
    classes: Vec<StoredClass>,
    background: (u64, u64),
    pending: StoredPending,
    met: (bool, bool),
    trials: u64,
    mistakes: u64,
    updates: u64,
    width: u32,
    zero_based: bool,
    names: StoredNames,
    table: Option<StoredTable>,
    unfinished: Option<StoredRun>,
}

#[derive(Serialize, Deserialize)]
struct StoredPending {
    any: u64,
    lower: Vec<(u64, u64)>,
}

#[derive(Serialize, Deserialize)]
struct StoredNames {
    slots: Vec<u32>,
    names: Vec<String>,
    highest: u32,
    bits: Option<u32>,
}

#[derive(Serialize, Deserialize)]
struct StoredTable {
    label: Option<String>,
    columns: Vec<(String, bool)>,
}

/// Mistakes and updates.
type StoredCounts = (u64, u64);

#[derive(Serialize, Deserialize)]
struct StoredRun {
    epochs: u32,
    shuffle: Option<u64>,
    epoch: u32,
    done: u64,
    rows: u64,
    features: u32,
    inputs: Vec<(String, Option<u64>)>,
    reading: String,
    ledger_epochs: Vec<StoredCounts>,
    ledger_classes: Vec<Vec<StoredCounts>>,
    totals: (u64, u64, u64),
    class_totals: Vec<StoredCounts>,
    background: StoredCounts,
    earlier: StoredPending,
    settled_earlier: u64,
    skipped: u64,
    samples: Vec<String>,
}

#[derive(Serialize, Deserialize)]
enum StoredParameter {
    Real(f64),
    Word(String),
}

#[derive(Serialize, Deserialize)]
struct StoredLabel {
    name: String,
    number: Option<f64>,
}

#[derive(Serialize, Deserialize)]
enum StoredTask {
    Binary {
        negative: Option<StoredLabel>,
        positive: StoredLabel,
    },
    OneVsRest,
    MultiLabel,
    Regression,
}

#[derive(Serialize, Deserialize)]
struct StoredClass {
    label: StoredLabel,
    mistakes: u64,
    updates: u64,
}

/// A run that was saved before it was done, so that it can go on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unfinished {
    /// Epochs in all.
    pub epochs: u32,
    /// The seed of the orders, if rows are shuffled.
    pub shuffle: Option<u64>,
    /// The epoch it is in.
    pub epoch: u32,
    /// How many trials of that epoch were made.
    pub done: u64,
    /// Rows of the data met so far.
    pub rows: u64,
    /// The highest feature number met in them.
    pub features: u32,
    /// The inputs' names, and their sizes where they have one.
    pub inputs: Vec<(String, Option<u64>)>,
    /// The options that say what the rows are.
    pub reading: String,
    /// What was done so far.
    pub ledger: Ledger,
    /// Bad lines passed over, and what is wrong with the first ones.
    pub skipped: (u64, Vec<String>),
}

/// What can be wrong with a model file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file.
    #[error(transparent)]
    File(#[from] ContainerError),
    /// What the file says.
    #[error("{path}: not a model this version can use: {what}")]
    Content {
        /// The file.
        path: String,
        /// What does not fit.
        what: String,
    },
}

impl ModelError {
    /// What to do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            ModelError::File(error) => error.remedy(),
            ModelError::Content { .. } => {
                Some("train it again or use the version that wrote it".into())
            }
        }
    }
}

/// A model and what its file says about itself.
pub struct LoadedModel {
    /// The model.
    pub model: Model,
    /// The digest of the file.
    pub digest: Digest,
    /// Its arrays.
    pub sections: Vec<SectionInfo>,
    /// The run it was saved in the middle of, if it was.
    pub unfinished: Option<Unfinished>,
}

fn store(label: &LabelName) -> StoredLabel {
    StoredLabel {
        name: label.name().to_owned(),
        number: label.number(),
    }
}

fn restore(label: &StoredLabel) -> LabelName {
    LabelName::new(RawLabel::new(
        label.number.unwrap_or(f64::NAN),
        label.name.as_bytes(),
    ))
}

fn store_pending(pending: &Pending) -> StoredPending {
    let lower = pending.lower.iter();
    StoredPending {
        any: pending.any,
        lower: lower.map(|(&class, &n)| (class as u64, n)).collect(),
    }
}

fn restore_pending(stored: StoredPending, classes: usize) -> Result<Pending, String> {
    let mut pending = Pending {
        any: stored.any,
        ..Pending::default()
    };
    for (class, trials) in stored.lower {
        let class = usize::try_from(class).ok().filter(|&class| class < classes);
        pending
            .lower
            .insert(class.ok_or("a pending trial of no class")?, trials);
    }
    let lower = pending.lower.values();
    if lower.fold(pending.any, |sum, &n| sum.saturating_add(n)) >= TRIALS {
        return Err(NO_RUN.to_owned());
    }
    Ok(pending)
}

fn store_counts(counts: &[Counts]) -> Vec<StoredCounts> {
    counts.iter().map(|c| (c.mistakes, c.updates)).collect()
}

fn restore_counts(stored: Vec<StoredCounts>) -> Vec<Counts> {
    let counts = |(mistakes, updates)| Counts { mistakes, updates };
    stored.into_iter().map(counts).collect()
}

fn store_run(run: &Unfinished, model: &Model) -> StoredRun {
    let ledger = &run.ledger;
    let Totals {
        trials,
        mistakes,
        updates,
    } = ledger.totals;
    StoredRun {
        epochs: run.epochs,
        shuffle: run.shuffle,
        epoch: run.epoch,
        done: run.done,
        rows: run.rows,
        features: run.features,
        inputs: run.inputs.clone(),
        reading: run.reading.clone(),
        ledger_epochs: store_counts(&ledger.epochs),
        ledger_classes: ledger.classes.iter().map(|c| store_counts(c)).collect(),
        totals: (trials, mistakes, updates),
        class_totals: store_counts(&ledger.class_totals),
        background: (ledger.background.mistakes, ledger.background.updates),
        earlier: store_pending(&model.classes.earlier),
        settled_earlier: model.settled_earlier,
        skipped: run.skipped.0,
        samples: run.skipped.1.clone(),
    }
}

fn restore_run(stored: StoredRun, model: &mut Model) -> Result<Unfinished, String> {
    let classes = model.classes.list().len();
    let sums = |c: &Counts| c.mistakes < 1 << 62 && c.updates < 1 << 62;
    let (trials, mistakes, updates) = stored.totals;
    let (background_mistakes, background_updates) = stored.background;
    let ledger = Ledger {
        epochs: restore_counts(stored.ledger_epochs),
        classes: stored
            .ledger_classes
            .into_iter()
            .map(restore_counts)
            .collect(),
        totals: Totals {
            trials,
            mistakes,
            updates,
        },
        class_totals: restore_counts(stored.class_totals),
        background: Counts {
            mistakes: background_mistakes,
            updates: background_updates,
        },
    };
    let list = model.classes.list();
    let before = ledger.class_totals.iter().zip(list);
    let sound = ledger.class_totals.len() <= classes
        && ledger.classes.len() <= classes
        && ledger.epochs.len() == stored.epoch as usize
        && ledger
            .classes
            .iter()
            .all(|c| c.len() <= ledger.epochs.len())
        && ledger.epochs.iter().all(sums)
        && sums(&ledger.background)
        && before
            .clone()
            .all(|(was, is)| was.mistakes <= is.counts.mistakes)
        && before
            .clone()
            .all(|(was, is)| was.updates <= is.counts.updates)
        && trials <= model.totals.trials
        && mistakes <= model.totals.mistakes
        && updates <= model.totals.updates
        && stored.epoch < stored.epochs
        && stored.settled_earlier <= model.totals.mistakes;
    if !sound {
        return Err(NO_RUN.to_owned());
    }
    model.classes.earlier = restore_pending(stored.earlier, classes)?;
    model.settled_earlier = stored.settled_earlier;
    Ok(Unfinished {
        epochs: stored.epochs,
        shuffle: stored.shuffle,
        epoch: stored.epoch,
        done: stored.done,
        rows: stored.rows,
        features: stored.features,
        inputs: stored.inputs,
        reading: stored.reading,
        ledger,
        skipped: (stored.skipped, stored.samples),
    })
}

fn store_names(names: &Names) -> StoredNames {
    let (slots, texts) = names
        .iter()
        .map(|(slot, name)| (slot, name.to_owned()))
        .unzip();
    StoredNames {
        slots,
        names: texts,
        highest: names.highest(),
        bits: names.bits(),
    }
}

fn restore_names(stored: StoredNames) -> Result<Names, String> {
    match stored.bits {
        Some(bits) if (1..=MAX_BITS).contains(&bits) && stored.slots.is_empty() => {
            Ok(Names::hashed(bits))
        }
        Some(bits) => Err(format!("hashed slots of {bits} bits")),
        None => Names::restore(stored.slots, &stored.names, stored.highest)
            .ok_or_else(|| "names of features that do not fit their slots".to_owned()),
    }
}

/// Writes a model, atomically: the file is whole or untouched.
pub fn save(model: &Model, path: &Path) -> Result<Digest, ModelError> {
    save_run(model, None, path)
}

/// Writes a model in the middle of a run, or at its end, atomically.
pub fn save_run(
    model: &Model,
    unfinished: Option<&Unfinished>,
    path: &Path,
) -> Result<Digest, ModelError> {
    let (header, state) = parts(model, unfinished).map_err(|what| content(path, &what))?;
    Ok(container::save(path, &header, &state)?)
}

/// The bytes that [`save`] would write.
pub fn to_bytes(model: &Model) -> Result<Vec<u8>, ModelError> {
    let in_memory = Path::new(container::IN_MEMORY);
    let (header, state) = parts(model, None).map_err(|what| content(in_memory, &what))?;
    Ok(container::to_bytes(&header, &state)?)
}

/// What a file holds: the header and the arrays.
fn parts<'m>(
    model: &'m Model,
    unfinished: Option<&Unfinished>,
) -> Result<(Vec<u8>, State<'m>), postcard::Error> {
    let classes = &model.classes;
    let task = match classes.task() {
        Task::Binary { negative, positive } => StoredTask::Binary {
            negative: negative.as_ref().map(store),
            positive: store(positive),
        },
        Task::OneVsRest => StoredTask::OneVsRest,
        Task::MultiLabel => StoredTask::MultiLabel,
        Task::Regression => StoredTask::Regression,
    };
    let stored_class = |class: &Class| StoredClass {
        label: store(&class.label),
        mistakes: class.counts.mistakes,
        updates: class.counts.updates,
    };
    let parameters = model.parameters.iter().map(|(name, value)| {
        let value = match value {
            Parameter::Real(number) => StoredParameter::Real(*number),
            Parameter::Word(word) => StoredParameter::Word(word.clone()),
        };
        (name.to_owned(), value)
    });
    // a run that is done leaves its pending trials to the next
    let pending = match unfinished {
        Some(_) => classes.pending.clone(),
        None => classes.unsettled(),
    };
    let [negative_met, positive_met] = classes.met();
    let header = Header {
        spec: model.spec.text().to_owned(),
        kernel: model.kernel.to_string(),
        parameters: parameters.collect(),
        bias: model.preparation.bias,
        standardize: model.preparation.standardize.is_some(),
        normalize: model.preparation.normalize,
        task,
        classes: classes.list().iter().map(stored_class).collect(),
        background: (classes.background.mistakes, classes.background.updates),
        pending: store_pending(&pending),
        met: (negative_met, positive_met),
        trials: model.totals.trials,
        mistakes: model.totals.mistakes,
        updates: model.totals.updates,
        width: model.width,
        zero_based: model.zero_based,
        names: store_names(&model.names),
        table: model.table.as_ref().map(|table| StoredTable {
            label: table.label.clone(),
            columns: table
                .columns
                .iter()
                .map(|column| (column.name.clone(), column.categorical))
                .collect(),
        }),
        unfinished: unfinished.map(|run| store_run(run, model)),
    };
    let header = postcard::to_stdvec(&header)?;
    let mut state = State::new();
    model.learner.save(&mut state);
    if let Some(moments) = &model.preparation.standardize {
        state.put_f64(MEAN, moments.mean());
        state.put_f64(SCALE, moments.scale());
    }
    if let Some(calibration) = &model.calibration {
        calibration.save(&mut state);
    }
    Ok((header, state))
}

fn content(path: &Path, what: &impl ToString) -> ModelError {
    ModelError::Content {
        path: path.display().to_string(),
        what: what.to_string(),
    }
}

/// Reads a model whose state may take `memory` bytes.
pub fn load(path: &Path, memory: u128) -> Result<LoadedModel, ModelError> {
    let limit = u64::try_from(memory).unwrap_or(u64::MAX);
    restored(path, container::load_within(path, limit)?, memory)
}

/// The model of [`to_bytes`], or of a whole file, whose state may take `memory` bytes; errors name the file `<bytes>`.
pub fn from_bytes(bytes: &[u8], memory: u128) -> Result<LoadedModel, ModelError> {
    let limit = u64::try_from(memory).unwrap_or(u64::MAX);
    let loaded = container::from_bytes_within(bytes, limit)?;
    restored(Path::new(container::IN_MEMORY), loaded, memory)
}

fn restored(
    path: &Path,
    loaded: container::Loaded,
    memory: u128,
) -> Result<LoadedModel, ModelError> {
    let header: Header =
        postcard::from_bytes(&loaded.header).map_err(|error| content(path, &error))?;
    let built = build(header, loaded.state, memory);
    let (model, unfinished) = built.map_err(|what| content(path, &what))?;
    Ok(LoadedModel {
        model,
        unfinished,
        digest: loaded.digest,
        sections: loaded.sections,
    })
}

fn build(
    header: Header,
    mut state: State<'static>,
    memory: u128,
) -> Result<(Model, Option<Unfinished>), String> {
    let spec = Spec::stored(&header.spec).map_err(|error| error.to_string())?;
    let kernel = Kernel::parse(&header.kernel).map_err(|error| error.to_string())?;
    let parameters = restore_parameters(&spec, header.parameters)?;
    let task = match header.task {
        StoredTask::Binary { negative, positive } => Task::Binary {
            negative: negative.as_ref().map(restore),
            positive: restore(&positive),
        },
        StoredTask::OneVsRest => Task::OneVsRest,
        StoredTask::MultiLabel => Task::MultiLabel,
        StoredTask::Regression => Task::Regression,
    };
    if matches!(task, Task::Regression) && spec.learns() {
        return Err("a learner of labels that predicts numbers".to_owned());
    }
    let binary = matches!(task, Task::Binary { .. } | Task::Regression);
    let list: Vec<Class> = header
        .classes
        .into_iter()
        .map(|class| Class {
            label: restore(&class.label),
            counts: Counts {
                mistakes: class.mistakes,
                updates: class.updates,
            },
        })
        .collect();
    if binary && list.len() != 1 {
        return Err(format!("{} classes in a binary model", list.len()));
    }
    let mut labels: Vec<&LabelName> = list.iter().map(|class| &class.label).collect();
    labels.sort_unstable();
    if labels.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err("two classes of the same label".to_owned());
    }
    let lanes = list.len() + usize::from(!binary);
    let pending = restore_pending(header.pending, list.len())?;
    let (mistakes, updates) = header.background;
    let background = Counts { mistakes, updates };
    let few = |c: &Counts| c.mistakes < TRIALS && c.updates < TRIALS;
    if !few(&background) || !list.iter().all(|class| few(&class.counts)) {
        return Err(NO_RUN.to_owned());
    }
    let met = [header.met.0, header.met.1];
    let classes = Classes::restore(task, list, background, pending, met);
    let mut learner = spec
        .learner(&parameters, kernel, memory)
        .map_err(|error| error.to_string())?;
    learner
        .load(lanes, &mut state)
        .map_err(|error| error.to_string())?;
    let standardize = if header.standardize {
        let both = state.take_f64(MEAN).ok().zip(state.take_f64(SCALE).ok());
        let moments = both.and_then(|(mean, scale)| Moments::restore(mean, scale));
        Some(Arc::new(
            moments.ok_or("its means and deviations do not fit together")?,
        ))
    } else {
        None
    };
    let calibration = restore_calibration(&classes, learner.hypotheses(), &mut state)?;
    if let Some(name) = state.left() {
        return Err(format!("an array `{name}` that this learner does not have"));
    }
    let sound = header.bias.is_none_or(f32::is_finite)
        && header.normalize.is_none_or(|p| p >= 1.0)
        && header.trials < TRIALS
        && header.mistakes < TRIALS
        && header.updates < 1 << 62;
    if !sound {
        return Err("numbers that no run leaves behind".to_owned());
    }
    let preparation = Preparation {
        bias: header.bias,
        standardize,
        normalize: header.normalize,
    };
    let mut model = Model::restore(spec, parameters, preparation, learner, classes);
    model.totals = Totals {
        trials: header.trials,
        mistakes: header.mistakes,
        updates: header.updates,
    };
    model.kernel = kernel;
    model.calibration = calibration;
    model.width = header.width;
    model.zero_based = header.zero_based;
    model.names = restore_names(header.names)?;
    model.table = header.table.map(restore_table);
    let unfinished = header
        .unfinished
        .map(|run| restore_run(run, &mut model))
        .transpose()?;
    Ok((model, unfinished))
}

fn restore_table(stored: StoredTable) -> Table {
    let column = |(name, categorical)| Column { name, categorical };
    Table {
        label: stored.label,
        columns: stored.columns.into_iter().map(column).collect(),
    }
}

/// The maps must be those of the model's classes and of a predictor it has.
fn restore_calibration(
    classes: &Classes,
    hypotheses: &[Hypothesis],
    state: &mut State<'static>,
) -> Result<Option<Calibration>, String> {
    let loaded = Calibration::load(classes.list().len(), state);
    let Some(calibration) = loaded.map_err(|error| error.to_string())? else {
        return Ok(None);
    };
    if matches!(classes.task(), Task::Regression) {
        return Err("probabilities for a model that predicts numbers".to_owned());
    }
    if !hypotheses.contains(&calibration.hypothesis) || calibration.rows >= TRIALS {
        return Err("a calibration that no run leaves behind".to_owned());
    }
    Ok(Some(calibration))
}

/// The stored parameters must be those the learner has, each in its range.
fn restore_parameters(
    spec: &Spec,
    stored: Vec<(String, StoredParameter)>,
) -> Result<Parameters, String> {
    let names: Vec<&str> = spec.entry().keys.iter().map(|key| key.name).collect();
    if !names.iter().eq(stored.iter().map(|(name, _)| name)) {
        return Err(format!("its parameters are not those of {}", spec.name()));
    }
    let list: Vec<(String, Parameter)> = stored
        .into_iter()
        .map(|(name, value)| match value {
            StoredParameter::Real(number) => (name, Parameter::Real(number)),
            StoredParameter::Word(word) => (name, Parameter::Word(word)),
        })
        .collect();
    for (key, (_, value)) in spec.entry().keys.iter().zip(&list) {
        let typed = match value {
            Parameter::Real(number) => number.to_string(),
            Parameter::Word(word) => word.clone(),
        };
        if !key.allows(&typed) {
            return Err(format!("{} = {typed}: must be {}", key.name, key.allowed()));
        }
    }
    Ok(Parameters::from_list(list))
}
