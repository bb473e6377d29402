//! The game-specific schemas: each is one object with the shared fields and the game's own.

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
use crate::web::api::dto::{
    ActionAnalysisJson, GameJson, NewTableJson, PlayedJson, PositionAnalysisJson,
};

/// A schema that is a union with one member per game.
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

    /// The component name.
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

    /// The name of a game's member.
    fn of(self, game: &str) -> String {
        match self {
            GameUnion::NewGame => format!("New{game}Game"),
            other => format!("{game}{}", other.name()),
        }
    }

    /// The names of all members of this game.
    pub(super) fn names_of(self, game: &GameComponents) -> Vec<String> {
        let mut names = vec![self.name_of(game)];
        if self == GameUnion::Event {
            let others = ["TakebackEvent", "ContributionEvent"];
            names.extend(others.map(|other| to_pascal_case(game.game) + other));
        }
        if self == GameUnion::Position {
            names.extend(game.other_position.clone());
        }
        names
    }

    /// The name of this game's main member.
    pub(super) fn name_of(self, game: &GameComponents) -> String {
        self.of(&to_pascal_case(game.game))
    }

    pub(super) const fn about(self) -> &'static str {
        match self {
            GameUnion::NewGame => "A game to create. All fields but `game` are optional.",
            GameUnion::Game => "A game, now or after an earlier entry.",
            GameUnion::Play => {
                "A ply to play: its number, and the fields of the action, which depend on the game."
            }
            GameUnion::Played => {
                "The result of an entry: the game directly after it, even if more entries have followed."
            }
            GameUnion::Moves => "The legal actions at a position.",
            GameUnion::Record => {
                "A complete game, as `get_record` returns it and `keep_record` accepts it."
            }
            GameUnion::Weighing => "The evaluation of each legal action at a position.",
            GameUnion::Review => "The review of a finished game.",
            GameUnion::Event => "`event: ply`: a new entry of the record, and the game after it.",
            GameUnion::GameEvent => {
                "`event: game`: the current state of the game. Sent at the start of the stream, and after the \
                 seats have changed."
            }
            GameUnion::OwnGame => {
                "`event: invitation`, `gameStart`, `turn`, `gameFinish`: a game in which the program has a \
                 seat or an invitation."
            }
            GameUnion::Position => {
                "A position with the name and the parameters of its game. Omitted parameters have their \
                 defaults. A string is a position in notation."
            }
            GameUnion::Chosen => {
                "The action that a level chose. The fields of the action depend on the game."
            }
        }
    }

    /// Whether the field `game` discriminates the members; the others are distinguished by their fields.
    pub(super) fn is_tagged(self) -> bool {
        !matches!(
            self,
            GameUnion::Play | GameUnion::Event | GameUnion::Position | GameUnion::Chosen
        )
    }
}

/// The components of one game.
pub(super) struct GameComponents {
    pub(super) game: &'static str,
    /// Its member of each union, with the component name.
    pub(super) own: Vec<(GameUnion, NamedSchema)>,
    /// Components that those refer to.
    pub(super) parts: Vec<NamedSchema>,
    /// The component of the alternative form of a position, if there is one.
    pub(super) other_position: Option<String>,
    /// A new game, and a ply that is legal as its first one.
    pub(super) examples: [Value; 2],
}

