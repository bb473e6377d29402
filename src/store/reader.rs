//! A database that is only read, as it is at one moment: to look whether it is whole, or to copy it. A server may
//! have it open meanwhile.

use std::path::Path;

use super::{ExportedGame, OpenError, RegisteredProgram, StoredGame, postgres, sqlite};

/// A database that is looked at.
#[derive(Debug)]
pub enum DatabaseReader {
    /// A file.
    Sqlite(sqlite::SqliteReader),
    /// A database on a server.
    Postgres(postgres::PostgresReader),
}

/// What is kept of a review: since when it is wanted, and the newest one.
pub type ExportedReview = (Option<i64>, Option<String>);

macro_rules! either {
    ($inspection:expr, $found:ident => $what:expr) => {
        match $inspection {
            DatabaseReader::Sqlite($found) => $what,
            DatabaseReader::Postgres($found) => $what,
        }
    };
}

impl DatabaseReader {
    /// Opens the database that `place` names, to read it alone: `postgres://…`, `sqlite:PATH`, or the path of a file.
    ///
    /// # Errors
    /// [`OpenError`], in words for the person who started the program.
    pub async fn open(place: &str) -> Result<Self, OpenError> {
        let scheme = place.split_once(':').map_or("", |(scheme, _)| scheme);
        if matches!(scheme, "postgres" | "postgresql") {
            let opened = postgres::PostgresReader::open(place).await?;
            return Ok(DatabaseReader::Postgres(opened));
        }
        let path = place.strip_prefix("sqlite:").unwrap_or(place);
        let path = Path::new(path.strip_prefix("//").unwrap_or(path));
        let opened = sqlite::SqliteReader::open(path).await?;
        Ok(DatabaseReader::Sqlite(opened))
    }

    /// What the database itself finds wrong with it as a whole; nothing, if it is whole. PostgreSQL looks at its
    /// pages as it reads them.
    pub async fn complaints(&mut self) -> Vec<String> {
        match self {
            DatabaseReader::Sqlite(found) => found.complaints().await,
            DatabaseReader::Postgres(_) => Vec::new(),
        }
    }

    /// The names of all games, of those, too, of which only a part is left.
    ///
    /// # Errors
    /// Why they cannot be read.
    pub async fn games(&mut self) -> Result<Vec<String>, String> {
        either!(self, found => found.games().await)
    }

    /// The names of all games, the oldest creation first.
    ///
    /// # Errors
    /// Why they cannot be read.
    pub async fn oldest_first(&mut self) -> Result<Vec<String>, String> {
        either!(self, found => found.oldest_first().await)
    }

    /// A game, or `None` when there is none.
    ///
    /// # Errors
    /// What is wrong with it.
    pub async fn load(&mut self, id: &str) -> Result<Option<StoredGame>, String> {
        either!(self, found => found.load(id).await)
    }

    /// As [`DatabaseReader::load`], with all that lists know of the game.
    ///
    /// # Errors
    /// What is wrong with it.
    pub async fn moved(&mut self, id: &str) -> Result<Option<ExportedGame>, String> {
        either!(self, found => found.moved(id).await)
    }

    /// What is kept of a game's review.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub async fn review(&mut self, id: &str) -> Result<Option<ExportedReview>, String> {
        either!(self, found => found.review(id).await)
    }

    /// All programs, each with the time at which it was last heard of.
    ///
    /// # Errors
    /// Why they cannot be read.
    pub async fn programs(&mut self) -> Result<Vec<(RegisteredProgram, i64)>, String> {
        either!(self, found => found.programs().await)
    }

    /// All counts, by name.
    ///
    /// # Errors
    /// Why they cannot be read.
    pub async fn counts(&mut self) -> Result<Vec<(String, u64)>, String> {
        either!(self, found => found.counts().await)
    }
}
