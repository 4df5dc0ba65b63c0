//! Why a job could not run: facts, and the remedy as a value. Doors word the remedy in their own language.

use std::fmt::Display;
use std::path::PathBuf;

use novikoff::dual::named::NameError;
use novikoff::remedy::{Complaint, Hint, Remedy, Setting};
use novikoff_data::atomic::WriteError;
use novikoff_data::error::DataError;
use novikoff_data::generate::GenerateError;
use novikoff_data::model::ModelError;

/// Where a job was when it was asked to stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoppedWhile {
    /// Nothing was learned, nothing saved.
    Reading,
    /// Between two trials; where the run is saved, if it is.
    Learning {
        /// Trials made.
        trials: u64,
        /// The checkpoint.
        saved: Option<PathBuf>,
    },
    /// The run was done.
    Testing {
        /// The model.
        saved: Option<PathBuf>,
    },
    /// The run was done.
    Certifying {
        /// The model.
        saved: Option<PathBuf>,
    },
    /// Between two orders; none is saved.
    Orders,
    /// While certifying the first of several orders.
    CertifyingOrders,
    /// No learner of a comparison was done.
    Comparing,
    /// No candidate of a grid was done.
    Tuning,
    /// Nothing is saved.
    Solving,
    /// Nothing is decided.
    Checking,
    /// Results so far are kept.
    Reproducing,
}

/// Why a job could not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// What is wrong, and where.
    #[error("{}{why}", place(.about.as_ref()))]
    Refused {
        /// The setting that it is about, if it is about one.
        about: Option<SettingValue>,
        /// What is wrong, and what to do.
        why: Complaint,
    },
    /// The learner cannot take the data, though others may.
    #[error("{0}")]
    Unfit(Complaint),
    /// A setting differs from that of the model, or of the run that is resumed.
    #[error("{setting} is {is}, not {got}")]
    Differs {
        /// The model, if it is about that and not about a run.
        model: Option<PathBuf>,
        /// The setting.
        setting: Setting,
        /// Its value there.
        is: String,
        /// The value given.
        got: String,
    },
    /// A predictor that the learner does not offer.
    #[error("the learner {learner} offers {offered}, not {wanted}")]
    NotOffered {
        /// The learner.
        learner: String,
        /// What was asked for.
        wanted: &'static str,
        /// What there is.
        offered: String,
        /// How to get it.
        remedy: Option<Remedy>,
    },
    /// It needs all rows before it begins, and a stream has them not.
    #[error("{what} needs all rows before it begins, so it reads files only")]
    FilesOnly {
        /// A learner, or a setting.
        what: FilesOnly,
    },
    /// It was asked to stop.
    #[error("stopped")]
    Stopped(StoppedWhile),
    /// The data.
    #[error(transparent)]
    Data(DataError),
    /// A model file.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A file that cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A generator.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// A learner's spec.
    #[error(transparent)]
    Spec(#[from] novikoff::spec::SpecError),
    /// The answers cannot be written.
    #[error("cannot write the output: {0}")]
    Output(std::io::Error),
    /// A name of the solver.
    #[error(transparent)]
    Solver(#[from] NameError),
}

/// A setting, and the value that it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingValue {
    /// The setting.
    pub setting: Setting,
    /// Its value; empty where that makes no difference.
    pub value: String,
}

fn place(about: Option<&SettingValue>) -> String {
    match about {
        None => String::new(),
        Some(SettingValue { setting, value }) if value.is_empty() => format!("{setting}: "),
        Some(SettingValue { setting, value }) => format!("{setting} {value}: "),
    }
}

/// What needs all rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilesOnly {
    /// A learner.
    Learner(String),
    /// A setting.
    Setting(Setting),
    /// A value of a setting.
    Value(Setting, &'static str),
}

