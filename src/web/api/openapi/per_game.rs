//! The tagged types of one game: each is one object, of the platform's fields and the game's own.

use serde_json::Value;
use utoipa::PartialSchema;

use super::object_schema::{self, Shape, is_null, list, nullable, reference};
use crate::game_adapters::engine::{Chosen, ChosenLine};
use crate::game_adapters::json::{
    AfterJson, ContributionJson, EventJson, NamedSchema, PlyJson, RecordJson, TakebackJson,
};
use crate::game_adapters::review::{ReviewJson, ReviewedPlyJson};
use crate::game_adapters::{Fields, Kind};
use crate::web::api::dto::{GameJson, NewTableJson, PlayedJson, WeighedActionJson, WeighingJson};

/// A type that each game has in its own form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Union {
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

impl Union {
    pub(super) const ALL: [Union; 13] = [
        Union::NewGame,
        Union::Game,
        Union::Play,
        Union::Played,
        Union::Moves,
        Union::Record,
        Union::Weighing,
        Union::Review,
        Union::Event,
        Union::Position,
        Union::Chosen,
        Union::GameEvent,
        Union::OwnGame,
    ];

    /// Its name among the components.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Union::NewGame => "NewGame",
            Union::Game => "Game",
            Union::Play => "Play",
            Union::Played => "Played",
            Union::Moves => "Moves",
            Union::Record => "Record",
            Union::Weighing => "Weighing",
            Union::Review => "Review",
            Union::Event => "Event",
            Union::Position => "Position",
            Union::Chosen => "Chosen",
            Union::GameEvent => "GameEvent",
            Union::OwnGame => "OwnGame",
        }
    }

    /// The name of a game's own form of it.
    fn of(self, game: &str) -> String {
        match self {
            Union::NewGame => format!("New{game}Game"),
            other => format!("{game}{}", other.name()),
        }
    }

    /// The names of all that this game has of it.
    pub(super) fn names_of(self, game: &OfGame) -> Vec<String> {
        let mut names = vec![self.name_of(game)];
        if self == Union::Event {
            let others = ["TakebackEvent", "ContributionEvent"];
            names.extend(others.map(|other| camel(game.game) + other));
        }
        if self == Union::Position {
            names.extend(game.other_position.clone());
        }
        names
    }

    /// The name of this game's own form of it.
    pub(super) fn name_of(self, game: &OfGame) -> String {
        self.of(&camel(game.game))
    }

    /// What it is for.
    pub(super) const fn about(self) -> &'static str {
        match self {
            Union::NewGame => "A game to set up; all but `game` have defaults.",
            Union::Game => "A game as it stands after one of its entries.",
            Union::Play => {
                "A ply to play: its number, and the action as its game writes it. The fields of the \
                 action tell which game it is."
            }
            Union::Played => "What came of an entry, whatever followed since.",
            Union::Moves => "The legal actions of a position, in the book's order.",
            Union::Record => "A whole game, as it is downloaded and as it can be brought back.",
            Union::Weighing => "What every legal action of a position is worth.",
            Union::Review => "A reviewed game.",
            Union::Event => {
                "`event: ply`: an entry as programs hear it that follow a game, and how the game stands \
                 after it."
            }
            Union::GameEvent => {
                "`event: game`: a game as it stands; the first event of a stream, and another one when who \
                 sits where has changed."
            }
            Union::OwnGame => {
                "`event: invitation`, `gameStart`, `turn`, `gameFinish`: a game in which the program sits, or \
                 is asked to."
            }
            Union::Position => {
                "A position with its game. What it leaves out of the game's numbers is as usual; a text is in \
                 the game's notation."
            }
            Union::Chosen => "What a level chose; the action is written as its game writes it.",
        }
    }

    /// Whether a field `game` tells whose form it is; the others are told by the fields they have.
    pub(super) fn is_tagged(self) -> bool {
        !matches!(
            self,
            Union::Play | Union::Event | Union::Position | Union::Chosen
        )
    }
}

/// What one game brings into the document.
pub(super) struct OfGame {
    /// The game's name in requests and answers.
    pub(super) game: &'static str,
    /// Its own form of each union, by the name of the component.
    pub(super) own: Vec<(Union, NamedSchema)>,
    /// What these name.
    pub(super) parts: Vec<NamedSchema>,
    /// The name of the component that describes the other way to write a position, where there is one.
    pub(super) other_position: Option<String>,
    /// A new game, and a ply that is legal as its first one.
    pub(super) examples: [Value; 2],
}

