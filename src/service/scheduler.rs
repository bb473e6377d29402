//! The queue of computers' turns before the threads that think.
//!
//! Who comes first is decided by the shares of those for whom computers think. A turn keeps its place
//! until its last ply: between two plies, while one is written down, others think.
//!
//! A turn that waits holds nothing but its place, of which there is a bounded number. A caller that
//! finds no place free waits for one, or reports that the computers are busy. What turns remember
//! between their plies is bounded too: a turn begins when what it may come to remember has room.
//!
//! Each level limits its own thinking; one that does not come to an end is asked to [`StopToken`] after a
//! while.

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

/// Turns of computers that wait for a thread.
pub const WAITING: &str = "computers_waiting";
/// Threads on which computers think.
pub const THINKING: &str = "computers_thinking";
/// Seconds for which the turn has been waiting that has waited longest.
pub const LONGEST_WAIT: &str = "computers_longest_wait_seconds";
/// Seconds that a computer waited for a thread, by ply.
pub const WAITED: &str = "computer_wait_seconds";
/// Seconds that a computer thought, by ply.
pub const THOUGHT: &str = "computer_think_seconds";

/// How many turns wait and how many threads think at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct QueueStats {
    /// Turns that have a place and wait.
    pub waiting: usize,
    /// Threads that are taken.
    pub thinking: usize,
    /// How long the turn has been waiting that has waited longest; zero when none waits.
    pub longest_wait: Duration,
}

/// Why a computer chose nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ComputeError {
    /// Its choice is no longer wanted.
    Cancelled,
    /// The search panicked, or chose nothing.
    Failed,
}

/// The shares, and who is to be told when a turn is called.
struct SchedulerState {
    shares: FairQueue,
    calls: HashMap<TurnId, oneshot::Sender<()>>,
}

impl SchedulerState {
    /// Calls the turns that think now.
    fn call(&mut self) {
        while let Some(number) = self.shares.call() {
            if let Some(call) = self.calls.remove(&number) {
                // Its ticket is alive: a ticket that is dropped leaves the shares first.
                let _ = call.send(());
            }
        }
    }
}

/// The threads that think and the queue before them. Cloning gives another handle.
#[derive(Clone)]
pub(super) struct ComputeScheduler {
    waitlist: Arc<Mutex<SchedulerState>>,
    places: Arc<Semaphore>,
    deadline: Duration,
    desk: BlockingExecutor,
}

impl ComputeScheduler {
    /// So many threads, so many places to wait for them, at least one of each, and so many bytes to
    /// remember in. One thread more is for plies of a few milliseconds.
    pub(super) fn new(settings: &ServiceSettings, machine: &Environment) -> Self {
        let limits = ComputeLimits {
            threads: settings.thinkers.max(1),
            bytes: settings.thinking_bytes,
        };
        let places = settings.waiting.clamp(1, Semaphore::MAX_PERMITS);
        ComputeScheduler {
            waitlist: Arc::new(Mutex::new(SchedulerState {
                shares: FairQueue::new(limits),
                calls: HashMap::new(),
            })),
            places: Arc::new(Semaphore::new(places)),
            deadline: settings.deadline,
            desk: Arc::clone(&machine.thinking),
        }
    }

    /// A ticket for a turn that begins; the wish comes back where no place is free.
    pub(super) fn ask(&self, wish: TurnRequest) -> Result<QueueTicket, Box<TurnRequest>> {
        match Arc::clone(&self.places).try_acquire_owned() {
            Ok(place) => Ok(self.begin(wish, place)),
            Err(_) => Err(Box::new(wish)),
        }
    }

    /// A ticket for a turn that begins, as soon as a place is free; first come, first served.
    pub(super) async fn ask_patiently(&self, wish: TurnRequest) -> QueueTicket {
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.expect("the places are never closed");
        self.begin(wish, place)
    }

