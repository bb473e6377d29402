//! The accept loop: limits on connections, timeouts, and the stop of the server.
//!
//! The loop is our own, because axum's `serve` has no header timeout and no connection limit, and
//! hyper-util has no loop at all. Here hyper's HTTP/1 server is driven directly: a slow header is
//! closed, a reader that stops reading is dropped, connections are capped, and a stop is bounded.
//! HTTP/2 and TLS are a proxy's job.

use std::collections::HashMap;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
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
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutWriter;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use super::client::{IpNetwork, counted_by, trusted};
use super::guard::GuardRejection;
use super::rate_limit::LoopbackPolicy;

mod socket;

pub use socket::{ListenAddress, Listener, NoListenAddress, Passed, SocketAccess, passed};

use socket::{Peer, Stream};

/// The limits of size, number and time on connections.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    /// The time for a whole request head, and for silence between two requests.
    pub header_timeout: Duration,
    /// The time for a whole request body (kept by the guard, see [`super::guard::Guard`]).
    pub body_timeout: Duration,
    /// The time after which a connection is dropped when its client takes nothing of an answer.
    pub write_idle_timeout: Duration,
    /// The time for which a closing connection is still read, so that the last answer arrives.
    pub drain_timeout: Duration,
    /// The time that requests in flight have after a stop.
    pub stop_timeout: Duration,
    /// The most connections.
    pub connections: usize,
    /// The most connections from one address (IPv6: from one /64).
    pub connections_per_address: usize,
    /// Whether connections from this machine count as from one address.
    pub loopback: LoopbackPolicy,
    /// Trusted proxies: they carry many people's requests, so no cap per address applies to them.
    pub proxies: Vec<IpNetwork>,
    /// The largest request line with headers in bytes; at least 8 KiB.
    pub max_header_bytes: usize,
    /// The largest body in bytes (kept by the guard).
    pub max_body_bytes: usize,
    /// How much of a refused body is read and thrown away.
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
            // On an address that many applications share, their cookies come along.
            max_header_bytes: 32 * 1024,
            max_body_bytes: 64 * 1024,
            drain_bytes: 1024 * 1024,
        }
    }
}

/// Opens a listener at an address of the network.
///
/// # Errors
/// One clear sentence with what to do about it.
pub async fn bind(address: SocketAddr) -> Result<TcpListener, String> {
    TcpListener::bind(address)
        .await
        .map_err(|error| listen_error(address, &error))
}

/// Why the server cannot listen, and what to do about it.
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

/// The address to open in a browser on this machine for a listener at `address`.
pub(super) fn address_to_open(address: SocketAddr) -> String {
    let ip: IpAddr = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    format!("http://{}/", SocketAddr::new(ip, address.port()))
}

/// As [`serve_all`], with one listener.
///
/// # Errors
/// As [`serve_all`].
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
/// A request carries its peer as `ConnectInfo<SocketAddr>`, or that it came through a Unix socket (`FromUnixSocket`).
/// The limits hold for all listeners together.
///
/// # Errors
/// None today: a listener that cannot accept (too many open files) is tried again.
pub async fn serve_all(
    listeners: Vec<Listener>,
    app: Router,
    limits: ConnectionLimits,
    stop: CancellationToken,
) -> io::Result<()> {
    let (places, ushers) = shares(&limits);
    if places < limits.connections {
        tracing::info!(
            "accepting at most {places} connections, for no more files may be open (ulimit -n)"
        );
    }
    let house = Arc::new(ConnectionServer {
        http: http(&limits),
        app,
        admission: Arc::new(ConnectionLimiter::new(places, ushers)),
        abort: CancellationToken::new(),
        stop,
        limits,
    });
    let tasks = TaskTracker::new();
    let accepting = listeners
        .iter()
        .map(|listener| house.accept(listener, &tasks));
    join_all(accepting).await;
    drop(listeners);
    house.close(&tasks).await;
    Ok(())
}

/// How many connections there are file descriptors for: a client beyond them would wait in the
/// backlog without an answer, and the database could not open its files.
pub(crate) fn connections(limits: &ConnectionLimits) -> usize {
    shares(limits).0
}

