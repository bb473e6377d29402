//! The writer task: commits all pending requests together and replies after the commit.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection as _, Executor as _, Sqlite, Transaction};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::append::{AppendPointCache, append_each, append_together, is_constraint};
use super::changes::apply_in_savepoint;
use super::failure::FatalSqliteError;
use super::file_monitor::{FileLostError, FileMonitor};
use super::lock_file::DatabaseLock;
use super::open::{BUSY, code, primary_code};
use crate::store::failure::FailureLatch;
use crate::store::write_queue::{
    WriteRequest, WriteTask, failed_error, reject_all, send_replies, unavailable,
};
use crate::store::{StoreError, metrics};

/// Maximum number of changes in one commit.
const BATCH: usize = 256;

/// Interval of the file checks while nothing is written.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Length of the log at which a checkpoint copies it into the database while games are in play. Requests wait
/// meanwhile, the longer the larger the log: with 50 clients the 99th percentile of the ply latency was 12 to
/// 14 ms with 2 to 8 MiB and 18 to 22 ms with 32 MiB, at the same throughput (`cargo bench --bench plies`).
const MAX_WAL_BYTES: u64 = 8 * 1024 * 1024;

/// Minimum time between checkpoints, since a reader may keep one from emptying the log.
const MIN_CHECKPOINT_INTERVAL: Duration = Duration::from_millis(100);

/// The state of the writer task.
pub(super) struct SqliteWriter {
    pub(super) connection: SqliteConnection,
    pub(super) monitor: FileMonitor,
    pub(super) commit_recorder: CommitRecorder,
    pub(super) closing: CancellationToken,
    pub(super) failure: Arc<FailureLatch>,
}

impl SqliteWriter {
    /// Commits pending requests in batches until the store is closed or fails.
    pub(super) async fn run(mut self, mut requests: mpsc::Receiver<WriteRequest>) {
        self.use_memory_statement_journal().await;
        // If this task ends in any other way, such as a panic, the store has failed.
        let alive = self.failure.token.clone().drop_guard();
        let mut append_points = AppendPointCache::default();
        let mut batch = Vec::new();
        let mut checks = tokio::time::interval(CHECK_INTERVAL);
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_idle = false;
        let mut last_checkpoint = Instant::now();
        let mut error = loop {
            tokio::select! {
                biased;
                () = self.closing.cancelled(), if !requests.is_closed() => {
                    requests.close();
                    continue;
                }
                received = requests.recv_many(&mut batch, BATCH) => if received == 0 {
                    alive.disarm();
                    return self.close().await;
                },
                _ = checks.tick() => {
                    match self.check_files(is_idle).await {
                        Ok(()) => is_idle = true,
                        Err(error) => break error,
                    }
                    continue;
                }
            }
            is_idle = false;
            let (tasks, replies): (Vec<_>, Vec<_>) = batch
                .drain(..)
                .map(|request| (request.task, request.reply))
                .unzip();
            let started = Instant::now();
            match self.commit_together(&mut append_points, &tasks).await {
                Ok(answers) => {
                    metrics::record_commit(tasks.len(), started.elapsed());
                    send_replies(replies, answers);
                    if let Err(error) = self.checkpoint_long_wal(&mut last_checkpoint).await {
                        break error;
                    }
                }
                Err(CommitError::Busy(error)) => {
                    tracing::warn!(%error, "another program has locked the database");
                    reject_all(replies, &unavailable(error));
                }
                Err(CommitError::Failed(error)) => {
                    self.failure.token.cancel();
                    reject_all(replies, &unavailable(&error));
                    break error;
                }
            }
        };
        self.failure.token.cancel();
        if let FatalSqliteError::Lost(FileLostError::Database(path), result) = &mut error {
            *result = salvage_open_file(&mut self.connection, path).await;
        }
        self.failure.set(&error);
        requests.close();
        while let Some(request) = requests.recv().await {
            reject_all(vec![request.reply], &failed_error());
        }
        // The connection is dropped rather than closed, because closing would write to the file.
    }

    /// Keeps the statement journal in memory. For a statement that writes many rows, SQLite saves a copy of
    /// each changed page so that it can undo the statement alone; by default the copies of a large batch go
    /// into a temporary file as large as the log.
    async fn use_memory_statement_journal(&mut self) {
        if let Err(error) = self.connection.execute("PRAGMA temp_store = MEMORY").await {
            tracing::warn!(%error, "cannot keep the statement journal in memory; batches are written more slowly");
        }
    }

    async fn close(self) {
        if let Err(error) = self.connection.close().await {
            tracing::warn!(%error, "the database was not closed cleanly");
        }
    }

    /// Checks the files, and runs a checkpoint when nothing was written for a while. A damaged log loses its
    /// contents, so data should not stay there for long.
    async fn check_files(&mut self, is_idle: bool) -> Result<(), FatalSqliteError> {
        self.monitor.check()?;
        self.commit_recorder.sync_if_due();
        if is_idle && self.monitor.log_bytes() > 0 {
            self.truncate_wal().await?;
        }
        Ok(())
    }

