//! Shared seats: the links that open them, and the seat panel of a game's page.
//!
//! Opening a link only shows a page with a button and changes nothing, because chats and browsers open links on their
//! own. All invalid links get the same page.

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;

use super::game::context::PageContext;
use super::game_view;
use super::shared::app::App;
use super::shared::display_options::RequestDisplayOptions;
use super::shared::identity::{BrowserSession, is_cookie_sent};
use crate::game::Player;
use crate::http::error::HttpError;
use crate::seats::SeatCredentials;
use crate::secret::Secret;
use crate::site::shared::form::Form;
use crate::site::shared::limits::RouteLimits;
use crate::tables::{
    DisplayName, DisplayNameError, SeatChange, SeatChangeError, SeatClaimant, SeatLinkKind,
    ServiceError, Snapshot,
};
use crate::templates::join::JoinView;
use crate::templates::page::NavSection;
use crate::templates::prompt::Notice;
use crate::templates::seats::SeatNotice;
use crate::templates::{SiteContext, join_page};

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/g/{id}/seats", limits.moving(post(change)))
        .route(
            "/join/{token}",
            limits
                .reading(get(invitation))
                .merge(limits.moving(post(join))),
        )
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SeatForm {
    player: u8,
    #[serde(rename = "do")]
    action: String,
    level: Option<String>,
    name: Option<String>,
    ply: Option<u32>,
}

impl SeatForm {
    /// The change that the form requests, or the notice why it is impossible.
    fn change(&self, player: Player, browser: &BrowserSession) -> Result<SeatChange, SeatNotice> {
        match self.action.as_str() {
            // Without a secret the browser has no seat, and no link can be derived.
            "renew" => match &browser.secret {
                Some(secret) => Ok(SeatChange::Renew {
                    player,
                    secret: secret.clone(),
                }),
                None => Err(SeatNotice::NotYours),
            },
            "level" => {
                let level = self.level.as_deref().unwrap_or_default().parse();
                let level = level.map_err(|_| SeatNotice::NoSuchLevel)?;
                Ok(SeatChange::AssignLevel { player, level })
            }
            "name" => {
                let name = DisplayName::optional(self.name.as_deref().unwrap_or_default());
                let name = name.map_err(name_notice)?;
                Ok(SeatChange::Rename { player, name })
            }
            "free" => Ok(SeatChange::Free { player }),
            "replace" => {
                let ply = self.ply.ok_or(SeatNotice::NotTheirTurn)?;
                Ok(SeatChange::Replace { player, ply })
            }
            _ => Err(SeatNotice::NoSuchChange),
        }
    }
}

fn name_notice(error: DisplayNameError) -> SeatNotice {
    match error {
        DisplayNameError::TooLong => SeatNotice::NameTooLong,
        DisplayNameError::Address => SeatNotice::NameAddress,
        DisplayNameError::Empty | DisplayNameError::Invisible => SeatNotice::NameInvisible,
    }
}

/// `POST /g/{id}/seats`
async fn change(
    Path(id): Path<String>,
    visitor: PageContext,
    Form(form): Form<SeatForm>,
) -> Result<Response, HttpError> {
    let credentials = visitor.credentials();
    let snapshot = visitor.app.viewable_game(&id, &credentials).await?;
    let player = Player::try_new(form.player, snapshot.live.players());
    let change = player
        .ok_or(SeatNotice::NoSuchSeat)
        .and_then(|player| form.change(player, &visitor.browser));
    match change {
        Ok(change) => {
            let service = &visitor.app.service;
            let changed = service.change_seat(&snapshot.id, credentials, change).await;
            visitor.redirect_to_game(changed).await
        }
        Err(notice) => {
            let status = match notice {
                SeatNotice::NotYours => StatusCode::UNAUTHORIZED,
                _ => StatusCode::UNPROCESSABLE_ENTITY,
            };
            let notice = Notice::Seat(notice);
            visitor.rejection_page(&snapshot, status, notice).await
        }
    }
}

/// What a seat link leads to for this browser.
enum LinkTarget {
    /// The browser already has the seat: the game's path.
    Owned(String),
    Seat {
        snapshot: std::sync::Arc<Snapshot>,
        link: crate::secret::SecretHash,
        player: Player,
        kind: SeatLinkKind,
    },
}

/// Resolves a link for this browser. All invalid links get the same response.
async fn resolve_link(
    app: &App,
    token: &Result<Path<String>, PathRejection>,
    browser: &BrowserSession,
) -> Result<LinkTarget, HttpError> {
    let Ok(Path(token)) = token else {
        return Err(HttpError::no_link());
    };
    let link = token.parse::<Secret>().map_err(|_| HttpError::no_link())?;
    let link = link.hash();
    let game = app.service.find_game_by_link(&link).await?;
    let id = game.ok_or_else(HttpError::no_link)?;
    let snapshot = match app.service.snapshot(&id).await {
        // The game was deleted between the two queries.
        Err(ServiceError::NotFound) => return Err(HttpError::no_link()),
        snapshot => snapshot?,
    };
    if snapshot.was_claimed_with(&link, &browser.credentials()) {
        return Ok(LinkTarget::Owned(format!("/g/{id}")));
    }
    let (player, kind) = snapshot
        .seat_of_link(&link)
        .ok_or_else(HttpError::no_link)?;
    Ok(LinkTarget::Seat {
        snapshot,
        link,
        player,
        kind,
    })
}

