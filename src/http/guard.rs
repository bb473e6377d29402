//! Checks before the handlers: foreign hosts, cross-site posts, unreadable proxy headers, and bodies that are too
//! large, too slow or encoded.
//!
//! A [`GuardRejection`] is answered as a [`HttpError`], which an outer layer turns into a page or problem details. That
//! of a cross-site request has both host names, because the cause is often a proxy that rewrites `Host`.
//!
//! The cross-site check is implemented here, because tower-http's compares `Origin` with `Host` byte by byte, which
//! fails with a proxy that adds the port (`dice.example:443`), and checks only the first of several `Origin` headers.
//! Rate limits are in [`rate_limit`](super::rate_limit).

use std::net::IpAddr;
use std::str::FromStr;
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use parking_lot::Mutex;

use super::base_path::BasePath;
use super::client::{self, Client, FromUnixSocket, IpNetwork};
use super::error::HttpError;
use super::hosts::{AllowedHosts, normalize, single_header};
use super::rejection::GuardRejection;
use super::site_url::{PublicUrl, SiteUrl};

/// The configuration of [`with_guard`].
#[derive(Clone, Debug)]
pub struct RequestGuard {
    pub hosts: AllowedHosts,
    /// The proxies whose `X-Forwarded-…` headers are trusted.
    pub proxies: Vec<IpNetwork>,
    /// The public URL, which takes precedence over the request's host.
    pub public_url: Option<PublicUrl>,
    /// The path below which clients reach the server.
    pub base_path: BasePath,
    /// The maximum size of a body in bytes.
    pub max_body_bytes: usize,
    /// The rejection of larger bodies.
    pub too_large: GuardRejection,
    /// The maximum time to receive a body.
    pub body_timeout: Duration,
}

impl Default for RequestGuard {
    fn default() -> Self {
        RequestGuard {
            hosts: AllowedHosts::default(),
            proxies: Vec::new(),
            public_url: None,
            base_path: BasePath::default(),
            max_body_bytes: 64 * 1024,
            too_large: GuardRejection::TooLarge,
            body_timeout: Duration::from_secs(10),
        }
    }
}

/// Adds the guard to all routes. Handlers get a [`Client`] and completely received bodies.
pub fn with_guard(router: Router, guard: Arc<RequestGuard>) -> Router {
    router.layer(from_fn_with_state(guard, guard_request))
}

/// Like [`with_guard`], for routes without data and side effects: they accept any host name.
pub fn with_probe_guard(router: Router, guard: Arc<RequestGuard>) -> Router {
    router.layer(from_fn_with_state(guard, guard_probe))
}

/// Accepts any host name.
async fn guard_probe(
    State(guard): State<Arc<RequestGuard>>,
    request: Request,
    next: Next,
) -> Response {
    match identify_client_and_read_body(&guard, request).await {
        Ok(request) => next.run(request).await,
        Err(rejection) => rejection.into_response(),
    }
}

/// Rejects unknown host names and cross-site requests, and adds the [`SiteUrl`] and the client to the request.
async fn guard_request(
    State(guard): State<Arc<RequestGuard>>,
    mut request: Request,
    next: Next,
) -> Response {
    let host = match guard.hosts.check(request.uri(), request.headers()) {
        Ok(host) => host,
        Err(rejection) => return rejection.into_response(),
    };
    let forwarded = guard.forwarded_host(&request);
    let public = guard.public_url.as_ref().map(|url| &url.authority);
    let hosts: Vec<_> = [public, forwarded.as_ref(), Some(&host)]
        .into_iter()
        .flatten()
        .collect();
    if !request.method().is_safe() && is_cross_site(request.headers(), &hosts) {
        return cross_site(request.headers(), hosts[0]);
    }
    let url = SiteUrl {
        authority: hosts[0].clone(),
        is_https: guard.public_url.as_ref().is_some_and(|url| url.is_https),
        is_configured: guard.public_url.is_some(),
        is_direct: client::is_direct(&request, &guard.proxies),
        base_path: guard.base_path.clone(),
    };
    request.extensions_mut().insert(url);
    match identify_client_and_read_body(&guard, request).await {
        Ok(request) => next.run(request).await,
        Err(rejection) => rejection.into_response(),
    }
}

