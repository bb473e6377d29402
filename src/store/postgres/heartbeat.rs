//! Heartbeat: once a second the process notifies itself, and measures how long a query waits for a pool
//! connection and the notification delay. Both times come from the same clock. It also reads the database's clock.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use sqlx::postgres::PgPool;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::clock::DatabaseClock;
use super::notifications::CHANNEL;
use crate::metrics;
use crate::store::id::GameId;

const INTERVAL: Duration = Duration::from_secs(1);

/// Sends a notification and returns the time of the database's clock.
const BEAT: &str =
    "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, pg_notify($1, $2)";

/// The state of the heartbeat: the last notification that is outstanding.
#[derive(Debug)]
pub(super) struct Heartbeat {
    /// Distinguishes the heartbeats of processes.
    name: String,
    last: Mutex<(u64, Option<Instant>)>,
    clock: Arc<DatabaseClock>,
}

impl Heartbeat {
    pub(super) fn new(clock: Arc<DatabaseClock>) -> Self {
        Heartbeat {
            name: GameId::random().to_string(),
            last: Mutex::new((0, None)),
            clock,
        }
    }

    fn next_payload(&self) -> String {
        let mut last = self.last.lock();
        *last = (last.0 + 1, Some(Instant::now()));
        self.payload(last.0)
    }

    fn payload(&self, number: u64) -> String {
        format!("{} beat {number}", self.name)
    }

    /// Whether the payload is a heartbeat of any process rather than about a game; records the delay if it is
    /// our own.
    pub(super) fn is_heartbeat(&self, payload: &str) -> bool {
        let mut last = self.last.lock();
        if payload == self.payload(last.0)
            && let Some(since) = last.1.take()
        {
            metrics::NOTIFICATION_DELAY.observe(since.elapsed().as_secs_f64());
        }
        payload.split(' ').nth(1) == Some("beat")
    }

    /// Sends heartbeats until the store is closed.
    pub(super) async fn run(&self, readers: &PgPool, closing: &CancellationToken) {
        let sending = async {
            loop {
                tokio::time::sleep(INTERVAL).await;
                let since = Instant::now();
                // Nothing is measured while the database is unreachable.
                let Ok(mut connection) = readers.acquire().await else {
                    continue;
                };
                metrics::CONNECTION_WAIT.observe(since.elapsed().as_secs_f64());
                let beat = sqlx::query_scalar(BEAT).bind(CHANNEL);
                let beat = beat.bind(self.next_payload());
                match beat.fetch_one(&mut *connection).await {
                    Ok(read_ms) => self.clock.record(read_ms),
                    Err(error) => tracing::debug!(%error, "the heartbeat could not be sent"),
                }
            }
        };
        closing.run_until_cancelled(sending).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_heartbeats_are_measured_once_and_others_are_recognised() {
        let clock = Arc::new(DatabaseClock::new(0));
        let (mine, other) = (Heartbeat::new(Arc::clone(&clock)), Heartbeat::new(clock));
        let payload = mine.next_payload();
        assert!(other.is_heartbeat(&payload) && mine.is_heartbeat(&payload));
        assert_eq!(mine.last.lock().1, None);
        assert!(!mine.is_heartbeat(&format!("{} entries 3", GameId::random())));
    }
}
