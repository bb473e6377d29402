//! The queue of computers' turns before the threads that think.
//!
//! Turns are served in the order in which they were asked for. A turn draws a number and keeps it
//! until its last ply: between two plies, while one is written down, others think, and then the turn
//! comes before all that asked later. So only as many turns are under way as threads keep busy, and
//! what they remember between plies stays bounded, however many wait. A level that thinks on two
//! threads waits until two are free, and nobody who asked later overtakes it.
//!
//! A turn that waits holds nothing but its place, of which there is a bounded number. A caller that
//! finds no place free waits for one, or reports that the computers are busy.
//!
//! Each level limits its own thinking; one that does not come to an end is asked to [`Stop`] after a
//! while.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio_util::sync::CancellationToken;

use crate::archive::GameId;
use crate::search::Stop;

/// Turns of computers that wait for a thread.
pub const WAITING: &str = "computers_waiting";
/// Threads on which computers think.
pub const THINKING: &str = "computers_thinking";
/// Seconds that a computer waited for a thread, by ply.
pub const WAITED: &str = "computer_wait_seconds";
/// Seconds that a computer thought, by ply.
pub const THOUGHT: &str = "computer_think_seconds";

/// How many turns wait and how many threads think at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queue {
    /// Turns that have a place and wait.
    pub waiting: usize,
    /// Threads that are taken.
    pub thinking: usize,
}

/// The number of a turn: smaller ones come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Number(u64);

/// Why a computer chose nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ThinkingError {
    /// Its choice is no longer wanted.
    Cancelled,
    /// The search panicked, or chose nothing.
    Failed,
}

/// The turns that wait, and how many threads are free.
struct Waitlist {
    free: usize,
    next: u64,
    waiting: BTreeMap<Number, Waiting>,
}

struct Waiting {
    game: GameId,
    threads: usize,
    call: oneshot::Sender<()>,
}

impl Waitlist {
    /// Calls the turns that come first, as long as there are enough threads for the first of them.
    fn call(&mut self) {
        while let Some(first) = self.waiting.first_entry() {
            let Some(free) = self.free.checked_sub(first.get().threads) else {
                break;
            };
            self.free = free;
            // Its ticket is alive: a ticket that is dropped leaves the waitlist first.
            let _ = first.remove().call.send(());
        }
    }
}

/// The threads that think and the queue before them. Cloning gives another handle.
#[derive(Clone)]
pub(super) struct Thinkers {
    waitlist: Arc<Mutex<Waitlist>>,
    places: Arc<Semaphore>,
    threads: usize,
    deadline: Duration,
}

impl Thinkers {
    /// So many threads and so many places to wait for them, at least one of each.
    pub(super) fn new(threads: usize, places: usize, deadline: Duration) -> Self {
        let threads = threads.max(1);
        Thinkers {
            waitlist: Arc::new(Mutex::new(Waitlist {
                free: threads,
                next: 0,
                waiting: BTreeMap::new(),
            })),
            places: Arc::new(Semaphore::new(places.clamp(1, Semaphore::MAX_PERMITS))),
            threads,
            deadline,
        }
    }

    /// A ticket for a turn that begins, if a place is free.
    pub(super) fn ask(&self, game: &GameId, threads: usize) -> Option<Ticket> {
        let held = Arc::clone(&self.places).try_acquire_owned().ok()?;
        Some(self.ticket(game, threads, Arrival::New(held)))
    }

    /// A ticket for a turn that begins, as soon as a place is free; first come, first served.
    pub(super) async fn ask_patiently(&self, game: &GameId, threads: usize) -> Ticket {
        let held = Arc::clone(&self.places).acquire_owned().await;
        let held = held.expect("the places are never closed");
        self.ticket(game, threads, Arrival::New(held))
    }

    /// A ticket for a turn that goes on: it comes before all that asked later.
    pub(super) fn go_on(&self, game: &GameId, threads: usize, number: Number) -> Ticket {
        self.ticket(game, threads, Arrival::Returning(number))
    }

    fn ticket(&self, game: &GameId, threads: usize, arrival: Arrival) -> Ticket {
        let threads = threads.clamp(1, self.threads);
        let (call, called) = oneshot::channel();
        let mut waitlist = self.waitlist();
        let (number, held) = match arrival {
            Arrival::New(held) => {
                waitlist.next += 1;
                (Number(waitlist.next), Some(held))
            }
            Arrival::Returning(number) => (number, None),
        };
        let waiting = Waiting {
            game: game.clone(),
            threads,
            call,
        };
        let before = waitlist.waiting.insert(number, waiting);
        debug_assert!(before.is_none(), "a turn has one ticket");
        waitlist.call();
        self.report(&waitlist);
        Ticket {
            thinkers: self.clone(),
            number,
            threads,
            called,
            held,
            since: Instant::now(),
        }
    }

