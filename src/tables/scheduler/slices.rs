//! Slices of a running ply: a long search does not hold its threads until its end.
//!
//! When a slice is over, the ply waits for its next slice in the fair queue, so turns of networks that used less
//! compute time run in between. Its thread is blocked meanwhile and its memory stays accounted for.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{ComputeScheduler, TurnId};
use crate::search::{SearchPauses, StopToken};

/// The duration of a slice.
const SLICE: Duration = Duration::from_millis(50);

/// The maximum number of paused plies, each of which blocks a thread. Beyond it plies run to their end.
const MAX_PAUSED: usize = 64;

/// The slices of one ply.
pub(super) struct PlySlices {
    scheduler: ComputeScheduler,
    turn_id: TurnId,
    /// When the current slice began. Locked during a pause, so that every thread of the search pauses.
    slice_began: Mutex<Instant>,
    pauses: Mutex<Pauses>,
}

#[derive(Default)]
struct Pauses {
    total: Duration,
    /// The beginning of the current pause.
    since: Option<Instant>,
}

impl PlySlices {
    pub(super) fn new(scheduler: &ComputeScheduler, turn_id: TurnId) -> Self {
        PlySlices {
            scheduler: scheduler.clone(),
            turn_id,
            slice_began: Mutex::new(Instant::now()),
            pauses: Mutex::default(),
        }
    }

    /// Begins the first slice.
    pub(super) fn begin(&self) {
        *self.slice_began.lock() = Instant::now();
    }

    /// The compute time of the current slice.
    pub(super) fn slice_time(&self) -> Duration {
        self.slice_began.lock().elapsed()
    }

    /// For how long the ply has been paused in all, including the current pause.
    pub(super) fn paused_time(&self) -> Duration {
        self.pauses(|pauses| pauses.total_now(Instant::now()))
    }

    fn pauses<T>(&self, with: impl FnOnce(&mut Pauses) -> T) -> T {
        with(&mut self.pauses.lock())
    }
}

impl SearchPauses for PlySlices {
    fn pause_if_due(&self, stop: &StopToken) {
        let mut began = self.slice_began.lock();
        let elapsed = began.elapsed();
        if elapsed < SLICE {
            return;
        }
        let Some(next_slice) = self.scheduler.requeue(self.turn_id, elapsed, stop) else {
            return;
        };
        self.pauses(|pauses| pauses.since = Some(Instant::now()));
        // An error means that the search is to stop.
        let _ = next_slice.blocking_recv();
        self.scheduler.state.lock().paused -= 1;
        self.pauses(|pauses| pauses.total = pauses.total_now(Instant::now()));
        self.pauses(|pauses| pauses.since = None);
        *began = Instant::now();
    }

    fn paused_us(&self) -> u64 {
        self.paused_time()
            .as_micros()
            .try_into()
            .unwrap_or(u64::MAX)
    }
}

impl Pauses {
    fn total_now(&self, now: Instant) -> Duration {
        self.total + self.since.map_or(Duration::ZERO, |since| now - since)
    }
}

impl std::fmt::Debug for PlySlices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("PlySlices").field(&self.turn_id).finish()
    }
}

impl ComputeScheduler {
    /// Queues a running ply again after a slice of `elapsed`; the receiver gets a message when its next slice begins,
    /// or an error if the search is to stop. `None` if the ply is to continue without a pause.
    fn requeue(
        &self,
        turn_id: TurnId,
        elapsed: Duration,
        stop: &StopToken,
    ) -> Option<oneshot::Receiver<()>> {
        let mut state = self.state.lock();
        if state.paused >= MAX_PAUSED || stop.is_stop_requested() {
            return None;
        }
        state.paused += 1;
        let (start, started) = oneshot::channel();
        state.start_signals.insert(turn_id, start);
        state.queue.requeue(turn_id, elapsed, Instant::now());
        state.dispatch();
        state.report();
        Some(started)
    }

    /// Asks the search of a ply to stop, and ends its pause.
    pub(super) fn request_stop(&self, turn_id: TurnId, stop: &StopToken) {
        stop.request_stop();
        self.state.lock().start_signals.remove(&turn_id);
    }
}
