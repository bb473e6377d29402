//! What a request counts as: each route has one of these limits.

use std::sync::Arc;
use std::time::Duration;

use axum::middleware::from_fn_with_state;
use axum::routing::MethodRouter;
use tokio_util::sync::CancellationToken;

use super::subscribers::{StreamLimits, SubscriberRegistry};
use crate::client_network::LoopbackPolicy;
use crate::http::rate_limit::{self, RateLimiter, StorageCharge};

/// Approximate stored size of a new game.
pub(in crate::site) const GAME_BYTES: u32 = 4_096;

/// Approximate stored size of a ply.
pub(in crate::site) const PLY_BYTES: u32 = 256;

/// Rate limits and stream limits.
#[derive(Clone, Debug)]
pub struct RateLimits {
    /// The number of bytes that may be stored.
    pub stored_bytes: Arc<RateLimiter>,
    /// The number of new games.
    pub games: Arc<RateLimiter>,
    /// The number of moves.
    pub moves: Arc<RateLimiter>,
    /// The number of reads: pages and API queries.
    pub reads: Arc<RateLimiter>,
    /// The number of wrong pairing codes.
    pub wrong_codes: Arc<RateLimiter>,
    /// The number of open event streams.
    pub subscribers: Arc<SubscriberRegistry>,
}

impl RateLimits {
    /// For tests and benchmarks.
    #[must_use]
    pub fn unlimited() -> Self {
        let limiter = || {
            let period = Duration::from_secs(1);
            Arc::new(RateLimiter::new(u32::MAX, period, LoopbackPolicy::Exempt))
        };
        let (streams, stop) = (StreamLimits::default(), CancellationToken::new());
        RateLimits {
            stored_bytes: limiter(),
            games: limiter(),
            moves: limiter(),
            reads: limiter(),
            wrong_codes: limiter(),
            subscribers: Arc::new(SubscriberRegistry::new(streams, stop)),
        }
    }
}

/// The state of a router's handlers.
pub(in crate::site) trait RouteState: Clone + Send + Sync + 'static {}

impl<S: Clone + Send + Sync + 'static> RouteState for S {}

/// Adds its limit to a route.
pub(in crate::site) struct RouteLimits<'a>(pub(in crate::site) &'a RateLimits);

impl RouteLimits<'_> {
    /// A page or a query.
    pub(in crate::site) fn reading<S: RouteState>(
        &self,
        route: MethodRouter<S>,
    ) -> MethodRouter<S> {
        limited(route, &self.0.reads)
    }

    /// A move, or something that costs as much.
    pub(in crate::site) fn moving<S: RouteState>(&self, route: MethodRouter<S>) -> MethodRouter<S> {
        self.computing(self.storing(route, PLY_BYTES))
    }

    /// A computation for which nothing is stored; it ends when the client disconnects.
    pub(in crate::site) fn computing<S: RouteState>(
        &self,
        route: MethodRouter<S>,
    ) -> MethodRouter<S> {
        limited(route, &self.0.moves)
    }

    /// A new game, or something that costs as much.
    pub(in crate::site) fn creating<S: RouteState>(
        &self,
        route: MethodRouter<S>,
    ) -> MethodRouter<S> {
        self.uploading(self.storing(route, GAME_BYTES))
    }

    /// A new game whose size is charged when it is stored.
    pub(in crate::site) fn uploading<S: RouteState>(
        &self,
        route: MethodRouter<S>,
    ) -> MethodRouter<S> {
        limited(route, &self.0.games)
    }

    fn storing<S: RouteState>(&self, route: MethodRouter<S>, bytes: u32) -> MethodRouter<S> {
        let limiter = Arc::clone(&self.0.stored_bytes);
        let charge = StorageCharge { limiter, bytes };
        route.layer(from_fn_with_state(charge, rate_limit::charge_stored_bytes))
    }
}

fn limited<S: RouteState>(route: MethodRouter<S>, limiter: &Arc<RateLimiter>) -> MethodRouter<S> {
    route.layer(from_fn_with_state(
        Arc::clone(limiter),
        rate_limit::throttle,
    ))
}
