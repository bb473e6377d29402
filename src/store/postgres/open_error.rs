//! Why a database was not opened, in words for the person who started the program.

use sqlx::migrate::MigrateError;
use sqlx::postgres::PgConnectOptions;

use super::error_class::PostgresErrorClass;

/// Why a PostgreSQL database was not opened. No variant tells a password.
#[derive(Debug, thiserror::Error)]
pub enum PostgresOpenError {
    /// The address cannot be read.
    #[error(
        "this is no address of a PostgreSQL database: it is written postgres://USER:PASSWORD@HOST:PORT/DATABASE"
    )]
    Address,
    /// Nobody answers, or refuses this user.
    #[error("cannot reach {database}: {reason}")]
    Unreachable {
        /// The server and the database.
        database: String,
        /// What the system or the server says.
        reason: String,
    },
    /// A healthy database that is not an archive of ours.
    #[error("{database} has tables of another program; make a database of its own for this one")]
    Foreign {
        /// The server and the database.
        database: String,
    },
    /// There is no archive in this database, and it is only to be read.
    #[error("there are no games in {database}: no server has used it yet")]
    Empty {
        /// The server and the database.
        database: String,
    },
    /// A newer release of this program has changed the database.
    #[error(
        "{database} was written by a newer release of this program (its schema is at {version}); use that release"
    )]
    TooNew {
        /// The server and the database.
        database: String,
        /// The migration that this program does not know.
        version: i64,
    },
    /// Another server has the database.
    #[error(
        "{database} is in use by another server ({by}); stop that one first, or give this one another database"
    )]
    Owned {
        /// The server and the database.
        database: String,
        /// How that server calls itself, and where it is connected from.
        by: String,
    },
    /// Anything else that PostgreSQL or a migration has to say.
    #[error("cannot use {database}: {reason}")]
    Other {
        /// The server and the database.
        database: String,
        /// What it says.
        reason: String,
    },
}

impl PostgresOpenError {
    pub(super) fn of(options: &PgConnectOptions, error: &sqlx::Error) -> Self {
        let (database, reason) = (name(options), error.to_string());
        // The class of a user who is not let in, and the database that is not there.
        let code = error.as_database_error().and_then(|error| error.code());
        let kept_out = code.is_some_and(|code| code.starts_with("28") || code == "3D000");
        match PostgresErrorClass::of(error) {
            PostgresErrorClass::Lost => PostgresOpenError::Unreachable { database, reason },
            _ if kept_out => PostgresOpenError::Unreachable { database, reason },
            _ => PostgresOpenError::Other { database, reason },
        }
    }

    pub(super) fn of_migration(options: &PgConnectOptions, error: MigrateError) -> Self {
        let database = name(options);
        match error {
            MigrateError::VersionMissing(version) => {
                PostgresOpenError::TooNew { database, version }
            }
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
                PostgresOpenError::of(options, &error)
            }
            error => PostgresOpenError::Other {
                database,
                reason: error.to_string(),
            },
        }
    }
}

/// The server and the database, without what opens it.
pub(super) fn name(options: &PgConnectOptions) -> String {
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
