//! The queue of computers' turns before the threads that think.
//!
//! First asked is first served. A turn draws a number when it is asked for and keeps it until its
//! last ply: between two plies, while one is written down, others think, and then the turn comes
//! before all that asked later. So only as many turns are under way as threads keep busy, and what
//! they remember between plies stays bounded, however many wait. A level that thinks on two threads
//! waits until two are free, and nobody who asked later overtakes it.
//!
//! A turn that waits holds nothing but its place, of which there is a bounded number. Whoever finds
//! none waits outside, or is told so.
//!
//! How long a level thinks is its own affair; what never ends is asked to [`Stop`] after a while.

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

/// How much is thought at the moment.
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

/// Why nothing was thought.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unthought {
    /// It is not wanted any more.
    Recalled,
    /// A fault of ours.
    Failed,
}

/// Who waits, and how many threads are free.
struct Line {
    free: usize,
    next: u64,
    waiting: BTreeMap<Number, Waiting>,
}

struct Waiting {
    game: GameId,
    threads: usize,
    call: oneshot::Sender<()>,
}

impl Line {
    /// Calls those who come first, as long as there are threads for the first of all.
    fn call(&mut self) {
        while let Some(first) = self.waiting.first_entry() {
            let Some(free) = self.free.checked_sub(first.get().threads) else {
                break;
            };
            self.free = free;
            // Its place is alive: a place that goes takes itself out of the line first.
            let _ = first.remove().call.send(());
        }
    }
}

/// The threads that think, and the queue before them. Cloning gives another handle.
#[derive(Clone)]
pub(super) struct Thinkers {
    line: Arc<Mutex<Line>>,
    places: Arc<Semaphore>,
    threads: usize,
    deadline: Duration,
}

impl Thinkers {
    /// So many threads, so many places before them, each at least one.
    pub(super) fn new(threads: usize, places: usize, deadline: Duration) -> Self {
        let threads = threads.max(1);
        Thinkers {
            line: Arc::new(Mutex::new(Line {
                free: threads,
                next: 0,
                waiting: BTreeMap::new(),
            })),
            places: Arc::new(Semaphore::new(places.clamp(1, Semaphore::MAX_PERMITS))),
            threads,
            deadline,
        }
    }

    /// A place for a turn that begins, if there is one.
    pub(super) fn ask(&self, game: &GameId, threads: usize) -> Option<Place> {
        let held = Arc::clone(&self.places).try_acquire_owned().ok()?;
        Some(self.place(game, threads, Turn::Begins(held)))
    }

    /// A place for a turn that begins, as soon as there is one; first come, first served.
    pub(super) async fn ask_patiently(&self, game: &GameId, threads: usize) -> Place {
        let held = Arc::clone(&self.places).acquire_owned().await;
        let held = held.expect("the places are never closed");
        self.place(game, threads, Turn::Begins(held))
    }

    /// The place of a turn that goes on: before all that asked later than it.
    pub(super) fn go_on(&self, game: &GameId, threads: usize, number: Number) -> Place {
        self.place(game, threads, Turn::GoesOn(number))
    }

    fn place(&self, game: &GameId, threads: usize, turn: Turn) -> Place {
        let threads = threads.clamp(1, self.threads);
        let (call, called) = oneshot::channel();
        let mut line = self.line();
        let (number, held) = match turn {
            Turn::Begins(held) => {
                line.next += 1;
                (Number(line.next), Some(held))
            }
            Turn::GoesOn(number) => (number, None),
        };
        let waiting = Waiting {
            game: game.clone(),
            threads,
            call,
        };
        let before = line.waiting.insert(number, waiting);
        debug_assert!(before.is_none(), "a turn waits in one place");
        line.call();
        self.report(&line);
        Place {
            thinkers: self.clone(),
            number,
            threads,
            called,
            held,
            since: Instant::now(),
        }
    }

    /// How much is thought at the moment.
    pub(super) fn queue(&self) -> Queue {
        self.queue_of(&self.line())
    }

    /// How many turns come before this game's; `None` when it does not wait.
    pub(super) fn ahead(&self, game: &GameId) -> Option<usize> {
        let line = self.line();
        line.waiting
            .values()
            .position(|waiting| waiting.game == *game)
    }

    fn queue_of(&self, line: &Line) -> Queue {
        Queue {
            waiting: line.waiting.len(),
            thinking: self.threads - line.free,
        }
    }

