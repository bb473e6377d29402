//! The HTTP client of load tests, and its errors.
//!
//! Redirects, cookies, compression and the proxies of the environment are deliberately not supported: each request has
//! exactly one response, which is counted.

use std::convert::Infallible;
use std::error::Error;
use std::future::{Ready, ready};
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::uri::Scheme;
use axum::http::{HeaderMap, HeaderName, Method, Request, Response, StatusCode, Uri, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::stats::RequestKind;
use super::{Consent, LoadRun};

/// The timeout of a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// The delay before a retry if the response has no `Retry-After`.
const DEFAULT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// File descriptors that are needed in addition to those of connections.
const RESERVED_FILES: u64 = 64;

/// Why a load test could not start.
#[derive(Debug, thiserror::Error)]
pub enum LoadTestError {
    /// The address is not that of a server.
    #[error("{0}: write the server's address, such as http://127.0.0.1:8080")]
    InvalidAddress(Uri),
    /// The host name cannot be resolved.
    #[error("{0}: {1}")]
    UnknownHost(String, io::Error),
    /// The server is not this machine, and no consent was given.
    #[error(
        "{0} is not this machine: load on somebody else's server does harm. If it is yours, or its operator agrees, say --with-consent"
    )]
    NotLocalhost(String),
    /// The limit of open files is too low.
    #[error(
        "this needs {needed} open files, and the system allows {allowed}: raise it (ulimit -n {needed})"
    )]
    TooFewFiles {
        /// The number of files that would be open at once.
        needed: u64,
        /// The limit.
        allowed: u64,
    },
    /// The certificates of the system cannot be read.
    #[error("the system's certificates: {0}")]
    Certificates(io::Error),
    /// The server does not respond.
    #[error("{url}: {why}")]
    Unreachable {
        /// The requested address.
        url: Uri,
        /// The cause.
        why: String,
    },
    /// The server responds with an error status.
    #[error("{url} answers {status}")]
    Refused {
        /// The requested address.
        url: Uri,
        /// The status of the response.
        status: StatusCode,
    },
    /// The games could not be created; contains the first failure.
    #[error("the games were not started; {0}")]
    NoGames(String),
}

/// A complete response.
pub(super) struct HttpAnswer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// A request that is retried until it succeeds.
pub(super) struct LoadRequest<'a> {
    /// The number of the server, modulo the number of servers.
    pub(super) server: u32,
    pub(super) kind: RequestKind,
    pub(super) method: Method,
    pub(super) path: &'a str,
    pub(super) token: Option<&'a str>,
    pub(super) body: RequestBody<'a>,
    /// Further headers.
    pub(super) headers: &'a [(HeaderName, &'a str)],
    /// The time from which the latency counts; `None` means when it is sent.
    pub(super) due: Option<Instant>,
    /// When to stop retrying.
    pub(super) deadline: Instant,
}

