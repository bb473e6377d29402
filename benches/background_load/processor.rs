//! The processor time of another process.

use std::time::Duration;

/// The processor time of all threads of a process; zero where `/proc` is missing.
pub(crate) fn processor_time(process: &str) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The program's name may contain spaces, so the fields are counted after it.
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    let ticks = |at: usize| -> u64 {
        let field = after.split_whitespace().nth(at);
        field.and_then(|field| field.parse().ok()).unwrap_or(0)
    };
    // Linux reports hundredths of a second.
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}