    fn report(&self, line: &Line) {
        let Queue { waiting, thinking } = self.queue_of(line);
        metrics::gauge!(WAITING).set(waiting as f64);
        metrics::gauge!(THINKING).set(thinking as f64);
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        // Nothing that is done under the lock can panic half way.
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a turn comes to a place.
enum Turn {
    Begins(OwnedSemaphorePermit),
    GoesOn(Number),
}

/// A turn's place in the queue, then its threads; both are given back when it is dropped.
pub(super) struct Place {
    thinkers: Thinkers,
    number: Number,
    threads: usize,
    called: oneshot::Receiver<()>,
    /// One of the bounded places, as long as it waits.
    held: Option<OwnedSemaphorePermit>,
    since: Instant,
}

impl Place {
    /// The turn's number.
    pub(super) fn number(&self) -> Number {
        self.number
    }

    /// Waits for threads, then works on a blocking one. The flag is raised when the work is recalled
    /// or takes longer than any should.
    pub(super) async fn think<T: Send + 'static>(
        mut self,
        recall: &CancellationToken,
        work: impl FnOnce(&Stop) -> T + Send + 'static,
    ) -> Result<T, Unthought> {
        tokio::select! {
            biased;
            () = recall.cancelled() => return Err(Unthought::Recalled),
            called = &mut self.called => called.map_err(|_| Unthought::Failed)?,
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
            // The place goes back with the result: the next turn begins when this one is on its way to
            // be played, so that quick turns are played in their order, too. A panic drops it here.
            (result, self)
        });
        let worked = tokio::select! {
            worked = &mut working => worked,
            () = recall.cancelled() => {
                stop.raise();
                // Its threads stay taken until it ends, so nobody else begins before.
                let _ = working.await;
                return Err(Unthought::Recalled);
            }
            () = tokio::time::sleep(deadline) => {
                tracing::warn!(?deadline, "a computer is asked to come to an end");
                stop.raise();
                working.await
            }
        };
        let (result, _place) = worked.map_err(|_| Unthought::Failed)?;
        Ok(result)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut line = self.thinkers.line();
        if line.waiting.remove(&self.number).is_none() {
            line.free += self.threads;
        }
        line.call();
        self.thinkers.report(&line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::mpsc;

    fn thinkers(threads: usize, places: usize) -> Thinkers {
        Thinkers::new(threads, places, Duration::from_secs(60))
    }

    /// Lets everything go on that can.
    async fn settle() {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }

    fn is_called(place: &mut Place) -> bool {
        place.called.try_recv().is_ok()
    }

    #[tokio::test]
    async fn first_asked_is_first_served() {
        let thinkers = thinkers(1, 1000);
        let game = GameId::random();
        let (done, mut order) = mpsc::unbounded_channel();
        let recall = CancellationToken::new();
        // Those who asked last begin to listen first: what counts is when they asked.
        let places: Vec<_> = (0..200).map(|_| thinkers.ask(&game, 1).unwrap()).collect();
        for (number, place) in places.into_iter().enumerate().rev() {
            let (done, recall) = (done.clone(), recall.clone());
            tokio::spawn(async move {
                place
                    .think(&recall, move |_| done.send(number))
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
        // Where there is but one thread, it takes that.
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
        let recall = CancellationToken::new();
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
            let recall = recall.clone();
            async move { busy.think(&recall, move |_| begun.recv()).await }
        });
        // Thinking has begun, so its place went to the one outside, which came after all others.
        assert!(outside.await.unwrap() > waiting.number());
        begin.send(()).unwrap();
        assert!(thinking.await.unwrap().is_ok());
    }

    #[tokio::test]
    async fn what_is_recalled_leaves_at_once_or_soon() {
        let thinkers = thinkers(1, 10);
        let game = GameId::random();
        let (working, waiting) = (CancellationToken::new(), CancellationToken::new());
        let (first, second) = (
            thinkers.ask(&game, 1).unwrap(),
            thinkers.ask(&game, 1).unwrap(),
        );
        waiting.cancel();
        let none = second.think(&waiting, |_| ()).await;
        assert_eq!(none, Err(Unthought::Recalled));
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
        assert_eq!(thinking.await.unwrap(), Err(Unthought::Recalled));
        assert_eq!(thinkers.queue().thinking, 0);
    }

    #[tokio::test]
    async fn what_never_ends_is_ended_and_a_panic_gives_its_thread_back() {
        let thinkers = Thinkers::new(1, 10, Duration::from_millis(1));
        let game = GameId::random();
        let recall = CancellationToken::new();
        let endless = |stop: &Stop| {
            while !stop.is_raised() {
                std::thread::yield_now();
            }
            7
        };
        let place = thinkers.ask(&game, 1).unwrap();
        assert_eq!(place.think(&recall, endless).await, Ok(7));
        let place = thinkers.ask(&game, 1).unwrap();
        let failed = place.think(&recall, |_| panic!("on purpose")).await;
        assert_eq!(failed, Err::<(), _>(Unthought::Failed));
        assert_eq!(thinkers.queue().thinking, 0);
    }
}
