//! A line to the server that can be cut.

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Passes connections on until it is cut.
pub(crate) struct Proxy {
    pub(crate) address: String,
    cut: watch::Sender<bool>,
}

impl Proxy {
    /// A proxy before the server at this place.
    pub(crate) async fn before(place: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let cut = watch::Sender::new(false);
        let (place, cuts) = (place.to_owned(), cut.subscribe());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(pass(stream, place.clone(), cuts.clone()));
            }
        });
        Proxy {
            address: format!("http://{address}"),
            cut,
        }
    }

    /// Drops every connection and takes no other.
    pub(crate) fn cut(&self) {
        self.cut.send_replace(true);
    }

    /// Passes connections on again.
    pub(crate) fn mend(&self) {
        self.cut.send_replace(false);
    }
}

async fn pass(mut near: TcpStream, place: String, mut cuts: watch::Receiver<bool>) {
    if *cuts.borrow_and_update() {
        return;
    }
    let Ok(mut far) = TcpStream::connect(place).await else {
        return;
    };
    tokio::select! {
        _ = copy_bidirectional(&mut near, &mut far) => {}
        // A cut line is silent on both sides; closing it is as much as one process can do.
        _ = cuts.wait_for(|cut| *cut) => {}
    }
}
