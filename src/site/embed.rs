//! A game in a frame on another site: the only page that may be framed.
//!
//! It has no controls, sets no cookie, and shows no seat as the reader's own, so that clickjacking achieves nothing.

use crate::site::shared::app::App;
use axum::Extension;
use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::game::request::{GameRequest, PlyQuery};
use super::game_view::GamePageInput;
use super::{game, game_view};
use crate::games::FormFields;
use crate::http::error::HttpError;
use crate::http::headers::Embeddable;
use crate::site::shared::limits::RouteLimits;
use crate::site::shared::page_cache::{PageInput, RenderContext};
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
    let game = game::preview_page(&visitor, &snapshot, &[], ply, &nothing);
    let page = visitor.request.respond(&EmbedPageInput { game })?;
    Ok((Extension(Embeddable), page).into_response())
}

#[derive(Hash)]
struct EmbedPageInput<'a> {
    game: GamePageInput<'a>,
}

impl PageInput for EmbedPageInput<'_> {
    type Error = HttpError;

    fn render(&self, context: &RenderContext<'_>) -> Result<String, HttpError> {
        let GamePageInput { snapshot, ply, .. } = self.game;
        let in_progress = !snapshot.live.is_over() && !snapshot.is_uploaded();
        let refresh = if ply.is_none() && in_progress {
            FrameRefresh::Newest
        } else {
            FrameRefresh::Never
        };
        let view = game_view::game_view(&self.game)?;
        let site = context.site(NavSection::Elsewhere);
        Ok(embed_page(&site, context.text(), &view, refresh).into_string())
    }
}
