//! What is refused before a handler sees it: foreign hosts, cross-site posts, clients that a proxy does
//! not name, bodies too large, too slow or wrapped in codings.
//!
//! An answer of the guard is a plain sentence with a [`GuardRejection`] in the response's extensions; a layer
//! above makes a page or problem details of it. What another site asks for is a [`HttpError`] with the names
//! of both, because the cause is often a proxy that rewrites `Host`.
//!
//! Other sites are told apart by our own code, because tower-http's compares `Origin` with `Host` byte
//! by byte, which a proxy fails that writes the port (`dice.example:443`), and looks at the first of
//! several `Origin`s alone. How often one may ask is the affair of [`throttle`](super::rate_limit).

use std::net::IpAddr;
use std::str::FromStr;
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};

use super::base_path::BasePath;
use super::client::{self, Client, FromUnixSocket, IpNetwork};
use super::error::HttpError;
use super::hosts::{AllowedHosts, normalize};
use super::problem::ProblemKind;
use super::site_url::{PublicUrl, SiteUrl};

/// Why a request goes no further than the guard, for the layer that words it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GuardRejection {
    /// The request names no host, or several.
    HostMissing,
    /// The request names a host that is not ours.
    Host,
    /// A trusted proxy does not say for whom it asks.
    Forwarded,
    /// The request was made by another site.
    CrossSite,
    /// The body is larger than any form or move.
    TooLarge,
    /// The body is larger than any record.
    RecordTooLarge,
    /// The body did not arrive in time.
    RequestTimeout,
    /// The body broke off or is wrongly encoded.
    MalformedBody,
    /// Too many requests from one address.
    RateLimited {
        /// Seconds after which there is room for another one.
        retry_after_s: u64,
    },
    /// Too many streams of events are open.
    TooManyStreams,
    /// Too many connections from one address; said before there is a request.
    TooManyConnections,
    /// As many connections as there may be; said before there is a request.
    ConnectionLimitReached,
}

impl GuardRejection {
    /// The status and the code of the answer.
    #[must_use]
    pub const fn problem(self) -> ProblemKind {
        match self {
            GuardRejection::HostMissing => ProblemKind::HostMissing,
            GuardRejection::Host => ProblemKind::Host,
            GuardRejection::Forwarded => ProblemKind::BadRequest,
            GuardRejection::CrossSite => ProblemKind::CrossSite,
            GuardRejection::TooLarge => ProblemKind::TooLarge,
            GuardRejection::RecordTooLarge => ProblemKind::RecordTooLarge,
            GuardRejection::RequestTimeout => ProblemKind::RequestTimeout,
            GuardRejection::MalformedBody => ProblemKind::MalformedBody,
            GuardRejection::RateLimited { .. } => ProblemKind::RateLimited,
            GuardRejection::TooManyStreams => ProblemKind::TooManyStreams,
            GuardRejection::TooManyConnections => ProblemKind::TooManyConnections,
            GuardRejection::ConnectionLimitReached => ProblemKind::ConnectionLimitReached,
        }
    }

    /// The reason as one English sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            GuardRejection::HostMissing => "The request must name exactly one host.",
            GuardRejection::Host => {
                "This server does not answer to that name; start it with --host NAME."
            }
            GuardRejection::Forwarded => "The X-Forwarded-For of this request cannot be read.",
            GuardRejection::CrossSite => "This request comes from another site.",
            GuardRejection::TooLarge => "The request is too large.",
            GuardRejection::RecordTooLarge => "No record is so large.",
            GuardRejection::RequestTimeout => "The request took too long to arrive.",
            GuardRejection::MalformedBody => "The request cannot be read.",
            GuardRejection::RateLimited { .. } => {
                "Too many requests from your address; please wait a little."
            }
            GuardRejection::TooManyStreams => {
                "Too many streams are open; please close some or come back later."
            }
            GuardRejection::TooManyConnections => {
                "Too many connections from your address; please close some."
            }
            GuardRejection::ConnectionLimitReached => "The server is full; please come back in a moment.",
        }
    }

    /// Seconds after which asking again makes sense, where time alone helps.
    #[must_use]
    pub const fn retry_after_s(self) -> Option<u64> {
        match self {
            GuardRejection::RateLimited { retry_after_s } => Some(retry_after_s),
            GuardRejection::TooManyStreams => Some(10),
            GuardRejection::TooManyConnections | GuardRejection::ConnectionLimitReached => Some(5),
            GuardRejection::HostMissing
            | GuardRejection::Host
            | GuardRejection::Forwarded
            | GuardRejection::CrossSite
            | GuardRejection::TooLarge
            | GuardRejection::RecordTooLarge
            | GuardRejection::RequestTimeout
            | GuardRejection::MalformedBody => None,
        }
    }
}

