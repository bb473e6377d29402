//! The levels that computers play at.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::level::Level;
use crate::templates::levels::level_about;
use crate::web::App;
use crate::web::error::Failure;
use crate::web::language::accepted;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct LevelsQuery {
    game: Option<String>,
}

/// A level.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Level)]
pub(in crate::web) struct LevelJson {
    /// What a seat says to have it.
    name: &'static str,
    /// What it does, in the language that was asked for.
    description: String,
}

/// The levels, weakest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Levels)]
pub(in crate::web) struct LevelsJson {
    levels: Vec<LevelJson>,
}

/// The levels that computers play at, weakest first, each with what it does in one sentence.
#[utoipa::path(
    get, path = "/api/v1/levels", operation_id = "get_levels",
    params(("game" = Option<String>, Query, description = "In which game; without it in the one that is created by default")),
    responses((status = 200, body = LevelsJson, description = "The levels"), (status = 422))
)]
pub(in crate::web) async fn levels(
    State(app): State<App>,
    headers: HeaderMap,
    query: Result<Query<LevelsQuery>, QueryRejection>,
) -> Result<Json<LevelsJson>, Failure> {
    let Query(query) = query?;
    let games = app.service.games();
    let kind = match &query.game {
        Some(name) => games
            .kind(name)
            .map_err(|unknown| Failure::unprocessable(unknown.to_string()))?,
        None => games.first(),
    };
    let text = games.text(accepted(&headers));
    let levels = Level::ALL.map(|level| LevelJson {
        name: level.name(),
        description: level_about(text, kind.name(), level.name()),
    });
    Ok(Json(LevelsJson {
        levels: levels.into(),
    }))
}
