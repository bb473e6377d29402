//! The store in a PostgreSQL database.
//!
//! As with SQLite, one task of this process writes over a connection of its own: it takes all pending changes,
//! commits them in one transaction and replies after the commit (group commit). Other processes may write at
//! the same time, so nothing is cached: the rows of the games are locked before entries are checked, and the
//! primary key `(game, number)` admits each entry number once.
//!
//! A database server that restarts is not a failure: the writer reconnects and retries unacknowledged changes
//! for a while. If the reply to a commit was lost, this process's row in the table `instance` tells whether it
//! took effect, so that nothing is written twice or reported wrongly.
//!
//! Several servers can share a database ([`PostgresStore::join`]): leases in the database determine which
//! server computes the moves of a game (`leases`), and each server notifies the others of its writes
//! (`notifications`). Exclusive access ([`PostgresStore::open`]) holds an advisory lock on the writer's
//! connection, which the servers hold in shared mode. A process that loses this lock to another has
//! [failed](super::GameStore::failure).

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::postgres::{PgConnection, PgPool};
use tokio::sync::broadcast;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::database_time::DatabaseTime;
use super::error::StoreError;
use super::id::GameId;
use super::lease::{FencingToken, LeaseResult};
use super::notification::{ChangeNotification, GameChange};
use super::traits::LeaseStore;
use super::usage::StorageUsage;
use crate::metrics;
use crate::store::change::ChangeConnection;
use crate::store::database::connection::{Dialect, SqlConnection as _, SqlRow, SqlValue};
use crate::store::database::row::RowReadError;
use crate::store::error::unavailable;
use crate::store::sql::SqlStore;
use crate::store::sql::batch::BatchConnection;
use crate::store::sql::decode::GameRows;
use crate::store::write_queue::{AppendRequest, WriteQueue};

mod clock;
mod error_class;
mod heartbeat;
mod leases;
mod notifications;
mod open;
mod open_error;
mod reader;
mod write_connection;
mod writer;

use clock::DatabaseClock;
use error_class::{PostgresErrorClass, Retryable};
use leases::LeaseRows;
pub use open_error::PostgresOpenError;
pub(super) use reader::open_snapshot;
use write_connection::ApplicationName;

/// How long a failed query is retried.
const RETRY_TIMEOUT: Duration = Duration::from_secs(3);

/// The pause between retries; doubles from the minimum to the maximum.
const MIN_RETRY_PAUSE: Duration = Duration::from_millis(20);
const MAX_RETRY_PAUSE: Duration = Duration::from_millis(500);

/// Begins a transaction whose statements all see the same snapshot.
const BEGIN_SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Advisory lock held by transactions that create games.
const CREATION_LOCK: i64 = 0x0d1c_e0fd_003b;

/// The store `postgres://…`.
#[derive(Debug)]
pub struct PostgresStore {
    queue: WriteQueue,
    readers: PgPool,
    /// A connection for health checks, so that these do not wait for a reader.
    probe: PgPool,
    closing: CancellationToken,
    name: Arc<ApplicationName>,
    clock: Arc<DatabaseClock>,
    notification_sender: broadcast::Sender<ChangeNotification>,
}

impl PostgresStore {
    /// Runs a query, and retries it after transient errors.
    async fn query<T, E, F>(&self, query: impl Fn() -> F + Send + Sync) -> Result<T, E>
    where
        E: Retryable + From<sqlx::Error>,
        F: Future<Output = Result<T, E>> + Send,
    {
        let started = Instant::now();
        let until = started + RETRY_TIMEOUT;
        let mut pause = MIN_RETRY_PAUSE;
        loop {
            let error = match query().await {
                Ok(answer) => {
                    metrics::QUERY.observe(started.elapsed().as_secs_f64());
                    return Ok(answer);
                }
                Err(error) => error,
            };
            let is_over = Instant::now() + pause > until || self.closing.is_cancelled();
            if is_over || !error.is_retryable() {
                metrics::QUERY.observe(started.elapsed().as_secs_f64());
                return Err(error);
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(MAX_RETRY_PAUSE);
        }
    }
}

#[async_trait]
impl SqlStore for PostgresStore {
    const DIALECT: Dialect = Dialect::Postgres;
    const IS_SHARED: bool = true;

    fn queue(&self) -> &WriteQueue {
        &self.queue
    }

    async fn run_query(
        &self,
        query: &'static str,
        values: &[SqlValue],
    ) -> Result<Vec<SqlRow>, StoreError> {
        let rows = self.query(|| async move {
            let mut reader = self.readers.acquire().await?;
            reader.fetch_all(query, values).await
        });
        rows.await.map_err(unavailable)
    }

