//! Keyword arguments checked: from Python to the options of a job.

use std::num::NonZero;
use std::thread::available_parallelism;

use novikoff::classes::Task;
use novikoff::kernel::KernelSpec;
use novikoff::label::LabelName;
use novikoff::learner::Hypothesis;
use novikoff::map::MapSpec;
use novikoff_engine::class_weight::ClassWeight;
use novikoff_engine::memory_for;
use novikoff_engine::options::{RowOptions, RunOptions};
use pyo3::prelude::*;

use crate::words::{PythonDoor, refused};
use novikoff::grammar::GrammarError;
use novikoff::remedy::said;

/// How much the rows of a label count.
#[derive(FromPyObject)]
pub(crate) enum ClassWeightWords {
    /// Labels and what their rows count.
    Given(Vec<(String, f64)>),
    /// `"balanced"`, for files: an array's rows are counted by whoever has it.
    Word(String),
}

/// How a learner runs, as the estimators say it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct RunWords {
    epochs: u32,
    shuffle: Option<u64>,
    kernel: Option<String>,
    map: Option<String>,
    bias: Option<f32>,
    /// 0 is off; none is what the learner asks for.
    normalize: Option<f64>,
    standardize: bool,
    average: bool,
    class_weight: Option<ClassWeightWords>,
    /// Two labels, or none for one problem per class.
    labels: Option<(String, String)>,
    /// How many features there are.
    features: Option<u32>,
    threads: Option<usize>,
    /// Megabytes.
    max_memory: Option<u64>,
}

impl RunWords {
    /// The options of a run that begins with no model.
    pub(crate) fn run(&self) -> PyResult<RunOptions> {
        Ok(RunOptions {
            epochs: Some(self.epochs.max(1)),
            until_separated: false,
            shuffle: self.shuffle,
            permutations: None,
            kernel: self.kernel()?,
            map: parsed("map", self.map.as_deref(), MapSpec::parse)?,
            bias: Some(self.bias),
            normalize: self.normalize()?,
            standardize: self.standardize,
            task: Some(self.task()),
            features: self.features,
            by: self.average.then_some(Hypothesis::Averaged),
            class_weight: self.class_weight()?,
            ..RunOptions::default()
        })
    }

    /// The options of a run that goes on from a model, which knows the rest.
    pub(crate) fn more(&self) -> RunOptions {
        RunOptions {
            epochs: Some(self.epochs.max(1)),
            shuffle: self.shuffle,
            ..RunOptions::default()
        }
    }

    pub(crate) fn rows(&self) -> RowOptions {
        RowOptions {
            threads: threads(self.threads),
            memory: memory_for(self.max_memory),
            lenient: true,
            ..RowOptions::default()
        }
    }

    fn class_weight(&self) -> PyResult<ClassWeight> {
        match &self.class_weight {
            None => Ok(ClassWeight::Off),
            Some(ClassWeightWords::Given(given)) => {
                let named = given.iter();
                let named = named.map(|(label, weight)| (LabelName::typed(label), *weight));
                Ok(ClassWeight::Given(named.collect()))
            }
            Some(ClassWeightWords::Word(word)) if word == "balanced" => Ok(ClassWeight::Balanced),
            Some(ClassWeightWords::Word(word)) => Err(refused(format!(
                "class_weight={word:?}: must be None, \"balanced\" or a dict of labels and weights"
            ))),
        }
    }

    fn kernel(&self) -> PyResult<Option<KernelSpec>> {
        parsed("kernel", self.kernel.as_deref(), KernelSpec::parse)
    }

    #[allow(clippy::option_option)] // not said, off, or a norm: as the engine has it
    fn normalize(&self) -> PyResult<Option<Option<f64>>> {
        match self.normalize {
            None => Ok(None),
            Some(0.0) => Ok(Some(None)),
            Some(p) if p >= 1.0 => Ok(Some(Some(p))),
            Some(p) => Err(refused(format!(
                "normalize={p}: must be \"off\", inf or a number >= 1; 2 is usual"
            ))),
        }
    }

    fn task(&self) -> Task {
        let Some((negative, positive)) = &self.labels else {
            return Task::OneVsRest;
        };
        let [negative, positive] = [negative, positive].map(|label| LabelName::typed(label));
        let plus_minus = (negative.number(), positive.number()) == (Some(-1.0), Some(1.0));
        if plus_minus {
            return Task::plus_minus();
        }
        Task::Binary {
            negative: Some(negative),
            positive,
        }
    }
}

/// As many threads as there are cores, unless a number is given.
pub(crate) fn threads(given: Option<usize>) -> usize {
    let cores = || available_parallelism().map_or(1, NonZero::get);
    given.unwrap_or_else(cores).clamp(1, 256)
}

/// A value in the grammar of specs.
fn parsed<T>(
    name: &str,
    text: Option<&str>,
    parse: impl FnOnce(&str) -> Result<T, GrammarError>,
) -> PyResult<Option<T>> {
    let Some(text) = text else { return Ok(None) };
    let value = parse(text).map_err(|error| {
        let facts = format!("{name}={text:?}: {error}");
        refused(said(&facts, error.remedy().as_ref(), &PythonDoor::Rows))
    })?;
    Ok(Some(value))
}
