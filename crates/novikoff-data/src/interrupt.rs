//! A request to stop, shared by those who ask and those who work.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A token that says whether a job was asked to stop. Clones share one answer.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicUsize>);

impl Interrupt {
    /// Asks the job to stop.
    pub fn request(&self) {
        self.0.store(1, Ordering::Relaxed);
    }

    /// Whether the job was asked to stop.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// The number behind it, for signal handlers: any value but 0 is a request.
    pub fn flag(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.0)
    }
}
