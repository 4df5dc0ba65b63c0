//! Models on disk: what a [`Model`] is, as a header and arrays in our container.

use std::path::Path;
use std::sync::Arc;

use novikoff::classes::{Class, Classes, Counts, Pending, Task};
use novikoff::label::{LabelName, RawLabel};
use novikoff::model::{Model, Preparation, Totals};
use novikoff::parameter::{Parameter, Parameters};
use novikoff::spec::Spec;
use novikoff::standardize::Moments;
use novikoff::state::State;
use serde::{Deserialize, Serialize};

use crate::container::{self, ContainerError, Digest, SectionInfo};

/// Where the means and inverse deviations of `--standardize` are kept.
const MEAN: &str = "standardize/mean";
const SCALE: &str = "standardize/scale";

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
    pending_any: u64,
    pending_lower: Vec<(u64, u64)>,
    met: (bool, bool),
    trials: u64,
    mistakes: u64,
    updates: u64,
    width: u32,
    zero_based: bool,
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
}

#[derive(Serialize, Deserialize)]
struct StoredClass {
    label: StoredLabel,
    mistakes: u64,
    updates: u64,
}

/// What can be wrong with a model file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file.
    #[error(transparent)]
    File(#[from] ContainerError),
    /// What the file says.
    #[error(
        "{path}: not a model this version can use: {what}; train it again or use the version that wrote it"
    )]
    Content {
        /// The file.
        path: String,
        /// What does not fit.
        what: String,
    },
}

/// A model and what its file says about itself.
pub struct LoadedModel {
    /// The model.
    pub model: Model,
    /// The digest of the file.
    pub digest: Digest,
    /// Its arrays.
    pub sections: Vec<SectionInfo>,
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

/// Writes a model, atomically: the file is whole or untouched.
pub fn save(model: &Model, path: &Path) -> Result<Digest, ModelError> {
    let classes = &model.classes;
    let task = match classes.task() {
        Task::Binary { negative, positive } => StoredTask::Binary {
            negative: negative.as_ref().map(store),
            positive: store(positive),
        },
        Task::OneVsRest => StoredTask::OneVsRest,
        Task::MultiLabel => StoredTask::MultiLabel,
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
    let pending = classes.unsettled();
    let [negative_met, positive_met] = classes.met();
    let header = Header {
        spec: model.spec.text().to_owned(),
        kernel: "linear".to_owned(),
        parameters: parameters.collect(),
        bias: model.preparation.bias,
        standardize: model.preparation.standardize.is_some(),
        normalize: model.preparation.normalize,
        task,
        classes: classes.list().iter().map(stored_class).collect(),
        background: (classes.background.mistakes, classes.background.updates),
        pending_any: pending.any,
        pending_lower: pending
            .lower
            .iter()
            .map(|(&class, &n)| (class as u64, n))
            .collect(),
        met: (negative_met, positive_met),
        trials: model.totals.trials,
        mistakes: model.totals.mistakes,
        updates: model.totals.updates,
        width: model.width,
        zero_based: model.zero_based,
    };
    let header = postcard::to_stdvec(&header).map_err(|error| content(path, &error))?;
    let mut state = State::new();
    model.learner.save(&mut state);
    if let Some(moments) = &model.preparation.standardize {
        state.put_f64(MEAN, moments.mean());
        state.put_f64(SCALE, moments.scale());
    }
    Ok(container::save(path, &header, &state)?)
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
    let loaded = container::load_within(path, limit)?;
    let header: Header =
        postcard::from_bytes(&loaded.header).map_err(|error| content(path, &error))?;
    let model = build(header, loaded.state, memory).map_err(|what| content(path, &what))?;
    Ok(LoadedModel {
        model,
        digest: loaded.digest,
        sections: loaded.sections,
    })
}

fn build(header: Header, mut state: State<'static>, memory: u128) -> Result<Model, String> {
    let spec = Spec::parse(&header.spec).map_err(|error| error.to_string())?;
    if header.kernel != "linear" {
        return Err(format!("kernel {}", header.kernel));
    }
    let parameters = restore_parameters(&spec, header.parameters)?;
    let task = match header.task {
        StoredTask::Binary { negative, positive } => Task::Binary {
            negative: negative.as_ref().map(restore),
            positive: restore(&positive),
        },
        StoredTask::OneVsRest => Task::OneVsRest,
        StoredTask::MultiLabel => Task::MultiLabel,
    };
    let binary = matches!(task, Task::Binary { .. });
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
    let mut pending = Pending {
        any: header.pending_any,
        ..Pending::default()
    };
    for (class, trials) in header.pending_lower {
        let class = usize::try_from(class)
            .ok()
            .filter(|&class| class < list.len());
        pending
            .lower
            .insert(class.ok_or("a pending trial of no class")?, trials);
    }
    let (mistakes, updates) = header.background;
    let background = Counts { mistakes, updates };
    let met = [header.met.0, header.met.1];
    let classes = Classes::restore(task, list, background, pending, met);
    let mut learner = (spec.entry().build)(&parameters, memory);
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
    if let Some(name) = state.left() {
        return Err(format!("an array `{name}` that this learner does not have"));
    }
    let sound = header.bias.is_none_or(f32::is_finite)
        && header.normalize.is_none_or(|p| p >= 1.0)
        && [header.trials, header.mistakes, header.updates]
            .iter()
            .all(|&n| n < 1 << 62);
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
    model.width = header.width;
    model.zero_based = header.zero_based;
    Ok(model)
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
