//! Leases: which of several instances on one database plays the computers of a game.

use std::time::Duration;

/// What a lease is worth: it grows with each lease of its game, and an entry that is appended under an older
/// one than the newest is refused. So whoever was paused past its lease writes nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FencingToken(pub(super) u64);

/// What an archive that knows no rules has to be told beside an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AppendOptions {
    /// The lease under which a computer chose the entry; people need none.
    pub fence: Option<FencingToken>,
    /// Whether the game now goes on by itself, so that it is work for any instance whose lease is taken.
    pub due: bool,
    /// For how long whoever appends wants to have the lease from now on.
    pub lease: Option<Duration>,
}

impl AppendOptions {
    /// Of an entry of which nobody says what comes next: somebody is to have a look.
    pub const UNKNOWN: AppendOptions = AppendOptions {
        fence: None,
        due: true,
        lease: None,
    };
}

/// What became of the wish for a lease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeaseResult {
    /// It is had from now on.
    Granted(FencingToken),
    /// Somebody else has it, or there is no such game.
    Held,
}
