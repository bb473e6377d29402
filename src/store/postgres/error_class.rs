//! What an error of PostgreSQL means for whoever asked.

use crate::store::sql::decode::RowReadError;

/// What to do about an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PostgresErrorClass {
    /// The connection has gone, or the server does not serve now: another connection may do better.
    Lost,
    /// The transaction lost against another one, waited too long, or the server had no room: the same again may
    /// succeed.
    Again,
    /// A row does not fit the schema: a fault of ours in one change.
    Unfit,
    /// The database has something else to say, and would say it again.
    Other,
}

impl PostgresErrorClass {
    /// By classes of SQLSTATE, <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
    pub(super) fn of(error: &sqlx::Error) -> PostgresErrorClass {
        use sqlx::Error::{Database, Io, PoolTimedOut, Protocol, Tls};
        let code = match error {
            Database(error) => error.code(),
            Io(_) | Tls(_) | PoolTimedOut | Protocol(_) => return PostgresErrorClass::Lost,
            _ => return PostgresErrorClass::Other,
        };
        match code.as_deref() {
            // A statement took longer than it may.
            Some("57014") => PostgresErrorClass::Again,
            // What was the primary is a standby now.
            Some("25006") => PostgresErrorClass::Lost,
            // Somebody else has held a lock for too long.
            Some("55P03") => PostgresErrorClass::Again,
            Some(code) => match code.get(..2) {
                Some("08" | "57" | "58") => PostgresErrorClass::Lost,
                Some("40" | "53" | "25") => PostgresErrorClass::Again,
                Some("22" | "23") => PostgresErrorClass::Unfit,
                _ => PostgresErrorClass::Other,
            },
            None => PostgresErrorClass::Other,
        }
    }
}

/// An error that may pass.
pub(super) trait Retryable {
    /// Whether the same question may be answered when it is asked again.
    fn may_pass(&self) -> bool;
}

impl Retryable for sqlx::Error {
    fn may_pass(&self) -> bool {
        matches!(
            PostgresErrorClass::of(self),
            PostgresErrorClass::Lost | PostgresErrorClass::Again
        )
    }
}

impl Retryable for RowReadError {
    fn may_pass(&self) -> bool {
        match self {
            RowReadError::Storage(error) => error.may_pass(),
            RowReadError::Damaged(_) => false,
        }
    }
}
