//! Checks every API response, and every request that succeeded, against the OpenAPI document. A mismatch is answered
//! with 500 and the reason, so that the test that caused it fails.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use dice_of_doom::games::Registry;
use dice_of_doom::site::OPENAPI;
use jsonschema::Validator;
use serde_json::{Value, json};

/// The OpenAPI document, the validators of its schemas, and what of it was met.
pub(crate) struct Contract {
    document: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
    /// The ids of operations that succeeded, and the pointers of properties that occurred with a value other than null.
    met: Mutex<BTreeSet<String>>,
}

/// A router that checks requests and responses against the OpenAPI document, and answers 500 on a mismatch. The document
/// describes the built-in games, so a server with other games is not checked.
pub(crate) fn with_contract(app: Router, games: &Registry, contract: &Arc<Contract>) -> Router {
    if games.names() != Registry::builtin().names() {
        return app;
    }
    app.layer(from_fn_with_state(Arc::clone(contract), check))
}

impl Contract {
    pub(crate) fn new() -> Arc<Contract> {
        Arc::new(Contract {
            document: serde_json::from_str(OPENAPI).unwrap(),
            validators: Mutex::default(),
            met: Mutex::default(),
        })
    }

    /// The contract that the servers of this process share, because compiling schemas takes time.
    pub(crate) fn shared() -> Arc<Contract> {
        static SHARED: LazyLock<Arc<Contract>> = LazyLock::new(Contract::new);
        Arc::clone(&SHARED)
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
        self.meet(&content["schema"], &value);
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
        self.meet(&content["schema"], &value);
        let mismatch = self.mismatch(&content["schema"], &value)?;
        Some(format!(
            "it accepted a request that does not match: {mismatch}: {value}"
        ))
    }
}

/// What of the document was met.
impl Contract {
    /// Marks an operation that succeeded.
    fn meet_operation(&self, operation: &Value) {
        let id = operation["operationId"].as_str().unwrap();
        self.met.lock().unwrap().insert(id.to_owned());
    }

    /// Marks the properties of a schema that occur in a value.
    pub(crate) fn meet(&self, schema: &Value, value: &Value) {
        let mut met = BTreeSet::new();
        self.collect(schema, "", value, &mut met);
        self.met.lock().unwrap().extend(met);
    }

    /// `at` is the pointer of the schema in the document; empty for one that is written in place.
    fn collect(&self, schema: &Value, at: &str, value: &Value, met: &mut BTreeSet<String>) {
        if let Some(reference) = schema["$ref"].as_str() {
            self.collect(self.resolved(schema), &reference[1..], value, met);
        }
        for (number, part) in (0..).zip(schema["allOf"].as_array().into_iter().flatten()) {
            self.collect(part, &format!("{at}/allOf/{number}"), value, met);
        }
        for (number, part) in (0..).zip(schema["oneOf"].as_array().into_iter().flatten()) {
            if self.mismatch(part, value).is_none() {
                self.collect(part, &format!("{at}/oneOf/{number}"), value, met);
            }
        }
        for item in value.as_array().into_iter().flatten() {
            self.collect(&schema["items"], &format!("{at}/items"), item, met);
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let at = format!("{at}/properties/{name}");
            if let Some(value) = value.get(name) {
                let about = property["description"].as_str().unwrap_or_default();
                if !value.is_null() || about.starts_with("Always null") {
                    met.insert(at.clone());
                }
                self.collect(property, &at, value, met);
            }
        }
    }

    /// The operations that did not succeed yet, and the properties that did not occur, with a value other than null.
    pub(crate) fn unmet(&self) -> Vec<String> {
        fn properties(schema: &Value, at: &str, all: &mut BTreeSet<String>) {
            match schema {
                Value::Object(fields) => {
                    for (name, part) in fields {
                        let at = format!("{at}/{name}");
                        if at.ends_with("/properties") {
                            let names = part.as_object().unwrap().keys();
                            all.extend(names.map(|name| format!("{at}/{name}")));
                        }
                        properties(part, &at, all);
                    }
                }
                Value::Array(parts) => {
                    for (number, part) in (0..).zip(parts) {
                        properties(part, &format!("{at}/{number}"), all);
                    }
                }
                _ => {}
            }
        }
        let mut all = BTreeSet::new();
        let schemas = &self.document["components"]["schemas"];
        properties(schemas, "/components/schemas", &mut all);
        for item in self.document["paths"].as_object().unwrap().values() {
            let operations = item.as_object().unwrap().values();
            let ids = operations.map(|operation| operation["operationId"].as_str().unwrap());
            all.extend(ids.map(str::to_owned));
        }
        let met = self.met.lock().unwrap();
        let unmet = all.difference(&met).cloned();
        unmet.collect()
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
    if is_stream {
        contract.meet_operation(operation);
    }
    if is_stream || response.headers().contains_key(CONTENT_ENCODING) || method == Method::HEAD {
        return response;
    }
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    if parts.status.is_success() {
        contract.meet_operation(operation);
    }
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
