//! Deadlines: a clock raises a flag while a level is thinking.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::search::StopToken;

/// How often it is told how far a level has come.
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);

/// Does `work` with a flag that is raised when `time` is up, counted from now; meanwhile looks every second.
///
/// The clock sleeps on a thread of its own and ends at once when the work is done, also by a panic.
pub(super) fn within<T>(
    time: Duration,
    stop: &StopToken,
    mut look: Option<impl FnMut() + Send>,
    work: impl FnOnce(&StopToken) -> T,
) -> T {
    let flag = stop.clone();
    let (done, waiting) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut left = time;
            loop {
                let wait = look.as_ref().map_or(left, |_| left.min(BETWEEN_LOOKS));
                if waiting.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                left = left.saturating_sub(wait);
                if left.is_zero() {
                    flag.request_stop();
                    return;
                }
                if let Some(look) = &mut look {
                    look();
                }
            }
        });
        // Dropping the sender wakes the clock, which then leaves the flag as it is.
        let _done = done;
        work(stop)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOBODY: Option<fn()> = None;

    #[test]
    fn the_flag_is_raised_when_time_is_up() {
        within(
            Duration::from_millis(1),
            &StopToken::new(),
            NOBODY,
            |stop| {
                while !stop.is_stop_requested() {
                    thread::yield_now();
                }
            },
        );
    }

    #[test]
    fn the_clock_does_not_outlive_the_work() {
        let hour = Duration::from_secs(3600);
        assert!(!within(
            hour,
            &StopToken::new(),
            NOBODY,
            StopToken::is_stop_requested
        ));
        let panicked = std::panic::catch_unwind(|| {
            within(hour, &StopToken::new(), NOBODY, |_| panic!("on purpose"));
        });
        assert!(panicked.is_err());
    }
}
