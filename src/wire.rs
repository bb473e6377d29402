//! The JSON forms of the contract: what the API answers, what records are downloaded as, and what
//! programs read and write on a pipe. One place, so that they cannot drift apart.
//!
//! An attack's `path` is `[source, target]` and a pass is `null`; a chip is named by the `cell` where it
//! lands.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::game::{Game, Player, Roll};
use crate::games::dice_of_doom::{self, Action, DiceOfDoom, Outcome, Throw};
use crate::games::trilobite::{self, Column, NoDice, Trilobite};
use crate::games::{Housed, Parameters};
use crate::record::{Ending, Ply, Record};

/// The version of the JSON form of records.
const RECORD_FORMAT: u16 = 1;

/// A game whose positions, plies and actions have a JSON form.
pub trait Wired: Housed<Parameters: Into<Parameters>> {
    /// A position.
    fn state_json(&self, position: &Self::Position) -> StateJson;

    /// A legal action of a position.
    fn action_json(&self, action: Self::Action, position: &Self::Position) -> ActionJson;

    /// The faces, where some were rolled.
    fn roll_json(roll: &Self::Roll) -> Option<RollJson>;

    /// Everything that can be done at a position.
    fn moves_json(&self, position: &Self::Position) -> MovesJson;

    /// Whether an attack took its target; `None` for an action that attacks nothing.
    fn captured(action: Self::Action, outcome: Self::Outcome) -> Option<bool>;

    /// The hexes to which dice come by this action, with how many; empty in games without.
    fn reinforced_json(&self, action: Self::Action, before: &Self::Position) -> Vec<[u8; 2]>;
}

/// A position of any game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum StateJson {
    /// Of Dice of Doom.
    Dice(dice_of_doom::Setup),
    /// Of Trilobite.
    Trilobite(trilobite::Setup),
}

/// An action of any game, as one field of a ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum ActionJson {
    /// Of Dice of Doom.
    Path {
        /// Source and target of an attack; null for the end of a turn.
        path: Option<[u8; 2]>,
    },
    /// Of Trilobite.
    Cell {
        /// Where the chip lies; row 0 is on top.
        cell: u8,
    },
}

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
    /// `path` or `cell`.
    #[serde(flatten)]
    pub action: ActionJson,
    /// The faces; null where nothing was rolled.
    pub roll: Option<RollJson>,
    /// When, in milliseconds since 1970 (UTC).
    pub at: i64,
}

impl PlyJson {
    /// The JSON form of ply number `number`, played at a position.
    #[must_use]
    pub fn of<G: Wired>(game: &G, number: u32, ply: &Ply<G>, position: &G::Position) -> Self {
        PlyJson {
            ply: number,
            player: ply.player.number(),
            action: game.action_json(ply.action, position),
            roll: G::roll_json(&ply.roll),
            at: ply.at_ms,
        }
    }
}

/// One ply as those hear it who follow a game: the ply, and what it takes to show it happen.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct EventJson {
    /// The ply, as a record has it.
    #[serde(flatten)]
    pub ply: PlyJson,
    /// Whether an attack took its target; null where nothing was attacked.
    pub captured: Option<bool>,
    /// `[hex, dice]` for each hex to which dice came, and how many; empty unless some came.
    pub reinforced: Vec<[u8; 2]>,
    /// Whether the rules end the game with this ply.
    pub over: bool,
}

