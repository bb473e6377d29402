//! Positions of every game as requests write them and answers show them: the parameters and the
//! position in one object.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::ops::raw;
use super::request::{Code, Fields, Trouble};
use crate::games::dice_of_doom::{self, DiceOfDoom};
use crate::games::trilobite::{self, Trilobite};
use crate::games::{AnyGame, GameKind, Parameters};
use crate::streams::deal_stream;

/// A checked position with its game: one variant for each game.
#[derive(Clone, Debug)]
pub(super) enum AnyPosition {
    Dice(DiceOfDoom, dice_of_doom::Position),
    Trilobite(Trilobite, trilobite::Position),
}

/// A position as it is written.
#[derive(Clone, Debug, Serialize)]
struct PositionJson<S> {
    #[serde(flatten)]
    parameters: Parameters,
    #[serde(flatten)]
    state: S,
}

/// The fields of a game's parameters.
const fn parameter_names(game: GameKind) -> &'static [&'static str] {
    match game {
        GameKind::Dice => &["game", "rules", "size", "players", "max_dice"],
        GameKind::Trilobite => &["game", "width", "height", "win"],
    }
}

/// Takes the parameters of a game out of an object's fields.
///
/// # Errors
/// With the code given, and [`Code::UnknownGame`].
pub(super) fn parameters(fields: &mut Fields<'_>, code: Code) -> Result<Parameters, Trouble> {
    let names = parameter_names(game(fields, code)?);
    fields.split(names).into(code)
}

fn game(fields: &Fields<'_>, code: Code) -> Result<GameKind, Trouble> {
    let written = fields
        .first("game")
        .ok_or_else(|| Trouble::new(code, "missing field `game`"))?;
    game_named(written)
}

/// The game of this name.
pub(super) fn game_named(name: &RawValue) -> Result<GameKind, Trouble> {
    let unknown = || {
        let names: Vec<&str> = GameKind::ALL.iter().map(|game| game.name()).collect();
        let message = format!("no such game; there are {}", names.join(" and "));
        Trouble::new(Code::UnknownGame, message)
    };
    let name = String::deserialize(name).map_err(|_| unknown())?;
    name.parse().map_err(|_| unknown())
}

impl AnyPosition {
    /// Reads and checks a position.
    pub(super) fn read(written: &RawValue) -> Result<AnyPosition, Trouble> {
        const CODE: Code = Code::BadPosition;
        let mut fields = Fields::read(written, CODE)?;
        let game = parameters(&mut fields, CODE)?.build().map_err(impossible)?;
        match game {
            AnyGame::Dice(game) => {
                let setup: dice_of_doom::Setup = fields.into(CODE)?;
                let position = game.position(&setup).map_err(impossible)?;
                Ok(AnyPosition::Dice(game, position))
            }
            AnyGame::Trilobite(game) => {
                let position = if fields.first("columns").is_some() {
                    let Columns { columns } = fields.into(CODE)?;
                    game.from_columns(&columns)
                } else {
                    let setup: trilobite::Setup = fields.into(CODE)?;
                    game.position(&setup)
                };
                Ok(AnyPosition::Trilobite(game, position.map_err(impossible)?))
            }
        }
    }

    /// The start of a game, dealt from a number as the server deals.
    pub(super) fn deal(parameters: Parameters, seed: u64) -> Result<AnyPosition, Trouble> {
        match parameters.build().map_err(out_of_range)? {
            AnyGame::Dice(game) => {
                let position = game.deal(&mut deal_stream(seed)).map_err(impossible)?;
                Ok(AnyPosition::Dice(game, position))
            }
            AnyGame::Trilobite(game) => Ok(AnyPosition::Trilobite(game, game.empty())),
        }
    }

    /// The position with its parameters, as one object.
    pub(super) fn written(&self, parameters: Parameters) -> Box<RawValue> {
        match self {
            AnyPosition::Dice(game, position) => raw(&PositionJson {
                parameters,
                state: game.setup(position),
            }),
            AnyPosition::Trilobite(game, position) => raw(&PositionJson {
                parameters,
                state: game.setup(position),
            }),
        }
    }
}

/// A position of Trilobite may also be written as the columns played, as digits from 1.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Columns {
    columns: String,
}

fn impossible(error: impl fmt::Display) -> Trouble {
    Trouble::new(Code::BadPosition, error)
}

fn out_of_range(error: impl fmt::Display) -> Trouble {
    Trouble::new(Code::OutOfRange, error)
}
