//! What a model was made with: its learner and its options, checked.

use novikoff::classes::Task;
use novikoff::grammar::{self, OffOr};
use novikoff::kernel::KernelSpec;
use novikoff::label::LabelName;
use novikoff::learner::Hypothesis;
use novikoff::map::MapSpec;
use novikoff::model::{Model, ModelBuilder};
use novikoff::names::{MAX_BITS, Names};
use novikoff::preparation::Preparation;
use novikoff::remedy::Remedy;
use novikoff::rows::Block;
use novikoff::schema::Schema;
use novikoff::spec::Spec;
use novikoff::table::{Column, ColumnKind, Missing, Table, TextForm};
use novikoff_data::options::ReadOptions;
use novikoff_engine::options::RunOptions;
use serde::{Deserialize, Serialize};

use crate::api::ModelOptions;
use crate::words::said;

/// The learner of a model whose maker names none.
pub const DEFAULT_SPEC: &str = "auto";

/// The most words of an n-gram, as in the command.
const MOST_WORDS: u8 = 8;

/// What a model was made with, as given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Its learner.
    pub spec: String,
    /// Its options.
    pub options: ModelOptions,
    /// Bytes that the server allowed it when it was made.
    pub memory: u64,
    /// Features that the server allowed it.
    pub max_features: u32,
}

/// Settings that were checked.
#[derive(Clone, Debug)]
pub struct CheckedSettings {
    /// As given.
    pub given: Settings,
    /// The learner.
    pub spec: Spec,
    /// The kernel, the map, the constant feature and so on, as options of the engine.
    pub run: RunOptions,
    /// How rows are read.
    pub read: ReadOptions,
    /// What is known of fields before the first row, if something is.
    pub table: Option<Table>,
    memory: u128,
}

impl Settings {
    /// Checks them. The error says what is wrong, what is allowed and what to do.
    pub fn check(self) -> Result<CheckedSettings, String> {
        let text =
            |error: &dyn std::fmt::Display, remedy: Option<Remedy>| said(error, remedy.as_ref());
        let spec = Spec::parse(&self.spec).map_err(|error| text(&error, error.remedy()))?;
        let options = &self.options;
        let memory = options.memory.unwrap_or(self.memory);
        if memory > self.memory {
            return Err(format!(
                "memory = {memory}: the server allows a model {} bytes; ask for less, or start it with a higher --model-memory",
                self.memory
            ));
        }
        let kernel = options.kernel.as_deref().map(KernelSpec::parse).transpose();
        let kernel = kernel.map_err(|error| text(&error, error.remedy()))?;
        let map = options.map.as_deref().map(MapSpec::parse).transpose();
        let map = map.map_err(|error| text(&error, error.remedy()))?;
        let normalize = options.normalize.as_deref().map(|word| {
            let wrong =
                || format!("normalize = {word}: must be off, inf or a number >= 1; 2 is usual");
            grammar::normalize(word).map(OffOr::value).ok_or_else(wrong)
        });
        let by = options.hypothesis.as_deref().map(|word| match word {
            "final" => Ok(Hypothesis::Final),
            "averaged" => Ok(Hypothesis::Averaged),
            _ => Err(format!("use = {word}: must be final or averaged")),
        });
        if options.bias.is_some_and(|bias| !bias.is_finite()) {
            return Err("bias: must be a finite number".to_owned());
        }
        if let Some(bits) = options.hash.filter(|bits| !(1..=MAX_BITS).contains(bits)) {
            return Err(format!("hash = {bits}: must be from 1 to {MAX_BITS}"));
        }
        let run = RunOptions {
            kernel,
            map,
            bias: options.bias.map(Some),
            normalize: normalize.transpose()?,
            task: task(options)?,
            features: options.features,
            by: by.transpose()?,
            ..RunOptions::default()
        };
        let read = ReadOptions {
            bias: None,
            zero_based: options.zero_based,
            max_features: self.max_features,
            max_name_bytes: memory,
            ..ReadOptions::default()
        };
        let checked = CheckedSettings {
            spec,
            run,
            read,
            table: table(options)?,
            memory: u128::from(memory),
            given: self,
        };
        checked.try_build()?;
        Ok(checked)
    }
}

