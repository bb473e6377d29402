//! Requests to the server under load, and how they may end.
//!
//! Deliberately no redirects, no cookies, no compression and no proxies of the environment: each request is one
//! answer, and is counted as that.

use std::convert::Infallible;
use std::error::Error;
use std::future::{Ready, ready};
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::uri::Scheme;
use axum::http::{HeaderMap, Method, Request, Response, StatusCode, Uri, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use serde_json::Value;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::stats::RequestKind;
use super::{Consent, LoadPlan, LoadRun, Workload};

/// An answer that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// After a failure that names no time the same is asked again so much later.
const PAUSE: Duration = Duration::from_millis(100);

/// File descriptors that are needed beside those of connections.
const OTHER_FILES: u64 = 64;

/// Why no load was put on a server.
#[derive(Debug, thiserror::Error)]
pub enum LoadTestError {
    /// The address is none of a server.
    #[error("{0}: write the server's address, such as http://127.0.0.1:8080")]
    NoAddress(Uri),
    /// Nobody knows the name.
    #[error("{0}: {1}")]
    NoHost(String, io::Error),
    /// The server is elsewhere, and nobody answers for it.
    #[error(
        "{0} is not this machine: load on somebody else's server does harm. If it is yours, or its operator agrees, say --with-consent"
    )]
    Elsewhere(String),
    /// The system lets this process have too few connections.
    #[error(
        "this needs {needed} open files, and the system allows {allowed}: raise it (ulimit -n {needed})"
    )]
    TooFewFiles {
        /// How many would be open at once.
        needed: u64,
        /// How many may be.
        allowed: u64,
    },
    /// The system's certificates cannot be read.
    #[error("the system's certificates: {0}")]
    Certificates(io::Error),
    /// It does not answer.
    #[error("{url}: {why}")]
    Unreachable {
        /// What was asked.
        url: Uri,
        /// What came of it.
        why: String,
    },
    /// It answers, and not as it should.
    #[error("{url} answers {status}")]
    Refused {
        /// What was asked.
        url: Uri,
        /// Its status.
        status: StatusCode,
    },
    /// The games could not be begun.
    #[error("the games were not begun; {0}")]
    NoGames(String),
}

/// A whole answer.
pub(super) struct HttpAnswer {
    pub(super) status: StatusCode,
    pub(super) retry_after: Option<Duration>,
    pub(super) body: Bytes,
}

/// A request that is made until it is answered.
pub(super) struct LoadRequest<'a> {
    /// Which of the servers is asked, counted round and round.
    pub(super) server: u32,
    pub(super) kind: RequestKind,
    pub(super) method: Method,
    pub(super) path: &'a str,
    pub(super) token: Option<&'a str>,
    pub(super) body: Option<&'a Value>,
    /// From when the time counts; without it, from when it is sent.
    pub(super) due: Option<Instant>,
    /// When it is given up.
    pub(super) latest: Instant,
}

/// The way to the servers.
pub(super) struct LoadClient {
    servers: Vec<ServerTarget>,
}

struct ServerTarget {
    road: HttpTransport,
    base: Uri,
}

/// Connections that are kept. A machine without certificates reaches what needs none.
enum HttpTransport {
    Plain(Client<HttpConnector<ResolvedHost>, Full<Bytes>>),
    Sealed(Client<HttpsConnector<HttpConnector<ResolvedHost>>, Full<Bytes>>),
}

impl HttpTransport {
    async fn request(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, String> {
        let answer = match self {
            HttpTransport::Plain(client) => client.request(request),
            HttpTransport::Sealed(client) => client.request(request),
        };
        answer.await.map_err(|error| cause(&error))
    }
}

impl LoadClient {
    /// Looks where the servers are, whether they may be asked, and whether they answer.
    pub(super) async fn open(plan: &LoadPlan) -> Result<Self, LoadTestError> {
        let mut servers = Vec::new();
        for url in &plan.servers {
            servers.push(ServerTarget::at(url, plan.consent).await?);
        }
        enough_files(plan)?;
        let path = match &plan.work {
            Workload::Games(_) => "/readyz",
            Workload::Page { path, .. } => path,
        };
        for server in &servers {
            server.try_out(path).await?;
        }
        Ok(LoadClient { servers })
    }

    fn server(&self, number: u32) -> &ServerTarget {
        &self.servers[number as usize % self.servers.len()]
    }

    /// A stream of events, after the event with this number.
    pub(super) async fn follow(
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
        let request = request.map_err(|error| cause(&error))?;
        let answer = tokio::time::timeout(PATIENCE, server.road.request(request)).await;
        answer.map_err(|_| "no answer in time")?
    }
}

impl ServerTarget {
    async fn at(url: &Uri, consent: Consent) -> Result<Self, LoadTestError> {
        let no_address = || LoadTestError::NoAddress(url.clone());
        let scheme = url.scheme().ok_or_else(no_address)?;
        let host = url.host().ok_or_else(no_address)?;
        if scheme != &Scheme::HTTP && scheme != &Scheme::HTTPS {
            return Err(no_address());
        }
        let usual = if scheme == &Scheme::HTTPS { 443 } else { 80 };
        let port = url.port_u16().unwrap_or(usual);
        let bare = host.trim_matches(['[', ']']);
        let found = tokio::net::lookup_host((bare, port)).await;
        let found = found.map_err(|error| LoadTestError::NoHost(host.to_owned(), error))?;
        let addresses: Vec<SocketAddr> = found.collect();
        let is_here = |at: &SocketAddr| at.ip().to_canonical().is_loopback();
        if !addresses.iter().all(is_here) && consent == Consent::None {
            return Err(LoadTestError::Elsewhere(host.to_owned()));
        }
        let mut http = HttpConnector::new_with_resolver(ResolvedHost(addresses));
        http.enforce_http(false);
        http.set_nodelay(true);
        http.set_connect_timeout(Some(PATIENCE));
        let mut client = Client::builder(TokioExecutor::new());
        client.pool_timer(TokioTimer::new());
        let road = if scheme == &Scheme::HTTPS {
            let https = HttpsConnectorBuilder::new();
            let https = https
                .with_native_roots()
                .map_err(LoadTestError::Certificates)?;
            let https = https.https_only().enable_http1().wrap_connector(http);
            HttpTransport::Sealed(client.build(https))
        } else {
            HttpTransport::Plain(client.build(http))
        };
        Ok(ServerTarget {
            road,
            base: url.clone(),
        })
    }

