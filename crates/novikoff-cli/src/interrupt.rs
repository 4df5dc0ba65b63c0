//! SIGINT and SIGTERM: the first asks the job to save and stop, the second ends the process at once.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use novikoff_engine::Interrupt;

/// A token that signals request from now on. Where the system has no such signals, nothing ever does.
pub(crate) fn listen() -> Interrupt {
    let interrupt = Interrupt::default();
    let armed: Arc<AtomicBool> = Arc::default();
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // in this order: the second signal finds what the first has set
        let _ = signal_hook::flag::register_conditional_shutdown(signal, 2, Arc::clone(&armed));
        let _ = signal_hook::flag::register(signal, Arc::clone(&armed));
        let _ = signal_hook::flag::register_usize(signal, interrupt.flag(), signal as usize);
    }
    interrupt
}
