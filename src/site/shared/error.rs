//! All errors of the web server: HTTP status, message, and log level.
//!
//! Handlers and guards respond with a [`HttpError`], the router itself with 404 and 405. The outermost layer,
//! `render_error`, turns all of them into a page for people or into RFC 9457 problem details for programs.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use serde_json::{Value, json};

use super::accept_language::accepted;
use super::app::App;
use super::{display_options, rejections};
use crate::formats::FieldError;
use crate::games::{ActionError, FormError};
use crate::http::error::HttpError;
use crate::http::headers::{self, RequestId};
use crate::http::problem::ProblemKind;
use crate::store::StoreError;
use crate::tables::{PhraseError, ServiceError, Snapshot};
use crate::templates::error::ErrorView;
use crate::templates::page::NavSection;
use crate::templates::{Language, error_page};

impl HttpError {
    #[must_use]
    pub fn not_found() -> Self {
        HttpError {
            sentence: Some("error-no-game"),
            ..HttpError::new(ProblemKind::NotFound, "there is no such game")
        }
    }

    /// Like [`HttpError::not_found`], for a player whose seat in this private game the host has freed.
    #[must_use]
    pub fn seat_freed() -> Self {
        HttpError {
            sentence: Some("error-seat-freed"),
            ..HttpError::not_found()
        }
    }

    #[must_use]
    pub fn no_ply() -> Self {
        HttpError {
            sentence: Some("error-no-ply"),
            ..HttpError::new(ProblemKind::NotFound, "this game has no such ply")
        }
    }

    /// The URL contains no valid position.
    #[must_use]
    pub fn no_position() -> Self {
        HttpError {
            sentence: Some("error-no-position"),
            ..HttpError::unprocessable("the address holds no position that can be")
        }
    }

    /// A link that opens no seat: used, withdrawn, mistyped, or never issued.
    #[must_use]
    pub fn no_link() -> Self {
        HttpError::new(
            ProblemKind::NoLink,
            "the invitation is invalid or has been used",
        )
    }

    /// The request has no secret.
    #[must_use]
    pub fn no_secret() -> Self {
        HttpError::new(
            ProblemKind::NoSecret,
            "this needs the token of a seat (Authorization: Bearer …)",
        )
    }

    /// This browser has begun the board of the day and deleted it with everything else.
    #[must_use]
    pub fn begun_before() -> Self {
        HttpError {
            sentence: Some("daily-begun-before"),
            ..HttpError::unprocessable("this browser has begun the board of the day before")
        }
    }

    /// A link that makes a move was only prefetched.
    #[must_use]
    pub fn prefetch() -> Self {
        HttpError::new(ProblemKind::Prefetch, "links that play are not prefetched")
    }

    /// A cross-site request.
    #[must_use]
    pub fn cross_site() -> Self {
        HttpError::new(ProblemKind::CrossSite, "another site may not play here")
    }

    /// The browser refuses cookies.
    #[must_use]
    pub fn no_cookies() -> Self {
        HttpError {
            sentence: Some("notice-no-cookies"),
            ..HttpError::new(ProblemKind::NoSecret, "the browser keeps no cookies")
        }
    }
}

