//! The OpenAPI document: the schemas of the API and of each game.
//!
//! Game-specific schemas are unions of one object per game, discriminated by the field `game` (`per_game`); error
//! responses are defined once (`problems`).

use std::collections::BTreeMap;

use utoipa::OpenApi;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{self, ContentBuilder, RefOr, Required, SecurityRequirement, Server};

use super::dto::{
    EntropyJson, JoinJson, OutcomeAnalysisJson, PaceName, PlayOnJson, PlayedOnJson, RematchJson,
    RematchName, ResignJson, SeatJson, SeatKindName, SitterName, StepJson, UndoJson,
};
use super::games::GamesJson;
use crate::engine::SolvedJson;
use crate::game_adapters::Registry;
use crate::game_adapters::engine::Ratings;
use crate::game_adapters::json::{
    DiceJson, EndingName, EntropyContributionJson, NamedSchema, RecordPlayerJson, RecordPlayerKind,
    TakebackJson,
};
use crate::game_adapters::level_ratings::{LevelJson, LevelsJson};
use crate::game_adapters::review::ReviewedPlayerJson;
use crate::web::images::FilmProgressJson;
use crate::web::programs::{NewProgramJson, ProgramJson};
use crate::web::review::ReviewProgressJson;

mod events;
mod object_schema;
mod per_game;
mod plain;
mod problems;
mod queries;

use object_schema::{ObjectSchema, one_of, one_of_by_game};
use per_game::{GameComponents, GameUnion};

/// The name of the bearer scheme.
const BEARER_SCHEME: &str = "seat";

/// The operations with an optional body.
const OPTIONAL_BODY: [&str; 2] = ["resign", "rematch"];

/// The components that occur only in responses.
const RESPONSE_COMPONENTS: [&str; 2] = ["Seat", "ReviewedPlayer"];

/// The operations with an optional token: lists of which some are public, and actions on a program's own seats.
const OPTIONAL_TOKEN: [&str; 5] = [
    "list_games",
    "get_records",
    "create_game",
    "join_game",
    "play_on",
];

/// What all games share.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Dice of Doom",
        version = "1",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
        description = "The API with which programs play, watch and analyse games. `create_game` returns a \
                       token for each of your seats, `get_moves` lists the legal actions, `play` plays one of \
                       them, and `get_game` with `wait` returns once the others have moved. Instead of \
                       polling, follow the events of a game with `follow_game`, or those of all games of a \
                       program with `follow_program`.\n\nA ply is an action of a player with its roll of the \
                       dice. The entries of a game are its plies, takebacks and added entropy texts, numbered \
                       together. Computers move by themselves after your ply, and the answer to a ply \
                       describes only that ply. If an answer was lost, send the same request with the same \
                       number again: it is played once. A win share is a player's part of one won game, 0 to \
                       1; players who tie have equal parts.\n\nPlayers, entries, hexes and cells count from \
                       0. An object that differs between games has one variant for each game, discriminated \
                       by the field `game`. Errors are problem documents (RFC 9457).\n\nScripts of other \
                       sites may read games, moves, records, events, levels and this document (CORS), without \
                       cookies."
    ),
    paths(
        super::create,
        super::games::show,
        super::games::records,
        super::get_game,
        super::moves,
        crate::web::hint::api,
        super::play,
        super::undo,
        super::entropy,
        super::resign,
        super::join,
        super::record,
        super::table_actions::step,
        super::table_actions::rematch,
        super::levels::levels,
        super::position_queries::rate,
        super::position_queries::choose,
        super::position_queries::solve,
        crate::web::review::get_review,
        crate::web::review::want,
        super::play_on::play_on,
        crate::web::upload::upload_record,
        crate::web::events::programs,
        crate::web::programs::create,
        crate::web::programs::follow,
        crate::web::programs::decline,
        crate::web::images::svg,
        crate::web::images::png,
        crate::web::images::gif
    ),
    components(schemas(
        SitterName,
        PaceName,
        EndingName,
        SeatKindName,
        SeatJson,
        ResignJson,
        StepJson,
        RematchJson,
        RematchName,
        LevelJson,
        LevelsJson,
        GamesJson,
        Ratings,
        SolvedJson,
        UndoJson,
        EntropyJson,
        DiceJson,
        RecordPlayerJson,
        RecordPlayerKind,
        JoinJson,
        PlayOnJson,
        PlayedOnJson,
        TakebackJson,
        EntropyContributionJson,
        ReviewedPlayerJson,
        ReviewProgressJson,
        FilmProgressJson,
        ProgramJson,
        NewProgramJson,
        OutcomeAnalysisJson
    ))
)]
struct ApiDocument;

