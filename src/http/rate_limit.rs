//! Rate limits per client network.
//!
//! The token buckets are implemented here, because the map of the `governor` crate grows until it is cleaned up
//! explicitly: the crate and its dependencies would save four lines of arithmetic, but not the memory bound, which is
//! most of this code.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;

use super::client::Client;
use super::rejection::GuardRejection;
use crate::client_network::LoopbackPolicy;

/// A token bucket per client network: `burst` tokens, refilled at `per_second`.
///
/// Memory is bounded: beyond [`RateLimiter::MAX_ADDRESSES`], new networks share one bucket until idle ones can be
/// evicted.
#[derive(Debug)]
pub struct RateLimiter {
    per_second: f64,
    burst: f64,
    loopback: LoopbackPolicy,
    buckets: Mutex<Buckets>,
}

#[derive(Debug)]
struct Buckets {
    by_address: HashMap<IpAddr, TokenBucket>,
    swept: Instant,
}

#[derive(Clone, Copy, Debug)]
struct TokenBucket {
    tokens: f64,
    at: Instant,
}

impl RateLimiter {
    /// The maximum number of separate buckets.
    pub const MAX_ADDRESSES: usize = 65_536;

    /// Allows `count` requests per `period` and client network, also all at once.
    #[must_use]
    pub fn new(count: u32, period: Duration, loopback: LoopbackPolicy) -> Self {
        let burst = f64::from(count.max(1));
        RateLimiter {
            per_second: burst / period.as_secs_f64(),
            burst,
            loopback,
            buckets: Mutex::new(Buckets {
                by_address: HashMap::new(),
                swept: Instant::now(),
            }),
        }
    }

    /// Takes a token for the client.
    ///
    /// # Errors
    /// 429 with the seconds after which a token will be available.
    pub fn try_acquire(&self, client: &Client) -> Result<(), GuardRejection> {
        self.try_acquire_many(client, 1)
    }

    /// Takes `tokens` tokens for the client, but at most the bucket's capacity.
    ///
    /// # Errors
    /// 429 with the seconds after which they will be available.
    pub fn try_acquire_many(&self, client: &Client, tokens: u32) -> Result<(), GuardRejection> {
        self.try_acquire_at(client, tokens, Instant::now())
    }

    /// Puts a token back that the client took for a request that does not count.
    pub fn put_back(&self, client: &Client) {
        let mut buckets = self.buckets.lock();
        let address = self.bucket_for(&mut buckets, client.rate_limit_key(), Instant::now());
        if let Some(bucket) = buckets.by_address.get_mut(&address) {
            bucket.tokens = (bucket.tokens + 1.0).min(self.burst);
        }
    }

    fn try_acquire_at(
        &self,
        client: &Client,
        tokens: u32,
        now: Instant,
    ) -> Result<(), GuardRejection> {
        let needed = f64::from(tokens).min(self.burst);
        if self.loopback.is_exempt(client.address) {
            return Ok(());
        }
        let mut buckets = self.buckets.lock();
        let address = self.bucket_for(&mut buckets, client.rate_limit_key(), now);
        let bucket = buckets.by_address.entry(address).or_insert(TokenBucket {
            tokens: self.burst,
            at: now,
        });
        bucket.tokens = self.tokens(bucket, now);
        bucket.at = now;
        if bucket.tokens >= needed {
            bucket.tokens -= needed;
            return Ok(());
        }
        let wait = ((needed - bucket.tokens) / self.per_second).ceil();
        let retry_after_s = wait.max(1.0) as u32;
        Err(GuardRejection::RateLimited { retry_after_s })
    }

    fn tokens(&self, bucket: &TokenBucket, now: Instant) -> f64 {
        let idle = now.saturating_duration_since(bucket.at).as_secs_f64();
        (bucket.tokens + idle * self.per_second).min(self.burst)
    }

    /// The bucket to use, after evicting if necessary: a full bucket is equivalent to none.
    fn bucket_for(&self, buckets: &mut Buckets, address: IpAddr, now: Instant) -> IpAddr {
        if buckets.by_address.len() < Self::MAX_ADDRESSES
            || buckets.by_address.contains_key(&address)
        {
            return address;
        }
        // At most once a second, because a sweep visits every bucket.
        if now.saturating_duration_since(buckets.swept) >= Duration::from_secs(1) {
            buckets.swept = now;
            let is_used = |bucket: &TokenBucket| self.tokens(bucket, now) < self.burst;
            buckets.by_address.retain(|_, bucket| is_used(bucket));
            if buckets.by_address.len() < Self::MAX_ADDRESSES {
                return address;
            }
        }
        Client::UNKNOWN.address
    }
}

