//! Uploads of records that were played elsewhere: by a form, and by programs.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};

use super::api;
use super::api::extract::RecordBody;
pub mod record;

use record::UploadError;

use super::shared::app::App;
use super::shared::display_options::RequestDisplayOptions;
use super::shared::identity::BrowserSession;
use super::shared::limits::GAME_BYTES;
use super::shared::multipart::FileForm;
use crate::formats::RecordError;
use crate::formats::notation::{NotationError, is_notation};
use crate::games::{ErrorText, record_error_message};
use crate::http::client::Client;
use crate::http::error::HttpError;
use crate::http::guard::RequestGuard;
use crate::http::problem::ProblemKind;
use crate::http::rejection::GuardRejection;
use crate::lines::strip_bom;
use crate::site::shared::limits::RouteLimits;
use crate::templates::message::LocalizedMessage;
use crate::templates::page::NavSection;
use crate::templates::preferences::DisplayOptions;
use crate::templates::upload::{UploadProblem, UploadView};
use crate::templates::upload_page;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new().route("/upload", limits.reading(get(show)))
}

/// The routes for whole records, which have a guard of their own.
pub(super) fn upload_routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/upload", limits.uploading(post(submit)))
        .route("/api/v1/records", limits.uploading(post(upload_record)))
}

/// The maximum size of a record in bytes: a thousand entries with eight dice per side take a third of it.
const MAX_RECORD_BYTES: usize = 512 * 1024;

/// A record takes this many times as much space in the database as in notation: an entry has about 100 bytes there and
/// 8 in notation.
const NOTATION_EXPANSION: usize = 12;

/// The size of the form around the record.
const FORM_OVERHEAD_BYTES: usize = 4 * 1024;

/// The maximum size of a pasted text that is shown again.
const MAX_REDISPLAYED_BYTES: usize = 64 * 1024;

/// The guard of the routes that accept records, which are larger than all other bodies.
pub(super) fn guard(default: &RequestGuard) -> RequestGuard {
    RequestGuard {
        max_body_bytes: default
            .max_body_bytes
            .max(MAX_RECORD_BYTES + FORM_OVERHEAD_BYTES),
        too_large: GuardRejection::RecordTooLarge,
        ..default.clone()
    }
}

/// `GET /upload`
async fn show(
    State(app): State<App>,
    RequestDisplayOptions(display): RequestDisplayOptions,
) -> Response {
    page(&app, display, UploadView::default()).into_response()
}

fn page(app: &App, display: DisplayOptions, view: UploadView) -> impl IntoResponse + use<> {
    let view = UploadView {
        max_kib: (MAX_RECORD_BYTES / 1024) as u32,
        days: app.service.uploaded_days(),
        ..view
    };
    upload_page(
        &app.site(NavSection::Record, display),
        app.text(&display),
        &view,
    )
}

/// `POST /upload`
async fn submit(
    State(app): State<App>,
    client: Client,
    browser: BrowserSession,
    RequestDisplayOptions(display): RequestDisplayOptions,
    form: Result<FileForm, HttpError>,
) -> Result<Response, HttpError> {
    let form = form?;
    form.only(&["file", "text"])?;
    let (file, pasted) = (form.first("file"), form.first("text"));
    let problem_of = |message: LocalizedMessage| UploadProblem {
        message,
        reason: None,
        detail: None,
    };
    let problem = match submitted_record(&file, &pasted) {
        Err(key) => problem_of(LocalizedMessage::new(key)),
        Ok(record) => {
            if let Err(rejection) = app
                .limits
                .stored_bytes
                .try_acquire_many(&client, estimated_bytes(&record))
            {
                return Ok(rejection.into_response());
            }
            let client_network = browser.client_network;
            let (secret, jar) = browser.ensure_secret();
            let browser = Some(secret.hash());
            match record::upload(&app.service, record, browser, client_network).await {
                Ok(uploaded) => {
                    let game = format!("/g/{}", uploaded.snapshot.id);
                    return Ok((jar, app.redirect(&game)).into_response());
                }
                Err(UploadError::Record(error)) => UploadProblem {
                    reason: error.reason().map(|reason| reason.message.clone()),
                    detail: error.detail(),
                    ..problem_of(record_error_message(&error))
                },
                Err(UploadError::Service(error)) => return Err(error.into()),
            }
        }
    };
    let pasted = std::str::from_utf8(&pasted).unwrap_or_default();
    let view = UploadView {
        problem: Some(problem),
        text: match pasted.len() {
            0..=MAX_REDISPLAYED_BYTES => pasted.to_owned(),
            _ => String::new(),
        },
        ..UploadView::default()
    };
    let page = page(&app, display, view);
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}

/// The estimated size of a record in the database: at most its size as JSON, whose entries are longest.
fn estimated_bytes(record: &str) -> u32 {
    let times = match is_notation(record) {
        true => NOTATION_EXPANSION,
        false => 1,
    };
    let bytes = record.len().saturating_mul(times);
    u32::try_from(bytes).unwrap_or(u32::MAX).max(GAME_BYTES)
}

/// The record in a form, preferring the file to the text; or the message key of what is wrong.
fn submitted_record(file: &Bytes, pasted: &Bytes) -> Result<String, &'static str> {
    let bytes = if file.is_empty() { pasted } else { file };
    let text = std::str::from_utf8(bytes).map_err(|_| "upload-no-text")?;
    let text = strip_bom(text).trim();
    if text.is_empty() {
        return Err("upload-nothing");
    }
    Ok(text.to_owned())
}

/// Stores a game that was played elsewhere.
///
/// The record is JSON, or text in notation. Its entries are checked against the rules, and its rolls against the seed
/// of the dice if it has one. The first error is reported with a JSON pointer, or with the line and the column of the
/// text. Nobody can play the stored game; its `seats` are the players of the record. If the same record is stored
/// already, the answer is that game, with status 200.
async fn upload_record(
    State(app): State<App>,
    client: Client,
    RecordBody(record): RecordBody,
) -> Result<Response, HttpError> {
    if let Err(rejection) = app
        .limits
        .stored_bytes
        .try_acquire_many(&client, estimated_bytes(&record))
    {
        return Ok(rejection.into_response());
    }
    let uploaded = record::upload(&app.service, record, None, client.client_network()).await;
    let uploaded = uploaded.map_err(|error| match error {
        UploadError::Record(error) => record_error(&error),
        UploadError::Service(error) => error.into(),
    })?;
    let status = match uploaded.is_new {
        true => StatusCode::CREATED,
        false => StatusCode::OK,
    };
    let id = &uploaded.snapshot.id;
    let location = [(
        header::LOCATION,
        app.base_path
            .add_to(&format!("/api/v1/games/{id}"))
            .into_owned(),
    )];
    let game = api::newest(&uploaded.snapshot)?;
    Ok((status, location, Json(game)).into_response())
}

/// The problem document of a record that is invalid.
fn record_error(error: &RecordError<ErrorText>) -> HttpError {
    let failure = HttpError::new(ProblemKind::InvalidRecord, error.to_string());
    match (error, error.entry()) {
        (RecordError::Notation(NotationError { line, column, .. }), _) => {
            failure.with("line", *line).with("column", *column)
        }
        (_, Some(entry)) => failure.with("pointer", error.pointer()).with("ply", entry),
        (_, None) => failure.with("pointer", error.pointer()),
    }
}
