//! The accept loop: connection limits, timeouts, and graceful shutdown.
//!
//! axum's `serve` has no header timeout and no connection limit, and hyper-util has no accept loop, so this module
//! drives hyper's HTTP/1 server directly: slow headers and clients that stop reading are disconnected, connections are
//! limited, and shutdown time is bounded. HTTP/2 and TLS are left to a proxy.

use std::collections::HashMap;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use futures_util::FutureExt as _;
use futures_util::future::join_all;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutWriter;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use super::client::{IpNetwork, is_trusted, rate_limit_key};
use super::rejection::GuardRejection;
use crate::client_network::LoopbackPolicy;

mod socket;

pub use socket::{ListenAddress, ListenAddressParseError, Listener, Passed, SocketAccess, passed};

use socket::{Peer, Stream};

/// Limits on connections, their sizes and times.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    /// Time for a complete request head, and for idling between two requests.
    pub header_timeout: Duration,
    /// Time for a complete request body (enforced by the guard, see [`super::guard::RequestGuard`]).
    pub body_timeout: Duration,
    /// A connection is dropped after this time without write progress.
    pub write_idle_timeout: Duration,
    /// How long a closing connection is still read, so that the client receives the last response.
    pub drain_timeout: Duration,
    /// Time for requests in flight after shutdown began.
    pub stop_timeout: Duration,
    /// The maximum number of connections.
    pub connections: usize,
    /// The maximum number of connections per address (IPv6: per /64).
    pub connections_per_address: usize,
    /// Whether connections from this machine are limited per address.
    pub loopback: LoopbackPolicy,
    /// Trusted proxies: they forward the requests of many clients, so the limit per address does not apply to them.
    pub proxies: Vec<IpNetwork>,
    /// The maximum size of the request line with headers in bytes; at least 8 KiB.
    pub max_header_bytes: usize,
    /// The maximum size of a body in bytes (enforced by the guard).
    pub max_body_bytes: usize,
    /// How many bytes of a rejected body are read and discarded.
    pub drain_bytes: usize,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        ConnectionLimits {
            header_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(10),
            write_idle_timeout: Duration::from_secs(10),
            drain_timeout: Duration::from_secs(2),
            stop_timeout: Duration::from_millis(1500),
            connections: 12_000,
            connections_per_address: 200,
            loopback: LoopbackPolicy::Exempt,
            proxies: Vec::new(),
            // On a host that is shared by several applications, their cookies are sent too.
            max_header_bytes: 32 * 1024,
            max_body_bytes: 64 * 1024,
            drain_bytes: 1024 * 1024,
        }
    }
}

/// Opens a TCP listener.
///
/// # Errors
/// A one-sentence message that says what to do.
pub async fn bind(address: SocketAddr) -> Result<TcpListener, String> {
    TcpListener::bind(address)
        .await
        .map_err(|error| listen_error(address, &error))
}

fn listen_error(address: SocketAddr, error: &io::Error) -> String {
    let (ip, port) = (address.ip(), address.port());
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!("port {port} on {ip} is taken by another program; choose another with --listen")
        }
        io::ErrorKind::PermissionDenied => format!(
            "port {port} on {ip} needs more rights than this program has; choose one above 1023 with --listen"
        ),
        io::ErrorKind::AddrNotAvailable => {
            format!("this machine has no address {ip}; choose another with --listen")
        }
        _ => format!("cannot listen on {address}: {error}"),
    }
}

/// The URL to open in a browser on this machine for a listener at `address`.
pub(crate) fn address_to_open(address: SocketAddr) -> String {
    let ip: IpAddr = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    format!("http://{}/", SocketAddr::new(ip, address.port()))
}

/// Like [`serve_all`], with one listener.
///
/// # Errors
/// See [`serve_all`].
pub async fn serve(
    listener: TcpListener,
    app: Router,
    limits: ConnectionLimits,
    stop: CancellationToken,
) -> io::Result<()> {
    serve_all(vec![listener.into()], app, limits, stop).await
}

