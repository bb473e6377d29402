//! Response headers, also of errors.
//!
//! A handler that needs another value sets the header itself, which is then left unchanged, or marks its response
//! [`Embeddable`]. Responses that hyper sends for requests it cannot parse (400, 414 and 431) have no body and none of
//! these headers.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::{Next, from_fn};
use axum::response::Response;

use tracing::Instrument as _;

/// The id of a request, in its extensions.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(pub(crate) Arc<str>);

/// Marker in a response's extensions: other sites may show this page in a frame.
#[derive(Clone, Copy, Debug)]
pub struct Embeddable;

/// The content security policy of pages that may not be framed.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The same policy for pages that may be framed.
pub const POLICY_EMBEDDED: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors *";

/// Pages vary with display options and language, and phones get another board.
pub(crate) const PAGE_VARY: HeaderValue =
    HeaderValue::from_static("accept-language, cookie, sec-ch-ua-mobile");

/// Browser features that no page uses. Browsers log a warning about unknown names, so all of these are known.
const PERMISSIONS: &str = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=()";

const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Adds the headers to every response of the router; the outermost layer.
pub fn layer(router: Router) -> Router {
    router.layer(from_fn(add))
}

/// Gives the request an id (extension `RequestId`; an id sent by the client is ignored), and
/// adds the headers to the response.
pub async fn add(mut request: Request, next: Next) -> Response {
    request.headers_mut().remove(&REQUEST_ID);
    let id: Arc<str> = format!("{:032x}", rand::random::<u128>()).into();
    request.extensions_mut().insert(RequestId(Arc::clone(&id)));

    let keeps = is_cacheable_page(&request);

    // With -v, every log line of the request carries its id, down to the ply.
    let span = tracing::debug_span!("request", request_id = &*id);
    let mut response = next.run(request).instrument(span).await;
    if keeps && response.status().is_success() && is_page(response.headers()) {
        // The browser must revalidate the page, but may show it from memory on back navigation.
        set_default(
            response.headers_mut(),
            header::CACHE_CONTROL,
            "private, no-cache",
        );
    }
    let embeddable = response.extensions().get::<Embeddable>().is_some();
    set_defaults(response.headers_mut(), embeddable);
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// Whether a browser may cache the response for back navigation: no fragments, and not the book's page, whose links
/// make moves.
fn is_cacheable_page(request: &Request) -> bool {
    !request.headers().contains_key("x-fragment") && request.uri().path() != "/game.html"
}

pub(crate) fn is_page(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"))
}

fn set_defaults(headers: &mut HeaderMap, embeddable: bool) {
    let policy = if embeddable { POLICY_EMBEDDED } else { POLICY };
    set_default(headers, header::CONTENT_SECURITY_POLICY, policy);
    set_default(headers, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set_default(headers, header::REFERRER_POLICY, "same-origin");
    set_default(headers, PERMISSIONS_POLICY, PERMISSIONS);
    set_default(headers, header::CACHE_CONTROL, "no-store");
    if is_page(headers) {
        headers.append(header::VARY, PAGE_VARY);
    }
    if !embeddable {
        set_default(headers, header::X_FRAME_OPTIONS, "DENY");
    }
}

fn set_default(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    headers
        .entry(name)
        .or_insert(HeaderValue::from_static(value));
}
