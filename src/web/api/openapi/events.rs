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
            "The winners, counted from 0; empty after a draw.",
        ))
        .and(number("ply", "The number of entries of the record."))
        .about("`event: over`: the game is over. Sent once, after the last ply.");
    let watchers = number(
        "count",
        "The number of watchers without a seat in the game.",
    )
    .about("`event: watchers`: the number of watchers. Sent first, and when the number changes.");
    let seats = number("revision", "The number of changes of the seats so far.").about(
        "`event: seats`: the seats have changed. Also sent at the start of the stream, if they have ever \
         changed.",
    );
    let rematch = ObjectSchema::field::<String>("id", "The id of the new game.")
        .about("`event: rematch`: a rematch was created. Also sent at the start of the stream, if there is one.");
    let bye = ObjectSchema::default().about(
        "`event: bye`: the server ends the stream. Connect again after `retry` milliseconds.",
    );
    let ping = number(
        "next_ms",
        "The next event is sent within this number of milliseconds.",
    )
    .about(
        "`event: ping`: keeps the connection alive. Sent if there was no other event for a while.",
    );
    let withdrawn = ObjectSchema::field::<String>("id", "The id of the game.").about(
        "`event: withdrawn`: the program has lost its seat, or its invitation was withdrawn.",
    );
    vec![
        ("WithdrawnEvent", withdrawn.closed_object()),
        (
            "ProgramEvent",
            one_of(
                components(OF_PROGRAM),
                "The `data` of an event in the stream of a program.",
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
                "The `data` of an event in the stream of a game.",
            ),
        ),
    ]
}
