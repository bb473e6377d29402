//! The periods in which a server was ready to receive plies.

use async_trait::async_trait;

use crate::store::database::connection::{ChangeConnection, params};
use crate::store::database::row::row;
use crate::store::{Change, ChangeError, Store, StoreError};

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
