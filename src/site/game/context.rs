//! Pages of a game: waiting for computer players, the page of a position, and the response to actions.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};

use crate::game::Player;
use crate::games::{ActionError, FormError, FormFields};
use crate::http::error::HttpError;
use crate::seats::{ComputerPace, Credentials};
use crate::site::daily;
use crate::site::game::first_game::FirstGameCache;
use crate::site::game::next_steps;
use crate::site::game_view::seat_panel::SeatPanelState;
use crate::site::game_view::{self, GamePageInput, HintStatus, PageScope};
use crate::site::open_tables;
use crate::site::shared::app::App;
use crate::site::shared::identity::BrowserSession;
use crate::site::shared::page_cache::PageRequest;
use crate::site::shared::rejections;
use crate::tables::{PhraseError, ServiceError, Snapshot};
use crate::templates::message::LocalizedMessage;
use crate::templates::preferences::DisplayOptions;
use crate::templates::prompt::Notice;

/// How long a page waits for computer players before it shows the current position.
const COMPUTER_TIMEOUT: Duration = Duration::from_secs(1);

/// Whether it is the turn of these credentials, or the game is over.
fn awaits_reader_or_over(snapshot: &Snapshot, credentials: &Credentials) -> bool {
    match snapshot.live.mover() {
        None => true,
        Some(mover) => snapshot.seats_of(credentials).contains(&mover),
    }
}

/// A request for a page of a game.
pub(in crate::site) struct PageContext {
    pub(in crate::site) app: App,
    pub(in crate::site) browser: BrowserSession,
    pub(in crate::site) scope: PageScope,
    pub(in crate::site) display: DisplayOptions,
    pub(in crate::site) request: PageRequest,
}

impl FromRequestParts<App> for PageContext {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Infallible> {
        let request = PageRequest::from_request_parts(parts, app).await?;
        let browser = BrowserSession::from_request_parts(parts, app).await?;
        let fragment = parts.headers.get("x-fragment").map(HeaderValue::as_bytes);
        Ok(PageContext {
            scope: match fragment {
                None => PageScope::FullPage,
                Some(b"passing") => PageScope::TransientPly,
                Some(_) => PageScope::Fragment,
            },
            app: app.clone(),
            browser,
            display: request.display,
            request,
        })
    }
}

impl PageContext {
    /// The credentials for actions.
    pub(in crate::site) fn credentials(&self) -> Credentials {
        self.browser.credentials()
    }

    /// The newest state; waits a moment for computer players to finish their turns. Scripts are notified of each ply,
    /// so only full pages wait.
    pub(in crate::site) async fn wait_for_computers(
        &self,
        snapshot: Arc<Snapshot>,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let credentials = self.credentials();
        let computer_to_move =
            snapshot.pace == ComputerPace::AtOnce && snapshot.computer_to_move().is_some();
        if self.scope != PageScope::FullPage
            || !computer_to_move
            || awaits_reader_or_over(&snapshot, &credentials)
        {
            return Ok(snapshot);
        }
        let condition = |now: &Snapshot| {
            awaits_reader_or_over(now, &credentials) || now.computer_to_move().is_none()
        };
        // Boxed, because most requests do not wait.
        let waited = self
            .app
            .wait(&snapshot.id, &credentials, COMPUTER_TIMEOUT, condition);
        Box::pin(waited).await
    }

    /// The requested part of a game's page, cached or rendered now.
    pub(in crate::site) fn respond(
        &self,
        input: &GamePageInput<'_>,
    ) -> Result<Response, FormError> {
        self.request.respond(input)
    }

    /// The page of the current position; an invalid selection is reported above the board.
    pub(in crate::site) async fn page(
        &self,
        snapshot: &Snapshot,
        query: &FormFields,
    ) -> Result<Response, HttpError> {
        let seats = snapshot.seats_of(&self.credentials());
        let notice = self.browser.took_without_tls(snapshot);
        let carry_over = notice.then(|| Notice::CarryOver {
            game: snapshot.id.to_string(),
        });
        let freed = snapshot.was_freed(&self.credentials());
        let freed = freed.then(|| Notice::Rules(LocalizedMessage::new("notice-seat-freed")));
        let notice = carry_over.or(freed);
        let input = self.page_input(snapshot, &seats, query, notice).await?;
        match self.respond(&input) {
            Ok(page) => Ok(page),
            Err(FormError::Invalid(sentence)) => Err(HttpError::bad_request(sentence)),
            Err(FormError::Explained(message)) => {
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                Box::pin(self.rejection_page(snapshot, status, Notice::Rules(message))).await
            }
        }
    }