/// How many connections are accepted, and how many clients beyond them are told why they are not.
fn shares(limits: &ConnectionLimits) -> (usize, usize) {
    let left = open_files().map_or(usize::MAX, |files| files.saturating_sub(OWN_FILES));
    let ushers = USHERS.min(left / 4);
    (limits.connections.min(left - ushers).max(1), ushers)
}

/// The soft limit of open files.
#[cfg(unix)]
fn open_files() -> Option<usize> {
    let (soft, _) = rlimit::Resource::NOFILE.get().ok()?;
    Some(usize::try_from(soft).unwrap_or(usize::MAX))
}

/// Sockets are no files here, so there is nothing to run out of.
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
    admission: Arc<ConnectionLimiter>,
    limits: ConnectionLimits,
    /// Cancelled when no more requests are taken and those that run are finished.
    stop: CancellationToken,
    /// Cancelled when requests that still run are dropped.
    abort: CancellationToken,
}

impl ConnectionServer {
    /// Takes connections until the stop.
    async fn accept(self: &Arc<Self>, listener: &Listener, tasks: &TaskTracker) {
        while let Some(accepted) = self.stop.run_until_cancelled(listener.accept()).await {
            match accepted {
                Ok((stream, peer)) => self.welcome(stream, peer, tasks),
                Err(error) => self.pause_after(&error).await,
            }
        }
    }

    fn welcome(self: &Arc<Self>, stream: Stream, peer: Peer, tasks: &TaskTracker) {
        match self.admission.enter(peer.ip(), &self.limits) {
            Ok(permit) => {
                let house = Arc::clone(self);
                tasks.spawn(async move {
                    house.converse(stream, peer).await;
                    drop(permit);
                });
            }
            Err(rejection) => {
                // A few are told why; in a flood the rest are closed without a word.
                let Ok(usher) = Arc::clone(&self.admission.ushers).try_acquire_owned() else {
                    return;
                };
                let house = Arc::clone(self);
                tasks.spawn(async move {
                    let told = house.turn_away(stream, rejection);
                    let _ = house.abort.run_until_cancelled(told).await;
                    drop(usher);
                });
            }
        }
    }

    /// Errors of one connection say nothing about the next; all others (no file descriptors, no
    /// memory) need time, and spinning would take what is left.
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

    async fn converse(&self, stream: Stream, peer: Peer) {
        let begun = AtomicBool::new(false);
        let service = service_fn(|mut request: Request<Incoming>| {
            begun.store(true, Ordering::Relaxed);
            peer.put_into(request.extensions_mut());
            Box::pin(self.app.clone().oneshot(request.map(Body::new)))
        });
        let mut patient = TimeoutWriter::new(stream);
        patient.set_timeout(Some(self.limits.write_idle_timeout));
        let io = TokioIo::new(Box::pin(patient));
        let mut connection = self.http.serve_connection(io, service);
        let mut stopping = false;
        let ended = loop {
            tokio::select! {
                ended = poll_fn(|context| connection.poll_without_shutdown(context)) => break ended,
                () = self.stop.cancelled(), if !stopping => {
                    if !begun.load(Ordering::Relaxed) {
                        return; // No request has begun, so no answer is due.
                    }
                    stopping = true;
                    std::pin::Pin::new(&mut connection).graceful_shutdown();
                    let resting = poll_fn(|context| connection.poll_without_shutdown(context));
                    if resting.now_or_never().is_some() {
                        // Between two requests: the last answer is with the system, and a client that
                        // keeps its side open is not waited for.
                        return;
                    }
                }
                () = self.abort.cancelled() => return,
            }
        };
        let stream = connection.into_parts().io.into_inner();
        match ended {
            Ok(()) => self.part(stream).await,
            Err(error) if error.is_parse() => self.part(stream).await,
            Err(error) => tracing::debug!(%peer, %error, "connection dropped"),
        }
    }

    /// Closes so that the last answer arrives: a socket closed with bytes unread is reset, and a
    /// reset makes the other side forget what it had received.
    async fn part(&self, mut stream: impl AsyncRead + AsyncWrite + Unpin) {
        let drained = async {
            stream.shutdown().await?;
            let mut left = self.limits.drain_bytes;
            // On the heap: as an array it would enlarge the future of every connection.
            let mut scrap = vec![0; 4096];
            while left > 0 {
                match stream.read(&mut scrap).await? {
                    0 => break,
                    read => left = left.saturating_sub(read),
                }
            }
            io::Result::Ok(())
        };
        let drained = tokio::time::timeout(self.limits.drain_timeout, drained);
        // The connection is over, whether it was drained or not.
        let _ = self.abort.run_until_cancelled(drained).await;
    }

