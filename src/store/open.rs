//! Opening the store that a URL names, and the errors of doing so.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::reader::DatabaseReader;
use super::sqlite::{LossPolicy, SqliteOpenError, SqliteStore};
use super::traits::Store;
use super::{postgres, sqlite};

/// Opens the store that `url` names: `memory:`, `sqlite:PATH` or `postgres://…`. Several processes can share a
/// PostgreSQL database; a SQLite file belongs to one process.
///
/// A missing SQLite file and its parent directories are created.
///
/// # Errors
/// [`OpenError`], with a message for the operator.
pub async fn open(url: &str) -> Result<Arc<dyn Store>, OpenError> {
    open_at(url, LossPolicy::Reject).await
}

/// Like [`open`], but also opens a SQLite file that has lost acknowledged writes, or creates it again if it is
/// gone.
///
/// # Errors
/// See [`open`].
pub async fn open_accepting_loss(url: &str) -> Result<Arc<dyn Store>, OpenError> {
    open_at(url, LossPolicy::Accept).await
}

async fn open_at(url: &str, loss: LossPolicy) -> Result<Arc<dyn Store>, OpenError> {
    let unknown = || OpenError::UnknownScheme {
        scheme: scheme_of(url),
    };
    let (scheme, rest) = url.split_once(':').ok_or_else(unknown)?;
    match (scheme, rest) {
        ("memory", "") => Ok(Arc::new(SqliteStore::in_memory())),
        ("sqlite", path) => Ok(Arc::new(open_sqlite(path, loss).await?)),
        ("postgres" | "postgresql", _) => Ok(Arc::new(postgres::PostgresStore::join(url).await?)),
        _ => Err(unknown()),
    }
}

/// Opens a database with exclusive access: fails while another process has it open, and keeps others out.
///
/// # Errors
/// See [`open`]; [`OpenError::NoDatabase`] for `memory:`.
pub async fn open_alone(url: &str) -> Result<Arc<dyn Store>, OpenError> {
    match url.split_once(':') {
        Some(("postgres" | "postgresql", _)) => {
            Ok(Arc::new(postgres::PostgresStore::open(url).await?))
        }
        Some(("sqlite", path)) => Ok(Arc::new(open_sqlite(path, LossPolicy::Reject).await?)),
        Some(("memory", "")) => Err(OpenError::NoDatabase),
        _ => Err(OpenError::UnknownScheme {
            scheme: scheme_of(url),
        }),
    }
}

async fn open_sqlite(path: &str, loss: LossPolicy) -> Result<SqliteStore, OpenError> {
    match path {
        "" | "//" | ":memory:" | "//:memory:" => Err(OpenError::NoPath),
        path => {
            let path = PathBuf::from(path.strip_prefix("//").unwrap_or(path));
            Ok(SqliteStore::open_with_policy(&path, loss).await?)
        }
    }
}

/// The part before the colon. The rest is dropped because it may contain a password.
fn scheme_of(url: &str) -> String {
    url.split_once(':')
        .map_or("", |(scheme, _)| scheme)
        .chars()
        .take(20)
        .collect()
}

/// Why a store could not be opened. The messages are for the operator.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(
        "unknown kind of database \"{scheme}\": use memory:, sqlite:PATH or postgres://USER@HOST/DATABASE"
    )]
    UnknownScheme { scheme: String },
    #[error(
        "sqlite: needs the path of a file, as in sqlite:games.db; to keep nothing, use memory:"
    )]
    NoPath,
    #[error("memory: keeps nothing; use sqlite:PATH or postgres://USER@HOST/DATABASE")]
    NoDatabase,
    #[error(transparent)]
    Sqlite(#[from] SqliteOpenError),
    #[error(transparent)]
    Postgres(#[from] postgres::PostgresOpenError),
}

impl OpenError {
    /// Whether the file exists but is damaged or incomplete.
    #[must_use]
    pub const fn is_damage(&self) -> bool {
        matches!(self, OpenError::Sqlite(error) if error.is_damage())
    }
}

impl DatabaseReader {
    /// Opens the database that `location` names for reading: `postgres://…`, `sqlite:PATH`, or a file path.
    ///
    /// # Errors
    /// [`OpenError`], with a message for the operator.
    pub async fn open(location: &str) -> Result<Self, OpenError> {
        let scheme = location.split_once(':').map_or("", |(scheme, _)| scheme);
        if matches!(scheme, "postgres" | "postgresql") {
            let snapshot = postgres::open_snapshot(location).await?;
            return Ok(DatabaseReader {
                snapshot: Box::new(snapshot),
                startup_errors: Vec::new(),
            });
        }
        let path = location.strip_prefix("sqlite:").unwrap_or(location);
        let path = Path::new(path.strip_prefix("//").unwrap_or(path));
        let (snapshot, lost) = sqlite::open_snapshot(path).await?;
        Ok(DatabaseReader {
            snapshot: Box::new(snapshot),
            startup_errors: lost.into_iter().collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn errors_for_unknown_schemes_do_not_contain_passwords() {
        for url in [
            "mysql://me:hunter2@host/db",
            "games.db",
            "",
            ":",
            "memory",
            "memory:x",
        ] {
            let error = open(url).await.err().expect(url);
            assert!(
                matches!(error, OpenError::UnknownScheme { .. }),
                "{url}: {error}"
            );
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
        let alone = open_alone("memory:").await;
        assert!(matches!(alone, Err(OpenError::NoDatabase)));
        for url in ["sqlite:", "sqlite://", "sqlite::memory:"] {
            assert!(matches!(open(url).await, Err(OpenError::NoPath)), "{url}");
        }
    }
}
