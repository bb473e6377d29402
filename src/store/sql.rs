//! The store in a SQL database: what SQLite and PostgreSQL share. A query runs on one of several connections for
//! reading; changes are sent to the writer of the database ([`WriteQueue`]), which applies them with [`batch`].

use async_trait::async_trait;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use super::change::{Change, ChangeConnection, ChangeError};
use super::database_time::DatabaseTime;
use super::error::{StoreError, unavailable};
use super::id::{GameId, json_ids};
use super::lease::{AppendOptions, FencingToken};
use super::local_leases::{LocalLeases, can_continue, is_last};
use super::notification::{ChangeNotification, GameChange, GameVersion};
use super::stored_game::{GameHeader, StoredEntry, StoredGame};
use super::traits::{DataStore, GameStore, LeaseStore};
use super::usage::StorageUsage;
use super::write_queue::{AppendRequest, WriteQueue, WriteTask};
use crate::seats::{ComputerPace, RematchKind, SaidPhrase, Seat, Seats, Waiting};
use crate::store::database::connection::{Dialect, SqlRow, SqlValue, params};
use crate::store::database::row::RowReadError;
use decode::GameRows;
use games::{ChangeSeats, CreateGame};

pub(super) mod append;
pub(super) mod batch;
pub(super) mod decode;
mod encode;
mod games;
pub(super) mod tables;

/// What differs between the databases. Whatever implements it is a [`Store`](super::Store).
#[async_trait]
pub(super) trait SqlStore: LeaseStore {
    const DIALECT: Dialect;

    /// Whether other processes may write to the database.
    const IS_SHARED: bool;

    /// The queue of the writer.
    fn queue(&self) -> &WriteQueue;

    /// The rows of a query, without a check that the store is usable.
    async fn run_query(
        &self,
        query: &'static str,
        values: &[SqlValue],
    ) -> Result<Vec<SqlRow>, StoreError>;

    /// The rows of one snapshot of a game; `None` if the id is unknown.
    async fn read_game(&self, id: &GameId) -> Result<Option<GameRows>, RowReadError>;

    /// The error of a game that was not read.
    fn load_error(&self, id: &GameId, error: RowReadError) -> StoreError;

    /// The leases, unless they are stored in the database.
    fn local_leases(&self) -> Option<&LocalLeases> {
        None
    }

    /// The clock of the database; `None` if it has none of its own.
    fn database_time(&self) -> Option<DatabaseTime> {
        None
    }

    /// The channel of change notifications; `None` if the database is not shared.
    fn notification_receiver(&self) -> Option<broadcast::Receiver<ChangeNotification>> {
        None
    }

    /// Reads from the database without waiting for other readers.
    async fn probe(&self) -> Result<(), sqlx::Error>;

    async fn measure_usage(&self) -> Result<StorageUsage, StoreError>;

    fn publish_address(&self, _address: &str) {}

    /// Releases the storage, after the writer has ended.
    async fn release_storage(&self);
}

#[async_trait]
impl<S: SqlStore> DataStore for S {
    async fn apply(&self, change: Box<dyn Change>) -> Result<u64, StoreError> {
        self.queue().submit(WriteTask::Change(change)).await
    }

    async fn query(
        &self,
        query: &'static str,
        values: &[SqlValue],
    ) -> Result<Vec<SqlRow>, StoreError> {
        self.queue().ensure_usable()?;
        self.run_query(query, values).await
    }

    fn dialect(&self) -> Dialect {
        S::DIALECT
    }
}

/// Notifies other servers; nothing is stored.
struct AnnouncePhrase {
    id: GameId,
    said: SaidPhrase,
}

#[async_trait]
impl Change for AnnouncePhrase {
    async fn apply(&self, connection: &mut dyn ChangeConnection) -> Result<u64, ChangeError> {
        let change = GameChange::Phrase(self.said);
        connection.notify(&[(&self.id, change)]).await?;
        Ok(0)
    }
}

#[async_trait]
impl<S: SqlStore> GameStore for S {
    async fn create_together(
        &self,
        header: GameHeader,
        seats: Seats,
        entries: Vec<StoredEntry>,
        change: Option<Box<dyn Change>>,
    ) -> Result<(), StoreError> {
        let may_be_due = !entries.last().is_some_and(is_last)
            && can_continue(header.pace, header.turn_s, &seats.seats);
        let id = header.id.clone();
        let change = CreateGame {
            header,
            seats,
            entries,
            together_with: change,
        };
        self.apply(Box::new(change)).await?;
        if let Some(leases) = self.local_leases()
            && may_be_due
        {
            leases.mark_possibly_due(&id);
        }
        Ok(())
    }

