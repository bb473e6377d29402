//! From http to https: a browser takes its seats along.
//!
//! A cookie that was set without TLS still comes with requests over TLS, but anybody in the network between may
//! have set it or read it. So it opens nothing there by itself. When the reader confirms that the seats are theirs,
//! the seats get the secret of the cookie that needs TLS, and what somebody may have read opens them no more.

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
    /// The game to go to afterwards.
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
    if !is_of_this_page(&headers) {
        return Err(HttpError::cross_site());
    }
    let Some(old) = browser.unconfirmed_claim() else {
        return Ok(Redirect::to(&to).into_response());
    };
    let Some(secret) = &browser.secret else {
        return if is_cookie_sent(&uri) {
            Err(HttpError::no_cookies())
        } else {
            Ok(browser.sent_again(&uri))
        };
    };
    app.service.rekey(&old, secret).await?;
    Ok((browser.confirmed(), Redirect::to(&to)).into_response())
}

/// Whether the browser says that a page of ours sent the form, and that this page came over TLS.
fn is_of_this_page(headers: &HeaderMap) -> bool {
    let is = |name: &str, fits: fn(&[u8]) -> bool| {
        headers
            .get(name)
            .is_some_and(|value| fits(value.as_bytes()))
    };
    is("sec-fetch-site", |site| site == b"same-origin")
        || is(header::ORIGIN.as_str(), |origin| {
            origin.starts_with(b"https://")
        })
}

/// Whether this game has something that the browser could take along.
pub(super) fn is_offered(
    snapshot: &Snapshot,
    browser: &BrowserSession,
    claim: &Credentials,
) -> bool {
    browser.unconfirmed_claim().is_some_and(|old| {
        !snapshot.seats_of(&old).is_empty() || snapshot.is_host(&old) && !snapshot.is_host(claim)
    })
}

/// Whether there are games that the browser could take along.
pub(super) async fn is_any(app: &App, browser: &BrowserSession) -> Result<bool, HttpError> {
    match browser.unconfirmed_claim().and_then(|old| old.browser) {
        Some(old) => Ok(!app.service.games_of(&old, 1).await?.is_empty()),
        None => Ok(false),
    }
}
