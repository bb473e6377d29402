//! Images and animated GIFs of games, and the page of a GIF.
//!
//! The rendering of a ply never changes, so images of a ply and GIFs of a range can be cached forever. Images of a game
//! are visible to everyone who may view the game.

use axum::Router;
use axum::routing::get;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

mod films;
mod social_card;

use films::PlyRange;

use super::game::context::PageContext;
use super::game::request::{GameRequest, PlyQuery, ply_of};
use super::png_renderer::PictureKey;
use super::png_renderer::PngRenderer;
use super::shared::app::App;
use crate::http::error::HttpError;
use crate::site::shared::limits::RouteLimits;
use crate::tables::{JobProgress, JobStatus, Snapshot};
use crate::templates::film::FilmPageView;
use crate::templates::film_page;
use crate::templates::page::NavSection;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/g/{id}/film", limits.moving(get(film_of)))
        .route("/g/{id}/game.gif", limits.moving(get(gif)))
        .route("/g/{id}/board.svg", limits.reading(get(svg)))
        .route("/g/{id}/board.png", limits.reading(get(png)))
        .merge(social_card::routes(limits))
}

/// How long a response waits for a GIF.
const FILM_TIMEOUT: Duration = Duration::from_secs(1);

/// The content type and the caching policy.
fn headers(
    content_type: &'static str,
    snapshot: &Snapshot,
    changes: bool,
) -> [(header::HeaderName, HeaderValue); 2] {
    let policy = match (changes, snapshot.private) {
        (true, _) => "no-cache",
        (false, true) => "private, max-age=31536000, immutable",
        (false, false) => "public, max-age=31536000, immutable",
    };
    let [content_type, policy] = [content_type, policy].map(HeaderValue::from_static);
    [
        (header::CONTENT_TYPE, content_type),
        (header::CACHE_CONTROL, policy),
    ]
}

/// Returns the board as an SVG picture.
async fn svg(
    GameRequest(_, snapshot, query): GameRequest<PlyQuery>,
) -> Result<Response, HttpError> {
    let requested = query.resolve(&snapshot)?;
    let ply = requested.unwrap_or(snapshot.live.entry_count());
    let picture = snapshot.live.board_svgs(&[ply]).pop();
    let picture = picture.ok_or_else(HttpError::no_ply)?;
    let headers = headers("image/svg+xml", &snapshot, requested.is_none());
    Ok((headers, picture).into_response())
}

/// Returns the board as a PNG picture.
///
/// With `ply` the longer side has 1200 pixels. Without it the picture has 1200 × 630 pixels, and the game must be
/// public.
async fn png(
    GameRequest(visitor, snapshot, query): GameRequest<PlyQuery>,
) -> Result<Response, HttpError> {
    let Some(ply) = query.resolve(&snapshot)? else {
        return social_card::board(&visitor, &snapshot).await;
    };
    let live = snapshot.live.clone();
    let draw = move || live.board_svgs(&[ply]).pop();
    let subject = PictureKey::Ply(snapshot.id.clone(), ply);
    let client_network = visitor.browser.client_network;
    let image = visitor
        .app
        .state::<PngRenderer>()
        .get_or_render(subject, client_network, draw)
        .await?;
    Ok((headers("image/png", &snapshot, false), image).into_response())
}

#[derive(Deserialize)]
pub(super) struct FilmQuery {
    from: Option<String>,
    to: Option<String>,
}

impl FilmQuery {
    /// From the deal to the newest position by default.
    fn range(&self, snapshot: &Snapshot) -> Result<PlyRange, HttpError> {
        let read = |text: &Option<String>, default: u32| match text {
            Some(text) => ply_of(text, snapshot),
            None => Ok(default),
        };
        let from = read(&self.from, 0)?;
        let to = read(&self.to, snapshot.live.entry_count())?;
        if from > to {
            return Err(HttpError::no_ply());
        }
        Ok(PlyRange { from, to })
    }
}

/// The progress of rendering a film.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct FilmProgressJson {
    /// The number of frames rendered so far.
    done: u32,
    /// The total number of frames.
    of: u32,
}

/// Returns the game as a film (GIF).
///
/// The film is rendered in the background after the first request; the answer is 202 until it is ready. If there are
/// more than 240 positions, some are skipped.
async fn gif(
    GameRequest(visitor, snapshot, query): GameRequest<FilmQuery>,
) -> Result<Response, HttpError> {
    let range = query.range(&snapshot)?;
    Ok(match film(&visitor, &snapshot, range).await? {
        JobStatus::Ready(film) => {
            let headers = headers("image/gif", &snapshot, query.to.is_none());
            (headers, Bytes::from_owner(film)).into_response()
        }
        JobStatus::InProgress(JobProgress { done, of }) => {
            let retry_after = [(header::RETRY_AFTER, HeaderValue::from_static("2"))];
            let progress = Json(FilmProgressJson { done, of });
            (StatusCode::ACCEPTED, retry_after, progress).into_response()
        }
    })
}

async fn film(
    visitor: &PageContext,
    snapshot: &Snapshot,
    range: PlyRange,
) -> Result<JobStatus<Arc<[u8]>>, HttpError> {
    let (app, credentials) = (&visitor.app, visitor.credentials());
    let film = films::film(app, snapshot, range, &credentials, FILM_TIMEOUT);
    Ok(film.await?)
}

/// `GET /g/{id}/film`
async fn film_of(
    GameRequest(visitor, snapshot, query): GameRequest<FilmQuery>,
) -> Result<Response, HttpError> {
    let range = query.range(&snapshot)?;
    let progress = match film(&visitor, &snapshot, range).await? {
        JobStatus::Ready(_) => None,
        JobStatus::InProgress(JobProgress { done, of }) => Some((done, of)),
    };
    let (origin, reach) = visitor
        .browser
        .link_origin
        .link_base(&visitor.browser.origin);
    let page = FilmPageView {
        id: snapshot.id.to_string(),
        from: range.from,
        to: range.to,
        newest: snapshot.live.entry_count(),
        progress,
        origin,
        reach,
    };
    let site = visitor.app.site(NavSection::Play, visitor.display);
    let page = film_page(&site, visitor.app.text(&visitor.display), &page);
    Ok(([(header::CACHE_CONTROL, "no-store")], page).into_response())
}
