//! Errors of opening a PostgreSQL database, with messages for the operator.

use sqlx::migrate::MigrateError;
use sqlx::postgres::PgConnectOptions;

use super::error_class::PostgresErrorClass;
use crate::store::migrations::EARLIER_BUILD;

/// Why a PostgreSQL database could not be opened. No message contains a password.
#[derive(Debug, thiserror::Error)]
pub enum PostgresOpenError {
    #[error(
        "this is no address of a PostgreSQL database: it is written postgres://USER:PASSWORD@HOST:PORT/DATABASE"
    )]
    Address,
    /// The server does not answer or rejects the user.
    #[error("cannot reach {database}: {reason}")]
    Unreachable { database: String, reason: String },
    /// An intact database with a different schema.
    #[error("{database} has tables of another program; make a database of its own for this one")]
    Foreign { database: String },
    /// The database has no tables, and a read-only open cannot create them.
    #[error("there are no games in {database}: no server has used it yet")]
    Empty { database: String },
    /// An earlier build has written it.
    #[error("{database} {EARLIER_BUILD}")]
    EarlierBuild { database: String },
    /// A newer release has migrated the database.
    #[error(
        "{database} was written by a newer release of this program (its schema is at {version}); use that release"
    )]
    TooNew {
        database: String,
        /// The first unknown migration.
        version: i64,
    },
    /// Another server has locked the database.
    #[error(
        "{database} is in use by another server ({by}); stop that one first, or give this one another database"
    )]
    InUse {
        database: String,
        /// The other server's application name and client address.
        by: String,
    },
    /// Any other error of PostgreSQL or of a migration.
    #[error("cannot use {database}: {reason}")]
    Other { database: String, reason: String },
}

impl PostgresOpenError {
    pub(super) fn from_error(options: &PgConnectOptions, error: &sqlx::Error) -> Self {
        let (database, reason) = (database_name(options), error.to_string());
        // Class 28: invalid authorization. 3D000: the database does not exist.
        let code = error.as_database_error().and_then(|error| error.code());
        let is_rejected = code.is_some_and(|code| code.starts_with("28") || code == "3D000");
        match PostgresErrorClass::classify(error) {
            PostgresErrorClass::ConnectionLost => {
                PostgresOpenError::Unreachable { database, reason }
            }
            _ if is_rejected => PostgresOpenError::Unreachable { database, reason },
            _ => PostgresOpenError::Other { database, reason },
        }
    }

    pub(super) fn from_migration_error(options: &PgConnectOptions, error: MigrateError) -> Self {
        let database = database_name(options);
        match error {
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
                PostgresOpenError::from_error(options, &error)
            }
            error => PostgresOpenError::Other {
                database,
                reason: error.to_string(),
            },
        }
    }
}

/// The server and the database, without credentials.
pub(super) fn database_name(options: &PgConnectOptions) -> String {
    let database = options.get_database().unwrap_or(options.get_username());
    match options.get_socket() {
        Some(socket) => format!("the database {database} at {}", socket.display()),
        None => format!(
            "the database {database} at {}:{}",
            options.get_host(),
            options.get_port()
        ),
    }
}
