//! HTTP requests to an instance without a network.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use dice_of_doom::client_network::LoopbackPolicy;
use dice_of_doom::http::guard::RequestGuard;
use dice_of_doom::http::rate_limit::RateLimiter;
use dice_of_doom::service::Service;
use dice_of_doom::site::subscribers::{StreamLimits, SubscriberRegistry};
use dice_of_doom::site::{RateLimits, router};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// The server's routes, without effective rate limits.
pub(crate) fn app(service: Service) -> Router {
    let throttle = || {
        let throttle = RateLimiter::new(1_000_000, Duration::from_secs(1), LoopbackPolicy::Exempt);
        Arc::new(throttle)
    };
    let gallery = SubscriberRegistry::new(StreamLimits::default(), CancellationToken::new());
    let throttles = RateLimits {
        stored_bytes: throttle(),
        games: throttle(),
        moves: throttle(),
        reads: throttle(),
        wrong_codes: throttle(),
        subscribers: Arc::new(gallery),
    };
    router(service, RequestGuard::default(), &throttles)
}

/// Sends a GET request without credentials.
pub(crate) async fn get(app: &Router, path: &str) -> (StatusCode, Body) {
    let request = Request::get(path).header(header::HOST, "localhost");
    let request = request.body(Body::empty()).expect("a request");
    let answer = app.clone().oneshot(request).await;
    let (parts, body) = answer.expect("routes answer").into_parts();
    (parts.status, body)
}

/// The complete response body as text.
pub(crate) async fn text(app: &Router, path: &str) -> String {
    let (_, body) = get(app, path).await;
    let bytes = to_bytes(body, usize::MAX).await;
    String::from_utf8_lossy(&bytes.expect("a whole answer")).into_owned()
}
