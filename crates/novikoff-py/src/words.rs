//! What the engine says, in the words of Python: settings are keyword arguments, jobs are methods, errors are Python's own.

use std::path::PathBuf;

use novikoff::remedy::{self, Door, Hint, TEXT_LINE};
use novikoff_data::container::ContainerError;
use novikoff_data::error::DataError;
use novikoff_data::model::ModelError;
use novikoff_engine::{Error, FilesOnly, Remedy, Setting, SettingValue};
use pyo3::exceptions::{PyFileNotFoundError, PyKeyboardInterrupt, PyOSError, PyValueError};
use pyo3::prelude::*;

/// The Python package. What says how columns are read is a keyword argument of methods that take files; estimators that are given rows have it in
/// `columns`.
#[derive(Clone, Copy)]
pub(crate) enum PythonDoor {
    /// Rows that are given: arrays and tables.
    Rows,
    /// Files.
    Files,
}

impl PythonDoor {
    /// The key of `columns` that a setting is, if it is one.
    fn column_key(self, setting: Setting) -> Option<&'static str> {
        let is_of_columns = matches!(
            setting,
            Setting::Categorical
                | Setting::Text
                | Setting::Drop
                | Setting::Only
                | Setting::Missing
                | Setting::Dates
                | Setting::Ngrams
                | Setting::Tfidf
        );
        match self {
            PythonDoor::Rows => is_of_columns.then(|| keyword(setting)),
            PythonDoor::Files => None,
        }
    }
}

impl Door for PythonDoor {
    fn setting(&self, setting: Setting) -> String {
        match self.column_key(setting) {
            Some(key) => format!("columns[{key:?}]"),
            None => keyword(setting).to_owned(),
        }
    }

    fn choice(&self, setting: Setting, value: &str) -> String {
        if let Some(key) = self.column_key(setting) {
            let is_list = matches!(
                setting,
                Setting::Categorical | Setting::Text | Setting::Drop | Setting::Only
            );
            let value = match value {
                "off" if setting == Setting::Tfidf => "False".to_owned(),
                value if is_list => {
                    let names: Vec<String> =
                        value.split(',').map(|name| format!("{name:?}")).collect();
                    format!("[{}]", names.join(", "))
                }
                value => format!("{value:?}"),
            };
            return format!("columns={{{key:?}: {value}}}");
        }
        // estimators have `average`; where a predictor is chosen, as in to_onnx, it is `use`
        let name = match setting {
            Setting::Use => "use",
            setting => keyword(setting),
        };
        let is_plain = value.parse::<f64>().is_ok()
            || value.chars().all(|c| c.is_ascii_uppercase() || c == ',');
        if is_plain {
            format!("{name}={value}")
        } else {
            format!("{name}={value:?}")
        }
    }

    fn hint(&self, hint: &Hint) -> String {
        let text = match hint {
            Hint::Calibrate { .. } => {
                "call calibrate(X, y) with rows that it was not trained on to give it probabilities"
            }
            Hint::Inspect { file } => {
                return format!("the command `novikoff inspect {file}` shows it");
            }
            Hint::Solve => "call fit, or use an estimator of the dual solver, with all rows",
            Hint::MakeCache => "make it again from its input with the command `novikoff convert`",
            Hint::TrainOnIt => "call fit_file with it, and give a model that save() wrote",
            Hint::GiveModel => "give a model that save() or `novikoff train -o` wrote",
            Hint::GiveCertificate => "give the JSON of a certified run",
            Hint::SaveComparator => "save it when certifying, and give it here",
            Hint::FinishRun => "finish the run first",
            Hint::WriteTexts => {
                return format!(
                    "write texts as {TEXT_LINE} and call fit_file with text=[\"text\"]"
                );
            }
            Hint::Compare => "try other estimators on these rows, as cross_val_score does",
            Hint::RankRare => {
                "where few rows have the other label, look at roc_auc_score of decision_function, and choose a threshold"
            }
            Hint::ShowTraining { .. } => "look at feature_names_in_ to see what it was trained on",
        };
        text.to_owned()
    }
}

