//! Deadlines for searches.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::search::StopToken;

/// The interval of calls of `tick`.
const TICK: Duration = Duration::from_millis(100);

/// The minimum wait of the timer, which polls while the search is paused.
const MIN_WAIT: Duration = Duration::from_millis(1);

/// The time in milliseconds since `start` in which a search was not paused, with microsecond precision; none was paused
/// before.
pub(super) fn compute_ms(start: Instant, stop: &StopToken) -> f64 {
    let paused = Duration::from_micros(stop.paused_us());
    start.elapsed().saturating_sub(paused).as_micros() as f64 / 1000.0
}

/// Runs `work` with a flag that is set when `time` has passed, and calls `tick` ten times a second. Time in which the
/// search is paused does not count.
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
            let (paused_before, start) = (flag.paused_us(), Instant::now());
            loop {
                let elapsed = start.elapsed();
                let paused = flag.paused_us().saturating_sub(paused_before);
                let paused = Duration::from_micros(paused);
                let left = (time + paused).saturating_sub(elapsed);
                if left.is_zero() {
                    flag.request_stop();
                    return;
                }
                let wait = tick.as_ref().map_or(left, |_| left.min(TICK));
                if waiting.recv_timeout(wait.max(MIN_WAIT)) != Err(RecvTimeoutError::Timeout) {
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
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::search::SearchPauses;

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

    /// A search that is paused all the time, until it has checked its token often.
    #[derive(Debug)]
    struct PausedAtFirst {
        began: Instant,
        checks: AtomicU32,
    }

    impl SearchPauses for PausedAtFirst {
        fn pause_if_due(&self, _: &StopToken) {
            self.checks.fetch_add(1, Ordering::Relaxed);
        }

        fn paused_us(&self) -> u64 {
            let us = self.began.elapsed().as_micros() as u64;
            match self.checks.load(Ordering::Relaxed) {
                0..1_000_000 => us,
                _ => 0,
            }
        }
    }

    #[test]
    fn pauses_do_not_count() {
        let pauses = Arc::new(PausedAtFirst {
            began: Instant::now(),
            checks: AtomicU32::new(0),
        });
        let stop = StopToken::with_pauses(pauses.clone());
        // Pauses are rounded down to microseconds.
        let time = Duration::from_micros(2);
        run_with_deadline(time, &stop, NO_TICK, |stop| while !stop.check() {});
        assert!(pauses.checks.load(Ordering::Relaxed) >= 1_000_000);
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
