//! How long a run took.

use std::time::Instant;

/// Runs from its making on.
pub(super) struct Stopwatch {
    begun: Instant,
    /// What the thread had worked before, where the system says so.
    worked: Option<f64>,
}

impl Stopwatch {
    pub(super) fn start() -> Self {
        Stopwatch {
            begun: Instant::now(),
            worked: worked(),
        }
    }

    /// Seconds that this thread has worked since; where the system does not say, those that have passed. On a machine with other work they
    /// are the better measure of a run on one thread.
    pub(super) fn seconds(&self) -> f64 {
        match (self.worked, worked()) {
            (Some(before), Some(now)) if now > before => now - before,
            _ => self.begun.elapsed().as_secs_f64(),
        }
    }
}

/// Seconds that this thread has worked; Linux has them.
fn worked() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_counts_and_never_more_than_time_passes() {
        let (watch, begun) = (Stopwatch::start(), Instant::now());
        let mut sum = 0.0_f64;
        while watch.seconds() < 0.01 {
            sum = std::hint::black_box(sum + 1.0);
        }
        // the system counts in steps of its own
        assert!(watch.seconds() <= begun.elapsed().as_secs_f64() + 0.02);
    }
}
