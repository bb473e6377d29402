//! Retention: the periods after which inactive games and the data of browsers are deleted, and the clock for them.

use std::time::Duration;

use crate::store::RetentionCutoffs;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Retention in days, of games after their last activity; `None` for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetentionPolicy {
    /// Uploaded games.
    pub uploaded_days: Option<u32>,
    /// Finished games.
    pub finished_days: Option<u32>,
    /// Unfinished games in which a person has played.
    pub abandoned_days: Option<u32>,
    /// Games in which no person has played.
    pub untouched_days: Option<u32>,
    /// Games in which no person has played, but with an open seat or a second person, who may come late.
    pub awaited_days: Option<u32>,
    /// Answers to puzzles, scores of days after the day, and feeds after their last fetch.
    pub browser_data_days: Option<u32>,
}

impl Default for RetentionPolicy {
    fn default() -> Self {
        RetentionPolicy {
            uploaded_days: Some(30),
            finished_days: None,
            abandoned_days: None,
            untouched_days: Some(1),
            awaited_days: Some(30),
            browser_data_days: Some(400),
        }
    }
}

impl RetentionPolicy {
    /// The last-activity times before which games are deleted, at this Unix time in milliseconds.
    #[must_use]
    pub fn cutoffs(&self, now_ms: i64) -> RetentionCutoffs {
        let before = |days| before(now_ms, days);
        RetentionCutoffs {
            uploaded_ms: before(self.uploaded_days),
            finished_ms: before(self.finished_days),
            abandoned_ms: before(self.abandoned_days),
            untouched_ms: before(self.untouched_days),
            awaited_ms: before(self.awaited_days),
        }
    }

    /// The time before which the data of browsers is deleted.
    #[must_use]
    pub fn browser_data_cutoff(&self, now_ms: i64) -> Option<i64> {
        before(now_ms, self.browser_data_days)
    }
}

/// The time this many days before now.
fn before(now_ms: i64, days: Option<u32>) -> Option<i64> {
    Some(now_ms.saturating_sub(i64::from(days?) * DAY_MS))
}

/// A clock for retention that does not jump: it starts at the newest activity in the store at the start of the program
/// and advances with its uptime, and is never ahead of the wall clock. So a wall clock that is ahead deletes nothing
/// early; after a long downtime games are only deleted later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetentionClock {
    from_ms: i64,
}

impl RetentionClock {
    /// Takes the newest activity of all games, if there are any, and the wall clock's time at the start.
    #[must_use]
    pub fn new(newest_ms: Option<i64>, clock_ms: i64) -> Self {
        RetentionClock {
            from_ms: newest_ms.unwrap_or(clock_ms),
        }
    }

    /// The time when the wall clock shows `clock_ms` and the program has run for `uptime`.
    #[must_use]
    pub fn now_ms(&self, clock_ms: i64, uptime: Duration) -> i64 {
        let uptime_ms = i64::try_from(uptime.as_millis()).unwrap_or(i64::MAX);
        self.from_ms.saturating_add(uptime_ms).min(clock_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const YEAR_MS: i64 = 365 * DAY_MS;

    #[test]
    fn each_kind_of_game_has_its_cutoff() {
        let keep = RetentionPolicy {
            finished_days: Some(7),
            ..RetentionPolicy::default()
        };
        let cutoffs = keep.cutoffs(100 * DAY_MS);
        assert_eq!(cutoffs.uploaded_ms, Some(70 * DAY_MS));
        assert_eq!(cutoffs.finished_ms, Some(93 * DAY_MS));
        assert_eq!(cutoffs.abandoned_ms, None);
        assert_eq!(cutoffs.untouched_ms, Some(99 * DAY_MS));
        assert_eq!(cutoffs.awaited_ms, Some(70 * DAY_MS));
        assert_eq!(keep.browser_data_cutoff(500 * DAY_MS), Some(100 * DAY_MS));
    }

    #[test]
    fn a_clock_that_jumps_deletes_nothing_early() {
        let (newest, hour) = (50 * YEAR_MS, Duration::from_secs(3600));
        let clock = RetentionClock::new(Some(newest), newest + YEAR_MS);
        let after = |clock_ms, uptime| clock.now_ms(clock_ms, uptime);
        assert_eq!(after(newest + YEAR_MS, Duration::ZERO), newest);
        assert_eq!(after(newest + 9 * YEAR_MS, hour), newest + 3_600_000);
        // A clock that was set back deletes nothing early either.
        assert_eq!(after(newest - 5, hour), newest - 5);
        let empty = RetentionClock::new(None, 7);
        assert_eq!(empty.now_ms(7 + 3_600_000, hour), 7 + 3_600_000);
    }
}
