//! Jobs done side by side.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use novikoff::parallel;

/// Results of jobs 0 .. `count` in that order. Threads change no result. After the first job for which `is_last` says so no other is begun;
/// jobs that were not begun have none. `at` is called with how many jobs are done.
pub(crate) fn side_by_side<T: Send>(
    count: usize,
    threads: usize,
    at: impl Fn(u64) + Sync,
    is_last: impl Fn(&T) -> bool + Sync,
    job: impl Fn(usize) -> T + Sync,
) -> Vec<Option<T>> {
    let (done, ended) = (AtomicU64::new(0), AtomicBool::new(false));
    // jobs are drawn in order: those before the last were begun
    let begun = (0..count).take_while(|_| !ended.load(Ordering::Relaxed));
    let results = parallel::map(begun, threads, |k| {
        let result = job(k);
        if is_last(&result) {
            ended.store(true, Ordering::Relaxed);
        }
        at(1 + done.fetch_add(1, Ordering::Relaxed));
        result
    });
    let mut results: Vec<Option<T>> = results.into_iter().map(Some).collect();
    results.resize_with(count, || None);
    results
}
