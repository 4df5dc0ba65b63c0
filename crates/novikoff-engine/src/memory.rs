//! How much memory a job may take.

use std::fs::read_to_string;

/// Bytes a learner's state may take: as many megabytes as were allowed, else three quarters of what is free.
pub fn memory_for(megabytes: Option<u64>) -> u128 {
    match megabytes {
        Some(mb) => u128::from(mb) << 20,
        None => free_memory().unwrap_or(4 << 30) / 4 * 3,
    }
}

/// What the system says is free, where it says so: of the machine, or of the container that the job runs in.
pub fn free_memory() -> Option<u128> {
    let machine = available(&read_to_string("/proc/meminfo").ok()?)?;
    let group = |file: &str| read_to_string(format!("/sys/fs/cgroup/memory.{file}")).ok();
    let container = || left_of(&group("max")?, &group("current")?, &group("stat")?);
    Some(container().map_or(machine, |left| left.min(machine)))
}

/// Of `/proc/meminfo`.
fn available(text: &str) -> Option<u128> {
    Some(named(text, "MemAvailable:")? << 10)
}

/// What a group of processes may still take, if it has a limit: files that are only cached count as free.
fn left_of(most: &str, now: &str, stat: &str) -> Option<u128> {
    let most: u128 = most.trim().parse().ok()?;
    let now: u128 = now.trim().parse().ok()?;
    let cached = named(stat, "inactive_file").unwrap_or(0);
    Some(most.saturating_sub(now.saturating_sub(cached)))
}

/// The number on the line that begins with a name.
fn named(text: &str, name: &str) -> Option<u128> {
    let words = text.lines().map(str::split_whitespace);
    let mut found = words.filter_map(|mut words| (words.next() == Some(name)).then_some(words));
    found.next()?.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{available, left_of};

    #[test]
    fn memory_of_the_machine_and_of_a_container() {
        let text = "MemTotal:       100 kB\nMemAvailable:   30 kB\n";
        assert_eq!(available(text), Some(30 << 10));
        assert_eq!(available("MemTotal: 100 kB"), None);
        let stat = "anon 5\ninactive_file 300\nactive_file 1\n";
        assert_eq!(left_of("1000\n", "700\n", stat), Some(600));
        assert_eq!(left_of("max\n", "700\n", stat), None, "no limit");
        assert_eq!(left_of("1000\n", "2000\n", ""), Some(0));
    }
}
