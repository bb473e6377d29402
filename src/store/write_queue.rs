//! The queue of requests to a store's writer: one task commits all pending requests together and replies after
//! the commit (group commit, DeWitt et al., 1984).

use std::fmt::Display;
use std::slice::from_ref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::change::Change;
use super::error::{StoreError, unavailable};
use super::failure::FailureLatch;
use super::id::GameId;
use super::lease::AppendOptions;
use super::stored_game::StoredEntry;
use crate::metrics;

/// Capacity of the queue; further callers wait for capacity.
const QUEUE: usize = 1024;

/// Maximum number of changes in one commit.
const BATCH: usize = 256;

/// Interval of the checks while nothing is written.
pub(super) const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The result of each task of a batch: of an append the granted fencing token (0 for none), of a change what it reports.
pub(super) type BatchResults = Vec<Result<u64, StoreError>>;

/// Commits the batches of a queue.
#[async_trait]
pub(super) trait BatchWriter: Send + 'static {
    /// Why the store has failed permanently.
    type Failure: Display + Send;

    /// Commits a batch.
    async fn commit(
        &mut self,
        tasks: &[WriteTask],
    ) -> Result<BatchResults, CommitError<Self::Failure>>;

    /// Called after the replies to a batch, while requests wait.
    async fn after_replies(&mut self) -> Result<(), Self::Failure> {
        Ok(())
    }

    /// Checks the storage while nothing is written.
    async fn check(&mut self) -> Result<(), Self::Failure>;

    /// The message for the operator after a permanent failure.
    async fn explain(&mut self, failure: Self::Failure) -> String {
        failure.to_string()
    }

    /// Closes the storage after the last batch. Not called after a failure.
    async fn close(self);
}

pub(super) enum CommitError<F> {
    /// This batch was rejected; the next one may succeed.
    Rejected(sqlx::Error),
    /// The store has failed permanently.
    Failed(F),
}

/// The sending end of the queue.
#[derive(Debug)]
pub(super) struct WriteQueue {
    sender: mpsc::Sender<WriteRequest>,
    task: Mutex<Option<JoinHandle<()>>>,
    closing: CancellationToken,
    failure: Arc<FailureLatch>,
    commits: Arc<AtomicU64>,
}

impl WriteQueue {
    /// Starts the writer task. It ends when `closing` is cancelled or the writer has failed.
    pub(super) fn start(writer: impl BatchWriter, closing: CancellationToken) -> Self {
        let failure = Arc::new(FailureLatch::default());
        let (sender, requests) = mpsc::channel(QUEUE);
        let commits = Arc::new(AtomicU64::new(0));
        let task = tokio::spawn(run(
            writer,
            requests,
            closing.clone(),
            (Arc::clone(&failure), Arc::clone(&commits)),
        ));
        WriteQueue {
            sender,
            task: Mutex::new(Some(task)),
            closing,
            failure,
            commits,
        }
    }

    /// Sends a task to the writer and waits for the reply. Once sent, the task takes effect completely or not
    /// at all, even if the caller no longer waits.
    pub(super) async fn submit(&self, task: WriteTask) -> Result<u64, StoreError> {
        self.ensure_usable()?;
        let (reply, answer) = oneshot::channel();
        let closed_or_failed = || self.ensure_usable().err().unwrap_or_else(closed_error);
        self.sender
            .send(WriteRequest { task, reply })
            .await
            .map_err(|_| closed_or_failed())?;
        answer.await.map_err(|_| closed_or_failed())?
    }

    pub(super) fn ensure_usable(&self) -> Result<(), StoreError> {
        if self.failure.token.is_cancelled() {
            Err(failed_error())
        } else if self.closing.is_cancelled() {
            Err(closed_error())
        } else {
            Ok(())
        }
    }

    /// The number of committed batches.
    pub(super) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Acquire)
    }

    pub(super) fn failure(&self) -> &FailureLatch {
        &self.failure
    }

    /// Completes the pending requests and ends the writer task.
    pub(super) async fn close(&self) {
        self.closing.cancel();
        let task = self.task.lock().take();
        if let Some(task) = task
            && let Err(error) = task.await
        {
            tracing::error!(%error, "the store's writer task panicked");
        }
    }
}

/// Commits pending requests in batches until the store is closed or fails.
async fn run<W: BatchWriter>(
    mut writer: W,
    mut requests: mpsc::Receiver<WriteRequest>,
    closing: CancellationToken,
    (failure, commits): (Arc<FailureLatch>, Arc<AtomicU64>),
) {
    // If this task ends in any other way, such as a panic, the store has failed.
    let alive = failure.token.clone().drop_guard();
    let mut pending = Vec::new();
    let mut checks = tokio::time::interval(CHECK_INTERVAL);
    checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let error = loop {
        tokio::select! {
            biased;
            () = closing.cancelled(), if !requests.is_closed() => {
                requests.close();
                continue;
            }
            received = requests.recv_many(&mut pending, BATCH) => if received == 0 {
                alive.disarm();
                return writer.close().await;
            },
            _ = checks.tick() => match writer.check().await {
                Ok(()) => continue,
                Err(error) => break error,
            }
        }
        let (tasks, replies): (Vec<_>, Vec<_>) = pending
            .drain(..)
            .map(|request| (request.task, request.reply))
            .unzip();
        let started = Instant::now();
        match writer.commit(&tasks).await {
            Ok(answers) => {
                commits.fetch_add(1, Ordering::Release);
                metrics::CHANGES.inc_by(tasks.len() as u64);
                metrics::COMMIT.observe(started.elapsed().as_secs_f64());
                for (reply, answer) in replies.into_iter().zip(answers) {
                    // The caller may have dropped its receiver; the change stays in effect.
                    let _ = reply.send(answer);
                }
                if let Err(error) = writer.after_replies().await {
                    break error;
                }
            }
            Err(CommitError::Rejected(error)) => reject_all(replies, &unavailable(error)),
            Err(CommitError::Failed(error)) => {
                failure.token.cancel();
                reject_all(replies, &unavailable(&error));
                break error;
            }
        }
    };
    failure.token.cancel();
    failure.set(&writer.explain(error).await);
    requests.close();
    while let Some(request) = requests.recv().await {
        reject_all(vec![request.reply], &failed_error());
    }
}

fn reject_all(replies: Vec<WriteReply>, error: &StoreError) {
    for reply in replies {
        let _ = reply.send(Err(error.clone()));
    }
}

struct WriteRequest {
    task: WriteTask,
    reply: WriteReply,
}

type WriteReply = oneshot::Sender<Result<u64, StoreError>>;

pub(super) enum WriteTask {
    Append(AppendRequest),
    /// A change that is applied with statements of its own; the appends of a batch share theirs.
    Change(Box<dyn Change>),
}

pub(super) struct AppendRequest {
    pub(super) id: GameId,
    pub(super) expected: u32,
    pub(super) entry: StoredEntry,
    pub(super) card: Option<String>,
    pub(super) options: AppendOptions,
}

impl WriteTask {
    /// The existing games that the task changes.
    pub(super) fn existing_games(&self) -> &[GameId] {
        match self {
            WriteTask::Append(append) => from_ref(&append.id),
            WriteTask::Change(change) => change.games(),
        }
    }
}

fn closed_error() -> StoreError {
    StoreError::Unavailable("the store is closed".to_owned())
}

pub(super) fn failed_error() -> StoreError {
    StoreError::Unavailable("an earlier write failed".to_owned())
}
