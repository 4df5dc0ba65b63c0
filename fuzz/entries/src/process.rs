//! What readers need of the process of a target, put in place once.
//!
//! Temporary files are in memory, where the system has such a place. Panics of the crates that decode
//! Parquet and Arrow become errors, but libFuzzer's panic hook ends the process, whatever would catch
//! them: ours, in front of it, lets them pass. Code of our own must not panic there either.

use std::panic;
use std::path::Path;
use std::sync::Once;

use novikoff_data::error::panics_are_caught;

/// Where files are in memory.
pub(crate) const MEMORY: &str = "/dev/shm";

pub(crate) fn prepare() {
    static PREPARED: Once = Once::new();
    PREPARED.call_once(|| {
        if Path::new(MEMORY).is_dir() {
            // only the first call counts, and this is it
            let _ = tempfile::env::override_temp_dir(Path::new(MEMORY));
        }
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |about| {
            let place = about.location();
            let ours = place.is_none_or(|place| place.file().contains("crates/novikoff"));
            if ours || !panics_are_caught() {
                hook(about);
            }
            if ours && panics_are_caught() {
                // nobody would notice
                std::process::abort();
            }
        }));
    });
}