    /// How many turns wait and how many threads think at the moment.
    pub(super) fn queue(&self) -> Queue {
        self.queue_of(&self.waitlist())
    }

    /// How many turns come before this game's; `None` when it does not wait.
    pub(super) fn ahead(&self, game: &GameId) -> Option<usize> {
        let waitlist = self.waitlist();
        waitlist
            .waiting
            .values()
            .position(|waiting| waiting.game == *game)
    }

    fn queue_of(&self, waitlist: &Waitlist) -> Queue {
        Queue {
            waiting: waitlist.waiting.len(),
            thinking: self.threads - waitlist.free,
        }
    }

    fn report(&self, waitlist: &Waitlist) {
        let Queue { waiting, thinking } = self.queue_of(waitlist);
        metrics::gauge!(WAITING).set(waiting as f64);
        metrics::gauge!(THINKING).set(thinking as f64);
    }

    fn waitlist(&self) -> MutexGuard<'_, Waitlist> {
        // Nothing that is done under the lock can panic half way.
        self.waitlist.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a turn comes into the queue.
enum Arrival {
    New(OwnedSemaphorePermit),
    Returning(Number),
}

/// A turn's place in the queue, and later its threads; dropping it gives both back.
pub(super) struct Ticket {
    thinkers: Thinkers,
    number: Number,
    threads: usize,
    called: oneshot::Receiver<()>,
    /// One of the bounded places, held while the turn waits.
    held: Option<OwnedSemaphorePermit>,
    since: Instant,
}

impl Ticket {
    /// The turn's number.
    pub(super) fn number(&self) -> Number {
        self.number
    }

