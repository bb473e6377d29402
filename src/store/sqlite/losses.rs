//! Checks whether a database still has all its commits after an unclean shutdown.
//!
//! SQLite takes a log to end at the first wrong checksum, and a missing log to be empty, without an error. So
//! the program counts commits in the database, records the number in the lock file after each commit
//! ([`DatabaseLock::record_commits`](super::lock_file::DatabaseLock::record_commits)), and compares both at the
//! next start.

use std::path::Path;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};

use super::file_monitor::{FRAME_HEAD, HEAD, wal_path};
use super::lock_file::{CommitRecord, WalEnd};
use super::open::BUSY;

/// A description of the loss, or `None`.
///
/// Opens the database read-only: the log stays unchanged, so that a copy of it can still be put back.
pub(super) async fn find_loss(
    path: &Path,
    recorded: Option<CommitRecord>,
) -> Result<Option<String>, sqlx::Error> {
    let Some(recorded) = recorded else {
        return Ok(None);
    };
    let mut connection = connect_read_only(path).await?;
    let lost = find_loss_with(path, &mut connection, recorded).await;
    connection.close().await?;
    lost
}

/// Connects to a database for reading.
pub(super) async fn connect_read_only(path: &Path) -> Result<SqliteConnection, sqlx::Error> {
    // Without a log no other process has the file open, and reading it must not create one.
    let has_log = tokio::fs::metadata(wal_path(path)).await.is_ok();
    let options = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .immutable(!has_log)
        .busy_timeout(BUSY)
        .disable_statement_logging();
    options.connect().await
}

/// Like [`find_loss`], on an open connection.
pub(super) async fn find_loss_with(
    path: &Path,
    connection: &mut SqliteConnection,
    recorded: CommitRecord,
) -> Result<Option<String>, sqlx::Error> {
    let found = tokio::fs::metadata(wal_path(path)).await;
    let is_lost = match recorded {
        CommitRecord::Commits(recorded) => commit_count(connection).await? < recorded,
        CommitRecord::Log(recorded) => is_log_shorter(path, connection, recorded).await?,
    };
    Ok(is_lost.then(|| {
        let log = wal_path(path);
        let what = match found.map(|found| found.len()) {
            Err(_) => "missing",
            Ok(0) => "empty",
            Ok(_) => "cut, older or damaged",
        };
        format!("{} is {what}", log.display())
    }))
}

/// The number of commits of the database; 0 for a database of an earlier release.
pub(super) async fn commit_count(connection: &mut SqliteConnection) -> Result<u64, sqlx::Error> {
    let query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'commits'";
    let counts: bool = sqlx::query_scalar(query)
        .fetch_one(&mut *connection)
        .await?;
    if !counts {
        return Ok(0);
    }
    let query = sqlx::query_scalar("SELECT number FROM commits");
    let number: i64 = query.fetch_one(connection).await?;
    Ok(number.unsigned_abs())
}

/// Whether the log ends before the end that an earlier release recorded. `false` if the salts show another log:
/// the recorded one may have been emptied by a checkpoint.
async fn is_log_shorter(
    path: &Path,
    connection: &mut SqliteConnection,
    recorded: WalEnd,
) -> Result<bool, sqlx::Error> {
    let log = tokio::fs::read(wal_path(path)).await.unwrap_or_default();
    if log.get(16..24) != Some(&recorded.salts) {
        return Ok(false);
    }
    // This mode only returns the number of frames that SQLite considers valid.
    let (_, frames, _): (i64, i64, i64) = sqlx::query_as("PRAGMA wal_checkpoint(NOOP)")
        .fetch_one(&mut *connection)
        .await?;
    let page_bytes: u32 = sqlx::query_scalar("PRAGMA page_size")
        .fetch_one(connection)
        .await?;
    let end = HEAD + frames.unsigned_abs() * (FRAME_HEAD + u64::from(page_bytes));
    Ok(end < recorded.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::SqliteStore;
    use crate::store::{DerivedStore as _, GameStore as _};

    #[tokio::test]
    async fn a_log_end_recorded_by_an_earlier_release_is_compared() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        SqliteStore::open(&path).await.unwrap().close().await;
        let store = SqliteStore::open(&path).await.unwrap();
        store.add_counts(vec![("a".to_owned(), 1)]).await.unwrap();
        let log = std::fs::read(wal_path(&path)).unwrap();
        let salts = *log[16..].first_chunk().unwrap();
        let end = log.len() as u64;
        let lost = async |salts, end| {
            let recorded = CommitRecord::Log(WalEnd { salts, end });
            find_loss(&path, Some(recorded)).await.unwrap()
        };
        assert_eq!(lost(salts, end).await, None);
        assert_eq!(lost([0; 8], end + 1).await, None, "the end of another log");
        let loss = lost(salts, end + 1).await.unwrap();
        assert!(
            loss.ends_with("games.db-wal is cut, older or damaged"),
            "{loss}"
        );
        store.close().await;
    }
}
