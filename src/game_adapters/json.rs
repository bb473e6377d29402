//! The JSON adapter: the JSON of API responses, downloaded records, and the engine protocol, defined in one
//! place.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::{FieldError, JsonFields, RegistrableGame};
use crate::game::Player;
use crate::provably_fair::DiceDisclosure;
use crate::record::{Ending, ReplayedEntry, ReplayedPly};
use crate::serialization::{NamedParameters, SerializableGame};
use crate::session::Session;
use crate::tree::GameTree;

mod entries;
pub mod parser;
mod provenance;
mod record;
mod record_error;

use entries::event_json;
pub use entries::{
    AfterJson, EntropyContributionJson, EntryJson, PlyEventJson, PlyJson, TakebackJson,
};
pub use provenance::{ArenaJson, Provenance, RecordPlayerJson, RecordPlayerKind};
pub use record::{DiceJson, RecordJson, RecordMetadata};

/// The JSON form of a game's positions, plies and actions.
pub trait JsonAdapter: SerializableGame {
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

    fn layout_json(&self) -> Self::LayoutJson {
        Self::LayoutJson::default()
    }

    /// The legal actions at a node of the game tree. `winners` is given if the game is over, by its rules or
    /// otherwise; the node then has no children.
    fn moves_json(tree: &impl GameTree<Game = Self>, winners: Option<Vec<u8>>) -> Self::MovesJson;
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
    pub fn new<G: JsonAdapter<ActionJson = A>>(
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

/// A game's state after some of its entries.
#[derive(Clone, Debug)]
pub struct GameState {
    pub state: Box<RawValue>,
    /// `None` if the game is over at this position.
    pub mover: Option<Player>,
    /// `None` until the game is over.
    pub winners: Option<Vec<u8>>,
    /// The last entry, if any, as [`EntryJson`].
    pub last: Option<Box<RawValue>>,
    /// The faces of that entry, if dice were rolled.
    pub roll: Option<Box<RawValue>>,
}

/// For which client an event is formatted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventFormat {
    /// Pages: with what is needed to animate it on the known board.
    Pages,
    /// API clients: also with the state after the entry.
    Programs,
}

/// An entry as sent to subscribers.
#[derive(Clone, Debug)]
pub struct EntryEvent {
    pub number: u32,
    /// [`PlyEventJson`], or another [`EntryJson`]; for API clients with an [`AfterJson`].
    pub json: Box<RawValue>,
}

/// The JSON of a game in progress.
pub trait LiveJson {
    /// The game's name and parameters, the first fields of responses.
    fn parameters(&self) -> JsonFields;

    fn layout(&self) -> JsonFields;

    /// The state after `ply` entries; `None` if there are fewer.
    fn state_at(&self, ply: u32) -> Option<GameState>;

    /// The legal actions now, in the book's order, with their outcomes.
    fn moves(&self) -> Box<RawValue>;

    /// Only the field `moves` of [`LiveJson::moves`].
    fn legal_moves(&self) -> Box<RawValue>;

    /// The JSON fields of each legal action, in the book's order.
    fn legal_action_fields(&self) -> Vec<JsonFields>;

    /// Up to `max` entries from number `from` on, as events.
    fn events(&self, from: u32, max: usize, format: EventFormat) -> Vec<EntryEvent>;

    /// The complete record, as [`RecordJson`].
    fn record_json(&self, metadata: &RecordMetadata) -> Box<RawValue>;
}

impl<G: RegistrableGame> LiveJson for Session<G> {
    fn parameters(&self) -> JsonFields {
        JsonFields::from_value(&NamedParameters::from_game(self.game()))
    }

    fn layout(&self) -> JsonFields {
        JsonFields::from_value(&self.game().layout_json())
    }

    fn state_at(&self, ply: u32) -> Option<GameState> {
        let (game, record) = (self.game(), self.record());
        if ply > record.len() {
            return None;
        }
        let last = ply.checked_sub(1);
        let entry = last.and_then(|number| self.replay_from(number).next());
        let position = entry.as_ref().map_or(&record.start, ReplayedEntry::after);
        let status = if ply == record.len() {
            self.status()
        } else {
            game.status(position)
        };
        let winners = status.is_over().then(|| {
            if ply == record.len() {
                super::LiveGame::winners(self)
            } else {
                game.winners(position)
            }
        });
        Some(GameState {
            state: to_raw_json(&game.to_setup(position)),
            mover: status.mover(),
            winners: winners.map(|winners| player_numbers(&winners)),
            last: entry.as_ref().map(|entry| {
                to_raw_json(&EntryJson::from_entry(
                    game,
                    entry,
                    &DiceDisclosure::Nothing,
                ))
            }),
            roll: entry
                .and_then(ReplayedEntry::into_ply)
                .and_then(|step| G::roll_json(&step.ply.roll))
                .map(|roll| to_raw_json(&roll)),
        })
    }

    fn moves(&self) -> Box<RawValue> {
        if self.status().is_over() {
            // A game can have ended (by resignation, for example) although its rules still have legal actions.
            let winners = player_numbers(&super::LiveGame::winners(self));
            return to_raw_json(&TaggedAnswer::from_answer::<G>(G::moves_json(
                &self.tree().limit_depth(0),
                Some(winners),
            )));
        }
        to_raw_json(&TaggedAnswer::from_answer::<G>(G::moves_json(
            &self.tree(),
            None,
        )))
    }

    fn legal_moves(&self) -> Box<RawValue> {
        let moves = JsonFields::from_value(&self.moves()).take_raw("moves");
        moves
            .ok()
            .flatten()
            .unwrap_or_else(|| to_raw_json(&[(); 0]))
    }

    fn legal_action_fields(&self) -> Vec<JsonFields> {
        let (game, position) = (self.game(), self.position());
        let actions = game.legal_actions(position);
        actions
            .map(|action| JsonFields::from_value(&game.action_json(action, position)))
            .collect()
    }

    fn events(&self, from: u32, max: usize, format: EventFormat) -> Vec<EntryEvent> {
        let moments = self.replay_from(from).take(max);
        moments
            .map(|entry| EntryEvent {
                number: entry.number(),
                json: event_json(self.game(), &entry, format),
            })
            .collect()
    }

    fn record_json(&self, metadata: &RecordMetadata) -> Box<RawValue> {
        to_raw_json(&RecordJson::from_session(self, metadata))
    }
}

/// A response with the name of its game.
#[derive(Serialize)]
pub(super) struct TaggedAnswer<T> {
    game: &'static str,
    #[serde(flatten)]
    answer: T,
}

impl<T> TaggedAnswer<T> {
    pub(super) fn from_answer<G: SerializableGame>(answer: T) -> Self {
        TaggedAnswer {
            game: G::NAME,
            answer,
        }
    }
}

#[must_use]
pub fn player_numbers(players: &[Player]) -> Vec<u8> {
    players.iter().map(|player| player.number()).collect()
}

/// How a game ended, as one word: `rules`, or the name of its [`Ending`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndReason {
    Rules,
    /// By a resignation or a limit.
    Adjudicated(Ending),
}

impl EndReason {
    /// `None` while the game is in progress.
    #[must_use]
    pub fn new(over: bool, ending: Option<Ending>) -> Option<Self> {
        match ending {
            Some(ending) => Some(EndReason::Adjudicated(ending)),
            None => over.then_some(EndReason::Rules),
        }
    }

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            EndReason::Rules => "rules",
            EndReason::Adjudicated(ending) => ending.name(),
        }
    }
}

impl Serialize for EndReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Serializes a value to JSON text.
pub(crate) fn to_raw_json(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).expect("responses serialize to JSON")
}
