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
const LOOK: Duration = Duration::from_secs(1);

/// Length of the log at which a checkpoint copies it into the database while games are in play. Requests wait
/// meanwhile, the longer the larger the log: with 50 clients the 99th percentile of the ply latency was 12 to
/// 14 ms with 2 to 8 MiB and 18 to 22 ms with 32 MiB, at the same throughput (`cargo bench --bench plies`).
const LONG_LOG: u64 = 8 * 1024 * 1024;

/// Minimum time between checkpoints, since a reader may keep one from emptying the log.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_millis(100);

/// The state of the writer task.
pub(super) struct SqliteWriter {
    pub(super) connection: SqliteConnection,
    pub(super) watch: FileMonitor,
    pub(super) notes: Notes,
    pub(super) closing: CancellationToken,
    pub(super) broken: Arc<FailureLatch>,
}

impl SqliteWriter {
    /// Commits pending requests in batches until the store is closed or fails.
    pub(super) async fn run(mut self, mut requests: mpsc::Receiver<WriteRequest>) {
        self.use_memory_statement_journal().await;
        // If this task ends in any other way, such as a panic, the store has failed.
        let alive = self.broken.token.clone().drop_guard();
        let mut ends = AppendPointCache::default();
        let mut batch = Vec::new();
        let mut looks = tokio::time::interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_idle = false;
        let mut tried = Instant::now();
        let mut why = loop {
            tokio::select! {
                biased;
                () = self.closing.cancelled(), if !requests.is_closed() => {
                    requests.close();
                    continue;
                }
                taken = requests.recv_many(&mut batch, BATCH) => if taken == 0 {
                    alive.disarm();
                    return self.leave().await;
                },
                _ = looks.tick() => {
                    match self.check_files(is_idle).await {
                        Ok(()) => is_idle = true,
                        Err(why) => break why,
                    }
                    continue;
                }
            }
            is_idle = false;
            let (tasks, replies): (Vec<_>, Vec<_>) = batch
                .drain(..)
                .map(|request| (request.task, request.reply))
                .unzip();
            let begun = Instant::now();
            match self.commit_together(&mut ends, &tasks).await {
                Ok(answers) => {
                    metrics::record_commit(tasks.len(), begun.elapsed());
                    send_replies(replies, answers);
                    if let Err(why) = self.checkpoint_long_wal(&mut tried).await {
                        break why;
                    }
                }
                Err(CommitError::Busy(error)) => {
                    tracing::warn!(%error, "another program has locked the database");
                    reject_all(replies, &unavailable(error));
                }
                Err(CommitError::Failed(why)) => {
                    self.broken.token.cancel();
                    reject_all(replies, &unavailable(&why));
                    break why;
                }
            }
        };
        self.broken.token.cancel();
        if let FatalSqliteError::Lost(FileLostError::Database(path), rescued) = &mut why {
            *rescued = salvage_open_file(&mut self.connection, path).await;
        }
        self.broken.set(&why);
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

    async fn leave(self) {
        if let Err(error) = self.connection.close().await {
            tracing::warn!(%error, "the database was not closed cleanly");
        }
    }

    /// Checks the files, and runs a checkpoint when nothing was written for a while. A damaged log loses its
    /// contents, so data should not stay there for long.
    async fn check_files(&mut self, is_idle: bool) -> Result<(), FatalSqliteError> {
        self.watch.look()?;
        self.notes.sync_at_times();
        if is_idle && self.watch.log_bytes() > 0 {
            self.truncate_wal().await?;
        }
        Ok(())
    }

    /// Runs a checkpoint if the log is long, after the replies to a commit.
    async fn checkpoint_long_wal(&mut self, tried: &mut Instant) -> Result<(), FatalSqliteError> {
        if self.watch.log_bytes() > LONG_LOG && tried.elapsed() > BETWEEN_CHECKPOINTS {
            self.truncate_wal().await?;
            *tried = Instant::now();
        }
        Ok(())
    }

    async fn truncate_wal(&mut self) -> Result<(), FatalSqliteError> {
        // Does not wait for readers and other programs: a later checkpoint will do.
        self.connection.execute("PRAGMA busy_timeout = 0").await?;
        let query = "PRAGMA wal_checkpoint(TRUNCATE)";
        let emptied: Result<(bool, i64, i64), _> =
            sqlx::query_as(query).fetch_one(&mut self.connection).await;
        let patience = format!("PRAGMA busy_timeout = {}", BUSY.as_millis());
        let patience = sqlx::AssertSqlSafe(patience);
        self.connection.execute(patience).await?;
        match emptied {
            Err(error) if !is_busy(&error) => return Err(error.into()),
            Ok(_) | Err(_) => self.watch.rebase_after_checkpoint()?,
        }
        Ok(())
    }

    async fn commit_together(
        &mut self,
        ends: &mut AppendPointCache,
        tasks: &[WriteTask],
    ) -> Result<Vec<Result<u64, StoreError>>, CommitError> {
        // Checked before and after, because writing behind the end of a truncated file extends it again.
        self.watch.look()?;
        let mut transaction = begin(&mut self.connection).await?;
        let answers = match apply_batch(&mut transaction, ends, tasks, Care::Quick).await {
            Err(error) if is_constraint(&error) => {
                transaction.rollback().await?;
                ends.clear();
                transaction = begin(&mut self.connection).await?;
                apply_batch(&mut transaction, ends, tasks, Care::Careful).await?
            }
            answers => answers?,
        };
        let commits: i64 = sqlx::query_scalar(COMMIT)
            .fetch_one(&mut *transaction)
            .await?;
        transaction.commit().await?;
        self.watch.look()?;
        self.notes.note(commits.unsigned_abs());
        Ok(answers)
    }
}

async fn begin(connection: &mut SqliteConnection) -> Result<Transaction<'_, Sqlite>, CommitError> {
    let begun = connection.begin_with("BEGIN IMMEDIATE").await;
    begun.map_err(|error| {
        if is_busy(&error) {
            CommitError::Busy(error)
        } else {
            error.into()
        }
    })
}

