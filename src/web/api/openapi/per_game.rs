//! The tagged types of one game: each is one object, of the platform's fields and the game's own.

use serde_json::Value;
use utoipa::PartialSchema;

use super::object_schema::{self, ObjectSchema, is_null, list, nullable, reference};
use crate::game_adapters::engine::{EngineChoice, EngineLine};
use crate::game_adapters::json::{
    AfterJson, EntropyContributionJson, NamedSchema, PlyEventJson, PlyJson, RecordJson,
    TakebackJson,
};
use crate::game_adapters::review::{ReviewJson, ReviewedPlyJson};
use crate::game_adapters::{GameType, JsonFields};
use crate::web::api::dto::{GameJson, NewTableJson, PlayedJson, WeighedActionJson, WeighingJson};

/// A type that each game has in its own form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum GameUnion {
    NewGame,
    Game,
    Play,
    Played,
    Moves,
    Record,
    Weighing,
    Review,
    Event,
    Position,
    Chosen,
    GameEvent,
    OwnGame,
}

impl GameUnion {
    pub(super) const ALL: [GameUnion; 13] = [
        GameUnion::NewGame,
        GameUnion::Game,
        GameUnion::Play,
        GameUnion::Played,
        GameUnion::Moves,
        GameUnion::Record,
        GameUnion::Weighing,
        GameUnion::Review,
        GameUnion::Event,
        GameUnion::Position,
        GameUnion::Chosen,
        GameUnion::GameEvent,
        GameUnion::OwnGame,
    ];

    /// Its name among the components.
    pub(super) const fn name(self) -> &'static str {
        match self {
            GameUnion::NewGame => "NewGame",
            GameUnion::Game => "Game",
            GameUnion::Play => "Play",
            GameUnion::Played => "Played",
            GameUnion::Moves => "Moves",
            GameUnion::Record => "Record",
            GameUnion::Weighing => "Weighing",
            GameUnion::Review => "Review",
            GameUnion::Event => "Event",
            GameUnion::Position => "Position",
            GameUnion::Chosen => "Chosen",
            GameUnion::GameEvent => "GameEvent",
            GameUnion::OwnGame => "OwnGame",
        }
    }

    /// The name of a game's own form of it.
    fn of(self, game: &str) -> String {
        match self {
            GameUnion::NewGame => format!("New{game}Game"),
            other => format!("{game}{}", other.name()),
        }
    }

    /// The names of all that this game has of it.
    pub(super) fn names_of(self, game: &GameComponents) -> Vec<String> {
        let mut names = vec![self.name_of(game)];
        if self == GameUnion::Event {
            let others = ["TakebackEvent", "ContributionEvent"];
            names.extend(others.map(|other| camel(game.game) + other));
        }
        if self == GameUnion::Position {
            names.extend(game.other_position.clone());
        }
        names
    }

    /// The name of this game's own form of it.
    pub(super) fn name_of(self, game: &GameComponents) -> String {
        self.of(&camel(game.game))
    }

    /// What it is for.
    pub(super) const fn about(self) -> &'static str {
        match self {
            GameUnion::NewGame => "A game to set up; all but `game` have defaults.",
            GameUnion::Game => "A game as it stands after one of its entries.",
            GameUnion::Play => {
                "A ply to play: its number, and the action as its game writes it. The fields of the \
                 action tell which game it is."
            }
            GameUnion::Played => "What came of an entry, whatever followed since.",
            GameUnion::Moves => "The legal actions of a position, in the book's order.",
            GameUnion::Record => "A whole game, as it is downloaded and as it can be brought back.",
            GameUnion::Weighing => "What every legal action of a position is worth.",
            GameUnion::Review => "A reviewed game.",
            GameUnion::Event => {
                "`event: ply`: an entry as programs hear it that follow a game, and how the game stands \
                 after it."
            }
            GameUnion::GameEvent => {
                "`event: game`: a game as it stands; the first event of a stream, and another one when who \
                 sits where has changed."
            }
            GameUnion::OwnGame => {
                "`event: invitation`, `gameStart`, `turn`, `gameFinish`: a game in which the program sits, or \
                 is asked to."
            }
            GameUnion::Position => {
                "A position with its game. What it leaves out of the game's numbers is as usual; a text is in \
                 the game's notation."
            }
            GameUnion::Chosen => "What a level chose; the action is written as its game writes it.",
        }
    }

    /// Whether a field `game` tells whose form it is; the others are told by the fields they have.
    pub(super) fn is_tagged(self) -> bool {
        !matches!(
            self,
            GameUnion::Play | GameUnion::Event | GameUnion::Position | GameUnion::Chosen
        )
    }
}

