//! Why a request or a connection is rejected before a handler sees it.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use super::error::HttpError;
use super::problem::ProblemKind;

/// Why the guard rejected a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GuardRejection {
    /// The request has no `Host`, or several.
    HostMissing,
    /// The requested host is not this server.
    Host,
    /// A trusted proxy sent an unreadable `X-Forwarded-For`.
    Forwarded,
    CrossSite,
    TooLarge,
    RecordTooLarge,
    RequestTimeout,
    /// The body is truncated or wrongly encoded.
    MalformedBody,
    /// The body is compressed.
    CompressedBody,
    RateLimited {
        /// Seconds after which a request is possible again.
        retry_after_s: u32,
    },
    TooManyStreams,
    /// Too many connections from one address; sent before a request was read.
    TooManyConnections,
    /// The connection limit is reached; sent before a request was read.
    ConnectionLimitReached,
}

impl GuardRejection {
    #[must_use]
    pub const fn problem(self) -> ProblemKind {
        self.problem_and_sentence().0
    }

    /// The message for people, in English.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        self.problem_and_sentence().1
    }

    const fn problem_and_sentence(self) -> (ProblemKind, &'static str) {
        use ProblemKind as P;
        match self {
            Self::HostMissing => (P::HostMissing, "The request must name exactly one host."),
            Self::Host => (
                P::Host,
                "This server does not answer to that name; start it with --host NAME.",
            ),
            Self::Forwarded => (
                P::BadRequest,
                "The X-Forwarded-For of this request cannot be read.",
            ),
            Self::CrossSite => (P::CrossSite, "This request comes from another site."),
            Self::TooLarge => (P::TooLarge, "The request is too large."),
            Self::RecordTooLarge => (P::RecordTooLarge, "No record is so large."),
            Self::RequestTimeout => (P::RequestTimeout, "The request took too long to arrive."),
            Self::MalformedBody => (P::MalformedBody, "The request cannot be read."),
            Self::CompressedBody => (
                P::UnsupportedMediaType,
                "This server reads no compressed requests; send the body as it is.",
            ),
            Self::RateLimited { .. } => (
                P::RateLimited,
                "Too many requests from your address; please wait a little.",
            ),
            Self::TooManyStreams => (
                P::TooManyStreams,
                "Too many streams are open; please close some or come back later.",
            ),
            Self::TooManyConnections => (
                P::TooManyConnections,
                "Too many connections from your address; please close some.",
            ),
            Self::ConnectionLimitReached => (
                P::ConnectionLimitReached,
                "The server is full; please come back in a moment.",
            ),
        }
    }

    /// Seconds after which a retry makes sense, if waiting helps.
    #[must_use]
    pub const fn retry_after_s(self) -> Option<u32> {
        match self {
            GuardRejection::RateLimited { retry_after_s } => Some(retry_after_s),
            GuardRejection::TooManyStreams => Some(10),
            GuardRejection::TooManyConnections | GuardRejection::ConnectionLimitReached => Some(5),
            GuardRejection::HostMissing
            | GuardRejection::Host
            | GuardRejection::Forwarded
            | GuardRejection::CrossSite
            | GuardRejection::TooLarge
            | GuardRejection::RecordTooLarge
            | GuardRejection::RequestTimeout
            | GuardRejection::MalformedBody
            | GuardRejection::CompressedBody => None,
        }
    }
}

impl IntoResponse for GuardRejection {
    fn into_response(self) -> Response {
        let mut response = HttpError::from(self).into_response();
        if matches!(
            self,
            GuardRejection::TooLarge
                | GuardRejection::RecordTooLarge
                | GuardRejection::RequestTimeout
                | GuardRejection::MalformedBody
                | GuardRejection::CompressedBody
        ) {
            // The rest of the body is not read by the handler; the accept loop drains and closes the connection.
            let headers = response.headers_mut();
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if self == GuardRejection::CompressedBody {
            // The codings that a request may have (RFC 9110, 15.5.16).
            let headers = response.headers_mut();
            headers.insert(
                header::ACCEPT_ENCODING,
                HeaderValue::from_static("identity"),
            );
        }
        response
    }
}

impl From<GuardRejection> for HttpError {
    fn from(rejection: GuardRejection) -> Self {
        HttpError {
            retry_after_s: rejection.retry_after_s(),
            ..HttpError::new(rejection.problem(), rejection.sentence())
        }
    }
}
