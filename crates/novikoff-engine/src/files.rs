//! Names of files that jobs write.

use std::path::Path;

use novikoff_data::atomic::NewFile;

use crate::Error;

/// What is read as data cannot be written.
pub(crate) fn read_as_data(path: &Path) -> Error {
    let what = format!("{}: is read as data and cannot be written", path.display());
    Error::refused(what, "give another name")
}

/// Whether two names are of one file, there or still to be written.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    let resolved = |path: &Path| {
        path.canonicalize().ok().or_else(|| {
            let folder = match path.parent()? {
                folder if folder.as_os_str().is_empty() => Path::new("."),
                folder => folder,
            };
            Some(folder.canonicalize().ok()?.join(path.file_name()?))
        })
    };
    resolved(a).is_some_and(|a| resolved(b) == Some(a))
}

/// Fails at once if a file cannot be written at this place.
pub fn check_writable(path: &Path) -> Result<(), Error> {
    if path == Path::new("-") {
        return Err(Error::refused(
            "-: is written as a file of its own",
            "give it a name",
        ));
    }
    Ok(NewFile::create(path).map(drop)?)
}
