//! Scheduling of computers' turns onto the compute threads.
//!
//! A fair queue (`fair_queue`) selects the next turn. A turn keeps its queue position until its last ply: while one of
//! its plies is written to the store, other turns run.
//!
//! A queued turn uses no memory but its slot, and the number of slots is bounded: without a free one, the caller waits
//! or reports that the server is busy. The total memory of search trees is bounded, too: a turn starts when its maximum
//! fits.
//!
//! A long ply runs in slices (`slices`), between which other turns run. Each level limits its own search; after a
//! deadline it is asked to stop through its [`StopToken`]. Pauses do not count.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::metrics;
use crate::search::{SearchPauses, StopToken};
use crate::store::GameId;
use crate::tables::environment::{BlockingExecutor, Environment};
use crate::tables::settings::ServiceSettings;

mod fair_queue;
mod ply_times;
mod slices;

use fair_queue::{ComputeLimits, FairQueue};

pub(super) use fair_queue::{TurnId, TurnPriority, TurnRequest};
pub(super) use ply_times::PlyTimeEstimates;
use slices::PlySlices;

/// Minimum interval of the checks whether a ply has reached its deadline, while it is paused.
const MIN_DEADLINE_WAIT: Duration = Duration::from_millis(10);

/// The current length of the queue and the number of busy threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct QueueStats {
    /// Queued turns.
    pub queued_turns: usize,
    /// Busy threads.
    pub busy_threads: usize,
    /// Waiting time of the longest-waiting turn; zero if none is queued.
    pub longest_wait: Duration,
}

/// Why a computation has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ComputeError {
    /// The result is no longer needed.
    Cancelled,
    /// The search panicked or returned no action.
    Failed,
}

/// The queue, and a channel that starts each queued turn.
struct SchedulerState {
    queue: FairQueue,
    start_signals: HashMap<TurnId, oneshot::Sender<()>>,
    /// Started plies that wait for their next slice.
    paused: usize,
}

impl SchedulerState {
    /// Starts all turns that can run now.
    fn dispatch(&mut self) {
        while let Some(turn_id) = self.queue.next_runnable() {
            if let Some(start) = self.start_signals.remove(&turn_id) {
                // The ticket exists: dropping it removes the turn from the queue first.
                let _ = start.send(());
            }
        }
    }
}

/// The compute threads and their queue. A clone is another handle to them.
#[derive(Clone)]
pub(super) struct ComputeScheduler {
    state: Arc<Mutex<SchedulerState>>,
    slots: Arc<Semaphore>,
    deadline: Duration,
    executor: BlockingExecutor,
}

impl ComputeScheduler {
    /// Uses at least one thread and one queue slot. One additional thread runs plies of a few milliseconds.
    pub(super) fn new(settings: &ServiceSettings, environment: &Environment) -> Self {
        let limits = ComputeLimits {
            threads: settings.compute_threads.max(1),
            bytes: settings.compute_bytes,
        };
        let slots = settings.max_queued_turns.clamp(1, Semaphore::MAX_PERMITS);
        ComputeScheduler {
            state: Arc::new(Mutex::new(SchedulerState {
                queue: FairQueue::new(limits),
                start_signals: HashMap::new(),
                paused: 0,
            })),
            slots: Arc::new(Semaphore::new(slots)),
            deadline: settings.ply_deadline,
            executor: Arc::clone(&environment.blocking),
        }
    }

    /// Enqueues a new turn; returns the request if no slot is free.
    pub(super) fn enqueue(&self, request: TurnRequest) -> Result<QueueTicket, Box<TurnRequest>> {
        match Arc::clone(&self.slots).try_acquire_owned() {
            Ok(slot) => Ok(self.insert(request, slot)),
            Err(_) => Err(Box::new(request)),
        }
    }

    /// Enqueues a new turn as soon as a slot is free, in request order.
    pub(super) async fn enqueue_when_free(&self, request: TurnRequest) -> QueueTicket {
        let slot = Arc::clone(&self.slots).acquire_owned().await;
        let slot = slot.expect("the semaphore is never closed");
        self.insert(request, slot)
    }

    fn insert(&self, request: TurnRequest, slot: OwnedSemaphorePermit) -> QueueTicket {
        let now = Instant::now();
        let mut state = self.state.lock();
        let turn_id = state.queue.enqueue(request, now);
        let turn = TurnReservation {
            scheduler: self.clone(),
            turn_id,
            elapsed: Duration::ZERO,
        };
        turn.into_ticket(&mut state, now, Some(slot))
    }

    pub(super) fn stats(&self) -> QueueStats {
        self.state.lock().stats()
    }

    /// The number of turns queued before this game's; `None` if it is not queued.
    pub(super) fn queue_position(&self, game: &GameId) -> Option<usize> {
        self.state.lock().queue.queue_position(game)
    }

    /// Whether a turn of this game is queued or running.
    pub(super) fn is_queued_or_running(&self, game: &GameId) -> bool {
        self.state.lock().queue.is_queued_or_running(game)
    }
}

impl SchedulerState {
    fn stats(&self) -> QueueStats {
        let since = self.queue.oldest_queued_at();
        QueueStats {
            queued_turns: self.queue.waiting(),
            busy_threads: self.queue.thinking(),
            longest_wait: since.map_or(Duration::ZERO, |since| since.elapsed()),
        }
    }

    fn report(&self) {
        let stats = self.stats();
        metrics::COMPUTERS_WAITING.set(stats.queued_turns as i64);
        metrics::COMPUTERS_THINKING.set(stats.busy_threads as i64);
        metrics::LONGEST_WAIT.set(stats.longest_wait.as_secs_f64());
    }
}

