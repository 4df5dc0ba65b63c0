//! The header of a model file: everything of a model that is no array.
//!
//! One struct is written and read, field by field in this order; only the names differ, which are written from the dictionary without a copy.

use std::borrow::Cow;
use std::sync::Arc;

use novikoff::class_weights::ClassWeights;
use novikoff::classes::{Class, Classes, Counts, Pending, Task};
use novikoff::label::{LabelName, RawLabel};
use novikoff::model::Model;
use novikoff::parameter::{Parameter, Parameters};
use novikoff::preparation::Preparation;
use novikoff::schema::Schema;
use novikoff::spec::Spec;
use novikoff::standardize::Moments;
use serde::{Deserialize, Serialize};

use super::names::{LiveNames, StoredNames};
use super::unfinished::{StoredRun, Unfinished};
use crate::header_records::Records;
use crate::stored_table::StoredTable;

/// The header of a model file, with the names of its features as `N`.
#[derive(Serialize, Deserialize)]
pub(super) struct ModelHeader<'a, N> {
    pub(super) spec: Cow<'a, str>,
    pub(super) kernel: String,
    parameters: Vec<(Cow<'a, str>, StoredParameter<'a>)>,
    bias: Option<f32>,
    pub(super) standardize: bool,
    normalize: Option<f64>,
    task: StoredTask<'a>,
    classes: Vec<StoredClass<'a>>,
    background: StoredCounts,
    pending: StoredPending,
    met: (bool, bool),
    pub(super) trials: u64,
    pub(super) mistakes: u64,
    pub(super) updates: u64,
    width: u32,
    zero_based: bool,
    names: N,
    table: Option<StoredTable<'a>>,
    pub(super) unfinished: Option<StoredRun<'a>>,
}

/// Mistakes and updates.
pub(super) type StoredCounts = (u64, u64);

#[derive(Serialize, Deserialize)]
pub(super) struct StoredPending {
    any: u64,
    lower: Vec<(u64, u64)>,
}

#[derive(Serialize, Deserialize)]
enum StoredParameter<'a> {
    Real(f64),
    Word(Cow<'a, str>),
}

#[derive(Serialize, Deserialize)]
struct StoredLabel<'a> {
    name: Cow<'a, str>,
    number: Option<f64>,
}

#[derive(Serialize, Deserialize)]
enum StoredTask<'a> {
    Binary {
        negative: Option<StoredLabel<'a>>,
        positive: StoredLabel<'a>,
    },
    OneVsRest,
    MultiLabel,
    Regression,
}

#[derive(Serialize, Deserialize)]
struct StoredClass<'a> {
    label: StoredLabel<'a>,
    mistakes: u64,
    updates: u64,
}

/// What the weights of rows are multiplied by: a record behind the header.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredWeights {
    list: Vec<(StoredLabel<'static>, f64)>,
    rest: f64,
    balanced: bool,
}

impl StoredWeights {
    pub(super) const NAME: &'static str = "class_weights";

    pub(super) fn of(weights: &ClassWeights) -> Self {
        let stored = |label: &LabelName| StoredLabel {
            name: Cow::Owned(label.name().to_owned()),
            number: label.number(),
        };
        let list = weights.list().iter();
        StoredWeights {
            list: list.map(|(label, w)| (stored(label), *w)).collect(),
            rest: weights.rest(),
            balanced: weights.are_balanced(),
        }
    }

    pub(super) fn restore(&self) -> Result<ClassWeights, String> {
        let list = self.list.iter().map(|(label, w)| (label.restore(), *w));
        let weights = ClassWeights::restore(list.collect(), self.rest, self.balanced);
        weights.ok_or_else(|| "weights of classes that no run has".to_owned())
    }
}

impl StoredPending {
    pub(super) fn of(pending: &Pending) -> Self {
        let lower = pending.lower.iter();
        StoredPending {
            any: pending.any,
            lower: lower.map(|(&class, &n)| (class as u64, n)).collect(),
        }
    }

    /// A class that is not there is noticed when the model is put together.
    pub(super) fn restore(&self) -> Pending {
        let lower = self.lower.iter();
        let class = |class: u64| usize::try_from(class).unwrap_or(usize::MAX);
        Pending {
            any: self.any,
            lower: lower.map(|&(k, trials)| (class(k), trials)).collect(),
        }
    }
}

impl<'a> StoredLabel<'a> {
    fn of(label: &'a LabelName) -> Self {
        StoredLabel {
            name: Cow::Borrowed(label.name()),
            number: label.number(),
        }
    }

    fn restore(&self) -> LabelName {
        let number = self.number.unwrap_or(f64::NAN);
        LabelName::new(RawLabel::new(number, self.name.as_bytes()))
    }
}

impl<'a> StoredTask<'a> {
    fn of(task: &'a Task) -> Self {
        match task {
            Task::Binary { negative, positive } => StoredTask::Binary {
                negative: negative.as_ref().map(StoredLabel::of),
                positive: StoredLabel::of(positive),
            },
            Task::OneVsRest => StoredTask::OneVsRest,
            Task::MultiLabel => StoredTask::MultiLabel,
            Task::Regression => StoredTask::Regression,
        }
    }

