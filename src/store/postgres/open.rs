//! Opens a database: checks, migrations, and the start of the background tasks.

use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use tokio::sync::broadcast;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::PostgresStore;
use super::clock::DatabaseClock;
use super::error_class::Retryable as _;
use super::heartbeat::Heartbeat;
use super::notifications;
use super::open_error::{PostgresOpenError, database_name};
use super::write_connection::{
    AccessMode, ApplicationName, WriteConnection, WriteConnectionError, configure_session,
};
use super::writer::PostgresWriter;
use crate::store::migrations::{self, SchemaMismatch};
use crate::store::write_queue::WriteQueue;

/// Number of connections for queries.
const READERS: u32 = 8;

/// Timeout for acquiring one of them.
const ACQUIRE: Duration = Duration::from_secs(5);

/// How long to wait for a database server that is starting, or for the lock of a server that was just killed.
const PATIENCE: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(100);

/// Timeouts for migrations.
const SET_MIGRATION_TIMEOUTS: &str =
    "SELECT set_config('lock_timeout', '60s', false), set_config('statement_timeout', '0', false)";

impl PostgresStore {
    /// Opens a database with exclusive access and migrates its tables. Other processes are rejected until this
    /// one ends.
    ///
    /// # Errors
    /// [`PostgresOpenError`], with a message for the operator.
    pub async fn open(url: &str) -> Result<Self, PostgresOpenError> {
        Self::open_as(url, AccessMode::Exclusive).await
    }

    /// Like [`PostgresStore::open`], with access shared with other processes that join the same database; the
    /// guarantees of the store hold across all of them.
    ///
    /// # Errors
    /// See [`PostgresStore::open`].
    pub async fn join(url: &str) -> Result<Self, PostgresOpenError> {
        Self::open_as(url, AccessMode::Shared).await
    }

    async fn open_as(url: &str, sharing: AccessMode) -> Result<Self, PostgresOpenError> {
        let options = parse_url(url)?;
        let program = options.get_application_name().unwrap_or("dice-of-doom");
        let name = Arc::new(ApplicationName::new(program));
        let mut session = WriteConnection::new(options.clone(), sharing, Arc::clone(&name));
        let connection = connect_first(&options, &mut session).await?;
        migrate(&options, connection).await?;
        let program = program.to_owned();
        let readers = pool(&options, &program, READERS);
        let probe = pool(&options, &program, 1);
        let closing = CancellationToken::new();
        let mut writer = PostgresWriter::new(session, closing.clone());
        writer
            .connect()
            .await
            .map_err(|error| map_connection_error(&options, error))?;
        let (notification_sender, _) = broadcast::channel(notifications::BUFFERED_NOTIFICATIONS);
        let listener_pool = pool(&options, &program, 1);
        let clock = DatabaseClock::read(&readers).await;
        let clock = clock.map_err(|error| PostgresOpenError::from_error(&options, &error))?;
        let clock = Arc::new(clock);
        let heartbeat = Arc::new(Heartbeat::new(Arc::clone(&clock)));
        let listener_heartbeat = Arc::clone(&heartbeat);
        tokio::spawn(notifications::listen(
            listener_pool,
            notification_sender.clone(),
            listener_heartbeat,
            closing.clone(),
        ));
        let (heartbeat_pool, until) = (readers.clone(), closing.clone());
        tokio::spawn(async move { heartbeat.run(&heartbeat_pool, &until).await });
        Ok(PostgresStore {
            queue: WriteQueue::start(writer, closing.clone()),
            readers,
            probe,
            closing,
            name,
            clock,
            notification_sender,
        })
    }
}

/// Parses the connection options. Statement logging is off, because rows contain dice seeds.
pub(super) fn parse_url(url: &str) -> Result<PgConnectOptions, PostgresOpenError> {
    let options = PgConnectOptions::from_str(url).map_err(|_| PostgresOpenError::Address)?;
    Ok(options.disable_statement_logging())
}

