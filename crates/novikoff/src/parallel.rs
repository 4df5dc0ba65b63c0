//! Work on any number of threads. How it is cut into items is the caller's, so no result depends on how many threads there are.

use std::sync::Mutex;

/// Rows in a piece of work on many rows.
pub(crate) const CHUNK: usize = 2048;

/// Does `work` for each item. Items are drawn in order, each by a thread that has nothing to do.
pub fn for_each<I: IntoIterator<IntoIter: Send>>(
    items: I,
    threads: usize,
    work: impl Fn(I::Item) + Sync,
) {
    let items = items.into_iter();
    let threads = threads.min(items.size_hint().1.unwrap_or(usize::MAX));
    if threads < 2 {
        return items.for_each(work);
    }
    let items = Mutex::new(items);
    let draw = || items.lock().ok().and_then(|mut items| items.next());
    let run = || std::iter::from_fn(draw).for_each(&work);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
}

/// The results of `work` for each item, in the order of the items.
pub fn map<I: IntoIterator<IntoIter: Send>, T: Send>(
    items: I,
    threads: usize,
    work: impl Fn(I::Item) -> T + Sync,
) -> Vec<T> {
    let done = Mutex::new(Vec::new());
    for_each(items.into_iter().enumerate(), threads, |(k, item)| {
        let result = work(item);
        if let Ok(mut done) = done.lock() {
            done.push((k, result));
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_unstable_by_key(|(k, _)| *k);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Fills `out` in pieces of [`CHUNK`] numbers; `work` gets a piece's number and place.
pub(crate) fn fill(out: &mut [f64], threads: usize, work: impl Fn(usize, &mut [f64]) + Sync) {
    let pieces = out.chunks_mut(CHUNK).enumerate();
    for_each(pieces, threads, |(k, piece)| work(k, piece));
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn results_are_in_order_for_any_number_of_threads() {
        let expected: Vec<usize> = (0..1000).map(|k| k * k).collect();
        for threads in [0, 1, 2, 3, 8, 2000] {
            // late items are quick, so that threads end out of order
            let squares = map(0..1000, threads, |k: usize| {
                std::hint::black_box((k..1000).fold(0, usize::max));
                k * k
            });
            assert_eq!(squares, expected, "{threads} threads");
        }
        assert_eq!(map(0..0, 4, |k: usize| k), []);
    }

    #[test]
    fn every_item_is_drawn_once_and_moved() {
        let items: Vec<String> = (0..100).map(|k| k.to_string()).collect();
        let count = AtomicUsize::new(0);
        let got = map(items.clone(), 3, |item| {
            count.fetch_add(1, Ordering::Relaxed);
            item
        });
        assert_eq!(got, items);
        assert_eq!(count.into_inner(), 100);
    }

    #[test]
    fn fill_reaches_every_number() {
        for len in [0, 1, CHUNK, CHUNK + 1, 3 * CHUNK + 5] {
            for threads in [1, 2, 5] {
                let mut out = vec![-1.0; len];
                fill(&mut out, threads, |k, piece| {
                    for (i, o) in piece.iter_mut().enumerate() {
                        *o = (k * CHUNK + i) as f64;
                    }
                });
                let expected: Vec<f64> = (0..len).map(|i| i as f64).collect();
                assert_eq!(out, expected, "{len} numbers, {threads} threads");
            }
        }
    }

    #[test]
    fn several_threads_work_at_once() {
        let other = AtomicBool::new(false);
        // ends only if the second item is begun while the first one waits
        for_each([false, true], 2, |second| {
            if second {
                other.store(true, Ordering::Release);
            } else {
                while !other.load(Ordering::Acquire) {
                    std::thread::yield_now();
                }
            }
        });
    }
}
