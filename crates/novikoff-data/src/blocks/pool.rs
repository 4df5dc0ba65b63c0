//! Pieces of text going round between the feed, those who parse them, and the consumer.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::feed::{Fault, Feed, Text};
use crate::csv::{self, CsvLayout};
use crate::draft::Draft;
use crate::error::LineError;
use crate::live_schema::LiveSchema;
use crate::options::ReadOptions;
use crate::{json, svmlight, vw};

/// What the lines are.
#[derive(Clone, Debug)]
pub(super) enum PieceShape {
    Svmlight,
    Vw,
    Csv(Arc<CsvLayout>),
    Json(Arc<json::JsonLayout>),
}

/// Some lines, and the rows in them once they are parsed.
#[derive(Debug, Default)]
pub(super) struct Piece {
    /// Its number in the stream.
    number: u64,
    pub(super) text: Text,
    pub(super) draft: Draft,
    /// How many lines were parsed.
    pub(super) lines: u64,
}

impl Piece {
    fn parse(&mut self, work: &Work) {
        self.draft.clear();
        self.lines = 0;
        let names = work.names.read();
        let (text, options, draft) = (self.text.bytes(), &*work.options, &mut self.draft);
        let lines: Result<u64, LineError> = match &work.shape {
            PieceShape::Svmlight => svmlight::parse_draft(text, options, &names, draft),
            PieceShape::Vw => vw::parse_draft(text, options, &names, draft),
            PieceShape::Json(layout) => json::parse_draft(text, layout, options, &names, draft),
            PieceShape::Csv(layout) => csv::parse_draft(text, layout, options, &names, draft),
        };
        match lines {
            Ok(lines) => self.lines = lines,
            Err(error) => self.text.fault = Some(Fault::Line(error)),
        }
    }
}

/// What has to be done with each piece.
pub(super) struct Work {
    pub(super) shape: PieceShape,
    pub(super) options: Arc<ReadOptions>,
    pub(super) names: Arc<LiveSchema>,
}

/// What the threads share.
pub(super) struct Pool {
    work: Work,
    /// A read may wait for a long time: the consumer must not be the one who waits, unless it is alone.
    may_wait: AtomicBool,
    state: Mutex<State>,
    /// Something to do, or something done.
    changed: Condvar,
}

struct State {
    /// None while somebody reads, and at the end.
    feed: Option<Feed>,
    /// Everything was read.
    ended: bool,
    stopped: bool,
    /// A thread panicked: its piece will never come.
    broken: bool,
    /// How many pieces were begun, and how many the consumer has had.
    begun: u64,
    taken: u64,
    spare: Vec<Piece>,
    /// Read but not parsed, in order.
    raw: VecDeque<Piece>,
    parsed: Vec<Piece>,
}

/// How often a consumer that waits looks for a request to stop.
pub(super) const PATIENCE: Duration = Duration::from_millis(50);

impl Pool {
    /// `threads - 1` helpers start to work at once; at least one if reads may wait.
    pub(super) fn start(feed: Feed, work: Work, threads: usize, may_wait: bool) -> Arc<Self> {
        Self::start_by(feed, work, threads, may_wait, |helper| {
            let thread = thread::Builder::new().name("novikoff-read".to_owned());
            thread.spawn(|| helper.run()).is_ok()
        })
    }

