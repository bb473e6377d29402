//! The pages of one game: the board, its plies, and what a player does there.

use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Path, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::error::HttpError;
use super::page_context::{PageContext, site};
use super::view_models::{self, GamePageInput, HintStatus};
use crate::clock::now_ms;
use crate::game::Player;
use crate::game_adapters::{FormFields, SelectionError};
use crate::seats::RematchKind;
use crate::service::{ServiceError, Snapshot};
use crate::templates::log_page;
use crate::templates::view::{NavSection, Notice};

/// The fields of a query or of a form, as they come.
pub(super) type Pairs = Vec<(String, String)>;

/// `GET /g/{id}`
pub(super) async fn show(
    Path(id): Path<String>,
    visitor: PageContext,
    query: Result<Query<Pairs>, QueryRejection>,
) -> Result<Response, HttpError> {
    let Query(query) = query?;
    let browser = &visitor.browser;
    let seen = visitor.app.seen(&id, &browser.looks()).await;
    let snapshot = match (seen, browser.unconfirmed_claim()) {
        // Somebody who could take a seat along to TLS sees where.
        (Err(_), Some(claim)) => visitor.app.seen(&id, &claim).await?,
        (seen, _) => seen?,
    };
    let snapshot = visitor.settled(snapshot).await?;
    visitor.page(&snapshot, &FormFields(query)).await
}

/// A page on which nothing can be done.
pub(super) fn still<'a>(
    visitor: &PageContext,
    snapshot: &'a Snapshot,
    seats: &'a [Player],
    ply: Option<u32>,
    nothing: &'a FormFields,
) -> GamePageInput<'a> {
    GamePageInput {
        snapshot,
        seats,
        ply,
        query: nothing,
        notice: None,
        watchers: visitor.app.gallery.watchers(&snapshot.id),
        ahead: 0,
        newcomer: false,
        table: None,
        hint: HintStatus::Off,
        share: None,
    }
}

/// `GET /g/{id}/log`
pub(super) async fn log(
    Path(id): Path<String>,
    visitor: PageContext,
) -> Result<Response, HttpError> {
    let snapshot = visitor.app.seen(&id, &visitor.browser.looks()).await?;
    let seats = snapshot.seats_of(&visitor.claim());
    let (players, entries) = view_models::whole_log(&snapshot, &seats);
    let site = site(NavSection::Play, visitor.look);
    Ok(log_page(
        &site,
        visitor.app.text(&visitor.look),
        &id,
        &entries,
        &players,
    )
    .into_response())
}

/// `GET /g/{id}/record.json`
pub(super) async fn record(
    Path(id): Path<String>,
    visitor: PageContext,
) -> Result<Response, HttpError> {
    let snapshot = visitor.app.seen(&id, &visitor.browser.looks()).await?;
    Ok(axum::Json(snapshot.record_json()).into_response())
}

/// `GET /g/{id}/record.txt`
pub(super) async fn notation(
    Path(id): Path<String>,
    visitor: PageContext,
) -> Result<Response, HttpError> {
    let snapshot = visitor.app.seen(&id, &visitor.browser.looks()).await?;
    Ok(snapshot.record_text().into_response())
}

/// Nobody has read a page and pressed a button on it sooner than so many milliseconds.
const AT_LEAST_MS: i64 = 500;

/// Whether the second press of two was sent from the page that answers the first: the button that ends
/// a turn stands where the one that attacked stood. Only browsers that send forms say so, programs may be
/// as quick as they like.
fn presses_twice(headers: &HeaderMap, snapshot: &Snapshot, ply: u32, now_ms: i64) -> bool {
    let sent_by_hand = headers
        .get("sec-fetch-mode")
        .is_some_and(|mode| mode == "navigate");
    let live = &snapshot.live;
    let last_ms = live.mover().and_then(|mover| live.last_ms_of(mover));
    let soon = last_ms.is_some_and(|last| (0..AT_LEAST_MS).contains(&now_ms.saturating_sub(last)));
    sent_by_hand && ply == live.ply() && soon
}

