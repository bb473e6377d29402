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
//! Servers share a database ([`PostgresArchive::join`]): who thinks about which game is written down in it (`leases`),
//! and what one has written the others hear (`notifications`). Whoever needs it for itself ([`PostgresArchive::open`]) holds an
//! advisory lock over the writer's connection, and servers share the same lock. Who loses it to another process is
//! [broken](Archive::broken).

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
    Archive, ArchiveError, Cutoffs, Entry, Fence, GameId, Header, KeptReview, Lease, List, Moved,
    Page, Place, Program, ProgramId, ReviewChange, Ring, Space, Standing, Stored, Turn,
};
use crate::seats::{Pace, RematchKind, Seat};
use crate::secret::SecretHash;
use crate::store::failure::Broken;
use crate::store::metrics;
use crate::store::sql::decode::ReadError;
use crate::store::write_queue::{Append, Change, Request, Task, closed, is_broken, unavailable};

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

use error_class::MayPass;
pub use open_error::Refusal;
pub use reader::Inspection;
use watcher_counts::Watching;
use write_connection::Name;

/// For how long a question is asked again that the server did not answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// The pauses between, doubled from one to the other.
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// The archive `postgres://…`.
#[derive(Debug)]
pub struct PostgresArchive {
    readers: PgPool,
    /// One connection for the question whether the archive is ready, which never waits behind readers.
    probe: PgPool,
    writer: mpsc::Sender<Request>,
    writing: Mutex<Option<JoinHandle<()>>>,
    closing: CancellationToken,
    broken: Arc<Broken>,
    name: Arc<Name>,
    rings: broadcast::Sender<Ring>,
    watching: Watching,
}

impl PostgresArchive {
    async fn change(&self, change: Change) -> Result<u64, ArchiveError> {
        self.hand_over(Task::Change(change)).await
    }

