//! The schemas of engine queries over HTTP, with this server's limits.

use utoipa::PartialSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Schema, Type};

use super::object_schema::{self, ObjectSchema};
use super::per_game::GameUnion;
use crate::engine::{ChooseOp, MAX_LINES, RateOp, SolveOp};
use crate::web::api::position_queries::LIMITS;

/// The queries, by component name.
pub(super) fn schemas() -> [(&'static str, RefOr<Schema>); 3] {
    let position = || object_schema::reference(GameUnion::Position.name());
    let rate = ObjectSchema::of(&RateOp::schema()).with("position", position());
    let rate = rate.about(format!(
        "A position whose actions are to be rated. A search of more than {} positions is rejected.",
        LIMITS.nodes
    ));
    let max_simulations = i64::try_from(LIMITS.simulations).unwrap_or(i64::MAX);
    let choose = without(&ChooseOp::schema(), &ChooseOp::LINE_PROTOCOL_FIELDS)
        .with("position", position())
        .with("history", history())
        .with("budget_ms", object_schema::at_most(LIMITS.budget_ms.into()))
        .with("nodes", object_schema::at_most(max_simulations))
        .with("lines", object_schema::at_most(MAX_LINES))
        .with("seed", object_schema::seed(true))
        .about("A position at which a level chooses an action.");
    let max_nodes = i64::try_from(LIMITS.nodes).unwrap_or(i64::MAX);
    let solve = without(&SolveOp::schema(), &SolveOp::LINE_PROTOCOL_FIELDS)
        .with("position", position())
        .with("budget_ms", object_schema::at_most(LIMITS.budget_ms.into()))
        .with("nodes", object_schema::at_most(max_nodes))
        .about("A position to solve.");
    [
        ("Rate", rate.closed_object()),
        ("Choose", choose.closed_object()),
        ("Solve", solve.closed_object()),
    ]
}

/// The fields of an op, except these.
fn without(op: &RefOr<Schema>, names: &[&str]) -> ObjectSchema {
    let all = ObjectSchema::of(op);
    names.iter().fold(all, |fields, name| fields.without(name))
}

/// A record, a game in notation, or a list of decisions. Generators of clients cannot tell a union within a union apart,
/// so the record is any object.
fn history() -> RefOr<Schema> {
    let object = || ObjectBuilder::new().schema_type(Type::Object);
    let forms = OneOfBuilder::new()
        .item(object())
        .item(ObjectBuilder::new().schema_type(Type::String))
        .item(object_schema::list(RefOr::from(Schema::from(object()))))
        .item(object_schema::null());
    RefOr::from(Schema::from(forms))
}
