//! Rows that were predicted and wait for their labels: in memory, and in files that the next process reads.
//!
//! A row is in a file before its prediction is answered where predictions are few, and at most [`DELAY`] later where they are many: what came within
//! that time is written at once. A process that is killed loses no more than that. The files are not synced: after a power cut the last
//! ones may be missing. A row that cannot be written waits in memory alone.

mod files;

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use novikoff_data::named_rows::NamedRows;

use files::{PendingFiles, Stored};

/// How long a row may be in memory alone.
pub const DELAY: Duration = Duration::from_millis(5);

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

/// The rows of a request.
struct Kept {
    /// The number of its first row.
    first: u64,
    rows: u32,
    /// The first of its rows that have gone.
    gone: u32,
    since: Instant,
    /// The rows, as [`NamedRows`] encodes them.
    encoded: Arc<[u8]>,
}

impl Kept {
    /// What a row takes, about.
    fn row_bytes(&self) -> usize {
        self.encoded.len() / self.rows.max(1) as usize + OVERHEAD
    }
}

/// The requests of a process, oldest first. Their numbers increase.
struct Generation {
    /// Different in every process: an id of an earlier one is never taken for another row.
    process: u64,
    requests: VecDeque<Kept>,
}

/// Rows that wait, by id: the process that predicted them, and their number there. The oldest go first.
pub struct PendingRows {
    limits: PendingLimits,
    next: u64,
    /// The earlier processes, oldest first.
    earlier: VecDeque<Generation>,
    own: Generation,
    /// How many rows wait.
    rows: usize,
    /// How many rows have ever waited.
    kept: u64,
    bytes: usize,
    files: PendingFiles,
    /// The last requests of this process that are in no file.
    unwritten: usize,
    last_write: Option<Instant>,
    /// Somebody has been asked to call [`write`](Self::write).
    is_due: bool,
    /// The last row could not be written.
    is_failing: bool,
}

/// What a row takes besides its own bytes, about.
const OVERHEAD: usize = 100;

fn id_of(text: &str) -> Option<(u64, u64)> {
    let (process, number) = text.split_once('-')?;
    let is_whole = process.len() == 16 && number.bytes().all(|b| b.is_ascii_digit());
    let process = u64::from_str_radix(process, 16).ok().filter(|_| is_whole)?;
    Some((process, number.parse().ok()?))
}

/// What was kept of a request.
pub struct KeptIds {
    /// The ids of its rows.
    pub ids: Vec<String>,
    /// The caller must see to it that [`PendingRows::write`] is called after [`DELAY`].
    pub is_due: bool,
}

impl PendingRows {
    /// Those of a folder.
    pub fn open(folder: &Path, limits: PendingLimits, process: u64) -> io::Result<Self> {
        let (files, stored) = PendingFiles::open(folder)?;
        let requests = VecDeque::new();
        let mut pending = PendingRows {
            limits,
            next: 0,
            earlier: VecDeque::new(),
            own: Generation { process, requests },
            rows: 0,
            kept: 0,
            bytes: 0,
            files,
            unwritten: 0,
            last_write: None,
            is_due: false,
            is_failing: false,
        };
        let now = Instant::now();
        for stored in stored {
            pending.insert_stored(stored, now);
        }
        pending.expire();
        Ok(pending)
    }

    fn insert_stored(&mut self, stored: Stored, since: Instant) {
        let Stored {
            process,
            first,
            rows,
            encoded,
        } = stored;
        self.kept += u64::from(rows);
        self.rows += rows as usize;
        if self
            .earlier
            .back()
            .is_none_or(|last| last.process != process)
        {
            let requests = VecDeque::new();
            self.earlier.push_back(Generation { process, requests });
        }
        let encoded = encoded.into();
        let kept = Kept {
            first,
            rows,
            gone: 0,
            since,
            encoded,
        };
        self.bytes += kept.row_bytes() * rows as usize;
        if let Some(last) = self.earlier.back_mut() {
            last.requests.push_back(kept);
        }
    }

    /// Keeps all rows of a request, which are given as [`NamedRows`] encodes them.
    pub fn keep(&mut self, encoded: Vec<u8>, rows: u32) -> KeptIds {
        let (process, first, since) = (self.own.process, self.next, Instant::now());
        self.next += u64::from(rows);
        let kept = Kept {
            first,
            rows,
            gone: 0,
            since,
            encoded: encoded.into(),
        };
        self.kept += u64::from(rows);
        self.rows += rows as usize;
        self.bytes += kept.row_bytes() * rows as usize;
        self.own.requests.push_back(kept);
        self.unwritten += 1;
        if !self.is_due && self.last_write.is_none_or(|last| since - last >= DELAY) {
            self.write();
        }
        self.expire_at(since);
        let is_due = self.unwritten > 0 && !std::mem::replace(&mut self.is_due, true);
        KeptIds {
            ids: (first..self.next)
                .map(|number| format!("{process:016x}-{number}"))
                .collect(),
            is_due,
        }
    }

