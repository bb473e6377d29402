//! A database that is only read, to look whether it is whole. A server may have it open meanwhile.

use std::path::Path;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Executor as _};

use super::opening::{BUSY, open_error, refuse_foreign};
use super::reading::load_within;
use super::watch::log_of;
use crate::archive::inspecting::MovedReview;
use crate::archive::rows::{ReadError, read_seen_program};
use crate::archive::{GameId, Moved, OpenError, Program, Stored, sql};

/// A database that is looked at.
#[derive(Debug)]
pub struct Inspection {
    connection: SqliteConnection,
}

impl Inspection {
    /// Opens a database to read it alone.
    ///
    /// # Errors
    /// [`OpenError`], in words for the person who started the program.
    pub async fn open(path: &Path) -> Result<Self, OpenError> {
        let failed = |error| open_error(path, error);
        // SQLite would only say that it cannot open the file.
        let found = tokio::fs::canonicalize(path).await;
        let absolute = found.map_err(|error| OpenError::Other {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
        // Where there is no log nobody has the file open, and reading it must not make one.
        let is_open = tokio::fs::metadata(log_of(&absolute)).await.is_ok();
        let options = SqliteConnectOptions::new()
            .filename(&absolute)
            .read_only(true)
            .immutable(!is_open)
            .busy_timeout(BUSY)
            .disable_statement_logging();
        let mut connection = options.connect().await.map_err(failed)?;
        refuse_foreign(path, &mut connection).await?;
        let query = "SELECT count(*) = 1 FROM pragma_table_info('game') WHERE name = 'tip'";
        let sealed: bool = sqlx::query_scalar(query)
            .fetch_one(&mut connection)
            .await
            .map_err(failed)?;
        if sealed {
            // What is read from here on is of one moment.
            connection.execute("BEGIN").await.map_err(failed)?;
            Ok(Inspection { connection })
        } else {
            Err(OpenError::TooOld {
                path: path.to_owned(),
            })
        }
    }

    /// What SQLite finds wrong with the database as a whole; nothing, if it is whole.
    pub async fn complaints(&mut self) -> Vec<String> {
        let query = sqlx::query_scalar("PRAGMA integrity_check");
        match query.fetch_all(&mut self.connection).await {
            Ok(mut complaints) => {
                complaints.retain(|complaint: &String| complaint != "ok");
                complaints
            }
            Err(error) => vec![error.to_string()],
        }
    }

    /// The names of all games, of those, too, of which only a part is left.
    ///
    /// # Errors
    /// Why they cannot be read.
    pub async fn games(&mut self) -> Result<Vec<String>, String> {
        let query = "SELECT id FROM game NOT INDEXED UNION SELECT game FROM seat UNION SELECT game FROM entry";
        let games = sqlx::query_scalar(query).fetch_all(&mut self.connection);
        games.await.map_err(|error| error.to_string())
    }

    /// A game, or `None` when it is gone by now.
    ///
    /// # Errors
    /// What is wrong with it.
    pub async fn load(&mut self, id: &str) -> Result<Option<Stored>, String> {
        let id: GameId = id.parse().map_err(|_| "no game has such a name")?;
        let loaded = load_within(&mut self.connection, &id).await;
        loaded.map_err(|error| match error {
            ReadError::Damaged(what) => what,
            ReadError::Storage(error) => error.to_string(),
        })
    }

    /// The names of all games, the oldest creation first.
    pub(in crate::archive) async fn oldest_first(&mut self) -> Result<Vec<String>, String> {
        let query = sqlx::query_scalar(sql::OLDEST_FIRST);
        query.fetch_all(&mut self.connection).await.map_err(told)
    }

    pub(in crate::archive) async fn moved(&mut self, id: &str) -> Result<Option<Moved>, String> {
        let Some(stored) = self.load(id).await? else {
            return Ok(None);
        };
        let query = sqlx::query_as(sql::DERIVED).bind(id);
        let (played, active_ms) = query.fetch_one(&mut self.connection).await.map_err(told)?;
        Ok(Some(Moved {
            stored,
            played,
            active_ms,
        }))
    }

    pub(in crate::archive) async fn review(
        &mut self,
        id: &str,
    ) -> Result<Option<MovedReview>, String> {
        let query = sqlx::query_as(sql::WHOLE_REVIEW).bind(id);
        let found = query.fetch_optional(&mut self.connection).await;
        found.map_err(told)
    }

    pub(in crate::archive) async fn programs(&mut self) -> Result<Vec<(Program, i64)>, String> {
        let query = sqlx::query(sql::PROGRAMS);
        let rows = query.fetch_all(&mut self.connection).await.map_err(told)?;
        let programs = rows
            .iter()
            .filter_map(|row| read_seen_program(row).transpose());
        programs.collect::<Result<_, _>>().map_err(told)
    }

    pub(in crate::archive) async fn counts(&mut self) -> Result<Vec<(String, u64)>, String> {
        let query = sqlx::query_as(sql::COUNTS);
        let counts: Vec<(String, i64)> =
            query.fetch_all(&mut self.connection).await.map_err(told)?;
        let counts = counts.into_iter();
        Ok(counts
            .map(|(name, count)| (name, count.unsigned_abs()))
            .collect())
    }
}

/// Files of earlier releases lack tables that a copy reads.
fn told(error: sqlx::Error) -> String {
    let error = error.to_string();
    match error.contains("no such") {
        true => format!("{error}: a file of an earlier release is served once before it is copied"),
        false => error,
    }
}
