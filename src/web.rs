//! The web server: how connections, guards, headers and assets fit together.

pub mod assets;
pub mod client;
pub mod guard;
pub mod headers;
pub mod listen;
pub mod metrics;

use std::error::Error;
use std::io::Write;
use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use tokio_util::sync::CancellationToken;

use crate::options::{self, Serve};

/// Serves until `stop`, and prints the address to open once it listens.
///
/// # Errors
/// One clear sentence about what kept the server from starting or made it end.
pub async fn run(
    options: Serve,
    stop: CancellationToken,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let listener = listen::bind(options.listen).await?;
    let address = listener.local_addr()?;
    if let Some(metrics) = options.metrics {
        let listener = listen::bind(metrics).await?;
        metrics::install();
        tokio::spawn(metrics::serve(listener, stop.clone()));
    }

    let router = Router::new()
        .route("/", get(|| async { "Dice of Doom" }))
        .merge(assets::router());
    let guard = Arc::new(options.guard());
    let app = headers::layer(guard::protect(metrics::layer(router), guard));

    announce(address);
    listen::serve(listener, app, options.limits(), stop).await?;
    Ok(())
}

/// Prints the one line on stdout; a closed pipe is the reader's choice and no reason to end.
fn announce(address: std::net::SocketAddr) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(
        out,
        "Dice of Doom is open at {}",
        options::address_to_open(address)
    );
    let _ = out.flush();
}
