//! The JSON of a game: what the API answers, what records are downloaded as, and what programs read
//! and write on a pipe. One place, so that they cannot drift apart.

use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::{FieldError, JsonFields, RegistrableGame};
use crate::game::Player;
use crate::record::{Ending, ReplayedEntry, ReplayedPly};
use crate::serialization::{NamedParameters, SerializableGame};
use crate::session::Session;
use crate::tree::GameTree;

mod entries;
pub mod parser;
mod provenance;
mod record;
mod record_error;
mod schemas;

use entries::sent;
pub use entries::{
    AfterJson, EntropyContributionJson, EntryJson, PlyEventJson, PlyJson, TakebackJson,
};
pub use provenance::{ArenaJson, Provenance, RecordPlayerJson, RecordPlayerKind};
pub use record::{DiceJson, RecordJson, RecordMetadata};
pub use schemas::{GameSchemas, NamedSchema, RequestExample};

/// A game whose positions, plies and actions have a JSON form.
pub trait JsonAdapter: SerializableGame {
    /// The fields with which a game is set up; all have defaults. Unknown fields are refused.
    type New: DeserializeOwned + ToSchema;
    /// An action, as fields of a ply.
    type ActionJson: Serialize + ToSchema;
    /// The faces of a roll.
    type RollJson: Serialize + DeserializeOwned + ToSchema;
    /// What it takes to show a ply happen, as fields beside those of the ply.
    type EventJson: Serialize + ToSchema;
    /// Everything that can be done at a position; its field `moves` lists the actions.
    type MovesJson: Serialize + ToSchema;
    /// What a board is like whatever stands on it, as fields of a game.
    type LayoutJson: Serialize + ToSchema;
    /// How the document describes [`SerializableGame::Parameters`].
    type ParametersJson: ToSchema;
    /// How the document describes [`SerializableGame::Setup`].
    type StateJson: ToSchema;

    /// The names of the fields of [`SerializableGame::Parameters`].
    const PARAMETERS: &'static [&'static str];

    /// Requests that are answered as asked.
    const EXAMPLE: RequestExample;

    /// How the document describes another way to write a position than [`Self::StateJson`], where there is one:
    /// its fields.
    fn alternative_state_schema() -> Option<RefOr<Schema>> {
        None
    }

    /// The parameters that are asked for, the defaults filled in.
    ///
    /// # Errors
    /// A sentence about a word that is unknown; numbers are checked when the game is built.
    fn with_defaults(new: Self::New) -> Result<Self::Parameters, FieldError>;

    /// A position, which may be written in more than one way.
    ///
    /// # Errors
    /// When it is not written as positions are, or cannot be one of this game.
    fn parse_position(&self, fields: JsonFields) -> Result<Self::Position, FieldError> {
        let setup: Self::Setup = fields.into()?;
        self.position_from_setup(&setup)
            .map_err(|error| FieldError(error.to_string()))
    }

    /// The action that these fields of a ply mean, as ply number `ply` of a session.
    ///
    /// # Errors
    /// When they name no action there.
    fn read_action(
        session: &Session<Self>,
        ply: u32,
        fields: JsonFields,
    ) -> Result<Self::Action, ActionFieldsError>;

    /// A legal action of a position.
    fn action_json(&self, action: Self::Action, position: &Self::Position) -> Self::ActionJson;

    /// The faces, where some were rolled.
    fn roll_json(roll: &Self::Roll) -> Option<Self::RollJson>;

    /// The roll of these faces; `None` where no dice of this game show them.
    fn parse_roll(roll: Option<Self::RollJson>) -> Option<Self::Roll>;

    /// What it takes to show a ply happen.
    fn event_json(&self, step: &ReplayedPly<'_, Self>) -> Self::EventJson;

    /// What a board is like whatever stands on it.
    fn layout_json(&self) -> Self::LayoutJson;

    /// Everything that can be done at a place of the game's tree. The winners are there once the game
    /// is over, by its rules or otherwise; then the place has no branches.
    fn moves_json(tree: &impl GameTree<Game = Self>, winners: Option<Vec<u8>>) -> Self::MovesJson;
}

/// Why fields of a ply name no action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ActionFieldsError {
    /// They do not fit the game; the sentence says how a ply is written.
    Unfit(String),
    /// They named an action at another ply.
    Stale,
}

/// A game after some of its entries.
#[derive(Clone, Debug)]
pub struct GameState {
    /// The position, as its game writes it.
    pub state: Box<RawValue>,
    /// Whose turn it is, while the game goes on here.
    pub mover: Option<Player>,
    /// Who wins, if the game is over here.
    pub winners: Option<Vec<u8>>,
    /// The entry that led here, if any: [`EntryJson`].
    pub last: Option<Box<RawValue>>,
    /// The faces of that ply, where some were rolled.
    pub roll: Option<Box<RawValue>>,
}

/// Who hears of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventFormat {
    /// Pages, which know the board and are told what it takes to show what happens.
    Pages,
    /// Programs, which are told beside it how the game stands then.
    Programs,
}

/// An entry as it is sent to those who follow a game.
#[derive(Clone, Debug)]
pub struct EntryEvent {
    /// Its number, counted from 0.
    pub number: u32,
    /// [`PlyEventJson`], or an [`EntryJson`] that is no ply; for programs with an [`AfterJson`].
    pub json: Box<RawValue>,
}

/// What programs ask of a game that is played.
pub trait LiveJson {
    /// The name and the parameters, as answers begin.
    fn parameters(&self) -> JsonFields;

    /// What a board of this game is like whatever stands on it, as fields.
    fn layout(&self) -> JsonFields;