/// Adds the client to the request and reads its whole body, within the size limit.
async fn identify_client_and_read_body(
    guard: &RequestGuard,
    mut request: Request,
) -> Result<Request, GuardRejection> {
    if has_unsupported_coding(request.headers()) {
        return Err(GuardRejection::MalformedBody);
    }
    let extensions = request.extensions();
    let client = match client::peer(extensions) {
        Some(peer) => guard.client(peer, request.headers())?,
        None if extensions.get::<FromUnixSocket>().is_some() => {
            let client = Client::from_unix_socket(request.headers(), &guard.proxies);
            client.map_err(|_| GuardRejection::Forwarded)?
        }
        None => Client::UNKNOWN,
    };
    if let Some(url) = request.extensions_mut().get_mut::<SiteUrl>() {
        url.is_https |= client.secure && !url.is_configured;
    }
    request.extensions_mut().insert(client);
    guard.read_body(request).await
}

/// Rejects a cross-site request, and warns the operator at most once a minute: a proxy that rewrites `Host` makes the
/// server's own pages look like another site.
fn cross_site(headers: &HeaderMap, host: &Authority) -> Response {
    const PERIOD: Duration = Duration::from_secs(60);
    static LAST_WARNING: Mutex<Option<Instant>> = Mutex::new(None);
    let Some(Some(origin)) = single_header(headers, &header::ORIGIN) else {
        return GuardRejection::CrossSite.into_response();
    };
    let origin: String = origin.chars().take(MAX_SHOWN).collect();
    let host: String = host.as_str().chars().take(MAX_SHOWN).collect();
    let now = Instant::now();
    let mut last_warning = LAST_WARNING.lock();
    if last_warning.is_none_or(|last_warning| now - last_warning >= PERIOD) {
        *last_warning = Some(now);
        tracing::warn!(
            "a request from a page of {origin} was sent to {host} and refused as another site's; if \
             {origin} is a proxy of yours, let it pass the Host header on, or start with --public-url {origin}"
        );
    }
    HttpError::cross_site_from(&origin, &host).into_response()
}

/// The maximum length of host names in messages.
const MAX_SHOWN: usize = 200;

/// Whether the body has a transfer coding other than a single `chunked`. Hyper considers only the last coding, and
/// readers that disagree about the end of a request enable request smuggling (RFC 9112, 11.2).
fn has_unsupported_coding(headers: &HeaderMap) -> bool {
    let is_chunked = |value: &str| value.trim().eq_ignore_ascii_case("chunked");
    let coded = match single_header(headers, &header::TRANSFER_ENCODING) {
        Some(None) => false,
        Some(Some(codings)) => !is_chunked(codings),
        None => true,
    };
    // `TE` lists the codings that the response may have; `chunked` is not allowed there (RFC 9110, 10.1.4).
    coded
        || headers.get_all(header::TE).iter().any(|line| {
            line.to_str()
                .map_or(true, |codings| codings.split(',').any(is_chunked))
        })
}