/// Middleware that takes one token per request: `.route_layer(from_fn_with_state(limiter, rate_limit::throttle))`.
pub async fn throttle(
    State(limiter): State<Arc<RateLimiter>>,
    client: Client,
    request: Request,
    next: Next,
) -> Response {
    match limiter.try_acquire(&client) {
        Ok(()) => next.run(request).await,
        Err(rejection) => rejection.into_response(),
    }
}

/// The limiter of stored bytes, and the bytes that a request counts.
#[derive(Clone, Debug)]
pub struct StorageCharge {
    /// A token is a byte.
    pub limiter: Arc<RateLimiter>,
    /// The bytes that the request stores.
    pub bytes: u32,
}

/// Middleware for routes whose requests store data: requests other than GET and HEAD take one token per byte.
pub async fn charge_stored_bytes(
    State(keeping): State<StorageCharge>,
    client: Client,
    request: Request,
    next: Next,
) -> Response {
    let permitted = match request.method().is_safe() {
        true => Ok(()),
        false => keeping.limiter.try_acquire_many(&client, keeping.bytes),
    };
    match permitted {
        Ok(()) => next.run(request).await,
        Err(rejection) => rejection.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(text: &str) -> Client {
        Client {
            address: text.parse().unwrap(),
            secure: false,
        }
    }

    #[test]
    fn tokens_are_refilled_over_time() {
        let limiter = RateLimiter::new(2, Duration::from_secs(60), LoopbackPolicy::Exempt);
        let (one, other) = (client("192.0.2.1"), client("192.0.2.2"));
        let start = Instant::now();
        assert_eq!(limiter.try_acquire_at(&one, 1, start), Ok(()));
        assert_eq!(limiter.try_acquire_at(&one, 1, start), Ok(()));
        assert_eq!(
            limiter.try_acquire_at(&one, 1, start),
            Err(GuardRejection::RateLimited { retry_after_s: 30 })
        );
        assert_eq!(limiter.try_acquire_at(&other, 1, start), Ok(()));
        let later = start + Duration::from_secs(31);
        assert_eq!(limiter.try_acquire_at(&one, 1, later), Ok(()));
        assert!(limiter.try_acquire_at(&one, 1, later).is_err());
    }

    #[test]
    fn requests_can_take_several_tokens() {
        let limiter = RateLimiter::new(100, Duration::from_secs(100), LoopbackPolicy::Exempt);
        let (one, start) = (client("192.0.2.1"), Instant::now());
        assert_eq!(limiter.try_acquire_at(&one, 70, start), Ok(()));
        assert_eq!(
            limiter.try_acquire_at(&one, 70, start),
            Err(GuardRejection::RateLimited { retry_after_s: 40 })
        );
        assert_eq!(limiter.try_acquire_at(&one, 30, start), Ok(()));
        let later = start + Duration::from_secs(100);
        // A request for more than the capacity takes all tokens instead of being rejected forever.
        assert_eq!(limiter.try_acquire_at(&one, 1_000, later), Ok(()));
        assert!(limiter.try_acquire_at(&one, 1, later).is_err());
    }

    #[test]
    fn loopback_is_exempt_by_default() {
        let exempt = RateLimiter::new(1, Duration::from_secs(60), LoopbackPolicy::Exempt);
        let limited = RateLimiter::new(1, Duration::from_secs(60), LoopbackPolicy::Limited);
        for home in ["127.0.0.1", "::1", "::ffff:127.0.0.1"].map(client) {
            for _ in 0..3 {
                assert_eq!(exempt.try_acquire(&home), Ok(()));
            }
        }
        assert_eq!(limited.try_acquire(&client("::1")), Ok(()));
        assert!(limited.try_acquire(&client("::1")).is_err());
    }

    #[test]
    fn memory_is_bounded_for_many_addresses() {
        let limiter = RateLimiter::new(1, Duration::from_secs(60), LoopbackPolicy::Exempt);
        let start = Instant::now();
        for number in 0..RateLimiter::MAX_ADDRESSES as u32 + 1000 {
            let address = IpAddr::V4((0x0b00_0000 + number).into());
            let client = Client {
                address,
                secure: false,
            };
            let _ = limiter.try_acquire_at(&client, 1, start);
        }
        let len = || limiter.buckets.lock().by_address.len();
        assert!(len() <= RateLimiter::MAX_ADDRESSES + 1);
        let later = start + Duration::from_secs(61);
        assert_eq!(
            limiter.try_acquire_at(&client("192.0.2.1"), 1, later),
            Ok(())
        );
        assert!(len() < 10, "idle addresses are evicted");
    }
}
