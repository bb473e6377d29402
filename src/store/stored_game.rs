//! A game as it is kept: what was dealt, who plays, and every entry since.

use std::fmt;

use super::GameId;
use crate::provably_fair::DiceSecret;
use crate::record::{EndingRow, EntropyContributionRow, EntryRow, PlyRow, TakebackRow};
use crate::seats::{ComputerPace, RematchKind, Seats};
use crate::secret::SecretHash;

/// What was true before the first ply and stays so.
#[derive(Clone, PartialEq, Eq)]
pub struct GameHeader {
    /// The game's public name.
    pub id: GameId,
    /// The game's kind and parameters, JSON.
    pub game: String,
    /// The dealt position, JSON.
    pub start: String,
    /// What all dice of this game come from: secret until the game is over. Its kind is the version of
    /// the record's format.
    pub dice: DiceSecret,
    /// When computers play.
    pub pace: ComputerPace,
    /// The browser that made the game.
    pub creator: Option<SecretHash>,
    /// The book page's own secret of a browser, where this is that browser's book game.
    pub book_of: Option<SecretHash>,
    /// Unix time of creation, in milliseconds.
    pub created_ms: i64,
    /// Whether only its people see the game.
    pub private: bool,
    /// So many seconds without a ply, at least 1, and the others may let a computer play.
    pub replace_after_s: Option<u32>,
    /// The game that this one is the rematch of.
    pub rematch_of: Option<(GameId, RematchKind)>,
    /// Whether plies may be taken back.
    pub takebacks: bool,
    /// Whether people get hints although other people play.
    pub hints: bool,
    /// Where it comes from, unless it was set up anew.
    pub origin: Option<GameOrigin>,
}

/// Where a game comes from that was not set up anew.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum GameOrigin {
    /// It goes on from a position of another game, which may have been cleared away.
    PlayedOn {
        /// The other game.
        of: GameId,
        /// Plies played there before the position.
        ply: u32,
    },
    /// It was played elsewhere, and its record was brought here: nobody plays on at this table, and its
    /// dice are none of this server's.
    Uploaded {
        /// The id under which it was played, where its dice were sealed under that and are proved.
        id: Option<GameId>,
        /// Who played it and what repeats it, JSON, where its record says so.
        told: Option<String>,
    },
}

impl fmt::Debug for GameHeader {
    /// Everything but the secret of the dice: whoever reads a log could foretell the dice.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Header")
            .field("id", &self.id)
            .field("format", &self.dice.format())
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
            .finish_non_exhaustive()
    }
}

/// What takes the next number in a game's sequence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StoredEntry {
    /// A ply after which the game goes on.
    Ply(PlyRow),
    /// A ply with which the rules end the game; nothing comes after it.
    FinalPly(PlyRow),
    /// Plies are taken back.
    Takeback(TakebackRow),
    /// Words for the dice.
    Contribution(EntropyContributionRow),
    /// An ending that is no rule of the game; nothing comes after it.
    Ending(EndingRow),
}

/// A game as the archive has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredGame {
    /// What was dealt.
    pub header: GameHeader,
    /// Who plays.
    pub seats: Seats,
    /// Every entry but the ending, in order.
    pub entries: Vec<EntryRow>,
    /// The ending, where the rules did not end it.
    pub ending: Option<EndingRow>,
    /// Unix time as of which the game is marked finished, in milliseconds. The mark is for lists and
    /// for [`Archive::expired`](super::Archive::expired); whether the game is over, the record tells.
    pub finished_ms: Option<i64>,
}

impl StoredGame {
    /// The number that the next entry takes, the ending counted like any other.
    pub fn next(&self) -> u32 {
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
