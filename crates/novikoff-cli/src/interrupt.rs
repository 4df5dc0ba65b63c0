//! SIGINT and SIGTERM: the first asks the run to save and stop, the second ends the process at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Not 0 once a signal came.
#[derive(Clone, Copy)]
pub(crate) struct Interrupt(pub(crate) &'static AtomicUsize);

impl Interrupt {
    /// Listens from now on. Where the system has no such signals, nothing ever comes.
    pub(crate) fn listen() -> Self {
        // lives as long as the process, for signals may come as long
        let flag: &'static Arc<AtomicUsize> = Box::leak(Box::default());
        let armed: Arc<AtomicBool> = Arc::default();
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            // in this order: the second signal finds what the first has set
            let _ = signal_hook::flag::register_conditional_shutdown(signal, 2, Arc::clone(&armed));
            let _ = signal_hook::flag::register(signal, Arc::clone(&armed));
            let _ = signal_hook::flag::register_usize(signal, Arc::clone(flag), signal as usize);
        }
        Interrupt(flag)
    }

    /// A signal came.
    pub(crate) fn came(self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }
}
