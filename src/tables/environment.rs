//! The service's dependencies on the machine: the clock, entropy, and threads for slow work.
//!
//! They are plain values passed to the service, so a test can replace them: `tests/router/simulation.rs` runs two
//! services on one thread, and the same seed repeats the same run. Durations are measured with tokio's clock, which
//! such a test pauses.

use std::fmt;
use std::sync::Arc;

use tokio::sync::oneshot;

use crate::clock;
use crate::provably_fair::CommittedSeed;
use crate::secret::{self, Nonce, PairingCode, Secret};
use crate::store::GameId;

/// Slow work to run once. It may be dropped instead when the program ends.
pub type BlockingTask = Box<dyn FnOnce() + Send>;

/// Returns the Unix time in milliseconds.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Fills a buffer with random bytes.
pub type EntropySource = Arc<dyn Fn(&mut [u8]) + Send + Sync>;

/// Runs slow work, now or later.
pub type BlockingExecutor = Arc<dyn Fn(BlockingTask) + Send + Sync>;

#[derive(Clone)]
pub struct Environment {
    /// The wall clock, for the times in records.
    pub clock: Clock,
    /// The source of ids, secrets and dice seeds.
    pub entropy: EntropySource,
    /// Runs searches outside the async worker threads.
    pub blocking: BlockingExecutor,
}

impl Default for Environment {
    /// The system's clock and random source, and tokio's blocking threads.
    fn default() -> Self {
        Environment {
            clock: Arc::new(clock::now_ms),
            entropy: Arc::new(secret::fill_random),
            blocking: Arc::new(|work| drop(tokio::task::spawn_blocking(work))),
        }
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Environment(..)")
    }
}

impl Environment {
    pub(crate) fn now_ms(&self) -> i64 {
        (self.clock)()
    }

    /// Runs work that takes milliseconds; `None` if it panics or the program ends.
    pub(super) async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (sender, receiver) = oneshot::channel();
        (self.blocking)(Box::new(move || drop(sender.send(work()))));
        receiver.await.ok()
    }

    fn random_bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        (self.entropy)(&mut bytes);
        bytes
    }

    pub(crate) fn random_number(&self) -> u64 {
        u64::from_le_bytes(self.random_bytes())
    }

    pub(crate) fn game_id(&self) -> GameId {
        GameId::from_random_bytes(self.random_bytes())
    }

    pub(crate) fn secret(&self) -> Secret {
        Secret::from_random_bytes(self.random_bytes())
    }

    pub(crate) fn nonce(&self) -> Nonce {
        Nonce::from_bytes(self.random_bytes())
    }

    pub(crate) fn pairing_code(&self) -> PairingCode {
        PairingCode::from_random_bytes(self.random_bytes())
    }

    /// A nonce for encryption.
    pub(crate) fn cipher_nonce(&self) -> [u8; 12] {
        self.random_bytes()
    }

    pub(crate) fn network_key(&self) -> [u8; 32] {
        self.random_bytes()
    }

    pub(crate) fn dice(&self) -> CommittedSeed {
        secret::new_dice_secret(self.random_bytes(), self.random_bytes())
    }
}