    /// Writes what is in no file.
    pub fn write(&mut self) {
        self.is_due = false;
        if self.unwritten == 0 {
            return;
        }
        let Generation { process, requests } = &self.own;
        let begin = requests.len() - self.unwritten;
        let unwritten = requests.range(begin..);
        let unwritten = unwritten.map(|kept| (*process, kept.first, kept.rows, &*kept.encoded));
        let written = self.files.append(unwritten, self.kept);
        // what failed is not tried again: it may be much, and newer rows come
        self.unwritten = 0;
        self.last_write = Some(Instant::now());
        let was_failing = std::mem::replace(&mut self.is_failing, written.is_err());
        if let (Err(error), false) = (written, was_failing) {
            tracing::warn!(
                "cannot write predictions that wait for labels, a restart loses them: {error}"
            );
        }
    }

    /// The request of an id, as [`NamedRows`] encodes it, and the row of it.
    pub fn get(&mut self, id: &str) -> Option<(Arc<[u8]>, usize)> {
        self.expire();
        let (process, number) = id_of(id)?;
        let mut generations = self.earlier.iter().chain([&self.own]);
        let requests = &generations.find(|g| g.process == process)?.requests;
        let behind = requests.partition_point(|kept| kept.first <= number);
        let kept = requests.get(behind.checked_sub(1)?)?;
        let row = number - kept.first;
        let waits = (u64::from(kept.gone)..u64::from(kept.rows)).contains(&row);
        waits.then(|| (Arc::clone(&kept.encoded), row as usize))
    }

    /// Lets go of what has waited too long, or is too much, and of files that nobody needs.
    pub fn expire(&mut self) {
        self.expire_at(Instant::now());
    }

    fn expire_at(&mut self, now: Instant) {
        let PendingLimits {
            rows,
            bytes,
            expiry,
        } = self.limits;
        loop {
            while self.earlier.front().is_some_and(|g| g.requests.is_empty()) {
                self.earlier.pop_front();
            }
            let oldest = self.earlier.front_mut().unwrap_or(&mut self.own);
            let Some(kept) = oldest.requests.front_mut() else {
                break;
            };
            let is_old = now.saturating_duration_since(kept.since) >= expiry;
            if !is_old && self.rows <= rows && self.bytes <= bytes {
                break;
            }
            if kept.gone < kept.rows {
                kept.gone += 1;
                self.rows -= 1;
                self.bytes -= kept.row_bytes();
            }
            if kept.gone >= kept.rows {
                oldest.requests.pop_front();
            }
        }
        self.unwritten = self.unwritten.min(self.own.requests.len());
        self.files.keep_from(self.kept - self.rows as u64);
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
        let first = pending.keep(three(1.0), 3).ids;
        let second = pending.keep(three(2.0), 3).ids;
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
        let ids = pending.keep(three(1.0), 3).ids;
        assert!(pending.get(&ids[2]).is_none());
        assert_eq!(names_of(path), Vec::<String>::new());
        let mut pending = PendingRows::open(path, limits(4, 1, LONG), 7).expect("opened");
        let ids = pending.keep(three(1.0), 3).ids;
        assert!(pending.get(&ids[0]).is_none());
        assert_eq!(names_of(path), Vec::<String>::new());
    }

    #[test]
    fn the_next_process_has_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        let open = |process| PendingRows::open(path, limits(7, 1 << 20, LONG), process);
        let mut first = open(7).expect("opened");
        let mut ids = first.keep(three(1.0), 3).ids;
        ids.extend(first.keep(three(2.0), 3).ids);
        first.write();
        drop(first);
        let mut second = open(8).expect("opened");
        let value = |pending: &mut PendingRows, id: &str| {
            let (encoded, row) = pending.get(id)?;
            Some(decoded(&encoded)?.view().row(row).iter().next()?.1)
        };
        assert_eq!(value(&mut second, &ids[0]), Some(1.0));
        assert_eq!(value(&mut second, &ids[5]), Some(2.0));
        let own = second.keep(three(3.0), 3).ids;
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
        let ids = [first.keep(three(1.0), 3).ids, first.keep(three(2.0), 3).ids].concat();
        first.write();
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

    #[test]
    fn many_requests_are_written_at_once_and_somebody_is_asked_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        let open = |process| PendingRows::open(path, limits(1000, 1 << 20, LONG), process);
        let length = || {
            let file = path.join(&names_of(path)[0]);
            std::fs::metadata(file).expect("a file").len()
        };
        let mut first = open(7).expect("opened");
        let mut ids = Vec::new();
        let mut keep = |pending: &mut PendingRows| {
            let kept = pending.keep(three(1.0), 3);
            ids.extend(kept.ids);
            kept.is_due
        };
        // a lone request is in the file before its answer
        assert!(!keep(&mut first));
        let alone = length();
        // as if it had been written just now, however slow this test runs
        first.last_write = Some(Instant::now() + LONG);
        let asked: Vec<bool> = (0..4).map(|_| keep(&mut first)).collect();
        assert_eq!(asked, [true, false, false, false]);
        assert_eq!(length(), alone);
        first.write();
        assert_eq!(length() - 32, 5 * (alone - 32));
        drop(first);
        let mut second = open(8).expect("opened");
        assert!(ids.iter().all(|id| second.get(id).is_some()));
    }
}
