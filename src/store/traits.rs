//! What every store does. The [module above](super) states what it guarantees.

use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use super::change::{Change, ChangeStatements};
use super::database::connection::{Dialect, SqlRow, SqlValue};
use super::database::row::FromRow;
use super::database_time::DatabaseTime;
use super::error::{StoreError, unavailable};
use super::id::GameId;
use super::lease::{AppendOptions, FencingToken, LeaseResult};
use super::notification::{ChangeNotification, GameVersion};
use super::stored_game::{GameHeader, StoredEntry, StoredGame};
use super::usage::StorageUsage;
use crate::seats::{RematchKind, SaidPhrase, Seat, Seats, Waiting};

/// Resolution of a game's activity time, in milliseconds: an entry that is newer than the stored activity by
/// less than this need not update it.
pub const ACTIVITY_MS: i64 = 1_000;

/// Games: their records, their seats and their leases, and the operation of the storage. The [module above](super)
/// states what every store guarantees.
#[async_trait]
pub trait GameStore: LeaseStore {
    /// Creates a game without entries, with its seats at revision 0.
    ///
    /// # Errors
    /// See [`GameStore::create_together`].
    async fn create(&self, header: GameHeader, seats: Vec<Seat>) -> Result<(), StoreError> {
        self.create_with_entries(header, seats, Vec::new()).await
    }

    /// Like [`GameStore::create`], with entries. Only the last entry may end the game.
    ///
    /// # Errors
    /// See [`GameStore::create_together`].
    async fn create_with_entries(
        &self,
        header: GameHeader,
        seats: Vec<Seat>,
        entries: Vec<StoredEntry>,
    ) -> Result<(), StoreError> {
        let seats = Seats::new(seats);
        self.create_together(header, seats, entries, None).await
    }

    /// Atomically creates a game that already has entries, with its seats at revision 0, and applies a change: both or
    /// none.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if the id is in use, or if the original game already has a rematch of this kind; the errors
    /// of the change.
    async fn create_together(
        &self,
        header: GameHeader,
        seats: Seats,
        entries: Vec<StoredEntry>,
        change: Option<Box<dyn Change>>,
    ) -> Result<(), StoreError>;

    /// A consistent snapshot of the game, or `None` if the id is unknown.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the integrity check fails, [`StoreError::Unavailable`].
    async fn load(&self, id: &GameId) -> Result<Option<StoredGame>, StoreError>;

    /// Like [`GameStore::append_with`], with [`AppendOptions::UNKNOWN`].
    ///
    /// # Errors
    /// See [`GameStore::append_with`].
    async fn append(
        &self,
        id: &GameId,
        expected: u32,
        entry: StoredEntry,
    ) -> Result<(), StoreError> {
        let appended = self
            .append_with(id, expected, entry, None, AppendOptions::UNKNOWN)
            .await;
        appended.map(drop)
    }

    /// Appends `entry` with the number `expected`, which counts all entries from 0, the ending included. `Ok`
    /// means that it is durable. An entry that ends the game marks it finished in the same transaction, as of
    /// the entry's time; `card` replaces the game's card in the same transaction, too. Returns the game's lease if
    /// `options` requests it and no other instance holds it. If the game is not due now and no lease is requested, the
    /// current lease ends.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if `expected` is not the next number or the game is finished,
    /// [`StoreError::Fenced`] if the fencing token of `options` is not the newest, [`StoreError::NotFound`].
    async fn append_with(
        &self,
        id: &GameId,
        expected: u32,
        entry: StoredEntry,
        card: Option<String>,
        options: AppendOptions,
    ) -> Result<Option<FencingToken>, StoreError>;

    /// The versions of the given games that exist, in any order.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn versions(&self, games: &[GameId]) -> Result<Vec<GameVersion>, StoreError>;

    /// The rematches of a game, at most one per kind, in the order of [`RematchKind`].
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, StoreError>;

    /// Like [`GameStore::change_table`], for a game that does not wait for players afterwards.
    ///
    /// # Errors
    /// See [`GameStore::change_table`].
    async fn change_seats(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
    ) -> Result<u32, StoreError> {
        self.change_table(id, expected_revision, seats, None).await
    }

    /// Replaces the seats, and what the game waits for, if they are still at `expected_revision`; returns the new
    /// revision.
    ///
    /// # Errors
    /// [`StoreError::StaleSeats`] if the revision differs, [`StoreError::NotFound`].
    async fn change_table(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
        waiting: Option<Waiting>,
    ) -> Result<u32, StoreError>;

    /// Whether other processes may change the games, so that data read earlier can be stale. A shared store
    /// also persists across restarts which games are due.
    fn is_shared(&self) -> bool {
        false
    }

    /// How many batches of changes this process has committed.
    fn commits(&self) -> u64;

    /// The clock that decides about days; `None` if it is that of this process.
    fn clock(&self) -> Option<DatabaseTime> {
        None
    }

    /// A channel of change notifications; `None` unless the store is shared.
    fn notifications(&self) -> Option<broadcast::Receiver<ChangeNotification>> {
        None
    }

    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn storage_usage(&self) -> Result<StorageUsage, StoreError>;