    fn restore(&self) -> Task {
        match self {
            StoredTask::Binary { negative, positive } => Task::Binary {
                negative: negative.as_ref().map(StoredLabel::restore),
                positive: positive.restore(),
            },
            StoredTask::OneVsRest => Task::OneVsRest,
            StoredTask::MultiLabel => Task::MultiLabel,
            StoredTask::Regression => Task::Regression,
        }
    }
}

impl<'a> StoredClass<'a> {
    fn of(class: &'a Class) -> Self {
        StoredClass {
            label: StoredLabel::of(&class.label),
            mistakes: class.counts.mistakes,
            updates: class.counts.updates,
        }
    }

    fn restore(&self) -> Class {
        Class {
            label: self.label.restore(),
            counts: Counts {
                mistakes: self.mistakes,
                updates: self.updates,
            },
        }
    }
}

impl<'a> ModelHeader<'a, LiveNames<'a>> {
    /// The header of a model whose rows have the names and columns of `read`.
    pub(super) fn of(model: &'a Model, read: &'a Schema, run: Option<&'a Unfinished>) -> Self {
        let classes = model.classes();
        let parameters = model.parameters().iter().map(|(name, value)| {
            let value = match value {
                Parameter::Real(number) => StoredParameter::Real(*number),
                Parameter::Word(word) => StoredParameter::Word(Cow::Borrowed(word)),
            };
            (Cow::Borrowed(name), value)
        });
        // a run that is done leaves its pending trials to the next
        let pending = match run {
            Some(_) => StoredPending::of(&classes.pending),
            None => StoredPending::of(&classes.unsettled()),
        };
        let [negative_met, positive_met] = classes.met();
        let (preparation, totals) = (model.preparation(), model.totals());
        ModelHeader {
            spec: Cow::Borrowed(model.spec().text()),
            kernel: model.kernel().to_string(),
            parameters: parameters.collect(),
            bias: preparation.bias,
            standardize: preparation.standardize.is_some(),
            normalize: preparation.normalize,
            task: StoredTask::of(classes.task()),
            classes: classes.list().iter().map(StoredClass::of).collect(),
            background: (classes.background.mistakes, classes.background.updates),
            pending,
            met: (negative_met, positive_met),
            trials: totals.trials,
            mistakes: totals.mistakes,
            updates: totals.updates,
            width: model.width(),
            zero_based: model.is_zero_based(),
            names: LiveNames(&read.names),
            table: read.table.as_ref().or(model.table()).map(StoredTable::of),
            unfinished: run.map(|run| StoredRun::of(run, model)),
        }
    }
}

impl ModelHeader<'_, StoredNames> {
    /// What the rows are; the moments are in an array.
    pub(super) fn schema(
        &mut self,
        moments: Option<Moments>,
        records: &mut Records,
    ) -> Result<Schema, String> {
        let mut schema = Schema::prepared(Preparation {
            bias: self.bias,
            standardize: moments.map(Arc::new),
            normalize: self.normalize,
            map: None,
        });
        schema.names = std::mem::take(&mut self.names).restore()?;
        if let Some(table) = &self.table {
            schema.table = Some(table.restore(records)?);
        }
        (schema.zero_based, schema.width) = (self.zero_based, self.width);
        Ok(schema)
    }

    /// The classes, with the trials of earlier runs that are not settled.
    pub(super) fn classes(&self) -> Classes {
        let list = self.classes.iter().map(StoredClass::restore).collect();
        let (mistakes, updates) = self.background;
        let background = Counts { mistakes, updates };
        let (task, pending) = (self.task.restore(), self.pending.restore());
        let met = [self.met.0, self.met.1];
        let mut classes = Classes::restore(task, list, background, pending, met);
        if let Some(run) = &self.unfinished {
            classes.earlier = run.earlier.restore();
        }
        classes
    }

    /// The parameters, which must be those that the learner has, each in its range.
    pub(super) fn parameters(&self, spec: &Spec) -> Result<Parameters, String> {
        let stored = self.parameters.iter();
        let mut list: Vec<(String, Parameter)> = stored
            .map(|(name, value)| {
                let value = match value {
                    StoredParameter::Real(number) => Parameter::Real(*number),
                    StoredParameter::Word(word) => Parameter::Word(word.to_string()),
                };
                (name.to_string(), value)
            })
            .collect();
        // models of before a choice was added are what they were without it
        for key in spec.entry().keys.iter().skip(list.len()) {
            if key.is_choice() {
                let default = Parameter::Word(key.default.to_owned());
                list.push((key.name.to_owned(), default));
            }
        }
        let names = list.iter().map(|(name, _)| name.as_str());
        if !spec.parameter_names().eq(names) {
            return Err(format!("its parameters are not those of {}", spec.name()));
        }
        match list.get(spec.entry().keys.len()) {
            Some((_, Parameter::Word(experts))) if spec.are_its_experts(experts) => {}
            Some(_) => return Err(format!("its experts are not those of {}", spec.text())),
            None => {}
        }
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
}
