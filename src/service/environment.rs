//! What a service takes from the machine that it runs on: what time it is, chance, and where slow work is done.
//!
//! They are plain values and come in with the service, so whoever gives it others decides what happens when:
//! `tests/router/simulation.rs` runs two services on one thread that way, and the same number gives the same story. How long
//! something takes is asked of tokio's clock, which such a test stops.

use std::fmt;
use std::sync::Arc;

use tokio::sync::oneshot;

use crate::clock;
use crate::provably_fair::DiceSecret;
use crate::secret::{self, Nonce, Secret};
use crate::store::GameId;

/// Slow work, to be done once. It may be dropped instead where the program ends.
pub type BlockingTask = Box<dyn FnOnce() + Send>;

/// Tells the Unix time, in milliseconds.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Fills bytes with chance.
pub type EntropySource = Arc<dyn Fn(&mut [u8]) + Send + Sync>;

/// Does slow work, now or later.
pub type BlockingExecutor = Arc<dyn Fn(BlockingTask) + Send + Sync>;

/// What a service takes from the machine that it runs on.
#[derive(Clone)]
pub struct Environment {
    /// When something happens: the times of records.
    pub clock: Clock,
    /// Of what ids, secrets and the seeds of dice are made.
    pub chance: EntropySource,
    /// Where computers think: on no thread that serves others.
    pub thinking: BlockingExecutor,
}

impl Default for Environment {
    /// The system's clock and randomness, and blocking threads of tokio.
    fn default() -> Self {
        Environment {
            clock: Arc::new(clock::now_ms),
            chance: Arc::new(secret::fill_at_random),
            thinking: Arc::new(|work| drop(tokio::task::spawn_blocking(work))),
        }
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Machine(..)")
    }
}

impl Environment {
    pub(super) fn now_ms(&self) -> i64 {
        (self.clock)()
    }

    /// What work answers that takes milliseconds; `None` where it panics, or the program ends.
    pub(super) async fn worked<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (tell, told) = oneshot::channel();
        (self.thinking)(Box::new(move || drop(tell.send(work()))));
        told.await.ok()
    }

    fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        (self.chance)(&mut bytes);
        bytes
    }

    pub(super) fn number(&self) -> u64 {
        u64::from_le_bytes(self.bytes())
    }

    pub(super) fn game_id(&self) -> GameId {
        GameId::from_chance(self.bytes())
    }

    pub(super) fn secret(&self) -> Secret {
        Secret::from_chance(self.bytes())
    }

    pub(super) fn nonce(&self) -> Nonce {
        Nonce::from_bytes(self.bytes())
    }

    pub(super) fn dice(&self) -> DiceSecret {
        secret::dice_from(self.bytes(), self.bytes())
    }
}
