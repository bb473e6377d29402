//! Commits batches to the file, with the checks that the file is still the one that was opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection as _, Executor as _, Sqlite, Transaction};
use tokio::time::Instant;

use super::BUSY_TIMEOUT;
use super::code::{self, primary_code};
use super::failure::FatalSqliteError;
use super::file_monitor::{FileLostError, FileMonitor};
use super::lock_file::DatabaseLock;
use crate::store::sql::append::AppendPoints;
use crate::store::sql::batch::BatchConnection as _;
use crate::store::sql::batch::{BatchMode, apply_batch};
use crate::store::write_queue::{
    BatchResults, BatchWriter, CHECK_INTERVAL, CommitError, WriteTask,
};

/// Length of the log at which a checkpoint copies it into the database while games are in play. Requests wait
/// meanwhile, the longer the larger the log: with 50 clients the 99th percentile of the ply latency was 12 to
/// 14 ms with 2 to 8 MiB and 18 to 22 ms with 32 MiB, at the same throughput (`cargo bench --bench plies`).
const MAX_WAL_BYTES: u64 = 8 * 1024 * 1024;

/// Minimum time between checkpoints, since a reader may keep one from emptying the log.
const MIN_CHECKPOINT_INTERVAL: Duration = Duration::from_millis(100);

/// The writing end of an open database file.
pub(super) struct SqliteWriter {
    connection: SqliteConnection,
    monitor: FileMonitor,
    commit_recorder: CommitRecorder,
    /// Only this process writes, so the append points stay valid between batches.
    append_points: AppendPoints,
    /// Whether nothing was written since the last check.
    is_idle: bool,
    last_checkpoint: Instant,
}

impl SqliteWriter {
    pub(super) fn new(
        connection: SqliteConnection,
        monitor: FileMonitor,
        owner: &Arc<DatabaseLock>,
    ) -> Self {
        SqliteWriter {
            connection,
            monitor,
            commit_recorder: CommitRecorder::new(owner),
            append_points: AppendPoints::default(),
            is_idle: false,
            last_checkpoint: Instant::now(),
        }
    }

    async fn truncate_wal(&mut self) -> Result<(), FatalSqliteError> {
        // Does not wait for readers and other programs: a later checkpoint will do.
        self.connection.execute("PRAGMA busy_timeout = 0").await?;
        let query = "PRAGMA wal_checkpoint(TRUNCATE)";
        let emptied: Result<(bool, i64, i64), _> =
            sqlx::query_as(query).fetch_one(&mut self.connection).await;
        let restore_timeout = format!("PRAGMA busy_timeout = {}", BUSY_TIMEOUT.as_millis());
        let restore_timeout = sqlx::AssertSqlSafe(restore_timeout);
        self.connection.execute(restore_timeout).await?;
        match emptied {
            Err(error) if !is_busy(&error) => return Err(error.into()),
            Ok(_) | Err(_) => self.monitor.rebase_after_checkpoint()?,
        }
        Ok(())
    }
}

#[async_trait]
impl BatchWriter for SqliteWriter {
    type Failure = FatalSqliteError;

    async fn commit(
        &mut self,
        tasks: &[WriteTask],
    ) -> Result<BatchResults, CommitError<FatalSqliteError>> {
        self.is_idle = false;
        // Checked before and after, because writing behind the end of a truncated file extends it again.
        self.monitor.check()?;
        let points = &mut self.append_points;
        let (answers, commits) = commit_batch(&mut self.connection, points, tasks).await?;
        self.monitor.check()?;
        self.commit_recorder.record(commits);
        Ok(answers)
    }

    /// Runs a checkpoint if the log is long.
    async fn after_replies(&mut self) -> Result<(), FatalSqliteError> {
        if self.monitor.log_bytes() > MAX_WAL_BYTES
            && self.last_checkpoint.elapsed() > MIN_CHECKPOINT_INTERVAL
        {
            self.truncate_wal().await?;
            self.last_checkpoint = Instant::now();
        }
        Ok(())
    }

    /// Checks the files, and runs a checkpoint when nothing was written for a while. A damaged log loses its
    /// contents, so data should not stay there for long.
    async fn check(&mut self) -> Result<(), FatalSqliteError> {
        self.monitor.check()?;
        self.commit_recorder.sync_if_due();
        if self.is_idle && self.monitor.log_bytes() > 0 {
            self.truncate_wal().await?;
        }
        self.is_idle = true;
        Ok(())
    }

