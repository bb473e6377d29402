//! Slow, malformed and abusive clients over real sockets, against a small router.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::ConnectInfo;
use axum::routing::{get, post};
use dice_of_doom::client_network::LoopbackPolicy;
use dice_of_doom::http::client::Client;
use dice_of_doom::http::connections::{self, ConnectionLimits};
use dice_of_doom::http::guard::{self, RequestGuard};
use dice_of_doom::http::headers;
use dice_of_doom::http::rate_limit::RateLimiter;
use futures_util::stream;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

const QUICK: Duration = Duration::from_millis(300);
/// A timeout that is longer than anything here may take: reaching it is a failure.
const HANG: Duration = Duration::from_secs(5);

struct Server {
    address: SocketAddr,
    stop: CancellationToken,
    served: JoinHandle<std::io::Result<()>>,
}

fn quick() -> ConnectionLimits {
    ConnectionLimits {
        header_timeout: QUICK,
        body_timeout: QUICK,
        write_idle_timeout: QUICK,
        drain_timeout: QUICK,
        ..ConnectionLimits::default()
    }
}

async fn serve(limits: ConnectionLimits) -> Server {
    let guard = Arc::new(RequestGuard {
        max_body_bytes: limits.max_body_bytes,
        body_timeout: limits.body_timeout,
        proxies: limits.proxies.clone(),
        ..RequestGuard::default()
    });
    let throttle = Arc::new(RateLimiter::new(
        2,
        Duration::from_secs(60),
        LoopbackPolicy::Limited,
    ));
    let throttled = get(|| async { "served" }).route_layer(axum::middleware::from_fn_with_state(
        throttle,
        dice_of_doom::http::rate_limit::throttle,
    ));
    let router = Router::new()
        .route("/", get(|| async { "hello" }))
        .route("/echo", post(|body: Bytes| async { body }))
        .route("/flood", get(|| async { vec![b'x'; 64 << 20] }))
        .route("/stream", get(endless_stream))
        .route("/counted", get(counted_stream))
        .route(
            "/peer",
            get(|ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.to_string() }),
        )
        .route(
            "/client",
            get(|client: Client| async move { format!("{} {}", client.address, client.secure) }),
        )
        .route("/throttled", throttled);
    let app = headers::layer(guard::with_guard(router, guard));
    let listener = connections::bind("127.0.0.1:0".parse().unwrap())
        .await
        .unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let served = tokio::spawn(connections::serve(listener, app, limits, stop.clone()));
    Server {
        address,
        stop,
        served,
    }
}

/// A body that sends one line and then stays open, as event streams do.
async fn endless_stream() -> Body {
    let first = stream::iter([Ok::<_, Infallible>("first\n")]);
    Body::from_stream(futures_util::StreamExt::chain(first, stream::pending()))
}

/// The number of bytes of [`counted_stream`] that the server has pulled for sending.
static PULLED_BYTES: AtomicUsize = AtomicUsize::new(0);

/// An infinite body.
async fn counted_stream() -> Body {
    const PIECE: &[u8] = &[b'x'; 4096];
    Body::from_stream(stream::repeat_with(|| {
        PULLED_BYTES.fetch_add(PIECE.len(), Ordering::Relaxed);
        Ok::<_, Infallible>(PIECE)
    }))
}

impl Server {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends the text and reads until the server closes the connection.
    async fn exchange(&self, text: impl AsRef<[u8]>) -> String {
        let mut stream = self.connect().await;
        stream.write_all(text.as_ref()).await.unwrap();
        read_to_end(&mut stream).await
    }

    async fn status(&self, text: impl AsRef<[u8]>) -> u16 {
        status(&self.exchange(text).await)
    }
}

async fn read_to_end(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    tokio::time::timeout(HANG, stream.read_to_end(&mut answer))
        .await
        .expect("the server closes")
        .expect("the response arrives without a reset");
    String::from_utf8_lossy(&answer).into_owned()
}

