//! The connection over which is written, and what hangs on it: whose the database is, and whether a commit
//! happened whose answer was lost.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::time::timeout;

use super::batch::{BatchMode, BatchResults, carry_out_all};
use crate::store::GameId;
use crate::store::write_queue::WriteTask;

/// The advisory lock of whoever has the database for itself; servers share it.
const OWNER: i64 = 0x0d1c_e0fd_003a;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(5);

/// What a statement may take, and the wait for a lock in it.
const STATEMENT_MS: u32 = 10_000;
const LOCK_MS: u32 = 5_000;

/// A transaction in which nothing happens for so long has lost its program, or that one stands still: its rows
/// are free before its leases have run out, so that another server can go on with its games. A program that
/// was only slow tries again.
const IDLE_MS: u32 = 1_000;

/// Whether other programs may write into the database meanwhile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AccessMode {
    /// This process must be the only one.
    Alone,
    /// Others that share it may write.
    Shared,
}

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub(super) enum WriteConnectionError {
    #[error("another server ({0}) has the database")]
    Taken(String),
    #[error(transparent)]
    Storage(#[from] sqlx::Error),
}

/// How a session is seen in `pg_stat_activity`.
#[derive(Debug)]
pub(super) struct ApplicationName {
    program: String,
    /// Where the program is reached.
    address: Mutex<Option<String>>,
}

impl ApplicationName {
    pub(super) fn new(program: &str) -> Self {
        ApplicationName {
            program: program.to_owned(),
            address: Mutex::default(),
        }
    }

    pub(super) fn served_at(&self, address: &str) {
        let mut known = self.address.lock().unwrap_or_else(PoisonError::into_inner);
        *known = Some(address.to_owned());
    }

    fn full(&self) -> String {
        let address = self.address.lock().unwrap_or_else(PoisonError::into_inner);
        match &*address {
            Some(address) => format!("{} {address}", self.program),
            None => self.program.clone(),
        }
    }
}

pub(super) struct WriteConnection {
    options: PgConnectOptions,
    sharing: AccessMode,
    /// Whose row in the table `instance` is ours.
    id: String,
    name: Arc<ApplicationName>,
    /// The name that the server knows the connection by.
    told: String,
    connection: Option<PgConnection>,
    /// Whether the connection is as it should be, and our row is there.
    is_settled: bool,
    /// The server's process that had the last connection, and since when.
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
            told: String::new(),
            connection: None,
            is_settled: false,
            backend: None,
        }
    }

    /// Drops the connection: nobody knows what it is in.
    pub(super) fn hang_up(&mut self) {
        self.connection = None;
        self.is_settled = false;
    }

    /// A connection that has the lock of the owner or its share, and does not know the tables yet.
    pub(super) async fn reach(&mut self) -> Result<&mut PgConnection, WriteConnectionError> {
        self.hang_up();
        let connecting = timeout(CONNECT, self.options.connect()).await;
        let mut connection = connecting.unwrap_or(Err(too_slow()))?;
        self.told = self.name.full();
        rename(&mut connection, &self.told).await?;
        self.own(&mut connection).await?;
        let backend =
            "SELECT pid, backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()";
        self.backend = sqlx::query_as(backend)
            .fetch_optional(&mut connection)
            .await?;
        Ok(self.connection.insert(connection))
    }

    /// The connection as it is.
    pub(super) fn connection(&mut self) -> Option<&mut PgConnection> {
        self.connection.as_mut()
    }

    /// The connection, made anew where it was lost.
    pub(super) async fn ready(&mut self) -> Result<&mut PgConnection, WriteConnectionError> {
        if self.connection.is_none() {
            self.reach().await?;
        }
        if !self.is_settled {
            self.settle().await?;
            self.is_settled = true;
        }
        self.connection
            .as_mut()
            .ok_or(WriteConnectionError::Storage(sqlx::Error::PoolClosed))
    }

    /// Makes the connection ready to write. The row is made before any batch, so that it is there when somebody
    /// asks what became of one.
    async fn settle(&mut self) -> Result<(), sqlx::Error> {
        let connection = self.connection.as_mut().ok_or(sqlx::Error::PoolClosed)?;
        settle(connection, &self.told).await?;
        let query =
            "INSERT INTO instance (id, batch, seen) VALUES ($1, 0, now()) ON CONFLICT DO NOTHING";
        let query = sqlx::query(query).bind(&self.id);
        query.execute(connection).await?;
        Ok(())
    }

    /// Takes the lock of the owner, or a share of it. It dies with the connection; one of ours that died without the
    /// server's notice is ended first.
    async fn own(&self, connection: &mut PgConnection) -> Result<(), WriteConnectionError> {
        let query = match self.sharing {
            AccessMode::Alone => "SELECT pg_try_advisory_lock($1)",
            AccessMode::Shared => "SELECT pg_try_advisory_lock_shared($1)",
        };
        let taken: bool = sqlx::query_scalar(query)
            .bind(OWNER)
            .fetch_one(&mut *connection)
            .await?;
        if taken {
            return Ok(());
        }
        let query = "SELECT pid, backend_start::text, application_name, coalesce(host(client_addr), 'its own machine')
            FROM pg_locks JOIN pg_stat_activity USING (pid)
            WHERE locktype = 'advisory' AND granted AND objsubid = 1
              AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
              AND (classid::bigint << 32 | objid::bigint) = $1
            LIMIT 1";
        let holder: Option<(i32, Option<String>, String, String)> = sqlx::query_as(query)
            .bind(OWNER)
            .fetch_optional(&mut *connection)
            .await?;
        let Some((pid, since, program, place)) = holder else {
            return Err(WriteConnectionError::Taken("it has just gone".to_owned()));
        };
        if let (Some((mine, began)), Some(since)) = (&self.backend, since)
            && (*mine, began) == (pid, &since)
        {
            sqlx::query("SELECT pg_terminate_backend($1)")
                .bind(pid)
                .execute(connection)
                .await?;
            return Err(sqlx::Error::PoolTimedOut.into());
        }
        Err(WriteConnectionError::Taken(format!(
            "{program}, connected from {place}"
        )))
    }

    /// Looks whether the connection is there still, and makes it anew where it is not.
    pub(super) async fn look(&mut self) -> Result<(), WriteConnectionError> {
        let name = self.name.full();
        let is_told = self.told == name;
        let connection = self.ready().await?;
        if is_told {
            return Ok(connection.ping().await?);
        }
        rename(connection, &name).await?;
        self.told = name;
        Ok(())
    }

    /// Carries out a batch and commits it, or finds out that this was done before: when `doubt` has the answers
    /// of an earlier attempt, nobody knows what became of its commit.
    pub(super) async fn attempt(
        &mut self,
        batch: i64,
        tasks: &[WriteTask],
        care: BatchMode,
        doubt: &mut Option<BatchResults>,
    ) -> Result<BatchResults, WriteConnectionError> {
        let id = self.id.clone();
        let connection = self.ready().await?;
        if let Some(answers) = doubt {
            // Waits for the other transaction, should it go on still: it holds this row.
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
        let answers = carry_out_all(&mut transaction, tasks, care).await?;
        *doubt = Some(answers.clone());
        transaction.commit().await?;
        Ok(answers)
    }

    /// Forgets that this process wrote here.
    pub(super) async fn leave(mut self) -> Result<(), sqlx::Error> {
        let Some(mut connection) = self.connection.take() else {
            return Ok(());
        };
        let query = "DELETE FROM instance WHERE id = $1 OR seen < now() - interval '7 days'";
        let query = sqlx::query(query).bind(self.id);
        query.execute(&mut connection).await?;
        connection.close().await
    }
}

fn too_slow() -> sqlx::Error {
    sqlx::Error::Io(std::io::ErrorKind::TimedOut.into())
}

/// How this program wants every connection. The last setting is about a server that is told to acknowledge what is
/// not on its disk: other values than `off` are left as its owner wants them.
pub(super) async fn settle(connection: &mut PgConnection, name: &str) -> Result<(), sqlx::Error> {
    let query = "SELECT set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),
        set_config('idle_in_transaction_session_timeout', $3, false), set_config('application_name', $4, false),
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

async fn rename(connection: &mut PgConnection, name: &str) -> Result<(), sqlx::Error> {
    let query = sqlx::query("SELECT set_config('application_name', $1, false)").bind(name);
    query.execute(connection).await?;
    Ok(())
}
