//! The closed list of games, as the service sees them: one arm for each game, and the text forms in
//! which parameters, positions and plies are kept.
//!
//! A new game adds a variant to each enum here; the compiler lists the arms it owes.

use thiserror::Error;

use crate::archive::{EndingRow, PlyRow, Stored};
use crate::game::{Player, Players, Status};
use crate::games::Parameters;
use crate::games::dice_of_doom::{self, Action, DiceOfDoom, Setup, SetupError};
use crate::level::Level;
use crate::record::{Ending, Ply, Record, ReplayError};
use crate::session::{self, Session};
use crate::streams::{self as dice, DiceSeed};

/// A start position as it is written down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// Deal one; the number makes the deal repeatable.
    Deal(Option<u64>),
    /// Exactly this position of Dice of Doom.
    Dice(Setup),
}

/// An action of any game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnyAction {
    /// Of Dice of Doom.
    Dice(Action),
}

/// A decided ply of any game.
#[derive(Clone, Debug)]
pub(super) enum AnyPly {
    Dice(Ply<DiceOfDoom>),
}

/// Why an action was refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Refused {
    /// The game is over.
    #[error("the game is over")]
    Over,
    /// Somebody else is to move.
    #[error("it is not your turn")]
    NotYourTurn,
    /// The rules of Dice of Doom say why.
    #[error("{0}")]
    Dice(dice_of_doom::Refusal),
    /// An action of another game.
    #[error("this game has no such action")]
    OtherGame,
}

/// Why no game can be set up.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DealError {
    /// The parameters or the start do not fit Dice of Doom.
    #[error("{0}")]
    Dice(#[from] SetupError),
    /// The server does not play this game yet.
    #[error("this game cannot be played here yet")]
    NotYet,
}

/// Why a stored game cannot go on.
#[derive(Debug, Error)]
pub(super) enum LoadError {
    #[error("the game's parameters cannot be read: {0}")]
    Parameters(serde_json::Error),
    #[error("the game's start cannot be read: {0}")]
    Start(serde_json::Error),
    #[error("the game's start does not fit: {0}")]
    Setup(SetupError),
    #[error("this game cannot be played here yet")]
    NotYet,
    #[error("ply {0} cannot be read")]
    Ply(usize),
    #[error("the ending cannot be read")]
    Ending,
    #[error("{0}")]
    Replay(ReplayError),
}

/// A live game of any kind. Cloning is cheap.
#[derive(Clone, Debug)]
pub enum Live {
    /// A game of Dice of Doom.
    Dice(Session<DiceOfDoom>),
}

impl Live {
    /// A new game.
    ///
    /// # Errors
    /// When the parameters are out of range, the start does not fit them, or no deal can be played.
    pub fn begin(parameters: &Parameters, start: &Start) -> Result<Self, DealError> {
        match parameters {
            Parameters::Dice {
                rules,
                size,
                players,
                max_dice,
            } => {
                let game = DiceOfDoom::new(*rules, *size, *players, *max_dice)?;
                let position = match start {
                    Start::Deal(Some(seed)) => game.deal(&mut dice::deal_stream(*seed))?,
                    Start::Deal(None) => game.deal(&mut rand::rng())?,
                    Start::Dice(setup) => game.position(setup)?,
                };
                Ok(Live::Dice(Session::new(game, position)))
            }
            Parameters::Trilobite { .. } => Err(DealError::NotYet),
        }
    }

    /// The game of a stored record, replayed and checked.
    pub(super) fn resume(stored: &Stored) -> Result<Self, LoadError> {
        let parameters =
            serde_json::from_str(&stored.header.game).map_err(LoadError::Parameters)?;
        match parameters {
            Parameters::Dice {
                rules,
                size,
                players,
                max_dice,
            } => {
                let game =
                    DiceOfDoom::new(rules, size, players, max_dice).map_err(LoadError::Setup)?;
                let setup: Setup =
                    serde_json::from_str(&stored.header.start).map_err(LoadError::Start)?;
                let start = game.position(&setup).map_err(LoadError::Setup)?;
                let mut record = Record::new(game, start);
                for (number, row) in stored.plies.iter().enumerate() {
                    record.plies.push(Ply {
                        player: Player::checked(row.player, players)
                            .ok_or(LoadError::Ply(number))?,
                        action: row.action.parse().map_err(|_| LoadError::Ply(number))?,
                        roll: row.roll.parse().map_err(|_| LoadError::Ply(number))?,
                        at_ms: row.at_ms,
                    });
                }
                record.ending = stored
                    .ending
                    .as_ref()
                    .map(|row| ending(row, players))
                    .transpose()?;
                Session::resume(record)
                    .map(Live::Dice)
                    .map_err(LoadError::Replay)
            }
            Parameters::Trilobite { .. } => Err(LoadError::NotYet),
        }
    }

