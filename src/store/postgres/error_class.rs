//! Classifies PostgreSQL errors by how the caller should react.

use crate::store::database::row::RowReadError;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PostgresErrorClass {
    /// The connection is lost or the server does not serve queries now: retry with a new connection.
    ConnectionLost,
    /// A serialization failure, a timeout or a lack of resources: retry.
    Retryable,
    /// A constraint violation: a defect in one change.
    ConstraintViolation,
    /// Any other error; a retry would not help.
    Other,
}

impl PostgresErrorClass {
    /// Classifies by SQLSTATE, <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
    pub(super) fn classify(error: &sqlx::Error) -> PostgresErrorClass {
        use sqlx::Error::{Database, Io, PoolTimedOut, Protocol, Tls};
        let code = match error {
            Database(error) => error.code(),
            Io(_) | Tls(_) | PoolTimedOut | Protocol(_) => {
                return PostgresErrorClass::ConnectionLost;
            }
            _ => return PostgresErrorClass::Other,
        };
        match code.as_deref() {
            // Statement timeout.
            Some("57014") => PostgresErrorClass::Retryable,
            // Read-only transaction: the former primary is now a standby.
            Some("25006") => PostgresErrorClass::ConnectionLost,
            // Lock timeout.
            Some("55P03") => PostgresErrorClass::Retryable,
            Some(code) => match code.get(..2) {
                Some("08" | "57" | "58") => PostgresErrorClass::ConnectionLost,
                Some("40" | "53" | "25") => PostgresErrorClass::Retryable,
                Some("22" | "23") => PostgresErrorClass::ConstraintViolation,
                _ => PostgresErrorClass::Other,
            },
            None => PostgresErrorClass::Other,
        }
    }
}

pub(super) trait Retryable {
    /// Whether the error is transient, so that a retry may succeed.
    fn is_retryable(&self) -> bool;
}

impl Retryable for sqlx::Error {
    fn is_retryable(&self) -> bool {
        matches!(
            PostgresErrorClass::classify(self),
            PostgresErrorClass::ConnectionLost | PostgresErrorClass::Retryable
        )
    }
}

impl Retryable for RowReadError {
    fn is_retryable(&self) -> bool {
        match self {
            RowReadError::Storage(error) => error.is_retryable(),
            RowReadError::Damaged(_) => false,
        }
    }
}
