//! What instances that share a database tell each other about changes of games.

use super::GameId;

/// How far a game has come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameVersion {
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
pub enum GameChange {
    /// It has so many entries, the ending included.
    Entries(u32),
    /// Its seats are at this revision.
    Seats(u32),
    /// This rematch of it was made.
    Rematch(GameId),
}

/// A ring of the bell. It is a hint and no truth: some are lost, some come late.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChangeNotification {
    /// Something has happened in this game.
    Game(GameId, GameChange),
    /// From now on it is heard what happens; what happened before was perhaps missed.
    Missed,
}
