//! What the engine says, in the words of the command: settings are flags, jobs are commands.

use std::fmt::Display;
use std::path::PathBuf;

use novikoff::quantity::plural;
use novikoff::remedy::{self, Door, Hint, TEXT_LINE};
use novikoff_data::error::DataError;
use novikoff_engine::{Error, FilesOnly, Remedy, Setting, SettingValue, StoppedWhile};

use crate::error::Failure;

/// The command.
pub(crate) struct CommandDoor;

impl Door for CommandDoor {
    fn setting(&self, setting: Setting) -> String {
        flag(setting).to_owned()
    }

    fn choice(&self, setting: Setting, value: &str) -> String {
        // as a shell reads it
        if value.contains(' ') && !value.starts_with('"') {
            return format!("{} \"{value}\"", flag(setting));
        }
        format!("{} {value}", flag(setting))
    }

    fn hint(&self, hint: &Hint) -> String {
        let text = match hint {
            Hint::Calibrate { model } => {
                return format!(
                    "`novikoff calibrate {model} HELD-OUT-DATA -o MODEL2` makes a model that has them"
                );
            }
            Hint::Inspect { file } => return format!("`novikoff inspect {file}` shows it"),
            Hint::Solve => "use `novikoff solve` on all rows",
            Hint::MakeCache => "make it again from its input with `novikoff convert`",
            Hint::TrainOnIt => {
                "train on it with `novikoff train`, and give the model file that `-o` names"
            }
            Hint::GiveModel => "give the model file that `novikoff train -o` wrote",
            Hint::GiveCertificate => {
                "give what `novikoff certify --json` or `train --certify --json` printed"
            }
            Hint::SaveComparator => {
                "save it with --save-comparator when certifying, and give it with --comparator here"
            }
            Hint::FinishRun => "finish the run first (`novikoff inspect` shows how)",
            Hint::WriteTexts => {
                return format!(
                    "write texts as {TEXT_LINE} and run `novikoff train texts.jsonl --text text`"
                );
            }
            Hint::Compare => "see how other learners do with `novikoff compare DATA`",
            Hint::RankRare => {
                "where few rows have the other label, look at the AUC, which `novikoff evaluate` prints and `novikoff tune --folds 5 --by auc` \
                 raises, and choose `predict --threshold` or `--cost`"
            }
            Hint::ShowTraining { model } => {
                return format!("see with `novikoff inspect {model}` what it was trained on");
            }
        };
        text.to_owned()
    }
}

/// The flag of a setting.
fn flag(setting: Setting) -> &'static str {
    match setting {
        Setting::Learner => "-a",
        Setting::Bias => "--bias",
        Setting::Normalize => "--normalize",
        Setting::Standardize => "--standardize",
        Setting::Kernel => "--kernel",
        Setting::Map => "--map",
        Setting::Hash => "--hash",
        Setting::ZeroBased => "--zero-based",
        Setting::Epochs => "--epochs",
        Setting::UntilSeparated => "--until-separated",
        Setting::Shuffle => "--shuffle",
        Setting::Tie => "--tie",
        Setting::Permutations => "--permutations",
        Setting::Splits => "--splits",
        Setting::Fraction => "--fraction",
        Setting::Labels => "--labels",
        Setting::Positive => "--positive",
        Setting::MultiLabel => "--multilabel",
        Setting::Features => "--features",
        Setting::MaxFeatures => "--max-features",
        Setting::Resume => "--resume",
        Setting::Output => "-o",
        Setting::Checkpoint => "--checkpoint",
        Setting::Trace => "--trace",
        Setting::Cache => "--cache",
        Setting::Format => "--format",
        Setting::Label => "--label",
        Setting::Categorical => "--categorical",
        Setting::Text => "--text",
        Setting::Drop => "--drop",
        Setting::Only => "--only",
        Setting::Dates => "--dates",
        Setting::Ngrams => "--ngrams",
        Setting::Tfidf => "--tfidf",
        Setting::Header => "--header",
        Setting::Missing => "--missing",
        Setting::SkipBad => "--skip-bad",
        Setting::Test => "--test",
        Setting::TestEveryEpoch => "--test-every-epoch",
        Setting::Certify => "--certify",
        Setting::Comparator => "--comparator",
        Setting::Spool => "--spool-mb",
        Setting::MaxMemory => "--max-memory",
        Setting::Use => "--use",
        Setting::Probabilities => "--probabilities",
        Setting::Threshold => "--threshold",
        Setting::Cost => "--cost",
        Setting::Top => "--top",
        Setting::Id => "--id",
        Setting::ClassWeight => "--class-weight",
        Setting::By => "--by",
        Setting::Loss => "--loss",
        Setting::Regulariser => "--reg",
        Setting::Method => "--method",
        Setting::Theta => "--theta",
        Setting::Alpha => "--alpha",
        Setting::Rows => "the options",
        Setting::Data => "the data",
        Setting::Lenient => "--lenient",
        Setting::DataDirectory => "--data",
    }
}

