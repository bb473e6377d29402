//! Problem details (RFC 9457) in the OpenAPI document.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::Operation;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::{Object, ObjectBuilder, Schema, Type};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response};

use super::object_schema::reference;
use crate::engine::EngineErrorCode;
use crate::web::problem::ProblemKind;

/// The schema of a problem document.
pub(super) fn schema() -> RefOr<Schema> {
    let codes = ProblemKind::ALL.map(ProblemKind::code);
    let about =
        ProblemKind::ALL.map(|problem| format!("- `{}`: {}", problem.code(), about(problem)));
    let text = |about: &str| typed(Type::String, about);
    let number = |about: &str| typed(Type::Integer, about);
    ObjectBuilder::new()
        .description(Some("A problem document (RFC 9457): why the request failed."))
        .property("type", text("Always `about:blank`."))
        .required("type")
        .property(
            "title",
            text("Short text for users, in the language of `Accept-Language`."),
        )
        .required("title")
        .property("status", number("The HTTP status code."))
        .required("status")
        .property(
            "code",
            ObjectBuilder::new()
                .schema_type(Type::String)
                .description(Some(format!("Code for programs:\n\n{}", about.join("\n"))))
                .enum_values(Some(codes)),
        )
        .required("code")
        .property("detail", text("Explanation for the developer of the client."))
        .required("detail")
        .property(
            "ply",
            number("The number of the next entry of the game; if a record is invalid, the number of the \
                    invalid entry."),
        )
        .property(
            "pointer",
            text("JSON pointer (RFC 6901) to the invalid part of a record; empty for the whole record."),
        )
        .property(
            "reason",
            ObjectBuilder::new()
                .schema_type(Type::String)
                .description(Some(
                    "The error code of the engine, in answers to `rate`, `choose` and `solve`.",
                ))
                .enum_values(Some(
                    EngineErrorCode::ALL.map(|code| serde_json::json!(code)),
                )),
        )
        .property(
            "line",
            number("The invalid line of a game in notation, counted from 1."),
        )
        .property(
            "column",
            number("The invalid character in that line, counted from 1."),
        )
        .property(
            "request_id",
            text("Identifies the request in a bug report."),
        )
        .into()
}

fn typed(kind: Type, about: &str) -> Object {
    let object = ObjectBuilder::new().schema_type(kind);
    object.description(Some(about)).build()
}

/// A description of each problem, for programs.
const fn about(problem: ProblemKind) -> &'static str {
    match problem {
        ProblemKind::BadRequest => {
            "The request is malformed: the address, the JSON, or a parameter."
        }
        ProblemKind::MalformedBody => "The body is incomplete or wrongly encoded.",
        ProblemKind::HostMissing => "The request has no `Host` header, or several.",
        ProblemKind::NoSecret => "The request has no token.",
        ProblemKind::CrossSite => "A page of another site made the request.",
        ProblemKind::NotYours => "The token is not that of a seat that may do this.",
        ProblemKind::NoTakeback => "Takebacks are not allowed in this game.",
        ProblemKind::NotFound => "There is no such game, or it is private.",
        ProblemKind::NoLink => "The invitation is invalid or has been used.",
        ProblemKind::MethodNotAllowed => "The path does not support this method.",
        ProblemKind::RequestTimeout => "The body did not arrive in time.",
        ProblemKind::Stale => "Another ply has been played; `ply` is the number of the next one.",
        ProblemKind::GameOver => "The game is over.",
        ProblemKind::GameInProgress => "The game is not over yet.",
        ProblemKind::NotYourTurn => "It is another player's turn.",
        ProblemKind::SeatUnchanged => {
            "The seat cannot be changed now: it is taken, or it is too early for it."
        }
        ProblemKind::TooLarge => "The body is larger than any request to this path needs.",
        ProblemKind::RecordTooLarge => "The body is larger than any record (512 KB).",
        ProblemKind::UnsupportedMediaType => {
            "The `Content-Type` is not the one that the path needs, or the body is compressed; `detail` says which."
        }
        ProblemKind::Host => "The `Host` header names another host than this server.",
        ProblemKind::Unprocessable => {
            "A field is unknown, missing or out of range, or the action is not legal; `detail` says which."
        }
        ProblemKind::InvalidRecord => {
            "The record is invalid; `pointer`, or `line` and `column`, say where."
        }
        ProblemKind::RateLimited => "Too many requests from one address or client network.",
        ProblemKind::TooManyStreams => "Too many event streams are open.",
        ProblemKind::TooManyConnections => "Too many connections from one address are open.",
        ProblemKind::Damaged => "The stored record of the game is damaged.",
        ProblemKind::Internal => "A bug in the server; please report it with `request_id`.",
        ProblemKind::Overloaded => "The server is overloaded.",
        ProblemKind::ConnectionLimitReached => "The server has as many connections as it accepts.",
        ProblemKind::StorageFull => {
            "The server accepts no new games now, because its storage is full."
        }
        ProblemKind::Prefetch => {
            "A browser requested a link that makes a move in advance (`Sec-Purpose: prefetch`)."
        }
        ProblemKind::Unavailable => "The database does not respond.",
    }
}

