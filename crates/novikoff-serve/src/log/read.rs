//! A log read back: segments in order, frames checked one by one, and what is wrong with it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::End;
use super::entry::{Entry, NotEntries};
use super::segment::{Frames, HEADER, Place, Stop};

/// Why a log cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system refused.
    #[error("{path}: cannot read it: {source}")]
    Io {
        /// The file or directory.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// What had been on disk is damaged.
    #[error("{path}: damaged at byte {at}: {what}")]
    Damaged {
        /// The file.
        path: String,
        /// Where.
        at: usize,
        /// What is wrong.
        what: String,
    },
    /// Segments do not follow each other.
    #[error(
        "{path}: the log goes on at record {found}, but the record before it is {expected}: segments are missing"
    )]
    Gap {
        /// The file.
        path: String,
        /// The first record of it.
        found: u64,
        /// The record that should be there.
        expected: u64,
    },
    /// A payload of another version.
    #[error("{path}: record {index}: {source}")]
    Entries {
        /// The file.
        path: String,
        /// The frame.
        index: u64,
        /// What is wrong.
        source: NotEntries,
    },
}

/// A tail that was never finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torn {
    /// The file.
    pub path: PathBuf,
    /// Where it begins.
    pub at: usize,
    /// How many bytes.
    pub bytes: usize,
}

/// What a log was found to be.
#[derive(Clone, Debug)]
pub struct Found {
    /// Where its first segment stands.
    pub first: Place,
    /// Where it ends.
    pub end: End,
    /// A tail that was never finished, which goes.
    pub torn: Option<Torn>,
    /// Its segments and their lengths.
    pub segments: Vec<(PathBuf, u64)>,
}

/// The segments of a folder by the numbers of their first frames.
pub fn segments(folder: &Path) -> Result<Vec<(u64, PathBuf)>, ReadError> {
    let io = |source| ReadError::Io {
        path: folder.display().to_string(),
        source,
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let number = name
            .strip_suffix(".log")
            .filter(|number| number.len() == 20);
        if let Some(first) = number.and_then(|number| number.parse().ok()) {
            found.push((first, path));
        }
    }
    found.sort();
    Ok(found)
}

/// A frame that was read, with its entries.
pub struct ReadFrame {
    /// Its number.
    pub index: u64,
    /// The checksum of the frame before it.
    pub previous: u32,
    /// What happened.
    pub entries: Vec<Entry>,
}

/// Reads a log from the segment that has frame `from`, and shows the frames from there on. Segments before that one are not looked at.
pub fn read<E: From<ReadError>>(
    folder: &Path,
    from: u64,
    mut show: impl FnMut(ReadFrame) -> Result<(), E>,
) -> Result<Found, E> {
    let all = segments(folder)?;
    let mut list = all.clone();
    // a segment that has no more than its name was being made when the server stopped
    let begun = list
        .partition_point(|(first, _)| *first <= from)
        .saturating_sub(1);
    list.drain(..begun);
    let mut found = Found {
        first: Place::BEGINNING,
        end: End {
            segment: None,
            length: 0,
            next: Place::BEGINNING,
        },
        torn: None,
        segments: Vec::new(),
    };
    for (_, path) in &all[..begun] {
        let length = fs::metadata(path)
            .map_err(|source| io_error(path, source))?
            .len();
        found.segments.push((path.clone(), length));
    }
    for (k, (first, path)) in list.iter().enumerate() {
        let is_last = k + 1 == list.len();
        let bytes = fs::read(path).map_err(|source| io_error(path, source))?;
        let place = match Place::read(&bytes) {
            Ok(place) => place,
            Err(stop) if stop.torn && is_last && k > 0 => {
                found.torn = Some(Torn {
                    path: path.clone(),
                    at: 0,
                    bytes: bytes.len(),
                });
                break;
            }
            Err(stop) => return Err(damaged(path, stop).into()),
        };
        if k == 0 {
            if place.first != *first {
                return Err(gap(path, place.first, *first).into());
            }
            found.first = place;
            found.end.next = place;
        } else if place != found.end.next {
            return Err(gap(path, place.first, found.end.next.first).into());
        }
        let mut frames = Frames::new(&bytes, place);
        (found.end.segment, found.end.length) = (Some(path.clone()), HEADER as u64);
        for frame in frames.by_ref() {
            let entries = Entry::read_all(frame.payload).map_err(|source| ReadError::Entries {
                path: path.display().to_string(),
                index: frame.index,
                source,
            })?;
            let next = &mut found.end.next;
            next.rows += entries.iter().map(Entry::rows).sum::<u64>();
            (next.first, next.previous) = (frame.index + 1, frame.checksum);
            found.end.length = frame.end as u64;
            if frame.index >= from {
                show(ReadFrame {
                    index: frame.index,
                    previous: frame.previous,
                    entries,
                })?;
            }
        }
        match frames.stop() {
            None => {}
            Some(stop) if stop.torn && is_last => {
                let (at, bytes) = (stop.at, stop.lost);
                found.torn = Some(Torn {
                    path: path.clone(),
                    at,
                    bytes,
                });
            }
            Some(stop) => return Err(damaged(path, stop).into()),
        }
        found.segments.push((path.clone(), found.end.length));
    }
    Ok(found)
}

fn io_error(path: &Path, source: io::Error) -> ReadError {
    ReadError::Io {
        path: path.display().to_string(),
        source,
    }
}

fn damaged(path: &Path, stop: Stop) -> ReadError {
    ReadError::Damaged {
        path: path.display().to_string(),
        at: stop.at,
        what: stop.fault.text().to_owned(),
    }
}

fn gap(path: &Path, found: u64, expected: u64) -> ReadError {
    ReadError::Gap {
        path: path.display().to_string(),
        found,
        expected,
    }
}
