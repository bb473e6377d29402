//! The entries of a record: plies, takebacks and entropy contributions.

use crate::game::{Player, RecordableGame};
use crate::record::EntropyText;

/// An action with its roll.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ply<G: RecordableGame> {
    /// The player who acted.
    pub player: Player,
    /// The chosen action.
    pub action: G::Action,
    /// The rolled die faces.
    pub roll: G::Roll,
    /// Milliseconds since 1970 (UTC).
    pub at_ms: i64,
}

/// Restores the position before one of the game's plies. The plies taken back stay in the record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Takeback {
    /// The player who takes back and is to move again.
    pub player: Player,
    /// The number of the ply whose position before it is restored. It must be a ply of this player on the mainline; it
    /// and all later plies leave the mainline.
    pub to: u32,
    /// Milliseconds since 1970 (UTC).
    pub at_ms: i64,
}

/// A text of a player that enters all later rolls. It does not end the turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntropyContribution {
    /// The player who contributes.
    pub player: Player,
    /// The entropy text.
    pub text: EntropyText,
    /// Milliseconds since 1970 (UTC).
    pub at_ms: i64,
}

/// One entry of a record; its number is its index, counted from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry<G: RecordableGame> {
    /// An action with its roll.
    Ply(Ply<G>),
    /// Plies were taken back.
    Takeback(Takeback),
    /// A player added entropy to the dice.
    Contribution(EntropyContribution),
}

impl<G: RecordableGame> Entry<G> {
    /// The player of the entry.
    #[must_use]
    pub const fn player(&self) -> Player {
        match self {
            Entry::Ply(ply) => ply.player,
            Entry::Takeback(takeback) => takeback.player,
            Entry::Contribution(contribution) => contribution.player,
        }
    }

    /// Milliseconds since 1970 (UTC).
    #[must_use]
    pub const fn at_ms(&self) -> i64 {
        match self {
            Entry::Ply(ply) => ply.at_ms,
            Entry::Takeback(takeback) => takeback.at_ms,
            Entry::Contribution(contribution) => contribution.at_ms,
        }
    }

    /// The ply, if the entry is one.
    #[must_use]
    pub const fn ply(&self) -> Option<&Ply<G>> {
        match self {
            Entry::Ply(ply) => Some(ply),
            Entry::Takeback(_) | Entry::Contribution(_) => None,
        }
    }
}

impl<G: RecordableGame> From<Ply<G>> for Entry<G> {
    fn from(ply: Ply<G>) -> Self {
        Entry::Ply(ply)
    }
}
