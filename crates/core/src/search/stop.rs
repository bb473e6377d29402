//! How a search is asked to end before its budget is used up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that a search looks at now and then; whoever owns the clock raises it.
///
/// Cloning shares the flag.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A flag that is not raised.
    #[must_use]
    pub fn new() -> Self {
        Stop::default()
    }

    /// Asks to end soon, with the best found so far.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
