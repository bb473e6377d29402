//! The pages of a game: the board, its plies, and the forms of its players.

pub(super) mod context;
mod first_game;
mod milestone;
mod next_steps;
pub(super) mod request;

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;

use super::game_view::{self, GamePageInput, HintStatus};
use crate::game::Player;
use crate::games::{FormFields, SubmittedAction};
use crate::http::error::HttpError;
use crate::seats::RematchKind;
use crate::site::shared::app::App;
use crate::site::shared::form::{Form, Query};
use crate::site::shared::limits::RouteLimits;
use crate::tables::{ServiceError, Snapshot};
use crate::templates::page::NavSection;
use crate::templates::prompt::Notice;
use crate::templates::{LogView, log_page};
use context::PageContext;
use request::GameRequest;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/g/{id}/rematch", limits.creating(post(rematch)))
        .route("/g/{id}/moves", limits.moving(post(play)))
        .route("/g/{id}/undo", limits.moving(post(undo)))
        .route("/g/{id}/resign", limits.moving(post(resign)))
        .route("/g/{id}/phrases", limits.moving(post(say)))
        .route("/g/{id}", limits.reading(get(show)))
        .route("/g/{id}/log", limits.reading(get(log)))
        .route("/g/{id}/record.json", limits.reading(get(record)))
        .route("/g/{id}/record.txt", limits.reading(get(notation)))
}

/// `GET /g/{id}`
async fn show(
    Path(id): Path<String>,
    visitor: PageContext,
    Query(query): Query<FormFields>,
) -> Result<Response, HttpError> {
    let browser = &visitor.browser;
    let viewable = visitor
        .app
        .viewable_game(&id, &browser.read_credentials())
        .await;
    let snapshot = match (viewable, browser.unconfirmed_credentials()) {
        // A browser whose seat could move to HTTPS is shown how.
        (Err(_), Some(credentials)) => visitor.app.viewable_game(&id, &credentials).await?,
        (viewable, _) => viewable?,
    };
    let snapshot = visitor.wait_for_computers(snapshot).await?;
    visitor.page(&snapshot, &query).await
}

/// The input of a page without controls.
pub(super) fn preview_page<'a>(
    visitor: &PageContext,
    snapshot: &'a Snapshot,
    seats: &'a [Player],
    ply: Option<u32>,
    query: &'a FormFields,
) -> GamePageInput<'a> {
    GamePageInput {
        scope: visitor.scope,
        snapshot,
        seats,
        ply,
        query,
        notice: None,
        watchers: visitor.app.limits.subscribers.watchers(&snapshot.id),
        ahead: 0,
        newcomer: false,
        table: None,
        hint: HintStatus::Off,
        clock: None,
        phrases: None,
        share: None,
        next_steps: None,
    }
}

/// `GET /g/{id}/log`
async fn log(GameRequest(visitor, snapshot, _): GameRequest) -> Result<Response, HttpError> {
    let seats = snapshot.seats_of(&visitor.credentials());
    let site = visitor.app.site(NavSection::Play, visitor.display);
    let log = LogView {
        id: snapshot.id.as_str(),
        entries: &snapshot.live.full_log(),
        seat_events: &game_view::seat_events(&snapshot, &seats, 0),
        players: &game_view::still(&snapshot, &seats).1,
    };
    Ok(log_page(&site, visitor.app.text(&visitor.display), &log).into_response())
}

/// `GET /g/{id}/record.json`
async fn record(GameRequest(_, snapshot, _): GameRequest) -> Result<Response, HttpError> {
    Ok(axum::Json(snapshot.record_json()).into_response())
}

/// `GET /g/{id}/record.txt`
async fn notation(GameRequest(_, snapshot, _): GameRequest) -> Result<Response, HttpError> {
    Ok(snapshot.record_text().into_response())
}

/// No reader reacts to a new page and submits its form within this many milliseconds.
const MIN_REACTION_MS: i64 = 500;

/// Whether the second of two clicks was sent from the page that responded to the first: the button that ends a turn is
/// where the attack button was. Only form submissions of browsers are recognised; programs may be as fast as they like.
fn is_double_submit(headers: &HeaderMap, snapshot: &Snapshot, ply: u32, now_ms: i64) -> bool {
    let from_browser = headers
        .get("sec-fetch-mode")
        .is_some_and(|mode| mode == "navigate");
    let live = &snapshot.live;
    let last_ms = live.mover().and_then(|mover| live.last_entry_ms_of(mover));
    let is_soon =
        last_ms.is_some_and(|last| (0..MIN_REACTION_MS).contains(&now_ms.saturating_sub(last)));
    from_browser && ply == live.entry_count() && is_soon
}

