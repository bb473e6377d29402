//! The kinds of answers that are not what was asked for: each has a status, a code for programs and a
//! sentence for people.
//!
//! The sentence that says what is wrong in one case is not here: a handler's [`Failure`] and the
//! guard's [`Rejection`] carry it.
//!
//! [`Failure`]: super::error::Failure
//! [`Rejection`]: super::guard::Rejection

use axum::http::StatusCode;

/// Why a request is not answered as asked. The order is that of the status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProblemKind {
    /// The request cannot be read.
    BadRequest,
    /// The body broke off or is wrongly encoded.
    MalformedBody,
    /// The request names no host, or several.
    HostMissing,
    /// No secret came with the request.
    NoSecret,
    /// Another site made the request.
    CrossSite,
    /// The secret that came opens another seat, or none.
    NotYours,
    /// At this table nothing is taken back.
    NoTakeback,
    /// There is no such game or page.
    NotFound,
    /// The link opens no seat.
    NoLink,
    /// The address does not take this method.
    MethodNotAllowed,
    /// The body did not arrive in time.
    RequestTimeout,
    /// The game has moved on.
    Stale,
    /// The game is over.
    GameOver,
    /// The game goes on.
    GameInProgress,
    /// It is somebody else's turn.
    NotYourTurn,
    /// The seat stays as it is.
    SeatUnchanged,
    /// The body is larger than any form or move.
    TooLarge,
    /// The body is larger than any record.
    RecordTooLarge,
    /// The body is of a kind that the address does not take.
    UnsupportedMediaType,
    /// The request names a host that is not this server.
    Host,
    /// The request can be read, but does not fit the game or its rules.
    Unprocessable,
    /// The record that was brought does not hold.
    InvalidRecord,
    /// There were too many requests from one address.
    RateLimited,
    /// Too many streams of events are open.
    TooManyStreams,
    /// Too many connections from one address are open.
    TooManyConnections,
    /// The record of the game cannot be read.
    Damaged,
    /// Something broke in the server.
    Internal,
    /// There is too much to do.
    Overloaded,
    /// As many connections as the server takes are open.
    ConnectionLimitReached,
    /// The archive is as large as it may be.
    StorageFull,
    /// A link that plays was only fetched ahead.
    Prefetch,
    /// The archive does not answer.
    Unavailable,
}

impl ProblemKind {
    /// Every problem, in order.
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

    /// The status of an answer, unless the router has already given another one of the same class.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        self.entry().0
    }

    /// What programs tell problems apart by: the `code` of a problem document.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.entry().1
    }

    /// The key of the sentence that people read, in `templates/text`.
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
            ProblemKind::SeatUnchanged => (S::CONFLICT, "seat", "error-seat"),
            ProblemKind::TooLarge => (S::PAYLOAD_TOO_LARGE, "too-large", "error-too-large"),
            ProblemKind::RecordTooLarge => (
                S::PAYLOAD_TOO_LARGE,
                "record-too-large",
                "error-record-too-large",
            ),
            ProblemKind::UnsupportedMediaType => (S::UNSUPPORTED_MEDIA_TYPE, "type", "error-unsupported"),
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
    use crate::game_adapters::Registry;
    use crate::templates::Language;

    #[test]
    fn every_problem_is_listed_once() {
        for (at, problem) in ProblemKind::ALL.into_iter().enumerate() {
            assert_eq!(problem as usize, at, "{problem:?}");
        }
        let codes: HashSet<_> = ProblemKind::ALL.map(ProblemKind::code).into();
        assert_eq!(codes.len(), ProblemKind::ALL.len());
    }

    #[test]
    fn every_problem_has_a_sentence_for_people() {
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