    /// The game and its parameters.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        match self {
            Live::Dice(session) => {
                let game = session.game();
                Parameters::Dice {
                    rules: game.rules(),
                    size: game.side(),
                    players: game.players(),
                    max_dice: game.max_dice(),
                }
            }
        }
    }

    /// The start position as it is kept (JSON).
    pub(super) fn start_text(&self) -> String {
        match self {
            Live::Dice(session) => {
                let setup = session.game().setup(&session.record().start);
                serde_json::to_string(&setup).expect("a setup is plain numbers")
            }
        }
    }

    /// How many plies were played.
    #[must_use]
    pub fn ply(&self) -> u32 {
        match self {
            Live::Dice(session) => session.record().len(),
        }
    }

    /// Whose turn it is, or how the game ended.
    #[must_use]
    pub fn status(&self) -> Status {
        match self {
            Live::Dice(session) => session.status(),
        }
    }

    /// Who is to move, while the game goes on.
    #[must_use]
    pub fn mover(&self) -> Option<Player> {
        self.status().mover()
    }

    /// Whether the game is over, by the rules or otherwise.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.status().is_over()
    }

    /// The winners in the book's order; empty while the game goes on.
    #[must_use]
    pub fn winners(&self) -> Vec<Player> {
        let Status::Over(payoffs) = self.status() else {
            return Vec::new();
        };
        match self {
            Live::Dice(session) => {
                let winners: Players = payoffs.winners();
                let mut order = session.game().winners(session.position());
                order.retain(|player| winners.contains(*player));
                // After a resignation the count may name others than the board does.
                let rest: Vec<Player> = winners
                    .iter()
                    .filter(|player| !order.contains(player))
                    .collect();
                order.extend(rest);
                order
            }
        }
    }

    /// The ending that is no rule of the game.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        match self {
            Live::Dice(session) => session.record().ending,
        }
    }

    /// Who played ply number `number`, and what.
    #[must_use]
    pub fn played(&self, number: u32) -> Option<(Player, AnyAction)> {
        match self {
            Live::Dice(session) => {
                let ply = session.record().plies.get(number as usize)?;
                Some((ply.player, AnyAction::Dice(ply.action)))
            }
        }
    }

    /// Judges an action and rolls for it; changes nothing.
    pub(super) fn decide(
        &self,
        player: Player,
        action: AnyAction,
        seed: &DiceSeed,
        at_ms: i64,
    ) -> Result<AnyPly, Refused> {
        match (self, action) {
            (Live::Dice(session), AnyAction::Dice(action)) => {
                let mut dice = dice::dice_stream(seed, self.ply());
                session
                    .decide(player, action, &mut dice, at_ms)
                    .map(AnyPly::Dice)
                    .map_err(|refusal| match refusal {
                        session::Refusal::Over => Refused::Over,
                        session::Refusal::NotYourTurn => Refused::NotYourTurn,
                        session::Refusal::Illegal => {
                            match session.game().judge(session.position(), action) {
                                Err(why) => Refused::Dice(why),
                                Ok(()) => Refused::OtherGame,
                            }
                        }
                    })
            }
        }
    }

    /// Plays a decided ply.
    pub(super) fn apply(&mut self, ply: AnyPly) {
        match (self, ply) {
            (Live::Dice(session), AnyPly::Dice(ply)) => session.apply(ply),
        }
    }

    /// Ends the game otherwise than by the rules.
    pub(super) fn end(&mut self, ending: Ending) {
        match self {
            Live::Dice(session) => session.end(ending),
        }
    }

    /// Whether the next number belongs to the ply limit.
    pub(super) fn is_at_limit(&self) -> bool {
        match self {
            Live::Dice(session) => session.is_at_limit(),
        }
    }

    /// What a level plays here. Slow: never on an async thread.
    pub(super) fn choose(&self, level: Level) -> AnyAction {
        let mut variety = dice::level_stream(&self.start_text(), self.ply());
        match self {
            Live::Dice(session) => {
                AnyAction::Dice(level.choose(session.game(), session.position(), &mut variety))
            }
        }
    }
}

impl AnyPly {
    /// The row that is kept.
    pub(super) fn row(&self) -> PlyRow {
        match self {
            AnyPly::Dice(ply) => PlyRow {
                player: ply.player.number(),
                action: ply.action.to_string(),
                roll: ply.roll.to_string(),
                at_ms: ply.at_ms,
            },
        }
    }
}

/// The row of an ending.
pub(super) fn ending_row(ending: Ending, at_ms: i64) -> EndingRow {
    let (kind, player) = match ending {
        Ending::Resigned(player) => ("resigned", Some(player.number())),
        Ending::Limit => ("limit", None),
    };
    EndingRow {
        kind: kind.to_owned(),
        player,
        at_ms,
    }
}

fn ending(row: &EndingRow, players: u8) -> Result<Ending, LoadError> {
    match (row.kind.as_str(), row.player) {
        ("limit", _) => Ok(Ending::Limit),
        ("resigned", Some(number)) => Player::checked(number, players)
            .map(Ending::Resigned)
            .ok_or(LoadError::Ending),
        _ => Err(LoadError::Ending),
    }
}
