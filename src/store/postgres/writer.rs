//! The writer task of this process: commits all pending requests together and replies after the commit. It
//! reconnects after a loss of the connection and retries the batch for a while.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, timeout};
use tokio_util::sync::CancellationToken;

use super::batch::{BatchMode, BatchResults};
use super::error_class::PostgresErrorClass;
use super::write_connection::{WriteConnection, WriteConnectionError};
use crate::store::failure::FailureLatch;
use crate::store::metrics;
use crate::store::write_queue::{
    WriteRequest, WriteTask, failed_error, reject_all, send_replies, unavailable,
};

/// Maximum number of changes in one commit.
const BATCH: usize = 256;

/// Interval of the connection checks while nothing is written.
const LOOK: Duration = Duration::from_secs(1);

/// How long a batch is retried; then its requests are rejected and the next batch is tried.
const PATIENCE: Duration = Duration::from_secs(10);

/// Timeout of one attempt; longer than the server's statement timeout.
const ATTEMPT: Duration = Duration::from_secs(15);

/// The pause between attempts; doubles from the minimum to the maximum.
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

pub(super) struct PostgresWriter {
    session: WriteConnection,
    closing: CancellationToken,
    broken: Arc<FailureLatch>,
    batch: i64,
    /// Whether the last attempt failed, so that it is logged once.
    is_cut_off: bool,
}

impl PostgresWriter {
    pub(super) fn new(
        session: WriteConnection,
        closing: CancellationToken,
        broken: Arc<FailureLatch>,
    ) -> Self {
        PostgresWriter {
            session,
            closing,
            broken,
            batch: 0,
            is_cut_off: false,
        }
    }

    /// Opens the connection before the first request.
    pub(super) async fn begin(&mut self) -> Result<(), WriteConnectionError> {
        self.session.ready().await.map(drop)
    }

    /// Commits pending requests in batches until the store is closed or another server has taken over the
    /// database.
    pub(super) async fn run(mut self, mut requests: mpsc::Receiver<WriteRequest>) {
        // If this task ends in any other way, such as a panic, the store has failed.
        let alive = self.broken.token.clone().drop_guard();
        let mut waiting = Vec::new();
        let mut looks = tokio::time::interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let why = loop {
            tokio::select! {
                biased;
                () = self.closing.cancelled(), if !requests.is_closed() => {
                    requests.close();
                    continue;
                }
                taken = requests.recv_many(&mut waiting, BATCH) => if taken == 0 {
                    alive.disarm();
                    return self.leave().await;
                },
                _ = looks.tick() => {
                    match self.check_ownership().await {
                        Ok(()) => continue,
                        Err(taken) => break taken,
                    }
                }
            }
            let (tasks, replies): (Vec<_>, Vec<_>) = waiting
                .drain(..)
                .map(|request| (request.task, request.reply))
                .unzip();
            let begun = Instant::now();
            match self.commit_with_retry(&tasks).await {
                Ok(answers) => {
                    metrics::record_commit(tasks.len(), begun.elapsed());
                    send_replies(replies, answers);
                }
                Err(trouble @ WriteConnectionError::Storage(_)) => {
                    reject_all(replies, &unavailable(trouble))
                }
                Err(trouble @ WriteConnectionError::Taken(_)) => {
                    reject_all(replies, &unavailable(&trouble));
                    break trouble;
                }
            }
        };
        self.broken.set(&format!(
            "{why}, so nothing can be kept any more; nothing acknowledged is lost"
        ));
        requests.close();
        while let Some(request) = requests.recv().await {
            reject_all(vec![request.reply], &failed_error());
        }
    }

    async fn leave(self) {
        let left = timeout(LOOK, self.session.close_and_deregister()).await;
        if let Ok(Err(error)) = left {
            tracing::warn!(%error, "the database connection was not closed cleanly");
        }
    }

    /// # Errors
    /// If another server has taken over the database.
    async fn check_ownership(&mut self) -> Result<(), WriteConnectionError> {
        match timeout(ATTEMPT, self.session.check_connection()).await {
            Ok(Ok(())) => {
                self.is_back();
                Ok(())
            }
            Ok(Err(trouble @ WriteConnectionError::Taken(_))) => Err(trouble),
            Ok(Err(WriteConnectionError::Storage(error))) => {
                self.is_away(&error);
                Ok(())
            }
            Err(slow) => {
                self.is_away(&slow);
                Ok(())
            }
        }
    }

    async fn commit_with_retry(
        &mut self,
        tasks: &[WriteTask],
    ) -> Result<BatchResults, WriteConnectionError> {
        self.batch += 1;
        let until = Instant::now() + PATIENCE;
        let (mut doubt, mut care, mut pause) = (None, BatchMode::Quick, SHORTEST_PAUSE);
        loop {
            let attempt = self.session.attempt(self.batch, tasks, care, &mut doubt);
            let error = match timeout(ATTEMPT, attempt).await {
                Ok(Ok(answers)) => {
                    self.is_back();
                    return Ok(answers);
                }
                Ok(Err(trouble @ WriteConnectionError::Taken(_))) => return Err(trouble),
                Ok(Err(WriteConnectionError::Storage(error))) => error,
                Err(_) => sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()),
            };
            match PostgresErrorClass::of(&error) {
                PostgresErrorClass::Unfit if care == BatchMode::Quick => {
                    care = BatchMode::Careful;
                    continue;
                }
                PostgresErrorClass::Unfit | PostgresErrorClass::Other => {
                    tracing::error!(%error, "the database rejected a batch");
                    self.session.disconnect();
                    return Err(error.into());
                }
                PostgresErrorClass::Again => {}
                PostgresErrorClass::Lost => self.is_away(&error),
            }
            if Instant::now() + pause > until || self.closing.is_cancelled() {
                return Err(error.into());
            }
            tokio::select! {
                () = self.closing.cancelled() => {}
                () = tokio::time::sleep(pause) => {}
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn is_away(&mut self, error: &dyn std::fmt::Display) {
        self.session.disconnect();
        if !std::mem::replace(&mut self.is_cut_off, true) {
            tracing::warn!(%error, "the database is unreachable; nothing is acknowledged until it answers");
        }
    }

    fn is_back(&mut self) {
        if std::mem::take(&mut self.is_cut_off) {
            tracing::info!("the database answers again");
        }
    }
}
