//! Leases: determine which of several instances on one database plays the computer moves of a game.

use std::time::Duration;

/// The fencing token of a lease. It increases with each lease of the game, and an append under an older token
/// than the newest is rejected, so an instance that was suspended past its lease cannot write.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FencingToken(pub(super) u64);

/// Scheduling data for an append. The store does not know the rules, so the caller supplies it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AppendOptions {
    /// The lease under which a computer player chose the entry; `None` for entries of people.
    pub fence: Option<FencingToken>,
    /// The time after which any instance may claim the game: none if a computer player moves next, otherwise the
    /// rest of a person's time for the turn. `None` if the game never continues by itself.
    pub due: Option<Duration>,
    /// Requests or extends a lease of this duration for the caller.
    pub lease: Option<Duration>,
}

impl AppendOptions {
    /// For an append whose caller does not know what comes next: the game is marked as due, so that an instance
    /// checks it.
    pub const UNKNOWN: AppendOptions = AppendOptions {
        fence: None,
        due: Some(Duration::ZERO),
        lease: None,
    };
}

/// The result of a lease request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeaseResult {
    Granted(FencingToken),
    /// Another instance holds the lease, or the game does not exist.
    HeldByOther,
}
