//! Opens a database file for reading. A server may have it open at the same time.

use std::path::Path;

use sqlx::Executor as _;
use sqlx::sqlite::SqliteConnection;

use super::lock_file::read_commit_record;
use super::losses::{connect_read_only, find_loss_with};
use super::open::{open_error, reject_foreign, reject_hard_link};
use crate::store::OpenError;
use crate::store::migrations::SQLITE;
use crate::store::reader::DatabaseReader;

/// Opens a database file for reading.
pub(in crate::store) async fn open_reader(path: &Path) -> Result<DatabaseReader, OpenError> {
    let failed = |error| open_error(path, error);
    // Checked first because SQLite's own error has no details.
    let found = tokio::fs::canonicalize(path).await;
    let absolute = found.map_err(|error| OpenError::Other {
        path: path.to_owned(),
        reason: error.to_string(),
    })?;
    reject_hard_link(&absolute).await?;
    // Read before the database, because a server may be committing.
    let recorded = read_commit_record(&absolute);
    let mut connection = connect_read_only(&absolute).await.map_err(failed)?;
    reject_foreign(path, &mut connection).await?;
    let query = "SELECT count(*) = 1 FROM pragma_table_info('game') WHERE name = 'tip'";
    let has_hashes: bool = sqlx::query_scalar(query)
        .fetch_one(&mut connection)
        .await
        .map_err(failed)?;
    let lost = match recorded {
        Some(recorded) => find_loss_with(&absolute, &mut connection, recorded).await,
        None => Ok(None),
    };
    let lost = lost.map_err(failed)?;
    if !has_hashes {
        let path = path.to_owned();
        return Err(match lost {
            Some(what) => OpenError::Lost { path, what },
            None => OpenError::TooOld { path },
        });
    }
    // A transaction, so that everything read from here on comes from one snapshot.
    connection.execute("BEGIN").await.map_err(failed)?;
    let lost = lost.map(|what| format!("acknowledged plies are lost: {what}"));
    let altered = altered_migration(&mut connection).await;
    let altered = altered.unwrap_or_else(|error| Some(error.to_string()));
    Ok(DatabaseReader {
        snapshot: Box::new(connection),
        startup_errors: lost.into_iter().chain(altered).collect(),
    })
}

/// An error message if a migration was applied that differs from this program's.
async fn altered_migration(
    connection: &mut SqliteConnection,
) -> Result<Option<String>, sqlx::Error> {
    let query = "SELECT version, checksum, success FROM _sqlx_migrations ORDER BY version";
    let applied: Vec<(i64, Vec<u8>, bool)> = sqlx::query_as(query).fetch_all(connection).await?;
    let known = |version| SQLITE.iter().find(|known| known.version == version);
    let altered = applied.iter().find(|(version, checksum, success)| {
        !success || known(*version).is_none_or(|known| *known.checksum != **checksum)
    });
    Ok(altered.map(|(version, ..)| format!("migration {version} is none of this program's")))
}
