//! Rows learned from as they come: one pass, in order, none of them held.

use novikoff::certify::Diary;
use novikoff::classes::{LabelError, Task};
use novikoff::model::{Model, TrialError};
use novikoff::quantity::{count, plural};
use novikoff::resolve::{LOOKED_AT, Unresolved};
use novikoff::rows::Block;
use novikoff::run::{self, Observer as _};
use novikoff::schema::Schema;
use novikoff_data::blocks::Skipped;
use novikoff_data::error::DataError;

use super::{CheckedFit, Resumed, RunObservers, RunOutcome};
use crate::Error;
use crate::certify::evidence::EvidenceCollector;
use crate::checkpoint::Checkpointer;
use crate::data::{self, Data, Reading, is_sign, seen_enough};
use crate::error::{memory_or, or_begin_again};
use crate::events::{Context, Notice, Phase};
use crate::familiar::{FamiliarToModel, far_from_mean};
use crate::labels::{FilteredBlock, Unlabelled, labelled};
use crate::profile::check_labels_ahead;
use crate::reader::{ReadFacts, RowReader};
use crate::rows::{HeldRows, refused};
use crate::testing::EpochEnds;

impl CheckedFit<'_> {
    /// One pass over rows that are not held.
    #[allow(clippy::too_many_lines)] // the steps of a pass, in order
    pub(super) fn learn_streaming<'s>(
        &'s self,
        mut resumed: Option<Resumed>,
        watch: &mut RunObservers<'s>,
    ) -> Result<RunOutcome, Error> {
        let has_map = self.fit.run.map.is_some();
        let needs_width = resumed.is_none() && self.spec.needs_width() && !has_map;
        let width = match self.fit.run.features {
            None if needs_width => self.scanned(Data::scanned_width)?,
            _ => None,
        };
        let mut known = self.fit.run.task.clone();
        let saves = self.fit.checkpoint.is_some();
        if known.is_none() && saves && resumed.is_none() && !self.data.is_stream() {
            // a run that is saved on the way must not find out later what its labels are
            known = match self.scanned(Data::scanned_task)? {
                _ if self.begins_with_several_labels()? => Some(Task::MultiLabel),
                task => Some(task),
            };
        }
        loop {
            let mut reader = self.data.reader(&self.reading)?;
            let mut first = First::default();
            let begins = resumed.is_none();
            let guesses = known.is_none() && begins;
            let looks = begins && self.looks_at_rows();
            if guesses || looks {
                let wanted = if looks { LOOKED_AT } else { 0 };
                first.fill(&mut reader, known.as_ref(), wanted, self)?;
            }
            let looked_at = first.held.single().unwrap_or_default();
            let (mut model, run) = match (resumed.take(), &known) {
                (Some(resumed), _) => resumed,
                (None, task) => {
                    let task = match task {
                        Some(task) => task.clone(),
                        None => self.scanned(|data: &Data, reading: &Reading| {
                            data.task(&first.held, first.complete, reading)
                        })?,
                    };
                    let counts = || self.data.label_counts(&self.reading);
                    let model =
                        self.new_model(task, width, self.preparation.clone(), looked_at, counts)?;
                    (model, None)
                }
            };
            let goes_on = run.is_some();
            if self.fit.resume.is_some() && !goes_on {
                watch.familiar = Some(self.familiar(&model));
            }
            let run = run.unwrap_or_else(|| self.beginning(&mut model));
            // rows that are not held do not come again
            model.number_rows_from(None);
            watch.trace = self.trace(&model, goes_on.then_some(&run))?;
            self.begin(watch, &model, &run);
            watch.evidence = self.evidence(&model);
            let checkpointer = self.checkpointer(run, watch);
            let mut stream = StreamRun {
                context: self.context,
                skip: checkpointer.run.done,
                lenient: self.fit.rows.lenient,
                checkpointer,
            };
            if stream.skip > 0 && self.data.is_stream() {
                self.context
                    .notice(Notice::PassingOver { rows: stream.skip });
            }
            self.context.begin(Phase::Learning, reader.total_bytes());
            let ran = stream.run(&mut model, &mut reader, &first, watch);
            self.context.end();
            match ran {
                Ok(()) => {
                    data::describe(&reader, self.context);
                    let facts = reader.facts();
                    self.remark_on(watch.familiar.as_ref(), &facts)?;
                    if let Some(profile) = &mut watch.profile {
                        let is_all = self.fit.resume.is_none();
                        let (lenient, label) = (self.fit.rows.lenient, || reader.table()?.label);
                        profile.check_labels(is_all, label, lenient, self.context)?;
                    }
                    let mut run = stream.checkpointer.run;
                    run.ledger.end_epoch(&mut model);
                    watch.epoch_ended(&run.ledger);
                    let mut ends = EpochEnds::new(None, self.by);
                    ends.ended(&model, |_, _| {})?;
                    let evidence = watch.evidence.take().map(EvidenceCollector::finish);
                    model.adopt(reader.schema());
                    return Ok(RunOutcome {
                        model,
                        separated: run.until_separated.then(|| run.ledger.is_separated()),
                        ledger: run.ledger,
                        rows: run.rows,
                        features: run.features,
                        evidence: evidence.zip(watch.diary.take()),
                        skipped: reader.skipped(),
                        shuffled: self.fit.run.shuffle.is_some(),
                        ends: ends.ends,
                        tested: None,
                    });
                }
                // a file that looked binary and was not: the run begins again, knowing all its labels
                Err(Halt::ThirdLabel(_)) if guesses && !self.data.is_stream() => {
                    known = Some(self.scanned(Data::scanned_task)?);
                    *watch = self.watchers();
                }
                Err(halt) => return Err(halt.error()),
            }
        }
    }

    /// What is worth saying of all rows: what a model that learns on knows of them, or what a new one reads as 0.
    fn remark_on(
        &self,
        familiar: Option<&FamiliarToModel>,
        facts: &ReadFacts,
    ) -> Result<(), Error> {
        if let Some(familiar) = familiar {
            return familiar.check(facts, self.fit.rows.lenient, self.context);
        }
        let far = far_from_mean(facts, &facts.schema);
        for remark in &far {
            self.context.remark(remark);
        }
        Ok(())
    }

    /// What a look at all rows tells.
    fn scanned<T>(
        &self,
        look: impl FnOnce(&Data, &Reading) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.context.begin(Phase::Labels, None);
        let found = look(&self.data, &self.reading);
        self.context.end();
        found
    }

    /// Whether rows must be looked at before the first trial.
    pub(super) fn looks_at_rows(&self) -> bool {
        let unresolved = Unresolved {
            spec: &self.spec,
            kernel: self.fit.run.kernel_for(&self.spec),
            width: None,
            preparation: &self.preparation,
            map: self.fit.run.map,
            memory: 0,
            parts: self.fit.run.part_defaults(),
        };
        unresolved.needs_rows()
    }

    /// What collects rows for the certificate, if one is asked for.
    fn evidence(&self, model: &Model) -> Option<EvidenceCollector<'_>> {
        let certify = self.fit.certify.as_ref()?;
        let comparator = self.comparator.as_ref();
        let is_hashed = self.reading.schema.names.bits().is_some();
        Some(EvidenceCollector::new(
            model,
            is_hashed,
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
    let (rows, learned) = (plural(rows, "row"), count(learned));
    let what = format!("the input has {rows}, but the run had already met {learned}");
    Error::refused(
        what,
        or_begin_again("give the whole of the same input again"),
    )
}

/// Why a streamed run stopped.
enum Halt {
    /// A binary problem met a third label.
    ThirdLabel(Error),
    Error(Error),
}

impl Halt {
    /// At a row, which has a place and a schema.
    fn at(place: &str, error: &TrialError, schema: &Schema) -> Self {
        let refused = refused(place, error, schema);
        match error {
            TrialError::Label(LabelError::Third { .. }) => Halt::ThirdLabel(refused),
            _ => Halt::Error(refused),
        }
    }

    fn error(self) -> Error {
        match self {
            Halt::ThirdLabel(error) | Halt::Error(error) => error,
        }
    }
}

/// One pass over a stream.
struct StreamRun<'a> {
    context: Context<'a>,
    checkpointer: Checkpointer,
    /// Rows that were learned from before the run was resumed.
    skip: u64,
    lenient: bool,
}

