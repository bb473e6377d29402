//! How often one address may ask for what costs something.
//!
//! The token buckets are our own, because governor's map of addresses grows until it is swept by hand:
//! its five crates would save the arithmetic of a bucket, four lines, and leave us the bound on memory,
//! which is most of the code.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::client::Client;
use super::guard::GuardRejection;

/// A token bucket for each address: `burst` at once, then `per_second` more.
///
/// Memory is bounded: beyond [`RateLimiter::MOST_ADDRESSES`] newcomers share one bucket until others
/// have been idle long enough to be forgotten.
#[derive(Debug)]
pub struct RateLimiter {
    per_second: f64,
    burst: f64,
    loopback: LoopbackPolicy,
    buckets: Mutex<Buckets>,
}

/// Whether a limit counts requests from this machine.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum LoopbackPolicy {
    /// They are free: tests, scripts, and a person at their own machine.
    #[default]
    Exempt,
    /// They count like everybody's.
    Limited,
}

impl LoopbackPolicy {
    /// Whether this address need not be counted.
    #[must_use]
    pub fn exempts(self, address: IpAddr) -> bool {
        self == LoopbackPolicy::Exempt && address.to_canonical().is_loopback()
    }
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
    /// The most addresses that are told apart.
    pub const MOST_ADDRESSES: usize = 65_536;

    /// `count` requests in `period` for each address, all of them at once if the client likes.
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
    /// 429 with the seconds after which there will be one.
    pub fn take(&self, client: &Client) -> Result<(), GuardRejection> {
        self.take_many(client, 1)
    }

    /// Takes so many tokens for the client; all that there can be, where it asks for more.
    ///
    /// # Errors
    /// 429 with the seconds after which there will be so many.
    pub fn take_many(&self, client: &Client, tokens: u32) -> Result<(), GuardRejection> {
        self.take_at(client, tokens, Instant::now())
    }

    fn take_at(&self, client: &Client, tokens: u32, now: Instant) -> Result<(), GuardRejection> {
        let asked = f64::from(tokens).min(self.burst);
        if self.loopback.exempts(client.address) {
            return Ok(());
        }
        // A panic between lock and unlock leaves numbers, and numbers are never half written.
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let address = self.place(&mut buckets, client.counted_by(), now);
        let bucket = buckets.by_address.entry(address).or_insert(TokenBucket {
            tokens: self.burst,
            at: now,
        });
        bucket.tokens = self.tokens(bucket, now);
        bucket.at = now;
        if bucket.tokens >= asked {
            bucket.tokens -= asked;
            return Ok(());
        }
        let wait = ((asked - bucket.tokens) / self.per_second).ceil();
        let retry_after_s = wait.max(1.0) as u64;
        Err(GuardRejection::TooMany { retry_after_s })
    }

    fn tokens(&self, bucket: &TokenBucket, now: Instant) -> f64 {
        let idle = now.saturating_duration_since(bucket.at).as_secs_f64();
        (bucket.tokens + idle * self.per_second).min(self.burst)
    }

    /// The address to count by, after making room: a full bucket says no more than none.
    fn place(&self, buckets: &mut Buckets, address: IpAddr, now: Instant) -> IpAddr {
        if buckets.by_address.len() < Self::MOST_ADDRESSES
            || buckets.by_address.contains_key(&address)
        {
            return address;
        }
        // At most once a second: a sweep looks at every bucket.
        if now.saturating_duration_since(buckets.swept) >= Duration::from_secs(1) {
            buckets.swept = now;
            let is_used = |bucket: &TokenBucket| self.tokens(bucket, now) < self.burst;
            buckets.by_address.retain(|_, bucket| is_used(bucket));
            if buckets.by_address.len() < Self::MOST_ADDRESSES {
                return address;
            }
        }
        Client::UNKNOWN.address
    }
}

