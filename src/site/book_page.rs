//! `/game.html`: the page of the book (Land of Lisp, chapters 19 and 20), with one game per browser.
//!
//! As in the book, moves are made by following links. This is safe nevertheless: a link only affects the browser's own
//! book game, which is identified by a `SameSite=Strict` cookie; links from other sites, prefetches and stale links
//! have no effect. The chosen hex, a global variable in the book, is a second cookie that is valid only at the ply at
//! which it was chosen.
//!
//! Before the first choice there is no stored game, only a [`draft`].
//!
//! The game, its messages and its rendering come from the game type with a
//! [`BookPage`](crate::games::book_page::BookPage).

use axum::Router;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum_extra::extract::cookie::{Cookie, CookieJar};
use serde::Deserialize;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

mod draft;

use super::game_view;
use super::shared::app::App;
use super::shared::identity::{CookieScope, SecretCookie, client_network, cookie_jar};
use super::shared::limits::PLY_BYTES;
use super::shared::{display_options, rejections};
use crate::game::Player;
use crate::games::SubmittedAction;
use crate::games::book_page::{BookPageInput, BookPrompt};
use crate::http::client::Client;
use crate::http::error::HttpError;
use crate::seats::Credentials;
use crate::secret::Secret;
use crate::site::shared::form::Query;
use crate::site::shared::limits::RouteLimits;
use crate::tables::{ClientNetwork, ServiceError, Snapshot, TableRef};
use crate::templates::page::NavSection;
use crate::templates::preferences::DisplayOptions;
use crate::templates::prompt::Notice;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new().route("/game.html", limits.moving(get(page)))
}

/// How long the page waits for a computer player before it shows that it is thinking.
const COMPUTER_TIMEOUT: Duration = Duration::from_secs(2);

/// The cookie with the chosen hex, as `ply.hex`.
const CHOICE_COOKIE: &str = "dod_choice";

#[derive(Deserialize, Default)]
pub(super) struct BookQuery {
    chosen: Option<String>,
    ply: Option<u32>,
}

/// A request for the book's page.
pub(super) struct BookPageRequest {
    client: Client,
    secret: Option<Secret>,
    cookies: CookieScope,
    display: DisplayOptions,
    jar: CookieJar,
    client_network: ClientNetwork,
    /// Whether it comes from another site.
    foreign: bool,
    /// Whether the browser only prefetches the page.
    prefetch: bool,
}

impl<S: Send + Sync> FromRequestParts<S> for BookPageRequest {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        let cookies = CookieScope::of(parts);
        Ok(BookPageRequest {
            client: parts.extensions.get().copied().unwrap_or(Client::UNKNOWN),
            secret: SecretCookie::Book.read(&parts.headers, &cookies),
            cookies,
            display: display_options::book_page_options(&parts.headers),
            client_network: client_network(parts),
            foreign: is_foreign(&parts.headers),
            prefetch: is_prefetch(&parts.headers),
            jar: cookie_jar(&parts.headers),
        })
    }
}

