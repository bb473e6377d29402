//! Opening a file: what is refused, how it is made, and the writer's task.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sqlx::migrate::MigrateError;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::file_monitor::{FileMonitor, log_of};
use super::hash_backfill::seal_once;
use super::lock_file::{DatabaseLock, LockError, PreviousShutdown, ShutdownKind};
use super::losses::{commits, lost};
use super::writer::{Notes, SqliteWriter};
use super::{ADVICE, SqliteStore, preflight};
use crate::store::OpenError;
use crate::store::failure::FailureLatch;
use crate::store::local_leases::LocalLeases;
use crate::store::migrations;

/// Below this a commit that races a checkpoint can corrupt a WAL database (sqlite.org/wal.html,
/// "The WAL-reset bug").
const OLDEST_SAFE: (u32, u32, u32) = (3, 51, 3);

/// How many changes may wait; beyond it their askers wait for room.
const QUEUE: usize = 1024;

/// How long to wait for another program that holds the file.
pub(super) const BUSY: Duration = Duration::from_secs(5);

const READERS: u32 = 4;

impl SqliteStore {
    /// Opens the file, makes it when it is missing, and brings its schema up to date.
    ///
    /// # Errors
    /// [`OpenError`], in words for the person who started the program.
    pub async fn open(path: &Path) -> Result<Self, OpenError> {
        Self::open_or_lose(path, Loss::Refused).await
    }

    /// As [`open`](Self::open); what is done where acknowledged plies are lost is `loss`.
    pub(in crate::store) async fn open_or_lose(path: &Path, loss: Loss) -> Result<Self, OpenError> {
        Self::open_with(path, loss, |options| options).await
    }

    /// `writing` may change how the writer's connection behaves: tests make it fail.
    pub(super) async fn open_with(
        path: &Path,
        loss: Loss,
        writing: impl FnOnce(SqliteConnectOptions) -> SqliteConnectOptions,
    ) -> Result<Self, OpenError> {
        // An absolute name is never read as a `file:` URI, and survives a change of directory.
        let path = std::path::absolute(path).map_err(|error| not_writable(path, &error))?;
        check_sqlite(&path).await?;
        let is_new = make_file(&path).await?;
        // Two names of one file are one file, and SQLite puts the log beside the file itself.
        let path = tokio::fs::canonicalize(&path)
            .await
            .map_err(|error| not_writable(&path, &error))?;
        let owner = Arc::new(own(&path).await?);
        check_place(&path).await?;
        if is_new && owner.last_end() == PreviousShutdown::WhileOpen && loss == Loss::Refused {
            // Nothing new is begun in the place of what was there.
            let _ = tokio::fs::remove_file(&path).await;
            owner.end(ShutdownKind::Broken);
            return Err(OpenError::Gone { path });
        }
        match open_owned(&path, &owner, loss, writing).await {
            Ok(opened) => {
                if let Err(error) = owner.say_open() {
                    tracing::warn!(%error, "an end in disorder would not be noticed");
                }
                Ok(Self::run(path, owner, opened))
            }
            Err(error) => {
                owner.end(ShutdownKind::NotBegun);
                Err(error)
            }
        }
    }

    fn run(path: PathBuf, owner: Arc<DatabaseLock>, opened: OpenedDatabase) -> Self {
        let OpenedDatabase {
            readers,
            probe,
            connection,
            watch,
        } = opened;
        let (writer, requests) = mpsc::channel(QUEUE);
        let closing = CancellationToken::new();
        let broken = Arc::new(FailureLatch::default());
        let writing = SqliteWriter {
            connection,
            watch,
            notes: Notes::new(&owner),
            closing: closing.clone(),
            broken: Arc::clone(&broken),
        };
        let writing = tokio::spawn(writing.run(requests));
        Self {
            path,
            readers,
            probe,
            writer,
            writing: Mutex::new(Some(writing)),
            closing,
            broken,
            owner,
            leases: LocalLeases::default(),
        }
    }
}

/// A database that is ours alone and ready.
struct OpenedDatabase {
    readers: SqlitePool,
    /// For whoever asks whether the archive is ready: it waits for no reader.
    probe: SqlitePool,
    connection: SqliteConnection,
    watch: FileMonitor,
}

/// What to do where an unclean end has left less than was acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::store) enum Loss {
    Refused,
    Accepted,
}

async fn own(path: &Path) -> Result<DatabaseLock, OpenError> {
    let database = path.to_owned();
    let owned = tokio::task::spawn_blocking(move || DatabaseLock::take(&database)).await;
    match owned {
        Ok(Ok(owner)) => Ok(owner),
        Ok(Err(LockError::Taken(by))) => Err(OpenError::Owned {
            path: path.to_owned(),
            by,
        }),
        Ok(Err(LockError::Failed(error))) => Err(not_writable(path, &error)),
        Err(error) => Err(not_writable(path, &error)),
    }
}