    fn begin(&self, wish: TurnRequest, place: OwnedSemaphorePermit) -> QueueTicket {
        let now = Instant::now();
        let mut waitlist = self.waitlist();
        let number = waitlist.shares.ask(wish, now);
        let turn = TurnReservation {
            thinkers: self.clone(),
            number,
            took: Duration::ZERO,
        };
        turn.wait(&mut waitlist, now, Some(place))
    }

    /// How many turns wait and how many threads think at the moment.
    pub(super) fn queue(&self) -> QueueStats {
        self.waitlist().queue()
    }

    /// How many turns come before this game's; `None` when it does not wait.
    pub(super) fn ahead(&self, game: &GameId) -> Option<usize> {
        self.waitlist().shares.ahead(game)
    }

    /// Whether a computer waits or thinks in this game.
    pub(super) fn is_at_work(&self, game: &GameId) -> bool {
        self.waitlist().shares.is_at_work(game)
    }

    fn waitlist(&self) -> MutexGuard<'_, SchedulerState> {
        // Nothing that is done under the lock can panic half way.
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
        metrics::gauge!(WAITING).set(queue.waiting as f64);
        metrics::gauge!(THINKING).set(queue.thinking as f64);
        metrics::gauge!(LONGEST_WAIT).set(queue.longest_wait.as_secs_f64());
    }
}

/// A turn between two of its plies, with what it remembers counted; dropping it ends the turn.
pub(super) struct TurnReservation {
    thinkers: ComputeScheduler,
    number: TurnId,
    /// How long its ply takes that is not charged yet.
    took: Duration,
}

impl TurnReservation {
    /// A ticket for the next ply: the turn keeps its place.
    pub(super) fn go_on(self, expected: Duration, attention: TurnPriority) -> QueueTicket {
        let now = Instant::now();
        let thinkers = self.thinkers.clone();
        let mut waitlist = thinkers.waitlist();
        let shares = &mut waitlist.shares;
        shares.go_on(self.number, expected, attention, now);
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
        waitlist.call();
        waitlist.report();
        QueueTicket {
            turn: self,
            called,
            place,
            since,
        }
    }

    /// The ply has ended; whoever comes next begins.
    fn rest(&mut self) {
        let took = std::mem::take(&mut self.took);
        let mut waitlist = self.thinkers.waitlist();
        waitlist.shares.rest(self.number, took);
        waitlist.call();
        waitlist.report();
    }
}

impl Drop for TurnReservation {
    fn drop(&mut self) {
        let mut waitlist = self.thinkers.waitlist();
        waitlist.calls.remove(&self.number);
        waitlist.shares.leave(self.number, self.took);
        waitlist.call();
        waitlist.report();
    }
}

/// A turn's place in the queue, and later its threads; dropping it gives both back.
pub(super) struct QueueTicket {
    turn: TurnReservation,
    called: oneshot::Receiver<()>,
    /// One of the bounded places, held while the turn waits.
    place: Option<OwnedSemaphorePermit>,
    since: Instant,
}

impl QueueTicket {
    /// Waits for threads, then works on a blocking one; answers what came of it, how long it took, and
    /// the turn. The flag is raised when the work is cancelled or takes longer than the deadline.
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
            // The threads go back with the result: the next turn begins when this one is on its way to
            // be played, so that quick turns are played in their order, too. A panic drops them here.
            let _ = tell.send((result, turn));
        }));
        let worked = tokio::select! {
            biased;
            worked = &mut working => worked,
            () = cancel.cancelled() => {
                stop.request_stop();
                // Its threads stay taken until it ends, so nobody else begins before.
                let _ = working.await;
                return Err(ComputeError::Cancelled);
            }
            () = tokio::time::sleep(deadline) => {
                tracing::warn!(?deadline, "a computer is asked to come to an end");
                stop.request_stop();
                working.await
            }
        };
        let (result, mut turn) = worked.map_err(|_| ComputeError::Failed)?;
        let took = turn.took;
        turn.rest();
        Ok((result, took, turn))
    }
}

#[cfg(test)]
mod tests;
