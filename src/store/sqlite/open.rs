//! Opens a database file: checks, creation, migrations, and the start of the writer task.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sqlx::migrate::MigrateError;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio_util::sync::CancellationToken;

use super::code::{self, primary_code};
use super::file_monitor::{FileMonitor, wal_path};
use super::lock_file::{DatabaseLock, LockError, PreviousShutdown, ShutdownKind};
use super::losses::{commit_count, connect_read_only, find_loss};
use super::open_error::SqliteOpenError;
use super::writer::SqliteWriter;
use super::{ADVICE, BUSY_TIMEOUT, FileStorage, SqliteStore, Storage, preflight};
use crate::store::local_leases::LocalLeases;
use crate::store::migrations::{self, SchemaMismatch};
use crate::store::write_queue::WriteQueue;

/// In earlier versions a commit that races with a checkpoint can corrupt a WAL database (sqlite.org/wal.html,
/// "The WAL-reset bug").
const OLDEST_SAFE: (u32, u32, u32) = (3, 51, 3);

const READERS: u32 = 4;

impl SqliteStore {
    /// Opens the file, creates it if it is missing, and migrates its schema.
    ///
    /// # Errors
    /// [`SqliteOpenError`], with a message for the operator.
    pub async fn open(path: &Path) -> Result<Self, SqliteOpenError> {
        Self::open_with_policy(path, LossPolicy::Reject).await
    }

    /// Like [`open`](Self::open); `loss` decides what happens if acknowledged writes are missing.
    pub(in crate::store) async fn open_with_policy(
        path: &Path,
        loss: LossPolicy,
    ) -> Result<Self, SqliteOpenError> {
        Self::open_with(path, loss, |options| options).await
    }

    /// `configure_writer` may change the options of the writer's connection, for tests.
    pub(super) async fn open_with(
        path: &Path,
        loss: LossPolicy,
        configure_writer: impl FnOnce(SqliteConnectOptions) -> SqliteConnectOptions,
    ) -> Result<Self, SqliteOpenError> {
        // An absolute path is never parsed as a `file:` URI, and stays valid if the working directory changes.
        let path = std::path::absolute(path).map_err(|error| not_writable(path, &error))?;
        check_sqlite(&path).await?;
        let is_new = create_file(&path).await?;
        // Resolves links, so that several names of a file share one lock; SQLite puts its log next to the
        // resolved file.
        let path = tokio::fs::canonicalize(&path)
            .await
            .map_err(|error| not_writable(&path, &error))?;
        let owner = Arc::new(acquire_lock(&path).await?);
        if let Err(error) = reject_hard_link(&path).await {
            owner.release(ShutdownKind::NotOpened);
            return Err(error);
        }
        check_location(&path).await?;
        if is_new
            && owner.previous_shutdown() == PreviousShutdown::Unclean
            && loss == LossPolicy::Reject
        {
            // A lost database is not silently replaced by an empty one.
            let _ = tokio::fs::remove_file(&path).await;
            owner.release(ShutdownKind::NeedsCheck);
            return Err(SqliteOpenError::FileGone { path });
        }
        match open_locked(&path, &owner, loss, configure_writer).await {
            Ok(opened) => {
                if let Err(error) = owner.write_open() {
                    tracing::warn!(%error, "cannot write the lock file: an unclean shutdown would not be detected");
                }
                Ok(Self::start(path, owner, opened))
            }
            Err(error) => {
                owner.release(ShutdownKind::NotOpened);
                Err(error)
            }
        }
    }

    fn start(path: PathBuf, owner: Arc<DatabaseLock>, opened: OpenedDatabase) -> Self {
        let OpenedDatabase {
            readers,
            probe,
            connection,
            monitor,
        } = opened;
        let writer = SqliteWriter::new(connection, monitor, &owner);
        Self {
            queue: WriteQueue::start(writer, CancellationToken::new()),
            storage: Storage::File(FileStorage {
                path,
                readers,
                probe,
                owner,
            }),
            leases: LocalLeases::default(),
        }
    }
}

/// An opened database whose lock this process holds.
struct OpenedDatabase {
    readers: SqlitePool,
    /// For health checks, which wait for no reader.
    probe: SqlitePool,
    connection: SqliteConnection,
    monitor: FileMonitor,
}