async fn open_owned(
    path: &Path,
    owner: &DatabaseLock,
    loss: Loss,
    writing: impl FnOnce(SqliteConnectOptions) -> SqliteConnectOptions,
) -> Result<OpenedDatabase, OpenError> {
    // SQLite takes its log away when it ends in good order.
    let has_log = tokio::fs::metadata(log_of(path)).await.is_ok();
    refuse_lost(path, owner, loss).await?;
    let options = SqliteConnectOptions::new()
        .filename(path)
        .foreign_keys(true)
        .busy_timeout(BUSY);
    let options = options.disable_statement_logging();
    let failed = |error| open_error(path, error);
    let mut connection = open_writer(path, &options, writing).await.map_err(failed)?;
    refuse_foreign(path, &mut connection).await?;
    if has_log || owner.last_end() != PreviousShutdown::Good {
        refuse_damaged(path, &mut connection).await?;
    }
    migrations::SQLITE
        .run(&mut connection)
        .await
        .map_err(|error| migrate_error(path, error))?;
    seal_once(&mut connection).await.map_err(failed)?;
    // Only a write tells whether the file can be written.
    let probe = connection.begin_with("BEGIN IMMEDIATE").await;
    probe.map_err(failed)?.rollback().await.map_err(failed)?;

    if has_log {
        // A power cut leaves anything behind the last commit. The watch is to begin with a log that is
        // known to its end, and an empty one is.
        sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
            .execute(&mut connection)
            .await
            .map_err(failed)?;
    }

    let options = options.pragma("query_only", "ON");
    let connected = |most| {
        let pool = SqlitePoolOptions::new().max_connections(most);
        let pool = pool.acquire_timeout(BUSY).test_before_acquire(false);
        pool.connect_with(options.clone())
    };
    let readers = connected(READERS).await.map_err(failed)?;
    let probe = connected(1).await.map_err(failed)?;
    let page_bytes: u32 = sqlx::query_scalar("PRAGMA page_size")
        .fetch_one(&mut connection)
        .await
        .map_err(failed)?;
    let watch =
        FileMonitor::begin(path, page_bytes.into()).map_err(|error| not_writable(path, &error))?;
    let commits = commits(&mut connection).await.map_err(failed)?;
    owner
        .note(commits)
        .and_then(|()| owner.sync())
        .map_err(|error| not_writable(path, &error))?;
    Ok(OpenedDatabase {
        readers,
        probe,
        connection,
        watch,
    })
}