impl OfGame {
    /// The types of a game.
    pub(super) fn new(kind: &dyn Kind) -> Self {
        let own = kind.schemas();
        let name = camel(kind.name());
        let named = |part: &str| format!("{name}{part}");
        let refer = |part: &str| reference(&named(part));
        // Nothing of an action may be left out: a field without a value is null.
        let action = || Shape::of(&own.action).answered();
        let roll = match is_null(&own.roll) {
            true => object_schema::null(),
            false => nullable(refer("Roll")),
        };
        let ply = Shape::of(&PlyJson::<Fields>::schema())
            .and(action())
            .with("roll", roll.clone());
        let entries = [&named("Ply"), "Takeback", "Contribution"];
        let mut parts = vec![
            (named("State"), Shape::of(&own.state).closed()),
            (named("Action"), action().about("An action.").closed()),
            (named("Ply"), ply.clone().answered().closed()),
            (
                named("Entry"),
                object_schema::one_of(
                    entries,
                    "One entry of a record: a ply, a takeback, or words for the dice.",
                ),
            ),
            (
                named("WeighedAction"),
                Shape::of(&WeighedActionJson::schema())
                    .and(action())
                    .answered()
                    .open(),
            ),
            (
                named("ReviewedPly"),
                Shape::of(&ReviewedPlyJson::schema())
                    .with("played", nullable(refer("Action")))
                    .with("better", nullable(refer("Action")))
                    .answered()
                    .open(),
            ),
        ];
        if !is_null(&own.roll) {
            parts.push((named("Roll"), own.roll.clone()));
        }
        parts.push((
            named("ChosenLine"),
            Shape::of(&ChosenLine::schema()).and(action()).open(),
        ));
        let also = own.other_state.as_ref().map(|other| {
            let also = Shape::tag(kind.name()).and(Shape::of(&own.new));
            let also = also.and(Shape::of(other)).about(Union::Position.about());
            (named("OtherPosition"), also.closed())
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
            schema: object_schema::answered(&part.schema),
        });
        let parts = parts.chain(extra);
        let tag = || Shape::tag(kind.name());
        let parameters = || tag().and(Shape::of(&own.parameters));
        let after = Shape::of(&AfterJson::schema())
            .with("state", refer("State"))
            .and(Shape::optional(&own.moves, "moves", MOVES));
        let told = |shape: Shape| shape.and(Shape::refer("after", &named("After")));
        let whole = || {
            parameters()
                .and(Shape::of(&own.layout))
                .and(Shape::of(&GameJson::schema()))
                .with("state", refer("State"))
                .with("last", nullable(refer("Entry")))
        };
        let others = [
            ("TakebackEvent", TakebackJson::schema()),
            ("ContributionEvent", ContributionJson::schema()),
        ];
        let others = others.map(|(name, entry)| {
            let over = "Whether the game is over: never with this entry.";
            let shape = tag().and(Shape::of(&entry));
            let shape = told(shape.and(Shape::field::<bool>("over", over)));
            let shape = shape.about(Union::Event.about());
            (named(name), shape.answered().open())
        });
        let form = |union: Union| match union {
            Union::NewGame => tag()
                .and(Shape::of(&own.new))
                .and(Shape::of(&NewTableJson::schema()))
                .with("start", nullable(refer("State")))
                .with("seed", object_schema::seed(true)),
            Union::Game => whole(),
            Union::OwnGame => whole()
                .and(Shape::field::<Vec<u8>>(
                    "yours",
                    "The players that the program plays, or is asked to.",
                ))
                .and(Shape::optional(&own.moves, "moves", MOVES)),
            Union::GameEvent => whole().and(Shape::optional(&own.moves, "moves", MOVES)),
            Union::Play => {
                Shape::field::<u32>("ply", "The number of the ply, counted from 0.").and(action())
            }
            Union::Played => tag()
                .and(Shape::of(&PlayedJson::schema()))
                .with("state", refer("State"))
                .with("roll", roll.clone()),
            Union::Moves => tag().and(Shape::of(&own.moves)),
            Union::Record => parameters()
                .and(Shape::of(&RecordJson::schema()))
                .with("start", refer("State"))
                .with("seed", object_schema::seed(false))
                .with("plies", list(refer("Entry"))),
            Union::Weighing => tag()
                .and(Shape::of(&WeighingJson::schema()))
                .with("actions", list(refer("WeighedAction"))),
            Union::Review => tag()
                .and(Shape::of(&ReviewJson::schema()))
                .with("plies", list(refer("ReviewedPly"))),
            Union::Position => tag().and(Shape::of(&own.new)).and(Shape::of(&own.state)),
            Union::Chosen => {
                let elapsed = "How long it thought, in milliseconds.";
                Shape::of(&Chosen::schema())
                    .and(action())
                    .and(Shape::field::<f64>("elapsed_ms", elapsed))
                    .with("lines", nullable(list(refer("ChosenLine"))))
            }
            Union::Event => told(
                tag()
                    .and(ply.clone())
                    .and(Shape::of(&own.event))
                    .and(Shape::of(&EventJson::<Fields>::schema())),
            ),
        };
        let forms = Union::ALL.map(|union| {
            let shape = form(union).about(union.about());
            let schema = match union {
                Union::NewGame | Union::Play | Union::Position => shape.closed(),
                Union::Chosen => shape.open(),
                // A record may be brought without its end and its seal.
                Union::Record => shape.closed(),
                _ => shape.answered().open(),
            };
            let name = union.of(&name);
            (union, NamedSchema { name, schema })
        });
        let others = others
            .into_iter()
            .chain([(named("After"), after.answered().open())]);
        let others = others.map(|(name, schema)| NamedSchema { name, schema });
        OfGame {
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
