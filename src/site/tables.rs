//! The open tables: `/tables`, and joining one of them.

use axum::Router;
use axum::routing::{get, post};
use std::collections::HashMap;

use axum::Form;
use axum::extract::rejection::FormRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::game::context::PageContext;
use super::game_view;
use super::open_tables;
use super::shared::app::App;
use super::shared::display_options::RequestDisplayOptions;
use super::shared::identity::BrowserSession;
use crate::http::error::HttpError;
use crate::seats::Credentials;
use crate::site::shared::limits::RouteLimits;
use crate::store::GameId;
use crate::tables::{DisplayName, DisplayNameError, SeatChangeError, ServiceError};
use crate::templates::tables::{OpenTableView, TablesNotice, TablesView, tables_page};
use crate::templates::view::{DisplayOptions, NavSection};

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/g/{id}/table", limits.moving(post(change_listing)))
        .route("/tables/{id}", limits.moving(post(join)))
        .route("/tables", limits.reading(get(index)))
}

/// The maximum number of tables on the page.
const MAX_LISTED: u32 = 50;

/// The number of tables on the start page.
const START_PAGE_TABLES: usize = 2;

/// `GET /tables`
async fn index(
    State(app): State<App>,
    browser: BrowserSession,
    RequestDisplayOptions(display): RequestDisplayOptions,
) -> Result<Response, HttpError> {
    let credentials = browser.credentials();
    page(&app, &credentials, display, None).await
}

async fn page(
    app: &App,
    credentials: &Credentials,
    display: DisplayOptions,
    problem: Option<(TablesNotice, String)>,
) -> Result<Response, HttpError> {
    let known = known_name(app, credentials).await?;
    let (notice, entered) = problem.unzip();
    let view = TablesView {
        tables: listed(app, credentials, usize::MAX).await?.0,
        games: app
            .service
            .games()
            .game_types()
            .map(|kind| kind.page_name())
            .collect(),
        asks_name: known.is_none(),
        name: known.or(entered).unwrap_or_default(),
        notice,
    };
    let status = match notice {
        None => StatusCode::OK,
        Some(TablesNotice::Started | TablesNotice::TooManySeats) => StatusCode::CONFLICT,
        Some(_) => StatusCode::UNPROCESSABLE_ENTITY,
    };
    let page = tables_page(
        &app.site(NavSection::Play, display),
        app.text(&display),
        &view,
    );
    Ok((status, page).into_response())
}

/// The tables on the start page, the number of all tables, and whether the reader has no name yet.
pub(super) async fn on_start_page(
    app: &App,
    credentials: &Credentials,
) -> Result<(Vec<OpenTableView>, u32, bool), HttpError> {
    let (tables, count) = listed(app, credentials, START_PAGE_TABLES).await?;
    let asks_name = !tables.is_empty() && known_name(app, credentials).await?.is_none();
    Ok((tables, count, asks_name))
}

/// Up to `max` of the open tables, and how many there are.
async fn listed(
    app: &App,
    credentials: &Credentials,
    max: usize,
) -> Result<(Vec<OpenTableView>, u32), HttpError> {
    let open = open_tables::open_tables(&app.service, MAX_LISTED).await?;
    let count = u32::try_from(open.len()).unwrap_or(u32::MAX);
    let ids: Vec<GameId> = open.iter().map(|(id, _)| id.clone()).collect();
    let games = app
        .service
        .summaries(&ids, credentials.client_network)
        .await?;
    let minutes: HashMap<GameId, _> = open.into_iter().collect();
    let free = games
        .into_iter()
        .filter(|game| !game.newest.free_seats().is_empty());
    let tables = free.take(max).map(|game| {
        let snapshot = &game.newest;
        OpenTableView {
            id: snapshot.id.to_string(),
            rules: game.game.heading(),
            // Everybody has a name here, the reader too.
            players: game_view::named_players(snapshot, &[]),
            turn_s: snapshot.turn_s,
            minutes: minutes.get(&snapshot.id).copied().unwrap_or_default(),
            is_own: !snapshot.seats_of(credentials).is_empty() || snapshot.is_host(credentials),
        }
    });
    let tables = tables.collect();
    Ok((tables, count))
}

