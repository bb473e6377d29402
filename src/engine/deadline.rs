//! Deadlines: a clock raises a flag while a level is thinking.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::search::Stop;

/// Does `work` with a flag that is raised when `time` is up, counted from now.
///
/// The clock sleeps on a thread of its own and ends at once when the work is done, also by a panic.
pub(super) fn within<T>(time: Duration, work: impl FnOnce(&Stop) -> T) -> T {
    let stop = Stop::new();
    let flag = stop.clone();
    let (done, waiting) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if waiting.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                flag.raise();
            }
        });
        // Dropping the sender wakes the clock, which then leaves the flag as it is.
        let _done = done;
        work(&stop)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_is_raised_when_time_is_up() {
        within(Duration::from_millis(1), |stop| {
            while !stop.is_raised() {
                thread::yield_now();
            }
        });
    }

    #[test]
    fn the_clock_does_not_outlive_the_work() {
        let hour = Duration::from_secs(3600);
        assert!(!within(hour, Stop::is_raised));
        let panicked = std::panic::catch_unwind(|| within(hour, |_| panic!("on purpose")));
        assert!(panicked.is_err());
    }
}