    /// Hands a task to the writer and waits for its answer. From the moment it is handed over it
    /// happens whole or not at all, whether anybody still waits or not.
    async fn hand_over(&self, task: Task) -> Result<u64, ArchiveError> {
        let (reply, answer) = oneshot::channel();
        let gone = || self.trusted().err().unwrap_or_else(closed);
        self.writer
            .send(Request { task, reply })
            .await
            .map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    fn trusted(&self) -> Result<(), ArchiveError> {
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
        E: MayPass + From<sqlx::Error>,
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
    async fn list<T, F>(&self, question: impl Fn() -> F + Send + Sync) -> Result<T, ArchiveError>
    where
        F: Future<Output = Result<T, sqlx::Error>> + Send,
    {
        self.trusted()?;
        self.ask(question).await.map_err(unavailable)
    }
}

#[async_trait]
impl Archive for PostgresArchive {
    async fn keep(
        &self,
        header: Header,
        seats: Vec<Seat>,
        entries: Vec<Entry>,
    ) -> Result<(), ArchiveError> {
        let change = Change::Create {
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
        entry: Entry,
        turn: Turn,
    ) -> Result<Option<Fence>, ArchiveError> {
        let append = Append {
            id: id.clone(),
            expected,
            entry,
            turn,
        };
        let granted = self.hand_over(Task::Append(append)).await?;
        Ok((granted > 0).then_some(Fence(granted)))
    }

    async fn lease(&self, id: &GameId, time: Duration) -> Result<Lease, ArchiveError> {
        self.list(|| leases::lease(&self.readers, id, time)).await
    }

    async fn renew(&self, held: &[(GameId, Fence)], time: Duration) -> Result<(), ArchiveError> {
        self.list(|| leases::renew(&self.readers, held, time)).await
    }

    async fn release(&self, id: &GameId, fence: Fence, due: bool) -> Result<(), ArchiveError> {
        self.list(|| leases::release(&self.readers, id, fence, due))
            .await
    }

    async fn claim(&self, most: u32, time: Duration) -> Result<Vec<(GameId, Fence)>, ArchiveError> {
        self.list(|| leases::claim(&self.readers, most, time)).await
    }

    async fn standing(&self, games: &[GameId]) -> Result<Vec<Standing>, ArchiveError> {
        self.list(|| queries::standing(&self.readers, games)).await
    }

    async fn with_programs(
        &self,
        games: &[GameId],
        tokens: &[SecretHash],
    ) -> Result<Vec<GameId>, ArchiveError> {
        self.list(|| queries::with_programs(&self.readers, games, tokens))
            .await
    }

    fn is_shared(&self) -> bool {
        true
    }

    async fn share_watchers(
        &self,
        here: HashMap<GameId, u32>,
    ) -> Result<HashMap<GameId, u32>, ArchiveError> {
        self.trusted()?;
        let exchanged = self.watching.exchange(&self.readers, here).await;
        exchanged.map_err(unavailable)
    }

    fn bell(&self) -> Option<broadcast::Receiver<Ring>> {
        Some(self.rings.subscribe())
    }

    async fn change_seats(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
    ) -> Result<u32, ArchiveError> {
        let revision = self
            .change(Change::Seats {
                id: id.clone(),
                expected_revision,
                seats,
            })
            .await?;
        u32::try_from(revision).map_err(unavailable)
    }

    async fn add_counts(&self, counts: Vec<(String, u64)>) -> Result<(), ArchiveError> {
        let first = false;
        self.change(Change::Count { counts, first }).await.map(drop)
    }

    async fn begin_counts(&self, counts: Vec<(String, u64)>) -> Result<(), ArchiveError> {
        let first = true;
        self.change(Change::Count { counts, first }).await.map(drop)
    }

    async fn heal_finished(&self, id: &GameId) -> Result<(), ArchiveError> {
        self.change(Change::Heal { id: id.clone() }).await.map(drop)
    }

    async fn remove(&self, games: Vec<GameId>, cutoffs: Cutoffs) -> Result<u64, ArchiveError> {
        self.change(Change::Remove { games, cutoffs }).await
    }

    async fn change_review(&self, id: &GameId, change: ReviewChange) -> Result<(), ArchiveError> {
        let id = id.clone();
        self.change(Change::Review { id, change }).await.map(drop)
    }

    async fn add_program(&self, program: Program) -> Result<(), ArchiveError> {
        let program = Box::new(program);
        self.change(Change::AddProgram { program }).await.map(drop)
    }

    async fn saw_program(&self, token: &SecretHash, at_ms: i64) -> Result<(), ArchiveError> {
        let token = *token;
        let change = Change::SawProgram { token, at_ms };
        self.change(change).await.map(drop)
    }

    async fn told_program(&self, token: &SecretHash, number: i64) -> Result<(), ArchiveError> {
        let token = *token;
        let change = Change::ToldProgram { token, number };
        self.change(change).await.map(drop)
    }

    async fn forget_programs(&self, before_ms: i64) -> Result<u64, ArchiveError> {
        self.change(Change::ForgetPrograms { before_ms }).await
    }

    async fn import(&self, moved: Moved) -> Result<(), ArchiveError> {
        let moved = Box::new(moved);
        self.change(Change::Import { moved }).await.map(drop)
    }

    async fn load(&self, id: &GameId) -> Result<Option<Stored>, ArchiveError> {
        self.trusted()?;
        let loaded = self.ask(|| load::load(&self.readers, id));
        loaded.await.map_err(|error| match error {
            ReadError::Storage(error) if error.may_pass() => unavailable(error),
            ReadError::Storage(error) => ArchiveError::Damaged(format!("game {id}: {error}")),
            ReadError::Damaged(what) => ArchiveError::Damaged(format!("game {id}: {what}")),
        })
    }

    async fn counts(&self) -> Result<Vec<(String, u64)>, ArchiveError> {
        self.list(|| queries::counts(&self.readers)).await
    }

    async fn listed(
        &self,
        list: List,
        after: Option<Place>,
        limit: u32,
    ) -> Result<Page, ArchiveError> {
        self.list(|| queries::listed(&self.readers, list, after, limit))
            .await
    }

    async fn book_game(&self, browser: &SecretHash) -> Result<Option<GameId>, ArchiveError> {
        self.list(|| queries::book_game(&self.readers, browser))
            .await
    }

    async fn seat_of_link(&self, link: &SecretHash) -> Result<Option<(GameId, u8)>, ArchiveError> {
        self.list(|| queries::seat_of_link(&self.readers, link))
            .await
    }

    async fn watchable(
        &self,
        besides: Option<&SecretHash>,
        limit: u32,
    ) -> Result<Vec<GameId>, ArchiveError> {
        self.list(|| queries::watchable(&self.readers, besides, limit))
            .await
    }

    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, ArchiveError> {
        self.list(|| queries::rematches(&self.readers, id)).await
    }

    async fn unfinished(
        &self,
        pace: Pace,
        after: Option<Place>,
        limit: u32,
    ) -> Result<Page, ArchiveError> {
        self.list(|| queries::unfinished(&self.readers, pace, after, limit))
            .await
    }

    async fn every(&self, after: Option<Place>, limit: u32) -> Result<Page, ArchiveError> {
        self.list(|| queries::every(&self.readers, after, limit))
            .await
    }

    async fn expired(&self, cutoffs: &Cutoffs, limit: u32) -> Result<Vec<GameId>, ArchiveError> {
        self.list(|| queries::expired(&self.readers, cutoffs, limit))
            .await
    }

    async fn review(&self, id: &GameId) -> Result<Option<KeptReview>, ArchiveError> {
        self.list(|| queries::review(&self.readers, id)).await
    }

    async fn wanted_reviews(&self, limit: u32) -> Result<Vec<GameId>, ArchiveError> {
        self.list(|| queries::wanted_reviews(&self.readers, limit))
            .await
    }

    async fn program(&self, id: &ProgramId) -> Result<Option<Program>, ArchiveError> {
        self.list(|| queries::program(&self.readers, id.as_str()))
            .await
    }

    async fn program_with(&self, token: &SecretHash) -> Result<Option<Program>, ArchiveError> {
        self.list(|| queries::program_with(&self.readers, token))
            .await
    }

    async fn games_of_program(
        &self,
        token: &SecretHash,
        limit: u32,
    ) -> Result<Vec<GameId>, ArchiveError> {
        self.list(|| queries::games_of_program(&self.readers, token, limit))
            .await
    }

    async fn list_program_finishes(
        &self,
        token: &SecretHash,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<(i64, GameId)>, ArchiveError> {
        self.list(|| queries::program_finishes(&self.readers, token, after, limit))
            .await
    }

    async fn invitations_of(&self, token: &SecretHash) -> Result<u32, ArchiveError> {
        self.list(|| queries::invitations(&self.readers, token))
            .await
    }

    async fn newest_ms(&self) -> Result<Option<i64>, ArchiveError> {
        self.list(|| queries::newest_ms(&self.readers)).await
    }

    async fn check(&self) -> Result<(), ArchiveError> {
        self.trusted()?;
        sqlx::query("SELECT count(*) FROM game WHERE serial = 0")
            .execute(&self.probe)
            .await
            .map(drop)
            .map_err(unavailable)
    }

    async fn space(&self) -> Result<Space, ArchiveError> {
        self.trusted()?;
        let used_bytes = queries::used_bytes(&self.probe).await;
        Ok(Space {
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
