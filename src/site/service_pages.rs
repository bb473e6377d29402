//! What belongs to no feature: `/api`, the OpenAPI document, and the probes of a supervisor.

use std::convert::Infallible;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use serde_json::{Value, json};

use super::shared::app::App;
use super::shared::limits::RouteLimits;
use super::shared::page_cache::{PageInput, PageRequest, RenderContext};
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

async fn api_docs(request: PageRequest) -> Result<Response, Infallible> {
    request.respond(&ApiPageInput)
}

#[derive(Hash)]
struct ApiPageInput;

impl PageInput for ApiPageInput {
    type Error = Infallible;

    fn render(&self, context: &RenderContext<'_>) -> Result<String, Infallible> {
        let kinds = context.games.game_types();
        let positions: Vec<_> = kinds.map(|kind| kind.position_fields_view()).collect();
        let (site, text) = (context.site(NavSection::Elsewhere), context.text());
        Ok(api_page(&site, text, context.origin, &positions).into_string())
    }
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
fn openapi_document(base_path: &BasePath) -> String {
    if base_path.is_root() {
        return OPENAPI.to_owned();
    }
    let mut document: Value = serde_json::from_str(OPENAPI).expect("build.rs writes JSON");
    document["servers"] = json!([{"url": base_path.as_str()}]);
    document.to_string()
}

/// `GET /openapi.json`
async fn openapi(request: PageRequest) -> Result<Response, Infallible> {
    request.respond(&OpenApiInput)
}

#[derive(Hash)]
struct OpenApiInput;

impl PageInput for OpenApiInput {
    type Error = Infallible;

    const MEDIA_TYPE: &'static str = "application/json";

    fn render(&self, context: &RenderContext<'_>) -> Result<String, Infallible> {
        Ok(openapi_document(context.base_path))
    }
}
