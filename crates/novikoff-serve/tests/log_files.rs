//! The files of a model: cut at every byte, every bit flipped, calls that fail.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use novikoff::names::Names;
use novikoff::row::Row;
use novikoff::rows::Rows;
use novikoff_data::named_rows::NamedRows;
use novikoff_serve::log::file::{LogDisk, LogFile, RealDisk};
use novikoff_serve::log::segment::Place;
use novikoff_serve::log::{End, Entry, Log, Sync, segment_name};
use novikoff_serve::replay::{ReplayError, replay};

const BEGINNING: End = End {
    segment: None,
    length: 0,
    next: Place::BEGINNING,
};

fn created(spec: &str) -> Entry {
    let settings =
        serde_json::json!({"spec": spec, "options": {}, "memory": 1 << 20, "max_features": 1000});
    Entry::Created {
        settings: settings.to_string(),
    }
}

fn learned(k: usize) -> Entry {
    let mut rows = Rows::new();
    let x = [(k % 5) as f32 - 2.0, (k % 3) as f32, 1.0];
    rows.add(
        if k.is_multiple_of(2) { "+1" } else { "-1" },
        Row::dense(&x),
    );
    Entry::Learned {
        id: Some(format!("r{k}")),
        rows: 1,
        body: NamedRows::new(Names::new(), rows).encode(),
    }
}

fn payload(entry: &Entry) -> Vec<u8> {
    let mut payload = Vec::new();
    entry.write(&mut payload);
    payload
}

/// A log of this many records, one row each; gives the model after each.
fn write_log(folder: &Path, records: usize, segment_bytes: u64) -> Vec<Vec<u8>> {
    let mut log = Log::open(folder, BEGINNING, Sync::Always, segment_bytes).unwrap();
    log.append(&payload(&created("perceptron")), 0).unwrap();
    log.commit().unwrap();
    let mut models = Vec::new();
    for k in 0..records {
        log.append(&payload(&learned(k)), 1).unwrap();
        log.commit().unwrap();
        models.push(
            replay(folder, 100)
                .unwrap()
                .state
                .fold
                .bytes()
                .unwrap()
                .unwrap(),
        );
    }
    models
}

#[test]
fn a_log_cut_at_any_byte_gives_the_model_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let models = write_log(folder.path(), 12, 1 << 20);
    let path = folder.path().join(segment_name(0));
    let whole = std::fs::read(&path).unwrap();
    let cut_folder = tempfile::tempdir().unwrap();
    let cut_path = cut_folder.path().join(segment_name(0));
    let mut last = 0;
    for cut in 0..=whole.len() {
        std::fs::write(&cut_path, &whole[..cut]).unwrap();
        match replay(cut_folder.path(), 100) {
            Ok(replayed) => {
                let seq = replayed.state.seq as usize;
                assert!(seq >= last, "cut at {cut}");
                last = seq;
                let bytes = replayed.state.fold.bytes().unwrap();
                assert_eq!(
                    bytes.as_ref(),
                    seq.checked_sub(1).map(|k| &models[k]),
                    "cut at {cut}"
                );
                // it goes on from there
                let mut log =
                    Log::open(cut_folder.path(), replayed.found.end, Sync::Always, 1 << 20)
                        .unwrap();
                log.append(&payload(&learned(99)), 1).unwrap();
                log.commit().unwrap();
                assert_eq!(
                    replay(cut_folder.path(), 100).unwrap().state.seq as usize,
                    seq + 1
                );
            }
            // not even the first record is whole: a model is never there without it
            Err(_) => assert_eq!(last, 0, "cut at {cut}"),
        }
    }
    assert_eq!(last, 12);
}

#[test]
fn a_record_of_another_version_is_refused_with_the_way_to_move() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = Log::open(folder.path(), BEGINNING, Sync::Always, 1 << 20).unwrap();
    log.append(&payload(&created("perceptron")), 0).unwrap();
    // rows as earlier builds wrote them
    log.append(&[2, 1, 0, 0, 0, 7], 1).unwrap();
    log.commit().unwrap();
    let said = replay(folder.path(), 100).err().unwrap().to_string();
    for part in ["record 1", "another version", "/model", "--dir"] {
        assert!(said.contains(part), "{said}");
    }
    assert!(!said.contains("repair"), "{said}");
}

#[test]
fn a_flip_of_any_bit_of_a_log_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    write_log(folder.path(), 5, 400);
    let mut files = 0;
    for (_, path) in novikoff_serve::log::read::segments(folder.path()).unwrap() {
        files += 1;
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut other = whole.clone();
                other[at] ^= 1 << bit;
                std::fs::write(&path, &other).unwrap();
                let error = replay(folder.path(), 100).err();
                let text = error.map(|error| error.to_string()).unwrap_or_default();
                assert!(
                    text.contains(".log") && text.contains("record"),
                    "bit {bit} of byte {at}: {text}"
                );
            }
        }
        std::fs::write(&path, &whole).unwrap();
    }
    assert!(files >= 2, "{files} segments");
    assert_eq!(replay(folder.path(), 100).unwrap().state.seq, 5);
}

