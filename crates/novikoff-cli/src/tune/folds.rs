//! Rows dealt to folds, and jobs done side by side.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use novikoff::label::RawLabel;
use novikoff::random::SplitMix64;

use crate::error::Failure;
use crate::input::Held;
use crate::progress::Progress;

/// The fold of each row: rows are shuffled from the seed, put together by label, and dealt in turn, so that folds
/// differ by one row at most, and by one row of each label.
pub(crate) fn deal(held: &Held, folds: u32, seed: u64, by_label: bool) -> Vec<u32> {
    let mut group = vec![0; held.len()];
    if by_label {
        let mut groups: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
        for (row, labels) in held.labels().enumerate() {
            let key = labels.flat_map(key).collect();
            let next = groups.len();
            group[row] = *groups.entry(key).or_insert(next);
        }
    }
    let mut order: Vec<usize> = (0..held.len()).collect();
    SplitMix64::new(seed).shuffle(&mut order);
    order.sort_by_key(|&row| group[row]);
    let mut fold = vec![0; held.len()];
    for (place, row) in order.into_iter().enumerate() {
        fold[row] = (place % folds as usize) as u32;
    }
    fold
}

/// Equal labels have equal keys, however they are spelled.
fn key(label: RawLabel<'_>) -> Vec<u8> {
    let mut key = match label.number() {
        Some(number) => (number + 0.0).to_bits().to_be_bytes().to_vec(),
        None => label.text().to_vec(),
    };
    key.push(b',');
    key
}

/// How a candidate did on some rows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Part {
    pub(crate) rows: u64,
    /// Rows with a wrong label, or the sum of squared errors of numbers.
    pub(crate) lost: f64,
    pub(crate) seconds: f64,
}

/// Results of jobs 0 .. `count` in order, or the first failure in that order. Threads change no result.
pub(crate) fn side_by_side<T: Send>(
    count: usize,
    threads: usize,
    progress: &Progress,
    job: impl Fn(usize) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let (next, done, failed) = (
        AtomicUsize::new(0),
        AtomicUsize::new(0),
        AtomicBool::new(false),
    );
    let slots: Vec<Mutex<Option<Result<T, Failure>>>> =
        (0..count).map(|_| Mutex::new(None)).collect();
    // each job is done once, by whoever drew its number; those before a failure were drawn already
    let draw = || {
        let k = next.fetch_add(1, Ordering::Relaxed);
        (k < count && !failed.load(Ordering::Relaxed)).then_some(k)
    };
    let work = |k: usize| {
        let result = job(k);
        if result.is_err() {
            failed.store(true, Ordering::Relaxed);
        }
        if let Ok(mut slot) = slots[k].lock() {
            *slot = Some(result);
        }
        done.fetch_add(1, Ordering::Relaxed);
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            scope.spawn(|| std::iter::from_fn(draw).for_each(work));
        }
        while let Some(k) = draw() {
            work(k);
            progress.at(done.load(Ordering::Relaxed) as u64);
        }
    });
    let results = slots.into_iter().filter_map(|slot| slot.into_inner().ok()?);
    let results: Vec<T> = results.collect::<Result<_, _>>()?;
    if results.len() < count {
        return Err("a run ended unexpectedly".into());
    }
    Ok(results)
}
