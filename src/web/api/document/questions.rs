//! What the engine is asked over HTTP, with what this server allows.

use utoipa::PartialSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

use super::kinds::Union;
use super::shape::{self, Shape};
use crate::engine::{Choose, MOST_LINES, Rate};
use crate::web::api::questions::LIMITS;

/// The questions, by the names of the components.
pub(super) fn schemas() -> [(&'static str, RefOr<Schema>); 2] {
    let position = || shape::reference(Union::Position.name());
    let rate = Shape::of(&Rate::schema()).with("position", position());
    let rate = rate.about(format!(
        "A question about a position. A search of more than {} positions is refused.",
        LIMITS.nodes
    ));
    let most = i64::try_from(LIMITS.simulations).unwrap_or(i64::MAX);
    let choose = Shape::of(&Choose::schema())
        .without("info")
        .with("position", position())
        .with("budget_ms", shape::at_most(LIMITS.budget_ms.into()))
        .with("nodes", shape::at_most(most))
        .with("lines", shape::at_most(MOST_LINES))
        .with("seed", shape::seed(true))
        .about("A question about a position.");
    [("Rate", rate.closed()), ("Choose", choose.closed())]
}
