//! The store in one SQLite file.
//!
//! One task writes, over a connection of its own: it takes all pending changes, commits them in one transaction
//! with `synchronous=FULL`, and replies after the commit (group commit, DeWitt et al., 1984). So a hundred
//! games share one fsync, and a move is still acknowledged only when it is on disk. A rejected change does not
//! affect the others of its batch. Reads use a few other connections, which WAL lets run concurrently with the
//! writer.
//!
//! A failed write, commit or fsync is deliberately not retried: the state of the disk is then unknown, and a
//! second fsync may succeed although pages were lost. The store instead fails permanently
//! ([`failure`](super::GameStore::failure)), acknowledges no further write, and the next start recovers from
//! the log.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use sqlx::Row as _;
use sqlx::sqlite::{SqlitePool, SqliteRow};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{
    AppendOptions, DerivedStore, ExportedGame, FencingToken, GameHeader, GameId, GameList,
    GamePage, GameStore, GameVersion, LeaseResult, LeaseStore, ListStore, PageCursor, ProgramId,
    ProgramStore, RecordStore, RegisteredProgram, RetentionCutoffs, ReviewChange, StorageUsage,
    StoreError, StoredEntry, StoredGame, StoredReview, sql,
};
use crate::seats::{ComputerPace, RematchKind, Seat};
use crate::secret::SecretHash;
use crate::store::failure::FailureLatch;
use crate::store::local_leases::{LocalLeases, can_continue, is_last};
use crate::store::sql::decode::{RowReadError, game_ids, hash, parse_rematch_kind};
use crate::store::write_queue::{
    AppendRequest, StoreChange, WriteRequest, WriteTask, closed_error, failed_error, unavailable,
};

mod append;
mod changes;
mod failure;
mod file_monitor;
mod hash_backfill;
mod load;
mod lock_file;
mod losses;
mod open;
mod preflight;
mod programs;
mod queries;
mod reader;
mod retention;
mod reviews;
mod usage;
mod writer;

use failure::FatalSqliteError;
use load::load;
use lock_file::{DatabaseLock, ShutdownKind};
pub(super) use open::LossPolicy;
use open::{code, primary_code};
pub use reader::SqliteReader;

/// The store `sqlite:PATH`.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    readers: SqlitePool,
    /// A connection for health checks and disk usage, so that these do not wait for a reader.
    probe: SqlitePool,
    writer: mpsc::Sender<WriteRequest>,
    writer_task: Mutex<Option<JoinHandle<()>>>,
    closing: CancellationToken,
    failure: Arc<FailureLatch>,
    owner: Arc<DatabaseLock>,
    leases: LocalLeases,
}

impl SqliteStore {
    async fn change(&self, change: StoreChange) -> Result<u64, StoreError> {
        self.submit(WriteTask::Change(change)).await
    }

    /// Sends a task to the writer and waits for the reply. Once sent, the task is carried out even if the
    /// caller no longer waits.
    async fn submit(&self, task: WriteTask) -> Result<u64, StoreError> {
        let (reply, answer) = oneshot::channel();
        let closed_or_failed = || self.ensure_usable().err().unwrap_or_else(closed_error);
        self.writer
            .send(WriteRequest { task, reply })
            .await
            .map_err(|_| closed_or_failed())?;
        answer.await.map_err(|_| closed_or_failed())?
    }

    /// Maps a failed read of one game: a damaged or unreadable page concerns only this game, a file that is not
    /// a database concerns all.
    fn map_load_error(&self, id: &GameId, error: RowReadError) -> StoreError {
        let damaged =
            |what: &dyn std::fmt::Display| StoreError::Damaged(format!("game {id}: {what}"));
        let error = match error {
            RowReadError::Damaged(what) => return damaged(&what),
            RowReadError::Storage(error) => error,
        };
        match primary_code(&error) {
            Some(code::CORRUPT | code::IOERR) => damaged(&error),
            Some(_) => self.map_query_error(error),
            None if is_decode_error(&error) => damaged(&error),
            None => unavailable(error),
        }
    }

    /// Maps a failed query over many games.
    fn map_query_error(&self, error: sqlx::Error) -> StoreError {
        match primary_code(&error) {
            Some(code::NOTADB) => self.failure.set(&FatalSqliteError::from(error)),
            Some(code::CORRUPT | code::IOERR) => {
                tracing::error!(%error, "a game query failed: {ADVICE}");
                return unavailable(error);
            }
            _ => return unavailable(error),
        }
        failed_error()
    }