impl StreamRun<'_> {
    fn run(
        &mut self,
        model: &mut Model,
        reader: &mut RowReader,
        first: &First,
        watch: &mut RunObservers<'_>,
    ) -> Result<(), Halt> {
        let mut number = 0;
        let head = first.held.single().unwrap_or_default();
        let place = |row| first.held.place(row);
        if matches!(model.classes().task(), Task::OneVsRest) && watch.profile.is_some() {
            let label = || reader.table()?.label;
            let is_all = first.complete || is_last(reader);
            check_labels_ahead(head, is_all, label, self.lenient, self.context)
                .map_err(Halt::Error)?;
        }
        self.block(model, head, number, &place, reader, watch)?;
        number += head.len() as u64;
        if self.checkpointer.is_due() {
            self.keep(model, reader)?;
        }
        loop {
            match reader.advance() {
                Ok(true) => {}
                Ok(false) if number < self.skip => {
                    return Err(Halt::Error(other_length(number, self.skip)));
                }
                Ok(false) => return Ok(()),
                Err(DataError::Interrupted) => {
                    self.keep(model, reader)?;
                    return Ok(());
                }
                Err(error) => return Err(Halt::Error(error.into())),
            }
            let multi = matches!(model.classes().task(), Task::MultiLabel);
            let kept = if multi { None } else { labelled(reader) };
            let Some((lent, line)) = reader.lent() else {
                continue;
            };
            let block = kept.as_ref().map_or(lent, FilteredBlock::view);
            let place = |row| reader.place(block, line, row, number);
            if matches!(model.classes().task(), Task::OneVsRest) && watch.profile.is_some() {
                let label = || reader.table()?.label;
                let is_all = number == 0 && is_last(reader);
                check_labels_ahead(block, is_all, label, self.lenient, self.context)
                    .map_err(Halt::Error)?;
            }
            self.block(model, block, number, &place, reader, watch)?;
            if let Some(profile) = &mut watch.profile {
                let label = || reader.table()?.label;
                let checked = profile.check_labels(false, label, self.lenient, self.context);
                checked.map_err(Halt::Error)?;
            }
            number += block.len() as u64;
            if let Some(error) = kept.and_then(|kept| kept.error) {
                return Err(Halt::Error(error.into()));
            }
            self.context.at(reader.position(1, 1));
        }
    }

    /// The rows of a block, whose first has this number, in stretches.
    fn block(
        &mut self,
        model: &mut Model,
        block: Block<'_>,
        number: u64,
        place: &dyn Fn(usize) -> String,
        reader: &RowReader,
        watch: &mut RunObservers<'_>,
    ) -> Result<(), Halt> {
        let run = &mut self.checkpointer.run;
        run.features = run.features.max(block.width());
        run.rows = run.rows.max(number + block.len() as u64);
        watch.positive.block(block);
        watch.weighted.block(block);
        if let Some(profile) = &mut watch.profile {
            let beside_words = reader.numbers_beside_words();
            profile.block(block, reader.is_table(), beside_words.as_deref());
        }
        if let Some(picture) = &mut watch.picture {
            picture.rows(block);
        }
        if let Some(familiar) = &mut watch.familiar {
            familiar.block(block);
        }
        let mut row = (self.skip.saturating_sub(number) as usize).min(block.len());
        while row < block.len() {
            let end = (row + self.checkpointer.stretch()).min(block.len());
            run::block(
                model,
                block,
                row..end,
                run::Position {
                    epoch: 0,
                    first: number,
                },
                watch,
            )
            .map_err(|stopped| Halt::at(&place(stopped.row), &stopped.error, &reader.schema()))?;
            self.checkpointer.made(end - row);
            row = end;
            self.context.at(reader.position(row, block.len()));
            if self.checkpointer.is_due() {
                self.keep(model, reader)?;
            }
        }
        if let Some(evidence) = &mut watch.evidence {
            evidence.rows(block, model, &reader.schema().names);
            if evidence.is_lost() {
                watch.diary = Some(Diary::default());
            }
        }
        Ok(())
    }

    /// Saves the run. The model does not adopt what the reader knows: the reader would have to copy its names when the next new one comes.
    fn keep(&mut self, model: &Model, reader: &RowReader) -> Result<(), Halt> {
        let Skipped { lines, samples } = reader.skipped();
        self.checkpointer.run.skipped = (lines, samples);
        let saved = self.checkpointer.save(model, &reader.schema());
        saved.map_err(Halt::Error)
    }
}