/// `POST /g/{id}/moves`
async fn play(
    Path(id): Path<String>,
    visitor: PageContext,
    headers: HeaderMap,
    Form(form): Form<FormFields>,
) -> Result<Response, HttpError> {
    let ply: Option<u32> = form.number("ply")?;
    let ply = ply.ok_or_else(|| HttpError::unprocessable("the field `ply` is missing"))?;
    let credentials = visitor.credentials();
    let table = visitor.app.playable_game(&id, &credentials).await?;
    if let Err(error) = table.snapshot.check_can_play(&credentials) {
        return visitor.redirect_to_game(Err(error)).await;
    }
    if is_double_submit(&headers, &table.snapshot, ply, visitor.app.service.now_ms()) {
        let status = StatusCode::OK;
        return visitor
            .rejection_page(&table.snapshot, status, Notice::Twice)
            .await;
    }
    let action = SubmittedAction::Form(form);
    let played = visitor
        .app
        .service
        .play_at(&table, credentials, ply, action);
    let played = played.await.map(|played| played.snapshot);
    visitor.redirect_to_game(played).await
}

/// `POST /g/{id}/undo`: takes back the visitor's newest ply and those of the computers after it.
async fn undo(
    Path(id): Path<String>,
    visitor: PageContext,
    headers: HeaderMap,
    Form(form): Form<PlyForm>,
) -> Result<Response, HttpError> {
    let ply = form.ply;
    let credentials = visitor.credentials();
    let snapshot = visitor.app.viewable_game(&id, &credentials).await?;
    if is_double_submit(&headers, &snapshot, ply, visitor.app.service.now_ms()) {
        return visitor
            .rejection_page(&snapshot, StatusCode::OK, Notice::Twice)
            .await;
    }
    let service = &visitor.app.service;
    let undone = service.take_back(&snapshot.id, credentials, ply).await;
    visitor
        .redirect_to_game(undone.map(|undone| undone.snapshot))
        .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlyForm {
    ply: u32,
}

/// `POST /g/{id}/resign`
async fn resign(
    Path(id): Path<String>,
    visitor: PageContext,
    Form(form): Form<PlyForm>,
) -> Result<Response, HttpError> {
    let ply = form.ply;
    let credentials = visitor.credentials();
    let snapshot = visitor.app.viewable_game(&id, &credentials).await?;
    let service = &visitor.app.service;
    let resigned = service.resign(&snapshot.id, credentials, Some(ply)).await;
    if snapshot.is_waiting() && resigned.is_ok() {
        return Ok(visitor.app.redirect("/tables").into_response());
    }
    visitor.redirect_to_game(resigned).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PhraseForm {
    phrase: String,
}

/// `POST /g/{id}/phrases`: says one of the phrases.
async fn say(
    Path(id): Path<String>,
    visitor: PageContext,
    Form(form): Form<PhraseForm>,
) -> Result<Response, HttpError> {
    let phrase = form.phrase.parse();
    let phrase = phrase.map_err(|()| HttpError::unprocessable("there is no such phrase"))?;
    let credentials = visitor.credentials();
    let snapshot = visitor.app.viewable_game(&id, &credentials).await?;
    let service = &visitor.app.service;
    let said = service.say(&snapshot.id, credentials, phrase).await;
    visitor.redirect_to_game(said).await
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct RematchForm {
    board: Option<String>,
    opponents: Option<String>,
}

impl RematchForm {
    /// The kind of rematch: a new board or the same one, or opponents of another strength.
    fn kind(&self) -> Result<RematchKind, HttpError> {
        let filled = |field: &Option<String>| field.clone().filter(|word| !word.is_empty());
        let (board, opponents) = (filled(&self.board), filled(&self.opponents));
        match (board.as_deref(), opponents.as_deref()) {
            (None | Some("new"), None | Some("same")) => Ok(RematchKind::New),
            (Some("same"), None | Some("same")) => Ok(RematchKind::Same),
            (None | Some("new"), Some("easier")) => Ok(RematchKind::Easier),
            (None | Some("new"), Some("harder")) => Ok(RematchKind::Harder),
            (_, None) => Err(HttpError::unprocessable(
                "the board of a rematch is new or same",
            )),
            _ => Err(HttpError::unprocessable(
                "the opponents of a rematch are same, easier or harder, the latter on a new board",
            )),
        }
    }
}

/// `POST /g/{id}/rematch`: a game with the same seats, on a new board or the same one, or with computers of another
/// strength.
async fn rematch(
    Path(id): Path<String>,
    visitor: PageContext,
    form: Option<Form<RematchForm>>,
) -> Result<Response, HttpError> {
    let form = form.map_or_else(RematchForm::default, |Form(form)| form);
    let kind = form.kind()?;
    let credentials = visitor.credentials();
    let snapshot = visitor.app.viewable_game(&id, &credentials).await?;
    let (service, browser) = (&visitor.app.service, visitor.browser.secret.as_ref());
    let result = service
        .rematch(&snapshot.id, &credentials, kind, browser)
        .await;
    match result {
        Ok(id) => {
            let game = visitor.app.redirect(&format!("/g/{id}"));
            Ok((visitor.browser.renewed_cookies(), game).into_response())
        }
        Err(error @ ServiceError::SeatChangeRejected { .. }) => {
            visitor.redirect_to_game(Err(error)).await
        }
        Err(error) => Err(error.into()),
    }
}