/// What to do if acknowledged writes are missing after an unclean shutdown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::store) enum LossPolicy {
    Reject,
    Accept,
}

async fn acquire_lock(path: &Path) -> Result<DatabaseLock, SqliteOpenError> {
    let database = path.to_owned();
    let owned = tokio::task::spawn_blocking(move || DatabaseLock::acquire(&database)).await;
    match owned {
        Ok(Ok(owner)) => Ok(owner),
        Ok(Err(LockError::InUse(by))) => Err(SqliteOpenError::InUse {
            path: path.to_owned(),
            by,
        }),
        Ok(Err(LockError::Failed(error))) => Err(not_writable(path, &error)),
        Err(error) => Err(not_writable(path, &error)),
    }
}

async fn open_locked(
    path: &Path,
    owner: &DatabaseLock,
    loss: LossPolicy,
    configure_writer: impl FnOnce(SqliteConnectOptions) -> SqliteConnectOptions,
) -> Result<OpenedDatabase, SqliteOpenError> {
    // SQLite removes its log at a clean shutdown.
    let has_log = tokio::fs::metadata(wal_path(path)).await.is_ok();
    let failed = |error| open_error(path, error);
    let mut reader = connect_read_only(path).await.map_err(failed)?;
    reject_other_schema(path, &mut reader).await?;
    reject_lost(path, &mut reader, owner, loss).await?;
    reader.close().await.map_err(failed)?;
    let options = SqliteConnectOptions::new()
        .filename(path)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT);
    let options = options.disable_statement_logging();
    let mut connection = open_writer(path, &options, configure_writer)
        .await
        .map_err(failed)?;
    if has_log || owner.previous_shutdown() != PreviousShutdown::Clean {
        reject_damaged(path, &mut connection).await?;
    }
    migrations::SQLITE
        .run(&mut connection)
        .await
        .map_err(|error| migrate_error(path, error))?;
    // Only starting a write shows whether the file is writable.
    let probe = connection.begin_with("BEGIN IMMEDIATE").await;
    probe.map_err(failed)?.rollback().await.map_err(failed)?;

    if has_log {
        // After a power failure the log may contain anything after the last commit. The monitor must start with
        // a log whose end is known, so it is emptied.
        sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
            .execute(&mut connection)
            .await
            .map_err(failed)?;
    }

    let options = options.pragma("query_only", "ON");
    let connected = |max_connections| {
        let pool = SqlitePoolOptions::new().max_connections(max_connections);
        let pool = pool
            .acquire_timeout(BUSY_TIMEOUT)
            .test_before_acquire(false);
        pool.connect_with(options.clone())
    };
    let readers = connected(READERS).await.map_err(failed)?;
    let probe = connected(1).await.map_err(failed)?;
    let page_bytes: u32 = sqlx::query_scalar("PRAGMA page_size")
        .fetch_one(&mut connection)
        .await
        .map_err(failed)?;
    let monitor =
        FileMonitor::start(path, page_bytes.into()).map_err(|error| not_writable(path, &error))?;
    let commits = commit_count(&mut connection).await.map_err(failed)?;
    owner
        .record_commits(commits)
        .and_then(|()| owner.sync())
        .map_err(|error| not_writable(path, &error))?;
    Ok(OpenedDatabase {
        readers,
        probe,
        connection,
        monitor,
    })
}

/// Checks the SQLite version on an in-memory database, before any file is touched.
async fn check_sqlite(path: &Path) -> Result<(), SqliteOpenError> {
    let found = sqlite_version()
        .await
        .map_err(|error| open_error(path, error))?;
    if is_safe(&found) {
        Ok(())
    } else {
        Err(SqliteOpenError::SqliteTooOld { found })
    }
}

pub(super) async fn sqlite_version() -> Result<String, sqlx::Error> {
    let mut connection = SqliteConnectOptions::new()
        .in_memory(true)
        .connect()
        .await?;
    let version = sqlx::query_scalar("SELECT sqlite_version()")
        .fetch_one(&mut connection)
        .await?;
    connection.close().await?;
    Ok(version)
}

