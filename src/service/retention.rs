//! Games that nobody plays on with are forgotten: how long each kind is kept, and what time it is for
//! them.

use std::time::Duration;

use super::Service;
use crate::store::{RetentionCutoffs, StoreError};

/// How many games go in one step, so that moves never wait long.
const BATCH: u32 = 100;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// For how many days games are kept after their last activity; `None` for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetentionPolicy {
    /// Games whose record was brought here.
    pub uploaded_days: Option<u32>,
    /// Finished games.
    pub finished_days: Option<u32>,
    /// Unfinished games in which a person has played.
    pub abandoned_days: Option<u32>,
    /// Games in which no person has played.
    pub untouched_days: Option<u32>,
    /// Games in which no person has played, but a seat is open or a second person sits: friends may
    /// come late.
    pub awaited_days: Option<u32>,
}

impl Default for RetentionPolicy {
    fn default() -> Self {
        RetentionPolicy {
            uploaded_days: Some(30),
            finished_days: None,
            abandoned_days: None,
            untouched_days: Some(1),
            awaited_days: Some(30),
        }
    }
}

impl RetentionPolicy {
    /// Before which times games go, at this Unix time in milliseconds.
    #[must_use]
    pub fn cutoffs(&self, now_ms: i64) -> RetentionCutoffs {
        let before = |days: Option<u32>| Some(now_ms.saturating_sub(i64::from(days?) * DAY_MS));
        RetentionCutoffs {
            uploaded_ms: before(self.uploaded_days),
            finished_ms: before(self.finished_days),
            abandoned_ms: before(self.abandoned_days),
            untouched_ms: before(self.untouched_days),
            awaited_ms: before(self.awaited_days),
        }
    }
}

/// What time it is for games that are to go: never later than the newest activity that the archive had
/// at the start, and what has passed since. So a clock that jumped ahead, before the start or after it,
/// removes nothing before its time; a server that was off for long only removes later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetentionClock {
    from_ms: i64,
}

impl RetentionClock {
    /// From the newest activity of all games, if there are any, and the clock's time at the start.
    #[must_use]
    pub fn new(newest_ms: Option<i64>, clock_ms: i64) -> Self {
        RetentionClock {
            from_ms: newest_ms.unwrap_or(clock_ms),
        }
    }

    /// The time when the clock says `clock_ms` and the program has run for `uptime`.
    #[must_use]
    pub fn now_ms(&self, clock_ms: i64, uptime: Duration) -> i64 {
        let uptime_ms = i64::try_from(uptime.as_millis()).unwrap_or(i64::MAX);
        self.from_ms.saturating_add(uptime_ms).min(clock_ms)
    }
}

impl Service {
    /// What time it is for games that are to go, from now on.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn reckoning(&self, clock_ms: i64) -> Result<RetentionClock, StoreError> {
        let newest_ms = self.shared.archive.newest_ms().await?;
        Ok(RetentionClock::new(newest_ms, clock_ms))
    }

    /// Forgets the games whose time has come, but none that is in memory; how many they were.
    ///
    /// # Errors
    /// When the archive fails; some may be gone already.
    pub async fn forget(&self, cutoffs: RetentionCutoffs) -> Result<u64, StoreError> {
        let archive = &self.shared.archive;
        let mut forgotten = 0;
        let mut spared = 0;
        loop {
            // Those that are spared come first again, so as many more are asked for.
            let expired = archive
                .expired(&cutoffs, BATCH.saturating_add(spared))
                .await?;
            let asked = expired.len();
            let removing = self.shared.removing(expired, BATCH as usize);
            spared = u32::try_from(asked - removing.found).unwrap_or(u32::MAX);
            if removing.games.is_empty() {
                return Ok(forgotten);
            }
            let removed = archive.remove(removing.games.clone(), cutoffs).await?;
            forgotten += removed;
            if removed == 0 || self.shared.stop.is_cancelled() {
                return Ok(forgotten);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const YEAR_MS: i64 = 365 * DAY_MS;

    #[test]
    fn each_kind_has_its_days() {
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
    }

    #[test]
    fn a_clock_that_jumps_does_not_hurry_anything() {
        let (newest, hour) = (50 * YEAR_MS, Duration::from_secs(3600));
        let reckoning = RetentionClock::new(Some(newest), newest + YEAR_MS);
        let after = |clock_ms, uptime| reckoning.now_ms(clock_ms, uptime);
        assert_eq!(after(newest + YEAR_MS, Duration::ZERO), newest);
        assert_eq!(after(newest + 9 * YEAR_MS, hour), newest + 3_600_000);
        // A clock that was set back lets nothing go too early either.
        assert_eq!(after(newest - 5, hour), newest - 5);
        let empty = RetentionClock::new(None, 7);
        assert_eq!(empty.now_ms(7 + 3_600_000, hour), 7 + 3_600_000);
    }
}
