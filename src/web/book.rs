//! `/game.html`: the page of the book (Land of Lisp, chapters 18 and 20), with one game for each browser.
//!
//! The page plays through links, as the book's does, and is safe nevertheless: a link plays only in the
//! browser's own book game, which a strict cookie identifies; links from other sites, prefetches and
//! stale links play nothing. The chosen hex, which the book keeps in a global variable, is a second
//! cookie that is valid only at the ply at which it was chosen.

use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequestParts, Query, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum_extra::extract::cookie::{Cookie, CookieJar};
use serde::Deserialize;
use std::convert::Infallible;
use std::sync::Arc;

use super::error::Failure;
use super::identity::{Keeper, is_secure, plain_cookie};
use super::play::{site, text};
use super::views::dice::{self, Links};
use super::views::{self, Chosen};
use super::{App, looks};
use crate::archive::GameId;
use crate::faces::Start;
use crate::games::dice_of_doom::{Action, DiceOfDoom, Hex, Position, Rules};
use crate::seats::{Pace, SeatWord};
use crate::secret::Secret;
use crate::service::{Claim, Creator, NewGame, ServiceError, Snapshot};
use crate::session::Session;
use crate::templates::book_page;
use crate::templates::view::{BookLink, BookMessage, BookView, Look, Notice, Section};

/// The chosen hex, as `ply.hex`.
const CHOICE: &str = "dod_choice";

/// Seconds before the page asks for the next computer ply.
const PAUSE_S: u32 = 1;

#[derive(Deserialize, Default)]
pub(super) struct BookQuery {
    chosen: Option<String>,
    ply: Option<u32>,
}

/// What came with a request for the book's page.
pub(super) struct Visit {
    secret: Option<Secret>,
    secure: bool,
    jar: CookieJar,
    /// Another site sent the visitor here.
    foreign: bool,
    /// The browser only prefetches the page.
    prefetch: bool,
}

impl<S: Send + Sync> FromRequestParts<S> for Visit {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        let secure = is_secure(parts);
        let jar = CookieJar::from_headers(&parts.headers);
        Ok(Visit {
            secret: Keeper::Book.read(&jar, secure),
            secure,
            foreign: is_foreign(&parts.headers),
            prefetch: is_prefetch(&parts.headers),
            jar,
        })
    }
}

fn is_foreign(headers: &HeaderMap) -> bool {
    headers
        .get("sec-fetch-site")
        .is_some_and(|site| site != "same-origin" && site != "none")
}

fn is_prefetch(headers: &HeaderMap) -> bool {
    ["purpose", "sec-purpose"].iter().any(|name| {
        headers
            .get(*name)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|value| value.contains("prefetch"))
    })
}

/// What the parameter `chosen` asks for.
enum BookChoice {
    Nothing,
    Nil,
    Pass,
    Hex(u8),
}

impl BookChoice {
    fn read(query: &BookQuery) -> Result<Self, Failure> {
        match query.chosen.as_deref() {
            None => Ok(BookChoice::Nothing),
            Some("NIL" | "nil") => Ok(BookChoice::Nil),
            Some("pass") => Ok(BookChoice::Pass),
            Some(text) => text
                .parse()
                .map(BookChoice::Hex)
                .map_err(|_| Failure::bad_request("chosen is the number of a hex, pass or NIL")),
        }
    }
}

/// `GET /game.html`
pub(super) async fn page(
    State(app): State<App>,
    visit: Visit,
    query: Result<Query<BookQuery>, QueryRejection>,
) -> Result<Response, Failure> {
    let Query(query) = query?;
    let asked = BookChoice::read(&query)?;
    if visit.prefetch {
        return Err(Failure::prefetch());
    }
    if visit.foreign {
        if query.chosen.is_some() {
            return Err(Failure::cross_site());
        }
        // The strict cookie is not sent from another site, so the browser is not known: the page has one link
        // to itself and sets no cookie.
        let look = looks::in_the_book(&visit.jar);
        return Ok(doorstep(look).into_response());
    }
    let known = match &visit.secret {
        Some(secret) => app
            .service
            .archive()
            .book_game(&secret.hash())
            .await
            .map_err(ServiceError::from)?,
        None => None,
    };
    let Some(id) = known else {
        return begin(&app, visit).await;
    };
    let snapshot = app.service.look(&id).await?;
    let over = snapshot.live.is_over();
    match asked {
        BookChoice::Nothing if over => begin(&app, visit).await,
        _ if over => Ok(drawn(
            &snapshot,
            visit.jar,
            StatusCode::OK,
            Told::over(&snapshot),
        )),
        BookChoice::Nothing => {
            let told = Told::remembered(&snapshot, &visit.jar);
            Ok(drawn(&snapshot, visit.jar, StatusCode::OK, told))
        }
        _ if query.ply.is_some_and(|ply| ply != snapshot.live.ply()) => {
            let told = Told::remembered(&snapshot, &visit.jar).but(Notice::StalePly);
            Ok(drawn(&snapshot, visit.jar, StatusCode::CONFLICT, told))
        }
        asked => {
            BookStep {
                app: &app,
                id: &id,
                visit,
                snapshot,
            }
            .take(asked)
            .await
        }
    }
}

