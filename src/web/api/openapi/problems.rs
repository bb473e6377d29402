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
        .description(Some("Why a request is not answered as asked (RFC 9457)."))
        .property("type", text("Always `about:blank`."))
        .required("type")
        .property(
            "title",
            text("For people, in the language that was asked for."),
        )
        .required("title")
        .property("status", number("The status of the answer."))
        .required("status")
        .property(
            "code",
            ObjectBuilder::new()
                .schema_type(Type::String)
                .description(Some(format!("For programs:\n\n{}", about.join("\n"))))
                .enum_values(Some(codes)),
        )
        .required("code")
        .property("detail", text("For whoever writes the program."))
        .required("detail")
        .property(
            "ply",
            number("Where the game stands; of a record, the entry that does not hold."),
        )
        .property(
            "pointer",
            text("Where in a record it is (JSON pointer, RFC 6901); empty for the whole of it."),
        )
        .property(
            "reason",
            ObjectBuilder::new()
                .schema_type(Type::String)
                .description(Some(
                    "What the engine calls it, where `rate` or `choose` was asked.",
                ))
                .enum_values(Some(
                    EngineErrorCode::ALL.map(|code| serde_json::json!(code)),
                )),
        )
        .property(
            "line",
            number("In which line of a game in notation it is, counted from 1."),
        )
        .property(
            "column",
            number("At which character of that line, counted from 1."),
        )
        .property(
            "request_id",
            text("What to name when asking about a fault of the server."),
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
        ProblemKind::BadRequest => "The request cannot be read.",
        ProblemKind::MalformedBody => "The body broke off or is wrongly encoded.",
        ProblemKind::HostMissing => "The request names no host, or several.",
        ProblemKind::NoSecret => "No token came with the request.",
        ProblemKind::CrossSite => "Another site made the request.",
        ProblemKind::NotYours => "The token that came opens another seat, or none.",
        ProblemKind::NoTakeback => "At this table nothing is taken back.",
        ProblemKind::NotFound => "There is no such game, or it is not yours to see.",
        ProblemKind::NoLink => "The invitation opens no seat.",
        ProblemKind::MethodNotAllowed => "The address does not take this method.",
        ProblemKind::RequestTimeout => "The body did not arrive in time.",
        ProblemKind::Stale => "The game has moved on; `ply` says how far.",
        ProblemKind::GameOver => "The game is over, or it goes on where it had to be over.",
        ProblemKind::GameInProgress => "The game goes on; what was asked for comes after its end.",
        ProblemKind::NotYourTurn => "It is somebody else's turn.",
        ProblemKind::SeatUnchanged => "The seat stays as it is.",
        ProblemKind::TooLarge => "The body is larger than any move.",
        ProblemKind::RecordTooLarge => "The body is larger than any record.",
        ProblemKind::UnsupportedMediaType => {
            "The body is of another kind than the address takes; `detail` names it."
        }
        ProblemKind::Host => "The request names a host that is not this server.",
        ProblemKind::Unprocessable => "It can be read, but does not fit the game or its rules.",
        ProblemKind::InvalidRecord => {
            "The record does not hold; `pointer` says where, or `line` and `column`."
        }
        ProblemKind::RateLimited => "There were too many requests from one address.",
        ProblemKind::TooManyStreams => "Too many streams of events are open.",
        ProblemKind::TooManyConnections => "Too many connections from one address are open.",
        ProblemKind::Damaged => "The record of the game cannot be read.",
        ProblemKind::Internal => "Something broke in the server.",
        ProblemKind::Overloaded => {
            "There is too much to do; the same request again is answered later."
        }
        ProblemKind::ConnectionLimitReached => "As many connections as the server takes are open.",
        ProblemKind::StorageFull => "The server takes no new games now.",
        ProblemKind::Prefetch => "The page was only fetched ahead.",
        ProblemKind::Unavailable => "The archive does not answer.",
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
            "After so many seconds it is worth asking again.",
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
            "{}, as a page unless JSON is asked for.",
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
        ]);
    }
    if operation.request_body.is_some() {
        statuses.extend([
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            StatusCode::UNPROCESSABLE_ENTITY,
        ]);
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
