//! Images for the social cards that chats and other sites make of a link: a link that is shared is fetched by many
//! within a minute.

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::http::client::Client;
use crate::http::error::HttpError;
use crate::site::game::context::PageContext;
use crate::site::png_renderer::PictureKey;
use crate::site::png_renderer::PngRenderer;
use crate::site::shared::app::App;
use crate::site::shared::limits::RouteLimits;
use crate::tables::Snapshot;
use crate::templates::board_svg;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new().route("/board.png", limits.reading(get(start_page_board)))
}

/// `GET /board.png`: the board of the start page.
async fn start_page_board(State(app): State<App>, client: Client) -> Result<Response, HttpError> {
    let hero = app
        .service
        .games()
        .game_types()
        .find_map(|kind| kind.hero_board());
    let hero = hero.ok_or_else(HttpError::not_found)?;
    let draw = move || Some(board_svg(&*hero).into_string());
    let renderer = app.state::<PngRenderer>();
    let image = renderer.get_or_render(PictureKey::Start, client.client_network(), draw);
    Ok(png_response(image.await?))
}

/// The newest position of a game; private games have no card, because they are not shared.
pub(super) async fn board(
    visitor: &PageContext,
    snapshot: &Snapshot,
) -> Result<Response, HttpError> {
    if snapshot.private {
        return Err(HttpError::not_found());
    }
    let (live, ply) = (snapshot.live.clone(), snapshot.live.entry_count());
    let subject = PictureKey::Card(snapshot.id.clone(), ply);
    let draw = move || live.board_svgs(&[ply]).pop();
    let renderer = visitor.app.state::<PngRenderer>();
    let client_network = visitor.browser.client_network;
    Ok(png_response(
        renderer
            .get_or_render(subject, client_network, draw)
            .await?,
    ))
}

fn png_response(png: Bytes) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "image/png"),
        // A card may be a few plies old.
        (header::CACHE_CONTROL, "public, max-age=60"),
    ];
    (headers, png).into_response()
}
