//! The write connection, the ownership lock tied to it, and the detection of commits whose reply was lost.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::time::timeout;

use crate::store::id::GameId;
use crate::store::sql::append::AppendPoints;
use crate::store::sql::batch::{BatchMode, apply_batch};
use crate::store::write_queue::{BatchResults, WriteTask};

/// The advisory lock on the database: exclusive access holds it alone, servers share it.
const OWNERSHIP_LOCK: i64 = 0x0d1c_e0fd_003a;

/// Connect timeout.
const CONNECT: Duration = Duration::from_secs(5);

/// Statement timeout, and the lock timeout within it.
const STATEMENT_MS: u32 = 10_000;
const LOCK_MS: u32 = 5_000;

/// Timeout of idle transactions: the process has died or is suspended. Its row locks are released before its
/// leases expire, so that another server can continue its games. A process that was only slow retries.
const IDLE_MS: u32 = 1_000;

/// Whether other processes may write to the database at the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AccessMode {
    Exclusive,
    Shared,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum WriteConnectionError {
    #[error("another server ({0}) has the database")]
    TakenOver(String),
    #[error(transparent)]
    Storage(#[from] sqlx::Error),
}

/// The application name of a connection in `pg_stat_activity`.
#[derive(Debug)]
pub(super) struct ApplicationName {
    program: String,
    /// The server's public address.
    address: Mutex<Option<String>>,
}

impl ApplicationName {
    pub(super) fn new(program: &str) -> Self {
        ApplicationName {
            program: program.to_owned(),
            address: Mutex::default(),
        }
    }

    pub(super) fn set_address(&self, address: &str) {
        let mut known = self.address.lock();
        *known = Some(address.to_owned());
    }

    fn full_name(&self) -> String {
        let address = self.address.lock();
        match &*address {
            Some(address) => format!("{} {address}", self.program),
            None => self.program.clone(),
        }
    }
}

pub(super) struct WriteConnection {
    options: PgConnectOptions,
    sharing: AccessMode,
    /// The key of our row in the table `instance`.
    id: String,
    name: Arc<ApplicationName>,
    /// The application name that is set on the connection.
    current_name: String,
    connection: Option<PgConnection>,
    /// Whether the connection is configured and our row exists.
    is_settled: bool,
    /// The pid and start time of the last connection's backend.
    backend: Option<(i32, String)>,
}

impl WriteConnection {
    pub(super) fn new(
        options: PgConnectOptions,
        sharing: AccessMode,
        name: Arc<ApplicationName>,
    ) -> Self {
        WriteConnection {
            options,
            sharing,
            id: GameId::random().to_string(),
            name,
            current_name: String::new(),
            connection: None,
            is_settled: false,
            backend: None,
        }
    }

    /// Drops the connection, whose state is unknown.
    pub(super) fn disconnect(&mut self) {
        self.connection = None;
        self.is_settled = false;
    }

    /// Opens a connection that holds the ownership lock or a share of it. It is not yet configured, and the
    /// tables may be missing.
    pub(super) async fn connect(&mut self) -> Result<&mut PgConnection, WriteConnectionError> {
        self.disconnect();
        let connecting = timeout(CONNECT, self.options.connect()).await;
        let mut connection = connecting.unwrap_or(Err(timeout_error()))?;
        self.current_name = self.name.full_name();
        set_application_name(&mut connection, &self.current_name).await?;
        self.acquire_owner_lock(&mut connection).await?;
        let backend =
            "SELECT pid, backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()";
        self.backend = sqlx::query_as(backend)
            .fetch_optional(&mut connection)
            .await?;
        Ok(self.connection.insert(connection))
    }

    pub(super) fn connection(&mut self) -> Option<&mut PgConnection> {
        self.connection.as_mut()
    }

    /// The configured connection; reconnects if it was lost.
    pub(super) async fn ready(&mut self) -> Result<&mut PgConnection, WriteConnectionError> {
        if self.connection.is_none() {
            self.connect().await?;
        }
        if !self.is_settled {
            self.configure().await?;
            self.is_settled = true;
        }
        self.connection
            .as_mut()
            .ok_or(WriteConnectionError::Storage(sqlx::Error::PoolClosed))
    }

    /// Configures the connection for writing. The row in `instance` is inserted before any batch, so that it
    /// exists when the outcome of a batch has to be determined.
    async fn configure(&mut self) -> Result<(), sqlx::Error> {
        let connection = self.connection.as_mut().ok_or(sqlx::Error::PoolClosed)?;
        configure_session(connection, &self.current_name).await?;
        let query =
            "INSERT INTO instance (id, batch, seen) VALUES ($1, 0, now()) ON CONFLICT DO NOTHING";
        let query = sqlx::query(query).bind(&self.id);
        query.execute(connection).await?;
        Ok(())
    }

    /// Acquires the ownership lock or a share of it; closing the connection releases it. If an earlier
    /// connection of ours still holds it because the server has not noticed its loss, that backend is
    /// terminated first.
    async fn acquire_owner_lock(
        &self,
        connection: &mut PgConnection,
    ) -> Result<(), WriteConnectionError> {
        let query = match self.sharing {
            AccessMode::Exclusive => "SELECT pg_try_advisory_lock($1)",
            AccessMode::Shared => "SELECT pg_try_advisory_lock_shared($1)",
        };
        let is_acquired: bool = sqlx::query_scalar(query)
            .bind(OWNERSHIP_LOCK)
            .fetch_one(&mut *connection)
            .await?;
        if is_acquired {
            return Ok(());
        }
        let query = "SELECT pid, backend_start::text, application_name, coalesce(host(client_addr), 'its own machine')
            FROM pg_locks JOIN pg_stat_activity USING (pid)
            WHERE locktype = 'advisory' AND granted AND objsubid = 1
              AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
              AND (classid::bigint << 32 | objid::bigint) = $1
            LIMIT 1";
        let holder: Option<(i32, Option<String>, String, String)> = sqlx::query_as(query)
            .bind(OWNERSHIP_LOCK)
            .fetch_optional(&mut *connection)
            .await?;
        let Some((pid, since, program, client)) = holder else {
            return Err(WriteConnectionError::TakenOver(
                "it has just gone".to_owned(),
            ));
        };
        if let (Some((mine, start)), Some(since)) = (&self.backend, since)
            && (*mine, start) == (pid, &since)
        {
            sqlx::query("SELECT pg_terminate_backend($1)")
                .bind(pid)
                .execute(connection)
                .await?;
            return Err(sqlx::Error::PoolTimedOut.into());
        }
        Err(WriteConnectionError::TakenOver(format!(
            "{program}, connected from {client}"
        )))
    }

    /// Checks that the connection is alive; reconnects if it is not.
    pub(super) async fn check_connection(&mut self) -> Result<(), WriteConnectionError> {
        let name = self.name.full_name();
        let is_current = self.current_name == name;
        let connection = self.ready().await?;
        if is_current {
            return Ok(connection.ping().await?);
        }
        set_application_name(connection, &name).await?;
        self.current_name = name;
        Ok(())
    }

    /// Applies and commits a batch. If `doubt` contains the results of an earlier attempt, the outcome of its
    /// commit is unknown: first finds out whether it took effect, and if so returns its results.
    pub(super) async fn try_commit(
        &mut self,
        batch: i64,
        tasks: &[WriteTask],
        mode: BatchMode,
        doubt: &mut Option<BatchResults>,
    ) -> Result<BatchResults, WriteConnectionError> {
        let id = self.id.clone();
        let connection = self.ready().await?;
        if let Some(answers) = doubt {
            // Waits for the earlier transaction if it is still open: it holds a lock on this row.
            let query = sqlx::query_scalar("SELECT batch FROM instance WHERE id = $1 FOR UPDATE");
            let last: Option<i64> = query.bind(&id).fetch_optional(&mut *connection).await?;
            if last.is_some_and(|last| last >= batch) {
                return Ok(std::mem::take(answers));
            }
            *doubt = None;
        }
        let mut transaction = connection.begin().await?;
        let query = "INSERT INTO instance (id, batch, seen) VALUES ($1, $2, now())
            ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, seen = excluded.seen";
        let query = sqlx::query(query).bind(id).bind(batch);
        query.execute(&mut *transaction).await?;
        // Not cached, because other servers may write to the same games.
        let mut points = AppendPoints::default();
        let answers = apply_batch(&mut *transaction, &mut points, tasks, mode).await?;
        *doubt = Some(answers.clone());
        transaction.commit().await?;
        Ok(answers)
    }

    /// Deletes this process's row and closes the connection.
    pub(super) async fn close_and_deregister(mut self) -> Result<(), sqlx::Error> {
        let Some(mut connection) = self.connection.take() else {
            return Ok(());
        };
        let query = "DELETE FROM instance WHERE id = $1 OR seen < now() - interval '7 days'";
        let query = sqlx::query(query).bind(self.id);
        query.execute(&mut connection).await?;
        connection.close().await
    }
}

fn timeout_error() -> sqlx::Error {
    sqlx::Error::Io(std::io::ErrorKind::TimedOut.into())
}

/// Sets the session parameters of a connection. `synchronous_commit = off` is overridden, because it
/// acknowledges commits that are not durable; other values are left as configured.
///
/// Statements have indexes, but a prepared one that was planned while its table was small would read the whole table
/// until the table is next analysed, so that is disabled; and so is the compilation of plans that still have to, because
/// they count as expensive.
pub(super) async fn configure_session(
    connection: &mut PgConnection,
    name: &str,
) -> Result<(), sqlx::Error> {
    let query = "SELECT set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),
        set_config('idle_in_transaction_session_timeout', $3, false), set_config('application_name', $4, false),
        set_config('enable_seqscan', 'off', false), set_config('jit', 'off', false),
        set_config('synchronous_commit',
            CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
                 ELSE current_setting('synchronous_commit') END, false)";
    sqlx::query(query)
        .bind(STATEMENT_MS.to_string())
        .bind(LOCK_MS.to_string())
        .bind(IDLE_MS.to_string())
        .bind(name)
        .execute(connection)
        .await?;
    Ok(())
}

async fn set_application_name(
    connection: &mut PgConnection,
    name: &str,
) -> Result<(), sqlx::Error> {
    let query = sqlx::query("SELECT set_config('application_name', $1, false)").bind(name);
    query.execute(connection).await?;
    Ok(())
}
