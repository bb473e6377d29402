//! Requests whose client has disconnected.

use std::future::poll_fn;
use std::task::Poll;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tracing::Instrument as _;

use super::error::HttpError;
use super::problem::ProblemKind;

/// Runs requests that change something to their end, whether or not the client waits for the response. Otherwise a client
/// that disconnects after the first step, such as a commit, could prevent the steps after it.
pub(crate) async fn run_to_end(request: Request, next: Next) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    let mut running = Box::pin(next.run(request).in_current_span());
    // A response that waits for nothing also reaches clients that have closed their side of the connection.
    let first_poll = poll_fn(|context| Poll::Ready(running.as_mut().poll(context)));
    if let Poll::Ready(response) = first_poll.await {
        return response;
    }
    let response = tokio::spawn(running);
    match response
        .await
        .map_err(tokio::task::JoinError::try_into_panic)
    {
        Ok(response) => response,
        Err(Ok(panic)) => std::panic::resume_unwind(panic),
        Err(Err(_)) => {
            HttpError::new(ProblemKind::Unavailable, "the server is about to end").into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::Router;
    use axum::body::Body;
    use axum::http::StatusCode;
    use axum::middleware::from_fn;
    use axum::routing::any;
    use tokio::sync::Semaphore;
    use tower::ServiceExt as _;

    use super::*;

    /// Sends a request to a handler of two steps, and disconnects between them. Returns whether both were made.
    async fn is_completed(method: &'static str) -> bool {
        let [begun, allowed, done] = [(); 3].map(|()| Arc::new(Semaphore::new(0)));
        let (at_begin, at_wait, at_end) = (begun.clone(), allowed.clone(), done.clone());
        let handler = move || async move {
            at_begin.add_permits(1);
            at_wait.acquire().await.unwrap().forget();
            at_end.add_permits(1);
            at_end.close();
        };
        let app = Router::new()
            .route("/", any(handler))
            .route_layer(from_fn(run_to_end));
        let request = Request::builder().method(method).uri("/");
        let response = app.oneshot(request.body(Body::empty()).unwrap());
        tokio::select! {
            _ = response => panic!("the handler does not wait"),
            permit = begun.acquire() => permit.unwrap().forget(),
        }
        // The select has dropped the request, as a closed connection does.
        allowed.add_permits(1);
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        done.available_permits() == 1
    }

    #[tokio::test]
    async fn only_requests_that_change_something_run_to_their_end() {
        for (method, is_run) in [("POST", true), ("GET", false), ("HEAD", false)] {
            assert_eq!(is_completed(method).await, is_run, "{method}");
        }
    }

    #[tokio::test]
    #[should_panic(expected = "in the handler")]
    async fn a_panic_is_one_of_the_request() {
        async fn panics() -> StatusCode {
            panic!("in the handler")
        }
        let app = Router::new().route("/", any(panics));
        let app = app.route_layer(from_fn(run_to_end));
        let request = Request::builder().method("POST").uri("/");
        let _ = app.oneshot(request.body(Body::empty()).unwrap()).await;
    }
}
