//! Games that begin from others, for programs.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::response::Response;

use super::shapes::{GameJson, PlayOnJson};
use super::{sitters, told};
use crate::service::{Creator, PlayOn};
use crate::web::App;
use crate::web::client::Client;
use crate::web::error::Failure;
use crate::web::identity::Browser;

/// Sets up a game that goes on from a position of this one, with dice of its own. This one stays as it is.
#[utoipa::path(
    post, path = "/api/v1/games/{id}/play-on", params(("id" = String, Path)), request_body = PlayOnJson,
    responses(
        (status = 201, body = GameJson), (status = 400), (status = 404), (status = 409),
        (status = 415), (status = 422), (status = 429)
    )
)]
pub(in crate::web) async fn play_on(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: Browser,
    client: Client,
    body: Result<Json<PlayOnJson>, JsonRejection>,
) -> Result<Response, Failure> {
    let Json(body) = body?;
    let claim = browser.looks();
    let id = &app.seen(&id, &claim).await?.id;
    let order = PlayOn {
        ply: body.ply,
        sitters: body.seats.as_deref().map(sitters).transpose()?,
        creator: Creator::Program,
        household: Some(client.household()),
    };
    told(&app.service.play_on(id, &claim, order).await?)
}
