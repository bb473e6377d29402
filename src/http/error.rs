//! An error response. An outer layer of the site turns it into a page for people or problem details for programs.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};

use super::problem::ProblemKind;

/// An error response.
#[derive(Clone, Debug)]
pub struct HttpError {
    pub(crate) problem: ProblemKind,
    /// The problem's status, unless a library determined another one.
    pub(crate) status: StatusCode,
    /// The detail for programs.
    pub(crate) detail: String,
    /// Additional members of the problem document.
    pub(crate) extra: Map<String, Value>,
    /// Seconds after which a retry makes sense.
    pub(crate) retry_after_s: Option<u32>,
    /// The message key for people, if more specific than the problem's own.
    pub(crate) sentence: Option<&'static str>,
    /// The origin's host and the server's, for a cross-site request.
    pub(crate) hosts: Option<Box<[String; 2]>>,
}

impl HttpError {
    /// An error with a detail for programs.
    #[must_use]
    pub fn new(problem: ProblemKind, detail: impl Into<String>) -> Self {
        HttpError {
            problem,
            status: problem.status(),
            detail: detail.into(),
            extra: Map::new(),
            retry_after_s: None,
            sentence: None,
            hosts: None,
        }
    }

    #[must_use]
    pub fn bad_request(detail: impl Into<String>) -> Self {
        HttpError::new(ProblemKind::BadRequest, detail)
    }

    /// The request can be parsed, but its content is invalid.
    #[must_use]
    pub fn unprocessable(detail: impl Into<String>) -> Self {
        HttpError::new(ProblemKind::Unprocessable, detail)
    }

    /// The server is overloaded; the client may retry after some seconds.
    #[must_use]
    pub fn busy(detail: impl Into<String>) -> Self {
        HttpError {
            retry_after_s: Some(5),
            ..HttpError::new(ProblemKind::Overloaded, detail)
        }
    }

    /// A request of a page of `origin`, which differs from this server's `host`.
    #[must_use]
    pub fn cross_site_from(origin: &str, host: &str) -> Self {
        let detail = format!(
            "a page of {origin} sent this request to {host}, so it counts as another site's; a proxy \
             between must pass the Host header on, or the server be started with --public-url"
        );
        HttpError {
            hosts: Some(Box::new([origin, host].map(str::to_owned))),
            ..HttpError::new(ProblemKind::CrossSite, detail)
        }
    }

    /// Adds a member to the problem document.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.extra.insert(name.to_owned(), value.into());
        self
    }

    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }
}

impl std::fmt::Display for HttpError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for HttpError {}

impl IntoResponse for HttpError {
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
