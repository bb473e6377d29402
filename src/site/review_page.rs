//! Reviews of finished games: the page, and the API.

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};

use super::game::context::PageContext;
use super::game::request::GameRequest;
use super::game_view;
use super::my_record;
use super::reviews::{self, ReviewStatus};
use super::shared::app::App;
use super::shared::identity::BrowserSession;
use crate::game::Player;
use crate::http::client::Client;
use crate::http::error::HttpError;
use crate::http::problem::ProblemKind;
use crate::seats::Credentials;
use crate::site::shared::limits::RouteLimits;
use crate::tables::{JobProgress, JobStatus, ServiceError, Snapshot};
use crate::templates::page::NavSection;
use crate::templates::review::{ReviewPageView, ReviewStageView};
use crate::templates::{decision_page, review_page};

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route(
            "/g/{id}/review",
            limits
                .reading(get(show))
                .merge(limits.creating(post(request_review))),
        )
        .route("/g/{id}/review/{ply}", limits.reading(get(show_decision)))
        .route(
            "/api/v1/games/{id}/review",
            limits
                .reading(get(get_review))
                .merge(limits.creating(post(want))),
        )
}

#[derive(Deserialize)]
pub(super) struct SideQuery {
    player: Option<u8>,
}

/// The side from which a review is shown: the requested one, else the reader's own, else the winner's.
fn side(snapshot: &Snapshot, own: &[Player], requested: Option<u8>) -> Result<Player, HttpError> {
    let live = &snapshot.live;
    if let Some(number) = requested {
        return Player::try_new(number, live.players())
            .ok_or_else(|| HttpError::unprocessable("the game has no such player"));
    }
    let winner = || live.winners().first().copied();
    Ok(own
        .first()
        .copied()
        .or_else(winner)
        .unwrap_or(Player::FIRST))
}

/// `GET /g/{id}/review`
async fn show(
    GameRequest(visitor, snapshot, query): GameRequest<SideQuery>,
) -> Result<Response, HttpError> {
    let own = snapshot.seats_of(&visitor.credentials());
    let viewer = side(&snapshot, &own, query.player)?;
    let unasked = || ReviewStageView::NotRequested {
        is_rolled: snapshot.live.separates_luck(),
    };
    let stage = match review_of(&visitor.app, &snapshot).await? {
        None => unasked(),
        Some(JobStatus::InProgress(JobProgress { done, of })) => {
            ReviewStageView::InProgress { done, of }
        }
        Some(JobStatus::Ready(review)) => match snapshot.live.review_page(&review, viewer) {
            Some(view) => ReviewStageView::Ready(Box::new(view)),
            // It is of another record, so it must be requested again.
            None => unasked(),
        },
    };
    let average = match &stage {
        ReviewStageView::Ready(_) if own.contains(&viewer) => {
            my_record::average_accuracy(&visitor).await?
        }
        _ => None,
    };
    let page = ReviewPageView {
        id: snapshot.id.to_string(),
        players: game_view::named_players(&snapshot, &own),
        stage,
        average,
        may_rematch: !own.is_empty(),
    };
    let site = visitor.app.site(NavSection::Play, visitor.display);
    let page = review_page(&site, visitor.app.text(&visitor.display), &page);
    Ok(([(header::CACHE_CONTROL, "no-store")], page).into_response())
}

/// `GET /g/{id}/review/{ply}`: the decision before which so many entries were recorded, if the review lists it.
async fn show_decision(
    Path((id, ply)): Path<(String, String)>,
    visitor: PageContext,
) -> Result<Response, HttpError> {
    let ply: u32 = ply.parse().map_err(|_| HttpError::no_ply())?;
    let credentials = visitor.browser.read_credentials();
    let snapshot = visitor.app.viewable_game(&id, &credentials).await?;
    let Some(JobStatus::Ready(review)) = review_of(&visitor.app, &snapshot).await? else {
        let review = format!("/g/{}/review", snapshot.id);
        return Ok(visitor.app.redirect(&review).into_response());
    };
    let decision = snapshot.live.decision_page(&review, ply);
    let decision = decision.ok_or_else(HttpError::no_ply)?;
    let own = snapshot.seats_of(&visitor.credentials());
    let players = game_view::named_players(&snapshot, &own);
    let page = decision_page(
        &visitor.app.site(NavSection::Play, visitor.display),
        visitor.app.text(&visitor.display),
        &snapshot.id.to_string(),
        &players,
        &decision,
    );
    Ok(([(header::CACHE_CONTROL, "no-store")], page).into_response())
}

