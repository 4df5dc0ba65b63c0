//! Why a command could not run: one line for a person, and whether it is an error at all.

use std::io;

use novikoff_data::error::DataError;

/// A reason to stop.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Could not run; the text says what, where, and what to do.
    #[error("{0}")]
    Message(String),
    /// The learner cannot take the data, though others may.
    #[error("{0}")]
    Unfit(String),
    /// A check that was asked for failed.
    #[error("{0}")]
    Check(String),
    /// A signal came; the text says how to go on.
    #[error("{0}")]
    Interrupted(String),
    /// Whoever reads our output has had enough: no error.
    #[error("the reader of the output is gone")]
    BrokenPipe,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Failure::BrokenPipe
        } else {
            Failure::Message(format!("cannot write the output: {error}"))
        }
    }
}

macro_rules! from_message {
    ($($error:ty),*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Failure::Message(error.to_string())
            }
        }
    )*};
}

from_message!(
    novikoff_data::atomic::WriteError,
    novikoff_data::model::ModelError,
    novikoff_data::generate::GenerateError,
    String,
    &str
);

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        match error {
            // whoever has something to save does so itself
            DataError::Interrupted => Failure::Interrupted(
                "stopped while the data was being read; nothing was learned, and nothing was saved"
                    .to_owned(),
            ),
            error => Failure::Message(error.to_string()),
        }
    }
}

impl From<novikoff::spec::SpecError> for Failure {
    fn from(error: novikoff::spec::SpecError) -> Self {
        Failure::Unfit(error.to_string())
    }
}
