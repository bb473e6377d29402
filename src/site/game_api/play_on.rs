//! Games that continue from a position of another game, for programs.

use axum::Router;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::post;

use super::{created_response, requested_seats};
use crate::http::client::Client;
use crate::http::error::HttpError;
use crate::site::api::dto::PlayOnJson;
use crate::site::api::extract::JsonBody;
use crate::site::play_on::{self, PlayOnRequest};
use crate::site::shared::app::App;
use crate::site::shared::identity::BrowserSession;
use crate::site::shared::limits::RouteLimits;
use crate::tables::GameCreator;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new().route("/api/v1/games/{id}/play-on", limits.creating(post(play_on)))
}

/// Creates a game from a position of this game.
///
/// The new game has dice of its own. This game does not change.
async fn play_on(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: BrowserSession,
    client: Client,
    JsonBody(body): JsonBody<PlayOnJson>,
) -> Result<Response, HttpError> {
    let credentials = browser.read_credentials();
    let id = &app.viewable_game(&id, &credentials).await?.id;
    let request = PlayOnRequest {
        ply: body.ply,
        seat_specs: body.seats.as_deref().map(requested_seats).transpose()?,
        creator: GameCreator::Program,
        client_network: Some(client.client_network()),
    };
    let created = play_on::play_on(&app.service, id, &credentials, request);
    created_response(&app, &created.await?)
}
