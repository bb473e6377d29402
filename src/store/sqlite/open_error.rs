//! Errors of opening a SQLite file, with messages for the operator.

use std::path::PathBuf;

use crate::store::migrations::EARLIER_BUILD;

/// Why a SQLite file could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum SqliteOpenError {
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
    /// An earlier build has written it.
    #[error("{} {EARLIER_BUILD}", path.display())]
    EarlierBuild { path: PathBuf },
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
    /// Another program has locked the database file.
    #[error("{} is locked by another program", path.display())]
    Locked { path: PathBuf },
    /// Any other error of SQLite or of a migration.
    #[error("cannot open {}: {reason}", path.display())]
    Other { path: PathBuf, reason: String },
}

impl SqliteOpenError {
    /// Whether the file exists but is damaged or incomplete.
    #[must_use]
    pub const fn is_damage(&self) -> bool {
        matches!(
            self,
            SqliteOpenError::NotADatabase { .. }
                | SqliteOpenError::Damaged { .. }
                | SqliteOpenError::Lost { .. }
        )
    }
}