/// The body of a request.
#[derive(Clone, Copy)]
pub(super) enum RequestBody<'a> {
    None,
    Json(&'a Value),
    /// URL-encoded fields.
    Form(&'a str),
}

impl<'a> LoadRequest<'a> {
    /// A GET request that is sent now.
    pub(super) fn get(server: u32, kind: RequestKind, path: &'a str, deadline: Instant) -> Self {
        LoadRequest {
            server,
            kind,
            method: Method::GET,
            path,
            token: None,
            body: RequestBody::None,
            headers: &[],
            due: None,
            deadline,
        }
    }

    /// A POST request of this JSON that is sent now.
    pub(super) fn post(
        server: u32,
        kind: RequestKind,
        path: &'a str,
        body: &'a Value,
        deadline: Instant,
    ) -> Self {
        LoadRequest {
            method: Method::POST,
            body: RequestBody::Json(body),
            ..LoadRequest::get(server, kind, path, deadline)
        }
    }
}

/// The connections to the servers.
pub(super) struct LoadClient {
    servers: Vec<ServerTarget>,
}

struct ServerTarget {
    transport: HttpTransport,
    base: Uri,
}

/// A connection pool. Plain HTTP needs no certificates of the system.
enum HttpTransport {
    Http(Client<HttpConnector<ResolvedHost>, Full<Bytes>>),
    Tls(Client<HttpsConnector<HttpConnector<ResolvedHost>>, Full<Bytes>>),
}

impl HttpTransport {
    async fn request(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, String> {
        let response = match self {
            HttpTransport::Http(client) => client.request(request),
            HttpTransport::Tls(client) => client.request(request),
        };
        response.await.map_err(|error| root_cause(&error))
    }
}

impl LoadClient {
    /// Resolves the servers, checks the consent, and checks that they respond to a request of `path`. `connections` is
    /// how many will be open at once.
    pub(super) async fn open(
        urls: &[Uri],
        consent: Consent,
        connections: u32,
        path: &str,
    ) -> Result<Self, LoadTestError> {
        let mut servers = Vec::new();
        for url in urls {
            servers.push(ServerTarget::resolve(url, consent).await?);
        }
        raise_file_limit(connections)?;
        for server in &servers {
            server.check_reachable(path).await?;
        }
        Ok(LoadClient { servers })
    }

    fn server(&self, number: u32) -> &ServerTarget {
        &self.servers[number as usize % self.servers.len()]
    }

    /// Opens an event stream that starts after the event with this number.
    pub(super) async fn open_stream(
        &self,
        server: u32,
        path: &str,
        last: Option<u32>,
    ) -> Result<Response<Incoming>, String> {
        let server = self.server(server);
        let url = server.uri(path).ok_or("this is no path")?;
        let mut request = Request::get(url).header(header::ACCEPT, "text/event-stream");
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        let request = request.body(Full::default());
        let request = request.map_err(|error| root_cause(&error))?;
        let response =
            tokio::time::timeout(REQUEST_TIMEOUT, server.transport.request(request)).await;
        response.map_err(|_| "no answer in time")?
    }
}

impl ServerTarget {
    async fn resolve(url: &Uri, consent: Consent) -> Result<Self, LoadTestError> {
        let invalid_address = || LoadTestError::InvalidAddress(url.clone());
        let scheme = url.scheme().ok_or_else(invalid_address)?;
        let host = url.host().ok_or_else(invalid_address)?;
        if scheme != &Scheme::HTTP && scheme != &Scheme::HTTPS {
            return Err(invalid_address());
        }
        let default_port = if scheme == &Scheme::HTTPS { 443 } else { 80 };
        let port = url.port_u16().unwrap_or(default_port);
        let name = host.trim_matches(['[', ']']);
        let resolved = tokio::net::lookup_host((name, port)).await;
        let resolved =
            resolved.map_err(|error| LoadTestError::UnknownHost(host.to_owned(), error))?;
        let addresses: Vec<SocketAddr> = resolved.collect();
        let is_loopback = |at: &SocketAddr| at.ip().to_canonical().is_loopback();
        if !addresses.iter().all(is_loopback) && consent == Consent::None {
            return Err(LoadTestError::NotLocalhost(host.to_owned()));
        }
        let mut http = HttpConnector::new_with_resolver(ResolvedHost(addresses));
        http.enforce_http(false);
        http.set_nodelay(true);
        http.set_connect_timeout(Some(REQUEST_TIMEOUT));
        let mut client = Client::builder(TokioExecutor::new());
        client.pool_timer(TokioTimer::new());
        let transport = if scheme == &Scheme::HTTPS {
            let https = HttpsConnectorBuilder::new();
            let https = https
                .with_native_roots()
                .map_err(LoadTestError::Certificates)?;
            let https = https.https_only().enable_http1().wrap_connector(http);
            HttpTransport::Tls(client.build(https))
        } else {
            HttpTransport::Http(client.build(http))
        };
        Ok(ServerTarget {
            transport,
            base: url.clone(),
        })
    }

    async fn check_reachable(&self, path: &str) -> Result<(), LoadTestError> {
        let invalid_address = || LoadTestError::InvalidAddress(self.base.clone());
        let url = self.uri(path).ok_or_else(invalid_address)?;
        let request = Request::get(url.clone()).body(Full::default());
        let request = request.map_err(|_| invalid_address())?;
        match self.send(request, Instant::now() + REQUEST_TIMEOUT).await {
            Ok(response) if response.status.is_success() => Ok(()),
            Ok(HttpAnswer { status, .. }) => Err(LoadTestError::Refused { url, status }),
            Err(why) => Err(LoadTestError::Unreachable { url, why }),
        }
    }

    fn uri(&self, path: &str) -> Option<Uri> {
        let mut parts = self.base.clone().into_parts();
        parts.path_and_query = Some(path.parse().ok()?);
        Uri::from_parts(parts).ok()
    }

    async fn send(
        &self,
        request: Request<Full<Bytes>>,
        deadline: Instant,
    ) -> Result<HttpAnswer, String> {
        let exchange = async {
            let response = self.transport.request(request).await?;
            let (head, body) = response.into_parts();
            let body = body.collect().await.map_err(|error| root_cause(&error))?;
            Ok(HttpAnswer {
                status: head.status,
                headers: head.headers,
                body: body.to_bytes(),
            })
        };
        timeout_at(deadline, exchange)
            .await
            .unwrap_or_else(|_| Err("no answer in time".to_owned()))
    }

    fn build_request(&self, request: &LoadRequest<'_>) -> Option<Request<Full<Bytes>>> {
        let mut builder = Request::builder()
            .method(request.method.clone())
            .uri(self.uri(request.path)?);
        if let Some(token) = request.token {
            builder = builder.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        for (name, value) in request.headers {
            builder = builder.header(name, *value);
        }
        let body = match request.body {
            RequestBody::None => Full::default(),
            RequestBody::Json(body) => {
                builder = builder.header(header::CONTENT_TYPE, "application/json");
                Full::from(body.to_string())
            }
            RequestBody::Form(fields) => {
                let form = "application/x-www-form-urlencoded";
                builder = builder.header(header::CONTENT_TYPE, form);
                Full::from(fields.to_owned())
            }
        };
        builder.body(body).ok()
    }
}

impl LoadRun {
    /// The JSON of a response, as [`Self::request_until_done`]; `None` if it cannot be read, too.
    pub(super) async fn request_json<T: DeserializeOwned>(
        &self,
        request: &LoadRequest<'_>,
    ) -> Option<T> {
        let response = self.request_until_done(request).await?;
        let reply = serde_json::from_slice(&response.body);
        let unreadable = |error| {
            let why = format!("an answer that cannot be read: {error}");
            self.stats.record_failure(request.kind, &why);
        };
        reply.map_err(unreadable).ok()
    }

    /// Sends a request until it succeeds; `None` if it fails permanently or the deadline is exceeded.
    ///
    /// Retries are identical: the response to a ply that was stored, but whose response was lost, is the same as the
    /// first time.
    pub(super) async fn request_until_done(&self, request: &LoadRequest<'_>) -> Option<HttpAnswer> {
        let LoadRequest {
            server,
            kind,
            deadline,
            ..
        } = *request;
        let server = self.client.server(server);
        loop {
            let sent = Instant::now();
            let http_request = server.build_request(request)?;
            let timeout = deadline.min(sent + REQUEST_TIMEOUT);
            let delay = match server.send(http_request, timeout).await {
                Err(why) => {
                    self.stats.record_failure(kind, &why);
                    DEFAULT_RETRY_DELAY
                }
                Ok(response) => {
                    self.stats.record_status(kind, response.status.as_u16());
                    let retry_after = retry_after(&response.headers);
                    if response.status.is_success() || response.status.is_redirection() {
                        let now = Instant::now();
                        let due = request.due.unwrap_or(sent);
                        self.stats.record_success(kind, now - due, now - sent);
                        self.stats.record_bytes(kind, response.body.len());
                        return Some(response);
                    }
                    if response.status == StatusCode::TOO_MANY_REQUESTS {
                        self.stats.rate_limited.increment();
                    } else {
                        self.stats
                            .record_failure(kind, &response.status.to_string());
                    }
                    let is_temporary = response.status.is_server_error() || retry_after.is_some();
                    if !is_temporary {
                        return None;
                    }
                    retry_after.unwrap_or(DEFAULT_RETRY_DELAY)
                }
            };
            let retry_at = Instant::now() + delay;
            if retry_at >= deadline {
                return None;
            }
            sleep_until(retry_at).await;
        }
    }
}

/// Raises the limit of open files to the required number if permitted.
#[cfg(unix)]
fn raise_file_limit(connections: u32) -> Result<(), LoadTestError> {
    let needed = u64::from(connections) + RESERVED_FILES;
    match rlimit::increase_nofile_limit(needed) {
        Ok(allowed) if allowed < needed => Err(LoadTestError::TooFewFiles { needed, allowed }),
        // If the limit is unknown, connections will fail instead.
        Ok(_) | Err(_) => Ok(()),
    }
}

#[cfg(not(unix))]
fn raise_file_limit(_: u32) -> Result<(), LoadTestError> {
    Ok(())
}

/// The delay of a `Retry-After` header in seconds; dates are not supported.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?;
    seconds.parse().ok().map(Duration::from_secs)
}

/// The innermost source of an error, which is the most specific one.
pub(super) fn root_cause(error: &dyn Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// A resolver that returns the addresses for which the consent was checked.
#[derive(Clone)]
struct ResolvedHost(Vec<SocketAddr>);

impl tower::Service<Name> for ResolvedHost {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Name) -> Self::Future {
        ready(Ok(self.0.clone().into_iter()))
    }
}