impl From<ServiceError> for HttpError {
    fn from(error: ServiceError) -> Self {
        let detail = error.to_string();
        let at_ply = |problem, snapshot: &Snapshot| {
            HttpError::new(problem, detail.clone()).with("ply", snapshot.live.entry_count())
        };
        match error {
            ServiceError::NotFound => HttpError::not_found(),
            ServiceError::NotYourSeat { .. } => HttpError::new(ProblemKind::NotYours, detail),
            ServiceError::Stale { snapshot } => at_ply(ProblemKind::Stale, &snapshot),
            ServiceError::NotStarted { snapshot } => at_ply(ProblemKind::NotStarted, &snapshot),
            ServiceError::ActionRejected { why, snapshot } => {
                let problem = match why {
                    ActionError::Over => ProblemKind::GameOver,
                    ActionError::NotYourTurn => ProblemKind::NotYourTurn,
                    ActionError::Malformed(_) | ActionError::Impossible(_) => {
                        return HttpError::unprocessable(detail);
                    }
                    ActionError::Rules(_)
                    | ActionError::NoSuchAction
                    | ActionError::Explained(_) => ProblemKind::Unprocessable,
                };
                at_ply(problem, &snapshot)
            }
            ServiceError::SeatChangeRejected { why, snapshot } => {
                at_ply(rejections::seat_problem(why).problem, &snapshot)
            }
            ServiceError::NotToday => HttpError {
                sentence: Some("daily-not-today"),
                ..HttpError::unprocessable(detail)
            },
            ServiceError::PositionIsOver { snapshot } => at_ply(ProblemKind::GameOver, &snapshot),
            ServiceError::TakebackRejected { why, snapshot } => {
                at_ply(rejections::takeback_problem(why).0, &snapshot)
            }
            ServiceError::EntropyRevealDue { snapshot } => {
                at_ply(ProblemKind::NotYourTurn, &snapshot)
            }
            ServiceError::PhraseRejected { why, .. } => match why {
                PhraseError::TooSoon => HttpError::new(ProblemKind::RateLimited, detail),
                PhraseError::Alone => HttpError::unprocessable(detail),
            },
            ServiceError::PlyNotReached { snapshot }
            | ServiceError::EntropyRejected { snapshot, .. } => {
                at_ply(ProblemKind::Unprocessable, &snapshot)
            }
            ServiceError::Deal(_)
            | ServiceError::Seats { .. }
            | ServiceError::Level(_)
            | ServiceError::Simulations => HttpError::unprocessable(detail),
            ServiceError::Busy => HttpError::busy(detail),
            ServiceError::TooManyConcurrent => HttpError {
                retry_after_s: Some(1),
                ..HttpError::new(ProblemKind::RateLimited, detail)
            },
            ServiceError::TooManyOpenTables => HttpError::new(ProblemKind::SeatUnchanged, detail),
            ServiceError::StorageFull => HttpError::new(ProblemKind::StorageFull, detail),
            ServiceError::Unavailable => HttpError::new(ProblemKind::Unavailable, detail),
            ServiceError::Damaged => HttpError::new(ProblemKind::Damaged, detail),
        }
    }
}

impl From<StoreError> for HttpError {
    fn from(error: StoreError) -> Self {
        HttpError::from(ServiceError::from(error))
    }
}

impl From<FieldError> for HttpError {
    fn from(error: FieldError) -> Self {
        HttpError::unprocessable(error.to_string())
    }
}

impl From<FormError> for HttpError {
    fn from(error: FormError) -> Self {
        match error {
            FormError::Invalid(sentence) => HttpError::unprocessable(sentence),
            FormError::Explained(_) => HttpError::unprocessable("that is not possible here"),
        }
    }
}

impl HttpError {
    /// An unreadable body, by the status of axum's rejection.
    pub(in crate::site) fn from_body_rejection(
        status: StatusCode,
        otherwise: ProblemKind,
        detail: impl Into<String>,
    ) -> Self {
        let problem = match status {
            StatusCode::UNSUPPORTED_MEDIA_TYPE => ProblemKind::UnsupportedMediaType,
            StatusCode::PAYLOAD_TOO_LARGE => ProblemKind::TooLarge,
            _ => otherwise,
        };
        HttpError {
            status,
            ..HttpError::new(problem, detail)
        }
    }

    /// A response of the router itself, with the reason phrase of its status.
    fn from_router_status(status: StatusCode) -> Self {
        let problem = match status {
            StatusCode::NOT_FOUND => ProblemKind::NotFound,
            StatusCode::METHOD_NOT_ALLOWED => ProblemKind::MethodNotAllowed,
            StatusCode::UNSUPPORTED_MEDIA_TYPE => ProblemKind::UnsupportedMediaType,
            StatusCode::PAYLOAD_TOO_LARGE => ProblemKind::TooLarge,
            StatusCode::UNPROCESSABLE_ENTITY => ProblemKind::Unprocessable,
            StatusCode::REQUEST_TIMEOUT => ProblemKind::RequestTimeout,
            StatusCode::TOO_MANY_REQUESTS => ProblemKind::RateLimited,
            status if status.is_server_error() => ProblemKind::Internal,
            _ => ProblemKind::BadRequest,
        };
        let detail = status.canonical_reason().unwrap_or("error").to_lowercase();
        HttpError {
            status,
            ..HttpError::new(problem, detail)
        }
    }
}