impl std::fmt::Display for FilesOnly {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FilesOnly::Learner(name) => f.write_str(name),
            FilesOnly::Setting(setting) => write!(f, "{setting}"),
            FilesOnly::Value(setting, value) => write!(f, "{setting} {value}"),
        }
    }
}

impl Error {
    /// What is wrong, and what to do.
    pub(crate) fn refused(what: impl Into<String>, remedy: impl Into<Remedy>) -> Self {
        Complaint::new(what, remedy).into()
    }

    /// What is wrong, and nothing to do about it but to mend it.
    pub(crate) fn plain(what: impl Into<String>) -> Self {
        Complaint::plain(what).into()
    }

    /// What is wrong at a place, which ends in a colon and a space.
    pub(crate) fn at(place: &str, what: &dyn Display, remedy: Remedy) -> Self {
        Complaint::new(format!("{place}{what}"), remedy).into()
    }

    /// A complaint at a place.
    pub(crate) fn placed(place: &str, why: Complaint) -> Self {
        let what = format!("{place}{}", why.what);
        Complaint { what, ..why }.into()
    }

    /// Names the setting that it is about; its value may be empty.
    #[must_use]
    pub(crate) fn about(self, setting: Setting, value: impl Into<String>) -> Self {
        match self {
            Error::Refused { why, .. } => Error::Refused {
                about: Some(SettingValue {
                    setting,
                    value: value.into(),
                }),
                why,
            },
            other => other,
        }
    }

    /// What to do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Error::Refused { why, .. } | Error::Unfit(why) => why.remedy.clone(),
            Error::Differs { model: Some(_), .. } => {
                Some("leave the option out to go on as before".into())
            }
            Error::Differs { model: None, .. } => Some(or_begin_again("give the same")),
            Error::FilesOnly { .. } => Some("save the stream to a file first".into()),
            Error::Data(error) => error.remedy(),
            Error::Model(error) => error.remedy(),
            Error::Write(error) => Some(error.remedy()),
            Error::Generate(error) => error.remedy(),
            Error::Spec(error) => error.remedy(),
            Error::Solver(error) => error.remedy(),
            Error::NotOffered { remedy, .. } => remedy.clone(),
            Error::Stopped(_) | Error::Output(_) => None,
        }
    }

    /// Facts and remedy, where the error is a part of something else.
    pub(crate) fn complaint(&self) -> Complaint {
        Complaint {
            what: self.to_string(),
            remedy: self.remedy(),
        }
    }

    /// Whether another learner might take the data.
    pub fn is_unfit(&self) -> bool {
        matches!(
            self,
            Error::Unfit(_) | Error::NotOffered { .. } | Error::FilesOnly { .. } | Error::Spec(_)
        )
    }
}

/// What to do about a run that cannot be resumed: mend it, or begin a new one.
pub(crate) fn or_begin_again(mended: &'static str) -> Remedy {
    Remedy::clause(mended).or(Remedy::leave_out(&[Setting::Resume]).aim("to begin a new run"))
}

/// What to do where the wrong input may have been given.
pub(crate) const CHECK_INPUT: &str = "check that the input is the one you meant";

/// There is nothing to learn from.
pub(crate) fn no_rows() -> Error {
    Error::refused("the data has no rows, so nothing was learned", CHECK_INPUT)
}

/// What to do about a file that is not what a certified run printed.
pub(crate) fn give_certificate() -> Remedy {
    Remedy::hint(Hint::GiveCertificate)
}

/// More memory, or something else.
pub(crate) fn memory_or(other: &'static str) -> Remedy {
    Remedy::raise(Setting::MaxMemory).or(other)
}

impl From<Complaint> for Error {
    fn from(why: Complaint) -> Self {
        Error::Refused { about: None, why }
    }
}

impl From<DataError> for Error {
    fn from(error: DataError) -> Self {
        match error {
            DataError::Interrupted => Error::Stopped(StoppedWhile::Reading),
            error => Error::Data(error),
        }
    }
}