impl GameComponents {
    pub(super) fn new(kind: &dyn GameType) -> Self {
        let own = kind.schemas();
        let name = to_pascal_case(kind.name());
        let named = |part: &str| format!("{name}{part}");
        let refer = |part: &str| reference(&named(part));
        // In responses all fields of an action are present: a missing value is null.
        let action = || ObjectSchema::of(&own.action).into_response_schema();
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
            (
                named("Ply"),
                ply.clone().into_response_schema().closed_object(),
            ),
            (
                named("Entry"),
                object_schema::one_of(
                    entries,
                    "An entry of a record: a ply, a takeback, or entropy text for the dice.",
                ),
            ),
            (
                named("WeighedAction"),
                ObjectSchema::of(&ActionAnalysisJson::schema())
                    .and(action())
                    .into_response_schema()
                    .open_object(),
            ),
            (
                named("ReviewedPly"),
                ObjectSchema::of(&ReviewedPlyJson::schema())
                    .with("played", nullable(refer("Action")))
                    .with("better", nullable(refer("Action")))
                    .into_response_schema()
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
        let other_form = own.alternative_state.as_ref().map(|other| {
            let other_form = ObjectSchema::tag(kind.name()).and(ObjectSchema::of(&own.new));
            let other_form = other_form
                .and(ObjectSchema::of(other))
                .about(GameUnion::Position.about());
            (named("OtherPosition"), other_form.closed_object())
        });
        let other_position = other_form.as_ref().map(|(name, _)| name.clone());
        parts.extend(other_form);
        let parts = parts
            .into_iter()
            .map(|(name, schema)| NamedSchema { name, schema });
        // A game may list its own position schema among its parts.
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
        let with_after =
            |shape: ObjectSchema| shape.and(ObjectSchema::refer("after", &named("After")));
        let game_state = || {
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
            let over = "Always false: this entry does not end the game.";
            let shape = tag().and(ObjectSchema::of(&entry));
            let shape = with_after(shape.and(ObjectSchema::field::<bool>("over", over)));
            let shape = shape.about(GameUnion::Event.about());
            (named(name), shape.into_response_schema().open_object())
        });
        let form = |union: GameUnion| match union {
            GameUnion::NewGame => tag()
                .and(ObjectSchema::of(&own.new))
                .and(ObjectSchema::of(&NewTableJson::schema()))
                .with("start", nullable(refer("State")))
                .with("seed", object_schema::seed(true)),
            GameUnion::Game => game_state(),
            GameUnion::OwnGame => game_state()
                .and(ObjectSchema::field::<Vec<u8>>(
                    "yours",
                    "The players that the program plays or is invited to play, counted from 0.",
                ))
                .and(ObjectSchema::optional(&own.moves, "moves", MOVES)),
            GameUnion::GameEvent => {
                game_state().and(ObjectSchema::optional(&own.moves, "moves", MOVES))
            }
            GameUnion::Play => ObjectSchema::field::<u32>(
                "ply",
                "The number of the ply to play: the current `ply` of the game.",
            )
            .and(action()),
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
                .and(ObjectSchema::of(&PositionAnalysisJson::schema()))
                .with("actions", list(refer("WeighedAction"))),
            GameUnion::Review => tag()
                .and(ObjectSchema::of(&ReviewJson::schema()))
                .with("plies", list(refer("ReviewedPly"))),
            GameUnion::Position => tag()
                .and(ObjectSchema::of(&own.new))
                .and(ObjectSchema::of(&own.state)),
            GameUnion::Chosen => {
                let elapsed = "The computing time in milliseconds.";
                ObjectSchema::of(&EngineChoice::schema())
                    .and(action())
                    .and(ObjectSchema::field::<f64>("elapsed_ms", elapsed))
                    .with("lines", nullable(list(refer("ChosenLine"))))
            }
            GameUnion::Event => with_after(
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
                // Records may be uploaded without their end and checksum.
                GameUnion::Record => shape.closed_object(),
                _ => shape.into_response_schema().open_object(),
            };
            let name = union.of(&name);
            (union, NamedSchema { name, schema })
        });
        let others = others
            .into_iter()
            .chain([(named("After"), after.into_response_schema().open_object())]);
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

/// The description of the field `moves` of events.
const MOVES: &str = "The legal actions, always in the same order. Present only if the request had the token \
                     of the seat that is to move.";

fn examples(game: &str, new: &str, action: &str) -> [Value; 2] {
    let with = |name: &str, value: Value, fields: &str| {
        let mut fields: Value = serde_json::from_str(fields).expect("examples are valid JSON");
        fields[name] = value;
        fields
    };
    [
        with("game", game.into(), new),
        with("ply", 0.into(), action),
    ]
}

/// Converts `connect-4` to `Connect4`.
fn to_pascal_case(name: &str) -> String {
    let words = name.split('-').filter(|word| !word.is_empty());
    let words = words.map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    });
    words.collect()
}
