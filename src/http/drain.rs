//! Draining before shutdown: for a while the server reports that it is not ready but still answers requests, so that a
//! load balancer sends no more of them.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use tokio_util::sync::CancellationToken;

#[derive(Clone, Debug, Default)]
pub(crate) struct DrainState(CancellationToken);

impl DrainState {
    pub(crate) fn is_draining(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Returns the drain state and a token that is cancelled `delay` after `stop`.
    pub(crate) fn start(stop: CancellationToken, delay: Duration) -> (Self, CancellationToken) {
        let end = CancellationToken::new();
        let (draining, ending) = (stop.clone(), end.clone());
        tokio::spawn(async move {
            stop.cancelled().await;
            if !delay.is_zero() {
                tracing::info!(
                    seconds = delay.as_secs(),
                    "shutting down: reporting not ready"
                );
                tokio::time::sleep(delay).await;
            }
            ending.cancel();
        });
        (DrainState(draining), end)
    }
}

/// Closes each connection after its next response.
pub(crate) async fn close_connections(
    State(draining): State<DrainState>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = next.run(request).await;
    if draining.is_draining() {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    response
}
