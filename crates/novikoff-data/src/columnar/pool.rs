//! Parts of columns being decoded, batches being made of them, by any thread that is free.
//!
//! Each part of the columns is decoded in order, by one at a time; when all parts of the next batch are
//! there, somebody makes rows of them. Few batches are in flight, so memory does not grow with the
//! input. The consumer works too rather than sleep, except where it would wait for a pipe.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use arrow_array::{ArrayRef, NullArray, RecordBatch};

use super::batch::{Batch, Mismatch, Scratch};
use super::fault::{damaged, guarded};
use super::plan::Plan;
use crate::draft::Draft;
use crate::error::DataError;
use crate::live_schema::LiveSchema;
use crate::options::ReadOptions;

/// About how many values a batch has, and the most rows.
const BATCH_VALUES: u64 = 1 << 17;
const BATCH_ROWS: u64 = 1 << 13;

/// How many rows a batch has, by the number of rows and of values.
pub(super) fn batch_rows(values: u64, rows: u64) -> usize {
    let width = values / rows.max(1);
    (BATCH_VALUES / width.max(1)).clamp(16, BATCH_ROWS) as usize
}

/// Stands for a column that is not read.
pub(super) fn nothing(rows: usize) -> ArrayRef {
    Arc::new(NullArray::new(rows))
}

/// Puts the columns of a part where they belong.
pub(super) fn spread(columns: &[usize], batch: &RecordBatch, mut put: impl FnMut(usize, ArrayRef)) {
    for (&column, array) in columns.iter().zip(batch.columns()) {
        put(column, Arc::clone(array));
    }
}

/// Some columns of the input, decoded one batch after another. All parts of an input have the same
/// batches.
pub(super) trait Part: Send {
    /// Which columns.
    fn columns(&self) -> &[usize];

    /// Their next values; none at the end.
    fn next(&mut self) -> Result<Option<RecordBatch>, DataError>;
}

/// What has to be done with each batch.
pub(super) struct Work {
    pub(super) file: String,
    pub(super) format: &'static str,
    pub(super) plan: Plan,
    /// How many columns there are.
    pub(super) columns: usize,
    pub(super) options: Arc<ReadOptions>,
    pub(super) names: Arc<LiveSchema>,
}

/// What the threads share.
pub(super) struct Pool {
    work: Work,
    /// Decoding may wait for a pipe: the consumer must not be the one who waits.
    may_wait: bool,
    /// The columns of each part.
    shares: Vec<Vec<usize>>,
    state: Mutex<State>,
    /// Something to do, or something done.
    changed: Condvar,
}

type Decoded = Result<Option<RecordBatch>, DataError>;

/// One part, and what was decoded of it.
struct ColumnQueue {
    /// None while somebody decodes, and at the end.
    part: Option<Box<dyn Part>>,
    ready: VecDeque<Decoded>,
}

struct State {
    lanes: Vec<ColumnQueue>,
    /// The names of plain columns have their slots, so that batches can be made.
    announced: bool,
    /// No batch follows those begun.
    ended: bool,
    stopped: bool,
    /// How many batches were begun, and how many the consumer has had.
    begun: u64,
    taken: u64,
    /// The row that the next batch begins with.
    next_row: u64,
    spare: Vec<Draft>,
    scratch: Vec<Scratch>,
    /// Numbers of batches, and their rows.
    made: Vec<(u64, Result<Draft, DataError>)>,
}

/// Something to do.
enum PoolTask {
    Decode(usize, Box<dyn Part>),
    Make(Box<Making>),
}

/// A batch whose parts are all there.
struct Making {
    number: u64,
    /// Its first row.
    row: u64,
    parts: Vec<Decoded>,
    draft: Draft,
    scratch: Scratch,
}

/// How many batches of a part may wait.
const AHEAD: usize = 1;

/// How often a consumer that waits looks for a request to stop.
const PATIENCE: Duration = Duration::from_millis(50);

