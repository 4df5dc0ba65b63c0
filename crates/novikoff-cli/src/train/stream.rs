//! Rows learned from as they come: one pass, in order, none of them held.

use novikoff::certify::Diary;
use novikoff::classes::Task;
use novikoff::model::Model;
use novikoff::rows::Block;
use novikoff::run::{self, Ledger, Stopped};
use novikoff::source::Source as _;
use novikoff_data::blocks::Reader;
use novikoff_data::error::DataError;

use super::{Done, Job, Onlooker, Resumed};
use crate::checkpoint::Keeper;
use crate::error::Failure;
use crate::input::{self, Held, is_third_label, seen_enough};
use crate::labelled::{Bare, Kept, labelled};
use crate::progress::Progress;
use crate::witness::Witness;

impl Job<'_> {
    /// One pass over rows that are not held.
    pub(super) fn learn_streaming<'s>(
        &'s self,
        mut resumed: Option<Resumed>,
        watch: &mut Onlooker<'s>,
    ) -> Result<Done, Failure> {
        let needs_width = resumed.is_none() && self.spec.needs_width();
        let width = match self.args.run.features {
            None if needs_width => self.data.scanned_width(&self.reading)?,
            _ => None,
        };
        let mut known = self.task.clone();
        if known.is_none() && self.every.is_some() && resumed.is_none() && !self.data.is_stream() {
            // a run that is saved on the way must not find out later what its labels are
            known = match self.data.scanned_task(&self.reading)? {
                _ if self.begins_with_several_labels()? => Some(Task::MultiLabel),
                task => Some(task),
            };
        }
        loop {
            // built-in data never comes here, so there is a reader
            let Some(mut reader) = self.data.reader(&self.reading)? else {
                return self.learn_held(resumed, watch);
            };
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
            watch.painter = Some(self.painter(&model, run.as_ref()));
            watch.witness = self.witness(&model);
            let keeper = self.keeper(run.unwrap_or_else(|| self.beginning()), watch);
            let mut stream = Stream {
                skip: keeper.run.done,
                keeper,
            };
            if stream.skip > 0 && self.data.is_stream() {
                let rows = novikoff_report::count(stream.skip);
                let told = format!("passing over {rows} rows learned before");
                self.progress.remark(&told);
            }
            self.progress.begin(reader.total_bytes(), "learning");
            let ran = stream.run(
                &mut model,
                &mut ledger,
                &mut reader,
                &first,
                watch,
                &self.progress,
            );
            self.progress.end();
            match ran {
                Ok(()) => {
                    input::describe(&reader, &self.progress);
                    ledger.end_epoch(&mut model);
                    let evidence = watch.witness.take().map(Witness::finish);
                    model.names = reader.names().clone();
                    model.table = reader.table().cloned().or(model.table);
                    return Ok(Done {
                        model,
                        ledger,
                        rows: stream.keeper.run.rows,
                        features: stream.keeper.run.features,
                        witness: evidence.zip(watch.diary.take()),
                        skipped: reader.skipped().clone(),
                    });
                }
                // a file that looked binary and was not: begin anew, knowing all its labels
                Err(Halt::Row(_, stopped))
                    if guesses && !self.data.is_stream() && is_third_label(&stopped) =>
                {
                    known = Some(self.data.scanned_task(&self.reading)?);
                    *watch = self.onlooker();
                }
                Err(halt) => return Err(halt.failure()),
            }
        }
    }

    /// Whoever watches the rows, if the run is to be certified.
    fn witness(&self, model: &Model) -> Option<Witness<'_>> {
        self.args.effort()?;
        let spool = u128::from(self.args.spool.spool_mb) << 20;
        let comparator = self.comparator.as_ref();
        let is_hashed = self.reading.names.bits().is_some();
        let of = (model, is_hashed);
        Some(Witness::new(of, comparator, self.memory / 2, spool))
    }

    /// Whether the first row has several labels.
    fn begins_with_several_labels(&self) -> Result<bool, Failure> {
        let Some(mut reader) = self.data.reader(&self.reading)? else {
            return Ok(false);
        };
        Ok(reader
            .next_block()?
            .is_some_and(|block| block.labels(0).len() > 1))
    }
}

