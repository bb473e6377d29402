//! How a search is asked to end before its budget is used up, and to show how far it has come.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::WinShares;
use crate::tree::Budget;

/// A flag that a search looks at now and then; whoever owns the clock raises it.
///
/// Cloning shares the flag, and the watch where there is one.
#[derive(Clone, Debug, Default)]
pub struct StopToken {
    flag: Arc<AtomicBool>,
    watch: Option<Arc<ProgressChannel>>,
}

impl StopToken {
    /// A flag that is not raised.
    #[must_use]
    pub fn new() -> Self {
        StopToken::default()
    }

    /// A flag that is not raised, of a search that is looked at while it goes on.
    #[must_use]
    pub fn with_progress() -> Self {
        StopToken {
            watch: Some(Arc::default()),
            ..StopToken::default()
        }
    }

    /// The same flag, of a search that is looked at while it goes on.
    #[must_use]
    pub fn attach_progress(&self) -> Self {
        StopToken {
            flag: Arc::clone(&self.flag),
            watch: Some(Arc::default()),
        }
    }

    /// Asks to end soon, with the best found so far.
    pub fn request_stop(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    #[must_use]
    pub fn is_stop_requested(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// This number of nodes, which are spent soon after the flag is raised.
    #[must_use]
    pub fn budget(&self, nodes: u64) -> Budget {
        Budget::new(nodes).stopped_by(Arc::clone(&self.flag))
    }

    /// Where a search shows how far it has come, if anybody looks.
    #[must_use]
    pub fn watch(&self) -> Option<&ProgressChannel> {
        self.watch.as_deref()
    }
}

/// Between a search and whoever looks at it.
#[derive(Debug, Default)]
pub struct ProgressChannel {
    is_asked: AtomicBool,
    seen: Mutex<Option<SearchProgress>>,
}

/// How far a search has come.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchProgress {
    /// Simulations so far, over all trees at the end of a search, and of one tree before.
    pub simulations: u64,
    /// What each player may expect.
    pub shares: WinShares,
    /// Every action, in listed order.
    pub actions: Vec<ActionProgress>,
}

/// How far a search has come with an action.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ActionProgress {
    /// How often it was tried.
    pub visits: u64,
    /// What each player may expect after it.
    pub shares: WinShares,
}

impl ProgressChannel {
    /// Asks the search to show itself soon.
    pub fn request(&self) {
        self.is_asked.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked since this was last asked.
    pub(crate) fn take_request(&self) -> bool {
        self.is_asked.load(Ordering::Relaxed) && self.is_asked.swap(false, Ordering::Relaxed)
    }

    /// Shows how far a search has come.
    pub fn publish(&self, seen: SearchProgress) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
    }

    /// What was shown last, once.
    #[must_use]
    pub fn take(&self) -> Option<SearchProgress> {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}
