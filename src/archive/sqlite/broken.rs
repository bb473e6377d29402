//! The end of trust in the storage, and why.

use std::sync::OnceLock;

use tokio_util::sync::CancellationToken;

use super::opening::{code, primary_code};
use super::watch::Lost;

/// Fires once, and keeps the first reason.
#[derive(Debug, Default)]
pub(super) struct Broken {
    pub(super) token: CancellationToken,
    why: OnceLock<String>,
}

impl Broken {
    /// From here on nothing is acknowledged.
    pub(super) fn because(&self, why: &Why) {
        let why = why.to_string();
        if self.why.set(why).is_ok() {
            tracing::error!(
                why = self.why(),
                "the archive is broken: nothing more is acknowledged"
            );
        }
        self.token.cancel();
    }

    pub(super) fn why(&self) -> Option<&str> {
        self.why.get().map(String::as_str)
    }
}

/// Why nothing is kept any more, with what to do about it.
#[derive(Debug, thiserror::Error)]
pub(super) enum Why {
    #[error(
        "the games could not be written any more ({0}); nothing acknowledged is lost, start again when the storage works"
    )]
    Write(sqlx::Error),
    #[error(
        "the database is damaged ({0}); put back a copy of it, or look with \"dice-of-doom check\" what is whole"
    )]
    Damaged(sqlx::Error),
    #[error("{0}, so nothing can be kept any more{1}")]
    Lost(Lost, String),
}

impl From<sqlx::Error> for Why {
    fn from(error: sqlx::Error) -> Self {
        match primary_code(&error) {
            Some(code::CORRUPT | code::NOTADB) => Why::Damaged(error),
            _ => Why::Write(error),
        }
    }
}

impl From<Lost> for Why {
    fn from(lost: Lost) -> Self {
        Why::Lost(lost, String::new())
    }
}
