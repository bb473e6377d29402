//! The clock of a database that several servers share. It decides about days, whatever the servers' own clocks show.

use tokio::time::Instant;

/// What a process knows about the clock of its database.
#[derive(Clone, Copy, Debug)]
pub struct DatabaseTime {
    /// The latest time that was ever read from it, in Unix milliseconds: this time has passed.
    pub passed_ms: i64,
    /// The last time that was read from it.
    read_ms: i64,
    read_at: Instant,
}

impl DatabaseTime {
    /// A first reading, which has just arrived.
    #[must_use]
    pub fn new(read_ms: i64) -> Self {
        DatabaseTime {
            passed_ms: read_ms,
            read_ms,
            read_at: Instant::now(),
        }
    }

    /// The same clock with a reading that has just arrived.
    #[must_use]
    pub fn with_reading(self, read_ms: i64) -> Self {
        DatabaseTime {
            passed_ms: self.passed_ms.max(read_ms),
            ..DatabaseTime::new(read_ms)
        }
    }

    /// The present time of the clock, estimated from the last reading, in Unix milliseconds.
    #[must_use]
    pub fn now_ms(self) -> i64 {
        let elapsed = i64::try_from(self.read_at.elapsed().as_millis());
        self.read_ms.saturating_add(elapsed.unwrap_or(i64::MAX))
    }
}
