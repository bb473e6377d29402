//! A server that is about to end: for a while it says that it is not ready, so that whoever shares out requests
//! among servers sends no more of them here, and answers what still comes.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use tokio_util::sync::CancellationToken;

/// Whether the server is about to end.
#[derive(Clone, Debug, Default)]
pub(super) struct DrainState(CancellationToken);

impl DrainState {
    pub(super) fn is_so(&self) -> bool {
        self.0.is_cancelled()
    }

    /// The end that follows the wish for it after so long a time.
    pub(super) fn after(wish: CancellationToken, time: Duration) -> (Self, CancellationToken) {
        let end = CancellationToken::new();
        let (leaving, ending) = (wish.clone(), end.clone());
        tokio::spawn(async move {
            wish.cancelled().await;
            if !time.is_zero() {
                tracing::info!(seconds = time.as_secs(), "about to end: not ready any more");
                tokio::time::sleep(time).await;
            }
            ending.cancel();
        });
        (DrainState(leaving), end)
    }
}

/// Connections end with their next answer.
pub(super) async fn close_connections(
    State(leaving): State<DrainState>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = next.run(request).await;
    if leaving.is_so() {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    response
}