impl Pool {
    /// `threads - 1` helpers start to work at once; at least one if reads may wait.
    pub(super) fn start(
        parts: Vec<Box<dyn Part>>,
        work: Work,
        threads: usize,
        may_wait: bool,
    ) -> Arc<Self> {
        let threads = threads.max(1 + usize::from(may_wait));
        // one with the consumer, one with each who works, one waiting if there are several
        let drafts = if threads == 1 { 1 } else { threads + 2 };
        let lane = |part: Box<dyn Part>| ColumnQueue {
            part: Some(part),
            ready: VecDeque::new(),
        };
        let pool = Arc::new(Pool {
            work,
            may_wait,
            shares: parts.iter().map(|part| part.columns().to_vec()).collect(),
            state: Mutex::new(State {
                lanes: parts.into_iter().map(lane).collect(),
                announced: false,
                ended: false,
                stopped: false,
                begun: 0,
                taken: 0,
                next_row: 0,
                // the consumer brings one more with its first call
                spare: (1..drafts).map(|_| Draft::default()).collect(),
                scratch: Vec::new(),
                made: Vec::new(),
            }),
            changed: Condvar::new(),
        });
        for _ in 1..threads {
            let pool = Arc::clone(&pool);
            let helper = move || pool.help();
            // with fewer threads than asked for, the others do the work
            drop(
                thread::Builder::new()
                    .name("novikoff-decode".to_owned())
                    .spawn(helper),
            );
        }
        pool
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // nothing panics while it holds the lock
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn stop(&self) {
        let mut state = self.state();
        state.stopped = true;
        state.lanes.clear();
        self.changed.notify_all();
    }

    fn interrupted(&self) -> bool {
        self.work.options.is_interrupted()
    }

    /// Takes a draft back and gives the next rows; none at the end, or after a request to stop while
    /// there was nothing to do but wait.
    pub(super) fn next(&self, spare: Draft) -> Result<Option<Draft>, DataError> {
        let mut state = self.state();
        state.announced = true;
        state.spare.push(spare);
        self.changed.notify_all();
        loop {
            let wanted = state.taken;
            if let Some(at) = state.made.iter().position(|(number, _)| *number == wanted) {
                state.taken += 1;
                return state.made.swap_remove(at).1.map(Some);
            }
            let task = state.task(!self.may_wait);
            if state.ended && state.begun == wanted {
                return Ok(None);
            }
            state = match task {
                Some(task) => self.perform(state, task),
                None if self.may_wait => {
                    if self.interrupted() {
                        return Ok(None);
                    }
                    let waited = self.changed.wait_timeout(state, PATIENCE);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.wait(state),
            };
        }
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let waited = self.changed.wait(state);
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    /// Works ahead of the consumer.
    fn help(&self) {
        let mut state = self.state();
        while !state.stopped && !state.ended {
            state = match state.task(true) {
                Some(task) => self.perform(state, task),
                None if state.ended => break,
                None => self.wait(state),
            };
        }
        self.changed.notify_all();
    }

    /// Does something without holding the lock, and leaves what comes of it.
    fn perform<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        task: PoolTask,
    ) -> MutexGuard<'a, State> {
        drop(state);
        let state = match task {
            PoolTask::Decode(lane, mut part) => {
                let decoded = guarded(&self.work.file, self.work.format, || part.next());
                let mut state = self.state();
                if let Some(lane) = state.lanes.get_mut(lane) {
                    if matches!(decoded, Ok(Some(_))) {
                        lane.part = Some(part);
                    }
                    lane.ready.push_back(decoded);
                }
                state
            }
            PoolTask::Make(making) => {
                let Making {
                    number,
                    row,
                    parts,
                    mut draft,
                    mut scratch,
                } = *making;
                draft.clear();
                let made = guarded(&self.work.file, self.work.format, || {
                    let parts = self.shares.iter().zip(parts);
                    self.work.make(row, parts, &mut scratch, &mut draft)
                });
                let mut state = self.state();
                state.ended |= !matches!(made, Ok(true));
                state.scratch.push(scratch);
                state.made.push((number, made.map(|_| draft)));
                state
            }
        };
        self.changed.notify_all();
        state
    }
}

impl State {
    /// What can be done now: rows first, then the part that lags most behind.
    fn task(&mut self, may_decode: bool) -> Option<PoolTask> {
        if self.ended || self.stopped {
            return None;
        }
        let all_ready = self.lanes.iter().all(|lane| !lane.ready.is_empty());
        if all_ready && self.announced && !self.spare.is_empty() {
            return self.make();
        }
        if !may_decode {
            return None;
        }
        let free = |lane: &ColumnQueue| lane.part.is_some() && lane.ready.len() < AHEAD;
        let (at, lane) = (self.lanes.iter_mut().enumerate())
            .filter(|(_, lane)| free(lane))
            .min_by_key(|(_, lane)| lane.ready.len())?;
        lane.part.take().map(|part| PoolTask::Decode(at, part))
    }

    fn make(&mut self) -> Option<PoolTask> {
        let ready = self.lanes.iter_mut();
        let parts: Vec<Decoded> = ready.filter_map(|lane| lane.ready.pop_front()).collect();
        if parts.iter().all(|part| matches!(part, Ok(None))) {
            self.ended = true;
            return None;
        }
        let draft = self.spare.pop()?;
        let rows = parts.iter().flatten().flatten().map(RecordBatch::num_rows);
        let rows = rows.max().unwrap_or(0) as u64;
        let making = Making {
            number: self.begun,
            row: self.next_row,
            draft,
            scratch: self.scratch.pop().unwrap_or_default(),
            parts,
        };
        self.next_row += rows;
        self.begun += 1;
        Some(PoolTask::Make(Box::new(making)))
    }
}

impl Work {
    /// Makes the rows of a batch, from its columns. False if no more are to be made.
    fn make<'a>(
        &self,
        row: u64,
        parts: impl Iterator<Item = (&'a Vec<usize>, Decoded)>,
        scratch: &mut Scratch,
        draft: &mut Draft,
    ) -> Result<bool, DataError> {
        let broken = |why| damaged(&self.file, self.format, why);
        let mut columns: Vec<Option<ArrayRef>> = vec![None; self.columns];
        let mut rows = None;
        for (share, part) in parts {
            let batch = part?.ok_or_else(|| broken(UNEVEN))?;
            if *rows.get_or_insert(batch.num_rows()) != batch.num_rows() {
                return Err(broken(UNEVEN));
            }
            spread(share, &batch, |column, array| columns[column] = Some(array));
        }
        let rows = rows.unwrap_or(0);
        let columns = columns.into_iter().enumerate();
        let columns: Option<Vec<ArrayRef>> = columns
            .map(|(k, column)| column.or_else(|| (!self.plan.reads(k)).then(|| nothing(rows))))
            .collect();
        let columns = columns.ok_or_else(|| broken("a column is missing"))?;
        let changed = |Mismatch| broken("a column is not of the type the schema says");
        let batch = Batch::new(&self.plan, &self.options, &columns, rows);
        let names = self.names.read();
        let made = batch.and_then(|batch| batch.make(row, &names, scratch, draft));
        made.map_err(changed)
    }
}

const UNEVEN: &str = "its columns have different numbers of rows";
