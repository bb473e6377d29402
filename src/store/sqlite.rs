//! The store in one SQLite file, or in memory (`in_memory`).
//!
//! One task writes, over a connection of its own: it takes all pending changes, commits them in one transaction
//! with `synchronous=FULL`, and replies after the commit. So a hundred games share one fsync, and a move is still
//! acknowledged only when it is on disk. A rejected change does not affect the others of its batch. Reads use a
//! few other connections, which WAL lets run concurrently with the writer.
//!
//! A failed write, commit or fsync is deliberately not retried: the state of the disk is then unknown, and a
//! second fsync may succeed although pages were lost. The store instead fails permanently
//! ([`failure`](super::GameStore::failure)), acknowledges no further write, and the next start recovers from
//! the log.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::Connection as _;
use sqlx::sqlite::{SqliteConnection, SqlitePool};

use super::error::StoreError;
use super::id::GameId;
use super::lease::{FencingToken, LeaseResult};
use super::traits::LeaseStore;
use super::usage::StorageUsage;
use crate::store::change::ChangeConnection;
use crate::store::database::connection::{Dialect, SqlConnection as _, SqlRow, SqlValue};
use crate::store::database::row::RowReadError;
use crate::store::error::unavailable;
use crate::store::local_leases::LocalLeases;
use crate::store::sql::SqlStore;
use crate::store::sql::batch::BatchConnection;
use crate::store::sql::decode::GameRows;
use crate::store::write_queue::{WriteQueue, failed_error};

mod code;
mod failure;
mod file_monitor;
mod in_memory;
mod lock_file;
mod losses;
mod open;
mod open_error;
mod preflight;
mod reader;
mod usage;
mod writer;

use code::primary_code;
use failure::FatalSqliteError;
use in_memory::MemoryDatabase;
use lock_file::{DatabaseLock, ShutdownKind};
pub(super) use open::LossPolicy;
pub use open_error::SqliteOpenError;
pub(super) use reader::open_snapshot;

/// The stores `sqlite:PATH` and `memory:`.
#[derive(Debug)]
pub struct SqliteStore {
    queue: WriteQueue,
    storage: Storage,
    leases: LocalLeases,
}

#[derive(Debug)]
enum Storage {
    File(FileStorage),
    Memory(Arc<MemoryDatabase>),
}

#[derive(Debug)]
struct FileStorage {
    path: PathBuf,
    readers: SqlitePool,
    /// A connection for health checks and disk usage, so that these do not wait for a reader.
    probe: SqlitePool,
    owner: Arc<DatabaseLock>,
}

impl SqliteStore {
    async fn read(
        &self,
        query: &'static str,
        values: &[SqlValue],
    ) -> Result<Vec<SqlRow>, sqlx::Error> {
        match &self.storage {
            Storage::File(file) => {
                let mut reader = file.readers.acquire().await?;
                reader.fetch_all(query, values).await
            }
            Storage::Memory(database) => database.lock().await?.fetch_all(query, values).await,
        }
    }

    /// Maps a failed query over many games.
    fn query_error(&self, error: sqlx::Error) -> StoreError {
        match primary_code(&error) {
            Some(code::NOTADB) => self.queue.failure().set(&FatalSqliteError::from(error)),
            Some(code::CORRUPT | code::IOERR) => {
                tracing::error!(%error, "a game query failed: {ADVICE}");
                return unavailable(error);
            }
            _ => return unavailable(error),
        }
        failed_error()
    }
}

#[async_trait]
impl SqlStore for SqliteStore {
    const DIALECT: Dialect = Dialect::Sqlite;
    const IS_SHARED: bool = false;

    fn queue(&self) -> &WriteQueue {
        &self.queue
    }

    async fn run_query(
        &self,
        query: &'static str,
        values: &[SqlValue],
    ) -> Result<Vec<SqlRow>, StoreError> {
        let rows = self.read(query, values).await;
        rows.map_err(|error| self.query_error(error))
    }

    async fn read_game(&self, id: &GameId) -> Result<Option<GameRows>, RowReadError> {
        match &self.storage {
            Storage::File(file) => {
                let mut reader = file.readers.acquire().await?;
                let mut snapshot = reader.begin().await?;
                let rows = GameRows::read(&mut *snapshot, id).await?;
                snapshot.commit().await?;
                Ok(rows)
            }
            Storage::Memory(database) => GameRows::read(&mut *database.lock().await?, id).await,
        }
    }

    /// A damaged or unreadable page concerns only this game, a file that is not a database concerns all.
    fn load_error(&self, id: &GameId, error: RowReadError) -> StoreError {
        let damaged =
            |what: &dyn std::fmt::Display| StoreError::Damaged(format!("game {id}: {what}"));
        let error = match error {
            RowReadError::Damaged(what) => return damaged(&what),
            RowReadError::Storage(error) => error,
        };
        match primary_code(&error) {
            Some(code::CORRUPT | code::IOERR) => damaged(&error),
            Some(_) => self.query_error(error),
            None if is_decode_error(&error) => damaged(&error),
            None => unavailable(error),
        }
    }

    fn local_leases(&self) -> Option<&LocalLeases> {
        Some(&self.leases)
    }

    async fn probe(&self) -> Result<(), sqlx::Error> {
        let query = sqlx::query("SELECT count(*) FROM game WHERE serial = 0");
        match &self.storage {
            Storage::File(file) => query.execute(&file.probe).await.map(drop),
            Storage::Memory(database) => {
                let mut connection = database.lock().await?;
                query.execute(&mut *connection).await.map(drop)
            }
        }
    }

    async fn measure_usage(&self) -> Result<StorageUsage, StoreError> {
        match &self.storage {
            Storage::File(file) => usage::storage_usage(&file.probe, &file.path).await,
            Storage::Memory(_) => Ok(StorageUsage::default()),
        }
    }

