//! What a game says of its JSON in the OpenAPI document.
//!
//! Objects that belong to the platform and to a game at once are put together where the document is
//! made; here stand the game's parts of them.

use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

use super::JsonAdapter;

/// A part of the OpenAPI document.
#[derive(Clone)]
pub struct NamedSchema {
    /// Its name among the components.
    pub name: String,
    /// What it says.
    pub schema: RefOr<Schema>,
}

/// Requests that are answered as asked, as JSON.
#[derive(Clone, Copy, Debug)]
pub struct RequestExample {
    /// The fields of a new game for people alone.
    pub new: &'static str,
    /// An action that is legal in that game's first position, as fields of a ply.
    pub action: &'static str,
}

/// What a game adds to the OpenAPI document.
#[derive(Clone)]
pub struct GameSchemas {
    /// The fields with which it is set up.
    pub new: RefOr<Schema>,
    /// The fields of its parameters, all of them there.
    pub parameters: RefOr<Schema>,
    /// What a board is like whatever stands on it, as fields of a game.
    pub layout: RefOr<Schema>,
    /// A position.
    pub state: RefOr<Schema>,
    /// Another way to write a position.
    pub other_state: Option<RefOr<Schema>>,
    /// An action, as fields of a ply.
    pub action: RefOr<Schema>,
    /// The faces of a roll.
    pub roll: RefOr<Schema>,
    /// What it takes to show a ply, as fields of an event.
    pub event: RefOr<Schema>,
    /// Everything that can be done at a position.
    pub moves: RefOr<Schema>,
    /// What these name.
    pub parts: Vec<NamedSchema>,
    /// Requests that are answered as asked.
    pub example: RequestExample,
}

impl GameSchemas {
    /// The schemas of a game.
    #[must_use]
    pub(in crate::game_adapters) fn of<G: JsonAdapter>() -> Self {
        let mut parts = Vec::new();
        GameSchemas {
            new: described::<G::New>(&mut parts),
            parameters: described::<G::ParametersJson>(&mut parts),
            layout: described::<G::LayoutJson>(&mut parts),
            state: described::<G::StateJson>(&mut parts),
            other_state: G::alternative_state_schema(),
            action: described::<G::ActionJson>(&mut parts),
            roll: described::<G::RollJson>(&mut parts),
            event: described::<G::EventJson>(&mut parts),
            moves: described::<G::MovesJson>(&mut parts),
            parts,
            example: G::EXAMPLE,
        }
    }
}

/// The schema of a type. What it names is put among the parts, once.
fn described<T: ToSchema>(parts: &mut Vec<NamedSchema>) -> RefOr<Schema> {
    let mut named = Vec::new();
    T::schemas(&mut named);
    for (name, schema) in named {
        if parts.iter().all(|part| part.name != name) {
            parts.push(NamedSchema { name, schema });
        }
    }
    T::schema()
}
