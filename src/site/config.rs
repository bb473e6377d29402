//! Configuration of a server: plain values, independent of their source.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::shared::limits::RateLimits;
use super::shared::subscribers::{StreamLimits, SubscriberRegistry};
use crate::http::connections::{self, ConnectionLimits, ListenAddress, SocketAccess};
use crate::http::guard::RequestGuard;
use crate::http::rate_limit::RateLimiter;
use crate::tables::ServiceSettings;

/// Wrong pairing codes per minute and client network.
const WRONG_CODES_PER_MINUTE: u32 = 10;

#[derive(Clone, Debug)]
pub struct Config {
    pub listen: Vec<ListenAddress>,
    /// Permissions of its Unix sockets.
    pub socket_access: SocketAccess,
    /// The database URL, such as `sqlite:PATH` or `memory:`.
    pub database: String,
    /// Whether to start although a SQLite file has lost acknowledged plies.
    pub accept_data_loss: bool,
    /// How long the server reports that it is not ready before it shuts down.
    pub drain: Duration,
    /// The address of the metrics listener, if any.
    pub metrics: Option<SocketAddr>,
    pub service: ServiceSettings,
    pub guard: RequestGuard,
    pub connections: ConnectionLimits,
    /// Limits of event streams.
    pub streams: StreamLimits,
    /// Limit of stored data per client network and day, in MB.
    pub stored_mb_per_day: u32,
    /// New games per minute and client network.
    pub games_per_minute: u32,
    /// Moves per second and client network.
    pub moves_per_second: u32,
    /// Reads per second and client network.
    pub reads_per_second: u32,
}

impl Config {
    /// The limits of event streams, given the maximum number of connections.
    #[must_use]
    pub fn stream_limits(&self) -> StreamLimits {
        // Streams hold connections for hours, so an eighth of the connections is reserved for other requests.
        let connections = connections::max_connections(&self.connections);
        StreamLimits {
            all: self.streams.all.min(connections - connections / 8),
            ..self.streams
        }
    }

    /// Creates the rate limiters and the subscriber registry of a server that shuts down with `stop`.
    #[must_use]
    pub fn rate_limits(&self, stop: CancellationToken) -> RateLimits {
        let limiter = |count, period| {
            let limiter = RateLimiter::new(count, period, self.connections.loopback);
            Arc::new(limiter)
        };
        RateLimits {
            stored_bytes: limiter(
                self.stored_mb_per_day.saturating_mul(1_000_000),
                Duration::from_secs(24 * 60 * 60),
            ),
            games: limiter(self.games_per_minute, Duration::from_secs(60)),
            moves: limiter(self.moves_per_second, Duration::from_secs(1)),
            reads: limiter(self.reads_per_second, Duration::from_secs(1)),
            wrong_codes: limiter(WRONG_CODES_PER_MINUTE, Duration::from_secs(60)),
            subscribers: Arc::new(SubscriberRegistry::new(self.stream_limits(), stop)),
        }
    }
}