/// The name that the reader used last.
async fn known_name(app: &App, credentials: &Credentials) -> Result<Option<String>, HttpError> {
    for browser in credentials.browsers() {
        if let Some(name) = app.service.store().last_name(browser).await? {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct TableJoinForm {
    name: Option<String>,
}

/// `POST /tables/{id}`: takes the next free seat.
async fn join(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: BrowserSession,
    uri: Uri,
    RequestDisplayOptions(display): RequestDisplayOptions,
    headers: HeaderMap,
    form: Result<Form<TableJoinForm>, FormRejection>,
) -> Result<Response, HttpError> {
    let form = match headers.contains_key(header::CONTENT_TYPE) {
        true => form?.0,
        false => TableJoinForm::default(),
    };
    // Without a stored cookie the seat would be lost.
    if browser.may_refuse_cookies() {
        return browser.resubmit_with_cookie(&uri);
    }
    let credentials = browser.credentials();
    let name = match form.name {
        Some(name) => name,
        None => known_name(&app, &credentials).await?.unwrap_or_default(),
    };
    let parsed = match DisplayName::optional(&name) {
        Ok(Some(name)) => Ok(name),
        Ok(None) => Err(TablesNotice::NameMissing),
        Err(DisplayNameError::TooLong) => Err(TablesNotice::NameTooLong),
        Err(DisplayNameError::Address) => Err(TablesNotice::NameAddress),
        Err(DisplayNameError::Empty | DisplayNameError::Invisible) => {
            Err(TablesNotice::NameInvisible)
        }
    };
    let parsed = match parsed {
        Ok(parsed) => parsed,
        Err(notice) => return page(&app, &credentials, display, Some((notice, name))).await,
    };
    let (secret, jar) = browser.ensure_secret();
    let joined = match id.parse::<GameId>() {
        Ok(id) => {
            let claim = (secret, Some(parsed));
            open_tables::join_table(&app, &id, credentials, claim).await
        }
        Err(_) => Err(ServiceError::NotFound),
    };
    match joined {
        Ok(snapshot) => {
            let game = app.redirect(&format!("/g/{}", snapshot.id));
            Ok((jar, game).into_response())
        }
        Err(
            ServiceError::NotFound
            | ServiceError::SeatChangeRejected {
                why: SeatChangeError::Taken,
                ..
            },
        ) => {
            let problem = Some((TablesNotice::Started, name));
            page(&app, &credentials, display, problem).await
        }
        Err(ServiceError::SeatChangeRejected {
            why: SeatChangeError::TooManySeats,
            ..
        }) => {
            let problem = Some((TablesNotice::TooManySeats, name));
            page(&app, &credentials, display, problem).await
        }
        Err(error) => Err(error.into()),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListingForm {
    #[serde(rename = "do")]
    action: String,
}

/// `POST /g/{id}/table`: lists the game among the open tables, or removes it from them.
async fn change_listing(
    Path(id): Path<String>,
    visitor: PageContext,
    form: Result<Form<ListingForm>, FormRejection>,
) -> Result<Response, HttpError> {
    let action = form?.0.action;
    let credentials = visitor.credentials();
    let id = visitor
        .app
        .viewable_game(&id, &credentials)
        .await?
        .id
        .clone();
    let service = &visitor.app.service;
    let changed = match action.as_str() {
        "open" => open_tables::open_table(service, &id, &credentials).await,
        "close" => open_tables::close_table(service, &id, &credentials).await,
        _ => return Err(HttpError::unprocessable("`do` is open or close")),
    };
    visitor.redirect_to_game(changed).await
}
