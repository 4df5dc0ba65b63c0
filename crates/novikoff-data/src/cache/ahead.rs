//! Blocks checked ahead of whoever reads them.
//!
//! A helper goes through the blocks some way ahead of the reader: it takes the waits for pages and
//! disk, and leaves the bytes in the cores' shared cache. The reader works too: if its block is not
//! checked yet, it checks one rather than sleep.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::file::CacheFile;
use crate::error::DataError;

/// How many blocks the helper may be ahead.
const AHEAD: usize = 16;

pub(super) struct Ahead {
    file: Arc<CacheFile>,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// The next block that nobody has begun to check.
    next: usize,
    /// The block the reader is at.
    at: usize,
    /// The helper gave up: a block is not sound.
    failed: bool,
    stopped: bool,
}

impl Ahead {
    /// Starts to check blocks, if there is another thread to do it.
    pub(super) fn start(file: Arc<CacheFile>, threads: usize) -> Arc<Self> {
        let ahead = Arc::new(Ahead {
            file,
            state: Mutex::new(State {
                next: 0,
                at: 0,
                failed: false,
                stopped: false,
            }),
            changed: Condvar::new(),
        });
        if threads > 1 {
            let helper = Helper(Arc::clone(&ahead));
            // without it the reader does the work
            drop(
                thread::Builder::new()
                    .name("novikoff-check".to_owned())
                    .spawn(move || helper.run()),
            );
        }
        ahead
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // nothing panics while it holds the lock
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn stop(&self) {
        self.state().stopped = true;
        self.changed.notify_all();
    }

    /// Returns when block `k` is sound, or says what is wrong with it.
    pub(super) fn check(&self, k: usize) -> Result<(), DataError> {
        let mut state = self.state();
        state.at = k;
        self.changed.notify_all();
        while !self.file.is_sound(k) {
            if state.next <= k || state.failed {
                state.next = state.next.max(k + 1);
                drop(state);
                return self.file.check(k);
            }
            // the helper is at it
            state = if self.may_begin(&state) {
                self.check_next(state)
            } else {
                let waited = self.changed.wait(state);
                waited.unwrap_or_else(PoisonError::into_inner)
            };
        }
        Ok(())
    }

    fn may_begin(&self, state: &State) -> bool {
        state.next < self.file.blocks() && state.next <= state.at + AHEAD && !state.failed
    }

    /// Checks the next block without holding the lock.
    fn check_next<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let block = state.next;
        state.next += 1;
        drop(state);
        let checked = self.file.check(block);
        let mut state = self.state();
        // the reader will check it again, when it gets there, to say what is wrong
        state.failed |= checked.is_err();
        self.changed.notify_all();
        state
    }
}

struct Helper(Arc<Ahead>);

impl Helper {
    fn run(self) {
        let ahead = &*self.0;
        let mut state = ahead.state();
        while !state.stopped && !state.failed && state.next < ahead.file.blocks() {
            state = if ahead.may_begin(&state) {
                ahead.check_next(state)
            } else {
                let waited = ahead.changed.wait(state);
                waited.unwrap_or_else(PoisonError::into_inner)
            };
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.state().failed = true;
            self.0.changed.notify_all();
        }
    }
}
