//! How much memory a job may take.

/// Bytes a learner's state may take: as many megabytes as were allowed, else three quarters of what is free.
pub fn memory_for(megabytes: Option<u64>) -> u128 {
    match megabytes {
        Some(mb) => u128::from(mb) << 20,
        None => free_memory().unwrap_or(4 << 30) / 4 * 3,
    }
}

/// What the system says is free, where it says so.
pub fn free_memory() -> Option<u128> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: u128 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}