/// A turn between two of its plies, whose memory is accounted for; dropping it ends the turn.
pub(super) struct TurnReservation {
    scheduler: ComputeScheduler,
    turn_id: TurnId,
    /// Compute time of the current slice, not charged yet.
    elapsed: Duration,
}

impl TurnReservation {
    /// Enqueues the turn's next ply; the turn keeps its queue position.
    pub(super) fn enqueue_next_ply(
        self,
        expected: Duration,
        priority: TurnPriority,
    ) -> QueueTicket {
        let now = Instant::now();
        let scheduler = self.scheduler.clone();
        let mut state = scheduler.state.lock();
        let queue = &mut state.queue;
        queue.enqueue_next_ply(self.turn_id, expected, priority, now);
        self.into_ticket(&mut state, now, None)
    }

    fn into_ticket(
        self,
        state: &mut SchedulerState,
        queued_at: Instant,
        slot: Option<OwnedSemaphorePermit>,
    ) -> QueueTicket {
        let (start, started) = oneshot::channel();
        state.start_signals.insert(self.turn_id, start);
        state.dispatch();
        state.report();
        QueueTicket {
            turn: self,
            started,
            slot,
            queued_at,
        }
    }

    /// Charges the completed ply and starts the next turns.
    fn finish_ply(&mut self) {
        let elapsed = std::mem::take(&mut self.elapsed);
        let mut state = self.scheduler.state.lock();
        state.queue.pause_turn(self.turn_id, elapsed);
        state.dispatch();
        state.report();
    }
}

impl Drop for TurnReservation {
    fn drop(&mut self) {
        let mut state = self.scheduler.state.lock();
        state.start_signals.remove(&self.turn_id);
        state.queue.remove_turn(self.turn_id, self.elapsed);
        state.dispatch();
        state.report();
    }
}

/// Work on a compute thread, which is asked to stop when nobody waits for it any more.
struct RunningPly {
    scheduler: ComputeScheduler,
    turn_id: TurnId,
    started_at: Instant,
    slices: Arc<PlySlices>,
    stop: StopToken,
}

impl RunningPly {
    fn start(turn: &TurnReservation) -> Self {
        let (scheduler, turn_id) = (turn.scheduler.clone(), turn.turn_id);
        let slices = Arc::new(PlySlices::new(&scheduler, turn_id));
        RunningPly {
            scheduler,
            turn_id,
            started_at: Instant::now(),
            stop: StopToken::with_pauses(Arc::clone(&slices) as Arc<dyn SearchPauses>),
            slices,
        }
    }

    fn request_stop(&self) {
        self.scheduler.request_stop(self.turn_id, &self.stop);
    }

    /// Waits until the ply has run for `time`, without its pauses.
    async fn wait_for_run_time(&self, time: Duration) {
        loop {
            let run_time = self
                .started_at
                .elapsed()
                .saturating_sub(self.slices.paused_time());
            let left = time.saturating_sub(run_time);
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left.max(MIN_DEADLINE_WAIT)).await;
        }
    }
}

impl Drop for RunningPly {
    fn drop(&mut self) {
        self.request_stop();
    }
}

/// A turn's place in the queue, and later its threads; released on drop.
pub(super) struct QueueTicket {
    turn: TurnReservation,
    started: oneshot::Receiver<()>,
    /// The queue slot, held while the turn is queued.
    slot: Option<OwnedSemaphorePermit>,
    queued_at: Instant,
}

impl QueueTicket {
    /// Waits for threads, then runs `work` on a blocking thread; returns its result, its duration and the turn. The
    /// stop token is set on cancellation, at the deadline, and if this future is dropped.
    pub(super) async fn run<T: Send + 'static>(
        mut self,
        cancel: &CancellationToken,
        work: impl FnOnce(&StopToken) -> T + Send + 'static,
    ) -> Result<(T, Duration, TurnReservation), ComputeError> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ComputeError::Cancelled),
            started = &mut self.started => started.map_err(|_| ComputeError::Failed)?,
        }
        self.slot = None;
        metrics::COMPUTER_WAIT.observe(self.queued_at.elapsed().as_secs_f64());
        let deadline = self.turn.scheduler.deadline;
        let executor = Arc::clone(&self.turn.scheduler.executor);
        let running = RunningPly::start(&self.turn);
        let (slices, stop) = (Arc::clone(&running.slices), running.stop.clone());
        let (result_sender, mut work_done) = oneshot::channel();
        executor(Box::new(move || {
            let started_at = Instant::now();
            slices.begin();
            let result = work(&stop);
            let elapsed = started_at.elapsed().saturating_sub(slices.paused_time());
            metrics::COMPUTER_THINK.observe(elapsed.as_secs_f64());
            let mut turn = self.turn;
            turn.elapsed = slices.slice_time();
            // The threads are released when the result is received: so the next turn starts after this ply is on its
            // way to the table, and quick turns are played in order. A panic drops the turn here.
            let _ = result_sender.send((result, elapsed, turn));
        }));
        let outcome = tokio::select! {
            biased;
            outcome = &mut work_done => outcome,
            () = cancel.cancelled() => {
                running.request_stop();
                // Its threads stay occupied until it ends.
                let _ = work_done.await;
                return Err(ComputeError::Cancelled);
            }
            () = running.wait_for_run_time(deadline) => {
                tracing::warn!(?deadline, "a computer reached its deadline and was asked to stop");
                running.request_stop();
                work_done.await
            }
        };
        let (result, elapsed, mut turn) = outcome.map_err(|_| ComputeError::Failed)?;
        turn.finish_ply();
        Ok((result, elapsed, turn))
    }
}

#[cfg(test)]
mod tests;