    fn publish_address(&self, address: &str) {
        if let Storage::File(file) = &self.storage
            && let Err(error) = file.owner.write_address(address)
        {
            tracing::warn!(%error, "the lock file does not contain this server's address");
        }
    }

    async fn release_storage(&self) {
        let Storage::File(file) = &self.storage else {
            return;
        };
        file.readers.close().await;
        file.probe.close().await;
        // After a failure the lock file stays, so that the next start checks the database.
        file.owner
            .release(match self.queue.failure().token.is_cancelled() {
                false => ShutdownKind::Clean,
                true => ShutdownKind::NeedsCheck,
            });
    }
}

/// Only this process has the file open, so leases are in memory.
#[async_trait]
impl LeaseStore for SqliteStore {
    async fn lease(&self, id: &GameId, time: Duration) -> Result<LeaseResult, StoreError> {
        self.queue.ensure_usable()?;
        Ok(self.leases.lease(id, time))
    }

    async fn renew(
        &self,
        held: &[(GameId, FencingToken)],
        time: Duration,
    ) -> Result<(), StoreError> {
        self.leases.renew(held, time);
        self.queue.ensure_usable()
    }

    async fn release(
        &self,
        id: &GameId,
        fence: FencingToken,
        due: Option<Duration>,
    ) -> Result<(), StoreError> {
        self.leases.release(id, fence, due);
        self.queue.ensure_usable()
    }

    async fn claim(
        &self,
        limit: u32,
        time: Duration,
    ) -> Result<Vec<(GameId, FencingToken)>, StoreError> {
        self.queue.ensure_usable()?;
        Ok(self.leases.claim(limit, time))
    }
}

impl ChangeConnection for SqliteConnection {}

impl BatchConnection for SqliteConnection {
    type Leases = ();

    fn is_constraint_violation(error: &sqlx::Error) -> bool {
        primary_code(error) == Some(code::CONSTRAINT)
    }
}

/// How long to wait for a lock of another program.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

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
impl SqliteStore {
    /// SQLite's plan for a query.
    pub(crate) async fn query_plan(&self, query: &str) -> String {
        use sqlx::Row as _;
        let explain = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {query}"));
        let rows = sqlx::query(explain).fetch_all(&self.file().readers).await;
        let rows = rows.expect("the query is valid");
        let steps = rows.iter().map(|row| row.get::<String, _>("detail"));
        steps.collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use sqlx::ConnectOptions as _;
    use sqlx::sqlite::SqliteConnectOptions;

    use super::open::{is_safe, open_writer, sqlite_version};
    use super::*;
    use crate::record::PlyRow;
    use crate::seats::ComputerPace;
    use crate::store::{GameHeader, GameStore as _, Store, StoredEntry};
    use crate::store::{lists, retention};

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

    impl SqliteStore {
        pub(super) fn file(&self) -> &FileStorage {
            match &self.storage {
                Storage::File(file) => file,
                Storage::Memory(_) => panic!("the store is in memory"),
            }
        }
    }

    fn header(id: &GameId) -> GameHeader {
        GameHeader {
            id: id.clone(),
            game: "{}".to_owned(),
            start: "{}".to_owned(),
            dice: None,
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
            turn_s: None,
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
        let trigger = sqlx::query(sqlx::AssertSqlSafe(trigger));
        trigger.execute(&mut connection).await.unwrap();
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
        // The database can grow to 80 pages of 4 KiB, which simulates a full disk.
        let store = SqliteStore::open_with(&path, LossPolicy::Reject, |options| {
            options.pragma("max_page_count", "80")
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
        let data: &dyn Store = &store;
        let small = data.add_counts(vec![("a".to_owned(), 1)]).await;
        assert!(matches!(small, Err(StoreError::Unavailable(_))));
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
        let mut connection = store.file().readers.acquire().await.unwrap();
        connection
            .execute("PRAGMA query_only = OFF", &[])
            .await
            .unwrap();
        // A constraint that no release has: a trigger on the table.
        let trigger = "CREATE TRIGGER no_seven BEFORE INSERT ON entry WHEN NEW.player = 7
            BEGIN SELECT raise(ABORT, 'no'); END";
        connection.execute(trigger, &[]).await.unwrap();
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

    #[tokio::test]
    async fn no_list_scans_or_sorts_all_games() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let store = SqliteStore::open(&path).await.unwrap();
        let lists = [
            (lists::GAMES_OF, "browser_game_newest"),
            (lists::WATCHABLE, "game_watchable"),
            (lists::UNFINISHED, "game_unfinished"),
            (lists::ALL_GAMES, "INTEGER PRIMARY KEY"),
            (retention::UPLOADED, "game_uploaded"),
            (retention::FINISHED, "game_finished"),
            (retention::UNTOUCHED, "game_untouched"),
            (retention::AWAITED, "game_awaited"),
            (retention::ABANDONED[0], "game_unfinished"),
            (retention::ABANDONED[1], "game_unfinished"),
        ];
        for (query, index) in lists {
            let plan = store.query_plan(query).await;
            assert!(plan.contains(index), "{index}: {plan}");
            // A scan of an index in order, which the limit stops, does not read all games.
            let walks = plan.contains("SCAN game;") || plan.ends_with("SCAN game");
            assert!(
                !walks && !plan.contains("SCAN browser_game"),
                "{index}: {plan}"
            );
            // Sorting is allowed for a result that is already limited.
            let sorts = plan.matches("TEMP B-TREE FOR ORDER BY").count();
            assert!(
                sorts <= usize::from(query == lists::WATCHABLE),
                "{index}: {plan}"
            );
        }
        store.close().await;
    }
}