/// Reads until the text arrives.
async fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let mut answer = String::new();
    while !answer.contains(text) {
        let mut bytes = [0; 4096];
        let read = tokio::time::timeout(HANG, stream.read(&mut bytes))
            .await
            .expect("a response in time")
            .expect("no reset");
        assert!(read > 0, "closed after {answer}");
        answer.push_str(&String::from_utf8_lossy(&bytes[..read]));
    }
    answer
}

fn status(answer: &str) -> u16 {
    let number = answer.split(' ').nth(1).and_then(|word| word.parse().ok());
    number.unwrap_or_else(|| panic!("no status in {answer:?}"))
}

const GET: &str = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
const GET_KEEP_ALIVE: &str = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

fn request(line: &str, headers: &str) -> String {
    format!("{line} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n")
}

#[tokio::test]
async fn the_peer_address_is_available() {
    let server = serve(quick()).await;
    let mut stream = server.connect().await;
    let local_address = stream.local_addr().unwrap().to_string();
    let request_text = request("GET /peer", "Host: localhost\r\n");
    stream.write_all(request_text.as_bytes()).await.unwrap();
    assert!(read_to_end(&mut stream).await.ends_with(&local_address));
}

#[tokio::test]
async fn connections_with_slow_headers_are_closed() {
    let server = serve(quick()).await;
    let start = Instant::now();
    for slow in ["", "GET / HTTP/1.1\r\nHost: loc"] {
        assert_eq!(server.exchange(slow).await, "");
    }
    assert!(
        start.elapsed() < Duration::from_secs(3),
        "{:?}",
        start.elapsed()
    );
}

#[tokio::test]
async fn a_slow_body_gets_408() {
    let server = serve(quick()).await;
    let head = "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc";
    let answer = server.exchange(head).await;
    assert_eq!(status(&answer), 408, "{answer}");
    assert!(answer.contains("content-security-policy"), "{answer}");
    let chunked =
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n";
    assert_eq!(server.status(chunked).await, 408);
}

#[tokio::test]
async fn a_complete_body_is_accepted() {
    let server = serve(quick()).await;
    let head = "POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    let answer = server
        .exchange(format!("{head}Content-Length: 3\r\n\r\nabc"))
        .await;
    assert!(
        status(&answer) == 200 && answer.ends_with("\r\n\r\nabc"),
        "{answer}"
    );
    let chunks = "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    let answer = server.exchange(format!("{head}{chunks}")).await;
    assert!(
        status(&answer) == 200 && answer.ends_with("\r\n\r\nabc"),
        "{answer}"
    );
    let bad = "Transfer-Encoding: chunked\r\n\r\nxyz\r\n";
    assert_eq!(server.status(format!("{head}{bad}")).await, 400);
}

#[tokio::test]
async fn other_transfer_codings_are_rejected() {
    let server = serve(quick()).await;
    for codings in [
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
        "TE: gzip, chunked\r\nTransfer-Encoding: chunked",
    ] {
        for line in ["POST /echo", "GET /"] {
            let request_text = format!(
                "{line} HTTP/1.1\r\nHost: localhost\r\n{codings}\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
            );
            // There is one response, and the connection is closed: the rest is not read.
            let answer = server
                .exchange(format!("{request_text}{GET_KEEP_ALIVE}"))
                .await;
            assert_eq!(status(&answer), 400, "{line}, {codings}");
            assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
        }
    }
}

#[tokio::test]
async fn a_large_body_gets_413_and_the_response_arrives() {
    let server = serve(quick()).await;
    let head = "POST /echo HTTP/1.1\r\nHost: localhost\r\n";
    for size in [65 * 1024, 900 * 1024] {
        // The whole body is written before anything is read, as simple clients do.
        let body = "x".repeat(size);
        let sized = format!("{head}Content-Length: {size}\r\n\r\n{body}");
        assert_eq!(server.status(sized).await, 413, "{size} bytes, announced");
        let chunked =
            format!("{head}Transfer-Encoding: chunked\r\n\r\n{size:x}\r\n{body}\r\n0\r\n\r\n");
        assert_eq!(server.status(chunked).await, 413, "{size} bytes, in chunks");
    }
    let exact = 64 * 1024;
    let body = "x".repeat(exact);
    let fits = format!("{head}Connection: close\r\nContent-Length: {exact}\r\n\r\n{body}");
    assert_eq!(server.status(fits).await, 200);
}

