//! The JSON forms of the contract: what the API answers, what records are downloaded as, and what
//! programs read and write on a pipe. One place, so that they cannot drift apart.
//!
//! Positions are [`Setup`]s; an attack's `path` is `[source, target]` and a pass is `null`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::game::{Game, Player, Roll};
use crate::games::Parameters;
use crate::games::dice_of_doom::{Action, DiceOfDoom, Outcome, Position, Setup, Throw};
use crate::games::trilobite::{self, Trilobite};
use crate::record::{Ending, Ply, Record};

/// Faces of both sides.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RollJson {
    /// The attacker's faces, 1 to 6.
    pub attack: Vec<u8>,
    /// The defender's faces, 1 to 6.
    pub defend: Vec<u8>,
}

impl From<&Throw> for RollJson {
    fn from(throw: &Throw) -> Self {
        RollJson {
            attack: throw.attack.as_slice().to_vec(),
            defend: throw.defend.as_slice().to_vec(),
        }
    }
}

/// One ply of a record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct PlyJson {
    /// Its number, counted from 0.
    pub ply: u32,
    /// Who acted, counted from 0.
    pub player: u8,
    /// Source and target of an attack; null for the end of a turn.
    pub path: Option<[u8; 2]>,
    /// The faces; null where nothing was rolled.
    pub roll: Option<RollJson>,
    /// When, in milliseconds since 1970 (UTC).
    pub at: i64,
}

impl PlyJson {
    /// The JSON form of ply number `number`.
    #[must_use]
    pub fn of(number: u32, ply: &Ply<DiceOfDoom>) -> Self {
        PlyJson {
            ply: number,
            player: ply.player.number(),
            path: path(ply.action),
            roll: ply.roll.throw().map(RollJson::from),
            at: ply.at_ms,
        }
    }
}

/// A whole game, as it is downloaded and as the terminal saves it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct RecordJson {
    format: u16,
    #[serde(flatten)]
    #[schema(value_type = Object)]
    parameters: Parameters,
    #[schema(value_type = Object)]
    start: StartJson,
    #[schema(value_type = Vec<PlyJson>)]
    plies: PliesJson,
    ending: Option<&'static str>,
    winners: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
enum StartJson {
    Dice(Setup),
    Trilobite(trilobite::Setup),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
enum PliesJson {
    Dice(Vec<PlyJson>),
    Trilobite(Vec<DropJson>),
}

/// One ply of a record of Trilobite.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct DropJson {
    /// Its number, counted from 0.
    pub ply: u32,
    /// Who acted, counted from 0.
    pub player: u8,
    /// Where the chip came to lie.
    pub cell: u8,
    /// Always null: nothing is rolled.
    pub roll: Option<RollJson>,
    /// When, in milliseconds since 1970 (UTC).
    pub at: i64,
}

/// The version of the JSON form of records.
const RECORD_FORMAT: u16 = 1;

impl RecordJson {
    /// A game of Dice of Doom; with its winners when it is over.
    #[must_use]
    pub fn of_dice(record: &Record<DiceOfDoom>, winners: Option<Vec<u8>>) -> Self {
        let plies = (0..).zip(&record.plies);
        RecordJson {
            format: RECORD_FORMAT,
            parameters: Parameters::from(&record.game),
            start: StartJson::Dice(record.game.setup(&record.start)),
            plies: PliesJson::Dice(
                plies
                    .map(|(number, ply)| PlyJson::of(number, ply))
                    .collect(),
            ),
            ending: ending(winners.is_some(), record.ending),
            winners,
        }
    }