    /// Starts the pool; `spawn` starts a helper, and says whether it could.
    fn start_by(
        feed: Feed,
        work: Work,
        threads: usize,
        may_wait: bool,
        spawn: impl Fn(Helper) -> bool,
    ) -> Arc<Self> {
        let threads = threads.max(1 + usize::from(may_wait));
        // one piece with the consumer, one with each who parses, one waiting if there are several
        let pieces = if threads == 1 { 1 } else { threads + 2 };
        let pool = Arc::new(Pool {
            work,
            may_wait: AtomicBool::new(may_wait),
            state: Mutex::new(State {
                feed: Some(feed),
                ended: false,
                stopped: false,
                broken: false,
                begun: 0,
                taken: 0,
                spare: (0..pieces).map(|_| Piece::default()).collect(),
                raw: VecDeque::with_capacity(pieces),
                parsed: Vec::with_capacity(pieces),
            }),
            changed: Condvar::new(),
        });
        // with fewer threads than asked for, the others do the work; the consumer, if there is none
        let started = (1..threads).filter(|_| spawn(Helper(Arc::clone(&pool))));
        if started.count() == 0 {
            pool.may_wait.store(false, Ordering::Relaxed); // before anybody looks at it
        }
        pool
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // nothing panics while it holds the lock
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn stop(&self) {
        self.state().stopped = true;
        self.changed.notify_all();
    }

    fn may_wait(&self) -> bool {
        self.may_wait.load(Ordering::Relaxed)
    }

    /// Whether the run was asked to stop.
    fn interrupted(&self) -> bool {
        self.work.options.is_interrupted()
    }

    /// Takes `done` back and gives the next piece; none at the end, or if the run was asked to stop
    /// while there was nothing to do but wait.
    pub(super) fn next(&self, done: Option<Piece>) -> Option<Piece> {
        let mut state = self.state();
        if let Some(piece) = done {
            state.spare.push(piece);
            self.changed.notify_all();
        }
        loop {
            let wanted = state.taken;
            if let Some(at) = state.parsed.iter().position(|piece| piece.number == wanted) {
                state.taken += 1;
                return Some(state.parsed.swap_remove(at));
            }
            if state.ended && state.begun == wanted {
                return None;
            }
            assert!(!state.broken, "a thread that reads data panicked");
            if let Some(piece) = state.raw.pop_front() {
                state = self.parse(state, piece);
            } else if state.can_read() && !self.may_wait() {
                state = self.read(state);
            } else if self.may_wait() {
                if self.interrupted() {
                    return None;
                }
                let waited = self.changed.wait_timeout(state, PATIENCE);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            } else {
                state = self.wait(state);
            }
        }
    }

    /// Reads a piece without holding the lock, and leaves it in `raw`.
    fn read<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let (Some(mut feed), Some(mut piece)) = (state.feed.take(), state.spare.pop()) else {
            return state; // `can_read` said otherwise
        };
        drop(state);
        let more = feed.fill(&mut piece.text);
        let mut state = self.state();
        if more {
            piece.number = state.begun;
            state.begun += 1;
            state.raw.push_back(piece);
            state.feed = Some(feed);
        } else {
            state.spare.push(piece);
            state.ended = true;
        }
        self.changed.notify_all();
        state
    }

    /// Parses a piece without holding the lock, and leaves it in `parsed`.
    fn parse<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        mut piece: Piece,
    ) -> MutexGuard<'a, State> {
        drop(state);
        piece.parse(&self.work);
        let mut state = self.state();
        state.parsed.push(piece);
        self.changed.notify_all();
        state
    }
}

impl State {
    fn can_read(&self) -> bool {
        self.feed.is_some() && !self.ended && !self.spare.is_empty()
    }
}

/// A thread that works ahead of the consumer.
struct Helper(Arc<Pool>);

impl Helper {
    fn run(self) {
        let pool = &*self.0;
        let mut state = pool.state();
        while !state.stopped {
            // from a pipe, read first: the consumer can parse meanwhile, but must not wait for it
            let read_first = pool.may_wait() && state.can_read();
            if let Some(piece) = if read_first {
                None
            } else {
                state.raw.pop_front()
            } {
                state = pool.parse(state, piece);
            } else if state.can_read() {
                state = pool.read(state);
            } else {
                state = pool.wait(state);
            }
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.state().broken = true;
            self.0.changed.notify_all();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::Arc;

    use super::{PieceShape, Pool, Work};
    use crate::blocks::{Cut, Feed, Input, ReadOptions};

    #[test]
    fn the_consumer_reads_if_nobody_else_can() {
        let input = Input::Bytes {
            name: "f".to_owned(),
            text: b"1 1:1\n-1 2:1\n"[..].into(),
        };
        let options = ReadOptions::default();
        let opened = input.open(&options, &Arc::default()).unwrap();
        let feed = Feed::new(opened, 0, Cut::Lines, 1000, options.max_line);
        let work = Work {
            shape: PieceShape::Svmlight,
            options: Arc::new(options),
            names: Arc::default(),
        };
        let pool = Pool::start_by(feed, work, 2, true, |_| false);
        let piece = pool.next(None).unwrap();
        assert_eq!(piece.draft.rows.len(), 2);
        assert!(pool.next(Some(piece)).is_none());
    }
}
