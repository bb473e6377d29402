//! Request bodies: JSON, whose fields keep their original text.

use std::fmt::Write as _;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::formats::JsonFields;
use crate::formats::notation::{FIRST_LINE, is_notation};
use crate::http::client::Client;
use crate::http::error::HttpError;
use crate::http::problem::ProblemKind;
use crate::lines::strip_bom_bytes;
use crate::seats::Credentials;
use crate::site::shared::identity::BearerToken;

/// The credentials of a request that must have a bearer token.
pub(in crate::site) struct BearerCredentials(pub(in crate::site) Credentials);

/// Up to 2⁵³ a double holds every integer.
const MAX_EXACT_INTEGER: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;

/// Any JSON.
pub(in crate::site) struct RawJsonBody(pub(in crate::site) Box<RawValue>);

/// A record in either form: JSON or notation.
pub(in crate::site) struct RecordBody(pub(in crate::site) String);

/// A JSON object, by default as fields that are not parsed yet.
pub(in crate::site) struct JsonBody<T = JsonFields>(pub(in crate::site) T);

/// Like [`JsonBody`], but an absent body is an object without fields.
pub(in crate::site) struct OptionalJsonBody<T>(pub(in crate::site) T);

impl<S: Send + Sync> FromRequestParts<S> for BearerCredentials {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, HttpError> {
        let (Ok(token), Ok(client)) = (
            BearerToken::from_request_parts(parts, state).await,
            Client::from_request_parts(parts, state).await,
        );
        if matches!(token, BearerToken::Absent) {
            return Err(HttpError::no_secret());
        }
        Ok(BearerCredentials(Credentials {
            token: token.hash(),
            client_network: Some(client.client_network()),
            ..Credentials::default()
        }))
    }
}

impl<S: Send + Sync> FromRequest<S> for RawJsonBody {
    type Rejection = HttpError;

    async fn from_request(request: Request, state: &S) -> Result<Self, HttpError> {
        let is_json = is_json(request.headers());
        let bytes = bytes(request, state).await?;
        if is_json {
            parse_json(&bytes)
        } else {
            Err(wrong_type())
        }
    }
}

impl<S: Send + Sync> FromRequest<S> for RecordBody {
    type Rejection = HttpError;

    async fn from_request(request: Request, state: &S) -> Result<Self, HttpError> {
        let (is_json, is_text) = (is_json(request.headers()), is_text(request.headers()));
        if !is_json && !is_text {
            let sentence = "send the record as application/json or, in notation, as text/plain";
            return Err(HttpError::new(ProblemKind::UnsupportedMediaType, sentence));
        }
        let bytes = bytes(request, state).await?;
        if is_json {
            let RawJsonBody(record) = parse_json(&bytes)?;
            return Ok(RecordBody(String::from(Box::<str>::from(record))));
        }
        let text = std::str::from_utf8(&bytes);
        let text = text.map_err(|_| HttpError::bad_request("the body is no text in UTF-8"))?;
        match is_notation(text) {
            true => Ok(RecordBody(text.to_owned())),
            false => {
                let detail = format!("line 1, column 1: a game begins with {FIRST_LINE:?}");
                let error = HttpError::new(ProblemKind::InvalidRecord, detail);
                Err(error.with("line", 1).with("column", 1))
            }
        }
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = HttpError;

    async fn from_request(request: Request, state: &S) -> Result<Self, HttpError> {
        let RawJsonBody(text) = RawJsonBody::from_request(request, state).await?;
        Ok(JsonBody(JsonFields::parse(text.get())?.into()?))
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for OptionalJsonBody<T> {
    type Rejection = HttpError;

    async fn from_request(request: Request, state: &S) -> Result<Self, HttpError> {
        let is_typed = request.headers().contains_key(header::CONTENT_TYPE);
        let is_json = is_json(request.headers());
        let bytes = bytes(request, state).await?;
        let fields = if bytes.is_empty() && !is_typed {
            JsonFields::default()
        } else if is_json {
            let RawJsonBody(text) = parse_json(&bytes)?;
            JsonFields::parse(text.get())?
        } else {
            return Err(wrong_type());
        };
        Ok(OptionalJsonBody(fields.into()?))
    }
}

async fn bytes<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, HttpError> {
    let bytes = Bytes::from_request(request, state).await;
    bytes.map_err(|_| HttpError::new(ProblemKind::MalformedBody, "the body is incomplete"))
}

fn parse_json(bytes: &[u8]) -> Result<RawJsonBody, HttpError> {
    let text: Result<Box<RawValue>, _> = serde_json::from_slice(strip_bom_bytes(bytes));
    // Fields are parsed later, one by one; what cannot be parsed at all, such as a number out of range, is reported
    // immediately.
    let checked = text.and_then(|text| {
        let _: Value = serde_json::from_str(text.get())?;
        RawValue::from_string(with_plain_integers(text.get()))
    });
    checked.map(RawJsonBody).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        HttpError::bad_request(format!(
            "the body is no JSON (line {line}, column {column})"
        ))
    })
}

/// JSON with each whole number written as an integer: `5.0` and `1e3` become `5` and `1000`, which serde reads as integers.
/// Numbers beyond 2⁵³ stay as they are, because a double does not hold all of them.
fn with_plain_integers(json: &str) -> String {
    let mut plain = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find(['"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let is_text = rest.starts_with('"');
        let end = if is_text {
            let mut escaped = false;
            let closes = |c: char| {
                let closes = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                closes
            };
            rest[1..].find(closes).map(|end| end + 2)
        } else {
            rest.find([',', ']', '}', ' ', '\t', '\r', '\n'])
        };
        let token = &rest[..end.unwrap_or(rest.len())];
        match token.parse::<f64>() {
            Ok(number)
                if !is_text
                    && token.contains(['.', 'e', 'E'])
                    && number.fract() == 0.0
                    && number.abs() <= MAX_EXACT_INTEGER =>
            {
                let _ = write!(plain, "{}", number as i64);
            }
            _ => plain.push_str(token),
        }
        rest = &rest[token.len()..];
    }
    plain + rest
}

fn wrong_type() -> HttpError {
    HttpError::new(
        ProblemKind::UnsupportedMediaType,
        "send the body as application/json",
    )
}

/// Whether the content type is JSON: `application/json`, or `application/…+json`.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = kind(headers);
    let kind = kind.strip_prefix("application/");
    kind.is_some_and(|kind| kind == "json" || kind.ends_with("+json"))
}

/// Whether the content type is plain text.
fn is_text(headers: &HeaderMap) -> bool {
    kind(headers) == "text/plain"
}

/// The content type without parameters, in lower case.
fn kind(headers: &HeaderMap) -> String {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_become_integers() {
        for (json, plain) in [
            ("5.0", "5"),
            ("1e3", "1000"),
            ("[-0.0, -2.50E1,7]", "[0, -25,7]"),
            ("5.5", "5.5"),
            ("1e300", "1e300"),
            ("12345678901234567890", "12345678901234567890"),
            (
                r#"{"5.0": "1e3 \" 2.0", "a\\": 2.0}"#,
                r#"{"5.0": "1e3 \" 2.0", "a\\": 2}"#,
            ),
            (r#"{"ä": [1.0], "ä": null}"#, r#"{"ä": [1], "ä": null}"#),
            ("true", "true"),
        ] {
            assert_eq!(with_plain_integers(json), plain);
        }
    }
}
