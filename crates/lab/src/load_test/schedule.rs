//! When what is due: times that are fixed before anything is asked.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::stats::LoadStats;

/// The time of a run.
#[derive(Clone, Copy)]
pub(super) struct Schedule {
    begin: Instant,
    end: Instant,
}

impl Schedule {
    pub(super) fn now(lasts: Duration) -> Self {
        let begin = Instant::now();
        Schedule {
            begin,
            end: begin + lasts,
        }
    }

    pub(super) fn since(self) -> Duration {
        self.begin.elapsed()
    }

    /// The part of one of several who share a rate: together they are due evenly.
    pub(super) fn pace(self, number: u32, of: u32, rate: f64) -> Pacer {
        Pacer {
            schedule: self,
            first_s: f64::from(number) / rate,
            every_s: f64::from(of) / rate,
            turn: 0,
        }
    }
}

/// How often something is due at a rate: at 0, and then evenly as long as it lasts.
pub(super) fn due(rate: f64, lasts: Duration) -> u64 {
    (rate * lasts.as_secs_f64()).ceil() as u64
}

/// When one of several is due.
pub(super) struct Pacer {
    schedule: Schedule,
    first_s: f64,
    every_s: f64,
    turn: u64,
}

impl Pacer {
    /// Waits for what is due next, and says from when its latency counts; nothing once the schedule is over.
    ///
    /// That is when it was due, if whoever asks is late for it: then a slow answer before has made it late. Whoever
    /// was here in time was woken by a clock with ticks of a millisecond, for which no server answers: then it is
    /// now, and the tally hears how late the clock was.
    pub(super) async fn next(
        &mut self,
        tally: &LoadStats,
        stop: &CancellationToken,
    ) -> Option<Instant> {
        let after = Duration::from_secs_f64(self.first_s + self.every_s * self.turn as f64);
        let due = self.schedule.begin + after;
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
        tally.woken_late(woken - due);
        Some(woken)
    }

    /// When no answer is waited for any more.
    pub(super) fn latest(&self) -> Instant {
        self.schedule.end + super::SETTLING
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_are_due_evenly_and_as_often_as_is_said() {
        let (rate, lasts) = (7.0, Duration::from_millis(2_500));
        let schedule = Schedule::now(lasts);
        let mut all = Vec::new();
        for number in 0..3 {
            let pace = schedule.pace(number, 3, rate);
            let times = (0..).map(|turn| pace.first_s + pace.every_s * f64::from(turn));
            all.extend(times.take_while(|time| *time < lasts.as_secs_f64()));
        }
        all.sort_by(f64::total_cmp);
        assert_eq!(all.len() as u64, due(rate, lasts));
        for (turn, time) in all.iter().enumerate() {
            assert!((time - turn as f64 / rate).abs() < 1e-9, "{all:?}");
        }
    }

    #[tokio::test]
    async fn whoever_is_late_is_charged_from_when_it_was_due() {
        let (tally, stop) = (LoadStats::default(), CancellationToken::new());
        // An answer took two and a half seconds: three are late.
        let begin = Instant::now() - Duration::from_millis(2_500);
        let schedule = Schedule {
            begin,
            end: begin + Duration::from_millis(3_900),
        };
        let mut pace = schedule.pace(0, 1, 1.0);
        for due in [0, 1, 2] {
            let due = begin + Duration::from_secs(due);
            assert_eq!(pace.next(&tally, &stop).await, Some(due));
        }
        assert_eq!(tally.late().count(), 0);
        let in_time = pace.next(&tally, &stop).await.unwrap();
        assert!(in_time >= begin + Duration::from_secs(3));
        assert_eq!(tally.late().count(), 1);
        assert_eq!(pace.next(&tally, &stop).await, None);
    }
}