/// Serves `app` until `stop`, then lets requests in flight finish, for a bounded time.
///
/// Requests contain the peer as `ConnectInfo<SocketAddr>`, or the marker `FromUnixSocket`. The limits apply to all
/// listeners together.
///
/// # Errors
/// Currently none: if a listener cannot accept (too many open files), it tries again.
pub async fn serve_all(
    listeners: Vec<Listener>,
    app: Router,
    limits: ConnectionLimits,
    stop: CancellationToken,
) -> io::Result<()> {
    let (max_connections, max_rejections) = connection_budget(&limits);
    if max_connections < limits.connections {
        tracing::info!(
            "accepting at most {max_connections} connections because of the limit on open files (ulimit -n)"
        );
    }
    let server = Arc::new(ConnectionServer {
        http: http(&limits),
        app,
        limiter: Arc::new(ConnectionLimiter::new(max_connections, max_rejections)),
        abort: CancellationToken::new(),
        stop,
        limits,
    });
    let tasks = TaskTracker::new();
    let accepting = listeners
        .iter()
        .map(|listener| server.accept(listener, &tasks));
    join_all(accepting).await;
    drop(listeners);
    server.close(&tasks).await;
    Ok(())
}

/// The maximum number of connections, limited by the available file descriptors: clients beyond them would wait in the
/// backlog without a response, and the database could not open its files.
pub(crate) fn max_connections(limits: &ConnectionLimits) -> usize {
    connection_budget(limits).0
}

/// The maximum numbers of connections, and of simultaneous rejection responses.
fn connection_budget(limits: &ConnectionLimits) -> (usize, usize) {
    let available = open_files().map_or(usize::MAX, |files| files.saturating_sub(RESERVED_FILES));
    let max_rejections = MAX_REJECTIONS.min(available / 4);
    (
        limits.connections.min(available - max_rejections).max(1),
        max_rejections,
    )
}

/// The soft limit of open files.
#[cfg(unix)]
fn open_files() -> Option<usize> {
    use rustix::process::{Resource, getrlimit};
    let soft = getrlimit(Resource::Nofile).current;
    Some(soft.map_or(usize::MAX, |soft| {
        usize::try_from(soft).unwrap_or(usize::MAX)
    }))
}

/// Sockets do not count as files on this platform.
#[cfg(not(unix))]
fn open_files() -> Option<usize> {
    None
}

fn http(limits: &ConnectionLimits) -> http1::Builder {
    let largest = limits.max_header_bytes.max(8192);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .max_header_size(largest)
        .max_buf_size(largest);
    http
}

struct ConnectionServer {
    http: http1::Builder,
    app: Router,
    limiter: Arc<ConnectionLimiter>,
    limits: ConnectionLimits,
    /// Cancelled at shutdown: no more requests are accepted, and running ones may finish.
    stop: CancellationToken,
    /// Cancelled when running requests are dropped.
    abort: CancellationToken,
}

impl ConnectionServer {
    /// Accepts connections until shutdown.
    async fn accept(self: &Arc<Self>, listener: &Listener, tasks: &TaskTracker) {
        while let Some(accepted) = self.stop.run_until_cancelled(listener.accept()).await {
            match accepted {
                Ok((stream, peer)) => self.admit(stream, peer, tasks),
                Err(error) => self.pause_after(&error).await,
            }
        }
    }

    fn admit(self: &Arc<Self>, stream: Stream, peer: Peer, tasks: &TaskTracker) {
        match self.limiter.try_admit(peer.ip(), &self.limits) {
            Ok(permit) => {
                let server = Arc::clone(self);
                tasks.spawn(async move {
                    server.serve_connection(stream, peer).await;
                    drop(permit);
                });
            }
            Err(rejection) => {
                // A limited number of rejected clients get a response; during a flood the rest are closed without one.
                let Ok(permit) = Arc::clone(&self.limiter.rejections).try_acquire_owned() else {
                    return;
                };
                let server = Arc::clone(self);
                tasks.spawn(async move {
                    let rejected = server.reject(stream, rejection);
                    let _ = server.abort.run_until_cancelled(rejected).await;
                    drop(permit);
                });
            }
        }
    }

