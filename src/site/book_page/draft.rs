//! A deal that a browser is shown before it has a game. It is stored only in a cookie of the browser, as its seed. The
//! first choice turns it into a game.
//!
//! The cookie is not signed, because another seed has no advantage: the form on the start page accepts any seed too,
//! and dice do not depend on it.

use axum::response::{IntoResponse, Response};
use axum_extra::extract::cookie::{Cookie, CookieJar};

use super::{BookChoice, BookPageMessages, BookPageRequest, BookStep, render_page, without_choice};
use crate::games::StartPosition;
use crate::games::book_page::{BookGame, BookPrompt};
use crate::http::error::HttpError;
use crate::seats::{ComputerPace, SeatSpec};
use crate::secret::Secret;
use crate::site::shared::app::App;
use crate::site::shared::identity::{CookieScope, SecretCookie};
use crate::site::shared::limits::GAME_BYTES;
use crate::site::shared::rejections;
use crate::tables::{GameCreator, NewGame, ServiceError, Snapshot};
use crate::templates::prompt::Notice;

/// The cookie with the seed of the deal shown last.
const DEAL_COOKIE: &str = "dod_deal";

/// The seed that came with a request.
pub(super) fn deal_seed(jar: &CookieJar) -> Option<u64> {
    jar.get(DEAL_COOKIE)?.value().parse().ok()
}

/// Removes the deal from the cookies: the browser has a game.
pub(super) fn without_deal(jar: CookieJar, scope: &CookieScope) -> CookieJar {
    if jar.get(DEAL_COOKIE).is_none() {
        return jar;
    }
    jar.remove(Cookie::build(DEAL_COOKIE).path(scope.path()))
}

/// Handles a request of a browser without a game in progress, before or at its first choice. `ply` is the one for which
/// the choice was meant.
pub(super) async fn handle(
    app: &App,
    game: BookGame,
    visit: BookPageRequest,
    choice: BookChoice,
    ply: Option<u32>,
) -> Result<Response, HttpError> {
    let Some(seed) = deal_seed(&visit.jar) else {
        // Links of the page contain a ply: the page was visited before, but its cookies were not stored.
        let cookies_refused = visit.secret.is_none() && ply.is_some();
        let notice = cookies_refused.then_some(Notice::NoCookies);
        return BookDeal::new(app, game, app.service.environment().random_number(), visit)?
            .show(notice);
    };
    let deal = BookDeal::new(app, game, seed, visit)?;
    match choice {
        BookChoice::Nothing | BookChoice::Nil => deal.show(None),
        _ if ply.is_some_and(|ply| ply != 0) => deal.show_conflict(Notice::StalePly),
        choice => match deal.check_choice(&choice)? {
            Some(why) => deal.show_conflict(why),
            None => deal.create_game(choice).await,
        },
    }
}

/// A deal that is shown but not stored.
struct BookDeal<'a> {
    app: &'a App,
    visit: BookPageRequest,
    new: NewGame,
    /// The position if the deal becomes a game.
    snapshot: Snapshot,
}

impl<'a> BookDeal<'a> {
    fn new(
        app: &'a App,
        game: BookGame,
        seed: u64,
        visit: BookPageRequest,
    ) -> Result<Self, HttpError> {
        let (secret, jar) = match visit.secret {
            Some(secret) => (secret, visit.jar),
            None => {
                let secret = Secret::random();
                let cookie = SecretCookie::Book.cookie(&secret, &visit.cookies);
                (secret, visit.jar.add(cookie))
            }
        };
        let seat_specs = SeatSpec::default_seats(game.setting.players()).collect();
        let new = NewGame {
            pace: ComputerPace::OnRequest,
            creator: GameCreator::BookPage(secret.clone()),
            client_network: Some(visit.client_network),
            ..NewGame::new(game.setting, StartPosition::Dealt(seed), seat_specs)
        };
        let snapshot = app.service.draft_game(&new)?;
        let jar = jar.add(visit.cookies.cookie(DEAL_COOKIE, seed.to_string()));
        let visit = BookPageRequest {
            secret: Some(secret),
            jar: without_choice(jar, &visit.cookies),
            ..visit
        };
        Ok(BookDeal {
            app,
            visit,
            new,
            snapshot,
        })
    }

    fn show(self, notice: Option<Notice>) -> Result<Response, HttpError> {
        let messages = BookPageMessages {
            notice,
            ..BookPageMessages::prompt(BookPrompt::Choose)
        };
        render_page(
            self.app,
            &self.snapshot,
            self.visit.display,
            self.visit.jar,
            messages,
        )
    }

    /// Responds with the same deal and a notice.
    fn show_conflict(self, notice: Notice) -> Result<Response, HttpError> {
        let messages = BookPageMessages::prompt(BookPrompt::Choose).error_notice(notice);
        render_page(
            self.app,
            &self.snapshot,
            self.visit.display,
            self.visit.jar,
            messages,
        )
    }

    /// Checks the first choice; `Some` is the notice why it is illegal.
    fn check_choice(&self, choice: &BookChoice) -> Result<Option<Notice>, HttpError> {
        let live = &self.snapshot.live;
        let page = live.book_page().ok_or(ServiceError::Damaged)?;
        Ok(match choice {
            BookChoice::Place(place) => page.choose(*place).err().map(Notice::Rules),
            BookChoice::Pass => {
                let legality = live.find_action(live.entry_count(), &page.pass());
                legality.err().map(rejections::rejection_notice)
            }
            BookChoice::Nothing | BookChoice::Nil => None,
        })
    }

    /// Creates a game from the deal and applies the choice. Counts against the limit of new games.
    async fn create_game(self, choice: BookChoice) -> Result<Response, HttpError> {
        let BookDeal {
            app, visit, new, ..
        } = self;
        let permitted = app.limits.games.try_acquire(&visit.client);
        let permitted = permitted.and_then(|()| {
            app.limits
                .stored_bytes
                .try_acquire_many(&visit.client, GAME_BYTES)
        });
        if let Err(rejection) = permitted {
            return Ok(rejection.into_response());
        }
        let id = app.service.create(new).await?.snapshot.id.clone();
        let table = app.service.snapshot_for_player(&id).await?;
        table.mark_viewed(&visit.credentials());
        let mut jar = without_deal(visit.jar, &visit.cookies);
        if let Some(secret) = &visit.secret {
            jar = jar.add(SecretCookie::Book.cookie(secret, &visit.cookies));
        }
        let visit = BookPageRequest { jar, ..visit };
        BookStep { app, visit, table }.take(choice).await
    }
}
