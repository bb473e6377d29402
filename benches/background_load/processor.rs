//! The processor time of another process.

use std::time::Duration;

/// Processor time of a process, of all its threads; zero where the system does not tell.
pub(crate) fn processor_time(process: &str) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name of the program may hold spaces, so count from behind it.
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    let ticks = |at: usize| -> u64 {
        let field = after.split_whitespace().nth(at);
        field.and_then(|field| field.parse().ok()).unwrap_or(0)
    };
    // Linux counts in hundredths of a second.
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}
