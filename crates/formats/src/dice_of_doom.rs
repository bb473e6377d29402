//! The JSON of Dice of Doom. An attack's `path` is `[source, target]`, and the end of a turn is `null`.

use dice_of_doom_core::record::ReplayedPly;
use dice_of_doom_core::tree::GameTree;
use dice_of_doom_games::dice_of_doom::{
    Action, AttackRoll, DiceOfDoom, Faces, Outcome, Parameters, Position, Rules, Setup, Throw,
};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::fields::whole_number;
use crate::{ActionFieldsError, FieldError, GameFormat, JsonFields, PositionTextError};

mod compact;

/// A game of Dice of Doom to set up.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewDiceJson {
    /// The rules. Default: `v4`.
    rules: Option<String>,
    /// The number of hexes along a side. Default: 2 with `v1`, 4 with `v2`, otherwise 5.
    #[serde(default, deserialize_with = "whole_number::<_, _, 2, 8>")]
    size: Option<u8>,
    /// The number of players, at most the number of hexes. Default: 2 with `v1` to `v3`, otherwise 4.
    #[serde(default, deserialize_with = "whole_number::<_, _, 2, 6>")]
    players: Option<u8>,
    /// The maximum number of dice on a hex. Default: 3 with `v1` to `v3`, otherwise 5.
    #[serde(default, deserialize_with = "whole_number::<_, _, 2, 8>")]
    max_dice: Option<u8>,
}

/// An action.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct PathJson {
    /// Source and target of an attack, as numbers of hexes; null ends the turn.
    path: Option<[u8; 2]>,
}

/// The faces of the dice of both sides.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RollJson {
    /// The attacker's faces, 1 to 6.
    attack: Vec<u8>,
    /// The defender's faces, 1 to 6.
    defend: Vec<u8>,
}

impl From<&Throw> for RollJson {
    fn from(throw: &Throw) -> Self {
        RollJson {
            attack: throw.attack.as_slice().to_vec(),
            defend: throw.defend.as_slice().to_vec(),
        }
    }
}

/// What is needed to animate a ply.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct DiceEventJson {
    /// Whether the attack captured its target; null if the ply ends the turn.
    captured: Option<bool>,
    /// `[hex, dice]` for each hex that received dice at the end of a turn; otherwise empty.
    reinforced: Vec<[u8; 2]>,
}

/// A legal action with its outcomes.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DiceMoveJson {
    /// Source and target of an attack, as numbers of hexes; null ends the turn.
    path: Option<[u8; 2]>,
    /// The position after the action; if dice are rolled, after a success.
    ok: Setup,
    /// The position after a failed attack; null if no dice are rolled.
    fail: Option<Setup>,
    /// The exact probability of a success, 0 to 1; null if no dice are rolled.
    odds: Option<f64>,
}

/// The legal actions at a position.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DiceMovesJson {
    /// The legal actions, always in the same order.
    moves: Vec<DiceMoveJson>,
    /// Whether the game is over at this position.
    over: bool,
    /// The winners, counted from 0; null until the game is over.
    winners: Option<Vec<u8>>,
}

/// The constant part of the board.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct DiceLayoutJson {
    /// The neighbors of each hex, from hex 0.
    neighbors: Vec<Vec<u8>>,
}

/// The `path` field of a ply: `null` ends the turn; a missing field is an error.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DicePlyJson {
    #[serde(default, deserialize_with = "some_path")]
    path: Option<Option<[u8; 2]>>,
}

/// Parses a list first, so that a list of the wrong length gives a data error and not a syntax error.
fn some_path<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Option<[u8; 2]>>, D::Error> {
    let Some(path) = Option::<Vec<u8>>::deserialize(d)? else {
        return Ok(Some(None));
    };
    let pair = path.as_slice().try_into();
    pair.map(|pair| Some(Some(pair)))
        .map_err(|_| D::Error::invalid_length(path.len(), &"a source and a target"))
}

impl GameFormat for DiceOfDoom {
    const TITLE: &'static str = "Dice of Doom";