#[test]
fn damage_before_the_end_is_refused_and_repaired_on_request() {
    let folder = tempfile::tempdir().unwrap();
    write_log(folder.path(), 8, 1 << 20);
    let path = folder.path().join(segment_name(0));
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(
        replay(folder.path(), 100),
        Err(ReplayError::Log(_))
    ));
    let run = |words: &[&str]| {
        std::process::Command::new(crate::common::BINARY)
            .arg("log")
            .args(words)
            .arg(folder.path())
            .output()
            .unwrap()
    };
    assert_eq!(run(&["check"]).status.code(), Some(1));
    let asked = run(&["repair"]);
    assert!(String::from_utf8_lossy(&asked.stdout).contains("--yes"));
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "nothing was changed");
    assert!(run(&["repair", "--yes"]).status.success());
    let seq = replay(folder.path(), 100).unwrap().state.seq;
    assert!((1..8).contains(&seq), "{seq}");
    let aside = std::fs::read_dir(folder.path())
        .unwrap()
        .filter_map(Result::ok);
    assert!(
        aside
            .into_iter()
            .any(|entry| entry.file_name().to_string_lossy().contains("damaged"))
    );
}

#[test]
fn a_segment_that_is_gone_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    write_log(folder.path(), 12, 400);
    let list = novikoff_serve::log::read::segments(folder.path()).unwrap();
    assert!(list.len() >= 3);
    std::fs::remove_file(&list[1].1).unwrap();
    assert!(
        replay(folder.path(), 100)
            .err()
            .unwrap()
            .to_string()
            .contains("missing")
    );
}

/// A disk whose calls fail after some.
struct Failing {
    left: Arc<AtomicI64>,
    kind: Call,
    error: io::ErrorKind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Call {
    Write,
    Sync,
    Truncate,
    Create,
}

struct FailingFile {
    file: Box<dyn LogFile>,
    left: Arc<AtomicI64>,
    kind: Call,
    error: io::ErrorKind,
}

fn fails(left: &AtomicI64, kind: Call, own: Call, error: io::ErrorKind) -> io::Result<()> {
    if kind == own && left.fetch_sub(1, Ordering::SeqCst) == 0 {
        return Err(error.into());
    }
    Ok(())
}

impl LogFile for FailingFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if fails(&self.left, self.kind, Call::Write, self.error).is_err() {
            // some of it may have been written
            self.file.append(&bytes[..bytes.len() / 2])?;
            return Err(self.error.into());
        }
        self.file.append(bytes)
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        fails(&self.left, self.kind, Call::Truncate, self.error)?;
        self.file.truncate(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        fails(&self.left, self.kind, Call::Sync, self.error)?;
        self.file.sync()
    }
}

impl LogDisk for Failing {
    fn create(&self, path: &Path, beginning: &[u8]) -> io::Result<Box<dyn LogFile>> {
        fails(&self.left, self.kind, Call::Create, self.error)?;
        let file = RealDisk.create(path, beginning)?;
        let (left, kind, error) = (Arc::clone(&self.left), self.kind, self.error);
        Ok(Box::new(FailingFile {
            file,
            left,
            kind,
            error,
        }))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
        RealDisk.open(path)
    }
}

/// Appends records on a disk one of whose calls fails. Gives how many were acknowledged, how many failures there were, and the model's rows afterwards.
fn run_on(kind: Call, error: io::ErrorKind, at: i64) -> (u64, u64, u64) {
    let folder = tempfile::tempdir().unwrap();
    let disk = Failing {
        left: Arc::new(AtomicI64::new(at)),
        kind,
        error,
    };
    let mut log = Log::on(Box::new(disk), folder.path(), BEGINNING, Sync::Always, 500).unwrap();
    let (mut acknowledged, mut failures, mut dead) = (0, 0, false);
    let first = log
        .append(&payload(&created("perceptron")), 0)
        .and_then(|()| log.commit());
    if first.is_err() {
        return (0, 1, 0);
    }
    for k in 0..20 {
        match log
            .append(&payload(&learned(k)), 1)
            .and_then(|()| log.commit())
        {
            Ok(()) => {
                assert!(!dead, "acknowledged after a failure");
                acknowledged += 1;
            }
            Err(error) => {
                failures += 1;
                dead |= !error.is_full();
            }
        }
    }
    drop(log);
    (
        acknowledged,
        failures,
        replay(folder.path(), 100).unwrap().state.seq,
    )
}

#[test]
fn nothing_is_acknowledged_after_a_sync_that_failed() {
    for at in 1..25 {
        let (acknowledged, failures, rows) = run_on(Call::Sync, io::ErrorKind::Other, at);
        assert!(rows >= acknowledged, "at {at}");
        if failures > 0 {
            // the record itself may be there: it was never acknowledged
            assert!(
                rows <= acknowledged + 1 && acknowledged + failures == 20,
                "at {at}: {acknowledged} {failures} {rows}"
            );
        }
    }
}

#[test]
fn a_write_that_fails_is_as_if_it_had_not_been_tried() {
    for at in 1..20 {
        let (acknowledged, failures, rows) = run_on(Call::Write, io::ErrorKind::StorageFull, at);
        assert_eq!(
            (acknowledged, failures, rows),
            (19, 1, 19),
            "at {at}: one write found no room"
        );
        let (acknowledged, failures, rows) =
            run_on(Call::Write, io::ErrorKind::PermissionDenied, at);
        assert_eq!(
            (acknowledged, rows),
            (at as u64 - 1, at as u64 - 1),
            "at {at}"
        );
        assert_eq!(acknowledged + failures, 20);
    }
    let (acknowledged, failures, rows) = run_on(Call::Create, io::ErrorKind::StorageFull, 1);
    assert_eq!(
        (failures, acknowledged),
        (1, rows),
        "a segment that finds no room is tried again"
    );
}