/// `POST /g/{id}/moves`
pub(super) async fn play(
    Path(id): Path<String>,
    visitor: PageContext,
    headers: HeaderMap,
    form: Result<axum::Form<Pairs>, FormRejection>,
) -> Result<Response, HttpError> {
    let form = FormFields(form?.0);
    let ply: Option<u32> = form.number("ply")?;
    let ply = ply.ok_or_else(|| HttpError::unprocessable("the field `ply` is missing"))?;
    let claim = visitor.claim();
    let table = visitor.app.found(&id, &claim).await?;
    if let Err(error) = table.snapshot.admit(&claim) {
        return visitor.done(Err(error)).await;
    }
    let action = match table.snapshot.live.read_move(&form) {
        Ok(action) => action,
        Err(SelectionError::Unfit(sentence)) => return Err(HttpError::unprocessable(sentence)),
        Err(SelectionError::Said(said)) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            let notice = Notice::Rules(said);
            return visitor.refused(&table.snapshot, status, notice).await;
        }
    };
    if presses_twice(&headers, &table.snapshot, ply, now_ms()) {
        let status = StatusCode::OK;
        return visitor
            .refused(&table.snapshot, status, Notice::Twice)
            .await;
    }
    let played = visitor.app.service.play_at(&table, claim, ply, &action);
    let played = played.await.map(|played| played.snapshot);
    visitor.done(played).await
}

/// `POST /g/{id}/undo`: takes back the visitor's own newest ply, and what computers did after it.
pub(super) async fn undo(
    Path(id): Path<String>,
    visitor: PageContext,
    headers: HeaderMap,
    form: Result<axum::Form<PlyForm>, FormRejection>,
) -> Result<Response, HttpError> {
    let ply = form?.0.ply;
    let claim = visitor.claim();
    let snapshot = visitor.app.seen(&id, &claim).await?;
    if presses_twice(&headers, &snapshot, ply, now_ms()) {
        return visitor
            .refused(&snapshot, StatusCode::OK, Notice::Twice)
            .await;
    }
    let service = &visitor.app.service;
    let undone = service.take_back(&snapshot.id, claim, ply).await;
    visitor.done(undone.map(|undone| undone.snapshot)).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlyForm {
    ply: u32,
}

/// `POST /g/{id}/resign`
pub(super) async fn resign(
    Path(id): Path<String>,
    visitor: PageContext,
    form: Result<axum::Form<PlyForm>, FormRejection>,
) -> Result<Response, HttpError> {
    let ply = form?.0.ply;
    let claim = visitor.claim();
    let snapshot = visitor.app.seen(&id, &claim).await?;
    let service = &visitor.app.service;
    let resigned = service.resign(&snapshot.id, claim, Some(ply)).await;
    visitor.done(resigned).await
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct RematchForm {
    board: Option<String>,
    opponents: Option<String>,
}

impl RematchForm {
    /// What the form asks for: a new board or the same one, or opponents of another strength.
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

/// `POST /g/{id}/rematch`: the same table, on a new board or on the same one, or with computers of
/// another strength.
pub(super) async fn rematch(
    Path(id): Path<String>,
    visitor: PageContext,
    headers: HeaderMap,
    form: Result<axum::Form<RematchForm>, FormRejection>,
) -> Result<Response, HttpError> {
    let form = if headers.contains_key(header::CONTENT_TYPE) {
        form?.0
    } else {
        RematchForm::default()
    };
    let kind = form.kind()?;
    let claim = visitor.claim();
    let snapshot = visitor.app.seen(&id, &claim).await?;
    let (service, asker) = (&visitor.app.service, visitor.browser.secret.as_ref());
    let made = service.rematch(&snapshot.id, &claim, kind, asker).await;
    match made {
        Ok(id) => {
            let game = Redirect::to(&format!("/g/{id}"));
            Ok((visitor.browser.renewed(), game).into_response())
        }
        Err(error @ ServiceError::SeatRefused { .. }) => visitor.done(Err(error)).await,
        Err(error) => Err(error.into()),
    }
}