    /// Health check for `/readyz`: whether the store can currently write and read. It does not queue behind
    /// other readers.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] with the reason.
    async fn health_check(&self) -> Result<(), StoreError>;

    /// Cancelled when the store has failed permanently and writes can no longer be trusted. Every later call
    /// returns [`StoreError::Unavailable`]; the process should exit with an error and be restarted.
    fn failure(&self) -> CancellationToken;

    /// The reason for the permanent failure and how to resolve it, as a message for the operator.
    fn failure_reason(&self) -> Option<String> {
        None
    }

    /// Passes a phrase on to the other servers, which may miss it. Nothing is stored.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn announce_phrase(&self, id: &GameId, said: SaidPhrase) -> Result<(), StoreError> {
        let _ = (id, said);
        Ok(())
    }

    /// Records this server's public address, which is shown to another process that is denied the same storage.
    fn set_public_address(&self, address: &str) {
        let _ = address;
    }

    /// Completes pending requests and releases the storage; later writes return [`StoreError::Unavailable`].
    async fn close(&self);
}

/// Leases of games, and the queue of due games.
#[async_trait]
pub trait LeaseStore: Send + Sync + 'static {
    /// Acquires the game's lease for `time` unless another instance holds it. The game need not be due.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn lease(&self, id: &GameId, time: Duration) -> Result<LeaseResult, StoreError>;

    /// Extends these leases to `time` from now. A lease that another instance has acquired is left unchanged.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn renew(
        &self,
        held: &[(GameId, FencingToken)],
        time: Duration,
    ) -> Result<(), StoreError>;

    /// Releases the lease if `fence` is still its newest token, and records after which time from now the game is
    /// due; `None` if it is not.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn release(
        &self,
        id: &GameId,
        fence: FencingToken,
        due: Option<Duration>,
    ) -> Result<(), StoreError>;

    /// Acquires leases of up to `limit` games that are due and not leased, in the order in which they became
    /// due. A game that is new or whose seats have changed may be marked as due although it is not: the claimer
    /// must check, and release the lease if there is nothing to do.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] only.
    async fn claim(
        &self,
        limit: u32,
        time: Duration,
    ) -> Result<Vec<(GameId, FencingToken)>, StoreError>;
}

/// Changes and queries of features, which `src/site` provides as methods of [`Store`].
#[async_trait]
pub trait DataStore: Send + Sync + 'static {
    /// Applies a change; returns what it reports once it is durable. Changes are committed in groups; a rejected one
    /// leaves the others unchanged.
    async fn apply(&self, change: Box<dyn Change>) -> Result<u64, StoreError>;

    /// The rows of a query.
    async fn query(
        &self,
        query: &'static str,
        values: &[SqlValue],
    ) -> Result<Vec<SqlRow>, StoreError>;

    /// In which the database's statements are written.
    fn dialect(&self) -> Dialect;
}

/// All that a server stores.
pub trait Store: GameStore + DataStore {}

impl<S: GameStore + DataStore> Store for S {}

/// What the rows of features are read and written with.
impl dyn Store {
    /// The rows of a query.
    pub(crate) async fn fetch<R: FromRow>(
        &self,
        query: &'static str,
        values: &[SqlValue],
    ) -> Result<Vec<R>, StoreError> {
        let rows = self.query(query, values).await?;
        let rows = rows.iter().map(R::from_row);
        rows.collect::<Result<_, _>>().map_err(unavailable)
    }

    /// Like `fetch`, without damaged rows, so that they do not hide others.
    pub(crate) async fn fetch_undamaged<R: FromRow>(
        &self,
        query: &'static str,
        values: &[SqlValue],
    ) -> Result<Vec<R>, StoreError> {
        let rows = self.query(query, values).await?;
        Ok(rows
            .iter()
            .filter_map(|row| R::from_row(row).ok())
            .collect())
    }

    /// The first row of a query.
    pub(crate) async fn fetch_optional<R: FromRow>(
        &self,
        query: &'static str,
        values: &[SqlValue],
    ) -> Result<Option<R>, StoreError> {
        let rows = self.query(query, values).await?;
        let row = rows.first().map(R::from_row);
        row.transpose().map_err(unavailable)
    }

    /// Runs a statement; returns the number of rows that it wrote.
    pub(crate) async fn execute(
        &self,
        statement: &'static str,
        values: &[SqlValue],
    ) -> Result<u64, StoreError> {
        let change = ChangeStatements::new(&[statement], values);
        self.apply(Box::new(change)).await
    }

    /// Runs a statement that changes rows of an existing game; returns the number of rows that it wrote.
    pub(crate) async fn execute_for(
        &self,
        game: &GameId,
        statement: &'static str,
        values: &[SqlValue],
    ) -> Result<u64, StoreError> {
        let change = ChangeStatements::new(&[statement], values).of_game(game);
        self.apply(Box::new(change)).await
    }

    /// Runs statements with the same parameters in one transaction.
    pub(crate) async fn execute_all(
        &self,
        statements: &[&'static str],
        values: &[SqlValue],
    ) -> Result<(), StoreError> {
        let change = ChangeStatements::new(statements, values);
        self.apply(Box::new(change)).await.map(drop)
    }
}
