//! What the handlers of pages share: the frame, waiting for computers, and the answer to whoever did
//! something at a table.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use maud::Markup;

use super::App;
use super::assets::Assets;
use super::base_path::HasBasePath;
use super::carry_over;
use super::error::HttpError;
use super::identity::BrowserSession;
use super::page_cache::{ConditionalRequest, PageRequest};
use super::preferences::RequestLook;
use super::seats::{self, SeatPanelState};
use super::view_models::{self, GamePageInput, HintStatus};
use crate::clock::now_ms;
use crate::game::Player;
use crate::game_adapters::{FormFields, SelectionError};
use crate::record::MAX_CONTRIBUTIONS;
use crate::seats::ComputerPace;
use crate::service::{Credentials, ServiceError, Snapshot};
use crate::templates::message::LocalizedMessage;
use crate::templates::view::{DisplayOptions, GameView, NavSection, Notice};
use crate::templates::{SiteContext, game_fragment, game_page};

/// How long a page waits for the computers before it shows the position as it is.
const PATIENCE: Duration = Duration::from_secs(1);

/// What the frame of a page needs.
pub(super) fn site(section: NavSection, look: DisplayOptions) -> SiteContext<'static> {
    SiteContext {
        section,
        assets: &Assets,
        display: look,
        origin: None,
    }
}

/// Whether this claim is to move, or the game is over.
fn awaits_reader_or_over(snapshot: &Snapshot, claim: &Credentials) -> bool {
    match snapshot.live.mover() {
        None => true,
        Some(mover) => snapshot.seats_of(claim).contains(&mover),
    }
}

/// How much of a page is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum PageScope {
    /// The whole page.
    FullPage,
    /// A script asks for the part that changes.
    Fragment,
    /// A script asks for a ply on its way to the newest position.
    TransientPly,
}

/// One request for a page of a game: who asks, for how much of it, and in which look.
pub(super) struct PageContext {
    pub(super) app: App,
    pub(super) browser: BrowserSession,
    pub(super) extent: PageScope,
    pub(super) look: DisplayOptions,
    wants: ConditionalRequest,
}

impl FromRequestParts<App> for PageContext {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Infallible> {
        let asked = parts.headers.get("x-fragment").map(HeaderValue::as_bytes);
        Ok(PageContext {
            extent: match asked {
                None => PageScope::FullPage,
                Some(b"passing") => PageScope::TransientPly,
                Some(_) => PageScope::Fragment,
            },
            app: app.clone(),
            browser: BrowserSession::from_request_parts(parts, app).await?,
            look: RequestLook::from_request_parts(parts, app).await?.0,
            wants: ConditionalRequest::from_headers(&parts.headers),
        })
    }
}

impl PageContext {
    /// What the visitor may claim who acts.
    pub(super) fn claim(&self) -> Credentials {
        self.browser.credentials()
    }

    /// The newest state; computers get a moment to finish their turns first. A script is told of every
    /// ply; only a page without one has to be shown the computers' answer.
    pub(super) async fn wait_for_computers(
        &self,
        snapshot: Arc<Snapshot>,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let claim = self.claim();
        let computers =
            snapshot.pace == ComputerPace::AtOnce && snapshot.computer_to_move().is_some();
        if self.extent != PageScope::FullPage || !computers || awaits_reader_or_over(&snapshot, &claim) {
            return Ok(snapshot);
        }
        let settled = |now: &Snapshot| awaits_reader_or_over(now, &claim) || now.computer_to_move().is_none();
        // On the heap, as what follows a refusal: most looks need neither.
        Box::pin(self.app.wait(&snapshot.id, PATIENCE, settled)).await
    }

