//! Opening the store that a URL names, and the errors of doing so.

use std::path::PathBuf;
use std::sync::Arc;

use super::sqlite::{LossPolicy, SqliteStore};
use super::{GameStore, TableStore, memory, postgres};

/// Opens the store that `url` names: `memory:`, `sqlite:PATH` or `postgres://…`. Several processes can share a
/// PostgreSQL database; a SQLite file belongs to one process.
///
/// A missing SQLite file and its parent directories are created.
///
/// # Errors
/// [`OpenError`], with a message for the operator.
pub async fn open(url: &str) -> Result<Arc<dyn GameStore>, OpenError> {
    open_at(url, LossPolicy::Reject).await
}

/// Like [`open`], but also opens a SQLite file that has lost acknowledged writes, or creates it again if it is
/// gone.
///
/// # Errors
/// See [`open`].
pub async fn open_accepting_loss(url: &str) -> Result<Arc<dyn GameStore>, OpenError> {
    open_at(url, LossPolicy::Accept).await
}

async fn open_at(url: &str, loss: LossPolicy) -> Result<Arc<dyn GameStore>, OpenError> {
    let unknown = || OpenError::UnknownScheme {
        scheme: scheme_of(url),
    };
    let (scheme, rest) = url.split_once(':').ok_or_else(unknown)?;
    match (scheme, rest) {
        ("memory", "") => Ok(Arc::new(memory::MemoryStore::new())),
        ("sqlite", path) => Ok(Arc::new(open_sqlite(path, loss).await?)),
        ("postgres" | "postgresql", _) => Ok(Arc::new(postgres::PostgresStore::join(url).await?)),
        _ => Err(unknown()),
    }
}

/// Opens a database with exclusive access: fails while another process has it open, and keeps others out.
///
/// # Errors
/// See [`open`]; [`OpenError::NoDatabase`] for `memory:`.
pub async fn open_alone(url: &str) -> Result<Arc<dyn TableStore>, OpenError> {
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
            SqliteStore::open_with_policy(&path, loss).await
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
    #[error("cannot write {}: {reason}", path.display())]
    NotWritable { path: PathBuf, reason: String },
    /// A server that uses the file under its other name has its log there.
    #[error(
        "{} has another name (a hard link): what a server has stored under that name may not be in it yet; remove the other name, or make a copy",
        path.display()
    )]
    HardLink { path: PathBuf },
    /// The disk is full, or the user's quota is exhausted.
    #[error("there is no room beside {} to keep games in ({reason}); free some, and start again", path.display())]
    DiskFull { path: PathBuf, reason: String },
    /// The file exists but is not a SQLite database, or is damaged.
    #[error("{} is not a SQLite database, or it is damaged", path.display())]
    NotADatabase { path: PathBuf },
    /// An intact database with a different schema.
    #[error("{} is a database of another program", path.display())]
    Foreign { path: PathBuf },
    /// A newer release has migrated the database.
    #[error(
        "{} was written by a newer release of this program (its schema is at {version}); use that release",
        path.display()
    )]
    TooNew {
        path: PathBuf,
        /// The first unknown migration.
        version: i64,
    },
    /// An earlier release wrote the database, and a read-only open cannot migrate it.
    #[error("{} is of an earlier release and has no seals yet: serve it once", path.display())]
    TooOld { path: PathBuf },
    #[error(
        "SQLite {found} is too old: below 3.51.3 it can damage a database; build with a newer one"
    )]
    SqliteTooOld { found: String },
    /// Another server has the database open.
    #[error(
        "{} is in use by another server ({by}); stop that one first, or give this one another file",
        path.display()
    )]
    InUse {
        path: PathBuf,
        /// The other server's process id and address.
        by: String,
    },
    /// The database was open when the last server ended unexpectedly, and is now missing or empty.
    #[error(
        "{path} has gone, or is empty, since a server had it open: put it back (a copy may lie beside it as \
         {path}.rescued); to begin anew, start once with --accept-data-loss",
        path = path.display()
    )]
    FileGone { path: PathBuf },
    /// The last server ended unexpectedly, and acknowledged writes are missing.
    #[error(
        "plies that were acknowledged are lost: {what}; put it back, or a copy of both files; to go on with {} \
         as it is, start once with --accept-data-loss",
        path.display()
    )]
    Lost {
        path: PathBuf,
        /// The error found in the write-ahead log.
        what: String,
    },
    /// The last shutdown was unclean, and the integrity check fails.
    #[error(
        "{} is damaged ({what}); put back a copy of it, or look with \"dice-of-doom check\" what is whole",
        path.display()
    )]
    Damaged {
        path: PathBuf,
        /// The first integrity error.
        what: String,
    },
    #[error(transparent)]
    Postgres(#[from] postgres::PostgresOpenError),
    /// Another program has locked the database file.
    #[error("{} is locked by another program", path.display())]
    Locked { path: PathBuf },
    /// Any other error of SQLite or of a migration.
    #[error("cannot open {}: {reason}", path.display())]
    Other { path: PathBuf, reason: String },
}

impl OpenError {
    /// Whether the file exists but is damaged or incomplete.
    #[must_use]
    pub const fn is_damage(&self) -> bool {
        matches!(
            self,
            OpenError::NotADatabase { .. } | OpenError::Damaged { .. } | OpenError::Lost { .. }
        )
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
