//! Work in pieces of fixed size on any number of threads: the pieces, and so the results, do not depend on how
//! many there are.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rows in a piece.
pub(crate) const CHUNK: usize = 2048;

/// The results of `work` for 0 .. count, in order.
pub(crate) fn map<T: Send>(
    count: usize,
    threads: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let threads = threads.min(count);
    if threads < 2 {
        return (0..count).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(count));
    let labour = || {
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            if k >= count {
                break;
            }
            let result = work(k);
            if let Ok(mut done) = done.lock() {
                done.push((k, result));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(labour);
        }
        labour();
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_unstable_by_key(|(k, _)| *k);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The results of `work` for each item, in order.
pub(crate) fn each<I: Send, T: Send>(
    items: Vec<I>,
    threads: usize,
    work: impl Fn(I) -> T + Sync,
) -> Vec<T> {
    let items: Vec<Mutex<Option<I>>> = items.into_iter().map(|i| Mutex::new(Some(i))).collect();
    let take = |k: usize| items[k].lock().ok().and_then(|mut item| item.take());
    let results = map(items.len(), threads, |k| take(k).map(&work));
    results.into_iter().flatten().collect()
}

/// Fills `out` piece by piece; `work` gets a piece's number and place.
pub(crate) fn fill(out: &mut [f64], threads: usize, work: impl Fn(usize, &mut [f64]) + Sync) {
    if threads < 2 || out.len() <= CHUNK {
        for (k, piece) in out.chunks_mut(CHUNK).enumerate() {
            work(k, piece);
        }
        return;
    }
    let pieces = Mutex::new(out.chunks_mut(CHUNK).enumerate());
    let labour = || {
        loop {
            let piece = pieces.lock().ok().and_then(|mut pieces| pieces.next());
            let Some((k, piece)) = piece else { break };
            work(k, piece);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(labour);
        }
        labour();
    });
}