    /// Errors of a single connection are ignored. Others (no file descriptors, no memory) need time, and retrying
    /// immediately would only consume CPU.
    async fn pause_after(&self, error: &io::Error) {
        use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
        if matches!(
            error.kind(),
            ConnectionAborted | ConnectionRefused | ConnectionReset
        ) {
            return;
        }
        tracing::warn!(%error, "cannot accept connections; trying again");
        let pause = tokio::time::sleep(Duration::from_millis(200));
        self.stop.run_until_cancelled(pause).await;
    }

    async fn serve_connection(&self, stream: Stream, peer: Peer) {
        let has_request = AtomicBool::new(false);
        let service = service_fn(|mut request: Request<Incoming>| {
            has_request.store(true, Ordering::Relaxed);
            peer.insert_into(request.extensions_mut());
            Box::pin(self.app.clone().oneshot(request.map(Body::new)))
        });
        let mut stream = TimeoutWriter::new(stream);
        stream.set_timeout(Some(self.limits.write_idle_timeout));
        let io = TokioIo::new(Box::pin(stream));
        let mut connection = self.http.serve_connection(io, service);
        let mut stopping = false;
        let ended = loop {
            tokio::select! {
                ended = poll_fn(|context| connection.poll_without_shutdown(context)) => break ended,
                () = self.stop.cancelled(), if !stopping => {
                    if !has_request.load(Ordering::Relaxed) {
                        return; // No request was started, so no response is pending.
                    }
                    stopping = true;
                    std::pin::Pin::new(&mut connection).graceful_shutdown();
                    let idle = poll_fn(|context| connection.poll_without_shutdown(context));
                    if idle.now_or_never().is_some() {
                        // Idle between two requests: the last response was passed to the system, and a client that
                        // keeps its side open is not waited for.
                        return;
                    }
                }
                () = self.abort.cancelled() => return,
            }
        };
        let stream = connection.into_parts().io.into_inner();
        match ended {
            Ok(()) => self.close_gracefully(stream).await,
            Err(error) if error.is_parse() => self.close_gracefully(stream).await,
            Err(error) => tracing::debug!(%peer, %error, "connection dropped"),
        }
    }

    /// Shuts down the write side and drains the read side: closing a socket with unread bytes sends a TCP reset, and
    /// the peer may then discard the response.
    async fn close_gracefully(&self, mut stream: impl AsyncRead + AsyncWrite + Unpin) {
        let drained = async {
            stream.shutdown().await?;
            let mut remaining = self.limits.drain_bytes;
            // On the heap: an array would enlarge the future of every connection.
            let mut buffer = vec![0; 4096];
            while remaining > 0 {
                match stream.read(&mut buffer).await? {
                    0 => break,
                    read => remaining = remaining.saturating_sub(read),
                }
            }
            io::Result::Ok(())
        };
        let drained = tokio::time::timeout(self.limits.drain_timeout, drained);
        // The connection ends in any case.
        let _ = self.abort.run_until_cancelled(drained).await;
    }

    async fn reject(&self, mut stream: Stream, rejection: GuardRejection) {
        let response = rejection_response(rejection);
        let written = stream.write_all(response.as_bytes());
        if let Ok(Ok(())) = tokio::time::timeout(self.limits.drain_timeout, written).await {
            self.close_gracefully(stream).await;
        }
    }

    async fn close(&self, tasks: &TaskTracker) {
        tasks.close();
        if tokio::time::timeout(self.limits.stop_timeout, tasks.wait())
            .await
            .is_err()
        {
            tracing::info!(connections = tasks.len(), "dropping unfinished connections");
        }
        self.abort.cancel();
        // The tasks see the token at their next poll; blocked handlers are not waited for.
        let _ = tokio::time::timeout(Duration::from_millis(200), tasks.wait()).await;
    }
}

