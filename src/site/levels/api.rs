//! The levels of computer players.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;

use crate::formats::JsonFields;
use crate::games::level_ratings::LevelsJson;
use crate::http::cors::allow_any_origin;
use crate::http::error::HttpError;
use crate::site::shared::accept_language::accepted;
use crate::site::shared::app::App;
use crate::site::shared::form::Query;
use crate::site::shared::limits::RouteLimits;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new().route(
        "/api/v1/levels",
        limits.reading(allow_any_origin(get(levels))),
    )
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::site) struct LevelsQuery {
    game: Option<String>,
}

/// Lists the levels of computer players, weakest first.
async fn levels(
    State(app): State<App>,
    headers: HeaderMap,
    Query(query): Query<LevelsQuery>,
) -> Result<Json<LevelsJson>, HttpError> {
    let games = app.service.games();
    let kind = match &query.game {
        Some(name) => games
            .game_type(name)
            .map_err(|unknown| HttpError::unprocessable(unknown.to_string()))?,
        None => games.default_game(),
    };
    let setting = kind.configure(JsonFields::default());
    let setting = setting.map_err(|error| HttpError::unprocessable(error.to_string()))?;
    let text = games.translations(accepted(&headers));
    Ok(Json(LevelsJson::new(&*setting, text)))
}
