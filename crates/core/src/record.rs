//! The record of a game: the dealt start, one [`Entry`] after another, and at most one [`Ending`] that
//! the rules do not know.
//!
//! An entry is a [`Ply`] with the faces of its dice, a [`Takeback`], or a [`EntropyContribution`] of words to
//! the dice. Entries are numbered from 0 and numbers only grow: what is taken back stays, and a ply
//! *stands* that no later entry took back. Replay pages, spectating and analysis are all a replay of a
//! record's first n entries. Not here: the board after each entry and whose turn it is (both are
//! derived), who sits where (kept beside the record), and how it is stored, which is the server's affair.

use crate::game::{Player, PlayerSet, RecordableGame};

mod entropy;
mod entry;
mod replay;
mod rows;

pub use entropy::{EntropyText, EntropyTextError, is_invisible};
pub use entry::{EntropyContribution, Entry, Ply, Takeback};
use replay::{Replay, ReplayValidation};
pub use replay::{ReplayError, ReplayErrorKind, ReplayedEntry, ReplayedPly, check};
pub use rows::{EndingRow, EntropyContributionRow, EntryRow, PlyRow, RowError, TakebackRow};

/// The end of a game that the rules have not ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The last person at the table gave up; the others are counted.
    Resigned(Player),
    /// The game was adjudicated after [`MAX_PLIES`].
    Limit,
}

impl Ending {
    /// The name in answers and in the archive.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Ending::Resigned(_) => "resigned",
            Ending::Limit => "limit",
        }
    }

    /// Who gave up.
    #[must_use]
    pub const fn player(self) -> Option<Player> {
        match self {
            Ending::Resigned(player) => Some(player),
            Ending::Limit => None,
        }
    }

    /// The ending of this name, with whoever gave up; `None` where the two do not fit each other.
    ///
    /// ```
    /// use dice_of_doom_core::game::Player;
    /// use dice_of_doom_core::record::Ending;
    ///
    /// let resigned = Ending::Resigned(Player::FIRST);
    /// assert_eq!(Ending::named("resigned", Some(Player::FIRST)), Some(resigned));
    /// assert_eq!(Ending::named("limit", None), Some(Ending::Limit));
    /// assert_eq!(Ending::named("limit", Some(Player::FIRST)), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str, player: Option<Player>) -> Option<Self> {
        let ending = player.map_or(Ending::Limit, Ending::Resigned);
        (ending.name() == name).then_some(ending)
    }
}

/// After this many entries a session is adjudicated by the book's count.
pub const MAX_PLIES: u32 = 1_000;

/// So often something may be taken back in one game.
pub const MAX_TAKEBACKS: u32 = 200;

/// So often a player may give words for the dice of one game.
pub const MAX_CONTRIBUTIONS: u32 = 8;

/// A game as it is kept: the parameters, the start, and what was played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record<G: RecordableGame> {
    /// The rules with their parameters.
    pub game: G,
    /// The position that was dealt.
    pub start: G::Position,
    /// What happened, oldest first.
    pub entries: Vec<Entry<G>>,
    /// The ending, if the rules did not end the game; it takes the next number after the last entry.
    pub ending: Option<Ending>,
}

impl<G: RecordableGame> Record<G> {
    /// A game that has not begun.
    #[must_use]
    pub fn new(game: G, start: G::Position) -> Self {
        Record {
            game,
            start,
            entries: Vec::new(),
            ending: None,
        }
    }

    /// How many entries there are: the number of the next one.
    #[must_use]
    pub fn len(&self) -> u32 {
        u32::try_from(self.entries.len()).expect("a record is bounded far below that")
    }

    /// Whether nothing happened yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Every entry with what stood before it and what followed, oldest first; each is checked.
    ///
    /// # Errors
    /// At the first entry that cannot have happened, with its number; the iterator ends there.
    pub fn replay(&self) -> impl Iterator<Item = Result<ReplayedEntry<'_, G>, ReplayError>> {
        Replay::of(self, ReplayValidation::Checked)
    }

    /// Every ply that was played, also those that were taken back, with what stood before and what
    /// followed, oldest first; every entry is checked.
    ///
    /// # Errors
    /// As [`Record::replay`].
    pub fn replayed_plies(&self) -> impl Iterator<Item = Result<ReplayedPly<'_, G>, ReplayError>> {
        let moments = self.replay();
        moments.filter_map(|moment| moment.map(ReplayedEntry::into_step).transpose())
    }

    /// As [`Record::replay`], for a record that was checked before.
    pub(crate) fn replay_trusted(&self) -> impl Iterator<Item = ReplayedEntry<'_, G>> {
        Replay::of(self, ReplayValidation::Trusted).map_while(Result::ok)
    }

    /// The position after so many entries of a record that was checked before.
    pub(crate) fn position_trusted(&self, entries: u32) -> G::Position {
        let mut moments = self.replay_trusted();
        let led_here = entries.checked_sub(1);
        let moment = led_here.and_then(|number| moments.nth(number as usize));
        moment.map_or_else(|| self.start.clone(), ReplayedEntry::into_after)
    }

    /// The numbers of the plies that stood after so many entries, ascending.
    #[must_use]
    pub fn mainline_at(&self, entries: u32) -> Vec<u32> {
        let mut line = Vec::new();
        for (number, entry) in (0..entries).zip(&self.entries) {
            match entry {
                Entry::Ply(_) => line.push(number),
                Entry::Takeback(takeback) => {
                    line.truncate(line.partition_point(|standing| *standing < takeback.to));
                }
                Entry::Contribution(_) => {}
            }
        }
        line
    }

    /// The plies that stand now with their numbers, oldest first.
    pub fn mainline(&self) -> impl DoubleEndedIterator<Item = (u32, &Ply<G>)> {
        let line = self.mainline_at(self.len()).into_iter();
        line.filter_map(|number| Some((number, self.entries[number as usize].ply()?)))
    }

    /// The number of the newest ply that stands and that one of these players played.
    #[must_use]
    pub fn last_ply_of(&self, players: PlayerSet) -> Option<u32> {
        let mut line = self.mainline().rev();
        let own = line.find(|(_, ply)| players.contains(ply.player));
        own.map(|(number, _)| number)
    }

    /// How often something was taken back.
    #[must_use]
    pub fn takeback_count(&self) -> u32 {
        let takebacks = self.entries.iter();
        let takebacks = takebacks.filter(|entry| matches!(entry, Entry::Takeback(_)));
        takebacks.count() as u32
    }

    /// All words that were given for the dice before the entry with this number, oldest first.
    pub fn entropy_before(&self, number: u32) -> impl Iterator<Item = &EntropyContribution> {
        let entries = self.entries.iter().take(number as usize);
        entries.filter_map(|entry| match entry {
            Entry::Contribution(contribution) => Some(contribution),
            Entry::Ply(_) | Entry::Takeback(_) => None,
        })
    }
}