pub(super) fn is_safe(version: &str) -> bool {
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().ok());
    let mut number = || numbers.next().flatten();
    match (number(), number(), number()) {
        (Some(major), Some(minor), Some(patch)) => (major, minor, patch) >= OLDEST_SAFE,
        _ => false,
    }
}

/// Creates the file and its parent directories; returns whether the file is empty. It is readable by its owner
/// only, because it holds the seeds of running games. SQLite gives its log and index the same permissions.
async fn create_file(path: &Path) -> Result<bool, SqliteOpenError> {
    let to_error = |error: std::io::Error| not_writable(path, &error);
    if let Some(directory) = path.parent() {
        let is_there = tokio::fs::try_exists(directory).await.map_err(to_error)?;
        tokio::fs::create_dir_all(directory)
            .await
            .map_err(to_error)?;
        if !is_there {
            tracing::info!(directory = %directory.display(), "created the directory of the database");
        }
    }
    if tokio::fs::metadata(path)
        .await
        .is_ok_and(|found| found.is_dir())
    {
        return Err(to_error(std::io::ErrorKind::IsADirectory.into()));
    }
    let mut file = tokio::fs::OpenOptions::new();
    file.read(true).write(true).create(true);
    #[cfg(unix)]
    file.mode(0o600);
    let file = file.open(path).await.map_err(to_error)?;
    Ok(file.metadata().await.map_err(to_error)?.len() == 0)
}

