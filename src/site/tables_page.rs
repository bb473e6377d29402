//! The open tables: `/tables`, and joining one of them.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;

use super::game::context::PageContext;
use super::open_tables::{
    self,
    listing::{known_name, listed},
};
use super::shared::app::App;
use super::shared::display_options::RequestDisplayOptions;
use super::shared::identity::BrowserSession;
use crate::http::error::HttpError;
use crate::seats::Credentials;
use crate::site::shared::form::Form;
use crate::site::shared::limits::RouteLimits;
use crate::store::GameId;
use crate::tables::{DisplayName, DisplayNameError, SeatChange, SeatChangeError, ServiceError};
use crate::templates::page::NavSection;
use crate::templates::preferences::DisplayOptions;
use crate::templates::tables::{TablesNotice, TablesView, tables_page};

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/g/{id}/table", limits.moving(post(change_table)))
        .route("/tables/{id}", limits.moving(post(join)))
        .route("/tables", limits.reading(get(index)))
}

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
        &app.site(NavSection::People, display),
        app.text(&display),
        &view,
    );
    Ok((status, page).into_response())
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
    form: Option<Form<TableJoinForm>>,
) -> Result<Response, HttpError> {
    let form = form.map_or_else(TableJoinForm::default, |Form(form)| form);
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

/// `POST /g/{id}/table`: lists the game among the open tables or removes it from them, starts it, or lets it wait for more
/// people.
async fn change_table(
    Path(id): Path<String>,
    visitor: PageContext,
    Form(form): Form<ListingForm>,
) -> Result<Response, HttpError> {
    let action = form.action;
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
        "start" => {
            service
                .change_seat(&id, credentials, SeatChange::Start)
                .await
        }
        "wait" => {
            let change = SeatChange::AwaitPeople;
            service.change_seat(&id, credentials, change).await
        }
        _ => {
            return Err(HttpError::unprocessable(
                "`do` is open, close, start or wait",
            ));
        }
    };
    visitor.redirect_to_game(changed).await
}
