//! A folder of texts: one sub-folder per class, one file per text.
//!
//! It is read as JSON lines, one per file: `{"label": the sub-folder's name, "text": the content}`, and `"path"` if ids are asked for. Text
//! is streamed file by file; what is kept of all files is their names. Hidden files are left aside. Files may be compressed by gzip or zstd.
//! Bytes that are not UTF-8 are read as U+FFFD, which is in no word; the files that have such bytes are counted.
//!
//! **Order.** Sorted by class, texts would teach one class after another. A folder has no order of its own, so its files come in one that is
//! drawn: sorted by the bytes of their names, sub-folder by sub-folder, then shuffled by `SplitMix64` of seed 0. Without sub-folders, or if
//! the order of names is asked for ([`ReadOptions::file_order`]), they come sorted.

mod list;
mod read;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use novikoff::remark::{Remark, TableRemark};
use novikoff::remedy::{Complaint, Remedy, Setting};

use crate::error::{DataError, Token};
use crate::options::{Format, ReadOptions};
use crate::usual;
pub(crate) use list::Fingerprint;
pub use list::bytes;
pub(crate) use read::FolderText;

/// The files of a folder of texts, in the order in which they are read.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// The names of the sub-folders; none if the files are in the folder itself.
    classes: Vec<String>,
    files: Vec<TextFile>,
    /// How many bytes all files have.
    bytes: u64,
    /// How many files read so far have bytes that are not UTF-8, and the number of the first of them, counted from 1.
    replaced: AtomicU64,
    first_replaced: AtomicU64,
}

#[derive(Clone, Debug)]
struct TextFile {
    /// The place of its class; 0 if there is none.
    class: u32,
    name: OsString,
}

/// What the fields of a folder's texts are called.
#[derive(Clone, Debug)]
pub(crate) struct FieldNames {
    label: String,
    text: String,
    /// The path of the file, if it is asked for.
    id: Option<&'static str>,
}

/// The field that has the path of a file.
const PATH: &str = "path";

impl Folder {
    /// What errors call it.
    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// How many bytes its files have.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The file of a line, which is counted from 1; the folder if there is no such line.
    pub(crate) fn file(&self, line: u64) -> PathBuf {
        let place = usize::try_from(line.wrapping_sub(1)).ok();
        let Some(file) = place.and_then(|place| self.files.get(place)) else {
            return self.path.clone();
        };
        match self.classes.get(file.class as usize) {
            Some(class) => self.path.join(class).join(&file.name),
            None => self.path.join(&file.name),
        }
    }

    /// The class of a line's file.
    fn class(&self, place: usize) -> Option<&str> {
        let class = self.files[place].class as usize;
        self.classes.get(class).map(String::as_str)
    }

    fn note_replaced(&self, line: u64) {
        // files are read one after another, so nothing is ordered by these
        if self.replaced.fetch_add(1, Ordering::Relaxed) == 0 {
            self.first_replaced.store(line, Ordering::Relaxed);
        }
    }

    /// What a person should know once all files were read.
    pub(crate) fn remark(&self) -> Option<Remark> {
        let replaced = self.replaced.load(Ordering::Relaxed);
        let first = self.first_replaced.load(Ordering::Relaxed);
        (replaced > 0).then(|| {
            Remark::Table(TableRemark::NotUtf8 {
                files: replaced,
                of: self.files.len() as u64,
                first: self.file(first).display().to_string(),
            })
        })
    }

    /// What its fields are called: as in the model, or as it was asked for.
    pub(crate) fn field_names(&self, options: &ReadOptions) -> Result<FieldNames, DataError> {
        let refuse = |what: String, remedy: Remedy| {
            Err(DataError::content(
                self.name(),
                Complaint::new(what, remedy),
            ))
        };
        if let Some(format) = options.format.filter(|&format| format != Format::Json) {
            let what = format!(
                "is a folder, which is read as texts, not as {}",
                format.name()
            );
            return refuse(what, Remedy::clause("name the files in it"));
        }
        let model = options.table.as_ref();
        let known = model.map(novikoff::table::Table::texts);
        let text = match (known.as_deref(), options.text.as_slice()) {
            (Some([text]), _) | (_, [text]) => text.clone(),
            (_, []) => "text".to_owned(),
            (_, [_, _, ..]) => {
                let what =
                    "is a folder, whose files are one column of text, not several".to_owned();
                return refuse(
                    what,
                    Remedy::give(Setting::Text, "").aim("with one name, or without"),
                );
            }
        };
        let label = usual::known_label(model).or(options.label.as_deref());
        let label = label.unwrap_or("label").to_owned();
        let id = match options.id.as_deref() {
            None => None,
            Some(PATH) => Some(PATH),
            Some(other) => {
                let other = Token::new(other.as_bytes());
                let what = format!("its texts have no field {other}, which was to be the id");
                let remedy = Remedy::give(Setting::Id, PATH).aim("to print the path of each file");
                return refuse(what, remedy);
            }
        };
        if label == text || (id.is_some() && (label == PATH || text == PATH)) {
            let what = "is a folder, and its label, its text and the path of its files cannot have the same name".to_owned();
            return refuse(what, Remedy::leave_out(&[Setting::Label, Setting::Text]));
        }
        Ok(FieldNames { label, text, id })
    }

    /// How its lines are read.
    pub(crate) fn options(&self, options: &ReadOptions) -> Result<ReadOptions, DataError> {
        let names = self.field_names(options)?;
        Ok(ReadOptions {
            label: (!self.classes.is_empty()).then_some(names.label),
            text: vec![names.text],
            ..options.clone()
        })
    }
}
