//! Hashes of client networks, which limit what one network adds to public counts: HMAC-SHA256 with a random key of the
//! day, which all servers on one database share. Half an hour after the day is over, the key and the hashes are deleted.

use std::time::Duration;

use super::{ClientNetwork, Service, ServiceState};
use crate::day::Day;
use crate::secret;
use crate::store::{NetworkHash, NetworkKey, StoreError};

/// How long the key and the hashes of a day are kept after its end, in milliseconds: as long as games of the day count.
const KEPT_AFTER_MS: i64 = 30 * 60_000;

const HOUR_MS: i64 = 60 * 60_000;

/// The longest time after which the clock is read again, because it may be set.
const MAX_SLEEP_MS: i64 = 60_000;

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
        if stored.is_none() && day >= self.first_hashed_day() {
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

    /// The first day whose key and hashes are kept now.
    fn first_hashed_day(&self) -> Day {
        Day::of_ms(self.environment.now_ms() - KEPT_AFTER_MS)
    }
}

impl Service {
    /// Deletes the keys of past days and the hashes with them.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn forget_networks(&self) -> Result<(), StoreError> {
        let before = self.shared.first_hashed_day();
        self.shared.store.forget_networks(before).await
    }

    /// Deletes the keys and hashes of past days at the start and at half past each hour, so at 00:30 UTC, until the
    /// service stops; a minute later again if the store fails.
    pub async fn run_network_deletion(&self) {
        let hours = || (self.shared.environment.now_ms() - KEPT_AFTER_MS).div_euclid(HOUR_MS);
        let run = async {
            let mut done = None;
            loop {
                let hour = hours();
                if done != Some(hour) {
                    match self.forget_networks().await {
                        Ok(()) => done = Some(hour),
                        Err(error) => {
                            tracing::warn!(%error, "the hashes of networks could not be deleted");
                        }
                    }
                }
                let since_ms = self.shared.environment.now_ms() - KEPT_AFTER_MS;
                let until_ms = HOUR_MS - since_ms.rem_euclid(HOUR_MS);
                let sleep_ms = until_ms.min(MAX_SLEEP_MS).unsigned_abs();
                tokio::time::sleep(Duration::from_millis(sleep_ms)).await;
            }
        };
        self.shared.stop.run_until_cancelled(run).await;
    }
}