/// Linux delivers data that was received before a reset, so reading alone does not prove that the body is drained;
/// writing after the response does.
#[tokio::test]
async fn a_rejected_body_is_drained() {
    let server = serve(quick()).await;
    let mut stream = server.connect().await;
    let head = "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let answer = read_until(&mut stream, "too large").await;
    assert_eq!(status(&answer), 413);
    for _ in 0..9 {
        stream
            .write_all(&[b'x'; 100_000])
            .await
            .expect("the server drains the body");
        tokio::task::yield_now().await;
    }
    assert_eq!(read_to_end(&mut stream).await, "");
}

#[tokio::test]
async fn long_request_heads_get_431_or_414() {
    let server = serve(quick()).await;
    let long = "x".repeat(40 * 1024);
    for head in [
        format!("GET /{long} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: {long}\r\n\r\n"),
        format!(
            "GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n",
            "X-Many: x\r\n".repeat(200)
        ),
        format!("GET /{long}"),
    ] {
        let status = server.status(&head).await;
        assert!(matches!(status, 431 | 414), "{status} for {}", &head[..40]);
    }
    assert_eq!(server.status("nonsense\r\n\r\n").await, 400);
    assert_eq!(server.status(GET).await, 200);
}

#[tokio::test]
async fn only_allowed_hosts_are_served() {
    let server = serve(quick()).await;
    for (headers, expect) in [
        ("", 400),
        ("Host: \r\n", 400),
        ("Host: localhost\r\nHost: localhost\r\n", 400),
        ("Host: localhost\r\n", 200),
        ("Host: localhost:4711\r\n", 200),
        ("Host: 127.0.0.1:80\r\n", 200),
        ("Host: [::1]:80\r\n", 200),
        ("Host: evil.example\r\n", 421),
        ("Host: localhost.evil.example\r\n", 421),
        ("Host: localhost@evil.example\r\n", 400),
        ("Host: localhost:abc\r\n", 400),
        ("Host: localhost:65536\r\n", 400),
    ] {
        let found = server.status(request("GET /", headers)).await;
        assert_eq!(found, expect, "{headers:?}");
    }
    let absolute = request("GET http://evil.example/", "Host: localhost\r\n");
    assert_eq!(server.status(absolute).await, 421);
}

#[tokio::test]
async fn cross_site_posts_are_rejected() {
    let server = serve(quick()).await;
    for (header, expect) in [
        ("", 200),
        ("Sec-Fetch-Site: same-origin\r\n", 200),
        ("Sec-Fetch-Site: cross-site\r\n", 403),
        ("Sec-Fetch-Site: same-site\r\n", 403),
        ("Origin: http://localhost:8080\r\n", 200),
        ("Origin: http://evil.example\r\n", 403),
        ("Origin: null\r\n", 403),
        (
            "Origin: https://evil.example\r\nAuthorization: Bearer t\r\nContent-Type: application/json\r\n",
            403,
        ),
    ] {
        let headers = format!("Host: localhost:8080\r\nContent-Length: 0\r\n{header}");
        let found = server.status(request("POST /echo", &headers)).await;
        assert_eq!(found, expect, "{header:?}");
        let get = request("GET /", &format!("Host: localhost:8080\r\n{header}"));
        assert_eq!(server.status(get).await, 200, "{header:?}");
    }
}

#[tokio::test]
async fn every_response_has_the_security_headers() {
    let server = serve(quick()).await;
    let host = "Host: localhost\r\n";
    for (request_text, expect) in [
        (request("GET /", host), 200),
        (request("GET /nowhere", host), 404),
        (request("DELETE /", host), 405),
        (request("GET /", "Host: evil.example\r\n"), 421),
        (request("GET /", ""), 400),
    ] {
        let answer = server.exchange(&request_text).await.to_lowercase();
        assert_eq!(status(&answer), expect);
        for header in [
            "content-security-policy: default-src 'none';",
            "x-content-type-options: nosniff",
            "referrer-policy: same-origin",
            "permissions-policy: ",
            "x-frame-options: deny",
            "cache-control: no-store",
            "x-request-id: ",
        ] {
            assert!(answer.contains(header), "{header} missing in {answer}");
        }
    }
}