/// Makes the first connection; waits for a database server that is starting or stopping.
async fn connect_first<'a>(
    options: &PgConnectOptions,
    session: &'a mut WriteConnection,
) -> Result<&'a mut PgConnection, PostgresOpenError> {
    let until = Instant::now() + PATIENCE;
    let error = loop {
        let error = match session.connect().await {
            Ok(_) => break None,
            Err(error) => error,
        };
        let is_retryable = match &error {
            WriteConnectionError::TakenOver(_) => true,
            WriteConnectionError::Storage(error) => error.is_retryable(),
        };
        if !is_retryable || Instant::now() > until {
            break Some(error);
        }
        tokio::time::sleep(PAUSE).await;
    };
    match error {
        Some(error) => Err(map_connection_error(options, error)),
        None => session
            .connection()
            .ok_or_else(|| PostgresOpenError::from_error(options, &sqlx::Error::PoolClosed)),
    }
}

fn map_connection_error(
    options: &PgConnectOptions,
    error: WriteConnectionError,
) -> PostgresOpenError {
    match error {
        WriteConnectionError::TakenOver(by) => PostgresOpenError::InUse {
            database: database_name(options),
            by,
        },
        WriteConnectionError::Storage(error) => PostgresOpenError::from_error(options, &error),
    }
}

/// Whether a database contains the tables of this program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaPresence {
    Ours,
    Missing,
}

/// # Errors
/// [`PostgresOpenError`] if the tables belong to another program, an earlier build or a newer release.
pub(super) async fn find_schema(
    options: &PgConnectOptions,
    connection: &mut PgConnection,
) -> Result<SchemaPresence, PostgresOpenError> {
    let failed = |error: sqlx::Error| PostgresOpenError::from_error(options, &error);
    let query = "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()";
    let tables: Vec<String> = sqlx::query_scalar(query)
        .fetch_all(&mut *connection)
        .await
        .map_err(failed)?;
    let database = database_name(options);
    if tables.is_empty() {
        return Ok(SchemaPresence::Missing);
    } else if !tables.iter().any(|table| table == "_sqlx_migrations") {
        return Err(PostgresOpenError::Foreign { database });
    }
    let applied = sqlx::query_as(migrations::APPLIED).fetch_all(connection);
    let applied: Vec<(i64, Vec<u8>)> = applied.await.map_err(failed)?;
    match migrations::find_mismatch(&migrations::POSTGRES, &applied) {
        None => Ok(SchemaPresence::Ours),
        Some(SchemaMismatch::Earlier) => Err(PostgresOpenError::EarlierBuild { database }),
        Some(SchemaMismatch::Newer(version)) => {
            Err(PostgresOpenError::TooNew { database, version })
        }
    }
}

/// Migrates the tables, one process at a time: sqlx holds an advisory lock meanwhile.
async fn migrate(
    options: &PgConnectOptions,
    connection: &mut PgConnection,
) -> Result<(), PostgresOpenError> {
    let failed = |error: sqlx::Error| PostgresOpenError::from_error(options, &error);
    find_schema(options, connection).await?;
    let configured = sqlx::query(SET_MIGRATION_TIMEOUTS)
        .execute(&mut *connection)
        .await;
    configured.map_err(failed)?;
    let migrated = migrations::POSTGRES.run(&mut *connection).await;
    migrated.map_err(|error| PostgresOpenError::from_migration_error(options, error))?;
    let query = "SELECT current_setting('fsync') = 'on'";
    let is_durable: bool = sqlx::query_scalar(query)
        .fetch_one(connection)
        .await
        .map_err(failed)?;
    if !is_durable {
        let database = database_name(options);
        tracing::warn!("{database} has fsync off: a power failure can lose acknowledged writes");
    }
    Ok(())
}

fn pool(options: &PgConnectOptions, program: &str, max_connections: u32) -> PgPool {
    let program: Arc<str> = program.into();
    PgPoolOptions::new()
        .max_connections(max_connections)
        .acquire_timeout(ACQUIRE)
        .after_connect(move |connection, _| {
            let program = Arc::clone(&program);
            Box::pin(async move { configure_session(connection, &program).await })
        })
        .connect_lazy_with(options.clone())
}