    async fn try_out(&self, path: &str) -> Result<(), LoadTestError> {
        let no_address = || LoadTestError::NoAddress(self.base.clone());
        let url = self.uri(path).ok_or_else(no_address)?;
        let request = Request::get(url.clone()).body(Full::default());
        let request = request.map_err(|_| no_address())?;
        match self.whole(request, Instant::now() + PATIENCE).await {
            Ok(answer) if answer.status.is_success() => Ok(()),
            Ok(HttpAnswer { status, .. }) => Err(LoadTestError::Refused { url, status }),
            Err(why) => Err(LoadTestError::Unreachable { url, why }),
        }
    }

    fn uri(&self, path: &str) -> Option<Uri> {
        let mut parts = self.base.clone().into_parts();
        parts.path_and_query = Some(path.parse().ok()?);
        Uri::from_parts(parts).ok()
    }

    async fn whole(
        &self,
        request: Request<Full<Bytes>>,
        latest: Instant,
    ) -> Result<HttpAnswer, String> {
        let answered = async {
            let answer = self.road.request(request).await?;
            let (head, body) = answer.into_parts();
            let body = body.collect().await.map_err(|error| cause(&error))?;
            Ok(HttpAnswer {
                status: head.status,
                retry_after: retry_after(&head.headers),
                body: body.to_bytes(),
            })
        };
        timeout_at(latest, answered)
            .await
            .unwrap_or_else(|_| Err("no answer in time".to_owned()))
    }

    fn asked(&self, asked: &LoadRequest<'_>) -> Option<Request<Full<Bytes>>> {
        let mut request = Request::builder()
            .method(asked.method.clone())
            .uri(self.uri(asked.path)?);
        if let Some(token) = asked.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let body = match asked.body {
            None => Full::default(),
            Some(body) => {
                request = request.header(header::CONTENT_TYPE, "application/json");
                Full::from(body.to_string())
            }
        };
        request.body(body).ok()
    }
}

impl LoadRun {
    /// Asks until there is a good answer; nothing when there will be none, or it comes too late.
    ///
    /// Whatever is asked twice is asked in the same words: a ply that was kept, and whose answer was lost, is answered
    /// as it was the first time.
    pub(super) async fn ask(&self, asked: &LoadRequest<'_>) -> Option<HttpAnswer> {
        let LoadRequest {
            server,
            kind,
            latest,
            ..
        } = *asked;
        let server = self.wire.server(server);
        loop {
            let sent = Instant::now();
            let request = server.asked(asked)?;
            let until = latest.min(sent + PATIENCE);
            let pause = match server.whole(request, until).await {
                Err(why) => {
                    self.tally.failed(kind, &why);
                    PAUSE
                }
                Ok(answer) => {
                    self.tally.status(kind, answer.status.as_u16());
                    if answer.status.is_success() {
                        let now = Instant::now();
                        let due = asked.due.unwrap_or(sent);
                        self.tally.good(kind, now - due, now - sent);
                        return Some(answer);
                    }
                    if answer.status == StatusCode::TOO_MANY_REQUESTS {
                        self.tally.told_to_wait();
                    } else {
                        self.tally.failed(kind, &answer.status.to_string());
                    }
                    let is_passing =
                        answer.status.is_server_error() || answer.retry_after.is_some();
                    if !is_passing {
                        return None;
                    }
                    answer.retry_after.unwrap_or(PAUSE)
                }
            };
            let again = Instant::now() + pause;
            if again >= latest {
                return None;
            }
            sleep_until(again).await;
        }
    }
}

/// Raises the limit of open files as far as this needs and may.
#[cfg(unix)]
fn enough_files(plan: &LoadPlan) -> Result<(), LoadTestError> {
    let connections = match &plan.work {
        Workload::Games(crowd) => crowd.games + crowd.watchers + super::MOST_READERS,
        Workload::Page { connections, .. } => *connections,
    };
    let needed = u64::from(connections) + OTHER_FILES;
    match rlimit::increase_nofile_limit(needed) {
        Ok(allowed) if allowed < needed => Err(LoadTestError::TooFewFiles { needed, allowed }),
        // Where the system does not say, connections will.
        Ok(_) | Err(_) => Ok(()),
    }
}

#[cfg(not(unix))]
fn enough_files(_: &LoadPlan) -> Result<(), LoadTestError> {
    Ok(())
}

/// What a `Retry-After` says, in seconds; dates are for browsers.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?;
    seconds.parse().ok().map(Duration::from_secs)
}

/// The innermost reason of an error: the outer ones say only that something failed.
pub(super) fn cause(error: &dyn Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// The addresses that were looked up, and asked about, once.
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
