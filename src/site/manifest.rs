//! The web app manifest, with which browsers install the site as an app. There is no service worker: the app is the site
//! in a window of its own.

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderName, header};
use axum::response::IntoResponse;
use axum::routing::get;
use serde_json::json;

use super::shared::app::App;
use super::shared::display_options::RequestDisplayOptions;
use crate::http::assets;
use crate::site::shared::limits::RouteLimits;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new().route("/manifest.webmanifest", limits.reading(get(show)))
}

/// The background of pages in the light theme, as in `static/colours.css`.
const BACKGROUND: &str = "#f3ead9";

const HEADERS: [(HeaderName, &str); 3] = [
    (header::CONTENT_TYPE, "application/manifest+json"),
    (header::CACHE_CONTROL, "no-cache"),
    (header::VARY, "accept-language"),
];

/// `GET /manifest.webmanifest`
async fn show(
    State(app): State<App>,
    RequestDisplayOptions(display): RequestDisplayOptions,
) -> impl IntoResponse {
    let text = app.text(&display);
    let base = &app.base_path;
    let icon = |name: &str, size: u32, purpose: &str| {
        json!({
            "src": assets::url(base, name),
            "sizes": format!("{size}x{size}"),
            "type": "image/png",
            "purpose": purpose,
        })
    };
    let manifest = json!({
        "id": format!("{base}/"),
        "name": text.get("site-name"),
        "short_name": text.get("site-name"),
        "description": text.get("site-about"),
        "lang": display.language.tag(),
        "start_url": format!("{base}/"),
        "scope": format!("{base}/"),
        "display": "standalone",
        "background_color": BACKGROUND,
        "theme_color": BACKGROUND,
        "icons": [
            icon("icon-192.png", 192, "any"),
            icon("icon-512.png", 512, "any"),
            icon("icon-maskable-512.png", 512, "maskable"),
        ],
    });
    (HEADERS, manifest.to_string())
}