impl IntoResponse for GuardRejection {
    fn into_response(self) -> Response {
        let mut response = (self.problem().status(), self.sentence()).into_response();
        if let Some(seconds) = self.retry_after_s() {
            let headers = response.headers_mut();
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if matches!(
            self,
            GuardRejection::TooLarge
                | GuardRejection::RecordTooLarge
                | GuardRejection::RequestTimeout
                | GuardRejection::MalformedBody
        ) {
            // The rest of the body is not worth reading; the accept loop drains and closes.
            let headers = response.headers_mut();
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// The header's only value; `None` when there are several or it is not text.
pub(super) fn single_header<'h>(
    headers: &'h HeaderMap,
    name: &HeaderName,
) -> Option<Option<&'h str>> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Some(None),
        (Some(value), None) => value.to_str().ok().map(Some),
        (Some(_), Some(_)) => None,
    }
}

/// What [`with_guard`] checks, and how strictly.
#[derive(Clone, Debug)]
pub struct RequestGuard {
    /// The names that this server answers to.
    pub hosts: AllowedHosts,
    /// The proxies whose `X-Forwarded-…` count.
    pub proxies: Vec<IpNetwork>,
    /// Where browsers find this server, whatever their requests say.
    pub public_url: Option<PublicUrl>,
    /// The path under which they find it.
    pub base_path: BasePath,
    /// The largest body in bytes.
    pub max_body_bytes: usize,
    /// What is said of a larger one.
    pub too_large: GuardRejection,
    /// The time that a whole body may take.
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

/// Puts the guard before everything that the router answers. Handlers get a [`Client`], and bodies
/// that have arrived in full.
pub fn with_guard(router: Router, guard: Arc<RequestGuard>) -> Router {
    router.layer(from_fn_with_state(guard, check))
}

/// As [`with_guard`], for routes that tell nothing and change nothing: they answer whatever host is named.
pub fn protect_probes(router: Router, guard: Arc<RequestGuard>) -> Router {
    router.layer(from_fn_with_state(guard, check_probe))
}

async fn check_probe(
    State(guard): State<Arc<RequestGuard>>,
    request: Request,
    next: Next,
) -> Response {
    match admit(&guard, request).await {
        Ok(request) => next.run(request).await,
        Err(rejection) => rejection.into_response(),
    }
}

async fn check(
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
    match admit(&guard, request).await {
        Ok(request) => next.run(request).await,
        Err(rejection) => rejection.into_response(),
    }
}

async fn admit(guard: &RequestGuard, mut request: Request) -> Result<Request, GuardRejection> {
    if is_wrapped(request.headers()) {
        return Err(GuardRejection::MalformedBody);
    }
    let extensions = request.extensions();
    let client = match client::peer(extensions) {
        Some(peer) => guard.client(peer, request.headers())?,
        None if extensions.get::<FromUnixSocket>().is_some() => {
            let client = Client::seen_at_socket(request.headers(), &guard.proxies);
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

/// What a request of another site is answered, and the operator told, at most once a minute: a proxy that
/// rewrites `Host` makes the server's own pages look like another site's.
fn cross_site(headers: &HeaderMap, host: &Authority) -> Response {
    const PERIOD: Duration = Duration::from_secs(60);
    static TOLD: Mutex<Option<Instant>> = Mutex::new(None);
    let Some(Some(origin)) = single_header(headers, &header::ORIGIN) else {
        return GuardRejection::CrossSite.into_response();
    };
    let origin: String = origin.chars().take(MAX_SHOWN).collect();
    let host: String = host.as_str().chars().take(MAX_SHOWN).collect();
    let now = Instant::now();
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if told.is_none_or(|told| now - told >= PERIOD) {
        *told = Some(now);
        tracing::warn!(
            "a request from a page of {origin} was sent to {host} and refused as another site's; if \
             {origin} is a proxy of yours, let it pass the Host header on, or start with --public-url {origin}"
        );
    }
    HttpError::cross_site_from(&origin, &host).into_response()
}

/// More of a host's name is not repeated.
const MAX_SHOWN: usize = 200;

/// Whether the body has any coding but one `chunked`. Hyper takes the last coding alone, and two
/// readers of one request that disagree about its end are how requests are smuggled (RFC 9112, 11.2).
fn is_wrapped(headers: &HeaderMap) -> bool {
    let is_chunked = |value: &str| value.trim().eq_ignore_ascii_case("chunked");
    let coded = match single_header(headers, &header::TRANSFER_ENCODING) {
        Some(None) => false,
        Some(Some(codings)) => !is_chunked(codings),
        None => true,
    };
    // `TE` says which codings an answer may have; `chunked` may not stand there (RFC 9110, 10.1.4).
    coded
        || headers.get_all(header::TE).iter().any(|line| {
            line.to_str()
                .map_or(true, |codings| codings.split(',').any(is_chunked))
        })
}

/// Browsers say by `Sec-Fetch-Site` who made a request; over plain HTTP on a LAN address they do
/// not, and then by `Origin`. Programs send neither. This server is found at each of these hosts.
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

/// Whether `http://example.org:8080` is where `example.org:8080` lives. Behind a proxy the scheme
/// is the proxy's affair; its default port counts.
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
    /// The host that a trusted proxy was asked for, if this server answers to it; tells once of one to
    /// which it does not.
    fn forwarded_host(&self, request: &Request) -> Option<Authority> {
        static TOLD: Once = Once::new();
        let host = client::forwarded_host(request, &self.proxies)?;
        if self.hosts.allow(host.host()) {
            return Some(host);
        }
        TOLD.call_once(|| {
            let name = host.host();
            tracing::warn!(
                "a proxy forwards requests for {name}, to which this server does not answer; if the name \
                 is yours, start with --host {name}"
            );
        });
        None
    }

    /// The client behind `peer`; tells once of a proxy that nobody has named.
    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> Result<Client, GuardRejection> {
        static TOLD: Once = Once::new();
        if client::is_unnamed_proxy(peer, headers, &self.proxies) {
            TOLD.call_once(|| {
                let peer = peer.to_canonical();
                tracing::warn!(
                    "a request from {peer} says for whom it was forwarded and is not believed; \
                     if {peer} is a proxy of yours, start with --trusted-proxy {peer}"
                );
            });
        }
        Client::seen(peer, headers, &self.proxies).map_err(|_| GuardRejection::Forwarded)
    }

    /// The request with its body read in full: forms and moves are small, and a handler that has
    /// begun should not wait for its client.
    async fn read_body(&self, request: Request) -> Result<Request, GuardRejection> {
        if http_body::Body::is_end_stream(request.body()) {
            return Ok(request);
        }
        if http_body::Body::size_hint(request.body()).lower() > self.max_body_bytes as u64 {
            return Err(self.too_large);
        }
        let (parts, body) = request.into_parts();
        let whole = Limited::new(body, self.max_body_bytes).collect();
        let bytes: Bytes = match tokio::time::timeout(self.body_timeout, whole).await {
            Ok(Ok(whole)) => whole.to_bytes(),
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
    fn only_one_chunked_is_taken() {
        let wrapped = |name: HeaderName, lines: &[&str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(&name, line.parse().unwrap());
            }
            is_wrapped(&headers)
        };
        for taken in [&[][..], &["chunked"], &["Chunked"], &[" chunked "]] {
            assert!(!wrapped(header::TRANSFER_ENCODING, taken), "{taken:?}");
        }
        for refused in [
            &["gzip, chunked"][..],
            &["chunked, chunked"],
            &["chunked", "chunked"],
            &["gzip", "chunked"],
            &["identity"],
            &["chunked, gzip"],
            &["chunked;q=1"],
            &[""],
        ] {
            assert!(wrapped(header::TRANSFER_ENCODING, refused), "{refused:?}");
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
    fn other_sites_are_told_apart() {
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
