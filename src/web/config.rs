//! How a server is set up: plain values, whoever chose them.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::RateLimits;
use super::connections::{self, ConnectionLimits, ListenAddress, SocketAccess};
use super::events::{StreamLimits, SubscriberRegistry};
use super::guard::RequestGuard;
use super::rate_limit::RateLimiter;
use crate::service::ServiceSettings;

/// How a server is set up.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where it listens.
    pub listen: Vec<ListenAddress>,
    /// Who may connect to its Unix sockets.
    pub socket_access: SocketAccess,
    /// Where games are kept: `sqlite:PATH` or `memory:`.
    pub database: String,
    /// Whether to go on where a SQLite file has lost plies that were acknowledged.
    pub accept_data_loss: bool,
    /// For how long the server says that it is not ready before it ends.
    pub drain: Duration,
    /// Where figures are served, if anywhere.
    pub metrics: Option<SocketAddr>,
    /// How the service behaves.
    pub service: ServiceSettings,
    /// What the guard lets through.
    pub guard: RequestGuard,
    /// What the accept loop allows.
    pub connections: ConnectionLimits,
    /// How many may follow games at a time.
    pub streams: StreamLimits,
    /// Megabytes a day that one address may have kept.
    pub kept_mb_per_day: u32,
    /// New games a minute from one address.
    pub games_per_minute: u32,
    /// Moves a second from one address.
    pub moves_per_second: u32,
    /// Pages and questions a second from one address.
    pub reads_per_second: u32,
}

impl Config {
    /// How many may follow games at a time, where so many connections are accepted.
    #[must_use]
    pub fn stream_limits(&self) -> StreamLimits {
        // Streams hold their connections for hours: they must not take the last ones.
        let connections = connections::connections(&self.connections);
        StreamLimits {
            all: self.streams.all.min(connections - connections / 8),
            ..self.streams
        }
    }

    /// The limits on what costs something, for a server that ends with `stop`.
    #[must_use]
    pub fn throttles(&self, stop: CancellationToken) -> RateLimits {
        let throttle = |count, period| {
            let throttle = RateLimiter::new(count, period, self.connections.loopback);
            Arc::new(throttle)
        };
        RateLimits {
            kept: throttle(
                self.kept_mb_per_day.saturating_mul(1_000_000),
                Duration::from_secs(24 * 60 * 60),
            ),
            games: throttle(self.games_per_minute, Duration::from_secs(60)),
            moves: throttle(self.moves_per_second, Duration::from_secs(1)),
            reads: throttle(self.reads_per_second, Duration::from_secs(1)),
            gallery: Arc::new(SubscriberRegistry::new(self.stream_limits(), stop)),
        }
    }
}
