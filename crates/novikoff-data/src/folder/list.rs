//! Which files a folder of texts has.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::time::UNIX_EPOCH;

use novikoff::random::SplitMix64;
use novikoff::remedy::{Complaint, Remedy};

use super::{Folder, TextFile};
use crate::error::DataError;
use crate::options::{FileOrder, ReadOptions};

/// The seed of the order in which files are read.
const SEED: u64 = 0;

/// How a folder of texts is laid out, for messages.
const LAYOUT: &str = "a folder of texts has one sub-folder per class, and text files in each";

/// What a directory holds, sorted by the bytes of names; hidden entries are left aside.
#[derive(Default)]
struct Entries {
    folders: Vec<OsString>,
    files: Vec<OsString>,
    /// How many bytes the files have.
    bytes: u64,
}

impl Entries {
    fn of(path: &Path, mut each: impl FnMut(&Path, &fs::Metadata)) -> Result<Self, DataError> {
        let failed = |error| DataError::io(path, error);
        let mut entries = Entries::default();
        for entry in fs::read_dir(path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let path = path.join(&name);
            // links are followed
            let about = fs::metadata(&path).map_err(|error| DataError::io(&path, error))?;
            if about.is_dir() {
                entries.folders.push(name);
            } else if about.is_file() {
                each(&path, &about);
                entries.bytes += about.len();
                entries.files.push(name);
            } else {
                let what = Complaint::new(
                    "is not a regular file, and so not a text of its folder",
                    "move it elsewhere",
                );
                return Err(DataError::content(path.display().to_string(), what));
            }
        }
        entries.folders.sort_unstable();
        entries.files.sort_unstable();
        Ok(entries)
    }
}

impl Folder {
    /// Lists the files of a folder. Texts without labels are allowed if they are meant to be predicted.
    pub(crate) fn list(path: &Path, options: &ReadOptions) -> Result<Self, DataError> {
        Self::list_each(path, options, |_, _| {})
    }

    fn list_each(
        path: &Path,
        options: &ReadOptions,
        mut each: impl FnMut(&Path, &fs::Metadata),
    ) -> Result<Self, DataError> {
        let refuse = |path: &Path, what: String, remedy: Remedy| {
            let what = Complaint::new(what, remedy);
            Err(DataError::content(path.display().to_string(), what))
        };
        let shown = |name: &OsString| name.to_string_lossy().into_owned();
        let top = Entries::of(path, &mut each)?;
        let mut folder = Folder {
            path: path.to_owned(),
            classes: Vec::new(),
            files: Vec::new(),
            bytes: top.bytes,
            replaced: AtomicU64::new(0),
            first_replaced: AtomicU64::new(0),
        };
        match (top.folders.first(), top.files.first()) {
            (None, None) => {
                let what = format!("is an empty folder; {LAYOUT}");
                return refuse(path, what, Remedy::clause("check the name"));
            }
            (Some(sub), Some(file)) => {
                let (sub, file) = (shown(sub), shown(file));
                let what = format!("has files ({file}) beside sub-folders ({sub}); {LAYOUT}");
                let remedy = Remedy::clause("move the files elsewhere");
                return refuse(
                    path,
                    what,
                    remedy.or("name the files, if they are the data"),
                );
            }
            (None, Some(_)) if !options.unlabelled => {
                let what =
                    format!("has files and no sub-folders, so its texts have no labels; {LAYOUT}");
                let remedy = Remedy::clause("make a sub-folder per class");
                return refuse(path, what, remedy.or("name the files, if they are tables"));
            }
            (None, Some(_)) => {
                let file = |name| TextFile { class: 0, name };
                folder.files = top.files.into_iter().map(file).collect();
                return Ok(folder);
            }
            (Some(_), None) => {}
        }
        for name in top.folders {
            let inner = path.join(&name);
            let Some(class) = name.to_str() else {
                let what = "has a name that is not UTF-8, and so cannot be a label".to_owned();
                return refuse(&inner, what, Remedy::clause("rename it"));
            };
            let entries = Entries::of(&inner, &mut each)?;
            if let Some(nested) = entries.folders.first() {
                let nested = inner.join(nested);
                let what = format!("is a folder inside the folder of the class {class}; {LAYOUT}");
                let all = format!(
                    "name {}, if its sub-folders are the classes",
                    inner.display()
                );
                return refuse(&nested, what, Remedy::clause(all).or("move its files up"));
            }
            let number = folder.classes.len() as u32;
            let file = |name| TextFile {
                class: number,
                name,
            };
            folder.classes.push(class.to_owned());
            folder.files.extend(entries.files.into_iter().map(file));
            folder.bytes += entries.bytes;
        }
        if folder.files.is_empty() {
            let what = format!("has sub-folders and no file in any of them; {LAYOUT}");
            return refuse(path, what, Remedy::clause("check the name"));
        }
        if options.file_order == FileOrder::Drawn {
            SplitMix64::new(SEED).shuffle(&mut folder.files);
        }
        Ok(folder)
    }
}