    /// A game of Trilobite; with its winners when it is over.
    #[must_use]
    pub fn of_trilobite(record: &Record<Trilobite>, winners: Option<Vec<u8>>) -> Self {
        // The cell of a ply depends on the position before it; a record's own plies replay.
        let positions = record.replay().map_while(Result::ok);
        let plies = (0..).zip(&record.plies).zip(positions);
        let drop = |((number, ply), position): ((u32, &Ply<Trilobite>), trilobite::Position)| {
            Some(DropJson {
                ply: number,
                player: ply.player.number(),
                cell: record.game.landing(&position, ply.action)?,
                roll: None,
                at: ply.at_ms,
            })
        };
        RecordJson {
            format: RECORD_FORMAT,
            parameters: Parameters::from(&record.game),
            start: StartJson::Trilobite(record.game.setup(&record.start)),
            plies: PliesJson::Trilobite(plies.filter_map(drop).collect()),
            ending: ending(winners.is_some(), record.ending),
            winners,
        }
    }
}

/// One legal action with what can come of it.
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
pub struct MoveJson {
    /// Source and target of an attack; null for the end of a turn.
    pub path: Option<[u8; 2]>,
    /// The position after it, if it succeeds.
    #[schema(value_type = Object)]
    pub ok: Setup,
    /// The position after a lost roll; null where nothing is rolled.
    #[schema(value_type = Option<Object>)]
    pub fail: Option<Setup>,
    /// The exact chance to succeed; null where nothing is rolled.
    pub odds: Option<f64>,
}

/// The legal actions of a position, in the book's order.
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
pub struct MovesJson {
    /// In the book's order.
    pub moves: Vec<MoveJson>,
    /// Whether the game is over here.
    pub over: bool,
    /// Who wins, in the book's order; null until over.
    pub winners: Option<Vec<u8>>,
}

impl MovesJson {
    /// Everything that can be done at a position.
    #[must_use]
    pub fn of(game: &DiceOfDoom, position: &Position) -> Self {
        let after = |action, outcome| game.setup(&game.play(position, action, outcome));
        let moves = game
            .actions(position)
            .map(|action| {
                let mut moved = MoveJson {
                    path: path(action),
                    ok: game.setup(position),
                    fail: None,
                    odds: None,
                };
                for (outcome, _) in game.lottery(position, action) {
                    match outcome {
                        Outcome::Sure | Outcome::Won => moved.ok = after(action, outcome),
                        Outcome::Lost => moved.fail = Some(after(action, outcome)),
                    }
                }
                if let Action::Attack { from, to } = action {
                    moved.odds = game.odds(position, from, to);
                }
                moved
            })
            .collect();
        let over = game.status(position).is_over();
        let winners = over.then(|| numbers(&game.winners(position)));
        MovesJson {
            moves,
            over,
            winners,
        }
    }
}

/// The `path` of an action.
#[must_use]
pub fn path(action: Action) -> Option<[u8; 2]> {
    match action {
        Action::EndTurn => None,
        Action::Attack { from, to } => Some([from.number(), to.number()]),
    }
}

/// The action of a `path`; `None` when a hex is not on this board.
#[must_use]
pub fn action(game: &DiceOfDoom, path: Option<[u8; 2]>) -> Option<Action> {
    match path {
        None => Some(Action::EndTurn),
        Some([from, to]) => Some(Action::Attack {
            from: game.hex(from)?,
            to: game.hex(to)?,
        }),
    }
}

/// Players as numbers.
#[must_use]
pub fn numbers(players: &[Player]) -> Vec<u8> {
    players.iter().map(|player| player.number()).collect()
}

/// How a game ended, in one word; `None` while it goes on.
#[must_use]
pub fn ending(over: bool, ending: Option<Ending>) -> Option<&'static str> {
    match ending {
        Some(Ending::Resigned(_)) => Some("resigned"),
        Some(Ending::Limit) => Some("limit"),
        None => over.then_some("rules"),
    }
}

/// What followed a ply of a good record.
#[must_use]
pub fn follow(game: &DiceOfDoom, position: &Position, ply: &Ply<DiceOfDoom>) -> Position {
    match game.outcome(position, ply.action, &ply.roll) {
        Some(outcome) => game.play(position, ply.action, outcome),
        // A session holds only plies that fitted when they were played.
        None => position.clone(),
    }
}
