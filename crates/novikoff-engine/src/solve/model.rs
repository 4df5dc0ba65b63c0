//! From solutions to a model.

use std::sync::Arc;

use novikoff::classes::{Classes, Task};
use novikoff::dual::{Problem, Solution, solved};
use novikoff::kernel::{Kernel, KernelSpec};
use novikoff::learner::Learner;
use novikoff::model::{Model, ModelParts, RowSample, Totals};
use novikoff::parameter::{Parameter, Parameters};
use novikoff::schema::Schema;
use novikoff::sizes;
use novikoff::sizes::Sizes;
use novikoff::spec::Spec;

use super::{ReadRows, Solve};
use crate::Error;
use crate::prepared::Prepared;
use crate::profile::sizes_of;
use crate::worth::numbers::are_quantities;

/// A model of solutions, but for the solutions.
pub(crate) struct SolvedModel<'s> {
    pub(crate) parameters: Parameters,
    pub(crate) schema: Schema,
    pub(crate) classes: &'s Classes,
    pub(crate) kernel: Kernel,
    /// Whether its gamma was `auto`.
    pub(crate) auto_gamma: bool,
    /// The rows that it was solved for.
    pub(crate) trials: u64,
    /// Some of them.
    pub(crate) learned: RowSample,
}

impl SolvedModel<'_> {
    /// The model, given one solution per class.
    pub(crate) fn of(
        self,
        solutions: &[&Solution],
        problem: &Problem<'_>,
        memory: u128,
    ) -> Result<Model, Error> {
        let learner = learner_of(solutions, self.classes, problem, self.kernel, memory)?;
        let model = Model::from_parts(ModelParts {
            spec: Spec::solved(),
            parameters: self.parameters,
            kernel: self.kernel,
            auto_gamma: self.auto_gamma,
            schema: Arc::new(self.schema),
            learner,
            classes: self.classes.clone(),
            totals: Totals {
                trials: self.trials,
                ..Totals::default()
            },
            calibration: None,
            settled_earlier: 0,
            learned: self.learned,
        });
        model.map_err(|error| Error::plain(error.to_string()))
    }
}

impl Solve {
    /// The model of one lambda.
    pub(crate) fn model(
        &self,
        solutions: &[&Solution],
        read: &ReadRows,
        prepared: &Prepared<'_>,
        lambda: f64,
    ) -> Result<Model, Error> {
        let theta = self.theta.unwrap_or(0.0);
        // a threshold is an intercept
        let shifted: Vec<Solution> = solutions
            .iter()
            .map(|s| Solution {
                intercept: s.intercept - theta,
                ..(*s).clone()
            })
            .collect();
        let shifted: Vec<&Solution> = shifted.iter().collect();
        let bias = match self.run.bias.flatten() {
            _ if self.free_bias => "free",
            Some(_) => "constant",
            None => "off",
        };
        let word = |name: &str, text: &str| (name.to_owned(), Parameter::Word(text.to_owned()));
        let parameters = Parameters::from_list(vec![
            word("loss", self.loss.text()),
            word("reg", self.reg.text()),
            ("lambda".to_owned(), Parameter::Real(lambda)),
            word("bias", bias),
        ]);
        let problem = prepared.problem(read.labelled.aims(0));
        let mut schema = (*read.held.schema).clone();
        schema.preparation = read.preparation.clone();
        (schema.width, schema.zero_based) = (read.held.width(), self.rows.read.zero_based);
        schema.sizes = Arc::new(self.sizes(read));
        let solved = SolvedModel {
            parameters,
            schema,
            classes: &read.labelled.classes,
            kernel: self.kernel(),
            auto_gamma: self.run.kernel.is_some_and(KernelSpec::was_auto),
            trials: read.held.len() as u64,
            learned: self.learned(read),
        };
        let mut model = solved.of(&shifted, &problem, self.rows.memory)?;
        let task = read.labelled.classes.task();
        if !matches!(task, Task::MultiLabel | Task::Regression) {
            let weights = &self.class_weight;
            let weights = weights.resolve(task, || Ok(read.held.label_counts()))?;
            let set = model.set_class_weights(weights);
            set.map_err(|error| Error::plain(error.to_string()))?;
        }
        Ok(model)
    }

    /// How large the numbers of the rows are, and the labels that are quantities.
    fn sizes(&self, read: &ReadRows) -> Sizes {
        let mut sizes = sizes_of(&read.held);
        if let Some(labels) = self.quantities(read) {
            let kept = labels.len().min(sizes::ROWS as usize);
            sizes.labels((0..kept).map(|k| labels[k * labels.len() / kept]));
        }
        sizes
    }

    /// The labels, if they are quantities.
    pub(super) fn quantities<'r>(&self, read: &'r ReadRows) -> Option<&'r [f64]> {
        let labels = read.labelled.numbers();
        labels.filter(|_| are_quantities(&self.loss))
    }

    /// A sample of the rows, and of two labels how many rows have each.
    fn learned(&self, read: &ReadRows) -> RowSample {
        let is_binary = read.labelled.classes.is_binary() && self.loss.loss().classifies();
        if !is_binary {
            return read.held.sample();
        }
        let mut learned = RowSample::default();
        for (row, aim) in read.labelled.aims(0).iter().enumerate() {
            let (block, place) = read.held.at(row);
            learned.add(block.row(place), aim.sign > 0.0);
        }
        learned
    }
}

fn learner_of(
    solutions: &[&Solution],
    classes: &Classes,
    problem: &Problem<'_>,
    kernel: Kernel,
    memory: u128,
) -> Result<Box<dyn Learner>, Error> {
    // with several classes, lane 0 is nobody's
    let background = (!classes.is_binary()).then_some(None);
    let lanes: Vec<Option<&Solution>> = background
        .into_iter()
        .chain(solutions.iter().map(|s| Some(*s)))
        .collect();
    let learner = if kernel == Kernel::LINEAR {
        solved::learner(&lanes, memory)
    } else {
        solved::kernel_learner(&lanes, problem, kernel, memory)
    };
    learner.map_err(|error| Error::plain(error.to_string()))
}
