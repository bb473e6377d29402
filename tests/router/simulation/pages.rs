//! HTTP requests to an instance without a network.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use dice_of_doom::http::guard::RequestGuard;
use dice_of_doom::site::{self, RateLimits};
use dice_of_doom::tables::Service;
use tower::ServiceExt as _;

/// The server's routes, without effective rate limits.
pub(crate) fn app(service: Service) -> Router {
    site::serve(service, RateLimits::unlimited(), RequestGuard::default()).1
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
