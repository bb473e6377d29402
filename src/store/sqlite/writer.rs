//! The one writer: what waits together is committed together, and answered after the commit.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection as _, Executor as _, Sqlite, Transaction};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::append::{AppendPointCache, append_each, append_together, is_constraint};
use super::changes::carry_out_alone;
use super::failure::FatalSqliteError;
use super::file_monitor::{FileLostError, FileMonitor};
use super::lock_file::DatabaseLock;
use super::open::{BUSY, code, primary_code};
use crate::store::failure::FailureLatch;
use crate::store::write_queue::{WriteRequest, WriteTask, answer, is_broken, refuse, unavailable};
use crate::store::{StoreError, metrics};

/// How many changes share one commit at most.
const BATCH: usize = 256;

/// How often the files are looked at when nothing is written.
const LOOK: Duration = Duration::from_secs(1);

/// A log of so many bytes is brought into the database while plies go on. Whoever asks meanwhile waits,
/// and the longer the log the longer: with 50 clients the slowest ply in a hundred took 12 to 14 ms with
/// 2 to 8 MiB, 18 to 22 ms with 32 MiB, and as many plies a second were acknowledged
/// (`cargo bench --bench plies`).
const LONG_LOG: u64 = 8 * 1024 * 1024;

/// How soon a checkpoint is tried again that a reader may have kept from emptying the log.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_millis(100);

/// The one who writes, and all that it needs for it.
pub(super) struct SqliteWriter {
    pub(super) connection: SqliteConnection,
    pub(super) watch: FileMonitor,
    pub(super) notes: Notes,
    pub(super) closing: CancellationToken,
    pub(super) broken: Arc<FailureLatch>,
}

impl SqliteWriter {
    /// Commits together what waits together, until the archive is closed or broken.
    pub(super) async fn run(mut self, mut requests: mpsc::Receiver<WriteRequest>) {
        self.keep_undo_in_memory().await;
        // Should this task die in any other way than by leaving, the archive is broken too.
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
                    match self.look(is_idle).await {
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
                    metrics::committed(tasks.len(), begun.elapsed());
                    answer(replies, answers);
                    if let Err(why) = self.shorten_the_log(&mut tried).await {
                        break why;
                    }
                }
                Err(CommitError::Busy(error)) => {
                    tracing::warn!(%error, "another program holds the archive");
                    refuse(replies, &unavailable(error));
                }
                Err(CommitError::Failed(why)) => {
                    self.broken.token.cancel();
                    refuse(replies, &unavailable(&why));
                    break why;
                }
            }
        };
        self.broken.token.cancel();
        if let FatalSqliteError::Lost(FileLostError::Database(path), rescued) = &mut why {
            *rescued = rescue(&mut self.connection, path).await;
        }
        self.broken.because(&why);
        requests.close();
        while let Some(request) = requests.recv().await {
            refuse(vec![request.reply], &is_broken());
        }
        // Dropped, not closed in good order: that would write once more.
    }

    /// Before a statement writes many rows, SQLite keeps a copy of each page that it changes, so that the
    /// statement alone can be undone. Without this the copies of a large batch go into a temporary file,
    /// as many bytes again as the log takes.
    async fn keep_undo_in_memory(&mut self) {
        if let Err(error) = self.connection.execute("PRAGMA temp_store = MEMORY").await {
            tracing::warn!(%error, "batches are written more slowly");
        }
    }

    async fn leave(self) {
        if let Err(error) = self.connection.close().await {
            tracing::warn!(%error, "the archive did not close in good order");
        }
    }

    /// Looks whether the files are those that were opened; when nothing was written for a while, brings
    /// the log into the database. What a damaged log holds is lost, so it is not left long.
    async fn look(&mut self, is_idle: bool) -> Result<(), FatalSqliteError> {
        self.watch.look()?;
        self.notes.sync_at_times();
        if is_idle && self.watch.log_bytes() > 0 {
            self.empty_the_log().await?;
        }
        Ok(())
    }

    /// Brings a long log into the database, after those who wait for a commit have their answers.
    async fn shorten_the_log(&mut self, tried: &mut Instant) -> Result<(), FatalSqliteError> {
        if self.watch.log_bytes() > LONG_LOG && tried.elapsed() > BETWEEN_CHECKPOINTS {
            self.empty_the_log().await?;
            *tried = Instant::now();
        }
        Ok(())
    }

    async fn empty_the_log(&mut self) -> Result<(), FatalSqliteError> {
        // Readers and other programs are not waited for: there is another time.
        self.connection.execute("PRAGMA busy_timeout = 0").await?;
        let query = "PRAGMA wal_checkpoint(TRUNCATE)";
        let emptied: Result<(bool, i64, i64), _> =
            sqlx::query_as(query).fetch_one(&mut self.connection).await;
        let patience = format!("PRAGMA busy_timeout = {}", BUSY.as_millis());
        let patience = sqlx::AssertSqlSafe(patience);
        self.connection.execute(patience).await?;
        match emptied {
            Err(error) if !is_busy(&error) => return Err(error.into()),
            Ok(_) | Err(_) => self.watch.checkpointed()?,
        }
        Ok(())
    }

    async fn commit_together(
        &mut self,
        ends: &mut AppendPointCache,
        tasks: &[WriteTask],
    ) -> Result<Vec<Result<u64, StoreError>>, CommitError> {
        // Before and after: who writes behind the end of a file that was made shorter makes it long again.
        self.watch.look()?;
        let mut transaction = begin(&mut self.connection).await?;
        let answers = match carry_out_all(&mut transaction, ends, tasks, Care::Quick).await {
            Err(error) if is_constraint(&error) => {
                transaction.rollback().await?;
                ends.clear();
                transaction = begin(&mut self.connection).await?;
                carry_out_all(&mut transaction, ends, tasks, Care::Careful).await?
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

/// How entries are appended.
#[derive(Clone, Copy)]
enum Care {
    /// All together: one that violates a constraint undoes the whole transaction.
    Quick,
    /// Each in a savepoint of its own.
    Careful,
}

/// Counts a commit, within its transaction.
const COMMIT: &str = "UPDATE commits SET number = number + 1 RETURNING number";

/// The number of commits, noted beside the database after each of them.
///
/// It is synced once a second only: after a power cut it may say too few, never too many.
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

    /// The commit is on the disk already, so a note that cannot be written is only logged.
    fn note(&mut self, commits: u64) {
        if let Err(error) = self.owner.note(commits) {
            tracing::warn!(%error, "a log that is lost would not be noticed");
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
                tracing::warn!(%error, "a log that is lost in a power cut would not be noticed");
            }
        });
    }
}

/// Why a batch was not committed.
enum CommitError {
    /// Another program kept the lock; nothing was begun.
    Busy(sqlx::Error),
    /// The storage failed; nobody knows what it has.
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

/// Nobody was answered yet, so the changes may come in any order; entries come last, together.
async fn carry_out_all(
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
                if change.moves_ends() {
                    ends.clear();
                }
                answers.push(carry_out_alone(transaction, change).await?);
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

/// Saves what a file holds that lost its name: SQLite has it open still. Answers how that went.
async fn rescue(connection: &mut SqliteConnection, path: &Path) -> String {
    let mut copies = (1..100_u8).map(|number| {
        let mut copy = path.as_os_str().to_owned();
        copy.push(match number {
            1 => ".rescued".to_owned(),
            _ => format!(".rescued-{number}"),
        });
        PathBuf::from(copy)
    });
    // Only its owner may read it, as the database itself.
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
