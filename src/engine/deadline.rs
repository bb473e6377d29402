//! Deadlines for searches.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::search::StopToken;

/// The interval of calls of `tick`.
const TICK: Duration = Duration::from_millis(100);

/// Runs `work` with a flag that is set when `time` has passed, and calls `tick` ten times a second.
///
/// The timer thread ends as soon as `work` returns or panics.
pub(super) fn run_with_deadline<T>(
    time: Duration,
    stop: &StopToken,
    mut tick: Option<impl FnMut() + Send>,
    work: impl FnOnce(&StopToken) -> T,
) -> T {
    let flag = stop.clone();
    let (done, waiting) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut left = time;
            loop {
                let wait = tick.as_ref().map_or(left, |_| left.min(TICK));
                if waiting.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                left = left.saturating_sub(wait);
                if left.is_zero() {
                    flag.request_stop();
                    return;
                }
                if let Some(tick) = &mut tick {
                    tick();
                }
            }
        });
        // Dropping the sender wakes the timer thread, which then leaves the flag unset.
        let _done = done;
        work(stop)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_TICK: Option<fn()> = None;

    #[test]
    fn the_flag_is_set_at_the_deadline() {
        run_with_deadline(
            Duration::from_millis(1),
            &StopToken::new(),
            NO_TICK,
            |stop| {
                while !stop.is_stop_requested() {
                    thread::yield_now();
                }
            },
        );
    }

    #[test]
    fn the_timer_ends_with_the_work() {
        let hour = Duration::from_secs(3600);
        assert!(!run_with_deadline(
            hour,
            &StopToken::new(),
            NO_TICK,
            StopToken::is_stop_requested
        ));
        let panicked = std::panic::catch_unwind(|| {
            run_with_deadline(hour, &StopToken::new(), NO_TICK, |_| panic!("on purpose"));
        });
        assert!(panicked.is_err());
    }
}
