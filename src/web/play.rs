//! The pages of one game: the board, its plies, and what a player does there.

use std::time::Duration;

use axum::Form;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::api;
use super::assets::Assets;
use super::error::Failure;
use super::identity::Browser;
use super::views::{self, Chosen, Selection, Shown};
use super::{App, game_id, looks};
use crate::archive::{GameId, Pace, Sitter};
use crate::game::Player;
use crate::games::dice_of_doom::Action;
use crate::games::trilobite::Column;
use crate::service::live::{AnyAction, Live, Start};
use crate::service::{Claim, NewGame, ServiceError, Snapshot};
use crate::templates::view::{Look, Notice, Section};
use crate::templates::{Language, Site, Text, board_svg, game_fragment, game_page, log_page};

/// A page waits so long for the computers before it shows what is.
const PATIENCE: Duration = Duration::from_secs(1);

/// The frame of a page.
pub(super) fn site(section: Section, look: Look) -> Site<'static> {
    Site {
        section,
        assets: &Assets,
        look,
    }
}

/// The sentences of a page.
pub(super) fn text() -> &'static Text {
    Text::of(Language::English)
}

#[derive(Deserialize, Default)]
pub(super) struct SelectionQuery {
    from: Option<u8>,
    to: Option<u8>,
    column: Option<String>,
}

/// Whether it is this claim's turn, or nobody's.
fn is_asked(snapshot: &Snapshot, claim: &Claim) -> bool {
    match snapshot.live.mover() {
        None => true,
        Some(mover) => snapshot.seats_of(claim).contains(&mover),
    }
}

/// The newest state; computers get a moment to finish their turns first.
pub(super) async fn settled(
    app: &App,
    id: &GameId,
    claim: &Claim,
) -> Result<std::sync::Arc<Snapshot>, ServiceError> {
    let snapshot = app.service.look(id).await?;
    let computers = snapshot.pace == Pace::AtOnce && snapshot.computer_to_move().is_some();
    if !computers || is_asked(&snapshot, claim) {
        return Ok(snapshot);
    }
    app.service
        .wait(id, PATIENCE, |now| {
            is_asked(now, claim) || now.computer_to_move().is_none()
        })
        .await
}

/// `GET /g/{id}`
pub(super) async fn show(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: Browser,
    headers: HeaderMap,
    query: Result<Query<SelectionQuery>, QueryRejection>,
) -> Result<Response, Failure> {
    let Query(selection) = query.map_err(|error| Failure::bad_request(error.body_text()))?;
    let claim = browser.claim();
    let id = game_id(&id)?;
    // A script is told of every ply; only a page without one has to be shown the computers' answer.
    let snapshot = if is_fragment(&headers) {
        app.service.look(&id).await?
    } else {
        settled(&app, &id, &claim).await?
    };
    let selection = Selection {
        from: selection.from,
        to: selection.to,
        column: selection.column,
    };
    let mine = snapshot
        .live
        .mover()
        .is_some_and(|mover| snapshot.seats_of(&claim).contains(&mover));
    let chosen = if mine {
        selection.check(&snapshot.live)
    } else {
        Ok(Chosen::Nothing)
    };
    let (status, chosen, notice) = match chosen {
        Ok(chosen) => (StatusCode::OK, chosen, None),
        Err(notice) => (
            StatusCode::UNPROCESSABLE_ENTITY,
            Chosen::Nothing,
            Some(notice),
        ),
    };
    Ok(page(
        &app, &snapshot, &claim, &headers, status, chosen, notice,
    ))
}

/// Whether a script asks for the part of the page that changes.
fn is_fragment(headers: &HeaderMap) -> bool {
    headers.contains_key("x-fragment")
}

fn page(
    app: &App,
    snapshot: &Snapshot,
    claim: &Claim,
    headers: &HeaderMap,
    status: StatusCode,
    chosen: Chosen,
    notice: Option<Notice>,
) -> Response {
    let seats = snapshot.seats_of(claim);
    let view = views::game_view(&Shown {
        snapshot,
        seats: &seats,
        ply: None,
        chosen,
        notice,
        watchers: app.gallery.watchers(&snapshot.id),
    });
    let site = site(Section::Play, looks::asked(headers));
    let markup = if is_fragment(headers) {
        game_fragment(&site, text(), &view)
    } else {
        game_page(&site, text(), &view)
    };
    (status, markup).into_response()
}

