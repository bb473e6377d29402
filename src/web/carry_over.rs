//! Moves a browser's seats from HTTP to HTTPS.
//!
//! A cookie that was set without TLS is also sent over TLS, but anyone on the network may have set or read it, so it
//! gives no access there. When the reader confirms that the seats are theirs, the seats are rekeyed to the secret of
//! the cookie that requires TLS, and the old secret loses access.

use axum::Form;
use axum::extract::State;
use axum::extract::rejection::FormRejection;
use axum::http::{HeaderMap, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::App;
use super::error::HttpError;
use super::identity::{BrowserSession, is_cookie_sent};
use crate::service::{Credentials, Snapshot};
use crate::store::GameId;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CarryOverForm {
    /// The game to redirect to.
    game: Option<String>,
}

/// `POST /carry-over`
pub(super) async fn carry_over(
    State(app): State<App>,
    browser: BrowserSession,
    uri: Uri,
    headers: HeaderMap,
    form: Result<Form<CarryOverForm>, FormRejection>,
) -> Result<Response, HttpError> {
    let Form(CarryOverForm { game }) = form?;
    let game = game.and_then(|game| game.parse::<GameId>().ok());
    let to = game.map_or("/games".to_owned(), |game| format!("/g/{game}"));
    if !is_same_site_over_tls(&headers) {
        return Err(HttpError::cross_site());
    }
    let Some(old) = browser.unconfirmed_credentials() else {
        return Ok(Redirect::to(&to).into_response());
    };
    let Some(secret) = &browser.secret else {
        return if is_cookie_sent(&uri) {
            Err(HttpError::no_cookies())
        } else {
            Ok(browser.resubmit_with_cookie(&uri))
        };
    };
    app.service.rekey(&old, secret).await?;
    Ok((browser.confirmed_cookies(), Redirect::to(&to)).into_response())
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

/// Whether the browser could move a seat of this game, or the role of host.
pub(super) fn is_offered(
    snapshot: &Snapshot,
    browser: &BrowserSession,
    credentials: &Credentials,
) -> bool {
    browser.unconfirmed_credentials().is_some_and(|old| {
        !snapshot.seats_of(&old).is_empty()
            || snapshot.is_host(&old) && !snapshot.is_host(credentials)
    })
}

/// Whether the browser could move any games.
pub(super) async fn has_games_to_move(
    app: &App,
    browser: &BrowserSession,
) -> Result<bool, HttpError> {
    match browser
        .unconfirmed_credentials()
        .and_then(|old| old.browser)
    {
        Some(old) => Ok(!app.service.games_of(&old, 1).await?.is_empty()),
        None => Ok(false),
    }
}
