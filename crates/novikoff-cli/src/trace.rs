//! `--trace`: one JSON line for each mistake or update.

use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use novikoff::classes::Task;
use novikoff::model::{Event, Model};
use novikoff_data::atomic::NewFile;

use crate::error::Failure;

/// How many events may wait for the positive label to be met, so that its name is as first written.
const WAITING: usize = 1 << 20;

/// Writes events to a temporary file that becomes the trace when the run is done.
pub(crate) struct Trace {
    out: BufWriter<NewFile>,
    waiting: Vec<(u32, u64, Event)>,
    failed: Option<io::Error>,
}

impl Trace {
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let out = BufWriter::with_capacity(1 << 16, NewFile::create(path)?);
        Ok(Trace {
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
        if let Some(error) = self.failed {
            return Err(self.out.get_ref().failed(error).into());
        }
        publish(self.out)
    }
}

/// Puts a file that was written through a buffer in its place.
pub(crate) fn publish(out: BufWriter<NewFile>) -> Result<(), Failure> {
    match out.into_inner() {
        Ok(file) => Ok(file.commit()?),
        Err(error) => {
            let (error, out) = error.into_parts();
            Err(out.get_ref().failed(error).into())
        }
    }
}