/// Runs the checks that access the disk on a blocking thread.
/// Refuses a file with several names: SQLite names its log after the database, and finds only the log of one name.
#[cfg(unix)]
pub(super) async fn reject_hard_link(path: &Path) -> Result<(), SqliteOpenError> {
    use std::os::unix::fs::MetadataExt as _;
    match tokio::fs::metadata(path).await {
        Ok(found) if found.nlink() > 1 => Err(SqliteOpenError::HardLink {
            path: path.to_owned(),
        }),
        // Opening the file reports any other error.
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
pub(super) async fn reject_hard_link(_: &Path) -> Result<(), SqliteOpenError> {
    Ok(())
}

async fn check_location(path: &Path) -> Result<(), SqliteOpenError> {
    let owned = path.to_owned();
    let checked = tokio::task::spawn_blocking(move || {
        preflight::check_permissions(&owned);
        preflight::check_free_space(&owned)
    });
    checked
        .await
        .map_err(|error| not_writable(path, &error))
        .flatten()
}

pub(super) async fn open_writer(
    path: &Path,
    options: &SqliteConnectOptions,
    configure_writer: impl FnOnce(SqliteConnectOptions) -> SqliteConnectOptions,
) -> Result<SqliteConnection, sqlx::Error> {
    let options = options
        .clone()
        .journal_mode(SqliteJournalMode::Wal)
        // The writer runs checkpoints itself, so that no reply waits for one.
        .pragma("wal_autocheckpoint", "0")
        // For a statement that writes many rows, SQLite saves a copy of each changed page so that it can undo the
        // statement alone; by default the copies of a large batch go into a temporary file as large as the log.
        .pragma("temp_store", "MEMORY")
        .synchronous(SqliteSynchronous::Full);
    let mut connection = configure_writer(options).connect().await?;
    // SQLite falls back silently if WAL is not available, and readers need WAL to run concurrently with the
    // writer.
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode")
        .fetch_one(&mut connection)
        .await?;
    if mode == "wal" {
        Ok(connection)
    } else {
        Err(sqlx::Error::Configuration(
            format!("no write-ahead log for {}", path.display()).into(),
        ))
    }
}

/// Rejects a database of another program, of an earlier build or of a newer release.
pub(super) async fn reject_other_schema(
    path: &Path,
    connection: &mut SqliteConnection,
) -> Result<(), SqliteOpenError> {
    let failed = |error| open_error(path, error);
    let query = "SELECT name FROM sqlite_master WHERE type = 'table'";
    let tables: Vec<String> = sqlx::query_scalar(query)
        .fetch_all(&mut *connection)
        .await
        .map_err(failed)?;
    let path = path.to_owned();
    if tables.is_empty() {
        return Ok(());
    } else if !tables.iter().any(|table| table == "_sqlx_migrations") {
        return Err(SqliteOpenError::Foreign { path });
    }
    let applied = sqlx::query_as(migrations::APPLIED).fetch_all(connection);
    let applied: Vec<(i64, Vec<u8>)> = applied.await.map_err(failed)?;
    match migrations::find_mismatch(&migrations::SQLITE, &applied) {
        None => Ok(()),
        Some(SchemaMismatch::Earlier) => Err(SqliteOpenError::EarlierBuild { path }),
        Some(SchemaMismatch::Newer(version)) => Err(SqliteOpenError::TooNew { path, version }),
    }
}

/// Rejects a database that has fewer commits than were acknowledged.
async fn reject_lost(
    path: &Path,
    connection: &mut SqliteConnection,
    owner: &DatabaseLock,
    loss: LossPolicy,
) -> Result<(), SqliteOpenError> {
    let lost = find_loss(path, connection, owner.recorded_commits()).await;
    let Some(what) = lost.map_err(|error| open_error(path, error))? else {
        return Ok(());
    };
    if loss == LossPolicy::Accept {
        tracing::error!(what, "acknowledged plies are lost; continuing without them");
        return Ok(());
    }
    Err(SqliteOpenError::Lost {
        path: path.to_owned(),
        what,
    })
}

/// After an unclean shutdown: rejects a database whose b-trees are damaged. Damage within single rows is left
/// to their hashes, so that one damaged game does not keep the others from being served.
async fn reject_damaged(
    path: &Path,
    connection: &mut SqliteConnection,
) -> Result<(), SqliteOpenError> {
    tracing::info!("the last shutdown was unclean: checking the database");
    let errors: Vec<String> = sqlx::query_scalar("PRAGMA quick_check")
        .fetch_all(connection)
        .await
        .map_err(|error| open_error(path, error))?;
    let (row_errors, structure_errors): (Vec<_>, Vec<_>) = errors
        .into_iter()
        .filter(|error| error != "ok")
        .partition(|error| is_row_level_error(error));
    for error in row_errors {
        tracing::error!(error, "a database row is damaged: {ADVICE}");
    }
    match structure_errors.into_iter().next() {
        None => Ok(()),
        Some(what) => Err(SqliteOpenError::Damaged {
            path: path.to_owned(),
            what: what.replace('\n', " "),
        }),
    }
}

/// Whether a message of `PRAGMA quick_check` is about the content of a row rather than the structure
/// (<https://sqlite.org/pragma.html#pragma_integrity_check>).
fn is_row_level_error(error: &str) -> bool {
    error.starts_with("CHECK constraint failed in ")
        || [
            "NULL value in ",
            "NUMERIC value in ",
            "TEXT value in ",
            "non-",
        ]
        .iter()
        .any(|beginning| error.starts_with(beginning))
}

fn not_writable(path: &Path, reason: &(dyn std::error::Error + 'static)) -> SqliteOpenError {
    use std::io::ErrorKind::{QuotaExceeded, StorageFull};
    let kind = reason.downcast_ref().map(std::io::Error::kind);
    if matches!(kind, Some(StorageFull | QuotaExceeded)) {
        return SqliteOpenError::DiskFull {
            path: path.to_owned(),
            reason: reason.to_string(),
        };
    }
    SqliteOpenError::NotWritable {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}

pub(super) fn open_error(path: &Path, error: sqlx::Error) -> SqliteOpenError {
    let path = path.to_owned();
    match primary_code(&error) {
        Some(code::BUSY | code::LOCKED) => SqliteOpenError::Locked { path },
        Some(code::FULL) => SqliteOpenError::DiskFull {
            path,
            reason: error.to_string(),
        },
        Some(code::READONLY | code::CANTOPEN) => SqliteOpenError::NotWritable {
            path,
            reason: error.to_string(),
        },
        Some(code::CORRUPT | code::NOTADB) => SqliteOpenError::NotADatabase { path },
        _ => SqliteOpenError::Other {
            path,
            reason: error.to_string(),
        },
    }
}

fn migrate_error(path: &Path, error: MigrateError) -> SqliteOpenError {
    match error {
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
            open_error(path, error)
        }
        error => SqliteOpenError::Other {
            path: path.to_owned(),
            reason: error.to_string(),
        },
    }
}
