//! Change notifications between instances that share a database.

use super::id::GameId;
use crate::seats::SaidPhrase;

/// The version of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameVersion {
    pub id: GameId,
    /// Number of entries, the ending included.
    pub entries: u32,
    pub revision: u32,
    /// The newest rematch.
    pub rematch: Option<GameId>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameChange {
    /// The new number of entries, the ending included.
    Entries(u32),
    /// The new revision of the seats.
    Seats(u32),
    /// A rematch was created.
    Rematch(GameId),
    /// A player said something.
    Phrase(SaidPhrase),
}

/// A change notification. It is only a hint: notifications may be lost or delayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChangeNotification {
    Changed(GameId, GameChange),
    /// The subscription was established again; earlier notifications may have been missed.
    Lagged,
}
