//! A game's part of the OpenAPI document.
//!
//! Objects with fields of both the platform and the game are assembled where the document is generated; this
//! module provides the game's parts.

use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

use super::JsonAdapter;

/// A named component of the OpenAPI document.
#[derive(Clone)]
pub struct NamedSchema {
    pub name: String,
    pub schema: RefOr<Schema>,
}

/// Example requests as JSON, which must be accepted as they are.
#[derive(Clone, Copy, Debug)]
pub struct RequestExample {
    /// The fields of a new game with human players only.
    pub new: &'static str,
    /// A legal action of that game's first position, as fields of a ply.
    pub action: &'static str,
}

/// A game's part of the OpenAPI document.
#[derive(Clone)]
pub struct GameSchemas {
    /// The fields that set up a game.
    pub new: RefOr<Schema>,
    /// The complete parameters.
    pub parameters: RefOr<Schema>,
    /// The constant part of a board, as fields of a game.
    pub layout: RefOr<Schema>,
    pub state: RefOr<Schema>,
    /// An alternative form of a position.
    pub alternative_state: Option<RefOr<Schema>>,
    pub action: RefOr<Schema>,
    pub roll: RefOr<Schema>,
    /// What is needed to animate a ply, as fields of an event.
    pub event: RefOr<Schema>,
    /// The legal actions at a position.
    pub moves: RefOr<Schema>,
    /// The components that the other schemas refer to.
    pub parts: Vec<NamedSchema>,
    pub example: RequestExample,
}

impl GameSchemas {
    #[must_use]
    pub(in crate::game_adapters) fn for_game<G: JsonAdapter>() -> Self {
        let mut parts = Vec::new();
        GameSchemas {
            new: schema_of::<G::New>(&mut parts),
            parameters: schema_of::<G::ParametersJson>(&mut parts),
            layout: schema_of::<G::LayoutJson>(&mut parts),
            state: schema_of::<G::StateJson>(&mut parts),
            alternative_state: G::alternative_state_schema(),
            action: schema_of::<G::ActionJson>(&mut parts),
            roll: schema_of::<G::RollJson>(&mut parts),
            event: schema_of::<G::EventJson>(&mut parts),
            moves: schema_of::<G::MovesJson>(&mut parts),
            parts,
            example: G::EXAMPLE,
        }
    }
}

/// The schema of a type. Components that it refers to are added to `parts`, each once.
fn schema_of<T: ToSchema>(parts: &mut Vec<NamedSchema>) -> RefOr<Schema> {
    let mut named = Vec::new();
    T::schemas(&mut named);
    for (name, schema) in named {
        if parts.iter().all(|part| part.name != name) {
            parts.push(NamedSchema { name, schema });
        }
    }
    T::schema()
}
