//! Opening the archive that a URL names, and why one cannot be opened.

use std::path::PathBuf;
use std::sync::Arc;

use super::sqlite::{Loss, SqliteStore};
use super::{GameStore, memory, postgres};

/// Opens the archive that `url` names: `memory:`, `sqlite:PATH` or `postgres://…`. Programs share a PostgreSQL
/// database; a SQLite file is one program's.
///
/// A missing SQLite file is made, with the directories above it.
///
/// # Errors
/// [`OpenError`], in words for the person who started the program.
pub async fn open(url: &str) -> Result<Arc<dyn GameStore>, OpenError> {
    open_at(url, Loss::Refused).await
}

/// As [`open`], and a SQLite file is opened, too, that has lost what was acknowledged: with less than was
/// acknowledged, or anew.
///
/// # Errors
/// As [`open`].
pub async fn open_accepting_loss(url: &str) -> Result<Arc<dyn GameStore>, OpenError> {
    open_at(url, Loss::Accepted).await
}

async fn open_at(url: &str, loss: Loss) -> Result<Arc<dyn GameStore>, OpenError> {
    let unknown = || OpenError::UnknownScheme {
        scheme: scheme_of(url),
    };
    let (scheme, rest) = url.split_once(':').ok_or_else(unknown)?;
    match (scheme, rest) {
        ("memory", "") => Ok(Arc::new(memory::MemoryStore::new())),
        ("sqlite", "" | "//" | ":memory:" | "//:memory:") => Err(OpenError::NoPath),
        ("sqlite", path) => {
            let path = PathBuf::from(path.strip_prefix("//").unwrap_or(path));
            Ok(Arc::new(SqliteStore::open_or_lose(&path, loss).await?))
        }
        ("postgres" | "postgresql", _) => Ok(Arc::new(postgres::PostgresStore::join(url).await?)),
        _ => Err(unknown()),
    }
}

/// As [`open`], for this program alone: every other is refused meanwhile, and refuses this one.
///
/// # Errors
/// As [`open`].
pub async fn open_alone(url: &str) -> Result<Arc<dyn GameStore>, OpenError> {
    match scheme_of(url).as_str() {
        "postgres" | "postgresql" => Ok(Arc::new(postgres::PostgresStore::open(url).await?)),
        // The others are never shared.
        _ => open(url).await,
    }
}

/// What stands before the colon, and no more: the rest may hold a password.
fn scheme_of(url: &str) -> String {
    url.split_once(':')
        .map_or("", |(scheme, _)| scheme)
        .chars()
        .take(20)
        .collect()
}

/// Why an archive could not be opened, in words for the person who started the program.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The URL names a kind of archive that this program does not have.
    #[error(
        "unknown kind of archive \"{scheme}\": use memory:, sqlite:PATH or postgres://USER@HOST/DATABASE"
    )]
    UnknownScheme {
        /// What stood before the colon.
        scheme: String,
    },
    /// A SQLite URL without a file.
    #[error(
        "sqlite: needs the path of a file, as in sqlite:games.db; to keep nothing, use memory:"
    )]
    NoPath,
    /// The file or its directory cannot be made, read or written.
    #[error("cannot write {}: {reason}", path.display())]
    NotWritable {
        /// The file asked for.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The disk is full, or its user's share of it.
    #[error("there is no room beside {} to keep games in ({reason}); free some, and start again", path.display())]
    NoRoom {
        /// The file asked for.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The file is there and is no SQLite database, or a damaged one.
    #[error("{} is not a SQLite database, or it is damaged", path.display())]
    NotADatabase {
        /// The file asked for.
        path: PathBuf,
    },
    /// A healthy database that is not an archive of ours.
    #[error("{} is a database of another program", path.display())]
    Foreign {
        /// The file asked for.
        path: PathBuf,
    },
    /// A newer release of this program has changed the database.
    #[error(
        "{} was written by a newer release of this program (its schema is at {version}); use that release",
        path.display()
    )]
    TooNew {
        /// The file asked for.
        path: PathBuf,
        /// The migration that this program does not know.
        version: i64,
    },
    /// An earlier release of this program has written the database, and it is only to be read.
    #[error("{} is of an earlier release and has no seals yet: serve it once", path.display())]
    TooOld {
        /// The file asked for.
        path: PathBuf,
    },
    /// SQLite releases before 3.51.3 can corrupt a database in WAL mode.
    #[error(
        "SQLite {found} is too old: below 3.51.3 it can damage a database; build with a newer one"
    )]
    SqliteTooOld {
        /// The version this program was built with.
        found: String,
    },
    /// Another server has the database.
    #[error(
        "{} is in use by another server ({by}); stop that one first, or give this one another file",
        path.display()
    )]
    Owned {
        /// The file asked for.
        path: PathBuf,
        /// Its process, and where it is reached.
        by: String,
    },
    /// The database was open when the last server ended unexpectedly, and it is not there any more.
    #[error(
        "{path} has gone, or is empty, since a server had it open: put it back (a copy may lie beside it as \
         {path}.rescued); to begin anew, start once with --accept-data-loss",
        path = path.display()
    )]
    Gone {
        /// The file asked for.
        path: PathBuf,
    },
    /// The last server ended unexpectedly, and plies that it acknowledged are not there any more.
    #[error(
        "plies that were acknowledged are lost: {what}; put it back, or a copy of both files; to go on with {} \
         as it is, start once with --accept-data-loss",
        path.display()
    )]
    Lost {
        /// The database.
        path: PathBuf,
        /// What is wrong with its log.
        what: String,
    },
    /// The last end was in disorder, and the database is not whole.
    #[error(
        "{} is damaged ({what}); put back a copy of it, or look with \"dice-of-doom check\" what is whole",
        path.display()
    )]
    Damaged {
        /// The file asked for.
        path: PathBuf,
        /// The first thing that is wrong.
        what: String,
    },
    /// A PostgreSQL database was not opened.
    #[error(transparent)]
    Postgres(#[from] postgres::PostgresOpenError),
    /// Another program holds the database.
    #[error("{} is locked by another program", path.display())]
    Locked {
        /// The file asked for.
        path: PathBuf,
    },
    /// Anything else that SQLite or a migration has to say.
    #[error("cannot open {}: {reason}", path.display())]
    Other {
        /// The file asked for.
        path: PathBuf,
        /// What it says.
        reason: String,
    },
}

impl OpenError {
    /// Whether the file is there and not whole.
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
    async fn unknown_kinds_are_named_without_their_passwords() {
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
        for url in ["sqlite:", "sqlite://", "sqlite::memory:"] {
            assert!(matches!(open(url).await, Err(OpenError::NoPath)), "{url}");
        }
    }
}
