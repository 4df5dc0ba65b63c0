//! From a point to a model: what all doors read.

use std::sync::Arc;

use novikoff::classes::{Class, Classes, Counts, Pending, Task};
use novikoff::dual::solved::{Scorer, learner_of};
use novikoff::kernel::Kernel;
use novikoff::label::LabelName;
use novikoff::model::{Model, ModelParts, RowSample, Totals};
use novikoff::parameter::{Parameter, Parameters};
use novikoff::preparation::Preparation;
use novikoff::schema::Schema;
use novikoff::spec::Spec;

use super::point::Point;
use super::problem::PartitionedProblem;
use crate::{Error, memory_for};

/// Labels in their order: numbers by value, then other labels by their bytes. Each is there once.
pub fn label_order(labels: &[String]) -> Vec<String> {
    let mut names: Vec<LabelName> = labels.iter().map(|text| LabelName::typed(text)).collect();
    names.sort();
    names.dedup();
    names.iter().map(|label| label.name().to_owned()).collect()
}

/// A model that knows nothing but how named columns become rows.
pub fn columns_model(schema: Schema) -> Result<Model, Error> {
    let parts = Parts {
        // of no problem, but every solution has them
        parameters: parameters("hinge", 1.0, "off"),
        schema,
        classes: Classes::new(Task::plus_minus()),
        rows: 0,
    };
    parts.model(&[Scorer {
        values: &[],
        intercept: 0.0,
    }])
}

/// The model of a point. `columns` knows the named columns, if there are any.
pub fn solved_model(
    problem: &PartitionedProblem,
    point: &Point,
    intercepts: &[f64],
    features: u32,
    columns: Option<&Schema>,
) -> Result<Model, Error> {
    let facts = &problem.facts;
    if intercepts.len() != point.vectors.len() {
        return Err(Error::plain("there must be one intercept per class"));
    }
    let bias = match facts.constant {
        _ if facts.free_bias => "free",
        Some(_) => "constant",
        None => "off",
    };
    let mut schema = schema_of(columns, facts.constant);
    schema.width = schema.width.max(features);
    let parts = Parts {
        parameters: parameters(&facts.loss, facts.lambda, bias),
        schema,
        classes: classes_of(&facts.labels),
        rows: facts.rows,
    };
    let scorers = point.vectors.iter().zip(intercepts);
    let scorers = scorers.map(|(values, &intercept)| Scorer { values, intercept });
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

/// How rows are read: as named columns, or by the numbers of features.
pub(super) fn schema_of(columns: Option<&Schema>, bias: Option<f32>) -> Schema {
    columns.map_or_else(|| plain_schema(bias), Schema::clone)
}

/// Rows whose features are numbers, with a constant feature or without.
pub fn plain_schema(bias: Option<f32>) -> Schema {
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
    fn model(self, scorers: &[Scorer<'_>]) -> Result<Model, Error> {
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
            learner: learner.map_err(|error| Error::plain(error.to_string()))?,
            classes: self.classes,
            totals: Totals {
                trials: self.rows,
                ..Totals::default()
            },
            calibration: None,
            settled_earlier: 0,
            learned: RowSample::default(),
        });
        model.map_err(|error| Error::plain(error.to_string()))
    }
}
