//! Scheduling of computers' turns onto the compute threads.
//!
//! A fair queue (`fair_queue`) selects the next turn. A turn keeps its queue position until its last ply: while one of
//! its plies is written to the store, other turns run.
//!
//! A queued turn uses no memory but its slot, and the number of slots is bounded: without a free one, the caller waits
//! or reports that the server is busy. The total memory of search trees is bounded, too: a turn starts when its maximum
//! fits.
//!
//! Each level limits its own search; after a deadline it is asked to stop through its [`StopToken`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::search::StopToken;
use crate::service::{BlockingExecutor, Environment, ServiceSettings};
use crate::store::GameId;

mod fair_queue;
mod ply_times;

use fair_queue::{ComputeLimits, FairQueue};

pub(super) use fair_queue::{TurnId, TurnPriority, TurnRequest};
pub(super) use ply_times::PlyTimeEstimates;

/// Metric: queued turns of computers.
pub const METRIC_WAITING: &str = "computers_waiting";
/// Metric: busy compute threads.
pub const METRIC_RUNNING: &str = "computers_thinking";
/// Metric: seconds for which the longest-waiting turn has been queued.
pub const LONGEST_WAIT: &str = "computers_longest_wait_seconds";
/// Metric: seconds in the queue, per ply.
pub const WAITED: &str = "computer_wait_seconds";
/// Metric: seconds of computation, per ply.
pub const THOUGHT: &str = "computer_think_seconds";

/// The current length of the queue and the number of busy threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct QueueStats {
    /// Queued turns.
    pub waiting: usize,
    /// Busy threads.
    pub thinking: usize,
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
    shares: FairQueue,
    calls: HashMap<TurnId, oneshot::Sender<()>>,
}

impl SchedulerState {
    /// Starts all turns that can run now.
    fn dispatch(&mut self) {
        while let Some(number) = self.shares.next_runnable() {
            if let Some(call) = self.calls.remove(&number) {
                // The ticket exists: dropping it removes the turn from the queue first.
                let _ = call.send(());
            }
        }
    }
}

/// The compute threads and their queue. A clone is another handle to them.
#[derive(Clone)]
pub(super) struct ComputeScheduler {
    waitlist: Arc<Mutex<SchedulerState>>,
    places: Arc<Semaphore>,
    deadline: Duration,
    desk: BlockingExecutor,
}

impl ComputeScheduler {
    /// Uses at least one thread and one queue slot. One additional thread runs plies of a few milliseconds.
    pub(super) fn new(settings: &ServiceSettings, machine: &Environment) -> Self {
        let limits = ComputeLimits {
            threads: settings.compute_threads.max(1),
            bytes: settings.compute_bytes,
        };
        let places = settings.max_queued_turns.clamp(1, Semaphore::MAX_PERMITS);
        ComputeScheduler {
            waitlist: Arc::new(Mutex::new(SchedulerState {
                shares: FairQueue::new(limits),
                calls: HashMap::new(),
            })),
            places: Arc::new(Semaphore::new(places)),
            deadline: settings.ply_deadline,
            desk: Arc::clone(&machine.thinking),
        }
    }

    /// Enqueues a new turn; returns the request if no slot is free.
    pub(super) fn enqueue(&self, wish: TurnRequest) -> Result<QueueTicket, Box<TurnRequest>> {
        match Arc::clone(&self.places).try_acquire_owned() {
            Ok(place) => Ok(self.begin(wish, place)),
            Err(_) => Err(Box::new(wish)),
        }
    }

    /// Enqueues a new turn as soon as a slot is free, in request order.
    pub(super) async fn enqueue_when_free(&self, wish: TurnRequest) -> QueueTicket {
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.expect("the semaphore is never closed");
        self.begin(wish, place)
    }

    fn begin(&self, wish: TurnRequest, place: OwnedSemaphorePermit) -> QueueTicket {
        let now = Instant::now();
        let mut waitlist = self.waitlist();
        let number = waitlist.shares.enqueue(wish, now);
        let turn = TurnReservation {
            thinkers: self.clone(),
            number,
            took: Duration::ZERO,
        };
        turn.wait(&mut waitlist, now, Some(place))
    }

    pub(super) fn queue(&self) -> QueueStats {
        self.waitlist().queue()
    }

    /// The number of turns queued before this game's; `None` if it is not queued.
    pub(super) fn queue_position(&self, game: &GameId) -> Option<usize> {
        self.waitlist().shares.queue_position(game)
    }

    /// Whether a turn of this game is queued or running.
    pub(super) fn is_queued_or_running(&self, game: &GameId) -> bool {
        self.waitlist().shares.is_at_work(game)
    }

