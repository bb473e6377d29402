//! The pages of one game: the board, its plies, and what a player does there.

use std::sync::Arc;
use std::time::Duration;

use axum::Form;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::App;
use super::assets::Assets;
use super::error::Failure;
use super::identity::Browser;
use super::looks;
use super::seats;
use super::views::{self, Chosen, Selection, Shown, Which};
use crate::clock::now_ms;
use crate::faces::Live;
use crate::game::Player;
use crate::games::dice_of_doom::Action;
use crate::games::trilobite::Column;
use crate::seats::{Pace, RematchKind};
use crate::service::{Claim, ServiceError, Snapshot};
use crate::templates::view::{Look, Notice, Section, TableView};
use crate::templates::{Language, Site, Text, board_svg, game_fragment, game_page, log_page};

/// How long a page waits for the computers before it shows the position as it is.
const PATIENCE: Duration = Duration::from_secs(1);

/// What the frame of a page needs.
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

/// Whether this claim is to move, or the game is over.
fn is_asked(snapshot: &Snapshot, claim: &Claim) -> bool {
    match snapshot.live.mover() {
        None => true,
        Some(mover) => snapshot.seats_of(claim).contains(&mover),
    }
}

/// The newest state; computers get a moment to finish their turns first.
pub(super) async fn settled(
    app: &App,
    snapshot: Arc<Snapshot>,
    claim: &Claim,
) -> Result<Arc<Snapshot>, ServiceError> {
    let computers = snapshot.pace == Pace::AtOnce && snapshot.computer_to_move().is_some();
    if !computers || is_asked(&snapshot, claim) {
        return Ok(snapshot);
    }
    app.service
        .wait(&snapshot.id, PATIENCE, |now| {
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
    let Query(selection) = query?;
    let claim = browser.claim();
    let snapshot = app.seen(&id, &browser.looks()).await?;
    // A script receives every ply as an event; only a page without script waits for the computers.
    let snapshot = if is_fragment(&headers) {
        snapshot
    } else {
        settled(&app, snapshot, &claim).await?
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
    let responder = PageResponder {
        app: &app,
        browser: &browser,
        headers: &headers,
    };
    responder.page(&snapshot, status, chosen, notice).await
}

/// Whether a script asks for the part of the page that changes.
fn is_fragment(headers: &HeaderMap) -> bool {
    headers.contains_key("x-fragment")
}

/// Answers one request with a page of a game: the whole page or the part that changes, in the look
/// that the browser asks for.
pub(super) struct PageResponder<'a> {
    pub(super) app: &'a App,
    pub(super) browser: &'a Browser,
    pub(super) headers: &'a HeaderMap,
}

impl PageResponder<'_> {
    async fn page(
        &self,
        snapshot: &Snapshot,
        status: StatusCode,
        chosen: Chosen,
        notice: Option<Notice>,
    ) -> Result<Response, Failure> {
        let seats = snapshot.seats_of(&self.browser.claim());
        let view = views::game_view(&Shown {
            snapshot,
            seats: &seats,
            ply: None,
            chosen,
            notice,
            watchers: self.app.gallery.watchers(&snapshot.id),
            ahead: self.app.turns_ahead(snapshot),
            table: seats::table(self.app, snapshot, self.browser, now_ms()).await?,
        });
        let site = site(Section::Play, looks::asked(self.headers));
        let markup = if is_fragment(self.headers) {
            game_fragment(&site, text(), &view)
        } else {
            game_page(&site, text(), &view)
        };
        Ok((status, markup).into_response())
    }

    /// The board as it is, and above it why something was not done.
    pub(super) async fn refused(
        &self,
        snapshot: &Snapshot,
        status: StatusCode,
        notice: Notice,
    ) -> Result<Response, Failure> {
        self.page(snapshot, status, Chosen::Nothing, Some(notice))
            .await
    }

    /// Redirects to the board; after a refusal shows the board with the reason above it.
    pub(super) async fn done(
        &self,
        result: Result<Arc<Snapshot>, ServiceError>,
    ) -> Result<Response, Failure> {
        let claim = self.browser.claim();
        let (snapshot, status, notice) = match result {
            Ok(snapshot) => {
                let back = format!("/g/{}", snapshot.id);
                // Computers get a moment, so that the board comes back when it is the person's turn.
                if !is_fragment(self.headers) {
                    settled(self.app, snapshot, &claim).await?;
                }
                return Ok(Redirect::to(&back).into_response());
            }
            Err(ServiceError::NotYourSeat { snapshot }) => {
                (snapshot, StatusCode::FORBIDDEN, Notice::NotYourSeat)
            }
            Err(ServiceError::Stale { snapshot }) => {
                (snapshot, StatusCode::CONFLICT, Notice::StalePly)
            }
            Err(ServiceError::Refused { why, snapshot }) => {
                let notice = views::refused(&why);
                let status = match notice {
                    Notice::GameOver | Notice::NotYourTurn => StatusCode::CONFLICT,
                    _ => StatusCode::UNPROCESSABLE_ENTITY,
                };
                (snapshot, status, notice)
            }
            Err(ServiceError::SeatRefused { why, snapshot }) => {
                let said = seats::refusal(why);
                (snapshot, said.problem.status(), Notice::Seat(said.notice))
            }
            Err(other) => return Err(other.into()),
        };
        // A browser without a secret is not forbidden but unauthorized: it may still get a seat.
        let status = match (status, claim.browser) {
            (StatusCode::FORBIDDEN, None) => StatusCode::UNAUTHORIZED,
            _ => status,
        };
        self.refused(&snapshot, status, notice).await
    }
}

/// `GET /g/{id}/{ply}`
pub(super) async fn replay(
    State(app): State<App>,
    Path((id, ply)): Path<(String, String)>,
    browser: Browser,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let ply: u32 = ply.parse().map_err(|_| Failure::not_found())?;
    let snapshot = app.seen(&id, &browser.looks()).await?;
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
        ahead: 0,
        table: TableView::default(),
    };
    let site = site(Section::Play, looks::asked(&headers));
    let markup = match headers.get("x-fragment").map(HeaderValue::as_bytes) {
        // The script asks for these fragments to show every ply on the way to the newest position.
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
    let snapshot = app.seen(&id, &browser.looks()).await?;
    let seats = snapshot.seats_of(&browser.claim());
    let (players, entries) = views::whole_log(&snapshot, &seats);
    Ok(log_page(&site(Section::Play, look), text(), &id, &entries, &players).into_response())
}

/// `GET /g/{id}/board.svg`
pub(super) async fn board(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: Browser,
) -> Result<Response, Failure> {
    let snapshot = app.seen(&id, &browser.looks()).await?;
    let seats = [];
    let view = views::game_view(&Shown {
        snapshot: &snapshot,
        seats: &seats,
        ply: None,
        chosen: Chosen::Nothing,
        notice: None,
        watchers: app.gallery.watchers(&snapshot.id),
        ahead: 0,
        table: TableView::default(),
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
    browser: Browser,
) -> Result<Response, Failure> {
    let snapshot = app.seen(&id, &browser.looks()).await?;
    Ok(axum::Json(snapshot.live.record_json()).into_response())
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
    fn action(&self, live: &Live) -> Result<Result<String, Notice>, Failure> {
        let (pass, column) = (self.pass.is_some(), self.column.as_deref());
        match (views::which(live), pass, self.from, self.to, column) {
            (Which::Dice(_), true, None, None, None) => Ok(Ok(Action::EndTurn.to_string())),
            (Which::Dice(session), false, Some(from), Some(to), None) => {
                let game = session.game();
                let path = game.hex(from).zip(game.hex(to));
                let attack = path.map(|(from, to)| Action::Attack { from, to }.to_string());
                Ok(attack.ok_or(Notice::NoSuchHex))
            }
            (Which::Trilobite(_), false, None, None, Some(column)) => {
                let column: Result<Column, _> = column.parse();
                Ok(column
                    .map(|column| column.to_string())
                    .map_err(|_| Notice::NoSuchColumn))
            }
            (Which::Dice(_), ..) => Err(Failure::unprocessable(
                "a ply is a pass, or an attack with from and to",
            )),
            (Which::Trilobite(_), ..) => Err(Failure::unprocessable(
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
    let Form(form) = form?;
    let claim = browser.claim();
    let snapshot = app.seen(&id, &claim).await?;
    let responder = PageResponder {
        app: &app,
        browser: &browser,
        headers: &headers,
    };
    let action = match form.action(&snapshot.live)? {
        Ok(action) => action,
        Err(notice) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return responder.refused(&snapshot, status, notice).await;
        }
    };
    let played = app
        .service
        .play(&snapshot.id, claim, form.ply, &action)
        .await;
    responder.done(played.map(|played| played.snapshot)).await
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
    let Form(form) = form?;
    let claim = browser.claim();
    let snapshot = app.seen(&id, &claim).await?;
    let resigned = app
        .service
        .resign(&snapshot.id, claim, Some(form.ply))
        .await;
    let responder = PageResponder {
        app: &app,
        browser: &browser,
        headers: &headers,
    };
    responder.done(resigned).await
}

#[derive(Deserialize, Default)]
pub(super) struct RematchForm {
    board: Option<String>,
}

/// `POST /g/{id}/rematch`: the same table, on a new board or on the same one.
pub(super) async fn rematch(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: Browser,
    headers: HeaderMap,
    form: Result<Form<RematchForm>, FormRejection>,
) -> Result<Response, Failure> {
    let form = if headers.contains_key(header::CONTENT_TYPE) {
        form?.0
    } else {
        RematchForm::default()
    };
    let kind = match form.board.as_deref() {
        None | Some("") => RematchKind::New,
        Some(name) => name
            .parse()
            .map_err(|()| Failure::unprocessable("the board of a rematch is new or same"))?,
    };
    let claim = browser.claim();
    let snapshot = app.seen(&id, &claim).await?;
    let asker = browser.secret.as_ref();
    let made = app.service.rematch(&snapshot.id, &claim, kind, asker).await;
    match made {
        Ok(id) => Ok(Redirect::to(&format!("/g/{id}")).into_response()),
        Err(error @ ServiceError::SeatRefused { .. }) => {
            let responder = PageResponder {
                app: &app,
                browser: &browser,
                headers: &headers,
            };
            responder.done(Err(error)).await
        }
        Err(error) => Err(error.into()),
    }
}

/// The seats that a browser holds, for lists.
pub(super) fn own_seats(snapshot: &Snapshot, claim: &Claim) -> Vec<Player> {
    snapshot.seats_of(claim)
}
