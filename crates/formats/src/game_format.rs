//! What a game provides to be written and read: JSON for the API, records and the engine protocol, and the compact
//! notation of its positions.

use dice_of_doom_core::record::ReplayedPly;
use dice_of_doom_core::serialization::{NamedParameters, SerializableGame};
use dice_of_doom_core::tree::GameTree;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::position_text::PositionTextError;
use crate::{FieldError, JsonFields};

/// The JSON and the notation of a game's positions, plies and actions.
pub trait GameFormat: SerializableGame {
    /// The name in English sentences and headings for users of the command line and of programs.
    const TITLE: &'static str = Self::NAME;

    /// The fields that set up a game; all have defaults. Unknown fields are rejected.
    type New: DeserializeOwned;
    /// The fields of an action within a ply.
    type ActionJson: Serialize;
    /// The faces of a roll.
    type RollJson: Serialize + DeserializeOwned;
    /// The fields of a ply event that are needed to animate the ply.
    type EventJson: Serialize + Default;
    /// The legal actions at a position, in its field `moves`, with their outcomes.
    type MovesJson: Serialize;
    /// The constant part of a board, as fields of a game.
    type LayoutJson: Serialize + Default;

    /// The names of the parameters' fields.
    const PARAMETERS: &'static [&'static str] = &[];

    /// Fills in the defaults.
    ///
    /// # Errors
    /// A message about an unknown name; numeric ranges are checked when the game is built.
    fn with_defaults(new: Self::New) -> Result<Self::Parameters, FieldError>;

    /// Parses a position in any of its forms.
    ///
    /// # Errors
    /// If the fields are invalid or are not a position of this game.
    fn parse_position(&self, fields: JsonFields) -> Result<Self::Position, FieldError> {
        let setup: Self::Setup = fields.into()?;
        self.position_from_setup(&setup)
            .map_err(|error| FieldError(error.to_string()))
    }

    /// Parses a position. The name and the parameters of the game may be left out; if present, they must be those of this
    /// game.
    ///
    /// # Errors
    /// If the fields are invalid or are not a position of this game.
    fn parse_position_of_this_game(
        &self,
        mut fields: JsonFields,
    ) -> Result<Self::Position, FieldError> {
        let own = JsonFields::from_value(&NamedParameters::from_game(self));
        let given = fields.split(&own.names().collect::<Vec<_>>());
        for name in given.names() {
            if given.first(name).map(RawValue::get) != own.first(name).map(RawValue::get) {
                return Err(FieldError(format!("{name}: this is another game")));
            }
        }
        self.parse_position(fields)
    }

    /// Parses the fields of an action at this position; it need not be legal.
    ///
    /// # Errors
    /// If the fields name no action.
    fn parse_action_json(
        &self,
        position: &Self::Position,
        fields: JsonFields,
    ) -> Result<Self::Action, ActionFieldsError>;

    /// The fields of a legal action.
    fn action_json(&self, action: Self::Action, position: &Self::Position) -> Self::ActionJson;

    /// The exact chance that a legal action succeeds; `None` if nothing is rolled for it, as by default.
    fn odds(&self, _position: &Self::Position, _action: Self::Action) -> Option<f64> {
        None
    }

    /// The faces of a roll; `None` if nothing was rolled, as by default.
    fn roll_json(_roll: &Self::Roll) -> Option<Self::RollJson> {
        None
    }

    /// The roll with these faces; `None` if the game's dice cannot show them, as by default.
    fn parse_roll(roll: Option<Self::RollJson>) -> Option<Self::Roll> {
        roll.is_none().then(Self::Roll::default)
    }

    /// What is needed to animate a ply.
    fn event_json(&self, _step: &ReplayedPly<'_, Self>) -> Self::EventJson {
        Self::EventJson::default()
    }

    /// The constant part of the board; empty by default.
    fn layout_json(&self) -> Self::LayoutJson {
        Self::LayoutJson::default()
    }

    /// The legal actions at a node of the game tree. `winners` is given if the game is over, by its rules or
    /// otherwise; the node then has no children.
    fn moves_json(tree: &impl GameTree<Game = Self>, winners: Option<Vec<u8>>) -> Self::MovesJson;

    /// Parameters and position as a short text of letters, digits, points and hyphens, the inverse of
    /// [`GameFormat::parse_compact`]; `None` if the game has none, and so no analysis board.
    fn to_compact(&self, _position: &Self::Position) -> Option<String> {
        None
    }

    /// Parses a game and a position from compact notation.
    ///
    /// # Errors
    /// If the text is invalid, with the location.
    fn parse_compact(_text: &str) -> Result<(Self, Self::Position), PositionTextError> {
        Err(PositionTextError {
            at: 1,
            why: "positions of this game have no notation".to_owned(),
        })
    }

    /// The compact notation after the name of the game: `NAME.…`.
    fn named_compact(&self, position: &Self::Position) -> Option<String> {
        let text = self.to_compact(position)?;
        Some(format!("{}.{text}", Self::NAME))
    }
}

/// Why the fields of a ply are not an action; the text is for API clients.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ActionFieldsError {
    /// They do not have the form of an action, whatever the position.
    Malformed(String),
    /// They mean no action at this position.
    Impossible(String),
}

impl From<FieldError> for ActionFieldsError {
    fn from(FieldError(sentence): FieldError) -> Self {
        ActionFieldsError::Malformed(sentence)
    }
}

/// An object without fields, for a game that has no parameters, board layout or events of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoFields {}

/// The legal actions of a position, for a game that tells no more about them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ActionListJson<A> {
    /// In the game's order.
    moves: Vec<A>,
    /// Whether the game is over at this position.
    over: bool,
    /// Null until the game is over.
    winners: Option<Vec<u8>>,
}

impl<A> ActionListJson<A> {
    /// The legal actions at a node of the game tree.
    pub fn new<G: GameFormat<ActionJson = A>>(
        tree: &impl GameTree<Game = G>,
        winners: Option<Vec<u8>>,
    ) -> Self {
        let (game, position) = (tree.game(), tree.position());
        let actions = tree.branches();
        ActionListJson {
            moves: actions
                .map(|(action, _)| game.action_json(action, position))
                .collect(),
            over: winners.is_some(),
            winners,
        }
    }
}
