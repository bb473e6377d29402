//! The clock of the database server, read when the database is opened and with every heartbeat.

use parking_lot::Mutex;
use sqlx::postgres::PgPool;

use crate::store::database_time::DatabaseTime;

#[derive(Debug)]
pub(super) struct DatabaseClock(Mutex<DatabaseTime>);

impl DatabaseClock {
    /// Reads the clock for the first time.
    pub(super) async fn read(readers: &PgPool) -> Result<Self, sqlx::Error> {
        let query = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
        let read_ms = sqlx::query_scalar(query).fetch_one(readers).await?;
        Ok(DatabaseClock::new(read_ms))
    }

    /// The clock with a first reading, which has just arrived.
    pub(super) fn new(read_ms: i64) -> Self {
        DatabaseClock(Mutex::new(DatabaseTime::new(read_ms)))
    }

    /// Records a reading that has just arrived.
    pub(super) fn record(&self, read_ms: i64) {
        let mut time = self.0.lock();
        *time = time.with_reading(read_ms);
    }

    pub(super) fn time(&self) -> DatabaseTime {
        *self.0.lock()
    }
}
