//! The one who writes for this process: what waits together is committed together, and answered after the
//! commit. A connection that is lost is made anew, and the same tried again, for a while.

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
use crate::store::write_queue::{WriteRequest, WriteTask, answer, is_broken, refuse, unavailable};

/// How many changes share one commit at most.
const BATCH: usize = 256;

/// How often the connection is looked at when nothing is written.
const LOOK: Duration = Duration::from_secs(1);

/// For how long a batch is tried again; after that its askers are refused, and the next one is tried.
const PATIENCE: Duration = Duration::from_secs(10);

/// What one attempt may take: more than the server gives a statement.
const ATTEMPT: Duration = Duration::from_secs(15);

/// The pauses between attempts, doubled from one to the other.
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

pub(super) struct PostgresWriter {
    session: WriteConnection,
    closing: CancellationToken,
    broken: Arc<FailureLatch>,
    /// The number of the last batch.
    batch: i64,
    /// Whether the last attempt failed, so that it is said once.
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

    /// Makes the connection, before anything is asked.
    pub(super) async fn begin(&mut self) -> Result<(), WriteConnectionError> {
        self.session.ready().await.map(drop)
    }

    /// Commits together what waits together, until the archive is closed or another server has taken the database.
    pub(super) async fn run(mut self, mut requests: mpsc::Receiver<WriteRequest>) {
        // Should this task die in any other way than by leaving, the archive is broken.
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
                    match self.look().await {
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
            match self.commit_patiently(&tasks).await {
                Ok(answers) => {
                    metrics::committed(tasks.len(), begun.elapsed());
                    answer(replies, answers);
                }
                Err(trouble @ WriteConnectionError::Storage(_)) => {
                    refuse(replies, &unavailable(trouble))
                }
                Err(trouble @ WriteConnectionError::Taken(_)) => {
                    refuse(replies, &unavailable(&trouble));
                    break trouble;
                }
            }
        };
        self.broken.because(&format!(
            "{why}, so nothing can be kept any more; nothing acknowledged is lost"
        ));
        requests.close();
        while let Some(request) = requests.recv().await {
            refuse(vec![request.reply], &is_broken());
        }
    }

    async fn leave(self) {
        let left = timeout(LOOK, self.session.leave()).await;
        if let Ok(Err(error)) = left {
            tracing::warn!(%error, "the archive did not close in good order");
        }
    }

    /// # Errors
    /// When another server has taken the database.
    async fn look(&mut self) -> Result<(), WriteConnectionError> {
        match timeout(ATTEMPT, self.session.look()).await {
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

    async fn commit_patiently(
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
                    tracing::error!(%error, "the database refuses to keep games");
                    self.session.hang_up();
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
        self.session.hang_up();
        if !std::mem::replace(&mut self.is_cut_off, true) {
            tracing::warn!(%error, "the database does not answer; nothing is acknowledged until it does");
        }
    }

    fn is_back(&mut self) {
        if std::mem::take(&mut self.is_cut_off) {
            tracing::info!("the database answers again");
        }
    }
}
