//! The counting of requests, and the metrics of operators on a separate listener.
//!
//! Labels are bounded: the matched route instead of the path, standard methods, and the status. They are a stable
//! interface for dashboards, so the counting layer is implemented here; tower-http's layer only counts requests in
//! flight.

use std::time::Instant;

use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::http::{Method, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::http::{connections, guard, headers};
use crate::metrics;

/// Counts requests and measures response times.
pub(in crate::site) fn layer<S: Clone + Send + Sync + 'static>(router: Router<S>) -> Router<S> {
    router.layer(from_fn(record_request))
}

async fn record_request(request: Request, next: Next) -> Response {
    let path = request.extensions().get::<MatchedPath>().cloned();
    let route = path.as_ref().map_or("none", MatchedPath::as_str);
    let method = method_label(request.method());
    let start = Instant::now();
    let response = next.run(request).await;
    let seconds = start.elapsed().as_secs_f64();
    let status = response.status();
    tracing::debug!(route, method, status = status.as_str(), seconds, "answered");
    metrics::REQUESTS
        .with_label_values(&[route, method, status.as_str()])
        .inc();
    metrics::REQUEST_DURATION
        .with_label_values(&[route, method])
        .observe(seconds);
    response
}

/// The method as a label value; unknown methods share one.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// `GET /metrics`.
async fn report() -> Response {
    const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";
    ([(header::CONTENT_TYPE, TEXT)], metrics::render()).into_response()
}

/// Serves `/metrics` on its own listener until `stop`.
///
/// # Errors
/// If the listener fails permanently.
pub(in crate::site) async fn serve(
    listener: TcpListener,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let app = headers::layer(guard::with_guard(
        Router::new().route("/metrics", get(report)),
        guard::RequestGuard::default().into(),
    ));
    let limits = connections::ConnectionLimits::default();
    connections::serve(listener, app, limits, stop).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use tower::ServiceExt;

    #[tokio::test]
    async fn paths_do_not_become_labels() {
        let app = layer(Router::new().route("/g/{id}", get(|| async { "" })));
        for path in ["/g/one", "/g/two", "/nowhere/three"] {
            let request = Request::get(path).body(Body::empty()).unwrap();
            app.clone().oneshot(request).await.unwrap();
        }
        let text = metrics::render();
        assert!(text.contains(r#"route="/g/{id}""#), "{text}");
        assert!(text.contains(r#"route="none""#), "{text}");
        assert!(!text.contains("two") && !text.contains("three"), "{text}");
    }
}