/// A middleware for the routes that cost something:
/// `.route_layer(from_fn_with_state(throttle, throttle::throttle))`.
pub async fn throttle(
    State(throttle): State<Arc<RateLimiter>>,
    client: Client,
    request: Request,
    next: Next,
) -> Response {
    match throttle.take(&client) {
        Ok(()) => next.run(request).await,
        Err(rejection) => rejection.into_response(),
    }
}

/// How many bytes one network may have kept in a day, and how many a request counts.
#[derive(Clone, Debug)]
pub struct Keeping {
    /// A token is a byte.
    pub throttle: Arc<RateLimiter>,
    /// What the request leaves behind.
    pub bytes: u32,
}

/// A middleware for the routes whose requests leave something behind, other than GET: they take as many
/// tokens as they leave bytes.
pub async fn keep(
    State(keeping): State<Keeping>,
    client: Client,
    request: Request,
    next: Next,
) -> Response {
    let taken = match request.method().is_safe() {
        true => Ok(()),
        false => keeping.throttle.take_many(&client, keeping.bytes),
    };
    match taken {
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
    fn tokens_come_back_with_time() {
        let throttle = RateLimiter::new(2, Duration::from_secs(60), LoopbackPolicy::Exempt);
        let (one, other) = (client("192.0.2.1"), client("192.0.2.2"));
        let start = Instant::now();
        assert_eq!(throttle.take_at(&one, 1, start), Ok(()));
        assert_eq!(throttle.take_at(&one, 1, start), Ok(()));
        assert_eq!(
            throttle.take_at(&one, 1, start),
            Err(GuardRejection::TooMany { retry_after_s: 30 })
        );
        assert_eq!(throttle.take_at(&other, 1, start), Ok(()));
        let later = start + Duration::from_secs(31);
        assert_eq!(throttle.take_at(&one, 1, later), Ok(()));
        assert!(throttle.take_at(&one, 1, later).is_err());
    }

    #[test]
    fn some_requests_take_more_than_others() {
        let throttle = RateLimiter::new(100, Duration::from_secs(100), LoopbackPolicy::Exempt);
        let (one, start) = (client("192.0.2.1"), Instant::now());
        assert_eq!(throttle.take_at(&one, 70, start), Ok(()));
        assert_eq!(
            throttle.take_at(&one, 70, start),
            Err(GuardRejection::TooMany { retry_after_s: 40 })
        );
        assert_eq!(throttle.take_at(&one, 30, start), Ok(()));
        let later = start + Duration::from_secs(100);
        // What is larger than the bucket takes all of it, and is not refused for ever.
        assert_eq!(throttle.take_at(&one, 1_000, later), Ok(()));
        assert!(throttle.take_at(&one, 1, later).is_err());
    }

    #[test]
    fn loopback_is_exempt_unless_asked_for() {
        let exempt = RateLimiter::new(1, Duration::from_secs(60), LoopbackPolicy::Exempt);
        let limited = RateLimiter::new(1, Duration::from_secs(60), LoopbackPolicy::Limited);
        for home in ["127.0.0.1", "::1", "::ffff:127.0.0.1"].map(client) {
            for _ in 0..3 {
                assert_eq!(exempt.take(&home), Ok(()));
            }
        }
        assert_eq!(limited.take(&client("::1")), Ok(()));
        assert!(limited.take(&client("::1")).is_err());
    }

    #[test]
    fn many_addresses_take_bounded_memory() {
        let throttle = RateLimiter::new(1, Duration::from_secs(60), LoopbackPolicy::Exempt);
        let start = Instant::now();
        for number in 0..RateLimiter::MOST_ADDRESSES as u32 + 1000 {
            let address = IpAddr::V4((0x0b00_0000 + number).into());
            let client = Client {
                address,
                secure: false,
            };
            let _ = throttle.take_at(&client, 1, start);
        }
        let len = || throttle.buckets.lock().unwrap().by_address.len();
        assert!(len() <= RateLimiter::MOST_ADDRESSES + 1);
        let later = start + Duration::from_secs(61);
        assert_eq!(throttle.take_at(&client("192.0.2.1"), 1, later), Ok(()));
        assert!(len() < 10, "idle addresses are forgotten");
    }
}
