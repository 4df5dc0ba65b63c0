//! The trace of a run: one JSON line for each mistake or update.
//!
//! Lines go to a temporary file that becomes the trace when the run is done, or when it is first saved;
//! from then on they are added to it, and are on disk before the run is saved again. A resumed run
//! takes over what was written before its checkpoint.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, BufWriter, Read, Write as _};
use std::path::{Path, PathBuf};

use novikoff::classes::{Counts, Task};
use novikoff::model::{ClassOutcome, Model, Outcome, Totals};
use novikoff::run::EpochOrders;
use novikoff_data::atomic::{NewFile, publish};
use novikoff_data::model::Unfinished;

use crate::{Error, Remedy, Setting};

/// How many events may wait for the positive label to be met, so that its name is as first written.
const WAITING: usize = 1 << 20;

/// The longest line of a trace, of a label as long as a line of data may be.
pub(crate) const LONGEST_LINE: u64 = 65 << 20;

/// Where lines go.
enum Out {
    New(BufWriter<NewFile>),
    InPlace(BufWriter<File>),
    /// Putting it in its place failed.
    Gone,
}

/// Writes events.
pub(crate) struct Trace {
    path: PathBuf,
    out: Out,
    waiting: Vec<(u32, u64, ClassOutcome)>,
    failed: Option<io::Error>,
}

impl Trace {
    pub(crate) fn create(path: &Path) -> Result<Self, Error> {
        let out = BufWriter::with_capacity(1 << 16, NewFile::create(path)?);
        Ok(Trace {
            path: path.to_owned(),
            out: Out::New(out),
            waiting: Vec::new(),
            failed: None,
        })
    }

    /// The trace of a resumed run: its lines up to where the run stands, and those to come.
    pub(crate) fn go_on(path: &Path, run: &Unfinished, model: &Model) -> Result<Self, Error> {
        let mut trace = Self::create(path)?;
        if (run.epoch, run.done) == (0, 0) {
            return Ok(trace);
        }
        let other = || {
            let what = format!(
                "{}: is not the trace of the run that goes on",
                path.display()
            );
            let without = Remedy::leave_out(&[Setting::Trace]);
            Error::refused(
                what,
                Remedy::clause("give the file it was begun with").or(without),
            )
        };
        let mut file = BufReader::new(File::open(path).map_err(|_| other())?);
        let was_made = trials_made(run);
        let mut counts = Counts::default();
        let mut line = Vec::new();
        loop {
            line.clear();
            let mut file = Read::take(&mut file, LONGEST_LINE);
            file.read_until(b'\n', &mut line).map_err(|_| other())?;
            if line.last() != Some(&b'\n') {
                break; // the end, or a line that was being written
            }
            let event: serde_json::Value = serde_json::from_slice(&line).map_err(|_| other())?;
            let (Some(epoch), Some(row)) = (event["epoch"].as_u64(), event["row"].as_u64()) else {
                return Err(other());
            };
            if !was_made(epoch, row) {
                break;
            }
            counts.mistakes += u64::from(event["mistake"] == true);
            counts.updates += u64::from(event["updated"] == true);
            trace.line(&line);
        }
        if model.classes().is_binary() && counts != counts_so_far(run, model) {
            return Err(other());
        }
        Ok(trace)
    }

    /// The events of the trial just made.
    pub(crate) fn trial(&mut self, epoch: u32, row: u64, outcome: Outcome<'_>) {
        let model = outcome.model();
        let named = match model.classes().task() {
            Task::Binary { .. } => model.classes().met()[1],
            _ => true,
        };
        if named || self.waiting.len() >= WAITING {
            self.release(model);
            for event in outcome.events() {
                self.write(epoch, row, event, model);
            }
        } else {
            self.waiting
                .extend(outcome.events().map(|event| (epoch, row, event)));
        }
    }

    fn release(&mut self, model: &Model) {
        for (epoch, row, event) in std::mem::take(&mut self.waiting) {
            self.write(epoch, row, event, model);
        }
    }

    fn write(&mut self, epoch: u32, row: u64, event: ClassOutcome, model: &Model) {
        let class = model.classes().list()[event.class].label.name();
        let line = serde_json::json!({
            "epoch": epoch,
            "row": row,
            "class": class,
            "margin": event.margin,
            "mistake": event.mistake,
            "updated": event.updated,
        });
        self.line(format!("{line}\n").as_bytes());
    }

    fn line(&mut self, line: &[u8]) {
        let written = match &mut self.out {
            Out::New(out) => out.write_all(line),
            Out::InPlace(out) => out.write_all(line),
            Out::Gone => Ok(()),
        };
        if let Err(error) = written {
            self.failed.get_or_insert(error);
        }
    }

    /// All events so far are in the file, and the file in its place, when this returns.
    pub(crate) fn flush(&mut self, model: &Model) -> Result<(), Error> {
        self.release(model);
        if let Some(error) = self.failed.take() {
            return Err(self.refused(&error));
        }
        self.out = match std::mem::replace(&mut self.out, Out::Gone) {
            Out::New(out) => {
                publish(out)?;
                let file = OpenOptions::new().append(true).open(&self.path);
                let file = file.map_err(|error| self.refused(&error))?;
                Out::InPlace(BufWriter::with_capacity(1 << 16, file))
            }
            Out::InPlace(mut out) => {
                let synced = out.flush().and_then(|()| out.get_ref().sync_data());
                synced.map_err(|error| self.refused(&error))?;
                Out::InPlace(out)
            }
            Out::Gone => Out::Gone,
        };
        Ok(())
    }

    fn refused(&self, error: &io::Error) -> Error {
        let path = self.path.display();
        let what = format!("{path}: cannot write it: {error}");
        Error::refused(what, Remedy::clause("make room").or("give another name"))
    }
}

/// Whether a trial was made before the run was saved.
fn trials_made(run: &Unfinished) -> impl Fn(u64, u64) -> bool {
    let (at, done) = (u64::from(run.epoch), run.done);
    // the caller has met that many rows
    let mut learned = vec![false; run.shuffle.map_or(0, |_| run.rows as usize)];
    if run.shuffle.is_some() {
        let mut orders = EpochOrders::new(learned.len(), run.shuffle);
        for _ in 0..run.epoch {
            orders.next_epoch();
        }
        for &row in orders.next_epoch().iter().take(done as usize) {
            learned[row] = true;
        }
    }
    let shuffled = run.shuffle.is_some();
    move |epoch, row| {
        epoch < at
            || epoch == at
                && if shuffled {
                    learned.get(row as usize) == Some(&true)
                } else {
                    row < done
                }
    }
}

/// Mistakes and updates of the run so far, of a binary problem.
fn counts_so_far(run: &Unfinished, model: &Model) -> Counts {
    let Totals {
        mistakes, updates, ..
    } = run.ledger.standing().now(model);
    Counts { mistakes, updates }
}