/// Whether the block lent last ends its file.
fn is_last(reader: &RowReader) -> bool {
    let total = reader.total_bytes();
    total.is_some_and(|total| reader.position(1, 1) >= total)
}

/// The first rows of a stream, kept to tell what its labels are, and what values are that are `auto`.
#[derive(Default)]
struct First {
    held: HeldRows,
    complete: bool,
    /// A label is neither -1 nor +1.
    has_other_label: bool,
}

impl First {
    /// Reads at least `wanted` rows, and if the task is not known as many as it takes to tell whether the labels are -1 and +1: the rest
    /// of a stream does not change what they are.
    fn fill(
        &mut self,
        reader: &mut RowReader,
        task: Option<&Task>,
        wanted: usize,
        fit: &CheckedFit<'_>,
    ) -> Result<(), Error> {
        let (context, memory) = (fit.context, fit.memory);
        let (unlabelled, is_stream) = (Unlabelled::of(task), fit.data.is_stream());
        context.begin(Phase::FirstRows, None);
        loop {
            let is_known = seen_enough(&self.held) || (is_stream && self.has_other_label);
            if self.held.len() >= wanted && (task.is_some() || is_known) {
                break;
            }
            match reader.advance() {
                Ok(true) => {
                    let before = self.held.len();
                    self.held.take(reader, unlabelled, u128::MAX)?;
                    let block = self.held.single().unwrap_or_default();
                    let mut labels = (before..block.len()).flat_map(|row| block.labels(row));
                    self.has_other_label |= labels.any(|label| !is_sign(label));
                    context.at(self.held.len() as u64);
                }
                Ok(false) => {
                    self.complete = true;
                    break;
                }
                // the run is saved as soon as it has begun
                Err(DataError::Interrupted) if !self.held.is_empty() && wanted == 0 => break,
                Err(error) => return Err(error.into()),
            }
            let bytes = self.held.bytes();
            if wanted > 0 && bytes > memory {
                let (needed, limit) = (bytes >> 20, memory >> 20);
                let what = format!(
                    "the first {} rows, which say what auto is, take {needed} MB, and the limit is {limit} MB",
                    count(wanted as u64)
                );
                return Err(Error::refused(
                    what,
                    memory_or("give numbers in the place of auto"),
                ));
            }
        }
        context.end();
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::borrow::Cow;
    use std::fmt::Write as _;
    use std::sync::Arc;

    use novikoff::spec::Spec;
    use novikoff_data::blocks::{Input, ReadOptions, Reader};
    use novikoff_data::model::{Unfinished, load};

    use super::*;
    use crate::Interrupt;
    use crate::checkpoint::Every;
    use crate::events::Quiet;

    const MEMORY: u128 = 1 << 24;

    /// Rows in VW's format, each with a name that no other has.
    fn reader(rows: usize, schema: Arc<novikoff::schema::Schema>) -> RowReader {
        let mut text = String::new();
        for row in 0..rows {
            writeln!(text, "{} |n always met{row}", 2 * (row % 2) as i32 - 1).unwrap();
        }
        let input = Input::Bytes {
            name: "rows.vw".to_owned(),
            text: Cow::Owned(text.into_bytes()),
        };
        let reader = Reader::with_schema(vec![input], ReadOptions::default(), 1, schema);
        RowReader::Files(Box::new(reader.unwrap()))
    }

    fn stream<'a>(path: &std::path::Path, interrupt: &'a Interrupt) -> StreamRun<'a> {
        let every = Some(Every::Rows(100));
        let run = Unfinished {
            epochs: 1,
            ..Unfinished::default()
        };
        StreamRun {
            context: Context::new(&Quiet, interrupt),
            checkpointer: Checkpointer::new(Some(path), every, Interrupt::default(), run),
            skip: 0,
            lenient: false,
        }
    }

    #[test]
    fn a_checkpoint_leaves_the_names_to_the_reader() {
        let here = tempfile::tempdir().unwrap();
        let path = here.path().join("m");
        let mut model = Model::builder(Spec::parse("perceptron").unwrap())
            .build()
            .unwrap();
        let interrupt = Interrupt::default();
        let mut stream = stream(&path, &interrupt);
        let mut reader = reader(60_000, Arc::clone(model.schema()));
        assert!(reader.advance().unwrap());
        // the reader had to copy the empty schema that the model holds too; from here on it is the only one
        let its_own = Arc::as_ptr(&reader.schema());
        let mut blocks = 0;
        loop {
            let known = reader.schema().names.highest();
            let block = reader.current().unwrap();
            model.reach(block.width());
            stream.keep(&model, &reader).map_err(Halt::error).unwrap();
            let saved = load(&path, MEMORY).unwrap().model;
            assert_eq!(saved.names().highest(), known, "all names are in the file");
            assert_eq!(saved.names().slot(b"n^always"), Some(1));
            assert_eq!(
                model.names().highest(),
                0,
                "the model adopts them at the end"
            );
            assert_eq!(
                Arc::strong_count(&reader.schema()),
                2,
                "the reader and this line"
            );
            blocks += 1;
            if !reader.advance().unwrap() {
                break;
            }
            assert!(reader.schema().names.highest() > known, "new names came");
            assert_eq!(
                Arc::as_ptr(&reader.schema()),
                its_own,
                "and nothing was copied"
            );
        }
        assert!(blocks > 2);
        model.adopt(reader.schema());
        assert_eq!(model.names().highest(), model.width());
    }
}