    /// The game after `ply` entries; `None` where it has not come so far.
    fn stand(&self, ply: u32) -> Option<GameState>;

    /// The legal actions now, in the book's order, with what can follow.
    fn moves(&self) -> Box<RawValue>;

    /// The list of legal actions alone: the field `moves` of [`LiveJson::moves`].
    fn legal(&self) -> Box<RawValue>;

    /// The notation of the action that these fields of ply number `ply` mean.
    ///
    /// # Errors
    /// When they name no action there.
    fn read_action(&self, ply: u32, fields: JsonFields) -> Result<String, ActionFieldsError>;

    /// A legal action of the newest position in this notation, as fields of a ply.
    fn action_fields(&self, action: &str) -> Option<JsonFields>;

    /// The entries from number `from` on as they are sent, at most `most` of them.
    fn events(&self, from: u32, most: usize, heard_by: EventFormat) -> Vec<EntryEvent>;

    /// The whole record: [`RecordJson`].
    fn record_json(&self, about: &RecordMetadata) -> Box<RawValue>;
}

impl<G: RegistrableGame> LiveJson for Session<G> {
    fn parameters(&self) -> JsonFields {
        JsonFields::of(&NamedParameters::of(self.game()))
    }

    fn layout(&self) -> JsonFields {
        JsonFields::of(&self.game().layout_json())
    }

    fn stand(&self, ply: u32) -> Option<GameState> {
        let (game, record) = (self.game(), self.record());
        if ply > record.len() {
            return None;
        }
        let led_here = ply.checked_sub(1);
        let moment = led_here.and_then(|number| self.moments(number).next());
        let position = moment.as_ref().map_or(&record.start, ReplayedEntry::after);
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
            state: raw(&game.to_setup(position)),
            mover: status.mover(),
            winners: winners.map(|winners| numbers(&winners)),
            last: moment
                .as_ref()
                .map(|moment| raw(&EntryJson::of(game, moment, None))),
            roll: moment
                .and_then(ReplayedEntry::into_step)
                .and_then(|step| G::roll_json(&step.ply.roll))
                .map(|roll| raw(&roll)),
        })
    }

    fn moves(&self) -> Box<RawValue> {
        if self.status().is_over() {
            // A game may be over while its rules would still know an action.
            let winners = numbers(&super::LiveGame::winners(self));
            return raw(&TaggedAnswer::named::<G>(G::moves_json(
                &self.tree().limit(0),
                Some(winners),
            )));
        }
        raw(&TaggedAnswer::named::<G>(G::moves_json(&self.tree(), None)))
    }

    fn legal(&self) -> Box<RawValue> {
        let moves = JsonFields::of(&self.moves()).take_raw("moves");
        moves.ok().flatten().unwrap_or_else(|| raw(&[(); 0]))
    }

    fn read_action(&self, ply: u32, fields: JsonFields) -> Result<String, ActionFieldsError> {
        Ok(G::read_action(self, ply, fields)?.to_string())
    }

    fn action_fields(&self, action: &str) -> Option<JsonFields> {
        let action: G::Action = action.parse().ok()?;
        self.game().check_action(self.position(), action).ok()?;
        Some(JsonFields::of(
            &self.game().action_json(action, self.position()),
        ))
    }

    fn events(&self, from: u32, most: usize, heard_by: EventFormat) -> Vec<EntryEvent> {
        let moments = self.moments(from).take(most);
        moments
            .map(|moment| EntryEvent {
                number: moment.number(),
                json: sent(self.game(), &moment, heard_by),
            })
            .collect()
    }

    fn record_json(&self, about: &RecordMetadata) -> Box<RawValue> {
        raw(&RecordJson::of(self, about))
    }
}

/// An answer that says of which game it is.
#[derive(Serialize)]
pub(super) struct TaggedAnswer<T> {
    game: &'static str,
    #[serde(flatten)]
    answer: T,
}

impl<T> TaggedAnswer<T> {
    /// An answer of this game.
    pub(super) fn named<G: SerializableGame>(answer: T) -> Self {
        TaggedAnswer {
            game: G::NAME,
            answer,
        }
    }
}

/// Players as numbers.
#[must_use]
pub fn numbers(players: &[Player]) -> Vec<u8> {
    players.iter().map(|player| player.number()).collect()
}

/// How a game ended, in one word: `rules`, or the name of its [`Ending`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndReason {
    /// As its rules say.
    Rules,
    /// Otherwise.
    Otherwise(Ending),
}

impl EndReason {
    /// How a game ended; `None` while it goes on.
    #[must_use]
    pub fn of(over: bool, ending: Option<Ending>) -> Option<Self> {
        match ending {
            Some(ending) => Some(EndReason::Otherwise(ending)),
            None => over.then_some(EndReason::Rules),
        }
    }

    /// The word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            EndReason::Rules => "rules",
            EndReason::Otherwise(ending) => ending.name(),
        }
    }
}

/// How the document describes an [`EndReason`].
pub(crate) struct EndingName;

impl PartialSchema for EndingName {
    fn schema() -> RefOr<Schema> {
        const NAMES: [&str; 3] = [
            EndReason::Rules.name(),
            EndReason::Otherwise(Ending::Resigned(Player::FIRST)).name(),
            EndReason::Otherwise(Ending::Limit).name(),
        ];
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(
                "How a game ended: as its rules say, somebody gave up, or it had too many plies.",
            ))
            .enum_values(Some(NAMES))
            .into()
    }
}

impl ToSchema for EndingName {}

impl Serialize for EndReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A plain value as JSON text.
pub(crate) fn raw(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).expect("answers are plain values with names for keys")
}