/// Whether the body has a content coding.
fn is_compressed(headers: &HeaderMap) -> bool {
    let mut codings = headers.get_all(header::CONTENT_ENCODING).iter();
    codings.any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

/// Browsers identify cross-site requests by `Sec-Fetch-Site`, or, over plain HTTP on a LAN address, only by `Origin`.
/// Programs send neither. `hosts` are the names of this server.
fn is_cross_site(headers: &HeaderMap, hosts: &[&Authority]) -> bool {
    const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
    match single_header(headers, &SEC_FETCH_SITE) {
        Some(Some(site)) => !matches!(site, "same-origin" | "none"),
        Some(None) => match single_header(headers, &header::ORIGIN) {
            Some(Some(origin)) => !hosts.iter().any(|host| is_origin_of(origin, host)),
            Some(None) => false,
            None => true,
        },
        None => true,
    }
}

/// Whether an origin such as `http://example.org:8080` has this host and port. The scheme is ignored, because a proxy
/// may change it, except for its default port.
fn is_origin_of(origin: &str, host: &Authority) -> bool {
    let (default_port, authority) = match origin.split_once("://") {
        Some(("http", authority)) => (80, authority),
        Some(("https", authority)) => (443, authority),
        _ => return false,
    };
    let Ok(origin) = Authority::from_str(authority) else {
        return false;
    };
    let port = |authority: &Authority| authority.port_u16().unwrap_or(default_port);
    normalize(origin.host()) == normalize(host.host()) && port(&origin) == port(host)
}

impl RequestGuard {
    /// The host that a trusted proxy reports, if this server answers to it; warns once if it does not.
    fn forwarded_host(&self, request: &Request) -> Option<Authority> {
        static WARNED: Once = Once::new();
        let host = client::forwarded_host(request, &self.proxies)?;
        if self.hosts.allow(host.host()) {
            return Some(host);
        }
        WARNED.call_once(|| {
            let name = host.host();
            tracing::warn!(
                "a proxy forwards requests for {name}, which is not a host name of this server; if it \
                 should be, start with --host {name}"
            );
        });
        None
    }

    /// The client behind `peer`; warns once about an untrusted proxy.
    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> Result<Client, GuardRejection> {
        static WARNED: Once = Once::new();
        if client::is_untrusted_proxy(peer, headers, &self.proxies) {
            WARNED.call_once(|| {
                let peer = peer.to_canonical();
                tracing::warn!(
                    "the forwarding headers of {peer} are ignored because it is not a trusted proxy; \
                     if {peer} is your proxy, start with --trusted-proxy {peer}"
                );
            });
        }
        Client::from_peer(peer, headers, &self.proxies).map_err(|_| GuardRejection::Forwarded)
    }

    /// Reads the whole body: forms and moves are small, and a running handler must not wait for its client.
    async fn read_body(&self, request: Request) -> Result<Request, GuardRejection> {
        if http_body::Body::is_end_stream(request.body()) {
            return Ok(request);
        }
        if is_compressed(request.headers()) {
            return Err(GuardRejection::CompressedBody);
        }
        if http_body::Body::size_hint(request.body()).lower() > self.max_body_bytes as u64 {
            return Err(self.too_large);
        }
        let (parts, body) = request.into_parts();
        let collected = Limited::new(body, self.max_body_bytes).collect();
        let bytes: Bytes = match tokio::time::timeout(self.body_timeout, collected).await {
            Ok(Ok(collected)) => collected.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => return Err(self.too_large),
            Ok(Err(_)) => return Err(GuardRejection::MalformedBody),
            Err(_) => return Err(GuardRejection::RequestTimeout),
        };
        Ok(Request::from_parts(parts, Body::from(bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_single_chunked_coding_is_accepted() {
        let wrapped = |name: HeaderName, lines: &[&str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(&name, line.parse().unwrap());
            }
            has_unsupported_coding(&headers)
        };
        for accepted in [&[][..], &["chunked"], &["Chunked"], &[" chunked "]] {
            assert!(
                !wrapped(header::TRANSFER_ENCODING, accepted),
                "{accepted:?}"
            );
        }
        for rejected in [
            &["gzip, chunked"][..],
            &["chunked, chunked"],
            &["chunked", "chunked"],
            &["gzip", "chunked"],
            &["identity"],
            &["chunked, gzip"],
            &["chunked;q=1"],
            &[""],
        ] {
            assert!(wrapped(header::TRANSFER_ENCODING, rejected), "{rejected:?}");
        }
        assert!(!wrapped(header::TE, &["trailers, gzip;q=0.5"]));
        assert!(wrapped(header::TE, &["gzip, chunked"]));
    }

    #[track_caller]
    fn check_site(host: &str, sent: &[(&'static str, &str)], cross: bool) {
        let mut headers = HeaderMap::new();
        for (name, value) in sent {
            headers.append(*name, value.parse().unwrap());
        }
        assert_eq!(
            is_cross_site(&headers, &[&host.parse().unwrap()]),
            cross,
            "{host} {sent:?}"
        );
    }

    #[test]
    fn cross_site_requests_are_detected() {
        check_site("localhost:8080", &[], false);
        check_site(
            "localhost:8080",
            &[("sec-fetch-site", "same-origin")],
            false,
        );
        check_site("localhost:8080", &[("sec-fetch-site", "none")], false);
        check_site("localhost:8080", &[("sec-fetch-site", "same-site")], true);
        check_site("localhost:8080", &[("sec-fetch-site", "cross-site")], true);
        check_site(
            "localhost:8080",
            &[("origin", "http://localhost:8080")],
            false,
        );
        check_site(
            "localhost:8080",
            &[("origin", "http://localhost:8081")],
            true,
        );
        check_site("localhost:8080", &[("origin", "null")], true);
        check_site("localhost:8080", &[("origin", "http://evil.example")], true);
        check_site("[::1]:8080", &[("origin", "http://[::1]:8080")], false);
        check_site("dice.example", &[("origin", "https://dice.example")], false);
        check_site(
            "dice.example:443",
            &[("origin", "https://dice.example")],
            false,
        );
        check_site(
            "dice.example",
            &[("origin", "http://dice.example:80")],
            false,
        );
        let twice = [
            ("origin", "http://dice.example"),
            ("origin", "http://evil.example"),
        ];
        check_site("dice.example", &twice, true);
    }
}
