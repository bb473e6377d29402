//! What takes a number in a record: a ply, a takeback, or words that go into the dice.

use crate::game::{Player, RecordableGame};
use crate::record::EntropyText;

/// One action with what was rolled for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ply<G: RecordableGame> {
    /// Who acted.
    pub player: Player,
    /// What was chosen.
    pub action: G::Action,
    /// What was rolled.
    pub roll: G::Roll,
    /// When it was played, in milliseconds since 1970 (UTC).
    pub at_ms: i64,
}

/// The game stands again as it stood before one of its plies. The plies taken back stay in the record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Takeback {
    /// Who takes back; it is this player's turn again.
    pub player: Player,
    /// The number of the ply before which the game stands again. It is one of this player's that stood
    /// until now; it and all after it stand no more.
    pub to: u32,
    /// When, in milliseconds since 1970 (UTC).
    pub at_ms: i64,
}

/// Words of a player that go into all rolls after them. They cost no turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntropyContribution {
    /// Whose words.
    pub player: Player,
    /// The words.
    pub words: EntropyText,
    /// When, in milliseconds since 1970 (UTC).
    pub at_ms: i64,
}

/// One entry of a record; its number is its place, counted from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry<G: RecordableGame> {
    /// A ply.
    Ply(Ply<G>),
    /// Plies are taken back.
    Takeback(Takeback),
    /// Words for the dice.
    Contribution(EntropyContribution),
}

impl<G: RecordableGame> Entry<G> {
    /// Whose entry it is.
    #[must_use]
    pub const fn player(&self) -> Player {
        match self {
            Entry::Ply(ply) => ply.player,
            Entry::Takeback(takeback) => takeback.player,
            Entry::Contribution(contribution) => contribution.player,
        }
    }

    /// When, in milliseconds since 1970 (UTC).
    #[must_use]
    pub const fn at_ms(&self) -> i64 {
        match self {
            Entry::Ply(ply) => ply.at_ms,
            Entry::Takeback(takeback) => takeback.at_ms,
            Entry::Contribution(contribution) => contribution.at_ms,
        }
    }

    /// The ply, if it is one.
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
