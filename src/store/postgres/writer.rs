//! Commits the batches of this process. It reconnects after a loss of the connection and retries the batch for a
//! while.

use std::time::Duration;

use async_trait::async_trait;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::error_class::PostgresErrorClass;
use super::write_connection::{WriteConnection, WriteConnectionError};
use crate::store::sql::batch::BatchMode;
use crate::store::write_queue::{
    BatchResults, BatchWriter, CHECK_INTERVAL, CommitError, WriteTask,
};

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
    batch: i64,
    /// Whether the last attempt failed, so that it is logged once.
    is_cut_off: bool,
}

#[async_trait]
impl BatchWriter for PostgresWriter {
    type Failure = WriteConnectionError;

    async fn commit(
        &mut self,
        tasks: &[WriteTask],
    ) -> Result<BatchResults, CommitError<WriteConnectionError>> {
        let committed = self.commit_with_retry(tasks).await;
        committed.map_err(|error| match error {
            WriteConnectionError::Storage(error) => CommitError::Rejected(error),
            WriteConnectionError::TakenOver(_) => CommitError::Failed(error),
        })
    }

    /// Fails if another server has taken over the database.
    async fn check(&mut self) -> Result<(), WriteConnectionError> {
        match timeout(ATTEMPT, self.session.check_connection()).await {
            Ok(Ok(())) => self.mark_reachable(),
            Ok(Err(error @ WriteConnectionError::TakenOver(_))) => return Err(error),
            Ok(Err(WriteConnectionError::Storage(error))) => self.mark_unreachable(&error),
            Err(slow) => self.mark_unreachable(&slow),
        }
        Ok(())
    }

    async fn explain(&mut self, failure: WriteConnectionError) -> String {
        format!("{failure}, so nothing can be stored any more; nothing acknowledged is lost")
    }

    async fn close(self) {
        let closed = timeout(CHECK_INTERVAL, self.session.close_and_deregister()).await;
        if let Ok(Err(error)) = closed {
            tracing::warn!(%error, "the database connection was not closed cleanly");
        }
    }
}

impl PostgresWriter {
    pub(super) fn new(session: WriteConnection, closing: CancellationToken) -> Self {
        PostgresWriter {
            session,
            closing,
            batch: 0,
            is_cut_off: false,
        }
    }

    /// Opens the connection before the first request.
    pub(super) async fn connect(&mut self) -> Result<(), WriteConnectionError> {
        self.session.ready().await.map(drop)
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
