//! The store `memory:`: a SQLite database without a file, for trying the program and for tests. It has one connection,
//! which lives as long as the store, because the database is lost with it.

use std::sync::Arc;

use async_trait::async_trait;
use sqlx::ConnectOptions as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use tokio::sync::{Mutex, MutexGuard, OnceCell};
use tokio_util::sync::CancellationToken;

use super::failure::FatalSqliteError;
use super::writer::commit_batch;
use super::{SqliteStore, Storage};
use crate::store::local_leases::LocalLeases;
use crate::store::migrations;
use crate::store::sql::append::AppendPoints;
use crate::store::write_queue::{BatchResults, BatchWriter, CommitError, WriteQueue, WriteTask};

/// The database, which the first request creates.
#[derive(Debug, Default)]
pub(super) struct MemoryDatabase(OnceCell<Mutex<SqliteConnection>>);

impl MemoryDatabase {
    /// The connection, for one request at a time.
    pub(super) async fn lock(&self) -> Result<MutexGuard<'_, SqliteConnection>, sqlx::Error> {
        let connection = self.0.get_or_try_init(create).await?;
        Ok(connection.lock().await)
    }
}

async fn create() -> Result<Mutex<SqliteConnection>, sqlx::Error> {
    let options = SqliteConnectOptions::new()
        .in_memory(true)
        .foreign_keys(true)
        .disable_statement_logging();
    let mut connection = options.connect().await?;
    for migration in migrations::SQLITE.iter() {
        let sql = sqlx::raw_sql(migration.sql.clone());
        sql.execute(&mut connection).await?;
    }
    Ok(Mutex::new(connection))
}

struct MemoryWriter {
    database: Arc<MemoryDatabase>,
    append_points: AppendPoints,
}

#[async_trait]
impl BatchWriter for MemoryWriter {
    type Failure = FatalSqliteError;

    async fn commit(
        &mut self,
        tasks: &[WriteTask],
    ) -> Result<BatchResults, CommitError<FatalSqliteError>> {
        let mut connection = self.database.lock().await?;
        let points = &mut self.append_points;
        let (answers, _) = commit_batch(&mut connection, points, tasks).await?;
        Ok(answers)
    }

    async fn check(&mut self) -> Result<(), FatalSqliteError> {
        Ok(())
    }

    async fn close(self) {}
}

impl SqliteStore {
    /// A store without persistence.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    #[must_use]
    pub fn in_memory() -> Self {
        let database = Arc::new(MemoryDatabase::default());
        let writer = MemoryWriter {
            database: Arc::clone(&database),
            append_points: AppendPoints::default(),
        };
        SqliteStore {
            queue: WriteQueue::start(writer, CancellationToken::new()),
            storage: Storage::Memory(database),
            leases: LocalLeases::default(),
        }
    }
}
