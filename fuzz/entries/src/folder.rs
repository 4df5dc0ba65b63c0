//! A folder for what has to be a file.

use std::path::Path;

use tempfile::TempDir;

thread_local! {
    /// Kept as long as the thread: making one takes longer than most inputs.
    static FOLDER: TempDir = make();
}

/// In memory, where the system has such a place.
fn make() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    };
    made.expect("a temporary folder")
}

/// Does something in a folder that is this thread's own.
pub(crate) fn in_folder<T>(work: impl FnOnce(&Path) -> T) -> T {
    FOLDER.with(|folder| work(folder.path()))
}
