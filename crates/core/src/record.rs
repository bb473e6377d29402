//! The record of a game: the dealt start position, a list of [entries](Entry), and the [`Ending`] if the rules did not
//! end the game.
//!
//! An entry is a [`Ply`] with its die faces, a [`Takeback`], or an [`EntropyContribution`]. Entries are numbered from 0
//! and never removed: plies that were taken back stay in the record, and the *mainline* consists of the plies that no
//! later entry took back. Replay pages, spectating and analysis all replay the first n entries of a record.
//!
//! Not here: positions and the player to move (both are derived), the occupants of the seats (stored beside the
//! record), and persistence, which is the server's task.

use crate::game::{Player, PlayerSet, RecordableGame};

mod entropy;
mod entry;
mod replay;
mod rows;

pub use entropy::{EntropyText, EntropyTextError};
pub use entry::{EntropyContribution, Entry, Ply, Takeback};
use replay::{Replay, ReplayValidation};
pub use replay::{ReplayError, ReplayErrorKind, ReplayedEntry, ReplayedPly, check_ply};
pub use rows::{EndingRow, EntropyContributionRow, EntryRow, PlyRow, RowError, TakebackRow};

/// The end of a game that the rules have not ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The last human player resigned; the game is adjudicated among the others.
    Resigned(Player),
    /// The game was adjudicated after [`MAX_ENTRIES`] entries.
    Limit,
}

impl Ending {
    /// The name in responses and in the store.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Ending::Resigned(_) => "resigned",
            Ending::Limit => "limit",
        }
    }

    /// The player who resigned.
    #[must_use]
    pub const fn player(self) -> Option<Player> {
        match self {
            Ending::Resigned(player) => Some(player),
            Ending::Limit => None,
        }
    }

    /// The ending with this name and player; `None` if the name is unknown or does not match the player.
    ///
    /// ```
    /// use dice_of_doom_core::game::Player;
    /// use dice_of_doom_core::record::Ending;
    ///
    /// let resigned = Ending::Resigned(Player::FIRST);
    /// assert_eq!(Ending::from_name("resigned", Some(Player::FIRST)), Some(resigned));
    /// assert_eq!(Ending::from_name("limit", None), Some(Ending::Limit));
    /// assert_eq!(Ending::from_name("limit", Some(Player::FIRST)), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str, player: Option<Player>) -> Option<Self> {
        let ending = player.map_or(Ending::Limit, Ending::Resigned);
        (ending.name() == name).then_some(ending)
    }
}

/// The number of entries after which a game is adjudicated.
pub const MAX_ENTRIES: u32 = 1_000;

/// The maximum number of takebacks in a game.
pub const MAX_TAKEBACKS: u32 = 200;

/// The maximum number of entropy contributions of one player in a game: a commitment and its text.
pub const MAX_CONTRIBUTIONS: u32 = 2;

/// The parameters, the start position and the entries of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record<G: RecordableGame> {
    /// The rules with their parameters.
    pub game: G,
    /// The dealt start position.
    pub start: G::Position,
    /// The entries, oldest first.
    pub entries: Vec<Entry<G>>,
    /// The ending, if the rules did not end the game; it takes the number after the last entry.
    pub ending: Option<Ending>,
}

impl<G: RecordableGame> Record<G> {
    /// The record of a game without entries.
    #[must_use]
    pub fn new(game: G, start: G::Position) -> Self {
        Record {
            game,
            start,
            entries: Vec::new(),
            ending: None,
        }
    }

    /// The number of entries, which is also the number of the next one.
    #[must_use]
    pub fn len(&self) -> u32 {
        u32::try_from(self.entries.len()).expect("a record has far fewer than 2^32 entries")
    }

    /// Whether the record has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Replays and checks all entries, oldest first, with the positions before and after each.
    ///
    /// # Errors
    /// The first invalid entry, with its number; the iterator ends there.
    pub fn replay(&self) -> impl Iterator<Item = Result<ReplayedEntry<'_, G>, ReplayError>> {
        Replay::new(self, ReplayValidation::Validate)
    }

    /// Replays and checks all entries and returns the plies, including those taken back, oldest first.
    ///
    /// # Errors
    /// As [`Record::replay`].
    pub fn replayed_plies(&self) -> impl Iterator<Item = Result<ReplayedPly<'_, G>, ReplayError>> {
        let entries = self.replay();
        entries.filter_map(|entry| entry.map(ReplayedEntry::into_ply).transpose())
    }

    /// As [`Record::replay`] from entry `first` on, for a record that has been checked already. `position` is the one
    /// before that entry; no entry from there on takes back an earlier ply.
    pub(crate) fn replay_trusted(
        &self,
        first: u32,
        position: G::Position,
    ) -> impl Iterator<Item = ReplayedEntry<'_, G>> {
        Replay::from(self, ReplayValidation::Trust, first, position).map_while(Result::ok)
    }

    /// The numbers of the plies on the mainline after this number of entries, ascending.
    #[must_use]
    pub fn mainline_at(&self, entries: u32) -> Vec<u32> {
        let mut mainline = Vec::new();
        for (number, entry) in (0..entries).zip(&self.entries) {
            match entry {
                Entry::Ply(_) => mainline.push(number),
                Entry::Takeback(takeback) => {
                    mainline.truncate(mainline.partition_point(|ply| *ply < takeback.to));
                }
                Entry::Contribution(_) => {}
            }
        }
        mainline
    }

    /// The plies on the mainline with their numbers, oldest first.
    pub fn mainline(&self) -> impl DoubleEndedIterator<Item = (u32, &Ply<G>)> {
        let numbers = self.mainline_at(self.len()).into_iter();
        numbers.filter_map(|number| Some((number, self.entries[number as usize].ply()?)))
    }

    /// The number of the last ply on the mainline by one of these players.
    #[must_use]
    pub fn last_ply_of(&self, players: PlayerSet) -> Option<u32> {
        let mut plies = self.mainline().rev();
        let last = plies.find(|(_, ply)| players.contains(ply.player));
        last.map(|(number, _)| number)
    }

    /// The number of takebacks.
    #[must_use]
    pub fn takeback_count(&self) -> u32 {
        let takebacks = self.entries.iter();
        let takebacks = takebacks.filter(|entry| matches!(entry, Entry::Takeback(_)));
        takebacks.count() as u32
    }

    /// The entropy contributions before the entry with this number, oldest first.
    pub fn entropy_before(&self, number: u32) -> impl Iterator<Item = &EntropyContribution> {
        let entries = self.entries.iter().take(number as usize);
        entries.filter_map(|entry| match entry {
            Entry::Contribution(contribution) => Some(contribution),
            Entry::Ply(_) | Entry::Takeback(_) => None,
        })
    }
}
