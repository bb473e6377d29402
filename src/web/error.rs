//! Everything that can go wrong on the web, in one place: HTTP status, sentence, log level.
//!
//! A handler returns a [`Failure`]; the guards before it refuse in their own short form; the router
//! itself answers 404 and 405. The outermost layer, [`dress`], turns all of them into a page for
//! people or into RFC 9457 problem details for programs.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

use super::assets::Assets;
use super::guard::Refused;
use super::headers::RequestId;
use super::looks;
use crate::service::ServiceError;
use crate::templates::view::{ErrorView, Section};
use crate::templates::{Language, Site, Text, error_page};

/// Why a request is not answered as asked.
#[derive(Clone, Debug)]
pub struct Failure {
    status: StatusCode,
    /// Which sentence people read: `error-…` of the text files.
    key: &'static str,
    /// What programs read.
    detail: String,
    /// Further members of the problem document.
    extra: Map<String, Value>,
    /// Seconds after which it is worth asking again.
    retry_after_s: Option<u32>,
}

impl Failure {
    /// A failure with a sentence for people and one for programs.
    #[must_use]
    pub fn new(status: StatusCode, key: &'static str, detail: impl Into<String>) -> Self {
        Failure {
            status,
            key,
            detail: detail.into(),
            extra: Map::new(),
            retry_after_s: None,
        }
    }

    /// No such game or page.
    #[must_use]
    pub fn not_found() -> Self {
        Failure::new(StatusCode::NOT_FOUND, "not-found", "there is no such game")
    }

    /// A link that opens no seat: used, withdrawn, mistyped, or never given out.
    #[must_use]
    pub fn no_link() -> Self {
        Failure::new(StatusCode::NOT_FOUND, "no-link", "this link opens no seat")
    }

    /// Not readable at all.
    #[must_use]
    pub fn bad_request(detail: impl Into<String>) -> Self {
        Failure::new(StatusCode::BAD_REQUEST, "bad-request", detail)
    }

    /// Readable, but it does not fit.
    #[must_use]
    pub fn unprocessable(detail: impl Into<String>) -> Self {
        Failure::new(StatusCode::UNPROCESSABLE_ENTITY, "unprocessable", detail)
    }

    /// No secret came with the request.
    #[must_use]
    pub fn no_secret() -> Self {
        Failure::new(
            StatusCode::UNAUTHORIZED,
            "no-secret",
            "this needs the token of a seat (Authorization: Bearer …)",
        )
    }

    /// A mutating link was only fetched ahead.
    #[must_use]
    pub fn prefetch() -> Self {
        Failure::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "prefetch",
            "links that play are not prefetched",
        )
    }

    /// There is too much to do; asking again in some seconds may help.
    #[must_use]
    pub fn busy(detail: impl Into<String>) -> Self {
        Failure {
            retry_after_s: Some(5),
            ..Failure::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail)
        }
    }

    /// Another site asked.
    #[must_use]
    pub fn cross_site() -> Self {
        Failure::new(
            StatusCode::FORBIDDEN,
            "cross-site",
            "another site may not play here",
        )
    }

    /// A further member of the problem document.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.extra.insert(name.to_owned(), value.into());
        self
    }

    /// The HTTP status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }
}

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        let detail = error.to_string();
        match error {
            ServiceError::NotFound => Failure::not_found(),
            ServiceError::NotYourSeat { .. } => {
                Failure::new(StatusCode::FORBIDDEN, "not-yours", detail)
            }
            ServiceError::Stale { snapshot } => {
                Failure::new(StatusCode::CONFLICT, "stale", detail).with("ply", snapshot.live.ply())
            }
            ServiceError::Refused { why, snapshot } => {
                use crate::service::live::Refused as Why;
                let (status, key) = match why {
                    Why::Over => (StatusCode::CONFLICT, "over"),
                    Why::NotYourTurn => (StatusCode::CONFLICT, "not-your-turn"),
                    Why::Dice(_) | Why::Trilobite(_) | Why::OtherGame => {
                        (StatusCode::UNPROCESSABLE_ENTITY, "unprocessable")
                    }
                };
                Failure::new(status, key, detail).with("ply", snapshot.live.ply())
            }
            ServiceError::SeatRefused { why, snapshot } => {
                use crate::service::SeatRefusal as Why;
                let (status, key) = match why {
                    Why::NoSuchLink | Why::NotYours => (StatusCode::FORBIDDEN, "not-yours"),
                    Why::Taken | Why::NotAwaited | Why::TooEarly { .. } | Why::GoesOn => {
                        (StatusCode::CONFLICT, "seat")
                    }
                    Why::NoSuchSeat | Why::Never => {
                        (StatusCode::UNPROCESSABLE_ENTITY, "unprocessable")
                    }
                };
                Failure::new(status, key, detail).with("ply", snapshot.live.ply())
            }
            ServiceError::Deal(_) | ServiceError::Seats { .. } => Failure::unprocessable(detail),
            ServiceError::Busy => Failure::busy(detail),
            ServiceError::Unavailable => {
                Failure::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail)
            }
            ServiceError::Damaged => {
                Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "damaged", detail)
            }
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = (self.status, self.detail.clone()).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.retry_after_s {
            let headers = response.headers_mut();
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// The failure behind an undressed answer, if it is one.
fn failure(response: &Response) -> Option<Failure> {
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return None;
    }
    if let Some(failure) = response.extensions().get::<Failure>() {
        return Some(failure.clone());
    }
    if let Some(refused) = response.extensions().get::<Refused>() {
        return Some(Failure::new(
            refused.status,
            refused.key,
            refused.sentence(),
        ));
    }
    let kind = response
        .headers()
        .get(header::CONTENT_TYPE)
        .map(HeaderValue::as_bytes);
    let dressed = kind.is_some_and(|kind| {
        kind.starts_with(b"text/html") || kind.starts_with(b"application/problem+json")
    });
    (!dressed).then(|| {
        let key = match status {
            StatusCode::NOT_FOUND => "not-found",
            StatusCode::METHOD_NOT_ALLOWED => "method",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "type",
            StatusCode::PAYLOAD_TOO_LARGE => "too-large",
            StatusCode::UNPROCESSABLE_ENTITY => "unprocessable",
            StatusCode::REQUEST_TIMEOUT => "slow",
            StatusCode::TOO_MANY_REQUESTS => "too-many",
            status if status.is_server_error() => "internal",
            _ => "bad-request",
        };
        Failure::new(status, key, plain_words(status))
    })
}

