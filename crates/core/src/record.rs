//! The record of a game: the dealt start, one [`Ply`] after another with the faces of its dice, and at
//! most one [`Ending`] that the rules do not know.
//!
//! Undo, replay pages, spectating and analysis are all a replay of a record's first n plies. Not here:
//! the board after each ply and whose turn it is (both are derived), who sits where (kept beside the
//! record), and how it is stored, which is the server's affair.

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
    pub fn named(name: &str, player: Option<Player>) -> Option<Self> {
        let ending = player.map_or(Ending::Limit, Ending::Resigned);
        (ending.name() == name).then_some(ending)
    }
}

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

/// An ending as it is kept; it takes the next number after the last ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EndingRow {
    /// How the game ended.
    pub ending: Ending,
    /// When, in milliseconds since 1970 (UTC).
    pub at_ms: i64,
}

/// Why a kept row is no ply of its game.
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
}

impl PlyRow {
    /// The row that keeps this ply.
    #[must_use]
    pub fn of<G: Roll>(ply: &Ply<G>) -> Self {
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
    pub fn read<G: Roll>(&self, players: u8) -> Result<Ply<G>, RowError> {
        let no_action = |_| RowError::NoSuchAction(self.action.clone());
        let no_roll = |_| RowError::NoSuchRoll(self.roll.clone());
        Ok(Ply {
            player: Player::checked(self.player, players)
                .ok_or(RowError::NoSuchPlayer(self.player))?,
            action: self.action.parse().map_err(no_action)?,
            roll: self.roll.parse().map_err(no_roll)?,
            at_ms: self.at_ms,
        })
    }
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

    /// Every ply with what stood before it and what followed, oldest first; each is checked.
    ///
    /// # Errors
    /// At the first ply that cannot have happened, with its number; the iterator ends there.
    pub fn steps(&self) -> impl Iterator<Item = Result<Step<'_, G>, ReplayError>> {
        let mut position = Some(self.start.clone());
        let plies = (0..).zip(&self.plies);
        plies.map_while(move |(number, ply)| {
            let before = position.take()?;
            Some(match check(&self.game, &before, ply) {
                Ok(outcome) => {
                    let after = self.game.play(&before, ply.action, outcome);
                    position = Some(after.clone());
                    Ok(Step {
                        number,
                        before,
                        ply,
                        outcome,
                        after,
                    })
                }
                Err(why) => Err(ReplayError { ply: number, why }),
            })
        })
    }

    /// The same for a record that was checked before: no action is looked for among the legal ones.
    pub(crate) fn checked_steps(&self) -> impl Iterator<Item = Step<'_, G>> {
        let mut position = self.start.clone();
        let plies = (0..).zip(&self.plies);
        plies.map_while(move |(number, ply)| {
            let outcome = self.game.outcome(&position, ply.action, &ply.roll)?;
            let after = self.game.play(&position, ply.action, outcome);
            let before = std::mem::replace(&mut position, after.clone());
            Some(Step {
                number,
                before,
                ply,
                outcome,
                after,
            })
        })
    }
}

/// One ply of a record with its surroundings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step<'r, G: Roll> {
    /// The number of the ply, counted from 0.
    pub number: u32,
    /// The position at which it was played.
    pub before: G::Position,
    /// The ply itself.
    pub ply: &'r Ply<G>,
    /// What chance answered.
    pub outcome: G::Outcome,
    /// The position that followed.
    pub after: G::Position,
}

/// What chance answered to a ply that was played at this position.
///
/// # Errors
/// When the ply cannot follow this position.
pub fn check<G: Roll>(
    game: &G,
    position: &G::Position,
    ply: &Ply<G>,
) -> Result<G::Outcome, ReplayFault> {
    match game.status(position) {
        Status::Over(_) => return Err(ReplayFault::AfterTheEnd),
        Status::Turn(mover) if mover != ply.player => return Err(ReplayFault::WrongPlayer),
        Status::Turn(_) => {}
    }
    if !game.actions(position).any(|action| action == ply.action) {
        return Err(ReplayFault::IllegalAction);
    }
    game.outcome(position, ply.action, &ply.roll)
        .ok_or(ReplayFault::WrongDice)
}
