//! Opens a database file for reading. A server may have it open at the same time.

use std::path::Path;

use sqlx::{Executor as _, SqliteConnection};

use super::lock_file::read_recorded_commits;
use super::losses::{connect_read_only, find_loss};
use super::open::{open_error, reject_hard_link, reject_other_schema};
use super::open_error::SqliteOpenError;

/// A connection in a transaction that sees one snapshot, and what is lost if acknowledged plies are.
pub(in crate::store) async fn open_snapshot(
    path: &Path,
) -> Result<(SqliteConnection, Option<String>), SqliteOpenError> {
    let failed = |error| open_error(path, error);
    // Checked first because SQLite's own error has no details.
    let found = tokio::fs::canonicalize(path).await;
    let absolute = found.map_err(|error| SqliteOpenError::Other {
        path: path.to_owned(),
        reason: error.to_string(),
    })?;
    reject_hard_link(&absolute).await?;
    // Read before the database, because a server may be committing.
    let recorded = read_recorded_commits(&absolute);
    let mut connection = connect_read_only(&absolute).await.map_err(failed)?;
    reject_other_schema(path, &mut connection).await?;
    let lost = find_loss(&absolute, &mut connection, recorded).await;
    let lost = lost.map_err(failed)?;
    // A transaction, so that everything read from here on comes from one snapshot.
    connection.execute("BEGIN").await.map_err(failed)?;
    let lost = lost.map(|what| format!("acknowledged plies are lost: {what}"));
    Ok((connection, lost))
}