/// `GET /g/{id}/{ply}`
pub(super) async fn replay(
    State(app): State<App>,
    Path((id, ply)): Path<(String, String)>,
    browser: Browser,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let ply: u32 = ply.parse().map_err(|_| Failure::not_found())?;
    let snapshot = app.service.look(&game_id(&id)?).await?;
    if ply > snapshot.live.ply() {
        return Err(Failure::not_found());
    }
    let seats = snapshot.seats_of(&browser.claim());
    let shown = Shown {
        snapshot: &snapshot,
        seats: &seats,
        ply: Some(ply),
        chosen: Chosen::Nothing,
        notice: None,
        watchers: app.gallery.watchers(&snapshot.id),
    };
    let site = site(Section::Play, looks::asked(&headers));
    let markup = match headers.get("x-fragment").map(HeaderValue::as_bytes) {
        // On its way to the newest position the script shows every ply in between.
        Some(b"passing") => game_fragment(&site, text(), &views::passing(&shown)),
        Some(_) => game_fragment(&site, text(), &views::game_view(&shown)),
        None => game_page(&site, text(), &views::game_view(&shown)),
    };
    Ok(markup.into_response())
}

/// `GET /g/{id}/log`
pub(super) async fn log(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: Browser,
    look: Look,
) -> Result<Response, Failure> {
    let snapshot = app.service.look(&game_id(&id)?).await?;
    let seats = snapshot.seats_of(&browser.claim());
    let (players, entries) = views::whole_log(&snapshot, &seats);
    Ok(log_page(&site(Section::Play, look), text(), &id, &entries, &players).into_response())
}

/// `GET /g/{id}/board.svg`
pub(super) async fn board(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let snapshot = app.service.look(&game_id(&id)?).await?;
    let seats = [];
    let view = views::game_view(&Shown {
        snapshot: &snapshot,
        seats: &seats,
        ply: None,
        chosen: Chosen::Nothing,
        notice: None,
        watchers: app.gallery.watchers(&snapshot.id),
    });
    let kind = [(
        header::CONTENT_TYPE,
        HeaderValue::from_static("image/svg+xml"),
    )];
    Ok((kind, board_svg(&view.board).into_string()).into_response())
}

/// `GET /g/{id}/record.json`
pub(super) async fn record(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let snapshot = app.service.look(&game_id(&id)?).await?;
    Ok(axum::Json(api::record_of(&snapshot)).into_response())
}

#[derive(Deserialize)]
pub(super) struct MoveForm {
    ply: u32,
    from: Option<u8>,
    to: Option<u8>,
    pass: Option<String>,
    column: Option<String>,
}

impl MoveForm {
    /// The action that the form names, or why this board has no such place.
    fn action(&self, live: &Live) -> Result<Result<AnyAction, Notice>, Failure> {
        let (pass, column) = (self.pass.is_some(), self.column.as_deref());
        match (live, pass, self.from, self.to, column) {
            (Live::Dice(_), true, None, None, None) => Ok(Ok(Action::EndTurn.into())),
            (Live::Dice(session), false, Some(from), Some(to), None) => {
                let game = session.game();
                let path = game.hex(from).zip(game.hex(to));
                let attack = path.map(|(from, to)| Action::Attack { from, to }.into());
                Ok(attack.ok_or(Notice::NoSuchHex))
            }
            (Live::Trilobite(_), false, None, None, Some(column)) => {
                let column: Result<Column, _> = column.parse();
                Ok(column
                    .map(AnyAction::from)
                    .map_err(|_| Notice::NoSuchColumn))
            }
            (Live::Dice(_), ..) => Err(Failure::unprocessable(
                "a ply is a pass, or an attack with from and to",
            )),
            (Live::Trilobite(_), ..) => Err(Failure::unprocessable(
                "a ply is a column, such as column=d",
            )),
        }
    }
}

