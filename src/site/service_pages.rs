//! What belongs to no feature: `/api`, the OpenAPI document, and the probes of a supervisor.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use serde_json::{Value, json};

use super::shared::app::App;
use super::shared::display_options::RequestDisplayOptions;
use super::shared::identity::BrowserSession;
use super::shared::limits::RouteLimits;
use crate::http::base_path::BasePath;
use crate::http::cors::allow_any_origin;
use crate::http::drain::DrainState;
use crate::http::error::HttpError;
use crate::http::problem::ProblemKind;
use crate::templates::api_page;
use crate::templates::page::NavSection;

/// The OpenAPI document, `docs/openapi.yaml`, as JSON.
pub const OPENAPI: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    let openapi = allow_any_origin(get(openapi));
    Router::new()
        .route("/api", limits.reading(get(api_docs)))
        .route("/openapi.json", limits.reading(openapi))
}

/// The routes that a supervisor asks, without a limit.
pub(super) fn probe_routes() -> Router<App> {
    Router::new()
        .route("/healthz", get(|| async { "ok" }))
        .route("/readyz", get(ready))
}

async fn api_docs(
    State(app): State<App>,
    browser: BrowserSession,
    RequestDisplayOptions(display): RequestDisplayOptions,
) -> impl IntoResponse {
    let kinds = app.service.games().game_types();
    let positions: Vec<_> = kinds.map(|kind| kind.position_fields_view()).collect();
    let site = app.site(NavSection::Api, display);
    api_page(&site, app.text(&display), &browser.origin, &positions)
}

/// Whether the store can be read and written, and the server is not shutting down.
async fn ready(State(app): State<App>, leaving: Option<Extension<DrainState>>) -> Response {
    if leaving.is_some_and(|leaving| leaving.is_draining()) {
        return HttpError::new(ProblemKind::Unavailable, "the server is about to end")
            .into_response();
    }
    match app.service.store().health_check().await {
        Ok(()) => "ready".into_response(),
        Err(error) => {
            tracing::warn!(%error, "not ready");
            HttpError::new(ProblemKind::Unavailable, "the database is not ready").into_response()
        }
    }
}

/// The OpenAPI document of a server below this path.
pub(super) fn openapi_document(base_path: &BasePath) -> Bytes {
    if base_path.is_root() {
        return Bytes::from_static(OPENAPI.as_bytes());
    }
    let mut document: Value = serde_json::from_str(OPENAPI).expect("build.rs writes JSON");
    document["servers"] = json!([{"url": base_path.as_str()}]);
    document.to_string().into()
}

/// `GET /openapi.json`
async fn openapi(State(app): State<App>) -> Response {
    let json = [(header::CONTENT_TYPE, "application/json")];
    (json, openapi_document(&app.base_path)).into_response()
}