    fn ensure_usable(&self) -> Result<(), StoreError> {
        if self.failure.token.is_cancelled() {
            Err(failed_error())
        } else {
            Ok(())
        }
    }
}

#[async_trait]
impl RecordStore for SqliteStore {
    async fn create_with_entries(
        &self,
        header: GameHeader,
        seats: Vec<Seat>,
        entries: Vec<StoredEntry>,
    ) -> Result<(), StoreError> {
        let may_be_due = !entries.last().is_some_and(is_last) && can_continue(header.pace, &seats);
        let id = header.id.clone();
        let change = StoreChange::Create {
            header: Box::new(header),
            seats,
            entries,
        };
        self.change(change).await?;
        if may_be_due {
            self.leases.mark_possibly_due(&id);
        }
        Ok(())
    }

    async fn import(&self, moved: ExportedGame) -> Result<(), StoreError> {
        let moved = Box::new(moved);
        self.change(StoreChange::Import { moved }).await.map(drop)
    }

    async fn load(&self, id: &GameId) -> Result<Option<StoredGame>, StoreError> {
        self.ensure_usable()?;
        load(&self.readers, id)
            .await
            .map_err(|error| self.map_load_error(id, error))
    }

    async fn append_with(
        &self,
        id: &GameId,
        expected: u32,
        entry: StoredEntry,
        options: AppendOptions,
    ) -> Result<Option<FencingToken>, StoreError> {
        self.leases.check_fence(id, options)?;
        let is_last = is_last(&entry);
        let append = AppendRequest {
            id: id.clone(),
            expected,
            entry,
            options,
        };
        self.submit(WriteTask::Append(append)).await?;
        Ok(self.leases.record_append(id, is_last, options))
    }

    async fn repair_finished(&self, id: &GameId) -> Result<(), StoreError> {
        self.change(StoreChange::RepairFinished { id: id.clone() })
            .await
            .map(drop)
    }

    async fn versions(&self, games: &[GameId]) -> Result<Vec<GameVersion>, StoreError> {
        self.ensure_usable()?;
        let found = queries::versions(&self.readers, games).await;
        found.map_err(|error| self.map_query_error(error))
    }
}

#[async_trait]
impl ListStore for SqliteStore {
    async fn change_seats(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
    ) -> Result<u32, StoreError> {
        let may_be_due = can_continue(ComputerPace::AtOnce, &seats);
        let revision = self
            .change(StoreChange::Seats {
                id: id.clone(),
                expected_revision,
                seats,
            })
            .await?;
        if may_be_due {
            self.leases.mark_possibly_due(id);
        }
        u32::try_from(revision).map_err(unavailable)
    }

    async fn find_seat_by_link(
        &self,
        link: &SecretHash,
    ) -> Result<Option<(GameId, u8)>, StoreError> {
        self.ensure_usable()?;
        let found = sqlx::query(sql::queries::SEAT_OF_LINK)
            .bind(hash(link))
            .fetch_optional(&self.readers)
            .await
            .map_err(|error| self.map_query_error(error))?;
        let Some(row) = found else { return Ok(None) };
        let id: &str = row.try_get("game").map_err(unavailable)?;
        let player = row.try_get("player").map_err(unavailable)?;
        Ok(Some((id.parse().map_err(unavailable)?, player)))
    }