    async fn explain(&mut self, mut failure: FatalSqliteError) -> String {
        if let FatalSqliteError::Lost(FileLostError::Database(path), result) = &mut failure {
            *result = salvage_open_file(&mut self.connection, path).await;
        }
        failure.to_string()
    }

    /// After a failure the connection is dropped instead, because closing would write to the file.
    async fn close(self) {
        if let Err(error) = self.connection.close().await {
            tracing::warn!(%error, "the database was not closed cleanly");
        }
    }
}

/// Commits a batch; returns its results and the number of commits of the database.
pub(super) async fn commit_batch(
    connection: &mut SqliteConnection,
    points: &mut AppendPoints,
    tasks: &[WriteTask],
) -> Result<(BatchResults, u64), CommitError<FatalSqliteError>> {
    let mut transaction = begin(connection).await?;
    let mut applied = apply_batch(&mut *transaction, points, tasks, BatchMode::AllOrNothing).await;
    if let Err(error) = &applied
        && SqliteConnection::is_constraint_violation(error)
    {
        transaction.rollback().await?;
        points.clear();
        transaction = begin(connection).await?;
        applied = apply_batch(&mut *transaction, points, tasks, BatchMode::OneByOne).await;
    }
    let answers = applied?;
    let count = "UPDATE commit_count SET number = number + 1 RETURNING number";
    let commits: i64 = sqlx::query_scalar(count)
        .fetch_one(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok((answers, commits.unsigned_abs()))
}

async fn begin(
    connection: &mut SqliteConnection,
) -> Result<Transaction<'_, Sqlite>, CommitError<FatalSqliteError>> {
    let started = connection.begin_with("BEGIN IMMEDIATE").await;
    started.map_err(|error| {
        if is_busy(&error) {
            tracing::warn!(%error, "another program has locked the database");
            CommitError::Rejected(error)
        } else {
            error.into()
        }
    })
}

/// Records the number of commits in the lock file after each commit.
///
/// It is synced only once a second: after a power failure it may be too low, never too high.
struct CommitRecorder {
    owner: Arc<DatabaseLock>,
    synced: Instant,
    is_synced: bool,
}

impl CommitRecorder {
    fn new(owner: &Arc<DatabaseLock>) -> Self {
        CommitRecorder {
            owner: Arc::clone(owner),
            synced: Instant::now(),
            is_synced: true,
        }
    }

    /// The commit is already durable, so a failure to record it is only logged.
    fn record(&mut self, commits: u64) {
        if let Err(error) = self.owner.record_commits(commits) {
            tracing::warn!(%error, "cannot write the lock file: the loss of the log would not be detected");
            return;
        }
        self.is_synced = false;
        self.sync_if_due();
    }

    fn sync_if_due(&mut self) {
        if self.is_synced || self.synced.elapsed() < CHECK_INTERVAL {
            return;
        }
        (self.synced, self.is_synced) = (Instant::now(), true);
        let owner = Arc::clone(&self.owner);
        tokio::task::spawn_blocking(move || {
            if let Err(error) = owner.sync() {
                tracing::warn!(%error, "cannot sync the lock file: the loss of the log in a power failure would not be detected");
            }
        });
    }
}

impl<E: Into<FatalSqliteError>> From<E> for CommitError<FatalSqliteError> {
    fn from(error: E) -> Self {
        CommitError::Failed(error.into())
    }
}

fn is_busy(error: &sqlx::Error) -> bool {
    matches!(primary_code(error), Some(code::BUSY | code::LOCKED))
}

/// Copies the contents of a removed database, which SQLite still has open, to a new file. Returns a description
/// of the result.
async fn salvage_open_file(connection: &mut SqliteConnection, path: &Path) -> String {
    let mut copies = (1..100_u8).map(|number| {
        let mut copy = path.as_os_str().to_owned();
        copy.push(match number {
            1 => ".rescued".to_owned(),
            _ => format!(".rescued-{number}"),
        });
        PathBuf::from(copy)
    });
    // Readable by its owner only, like the database.
    let create = |copy: &PathBuf| {
        let mut file = std::fs::OpenOptions::new();
        file.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut file, 0o600);
        file.open(copy).is_ok()
    };
    let Some(copy) = copies.find(create) else {
        return "; what it held could not be saved beside it".to_owned();
    };
    let saved = sqlx::query("VACUUM INTO $1")
        .bind(copy.to_string_lossy())
        .execute(connection)
        .await;
    match saved {
        Ok(_) => format!("; all that it held was saved to {}", copy.display()),
        Err(error) => format!("; what it held could not be saved ({error})"),
    }
}
