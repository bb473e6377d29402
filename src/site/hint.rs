//! Hints, as a page and in the API.

use axum::Router;
use axum::routing::get;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::api::dto::PositionAnalysisJson;
use super::api::extract::BearerCredentials;
use super::game::request::GameRequest;
use super::game_view::{self, HintStatus, PageScope};
use super::move_analysis::analyse;
use super::shared::app::App;
use crate::games::FormFields;
use crate::http::error::HttpError;
use crate::http::problem::ProblemKind;
use crate::site::shared::limits::RouteLimits;
use crate::tables::{JobStatus, ServiceError, Snapshot};
use crate::templates::message::LocalizedMessage;
use crate::templates::prompt::Notice;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/g/{id}/hint", limits.moving(get(show)))
        .route("/api/v1/games/{id}/hint", limits.moving(get(api)))
}

/// How long a page without scripts waits before it shows that the computer is thinking.
const PAGE_TIMEOUT: Duration = Duration::from_secs(1);

/// How long scripts and programs wait.
const API_TIMEOUT: Duration = Duration::from_secs(8);

/// `GET /g/{id}/hint`
async fn show(GameRequest(visitor, snapshot, _): GameRequest) -> Result<Response, HttpError> {
    let seats = snapshot.seats_of(&visitor.credentials());
    let is_own_turn = snapshot
        .live
        .mover()
        .is_some_and(|mover| seats.contains(&mover));
    if !is_own_turn {
        return Ok(visitor
            .app
            .redirect(&format!("/g/{}", snapshot.id))
            .into_response());
    }
    if !game_view::may_hint(&snapshot, &seats) {
        let notice = Notice::Rules(LocalizedMessage::new("hint-off"));
        return visitor
            .rejection_page(&snapshot, StatusCode::FORBIDDEN, notice)
            .await;
    }
    let timeout = match visitor.scope {
        PageScope::FullPage => PAGE_TIMEOUT,
        PageScope::Fragment | PageScope::TransientPly => API_TIMEOUT,
    };
    let (app, credentials) = (&visitor.app, visitor.credentials());
    let analysis = analyse(app, &snapshot.live, &credentials, timeout);
    let analysis = app.within(timeout, analysis).await;
    let analysis = analysis.unwrap_or(Some(JobStatus::waiting(1)));
    let query = FormFields::default();
    let mut input = visitor.page_input(&snapshot, &seats, &query, None).await?;
    input.hint = match analysis {
        Some(JobStatus::Ready(analysis)) => HintStatus::Ready(analysis),
        // The page polls.
        Some(JobStatus::InProgress(_)) => HintStatus::Pending,
        None => HintStatus::Off,
    };
    Ok(visitor.respond(&input)?)
}

/// Evaluates the legal actions.
///
/// Returns the expected win share of each player after each legal action, as estimated by a search of the strongest
/// level. The seat of the token must be to move. Allowed if all other seats are computers, or if the game was created
/// with `hints`.
async fn api(
    State(app): State<App>,
    Path(id): Path<String>,
    BearerCredentials(credentials): BearerCredentials,
) -> Result<Json<PositionAnalysisJson>, HttpError> {
    let snapshot = app.viewable_game(&id, &credentials).await?;
    let seats = snapshot.check_can_play(&credentials)?;
    if !snapshot
        .live
        .mover()
        .is_some_and(|mover| seats.contains(&mover))
    {
        return Err(not_now(&snapshot));
    }
    if !game_view::may_hint(&snapshot, &seats) {
        return Err(HttpError::new(
            ProblemKind::NotYours,
            "there are no hints where another person plays",
        ));
    }
    let analysis = analyse(&app, &snapshot.live, &credentials, API_TIMEOUT);
    let analysis = app.within(API_TIMEOUT, analysis).await;
    match analysis.unwrap_or(Some(JobStatus::waiting(1))) {
        Some(JobStatus::Ready(analysis)) => {
            Ok(Json(PositionAnalysisJson::new(&snapshot.live, &analysis)))
        }
        Some(JobStatus::InProgress(_)) => Err(ServiceError::Busy.into()),
        None => Err(not_now(&snapshot)),
    }
}

fn not_now(snapshot: &Snapshot) -> HttpError {
    let problem = if snapshot.live.is_over() {
        ProblemKind::GameOver
    } else {
        ProblemKind::NotYourTurn
    };
    HttpError::new(problem, "there is nothing to decide for you now")
}
