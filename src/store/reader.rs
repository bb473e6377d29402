//! Read-only access to a snapshot of a database, to check or copy it. A server may have it open at the same
//! time.

use std::path::Path;

use super::{ExportedGame, OpenError, RegisteredProgram, StoredGame, postgres, sqlite};

#[derive(Debug)]
pub enum DatabaseReader {
    Sqlite(sqlite::SqliteReader),
    Postgres(postgres::PostgresReader),
}

/// A stored review: the time of a pending request in Unix milliseconds, and the latest review.
pub type ExportedReview = (Option<i64>, Option<String>);

macro_rules! either {
    ($reader:expr, $inner:ident => $body:expr) => {
        match $reader {
            DatabaseReader::Sqlite($inner) => $body,
            DatabaseReader::Postgres($inner) => $body,
        }
    };
}

impl DatabaseReader {
    /// Opens the database that `location` names for reading: `postgres://…`, `sqlite:PATH`, or a file path.
    ///
    /// # Errors
    /// [`OpenError`], with a message for the operator.
    pub async fn open(location: &str) -> Result<Self, OpenError> {
        let scheme = location.split_once(':').map_or("", |(scheme, _)| scheme);
        if matches!(scheme, "postgres" | "postgresql") {
            let opened = postgres::PostgresReader::open(location).await?;
            return Ok(DatabaseReader::Postgres(opened));
        }
        let path = location.strip_prefix("sqlite:").unwrap_or(location);
        let path = Path::new(path.strip_prefix("//").unwrap_or(path));
        let opened = sqlite::SqliteReader::open(path).await?;
        Ok(DatabaseReader::Sqlite(opened))
    }

    /// The errors that the database's own integrity check reports; empty if it is intact. PostgreSQL checks its
    /// pages while it reads them, so nothing is reported here.
    pub async fn integrity_errors(&mut self) -> Vec<String> {
        match self {
            DatabaseReader::Sqlite(inner) => inner.integrity_errors().await,
            DatabaseReader::Postgres(_) => Vec::new(),
        }
    }

    /// The ids of all games, including games of which only some rows are left.
    ///
    /// # Errors
    /// A message why they cannot be read.
    pub async fn games(&mut self) -> Result<Vec<String>, String> {
        either!(self, inner => inner.games().await)
    }

    /// The ids of all games in order of creation.
    ///
    /// # Errors
    /// A message why they cannot be read.
    pub async fn game_ids_by_creation(&mut self) -> Result<Vec<String>, String> {
        either!(self, inner => inner.game_ids_by_creation().await)
    }

    /// A game, or `None` if the id is unknown.
    ///
    /// # Errors
    /// A message if it cannot be read or the integrity check fails.
    pub async fn load(&mut self, id: &str) -> Result<Option<StoredGame>, String> {
        either!(self, inner => inner.load(id).await)
    }

    /// Like [`DatabaseReader::load`], with the derived data of lists.
    ///
    /// # Errors
    /// A message if it cannot be read or the integrity check fails.
    pub async fn load_exported(&mut self, id: &str) -> Result<Option<ExportedGame>, String> {
        either!(self, inner => inner.load_exported(id).await)
    }

    /// # Errors
    /// A message why it cannot be read.
    pub async fn review(&mut self, id: &str) -> Result<Option<ExportedReview>, String> {
        either!(self, inner => inner.review(id).await)
    }

    /// All programs, each with the Unix time of its last activity in milliseconds.
    ///
    /// # Errors
    /// A message why they cannot be read.
    pub async fn programs(&mut self) -> Result<Vec<(RegisteredProgram, i64)>, String> {
        either!(self, inner => inner.programs().await)
    }

    /// All counters, by name.
    ///
    /// # Errors
    /// A message why they cannot be read.
    pub async fn counts(&mut self) -> Result<Vec<(String, u64)>, String> {
        either!(self, inner => inner.counts().await)
    }
}