/// The data is not what the run that goes on was begun with.
pub(super) fn other_length(rows: u64, learned: u64) -> Failure {
    let [rows, learned] = [rows, learned].map(novikoff_report::count);
    Failure::Message(format!(
        "the input has {rows} rows, but the run had already met {learned}; give the whole of the same input again, or leave --resume out to begin anew"
    ))
}

/// Why a streamed run stopped.
enum Halt {
    Row(String, Stopped),
    Failure(Failure),
}

impl Halt {
    fn failure(self) -> Failure {
        match self {
            Halt::Row(place, stopped) => Failure::Message(format!("{place}{}", stopped.error)),
            Halt::Failure(failure) => failure,
        }
    }
}

/// One pass over a stream.
struct Stream {
    keeper: Keeper,
    /// Rows that were learned from before the run was resumed.
    skip: u64,
}

impl Stream {
    fn run(
        &mut self,
        model: &mut Model,
        ledger: &mut Ledger,
        reader: &mut Reader,
        first: &First,
        watch: &mut Onlooker<'_>,
        progress: &Progress,
    ) -> Result<(), Halt> {
        let mut number = 0;
        let head = first.held.single().unwrap_or_default();
        let place = |row| first.held.place(row);
        self.block(model, ledger, (head, number), &place, reader, watch)?;
        number += head.len() as u64;
        if self.keeper.is_due() {
            self.keep(model, ledger, reader)?;
        }
        loop {
            match reader.next_block() {
                Ok(Some(_)) => {}
                Ok(None) if number < self.skip => {
                    return Err(Halt::Failure(other_length(number, self.skip)));
                }
                Ok(None) => return Ok(()),
                Err(DataError::Interrupted) => {
                    self.keep(model, ledger, reader)?;
                    return Ok(());
                }
                Err(error) => return Err(Halt::Failure(error.into())),
            }
            let multi = matches!(model.classes.task(), Task::MultiLabel);
            let kept = if multi { None } else { labelled(reader) };
            let Some((lent, line)) = reader.lent() else {
                continue;
            };
            let block = kept.as_ref().map_or(lent, Kept::view);
            let place = |row| {
                let file = reader.place(0).file;
                format!("{file}:{}: ", line + 1 + block.line(row))
            };
            self.block(model, ledger, (block, number), &place, reader, watch)?;
            number += block.len() as u64;
            if let Some(error) = kept.and_then(|kept| kept.error) {
                return Err(Halt::Failure(error.into()));
            }
            progress.at(reader.bytes_read());
        }
    }

    /// The rows of a block, whose first has this number, in stretches.
    fn block(
        &mut self,
        model: &mut Model,
        ledger: &Ledger,
        (block, number): (Block<'_>, u64),
        place: &dyn Fn(usize) -> String,
        reader: &Reader,
        watch: &mut Onlooker<'_>,
    ) -> Result<(), Halt> {
        let run = &mut self.keeper.run;
        run.features = run.features.max(block.width());
        run.rows = run.rows.max(number + block.len() as u64);
        let mut row = (self.skip.saturating_sub(number) as usize).min(block.len());
        while row < block.len() {
            let end = (row + self.keeper.stretch()).min(block.len());
            run::block(model, block, row..end, (0, number), watch)
                .map_err(|stopped| Halt::Row(place(stopped.row), stopped))?;
            self.keeper.made(end - row);
            row = end;
            if self.keeper.is_due() {
                self.keep(model, ledger, reader)?;
            }
        }
        if let Some(witness) = &mut watch.witness {
            witness.rows(block, model, &reader.names());
            if witness.is_lost() {
                watch.diary = Some(Diary::default());
            }
        }
        Ok(())
    }

    fn keep(&mut self, model: &mut Model, ledger: &Ledger, reader: &Reader) -> Result<(), Halt> {
        model.names = reader.names().clone();
        model.table = reader.table().cloned().or(model.table.take());
        let skipped = reader.skipped().clone();
        self.keeper.run.skipped = (skipped.lines, skipped.samples);
        self.keeper.keep(model, ledger).map_err(Halt::Failure)
    }
}

/// The first rows of a stream, kept to tell what its labels are.
#[derive(Default)]
struct First {
    held: Held,
    complete: bool,
}

impl First {
    fn fill(&mut self, reader: &mut Reader) -> Result<(), Failure> {
        while !seen_enough(&self.held) {
            match reader.next_block() {
                Ok(Some(_)) => self.held.take(reader, Bare::Told, u128::MAX)?,
                Ok(None) => {
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
