//! Running the server: listeners, background tasks, and its end.

use std::error::Error;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Extension;
use axum::middleware::from_fn_with_state;
use futures_util::future::LocalBoxFuture;
use tokio_util::sync::CancellationToken;

use super::config::Config;
use super::daily::boards;
use super::device::codes;
use super::dice_page::statistics;
use super::featured_game::FeaturedGame;
use super::programs::hub;
use super::reviews::resume_reviews;
use super::shared::link_origin::ServerAddress;
use super::shared::metrics;
use super::{browser_data, open_tables, serve};
use crate::games::Registry;
use crate::http::connections::{self, Listener, Passed};
use crate::http::drain::{self, DrainState};
use crate::store;
use crate::tables::{RetentionClock, RetentionPolicy, Service};

/// Interval between deletions of expired games.
const RETENTION_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// Serves these games until `stop` and prints the addresses to open once it listens: on the inherited `sockets` if
/// there are any, otherwise as configured.
///
/// The future is boxed so that the server is compiled once, with this library, instead of with each binary.
///
/// # Errors
/// A one-sentence message if the server could not start or failed.
pub fn run(
    games: Registry,
    config: Config,
    sockets: Vec<Passed>,
    stop: CancellationToken,
) -> LocalBoxFuture<'static, Result<(), Box<dyn Error + Send + Sync>>> {
    Box::pin(run_server(games, config, sockets, stop))
}

async fn run_server(
    games: Registry,
    config: Config,
    sockets: Vec<Passed>,
    stop: CancellationToken,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let (drain, stop) = DrainState::start(stop, config.drain);
    let store = if config.accept_data_loss {
        store::open_accepting_loss(&config.database).await?
    } else {
        store::open(&config.database).await?
    };
    let listeners = open_listeners(&config, sockets).await?;
    if let Some(metrics) = config.metrics {
        let listener = connections::bind(metrics).await?;
        tokio::spawn(metrics::serve(listener, stop.clone()));
    }
    let addresses: Vec<String> = listeners.iter().map(Listener::display_address).collect();
    store.set_public_address(addresses.first().map_or("", String::as_str));
    let store_failed = store.failure();
    let service = Service::new(games, store, config.service);
    // Before requests are served: the retention clock does not follow the system clock alone.
    let retention_clock = service.retention_clock(service.now_ms()).await?;
    service.record_served().await?;
    service.refresh_quota().await;
    let rate_limits = config.rate_limits(stop.clone());
    let featured_game = FeaturedGame::new(service.clone(), Arc::clone(&rate_limits.subscribers));
    let (app, routes) = serve(service.clone(), rate_limits, config.guard);
    let routes = routes
        .layer(Extension(featured_game))
        .layer(Extension(drain.clone()))
        .layer(from_fn_with_state(drain, drain::close_connections));
    let routes = match reachable_address(&listeners) {
        Some(address) => routes.layer(Extension(address)),
        None => routes,
    };

    let resuming = app.clone();
    tokio::spawn(async move {
        resuming.service.resume_unfinished().await;
        resume_reviews(&resuming).await;
    });
    let background = service.clone();
    tokio::spawn(async move { background.run_background().await });
    tokio::spawn(codes::delete_expired(service.clone(), stop.clone()));
    let quota_monitor = service.clone();
    tokio::spawn(async move { quota_monitor.monitor_quota().await });
    tokio::spawn(browser_data::run_network_deletion(service.clone()));
    tokio::spawn(statistics::run(app.clone()));
    tokio::spawn(hub::run_notifications(app));
    tokio::spawn(run_retention(
        service.clone(),
        config.service.retention,
        retention_clock,
        stop.clone(),
    ));
    let stop_on_failure = stop.clone();
    let store_failure = store_failed.clone();
    tokio::spawn(async move {
        store_failure.cancelled().await;
        stop_on_failure.cancel();
    });

    for address in &addresses {
        tracing::info!(address, version = env!("DOD_VERSION"), "serving");
    }
    print_address(&addresses);
    connections::serve_all(listeners, routes, config.connections, stop).await?;
    service.close().await;
    if store_failed.is_cancelled() {
        let reason = service.store().failure_reason();
        return Err(reason
            .unwrap_or_else(|| "the database is broken".to_owned())
            .into());
    }
    Ok(())
}

/// Deletes expired games at startup and every hour.
async fn run_retention(
    service: Service,
    keep: RetentionPolicy,
    clock: RetentionClock,
    stop: CancellationToken,
) {
    let started = Instant::now();
    let mut interval = tokio::time::interval(RETENTION_INTERVAL);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = interval.tick() => {}
        }
        let now_ms = clock.now_ms(service.now_ms(), started.elapsed());
        if let Err(error) = boards::prepare_deals(&service).await {
            tracing::warn!(%error, "the board of the day could not be prepared");
        }
        if let Err(error) = hub::delete_inactive(&**service.store(), now_ms).await {
            tracing::warn!(%error, "inactive programs could not be deleted");
        }
        if let Err(error) = open_tables::delete_old_tables(&service).await {
            tracing::warn!(%error, "old open tables could not be deleted");
        }
        if let Some(before_ms) = keep.browser_data_cutoff(now_ms)
            && let Err(error) = service.store().delete_old_browser_data(before_ms).await
        {
            tracing::warn!(%error, "old data of browsers could not be deleted");
        }
        match service.delete_expired(keep.cutoffs(now_ms)).await {
            Ok(0) => {}
            Ok(games) => tracing::info!(games, "expired games were deleted"),
            Err(error) => tracing::warn!(%error, "expired games could not be deleted"),
        }
    }
}

/// The sockets that a service manager passed, or else those that are configured.
async fn open_listeners(config: &Config, sockets: Vec<Passed>) -> Result<Vec<Listener>, String> {
    let mut listeners = Vec::new();
    if sockets.is_empty() {
        for address in &config.listen {
            listeners.push(Listener::open(address, config.socket_access).await?);
        }
    }
    for socket in sockets {
        let listener = socket.into_listener();
        listeners
            .push(listener.map_err(|error| format!("a socket that was passed fails: {error}"))?);
    }
    Ok(listeners)
}

/// The listening address that other machines can reach, if there is one.
fn reachable_address(listeners: &[Listener]) -> Option<ServerAddress> {
    let addresses = listeners.iter().filter_map(Listener::address);
    addresses
        .min_by_key(|address| address.ip().to_canonical().is_loopback())
        .map(ServerAddress)
}

/// Prints the addresses to stdout, one per line; a closed pipe is ignored.
fn print_address(addresses: &[String]) {
    let mut out = std::io::stdout().lock();
    for address in addresses {
        let _ = writeln!(out, "Dice of Doom is open at {address}");
    }
    let _ = out.flush();
}