/// The document for these games.
///
/// # Panics
/// If two different schemas have the same name.
#[must_use]
pub fn build(games: &Registry) -> openapi::OpenApi {
    let mut document = ApiDocument::openapi();
    document.servers = Some(vec![Server::new("/")]);
    let games: Vec<GameComponents> = games.game_types().map(GameComponents::new).collect();
    let components = document.components.get_or_insert_default();
    components.responses = problems::responses();
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some(
            "The token of a seat, from `create_game` or `join_game`, or the token of a program, from \
             `create_program`, which is valid for all its seats. Each is returned only once.",
        ));
    components.security_schemes = BTreeMap::from([(
        BEARER_SCHEME.to_owned(),
        SecurityScheme::Http(bearer.build()).into(),
    )]);
    let schemas = &mut components.schemas;
    for name in RESPONSE_COMPONENTS {
        let component = schemas.get_mut(name).expect("the component exists");
        *component = object_schema::as_response(component);
    }
    let games_page = schemas.get_mut("Games").expect("the component exists");
    let each = object_schema::list(object_schema::reference(GameUnion::Game.name()));
    *games_page = ObjectSchema::of(games_page)
        .with("games", each)
        .open_object();
    for (name, query) in queries::schemas() {
        insert(schemas, name.to_owned(), query);
    }
    insert(schemas, "Problem".to_owned(), problems::schema());
    for (name, schema) in events::schemas() {
        insert(schemas, name.to_owned(), schema);
    }
    for union in GameUnion::ALL {
        let members = games.iter().map(|game| (game.game, union.name_of(game)));
        let members: Vec<(&str, String)> = members.collect();
        let names: Vec<String> = games.iter().flat_map(|game| union.names_of(game)).collect();
        let mut any = one_of(names.iter().map(String::as_str), union.about());
        if union == GameUnion::Position
            && let RefOr::T(Schema::OneOf(any)) = &mut any
        {
            let notation = ObjectBuilder::new().schema_type(Type::String);
            any.items.push(Schema::from(notation).into());
        }
        if union.is_tagged() {
            one_of_by_game(&mut any, &members);
        }
        insert(schemas, union.name().to_owned(), any);
    }
    for game in &games {
        let own = game.own.iter().map(|(_, form)| form);
        for NamedSchema { name, schema } in own.chain(&game.parts).cloned() {
            insert(schemas, name, schema);
        }
    }
    plain::simplify(schemas);
    for (path, item) in &mut document.paths.paths {
        for (operation, is_safe) in [(&mut item.get, true), (&mut item.post, false)] {
            if let Some(operation) = operation {
                complete_operation(operation, path, is_safe);
                set_game_names(operation, &games);
                add_examples(operation, &games);
            }
        }
    }
    document
}

/// Adds a component.
fn insert(schemas: &mut BTreeMap<String, RefOr<Schema>>, name: String, schema: RefOr<Schema>) {
    let is_consistent = schemas.get(&name).is_none_or(|before| *before == schema);
    assert!(
        is_consistent,
        "two schemas are called {name} and say different things"
    );
    schemas.insert(name, schema);
}

/// Adds what all operations have in common.
fn complete_operation(operation: &mut Operation, path: &str, is_safe: bool) {
    // By default tags are Rust module paths, which mean nothing to readers.
    operation.tags = None;
    let is_needed = !operation
        .operation_id
        .as_deref()
        .is_some_and(|id| OPTIONAL_BODY.contains(&id));
    if let Some(RefOr::T(body)) = &mut operation.request_body {
        body.required = Some(if is_needed {
            Required::True
        } else {
            Required::False
        });
    }
    if operation.operation_id.as_deref() == Some("keep_record")
        && let Some(RefOr::T(body)) = &mut operation.request_body
    {
        let text = ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(
                "A game in notation, as `/g/{id}/record.txt` returns it.",
            ));
        let text = ContentBuilder::new().schema(Some(Schema::from(text)));
        body.content
            .insert("text/plain".to_owned(), text.build().into());
    }
    for parameter in operation.parameters.iter_mut().flatten() {
        if let RefOr::T(parameter) = parameter
            && parameter.parameter_in == ParameterIn::Path
            && parameter.description.is_none()
        {
            parameter.description = Some("The id of the game.".into());
        }
    }
    for response in operation.responses.responses.values_mut() {
        let RefOr::T(response) = response else {
            continue;
        };
        for (kind, content) in &mut response.content {
            if let RefOr::T(content) = content
                && ["image/png", "image/gif"].contains(&kind.as_str())
            {
                content.schema = Some(object_schema::bytes());
            }
        }
    }
    let bearer = SecurityRequirement::new(BEARER_SCHEME, Vec::<String>::new());
    let id = operation.operation_id.as_deref();
    let is_if_any = id.is_some_and(|id| OPTIONAL_TOKEN.contains(&id));
    operation.security = Some(
        if operation.responses.responses.contains_key("401") && !is_if_any {
            vec![bearer]
        } else if is_if_any || is_safe && path.starts_with("/api/v1/games/{id}") {
            // Viewers of a private game need the token of a seat.
            vec![SecurityRequirement::default(), bearer]
        } else {
            Vec::new()
        },
    );
    operation.extensions = id.and_then(events::events_of);
    problems::add_responses(operation, path, is_safe);
}

/// Restricts a parameter `game` to the names of the games.
fn set_game_names(operation: &mut Operation, games: &[GameComponents]) {
    for parameter in operation.parameters.iter_mut().flatten() {
        if let RefOr::T(parameter) = parameter
            && parameter.name == "game"
        {
            let name = ObjectBuilder::new().schema_type(Type::String);
            let name = name.enum_values(Some(games.iter().map(|game| game.game)));
            parameter.schema = Some(Schema::from(name).into());
        }
    }
}

/// Adds an example per game to the request body, which is a valid request.
fn add_examples(operation: &mut Operation, games: &[GameComponents]) {
    let example = match operation.operation_id.as_deref() {
        Some("create_game") => 0,
        Some("play") => 1,
        _ => return,
    };
    let Some(RefOr::T(body)) = &mut operation.request_body else {
        return;
    };
    for content in body.content.values_mut() {
        let RefOr::T(content) = content else { continue };
        for game in games {
            let value = game.examples[example].clone();
            let example = ExampleBuilder::new().value(Some(value)).build();
            content
                .examples
                .insert(game.game.to_owned(), example.into());
        }
    }
}
