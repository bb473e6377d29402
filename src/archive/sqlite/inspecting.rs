//! A database that is only read, to look whether it is whole. A server may have it open meanwhile.

use std::path::Path;

use sqlx::ConnectOptions as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};

use super::opening::{BUSY, open_error, refuse_foreign};
use super::reading::load_from;
use super::watch::log_of;
use crate::archive::rows::ReadError;
use crate::archive::{GameId, OpenError, Stored};

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
        let loaded = load_from(&mut self.connection, &id).await;
        loaded.map_err(|error| match error {
            ReadError::Damaged(what) => what,
            ReadError::Storage(error) => error.to_string(),
        })
    }
}
