//! `--trace`: one JSON line for each mistake or update.

use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use novikoff::classes::Task;
use novikoff::model::{Event, Model};
use tempfile::NamedTempFile;

use crate::error::Failure;

/// How many events may wait for the positive label to be met, so that its name is as first written.
const WAITING: usize = 1 << 20;

/// Writes events to a temporary file that becomes the trace when the run is done.
pub(crate) struct Trace {
    path: PathBuf,
    out: BufWriter<NamedTempFile>,
    waiting: Vec<(u32, u64, Event)>,
    failed: Option<io::Error>,
}

impl Trace {
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let directory = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let file = NamedTempFile::new_in(directory)
            .map_err(|error| Failure::file(path, "cannot write the trace here", &error))?;
        let out = BufWriter::with_capacity(1 << 16, file);
        Ok(Trace {
            path: path.to_owned(),
            out,
            waiting: Vec::new(),
            failed: None,
        })
    }

    /// The events of the trial just made.
    pub(crate) fn trial(&mut self, epoch: u32, row: u64, model: &Model) {
        let named = match model.classes.task() {
            Task::Binary { .. } => model.classes.met()[1],
            _ => true,
        };
        if named || self.waiting.len() >= WAITING {
            self.release(model);
            for event in model.events() {
                self.write(epoch, row, event, model);
            }
        } else {
            self.waiting
                .extend(model.events().map(|event| (epoch, row, event)));
        }
    }

    fn release(&mut self, model: &Model) {
        for (epoch, row, event) in std::mem::take(&mut self.waiting) {
            self.write(epoch, row, event, model);
        }
    }

    fn write(&mut self, epoch: u32, row: u64, event: Event, model: &Model) {
        let class = model.classes.list()[event.class].label.name();
        let line = serde_json::json!({
            "epoch": epoch,
            "row": row,
            "class": class,
            "margin": event.margin,
            "mistake": event.mistake,
            "updated": event.updated,
        });
        if let Err(error) = writeln!(self.out, "{line}") {
            self.failed.get_or_insert(error);
        }
    }

    /// Puts the trace in its place.
    pub(crate) fn finish(mut self, model: &Model) -> Result<(), Failure> {
        self.release(model);
        let failure =
            |error: &io::Error| Failure::file(&self.path, "cannot write the trace", error);
        if let Some(error) = &self.failed {
            return Err(failure(error));
        }
        let file = self
            .out
            .into_inner()
            .map_err(|error| failure(error.error()))?;
        publish(file, &self.path).map_err(|error| failure(&error))
    }
}

/// Gives a finished temporary file its name. Temporary files are private; ours become as readable as
/// any file one creates.
pub(crate) fn publish(file: NamedTempFile, path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.as_file()
            .set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