/// The status of a game's review; `None` if nobody has requested it.
async fn review_of(app: &App, snapshot: &Snapshot) -> Result<Option<ReviewStatus>, HttpError> {
    match reviews::review_of(app, snapshot).await {
        Err(ServiceError::NotFound) => Err(no_review()),
        status => Ok(status?),
    }
}

/// The error for a game that cannot be reviewed.
fn not_reviewable(snapshot: &Snapshot) -> HttpError {
    if snapshot.live.is_over() {
        no_review()
    } else {
        let detail = "the game is not finished: it is reviewed when it is over";
        HttpError::new(ProblemKind::GameInProgress, detail).with("ply", snapshot.live.entry_count())
    }
}

fn no_review() -> HttpError {
    HttpError::new(
        ProblemKind::NotFound,
        "this game has no review, or it goes on",
    )
}

/// `POST /g/{id}/review`
async fn request_review(
    Path(id): Path<String>,
    visitor: PageContext,
) -> Result<Response, HttpError> {
    let credentials = visitor.credentials();
    let snapshot = visitor.app.viewable_game(&id, &credentials).await?;
    if snapshot.live.review_plan(None).is_none() {
        return Err(not_reviewable(&snapshot));
    }
    reviews::request_review(&visitor.app, &snapshot, &credentials).await?;
    Ok(visitor
        .app
        .redirect(&format!("/g/{}/review", snapshot.id))
        .into_response())
}

/// The progress of a review.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct ReviewProgressJson {
    /// The number of decisions evaluated so far.
    done: u32,
    /// The total number of decisions.
    of: u32,
}

fn review_response(snapshot: &Snapshot, status: ReviewStatus) -> Result<Response, HttpError> {
    match status {
        JobStatus::InProgress(JobProgress { done, of }) => {
            let progress = Json(ReviewProgressJson { done, of });
            Ok((StatusCode::ACCEPTED, progress).into_response())
        }
        JobStatus::Ready(review) => match snapshot.live.review_json(&review) {
            Some(json) => Ok(Json(json).into_response()),
            None => Err(not_requested()),
        },
    }
}

fn not_requested() -> HttpError {
    HttpError::new(
        ProblemKind::NotFound,
        "nobody has asked for a review of this game: post to ask",
    )
}

/// Returns the review of a finished game.
///
/// A review separates luck from decisions, and has the cost of each decision. The status is 202 while it is computed,
/// and 404 if nobody has requested it.
async fn get_review(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: BrowserSession,
) -> Result<Response, HttpError> {
    let snapshot = app.viewable_game(&id, &browser.read_credentials()).await?;
    let status = review_of(&app, &snapshot).await?;
    review_response(&snapshot, status.ok_or_else(not_requested)?)
}

/// Requests the review of a finished game.
///
/// The review is computed in the background, and everybody who may see the game can read it. A review by an earlier
/// version of the evaluation is computed again.
async fn want(
    State(app): State<App>,
    Path(id): Path<String>,
    (browser, client): (BrowserSession, Client),
) -> Result<Response, HttpError> {
    let snapshot = app.viewable_game(&id, &browser.read_credentials()).await?;
    if snapshot.live.review_plan(None).is_none() {
        return Err(not_reviewable(&snapshot));
    }
    let credentials = Credentials {
        client_network: Some(client.client_network()),
        ..browser.credentials()
    };
    let status = reviews::request_review(&app, &snapshot, &credentials).await?;
    review_response(&snapshot, status)
}
