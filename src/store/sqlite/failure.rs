//! Permanent failures of a SQLite store.

use super::code::{self, primary_code};
use super::file_monitor::FileLostError;

/// The reason for a permanent failure, with advice for the operator.
#[derive(Debug, thiserror::Error)]
pub(super) enum FatalSqliteError {
    #[error(
        "the games could not be written any more ({0}); nothing acknowledged is lost, start again when the storage works"
    )]
    Write(sqlx::Error),
    #[error(
        "the database is damaged ({0}); put back a copy of it, or look with \"dice-of-doom check\" what is whole"
    )]
    Damaged(sqlx::Error),
    #[error("{0}, so nothing can be stored any more{1}")]
    Lost(FileLostError, String),
}

impl From<sqlx::Error> for FatalSqliteError {
    fn from(error: sqlx::Error) -> Self {
        match primary_code(&error) {
            Some(code::CORRUPT | code::NOTADB) => FatalSqliteError::Damaged(error),
            _ => FatalSqliteError::Write(error),
        }
    }
}

impl From<FileLostError> for FatalSqliteError {
    fn from(lost: FileLostError) -> Self {
        FatalSqliteError::Lost(lost, String::new())
    }
}