/// What the options say of fields.
fn table(options: &ModelOptions) -> Result<Option<Table>, String> {
    let missing = match options.missing.as_deref() {
        None | Some("refuse") => Missing::Refuse,
        Some("zero") => Missing::Zero,
        Some("indicator") => Missing::Indicator,
        Some("mean") => {
            return Err("missing = mean: the mean is not known before all rows are; use zero or indicator, or upload a model of `novikoff train --missing mean`".to_owned());
        }
        Some(other) => {
            return Err(format!(
                "missing = {other:.40}: must be refuse, zero or indicator"
            ));
        }
    };
    let named = [
        (&options.text, ColumnKind::Text),
        (&options.categorical, ColumnKind::Category),
        (&options.drop, ColumnKind::Ignored),
    ];
    let mut columns: Vec<Column> = Vec::new();
    for (names, kind) in named {
        for name in names {
            if columns.iter().any(|column| column.name == *name) {
                return Err(format!(
                    "field {name:.80} is named twice among text, categorical and drop; name it once"
                ));
            }
            columns.push(Column::new(name, kind));
        }
    }
    if options.text.is_empty() && (options.ngrams.is_some() || options.tfidf.is_some()) {
        return Err(
            "ngrams and tfidf are for fields of text; name these, as in \"text\": [\"body\"]"
                .to_owned(),
        );
    }
    let [least, most] = options.ngrams.unwrap_or([1, 1]);
    if least == 0 || least > most || most > MOST_WORDS {
        return Err(format!(
            "ngrams: must be the least and the most words, from 1 to {MOST_WORDS}, as in [1, 2]"
        ));
    }
    let text = TextForm {
        ngrams: (least, most),
        tfidf: options.tfidf.unwrap_or(true),
    };
    let table = Table {
        label: None,
        columns,
        missing,
        text,
    };
    Ok((table != Table::default()).then_some(table))
}

fn task(options: &ModelOptions) -> Result<Option<Task>, String> {
    match (&options.labels, &options.positive, options.multilabel) {
        (None, None, false) => Ok(None),
        (None, None, true) => Ok(Some(Task::MultiLabel)),
        (None, Some(label), false) => Ok(Some(Task::Binary {
            negative: None,
            positive: LabelName::typed(label),
        })),
        (Some([a, b]), None, false) => {
            let (a, b) = (LabelName::typed(a), LabelName::typed(b));
            if a == b {
                return Err(
                    "labels: must be two different labels, as in [\"ham\", \"spam\"]".to_owned(),
                );
            }
            Ok(Some(Task::pair(a, b)))
        }
        _ => Err("labels, positive and multilabel exclude each other; give one of them".to_owned()),
    }
}

impl CheckedSettings {
    /// What is known of rows before the first one.
    pub fn schema(&self) -> Schema {
        let mut schema = Schema::prepared(self.preparation());
        let hash = self.given.options.hash;
        schema.names = hash.map_or_else(Names::new, Names::hashed);
        schema.zero_based = self.read.zero_based;
        schema.table.clone_from(&self.table);
        schema
    }

    /// How rows are read for the learner: with its constant feature.
    pub fn read_with_bias(&self) -> ReadOptions {
        ReadOptions {
            bias: self.preparation().bias,
            ..self.read.clone()
        }
    }

    /// Bytes that the model may take.
    pub fn memory(&self) -> u128 {
        self.memory
    }

    /// What the options and the spec say is done to rows.
    fn preparation(&self) -> Preparation {
        self.run.preparation_for(&self.spec)
    }

