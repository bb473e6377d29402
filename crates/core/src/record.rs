//! The record of a game: the dealt start, one [`Ply`] after another with the faces of its dice, and at
//! most one [`Ending`] that the rules do not know.
//!
//! Undo, replay pages, spectating and analysis are all a replay of a record's first n plies. Not here:
//! the board after each ply and whose turn it is (both are derived), who sits where (kept beside the
//! record), and how it is stored (see [`crate::archive`]).

use thiserror::Error;

use crate::game::{Player, Roll, Status};

/// One action with what was rolled for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ply<G: Roll> {
    /// Who acted.
    pub player: Player,
    /// What was chosen.
    pub action: G::Action,
    /// What was rolled.
    pub roll: G::Roll,
    /// When it was played, in milliseconds since 1970 (UTC).
    pub at_ms: i64,
}

/// The end of a game that the rules have not ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The last person at the table gave up; the others are counted.
    Resigned(Player),
    /// The game was adjudicated after [`MOST_PLIES`].
    Limit,
}

/// After this many plies a session is adjudicated by the book's count.
pub const MOST_PLIES: u32 = 1_000;

/// A game as it is kept: the parameters, the start, and what was played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record<G: Roll> {
    /// The rules with their parameters.
    pub game: G,
    /// The position that was dealt.
    pub start: G::Position,
    /// What was played, oldest first.
    pub plies: Vec<Ply<G>>,
    /// The ending, if the rules did not end the game; it takes the next number after the last ply.
    pub ending: Option<Ending>,
}

/// Why a record cannot have happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("ply {ply} of this record cannot have happened: {why}")]
pub struct ReplayError {
    /// The first ply that does not fit, counted from 0.
    pub ply: u32,
    /// What is wrong with it.
    pub why: ReplayFault,
}

/// What is wrong with a ply of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ReplayFault {
    /// The rules had ended the game before.
    #[error("the game was over")]
    AfterTheEnd,
    /// Somebody else was to move.
    #[error("it was another player's turn")]
    WrongPlayer,
    /// The action was not among the legal ones.
    #[error("the action was not legal")]
    IllegalAction,
    /// The faces do not belong to this action.
    #[error("the dice do not fit the action")]
    WrongDice,
}

impl<G: Roll> Record<G> {
    /// A game that has not begun.
    #[must_use]
    pub fn new(game: G, start: G::Position) -> Self {
        Record {
            game,
            start,
            plies: Vec::new(),
            ending: None,
        }
    }

    /// How many plies were played.
    #[must_use]
    pub fn len(&self) -> u32 {
        u32::try_from(self.plies.len()).expect("a record is bounded far below that")
    }

    /// Whether nothing was played yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.plies.is_empty()
    }

    /// Every position from the start to the newest, `len() + 1` of them; checks each ply.
    ///
    /// # Errors
    /// At the first ply that cannot have happened; the iterator ends there.
    pub fn replay(&self) -> impl Iterator<Item = Result<G::Position, ReplayError>> + '_ {
        let mut position = Some(self.start.clone());
        let mut number = 0;
        std::iter::from_fn(move || {
            let now = position.take()?;
            match self.plies.get(number as usize) {
                None => {}
                Some(ply) => match after(&self.game, &now, ply) {
                    Ok(next) => position = Some(next),
                    Err(why) => {
                        // The position before the fault is still true: it is yielded first.
                        let fault = ReplayError { ply: number, why };
                        number = u32::MAX;
                        return Some(Err(fault));
                    }
                },
            }
            number += 1;
            Some(Ok(now))
        })
    }

    /// The position after `ply` plies, for a record whose plies are known to be good.
    #[must_use]
    pub fn position_at(&self, ply: u32) -> Option<G::Position> {
        self.replay().nth(ply as usize)?.ok()
    }
}

/// The position after one ply.
///
/// # Errors
/// When the ply cannot follow this position.
pub fn after<G: Roll>(
    game: &G,
    position: &G::Position,
    ply: &Ply<G>,
) -> Result<G::Position, ReplayFault> {
    match game.status(position) {
        Status::Over(_) => return Err(ReplayFault::AfterTheEnd),
        Status::Turn(mover) if mover != ply.player => return Err(ReplayFault::WrongPlayer),
        Status::Turn(_) => {}
    }
    if !game.actions(position).any(|action| action == ply.action) {
        return Err(ReplayFault::IllegalAction);
    }
    let outcome = game
        .outcome(position, ply.action, &ply.roll)
        .ok_or(ReplayFault::WrongDice)?;
    Ok(game.play(position, ply.action, outcome))
}
