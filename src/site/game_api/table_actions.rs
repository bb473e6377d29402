//! Other actions of programs: start a game that waits for players, let a computer player move, and rematch.

use axum::Router;
use axum::routing::post;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::ply_result;
use crate::http::error::HttpError;
use crate::seats::{RematchKind, SeatOccupant};
use crate::site::api::dto::{GameJson, PlayedJson, RematchJson, StepJson};
use crate::site::api::extract::{BearerCredentials, JsonBody, OptionalJsonBody};
use crate::site::api::newest;
use crate::site::shared::app::App;
use crate::site::shared::identity::BrowserSession;
use crate::site::shared::limits::RouteLimits;
use crate::tables::{SeatChange, ServiceError};

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/api/v1/games/{id}/rematch", limits.creating(post(rematch)))
        .route("/api/v1/games/{id}/start", limits.moving(post(start)))
        .route("/api/v1/games/{id}/step", limits.moving(post(step)))
}

/// Starts a game that waits for players.
///
/// Computers take the free seats. Requires the token of a seat, in a game that a program created. A game that has started
/// stays as it is.
async fn start(
    State(app): State<App>,
    Path(id): Path<String>,
    BearerCredentials(credentials): BearerCredentials,
) -> Result<Json<GameJson>, HttpError> {
    let id = &app.viewable_game(&id, &credentials).await?.id;
    let service = &app.service;
    let started = service.change_seat(id, credentials, SeatChange::Start);
    Ok(Json(newest(&*started.await?)?))
}

/// After this time the request fails as busy; the computer player moves later.
const STEP_TIMEOUT: Duration = Duration::from_secs(8);

/// Lets a computer play one ply.
///
/// The game must have `pace` `on-request`, and a computer must be to move. Requires the token of a seat, unless all
/// seats are computers.
async fn step(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: BrowserSession,
    credentials: Result<BearerCredentials, HttpError>,
    JsonBody(StepJson { ply }): JsonBody<StepJson>,
) -> Result<Json<PlayedJson>, HttpError> {
    let snapshot = app.viewable_game(&id, &browser.read_credentials()).await?;
    let mut occupants = snapshot.seats.seats.iter().map(|seat| &seat.occupant);
    if occupants.any(|occupant| !matches!(occupant, SeatOccupant::Level { .. })) {
        snapshot.check_can_play(&credentials?.0)?;
    }
    let result = app.service.play_computer_ply(&snapshot.id, ply);
    match app.within(STEP_TIMEOUT, result).await {
        Some(played) => Ok(Json(ply_result(&played?)?)),
        None => Err(ServiceError::Busy.into()),
    }
}

/// Creates a rematch of a finished game.
///
/// The tokens of the finished game are valid in the rematch, too. All who request the same kind of rematch get the same
/// game.
async fn rematch(
    State(app): State<App>,
    Path(id): Path<String>,
    BearerCredentials(credentials): BearerCredentials,
    OptionalJsonBody(RematchJson { kind }): OptionalJsonBody<RematchJson>,
) -> Result<Response, HttpError> {
    let kind = match kind {
        None => RematchKind::New,
        Some(name) => RematchKind::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| {
                let names = RematchKind::ALL.map(RematchKind::name).join(", ");
                HttpError::unprocessable(format!("kind: a rematch is one of {names}"))
            })?,
    };
    let id = &app.viewable_game(&id, &credentials).await?.id;
    let rematch_id = app.service.rematch(id, &credentials, kind, None).await?;
    let game = newest(&*app.service.snapshot(&rematch_id).await?)?;
    let location = [(
        header::LOCATION,
        app.base_path
            .add_to(&format!("/api/v1/games/{rematch_id}"))
            .into_owned(),
    )];
    Ok((StatusCode::CREATED, location, Json(game)).into_response())
}
