//! From a point to a model: what the command, the Python package and the service read.

use std::sync::Arc;

use novikoff::classes::{Class, Classes, Counts, Pending, Task};
use novikoff::dual::solved::{Scorer, learner_of};
use novikoff::kernel::Kernel;
use novikoff::label::LabelName;
use novikoff::model::{Model, ModelParts, RowSample, Totals};
use novikoff::names::{NameLimits, Names};
use novikoff::parameter::{Parameter, Parameters};
use novikoff::preparation::Preparation;
use novikoff::schema::Schema;
use novikoff::spec::Spec;
use novikoff_data::arrow::BatchRows;
use novikoff_engine::memory_for;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;

use super::point::PyPoint;
use super::problem::{ProblemWords, PyLocalProblem};
use crate::model::PyModel;
use crate::tables::ReadWords;
use crate::words::{raised, refused};

/// What names of features may take.
const LIMITS: NameLimits = NameLimits {
    slots: u32::MAX - 1,
    bytes: 4 << 30,
};

/// Labels in their order: numbers by value, then other labels by their bytes. Each is there once.
#[pyfunction]
pub(crate) fn label_order(labels: Vec<String>) -> Vec<String> {
    let mut names: Vec<LabelName> = labels.iter().map(|text| LabelName::typed(text)).collect();
    names.sort();
    names.dedup();
    names.iter().map(|label| label.name().to_owned()).collect()
}

/// A model that knows nothing but how named columns become rows: by the first rows, and by the names of features given beforehand.
#[pyfunction]
#[pyo3(signature = (first, read, names, hash_bits=None, bias=None))]
pub(crate) fn table_schema(
    first: PyRecordBatch,
    read: ReadWords,
    names: Vec<String>,
    hash_bits: Option<u32>,
    bias: Option<f32>,
) -> PyResult<PyModel> {
    let mut known = hash_bits.map_or_else(Names::new, Names::hashed);
    for name in &names {
        let slot = known.assign(name, LIMITS);
        slot.map_err(|error| refused(format!("the names of the features: {error}")))?;
    }
    let mut options = read.options()?;
    (options.bias, options.unlabelled) = (bias, true);
    let batch = first.into_inner();
    let mut rows = BatchRows::new(batch.schema_ref(), options, known)
        .map_err(|error| raised(&error.into()))?;
    rows.push(&batch).map_err(|error| raised(&error.into()))?;
    let mut schema = prepared(bias);
    schema.names = rows.names().clone();
    schema.table = Some(rows.table().clone());
    schema.width = schema.names.highest();
    let words = Parts {
        // of no problem, but every solution has them
        parameters: parameters("hinge", 1.0, "off"),
        schema,
        classes: Classes::new(Task::plus_minus()),
        rows: 0,
    };
    words.model(&[Scorer {
        values: &[],
        intercept: 0.0,
    }])
}

/// The model of a point. `columns` knows the named columns, if there are any.
#[pyfunction]
#[pyo3(signature = (problem, point, intercepts, features, columns=None))]
pub(crate) fn solved_model(
    problem: ProblemWords,
    point: &PyPoint,
    intercepts: Vec<f64>,
    features: u32,
    columns: Option<&PyModel>,
) -> PyResult<PyModel> {
    let problem = PyLocalProblem::new(problem)?;
    let words = &problem.words;
    if intercepts.len() != point.vectors.len() {
        return Err(refused("one intercept per class"));
    }
    let bias = match words.constant {
        _ if words.free_bias => "free",
        Some(_) => "constant",
        None => "off",
    };
    let parameters = parameters(&words.loss, words.lambda_, bias);
    let mut schema = schema_of(columns, words.constant);
    schema.width = schema.width.max(features);
    let parts = Parts {
        parameters,
        schema,
        classes: classes_of(&words.labels),
        rows: words.rows,
    };
    let scorers = point.vectors.iter().zip(intercepts);
    let scorers = scorers.map(|(values, intercept)| Scorer { values, intercept });
    parts.model(&scorers.collect::<Vec<_>>())
}

fn parameters(loss: &str, lambda: f64, bias: &str) -> Parameters {
    let word = |name: &str, text: &str| (name.to_owned(), Parameter::Word(text.to_owned()));
    Parameters::from_list(vec![
        word("loss", loss),
        word("reg", "l2"),
        ("lambda".to_owned(), Parameter::Real(lambda)),
        word("bias", bias),
    ])
}

/// How rows are read: as a model of columns knows it, or by the numbers of features.
pub(super) fn schema_of(columns: Option<&PyModel>, bias: Option<f32>) -> Schema {
    match columns {
        Some(columns) => (**columns.model.schema()).clone(),
        None => prepared(bias),
    }
}

fn prepared(bias: Option<f32>) -> Schema {
    Schema::prepared(Preparation {
        bias,
        ..Preparation::default()
    })
}

/// The task of labels in their order: numbers without any, one problem of two, else one per label.
fn task_of(labels: &[String]) -> Task {
    let typed = |text: &String| LabelName::typed(text);
    match labels {
        [] => Task::Regression,
        [negative, positive] => Task::Binary {
            negative: Some(typed(negative)),
            positive: typed(positive),
        },
        _ => Task::OneVsRest,
    }
}

pub(super) fn classes_of(labels: &[String]) -> Classes {
    let task = task_of(labels);
    if let Task::Regression = task {
        return Classes::new(task);
    }
    let positive = if labels.len() == 2 {
        &labels[1..]
    } else {
        labels
    };
    let list = positive.iter().map(|text| Class {
        label: LabelName::typed(text),
        counts: Counts::default(),
    });
    let (list, none) = (list.collect(), Counts::default());
    Classes::restore(task, list, none, Pending::default(), [true; 2])
}

/// A model of weights, but for the weights.
struct Parts {
    parameters: Parameters,
    schema: Schema,
    classes: Classes,
    rows: u64,
}

impl Parts {
    /// The model, given one scorer per class.
    fn model(self, scorers: &[Scorer<'_>]) -> PyResult<PyModel> {
        // with several classes, lane 0 is nobody's
        let background = (!self.classes.is_binary()).then_some(None);
        let lanes = background
            .into_iter()
            .chain(scorers.iter().copied().map(Some));
        let lanes: Vec<Option<Scorer<'_>>> = lanes.collect();
        let learner = learner_of(&lanes, memory_for(None));
        let model = Model::from_parts(ModelParts {
            spec: Spec::solved(),
            parameters: self.parameters,
            kernel: Kernel::LINEAR,
            auto_gamma: false,
            schema: Arc::new(self.schema),
            learner: learner.map_err(|error| refused(error.to_string()))?,
            classes: self.classes,
            totals: Totals {
                trials: self.rows,
                ..Totals::default()
            },
            calibration: None,
            settled_earlier: 0,
            learned: RowSample::default(),
        });
        let model = model.map_err(|error| refused(error.to_string()))?;
        Ok(model.into())
    }
}
