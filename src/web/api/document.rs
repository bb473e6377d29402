//! The OpenAPI document: what the API's own shapes say, and what each game adds.

use utoipa::openapi::schema::{AllOfBuilder, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::openapi::{self, Ref, RefOr, Required};
use utoipa::{OpenApi, PartialSchema};

use super::shapes::{
    EntropyJson, GameJson, JoinJson, NewTableJson, PaceName, PlayOnJson, PlayedJson, PlayedOnJson,
    ResignJson, SeatJson, UndoJson, WeighedActionJson, WeighedOutcomeJson, WeighingJson,
};
use crate::faces::json::{
    ContributionJson, DiceJson, EntryJson, EventJson, NamedSchema, PlyJson, RecordJson,
    TakebackJson,
};
use crate::faces::review::ReviewJson;
use crate::faces::{Kind, Registry};
use crate::web::pictures::FilmProgressJson;
use crate::web::review::ReviewProgressJson;

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
        crate::web::hint::api,
        super::play,
        super::undo,
        super::entropy,
        super::resign,
        super::join,
        super::record,
        crate::web::review::look,
        crate::web::review::want,
        super::records::play_on,
        crate::web::upload::keep,
        crate::web::events::events,
        crate::web::pictures::svg,
        crate::web::pictures::png,
        crate::web::pictures::gif
    ),
    components(schemas(
        NewTableJson,
        PaceName,
        SeatJson,
        GameJson,
        PlayedJson,
        RecordJson,
        ResignJson,
        UndoJson,
        EntropyJson,
        DiceJson,
        JoinJson,
        PlayOnJson,
        PlayedOnJson,
        EntryJson,
        PlyJson,
        TakebackJson,
        ContributionJson,
        EventJson,
        ReviewJson,
        ReviewProgressJson,
        FilmProgressJson,
        WeighingJson,
        WeighedActionJson,
        WeighedOutcomeJson
    ))
)]
struct Shared;

/// The document for these games.
///
/// # Panics
/// When a schema of a game has the name of one that says something else.
#[must_use]
pub fn of(games: &Registry) -> openapi::OpenApi {
    let mut document = Shared::openapi();
    let components = document.components.get_or_insert_default();
    let schemas = &mut components.schemas;
    let [mut new, mut play, mut action, mut shown, mut moves] =
        std::array::from_fn(|_| OneOfBuilder::new());
    for kind in games.kinds() {
        let own = kind.schemas();
        new = new.item(
            AllOfBuilder::new()
                .item(named(kind))
                .item(reference(&own.new.name))
                .item(reference("NewTableJson")),
        );
        play = play.item(
            AllOfBuilder::new()
                .item(ply())
                .item(reference(&own.action.name)),
        );
        action = action.item(reference(&own.action.name));
        shown = shown.item(own.event.schema.clone());
        moves = moves.item(reference(&own.moves.name));
        for NamedSchema { name, schema } in own.components() {
            let same = schemas.get(&name).is_none_or(|before| *before == schema);
            assert!(
                same,
                "two schemas are called {name} and say different things"
            );
            schemas.insert(name, schema);
        }
    }
    for (name, any, words) in [
        (
            "NewGameJson",
            new,
            "A game to set up; all but `game` have defaults.",
        ),
        (
            "PlayJson",
            play,
            "A ply to play: its number, and the action as its game writes it.",
        ),
        ("ActionJson", action, "An action, as its game writes it."),
        (
            "MovesJson",
            moves,
            "The legal actions of any game, in the book's order.",
        ),
    ] {
        let any = any.description(Some(words)).build();
        let before = schemas.insert(name.to_owned(), Schema::from(any).into());
        assert!(before.is_none(), "a schema of a game is called {name}");
    }
    for item in document.paths.paths.values_mut() {
        for operation in [&mut item.get, &mut item.post].into_iter().flatten() {
            // Where a handler stands in the sources says nothing to a reader.
            operation.tags = Some(Vec::new());
            if let Some(RefOr::T(body)) = &mut operation.request_body {
                body.required = Some(Required::True);
            }
        }
    }
    give(schemas.get_mut("PlyJson"), reference("ActionJson").into());
    give(
        schemas.get_mut("EventJson"),
        Schema::from(shown.build()).into(),
    );
    document
}

/// Puts what games write where the shared schema has fields of any game.
fn give(shared: Option<&mut RefOr<Schema>>, own: RefOr<Schema>) {
    let Some(RefOr::T(Schema::AllOf(parts))) = shared else {
        unreachable!("a struct with flattened fields is described as all of its parts");
    };
    let of_any_game = |part: &RefOr<Schema>| match part {
        RefOr::T(Schema::Object(object)) => object.properties.is_empty(),
        _ => false,
    };
    let place = parts.items.iter_mut().find(|part| of_any_game(part));
    *place.expect("the fields of a game are described as an object") = own;
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
