//! Server-sent events: messages, and the response that streams them.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use super::error::HttpError;

/// Milliseconds after which clients reconnect, randomised to spread the load.
pub(crate) const RETRY_MS: std::ops::Range<u64> = 1000..3000;

/// A message of a stream: the lines of an event. Its data, a JSON object, gets the name of the event as its first field,
/// `event`. `lines` are further lines, such as the `id`.
pub(crate) fn event_message(name: &str, lines: &str, data: &str) -> String {
    let fields = data.strip_prefix('{').unwrap_or(data);
    let comma = if fields == "}" { "" } else { "," };
    format!("event: {name}\n{lines}data: {{\"event\":\"{name}\"{comma}{fields}\n\n")
}

/// Adds the reconnection delay to the first event of a stream: a separate line would be an event without name and data
/// to some clients.
pub(crate) fn first_event(event: &Bytes) -> Bytes {
    let retry = rand::random_range(RETRY_MS);
    [format!("retry: {retry}\n").as_bytes(), event]
        .concat()
        .into()
}

/// Keep-alive message. Browser scripts see only events; programs may look for the comment.
pub(crate) fn keep_alive_event(keep_alive: Duration) -> Bytes {
    let next_ms = keep_alive.as_millis();
    let ping = event_message("ping", "", &format!("{{\"next_ms\":{next_ms}}}"));
    format!(": still here\n{ping}").into()
}

/// The last event of a stream.
pub(crate) fn close_event() -> Bytes {
    let retry = rand::random_range(RETRY_MS);
    event_message("bye", &format!("retry: {retry}\n"), "{}").into()
}

/// A response whose body is a stream of events.
pub(crate) fn event_stream_response(body: Body) -> Response {
    const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/event-stream"),
        ),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        // Prevents proxies from buffering the response, which never ends.
        (X_ACCEL_BUFFERING, HeaderValue::from_static("no")),
    ];
    (headers, body).into_response()
}

/// The `Last-Event-ID` of a reconnecting client.
pub(crate) fn last_event_id(headers: &HeaderMap) -> Result<Option<u32>, HttpError> {
    const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
    let mut values = headers.get_all(LAST_EVENT_ID).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(id), None) => match id.to_str().ok().and_then(parse_number) {
            Some(last) => Ok(Some(last)),
            None => Err(HttpError::bad_request(
                "Last-Event-ID is a whole number from 0 to 4294967295",
            )),
        },
        (Some(_), Some(_)) => Err(HttpError::bad_request("there are two Last-Event-IDs")),
    }
}

/// Parses decimal digits; numbers too large for a ply saturate.
pub(crate) fn parse_number(digits: &str) -> Option<u32> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u32::MAX))
}
