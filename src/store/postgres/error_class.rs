//! What an error of PostgreSQL means for whoever asked.

use crate::store::sql::decode::ReadError;

/// What to do about an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
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

impl Fault {
    /// By classes of SQLSTATE, <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
    pub(super) fn of(error: &sqlx::Error) -> Fault {
        use sqlx::Error::{Database, Io, PoolTimedOut, Protocol, Tls};
        let code = match error {
            Database(error) => error.code(),
            Io(_) | Tls(_) | PoolTimedOut | Protocol(_) => return Fault::Lost,
            _ => return Fault::Other,
        };
        match code.as_deref() {
            // A statement took longer than it may.
            Some("57014") => Fault::Again,
            // What was the primary is a standby now.
            Some("25006") => Fault::Lost,
            // Somebody else has held a lock for too long.
            Some("55P03") => Fault::Again,
            Some(code) => match code.get(..2) {
                Some("08" | "57" | "58") => Fault::Lost,
                Some("40" | "53" | "25") => Fault::Again,
                Some("22" | "23") => Fault::Unfit,
                _ => Fault::Other,
            },
            None => Fault::Other,
        }
    }
}

/// An error that may pass.
pub(super) trait MayPass {
    /// Whether the same question may be answered when it is asked again.
    fn may_pass(&self) -> bool;
}

impl MayPass for sqlx::Error {
    fn may_pass(&self) -> bool {
        matches!(Fault::of(self), Fault::Lost | Fault::Again)
    }
}

impl MayPass for ReadError {
    fn may_pass(&self) -> bool {
        match self {
            ReadError::Storage(error) => error.may_pass(),
            ReadError::Damaged(_) => false,
        }
    }
}