impl BookPageRequest {
    fn credentials(&self) -> Credentials {
        Credentials {
            browser: self.secret.as_ref().map(Secret::hash),
            client_network: Some(self.client_network),
            ..Credentials::default()
        }
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

/// The parameter `chosen`.
enum BookChoice {
    Nothing,
    Nil,
    Pass,
    Place(u8),
}

impl BookChoice {
    fn parse(query: &BookQuery) -> Result<Self, HttpError> {
        match query.chosen.as_deref() {
            None => Ok(BookChoice::Nothing),
            Some("NIL" | "nil") => Ok(BookChoice::Nil),
            Some("pass") => Ok(BookChoice::Pass),
            Some(text) => text
                .parse()
                .map(BookChoice::Place)
                .map_err(|_| HttpError::bad_request("chosen is the number of a hex, pass or NIL")),
        }
    }
}

/// `GET /game.html`
async fn page(
    State(app): State<App>,
    mut visit: BookPageRequest,
    Query(query): Query<BookQuery>,
) -> Result<Response, HttpError> {
    let game = app
        .service
        .games()
        .book()
        .ok_or_else(HttpError::not_found)?;
    if visit.prefetch {
        return Err(HttpError::prefetch());
    }
    if visit.foreign {
        if query.chosen.is_some() {
            return Err(HttpError::cross_site());
        }
        // The strict cookie is not sent with cross-site requests, so the browser is unknown: it gets a page with a link
        // to itself, and no cookie.
        let site = app.site(NavSection::Elsewhere, visit.display);
        return Ok((game.entry_page)(&site, app.text(&visit.display)).into_response());
    }
    let choice = BookChoice::parse(&query)?;
    let game_id = match &visit.secret {
        Some(secret) => app.service.store().book_page_game(&secret.hash()).await?,
        None => None,
    };
    let Some(id) = game_id else {
        return draft::handle(&app, game, visit, choice, query.ply).await;
    };
    let table = app.service.snapshot_for_player(&id).await?;
    table.mark_viewed(&visit.credentials());
    let snapshot = &table.snapshot;
    let over = snapshot.live.is_over();
    if over {
        let is_plain_view = matches!(choice, BookChoice::Nothing);
        return if is_plain_view || draft::deal_seed(&visit.jar).is_some() {
            draft::handle(&app, game, visit, choice, query.ply).await
        } else {
            render_page(
                &app,
                snapshot,
                visit.display,
                visit.jar,
                BookPageMessages::newest(),
            )
        };
    }
    visit.jar = draft::without_deal(visit.jar, &visit.cookies);
    match choice {
        BookChoice::Nothing if app.service.is_computing(&id) => {
            let ply = snapshot.live.entry_count();
            let is_played = |now: &Snapshot| now.live.entry_count() > ply || now.live.is_over();
            let credentials = visit.credentials();
            let now = app
                .wait(&id, &credentials, COMPUTER_TIMEOUT, is_played)
                .await?;
            let messages = if now.live.entry_count() == ply && app.service.is_computing(&id) {
                BookPageMessages::prompt(BookPrompt::Thinking)
            } else {
                BookPageMessages::last_message(&now, &visit.jar)
            };
            render_page(&app, &now, visit.display, visit.jar, messages)
        }
        BookChoice::Nothing => {
            let messages = BookPageMessages::last_message(snapshot, &visit.jar);
            render_page(&app, snapshot, visit.display, visit.jar, messages)
        }
        _ if query
            .ply
            .is_some_and(|ply| ply != snapshot.live.entry_count()) =>
        {
            let messages =
                BookPageMessages::last_message(snapshot, &visit.jar).error_notice(Notice::StalePly);
            render_page(&app, snapshot, visit.display, visit.jar, messages)
        }
        choice => {
            let step = BookStep {
                app: &app,
                visit,
                table,
            };
            step.take(choice).await
        }
    }
}

/// A step of a book game in progress.
struct BookStep<'a> {
    app: &'a App,
    visit: BookPageRequest,
    table: TableRef,
}

impl BookStep<'_> {
    async fn take(mut self, requested: BookChoice) -> Result<Response, HttpError> {
        if let Err(rejection) = self
            .app
            .limits
            .stored_bytes
            .try_acquire_many(&self.visit.client, PLY_BYTES)
        {
            return Ok(rejection.into_response());
        }
        let jar = std::mem::take(&mut self.visit.jar);
        let snapshot = Arc::clone(&self.table.snapshot);
        if snapshot.computer_to_move().is_some() {
            return self.play_computer_ply(requested, jar).await;
        }
        let page = snapshot.live.book_page().ok_or(ServiceError::Damaged)?;
        let action = match (requested, choice(&jar, &snapshot)) {
            (BookChoice::Nothing | BookChoice::Nil, _) => {
                return self.deselect(jar, BookPrompt::Choose);
            }
            (BookChoice::Pass, _) => Ok(page.pass()),
            (BookChoice::Place(place), Some(chosen)) if chosen == place => {
                return self.deselect(jar, BookPrompt::Cancelled);
            }
            (BookChoice::Place(place), Some(from)) => Ok(page.attack(from, place)),
            (BookChoice::Place(place), None) => match page.choose(place) {
                Ok(()) => {
                    let jar = with_choice(jar, &snapshot, place, &self.visit.cookies);
                    let messages = BookPageMessages::prompt(BookPrompt::Chosen(place));
                    return render_page(self.app, &snapshot, self.visit.display, jar, messages);
                }
                Err(message) => Err(message),
            },
        };
        match action {
            Ok(action) => self.play(action, jar).await,
            Err(message) => self.show_conflict(jar, Notice::Rules(message)),
        }
    }

    fn deselect(&self, jar: CookieJar, prompt: BookPrompt) -> Result<Response, HttpError> {
        let (snapshot, jar) = (
            &self.table.snapshot,
            without_choice(jar, &self.visit.cookies),
        );
        render_page(
            self.app,
            snapshot,
            self.visit.display,
            jar,
            BookPageMessages::prompt(prompt),
        )
    }

    /// Responds with the same position and a notice.
    fn show_conflict(&self, jar: CookieJar, notice: Notice) -> Result<Response, HttpError> {
        let snapshot = &self.table.snapshot;
        let messages = BookPageMessages::last_message(snapshot, &jar).error_notice(notice);
        render_page(self.app, snapshot, self.visit.display, jar, messages)
    }