/// The error behind a response that is not rendered yet.
fn http_error(response: &Response) -> Option<HttpError> {
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return None;
    }
    if let Some(error) = response.extensions().get::<HttpError>() {
        return Some(error.clone());
    }
    let kind = response
        .headers()
        .get(header::CONTENT_TYPE)
        .map(HeaderValue::as_bytes);
    let is_rendered = kind.is_some_and(|kind| {
        kind.starts_with(b"text/html") || kind.starts_with(b"application/problem+json")
    });
    (!is_rendered).then(|| HttpError::from_router_status(status))
}

/// Turns errors into pages or problem documents, and sets the language of pages.
pub(in crate::site) async fn render_error(
    State(app): State<App>,
    mut request: Request,
    next: Next,
) -> Response {
    let for_programs = request.uri().path().starts_with("/api/") || wants_json(request.headers());
    let request_id = request
        .extensions()
        .get::<RequestId>()
        .map(|RequestId(id)| id.to_string());
    let display = display_options::requested_options(request.headers());
    // Programs have no cookies; their language is negotiated by header.
    let accepted = accepted(request.headers());
    // Handlers need the options too, so cookies are parsed once.
    request.extensions_mut().insert(display);
    let mut response = next.run(request).await;
    let Some(failure) = http_error(&response) else {
        if headers::is_page(response.headers()) {
            set_content_language(response.headers_mut(), display.language);
        }
        return response;
    };
    let key = failure.problem.code();
    if failure.status.is_server_error() && failure.status != StatusCode::SERVICE_UNAVAILABLE {
        tracing::error!(status = %failure.status, key, request_id, "a request failed");
    } else {
        tracing::debug!(status = %failure.status, key, "a request was rejected");
    }
    let (mut parts, _) = response.into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.remove(header::TRANSFER_ENCODING);
    let (kind, body) = if for_programs {
        set_content_language(&mut parts.headers, accepted);
        let vary = HeaderValue::from_static("accept-language");
        parts.headers.append(header::VARY, vary);
        let title = match accepted {
            Language::English => failure.status.canonical_reason().unwrap_or("Error").into(),
            language => app
                .games
                .translations(language)
                .get(failure.problem.sentence_key()),
        };
        (
            "application/problem+json",
            problem_document(&failure, &title, request_id.as_deref()),
        )
    } else {
        set_content_language(&mut parts.headers, display.language);
        let site = app.site(NavSection::Elsewhere, display);
        let view = ErrorView {
            status: failure.status.as_u16(),
            key: failure.sentence.unwrap_or(failure.problem.sentence_key()),
            hosts: failure.hosts.map(|hosts| *hosts),
            request_id,
        };
        let page = error_page(&site, app.text(&display), &view, None);
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

fn set_content_language(headers: &mut HeaderMap, language: Language) {
    let tag = HeaderValue::from_static(language.tag());
    headers.insert(header::CONTENT_LANGUAGE, tag);
}

/// The problem document (RFC 9457). The title is localized; the detail is English, for the program's developer.
fn problem_document(error: &HttpError, title: &str, request_id: Option<&str>) -> String {
    let mut problem = error.extra.clone();
    problem.insert("type".into(), json!("about:blank"));
    problem.insert("title".into(), json!(title));
    problem.insert("status".into(), json!(error.status.as_u16()));
    problem.insert("code".into(), json!(error.problem.code()));
    problem.insert("detail".into(), json!(error.detail));
    if error.status.is_server_error()
        && let Some(id) = request_id
    {
        problem.insert("request_id".into(), json!(id));
    }
    Value::Object(problem).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse;

    #[test]
    fn an_overload_response_has_retry_after() {
        let response = HttpError::from(ServiceError::Busy).into_response();
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers()[header::RETRY_AFTER], "5");
    }
}
