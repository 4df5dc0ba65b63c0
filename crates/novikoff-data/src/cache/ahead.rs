//! Blocks checked ahead of their reader.
//!
//! A helper goes through the blocks some way ahead of the reader: it takes the waits for pages and
//! disk, and leaves the bytes in the cores' shared cache. The reader works too: if its block is not
//! checked yet, it checks one rather than sleep.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::file::CacheFile;
use crate::error::DataError;

/// How many blocks the helper may be ahead. It sleeps then until it is only half as far.
const AHEAD: usize = 16;

pub(super) struct CheckAhead {
    file: Arc<CacheFile>,
    state: Mutex<State>,
    /// Wakes a thread that waits: waking costs a system call, so it is done only if a thread waits.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The next block that nobody has begun to check.
    next: usize,
    /// The block the reader is at.
    at: usize,
    reader_waits: bool,
    helper_waits: bool,
    /// Nobody works ahead any more: a block is not sound, or the reader or the helper is gone.
    ended: bool,
}

impl CheckAhead {
    /// Starts to check blocks, if there is another thread to do it.
    pub(super) fn start(file: Arc<CacheFile>, threads: usize) -> Arc<Self> {
        let ahead = Arc::new(CheckAhead {
            file,
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        if threads > 1 && ahead.file.blocks() > 1 {
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

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let waited = self.changed.wait(state);
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn stop(&self) {
        self.state().ended = true;
        self.changed.notify_all();
    }

    /// Returns when block `k` is sound, or says what is wrong with it.
    pub(super) fn check(&self, k: usize) -> Result<(), DataError> {
        let mut state = self.state();
        state.at = k;
        if state.helper_waits && state.next <= k + AHEAD / 2 {
            state.helper_waits = false;
            self.changed.notify_all();
        }
        while !self.file.is_sound(k) {
            if state.next <= k || state.ended {
                state.next = state.next.max(k + 1);
                drop(state);
                return self.file.check(k);
            }
            // the helper is at it
            state = if self.may_begin(&state) {
                self.check_next(state)
            } else {
                state.reader_waits = true;
                self.wait(state)
            };
        }
        state.reader_waits = false;
        Ok(())
    }

    fn may_begin(&self, state: &State) -> bool {
        state.next < self.file.blocks() && state.next <= state.at + AHEAD && !state.ended
    }

    /// Checks the next block without holding the lock.
    fn check_next<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let block = state.next;
        state.next += 1;
        drop(state);
        let checked = self.file.check(block);
        let mut state = self.state();
        // the reader will check it again, when it gets there, to say what is wrong
        state.ended |= checked.is_err();
        if state.reader_waits {
            self.changed.notify_all();
        }
        state
    }
}

struct Helper(Arc<CheckAhead>);

impl Helper {
    fn run(self) {
        let ahead = &*self.0;
        let mut state = ahead.state();
        while !state.ended && state.next < ahead.file.blocks() {
            state = if ahead.may_begin(&state) {
                ahead.check_next(state)
            } else {
                state.helper_waits = true;
                ahead.wait(state)
            };
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.state().ended = true;
            self.0.changed.notify_all();
        }
    }
}
