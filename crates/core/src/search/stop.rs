//! Stop requests and pauses of a running search, and its progress reports.

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::WinShares;
use crate::tree::Budget;

/// A stop flag that a search polls; the caller, which owns the clock, sets it.
///
/// Clones share the flag, the pauses and the progress channel, if there are any.
#[derive(Clone, Debug, Default)]
pub struct StopToken {
    flag: Arc<AtomicBool>,
    pauses: Option<Arc<dyn SearchPauses>>,
    progress: Option<Arc<ProgressChannel>>,
}

/// Pauses a search, so that its thread can do other work. All threads of the search share it.
pub trait SearchPauses: Debug + Send + Sync {
    /// Called by a search each time that it checks its stop token, after some ten microseconds of work. Blocks the
    /// thread while the search is paused.
    fn pause_if_due(&self, stop: &StopToken);

    /// For how many microseconds the search has been paused in all, including the current pause.
    fn paused_us(&self) -> u64;
}

impl StopToken {
    /// A token without a progress channel.
    #[must_use]
    pub fn new() -> Self {
        StopToken::default()
    }

    /// A token with a progress channel.
    #[must_use]
    pub fn with_progress() -> Self {
        StopToken {
            progress: Some(Arc::default()),
            ..StopToken::default()
        }
    }

    /// A token whose search can be paused.
    #[must_use]
    pub fn with_pauses(pauses: Arc<dyn SearchPauses>) -> Self {
        StopToken {
            pauses: Some(pauses),
            ..StopToken::default()
        }
    }

    /// A token with the same flag and pauses and a new progress channel.
    #[must_use]
    pub fn attach_progress(&self) -> Self {
        StopToken {
            progress: Some(Arc::default()),
            ..self.clone()
        }
    }

    /// Requests that the search ends soon, with the best result found so far.
    pub fn request_stop(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether a stop has been requested.
    #[must_use]
    pub fn is_stop_requested(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Whether the search must end; pauses it before if a pause is due. Searches call this every few microseconds.
    #[must_use]
    pub fn check(&self) -> bool {
        if let Some(pauses) = &self.pauses
            && !self.is_stop_requested()
        {
            pauses.pause_if_due(self);
        }
        self.is_stop_requested()
    }

    /// For how many microseconds the search has been paused in all, including the current pause.
    #[must_use]
    pub fn paused_us(&self) -> u64 {
        let pauses = self.pauses.as_deref();
        pauses.map_or(0, SearchPauses::paused_us)
    }

    /// A budget of this number of nodes that is used up soon after a stop request.
    #[must_use]
    pub fn budget(&self, nodes: u64) -> Budget {
        let stop = self.clone();
        Budget::new(nodes).with_stop_check(move || stop.check())
    }

    /// The channel to which the search publishes its progress, if there is one.
    #[must_use]
    pub fn progress(&self) -> Option<&ProgressChannel> {
        self.progress.as_deref()
    }
}

/// Transmits the progress of a search to an observer, on request.
#[derive(Debug, Default)]
pub struct ProgressChannel {
    is_requested: AtomicBool,
    latest: Mutex<Option<SearchProgress>>,
}

/// The progress of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchProgress {
    /// The number of simulations so far: of all trees at the end of a search, of one tree before.
    pub simulations: u64,
    /// The expected shares of each player.
    pub shares: WinShares,
    /// All actions, in the order of the game.
    pub actions: Vec<ActionProgress>,
}

/// The progress of a search for one action.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ActionProgress {
    /// The number of visits.
    pub visits: u64,
    /// The expected shares of each player after the action.
    pub shares: WinShares,
}

impl ProgressChannel {
    /// Requests a progress report.
    pub fn request(&self) {
        self.is_requested.store(true, Ordering::Relaxed);
    }

    /// Whether a report was requested since the last call.
    pub(crate) fn take_request(&self) -> bool {
        self.is_requested.load(Ordering::Relaxed)
            && self.is_requested.swap(false, Ordering::Relaxed)
    }

    /// Publishes a progress report.
    pub fn publish(&self, progress: SearchProgress) {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
    }

    /// Takes the latest report; `None` if there was none since the last call.
    #[must_use]
    pub fn take(&self) -> Option<SearchProgress> {
        self.latest
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}
