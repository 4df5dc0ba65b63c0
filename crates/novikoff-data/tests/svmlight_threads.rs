//! Helpers end with their reader. One test, alone in its process, for it counts threads.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::borrow::Cow;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use novikoff::source::Source as _;
use novikoff_data::blocks::{Input, ReadOptions, Reader};

fn helpers() -> usize {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let names = tasks.filter_map(|task| fs::read_to_string(task.unwrap().path().join("comm")).ok());
    names.filter(|name| name.trim() == "novikoff-read").count()
}

#[test]
fn helpers_end_when_their_reader_is_dropped() {
    let text: Cow<[u8]> = Cow::Owned("1 1:1 2:2 3:3\n".repeat(100_000).into_bytes());
    for blocks in [0, 1, 1000] {
        let input = Input::Bytes {
            name: "f".to_owned(),
            text: text.clone(),
        };
        let mut reader =
            Reader::with_block_size(vec![input], ReadOptions::default(), 4, 2000).unwrap();
        // inputs are opened when their turn comes; a thread has its name only once it runs
        reader.next_block().unwrap();
        let begun = Instant::now();
        while helpers() == 0 {
            assert!(begun.elapsed() < Duration::from_secs(10), "no helper came");
            thread::sleep(Duration::from_millis(1));
        }
        for _ in 0..blocks {
            reader.next_block().unwrap();
        }
        drop(reader);
        let begun = Instant::now();
        while helpers() > 0 {
            assert!(
                begun.elapsed() < Duration::from_secs(10),
                "a helper lives on"
            );
            thread::sleep(Duration::from_millis(1));
        }
    }
}
