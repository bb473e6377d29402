//! Read-only access to a snapshot of a database.

use sqlx::postgres::PgConnection;
use sqlx::{ConnectOptions as _, Executor as _};

use super::load::{BEGIN_SNAPSHOT, load_within};
use super::open::{SchemaPresence, find_schema, newest_migration, parse_url};
use super::open_error::{PostgresOpenError, database_name};
use crate::store::reader::ExportedReview;
use crate::store::sql::decode::{RowReadError, parse_program_with_activity};
use crate::store::{ExportedGame, GameId, RegisteredProgram, StoredGame, sql};

#[derive(Debug)]
pub struct PostgresReader {
    connection: PgConnection,
}

fn format_error(error: sqlx::Error) -> String {
    error.to_string()
}

impl PostgresReader {
    /// Opens a database for reading.
    ///
    /// # Errors
    /// [`PostgresOpenError`], with a message for the operator.
    pub async fn open(url: &str) -> Result<Self, PostgresOpenError> {
        let options = parse_url(url)?;
        let failed = |error: sqlx::Error| PostgresOpenError::from_error(&options, &error);
        let mut connection = options.connect().await.map_err(failed)?;
        let database = database_name(&options);
        if find_schema(&options, &mut connection).await? == SchemaPresence::Missing {
            return Err(PostgresOpenError::Empty { database });
        }
        let query = "SELECT coalesce(max(version), 0) FROM _sqlx_migrations";
        let version: i64 = sqlx::query_scalar(query)
            .fetch_one(&mut connection)
            .await
            .map_err(failed)?;
        if version > newest_migration() {
            return Err(PostgresOpenError::TooNew { database, version });
        }
        connection.execute(BEGIN_SNAPSHOT).await.map_err(failed)?;
        Ok(PostgresReader { connection })
    }

    pub(in crate::store) async fn games(&mut self) -> Result<Vec<String>, String> {
        // Foreign keys ensure that no seat or entry exists without its game.
        self.game_ids_by_creation().await
    }

    pub(in crate::store) async fn game_ids_by_creation(&mut self) -> Result<Vec<String>, String> {
        let query = sqlx::query_scalar(sql::queries::OLDEST_FIRST);
        query
            .fetch_all(&mut self.connection)
            .await
            .map_err(format_error)
    }

    pub(in crate::store) async fn load(&mut self, id: &str) -> Result<Option<StoredGame>, String> {
        let id: GameId = id.parse().map_err(|_| "no game has such a name")?;
        let loaded = load_within(&mut self.connection, &id).await;
        loaded.map_err(|error| match error {
            RowReadError::Damaged(what) => what,
            RowReadError::Storage(error) => error.to_string(),
        })
    }

    pub(in crate::store) async fn load_exported(
        &mut self,
        id: &str,
    ) -> Result<Option<ExportedGame>, String> {
        let Some(stored) = self.load(id).await? else {
            return Ok(None);
        };
        let query = sqlx::query_as(sql::queries::DERIVED_COLUMNS).bind(id);
        let derived: (i64, i64) = query
            .fetch_one(&mut self.connection)
            .await
            .map_err(format_error)?;
        Ok(Some(ExportedGame {
            stored,
            played: derived.0 != 0,
            active_ms: derived.1,
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