/// Facts and their remedy in one sentence.
pub(crate) fn said(facts: &dyn Display, remedy: Option<&Remedy>) -> String {
    remedy::said(facts, remedy, &CommandDoor)
}

/// What is wrong, and what to do.
pub(crate) fn message(error: &Error) -> String {
    let remedy = error.remedy();
    let remedy = remedy.as_ref();
    match error {
        Error::Refused { about, why } => match about {
            None => said(why, remedy),
            Some(SettingValue { setting, value }) => {
                let about = match &**value {
                    "" => flag(*setting).to_owned(),
                    value => CommandDoor.choice(*setting, value),
                };
                said(&format!("{about}: {why}"), remedy)
            }
        },
        Error::Differs {
            model,
            setting,
            is,
            got,
        } => {
            let what = match (setting, model) {
                (Setting::ZeroBased, _) => "features counted from",
                (Setting::Labels, None) => "labels:",
                (setting, _) => flag(*setting),
            };
            let facts = match model {
                Some(path) if is.starts_with("column ") => {
                    let path = path.display();
                    format!("{path}: {what}: the model was trained with {is}, not {got}")
                }
                Some(path) => {
                    let path = path.display();
                    format!("{path}: the model was trained with {what} {is}, not {got}")
                }
                None => format!("the run that goes on was begun with {what} {is}, not {got}"),
            };
            said(&facts, remedy)
        }
        Error::NotOffered {
            learner,
            wanted,
            offered,
            ..
        } => {
            let facts = format!("--use {wanted}: the learner {learner} offers {offered}");
            said(&facts, remedy)
        }
        Error::FilesOnly {
            what: FilesOnly::Setting(setting),
        } => {
            let what = FilesOnly::Learner(flag(*setting).to_owned());
            said(&Error::FilesOnly { what }, remedy)
        }
        Error::FilesOnly {
            what: FilesOnly::Value(setting, value),
        } => {
            let what = FilesOnly::Learner(format!("{} {value}", flag(*setting)));
            said(&Error::FilesOnly { what }, remedy)
        }
        Error::Stopped(while_) => stopped(while_),
        Error::Data(error) => data(error),
        error => said(error, remedy),
    }
}

/// What is wrong with the data.
fn data(error: &DataError) -> String {
    match error {
        DataError::TooManyBad { skipped, last } => format!(
            "{} (bad lines passed over before it, as --skip-bad allows: {skipped})",
            data(last)
        ),
        error => said(error, error.remedy().as_ref()),
    }
}

fn saved_in(saved: Option<&PathBuf>) -> String {
    match saved {
        Some(path) => format!("the model is saved in {}", path.display()),
        None => "nothing is saved, for there was no -o MODEL".to_owned(),
    }
}

fn stopped(at: &StoppedWhile) -> String {
    match at {
        StoppedWhile::Learning { trials, saved } => {
            let trials = plural(*trials, "trial");
            match saved {
                None => {
                    format!("stopped after {trials}; nothing is saved, for there was no -o MODEL")
                }
                Some(path) => {
                    let path = path.display();
                    let words = crate::shell::words();
                    let command = crate::shell::command_to_resume(&words, &path.to_string());
                    format!(
                        "stopped after {trials}; the run is saved in {path}: to go on, type\n  {command}"
                    )
                }
            }
        }
        StoppedWhile::Testing { saved } => format!(
            "stopped while testing; the run was done, and {}",
            saved_in(saved.as_ref())
        ),
        StoppedWhile::Certifying { saved } => {
            let saved = saved.as_ref().map_or(String::new(), |path| {
                format!(", and its model is saved in {}", path.display())
            });
            format!("stopped while certifying; the run itself was done{saved}")
        }
        StoppedWhile::Orders => "stopped; --permutations saves nothing".to_owned(),
        StoppedWhile::Comparing => "stopped before a learner was done".to_owned(),
        StoppedWhile::Tuning => "stopped before a candidate was done".to_owned(),
        StoppedWhile::CertifyingOrders => {
            "stopped while certifying; --permutations saves nothing".to_owned()
        }
        StoppedWhile::Checking => "stopped while checking; nothing is decided".to_owned(),
        StoppedWhile::Reproducing => {
            "stopped; the results of finished runs are kept, and the same command goes on from them"
                .to_owned()
        }
        StoppedWhile::Solving => "stopped while solving; nothing is saved".to_owned(),
        StoppedWhile::Reading => {
            "stopped while the data was being read; nothing was learned, and nothing was saved"
                .to_owned()
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let text = message(&error);
        match error {
            Error::Output(error) => error.into(),
            Error::Stopped(_) => Failure::Interrupted(text),
            _ => Failure::Message(text),
        }
    }
}
