//! Hashes of client networks, which limit what one network adds to public counts: HMAC-SHA256 with a random key of the
//! day, which all servers on one database share. When the board of the day is over, the key and the hashes are deleted.

use std::time::Duration;

use super::{ClientNetwork, Service, ServiceState};
use crate::day::Day;
use crate::secret;
use crate::store::{NetworkHash, NetworkKey, StoreError};

/// The longest time after which the clock is read again, because it may be set.
const MAX_SLEEP_MS: i64 = 60_000;

/// The shortest one, while the database's clock, which decides, is behind this server's.
const MIN_SLEEP_MS: i64 = 1_000;

impl ServiceState {
    /// The hash of a client's network with the key of this day; `None` if limits do not apply to the network, and for
    /// days whose key is deleted.
    pub(super) async fn network_hash(
        &self,
        network: ClientNetwork,
        day: Day,
    ) -> Result<Option<NetworkHash>, StoreError> {
        if self.settings.loopback.is_exempt(network.address()) {
            return Ok(None);
        }
        let mut stored = self.store.network_key(day).await?;
        if stored.is_none() && day >= self.first_open_day() {
            let key = self.environment.network_key();
            self.store.add_network_key(NetworkKey { day, key }).await?;
            // Another server may have been faster.
            stored = self.store.network_key(day).await?;
        }
        Ok(stored.map(|stored| NetworkHash {
            day,
            hash: secret::hash_network(&stored.key, network.address()),
        }))
    }
}

impl Service {
    /// The hash of a client's network on a day; `None` if limits do not apply to the network, and for days whose key is
    /// deleted.
    pub(crate) async fn network_hash(
        &self,
        network: ClientNetwork,
        day: Day,
    ) -> Result<Option<NetworkHash>, StoreError> {
        self.shared.network_hash(network, day).await
    }

    /// Deletes the keys of past days and the hashes with them.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn forget_networks(&self) -> Result<(), StoreError> {
        let before = self.shared.first_open_day();
        self.shared.store.forget_networks(before).await
    }

    /// Deletes the keys and hashes of past days at the start and whenever a day is over, so at 00:30 UTC, until the service
    /// stops; a minute later again if the store fails.
    pub async fn run_network_deletion(&self) {
        let run = async {
            let mut done = None;
            loop {
                let first = self.first_open_day();
                if done != Some(first) {
                    match self.shared.store.forget_networks(first).await {
                        Ok(()) => done = Some(first),
                        Err(error) => {
                            tracing::warn!(%error, "the hashes of networks could not be deleted");
                        }
                    }
                }
                let until_ms = first.over_ms().saturating_sub(self.now_ms());
                let sleep_ms = until_ms.clamp(MIN_SLEEP_MS, MAX_SLEEP_MS).unsigned_abs();
                tokio::time::sleep(Duration::from_millis(sleep_ms)).await;
            }
        };
        self.shared.stop.run_until_cancelled(run).await;
    }
}
