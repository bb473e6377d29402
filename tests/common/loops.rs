//! Loops whose full length is set by an environment variable.

#![allow(dead_code, reason = "each test uses what it needs")]

use std::time::{Duration, Instant};

/// A timeout longer than anything here may take: reaching it is a failure.
pub(crate) const HANG: Duration = Duration::from_secs(60);

/// The number in the variable; without it a hundredth of `all`, but at least one.
pub(crate) fn times(name: &str, all: u32) -> u32 {
    match std::env::var(name) {
        Ok(times) => times.parse().expect("a number"),
        Err(_) => (all / 100).max(1),
    }
}

/// The promised time if the variable requests the full loop, which then runs alone on its machine. Among all other
/// tests, only a timeout.
pub(crate) fn promised(name: &str, promise: Duration) -> Duration {
    match std::env::var_os(name) {
        Some(_) => promise,
        None => HANG,
    }
}

/// Waits until a condition holds.
pub(crate) async fn until(what: &str, condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < HANG, "never: {what}");
        tokio::task::yield_now().await;
    }
}