    async fn turn_away(&self, mut stream: Stream, rejection: GuardRejection) {
        let answer = answer(rejection);
        let written = stream.write_all(answer.as_bytes());
        if let Ok(Ok(())) = tokio::time::timeout(self.limits.drain_timeout, written).await {
            self.part(stream).await;
        }
    }

    async fn close(&self, tasks: &TaskTracker) {
        tasks.close();
        if tokio::time::timeout(self.limits.stop_timeout, tasks.wait())
            .await
            .is_err()
        {
            tracing::info!(connections = tasks.len(), "dropping what has not finished");
        }
        self.abort.cancel();
        // The tasks see the token at their next poll; a handler that blocks is not waited for.
        let _ = tokio::time::timeout(Duration::from_millis(200), tasks.wait()).await;
    }
}

/// How many files the program may open beside connections: its database, log and listeners, and what is open for a
/// moment.
const OWN_FILES: usize = 64;

/// The most clients that are told at the same time why they are not admitted.
const USHERS: usize = 64;

/// Counts the open connections and admits new ones.
struct ConnectionLimiter {
    places: Arc<Semaphore>,
    ushers: Arc<Semaphore>,
    by_address: Mutex<HashMap<IpAddr, usize>>,
}

/// The permit of an open connection; dropping it frees its place.
struct ConnectionPermit {
    _one: OwnedSemaphorePermit,
    counted: Option<(Arc<ConnectionLimiter>, IpAddr)>,
}

impl ConnectionLimiter {
    fn new(connections: usize, ushers: usize) -> Self {
        ConnectionLimiter {
            places: Arc::new(Semaphore::new(connections)),
            ushers: Arc::new(Semaphore::new(ushers)),
            by_address: Mutex::default(),
        }
    }

    /// `peer` has no address where it came through a Unix socket: it is a proxy, as a trusted one.
    fn enter(
        self: &Arc<Self>,
        peer: Option<IpAddr>,
        limits: &ConnectionLimits,
    ) -> Result<ConnectionPermit, GuardRejection> {
        let one = Arc::clone(&self.places)
            .try_acquire_owned()
            .map_err(|_| GuardRejection::Full)?;
        let is_counted =
            |peer: &IpAddr| !limits.loopback.exempts(*peer) && !trusted(*peer, &limits.proxies);
        let Some(peer) = peer.filter(is_counted) else {
            return Ok(ConnectionPermit {
                _one: one,
                counted: None,
            });
        };
        let address = counted_by(peer);
        let mut by_address = self.counts();
        let count = by_address.entry(address).or_default();
        if *count >= limits.connections_per_address {
            return Err(GuardRejection::TooManyConnections);
        }
        *count += 1;
        Ok(ConnectionPermit {
            _one: one,
            counted: Some((Arc::clone(self), address)),
        })
    }

    fn counts(&self) -> std::sync::MutexGuard<'_, HashMap<IpAddr, usize>> {
        // Counts are changed in one step: a panic elsewhere cannot leave them half changed.
        self.by_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let Some((admission, address)) = self.counted.take() else {
            return;
        };
        let mut by_address = admission.counts();
        if let Some(count) = by_address.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                by_address.remove(&address);
            }
        }
    }
}

/// Written by hand: there is no request yet that a handler could answer.
fn answer(rejection: GuardRejection) -> String {
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
        let taken = listen_error(
            "127.0.0.1:8080".parse().unwrap(),
            &io::ErrorKind::AddrInUse.into(),
        );
        let expect =
            "port 8080 on 127.0.0.1 is taken by another program; choose another with --listen";
        assert_eq!(taken, expect);
    }

    #[test]
    fn the_address_can_be_opened() {
        let open = |text: &str| address_to_open(text.parse().unwrap());
        assert_eq!(open("127.0.0.1:8080"), "http://127.0.0.1:8080/");
        assert_eq!(open("0.0.0.0:80"), "http://127.0.0.1:80/");
        assert_eq!(open("[::]:8080"), "http://[::1]:8080/");
    }
}