/// A page with one link, for visitors whom another site sent.
fn doorstep(look: Look) -> impl IntoResponse {
    let view = BookView {
        board: crate::templates::view::BoardView::default(),
        messages: Vec::new(),
        link: Some(BookLink::Continue("/game.html".to_owned())),
        refresh: None,
        notice: None,
        mover: None,
        players: Vec::new(),
    };
    book_page(&site(Section::Elsewhere, look), text(), &view)
}

/// Deals a new book game for this browser.
async fn begin(app: &App, visit: Visit) -> Result<Response, Failure> {
    let (secret, mut jar) = match visit.secret {
        Some(secret) => (secret, visit.jar),
        None => {
            let secret = Secret::random();
            let cookie = Keeper::Book.cookie(&secret, visit.secure);
            (secret, visit.jar.add(cookie))
        }
    };
    let game = Arc::new(DiceOfDoom::preset(Rules::V4));
    let sitters = SeatWord::usual(game.players()).collect();
    let created = app
        .service
        .create(NewGame {
            pace: Pace::OnRequest,
            creator: Creator::BookPage(secret),
            ..NewGame::of(game, Start::Deal(rand::random()), sitters)
        })
        .await?;
    jar = without_choice(jar);
    Ok(drawn(
        &created.snapshot,
        jar,
        StatusCode::OK,
        Told::from(vec![BookMessage::ChooseSource]),
    ))
}

/// One step of a running book game.
struct BookStep<'a> {
    app: &'a App,
    id: &'a GameId,
    visit: Visit,
    snapshot: Arc<Snapshot>,
}

