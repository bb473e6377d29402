//! The web server: routes and middleware.
//!
//! Layers from the outside in: response headers; compression; conversion of errors to pages or problem documents;
//! panics become 500; the guard (host, site, body); metrics; the handler. The base path is removed from requests
//! outside all of them.

mod analysis;
pub mod api;
mod book_page;
mod browser_data;
mod config;
pub mod daily;
pub mod device;
pub mod dice_page;
mod embed;
mod events;
mod featured_game;
pub mod feed;
mod game;
mod game_api;
mod game_view;
mod hint;
mod images;
mod learn;
mod levels;
mod manifest;
mod move_analysis;
mod my_record;
pub mod open_tables;
mod play_on;
mod png_renderer;
mod position_queries;
mod preferences;
pub mod programs;
pub mod puzzles;
mod replay;
mod review_page;
pub mod reviews;
mod rules;
mod seats;
pub mod server;
mod service_pages;
pub mod shared;
mod start;
mod tables_page;
pub mod upload;

use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;

use crate::http::error::HttpError;
use crate::http::guard::RequestGuard;
use crate::http::problem::ProblemKind;
use crate::http::{assets, guard, headers, run_to_end};
use crate::tables::Service;

pub use config::Config;
use dice_page::statistics::DiceCounters;
use programs::hub::ProgramHub;
pub use service_pages::OPENAPI;
pub use shared::app::App;
pub use shared::limits::RateLimits;

use shared::limits::RouteLimits;
use shared::{error, metrics};

/// What the handlers of a service share, and the routes with all layers. The features observe the games from now on.
pub fn serve(service: Service, limits: RateLimits, guard: RequestGuard) -> (App, Router) {
    let app = App::new(service, limits, guard.base_path.clone());
    daily::boards::store_scores(&app);
    app.service.observe(app.state::<ProgramHub>());
    app.service.observe(app.state::<DiceCounters>());
    let routes = router(&app, guard);
    (app, routes)
}

fn router(app: &App, guard: RequestGuard) -> Router {
    let base_path = guard.base_path.clone();
    let limits = RouteLimits(&app.limits);
    let pages = Router::new()
        .merge(analysis::routes(&limits))
        .merge(game_api::routes(&limits))
        .merge(book_page::routes(&limits))
        .merge(daily::routes(&limits))
        .merge(device::routes(&limits))
        .merge(dice_page::routes(&limits))
        .merge(embed::routes(&limits))
        .merge(feed::routes(&limits))
        .merge(game::routes(&limits))
        .merge(hint::routes(&limits))
        .merge(images::routes(&limits))
        .merge(learn::routes(&limits))
        .merge(levels::routes(&limits))
        .merge(manifest::routes(&limits))
        .merge(my_record::routes(&limits))
        .merge(preferences::routes(&limits))
        .merge(programs::routes(&limits))
        .merge(puzzles::routes(&limits))
        .merge(replay::routes(&limits))
        .merge(review_page::routes(&limits))
        .merge(rules::routes(&limits))
        .merge(seats::routes(&limits))
        .merge(service_pages::routes(&limits))
        .merge(start::routes(&limits))
        .merge(tables_page::routes(&limits))
        .merge(upload::routes(&limits))
        .route_layer(from_fn(run_to_end::run_to_end))
        // These end when the client disconnects.
        .merge(position_queries::routes(&limits))
        .with_state(app.clone())
        .merge(assets::router(base_path.clone()));
    let uploads = upload::upload_routes(&limits).route_layer(from_fn(run_to_end::run_to_end));
    let streams = events::routes(&limits).merge(programs::stream_routes(&limits));
    // Uploaded records are larger than any form or move.
    let upload_guard = Arc::new(upload::guard(&guard));
    let uploads = with_layers(uploads.with_state(app.clone()), &upload_guard, app);
    let uploads = uploads.layer(CompressionLayer::new());
    let guard = Arc::new(guard);
    let pages = with_layers(pages, &guard, app).layer(CompressionLayer::new());
    // Streams are not compressed: even an idle encoder uses 6 kB as long as the stream is open.
    let streams = with_layers(streams.with_state(app.clone()), &guard, app);
    let probes = guard::with_probe_guard(
        metrics::layer(service_pages::probe_routes().with_state(app.clone())),
        Arc::clone(&guard),
    );
    let probes = with_outer_layers(probes, app);
    base_path.mount(headers::layer(
        probes.merge(streams).merge(pages).merge(uploads),
    ))
}

/// The layers of all routes except probes, without compression and headers.
fn with_layers(router: Router, guard: &Arc<RequestGuard>, app: &App) -> Router {
    let router = guard::with_guard(metrics::layer(router), Arc::clone(guard));
    with_outer_layers(router, app)
}

/// The layers around the guard, without compression and headers.
fn with_outer_layers(router: Router, app: &App) -> Router {
    router
        .layer(CatchPanicLayer::custom(panic_response))
        .layer(from_fn_with_state(app.clone(), error::render_error))
}

/// Responds with 500 when a handler panicked.
fn panic_response(cause: Box<dyn std::any::Any + Send>) -> Response {
    let panic_message = cause
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| cause.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    tracing::error!(panic_message, "a handler panicked");
    HttpError::new(ProblemKind::Internal, "something went wrong here").into_response()
}
