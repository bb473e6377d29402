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
//! [failed](GameStore::failure).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use sqlx::postgres::PgPool;
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{
    AppendOptions, ChangeNotification, DerivedStore, ExportedGame, FencingToken, GameHeader,
    GameId, GameList, GamePage, GameStore, GameVersion, LeaseResult, LeaseStore, ListStore,
    PageCursor, ProgramId, ProgramStore, RecordStore, RegisteredProgram, RetentionCutoffs,
    ReviewChange, StorageUsage, StoreError, StoredEntry, StoredGame, StoredReview,
};
use crate::seats::{ComputerPace, RematchKind, Seat};
use crate::secret::SecretHash;
use crate::store::failure::FailureLatch;
use crate::store::metrics;
use crate::store::sql::decode::RowReadError;
use crate::store::write_queue::{
    AppendRequest, StoreChange, WriteRequest, WriteTask, closed_error, failed_error, unavailable,
};

mod append;
mod batch;
mod changes;
mod error_class;
mod heartbeat;
mod leases;
mod load;
mod notifications;
mod open;
mod open_error;
mod queries;
mod reader;
mod watcher_counts;
mod write_connection;
mod writer;

use error_class::Retryable;
pub use open_error::PostgresOpenError;
pub use reader::PostgresReader;
use watcher_counts::WatcherExchange;
use write_connection::ApplicationName;

/// How long a failed query is retried.
const RETRY_TIMEOUT: Duration = Duration::from_secs(3);

/// The pause between retries; doubles from the minimum to the maximum.
const MIN_RETRY_PAUSE: Duration = Duration::from_millis(20);
const MAX_RETRY_PAUSE: Duration = Duration::from_millis(500);

/// The store `postgres://…`.
#[derive(Debug)]
pub struct PostgresStore {
    readers: PgPool,
    /// A connection for health checks, so that these do not wait for a reader.
    probe: PgPool,
    writer: mpsc::Sender<WriteRequest>,
    writer_task: Mutex<Option<JoinHandle<()>>>,
    closing: CancellationToken,
    failure: Arc<FailureLatch>,
    name: Arc<ApplicationName>,
    notification_sender: broadcast::Sender<ChangeNotification>,
    watcher_exchange: WatcherExchange,
}

impl PostgresStore {
    async fn change(&self, change: StoreChange) -> Result<u64, StoreError> {
        self.submit(WriteTask::Change(change)).await
    }

    /// Sends a task to the writer and waits for the reply. Once sent, the task takes effect completely or not
    /// at all, even if the caller no longer waits.
    async fn submit(&self, task: WriteTask) -> Result<u64, StoreError> {
        let (reply, answer) = oneshot::channel();
        let closed_or_failed = || self.ensure_usable().err().unwrap_or_else(closed_error);
        self.writer
            .send(WriteRequest { task, reply })
            .await
            .map_err(|_| closed_or_failed())?;
        answer.await.map_err(|_| closed_or_failed())?
    }

    fn ensure_usable(&self) -> Result<(), StoreError> {
        if self.failure.token.is_cancelled() {
            Err(failed_error())
        } else if self.closing.is_cancelled() {
            Err(closed_error())
        } else {
            Ok(())
        }
    }

    /// Runs a query, and retries it after transient errors.
    async fn query_with_retry<T, E, F>(&self, query: impl Fn() -> F + Send + Sync) -> Result<T, E>
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
                    metrics::record_query(started.elapsed());
                    return Ok(answer);
                }
                Err(error) => error,
            };
            let is_over = Instant::now() + pause > until || self.closing.is_cancelled();
            if is_over || !error.is_retryable() {
                metrics::record_query(started.elapsed());
                return Err(error);
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(MAX_RETRY_PAUSE);
        }
    }

    /// Like [`Self::query_with_retry`], after a check that the store is usable.
    async fn query<T, F>(&self, query: impl Fn() -> F + Send + Sync) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, sqlx::Error>> + Send,
    {
        self.ensure_usable()?;
        self.query_with_retry(query).await.map_err(unavailable)
    }
}

#[async_trait]
impl RecordStore for PostgresStore {
    async fn create_with_entries(
        &self,
        header: GameHeader,
        seats: Vec<Seat>,
        entries: Vec<StoredEntry>,
    ) -> Result<(), StoreError> {
        let change = StoreChange::Create {
            header: Box::new(header),
            seats,
            entries,
        };
        self.change(change).await.map(drop)
    }

    async fn import(&self, moved: ExportedGame) -> Result<(), StoreError> {
        let moved = Box::new(moved);
        self.change(StoreChange::Import { moved }).await.map(drop)
    }