/// How many bytes the texts of a folder have; none if it is no folder of texts.
pub fn bytes(path: &Path) -> Option<u64> {
    let options = ReadOptions {
        unlabelled: true,
        ..ReadOptions::default()
    };
    Folder::list(path, &options).ok().map(|folder| folder.bytes)
}

/// What tells the content of a folder from another: names, sizes and times of its files.
pub(crate) struct Fingerprint {
    pub(crate) bytes: u64,
    /// Nanoseconds since 1970, of the last change.
    pub(crate) modified: i128,
    pub(crate) digest: [u8; 32],
}

impl Fingerprint {
    pub(crate) fn of(path: &Path, options: &ReadOptions) -> Result<Self, DataError> {
        let mut files: Vec<(PathBuf, u64, i128)> = Vec::new();
        let folder = Folder::list_each(path, options, |path, about| {
            // a system without times has no changes of times
            let modified =
                about
                    .modified()
                    .map_or(0, |time| match time.duration_since(UNIX_EPOCH) {
                        Ok(since) => since.as_nanos() as i128,
                        Err(before) => -(before.duration().as_nanos() as i128),
                    });
            files.push((path.to_owned(), about.len(), modified));
        })?;
        files.sort_unstable();
        let mut hasher = blake3::Hasher::new();
        for (path, bytes, modified) in &files {
            let path = path.as_os_str().as_encoded_bytes();
            hasher
                .update(&(path.len() as u64).to_le_bytes())
                .update(path);
            hasher
                .update(&bytes.to_le_bytes())
                .update(&modified.to_le_bytes());
        }
        Ok(Fingerprint {
            bytes: folder.bytes,
            modified: files.iter().map(|file| file.2).max().unwrap_or(0),
            digest: *hasher.finalize().as_bytes(),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;

    use super::{Folder, bytes};
    use crate::options::{FileOrder, ReadOptions};

    #[test]
    fn files_come_sorted_or_shuffled_and_never_hidden() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("texts");
        for class in ["b", "a", ".git"] {
            fs::create_dir_all(path.join(class)).unwrap();
            for k in 0..10 {
                fs::write(path.join(class).join(format!("{k}.txt")), "a text").unwrap();
            }
            fs::write(path.join(class).join(".hidden"), "x").unwrap();
        }
        fs::write(path.join(".DS_Store"), "x").unwrap();
        let order = |file_order| {
            let options = ReadOptions {
                file_order,
                ..ReadOptions::default()
            };
            let folder = Folder::list(&path, &options).unwrap();
            let file = |line| folder.file(line).strip_prefix(&path).unwrap().to_owned();
            (1..=20)
                .map(|line| file(line).display().to_string())
                .collect::<Vec<_>>()
        };
        let sorted = order(FileOrder::Sorted);
        assert_eq!(sorted[0], "a/0.txt");
        assert_eq!(sorted[19], "b/9.txt");
        assert!(sorted.is_sorted());
        let mut shuffled = order(FileOrder::Drawn);
        assert_eq!(shuffled, order(FileOrder::Drawn));
        assert_ne!(shuffled, sorted);
        shuffled.sort();
        assert_eq!(shuffled, sorted);
        assert_eq!(bytes(&path), Some(120));
        assert_eq!(bytes(&path.join("c")), None);
    }
}