    async fn play(&self, action: SubmittedAction, jar: CookieJar) -> Result<Response, HttpError> {
        let (service, credentials) = (&self.app.service, self.visit.credentials());
        let ply = self.table.snapshot.live.entry_count();
        match service.play_at(&self.table, credentials, ply, action).await {
            Ok(result) => {
                let (now, jar) = (result.snapshot, without_choice(jar, &self.visit.cookies));
                render_page(
                    self.app,
                    &now,
                    self.visit.display,
                    jar,
                    BookPageMessages::newest(),
                )
            }
            Err(ServiceError::ActionRejected { why, .. }) => {
                self.show_conflict(jar, rejections::rejection_notice(why))
            }
            Err(ServiceError::Stale { snapshot }) => {
                let messages =
                    BookPageMessages::last_message(&snapshot, &jar).error_notice(Notice::StalePly);
                render_page(self.app, &snapshot, self.visit.display, jar, messages)
            }
            Err(other) => Err(other.into()),
        }
    }

    /// Plays one ply of the computer; no other action is possible now.
    async fn play_computer_ply(
        &self,
        choice: BookChoice,
        jar: CookieJar,
    ) -> Result<Response, HttpError> {
        if !matches!(choice, BookChoice::Nil) {
            return self.show_conflict(jar, Notice::NotYourTurn);
        }
        let snapshot = &self.table.snapshot;
        let result = self
            .app
            .service
            .play_computer_ply(&snapshot.id, snapshot.live.entry_count());
        let Some(result) = self.app.within(COMPUTER_TIMEOUT, result).await else {
            // The ply is still computed, and shown on the next request.
            let messages = BookPageMessages::prompt(BookPrompt::Thinking);
            return render_page(self.app, snapshot, self.visit.display, jar, messages);
        };
        match result {
            Ok(played) => {
                let messages = BookPageMessages::last_message(&played.snapshot, &jar);
                let jar = without_choice(jar, &self.visit.cookies);
                render_page(
                    self.app,
                    &played.snapshot,
                    self.visit.display,
                    jar,
                    messages,
                )
            }
            Err(
                ServiceError::Stale { snapshot } | ServiceError::ActionRejected { snapshot, .. },
            ) => {
                let messages = BookPageMessages::last_message(&snapshot, &jar);
                render_page(self.app, &snapshot, self.visit.display, jar, messages)
            }
            Err(other) => Err(other.into()),
        }
    }
}

/// The hex chosen at the current ply, if it may still be chosen.
fn choice(jar: &CookieJar, snapshot: &Snapshot) -> Option<u8> {
    let (ply, place) = jar.get(CHOICE_COOKIE)?.value().split_once('.')?;
    let place = place.parse().ok()?;
    let is_valid = ply.parse() == Ok(snapshot.live.entry_count())
        && snapshot.live.book_page()?.choose(place).is_ok();
    is_valid.then_some(place)
}

fn with_choice(jar: CookieJar, snapshot: &Snapshot, place: u8, scope: &CookieScope) -> CookieJar {
    let choice = format!("{}.{place}", snapshot.live.entry_count());
    jar.add(scope.cookie(CHOICE_COOKIE, choice))
}

fn without_choice(jar: CookieJar, scope: &CookieScope) -> CookieJar {
    if jar.get(CHOICE_COOKIE).is_none() {
        return jar;
    }
    jar.remove(Cookie::build(CHOICE_COOKIE).path(scope.path()))
}

struct BookPageMessages {
    prompt: BookPrompt,
    notice: Option<Notice>,
    status: StatusCode,
}

impl BookPageMessages {
    fn prompt(prompt: BookPrompt) -> Self {
        BookPageMessages {
            prompt,
            notice: None,
            status: StatusCode::OK,
        }
    }

    /// The newest message, which depends on the record alone.
    fn newest() -> Self {
        BookPageMessages::prompt(BookPrompt::Newest)
    }

    /// The newest message, or the one for the stored choice.
    fn last_message(snapshot: &Snapshot, jar: &CookieJar) -> Self {
        let stored = choice(jar, snapshot).filter(|_| !snapshot.live.is_over());
        BookPageMessages::prompt(stored.map_or(BookPrompt::Newest, BookPrompt::Chosen))
    }

    fn error_notice(mut self, notice: Notice) -> Self {
        self.notice = Some(notice);
        self.status = StatusCode::CONFLICT;
        self
    }
}

fn render_page(
    app: &App,
    snapshot: &Snapshot,
    display: DisplayOptions,
    jar: CookieJar,
    messages: BookPageMessages,
) -> Result<Response, HttpError> {
    let page = snapshot.live.book_page().ok_or(ServiceError::Damaged)?;
    let people = people(snapshot);
    let input = BookPageInput {
        prompt: messages.prompt,
        notice: messages.notice,
        people: &people,
        players: game_view::still(snapshot, &people).1,
    };
    let site = app.site(NavSection::Elsewhere, display);
    let page = page.page(&site, app.text(&display), &input);
    Ok((messages.status, jar, page).into_response())
}

fn people(snapshot: &Snapshot) -> Vec<Player> {
    let is_person = |player: &Player| {
        let seat = snapshot.seat(*player);
        seat.is_some_and(|seat| seat.occupant.is_human())
    };
    let players = Player::all(snapshot.live.players());
    players.filter(is_person).collect()
}
