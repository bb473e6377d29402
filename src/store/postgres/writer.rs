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
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// How long a batch is retried; then its requests are rejected and the next batch is tried.
const RETRY_TIMEOUT: Duration = Duration::from_secs(10);

/// Timeout of one attempt; longer than the server's statement timeout.
const ATTEMPT: Duration = Duration::from_secs(15);

/// The pause between attempts; doubles from the minimum to the maximum.
const MIN_RETRY_PAUSE: Duration = Duration::from_millis(20);
const MAX_RETRY_PAUSE: Duration = Duration::from_millis(500);

pub(super) struct PostgresWriter {
    session: WriteConnection,
    closing: CancellationToken,
    failure: Arc<FailureLatch>,
    batch: i64,
    /// Whether the last attempt failed, so that it is logged once.
    is_cut_off: bool,
}

impl PostgresWriter {
    pub(super) fn new(
        session: WriteConnection,
        closing: CancellationToken,
        failure: Arc<FailureLatch>,
    ) -> Self {
        PostgresWriter {
            session,
            closing,
            failure,
            batch: 0,
            is_cut_off: false,
        }
    }

    /// Opens the connection before the first request.
    pub(super) async fn connect(&mut self) -> Result<(), WriteConnectionError> {
        self.session.ready().await.map(drop)
    }

    /// Commits pending requests in batches until the store is closed or another server has taken over the
    /// database.
    pub(super) async fn run(mut self, mut requests: mpsc::Receiver<WriteRequest>) {
        // If this task ends in any other way, such as a panic, the store has failed.
        let alive = self.failure.token.clone().drop_guard();
        let mut pending = Vec::new();
        let mut checks = tokio::time::interval(CHECK_INTERVAL);
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let error = loop {
            tokio::select! {
                biased;
                () = self.closing.cancelled(), if !requests.is_closed() => {
                    requests.close();
                    continue;
                }
                received = requests.recv_many(&mut pending, BATCH) => if received == 0 {
                    alive.disarm();
                    return self.shut_down().await;
                },
                _ = checks.tick() => {
                    match self.check_ownership().await {
                        Ok(()) => continue,
                        Err(error) => break error,
                    }
                }
            }
            let (tasks, replies): (Vec<_>, Vec<_>) = pending
                .drain(..)
                .map(|request| (request.task, request.reply))
                .unzip();
            let started = Instant::now();
            match self.commit_with_retry(&tasks).await {
                Ok(answers) => {
                    metrics::record_commit(tasks.len(), started.elapsed());
                    send_replies(replies, answers);
                }
                Err(error @ WriteConnectionError::Storage(_)) => {
                    reject_all(replies, &unavailable(error))
                }
                Err(error @ WriteConnectionError::TakenOver(_)) => {
                    reject_all(replies, &unavailable(&error));
                    break error;
                }
            }
        };
        self.failure.set(&format!(
            "{error}, so nothing can be stored any more; nothing acknowledged is lost"
        ));
        requests.close();
        while let Some(request) = requests.recv().await {
            reject_all(vec![request.reply], &failed_error());
        }
    }

    async fn shut_down(self) {
        let closed = timeout(CHECK_INTERVAL, self.session.close_and_deregister()).await;
        if let Ok(Err(error)) = closed {
            tracing::warn!(%error, "the database connection was not closed cleanly");
        }
    }

    /// # Errors
    /// If another server has taken over the database.
    async fn check_ownership(&mut self) -> Result<(), WriteConnectionError> {
        match timeout(ATTEMPT, self.session.check_connection()).await {
            Ok(Ok(())) => {
                self.mark_reachable();
                Ok(())
            }
            Ok(Err(error @ WriteConnectionError::TakenOver(_))) => Err(error),
            Ok(Err(WriteConnectionError::Storage(error))) => {
                self.mark_unreachable(&error);
                Ok(())
            }
            Err(slow) => {
                self.mark_unreachable(&slow);
                Ok(())
            }
        }
    }

    async fn commit_with_retry(
        &mut self,
        tasks: &[WriteTask],
    ) -> Result<BatchResults, WriteConnectionError> {
        self.batch += 1;
        let until = Instant::now() + RETRY_TIMEOUT;
        let (mut doubt, mut mode, mut pause) = (None, BatchMode::AllOrNothing, MIN_RETRY_PAUSE);
        loop {
            let attempt = self.session.try_commit(self.batch, tasks, mode, &mut doubt);
            let error = match timeout(ATTEMPT, attempt).await {
                Ok(Ok(answers)) => {
                    self.mark_reachable();
                    return Ok(answers);
                }
                Ok(Err(error @ WriteConnectionError::TakenOver(_))) => return Err(error),
                Ok(Err(WriteConnectionError::Storage(error))) => error,
                Err(_) => sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()),
            };
            match PostgresErrorClass::classify(&error) {
                PostgresErrorClass::ConstraintViolation if mode == BatchMode::AllOrNothing => {
                    mode = BatchMode::OneByOne;
                    continue;
                }
                PostgresErrorClass::ConstraintViolation | PostgresErrorClass::Other => {
                    tracing::error!(%error, "the database rejected a batch");
                    self.session.disconnect();
                    return Err(error.into());
                }
                PostgresErrorClass::Retryable => {}
                PostgresErrorClass::ConnectionLost => self.mark_unreachable(&error),
            }
            if Instant::now() + pause > until || self.closing.is_cancelled() {
                return Err(error.into());
            }
            tokio::select! {
                () = self.closing.cancelled() => {}
                () = tokio::time::sleep(pause) => {}
            }
            pause = (pause * 2).min(MAX_RETRY_PAUSE);
        }
    }

    fn mark_unreachable(&mut self, error: &dyn std::fmt::Display) {
        self.session.disconnect();
        if !std::mem::replace(&mut self.is_cut_off, true) {
            tracing::warn!(%error, "the database is unreachable; nothing is acknowledged until it answers");
        }
    }

    fn mark_reachable(&mut self) {
        if std::mem::take(&mut self.is_cut_off) {
            tracing::info!("the database answers again");
        }
    }
}