    /// Runs a checkpoint if the log is long, after the replies to a commit.
    async fn checkpoint_long_wal(
        &mut self,
        last_checkpoint: &mut Instant,
    ) -> Result<(), FatalSqliteError> {
        if self.monitor.log_bytes() > MAX_WAL_BYTES
            && last_checkpoint.elapsed() > MIN_CHECKPOINT_INTERVAL
        {
            self.truncate_wal().await?;
            *last_checkpoint = Instant::now();
        }
        Ok(())
    }

    async fn truncate_wal(&mut self) -> Result<(), FatalSqliteError> {
        // Does not wait for readers and other programs: a later checkpoint will do.
        self.connection.execute("PRAGMA busy_timeout = 0").await?;
        let query = "PRAGMA wal_checkpoint(TRUNCATE)";
        let emptied: Result<(bool, i64, i64), _> =
            sqlx::query_as(query).fetch_one(&mut self.connection).await;
        let restore_timeout = format!("PRAGMA busy_timeout = {}", BUSY.as_millis());
        let restore_timeout = sqlx::AssertSqlSafe(restore_timeout);
        self.connection.execute(restore_timeout).await?;
        match emptied {
            Err(error) if !is_busy(&error) => return Err(error.into()),
            Ok(_) | Err(_) => self.monitor.rebase_after_checkpoint()?,
        }
        Ok(())
    }

    async fn commit_together(
        &mut self,
        append_points: &mut AppendPointCache,
        tasks: &[WriteTask],
    ) -> Result<Vec<Result<u64, StoreError>>, CommitError> {
        // Checked before and after, because writing behind the end of a truncated file extends it again.
        self.monitor.check()?;
        let mut transaction = begin(&mut self.connection).await?;
        let answers =
            match apply_batch(&mut transaction, append_points, tasks, AppendMode::Quick).await {
                Err(error) if is_constraint(&error) => {
                    transaction.rollback().await?;
                    append_points.clear();
                    transaction = begin(&mut self.connection).await?;
                    apply_batch(&mut transaction, append_points, tasks, AppendMode::Careful).await?
                }
                answers => answers?,
            };
        let commits: i64 = sqlx::query_scalar(COMMIT)
            .fetch_one(&mut *transaction)
            .await?;
        transaction.commit().await?;
        self.monitor.check()?;
        self.commit_recorder.record(commits.unsigned_abs());
        Ok(answers)
    }
}

async fn begin(connection: &mut SqliteConnection) -> Result<Transaction<'_, Sqlite>, CommitError> {
    let started = connection.begin_with("BEGIN IMMEDIATE").await;
    started.map_err(|error| {
        if is_busy(&error) {
            CommitError::Busy(error)
        } else {
            error.into()
        }
    })
}

#[derive(Clone, Copy)]
enum AppendMode {
    /// In one statement: a constraint violation rolls back the whole transaction.
    Quick,
    /// One by one, each in its own savepoint.
    Careful,
}

/// Increments the commit counter, within the transaction.
const COMMIT: &str = "UPDATE commits SET number = number + 1 RETURNING number";

/// Records the number of commits in the lock file after each commit.
///
/// It is synced only once a second: after a power failure it may be too low, never too high.
pub(super) struct CommitRecorder {
    owner: Arc<DatabaseLock>,
    synced: Instant,
    is_synced: bool,
}

impl CommitRecorder {
    pub(super) fn new(owner: &Arc<DatabaseLock>) -> Self {
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

enum CommitError {
    /// Another program holds the lock; nothing was started.
    Busy(sqlx::Error),
    /// The storage failed; its state is unknown.
    Failed(FatalSqliteError),
}

impl<E: Into<FatalSqliteError>> From<E> for CommitError {
    fn from(error: E) -> Self {
        CommitError::Failed(error.into())
    }
}

fn is_busy(error: &sqlx::Error) -> bool {
    matches!(primary_code(error), Some(code::BUSY | code::LOCKED))
}

/// Applies a batch: the changes first, then all appends together. The order is free because no reply was sent
/// yet.
async fn apply_batch(
    transaction: &mut SqliteConnection,
    append_points: &mut AppendPointCache,
    tasks: &[WriteTask],
    mode: AppendMode,
) -> Result<Vec<Result<u64, StoreError>>, sqlx::Error> {
    let mut answers = Vec::with_capacity(tasks.len());
    let (mut appends, mut indices) = (Vec::new(), Vec::new());
    for task in tasks {
        match task {
            WriteTask::Append(append) => {
                indices.push(answers.len());
                appends.push(append);
                answers.push(Ok(0));
            }
            WriteTask::Change(change) => {
                if change.invalidates_append_points() {
                    append_points.clear();
                }
                answers.push(apply_in_savepoint(transaction, change).await?);
            }
        }
    }
    let appended = match mode {
        AppendMode::Quick => append_together(transaction, append_points, &appends).await?,
        AppendMode::Careful => append_each(transaction, append_points, &appends).await?,
    };
    for (index, answer) in indices.into_iter().zip(appended) {
        answers[index] = answer;
    }
    Ok(answers)
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
