//! Record entries in the form in which a store saves them: actions, rolls and entropy as text, players as numbers.

use thiserror::Error;

use super::{Ending, EntropyContribution, EntropyText, Entry, Ply, Takeback};
use crate::game::{Player, RecordableGame};

/// A stored ply; its number is its position in the record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlyRow {
    /// The number of the player.
    pub player: u8,
    /// The action in the notation of the game.
    pub action: String,
    /// The die faces in the notation of the game; empty if nothing was rolled.
    pub roll: String,
    /// Milliseconds since 1970 (UTC).
    pub at_ms: i64,
}

/// A stored takeback; its number is its position in the record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TakebackRow {
    /// The number of the player who takes back.
    pub player: u8,
    /// The number of the ply whose position before it is restored.
    pub to: u32,
    /// Milliseconds since 1970 (UTC).
    pub at_ms: i64,
}

/// A stored entropy contribution; its number is its position in the record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntropyContributionRow {
    /// The number of the player.
    pub player: u8,
    /// The entropy text.
    pub text: String,
    /// Milliseconds since 1970 (UTC).
    pub at_ms: i64,
}

/// A stored entry of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EntryRow {
    /// An action with its roll.
    Ply(PlyRow),
    /// Plies were taken back.
    Takeback(TakebackRow),
    /// A player added entropy to the dice.
    Contribution(EntropyContributionRow),
}

/// A stored ending; it takes the number after the last entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EndingRow {
    /// How the game ended.
    pub ending: Ending,
    /// Milliseconds since 1970 (UTC).
    pub at_ms: i64,
}

/// Why a stored row is not a valid entry of its game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum RowError {
    /// The game has no player with this number.
    #[error("the game has no player {0}")]
    NoSuchPlayer(u8),
    /// The action is not in the notation of the game.
    #[error("{0:?} is not an action of this game")]
    NoSuchAction(String),
    /// The roll is not in the notation of the game.
    #[error("{0:?} is not a roll of this game")]
    NoSuchRoll(String),
    /// The text is not valid entropy text.
    #[error("{0:?} is not valid entropy text")]
    InvalidEntropy(String),
}

impl PlyRow {
    /// The row of this ply.
    #[must_use]
    pub fn from_ply<G: RecordableGame>(ply: &Ply<G>) -> Self {
        PlyRow {
            player: ply.player.number(),
            action: ply.action.to_string(),
            roll: ply.roll.to_string(),
            at_ms: ply.at_ms,
        }
    }

    /// The ply of this row, in a game of `players` players. Only a replay checks whether the ply is legal.
    ///
    /// # Errors
    /// If the row is not in the notation of this game.
    pub fn to_ply<G: RecordableGame>(&self, players: u8) -> Result<Ply<G>, RowError> {
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
    /// The row of this entry.
    #[must_use]
    pub fn from_entry<G: RecordableGame>(entry: &Entry<G>) -> Self {
        match entry {
            Entry::Ply(ply) => EntryRow::Ply(PlyRow::from_ply(ply)),
            Entry::Takeback(takeback) => EntryRow::Takeback(TakebackRow::from_takeback(takeback)),
            Entry::Contribution(contribution) => {
                EntryRow::Contribution(EntropyContributionRow::from_contribution(contribution))
            }
        }
    }

    /// The number of the player.
    #[must_use]
    pub const fn player(&self) -> u8 {
        match self {
            EntryRow::Ply(row) => row.player,
            EntryRow::Takeback(row) => row.player,
            EntryRow::Contribution(row) => row.player,
        }
    }

    /// Milliseconds since 1970 (UTC).
    #[must_use]
    pub const fn at_ms(&self) -> i64 {
        match self {
            EntryRow::Ply(row) => row.at_ms,
            EntryRow::Takeback(row) => row.at_ms,
            EntryRow::Contribution(row) => row.at_ms,
        }
    }

    /// The entry of this row, in a game of `players` players. Only a replay checks whether the entry is valid.
    ///
    /// # Errors
    /// If the row is not in the notation of this game.
    pub fn to_entry<G: RecordableGame>(&self, players: u8) -> Result<Entry<G>, RowError> {
        Ok(match self {
            EntryRow::Ply(row) => Entry::Ply(row.to_ply(players)?),
            EntryRow::Takeback(row) => Entry::Takeback(Takeback {
                player: player(row.player, players)?,
                to: row.to,
                at_ms: row.at_ms,
            }),
            EntryRow::Contribution(row) => Entry::Contribution(EntropyContribution {
                player: player(row.player, players)?,
                text: EntropyText::from_exact(&row.text)
                    .ok_or_else(|| RowError::InvalidEntropy(row.text.clone()))?,
                at_ms: row.at_ms,
            }),
        })
    }
}

impl TakebackRow {
    /// The row of this takeback.
    #[must_use]
    pub const fn from_takeback(takeback: &Takeback) -> Self {
        TakebackRow {
            player: takeback.player.number(),
            to: takeback.to,
            at_ms: takeback.at_ms,
        }
    }
}

impl EntropyContributionRow {
    /// The row of this contribution.
    #[must_use]
    pub fn from_contribution(contribution: &EntropyContribution) -> Self {
        EntropyContributionRow {
            player: contribution.player.number(),
            text: contribution.text.as_str().to_owned(),
            at_ms: contribution.at_ms,
        }
    }
}

fn player(number: u8, players: u8) -> Result<Player, RowError> {
    Player::try_new(number, players).ok_or(RowError::NoSuchPlayer(number))
}

impl EndingRow {
    /// The ending of this row, in a game of `players` players.
    ///
    /// # Errors
    /// If the game has no such player.
    pub fn to_ending(&self, players: u8) -> Result<Ending, RowError> {
        match self.ending {
            Ending::Resigned(player) if player.number() >= players => {
                Err(RowError::NoSuchPlayer(player.number()))
            }
            ending => Ok(ending),
        }
    }
}