#[derive(Clone, Copy)]
enum Care {
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
pub(super) struct Notes {
    owner: Arc<DatabaseLock>,
    synced: Instant,
    is_synced: bool,
}

impl Notes {
    pub(super) fn new(owner: &Arc<DatabaseLock>) -> Self {
        Notes {
            owner: Arc::clone(owner),
            synced: Instant::now(),
            is_synced: true,
        }
    }

    /// The commit is already durable, so a failure to record it is only logged.
    fn note(&mut self, commits: u64) {
        if let Err(error) = self.owner.note(commits) {
            tracing::warn!(%error, "cannot write the lock file: the loss of the log would not be detected");
            return;
        }
        self.is_synced = false;
        self.sync_at_times();
    }

    fn sync_at_times(&mut self) {
        if self.is_synced || self.synced.elapsed() < LOOK {
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
    fn from(why: E) -> Self {
        CommitError::Failed(why.into())
    }
}

fn is_busy(error: &sqlx::Error) -> bool {
    matches!(primary_code(error), Some(code::BUSY | code::LOCKED))
}

/// Applies a batch: the changes first, then all appends together. The order is free because no reply was sent
/// yet.
async fn apply_batch(
    transaction: &mut SqliteConnection,
    ends: &mut AppendPointCache,
    tasks: &[WriteTask],
    care: Care,
) -> Result<Vec<Result<u64, StoreError>>, sqlx::Error> {
    let mut answers = Vec::with_capacity(tasks.len());
    let (mut appends, mut places) = (Vec::new(), Vec::new());
    for task in tasks {
        match task {
            WriteTask::Append(append) => {
                places.push(answers.len());
                appends.push(append);
                answers.push(Ok(0));
            }
            WriteTask::Change(change) => {
                if change.invalidates_append_points() {
                    ends.clear();
                }
                answers.push(apply_in_savepoint(transaction, change).await?);
            }
        }
    }
    let appended = match care {
        Care::Quick => append_together(transaction, ends, &appends).await?,
        Care::Careful => append_each(transaction, ends, &appends).await?,
    };
    for (place, answer) in places.into_iter().zip(appended) {
        answers[place] = answer;
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
    let fresh = |copy: &PathBuf| {
        let mut file = std::fs::OpenOptions::new();
        file.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut file, 0o600);
        file.open(copy).is_ok()
    };
    let Some(copy) = copies.find(fresh) else {
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
