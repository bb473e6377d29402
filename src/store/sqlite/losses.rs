//! Checks whether a database still has all its commits after an unclean shutdown.
//!
//! SQLite takes a log to end at the first wrong checksum, and a missing log to be empty, without an error. So
//! the program counts commits in the database, records the number in the lock file after each commit
//! ([`DatabaseLock::record_commits`](super::lock_file::DatabaseLock::record_commits)), and compares both at the
//! next start.

use std::path::Path;

use sqlx::ConnectOptions as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};

use super::BUSY_TIMEOUT;
use super::file_monitor::wal_path;

/// Connects to a database for reading.
pub(super) async fn connect_read_only(path: &Path) -> Result<SqliteConnection, sqlx::Error> {
    // Without a log no other process has the file open, and reading it must not create one.
    let has_log = tokio::fs::metadata(wal_path(path)).await.is_ok();
    let options = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .immutable(!has_log)
        .busy_timeout(BUSY_TIMEOUT)
        .disable_statement_logging();
    options.connect().await
}

/// A description of the loss, or `None`. The connection is one for reading: the log stays unchanged, so that a copy of it
/// can still be put back.
pub(super) async fn find_loss(
    path: &Path,
    connection: &mut SqliteConnection,
    recorded: Option<u64>,
) -> Result<Option<String>, sqlx::Error> {
    let Some(recorded) = recorded else {
        return Ok(None);
    };
    if commit_count(connection).await? >= recorded {
        return Ok(None);
    }
    let log = wal_path(path);
    let what = match tokio::fs::metadata(&log).await.map(|found| found.len()) {
        Err(_) => "missing",
        Ok(0) => "empty",
        Ok(_) => "cut, older or damaged",
    };
    Ok(Some(format!("{} is {what}", log.display())))
}

/// The number of commits of the database; 0 before its first migration.
pub(super) async fn commit_count(connection: &mut SqliteConnection) -> Result<u64, sqlx::Error> {
    let query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'commit_count'";
    let counts: bool = sqlx::query_scalar(query)
        .fetch_one(&mut *connection)
        .await?;
    if !counts {
        return Ok(0);
    }
    let query = sqlx::query_scalar("SELECT number FROM commit_count");
    let number: i64 = query.fetch_one(connection).await?;
    Ok(number.unsigned_abs())
}
