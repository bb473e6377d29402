//! What instances that share an archive tell each other: whose turn it is to think about a game, and that
//! something has happened in one.

use std::time::Duration;

use super::GameId;

/// What a lease is worth: it grows with each lease of its game, and an entry that is appended under an older
/// one than the newest is refused. So whoever was paused past its lease writes nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fence(pub(super) u64);

/// What an archive that knows no rules has to be told beside an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// The lease under which a computer chose the entry; people need none.
    pub fence: Option<Fence>,
    /// Whether the game now goes on by itself, so that it is work for any instance whose lease is taken.
    pub due: bool,
    /// For how long whoever appends wants to have the lease from now on.
    pub lease: Option<Duration>,
}

impl Turn {
    /// Of an entry of which nobody says what comes next: somebody is to have a look.
    pub const UNKNOWN: Turn = Turn {
        fence: None,
        due: true,
        lease: None,
    };
}

/// What became of the wish for a lease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lease {
    /// It is had from now on.
    Granted(Fence),
    /// Somebody else has it, or there is no such game.
    Held,
}

/// How far a game has come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// The game.
    pub id: GameId,
    /// How many entries it has, the ending included.
    pub entries: u32,
    /// The revision of its seats.
    pub revision: u32,
    /// Its newest rematch.
    pub rematch: Option<GameId>,
}

/// What has happened in a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum News {
    /// It has so many entries, the ending included.
    Entries(u32),
    /// Its seats are at this revision.
    Seats(u32),
    /// This rematch of it was made.
    Rematch(GameId),
}

/// A ring of the bell. It is a hint and no truth: some are lost, some come late.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ring {
    /// Something has happened in this game.
    Game(GameId, News),
    /// From now on it is heard what happens; what happened before was perhaps missed.
    Missed,
}
