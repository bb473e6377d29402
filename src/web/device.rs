//! One record on several devices: a browser takes over the secret of another one.
//!
//! The secret is never part of an address that is sent: the QR code contains it after `#`, and the form posts it.

use axum::Form;
use axum::extract::State;
use axum::extract::rejection::FormRejection;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::App;
use super::error::HttpError;
use super::identity::BrowserSession;
use super::page_context::site;
use super::preferences::RequestDisplayOptions;
use crate::secret::Secret;
use crate::templates::device::{DeviceView, device_page};
use crate::templates::view::{DisplayOptions, NavSection};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeviceForm {
    /// The other browser's secret.
    code: String,
}

/// `GET /device`
pub(super) async fn show(
    State(app): State<App>,
    browser: BrowserSession,
    RequestDisplayOptions(display): RequestDisplayOptions,
) -> Response {
    render(&app, &browser, display, false)
}

/// `POST /device`: adds what this browser has played to the record of the secret, and uses that secret from now on.
pub(super) async fn adopt(
    State(app): State<App>,
    browser: BrowserSession,
    RequestDisplayOptions(display): RequestDisplayOptions,
    form: Result<Form<DeviceForm>, FormRejection>,
) -> Result<Response, HttpError> {
    let Form(DeviceForm { code }) = form?;
    let secret: Option<Secret> = code.trim().parse().ok();
    let known = match secret {
        Some(secret) if app.service.has_browser_data(&secret).await? => secret,
        _ => {
            let page = render(&app, &browser, display, true);
            return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
        }
    };
    if browser.secret.as_ref().map(Secret::hash) != Some(known.hash()) {
        app.service.rekey(&browser.credentials(), &known).await?;
    }
    Ok((browser.with_secret(&known), Redirect::to("/me")).into_response())
}

fn render(
    app: &App,
    browser: &BrowserSession,
    display: DisplayOptions,
    is_unknown: bool,
) -> Response {
    let code = browser.secret.as_ref().map(Secret::to_text);
    let view = DeviceView {
        code: code.map(|code| {
            let link = format!("{}/device#{code}", browser.origin);
            (code, link)
        }),
        is_unknown,
    };
    let page = device_page(
        &site(NavSection::Record, display),
        app.text(&display),
        &view,
    );
    ([(header::CACHE_CONTROL, "no-store")], page).into_response()
}
