//! A stored game: its header, its seats and all entries.

use std::fmt;

use super::id::GameId;
use crate::day::Day;
use crate::provably_fair::CommittedSeed;
use crate::record::{EndingRow, EntropyContributionRow, EntryRow, PlyRow, TakebackRow};
use crate::seats::{ComputerPace, RematchKind, Seats};
use crate::secret::SecretHash;

/// The part of a game that is fixed at its creation.
#[derive(Clone, PartialEq, Eq)]
pub struct GameHeader {
    pub id: GameId,
    /// The game type and its parameters, JSON.
    pub game: String,
    /// The start position, JSON.
    pub start: String,
    /// The secret from which all dice rolls of the game are derived; not disclosed before the game is over. `None` for
    /// an uploaded record that does not reveal it.
    pub dice: Option<CommittedSeed>,
    pub pace: ComputerPace,
    /// The browser that created the game.
    pub creator: Option<SecretHash>,
    /// The browser's separate secret for the book page, if this is its book game.
    pub book_of: Option<SecretHash>,
    /// Unix time, in milliseconds.
    pub created_ms: i64,
    /// Whether only the players can see the game.
    pub private: bool,
    /// Seconds without a ply, at least 1, after which the other players may replace a player by a computer.
    pub replace_after_s: Option<u32>,
    pub rematch_of: Option<(GameId, RematchKind)>,
    pub takebacks: bool,
    /// Whether hints are available although several people play.
    pub hints: bool,
    /// The seconds that a person has for a turn; `None` without a clock.
    pub turn_s: Option<u32>,
    /// The origin of a game that did not begin with a new deal.
    pub origin: Option<GameOrigin>,
}

/// The origin of a game that did not begin with a new deal of its own.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum GameOrigin {
    /// Continues from a position of another game, which may have been deleted since.
    PlayedOn {
        of: GameId,
        /// The number of plies before that position.
        ply: u32,
    },
    /// The scored game of a day. Its dice are those of the day, which are disclosed when the day is over.
    Daily { day: Day },
    /// Uploaded as a record of a game played elsewhere. It cannot be continued, and its dice were not rolled by
    /// this server.
    Uploaded {
        /// The original game id, if the dice commitment contains it and the dice are verified.
        id: Option<GameId>,
        /// Its players and reproducibility data, JSON, if the record contains them.
        provenance: Option<String>,
    },
}

impl fmt::Debug for GameHeader {
    /// Omits the dice secret, because a reader of the log could predict the rolls.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Header")
            .field("id", &self.id)
            .field("game", &self.game)
            .field("start", &self.start)
            .field("pace", &self.pace)
            .field("creator", &self.creator)
            .field("book_of", &self.book_of)
            .field("created_ms", &self.created_ms)
            .field("private", &self.private)
            .field("replace_after_s", &self.replace_after_s)
            .field("rematch_of", &self.rematch_of)
            .field("origin", &self.origin)
            .field("takebacks", &self.takebacks)
            .field("hints", &self.hints)
            .field("turn_s", &self.turn_s)
            .finish_non_exhaustive()
    }
}

/// An entry to append to a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StoredEntry {
    /// A ply that does not end the game.
    Ply(PlyRow),
    /// A ply that ends the game by its rules.
    FinalPly(PlyRow),
    Takeback(TakebackRow),
    /// Entropy that a player adds to the dice.
    Contribution(EntropyContributionRow),
    /// An ending that does not follow from the rules, such as a resignation.
    Ending(EndingRow),
}

/// A game as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredGame {
    pub header: GameHeader,
    pub seats: Seats,
    /// All entries in order, without the ending.
    pub entries: Vec<EntryRow>,
    /// The ending, if it does not follow from the rules.
    pub ending: Option<EndingRow>,
    /// Unix time in milliseconds at which the game was marked finished. The mark serves lists and retention; the
    /// record determines whether the game is over.
    pub finished_ms: Option<i64>,
}

impl StoredGame {
    /// The number of the next entry; the ending counts as an entry.
    pub fn next_number(&self) -> u32 {
        let entries = self.entries.len() + usize::from(self.ending.is_some());
        u32::try_from(entries).expect("a game has fewer than 2^32 entries")
    }

    /// Unix time of the last entry, or of the creation before the first, in milliseconds.
    pub fn last_ms(&self) -> i64 {
        let last = self.entries.last().map(EntryRow::at_ms);
        self.ending
            .as_ref()
            .map(|ending| ending.at_ms)
            .or(last)
            .unwrap_or(self.header.created_ms)
    }
}
