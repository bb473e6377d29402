//! The schemas of stream events other than the games' entries.

use serde_json::{Value, json};
use utoipa::PartialSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::schema::{ObjectBuilder, Schema};

use super::object_schema::{ObjectSchema, one_of};
use crate::game_adapters::json::EndingName;

/// The events of a game's stream, and the component of their `data`.
const OF_GAME: [(&str, &str); 8] = [
    ("game", "GameEvent"),
    ("ply", "Event"),
    ("over", "OverEvent"),
    ("watchers", "WatchersEvent"),
    ("seats", "SeatsEvent"),
    ("rematch", "RematchEvent"),
    ("ping", "PingEvent"),
    ("bye", "ByeEvent"),
];

/// The events of a program's stream.
const OF_PROGRAM: [(&str, &str); 8] = [
    ("program", "Program"),
    ("invitation", "OwnGame"),
    ("gameStart", "OwnGame"),
    ("turn", "OwnGame"),
    ("gameFinish", "OwnGame"),
    ("withdrawn", "WithdrawnEvent"),
    ("ping", "PingEvent"),
    ("bye", "ByeEvent"),
];

/// The events that an operation streams: the schema of the `data` of each, by event name.
pub(super) fn events_of(operation: &str) -> Option<Extensions> {
    let events = match operation {
        "follow_game" => OF_GAME,
        "follow_program" => OF_PROGRAM,
        _ => return None,
    };
    let named = events.map(|(name, component)| {
        let schema = json!({"$ref": format!("#/components/schemas/{component}")});
        (name.to_owned(), schema)
    });
    let named = Value::Object(named.into_iter().collect());
    Some([("x-events", named)].into_iter().collect())
}

/// The distinct components of these events.
fn components(events: [(&'static str, &'static str); 8]) -> Vec<&'static str> {
    let mut components: Vec<_> = events.map(|(_, component)| component).into();
    components.dedup();
    components
}

/// The events that are the same for every game, and the unions of each stream's events.
pub(super) fn schemas() -> Vec<(&'static str, RefOr<Schema>)> {
    let number = ObjectSchema::field::<u32>;
    let ending = ObjectBuilder::new().property("ending", EndingName::schema());
    let ending = RefOr::T(Schema::Object(ending.required("ending").build()));
    let over = ObjectSchema::of(&ending)
        .and(ObjectSchema::field::<Vec<u8>>(
            "winners",
            "Who wins, in the book's order, counted from 0; empty after a draw.",
        ))
        .and(number("ply", "How many entries the game has."))
        .about("`event: over`: the game is over; once, after the last ply.");
    let watchers = number("count", "How many follow the game without a seat in it.")
        .about("`event: watchers`: first of all, and when the number changed.");
    let seats = number("revision", "How often the seats were changed.").about(
        "`event: seats`: who sits where has changed; also at the beginning, unless it never did.",
    );
    let rematch = ObjectSchema::field::<String>("id", "The new game.")
        .about("`event: rematch`: a finished game is played again.");
    let bye = ObjectSchema::default()
        .about("`event: bye`: the stream ends; come back after `retry` milliseconds.");
    let ping = number("next_ms", "The next one comes within so many milliseconds.")
        .about("`event: ping`: nothing happened for a while, and the connection is alive.");
    let withdrawn = ObjectSchema::field::<String>("id", "The game.")
        .about("`event: withdrawn`: the program has no seat in this game any more.");
    vec![
        ("WithdrawnEvent", withdrawn.closed_object()),
        (
            "ProgramEvent",
            one_of(
                components(OF_PROGRAM),
                "The `data` of an event of a program's stream.",
            ),
        ),
        ("OverEvent", over.open_object()),
        ("WatchersEvent", watchers.open_object()),
        ("SeatsEvent", seats.open_object()),
        ("RematchEvent", rematch.closed_object()),
        ("PingEvent", ping.closed_object()),
        ("ByeEvent", bye.closed_object()),
        (
            "StreamedEvent",
            one_of(
                components(OF_GAME),
                "The `data` of an event of a game's stream.",
            ),
        ),
    ]
}
