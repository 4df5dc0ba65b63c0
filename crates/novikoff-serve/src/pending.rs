//! Rows that were predicted and wait for their labels: in memory, and in files that the next process reads.
//!
//! A row is in a file before its prediction is answered, so that a process that is killed loses none. The files are not synced: after a power cut the last
//! ones may be missing. A row that cannot be written waits in memory alone.

mod files;

use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use novikoff_data::named_rows::NamedRows;

use files::{PendingFiles, Stored};

/// How many rows may wait, and how long.
#[derive(Clone, Copy, Debug)]
pub struct PendingLimits {
    /// Rows.
    pub rows: usize,
    /// Bytes, about.
    pub bytes: usize,
    /// Time. After a restart it begins again: no clock is the same in two processes.
    pub expiry: Duration,
}

/// The id of a row: the process that predicted it, and its number there. An id of an earlier process is never taken for another row.
type Id = (u64, u64);

struct PendingRow {
    since: Instant,
    /// The rows of its request, as [`NamedRows`] encodes them.
    encoded: Arc<[u8]>,
    row: u32,
    bytes: usize,
    /// The number of its file; none if it could not be written.
    file: Option<u64>,
}

/// Rows that wait, by id. The oldest go first.
pub struct PendingRows {
    limits: PendingLimits,
    /// Different in every process.
    process: u64,
    next: u64,
    rows: HashMap<Id, PendingRow>,
    order: VecDeque<Id>,
    bytes: usize,
    files: PendingFiles,
    /// The last row could not be written.
    is_failing: bool,
}

/// What a row takes besides its own bytes, about.
const OVERHEAD: usize = 100;

fn text_of((process, number): Id) -> String {
    format!("{process:016x}-{number}")
}

fn id_of(text: &str) -> Option<Id> {
    let (process, number) = text.split_once('-')?;
    let is_whole = process.len() == 16 && number.bytes().all(|b| b.is_ascii_digit());
    let process = u64::from_str_radix(process, 16).ok().filter(|_| is_whole)?;
    Some((process, number.parse().ok()?))
}

impl PendingRows {
    /// Those of a folder.
    pub fn open(folder: &Path, limits: PendingLimits, process: u64) -> io::Result<Self> {
        let (files, stored) = PendingFiles::open(folder)?;
        let mut pending = PendingRows {
            limits,
            process,
            next: 0,
            rows: HashMap::new(),
            order: VecDeque::new(),
            bytes: 0,
            files,
            is_failing: false,
        };
        let now = Instant::now();
        for Stored {
            file,
            process,
            first,
            rows,
            encoded,
        } in stored
        {
            pending.insert((process, first), rows, &encoded.into(), Some(file), now);
        }
        pending.expire();
        Ok(pending)
    }

    fn insert(
        &mut self,
        (process, first): Id,
        rows: u32,
        encoded: &Arc<[u8]>,
        file: Option<u64>,
        since: Instant,
    ) {
        let bytes = encoded.len() / rows.max(1) as usize + OVERHEAD;
        for row in 0..rows {
            let pending = PendingRow {
                since,
                encoded: Arc::clone(encoded),
                row,
                bytes,
                file,
            };
            let id = (process, first + u64::from(row));
            if self.rows.insert(id, pending).is_none() {
                self.order.push_back(id);
                self.bytes += bytes;
            }
        }
    }

    /// Keeps all rows of a request, which are given as [`NamedRows`] encodes them; gives their ids.
    pub fn keep(&mut self, encoded: Vec<u8>, rows: u32) -> Vec<String> {
        let first = (self.process, self.next);
        self.next += u64::from(rows);
        let file = match self.files.append(first, rows, &encoded) {
            Ok(file) => {
                self.is_failing = false;
                Some(file)
            }
            Err(error) => {
                if !std::mem::replace(&mut self.is_failing, true) {
                    tracing::warn!(
                        "cannot write predictions that wait for labels, a restart loses them: {error}"
                    );
                }
                None
            }
        };
        self.insert(first, rows, &encoded.into(), file, Instant::now());
        self.expire();
        (0..u64::from(rows))
            .map(|row| text_of((first.0, first.1 + row)))
            .collect()
    }

    /// The request of an id, as [`NamedRows`] encodes it, and the row of it.
    pub fn get(&mut self, id: &str) -> Option<(Arc<[u8]>, usize)> {
        self.expire();
        let pending = self.rows.get(&id_of(id)?)?;
        Some((Arc::clone(&pending.encoded), pending.row as usize))
    }