#[tokio::test]
async fn rate_limited_responses_have_retry_after() {
    let server = serve(quick()).await;
    let request_text = request("GET /throttled", "Host: localhost\r\n");
    assert_eq!(server.status(&request_text).await, 200);
    assert_eq!(server.status(&request_text).await, 200);
    let answer = server.exchange(&request_text).await;
    assert_eq!(status(&answer), 429);
    assert!(answer.contains("retry-after: "), "{answer}");
}

#[tokio::test]
async fn only_trusted_proxies_may_forward_client_addresses() {
    let forwarded =
        "Host: localhost\r\nX-Forwarded-For: 1.1.1.1, 192.0.2.7\r\nX-Forwarded-Proto: https\r\n";
    let request_text = request("GET /client", forwarded);
    let server = serve(quick()).await;
    assert!(
        server
            .exchange(&request_text)
            .await
            .ends_with("127.0.0.1 false")
    );
    let limits = ConnectionLimits {
        proxies: vec!["127.0.0.1".parse().unwrap()],
        ..quick()
    };
    let server = serve(limits).await;
    assert!(
        server
            .exchange(&request_text)
            .await
            .ends_with("192.0.2.7 true")
    );
    // Treated as the proxy's own, such a request could be exempt from limits.
    for unreadable in ["unknown", "", "192.0.2.7, -"] {
        let headers = format!("Host: localhost\r\nX-Forwarded-For: {unreadable}\r\n");
        let request_text = request("GET /client", &headers);
        assert_eq!(server.status(request_text).await, 400, "{unreadable}");
    }
}

#[tokio::test]
async fn connections_are_limited() {
    let server = serve(ConnectionLimits {
        connections: 2,
        ..quick()
    })
    .await;
    let mut first = server.connect().await;
    let mut second = server.connect().await;
    for stream in [&mut first, &mut second] {
        stream.write_all(GET_KEEP_ALIVE.as_bytes()).await.unwrap();
        assert_eq!(status(&read_until(stream, "hello").await), 200);
    }
    let answer = server.exchange(GET).await;
    assert_eq!(status(&answer), 503);
    assert!(answer.contains("Retry-After"), "{answer}");
    drop(first);
    // The server detects the closed connection asynchronously.
    let freed = async { while server.status(GET).await != 200 {} };
    tokio::time::timeout(HANG, freed)
        .await
        .expect("a connection slot is free again");
}

#[tokio::test]
async fn connections_per_address_are_limited() {
    let capped = ConnectionLimits {
        connections_per_address: 1,
        loopback: LoopbackPolicy::Limited,
        ..quick()
    };
    let server = serve(capped.clone()).await;
    let mut first = server.connect().await;
    first.write_all(GET_KEEP_ALIVE.as_bytes()).await.unwrap();
    read_until(&mut first, "hello").await;
    assert_eq!(server.status(GET).await, 429);
    drop(first);
    let freed = async { while server.status(GET).await != 200 {} };
    tokio::time::timeout(HANG, freed)
        .await
        .expect("a connection slot is free again");

    let exempt = serve(ConnectionLimits {
        loopback: LoopbackPolicy::Exempt,
        ..capped
    })
    .await;
    let _first = exempt.connect().await;
    let _second = exempt.connect().await;
    assert_eq!(exempt.status(GET).await, 200);
}

#[tokio::test]
async fn a_client_that_does_not_read_is_disconnected() {
    let server = serve(ConnectionLimits {
        connections: 1,
        ..quick()
    })
    .await;
    let mut stream = server.connect().await;
    let request_text = request("GET /flood", "Host: localhost\r\n");
    stream.write_all(request_text.as_bytes()).await.unwrap();
    read_until(&mut stream, "xxx").await;
    let freed = async { while server.status(GET).await != 200 {} };
    tokio::time::timeout(HANG, freed)
        .await
        .expect("the connection slot is free");
}

