//! Cross-origin access for scripts of other sites.
//!
//! Scripts on other sites may read what everyone may read without a cookie: games, their moves, records and events, the
//! levels, and the OpenAPI document. Responses do not allow credentials that browsers add automatically, so cookies are
//! of no use to another site; a token that a script sends itself is accepted. Routes that change something, cost
//! compute time or depend on a cookie remain closed: [`guard`](super::guard) rejects cross-site posts.

use std::time::Duration;

use axum::http::{HeaderName, Method, header};
use axum::routing::MethodRouter;
use tower_http::cors::{Any, CorsLayer};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// A day: the set of open routes does not change.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Lets scripts of all sites read the route's GET responses.
pub(crate) fn allow_any_origin<S>(route: MethodRouter<S>) -> MethodRouter<S>
where
    S: Clone + Send + Sync + 'static,
{
    let none: [HeaderName; 0] = [];
    let layer = CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD])
        .allow_headers([header::AUTHORIZATION, header::IF_NONE_MATCH, LAST_EVENT_ID])
        .expose_headers([header::ETAG, header::RETRY_AFTER, REQUEST_ID])
        .max_age(MAX_AGE)
        // Every site gets the same response.
        .vary(none);
    route.layer(layer)
}