/// A response per status of the problems, by component name.
pub(super) fn responses() -> BTreeMap<String, RefOr<Response>> {
    let mut codes: BTreeMap<StatusCode, Vec<&str>> = BTreeMap::new();
    for problem in ProblemKind::ALL {
        // Prefetch and method problems are not possible responses of documented operations.
        if !matches!(
            problem,
            ProblemKind::Prefetch | ProblemKind::MethodNotAllowed
        ) {
            codes
                .entry(problem.status())
                .or_default()
                .push(problem.code());
        }
    }
    let named = codes.into_iter().map(|(status, codes)| {
        let codes = codes.iter().map(|code| format!("`{code}`"));
        let codes = codes.collect::<Vec<_>>().join(", ");
        let content = ContentBuilder::new().schema(Some(reference("Problem")));
        let mut response = ResponseBuilder::new()
            .description(format!("{}: {codes}.", reason(status)))
            .content("application/problem+json", content.build());
        if let Some((name, kind, about)) = header(status) {
            let header = HeaderBuilder::new()
                .schema(Some(Schema::from(ObjectBuilder::new().schema_type(kind))))
                .description(Some(about));
            response = response.header(name, header.build());
        }
        (name(status), response.into())
    });
    named.collect()
}

fn header(status: StatusCode) -> Option<(&'static str, Type, &'static str)> {
    match status {
        StatusCode::UNAUTHORIZED => Some((WWW_AUTHENTICATE.as_str(), Type::String, "`Bearer`")),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => Some((
            RETRY_AFTER.as_str(),
            Type::Integer,
            "Seconds to wait before sending the same request again.",
        )),
        _ => None,
    }
}

fn reason(status: StatusCode) -> &'static str {
    status.canonical_reason().unwrap_or("Problem")
}

fn name(status: StatusCode) -> String {
    let letters = reason(status).chars().filter(char::is_ascii_alphanumeric);
    letters.collect()
}

/// A problem of a route that people open too: it is a page unless the client requests JSON.
fn page_or(status: StatusCode) -> Response {
    let problem = ContentBuilder::new().schema(Some(reference("Problem")));
    let page = ObjectBuilder::new().schema_type(Type::String);
    let page = ContentBuilder::new().schema(Some(Schema::from(page)));
    ResponseBuilder::new()
        .description(format!(
            "{}. An HTML page unless the client requests JSON.",
            reason(status)
        ))
        .content("application/problem+json", problem.build())
        .content("text/html", page.build())
        .build()
}

/// Adds the error responses of the outer layers to an operation, and the schema of each problem.
pub(super) fn add_responses(operation: &mut Operation, path: &str, is_safe: bool) {
    let responses = &mut operation.responses.responses;
    let mut statuses = vec![
        StatusCode::BAD_REQUEST,
        StatusCode::MISDIRECTED_REQUEST,
        StatusCode::TOO_MANY_REQUESTS,
        StatusCode::INTERNAL_SERVER_ERROR,
        StatusCode::SERVICE_UNAVAILABLE,
    ];
    if !is_safe {
        statuses.extend([
            StatusCode::FORBIDDEN,
            StatusCode::REQUEST_TIMEOUT,
            StatusCode::PAYLOAD_TOO_LARGE,
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ]);
    }
    if operation.request_body.is_some() {
        statuses.push(StatusCode::UNPROCESSABLE_ENTITY);
    }
    for status in statuses {
        responses
            .entry(status.as_str().to_owned())
            .or_insert_with(|| Response::new("").into());
    }
    for (status, response) in responses.iter_mut() {
        let status: Option<StatusCode> = status.parse().ok();
        let failed = status.filter(|status| status.is_client_error() || status.is_server_error());
        if let Some(status) = failed {
            *response = match path.starts_with("/api/") {
                true => Ref::from_response_name(name(status)).into(),
                false => page_or(status).into(),
            };
        }
    }
}