/// File descriptors reserved for other purposes: database, log, listeners, and short-lived files.
const RESERVED_FILES: usize = 64;

/// The maximum number of simultaneous rejection responses.
const MAX_REJECTIONS: usize = 64;

/// Counts open connections and admits new ones.
struct ConnectionLimiter {
    connections: Arc<Semaphore>,
    rejections: Arc<Semaphore>,
    by_address: Mutex<HashMap<IpAddr, usize>>,
}

/// The permit of an open connection; it is released on drop.
struct ConnectionPermit {
    _one: OwnedSemaphorePermit,
    counted: Option<(Arc<ConnectionLimiter>, IpAddr)>,
}

impl ConnectionLimiter {
    fn new(connections: usize, ushers: usize) -> Self {
        ConnectionLimiter {
            connections: Arc::new(Semaphore::new(connections)),
            rejections: Arc::new(Semaphore::new(ushers)),
            by_address: Mutex::default(),
        }
    }

    /// `peer` is `None` for a connection through a Unix socket: it is treated like a trusted proxy.
    fn try_admit(
        self: &Arc<Self>,
        peer: Option<IpAddr>,
        limits: &ConnectionLimits,
    ) -> Result<ConnectionPermit, GuardRejection> {
        let permit = Arc::clone(&self.connections)
            .try_acquire_owned()
            .map_err(|_| GuardRejection::ConnectionLimitReached)?;
        let is_counted = |peer: &IpAddr| {
            !limits.loopback.is_exempt(*peer) && !is_trusted(*peer, &limits.proxies)
        };
        let Some(peer) = peer.filter(is_counted) else {
            return Ok(ConnectionPermit {
                _one: permit,
                counted: None,
            });
        };
        let address = rate_limit_key(peer);
        let mut by_address = self.by_address.lock();
        let count = by_address.entry(address).or_default();
        if *count >= limits.connections_per_address {
            return Err(GuardRejection::TooManyConnections);
        }
        *count += 1;
        Ok(ConnectionPermit {
            _one: permit,
            counted: Some((Arc::clone(self), address)),
        })
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let Some((limiter, address)) = self.counted.take() else {
            return;
        };
        let mut by_address = limiter.by_address.lock();
        if let Some(count) = by_address.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                by_address.remove(&address);
            }
        }
    }
}

/// The raw HTTP response for a rejected connection: it has no request that a handler could respond to.
fn rejection_response(rejection: GuardRejection) -> String {
    let sentence = rejection.sentence();
    let retry = match rejection.retry_after_s() {
        Some(seconds) => format!("Retry-After: {seconds}\r\n"),
        None => String::new(),
    };
    format!(
        "HTTP/1.1 {status}\r\n{retry}Connection: close\r\n\
         Content-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n\
         Content-Security-Policy: {policy}\r\nCache-Control: no-store\r\n\
         Content-Length: {length}\r\n\r\n{sentence}",
        status = rejection.problem().status(),
        policy = super::headers::POLICY,
        length = sentence.len(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_to_do() {
        let error = listen_error(
            "127.0.0.1:8080".parse().unwrap(),
            &io::ErrorKind::AddrInUse.into(),
        );
        let expect =
            "port 8080 on 127.0.0.1 is taken by another program; choose another with --listen";
        assert_eq!(error, expect);
    }

    #[test]
    fn the_address_can_be_opened() {
        let open = |text: &str| address_to_open(text.parse().unwrap());
        assert_eq!(open("127.0.0.1:8080"), "http://127.0.0.1:8080/");
        assert_eq!(open("0.0.0.0:80"), "http://127.0.0.1:80/");
        assert_eq!(open("[::]:8080"), "http://[::1]:8080/");
    }
}
