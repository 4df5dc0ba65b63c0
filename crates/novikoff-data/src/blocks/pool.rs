//! Blocks going round between the feed, those who parse them, and the consumer.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use novikoff::rows::Rows;

use super::feed::{Fault, Feed, Text};
use crate::svmlight::{ReadOptions, parse_block};

/// Some lines, and the rows in them once they are parsed.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Its number in the stream.
    number: u64,
    pub(super) text: Text,
    pub(super) rows: Rows,
    /// How many lines were parsed.
    pub(super) lines: u64,
}

impl Block {
    fn parse(&mut self, options: &ReadOptions) {
        self.rows.clear();
        self.lines = 0;
        match parse_block(self.text.bytes(), options, &mut self.rows) {
            Ok(lines) => self.lines = lines,
            Err(error) => self.text.fault = Some(Fault::Line(error)),
        }
    }
}

/// What the threads share.
pub(super) struct Pool {
    options: ReadOptions,
    /// A read may wait for a long time: the consumer must not be the one who waits while parsed
    /// rows lie ready.
    may_wait: bool,
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
    /// A thread panicked: its block will never come.
    broken: bool,
    /// How many blocks were begun, and how many the consumer has had.
    begun: u64,
    taken: u64,
    spare: Vec<Block>,
    /// Read but not parsed, in order.
    raw: VecDeque<Block>,
    parsed: Vec<Block>,
}

impl Pool {
    /// `threads - 1` helpers start to work at once.
    pub(super) fn start(
        feed: Feed,
        options: ReadOptions,
        threads: usize,
        may_wait: bool,
    ) -> Arc<Self> {
        // one block with the consumer, one with each who parses, one waiting if there are several
        let blocks = if threads == 1 { 1 } else { threads + 2 };
        let pool = Arc::new(Pool {
            options,
            may_wait,
            state: Mutex::new(State {
                feed: Some(feed),
                ended: false,
                stopped: false,
                broken: false,
                begun: 0,
                taken: 0,
                spare: (0..blocks).map(|_| Block::default()).collect(),
                raw: VecDeque::with_capacity(blocks),
                parsed: Vec::with_capacity(blocks),
            }),
            changed: Condvar::new(),
        });
        for _ in 1..threads {
            let pool = Arc::clone(&pool);
            let helper = move || Helper(pool).run();
            // with fewer threads than asked for, the others do the work
            drop(
                thread::Builder::new()
                    .name("novikoff-read".to_owned())
                    .spawn(helper),
            );
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

    /// Takes `done` back and gives the next block; none at the end.
    pub(super) fn next(&self, done: Option<Block>) -> Option<Block> {
        let mut state = self.state();
        if let Some(block) = done {
            state.spare.push(block);
            self.changed.notify_all();
        }
        loop {
            let wanted = state.taken;
            if let Some(at) = state.parsed.iter().position(|block| block.number == wanted) {
                state.taken += 1;
                return Some(state.parsed.swap_remove(at));
            }
            if state.ended && state.begun == wanted {
                return None;
            }
            assert!(!state.broken, "a thread that reads data panicked");
            if let Some(block) = state.raw.pop_front() {
                state = self.parse(state, block);
            } else if state.can_read() && (!self.may_wait || state.begun == wanted) {
                state = self.read(state);
            } else {
                state = self.wait(state);
            }
        }
    }

    /// Reads a block without holding the lock, and leaves it in `raw`.
    fn read<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let (Some(mut feed), Some(mut block)) = (state.feed.take(), state.spare.pop()) else {
            return state; // `can_read` said otherwise
        };
        drop(state);
        let more = feed.fill(&mut block.text);
        let mut state = self.state();
        if more {
            block.number = state.begun;
            state.begun += 1;
            state.raw.push_back(block);
            state.feed = Some(feed);
        } else {
            state.spare.push(block);
            state.ended = true;
        }
        self.changed.notify_all();
        state
    }

    /// Parses a block without holding the lock, and leaves it in `parsed`.
    fn parse<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        mut block: Block,
    ) -> MutexGuard<'a, State> {
        drop(state);
        block.parse(&self.options);
        let mut state = self.state();
        state.parsed.push(block);
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
            let read_first = pool.may_wait && state.can_read();
            if let Some(block) = if read_first {
                None
            } else {
                state.raw.pop_front()
            } {
                state = pool.parse(state, block);
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
