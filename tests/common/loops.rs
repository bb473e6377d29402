//! Loops whose full length is a named command: a variable says how often.

#![allow(dead_code, reason = "each test uses what it needs")]

use std::time::Duration;

/// Longer than anything here may take: reaching it is a failure.
pub(crate) const HANG: Duration = Duration::from_secs(60);

/// How often: as often as the variable says, or a hundredth of all, but at least once.
pub(crate) fn times(name: &str, all: u32) -> u32 {
    match std::env::var(name) {
        Ok(times) => times.parse().expect("a number"),
        Err(_) => (all / 100).max(1),
    }
}

/// What is promised is held to the clock where the variable asks for the loop, alone on its machine. Among all other
/// tests it only may not hang.
pub(crate) fn promised(name: &str, promise: Duration) -> Duration {
    match std::env::var_os(name) {
        Some(_) => promise,
        None => HANG,
    }
}