/// Asks SQLite itself, on a database of its own, before any file of ours is touched.
async fn check_sqlite(path: &Path) -> Result<(), OpenError> {
    let found = sqlite_version()
        .await
        .map_err(|error| open_error(path, error))?;
    if is_safe(&found) {
        Ok(())
    } else {
        Err(OpenError::SqliteTooOld { found })
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

/// Makes the file and the directories above it; tells whether there is nothing in it yet. Only its owner
/// may read it: it holds the seeds of running games. SQLite gives its log and index the same rights.
async fn make_file(path: &Path) -> Result<bool, OpenError> {
    let fault = |error: std::io::Error| not_writable(path, &error);
    if let Some(directory) = path.parent() {
        let is_there = tokio::fs::try_exists(directory).await.map_err(fault)?;
        tokio::fs::create_dir_all(directory).await.map_err(fault)?;
        if !is_there {
            tracing::info!(directory = %directory.display(), "made a directory for the games");
        }
    }
    if tokio::fs::metadata(path)
        .await
        .is_ok_and(|found| found.is_dir())
    {
        return Err(fault(std::io::ErrorKind::IsADirectory.into()));
    }
    let mut file = tokio::fs::OpenOptions::new();
    file.read(true).write(true).create(true);
    #[cfg(unix)]
    file.mode(0o600);
    let file = file.open(path).await.map_err(fault)?;
    Ok(file.metadata().await.map_err(fault)?.len() == 0)
}

/// What may take a moment on the disk, on a thread that may wait.
async fn check_place(path: &Path) -> Result<(), OpenError> {
    let owned = path.to_owned();
    let checked = tokio::task::spawn_blocking(move || {
        preflight::check_rights(&owned);
        preflight::check_room(&owned)
    });
    checked
        .await
        .map_err(|error| not_writable(path, &error))
        .flatten()
}

pub(super) async fn open_writer(
    path: &Path,
    options: &SqliteConnectOptions,
    writing: impl FnOnce(SqliteConnectOptions) -> SqliteConnectOptions,
) -> Result<SqliteConnection, sqlx::Error> {
    let options = options
        .clone()
        .journal_mode(SqliteJournalMode::Wal)
        // The writer says when the log goes into the database, so that nobody's answer waits for it.
        .pragma("wal_autocheckpoint", "0")
        .synchronous(SqliteSynchronous::Full);
    let mut connection = writing(options).connect().await?;
    // SQLite says nothing when it cannot have WAL, and WAL is what lets readers run beside us.
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

/// A database with tables, none of them our list of migrations, belongs to somebody else.
pub(super) async fn refuse_foreign(
    path: &Path,
    connection: &mut SqliteConnection,
) -> Result<(), OpenError> {
    let query = "SELECT count(*) > 0 AND sum(name = '_sqlx_migrations') = 0 FROM sqlite_master WHERE type = 'table'";
    let is_foreign: Option<bool> = sqlx::query_scalar(query)
        .fetch_one(connection)
        .await
        .map_err(|error| open_error(path, error))?;
    if is_foreign == Some(true) {
        Err(OpenError::Foreign {
            path: path.to_owned(),
        })
    } else {
        Ok(())
    }
}

/// Refuses a database that has fewer commits than were acknowledged.
async fn refuse_lost(path: &Path, owner: &DatabaseLock, loss: Loss) -> Result<(), OpenError> {
    let lost = lost(path, owner.noted()).await;
    let Some(what) = lost.map_err(|error| open_error(path, error))? else {
        return Ok(());
    };
    if loss == Loss::Accepted {
        tracing::error!(
            what,
            "acknowledged plies are lost, and the server goes on without them"
        );
        return Ok(());
    }
    Err(OpenError::Lost {
        path: path.to_owned(),
        what,
    })
}

/// After an end in disorder: whether the trees of the database are whole. What stands in single rows
/// is left to their seals, so that one damaged game keeps no other from being served.
async fn refuse_damaged(path: &Path, connection: &mut SqliteConnection) -> Result<(), OpenError> {
    tracing::info!("the last end was not in good order: looking whether the database is whole");
    let complaints: Vec<String> = sqlx::query_scalar("PRAGMA quick_check")
        .fetch_all(connection)
        .await
        .map_err(|error| open_error(path, error))?;
    let (of_rows, of_trees): (Vec<_>, Vec<_>) = complaints
        .into_iter()
        .filter(|complaint| complaint != "ok")
        .partition(|complaint| is_about_a_row(complaint));
    for complaint in of_rows {
        tracing::error!(complaint, "a row of the database is damaged: {ADVICE}");
    }
    match of_trees.into_iter().next() {
        None => Ok(()),
        Some(what) => Err(OpenError::Damaged {
            path: path.to_owned(),
            what: what.replace('\n', " "),
        }),
    }
}

/// Whether a complaint of `PRAGMA quick_check` is about what a row holds, and not about where rows are
/// found (<https://sqlite.org/pragma.html#pragma_integrity_check>).
fn is_about_a_row(complaint: &str) -> bool {
    complaint.starts_with("CHECK constraint failed in ")
        || [
            "NULL value in ",
            "NUMERIC value in ",
            "TEXT value in ",
            "non-",
        ]
        .iter()
        .any(|beginning| complaint.starts_with(beginning))
}

fn not_writable(path: &Path, reason: &(dyn std::error::Error + 'static)) -> OpenError {
    use std::io::ErrorKind::{QuotaExceeded, StorageFull};
    let kind = reason.downcast_ref().map(std::io::Error::kind);
    if matches!(kind, Some(StorageFull | QuotaExceeded)) {
        return OpenError::NoRoom {
            path: path.to_owned(),
            reason: reason.to_string(),
        };
    }
    OpenError::NotWritable {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}

/// Result codes of SQLite, <https://sqlite.org/rescode.html>.
pub(super) mod code {
    pub(in crate::store::sqlite) const BUSY: i32 = 5;
    pub(in crate::store::sqlite) const LOCKED: i32 = 6;
    pub(in crate::store::sqlite) const READONLY: i32 = 8;
    pub(in crate::store::sqlite) const IOERR: i32 = 10;
    pub(in crate::store::sqlite) const CORRUPT: i32 = 11;
    pub(in crate::store::sqlite) const FULL: i32 = 13;
    pub(in crate::store::sqlite) const CANTOPEN: i32 = 14;
    pub(in crate::store::sqlite) const CONSTRAINT: i32 = 19;
    pub(in crate::store::sqlite) const NOTADB: i32 = 26;
}

/// The primary result code: the low byte of the extended one.
pub(super) fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let code: i32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(code & 0xff)
}

pub(super) fn open_error(path: &Path, error: sqlx::Error) -> OpenError {
    let path = path.to_owned();
    match primary_code(&error) {
        Some(code::BUSY | code::LOCKED) => OpenError::Locked { path },
        Some(code::FULL) => OpenError::NoRoom {
            path,
            reason: error.to_string(),
        },
        Some(code::READONLY | code::CANTOPEN) => OpenError::NotWritable {
            path,
            reason: error.to_string(),
        },
        Some(code::CORRUPT | code::NOTADB) => OpenError::NotADatabase { path },
        _ => OpenError::Other {
            path,
            reason: error.to_string(),
        },
    }
}

fn migrate_error(path: &Path, error: MigrateError) -> OpenError {
    match error {
        MigrateError::VersionMissing(version) => OpenError::TooNew {
            path: path.to_owned(),
            version,
        },
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
            open_error(path, error)
        }
        error => OpenError::Other {
            path: path.to_owned(),
            reason: error.to_string(),
        },
    }
}