    /// Waits for threads, then works on a blocking one. The flag is raised when the work is cancelled
    /// or takes longer than the deadline.
    pub(super) async fn think<T: Send + 'static>(
        mut self,
        cancel: &CancellationToken,
        work: impl FnOnce(&Stop) -> T + Send + 'static,
    ) -> Result<T, ThinkingError> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ThinkingError::Cancelled),
            called = &mut self.called => called.map_err(|_| ThinkingError::Failed)?,
        }
        self.held = None;
        metrics::histogram!(WAITED).record(self.since.elapsed().as_secs_f64());
        let deadline = self.thinkers.deadline;
        let stop = Stop::new();
        let flag = stop.clone();
        let mut working = tokio::task::spawn_blocking(move || {
            let begun = Instant::now();
            let result = work(&flag);
            metrics::histogram!(THOUGHT).record(begun.elapsed().as_secs_f64());
            // The ticket goes back with the result: the next turn begins when this one is on its way to
            // be played, so that quick turns are played in their order, too. A panic drops it here.
            (result, self)
        });
        let worked = tokio::select! {
            worked = &mut working => worked,
            () = cancel.cancelled() => {
                stop.raise();
                // Its threads stay taken until it ends, so nobody else begins before.
                let _ = working.await;
                return Err(ThinkingError::Cancelled);
            }
            () = tokio::time::sleep(deadline) => {
                tracing::warn!(?deadline, "a computer is asked to come to an end");
                stop.raise();
                working.await
            }
        };
        let (result, _ticket) = worked.map_err(|_| ThinkingError::Failed)?;
        Ok(result)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut waitlist = self.thinkers.waitlist();
        if waitlist.waiting.remove(&self.number).is_none() {
            waitlist.free += self.threads;
        }
        waitlist.call();
        self.thinkers.report(&waitlist);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::mpsc;

    fn thinkers(threads: usize, places: usize) -> Thinkers {
        Thinkers::new(threads, places, Duration::from_secs(60))
    }

    /// Lets every task run until it waits.
    async fn settle() {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }

    fn is_called(ticket: &mut Ticket) -> bool {
        ticket.called.try_recv().is_ok()
    }

    #[tokio::test]
    async fn first_asked_is_first_served() {
        let thinkers = thinkers(1, 1000);
        let game = GameId::random();
        let (done, mut order) = mpsc::unbounded_channel();
        let cancel = CancellationToken::new();
        // The last tickets begin to wait first: what counts is when they were asked for.
        let tickets: Vec<_> = (0..200).map(|_| thinkers.ask(&game, 1).unwrap()).collect();
        for (number, ticket) in tickets.into_iter().enumerate().rev() {
            let (done, cancel) = (done.clone(), cancel.clone());
            tokio::spawn(async move {
                ticket
                    .think(&cancel, move |_| done.send(number))
                    .await
                    .unwrap()
                    .unwrap();
            });
        }
        for number in 0..200 {
            assert_eq!(order.recv().await, Some(number));
        }
    }

    #[tokio::test]
    async fn nobody_overtakes_whoever_needs_two() {
        let thinkers = thinkers(2, 10);
        let game = GameId::random();
        let mut one = thinkers.ask(&game, 1).unwrap();
        let mut two = thinkers.ask(&game, 2).unwrap();
        let mut late = thinkers.ask(&game, 1).unwrap();
        assert!(is_called(&mut one) && !is_called(&mut two) && !is_called(&mut late));
        drop(one);
        assert!(is_called(&mut two) && !is_called(&mut late));
        drop(two);
        assert!(is_called(&mut late));
        drop(late);
        let rest = Queue {
            waiting: 0,
            thinking: 0,
        };
        assert_eq!(thinkers.queue(), rest);
        // Where there is only one thread, a turn that wants two takes that one.
        let single = self::thinkers(1, 10);
        assert!(is_called(&mut single.ask(&game, 2).unwrap()));
        assert_eq!(single.queue(), rest);
    }

    #[tokio::test]
    async fn a_turn_keeps_its_number() {
        let thinkers = thinkers(1, 10);
        let (game, other) = (GameId::random(), GameId::random());
        let first = thinkers.ask(&game, 1).unwrap();
        let number = first.number();
        let mut second = thinkers.ask(&other, 1).unwrap();
        let mut third = thinkers.ask(&other, 1).unwrap();
        drop(first);
        assert!(is_called(&mut second));
        let mut again = thinkers.go_on(&game, 1, number);
        assert_eq!(thinkers.ahead(&game), Some(0));
        assert_eq!(thinkers.ahead(&other), Some(1));
        drop(second);
        assert!(is_called(&mut again) && !is_called(&mut third));
        assert_eq!(thinkers.ahead(&game), None);
    }

    #[tokio::test]
    async fn places_are_bounded_and_come_free_when_thinking_begins() {
        let thinkers = thinkers(1, 2);
        let game = GameId::random();
        let cancel = CancellationToken::new();
        let (begin, begun) = std::sync::mpsc::channel::<()>();
        let busy = thinkers.ask(&game, 1).unwrap();
        let waiting = thinkers.ask(&game, 1).unwrap();
        assert!(thinkers.ask(&game, 1).is_none());
        let outside = tokio::spawn({
            let (thinkers, game) = (thinkers.clone(), game.clone());
            async move { thinkers.ask_patiently(&game, 1).await.number() }
        });
        settle().await;
        assert!(!outside.is_finished());
        let thinking = tokio::spawn({
            let cancel = cancel.clone();
            async move { busy.think(&cancel, move |_| begun.recv()).await }
        });
        // Thinking has begun, so its place went to the turn outside, which came after all others.
        assert!(outside.await.unwrap() > waiting.number());
        begin.send(()).unwrap();
        assert!(thinking.await.unwrap().is_ok());
    }

    #[tokio::test]
    async fn a_cancelled_turn_leaves_at_once_or_soon() {
        let thinkers = thinkers(1, 10);
        let game = GameId::random();
        let (working, waiting) = (CancellationToken::new(), CancellationToken::new());
        let (first, second) = (
            thinkers.ask(&game, 1).unwrap(),
            thinkers.ask(&game, 1).unwrap(),
        );
        waiting.cancel();
        let none = second.think(&waiting, |_| ()).await;
        assert_eq!(none, Err(ThinkingError::Cancelled));
        let (begun, begin) = oneshot::channel();
        let thinking = tokio::spawn({
            let working = working.clone();
            async move {
                let until_stopped = move |stop: &Stop| {
                    begun.send(()).unwrap();
                    while !stop.is_raised() {
                        std::thread::yield_now();
                    }
                };
                first.think(&working, until_stopped).await
            }
        });
        begin.await.unwrap();
        assert_eq!(thinkers.queue().thinking, 1);
        working.cancel();
        assert_eq!(thinking.await.unwrap(), Err(ThinkingError::Cancelled));
        assert_eq!(thinkers.queue().thinking, 0);
    }

    #[tokio::test]
    async fn what_never_ends_is_ended_and_a_panic_gives_its_thread_back() {
        let thinkers = Thinkers::new(1, 10, Duration::from_millis(1));
        let game = GameId::random();
        let cancel = CancellationToken::new();
        let endless = |stop: &Stop| {
            while !stop.is_raised() {
                std::thread::yield_now();
            }
            7
        };
        let ticket = thinkers.ask(&game, 1).unwrap();
        assert_eq!(ticket.think(&cancel, endless).await, Ok(7));
        let ticket = thinkers.ask(&game, 1).unwrap();
        let failed = ticket.think(&cancel, |_| panic!("on purpose")).await;
        assert_eq!(failed, Err::<(), _>(ThinkingError::Failed));
        assert_eq!(thinkers.queue().thinking, 0);
    }
}