impl EventJson {
    /// Ply number `number`, played at the position `before`, and the position after it.
    #[must_use]
    pub fn of<G: Wired>(
        game: &G,
        number: u32,
        ply: &Ply<G>,
        before: &G::Position,
    ) -> (Self, G::Position) {
        let outcome = game.outcome(before, ply.action, &ply.roll);
        let after = follow(game, before, ply);
        let event = EventJson {
            ply: PlyJson::of(game, number, ply, before),
            captured: outcome.and_then(|outcome| G::captured(ply.action, outcome)),
            reinforced: game.reinforced_json(ply.action, before),
            over: game.status(&after).is_over(),
        };
        (event, after)
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
    start: StateJson,
    plies: Vec<PlyJson>,
    ending: Option<&'static str>,
    winners: Option<Vec<u8>>,
}

impl RecordJson {
    /// A game, with its winners when it is over.
    #[must_use]
    pub fn of<G: Wired>(record: &Record<G>, winners: Option<Vec<u8>>) -> Self {
        let game = &record.game;
        let mut position = record.start.clone();
        let plies = (0..).zip(&record.plies).map(|(number, ply)| {
            let written = PlyJson::of(game, number, ply, &position);
            position = follow(game, &position, ply);
            written
        });
        RecordJson {
            format: RECORD_FORMAT,
            parameters: game.parameters().into(),
            start: game.state_json(&record.start),
            plies: plies.collect(),
            ending: ending(winners.is_some(), record.ending),
            winners,
        }
    }
}

/// The legal actions of any game, in the book's order.
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum MovesJson {
    /// Of Dice of Doom.
    Dice(DiceMovesJson),
    /// Of Trilobite.
    Trilobite(DropsJson),
}

/// One legal action of Dice of Doom with what can come of it.
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
pub struct MoveJson {
    /// Source and target of an attack; null for the end of a turn.
    pub path: Option<[u8; 2]>,
    /// The position after it, if it succeeds.
    #[schema(value_type = Object)]
    pub ok: dice_of_doom::Setup,
    /// The position after a lost roll; null where nothing is rolled.
    #[schema(value_type = Option<Object>)]
    pub fail: Option<dice_of_doom::Setup>,
    /// The exact chance to succeed; null where nothing is rolled.
    pub odds: Option<f64>,
}

/// The legal actions of a position of Dice of Doom.
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
pub struct DiceMovesJson {
    /// In the book's order.
    pub moves: Vec<MoveJson>,
    /// Whether the game is over here.
    pub over: bool,
    /// Who wins, in the book's order; null until over.
    pub winners: Option<Vec<u8>>,
}

/// The legal actions of a position of Trilobite.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct DropsJson {
    /// The cells where a chip can land, ascending.
    pub moves: Vec<u8>,
    /// Whether the game is over here.
    pub over: bool,
    /// Whether the player to move has lost: the last chip completed a line.
    pub failp: bool,
    /// The cells of that line, ascending.
    pub line: Option<Vec<u8>>,
}

impl MovesJson {
    /// As [`Wired::moves_json`], but nothing can be done any more: a game may be over while its rules
    /// would still know an action.
    #[must_use]
    pub fn ended(self, by: Vec<u8>) -> Self {
        match self {
            MovesJson::Dice(_) => MovesJson::Dice(DiceMovesJson {
                moves: Vec::new(),
                over: true,
                winners: Some(by),
            }),
            MovesJson::Trilobite(moves) => MovesJson::Trilobite(DropsJson {
                moves: Vec::new(),
                over: true,
                ..moves
            }),
        }
    }
}

impl DiceMovesJson {
    /// Everything that can be done at a position.
    fn of(game: &DiceOfDoom, position: &dice_of_doom::Position) -> Self {
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
        DiceMovesJson {
            moves,
            over,
            winners,
        }
    }
}

impl Wired for DiceOfDoom {
    fn state_json(&self, position: &Self::Position) -> StateJson {
        StateJson::Dice(self.setup(position))
    }

    fn action_json(&self, action: Action, _: &Self::Position) -> ActionJson {
        ActionJson::Path { path: path(action) }
    }

    fn roll_json(roll: &Self::Roll) -> Option<RollJson> {
        roll.throw().map(RollJson::from)
    }

    fn moves_json(&self, position: &Self::Position) -> MovesJson {
        MovesJson::Dice(DiceMovesJson::of(self, position))
    }

    fn captured(action: Action, outcome: Outcome) -> Option<bool> {
        match action {
            Action::EndTurn => None,
            Action::Attack { .. } => Some(outcome != Outcome::Lost),
        }
    }

    fn reinforced_json(&self, action: Action, before: &Self::Position) -> Vec<[u8; 2]> {
        match action {
            Action::EndTurn => {
                let came = self.reinforced(before).into_iter();
                came.map(|(hex, dice)| [hex.number(), dice]).collect()
            }
            Action::Attack { .. } => Vec::new(),
        }
    }
}

impl Wired for Trilobite {
    fn state_json(&self, position: &Self::Position) -> StateJson {
        StateJson::Trilobite(self.setup(position))
    }

    fn action_json(&self, column: Column, position: &Self::Position) -> ActionJson {
        let cell = self.landing(position, column);
        ActionJson::Cell {
            cell: cell.expect("a legal column has room"),
        }
    }

    fn roll_json(_: &NoDice) -> Option<RollJson> {
        None
    }

    fn moves_json(&self, position: &Self::Position) -> MovesJson {
        let failp = self.failp(position);
        MovesJson::Trilobite(DropsJson {
            moves: self
                .actions(position)
                .filter_map(|column| self.landing(position, column))
                .collect(),
            over: self.status(position).is_over(),
            failp,
            line: failp.then(|| self.line(position)),
        })
    }

    fn captured(_: Column, (): ()) -> Option<bool> {
        None
    }

    fn reinforced_json(&self, _: Column, _: &Self::Position) -> Vec<[u8; 2]> {
        Vec::new()
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
pub fn follow<G: Roll>(game: &G, position: &G::Position, ply: &Ply<G>) -> G::Position {
    match game.outcome(position, ply.action, &ply.roll) {
        Some(outcome) => game.play(position, ply.action, outcome),
        // A session holds only plies that fitted when they were played.
        None => position.clone(),
    }
}
