//! Reviews of finished games: the page, and the same for programs.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::App;
use super::client::Client;
use super::error::Failure;
use super::identity::Browser;
use super::page_context::{Visitor, site};
use super::problem::Problem;
use super::view_models;
use crate::game::Player;
use crate::service::{Claim, ReviewProgress, ReviewStage, Snapshot};
use crate::templates::review::{ReviewPage, Stage};
use crate::templates::review_page;
use crate::templates::view::Section;

#[derive(Deserialize)]
pub(super) struct SideQuery {
    player: Option<u8>,
}

/// From whose side a review is shown: as it was asked for, else the reader's own, else the winner's.
fn side(snapshot: &Snapshot, own: &[Player], asked: Option<u8>) -> Result<Player, Failure> {
    let live = &snapshot.live;
    if let Some(number) = asked {
        return Player::checked(number, live.players())
            .ok_or_else(|| Failure::unprocessable("the game has no such player"));
    }
    let winner = || live.winners().first().copied();
    Ok(own
        .first()
        .copied()
        .or_else(winner)
        .unwrap_or(Player::FIRST))
}

/// `GET /g/{id}/review`
pub(super) async fn show(
    Path(id): Path<String>,
    visitor: Visitor,
    query: Result<Query<SideQuery>, QueryRejection>,
) -> Result<Response, Failure> {
    let Query(query) = query?;
    let snapshot = visitor.app.seen(&id, &visitor.browser.looks()).await?;
    let own = snapshot.seats_of(&visitor.claim());
    let viewer = side(&snapshot, &own, query.player)?;
    let unasked = || Stage::Unasked {
        is_rolled: snapshot.live.is_rolled(),
    };
    let stage = match visitor.app.service.review(&snapshot).await? {
        ReviewStage::Impossible => return Err(none_here()),
        ReviewStage::Unasked => unasked(),
        ReviewStage::UnderWay(ReviewProgress { done, of }) => Stage::UnderWay { done, of },
        ReviewStage::Made(review) => match snapshot.live.review_page(&review, viewer) {
            Some(view) => Stage::Made(Box::new(view)),
            // It was of another record: it is asked for anew.
            None => unasked(),
        },
    };
    let (_, players) = view_models::still(&snapshot, &own);
    let page = ReviewPage {
        id: snapshot.id.to_string(),
        players,
        stage,
    };
    let site = site(Section::Play, visitor.look);
    let page = review_page(&site, visitor.app.text(&visitor.look), &page);
    Ok(([(header::CACHE_CONTROL, "no-store")], page).into_response())
}

/// Why nobody can ask for a review of this game.
fn refused(snapshot: &Snapshot) -> Failure {
    if snapshot.live.is_over() {
        none_here()
    } else {
        let detail = "the game is not finished: it is reviewed when it is over";
        Failure::new(Problem::NotOver, detail).with("ply", snapshot.live.ply())
    }
}

fn none_here() -> Failure {
    Failure::new(Problem::NotFound, "this game has no review, or it goes on")
}

/// `POST /g/{id}/review`
pub(super) async fn ask(Path(id): Path<String>, visitor: Visitor) -> Result<Response, Failure> {
    let claim = visitor.claim();
    let snapshot = visitor.app.seen(&id, &claim).await?;
    if snapshot.live.review_plan(None).is_none() {
        return Err(refused(&snapshot));
    }
    visitor.app.service.ask_review(&snapshot, &claim).await?;
    Ok(Redirect::to(&format!("/g/{}/review", snapshot.id)).into_response())
}

/// How far a review has come.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = ReviewProgress)]
pub(super) struct ReviewProgressJson {
    /// So many decisions are judged.
    done: u32,
    /// Of so many.
    of: u32,
}

fn told(snapshot: &Snapshot, stage: ReviewStage) -> Result<Response, Failure> {
    match stage {
        ReviewStage::Impossible => Err(none_here()),
        ReviewStage::UnderWay(ReviewProgress { done, of }) => {
            let come = Json(ReviewProgressJson { done, of });
            Ok((StatusCode::ACCEPTED, come).into_response())
        }
        ReviewStage::Made(review) => match snapshot.live.review_json(&review) {
            Some(json) => Ok(Json(json).into_response()),
            None => Err(unasked()),
        },
        ReviewStage::Unasked => Err(unasked()),
    }
}

fn unasked() -> Failure {
    Failure::new(
        Problem::NotFound,
        "nobody has asked for a review of this game: post to ask",
    )
}

/// The review of a finished game: what was luck, and what every decision cost. 202 while it is made, 404
/// before somebody asked for it.
#[utoipa::path(
    get, path = "/api/v1/games/{id}/review", operation_id = "get_review", params(("id" = String, Path)),
    responses(
        (status = 200, body = ref("#/components/schemas/Review"), description = "The review"),
        (status = 202, body = ReviewProgressJson, description = "It is being made"), (status = 404)
    )
)]
pub(super) async fn look(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: Browser,
) -> Result<Response, Failure> {
    let snapshot = app.seen(&id, &browser.looks()).await?;
    let stage = app.service.review(&snapshot).await?;
    told(&snapshot, stage)
}

/// Asks for the review of a finished game, or for a new one where another evaluation made it. It is made
/// in the background and shared by all who look at the game.
#[utoipa::path(
    post, path = "/api/v1/games/{id}/review", operation_id = "ask_for_review", params(("id" = String, Path)),
    responses(
        (status = 200, body = ref("#/components/schemas/Review"), description = "The review"),
        (status = 202, body = ReviewProgressJson, description = "It is being made"), (status = 404), (status = 409)
    )
)]
pub(super) async fn want(
    State(app): State<App>,
    Path(id): Path<String>,
    (browser, client): (Browser, Client),
) -> Result<Response, Failure> {
    let snapshot = app.seen(&id, &browser.looks()).await?;
    if snapshot.live.review_plan(None).is_none() {
        return Err(refused(&snapshot));
    }
    let claim = Claim {
        household: Some(client.household()),
        ..browser.claim()
    };
    let stage = app.service.ask_review(&snapshot, &claim).await?;
    told(&snapshot, stage)
}
