//! Rows learned from as they come: one pass, in order, none of them held.

use novikoff::certify::Diary;
use novikoff::classes::{LabelError, Task};
use novikoff::model::{Model, TrialError};
use novikoff::rows::Block;
use novikoff::run::{self, Ledger, Stopped};
use novikoff_data::blocks::Skipped;
use novikoff_data::error::DataError;

use super::{Done, Resumed, Run, Watchers};
use crate::Error;
use crate::certify::evidence::EvidenceCollector;
use crate::checkpoint::Checkpointer;
use crate::data::{self, seen_enough};
use crate::error::or_begin_again;
use crate::events::{Context, Notice, Phase};
use crate::labels::{Kept, Unlabelled, labelled};
use crate::reader::RowReader;
use crate::rows::{HeldRows, refused};

impl Run<'_> {
    /// One pass over rows that are not held.
    pub(super) fn learn_streaming<'s>(
        &'s self,
        mut resumed: Option<Resumed>,
        watch: &mut Watchers<'s>,
    ) -> Result<Done, Error> {
        let needs_width = resumed.is_none() && self.spec.needs_width();
        let width = match self.fit.run.features {
            None if needs_width => self.data.scanned_width(&self.reading)?,
            _ => None,
        };
        let mut known = self.fit.run.task.clone();
        let saves = self.fit.checkpoint.is_some();
        if known.is_none() && saves && resumed.is_none() && !self.data.is_stream() {
            // a run that is saved on the way must not find out later what its labels are
            known = match self.data.scanned_task(&self.reading)? {
                _ if self.begins_with_several_labels()? => Some(Task::MultiLabel),
                task => Some(task),
            };
        }
        loop {
            let mut reader = self.data.reader(&self.reading)?;
            let mut first = First::default();
            let guesses = known.is_none() && resumed.is_none();
            if guesses {
                first.fill(&mut reader)?;
            }
            let (mut model, run) = match (resumed.take(), &known) {
                (Some(resumed), _) => resumed,
                (None, Some(task)) => {
                    let task = task.clone();
                    (self.new_model(task, width, self.preparation.clone())?, None)
                }
                (None, None) => {
                    let task = self.data.task(&first.held, first.complete, &self.reading)?;
                    (self.new_model(task, width, self.preparation.clone())?, None)
                }
            };
            let mut ledger = match &run {
                Some(run) => run.ledger.clone(),
                None => Ledger::begin(&mut model),
            };
            // rows that are not held do not come again
            model.first_id = None;
            watch.trace = self.trace(&model, run.as_ref())?;
            watch.picture = Some(self.picture(&model, run.as_ref()));
            watch.evidence = self.evidence(&model);
            let checkpointer = self.checkpointer(run.unwrap_or_else(|| self.beginning()), watch);
            let mut stream = Stream {
                skip: checkpointer.run.done,
                checkpointer,
            };
            if stream.skip > 0 && self.data.is_stream() {
                self.context
                    .notice(Notice::PassingOver { rows: stream.skip });
            }
            self.context.begin(Phase::Learning, reader.total_bytes());
            let ran = stream.run(
                &mut model,
                &mut ledger,
                &mut reader,
                &first,
                watch,
                self.context,
            );
            self.context.end();
            match ran {
                Ok(()) => {
                    data::describe(&reader, self.context);
                    ledger.end_epoch(&mut model);
                    let evidence = watch.evidence.take().map(EvidenceCollector::finish);
                    model.names = reader.names();
                    model.table = reader.table().or(model.table);
                    return Ok(Done {
                        model,
                        ledger,
                        rows: stream.checkpointer.run.rows,
                        features: stream.checkpointer.run.features,
                        evidence: evidence.zip(watch.diary.take()),
                        skipped: reader.skipped(),
                    });
                }
                // a file that looked binary and was not: the run begins again, knowing all its labels
                Err(Halt::Row(_, stopped))
                    if guesses && !self.data.is_stream() && is_third_label(&stopped) =>
                {
                    known = Some(self.data.scanned_task(&self.reading)?);
                    *watch = self.watchers();
                }
                Err(halt) => return Err(halt.error()),
            }
        }
    }

    /// What collects rows for the certificate, if one is asked for.
    fn evidence(&self, model: &Model) -> Option<EvidenceCollector<'_>> {
        let certify = self.fit.certify.as_ref()?;
        let comparator = self.comparator.as_ref();
        let is_hashed = self.reading.names.bits().is_some();
        let of = (model, is_hashed);
        Some(EvidenceCollector::new(
            of,
            comparator,
            self.memory / 2,
            certify.spool,
        ))
    }

    /// Whether the first row has several labels.
    fn begins_with_several_labels(&self) -> Result<bool, Error> {
        let mut reader = self.data.reader(&self.reading)?;
        reader.advance()?;
        let first = reader.current();
        Ok(first.is_some_and(|block| block.labels(0).len() > 1))
    }
}