impl BookStep<'_> {
    async fn take(mut self, asked: BookChoice) -> Result<Response, Failure> {
        let jar = std::mem::take(&mut self.visit.jar);
        if self.snapshot.computer_to_move().is_some() {
            return self.computer(asked, jar).await;
        }
        let live = self.snapshot.live.clone();
        let session = live.session::<DiceOfDoom>().ok_or(ServiceError::Damaged)?;
        match asked {
            BookChoice::Nothing | BookChoice::Nil => {
                let told = Told::from(vec![BookMessage::ChooseSource]);
                Ok(drawn(
                    &self.snapshot,
                    without_choice(jar),
                    StatusCode::OK,
                    told,
                ))
            }
            BookChoice::Pass => self.play(session, Action::EndTurn, jar).await,
            BookChoice::Hex(number) => {
                let Some(hex) = session.game().hex(number) else {
                    return Ok(self.refuse(jar, Notice::NoSuchHex));
                };
                match choice(&jar, &self.snapshot) {
                    None => match dice::source(session.game(), session.position(), hex) {
                        Err(notice) => Ok(self.refuse(jar, notice)),
                        Ok(()) => {
                            let jar = with_choice(jar, &self.snapshot, hex, self.visit.secure);
                            let told = Told::choosing(hex);
                            Ok(drawn(&self.snapshot, jar, StatusCode::OK, told))
                        }
                    },
                    Some(chosen) if chosen == hex => {
                        let told = Told::from(vec![BookMessage::Cancelled]);
                        Ok(drawn(
                            &self.snapshot,
                            without_choice(jar),
                            StatusCode::OK,
                            told,
                        ))
                    }
                    Some(from) => {
                        self.play(session, Action::Attack { from, to: hex }, jar)
                            .await
                    }
                }
            }
        }
    }

    /// The same page and position with a notice.
    fn refuse(&self, jar: CookieJar, notice: Notice) -> Response {
        let told = Told::remembered(&self.snapshot, &jar).but(notice);
        drawn(&self.snapshot, jar, StatusCode::CONFLICT, told)
    }

    async fn play(
        &self,
        session: &Session<DiceOfDoom>,
        action: Action,
        jar: CookieJar,
    ) -> Result<Response, Failure> {
        let claim = Claim {
            browser: self.visit.secret.as_ref().map(Secret::hash),
            token: None,
        };
        let ply = session.record().len();
        match self
            .app
            .service
            .play(self.id, claim, ply, &action.to_string())
            .await
        {
            Ok(played) => {
                let now = played.snapshot;
                let told = Told::remembered(&now, &CookieJar::new());
                Ok(drawn(&now, without_choice(jar), StatusCode::OK, told))
            }
            Err(ServiceError::Refused { why, .. }) => Ok(self.refuse(jar, views::refused(&why))),
            Err(ServiceError::Stale { snapshot }) => {
                let told = Told::remembered(&snapshot, &jar).but(Notice::StalePly);
                Ok(drawn(&snapshot, jar, StatusCode::CONFLICT, told))
            }
            Err(other) => Err(other.into()),
        }
    }

    /// One ply of the computer; nothing else is possible now.
    async fn computer(&self, asked: BookChoice, jar: CookieJar) -> Result<Response, Failure> {
        if !matches!(asked, BookChoice::Nil) {
            return Ok(self.refuse(jar, Notice::NotYourTurn));
        }
        match self
            .app
            .service
            .step(self.id, self.snapshot.live.ply())
            .await
        {
            Ok(played) => {
                let told = Told::remembered(&played.snapshot, &jar);
                Ok(drawn(
                    &played.snapshot,
                    without_choice(jar),
                    StatusCode::OK,
                    told,
                ))
            }
            Err(ServiceError::Stale { snapshot } | ServiceError::Refused { snapshot, .. }) => {
                let told = Told::remembered(&snapshot, &jar);
                Ok(drawn(&snapshot, jar, StatusCode::OK, told))
            }
            Err(other) => Err(other.into()),
        }
    }
}

/// The hex that was chosen at this ply.
fn choice(jar: &CookieJar, snapshot: &Snapshot) -> Option<Hex> {
    let (ply, hex) = jar.get(CHOICE)?.value().split_once('.')?;
    let session = snapshot.live.session::<DiceOfDoom>()?;
    let hex = session.game().hex(hex.parse().ok()?)?;
    let counts = ply.parse() == Ok(snapshot.live.ply())
        && dice::source(session.game(), session.position(), hex).is_ok();
    counts.then_some(hex)
}

fn with_choice(jar: CookieJar, snapshot: &Snapshot, hex: Hex, secure: bool) -> CookieJar {
    jar.add(plain_cookie(
        CHOICE,
        format!("{}.{hex}", snapshot.live.ply()),
        secure,
    ))
}

fn without_choice(jar: CookieJar) -> CookieJar {
    if jar.get(CHOICE).is_none() {
        return jar;
    }
    jar.remove(Cookie::build(CHOICE).path("/"))
}

/// The messages of the page.
struct Told {
    messages: Vec<BookMessage>,
    chosen: Option<Hex>,
    notice: Option<Notice>,
}

impl From<Vec<BookMessage>> for Told {
    fn from(messages: Vec<BookMessage>) -> Self {
        Told {
            messages,
            chosen: None,
            notice: None,
        }
    }
}

impl Told {
    fn choosing(hex: Hex) -> Self {
        Told {
            messages: vec![BookMessage::ChooseDestination],
            chosen: Some(hex),
            notice: None,
        }
    }

    fn but(mut self, notice: Notice) -> Self {
        self.notice = Some(notice);
        self
    }

    fn over(snapshot: &Snapshot) -> Self {
        let winners = snapshot.live.winners();
        Told::from(vec![match winners.as_slice() {
            [winner] => BookMessage::Winner {
                player: winner.number(),
            },
            tied => BookMessage::Tie {
                players: crate::faces::json::numbers(tied),
            },
        }])
    }