    /// The page input for the newest position and this visitor.
    pub(in crate::site) async fn page_input<'a>(
        &self,
        snapshot: &'a Snapshot,
        seats: &'a [Player],
        query: &'a FormFields,
        notice: Option<Notice>,
    ) -> Result<GamePageInput<'a>, HttpError> {
        let service = &self.app.service;
        let listed = open_tables::mark_creator_seen(service, snapshot, &self.credentials()).await?;
        Ok(GamePageInput {
            scope: self.scope,
            snapshot,
            seats,
            ply: None,
            query,
            notice,
            watchers: self.app.limits.subscribers.watchers(&snapshot.id),
            ahead: self.app.turns_ahead(snapshot),
            newcomer: self.is_first_turn(snapshot, seats).await?,
            table: Some(
                SeatPanelState::load(
                    &self.app,
                    snapshot,
                    seats,
                    &self.browser,
                    listed,
                    self.app.service.now_ms(),
                )
                .await?,
            ),
            hint: HintStatus::Off,
            clock: game_view::clock(snapshot, self.app.service.now_ms()),
            phrases: game_view::phrases(snapshot, seats, self.app.service.now_ms()),
            share: snapshot
                .live
                .is_over()
                .then(|| self.browser.link_origin.link_base(&self.browser.origin)),
            // Boxed, because most pages are of games in progress.
            next_steps: match snapshot.live.is_over() && !seats.is_empty() {
                true => Some(
                    Box::pin(next_steps::load(&self.app, &self.browser, snapshot, seats)).await?,
                ),
                false => None,
            },
        })
    }

    /// Whether it is the visitor's first turn in their first game.
    async fn is_first_turn(
        &self,
        snapshot: &Snapshot,
        seats: &[Player],
    ) -> Result<bool, HttpError> {
        let live = &snapshot.live;
        let is_first_turn = live
            .mover()
            .is_some_and(|mover| seats.contains(&mover) && live.is_first_turn(mover));
        match self.credentials().browser {
            Some(browser) if is_first_turn => {
                let newcomers = self.app.state::<FirstGameCache>();
                let service = &self.app.service;
                Ok(newcomers
                    .is_first_game(service, browser, &snapshot.id)
                    .await?)
            }
            _ => Ok(false),
        }
    }

    /// The page of the current position, with the reason why something was not done.
    pub(in crate::site) async fn rejection_page(
        &self,
        snapshot: &Snapshot,
        status: StatusCode,
        notice: Notice,
    ) -> Result<Response, HttpError> {
        let seats = snapshot.seats_of(&self.credentials());
        let query = FormFields::default();
        let input = self.page_input(snapshot, &seats, &query, Some(notice));
        Ok((status, Html(self.request.render(&input.await?)?)).into_response())
    }

    /// Redirects to the game's page after an action, or shows why it was rejected.
    pub(in crate::site) async fn redirect_to_game(
        self,
        result: Result<Arc<Snapshot>, ServiceError>,
    ) -> Result<Response, HttpError> {
        let (snapshot, status, notice) = match result {
            Ok(snapshot) => {
                // A script shows the end of the game first.
                let result = match self.scope {
                    PageScope::FullPage => {
                        daily::result_path(&self.app, &snapshot, &self.credentials()).await?
                    }
                    PageScope::Fragment | PageScope::TransientPly => None,
                };
                let path = result.unwrap_or_else(|| format!("/g/{}", snapshot.id));
                let game = self.app.redirect(&path);
                return Ok((self.browser.renewed_cookies(), game).into_response());
            }
            Err(ServiceError::NotYourSeat { snapshot }) => {
                (snapshot, StatusCode::FORBIDDEN, Notice::NotYourSeat)
            }
            Err(ServiceError::Stale { snapshot }) => {
                (snapshot, StatusCode::CONFLICT, Notice::StalePly)
            }
            Err(
                error @ ServiceError::ActionRejected {
                    why: ActionError::Malformed(_) | ActionError::Impossible(_),
                    ..
                },
            ) => return Err(error.into()),
            Err(ServiceError::ActionRejected { why, snapshot }) => {
                let notice = rejections::rejection_notice(why);
                let status = match notice {
                    Notice::GameOver | Notice::NotYourTurn => StatusCode::CONFLICT,
                    _ => StatusCode::UNPROCESSABLE_ENTITY,
                };
                (snapshot, status, notice)
            }
            Err(ServiceError::SeatChangeRejected { why, snapshot }) => {
                let problem = rejections::seat_problem(why);
                (
                    snapshot,
                    problem.problem.status(),
                    Notice::Seat(problem.notice),
                )
            }
            Err(ServiceError::TakebackRejected { why, snapshot }) => {
                let (problem, message) = rejections::takeback_problem(why);
                (snapshot, problem.status(), Notice::Rules(message))
            }
            Err(ServiceError::PhraseRejected { why, snapshot }) => {
                let (status, key) = match why {
                    PhraseError::TooSoon => (StatusCode::TOO_MANY_REQUESTS, "notice-phrase-soon"),
                    PhraseError::Alone => (StatusCode::UNPROCESSABLE_ENTITY, "notice-phrase-alone"),
                };
                let message = LocalizedMessage::new(key);
                (snapshot, status, Notice::Rules(message))
            }
            Err(ServiceError::NotStarted { snapshot }) => {
                let message = LocalizedMessage::new("error-waiting");
                (snapshot, StatusCode::CONFLICT, Notice::Rules(message))
            }
            Err(ServiceError::EntropyRevealDue { snapshot }) => {
                let message = LocalizedMessage::new("notice-words-awaited");
                (snapshot, StatusCode::CONFLICT, Notice::Rules(message))
            }
            Err(ServiceError::EntropyRejected { why, snapshot }) => {
                let message = LocalizedMessage::new(rejections::entropy_rejection_key(why));
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                (snapshot, status, Notice::Rules(message))
            }
            Err(other) => return Err(other.into()),
        };
        // Without a secret the status is 401 instead of 403: the browser may still get a seat.
        let status = match (status, self.credentials().browser) {
            (StatusCode::FORBIDDEN, None) => StatusCode::UNAUTHORIZED,
            _ => status,
        };
        self.rejection_page(&snapshot, status, notice).await
    }
}
