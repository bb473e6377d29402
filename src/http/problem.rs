//! The kinds of error responses: each has a status, a code for programs and a message for people.
//!
//! The details of a specific case are in a handler's [`HttpError`] or the guard's [`GuardRejection`].
//!
//! [`HttpError`]: super::error::HttpError
//! [`GuardRejection`]: super::rejection::GuardRejection

use axum::http::StatusCode;

/// The kind of an error response, ordered by status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProblemKind {
    /// The request cannot be parsed.
    BadRequest,
    /// The body is truncated or wrongly encoded.
    MalformedBody,
    /// The request has no `Host`, or several.
    HostMissing,
    /// The request has no secret.
    NoSecret,
    /// A cross-site request.
    CrossSite,
    /// The request's secret does not give access to this seat.
    NotYours,
    /// The game does not allow takebacks.
    NoTakeback,
    NotFound,
    NoLink,
    /// The route does not support this method.
    MethodNotAllowed,
    /// The body did not arrive in time.
    RequestTimeout,
    /// The request was meant for an earlier ply.
    Stale,
    GameOver,
    /// The game is still in progress.
    GameInProgress,
    NotYourTurn,
    /// The game waits for players.
    NotStarted,
    /// The seat cannot be changed now.
    SeatUnchanged,
    /// The body is larger than any form or move.
    TooLarge,
    /// The body is larger than any record.
    RecordTooLarge,
    /// The route does not accept this content type.
    UnsupportedMediaType,
    /// The requested host is not this server.
    Host,
    /// The request can be parsed, but is not valid for the game or its rules.
    Unprocessable,
    /// The uploaded record is invalid.
    InvalidRecord,
    /// The rate limit of a client network is exceeded.
    RateLimited,
    TooManyStreams,
    /// Too many connections from one address.
    TooManyConnections,
    /// The record of the game cannot be read.
    Damaged,
    Internal,
    /// The server is overloaded.
    Overloaded,
    /// The connection limit is reached.
    ConnectionLimitReached,
    /// The storage quota is exhausted.
    StorageFull,
    /// A link that makes a move was only prefetched.
    Prefetch,
    /// The store is not available.
    Unavailable,
}

impl ProblemKind {
    pub const ALL: [ProblemKind; ProblemKind::Unavailable as usize + 1] = [
        ProblemKind::BadRequest,
        ProblemKind::MalformedBody,
        ProblemKind::HostMissing,
        ProblemKind::NoSecret,
        ProblemKind::CrossSite,
        ProblemKind::NotYours,
        ProblemKind::NoTakeback,
        ProblemKind::NotFound,
        ProblemKind::NoLink,
        ProblemKind::MethodNotAllowed,
        ProblemKind::RequestTimeout,
        ProblemKind::Stale,
        ProblemKind::GameOver,
        ProblemKind::GameInProgress,
        ProblemKind::NotYourTurn,
        ProblemKind::NotStarted,
        ProblemKind::SeatUnchanged,
        ProblemKind::TooLarge,
        ProblemKind::RecordTooLarge,
        ProblemKind::UnsupportedMediaType,
        ProblemKind::Host,
        ProblemKind::Unprocessable,
        ProblemKind::InvalidRecord,
        ProblemKind::RateLimited,
        ProblemKind::TooManyStreams,
        ProblemKind::TooManyConnections,
        ProblemKind::Damaged,
        ProblemKind::Internal,
        ProblemKind::Overloaded,
        ProblemKind::ConnectionLimitReached,
        ProblemKind::StorageFull,
        ProblemKind::Prefetch,
        ProblemKind::Unavailable,
    ];

