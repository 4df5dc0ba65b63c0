//! A model as an ONNX file.

use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use novikoff::model::Model;
use novikoff_data::atomic::{NewFile, publish};

pub use novikoff_onnx::{InputType, Operators, Options};

use crate::Error;
use crate::events::{Context, Notice};
use crate::files::{check_writable, is_same_file};
use crate::options::hypothesis;

/// A model to be written for other programs.
#[derive(Clone, Debug)]
pub struct Export {
    /// The model's file.
    pub model: PathBuf,
    /// The file to write.
    pub output: PathBuf,
    /// What is written, and how.
    pub options: Options,
    /// Bytes that the model may take.
    pub memory: u128,
}

impl Export {
    /// Writes the file.
    pub fn run(&self, context: Context<'_>) -> Result<(), Error> {
        check_writable(&self.output)?;
        if is_same_file(&self.model, &self.output) {
            let path = self.output.display();
            let what = format!("{path}: is the model, which the export would replace");
            return Err(Error::refused(what, "give another name"));
        }
        let model = novikoff_data::model::load(&self.model, self.memory)?.model;
        let place = format!("{}: ", self.model.display());
        let exported = bytes(&model, &self.options);
        let bytes = exported.map_err(|error| match error {
            Error::Refused { about: None, why } => Error::placed(&place, why),
            other => other,
        })?;
        write(&bytes, &self.output)?;
        context.notice(Notice::Exported {
            path: self.output.clone(),
            bytes: bytes.len() as u64,
        });
        Ok(())
    }
}

/// Writes the bytes of a file: it is whole or as it was.
pub fn write(bytes: &[u8], output: &Path) -> Result<(), Error> {
    let mut file = BufWriter::new(NewFile::create(output)?);
    if let Err(error) = file.write_all(bytes) {
        return Err(file.get_ref().failed(error).into());
    }
    Ok(publish(file)?)
}

/// The bytes of the ONNX file of a model.
pub fn bytes(model: &Model, options: &Options) -> Result<Vec<u8>, Error> {
    hypothesis(options.by, model)?;
    Ok(novikoff_onnx::export(model, options)?)
}
