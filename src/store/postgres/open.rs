//! Opening a database: what is refused, how its tables are made, and the writer's task.

use std::str::FromStr as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use tokio::sync::{broadcast, mpsc};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::PostgresArchive;
use super::error_class::MayPass as _;
use super::heartbeat::Pulse;
use super::notifications;
use super::open_error::{Refusal, name};
use super::watcher_counts::Watching;
use super::write_connection::{Name, Session, Sharing, Trouble, settle};
use super::writer::Writer;
use crate::store::failure::Broken;
use crate::store::migrations;

/// How many changes may wait; beyond it their askers wait for room.
const QUEUE: usize = 1024;

/// How many connections are read over.
const READERS: u32 = 8;

/// How long to wait for one of them.
const ACQUIRE: Duration = Duration::from_secs(5);

/// How long to wait for a server that starts, or for the lock of one that has just been killed.
const PATIENCE: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(100);

/// What a migration may wait for, and take.
const MIGRATING: &str =
    "SELECT set_config('lock_timeout', '60s', false), set_config('statement_timeout', '0', false)";

/// The newest migration that this program knows.
pub(super) fn newest_migration() -> i64 {
    let versions = migrations::POSTGRES
        .iter()
        .map(|migration| migration.version);
    versions.max().unwrap_or(0)
}

impl PostgresArchive {
    /// Opens a database for this process alone, makes its tables where they are missing, and brings them up to
    /// date. Any other process is refused until this one ends.
    ///
    /// # Errors
    /// [`Refusal`], in words for the person who started the program.
    pub async fn open(url: &str) -> Result<Self, Refusal> {
        Self::open_as(url, Sharing::Alone).await
    }

    /// As [`PostgresArchive::open`], beside other processes that join the same database: what this archive
    /// promises holds over all of them.
    ///
    /// # Errors
    /// As [`PostgresArchive::open`].
    pub async fn join(url: &str) -> Result<Self, Refusal> {
        Self::open_as(url, Sharing::Shared).await
    }

    async fn open_as(url: &str, sharing: Sharing) -> Result<Self, Refusal> {
        let options = read_url(url)?;
        let program = options.get_application_name().unwrap_or("dice-of-doom");
        let name = Arc::new(Name::new(program));
        let mut session = Session::new(options.clone(), sharing, Arc::clone(&name));
        let connection = reach(&options, &mut session).await?;
        migrate(&options, connection).await?;
        let program = program.to_owned();
        let readers = pool(&options, &program, READERS);
        let probe = pool(&options, &program, 1);
        let (writer, requests) = mpsc::channel(QUEUE);
        let closing = CancellationToken::new();
        let broken = Arc::new(Broken::default());
        let mut writing = Writer::new(session, closing.clone(), Arc::clone(&broken));
        writing
            .begin()
            .await
            .map_err(|trouble| refusal(&options, trouble))?;
        let (rings, _) = broadcast::channel(notifications::WAITING);
        let heard = pool(&options, &program, 1);
        let pulse = Arc::new(Pulse::new());
        let heeded = Arc::clone(&pulse);
        tokio::spawn(notifications::listen(
            heard,
            rings.clone(),
            heeded,
            closing.clone(),
        ));
        let (asked, until) = (readers.clone(), closing.clone());
        tokio::spawn(async move { pulse.beat(&asked, &until).await });
        Ok(PostgresArchive {
            readers,
            probe,
            writer,
            writing: Mutex::new(Some(tokio::spawn(writing.run(requests)))),
            closing,
            broken,
            name,
            rings,
            watching: Watching::new(),
        })
    }
}

/// The options that an address stands for. The program logs no statements: rows hold the seeds of dice.
pub(super) fn read_url(url: &str) -> Result<PgConnectOptions, Refusal> {
    let options = PgConnectOptions::from_str(url).map_err(|_| Refusal::Address)?;
    Ok(options.disable_statement_logging())
}

/// The first connection: a server that starts or ends just now is waited for.
async fn reach<'a>(
    options: &PgConnectOptions,
    session: &'a mut Session,
) -> Result<&'a mut PgConnection, Refusal> {
    let until = Instant::now() + PATIENCE;
    let trouble = loop {
        let trouble = match session.reach().await {
            Ok(_) => break None,
            Err(trouble) => trouble,
        };
        let may_pass = match &trouble {
            Trouble::Taken(_) => true,
            Trouble::Storage(error) => error.may_pass(),
        };
        if !may_pass || Instant::now() > until {
            break Some(trouble);
        }
        tokio::time::sleep(PAUSE).await;
    };
    match trouble {
        Some(trouble) => Err(refusal(options, trouble)),
        None => session
            .connection()
            .ok_or_else(|| Refusal::of(options, &sqlx::Error::PoolClosed)),
    }
}

fn refusal(options: &PgConnectOptions, trouble: Trouble) -> Refusal {
    match trouble {
        Trouble::Taken(by) => Refusal::Owned {
            database: name(options),
            by,
        },
        Trouble::Storage(error) => Refusal::of(options, &error),
    }
}

/// Whether the tables of this program are in a database.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tables {
    Ours,
    Missing,
}

/// # Errors
/// [`Refusal::Foreign`] where the tables are another program's.
pub(super) async fn find_tables(
    options: &PgConnectOptions,
    connection: &mut PgConnection,
) -> Result<Tables, Refusal> {
    let query = "SELECT count(*) > 0, bool_or(tablename = '_sqlx_migrations')
        FROM pg_tables WHERE schemaname = current_schema()";
    let found: Result<(bool, Option<bool>), _> = sqlx::query_as(query).fetch_one(connection).await;
    match found.map_err(|error| Refusal::of(options, &error))? {
        (false, _) => Ok(Tables::Missing),
        (true, Some(true)) => Ok(Tables::Ours),
        (true, _) => Err(Refusal::Foreign {
            database: name(options),
        }),
    }
}

/// Brings the tables up to date, one process at a time: sqlx holds an advisory lock meanwhile.
async fn migrate(options: &PgConnectOptions, connection: &mut PgConnection) -> Result<(), Refusal> {
    let failed = |error: sqlx::Error| Refusal::of(options, &error);
    find_tables(options, connection).await?;
    let unhurried = sqlx::query(MIGRATING).execute(&mut *connection).await;
    unhurried.map_err(failed)?;
    let migrated = migrations::POSTGRES.run(&mut *connection).await;
    migrated.map_err(|error| Refusal::of_migration(options, error))?;
    let query = "SELECT current_setting('fsync') = 'on'";
    let is_durable: bool = sqlx::query_scalar(query)
        .fetch_one(connection)
        .await
        .map_err(failed)?;
    if !is_durable {
        let database = name(options);
        tracing::warn!("{database} has fsync off: a power cut there loses what was acknowledged");
    }
    Ok(())
}

fn pool(options: &PgConnectOptions, program: &str, most: u32) -> PgPool {
    let program: Arc<str> = program.into();
    PgPoolOptions::new()
        .max_connections(most)
        .acquire_timeout(ACQUIRE)
        .after_connect(move |connection, _| {
            let program = Arc::clone(&program);
            Box::pin(async move { settle(connection, &program).await })
        })
        .connect_lazy_with(options.clone())
}
