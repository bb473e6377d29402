//! A game in a frame on another site: the only page that may be framed.
//!
//! It has no controls, sets no cookie, and shows no seat as the reader's own, so that clickjacking achieves nothing.

use crate::site::shared::app::App;
use axum::Extension;
use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::game::request::{GameRequest, PlyQuery};
use super::{game, game_view};
use crate::games::FormFields;
use crate::http::error::HttpError;
use crate::http::headers::Embeddable;
use crate::site::shared::limits::RouteLimits;
use crate::templates::embed::FrameRefresh;
use crate::templates::embed_page;
use crate::templates::page::NavSection;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new().route("/g/{id}/embed", limits.reading(get(show)))
}

/// `GET /g/{id}/embed`: the position at `ply`, or the newest one, which is refreshed while the game is in progress.
async fn show(
    GameRequest(visitor, snapshot, query): GameRequest<PlyQuery>,
) -> Result<Response, HttpError> {
    let ply = query.resolve(&snapshot)?;
    let nothing = FormFields::default();
    let input = game::preview_page(&visitor, &snapshot, &[], ply, &nothing);
    let view = game_view::game_view(&input)?;
    let in_progress = !snapshot.live.is_over() && !snapshot.is_uploaded();
    let refresh = if ply.is_none() && in_progress {
        FrameRefresh::Newest
    } else {
        FrameRefresh::Never
    };
    let site = visitor.app.site(NavSection::Elsewhere, visitor.display);
    let page = embed_page(&site, visitor.app.text(&visitor.display), &view, refresh);
    Ok((Extension(Embeddable), page).into_response())
}
