//! Caches as inputs of a reader.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::Write as _;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use novikoff::names::Names;
use novikoff::source::Source as _;
use novikoff_data::blocks::{Format, Input, ReadOptions, Reader};
use novikoff_data::cache::CacheFile;
use novikoff_data::error::DataError;
use novikoff_data::interrupt::Interrupt;

use super::by_name::named;
use super::{convert, names, reader, replace, story, svmlight, varied, write};

#[test]
fn a_reader_reads_the_same_from_text_and_from_a_cache() {
    let folder = tempfile::tempdir().unwrap();
    let (text, cache) = (folder.path().join("a.svm"), folder.path().join("a.nvk"));
    fs::write(&text, svmlight(20_000)).unwrap();
    for (block_size, bias) in [(1 << 10, None), (1 << 18, Some(1.0)), (100, Some(0.0))] {
        let options = ReadOptions {
            bias,
            ..ReadOptions::default()
        };
        let input = vec![Input::Path(text.clone())];
        let mut from = Reader::with_block_size(input, options.clone(), 2, block_size).unwrap();
        convert(&mut from, &cache, None);
        let expected = story(&mut reader(&text, options.clone(), 2));
        for threads in 1..4 {
            let mut from_cache = reader(&cache, options.clone(), threads);
            let found = story(&mut from_cache);
            assert!(found == expected, "{threads} threads");
            assert_eq!(from_cache.format(), Some(Format::Cache));
            assert_eq!(from_cache.bytes_read(), cache.metadata().unwrap().len());
            assert_eq!(from_cache.names().highest(), found.1);
        }
    }
    // no thread is left waiting, whichever comes first to a block
    for round in 0..400 {
        let mut hasty = reader(&cache, ReadOptions::default(), 2);
        let mut blocks = 0;
        while blocks < round % 20 && hasty.next_block().unwrap().is_some() {
            blocks += 1;
        }
    }
}

#[test]
fn what_cannot_be_mapped_is_copied_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.nvk");
    write(&path, &varied(9000, 2), &Names::new());
    let expected = story(&mut reader(&path, ReadOptions::default(), 1));
    let bytes = fs::read(&path).unwrap();
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&bytes).unwrap();
    let gzip = packer.finish().unwrap();
    let zstd = zstd::encode_all(&bytes[..], 1).unwrap();
    let cut = gzip[..gzip.len() / 2].to_vec();
    for packed in [bytes.clone(), gzip, zstd] {
        let input = Input::Bytes {
            name: "memory".to_owned(),
            text: Cow::Owned(packed.clone()),
        };
        let mut reader = Reader::open(vec![input], ReadOptions::default(), 2).unwrap();
        assert!(story(&mut reader) == expected);
        assert_eq!(reader.bytes_read(), packed.len() as u64);
        replace(&path, packed);
        assert!(story(&mut super::reader(&path, ReadOptions::default(), 2)) == expected);
    }
    replace(&path, cut);
    let said = reader(&path, ReadOptions::default(), 1)
        .next_block()
        .unwrap_err();
    assert!(matches!(said, DataError::CutShort { .. }), "{said}");
    replace(&path, "1 1:1\n");
    let options = ReadOptions {
        format: Some(Format::Cache),
        ..ReadOptions::default()
    };
    let said = reader(&path, options.clone(), 1)
        .next_block()
        .unwrap_err()
        .to_string();
    assert!(said.contains("no cache of rows"), "{said}");
    let input = Input::Bytes {
        name: "memory".to_owned(),
        text: b"1 1:1\n".into(),
    };
    let said = Reader::open(vec![input], options, 1)
        .unwrap()
        .next_block()
        .unwrap_err();
    assert!(said.to_string().contains("begins with NVKROWS"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_cache_may_come_from_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let (path, pipe) = (folder.path().join("rows.nvk"), folder.path().join("pipe"));
    write(&path, &varied(9000, 2), &Names::new());
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let expected = story(&mut reader(&path, ReadOptions::default(), 1));
    let (bytes, end) = (fs::read(&path).unwrap(), pipe.clone());
    let writer = thread::spawn(move || {
        let mut end = File::options().write(true).open(end).unwrap();
        for part in bytes.chunks(bytes.len() / 3) {
            end.write_all(part).unwrap();
            thread::sleep(Duration::from_millis(20));
        }
    });
    assert!(story(&mut reader(&pipe, ReadOptions::default(), 2)) == expected);
    writer.join().unwrap();
    assert!(
        CacheFile::open(&pipe)
            .unwrap_err()
            .to_string()
            .contains("not a regular file")
    );
}

#[cfg(unix)]
#[test]
fn who_waits_for_a_pipe_can_be_stopped() {
    let stop = Interrupt::default();
    let asked = stop.clone();
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let end = pipe.clone();
    let (done, wait) = mpsc::channel::<()>();
    let writer = thread::spawn(move || {
        let mut end = File::options().write(true).open(end).unwrap();
        end.write_all(b"NVKROWS\n\x01\0\0\0").unwrap();
        thread::sleep(Duration::from_millis(100));
        asked.request();
        wait.recv().unwrap(); // the pipe stays open
    });
    let options = ReadOptions {
        interrupt: Some(stop),
        ..ReadOptions::default()
    };
    let mut stopped = reader(&pipe, options, 1);
    assert!(matches!(stopped.next_block(), Err(DataError::Interrupted)));
    done.send(()).unwrap();
    writer.join().unwrap();
}

#[test]
fn limits_hold_for_caches_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.nvk");
    named(&path, &names(&["a", "b", "c"]));
    let says = |options: ReadOptions, words: &str| {
        let said = reader(&path, options, 1)
            .next_block()
            .unwrap_err()
            .to_string();
        assert!(said.contains(words), "{said}");
    };
    let defaults = ReadOptions::default;
    says(
        ReadOptions {
            max_features: 2,
            ..defaults()
        },
        "has 3 features, past the limit of 2",
    );
    says(
        ReadOptions {
            max_name_bytes: 10,
            ..defaults()
        },
        "the names of 3 features take more",
    );
    says(
        ReadOptions {
            zero_based: true,
            ..defaults()
        },
        "its features were counted from 1",
    );
    let inputs = vec![Input::Path(path.clone())];
    let names = names(&["x", "y"]);
    let options = ReadOptions {
        max_features: 4,
        ..defaults()
    };
    let mut reader = Reader::with_names(inputs, options, 1, names).unwrap();
    let said = reader.next_block().unwrap_err();
    assert!(matches!(said, DataError::Names { .. }), "{said}");
}