/// What one game brings into the document.
pub(super) struct GameComponents {
    /// The game's name in requests and answers.
    pub(super) game: &'static str,
    /// Its own form of each union, by the name of the component.
    pub(super) own: Vec<(GameUnion, NamedSchema)>,
    /// What these name.
    pub(super) parts: Vec<NamedSchema>,
    /// The name of the component that describes the other way to write a position, where there is one.
    pub(super) other_position: Option<String>,
    /// A new game, and a ply that is legal as its first one.
    pub(super) examples: [Value; 2],
}

impl GameComponents {
    /// The types of a game.
    pub(super) fn new(kind: &dyn GameType) -> Self {
        let own = kind.schemas();
        let name = camel(kind.name());
        let named = |part: &str| format!("{name}{part}");
        let refer = |part: &str| reference(&named(part));
        // Nothing of an action may be left out: a field without a value is null.
        let action = || ObjectSchema::of(&own.action).as_response();
        let roll = match is_null(&own.roll) {
            true => object_schema::null(),
            false => nullable(refer("Roll")),
        };
        let ply = ObjectSchema::of(&PlyJson::<JsonFields>::schema())
            .and(action())
            .with("roll", roll.clone());
        let entries = [&named("Ply"), "Takeback", "Contribution"];
        let mut parts = vec![
            (named("State"), ObjectSchema::of(&own.state).closed_object()),
            (
                named("Action"),
                action().about("An action.").closed_object(),
            ),
            (named("Ply"), ply.clone().as_response().closed_object()),
            (
                named("Entry"),
                object_schema::one_of(
                    entries,
                    "One entry of a record: a ply, a takeback, or words for the dice.",
                ),
            ),
            (
                named("WeighedAction"),
                ObjectSchema::of(&WeighedActionJson::schema())
                    .and(action())
                    .as_response()
                    .open_object(),
            ),
            (
                named("ReviewedPly"),
                ObjectSchema::of(&ReviewedPlyJson::schema())
                    .with("played", nullable(refer("Action")))
                    .with("better", nullable(refer("Action")))
                    .as_response()
                    .open_object(),
            ),
        ];
        if !is_null(&own.roll) {
            parts.push((named("Roll"), own.roll.clone()));
        }
        parts.push((
            named("ChosenLine"),
            ObjectSchema::of(&EngineLine::schema())
                .and(action())
                .open_object(),
        ));
        let also = own.alternative_state.as_ref().map(|other| {
            let also = ObjectSchema::tag(kind.name()).and(ObjectSchema::of(&own.new));
            let also = also
                .and(ObjectSchema::of(other))
                .about(GameUnion::Position.about());
            (named("OtherPosition"), also.closed_object())
        });
        let other_position = also.as_ref().map(|(name, _)| name.clone());
        parts.extend(also);
        let parts = parts
            .into_iter()
            .map(|(name, schema)| NamedSchema { name, schema });
        // A game may name its own position in what it lists.
        let extra = own.parts.iter().filter(|part| part.name != named("State"));
        let extra = extra.map(|part| NamedSchema {
            name: part.name.clone(),
            schema: object_schema::as_response(&part.schema),
        });
        let parts = parts.chain(extra);
        let tag = || ObjectSchema::tag(kind.name());
        let parameters = || tag().and(ObjectSchema::of(&own.parameters));
        let after = ObjectSchema::of(&AfterJson::schema())
            .with("state", refer("State"))
            .and(ObjectSchema::optional(&own.moves, "moves", MOVES));
        let told = |shape: ObjectSchema| shape.and(ObjectSchema::refer("after", &named("After")));
        let whole = || {
            parameters()
                .and(ObjectSchema::of(&own.layout))
                .and(ObjectSchema::of(&GameJson::schema()))
                .with("state", refer("State"))
                .with("last", nullable(refer("Entry")))
        };
        let others = [
            ("TakebackEvent", TakebackJson::schema()),
            ("ContributionEvent", EntropyContributionJson::schema()),
        ];
        let others = others.map(|(name, entry)| {
            let over = "Whether the game is over: never with this entry.";
            let shape = tag().and(ObjectSchema::of(&entry));
            let shape = told(shape.and(ObjectSchema::field::<bool>("over", over)));
            let shape = shape.about(GameUnion::Event.about());
            (named(name), shape.as_response().open_object())
        });
        let form = |union: GameUnion| match union {
            GameUnion::NewGame => tag()
                .and(ObjectSchema::of(&own.new))
                .and(ObjectSchema::of(&NewTableJson::schema()))
                .with("start", nullable(refer("State")))
                .with("seed", object_schema::seed(true)),
            GameUnion::Game => whole(),
            GameUnion::OwnGame => whole()
                .and(ObjectSchema::field::<Vec<u8>>(
                    "yours",
                    "The players that the program plays, or is asked to.",
                ))
                .and(ObjectSchema::optional(&own.moves, "moves", MOVES)),
            GameUnion::GameEvent => whole().and(ObjectSchema::optional(&own.moves, "moves", MOVES)),
            GameUnion::Play => {
                ObjectSchema::field::<u32>("ply", "The number of the ply, counted from 0.")
                    .and(action())
            }
            GameUnion::Played => tag()
                .and(ObjectSchema::of(&PlayedJson::schema()))
                .with("state", refer("State"))
                .with("roll", roll.clone()),
            GameUnion::Moves => tag().and(ObjectSchema::of(&own.moves)),
            GameUnion::Record => parameters()
                .and(ObjectSchema::of(&RecordJson::schema()))
                .with("start", refer("State"))
                .with("seed", object_schema::seed(false))
                .with("plies", list(refer("Entry"))),
            GameUnion::Weighing => tag()
                .and(ObjectSchema::of(&WeighingJson::schema()))
                .with("actions", list(refer("WeighedAction"))),
            GameUnion::Review => tag()
                .and(ObjectSchema::of(&ReviewJson::schema()))
                .with("plies", list(refer("ReviewedPly"))),
            GameUnion::Position => tag()
                .and(ObjectSchema::of(&own.new))
                .and(ObjectSchema::of(&own.state)),
            GameUnion::Chosen => {
                let elapsed = "How long it thought, in milliseconds.";
                ObjectSchema::of(&EngineChoice::schema())
                    .and(action())
                    .and(ObjectSchema::field::<f64>("elapsed_ms", elapsed))
                    .with("lines", nullable(list(refer("ChosenLine"))))
            }
            GameUnion::Event => told(
                tag()
                    .and(ply.clone())
                    .and(ObjectSchema::of(&own.event))
                    .and(ObjectSchema::of(&PlyEventJson::<JsonFields>::schema())),
            ),
        };
        let forms = GameUnion::ALL.map(|union| {
            let shape = form(union).about(union.about());
            let schema = match union {
                GameUnion::NewGame | GameUnion::Play | GameUnion::Position => shape.closed_object(),
                GameUnion::Chosen => shape.open_object(),
                // A record may be brought without its end and its seal.
                GameUnion::Record => shape.closed_object(),
                _ => shape.as_response().open_object(),
            };
            let name = union.of(&name);
            (union, NamedSchema { name, schema })
        });
        let others = others
            .into_iter()
            .chain([(named("After"), after.as_response().open_object())]);
        let others = others.map(|(name, schema)| NamedSchema { name, schema });
        GameComponents {
            game: kind.name(),
            own: forms.into(),
            parts: parts.chain(others).collect(),
            other_position,
            examples: examples(kind.name(), own.example.new, own.example.action),
        }
    }
}

/// What the field `moves` of an event is for.
const MOVES: &str = "The legal actions, in the book's order; only where the request came with the token of \
                     the seat that is to move now.";

fn examples(game: &str, new: &str, action: &str) -> [Value; 2] {
    let with = |name: &str, value: Value, fields: &str| {
        let mut fields: Value = serde_json::from_str(fields).expect("an example is JSON");
        fields[name] = value;
        fields
    };
    [
        with("game", game.into(), new),
        with("ply", 0.into(), action),
    ]
}

/// `connect-4` is `Connect4`.
fn camel(name: &str) -> String {
    let words = name.split('-').filter(|word| !word.is_empty());
    let words = words.map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    });
    words.collect()
}