fn plain_words(status: StatusCode) -> String {
    status.canonical_reason().unwrap_or("error").to_lowercase()
}

/// Turns failures into pages or problem documents.
pub async fn dress(request: Request, next: Next) -> Response {
    let for_programs = request.uri().path().starts_with("/api/") || wants_json(request.headers());
    let request_id = request
        .extensions()
        .get::<RequestId>()
        .and_then(|id| id.header_value().to_str().ok())
        .map(str::to_owned);
    let look = looks::asked(request.headers());
    let response = next.run(request).await;
    let Some(failure) = failure(&response) else {
        return response;
    };
    if failure.status.is_server_error() && failure.status != StatusCode::SERVICE_UNAVAILABLE {
        tracing::error!(status = %failure.status, key = failure.key, request_id, "a request failed");
    } else {
        tracing::debug!(status = %failure.status, key = failure.key, "a request was refused");
    }
    let (mut parts, _) = response.into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.remove(header::TRANSFER_ENCODING);
    let (kind, body) = if for_programs {
        (
            "application/problem+json",
            problem(&failure, request_id.as_deref()),
        )
    } else {
        let site = Site {
            section: Section::Elsewhere,
            assets: &Assets,
            look,
        };
        let view = ErrorView {
            status: failure.status.as_u16(),
            key: failure.key,
            request_id,
        };
        let page = error_page(&site, Text::of(Language::English), &view, None);
        ("text/html; charset=utf-8", page.into_string())
    };
    parts
        .headers
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    Response::from_parts(parts, Body::from(body))
}

fn wants_json(headers: &HeaderMap) -> bool {
    headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.starts_with("application/json"))
}

/// RFC 9457.
fn problem(failure: &Failure, request_id: Option<&str>) -> String {
    let mut problem = failure.extra.clone();
    problem.insert("type".into(), json!("about:blank"));
    problem.insert(
        "title".into(),
        json!(failure.status.canonical_reason().unwrap_or("Error")),
    );
    problem.insert("status".into(), json!(failure.status.as_u16()));
    problem.insert("code".into(), json!(failure.key));
    problem.insert("detail".into(), json!(failure.detail));
    if failure.status.is_server_error()
        && let Some(id) = request_id
    {
        problem.insert("request_id".into(), json!(id));
    }
    Value::Object(problem).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_too_many_is_told_when_to_come_back() {
        let response = Failure::from(ServiceError::Busy).into_response();
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers()[header::RETRY_AFTER], "5");
    }
}