/// `POST /g/{id}/moves`
pub(super) async fn play(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: Browser,
    headers: HeaderMap,
    form: Result<Form<MoveForm>, FormRejection>,
) -> Result<Response, Failure> {
    let id = game_id(&id)?;
    let form = read_form(form)?;
    let claim = browser.claim();
    let snapshot = app.service.look(&id).await?;
    let action = match form.action(&snapshot.live)? {
        Ok(action) => action,
        Err(notice) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return Ok(page(
                &app,
                &snapshot,
                &claim,
                &headers,
                status,
                Chosen::Nothing,
                Some(notice),
            ));
        }
    };
    let played = app.service.play(&id, claim, form.ply, action).await;
    done(&id, played.map(|_| ()), &app, &claim, &headers).await
}

#[derive(Deserialize)]
pub(super) struct PlyForm {
    ply: u32,
}

/// `POST /g/{id}/resign`
pub(super) async fn resign(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: Browser,
    headers: HeaderMap,
    form: Result<Form<PlyForm>, FormRejection>,
) -> Result<Response, Failure> {
    let id = game_id(&id)?;
    let form = read_form(form)?;
    let claim = browser.claim();
    let resigned = app.service.resign(&id, claim, Some(form.ply)).await;
    done(&id, resigned.map(|_| ()), &app, &claim, &headers).await
}

pub(super) fn read_form<T>(form: Result<Form<T>, FormRejection>) -> Result<T, Failure> {
    match form {
        Ok(Form(form)) => Ok(form),
        Err(error) => {
            let status = error.status();
            let key = match status {
                StatusCode::UNSUPPORTED_MEDIA_TYPE => "type",
                StatusCode::PAYLOAD_TOO_LARGE => "too-large",
                _ => "unprocessable",
            };
            Err(Failure::new(status, key, error.body_text()))
        }
    }
}

/// Back to the board; what was refused is told above it.
async fn done(
    id: &GameId,
    result: Result<(), ServiceError>,
    app: &App,
    claim: &Claim,
    headers: &HeaderMap,
) -> Result<Response, Failure> {
    let (snapshot, status, notice) = match result {
        Ok(()) => {
            // Computers get a moment, so that the board comes back when it is the reader's turn.
            if !is_fragment(headers) {
                settled(app, id, claim).await?;
            }
            return Ok(Redirect::to(&format!("/g/{id}")).into_response());
        }
        Err(ServiceError::NotYourSeat { snapshot }) => {
            let status = if claim.browser.is_none() {
                StatusCode::UNAUTHORIZED
            } else {
                StatusCode::FORBIDDEN
            };
            (snapshot, status, Notice::NotYourSeat)
        }
        Err(ServiceError::Stale { snapshot }) => (snapshot, StatusCode::CONFLICT, Notice::StalePly),
        Err(ServiceError::Refused { why, snapshot }) => {
            let notice = views::refused(&why);
            let status = match notice {
                Notice::GameOver | Notice::NotYourTurn => StatusCode::CONFLICT,
                _ => StatusCode::UNPROCESSABLE_ENTITY,
            };
            (snapshot, status, notice)
        }
        Err(other) => return Err(other.into()),
    };
    Ok(page(
        app,
        &snapshot,
        claim,
        headers,
        status,
        Chosen::Nothing,
        Some(notice),
    ))
}

/// `POST /g/{id}/rematch`: the same table, a new board.
pub(super) async fn rematch(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: Browser,
) -> Result<Response, Failure> {
    let id = game_id(&id)?;
    let snapshot = app.service.look(&id).await?;
    if snapshot.seats_of(&browser.claim()).is_empty() {
        return Err(ServiceError::NotYourSeat { snapshot }.into());
    }
    let sitters: Vec<Sitter> = snapshot
        .seats
        .seats
        .iter()
        .map(|seat| seat.sitter.clone())
        .collect();
    let (hash, jar) = browser.introduced();
    let created = app
        .service
        .create(NewGame {
            parameters: snapshot.live.parameters(),
            start: Start::Deal(None),
            sitters,
            pace: Pace::AtOnce,
            browser: Some(hash),
            with_tokens: false,
            book_of: None,
        })
        .await?;
    Ok((jar, Redirect::to(&format!("/g/{}", created.snapshot.id))).into_response())
}

/// The seats that a browser holds, for lists.
pub(super) fn own_seats(snapshot: &Snapshot, claim: &Claim) -> Vec<Player> {
    snapshot.seats_of(claim)
}