    async fn load(&self, id: &GameId) -> Result<Option<StoredGame>, StoreError> {
        self.ensure_usable()?;
        let loaded = self.query_with_retry(|| load::load(&self.readers, id));
        loaded.await.map_err(|error| match error {
            RowReadError::Storage(error) if error.is_retryable() => unavailable(error),
            RowReadError::Storage(error) => StoreError::Damaged(format!("game {id}: {error}")),
            RowReadError::Damaged(what) => StoreError::Damaged(format!("game {id}: {what}")),
        })
    }

    async fn append_with(
        &self,
        id: &GameId,
        expected: u32,
        entry: StoredEntry,
        options: AppendOptions,
    ) -> Result<Option<FencingToken>, StoreError> {
        let append = AppendRequest {
            id: id.clone(),
            expected,
            entry,
            options,
        };
        let granted = self.submit(WriteTask::Append(append)).await?;
        Ok((granted > 0).then_some(FencingToken(granted)))
    }

    async fn repair_finished(&self, id: &GameId) -> Result<(), StoreError> {
        self.change(StoreChange::RepairFinished { id: id.clone() })
            .await
            .map(drop)
    }

    async fn versions(&self, games: &[GameId]) -> Result<Vec<GameVersion>, StoreError> {
        self.query(|| queries::versions(&self.readers, games)).await
    }
}

#[async_trait]
impl ListStore for PostgresStore {
    async fn change_seats(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
    ) -> Result<u32, StoreError> {
        let revision = self
            .change(StoreChange::Seats {
                id: id.clone(),
                expected_revision,
                seats,
            })
            .await?;
        u32::try_from(revision).map_err(unavailable)
    }

    async fn find_seat_by_link(
        &self,
        link: &SecretHash,
    ) -> Result<Option<(GameId, u8)>, StoreError> {
        self.query(|| queries::find_seat_by_link(&self.readers, link))
            .await
    }