    async fn load(&self, id: &GameId) -> Result<Option<StoredGame>, StoreError> {
        self.queue().ensure_usable()?;
        let rows = self.read_game(id).await;
        let stored = rows.and_then(|rows| rows.map(|rows| rows.to_verified_game()).transpose());
        stored.map_err(|error| self.load_error(id, error))
    }

    async fn append_with(
        &self,
        id: &GameId,
        expected: u32,
        entry: StoredEntry,
        card: Option<String>,
        options: AppendOptions,
    ) -> Result<Option<FencingToken>, StoreError> {
        let leases = self.local_leases();
        if let Some(leases) = leases {
            leases.check_fence(id, options)?;
        }
        let is_last = is_last(&entry);
        let append = AppendRequest {
            id: id.clone(),
            expected,
            entry,
            card,
            options,
        };
        let granted = self.queue().submit(WriteTask::Append(append)).await?;
        Ok(match leases {
            Some(leases) => leases.record_append(id, is_last, options),
            None => (granted > 0).then_some(FencingToken(granted)),
        })
    }

    async fn versions(&self, games: &[GameId]) -> Result<Vec<GameVersion>, StoreError> {
        let query = "SELECT id, entries, seats_revision,
                (SELECT next.id FROM game AS next WHERE next.rematch_of = game.id
                 ORDER BY next.serial DESC LIMIT 1) AS rematch
            FROM game WHERE id IN ($1[])";
        let rows = self.query(query, params![json_ids(games)]).await?;
        let version = |row: &SqlRow| {
            Ok::<_, RowReadError>(GameVersion {
                id: row.get("id")?,
                entries: row.get("entries")?,
                revision: row.get("seats_revision")?,
                rematch: row.get("rematch")?,
            })
        };
        // Damaged rows are skipped so that they do not hide others.
        Ok(rows.iter().filter_map(|row| version(row).ok()).collect())
    }

    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, StoreError> {
        let query = "SELECT id, rematch_kind FROM game WHERE rematch_of = $1";
        let rows = self.query(query, params![id]).await?;
        let rematch =
            |row: &SqlRow| Ok::<_, RowReadError>((row.get("rematch_kind")?, row.get("id")?));
        // Damaged rows are skipped so that they do not hide others.
        let rematches = rows.iter().filter_map(|row| rematch(row).ok());
        let mut found: Vec<_> = rematches.collect();
        found.sort();
        Ok(found)
    }

    async fn change_table(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
        waiting: Option<Waiting>,
    ) -> Result<u32, StoreError> {
        let mut may_be_due = can_continue(ComputerPace::AtOnce, None, &seats)
            || waiting.is_some_and(|waiting| waiting.start.at_ms().is_some());
        let leases = self.local_leases();
        if !may_be_due && leases.is_some() {
            let query = "SELECT id FROM game WHERE id = $1 AND turn_s IS NOT NULL";
            may_be_due = !self.query(query, params![id]).await?.is_empty();
        }
        let change = ChangeSeats {
            id: id.clone(),
            expected_revision,
            seats,
            waiting,
        };
        let revision = self.apply(Box::new(change)).await?;
        if let Some(leases) = leases
            && may_be_due
        {
            leases.mark_possibly_due(id);
        }
        u32::try_from(revision).map_err(unavailable)
    }

    fn is_shared(&self) -> bool {
        S::IS_SHARED
    }

    fn commits(&self) -> u64 {
        self.queue().commits()
    }

    fn clock(&self) -> Option<DatabaseTime> {
        self.database_time()
    }

    fn notifications(&self) -> Option<broadcast::Receiver<ChangeNotification>> {
        self.notification_receiver()
    }

    async fn storage_usage(&self) -> Result<StorageUsage, StoreError> {
        self.queue().ensure_usable()?;
        self.measure_usage().await
    }

    async fn health_check(&self) -> Result<(), StoreError> {
        self.queue().ensure_usable()?;
        self.probe().await.map_err(unavailable)
    }

    fn failure(&self) -> CancellationToken {
        self.queue().failure().token.clone()
    }

    fn failure_reason(&self) -> Option<String> {
        self.queue().failure().reason().map(str::to_owned)
    }

    async fn announce_phrase(&self, id: &GameId, said: SaidPhrase) -> Result<(), StoreError> {
        if !S::IS_SHARED {
            return Ok(());
        }
        let id = id.clone();
        let change = AnnouncePhrase { id, said };
        self.apply(Box::new(change)).await.map(drop)
    }

    fn set_public_address(&self, address: &str) {
        self.publish_address(address);
    }

    async fn close(&self) {
        self.queue().close().await;
        self.release_storage().await;
    }
}
