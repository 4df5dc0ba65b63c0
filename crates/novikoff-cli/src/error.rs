//! Why a command could not run: one line for a person, and whether it is an error at all.

use std::io;

use novikoff_engine::Error;

/// A reason to stop.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Could not run; the text says what, where, and what to do.
    #[error("{0}")]
    Message(String),
    /// A check that was asked for failed.
    #[error("{0}")]
    Check(String),
    /// A signal came; the text says how to resume.
    #[error("{0}")]
    Interrupted(String),
    /// The reader of the output has closed it: no error.
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

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Failure::Message(text)
    }
}

impl From<&str> for Failure {
    fn from(text: &str) -> Self {
        Failure::Message(text.to_owned())
    }
}

macro_rules! from_error {
    ($($error:ty),*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Error::from(error).into()
            }
        }
    )*};
}

from_error!(
    novikoff::spec::SpecError,
    novikoff_data::atomic::WriteError,
    novikoff_data::error::DataError,
    novikoff_data::generate::GenerateError,
    novikoff_data::model::ModelError
);