    async fn list_games(
        &self,
        list: GameList,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError> {
        self.query(|| queries::list_games(&self.readers, list, after, limit))
            .await
    }

    async fn book_page_game(&self, browser: &SecretHash) -> Result<Option<GameId>, StoreError> {
        self.query(|| queries::book_page_game(&self.readers, browser))
            .await
    }

    async fn list_watchable(
        &self,
        viewer: Option<&SecretHash>,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        self.query(|| queries::list_watchable(&self.readers, viewer, limit))
            .await
    }

    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, StoreError> {
        self.query(|| queries::rematches(&self.readers, id)).await
    }

    async fn list_unfinished(
        &self,
        pace: ComputerPace,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError> {
        self.query(|| queries::list_unfinished(&self.readers, pace, after, limit))
            .await
    }

    async fn list_all(
        &self,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError> {
        self.query(|| queries::list_all(&self.readers, after, limit))
            .await
    }

    async fn list_expired(
        &self,
        cutoffs: &RetentionCutoffs,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        self.query(|| queries::list_expired(&self.readers, cutoffs, limit))
            .await
    }

    async fn delete_expired(
        &self,
        games: Vec<GameId>,
        cutoffs: RetentionCutoffs,
    ) -> Result<u64, StoreError> {
        self.change(StoreChange::Remove { games, cutoffs }).await
    }

    async fn last_activity_ms(&self) -> Result<Option<i64>, StoreError> {
        self.query(|| queries::last_activity_ms(&self.readers))
            .await
    }
}

#[async_trait]
impl LeaseStore for PostgresStore {
    async fn lease(&self, id: &GameId, time: Duration) -> Result<LeaseResult, StoreError> {
        self.query(|| leases::lease(&self.readers, id, time)).await
    }

    async fn renew(
        &self,
        held: &[(GameId, FencingToken)],
        time: Duration,
    ) -> Result<(), StoreError> {
        self.query(|| leases::renew(&self.readers, held, time))
            .await
    }

    async fn release(&self, id: &GameId, fence: FencingToken, due: bool) -> Result<(), StoreError> {
        self.query(|| leases::release(&self.readers, id, fence, due))
            .await
    }

    async fn claim(
        &self,
        limit: u32,
        time: Duration,
    ) -> Result<Vec<(GameId, FencingToken)>, StoreError> {
        self.query(|| leases::claim(&self.readers, limit, time))
            .await
    }
}

#[async_trait]
impl DerivedStore for PostgresStore {
    async fn change_review(&self, id: &GameId, change: ReviewChange) -> Result<(), StoreError> {
        let id = id.clone();
        self.change(StoreChange::Review { id, change })
            .await
            .map(drop)
    }

    async fn review(&self, id: &GameId) -> Result<Option<StoredReview>, StoreError> {
        self.query(|| queries::review(&self.readers, id)).await
    }

    async fn pending_reviews(&self, limit: u32) -> Result<Vec<GameId>, StoreError> {
        self.query(|| queries::pending_reviews(&self.readers, limit))
            .await
    }

    async fn add_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError> {
        let first = false;
        self.change(StoreChange::AddCounts { counts, first })
            .await
            .map(drop)
    }

    async fn begin_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError> {
        let first = true;
        self.change(StoreChange::AddCounts { counts, first })
            .await
            .map(drop)
    }

    async fn counts(&self) -> Result<Vec<(String, u64)>, StoreError> {
        self.query(|| queries::counts(&self.readers)).await
    }
}

#[async_trait]
impl ProgramStore for PostgresStore {
    async fn add_program(&self, program: RegisteredProgram) -> Result<(), StoreError> {
        let program = Box::new(program);
        self.change(StoreChange::AddProgram { program })
            .await
            .map(drop)
    }

    async fn program(&self, id: &ProgramId) -> Result<Option<RegisteredProgram>, StoreError> {
        self.query(|| queries::program(&self.readers, id.as_str()))
            .await
    }

    async fn program_by_token(
        &self,
        token: &SecretHash,
    ) -> Result<Option<RegisteredProgram>, StoreError> {
        self.query(|| queries::program_by_token(&self.readers, token))
            .await
    }

    async fn touch_program(&self, token: &SecretHash, at_ms: i64) -> Result<(), StoreError> {
        let token = *token;
        let change = StoreChange::TouchProgram { token, at_ms };
        self.change(change).await.map(drop)
    }

    async fn delete_inactive_programs(&self, before_ms: i64) -> Result<u64, StoreError> {
        self.change(StoreChange::DeleteInactivePrograms { before_ms })
            .await
    }

    async fn with_programs(
        &self,
        games: &[GameId],
        tokens: &[SecretHash],
    ) -> Result<Vec<GameId>, StoreError> {
        self.query(|| queries::with_programs(&self.readers, games, tokens))
            .await
    }

    async fn list_games_of_program(
        &self,
        token: &SecretHash,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        self.query(|| queries::list_games_of_program(&self.readers, token, limit))
            .await
    }

    async fn count_invitations(&self, token: &SecretHash) -> Result<u32, StoreError> {
        self.query(|| queries::invitations(&self.readers, token))
            .await
    }

    async fn list_program_finishes(
        &self,
        token: &SecretHash,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<(i64, GameId)>, StoreError> {
        self.query(|| queries::program_finishes(&self.readers, token, after, limit))
            .await
    }

    async fn mark_finishes_reported(
        &self,
        token: &SecretHash,
        number: i64,
    ) -> Result<(), StoreError> {
        let token = *token;
        let change = StoreChange::ToldProgram { token, number };
        self.change(change).await.map(drop)
    }
}

#[async_trait]
impl GameStore for PostgresStore {
    fn is_shared(&self) -> bool {
        true
    }

    async fn exchange_watcher_counts(
        &self,
        here: HashMap<GameId, u32>,
    ) -> Result<HashMap<GameId, u32>, StoreError> {
        self.ensure_usable()?;
        let exchanged = self.watcher_exchange.exchange(&self.readers, here).await;
        exchanged.map_err(unavailable)
    }

    fn notifications(&self) -> Option<broadcast::Receiver<ChangeNotification>> {
        Some(self.notification_sender.subscribe())
    }

    async fn health_check(&self) -> Result<(), StoreError> {
        self.ensure_usable()?;
        sqlx::query("SELECT count(*) FROM game WHERE serial = 0")
            .execute(&self.probe)
            .await
            .map(drop)
            .map_err(unavailable)
    }

    async fn storage_usage(&self) -> Result<StorageUsage, StoreError> {
        self.ensure_usable()?;
        let used_bytes = queries::used_bytes(&self.probe).await;
        Ok(StorageUsage {
            used_bytes: used_bytes.map_err(unavailable)?,
            // PostgreSQL does not report the free disk space.
            free_bytes: None,
        })
    }

    fn failure(&self) -> CancellationToken {
        self.failure.token.clone()
    }

    fn failure_reason(&self) -> Option<String> {
        self.failure.reason().map(str::to_owned)
    }

    fn set_public_address(&self, address: &str) {
        self.name.set_address(address);
    }

    async fn close(&self) {
        self.closing.cancel();
        let writer_task = self
            .writer_task
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(writer_task) = writer_task
            && let Err(error) = writer_task.await
        {
            tracing::error!(%error, "the store's writer task panicked");
        }
        self.watcher_exchange.stop_publishing(&self.readers).await;
        self.readers.close().await;
        self.probe.close().await;
    }
}