    /// As much of a game's page as was asked for, drawn now or before.
    pub(super) async fn requested_page(
        &self,
        shown: &GamePageInput<'_>,
        view: impl FnOnce(&GamePageInput<'_>) -> Result<GameView, SelectionError>,
    ) -> Result<Response, SelectionError> {
        let asked = PageRequest {
            scope: self.extent,
            look: &self.look,
            origin: &self.browser.origin,
            conditional: &self.wants,
        };
        let draw = || {
            let page = self.get_or_render(shown.snapshot, &view(shown)?);
            Ok::<_, SelectionError>(self.app.base_path.put_into_page(page.into_string()))
        };
        let mut page = self
            .app
            .page_cache
            .get_or_render(shown, &asked, draw)
            .await?;
        page.extensions_mut().insert(HasBasePath);
        Ok(page)
    }

    /// As much of a game's page as was asked for.
    pub(super) fn get_or_render(&self, snapshot: &Snapshot, view: &GameView) -> Markup {
        let origin = self.browser.origin.as_str();
        let site = SiteContext {
            origin: (!snapshot.private).then_some(origin),
            ..site(NavSection::Play, self.look)
        };
        match self.extent {
            PageScope::FullPage => game_page(&site, self.app.text(&self.look), view),
            PageScope::Fragment | PageScope::TransientPly => {
                game_fragment(&site, self.app.text(&self.look), view)
            }
        }
    }

    /// The board as it stands; a choice that is not possible is told above it.
    pub(super) async fn page(
        &self,
        snapshot: &Snapshot,
        query: &FormFields,
    ) -> Result<Response, HttpError> {
        let seats = snapshot.seats_of(&self.claim());
        let notice = carry_over::is_offered(snapshot, &self.browser, &self.claim());
        let notice = notice.then(|| Notice::CarryOver {
            game: snapshot.id.to_string(),
        });
        let shown = self.shown(snapshot, &seats, query, notice).await?;
        match self.requested_page(&shown, view_models::game_view).await {
            Ok(page) => Ok(page),
            Err(SelectionError::Unfit(sentence)) => Err(HttpError::bad_request(sentence)),
            Err(SelectionError::Said(said)) => {
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                Box::pin(self.refused(snapshot, status, Notice::Rules(said))).await
            }
        }
    }

    /// The newest position, for this visitor.
    pub(super) async fn shown<'a>(
        &self,
        snapshot: &'a Snapshot,
        seats: &'a [Player],
        query: &'a FormFields,
        notice: Option<Notice>,
    ) -> Result<GamePageInput<'a>, HttpError> {
        Ok(GamePageInput {
            snapshot,
            seats,
            ply: None,
            query,
            notice,
            watchers: self.app.subscribers.watchers(&snapshot.id),
            ahead: self.app.turns_ahead(snapshot),
            newcomer: self.is_first_turn(snapshot, seats).await?,
            table: Some(
                SeatPanelState::load(&self.app, snapshot, seats, &self.browser, now_ms()).await?,
            ),
            hint: HintStatus::Off,
            share: None,
        })
    }

    /// Whether it is the visitor's first turn in a first game.
    async fn is_first_turn(&self, snapshot: &Snapshot, seats: &[Player]) -> Result<bool, HttpError> {
        let live = &snapshot.live;
        let first = live
            .mover()
            .is_some_and(|mover| seats.contains(&mover) && live.is_first_turn(mover));
        match self.claim().browser {
            Some(browser) if first => {
                let newcomers = &self.app.first_games;
                let service = &self.app.service;
                Ok(newcomers.is_first_game(service, browser, &snapshot.id).await?)
            }
            _ => Ok(false),
        }
    }

    /// The board as it is, and above it why something was not done.
    pub(super) async fn refused(
        &self,
        snapshot: &Snapshot,
        status: StatusCode,
        notice: Notice,
    ) -> Result<Response, HttpError> {
        let seats = snapshot.seats_of(&self.claim());
        let nothing = FormFields::default();
        let shown = self.shown(snapshot, &seats, &nothing, Some(notice));
        let view = view_models::game_view(&shown.await?).map_err(HttpError::from)?;
        Ok((status, self.get_or_render(snapshot, &view)).into_response())
    }

    /// Back to the board, whose page waits for the computers; what was refused is told above it.
    pub(super) async fn redirect_to_game(
        self,
        result: Result<Arc<Snapshot>, ServiceError>,
    ) -> Result<Response, HttpError> {
        let (snapshot, status, notice) = match result {
            Ok(snapshot) => {
                let game = Redirect::to(&format!("/g/{}", snapshot.id));
                return Ok((self.browser.renewed_cookies(), game).into_response());
            }
            Err(ServiceError::NotYourSeat { snapshot }) => {
                (snapshot, StatusCode::FORBIDDEN, Notice::NotYourSeat)
            }
            Err(ServiceError::Stale { snapshot }) => {
                (snapshot, StatusCode::CONFLICT, Notice::StalePly)
            }
            Err(ServiceError::Refused { why, snapshot }) => {
                let notice = view_models::refused(why);
                let status = match notice {
                    Notice::GameOver | Notice::NotYourTurn => StatusCode::CONFLICT,
                    _ => StatusCode::UNPROCESSABLE_ENTITY,
                };
                (snapshot, status, notice)
            }
            Err(ServiceError::SeatRefused { why, snapshot }) => {
                let said = seats::seat_problem(why);
                (snapshot, said.problem.status(), Notice::Seat(said.notice))
            }
            Err(ServiceError::TakebackRefused { why, snapshot }) => {
                let (problem, said) = view_models::no_takeback(why);
                (snapshot, problem.status(), Notice::Rules(said))
            }
            Err(ServiceError::EntropyRevealDue { snapshot }) => {
                let said = LocalizedMessage::new("notice-words-awaited");
                (snapshot, StatusCode::CONFLICT, Notice::Rules(said))
            }
            Err(ServiceError::EntropyRejected { why, snapshot }) => {
                let said = LocalizedMessage::new(super::dice_page::entropy_rejection_key(why));
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                (snapshot, status, Notice::Rules(said))
            }
            Err(ServiceError::EnoughWords { snapshot }) => {
                let said =
                    LocalizedMessage::new("notice-enough-words").with_value("most", MAX_CONTRIBUTIONS);
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                (snapshot, status, Notice::Rules(said))
            }
            Err(other) => return Err(other.into()),
        };
        // A browser without a secret is not forbidden but unauthorized: it may still get a seat.
        let status = match (status, self.claim().browser) {
            (StatusCode::FORBIDDEN, None) => StatusCode::UNAUTHORIZED,
            _ => status,
        };
        self.refused(&snapshot, status, notice).await
    }
}
