//! Opening a file: what is refused, how it is made, and the writer's task.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::SqliteArchive;
use super::writing::write;
use crate::archive::OpenError;

/// Below this a commit that races a checkpoint can corrupt a WAL database (sqlite.org/wal.html,
/// "The WAL-reset bug").
const OLDEST_SAFE: (u32, u32, u32) = (3, 51, 3);

/// How many changes may wait; beyond it their askers wait for room.
const QUEUE: usize = 1024;

/// How long to wait for another program that holds the file.
const BUSY: Duration = Duration::from_secs(5);

const READERS: u32 = 4;

static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");

impl SqliteArchive {
    /// Opens the file, makes it when it is missing, and brings its schema up to date.
    ///
    /// # Errors
    /// [`OpenError`], in words for the person who started the program.
    pub async fn open(path: &Path) -> Result<Self, OpenError> {
        Self::open_with(path, |options| options).await
    }

    /// `writing` may change how the writer's connection behaves: tests make it fail.
    pub(super) async fn open_with(
        path: &Path,
        writing: impl FnOnce(SqliteConnectOptions) -> SqliteConnectOptions,
    ) -> Result<Self, OpenError> {
        // An absolute name is never read as a `file:` URI, and survives a change of directory.
        let path = &std::path::absolute(path).map_err(|error| not_writable(path, &error))?;
        check_sqlite(path).await?;
        make_file(path).await?;

        let options = SqliteConnectOptions::new()
            .filename(path)
            .foreign_keys(true)
            .busy_timeout(BUSY);
        let options = options.disable_statement_logging();
        let mut connection = open_writer(path, &options, writing)
            .await
            .map_err(|error| open_error(path, error))?;
        refuse_foreign(path, &mut connection).await?;
        MIGRATIONS
            .run(&mut connection)
            .await
            .map_err(|error| migrate_error(path, error))?;
        // Only a write tells whether the file can be written.
        let probe = connection
            .begin_with("BEGIN IMMEDIATE")
            .await
            .map_err(|error| open_error(path, error))?;
        probe
            .rollback()
            .await
            .map_err(|error| open_error(path, error))?;

        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .acquire_timeout(BUSY)
            .connect_with(options.pragma("query_only", "ON"))
            .await
            .map_err(|error| open_error(path, error))?;
        let (writer, requests) = mpsc::channel(QUEUE);
        let closing = CancellationToken::new();
        let broken = CancellationToken::new();
        let writing = tokio::spawn(write(connection, requests, closing.clone(), broken.clone()));
        Ok(Self {
            readers,
            writer,
            writing: Mutex::new(Some(writing)),
            closing,
            broken,
        })
    }
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

/// Makes the file and the directories above it. Only its owner may read it: it holds the seeds of
/// running games. SQLite gives its log and index the same rights.
async fn make_file(path: &Path) -> Result<(), OpenError> {
    let fault = |error: std::io::Error| not_writable(path, &error);
    if let Some(directory) = path.parent() {
        tokio::fs::create_dir_all(directory).await.map_err(fault)?;
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
    file.open(path).await.map(drop).map_err(fault)
}

pub(super) async fn open_writer(
    path: &Path,
    options: &SqliteConnectOptions,
    writing: impl FnOnce(SqliteConnectOptions) -> SqliteConnectOptions,
) -> Result<SqliteConnection, sqlx::Error> {
    let options = options
        .clone()
        .journal_mode(SqliteJournalMode::Wal)
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
async fn refuse_foreign(path: &Path, connection: &mut SqliteConnection) -> Result<(), OpenError> {
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

fn not_writable(path: &Path, reason: &dyn std::error::Error) -> OpenError {
    OpenError::NotWritable {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}

/// Result codes of SQLite, <https://sqlite.org/rescode.html>.
pub(super) mod code {
    pub(in crate::archive::sqlite) const BUSY: i32 = 5;
    pub(in crate::archive::sqlite) const LOCKED: i32 = 6;
    pub(in crate::archive::sqlite) const READONLY: i32 = 8;
    pub(in crate::archive::sqlite) const CORRUPT: i32 = 11;
    pub(in crate::archive::sqlite) const CANTOPEN: i32 = 14;
    pub(in crate::archive::sqlite) const CONSTRAINT: i32 = 19;
    pub(in crate::archive::sqlite) const NOTADB: i32 = 26;
}

/// The primary result code: the low byte of the extended one.
pub(super) fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let code: i32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(code & 0xff)
}

fn open_error(path: &Path, error: sqlx::Error) -> OpenError {
    let path = path.to_owned();
    match primary_code(&error) {
        Some(code::BUSY | code::LOCKED) => OpenError::Locked { path },
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
