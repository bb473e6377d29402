//! The schedule of requests, which is fixed in advance.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::stats::LoadStats;

/// The start and end of a load test.
#[derive(Clone, Copy)]
pub(super) struct Schedule {
    start: Instant,
    end: Instant,
}

impl Schedule {
    pub(super) fn starting_now(duration: Duration) -> Self {
        let start = Instant::now();
        Schedule {
            start,
            end: start + duration,
        }
    }

    pub(super) fn elapsed(self) -> Duration {
        self.start.elapsed()
    }

    /// The pacer of one of several tasks that share a rate: the requests of all tasks are evenly spaced.
    pub(super) fn pacer(self, number: u32, task_count: u32, rate: f64) -> Pacer {
        Pacer {
            schedule: self,
            first_s: f64::from(number) / rate,
            every_s: f64::from(task_count) / rate,
            turn: 0,
        }
    }
}

/// The number of requests at this rate during this time, the first at time 0.
pub(super) fn due_count(rate: f64, duration: Duration) -> u64 {
    (rate * duration.as_secs_f64()).ceil() as u64
}

/// The due times of one task.
pub(super) struct Pacer {
    schedule: Schedule,
    first_s: f64,
    every_s: f64,
    turn: u64,
}

impl Pacer {
    /// Waits for the next due time and returns the time from which its latency counts; `None` after the end of the
    /// schedule.
    ///
    /// If the task is late, that is the due time, because a slow response delayed it. Otherwise it is the time of
    /// waking: timers have a resolution of a millisecond, which is not the server's latency. The wake delay is recorded
    /// separately.
    pub(super) async fn wait_for_next(
        &mut self,
        stats: &LoadStats,
        stop: &CancellationToken,
    ) -> Option<Instant> {
        let after = Duration::from_secs_f64(self.first_s + self.every_s * self.turn as f64);
        let due = self.schedule.start + after;
        let now = Instant::now();
        if due >= self.schedule.end || now >= self.schedule.end || stop.is_cancelled() {
            return None;
        }
        self.turn += 1;
        if now >= due {
            return Some(due);
        }
        stop.run_until_cancelled(sleep_until(due)).await?;
        let woken = Instant::now();
        stats.record_wake_delay(woken - due);
        Some(woken)
    }

    /// The time after which no response is awaited.
    pub(super) fn deadline(&self) -> Instant {
        self.schedule.end + super::SETTLE_TIMEOUT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_evenly_spaced_at_the_given_rate() {
        let (rate, duration) = (7.0, Duration::from_millis(2_500));
        let schedule = Schedule::starting_now(duration);
        let mut all = Vec::new();
        for number in 0..3 {
            let pacer = schedule.pacer(number, 3, rate);
            let times = (0..).map(|turn| pacer.first_s + pacer.every_s * f64::from(turn));
            all.extend(times.take_while(|time| *time < duration.as_secs_f64()));
        }
        all.sort_by(f64::total_cmp);
        assert_eq!(all.len() as u64, due_count(rate, duration));
        for (turn, time) in all.iter().enumerate() {
            assert!((time - turn as f64 / rate).abs() < 1e-9, "{all:?}");
        }
    }

    #[tokio::test]
    async fn latency_of_late_requests_counts_from_their_due_time() {
        let (stats, stop) = (LoadStats::default(), CancellationToken::new());
        // A response took two and a half seconds: three requests are late.
        let start = Instant::now() - Duration::from_millis(2_500);
        let schedule = Schedule {
            start,
            end: start + Duration::from_millis(3_900),
        };
        let mut pacer = schedule.pacer(0, 1, 1.0);
        for due in [0, 1, 2] {
            let due = start + Duration::from_secs(due);
            assert_eq!(pacer.wait_for_next(&stats, &stop).await, Some(due));
        }
        assert_eq!(stats.wake_delays.lock().count(), 0);
        let in_time = pacer.wait_for_next(&stats, &stop).await.unwrap();
        assert!(in_time >= start + Duration::from_secs(3));
        assert_eq!(stats.wake_delays.lock().count(), 1);
        assert_eq!(pacer.wait_for_next(&stats, &stop).await, None);
    }
}
