//! The boards of the cards that chats and other sites make of a link: a link that is handed on is looked
//! at by many within a minute.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use super::App;
use super::client::Client;
use super::error::HttpError;
use super::page_context::PageContext;
use super::png_renderer::PictureKey;
use crate::service::Snapshot;
use crate::templates::board_svg;

/// `GET /board.png`: the board of the start page.
pub(super) async fn start(State(app): State<App>, client: Client) -> Result<Response, HttpError> {
    let hero = app.service.games().game_types().find_map(|kind| kind.hero());
    let hero = hero.ok_or_else(HttpError::not_found)?;
    let draw = move || Some(board_svg(&*hero).into_string());
    let drawn = app.easel.drawn(PictureKey::Start, client.household(), draw);
    Ok(answer(drawn.await?))
}

/// The newest position of a game; private games have no card, for nobody may hand it on.
pub(super) async fn board(
    visitor: &PageContext,
    snapshot: &Snapshot,
) -> Result<Response, HttpError> {
    if snapshot.private {
        return Err(HttpError::not_found());
    }
    let (live, ply) = (snapshot.live.clone(), snapshot.live.ply());
    let subject = PictureKey::Card(snapshot.id.clone(), ply);
    let draw = move || live.pictures(&[ply]).pop();
    let (easel, household) = (&visitor.app.easel, visitor.browser.household);
    Ok(answer(easel.drawn(subject, household, draw).await?))
}

fn answer(png: Bytes) -> Response {
    let kind = HeaderValue::from_static("image/png");
    // A card may be a few moves behind.
    let fresh = HeaderValue::from_static("public, max-age=60");
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, fresh)];
    (headers, png).into_response()
}