    fn builder(&self, task: Task, schema: Schema) -> ModelBuilder {
        Model::builder(self.spec.clone())
            .kernel(self.run.kernel_for(&self.spec))
            .map(self.run.map)
            .task(task)
            .schema(schema)
            .width(self.run.features)
            .part_defaults(self.run.part_defaults())
            .averaged(self.run.by == Some(Hypothesis::Averaged))
            .memory(self.memory)
    }

    /// A model that has learned nothing. Values that are `auto` are those of its first rows.
    pub fn build(&self, schema: Schema, first: Block<'_>) -> Result<Model, String> {
        let task = self.run.task.clone().unwrap_or_else(|| task_of(first));
        let model = self.builder(task, schema).build_for(first);
        let mut model = model.map_err(|error| said(&error, error.remedy().as_ref()))?;
        // a predictor that is not validated is described without errors
        let _ = model.validate(self.run.by);
        begin(&mut model);
        Ok(model)
    }

    /// Whether a model can be made; what needs rows is known later.
    fn try_build(&self) -> Result<(), String> {
        let mut first = novikoff::rows::Rows::new();
        first.add("+1", novikoff::row::Row::dense(&[1.0]));
        let task = self.run.task.clone().unwrap_or_else(Task::plus_minus);
        let built = self.builder(task, self.schema()).build_for(first.view());
        built
            .map(drop)
            .map_err(|error| said(&error, error.remedy().as_ref()))
    }
}

/// Rows come once: no row has the id of an earlier one.
pub fn begin(model: &mut Model) {
    model.begin_run();
    model.number_rows_from(None);
}

/// What is to be learned, by the labels of the first row: as the command does with a stream.
pub fn task_of(first: Block<'_>) -> Task {
    if first.is_empty() {
        return Task::OneVsRest;
    }
    let mut labels = first.labels(0);
    match (labels.len(), labels.next()) {
        (1, Some(label)) if matches!(label.number(), Some(-1.0 | 1.0)) => Task::plus_minus(),
        (0 | 1, _) => Task::OneVsRest,
        _ => Task::MultiLabel,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(spec: &str, options: &str) -> Settings {
        Settings {
            spec: spec.to_owned(),
            options: serde_json::from_str(options).expect("options"),
            memory: 1 << 20,
            max_features: 1000,
        }
    }

    #[test]
    fn the_default_spec_is_one() {
        settings(DEFAULT_SPEC, "{}").check().expect("a learner");
    }

    #[test]
    fn what_is_wrong_is_said_before_the_model_is_made() {
        for (spec, options, part) in [
            ("percepton", "{}", "perceptron"),
            ("perceptron", r#"{"kernel":"gausian"}"#, "gaussian"),
            ("perceptron", r#"{"normalize":"0.5"}"#, "normalize"),
            ("perceptron", r#"{"use":"best"}"#, "use"),
            ("perceptron", r#"{"hash":40}"#, "hash"),
            ("perceptron", r#"{"memory":99999999}"#, "--model-memory"),
            ("perceptron", r#"{"labels":["a","a"]}"#, "different"),
            (
                "perceptron",
                r#"{"positive":"a","multilabel":true}"#,
                "exclude",
            ),
            ("winnow", r#"{"kernel":"poly"}"#, "winnow"),
            ("auto", r#"{"missing":"mean"}"#, "indicator"),
            ("auto", r#"{"missing":"drop"}"#, "missing"),
            ("auto", r#"{"text":["a"],"drop":["a"]}"#, "twice"),
            ("auto", r#"{"ngrams":[1,2]}"#, "text"),
            ("auto", r#"{"text":["a"],"ngrams":[2,1]}"#, "ngrams"),
            ("p-norm:p=auto", "{}", "p"),
        ] {
            let error = settings(spec, options).check().err();
            let error = error.unwrap_or_else(|| panic!("{spec} {options} was accepted"));
            assert!(error.contains(part), "{spec} {options}: {error}");
        }
    }

    #[test]
    fn values_that_are_auto_wait_for_rows() {
        settings("second-order:a=auto", r#"{"kernel":"gaussian:gamma=auto"}"#)
            .check()
            .expect("checked");
    }
}
