//! The boards of the cards that chats and other sites make of a link: a link that is handed on is looked
//! at by many within a minute.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use super::App;
use super::client::Client;
use super::error::Failure;
use super::page_context::Visitor;
use super::png_renderer::Subject;
use crate::service::Snapshot;
use crate::templates::board_svg;

/// `GET /board.png`: the board of the start page.
pub(super) async fn start(State(app): State<App>, client: Client) -> Result<Response, Failure> {
    let hero = app.service.games().kinds().find_map(|kind| kind.hero());
    let hero = hero.ok_or_else(Failure::not_found)?;
    let draw = move || Some(board_svg(&*hero).into_string());
    let drawn = app.easel.drawn(Subject::Start, client.household(), draw);
    Ok(answer(drawn.await?))
}

/// The newest position of a game; private games have no card, for nobody may hand it on.
pub(super) async fn board(visitor: &Visitor, snapshot: &Snapshot) -> Result<Response, Failure> {
    if snapshot.private {
        return Err(Failure::not_found());
    }
    let (live, ply) = (snapshot.live.clone(), snapshot.live.ply());
    let subject = Subject::Card(snapshot.id.clone(), ply);
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
