//! The files of rows that wait for their labels: frames as in a log, in files that go when the last of their rows has gone.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::log::frame;
use crate::log::segment::{Frames, HEADER, Place};

/// A file that is this long is ended.
const FILE_BYTES: u64 = 4 << 20;

/// The memory of what was written last that is kept, at most.
const BUFFER: usize = 1 << 20;

/// What stands before the rows of a frame: the process, the number of the first row, how many rows.
const HEAD: usize = 20;

/// The rows of a request that was read back.
pub(super) struct Stored {
    /// The process that predicted it.
    pub(super) process: u64,
    /// The number of its first row.
    pub(super) first: u64,
    /// How many rows it has.
    pub(super) rows: u32,
    /// The rows.
    pub(super) encoded: Vec<u8>,
}

/// The file that is written to.
struct Current {
    file: File,
    length: u64,
    /// Frames written, and the checksum of the last.
    frames: u64,
    previous: u32,
}

/// The files of a folder. Their numbers increase.
pub(super) struct PendingFiles {
    folder: PathBuf,
    /// Those that are there: the number of each, and how many rows there were in all with its last one.
    files: VecDeque<(u64, u64)>,
    next: u64,
    current: Option<Current>,
    buffer: Vec<u8>,
}

fn name(number: u64) -> String {
    format!("{number:020}.pending")
}

/// The numbers of the files of a folder, in order.
fn list(folder: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(".pending"));
        numbers.extend(number.and_then(|number| number.parse::<u64>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// The requests of a file; what was never finished, or is damaged, and what is behind it, is left out.
fn read(path: &Path, out: &mut Vec<Stored>) -> io::Result<()> {
    let bytes = fs::read(path)?;
    let Ok(place) = Place::read(&bytes) else {
        return Ok(());
    };
    let mut frames = Frames::new(&bytes, place);
    for frame in frames.by_ref() {
        let Some((head, encoded)) = frame.payload.split_first_chunk::<HEAD>() else {
            break;
        };
        let [process, first] = [&head[..8], &head[8..16]].map(|part| {
            let little_end_last = part.iter().rev();
            little_end_last.fold(0, |number, &byte| number << 8 | u64::from(byte))
        });
        let rows = head[16..].iter().rev();
        out.push(Stored {
            process,
            first,
            rows: rows.fold(0, |number, &byte| number << 8 | u32::from(byte)),
            encoded: encoded.to_vec(),
        });
    }
    if let Some(stop) = frames.stop().filter(|stop| !stop.torn) {
        let (shown, at, what) = (path.display(), stop.at, stop.fault.text());
        tracing::warn!("{shown}: predictions from byte {at} on are lost: {what}");
    }
    Ok(())
}

impl PendingFiles {
    /// The files of a folder, and the requests that they have, oldest first.
    pub(super) fn open(folder: &Path) -> io::Result<(Self, Vec<Stored>)> {
        let (mut files, mut stored) = (VecDeque::new(), Vec::new());
        let (mut next, mut read_so_far, mut rows) = (0, 0, 0);
        for number in list(folder)? {
            read(&folder.join(name(number)), &mut stored)?;
            let fresh = stored.iter().skip(read_so_far);
            rows += fresh.map(|stored| u64::from(stored.rows)).sum::<u64>();
            read_so_far = stored.len();
            files.push_back((number, rows));
            next = number + 1;
        }
        let files = PendingFiles {
            folder: folder.to_owned(),
            files,
            next,
            current: None,
            buffer: Vec::new(),
        };
        Ok((files, stored))
    }

    /// Writes requests, each the process, the number of its first row, how many rows it has, and the rows. There are `rows` rows in all with the last.
    pub(super) fn append<'r>(
        &mut self,
        requests: impl Iterator<Item = (u64, u64, u32, &'r [u8])>,
        rows: u64,
    ) -> io::Result<()> {
        if self.current.as_ref().is_none_or(|c| c.length >= FILE_BYTES) {
            self.current = Some(self.begin()?);
        }
        let Some(current) = &mut self.current else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let (out, mut frames, mut previous) = (&mut self.buffer, current.frames, current.previous);
        out.clear();
        out.shrink_to(BUFFER);
        for (process, first, rows, encoded) in requests {
            let start = frame::begin(out);
            out.extend_from_slice(&process.to_le_bytes());
            out.extend_from_slice(&first.to_le_bytes());
            out.extend_from_slice(&rows.to_le_bytes());
            out.extend_from_slice(encoded);
            previous = frame::finish(out, start, frames, 0, previous);
            frames += 1;
        }
        if let Err(error) = current.file.write_all(out) {
            // half a frame would hide those behind it
            if current.file.set_len(current.length).is_err() {
                self.current = None;
            }
            return Err(error);
        }
        current.length += out.len() as u64;
        (current.frames, current.previous) = (frames, previous);
        if let Some((_, last)) = self.files.back_mut() {
            *last = rows;
        }
        Ok(())
    }

    fn begin(&mut self) -> io::Result<Current> {
        let number = self.next;
        let path = self.folder.join(name(number));
        let mut file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .open(&path)?;
        self.next += 1;
        self.files.push_back((number, 0));
        file.write_all(&Place::BEGINNING.write())?;
        Ok(Current {
            file,
            length: HEADER as u64,
            frames: 0,
            previous: 0,
        })
    }

    /// Removes the files whose rows are all among the first `gone` there were.
    pub(super) fn keep_from(&mut self, gone: u64) {
        while self.files.front().is_some_and(|(_, last)| *last <= gone)
            && let Some((number, _)) = self.files.pop_front()
        {
            // what stays is passed over by the limits of the next process
            let _ = fs::remove_file(self.folder.join(name(number)));
        }
        if self.files.is_empty() {
            self.current = None;
        }
    }
}
