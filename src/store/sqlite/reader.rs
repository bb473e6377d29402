//! Read-only access to a database file. A server may have it open at the same time.

use std::path::Path;

use sqlx::Executor as _;
use sqlx::sqlite::SqliteConnection;

use super::load::load_within;
use super::lock_file::read_commit_record;
use super::losses::{connect_read_only, find_loss_with};
use super::open::{open_error, reject_foreign};
use crate::store::migrations::SQLITE;
use crate::store::reader::ExportedReview;
use crate::store::sql::decode::{RowReadError, parse_program_with_activity};
use crate::store::{ExportedGame, GameId, OpenError, RegisteredProgram, StoredGame, sql};

#[derive(Debug)]
pub struct SqliteReader {
    connection: SqliteConnection,
    /// Errors for which a server would refuse to start.
    startup_errors: Vec<String>,
}

impl SqliteReader {
    /// Opens a database for reading.
    ///
    /// # Errors
    /// [`OpenError`], with a message for the operator.
    pub async fn open(path: &Path) -> Result<Self, OpenError> {
        let failed = |error| open_error(path, error);
        // Checked first because SQLite's own error has no details.
        let found = tokio::fs::canonicalize(path).await;
        let absolute = found.map_err(|error| OpenError::Other {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
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
        Ok(SqliteReader {
            connection,
            startup_errors: lost.into_iter().chain(altered).collect(),
        })
    }

    /// The errors that SQLite's integrity check reports; empty if the database is intact.
    pub async fn integrity_errors(&mut self) -> Vec<String> {
        let query = sqlx::query_scalar("PRAGMA integrity_check");
        let errors = match query.fetch_all(&mut self.connection).await {
            Ok(mut errors) => {
                errors.retain(|error: &String| error != "ok");
                errors
            }
            Err(error) => vec![error.to_string()],
        };
        self.startup_errors.drain(..).chain(errors).collect()
    }

    /// The ids of all games, including games of which only some rows are left.
    ///
    /// # Errors
    /// A message why they cannot be read.
    pub async fn games(&mut self) -> Result<Vec<String>, String> {
        let query = "SELECT id FROM game NOT INDEXED UNION SELECT game FROM seat UNION SELECT game FROM entry";
        let games = sqlx::query_scalar(query).fetch_all(&mut self.connection);
        games.await.map_err(|error| error.to_string())
    }

    /// A game, or `None` if the id is unknown.
    ///
    /// # Errors
    /// A message if it cannot be read or the integrity check fails.
    pub async fn load(&mut self, id: &str) -> Result<Option<StoredGame>, String> {
        let id: GameId = id.parse().map_err(|_| "no game has such a name")?;
        let loaded = load_within(&mut self.connection, &id).await;
        loaded.map_err(|error| match error {
            RowReadError::Damaged(what) => what,
            RowReadError::Storage(error) => error.to_string(),
        })
    }

    /// The ids of all games in order of creation.
    pub(in crate::store) async fn game_ids_by_creation(&mut self) -> Result<Vec<String>, String> {
        let query = sqlx::query_scalar(sql::queries::OLDEST_FIRST);
        query
            .fetch_all(&mut self.connection)
            .await
            .map_err(format_error)
    }

    pub(in crate::store) async fn load_exported(
        &mut self,
        id: &str,
    ) -> Result<Option<ExportedGame>, String> {
        let Some(stored) = self.load(id).await? else {
            return Ok(None);
        };
        let query = sqlx::query_as(sql::queries::DERIVED_COLUMNS).bind(id);
        let (played, active_ms) = query
            .fetch_one(&mut self.connection)
            .await
            .map_err(format_error)?;
        Ok(Some(ExportedGame {
            stored,
            played,
            active_ms,
        }))
    }

    pub(in crate::store) async fn review(
        &mut self,
        id: &str,
    ) -> Result<Option<ExportedReview>, String> {
        let query = sqlx::query_as(sql::queries::EXPORTED_REVIEW).bind(id);
        let found = query.fetch_optional(&mut self.connection).await;
        found.map_err(format_error)
    }

    pub(in crate::store) async fn programs(
        &mut self,
    ) -> Result<Vec<(RegisteredProgram, i64)>, String> {
        let query = sqlx::query(sql::queries::PROGRAMS);
        let rows = query
            .fetch_all(&mut self.connection)
            .await
            .map_err(format_error)?;
        let programs = rows
            .iter()
            .filter_map(|row| parse_program_with_activity(row).transpose());
        programs.collect::<Result<_, _>>().map_err(format_error)
    }

    pub(in crate::store) async fn counts(&mut self) -> Result<Vec<(String, u64)>, String> {
        let query = sqlx::query_as(sql::queries::COUNTS);
        let counts: Vec<(String, i64)> = query
            .fetch_all(&mut self.connection)
            .await
            .map_err(format_error)?;
        let counts = counts.into_iter();
        Ok(counts
            .map(|(name, count)| (name, count.unsigned_abs()))
            .collect())
    }
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

/// Formats an error; files of earlier releases lack tables that a copy needs.
fn format_error(error: sqlx::Error) -> String {
    let error = error.to_string();
    match error.contains("no such") {
        true => format!("{error}: a file of an earlier release is served once before it is copied"),
        false => error,
    }
}