    fn waitlist(&self) -> MutexGuard<'_, SchedulerState> {
        // No code under the lock panics in an inconsistent state.
        self.waitlist.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SchedulerState {
    fn queue(&self) -> QueueStats {
        let since = self.shares.waits_since();
        QueueStats {
            waiting: self.shares.waiting(),
            thinking: self.shares.thinking(),
            longest_wait: since.map_or(Duration::ZERO, |since| since.elapsed()),
        }
    }

    fn report(&self) {
        let queue = self.queue();
        metrics::gauge!(METRIC_WAITING).set(queue.waiting as f64);
        metrics::gauge!(METRIC_RUNNING).set(queue.thinking as f64);
        metrics::gauge!(LONGEST_WAIT).set(queue.longest_wait.as_secs_f64());
    }
}

/// A turn between two of its plies, whose memory is accounted for; dropping it ends the turn.
pub(super) struct TurnReservation {
    thinkers: ComputeScheduler,
    number: TurnId,
    /// Compute time of the current ply, not charged yet.
    took: Duration,
}

impl TurnReservation {
    /// Enqueues the turn's next ply; the turn keeps its queue position.
    pub(super) fn enqueue_next_ply(self, expected: Duration, attention: TurnPriority) -> QueueTicket {
        let now = Instant::now();
        let thinkers = self.thinkers.clone();
        let mut waitlist = thinkers.waitlist();
        let shares = &mut waitlist.shares;
        shares.enqueue_next_ply(self.number, expected, attention, now);
        self.wait(&mut waitlist, now, None)
    }

    fn wait(
        self,
        waitlist: &mut SchedulerState,
        since: Instant,
        place: Option<OwnedSemaphorePermit>,
    ) -> QueueTicket {
        let (call, called) = oneshot::channel();
        waitlist.calls.insert(self.number, call);
        waitlist.dispatch();
        waitlist.report();
        QueueTicket {
            turn: self,
            called,
            place,
            since,
        }
    }

    /// Charges the completed ply and starts the next turns.
    fn finish_ply(&mut self) {
        let took = std::mem::take(&mut self.took);
        let mut waitlist = self.thinkers.waitlist();
        waitlist.shares.pause_turn(self.number, took);
        waitlist.dispatch();
        waitlist.report();
    }
}

impl Drop for TurnReservation {
    fn drop(&mut self) {
        let mut waitlist = self.thinkers.waitlist();
        waitlist.calls.remove(&self.number);
        waitlist.shares.remove_turn(self.number, self.took);
        waitlist.dispatch();
        waitlist.report();
    }
}

/// A turn's place in the queue, and later its threads; released on drop.
pub(super) struct QueueTicket {
    turn: TurnReservation,
    called: oneshot::Receiver<()>,
    /// The queue slot, held while the turn is queued.
    place: Option<OwnedSemaphorePermit>,
    since: Instant,
}

impl QueueTicket {
    /// Waits for threads, then runs `work` on a blocking thread; returns its result, its duration and the turn. The
    /// stop token is set on cancellation and at the deadline.
    pub(super) async fn think<T: Send + 'static>(
        mut self,
        cancel: &CancellationToken,
        work: impl FnOnce(&StopToken) -> T + Send + 'static,
    ) -> Result<(T, Duration, TurnReservation), ComputeError> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ComputeError::Cancelled),
            called = &mut self.called => called.map_err(|_| ComputeError::Failed)?,
        }
        self.place = None;
        metrics::histogram!(WAITED).record(self.since.elapsed().as_secs_f64());
        let deadline = self.turn.thinkers.deadline;
        let stop = StopToken::new();
        let flag = stop.clone();
        let desk = Arc::clone(&self.turn.thinkers.desk);
        let (tell, mut working) = oneshot::channel();
        desk(Box::new(move || {
            let begun = Instant::now();
            let result = work(&flag);
            let mut turn = self.turn;
            turn.took = begun.elapsed();
            metrics::histogram!(THOUGHT).record(turn.took.as_secs_f64());
            // The threads are released when the result is received: so the next turn starts after this ply is on its
            // way to the table, and quick turns are played in order. A panic drops the turn here.
            let _ = tell.send((result, turn));
        }));
        let worked = tokio::select! {
            biased;
            worked = &mut working => worked,
            () = cancel.cancelled() => {
                stop.request_stop();
                // Its threads stay occupied until it ends.
                let _ = working.await;
                return Err(ComputeError::Cancelled);
            }
            () = tokio::time::sleep(deadline) => {
                tracing::warn!(?deadline, "a computer reached its deadline and was asked to stop");
                stop.request_stop();
                working.await
            }
        };
        let (result, mut turn) = worked.map_err(|_| ComputeError::Failed)?;
        let took = turn.took;
        turn.finish_ply();
        Ok((result, took, turn))
    }
}

#[cfg(test)]
mod tests;