    type New = NewDiceJson;
    type ActionJson = PathJson;
    type RollJson = RollJson;
    type EventJson = DiceEventJson;
    type MovesJson = DiceMovesJson;

    type LayoutJson = DiceLayoutJson;

    const PARAMETERS: &'static [&'static str] = &["rules", "size", "players", "max_dice"];

    fn with_defaults(new: NewDiceJson) -> Result<Parameters, FieldError> {
        let rules = match &new.rules {
            None => Rules::V4,
            Some(name) => name
                .parse()
                .map_err(|_| FieldError(format!("rules are {}", Rules::joined_names("or"))))?,
        };
        let (players, max_dice, side) = rules.defaults();
        Ok(Parameters {
            rules,
            side: new.size.unwrap_or(side),
            players: new.players.unwrap_or(players),
            max_dice: new.max_dice.unwrap_or(max_dice),
        })
    }

    fn parse_action_json(
        &self,
        _: &Position,
        fields: JsonFields,
    ) -> Result<Action, ActionFieldsError> {
        let no_path = "a ply of this game is a path: [source, target], or null";
        let played: DicePlyJson = fields.into()?;
        let path = played.path.ok_or_else(|| FieldError::from(no_path))?;
        action(self, path).ok_or_else(|| {
            let last = self.hexes() - 1;
            let no_hex =
                format!("there is no such hex on this board; it has the hexes 0 to {last}");
            FieldError(no_hex).into()
        })
    }

    fn action_json(&self, action: Action, _: &Position) -> PathJson {
        PathJson { path: path(action) }
    }

    fn odds(&self, position: &Position, action: Action) -> Option<f64> {
        match action {
            Action::EndTurn => None,
            Action::Attack { from, to } => self.attack_win_probability(position, from, to),
        }
    }

    fn roll_json(roll: &AttackRoll) -> Option<RollJson> {
        roll.throw().map(RollJson::from)
    }

    fn parse_roll(roll: Option<RollJson>) -> Option<AttackRoll> {
        let Some(RollJson { attack, defend }) = roll else {
            return Some(AttackRoll::NONE);
        };
        let (attack, defend) = (Faces::new(&attack)?, Faces::new(&defend)?);
        Some(AttackRoll::from_throw(Throw { attack, defend }))
    }

    fn event_json(&self, step: &ReplayedPly<'_, Self>) -> DiceEventJson {
        match step.ply.action {
            Action::Attack { .. } => DiceEventJson {
                captured: Some(step.outcome != Outcome::Lost),
                reinforced: Vec::new(),
            },
            Action::EndTurn => {
                let reinforced = self.reinforced(&step.before).into_iter();
                DiceEventJson {
                    captured: None,
                    reinforced: reinforced.map(|(hex, dice)| [hex.number(), dice]).collect(),
                }
            }
        }
    }

    fn layout_json(&self) -> DiceLayoutJson {
        let hexes = (0..self.hexes()).filter_map(|number| self.hex(number));
        let neighbors = hexes.map(|hex| {
            let neighbours = self.neighbours(hex).iter();
            neighbours.map(|hex| hex.number()).collect()
        });
        DiceLayoutJson {
            neighbors: neighbors.collect(),
        }
    }

    fn moves_json(tree: &impl GameTree<Game = Self>, winners: Option<Vec<u8>>) -> DiceMovesJson {
        let (game, position) = (tree.game(), tree.position());
        let moves = tree.branches().map(|(action, outcomes)| {
            let mut json = DiceMoveJson {
                path: path(action),
                ok: game.setup(position),
                fail: None,
                odds: game.odds(position, action),
            };
            for chance in outcomes {
                let after = game.setup(chance.tree.position());
                match chance.outcome {
                    Outcome::Certain | Outcome::Won => json.ok = after,
                    Outcome::Lost => json.fail = Some(after),
                }
            }
            json
        });
        DiceMovesJson {
            moves: moves.collect(),
            over: winners.is_some(),
            winners,
        }
    }

    fn to_compact(&self, position: &Position) -> Option<String> {
        Some(compact::print(self, position))
    }

    fn parse_compact(text: &str) -> Result<(Self, Position), PositionTextError> {
        compact::parse(text)
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