/// `GET /join/{token}`: who invites to which game, and a button.
async fn invitation(
    State(app): State<App>,
    token: Result<Path<String>, PathRejection>,
    browser: BrowserSession,
    uri: Uri,
    RequestDisplayOptions(display): RequestDisplayOptions,
) -> Result<Response, HttpError> {
    let sent = is_cookie_sent(&uri);
    match resolve_link(&app, &token, &browser).await? {
        LinkTarget::Owned(game) => Ok(app.redirect(&game).into_response()),
        LinkTarget::Seat { snapshot, .. } if sent && snapshot.is_host(&browser.credentials()) => {
            Ok(app.redirect(&format!("/g/{}", snapshot.id)).into_response())
        }
        LinkTarget::Seat {
            snapshot,
            player,
            kind,
            ..
        } => {
            let view = JoinView {
                without_cookies: (sent && browser.secret.is_none())
                    .then(|| format!("{}{}", browser.origin, uri.path())),
                ..join_view(&snapshot, player, kind)
            };
            let site = SiteContext {
                origin: Some(&browser.origin),
                ..app.site(NavSection::Play, display)
            };
            Ok(join_page(&site, app.text(&display), &view).into_response())
        }
    }
}

fn join_view(snapshot: &Snapshot, player: Player, kind: SeatLinkKind) -> JoinView {
    let (board, players) = game_view::still(snapshot, &[]);
    // The host is the player in the seat of the game's creator, if any.
    let host = players.iter().find(|view| {
        let host = Player::try_new(view.number, snapshot.live.players());
        let seat = host.and_then(|host| snapshot.seat(host));
        seat.is_some_and(|seat| {
            let keys = seat
                .occupant
                .credentials()
                .filter(|_| seat.occupant.is_human());
            let browser = keys.as_ref().and_then(SeatCredentials::browser);
            browser.is_some() && browser == snapshot.creator()
        })
    });
    let host = host.map(|host| host.number);
    let seat = snapshot.seat(player);
    JoinView {
        player: player.number(),
        host: host.filter(|host| *host != player.number()),
        is_own_seat: kind == SeatLinkKind::Return,
        game: snapshot.live.configured_game().page_name(),
        board,
        players,
        ply: snapshot.live.entry_count(),
        private: snapshot.private,
        hints: game_view::hints_for_all(snapshot),
        picture: (!snapshot.private).then(|| format!("/g/{}/board.png", snapshot.id)),
        name: seat
            .and_then(|seat| seat.occupant.name())
            .unwrap_or_default()
            .to_owned(),
        problem: None,
        without_cookies: None,
    }
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct JoinForm {
    name: Option<String>,
}

/// `POST /join/{token}`: takes the seat.
async fn join(
    State(app): State<App>,
    token: Result<Path<String>, PathRejection>,
    browser: BrowserSession,
    uri: Uri,
    RequestDisplayOptions(display): RequestDisplayOptions,
    form: Option<Form<JoinForm>>,
) -> Result<Response, HttpError> {
    let form = form.map_or_else(JoinForm::default, |Form(form)| form);
    let (snapshot, link, player, kind) = match resolve_link(&app, &token, &browser).await? {
        LinkTarget::Owned(game) => return Ok(app.redirect(&game).into_response()),
        LinkTarget::Seat {
            snapshot,
            link,
            player,
            kind,
        } => (snapshot, link, player, kind),
    };
    // Without a stored cookie the seat would be lost and the link used up, so the seat is not taken.
    if browser.may_refuse_cookies() {
        if !is_cookie_sent(&uri) {
            return browser.resubmit_with_cookie(&uri);
        }
        let view = JoinView {
            without_cookies: Some(format!("{}{}", browser.origin, uri.path())),
            ..join_view(&snapshot, player, kind)
        };
        let page = join_page(
            &app.site(NavSection::Play, display),
            app.text(&display),
            &view,
        );
        return Ok((StatusCode::FORBIDDEN, page).into_response());
    }
    let requested_name = form.name.unwrap_or_default();
    let name = match DisplayName::optional(&requested_name) {
        Ok(name) => name,
        Err(error) => {
            let view = JoinView {
                problem: Some(name_notice(error)),
                name: requested_name,
                ..join_view(&snapshot, player, kind)
            };
            let page = join_page(
                &app.site(NavSection::Play, display),
                app.text(&display),
                &view,
            );
            return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
        }
    };
    let credentials = browser.credentials();
    let (secret, jar) = browser.ensure_secret();
    let change = SeatChange::Take {
        link,
        by: SeatClaimant::Browser(secret.clone()),
        name,
    };
    // Done before the seat itself, whose old secret determines which seats follow, so that an interrupted request can
    // be repeated.
    if kind == SeatLinkKind::Return {
        app.service
            .rekey_rematches(&snapshot, player, &secret)
            .await?;
    }
    match app
        .service
        .change_seat(&snapshot.id, credentials, change)
        .await
    {
        Ok(snapshot) => {
            let game = format!("/g/{}", snapshot.id);
            Ok((jar, app.redirect(&game)).into_response())
        }
        // Another client took the seat first.
        Err(ServiceError::SeatChangeRejected {
            why: SeatChangeError::NoSuchLink,
            ..
        }) => Err(HttpError::no_link()),
        Err(error) => Err(error.into()),
    }
}
