//! The periods in which a server was ready to receive plies. Only this time counts for the turns of people: while no
//! server runs, and where the clock is set forward, nobody can play.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::RwLock;

use crate::store::change::{Change, ChangeConnection, ChangeError};
use crate::store::database::connection::params;
use crate::store::database::row::row;
use crate::store::database_time::DatabaseTime;
use crate::store::error::StoreError;
use crate::store::traits::Store;

/// The most periods that are kept, the newest ones.
pub const MAX_SERVED_PERIODS: u32 = 1_000;

row! {
    /// A period in which a server was ready, in Unix milliseconds.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct ServedPeriod {
        pub from_ms: i64,
        pub until_ms: i64,
    }
}

struct RecordServed {
    now_ms: i64,
    gap_ms: i64,
}

#[async_trait]
impl Change for RecordServed {
    async fn apply(&self, connection: &mut dyn ChangeConnection) -> Result<u64, ChangeError> {
        let RecordServed { now_ms, gap_ms } = *self;
        let delete_later = "DELETE FROM served_period WHERE from_ms > $1";
        connection.execute(delete_later, params![now_ms]).await?;
        let extend = "UPDATE served_period SET until_ms = $1
            WHERE from_ms = (SELECT max(from_ms) FROM served_period) AND until_ms >= $1 - $2";
        if connection.execute(extend, params![now_ms, gap_ms]).await? > 0 {
            return Ok(0);
        }
        let begin = "INSERT INTO served_period (from_ms, until_ms) VALUES ($1, $1)
            ON CONFLICT (from_ms) DO UPDATE SET until_ms = excluded.until_ms";
        connection.execute(begin, params![now_ms]).await?;
        let delete_oldest = "DELETE FROM served_period WHERE from_ms <=
            (SELECT from_ms FROM served_period ORDER BY from_ms DESC LIMIT 1 OFFSET $1)";
        let newest = params![MAX_SERVED_PERIODS];
        connection.execute(delete_oldest, newest).await?;
        Ok(0)
    }
}

impl dyn Store {
    /// Records that a server is ready at this Unix time in milliseconds: the newest period lasts until then, or a new one
    /// begins if that one ended more than `gap_ms` before. Periods that begin later are deleted, because the clock was set
    /// back. Returns all periods in order of time, at most [`MAX_SERVED_PERIODS`].
    pub async fn record_served(
        &self,
        now_ms: i64,
        gap_ms: i64,
    ) -> Result<Vec<ServedPeriod>, StoreError> {
        self.apply(Box::new(RecordServed { now_ms, gap_ms }))
            .await?;
        let query = "SELECT * FROM served_period ORDER BY from_ms";
        self.fetch(query, params![]).await
    }
}

/// The time without a record after which the period that was served has ended.
const GAP_MS: i64 = 10_000;

/// The periods in which a server was ready, shared by all snapshots of a service.
#[derive(Clone, Default, Debug)]
pub(crate) struct ServedTime(Arc<RwLock<Recorded>>);

#[derive(Default, Debug)]
struct Recorded {
    /// In order of time.
    periods: Vec<ServedPeriod>,
    /// When this server recorded last, by its own clock.
    at_ms: Option<i64>,
}

impl ServedTime {
    /// Records that this server is ready at this time by its own clock.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn record(&self, store: &dyn Store, now_ms: i64) -> Result<(), StoreError> {
        let is_first = self.0.read().at_ms.is_none();
        // Without other servers, nobody was there until this one has started.
        let gap_ms = if is_first && !store.is_shared() {
            0
        } else {
            GAP_MS
        };
        let shared_ms = store.clock().map_or(now_ms, DatabaseTime::now_ms);
        let periods = store.record_served(shared_ms, gap_ms).await?;
        let recorded = Recorded {
            periods,
            at_ms: Some(now_ms),
        };
        *self.0.write() = recorded;
        Ok(())
    }

    /// The Unix time in milliseconds at which a server will have been ready for `wait_ms` since `from_ms`.
    pub(crate) fn after(&self, from_ms: i64, wait_ms: i64) -> i64 {
        let mut until_ms = from_ms.saturating_add(wait_ms);
        for periods in self.0.read().periods.windows(2) {
            let gap = periods[0].until_ms.max(from_ms)..periods[1].from_ms;
            if !gap.is_empty() && gap.start < until_ms {
                until_ms = until_ms.saturating_add(gap.end - gap.start);
            }
        }
        until_ms
    }

    /// The time up to which it is known what was served: at `now_ms` unless the last record is older than expected,
    /// because the clock was set or the store has failed.
    pub(crate) fn known_ms(&self, now_ms: i64) -> i64 {
        let recorded_ms = self.0.read().at_ms;
        recorded_ms.map_or(now_ms, |at_ms| now_ms.min(at_ms.saturating_add(GAP_MS)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_gaps_within_the_wait_are_added() {
        let periods = [(0, 100), (150, 200), (1_000, 1_100)];
        let periods = periods.map(|(from_ms, until_ms)| ServedPeriod { from_ms, until_ms });
        let recorded = Recorded {
            periods: periods.to_vec(),
            at_ms: Some(1_100),
        };
        let served = ServedTime(Arc::new(RwLock::new(recorded)));
        // Each wait with its end.
        let cases = [
            ((40, 60), 100),
            ((40, 61), 151),
            ((120, 10), 160),
            ((160, 41), 1_001),
            ((40, 120), 1_010),
            ((1_050, 500), 1_550),
        ];
        for ((from_ms, wait_ms), until_ms) in cases {
            assert_eq!(served.after(from_ms, wait_ms), until_ms, "{from_ms}");
        }
        assert_eq!(served.known_ms(1_200), 1_200);
        assert_eq!(served.known_ms(90_000), 1_100 + GAP_MS);
    }
}