    async fn list_games(
        &self,
        list: GameList,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError> {
        self.ensure_usable()?;
        let found = queries::list_games(&self.readers, list, after, limit).await;
        found.map_err(|error| self.map_query_error(error))
    }

    async fn book_page_game(&self, browser: &SecretHash) -> Result<Option<GameId>, StoreError> {
        self.ensure_usable()?;
        let query = sqlx::query_scalar(sql::queries::BOOK_GAME).bind(hash(browser));
        let found = query.fetch_all(&self.readers).await;
        let ids = game_ids(found).map_err(|error| self.map_query_error(error))?;
        Ok(ids.into_iter().next())
    }

    async fn list_watchable(
        &self,
        viewer: Option<&SecretHash>,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        self.ensure_usable()?;
        let found = queries::list_watchable(&self.readers, viewer, limit).await;
        found.map_err(|error| self.map_query_error(error))
    }

    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, StoreError> {
        self.ensure_usable()?;
        let rows = sqlx::query(sql::queries::REMATCHES)
            .bind(id.as_str())
            .fetch_all(&self.readers)
            .await
            .map_err(|error| self.map_query_error(error))?;
        let rematch = |row: &SqliteRow| -> Option<(RematchKind, GameId)> {
            let kind = parse_rematch_kind(row.try_get("rematch_kind").ok()?).ok()?;
            Some((kind, row.try_get::<&str, _>("id").ok()?.parse().ok()?))
        };
        // Damaged rows are skipped so that they do not hide others.
        let mut found: Vec<_> = rows.iter().filter_map(rematch).collect();
        found.sort();
        Ok(found)
    }

    async fn list_unfinished(
        &self,
        pace: ComputerPace,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError> {
        self.ensure_usable()?;
        let found = queries::list_unfinished(&self.readers, pace, after, limit).await;
        found.map_err(|error| self.map_query_error(error))
    }

    async fn list_all(
        &self,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError> {
        self.ensure_usable()?;
        let found = queries::list_all(&self.readers, after, limit).await;
        found.map_err(|error| self.map_query_error(error))
    }

    async fn list_expired(
        &self,
        cutoffs: &RetentionCutoffs,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        self.ensure_usable()?;
        let found = retention::list_expired(&self.readers, cutoffs, limit).await;
        found.map_err(|error| self.map_query_error(error))
    }

    async fn delete_expired(
        &self,
        games: Vec<GameId>,
        cutoffs: RetentionCutoffs,
    ) -> Result<u64, StoreError> {
        self.change(StoreChange::Remove { games, cutoffs }).await
    }

    async fn last_activity_ms(&self) -> Result<Option<i64>, StoreError> {
        self.ensure_usable()?;
        let found = retention::last_activity_ms(&self.readers).await;
        found.map_err(|error| self.map_query_error(error))
    }
}

#[async_trait]
impl LeaseStore for SqliteStore {
    async fn lease(&self, id: &GameId, time: Duration) -> Result<LeaseResult, StoreError> {
        self.ensure_usable()?;
        Ok(self.leases.lease(id, time))
    }

    async fn renew(
        &self,
        held: &[(GameId, FencingToken)],
        time: Duration,
    ) -> Result<(), StoreError> {
        self.leases.renew(held, time);
        self.ensure_usable()
    }

    async fn release(&self, id: &GameId, fence: FencingToken, due: bool) -> Result<(), StoreError> {
        self.leases.release(id, fence, due);
        self.ensure_usable()
    }

    async fn claim(
        &self,
        limit: u32,
        time: Duration,
    ) -> Result<Vec<(GameId, FencingToken)>, StoreError> {
        self.ensure_usable()?;
        Ok(self.leases.claim(limit, time))
    }
}

#[async_trait]
impl DerivedStore for SqliteStore {
    async fn change_review(&self, id: &GameId, change: ReviewChange) -> Result<(), StoreError> {
        let id = id.clone();
        self.change(StoreChange::Review { id, change })
            .await
            .map(drop)
    }

    async fn review(&self, id: &GameId) -> Result<Option<StoredReview>, StoreError> {
        self.ensure_usable()?;
        let found = reviews::review(&self.readers, id).await;
        found.map_err(|error| self.map_query_error(error))
    }

    async fn pending_reviews(&self, limit: u32) -> Result<Vec<GameId>, StoreError> {
        self.ensure_usable()?;
        let found = game_ids(reviews::pending(&self.readers, limit).await);
        found.map_err(|error| self.map_query_error(error))
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
        self.ensure_usable()?;
        let counts: Result<Vec<(String, i64)>, _> = sqlx::query_as(sql::queries::COUNTS)
            .fetch_all(&self.readers)
            .await;
        let counts = counts
            .map_err(|error| self.map_query_error(error))?
            .into_iter();
        Ok(counts
            .map(|(name, count)| (name, count.unsigned_abs()))
            .collect())
    }
}

#[async_trait]
impl ProgramStore for SqliteStore {
    async fn add_program(&self, program: RegisteredProgram) -> Result<(), StoreError> {
        let program = Box::new(program);
        self.change(StoreChange::AddProgram { program })
            .await
            .map(drop)
    }

    async fn program(&self, id: &ProgramId) -> Result<Option<RegisteredProgram>, StoreError> {
        self.ensure_usable()?;
        let found = programs::by_id(&self.readers, id.as_str()).await;
        found.map_err(|error| self.map_query_error(error))
    }

    async fn program_by_token(
        &self,
        token: &SecretHash,
    ) -> Result<Option<RegisteredProgram>, StoreError> {
        self.ensure_usable()?;
        let found = programs::by_token(&self.readers, token).await;
        found.map_err(|error| self.map_query_error(error))
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
        self.ensure_usable()?;
        let found = programs::with_programs(&self.readers, games, tokens).await;
        found.map_err(|error| self.map_query_error(error))
    }

    async fn list_games_of_program(
        &self,
        token: &SecretHash,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        self.ensure_usable()?;
        let found = programs::list_games(&self.readers, token, limit).await;
        found.map_err(|error| self.map_query_error(error))
    }

    async fn count_invitations(&self, token: &SecretHash) -> Result<u32, StoreError> {
        self.ensure_usable()?;
        let found = programs::invitations(&self.readers, token).await;
        found.map_err(|error| self.map_query_error(error))
    }

    async fn list_program_finishes(
        &self,
        token: &SecretHash,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<(i64, GameId)>, StoreError> {
        self.ensure_usable()?;
        let found = programs::list_finishes(&self.readers, token, after, limit).await;
        found.map_err(|error| self.map_query_error(error))
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
impl GameStore for SqliteStore {
    async fn health_check(&self) -> Result<(), StoreError> {
        self.ensure_usable()?;
        if self.closing.is_cancelled() {
            return Err(closed_error());
        }
        sqlx::query("SELECT count(*) FROM game WHERE serial = 0")
            .execute(&self.probe)
            .await
            .map(drop)
            .map_err(unavailable)
    }

    async fn storage_usage(&self) -> Result<StorageUsage, StoreError> {
        self.ensure_usable()?;
        usage::storage_usage(&self.probe, &self.path).await
    }

    fn failure(&self) -> CancellationToken {
        self.failure.token.clone()
    }

    fn failure_reason(&self) -> Option<String> {
        self.failure.reason().map(str::to_owned)
    }

    fn set_public_address(&self, address: &str) {
        if let Err(error) = self.owner.write_address(address) {
            tracing::warn!(%error, "the lock file does not contain this server's address");
        }
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
        self.readers.close().await;
        self.probe.close().await;
        // After a failure the lock file stays, so that the next start checks the database.
        self.owner.release(match self.ensure_usable() {
            Ok(()) => ShutdownKind::Clean,
            Err(_) => ShutdownKind::NeedsCheck,
        });
    }
}

/// Advice for a damaged file.
const ADVICE: &str =
    "look with \"dice-of-doom check\" which games are whole, and put back a copy of the file";

/// Whether the rows were read but could not be decoded.
const fn is_decode_error(error: &sqlx::Error) -> bool {
    matches!(
        error,
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_)
    )
}

#[cfg(test)]
mod tests {
    use sqlx::sqlite::SqliteConnectOptions;
    use sqlx::{ConnectOptions as _, Connection as _, Executor as _};

    use super::open::{is_safe, open_writer, sqlite_version};
    use super::*;
    use crate::record::PlyRow;

    #[tokio::test]
    async fn the_bundled_sqlite_is_not_affected_by_the_wal_reset_bug() {
        let version = sqlite_version().await.unwrap();
        assert!(
            is_safe(&version),
            "SQLite {version} can corrupt a WAL database"
        );
    }

    #[test]
    fn versions_compare_as_numbers() {
        for safe in ["3.51.3", "3.51.10", "3.52.0", "4.0.0"] {
            assert!(is_safe(safe), "{safe}");
        }
        for unsafe_ in ["3.51.2", "3.9.99", "3.46.1", "2.99.99", "3.51", "", "new"] {
            assert!(!is_safe(unsafe_), "{unsafe_}");
        }
    }

    fn header(id: &GameId) -> GameHeader {
        GameHeader {
            id: id.clone(),
            game: "{}".to_owned(),
            start: "{}".to_owned(),
            dice: crate::provably_fair::DiceSecret::Uncommitted(crate::rng::DiceSeed::from_bytes(
                [1; 32],
            )),
            pace: ComputerPace::AtOnce,
            creator: None,
            book_of: None,
            created_ms: 0,
            private: false,
            replace_after_s: None,
            rematch_of: None,
            origin: None,
            takebacks: true,
            hints: false,
        }
    }

    fn ply(number: u32) -> StoredEntry {
        StoredEntry::Ply(PlyRow {
            player: 0,
            action: "x".repeat(2000),
            roll: String::new(),
            at_ms: i64::from(number),
        })
    }

    #[tokio::test]
    async fn an_entry_that_violates_a_constraint_is_rolled_back_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let store = SqliteStore::open(&path).await.unwrap();
        let [good, bad] = [GameId::random(), GameId::random()];
        for id in [&good, &bad] {
            store.create(header(id), Vec::new()).await.unwrap();
        }
        store.close().await;
        // The entry itself is inserted; the update of its game's row is rejected.
        let options = SqliteConnectOptions::new().filename(&path);
        let mut connection = options.connect().await.unwrap();
        let trigger = format!(
            "CREATE TRIGGER refuse BEFORE UPDATE OF entries ON game WHEN new.id = '{bad}'
             BEGIN SELECT RAISE(ABORT, 'a test'); END"
        );
        connection
            .execute(sqlx::AssertSqlSafe(trigger))
            .await
            .unwrap();
        connection.close().await.unwrap();

        let store = SqliteStore::open(&path).await.unwrap();
        for number in 0..2 {
            let appends = [(&good, number), (&bad, 0)];
            let appends = appends.map(|(id, number)| store.append(id, number, ply(number)));
            let answers = futures_util::future::join_all(appends).await;
            assert!(answers[0].is_ok(), "{answers:?}");
            assert!(
                matches!(answers[1], Err(StoreError::Unavailable(_))),
                "{answers:?}"
            );
        }
        for (id, entries) in [(&good, 2), (&bad, 0)] {
            let stored = store.load(id).await.unwrap().unwrap();
            assert_eq!(stored.entries.len(), entries);
        }
        store.close().await;
    }

    #[tokio::test]
    async fn a_full_disk_is_a_permanent_failure_without_lost_acknowledged_entries() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let id = GameId::random();
        // The database can grow to 60 pages of 4 KiB, which simulates a full disk.
        let store = SqliteStore::open_with(&path, LossPolicy::Reject, |options| {
            options.pragma("max_page_count", "60")
        })
        .await
        .unwrap();
        store.create(header(&id), Vec::new()).await.unwrap();
        let mut acknowledged = 0;
        let error = loop {
            match store.append(&id, acknowledged, ply(acknowledged)).await {
                Ok(()) => acknowledged += 1,
                Err(error) => break error,
            }
        };
        assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
        assert!(acknowledged > 10, "{acknowledged}");
        assert!(store.failure().is_cancelled());
        assert!(store.health_check().await.is_err());
        // Nothing more is acknowledged, not even changes that would fit.
        assert!(matches!(
            store.repair_finished(&id).await,
            Err(StoreError::Unavailable(_))
        ));
        assert!(matches!(
            store.load(&id).await,
            Err(StoreError::Unavailable(_))
        ));
        store.close().await;

        let again = SqliteStore::open(&path).await.unwrap();
        let stored = again.load(&id).await.unwrap().unwrap();
        assert_eq!(stored.entries.len(), acknowledged as usize);
        again
            .append(&id, acknowledged, ply(acknowledged))
            .await
            .unwrap();
        again.close().await;
    }

    #[tokio::test]
    async fn a_row_that_violates_the_schema_is_rejected_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("games.db"))
            .await
            .unwrap();
        let mut connection = store.readers.acquire().await.unwrap();
        connection.execute("PRAGMA query_only = OFF").await.unwrap();
        // A constraint that no release has: a trigger on the table.
        connection.execute("CREATE TRIGGER no_seven BEFORE INSERT ON entry WHEN NEW.player = 7 BEGIN SELECT raise(ABORT, 'no'); END").await.unwrap();
        drop(connection);
        let id = GameId::random();
        store.create(header(&id), Vec::new()).await.unwrap();
        let seven = StoredEntry::Ply(PlyRow {
            player: 7,
            action: String::new(),
            roll: String::new(),
            at_ms: 0,
        });
        let (bad, good) = tokio::join!(store.append(&id, 0, seven), store.append(&id, 0, ply(0)));
        assert!(matches!(bad, Err(StoreError::Unavailable(_))), "{bad:?}");
        assert_eq!(good, Ok(()));
        assert!(!store.failure().is_cancelled());
        store.close().await;
    }

    #[tokio::test]
    async fn the_log_is_synced_before_an_answer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let options = SqliteConnectOptions::new()
            .filename(&path)
            .create_if_missing(true);
        let mut writer = open_writer(&path, &options, |options| options)
            .await
            .unwrap();
        let full: i64 = sqlx::query_scalar("PRAGMA synchronous")
            .fetch_one(&mut writer)
            .await
            .unwrap();
        assert_eq!(full, 2, "synchronous=FULL");
    }
}
