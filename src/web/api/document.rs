//! The OpenAPI document: what the API's own shapes say, and what each game adds.

use utoipa::openapi::schema::{AllOfBuilder, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::openapi::{self, Ref, RefOr};
use utoipa::{OpenApi, PartialSchema};

use super::shapes::{GameJson, JoinJson, NewTableJson, PaceName, PlayedJson, ResignJson, SeatJson};
use crate::faces::json::{EventJson, PlyJson, RecordJson};
use crate::faces::{Kind, Registry};

/// What all games share.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Dice of Doom",
        version = "1",
        description = "Play Dice of Doom by program. Computers move by themselves after your ply; \
                       the answer to a ply describes that ply alone. Errors are RFC 9457 problem \
                       documents."
    ),
    paths(
        super::create,
        super::look,
        super::moves,
        super::play,
        super::resign,
        super::join,
        super::record,
        crate::web::events::events
    ),
    components(schemas(
        NewTableJson,
        PaceName,
        SeatJson,
        GameJson,
        PlayedJson,
        RecordJson,
        ResignJson,
        JoinJson,
        PlyJson,
        EventJson
    ))
)]
struct Shared;

/// The document for these games.
#[must_use]
pub fn of(games: &Registry) -> openapi::OpenApi {
    let mut document = Shared::openapi();
    let components = document.components.get_or_insert_default();
    let schemas = &mut components.schemas;
    let (mut new, mut play, mut moves) = (
        OneOfBuilder::new(),
        OneOfBuilder::new(),
        OneOfBuilder::new(),
    );
    for kind in games.kinds() {
        let own = kind.schemas();
        new = new.item(
            AllOfBuilder::new()
                .item(named(kind))
                .item(reference(&own.new.name))
                .item(Ref::from_schema_name("NewTableJson")),
        );
        play = play.item(
            AllOfBuilder::new()
                .item(ply())
                .item(reference(&own.action.name)),
        );
        moves = moves.item(reference(&own.moves.name));
        for schema in own.all() {
            let before = schemas.insert(schema.name.clone(), schema.schema);
            assert!(before.is_none(), "two schemas are called {}", schema.name);
        }
    }
    let described = |schema: OneOfBuilder, words: &str| -> RefOr<Schema> {
        Schema::from(schema.description(Some(words)).build()).into()
    };
    let words = "A game to set up; all but `game` have defaults.";
    schemas.insert("NewGameJson".to_owned(), described(new, words));
    let words = "A ply to play: its number, and the action as its game writes it.";
    schemas.insert("PlayJson".to_owned(), described(play, words));
    let words = "The legal actions of any game, in the book's order.";
    schemas.insert("MovesJson".to_owned(), described(moves, words));
    document
}

fn reference(name: &str) -> Ref {
    Ref::from_schema_name(name)
}

/// The field that says which game it is.
fn named(kind: &dyn Kind) -> ObjectBuilder {
    let name = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some([kind.name()]));
    ObjectBuilder::new().property("game", name).required("game")
}

/// The field that says which ply it is.
fn ply() -> ObjectBuilder {
    ObjectBuilder::new()
        .property("ply", u32::schema())
        .required("ply")
}
