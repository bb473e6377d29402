//! A line to the server that can be cut, or answered by somebody in front who knows no server.

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What becomes of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Through,
    Cut,
    /// Answered as balancers do while no server is ready.
    Unavailable,
}

const UNAVAILABLE: &str = "HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n</body></html>\n";

/// Passes connections on until it is told otherwise.
pub(crate) struct Proxy {
    pub(crate) address: String,
    line: watch::Sender<Line>,
}

impl Proxy {
    /// A proxy before the server at this place.
    pub(crate) async fn before(place: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let line = watch::Sender::new(Line::Through);
        let (place, lines) = (place.to_owned(), line.subscribe());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(pass(stream, place.clone(), lines.clone()));
            }
        });
        Proxy {
            address: format!("http://{address}"),
            line,
        }
    }

    /// Drops every connection and takes no other.
    pub(crate) fn cut(&self) {
        self.line.send_replace(Line::Cut);
    }

    /// Drops every connection and answers others itself: no server is available.
    pub(crate) fn answer_unavailable(&self) {
        self.line.send_replace(Line::Unavailable);
    }

    /// Passes connections on again.
    pub(crate) fn mend(&self) {
        self.line.send_replace(Line::Through);
    }
}

async fn pass(mut near: TcpStream, place: String, mut lines: watch::Receiver<Line>) {
    let line = *lines.borrow_and_update();
    match line {
        Line::Cut => return,
        Line::Unavailable => {
            // A connection that is closed before it is read tells the browser nothing.
            let _ = near.read(&mut [0; 16_384]).await;
            let _ = near.write_all(UNAVAILABLE.as_bytes()).await;
            return;
        }
        Line::Through => {}
    }
    let Ok(mut far) = TcpStream::connect(place).await else {
        return;
    };
    tokio::select! {
        _ = copy_bidirectional(&mut near, &mut far) => {}
        // A cut line is silent on both sides; closing it is as much as one process can do.
        _ = lines.wait_for(|line| *line != Line::Through) => {}
    }
}