/// The keyword argument of a setting.
fn keyword(setting: Setting) -> &'static str {
    match setting {
        Setting::UntilSeparated => "until_separated",
        Setting::Use => "average",
        Setting::Threshold | Setting::Cost | Setting::Top => "the decision",
        Setting::Probabilities => "predict_proba",
        Setting::Regulariser => "reg",
        Setting::Rows => "the keyword arguments",
        Setting::Data => "the data",
        Setting::Learner
        | Setting::Bias
        | Setting::Normalize
        | Setting::Standardize
        | Setting::Kernel
        | Setting::Map
        | Setting::Hash
        | Setting::ZeroBased
        | Setting::Epochs
        | Setting::Shuffle
        | Setting::Permutations
        | Setting::Labels
        | Setting::Positive
        | Setting::MultiLabel
        | Setting::Features
        | Setting::MaxFeatures
        | Setting::Resume
        | Setting::Output
        | Setting::Checkpoint
        | Setting::Trace
        | Setting::Cache
        | Setting::Format
        | Setting::Label
        | Setting::Categorical
        | Setting::Text
        | Setting::Drop
        | Setting::Only
        | Setting::Dates
        | Setting::Ngrams
        | Setting::Tfidf
        | Setting::Header
        | Setting::Missing
        | Setting::SkipBad
        | Setting::Test
        | Setting::Certify
        | Setting::Comparator
        | Setting::Spool
        | Setting::MaxMemory
        | Setting::Id
        | Setting::ClassWeight
        | Setting::By
        | Setting::Loss
        | Setting::Theta
        | Setting::Alpha
        | Setting::Tie
        | Setting::Splits
        | Setting::Fraction
        | Setting::TestEveryEpoch
        | Setting::Method
        | Setting::DataDirectory
        | Setting::Lenient => setting.name(),
    }
}

/// What is wrong, and what to do.
fn message(error: &Error, door: PythonDoor) -> String {
    let said =
        |facts: &dyn std::fmt::Display, remedy: Option<&Remedy>| remedy::said(facts, remedy, &door);
    let remedy = error.remedy();
    let remedy = remedy.as_ref();
    match error {
        Error::Refused {
            about: Some(SettingValue { setting, value }),
            why,
        } => {
            let about = match &**value {
                "" => door.setting(*setting),
                value => door.choice(*setting, value),
            };
            said(&format!("{about}: {why}"), remedy)
        }
        Error::Differs {
            setting, is, got, ..
        } => {
            let name = door.setting(*setting);
            said(
                &format!("the model was trained with {name} {is}, not {got}"),
                remedy,
            )
        }
        Error::FilesOnly {
            what: FilesOnly::Setting(setting),
        } => {
            let what = FilesOnly::Learner(door.setting(*setting));
            said(&Error::FilesOnly { what }, remedy)
        }
        Error::FilesOnly {
            what: FilesOnly::Value(setting, value),
        } => {
            let what = FilesOnly::Learner(door.choice(*setting, value));
            said(&Error::FilesOnly { what }, remedy)
        }
        // the command reads pipes, and says so
        Error::Data(missing @ DataError::Missing { .. }) => format!("{missing}; check the name"),
        Error::Data(DataError::TooManyBad { skipped, last }) => {
            let last = said(last, last.remedy().as_ref());
            format!("{last} (bad lines passed over before it, as skip_bad allows: {skipped})")
        }
        error => said(error, remedy),
    }
}

/// Python's error for one of the engine, about rows that are given.
pub(crate) fn raised(error: &Error) -> PyErr {
    raised_at(error, PythonDoor::Rows)
}

/// Python's error for a table that cannot be read, given the number of rows before this batch: users have one X, and no batches.
pub(crate) fn raised_of_table(error: DataError, before: usize) -> PyErr {
    let (was, is) = match &error {
        DataError::Batch { batch, row, .. } => (
            format!("batch {batch}, row {row}"),
            format!("X, row {}", before as u64 + row),
        ),
        DataError::Content { file, .. } => (file.clone(), "X".to_owned()),
        _ => return raised(&error.into()),
    };
    // a table can be read twice, as files can, and `columns` is an argument of training
    let text = message(&error.into(), PythonDoor::Rows)
        .replace(" (files, in training)", "")
        .replace(" (in training)", "");
    match text.strip_prefix(&was) {
        Some(rest) => refused(format!("{is}{rest}")),
        None => refused(text),
    }
}

/// Python's error for one of the engine.
pub(crate) fn raised_at(error: &Error, door: PythonDoor) -> PyErr {
    let text = message(error, door);
    let is_system = matches!(
        error,
        Error::Output(_)
            | Error::Write(_)
            | Error::Data(DataError::Io { .. } | DataError::Directory { .. })
            | Error::Model(ModelError::File(
                ContainerError::Io { .. } | ContainerError::NotAFile { .. }
            ))
    );
    match error {
        Error::Stopped(_) => PyKeyboardInterrupt::new_err(()),
        Error::Data(DataError::Missing { .. }) => PyFileNotFoundError::new_err(text),
        _ if is_system => PyOSError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// A complaint that names a keyword argument, what it may be, and what it was.
pub(crate) fn refused(what: impl Into<String>) -> PyErr {
    PyValueError::new_err(what.into())
}

/// A path of Python: a string, or anything with `__fspath__`.
pub(crate) fn path(object: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    object.extract()
}
