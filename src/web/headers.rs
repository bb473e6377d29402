//! The headers that every answer carries, errors too.
//!
//! A handler that needs something else sets the header itself (it is then left alone) or marks its
//! answer [`Embeddable`]. Answers that hyper writes before there is a request (400, 414 and 431 for
//! what cannot be parsed) have no body and no headers of ours.

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use tower_http::request_id::{MakeRequestId, MakeRequestUuid};

pub use tower_http::request_id::RequestId;
use tracing::Instrument as _;

/// A marker in a response's extensions: other sites may show this page in a frame.
#[derive(Clone, Copy, Debug)]
pub struct Embeddable;

/// The content security policy of every page that nobody may frame.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The same policy for pages that are made to be framed.
pub const POLICY_EMBEDDED: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors *";

/// Browser features that no page of ours uses. All names are known to browsers, which warn of others in
/// the console.
const PERMISSIONS: &str = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=()";

const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Puts the headers on everything that the router answers; the outermost layer.
pub fn layer(router: Router) -> Router {
    router.layer(from_fn(add))
}

/// Names the request (an extension [`RequestId`] in request and response, never a client's own
/// word for it), and puts the headers on the answer.
pub async fn add(mut request: Request, next: Next) -> Response {
    request.headers_mut().remove(&REQUEST_ID);
    let id = MakeRequestUuid.make_request_id(&request);
    if let Some(id) = &id {
        request.extensions_mut().insert(id.clone());
    }

    let keeps = keeps(&request);

    // With -v each line that the request leads to, as far as its ply, has its name.
    let name = id.as_ref().and_then(|id| id.header_value().to_str().ok());
    let span = tracing::debug_span!("request", request_id = name);
    let mut response = next.run(request).instrument(span).await;
    if keeps && response.status().is_success() && is_page(response.headers()) {
        // The browser asks again, but its memory of the page serves whoever goes back.
        put(
            response.headers_mut(),
            header::CACHE_CONTROL,
            "private, no-cache",
        );
    }
    let embeddable = response.extensions().get::<Embeddable>().is_some();
    let headers = response.headers_mut();
    if let Some(id) = id {
        headers.insert(REQUEST_ID, id.header_value().clone());
        put_all(headers, embeddable);
        response.extensions_mut().insert(id);
    } else {
        put_all(headers, embeddable);
    }
    response
}

/// Whether a browser may keep the answer for whoever goes back: not a part of a page, and no page of the
/// book's, whose links play.
fn keeps(request: &Request) -> bool {
    !request.headers().contains_key("x-fragment") && request.uri().path() != "/game.html"
}

pub(super) fn is_page(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"))
}

fn put_all(headers: &mut HeaderMap, embeddable: bool) {
    let policy = if embeddable { POLICY_EMBEDDED } else { POLICY };
    put(headers, header::CONTENT_SECURITY_POLICY, policy);
    put(headers, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    put(headers, header::REFERRER_POLICY, "same-origin");
    put(headers, PERMISSIONS_POLICY, PERMISSIONS);
    put(headers, header::CACHE_CONTROL, "no-store");
    if is_page(headers) {
        // Pages differ by the reader's look and language, and phones get another board.
        let vary = HeaderValue::from_static("accept-language, cookie, sec-ch-ua-mobile");
        headers.append(header::VARY, vary);
    }
    if !embeddable {
        put(headers, header::X_FRAME_OPTIONS, "DENY");
    }
}

fn put(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    headers
        .entry(name)
        .or_insert(HeaderValue::from_static(value));
}