/// The data is not what the run that goes on was begun with.
pub(super) fn other_length(rows: u64, learned: u64) -> Error {
    let [rows, learned] = [rows, learned].map(novikoff_report::count);
    let what = format!("the input has {rows} rows, but the run had already met {learned}");
    Error::refused(
        what,
        or_begin_again("give the whole of the same input again"),
    )
}

/// Whether a run stopped because a binary problem met a third label.
fn is_third_label(stopped: &Stopped) -> bool {
    matches!(stopped.error, TrialError::Label(LabelError::Third { .. }))
}

/// Why a streamed run stopped.
enum Halt {
    Row(String, Stopped),
    Error(Error),
}

impl Halt {
    fn error(self) -> Error {
        match self {
            Halt::Row(place, stopped) => refused(&place, &stopped.error),
            Halt::Error(error) => error,
        }
    }
}

/// One pass over a stream.
struct Stream {
    checkpointer: Checkpointer,
    /// Rows that were learned from before the run was resumed.
    skip: u64,
}

impl Stream {
    fn run(
        &mut self,
        model: &mut Model,
        ledger: &mut Ledger,
        reader: &mut RowReader,
        first: &First,
        watch: &mut Watchers<'_>,
        context: Context<'_>,
    ) -> Result<(), Halt> {
        let mut number = 0;
        let head = first.held.single().unwrap_or_default();
        let place = |row| first.held.place(row);
        self.block(model, ledger, (head, number), &place, reader, watch)?;
        number += head.len() as u64;
        if self.checkpointer.is_due() {
            self.keep(model, ledger, reader)?;
        }
        loop {
            match reader.advance() {
                Ok(true) => {}
                Ok(false) if number < self.skip => {
                    return Err(Halt::Error(other_length(number, self.skip)));
                }
                Ok(false) => return Ok(()),
                Err(DataError::Interrupted) => {
                    self.keep(model, ledger, reader)?;
                    return Ok(());
                }
                Err(error) => return Err(Halt::Error(error.into())),
            }
            let multi = matches!(model.classes.task(), Task::MultiLabel);
            let kept = if multi { None } else { labelled(reader) };
            let Some((lent, line)) = reader.lent() else {
                continue;
            };
            let block = kept.as_ref().map_or(lent, Kept::view);
            let place = |row| reader.place(block, line, row, number);
            self.block(model, ledger, (block, number), &place, reader, watch)?;
            number += block.len() as u64;
            if let Some(error) = kept.and_then(|kept| kept.error) {
                return Err(Halt::Error(error.into()));
            }
            context.at(reader.bytes_read());
        }
    }

    /// The rows of a block, whose first has this number, in stretches.
    fn block(
        &mut self,
        model: &mut Model,
        ledger: &Ledger,
        (block, number): (Block<'_>, u64),
        place: &dyn Fn(usize) -> String,
        reader: &RowReader,
        watch: &mut Watchers<'_>,
    ) -> Result<(), Halt> {
        let run = &mut self.checkpointer.run;
        run.features = run.features.max(block.width());
        run.rows = run.rows.max(number + block.len() as u64);
        let mut row = (self.skip.saturating_sub(number) as usize).min(block.len());
        while row < block.len() {
            let end = (row + self.checkpointer.stretch()).min(block.len());
            run::block(model, block, row..end, (0, number), watch)
                .map_err(|stopped| Halt::Row(place(stopped.row), stopped))?;
            self.checkpointer.made(end - row);
            row = end;
            if self.checkpointer.is_due() {
                self.keep(model, ledger, reader)?;
            }
        }
        if let Some(evidence) = &mut watch.evidence {
            reader.with_names(|names| evidence.rows(block, model, names));
            if evidence.is_lost() {
                watch.diary = Some(Diary::default());
            }
        }
        Ok(())
    }

    fn keep(&mut self, model: &mut Model, ledger: &Ledger, reader: &RowReader) -> Result<(), Halt> {
        model.names = reader.names();
        model.table = reader.table().or(model.table.take());
        let Skipped { lines, samples } = reader.skipped();
        self.checkpointer.run.skipped = (lines, samples);
        self.checkpointer.save(model, ledger).map_err(Halt::Error)
    }
}

/// The first rows of a stream, kept to tell what its labels are.
#[derive(Default)]
struct First {
    held: HeldRows,
    complete: bool,
}

impl First {
    fn fill(&mut self, reader: &mut RowReader) -> Result<(), Error> {
        while !seen_enough(&self.held) {
            match reader.advance() {
                Ok(true) => self.held.take(reader, Unlabelled::ByFirstRow, u128::MAX)?,
                Ok(false) => {
                    self.complete = true;
                    break;
                }
                // the run is saved as soon as it has begun
                Err(DataError::Interrupted) if !self.held.is_empty() => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}
