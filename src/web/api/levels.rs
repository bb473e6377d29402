//! The levels of computer players.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::game_adapters::JsonFields;
use crate::game_adapters::level_ratings::ratings_for;
use crate::level::Level;
use crate::templates::levels::level_about;
use crate::web::App;
use crate::web::accept_language::accepted;
use crate::web::error::HttpError;

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
    /// What it does in a game with the usual numbers, in the language that was asked for.
    description: String,
    /// Its rating there, where it was measured: 400 points more are odds of ten to one between two.
    #[serde(skip_serializing_if = "Option::is_none")]
    rating: Option<f64>,
    /// The share of the games that one of it wins there against `book` in all other seats, 0 to 1, where it
    /// was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    book: Option<f64>,
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
) -> Result<Json<LevelsJson>, HttpError> {
    let Query(query) = query?;
    let games = app.service.games();
    let kind = match &query.game {
        Some(name) => games
            .game_type(name)
            .map_err(|unknown| HttpError::unprocessable(unknown.to_string()))?,
        None => games.default_game(),
    };
    let setting = kind.configure(JsonFields::default());
    let setting = setting.map_err(|error| HttpError::unprocessable(error.to_string()))?;
    let ratings = ratings_for(&*setting);
    let text = games.translations(accepted(&headers));
    let levels = Level::ALL.map(|level| {
        let rating = ratings.and_then(|ratings| ratings.level_rating(level));
        LevelJson {
            name: level.name(),
            description: level_about(text, setting.level_variant_name(), level.name()),
            rating: rating
                .and_then(|rating| rating.rating)
                .map(|estimate| estimate.mean),
            book: rating
                .and_then(|rating| rating.book)
                .map(|estimate| estimate.mean),
        }
    });
    Ok(Json(LevelsJson {
        levels: levels.into(),
    }))
}
