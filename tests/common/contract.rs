//! Checks every API response, and every request that succeeded, against the OpenAPI document. A mismatch is answered
//! with 500 and the reason, so that the test that caused it fails.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use dice_of_doom::game_adapters::Registry;
use dice_of_doom::web::api::openapi;
use jsonschema::Validator;
use serde_json::{Value, json};

/// A document, and the validators of its schemas.
pub(crate) struct Contract {
    document: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

/// A router that checks requests and responses against the OpenAPI document, and answers 500 on a mismatch.
pub(crate) fn with_contract(app: Router, games: &Registry) -> Router {
    app.layer(from_fn_with_state(Contract::for_games(games), check))
}

impl Contract {
    /// The contract of a server with these games; cached.
    pub(crate) fn for_games(games: &Registry) -> Arc<Contract> {
        type Known = Mutex<HashMap<Vec<&'static str>, Arc<Contract>>>;
        static KNOWN: LazyLock<Known> = LazyLock::new(Known::default);
        let mut known = KNOWN.lock().unwrap();
        let made = || {
            Arc::new(Contract {
                document: serde_json::to_value(openapi::build(games)).unwrap(),
                validators: Mutex::default(),
            })
        };
        Arc::clone(known.entry(games.names()).or_insert_with(made))
    }

    /// The operation for this method and path, if the document has one.
    fn operation(&self, method: &Method, path: &str) -> Option<&Value> {
        let paths = self.document["paths"].as_object().unwrap();
        let fits = |template: &str| {
            let parts = template.split('/').zip(path.split('/'));
            template.split('/').count() == path.split('/').count()
                && parts
                    .into_iter()
                    .all(|(due, part)| due == part || due.starts_with('{'))
        };
        // A path without parameters takes precedence.
        let named = paths.get(path);
        let item = named.or_else(|| {
            let mut fitting = paths.iter().filter(|(template, _)| fits(template));
            fitting.next().map(|(_, item)| item)
        });
        let method = if method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        item?.get(method.as_str().to_lowercase())
    }

    /// The value that a `$ref` points to, or the value itself.
    fn resolved<'v>(&'v self, value: &'v Value) -> &'v Value {
        match value["$ref"].as_str() {
            Some(pointer) => self
                .document
                .pointer(pointer.trim_start_matches('#'))
                .unwrap_or_else(|| panic!("{pointer} points to nothing")),
            None => value,
        }
    }

    /// Why a value does not match a schema of the document.
    pub(crate) fn mismatch(&self, schema: &Value, value: &Value) -> Option<String> {
        let key = schema.to_string();
        let validator = {
            let mut validators = self.validators.lock().unwrap();
            let made = || {
                let whole = json!({
                    "$schema": "https://json-schema.org/draft/2020-12/schema",
                    "components": self.document["components"],
                    "allOf": [schema],
                });
                Arc::new(jsonschema::validator_for(&whole).unwrap())
            };
            Arc::clone(validators.entry(key).or_insert_with(made))
        };
        let errors: Vec<String> = validator
            .iter_errors(value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        (!errors.is_empty()).then(|| errors.join("; "))
    }

    /// Why a response is not among those of the operation.
    fn response_mismatch(&self, operation: &Value, answer: &Answer<'_>) -> Option<String> {
        let status = answer.status.as_u16().to_string();
        let Some(response) = operation["responses"].get(&status) else {
            return Some(format!("it has no response {status}"));
        };
        let response = self.resolved(response);
        if response["description"]
            .as_str()
            .unwrap_or_default()
            .is_empty()
        {
            return Some(format!("its response {status} has no description"));
        }
        let Some(contents) = response.get("content") else {
            return (!answer.body.is_empty()).then(|| format!("its response {status} has no body"));
        };
        let kind = content_type(answer.headers);
        let Some(content) = contents.get(&kind) else {
            return Some(format!("its response {status} is no {kind}"));
        };
        if !kind.ends_with("json") {
            return None;
        }
        let value = match serde_json::from_slice(answer.body) {
            Ok(value) => value,
            Err(error) => return Some(format!("its response {status} is no JSON: {error}")),
        };
        let mismatch = self.mismatch(&content["schema"], &value)?;
        Some(format!(
            "its response {status} does not match: {mismatch}: {value}"
        ))
    }

    /// Why a request that succeeded does not match the operation.
    fn request_mismatch(&self, operation: &Value, body: &[u8]) -> Option<String> {
        // A body that the operation does not use is not checked.
        let content = operation.pointer("/requestBody/content/application~1json")?;
        let value: Value = serde_json::from_slice(body).ok()?;
        let mismatch = self.mismatch(&content["schema"], &value)?;
        Some(format!(
            "it accepted a request that does not match: {mismatch}: {value}"
        ))
    }
}

struct Answer<'a> {
    status: StatusCode,
    headers: &'a HeaderMap,
    body: &'a [u8],
}

fn content_type(headers: &HeaderMap) -> String {
    let kind = headers.get(CONTENT_TYPE).map(|kind| kind.to_str().unwrap());
    let kind = kind.unwrap_or_default().split(';').next();
    kind.unwrap_or_default().to_owned()
}

async fn check(State(contract): State<Arc<Contract>>, request: Request, next: Next) -> Response {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let Some(operation) = contract.operation(&method, &path) else {
        return next.run(request).await;
    };
    if !path.starts_with("/api/") {
        return next.run(request).await;
    }
    // Requests that are cut off or never end are left to the server.
    let is_small = http_body::Body::size_hint(request.body())
        .upper()
        .is_some_and(|bytes| bytes < 100_000);
    let (request, sent) = if is_small {
        let (parts, body) = request.into_parts();
        match to_bytes(body, usize::MAX).await {
            Ok(sent) => (Request::from_parts(parts, Body::from(sent.clone())), sent),
            Err(_) => return StatusCode::BAD_REQUEST.into_response(),
        }
    } else {
        (request, Default::default())
    };
    let response = next.run(request).await;
    let streams = ["text/event-stream", "application/x-ndjson"];
    let is_stream = streams.contains(&content_type(response.headers()).as_str());
    if is_stream || response.headers().contains_key(CONTENT_ENCODING) || method == Method::HEAD {
        return response;
    }
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let answer = Answer {
        status: parts.status,
        headers: &parts.headers,
        body: &body,
    };
    let wrong = contract.response_mismatch(operation, &answer).or_else(|| {
        let is_taken = parts.status.is_success() && !sent.is_empty();
        is_taken
            .then(|| contract.request_mismatch(operation, &sent))
            .flatten()
    });
    if let Some(why) = wrong {
        let why = format!("the document and {method} {path} differ: {why}");
        eprintln!("{why}");
        return (StatusCode::INTERNAL_SERVER_ERROR, why).into_response();
    }
    Response::from_parts(parts, Body::from(body))
}