/// A small send buffer makes the write timeout start early and bounds the memory per slow client.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn little_is_buffered_for_a_client_that_does_not_read() {
    let server = serve(ConnectionLimits {
        connections: 1,
        ..quick()
    })
    .await;
    // The receive buffer of the operating system is bounded, too.
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(64 * 1024).unwrap();
    let mut stream = socket.connect(server.address).await.unwrap();
    let request_text = request("GET /counted", "Host: localhost\r\n");
    stream.write_all(request_text.as_bytes()).await.unwrap();
    read_until(&mut stream, "xxx").await;
    let freed = async { while server.status(GET).await != 200 {} };
    tokio::time::timeout(HANG, freed)
        .await
        .expect("the connection slot is free");
    let pulled = PULLED_BYTES.load(Ordering::Relaxed);
    assert!(pulled < 1 << 20, "{pulled}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_clients_do_not_slow_others() {
    // Each connection takes two file descriptors, in addition to those of other tests.
    #[cfg(unix)]
    rlimit::increase_nofile_limit(4_096).unwrap();
    let slow_limits = ConnectionLimits {
        header_timeout: HANG,
        body_timeout: HANG,
        ..quick()
    };
    let server = serve(slow_limits).await;
    let mut slow = Vec::new();
    for number in 0..400 {
        let mut stream = server.connect().await;
        let text = match number % 2 {
            0 => "GET / HTTP/1.1\r\nHost: lo",
            _ => "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc",
        };
        stream.write_all(text.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    let mut times = Vec::new();
    for _ in 0..20 {
        let start = Instant::now();
        assert_eq!(server.status(GET).await, 200);
        times.push(start.elapsed());
    }
    times.sort();
    // The median is compared, because the machine may have other load.
    assert!(times[10] < Duration::from_millis(100), "{times:?}");
}

#[tokio::test]
async fn shutdown_time_is_bounded() {
    let limits = ConnectionLimits {
        header_timeout: HANG,
        ..quick()
    };
    let server = serve(limits).await;
    let _silent = server.connect().await;
    let mut idle = server.connect().await;
    idle.write_all(GET_KEEP_ALIVE.as_bytes()).await.unwrap();
    read_until(&mut idle, "hello").await;
    let mut open = server.connect().await;
    let request_text = "GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n";
    open.write_all(request_text.as_bytes()).await.unwrap();
    read_until(&mut open, "first").await;

    let start = Instant::now();
    server.stop.cancel();
    assert_eq!(read_to_end(&mut idle).await, "");
    assert!(
        start.elapsed() < Duration::from_secs(1),
        "idle connections close at once"
    );
    server.served.await.unwrap().unwrap();
    assert!(
        start.elapsed() < Duration::from_secs(2),
        "{:?}",
        start.elapsed()
    );
    assert!(
        TcpStream::connect(server.address).await.is_err(),
        "the listener is closed"
    );
}

/// The clients keep their side open, as browsers and proxies do.
#[tokio::test]
async fn shutdown_does_not_wait_for_idle_connections() {
    let limits = ConnectionLimits {
        header_timeout: HANG,
        drain_timeout: HANG,
        ..quick()
    };
    let server = serve(limits).await;
    let mut idle = Vec::new();
    for _ in 0..20 {
        let mut stream = server.connect().await;
        stream.write_all(GET_KEEP_ALIVE.as_bytes()).await.unwrap();
        read_until(&mut stream, "hello").await;
        idle.push(stream);
    }
    let start = Instant::now();
    server.stop.cancel();
    server.served.await.unwrap().unwrap();
    let took = start.elapsed();
    assert!(took < Duration::from_millis(100), "{took:?}");
    for mut stream in idle {
        assert_eq!(read_to_end(&mut stream).await, "");
    }
}

#[tokio::test]
async fn shutdown_without_streams_is_fast() {
    let server = serve(quick()).await;
    assert_eq!(server.status(GET).await, 200);
    let start = Instant::now();
    server.stop.cancel();
    server.served.await.unwrap().unwrap();
    assert!(
        start.elapsed() < Duration::from_millis(500),
        "{:?}",
        start.elapsed()
    );
}
