//! One record on several devices.
//!
//! There are two ways to join the record of a browser to another one, and both ask before they do it: with the pairing
//! code of another device this browser's record moves to that of the code, whose secret the browser takes over; and what
//! a browser took without TLS moves to its record over TLS. A cookie that was set without TLS is sent over TLS too, but
//! anyone on the network may have set or read it, so it gives no access there until the reader confirms it.
//!
//! A code is never part of an address that is sent: the QR code contains it after `#`, and the forms post it.

pub mod codes;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;

use super::browser_data::{RecordSummary, join_records, record_summary};
use super::feed;
use super::shared::app::App;
use super::shared::display_options::RequestDisplayOptions;
use super::shared::identity::{BrowserSession, is_cookie_sent};
use crate::http::client::Client;
use crate::http::error::HttpError;
use crate::seats::Credentials;
use crate::secret::{PairingCode, Secret, SecretHash};
use crate::site::shared::form::Form;
use crate::site::shared::limits::RouteLimits;
use crate::store::GameId;
use crate::tables::{Service, ServiceError};
use crate::templates::device::{
    DeviceNotice, DeviceView, JoinRecordsView, JoinSource, PairingCodeView, RecordView,
    device_page, join_records_page,
};
use crate::templates::page::NavSection;
use crate::templates::preferences::DisplayOptions;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route(
            "/device",
            limits.reading(get(show)).merge(limits.moving(post(join))),
        )
        .route("/device/code", limits.moving(post(new_code)))
        .route("/device/end", limits.moving(post(end_others)))
}

/// The query of the page after the other devices were ended.
const ENDED: &str = "ended";

/// The form that asks for a joining, and the one that confirms it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JoinRecordsForm {
    /// The code of another device; without it, what the browser took without TLS is joined to its record.
    code: Option<String>,
    /// The game to which the reader returns.
    game: Option<String>,
    /// The confirmation.
    #[serde(rename = "do")]
    choice: Option<JoinChoice>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum JoinChoice {
    Keep,
    Join,
}

/// `GET /device`
async fn show(
    State(app): State<App>,
    browser: BrowserSession,
    uri: Uri,
    RequestDisplayOptions(display): RequestDisplayOptions,
) -> Response {
    let notice = (uri.query() == Some(ENDED)).then_some(DeviceNotice::Ended);
    render(&app, &browser, display, (None, notice))
}

/// `POST /device/code`: shows a new pairing code of this browser.
async fn new_code(
    State(app): State<App>,
    browser: BrowserSession,
    RequestDisplayOptions(display): RequestDisplayOptions,
) -> Result<Response, HttpError> {
    let Some(secret) = &browser.secret else {
        return Ok(app.redirect("/device").into_response());
    };
    let code = codes::create(&app.service, secret, browser.client_network);
    let code = code.await?;
    Ok(render(&app, &browser, display, (Some(code), None)))
}

/// `POST /device`: asks whether two records are to be joined, and joins them once the reader has chosen that.
async fn join(
    State(app): State<App>,
    browser: BrowserSession,
    client: Client,
    uri: Uri,
    headers: HeaderMap,
    RequestDisplayOptions(display): RequestDisplayOptions,
    Form(form): Form<JoinRecordsForm>,
) -> Result<Response, HttpError> {
    let JoinRecordsForm { code, game, choice } = form;
    let game = game.and_then(|game| game.parse::<GameId>().ok());
    let back = game
        .as_ref()
        .map_or("/me".to_owned(), |game| format!("/g/{game}"));
    if choice == Some(JoinChoice::Keep) {
        return Ok(app.redirect(&back).into_response());
    }
    let is_confirmed = choice == Some(JoinChoice::Join);
    let (from, to, source) = match code {
        None => {
            let Some(from) = browser.unconfirmed_credentials() else {
                return Ok(app.redirect(&back).into_response());
            };
            if !is_same_site_over_tls(&headers) {
                return Err(HttpError::cross_site());
            }
            // Nothing moves to a secret that the browser does not store.
            let Some(to) = browser.secret.clone() else {
                return browser.resubmit_with_cookie(&uri);
            };
            (
                from,
                to,
                JoinSource::Http {
                    game: game.map(|game| game.to_string()),
                },
            )
        }
        Some(text) => match open_code(&app, &client, &text, is_confirmed).await? {
            Some(to) => (browser.credentials(), to, JoinSource::Code { code: text }),
            None => {
                let notice = Some(DeviceNotice::WrongCode);
                let page = render(&app, &browser, display, (None, notice));
                return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
            }
        },
    };
    let to_hash = to.hash();
    if from.browsers().all(|from| *from == to_hash) && from.browser.is_some() {
        let notice = Some(DeviceNotice::OwnCode);
        return Ok(render(&app, &browser, display, (None, notice)));
    }
    if is_confirmed {
        join_records(&app.service, &from, &to_hash).await?;
        close_streams(&app, &from, &to_hash);
        let jar = match source {
            JoinSource::Http { .. } => browser.jar,
            JoinSource::Code { .. } => browser.with_only_secret(&to),
        };
        return Ok((jar, app.redirect(&back)).into_response());
    }
    let to = Credentials {
        browser: Some(to_hash),
        ..Credentials::default()
    };
    let view = JoinRecordsView {
        moved: record_view(record_summary(&app.service, &from).await?),
        target: record_view(record_summary(&app.service, &to).await?),
        source,
    };
    let site = app.site(NavSection::Record, display);
    let page = join_records_page(&site, app.text(&display), &view);
    Ok(([(header::CACHE_CONTROL, "no-store")], page).into_response())
}

