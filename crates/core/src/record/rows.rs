//! Entries as an archive keeps them: actions, rolls and words as text, players as numbers.

use thiserror::Error;

use super::{Ending, EntropyContribution, EntropyText, Entry, Ply, Takeback};
use crate::game::{Player, RecordableGame};

/// One ply as it is kept; its number is its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlyRow {
    /// Whose ply it is.
    pub player: u8,
    /// The action in its game's notation.
    pub action: String,
    /// The dice faces, in their game's notation; empty where nothing was rolled.
    pub roll: String,
    /// When, in milliseconds since 1970 (UTC).
    pub at_ms: i64,
}

/// A takeback as it is kept; its number is its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TakebackRow {
    /// Who takes back.
    pub player: u8,
    /// The number of the ply before which the game stands again.
    pub to: u32,
    /// When, in milliseconds since 1970 (UTC).
    pub at_ms: i64,
}

/// Words for the dice as they are kept; their number is their place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntropyContributionRow {
    /// Whose words.
    pub player: u8,
    /// The words.
    pub words: String,
    /// When, in milliseconds since 1970 (UTC).
    pub at_ms: i64,
}

/// One entry of a record as it is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EntryRow {
    /// A ply.
    Ply(PlyRow),
    /// Plies are taken back.
    Takeback(TakebackRow),
    /// Words for the dice.
    Contribution(EntropyContributionRow),
}

/// An ending as it is kept; it takes the next number after the last entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EndingRow {
    /// How the game ended.
    pub ending: Ending,
    /// When, in milliseconds since 1970 (UTC).
    pub at_ms: i64,
}

/// Why a kept row is no entry of its game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RowError {
    /// The game has no such player.
    #[error("the game has no player {0}")]
    NoSuchPlayer(u8),
    /// The action is not in the game's notation.
    #[error("{0:?} is no action of this game")]
    NoSuchAction(String),
    /// The faces are not in the game's notation.
    #[error("{0:?} is no roll of this game")]
    NoSuchRoll(String),
    /// The words are none that a player can have given.
    #[error("{0:?} are no words for the dice")]
    NoSuchWords(String),
}

impl PlyRow {
    /// The row that keeps this ply.
    #[must_use]
    pub fn of<G: RecordableGame>(ply: &Ply<G>) -> Self {
        PlyRow {
            player: ply.player.number(),
            action: ply.action.to_string(),
            roll: ply.roll.to_string(),
            at_ms: ply.at_ms,
        }
    }

    /// The ply that this row keeps, in a game of so many players. Whether it can have happened is
    /// told by a replay alone.
    ///
    /// # Errors
    /// When the row is not in the notation of this game.
    pub fn read<G: RecordableGame>(&self, players: u8) -> Result<Ply<G>, RowError> {
        let no_action = |_| RowError::NoSuchAction(self.action.clone());
        let no_roll = |_| RowError::NoSuchRoll(self.roll.clone());
        Ok(Ply {
            player: player(self.player, players)?,
            action: self.action.parse().map_err(no_action)?,
            roll: self.roll.parse().map_err(no_roll)?,
            at_ms: self.at_ms,
        })
    }
}

impl From<PlyRow> for EntryRow {
    fn from(row: PlyRow) -> Self {
        EntryRow::Ply(row)
    }
}

impl EntryRow {
    /// The row that keeps this entry.
    #[must_use]
    pub fn of<G: RecordableGame>(entry: &Entry<G>) -> Self {
        match entry {
            Entry::Ply(ply) => EntryRow::Ply(PlyRow::of(ply)),
            Entry::Takeback(takeback) => EntryRow::Takeback(TakebackRow::of(takeback)),
            Entry::Contribution(words) => EntryRow::Contribution(EntropyContributionRow::of(words)),
        }
    }

    /// Whose entry it is.
    #[must_use]
    pub const fn player(&self) -> u8 {
        match self {
            EntryRow::Ply(row) => row.player,
            EntryRow::Takeback(row) => row.player,
            EntryRow::Contribution(row) => row.player,
        }
    }

    /// When, in milliseconds since 1970 (UTC).
    #[must_use]
    pub const fn at_ms(&self) -> i64 {
        match self {
            EntryRow::Ply(row) => row.at_ms,
            EntryRow::Takeback(row) => row.at_ms,
            EntryRow::Contribution(row) => row.at_ms,
        }
    }

    /// The entry that this row keeps, in a game of so many players. Whether it can have happened is
    /// told by a replay alone.
    ///
    /// # Errors
    /// When the row is not in the notation of this game.
    pub fn read<G: RecordableGame>(&self, players: u8) -> Result<Entry<G>, RowError> {
        Ok(match self {
            EntryRow::Ply(row) => Entry::Ply(row.read(players)?),
            EntryRow::Takeback(row) => Entry::Takeback(Takeback {
                player: player(row.player, players)?,
                to: row.to,
                at_ms: row.at_ms,
            }),
            EntryRow::Contribution(row) => Entry::Contribution(EntropyContribution {
                player: player(row.player, players)?,
                words: EntropyText::from_exact(&row.words)
                    .ok_or_else(|| RowError::NoSuchWords(row.words.clone()))?,
                at_ms: row.at_ms,
            }),
        })
    }
}

impl TakebackRow {
    /// The row that keeps this takeback.
    #[must_use]
    pub const fn of(takeback: &Takeback) -> Self {
        TakebackRow {
            player: takeback.player.number(),
            to: takeback.to,
            at_ms: takeback.at_ms,
        }
    }
}

impl EntropyContributionRow {
    /// The row that keeps these words.
    #[must_use]
    pub fn of(contribution: &EntropyContribution) -> Self {
        EntropyContributionRow {
            player: contribution.player.number(),
            words: contribution.words.as_str().to_owned(),
            at_ms: contribution.at_ms,
        }
    }
}

fn player(number: u8, players: u8) -> Result<Player, RowError> {
    Player::try_new(number, players).ok_or(RowError::NoSuchPlayer(number))
}

impl EndingRow {
    /// The ending that this row keeps, in a game of so many players.
    ///
    /// # Errors
    /// When the game has no such player.
    pub fn read(&self, players: u8) -> Result<Ending, RowError> {
        match self.ending {
            Ending::Resigned(player) if player.number() >= players => {
                Err(RowError::NoSuchPlayer(player.number()))
            }
            ending => Ok(ending),
        }
    }
}