    async fn read_game(&self, id: &GameId) -> Result<Option<GameRows>, RowReadError> {
        let rows = self.query(|| async move {
            let mut snapshot = self.readers.begin_with(BEGIN_SNAPSHOT).await?;
            let rows = GameRows::read(&mut *snapshot, id).await?;
            snapshot.commit().await?;
            Ok(rows)
        });
        rows.await
    }

    fn load_error(&self, id: &GameId, error: RowReadError) -> StoreError {
        if error.is_retryable() {
            unavailable(error)
        } else {
            StoreError::Damaged(format!("game {id}: {error}"))
        }
    }

    fn database_time(&self) -> Option<DatabaseTime> {
        Some(self.clock.time())
    }

    fn notification_receiver(&self) -> Option<broadcast::Receiver<ChangeNotification>> {
        Some(self.notification_sender.subscribe())
    }

    async fn probe(&self) -> Result<(), sqlx::Error> {
        let query = sqlx::query("SELECT count(*) FROM game WHERE serial = 0");
        query.execute(&self.probe).await.map(drop)
    }

    async fn measure_usage(&self) -> Result<StorageUsage, StoreError> {
        let query = sqlx::query_scalar("SELECT pg_database_size(current_database())");
        let used_bytes: i64 = query.fetch_one(&self.probe).await.map_err(unavailable)?;
        Ok(StorageUsage {
            used_bytes: used_bytes.unsigned_abs(),
            // PostgreSQL does not report the free disk space.
            free_bytes: None,
        })
    }

    fn publish_address(&self, address: &str) {
        self.name.set_address(address);
    }

    async fn release_storage(&self) {
        self.readers.close().await;
        self.probe.close().await;
    }
}

#[async_trait]
impl LeaseStore for PostgresStore {
    async fn lease(&self, id: &GameId, time: Duration) -> Result<LeaseResult, StoreError> {
        self.queue.ensure_usable()?;
        let leased = self.query(|| leases::lease(&self.readers, id, time));
        leased.await.map_err(unavailable)
    }

    async fn renew(
        &self,
        held: &[(GameId, FencingToken)],
        time: Duration,
    ) -> Result<(), StoreError> {
        self.queue.ensure_usable()?;
        let renewed = self.query(|| leases::renew(&self.readers, held, time));
        renewed.await.map_err(unavailable)
    }

    async fn release(
        &self,
        id: &GameId,
        fence: FencingToken,
        due: Option<Duration>,
    ) -> Result<(), StoreError> {
        self.queue.ensure_usable()?;
        let released = self.query(|| leases::release(&self.readers, id, fence, due));
        released.await.map_err(unavailable)
    }

    async fn claim(
        &self,
        limit: u32,
        time: Duration,
    ) -> Result<Vec<(GameId, FencingToken)>, StoreError> {
        self.queue.ensure_usable()?;
        let claimed = self.query(|| leases::claim(&self.readers, limit, time));
        claimed.await.map_err(unavailable)
    }
}

/// Other servers may write to the same database: the rows of the games are locked before they are read, so that
/// the checks of a batch hold until the commit. If a writer bypassed the lock, the primary key of `entry` would
/// still admit only one row.
#[async_trait]
impl ChangeConnection for PgConnection {
    async fn lock_games(&mut self, games: &[&GameId]) -> Result<(), sqlx::Error> {
        if games.is_empty() {
            return Ok(());
        }
        let games: Vec<&str> = games.iter().map(|id| id.as_str()).collect();
        let query = sqlx::query("SELECT FROM game WHERE id = ANY($1) ORDER BY id FOR UPDATE");
        query.bind(games).execute(self).await.map(drop)
    }

    async fn lock_creation(&mut self) -> Result<(), sqlx::Error> {
        let query = sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(CREATION_LOCK);
        query.execute(self).await.map(drop)
    }

    async fn lock_counters(&mut self) -> Result<(), sqlx::Error> {
        let query = sqlx::query("LOCK TABLE counter IN SHARE ROW EXCLUSIVE MODE");
        query.execute(self).await.map(drop)
    }

    async fn mark_possibly_due(&mut self, id: &GameId) -> Result<(), sqlx::Error> {
        leases::mark_possibly_due(self, id).await
    }

    async fn notify(&mut self, changes: &[(&GameId, GameChange)]) -> Result<(), sqlx::Error> {
        notifications::notify(self, changes).await
    }
}

#[async_trait]
impl BatchConnection for PgConnection {
    type Leases = LeaseRows;

    fn is_constraint_violation(error: &sqlx::Error) -> bool {
        PostgresErrorClass::classify(error) == PostgresErrorClass::ConstraintViolation
    }

    async fn lock_leases(&mut self, appends: &[&AppendRequest]) -> Result<LeaseRows, sqlx::Error> {
        LeaseRows::lock(self, appends).await
    }

    async fn write_leases(&mut self, leases: &LeaseRows) -> Result<(), sqlx::Error> {
        leases.write(self).await
    }
}