/// `POST /device/end`: replaces the browser's secret, so that no other device has it. First the browser gets the new
/// secret beside the present one, and shows by sending the form again that it stores it.
async fn end_others(
    State(app): State<App>,
    browser: BrowserSession,
    uri: Uri,
) -> Result<Response, HttpError> {
    let Some(secret) = browser.secret.clone() else {
        return Ok(app.redirect("/device").into_response());
    };
    let credentials = browser.credentials();
    if !is_cookie_sent(&uri) {
        // An earlier request may have been interrupted.
        end_other_devices(&app.service, &credentials, &secret).await?;
        return Ok(browser.resubmit_with_new_secret(&secret, &uri));
    }
    if browser.other_secrets.is_empty() {
        return Err(HttpError::no_cookies());
    }
    end_other_devices(&app.service, &credentials, &secret).await?;
    close_streams(&app, &credentials, &secret.hash());
    let to = format!("/device?{ENDED}");
    Ok((browser.with_only_secret(&secret), app.redirect(&to)).into_response())
}

/// Replaces all other secrets of a browser by its current one, which no other device has. The browser's feed gets a new
/// address. It can be repeated after an interruption.
async fn end_other_devices(
    service: &Service,
    credentials: &Credentials,
    current: &Secret,
) -> Result<(), ServiceError> {
    let to = current.hash();
    let mut stored = None;
    for from in credentials.browsers().filter(|from| **from != to) {
        stored = stored.or(service.store().feed_of(from).await?);
    }
    join_records(service, credentials, &to).await?;
    if let Some(stored) = stored {
        feed::set(service, current, &stored.language).await?;
    }
    Ok(())
}

/// The secret that a code gives, if it is valid. Wrong codes count against the client's limit.
async fn open_code(
    app: &App,
    client: &Client,
    text: &str,
    uses: bool,
) -> Result<Option<Secret>, HttpError> {
    // Counted before it is tried, so that codes sent at the same time count too.
    app.limits.wrong_codes.try_acquire(client)?;
    let opened = match PairingCode::from_pasted(text) {
        Some(code) => {
            let network = client.client_network();
            codes::open(&app.service, &code, uses, network).await
        }
        None => Ok(None),
    };
    if !matches!(opened, Ok(None)) {
        app.limits.wrong_codes.put_back(client);
    }
    Ok(opened?)
}

/// Closes the streams of secrets that were replaced by this one.
fn close_streams(app: &App, replaced: &Credentials, by: &SecretHash) {
    for browser in replaced.browsers().filter(|browser| *browser != by) {
        app.limits.subscribers.close_streams_of(browser);
    }
}

/// Whether the browser reports that the form was sent by a page of this server that was loaded over TLS.
fn is_same_site_over_tls(headers: &HeaderMap) -> bool {
    let header_matches = |name: &str, condition: fn(&[u8]) -> bool| {
        headers
            .get(name)
            .is_some_and(|value| condition(value.as_bytes()))
    };
    header_matches("sec-fetch-site", |site| site == b"same-origin")
        || header_matches(header::ORIGIN.as_str(), |origin| {
            origin.starts_with(b"https://")
        })
}

fn record_view(summary: RecordSummary) -> RecordView {
    RecordView {
        games: summary.games,
        days: summary.days,
        puzzles: summary.puzzles,
        name: summary.name,
    }
}

fn render(
    app: &App,
    browser: &BrowserSession,
    display: DisplayOptions,
    (code, notice): (Option<PairingCode>, Option<DeviceNotice>),
) -> Response {
    let view = DeviceView {
        has_secret: browser.secret.is_some(),
        code: code.map(|code| {
            let text = code.to_text();
            PairingCodeView {
                link: format!("{}/device#{text}", browser.origin),
                text,
                minutes: (codes::PAIRING_TIME.as_secs() / 60) as u32,
            }
        }),
        notice,
    };
    let page = device_page(
        &app.site(NavSection::Record, display),
        app.text(&display),
        &view,
    );
    ([(header::CACHE_CONTROL, "no-store")], page).into_response()
}
