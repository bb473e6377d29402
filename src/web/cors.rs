//! What scripts of other sites may read.
//!
//! Programs in a browser, on pages of other sites, may read what everybody may read without a cookie: games,
//! their moves, records and events, the levels, the OpenAPI document. No answer is given to credentials that a
//! browser adds by itself, so nobody's cookies are of use to another site; a token that a script sends itself is
//! read. Whatever changes something, costs thinking or depends on a cookie stays closed: [`guard`](super::guard)
//! refuses what other sites post.

use std::time::Duration;

use axum::http::{HeaderName, Method, header};
use axum::routing::MethodRouter;
use tower_http::cors::{Any, CorsLayer};

use super::App;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// A day: what is open stays open.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Lets scripts of every site read what this route answers to GET.
pub(super) fn open(route: MethodRouter<App>) -> MethodRouter<App> {
    let none: [HeaderName; 0] = [];
    let layer = CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD])
        .allow_headers([header::AUTHORIZATION, header::IF_NONE_MATCH, LAST_EVENT_ID])
        .expose_headers([header::ETAG, header::RETRY_AFTER, REQUEST_ID])
        .max_age(MAX_AGE)
        // Every site gets the same answer.
        .vary(none);
    route.layer(layer)
}