    /// The last message, which follows from the record alone.
    fn remembered(snapshot: &Snapshot, jar: &CookieJar) -> Self {
        if snapshot.live.is_over() {
            return Told::over(snapshot);
        }
        if let Some(hex) = choice(jar, snapshot) {
            return Told::choosing(hex);
        }
        let session = snapshot.live.session::<DiceOfDoom>();
        let Some(last) = session.and_then(|session| session.record().plies.last()) else {
            return Told::from(vec![BookMessage::ChooseSource]);
        };
        let human = snapshot
            .seat(last.player)
            .is_some_and(|seat| seat.sitter.is_human());
        let human_next = snapshot.computer_to_move().is_none();
        Told::from(match (human, last.action) {
            (true, Action::EndTurn) => vec![BookMessage::Reinforced],
            (true, Action::Attack { .. }) => {
                let rolled = last.roll.throw().map(|throw| {
                    let side = |faces: &crate::games::dice_of_doom::Faces| {
                        (faces.as_slice().len() as u8, faces.sum())
                    };
                    BookMessage::Rolled {
                        attack: side(&throw.attack),
                        defend: side(&throw.defend),
                    }
                });
                rolled.into_iter().chain([BookMessage::MayPass]).collect()
            }
            (false, _) if human_next => {
                vec![BookMessage::ComputerMoved, BookMessage::ChooseSource]
            }
            (false, _) => vec![BookMessage::ComputerMoved],
        })
    }
}

fn drawn(snapshot: &Snapshot, jar: CookieJar, status: StatusCode, told: Told) -> Response {
    let Some(session) = snapshot.live.session::<DiceOfDoom>() else {
        return Failure::from(ServiceError::Damaged).into_response();
    };
    let (game, position) = (session.game(), session.position());
    let ply = session.record().len();
    let over = snapshot.live.is_over();
    let human = snapshot.computer_to_move().is_none() && !over;
    let link_to = |chosen: &str| format!("/game.html?chosen={chosen}&ply={ply}");
    let mut board = dice::still_board(game, position);
    board.last_attack = last_attack(session);
    if human {
        let links = Links {
            source: |hex: Hex| link_to(&hex.to_string()),
            target: |_: Hex, to: Hex| link_to(&to.to_string()),
            back: told
                .chosen
                .map(|hex| link_to(&hex.to_string()))
                .unwrap_or_default(),
        };
        let chosen = told.chosen.map_or(Chosen::Nothing, Chosen::Source);
        dice::choosable(&mut board, game, position, chosen, &links);
        if let Some(chosen) = told.chosen {
            // While a destination is asked for, the book takes a click on another own hex as an attack on
            // oneself, so these hexes are no links.
            unlink_own(&mut board, position, chosen);
        }
    }
    let link = if over {
        Some(BookLink::PlayAgain("/game.html".to_owned()))
    } else if !human {
        Some(BookLink::Continue(link_to("NIL")))
    } else if game.judge(position, Action::EndTurn).is_ok() {
        Some(BookLink::Pass(link_to("pass")))
    } else {
        None
    };
    // After the human's own pass the book waits for "continue"; between computers it reloads itself.
    let computers_last = told.messages.contains(&BookMessage::ComputerMoved);
    let view = BookView {
        board,
        refresh: (!over && !human && computers_last).then(|| (PAUSE_S, link_to("NIL"))),
        messages: told.messages,
        link,
        notice: told.notice,
        mover: snapshot.live.mover().map(|player| player.number()),
        players: dice::players(snapshot, game, position, &own(snapshot)),
    };
    let site = site(Section::Elsewhere, looks::in_the_book(&jar));
    (status, jar, book_page(&site, text(), &view)).into_response()
}

fn own(snapshot: &Snapshot) -> Vec<crate::game::Player> {
    let human = |player: &crate::game::Player| {
        snapshot
            .seat(*player)
            .is_some_and(|seat| seat.sitter.is_human())
    };
    crate::game::Player::all(snapshot.live.players())
        .filter(human)
        .collect()
}

fn last_attack(session: &Session<DiceOfDoom>) -> Option<(u8, u8)> {
    match session.record().plies.last()?.action {
        Action::Attack { from, to } => Some((from.number(), to.number())),
        Action::EndTurn => None,
    }
}

fn unlink_own(board: &mut crate::templates::view::BoardView, position: &Position, chosen: Hex) {
    for (number, hex) in board.hexes.iter_mut().enumerate() {
        if hex.owner == position.player().number() && number != usize::from(chosen.number()) {
            hex.href = None;
            hex.state = crate::templates::view::HexState::Resting;
        }
    }
}
