//! An archive in a PostgreSQL database.
//!
//! As with SQLite one task of this process writes, over a connection of its own: it takes all changes that wait,
//! commits them in one transaction and answers after the commit (group commit). But other processes may write
//! beside it, so nothing is known by heart: the rows of the games are locked before they are judged, and
//! `(game, number)` of an entry is taken once.
//!
//! A server that goes away and comes back is no end: the connection is made anew, and what was not acknowledged is
//! tried again, for a while. Where the answer to a commit was lost, the row of this process in the table `instance`
//! tells whether it happened, so that nothing is written twice and nothing is said that is not so.
//!
//! Servers share a database ([`PostgresStore::join`]): who thinks about which game is written down in it (`leases`),
//! and what one has written the others hear (`notifications`). Whoever needs it for itself ([`PostgresStore::open`]) holds an
//! advisory lock over the writer's connection, and servers share the same lock. Who loses it to another process is
//! [broken](GameStore::broken).

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
    AppendOptions, ChangeNotification, ExportedGame, FencingToken, GameHeader, GameId, GameList,
    GamePage, GameStore, GameVersion, LeaseResult, PageCursor, ProgramId, RegisteredProgram,
    RetentionCutoffs, ReviewChange, StorageUsage, StoreError, StoredEntry, StoredGame,
    StoredReview,
};
use crate::seats::{ComputerPace, RematchKind, Seat};
use crate::secret::SecretHash;
use crate::store::failure::FailureLatch;
use crate::store::metrics;
use crate::store::sql::decode::RowReadError;
use crate::store::write_queue::{
    AppendRequest, StoreChange, WriteRequest, WriteTask, closed, is_broken, unavailable,
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

/// For how long a question is asked again that the server did not answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// The pauses between, doubled from one to the other.
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// The archive `postgres://…`.
#[derive(Debug)]
pub struct PostgresStore {
    readers: PgPool,
    /// One connection for the question whether the archive is ready, which never waits behind readers.
    probe: PgPool,
    writer: mpsc::Sender<WriteRequest>,
    writing: Mutex<Option<JoinHandle<()>>>,
    closing: CancellationToken,
    broken: Arc<FailureLatch>,
    name: Arc<ApplicationName>,
    rings: broadcast::Sender<ChangeNotification>,
    watching: WatcherExchange,
}

impl PostgresStore {
    async fn change(&self, change: StoreChange) -> Result<u64, StoreError> {
        self.hand_over(WriteTask::Change(change)).await
    }

    /// Hands a task to the writer and waits for its answer. From the moment it is handed over it
    /// happens whole or not at all, whether anybody still waits or not.
    async fn hand_over(&self, task: WriteTask) -> Result<u64, StoreError> {
        let (reply, answer) = oneshot::channel();
        let gone = || self.trusted().err().unwrap_or_else(closed);
        self.writer
            .send(WriteRequest { task, reply })
            .await
            .map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    fn trusted(&self) -> Result<(), StoreError> {
        if self.broken.token.is_cancelled() {
            Err(is_broken())
        } else if self.closing.is_cancelled() {
            Err(closed())
        } else {
            Ok(())
        }
    }

    /// Asks, and asks again where the server did not answer.
    async fn ask<T, E, F>(&self, question: impl Fn() -> F + Send + Sync) -> Result<T, E>
    where
        E: Retryable + From<sqlx::Error>,
        F: Future<Output = Result<T, E>> + Send,
    {
        let begun = Instant::now();
        let until = begun + PATIENCE;
        let mut pause = SHORTEST_PAUSE;
        loop {
            let error = match question().await {
                Ok(answer) => {
                    metrics::asked(begun.elapsed());
                    return Ok(answer);
                }
                Err(error) => error,
            };
            let is_over = Instant::now() + pause > until || self.closing.is_cancelled();
            if is_over || !error.may_pass() {
                metrics::asked(begun.elapsed());
                return Err(error);
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// As [`Self::ask`], of a question about many games.
    async fn list<T, F>(&self, question: impl Fn() -> F + Send + Sync) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, sqlx::Error>> + Send,
    {
        self.trusted()?;
        self.ask(question).await.map_err(unavailable)
    }
}

#[async_trait]
impl GameStore for PostgresStore {
    async fn keep(
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

    async fn append_turn(
        &self,
        id: &GameId,
        expected: u32,
        entry: StoredEntry,
        turn: AppendOptions,
    ) -> Result<Option<FencingToken>, StoreError> {
        let append = AppendRequest {
            id: id.clone(),
            expected,
            entry,
            turn,
        };
        let granted = self.hand_over(WriteTask::Append(append)).await?;
        Ok((granted > 0).then_some(FencingToken(granted)))
    }

    async fn lease(&self, id: &GameId, time: Duration) -> Result<LeaseResult, StoreError> {
        self.list(|| leases::lease(&self.readers, id, time)).await
    }

    async fn renew(
        &self,
        held: &[(GameId, FencingToken)],
        time: Duration,
    ) -> Result<(), StoreError> {
        self.list(|| leases::renew(&self.readers, held, time)).await
    }

    async fn release(&self, id: &GameId, fence: FencingToken, due: bool) -> Result<(), StoreError> {
        self.list(|| leases::release(&self.readers, id, fence, due))
            .await
    }

    async fn claim(
        &self,
        most: u32,
        time: Duration,
    ) -> Result<Vec<(GameId, FencingToken)>, StoreError> {
        self.list(|| leases::claim(&self.readers, most, time)).await
    }

    async fn standing(&self, games: &[GameId]) -> Result<Vec<GameVersion>, StoreError> {
        self.list(|| queries::standing(&self.readers, games)).await
    }

    async fn with_programs(
        &self,
        games: &[GameId],
        tokens: &[SecretHash],
    ) -> Result<Vec<GameId>, StoreError> {
        self.list(|| queries::with_programs(&self.readers, games, tokens))
            .await
    }

    fn is_shared(&self) -> bool {
        true
    }

    async fn share_watchers(
        &self,
        here: HashMap<GameId, u32>,
    ) -> Result<HashMap<GameId, u32>, StoreError> {
        self.trusted()?;
        let exchanged = self.watching.exchange(&self.readers, here).await;
        exchanged.map_err(unavailable)
    }

    fn bell(&self) -> Option<broadcast::Receiver<ChangeNotification>> {
        Some(self.rings.subscribe())
    }

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

    async fn add_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError> {
        let first = false;
        self.change(StoreChange::Count { counts, first })
            .await
            .map(drop)
    }

    async fn begin_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError> {
        let first = true;
        self.change(StoreChange::Count { counts, first })
            .await
            .map(drop)
    }

    async fn heal_finished(&self, id: &GameId) -> Result<(), StoreError> {
        self.change(StoreChange::Heal { id: id.clone() })
            .await
            .map(drop)
    }

    async fn remove(
        &self,
        games: Vec<GameId>,
        cutoffs: RetentionCutoffs,
    ) -> Result<u64, StoreError> {
        self.change(StoreChange::Remove { games, cutoffs }).await
    }

    async fn change_review(&self, id: &GameId, change: ReviewChange) -> Result<(), StoreError> {
        let id = id.clone();
        self.change(StoreChange::Review { id, change })
            .await
            .map(drop)
    }

    async fn add_program(&self, program: RegisteredProgram) -> Result<(), StoreError> {
        let program = Box::new(program);
        self.change(StoreChange::AddProgram { program })
            .await
            .map(drop)
    }

    async fn saw_program(&self, token: &SecretHash, at_ms: i64) -> Result<(), StoreError> {
        let token = *token;
        let change = StoreChange::SawProgram { token, at_ms };
        self.change(change).await.map(drop)
    }

    async fn told_program(&self, token: &SecretHash, number: i64) -> Result<(), StoreError> {
        let token = *token;
        let change = StoreChange::ToldProgram { token, number };
        self.change(change).await.map(drop)
    }

    async fn forget_programs(&self, before_ms: i64) -> Result<u64, StoreError> {
        self.change(StoreChange::ForgetPrograms { before_ms }).await
    }

    async fn import(&self, moved: ExportedGame) -> Result<(), StoreError> {
        let moved = Box::new(moved);
        self.change(StoreChange::Import { moved }).await.map(drop)
    }

    async fn load(&self, id: &GameId) -> Result<Option<StoredGame>, StoreError> {
        self.trusted()?;
        let loaded = self.ask(|| load::load(&self.readers, id));
        loaded.await.map_err(|error| match error {
            RowReadError::Storage(error) if error.may_pass() => unavailable(error),
            RowReadError::Storage(error) => StoreError::Damaged(format!("game {id}: {error}")),
            RowReadError::Damaged(what) => StoreError::Damaged(format!("game {id}: {what}")),
        })
    }

    async fn counts(&self) -> Result<Vec<(String, u64)>, StoreError> {
        self.list(|| queries::counts(&self.readers)).await
    }

    async fn listed(
        &self,
        list: GameList,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError> {
        self.list(|| queries::listed(&self.readers, list, after, limit))
            .await
    }

    async fn book_game(&self, browser: &SecretHash) -> Result<Option<GameId>, StoreError> {
        self.list(|| queries::book_game(&self.readers, browser))
            .await
    }

    async fn seat_of_link(&self, link: &SecretHash) -> Result<Option<(GameId, u8)>, StoreError> {
        self.list(|| queries::seat_of_link(&self.readers, link))
            .await
    }

    async fn watchable(
        &self,
        besides: Option<&SecretHash>,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        self.list(|| queries::watchable(&self.readers, besides, limit))
            .await
    }

    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, StoreError> {
        self.list(|| queries::rematches(&self.readers, id)).await
    }

    async fn unfinished(
        &self,
        pace: ComputerPace,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError> {
        self.list(|| queries::unfinished(&self.readers, pace, after, limit))
            .await
    }

    async fn every(&self, after: Option<PageCursor>, limit: u32) -> Result<GamePage, StoreError> {
        self.list(|| queries::every(&self.readers, after, limit))
            .await
    }

    async fn expired(
        &self,
        cutoffs: &RetentionCutoffs,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        self.list(|| queries::expired(&self.readers, cutoffs, limit))
            .await
    }

    async fn review(&self, id: &GameId) -> Result<Option<StoredReview>, StoreError> {
        self.list(|| queries::review(&self.readers, id)).await
    }

    async fn wanted_reviews(&self, limit: u32) -> Result<Vec<GameId>, StoreError> {
        self.list(|| queries::wanted_reviews(&self.readers, limit))
            .await
    }

    async fn program(&self, id: &ProgramId) -> Result<Option<RegisteredProgram>, StoreError> {
        self.list(|| queries::program(&self.readers, id.as_str()))
            .await
    }

    async fn program_with(
        &self,
        token: &SecretHash,
    ) -> Result<Option<RegisteredProgram>, StoreError> {
        self.list(|| queries::program_with(&self.readers, token))
            .await
    }

    async fn games_of_program(
        &self,
        token: &SecretHash,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        self.list(|| queries::games_of_program(&self.readers, token, limit))
            .await
    }

    async fn list_program_finishes(
        &self,
        token: &SecretHash,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<(i64, GameId)>, StoreError> {
        self.list(|| queries::program_finishes(&self.readers, token, after, limit))
            .await
    }

    async fn invitations_of(&self, token: &SecretHash) -> Result<u32, StoreError> {
        self.list(|| queries::invitations(&self.readers, token))
            .await
    }

    async fn newest_ms(&self) -> Result<Option<i64>, StoreError> {
        self.list(|| queries::newest_ms(&self.readers)).await
    }

    async fn check(&self) -> Result<(), StoreError> {
        self.trusted()?;
        sqlx::query("SELECT count(*) FROM game WHERE serial = 0")
            .execute(&self.probe)
            .await
            .map(drop)
            .map_err(unavailable)
    }

    async fn space(&self) -> Result<StorageUsage, StoreError> {
        self.trusted()?;
        let used_bytes = queries::used_bytes(&self.probe).await;
        Ok(StorageUsage {
            used_bytes: used_bytes.map_err(unavailable)?,
            // The server keeps what its disk has left to itself.
            free_bytes: None,
        })
    }

    fn broken(&self) -> CancellationToken {
        self.broken.token.clone()
    }

    fn why_broken(&self) -> Option<String> {
        self.broken.why().map(str::to_owned)
    }

    fn served_at(&self, address: &str) {
        self.name.served_at(address);
    }

    async fn close(&self) {
        self.closing.cancel();
        let writing = self
            .writing
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(writing) = writing
            && let Err(error) = writing.await
        {
            tracing::error!(%error, "the archive's writer ended badly");
        }
        self.watching.leave(&self.readers).await;
        self.readers.close().await;
        self.probe.close().await;
    }
}
