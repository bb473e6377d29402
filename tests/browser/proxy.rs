//! A TCP proxy before the server that can cut or freeze connections, or answer that no server is available.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The treatment of connections.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProxyMode {
    Forward,
    Cut,
    /// Answers like a load balancer without a ready server.
    Unavailable,
}

const UNAVAILABLE: &str = "HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n</body></html>\n";

/// The proxy; it starts with forwarding.
pub(crate) struct Proxy {
    pub(crate) address: String,
    line: watch::Sender<ProxyMode>,
    /// The number of calls of `freeze`.
    frozen: watch::Sender<u32>,
}

impl Proxy {
    /// Starts a proxy for the server at this address (host and port).
    pub(crate) async fn start(place: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let line = watch::Sender::new(ProxyMode::Forward);
        let frozen = watch::Sender::new(0);
        let (place, lines, freezes) = (place.to_owned(), line.subscribe(), frozen.subscribe());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(forward_connection(
                    stream,
                    place.clone(),
                    lines.clone(),
                    freezes.clone(),
                ));
            }
        });
        Proxy {
            address: format!("http://{address}"),
            line,
            frozen,
        }
    }

    /// Stops the data of all current event streams, and leaves them open.
    pub(crate) fn freeze(&self) {
        self.frozen.send_modify(|times| *times += 1);
    }

    /// Closes all connections, and new ones at once.
    pub(crate) fn disconnect(&self) {
        self.line.send_replace(ProxyMode::Cut);
    }

    /// Closes all connections, and answers new ones with 503 Service Unavailable.
    pub(crate) fn answer_unavailable(&self) {
        self.line.send_replace(ProxyMode::Unavailable);
    }

    /// Forwards connections again.
    pub(crate) fn restore(&self) {
        self.line.send_replace(ProxyMode::Forward);
    }
}

async fn forward_connection(
    mut near: TcpStream,
    place: String,
    mut lines: watch::Receiver<ProxyMode>,
    mut freezes: watch::Receiver<u32>,
) {
    freezes.mark_unchanged();
    let line = *lines.borrow_and_update();
    match line {
        ProxyMode::Cut => return,
        ProxyMode::Unavailable => {
            // The request must be read first: closing with unread data would reset the connection.
            let _ = near.read(&mut [0; 16_384]).await;
            let _ = near.write_all(UNAVAILABLE.as_bytes()).await;
            return;
        }
        ProxyMode::Forward => {}
    }
    let Ok(mut far) = TcpStream::connect(place).await else {
        return;
    };
    let (mut asked, mut answers) = near.split();
    let (mut answered, mut asks) = far.split();
    let is_stream = AtomicBool::new(false);
    let asking = async {
        let mut bytes = [0; 16_384];
        while let Ok(count @ 1..) = asked.read(&mut bytes).await {
            let bytes = &bytes[..count];
            let is_of_stream = bytes.windows(8).any(|part| part == b"/events?");
            is_stream.fetch_or(is_of_stream, Ordering::Relaxed);
            if asks.write_all(bytes).await.is_err() {
                return;
            }
        }
    };
    let freezing =
        async { while freezes.changed().await.is_ok() && !is_stream.load(Ordering::Relaxed) {} };
    let passing = async {
        tokio::select! {
            () = asking => {}
            _ = copy(&mut answered, &mut answers) => {}
            () = freezing => std::future::pending().await,
        }
    };
    tokio::select! {
        () = passing => {}
        // A real network failure is silent on both sides; a proxy can only close the connections.
        _ = lines.wait_for(|line| *line != ProxyMode::Forward) => {}
    }
}
