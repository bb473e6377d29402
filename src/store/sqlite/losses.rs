//! Whether a database that an unclean end left still has all its commits.
//!
//! SQLite takes a log as ended where a checksum is wrong, and a log that is missing as empty: it would go on
//! without a word. So the program counts commits in the database, notes the number beside it after each
//! commit ([`Ownership::note`](super::lock_file::Ownership::note)), and compares both before it goes on.

use std::path::Path;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};

use super::file_monitor::{FRAME_HEAD, HEAD, log_of};
use super::lock_file::{LogEnd, Noted};
use super::open::BUSY;

/// What of a database is lost, in words; `None` where nothing is.
///
/// The database is only read: the log is left as it is, so that who has a copy can put it back.
pub(super) async fn lost(path: &Path, noted: Option<Noted>) -> Result<Option<String>, sqlx::Error> {
    let Some(noted) = noted else { return Ok(None) };
    let mut connection = connect_reading(path).await?;
    let lost = lost_of(path, &mut connection, noted).await;
    connection.close().await?;
    lost
}

/// Connects to a database to read it alone.
pub(super) async fn connect_reading(path: &Path) -> Result<SqliteConnection, sqlx::Error> {
    // Where there is no log nobody has the file open, and reading it must not make one.
    let has_log = tokio::fs::metadata(log_of(path)).await.is_ok();
    let options = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .immutable(!has_log)
        .busy_timeout(BUSY)
        .disable_statement_logging();
    options.connect().await
}

/// As [`lost`], over a connection that is there.
pub(super) async fn lost_of(
    path: &Path,
    connection: &mut SqliteConnection,
    noted: Noted,
) -> Result<Option<String>, sqlx::Error> {
    let found = tokio::fs::metadata(log_of(path)).await;
    let is_lost = match noted {
        Noted::Commits(noted) => commits(connection).await? < noted,
        Noted::Log(noted) => is_shorter(path, connection, noted).await?,
    };
    Ok(is_lost.then(|| {
        let log = log_of(path);
        let what = match found.map(|found| found.len()) {
            Err(_) => "missing",
            Ok(0) => "empty",
            Ok(_) => "cut, older or damaged",
        };
        format!("{} is {what}", log.display())
    }))
}

/// How many commits the database has; none in one of an earlier release.
pub(super) async fn commits(connection: &mut SqliteConnection) -> Result<u64, sqlx::Error> {
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

/// Whether the log that an earlier release noted ends before the noted end. Of another log, which may have
/// been emptied in good order, nobody can tell.
async fn is_shorter(
    path: &Path,
    connection: &mut SqliteConnection,
    noted: LogEnd,
) -> Result<bool, sqlx::Error> {
    let log = tokio::fs::read(log_of(path)).await.unwrap_or_default();
    if log.get(16..24) != Some(&noted.salts) {
        return Ok(false);
    }
    // It only tells how many frames SQLite takes as valid.
    let (_, frames, _): (i64, i64, i64) = sqlx::query_as("PRAGMA wal_checkpoint(NOOP)")
        .fetch_one(&mut *connection)
        .await?;
    let page_bytes: u32 = sqlx::query_scalar("PRAGMA page_size")
        .fetch_one(connection)
        .await?;
    let end = HEAD + frames.unsigned_abs() * (FRAME_HEAD + u64::from(page_bytes));
    Ok(end < noted.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::GameStore as _;
    use crate::store::sqlite::SqliteStore;

    #[tokio::test]
    async fn the_end_of_the_log_that_earlier_releases_noted_is_compared() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        SqliteStore::open(&path).await.unwrap().close().await;
        let archive = SqliteStore::open(&path).await.unwrap();
        archive.add_counts(vec![("a".to_owned(), 1)]).await.unwrap();
        let whole = std::fs::read(log_of(&path)).unwrap();
        let salts = *whole[16..].first_chunk().unwrap();
        let end = whole.len() as u64;
        let lost = async |salts, end| {
            let noted = Noted::Log(LogEnd { salts, end });
            lost(&path, Some(noted)).await.unwrap()
        };
        assert_eq!(lost(salts, end).await, None);
        assert_eq!(lost([0; 8], end + 1).await, None, "a mark of another log");
        let told = lost(salts, end + 1).await.unwrap();
        assert!(
            told.ends_with("games.db-wal is cut, older or damaged"),
            "{told}"
        );
        archive.close().await;
    }
}
