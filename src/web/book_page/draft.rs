//! The deal that a browser is shown before it has a game: kept nowhere but in a cookie of that browser,
//! as the number it was dealt from. The first choice makes a game of it.
//!
//! The cookie is not signed, because there is nothing to win by another number: the form on the start
//! page takes any number, too, and no dice follow from it.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum_extra::extract::cookie::{Cookie, CookieJar};

use super::{BookChoice, BookPageMessages, BookPageRequest, BookStep, drawn, without_choice};
use crate::game_adapters::StartPosition;
use crate::game_adapters::book_page::{BookGame, BookPrompt};
use crate::seats::{ComputerPace, SeatSpec};
use crate::secret::Secret;
use crate::service::{GameCreator, NewGame, ServiceError, Snapshot};
use crate::templates::view::Notice;
use crate::web::error::HttpError;
use crate::web::identity::{SecretCookie, plain_cookie};
use crate::web::{App, GAME_BYTES, view_models};

/// The number that the deal shown last comes from.
const DEAL: &str = "dod_deal";

/// The deal that came with a request.
pub(super) fn remembered(jar: &CookieJar) -> Option<u64> {
    jar.get(DEAL)?.value().parse().ok()
}

/// A jar without the deal: the browser has a game.
pub(super) fn without(jar: CookieJar) -> CookieJar {
    if jar.get(DEAL).is_none() {
        return jar;
    }
    jar.remove(Cookie::build(DEAL).path("/"))
}

/// A browser without a game that goes on, before or at its first choice. `ply` is the one at which the
/// choice was meant.
pub(super) async fn visit(
    app: &App,
    game: BookGame,
    visit: BookPageRequest,
    asked: BookChoice,
    ply: Option<u32>,
) -> Result<Response, HttpError> {
    let Some(seed) = remembered(&visit.jar) else {
        // A link of the page has a ply: it was followed, and the cookies that came with the page are not there.
        let forgot = visit.secret.is_none() && ply.is_some();
        let notice = forgot.then_some(Notice::NoCookies);
        return BookDeal::of(app, game, rand::random(), visit)?.show(notice);
    };
    let deal = BookDeal::of(app, game, seed, visit)?;
    match asked {
        BookChoice::Nothing | BookChoice::Nil => deal.show(None),
        _ if ply.is_some_and(|ply| ply != 0) => deal.refuse(Notice::StalePly),
        asked => match deal.judge(&asked)? {
            Some(why) => deal.refuse(why),
            None => deal.keep(asked).await,
        },
    }
}

/// A deal that is shown and not kept.
struct BookDeal<'a> {
    app: &'a App,
    visit: BookPageRequest,
    new: NewGame,
    /// How the game stands if it is kept.
    snapshot: Snapshot,
}

impl<'a> BookDeal<'a> {
    fn of(
        app: &'a App,
        game: BookGame,
        seed: u64,
        visit: BookPageRequest,
    ) -> Result<Self, HttpError> {
        let (secret, jar) = match visit.secret {
            Some(secret) => (secret, visit.jar),
            None => {
                let secret = Secret::random();
                let cookie = SecretCookie::Book.cookie(&secret, visit.secure);
                (secret, visit.jar.add(cookie))
            }
        };
        let sitters = SeatSpec::usual(game.setting.players()).collect();
        let new = NewGame {
            pace: ComputerPace::OnRequest,
            creator: GameCreator::BookPage(secret.clone()),
            household: Some(visit.household),
            ..NewGame::of(game.setting, StartPosition::Deal(seed), sitters)
        };
        let snapshot = app.service.draft_game(&new)?;
        let jar = jar.add(plain_cookie(DEAL, seed.to_string(), visit.secure));
        let visit = BookPageRequest {
            secret: Some(secret),
            jar: without_choice(jar),
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
        let told = BookPageMessages {
            notice,
            ..BookPageMessages::says(BookPrompt::Choose)
        };
        drawn(
            self.app,
            &self.snapshot,
            self.visit.look,
            self.visit.jar,
            StatusCode::OK,
            told,
        )
    }

    /// The same deal with a notice.
    fn refuse(self, notice: Notice) -> Result<Response, HttpError> {
        let told = BookPageMessages::says(BookPrompt::Choose).but(notice);
        let status = StatusCode::CONFLICT;
        drawn(
            self.app,
            &self.snapshot,
            self.visit.look,
            self.visit.jar,
            status,
            told,
        )
    }

    /// Why this choice is none that a game begins with.
    fn judge(&self, asked: &BookChoice) -> Result<Option<Notice>, HttpError> {
        let live = &self.snapshot.live;
        let page = live.book_page().ok_or(ServiceError::Damaged)?;
        Ok(match asked {
            BookChoice::Place(place) => page.choose(*place).err().map(Notice::Rules),
            BookChoice::Pass => {
                let judged = self.snapshot.judge(&page.pass());
                judged.err().map(view_models::refused)
            }
            BookChoice::Nothing | BookChoice::Nil => None,
        })
    }

    /// Makes a game of the deal, and does there what was asked. It counts as a game made.
    async fn keep(self, asked: BookChoice) -> Result<Response, HttpError> {
        let BookDeal {
            app, visit, new, ..
        } = self;
        let taken = app.games.take(&visit.client);
        let taken = taken.and_then(|()| app.kept.take_many(&visit.client, GAME_BYTES));
        if let Err(rejection) = taken {
            return Ok(rejection.into_response());
        }
        let id = app.service.create(new).await?.snapshot.id.clone();
        let table = app.service.snapshot_for_player(&id).await?;
        table.mark_viewed(&visit.claim());
        let mut jar = without(visit.jar);
        if let Some(secret) = &visit.secret {
            jar = jar.add(SecretCookie::Book.cookie(secret, visit.secure));
        }
        let visit = BookPageRequest { jar, ..visit };
        BookStep { app, visit, table }.take(asked).await
    }
}