    /// Lets go of what has waited too long, or is too much, and of files that nobody needs.
    pub fn expire(&mut self) {
        let PendingLimits {
            rows,
            bytes,
            expiry,
        } = self.limits;
        let mut has_gone = false;
        while let Some(oldest) = self.order.front() {
            let is_old = self
                .rows
                .get(oldest)
                .is_none_or(|row| row.since.elapsed() >= expiry);
            if !is_old && self.rows.len() <= rows && self.bytes <= bytes {
                break;
            }
            if let Some(gone) = self.rows.remove(oldest) {
                self.bytes -= gone.bytes;
            }
            self.order.pop_front();
            has_gone = true;
        }
        if has_gone {
            // rows that were not written wait among those that were
            let mut written = self.order.iter().filter_map(|id| self.rows.get(id)?.file);
            let oldest = written.next();
            self.files.keep_from(oldest);
        }
    }
}

/// One row of a request that was kept.
pub fn decoded(encoded: &[u8]) -> Option<NamedRows> {
    // they were encoded by this program, and have a checksum in their file
    NamedRows::decode(encoded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use novikoff::names::Names;
    use novikoff::row::Row;
    use novikoff::rows::Rows;

    const LONG: Duration = Duration::from_secs(60);

    fn limits(rows: usize, bytes: usize, expiry: Duration) -> PendingLimits {
        PendingLimits {
            rows,
            bytes,
            expiry,
        }
    }

    fn three(value: f32) -> Vec<u8> {
        let mut rows = Rows::new();
        (0..3).for_each(|_| rows.add("a", Row::dense(&[value, 2.0])));
        NamedRows::new(Names::new(), rows).encode()
    }

    fn names_of(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into()
            })
            .collect();
        names.sort();
        names
    }

    #[test]
    fn rows_wait_within_the_limits() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut pending =
            PendingRows::open(folder.path(), limits(4, 1 << 20, LONG), 7).expect("opened");
        let first = pending.keep(three(1.0), 3);
        let second = pending.keep(three(2.0), 3);
        assert!(pending.get(&first[0]).is_none() && pending.get(&first[1]).is_none());
        assert_eq!(pending.get(&first[2]).map(|(_, row)| row), Some(2));
        assert_eq!(pending.get(&second[1]).map(|(_, row)| row), Some(1));
        for foreign in [
            "",
            "0",
            "-",
            "7-2",
            "0000000000000008-3",
            "x-1",
            "0000000000000007-+3",
            "0000000000000007-",
        ] {
            assert!(pending.get(foreign).is_none(), "{foreign}");
        }
    }

    #[test]
    fn rows_expire_and_their_files_go() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        let mut pending =
            PendingRows::open(path, limits(4, 1 << 20, Duration::ZERO), 7).expect("opened");
        let ids = pending.keep(three(1.0), 3);
        assert!(pending.get(&ids[2]).is_none());
        assert_eq!(names_of(path), Vec::<String>::new());
        let mut pending = PendingRows::open(path, limits(4, 1, LONG), 7).expect("opened");
        let ids = pending.keep(three(1.0), 3);
        assert!(pending.get(&ids[0]).is_none());
        assert_eq!(names_of(path), Vec::<String>::new());
    }

    #[test]
    fn the_next_process_has_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        let open = |process| PendingRows::open(path, limits(7, 1 << 20, LONG), process);
        let mut first = open(7).expect("opened");
        let mut ids = first.keep(three(1.0), 3);
        ids.extend(first.keep(three(2.0), 3));
        drop(first);
        let mut second = open(8).expect("opened");
        let value = |pending: &mut PendingRows, id: &str| {
            let (encoded, row) = pending.get(id)?;
            Some(decoded(&encoded)?.view().row(row).iter().next()?.1)
        };
        assert_eq!(value(&mut second, &ids[0]), Some(1.0));
        assert_eq!(value(&mut second, &ids[5]), Some(2.0));
        let own = second.keep(three(3.0), 3);
        assert_eq!(value(&mut second, &ids[1]), None, "seven are kept");
        drop(second);
        let mut third = open(9).expect("opened");
        assert_eq!(
            (value(&mut third, &own[2]), value(&mut third, &ids[2])),
            (Some(3.0), Some(1.0))
        );
        assert_eq!(names_of(path).len(), 2);
        (0..3).for_each(|_| drop(third.keep(three(4.0), 3)));
        assert_eq!(names_of(path).len(), 1, "files of rows that are gone go");
    }

    #[test]
    fn a_file_that_ends_early_gives_what_is_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        let open = |process| PendingRows::open(path, limits(100, 1 << 20, LONG), process);
        let mut first = open(7).expect("opened");
        let ids = [first.keep(three(1.0), 3), first.keep(three(2.0), 3)].concat();
        drop(first);
        let file = path.join(&names_of(path)[0]);
        let whole = std::fs::read(&file).expect("read");
        for cut in 0..whole.len() {
            std::fs::write(&file, &whole[..cut]).expect("written");
            let mut again = open(8).expect("opened");
            let known = ids.iter().filter(|id| again.get(id).is_some()).count();
            // a header of 32 bytes, and two frames that are as long as each other
            let expected = if cut >= 32 + (whole.len() - 32) / 2 {
                3
            } else {
                0
            };
            assert_eq!(known, expected, "cut at {cut} of {}", whole.len());
        }
    }
}
