//! Jobs done side by side.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Results of jobs 0 .. `count` in that order. Threads change no result. After the first job for which `is_last` says so no other is begun;
/// jobs that were not begun have none. `at` is called with how many jobs are done.
pub(crate) fn side_by_side<T: Send>(
    count: usize,
    threads: usize,
    at: impl Fn(u64) + Sync,
    is_last: impl Fn(&T) -> bool + Sync,
    job: impl Fn(usize) -> T + Sync,
) -> Vec<Option<T>> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let ended = AtomicBool::new(false);
    let slots: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    // each job is done once, by the thread that drew its number; those before the last were drawn already
    let draw = || {
        let k = next.fetch_add(1, Ordering::Relaxed);
        (k < count && !ended.load(Ordering::Relaxed)).then_some(k)
    };
    let work = |k: usize| {
        let result = job(k);
        if is_last(&result) {
            ended.store(true, Ordering::Relaxed);
        }
        if let Ok(mut slot) = slots[k].lock() {
            *slot = Some(result);
        }
        at(1 + done.fetch_add(1, Ordering::Relaxed) as u64);
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            scope.spawn(|| std::iter::from_fn(draw).for_each(work));
        }
        std::iter::from_fn(draw).for_each(work);
    });
    let results = slots.into_iter();
    results
        .map(|slot| slot.into_inner().ok().flatten())
        .collect()
}