    /// The status of the response, unless a library determined another one of the same class.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        self.entry().0
    }

    /// The `code` in problem documents, by which programs distinguish problems.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.entry().1
    }

    /// The key in `templates/text` of the message for people.
    #[must_use]
    pub const fn sentence_key(self) -> &'static str {
        self.entry().2
    }

    const fn entry(self) -> (StatusCode, &'static str, &'static str) {
        use StatusCode as S;
        match self {
            ProblemKind::BadRequest => (S::BAD_REQUEST, "bad-request", "error-bad-request"),
            ProblemKind::MalformedBody => (S::BAD_REQUEST, "broken", "error-bad-request"),
            ProblemKind::HostMissing => (S::BAD_REQUEST, "host-missing", "error-host-missing"),
            ProblemKind::NoSecret => (S::UNAUTHORIZED, "no-secret", "error-forbidden"),
            ProblemKind::CrossSite => (S::FORBIDDEN, "cross-site", "error-cross-site"),
            ProblemKind::NotYours => (S::FORBIDDEN, "not-yours", "error-forbidden"),
            ProblemKind::NoTakeback => (S::FORBIDDEN, "no-takeback", "error-no-takeback"),
            ProblemKind::NotFound => (S::NOT_FOUND, "not-found", "error-not-found"),
            ProblemKind::NoLink => (S::NOT_FOUND, "no-link", "error-no-link"),
            ProblemKind::MethodNotAllowed => (S::METHOD_NOT_ALLOWED, "method", "error-method"),
            ProblemKind::RequestTimeout => (S::REQUEST_TIMEOUT, "slow", "error-timeout"),
            ProblemKind::Stale => (S::CONFLICT, "stale", "error-stale"),
            ProblemKind::GameOver => (S::CONFLICT, "over", "error-stale"),
            ProblemKind::GameInProgress => (S::CONFLICT, "not-over", "error-not-over"),
            ProblemKind::NotYourTurn => (S::CONFLICT, "not-your-turn", "error-stale"),
            ProblemKind::NotStarted => (S::CONFLICT, "waiting", "error-waiting"),
            ProblemKind::SeatUnchanged => (S::CONFLICT, "seat", "error-seat"),
            ProblemKind::TooLarge => (S::PAYLOAD_TOO_LARGE, "too-large", "error-too-large"),
            ProblemKind::RecordTooLarge => (
                S::PAYLOAD_TOO_LARGE,
                "record-too-large",
                "error-record-too-large",
            ),
            ProblemKind::UnsupportedMediaType => {
                (S::UNSUPPORTED_MEDIA_TYPE, "type", "error-unsupported")
            }
            ProblemKind::Host => (S::MISDIRECTED_REQUEST, "host", "error-host"),
            ProblemKind::Unprocessable => {
                (S::UNPROCESSABLE_ENTITY, "unprocessable", "error-illegal")
            }
            ProblemKind::InvalidRecord => (S::UNPROCESSABLE_ENTITY, "record", "error-record"),
            ProblemKind::RateLimited => (S::TOO_MANY_REQUESTS, "too-many", "error-too-many"),
            ProblemKind::TooManyStreams => (
                S::TOO_MANY_REQUESTS,
                "too-many-streams",
                "error-too-many-streams",
            ),
            ProblemKind::TooManyConnections => (
                S::TOO_MANY_REQUESTS,
                "too-many-connections",
                "error-too-many",
            ),
            ProblemKind::Damaged => (S::INTERNAL_SERVER_ERROR, "damaged", "error-damaged"),
            ProblemKind::Internal => (S::INTERNAL_SERVER_ERROR, "internal", "error-internal"),
            ProblemKind::Overloaded => (S::SERVICE_UNAVAILABLE, "busy", "error-busy"),
            ProblemKind::ConnectionLimitReached => (S::SERVICE_UNAVAILABLE, "full", "error-busy"),
            ProblemKind::StorageFull => (S::SERVICE_UNAVAILABLE, "no-room", "error-no-room"),
            ProblemKind::Prefetch => (S::SERVICE_UNAVAILABLE, "prefetch", "error-prefetch"),
            ProblemKind::Unavailable => (S::SERVICE_UNAVAILABLE, "unavailable", "error-busy"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::games::Registry;
    use crate::templates::Language;

    #[test]
    fn every_problem_is_listed_once() {
        for (index, problem) in ProblemKind::ALL.into_iter().enumerate() {
            assert_eq!(problem as usize, index, "{problem:?}");
        }
        let codes: HashSet<_> = ProblemKind::ALL.map(ProblemKind::code).into();
        assert_eq!(codes.len(), ProblemKind::ALL.len());
    }

    #[test]
    fn every_problem_has_a_message_for_people() {
        let games = Registry::builtin();
        for problem in ProblemKind::ALL {
            let key = problem.sentence_key();
            assert!(
                games.translations(Language::English).has(key),
                "{problem:?}: {key}"
            );
        }
    }
}
