//! What the server does in the background for all games.

use std::time::Duration;

use super::claims::{renew_leases, run_claims};
use super::days::compare_clocks;
use super::instance_sync::{poll_versions, receive_notifications};
use super::state::Service;
use crate::store::StoreError;

/// The interval in which each server records that it is ready.
const RECORD_INTERVAL: Duration = Duration::from_secs(5);

impl Service {
    /// Runs the background tasks until the service is closed: renews leases, claims due games, synchronises with peer
    /// instances, compares the clocks and records that the server is ready.
    pub async fn run_background(&self) {
        let all = async {
            tokio::join!(
                renew_leases(self),
                run_claims(self),
                receive_notifications(self),
                poll_versions(self),
                compare_clocks(self),
                run_served_records(self)
            )
        };
        self.shared.stop.run_until_cancelled(all).await;
    }

    /// Records that this server is ready. Must be called once before games are continued.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn record_served(&self) -> Result<(), StoreError> {
        let (store, served) = (&self.shared.store, &self.shared.served);
        served.record(&**store, self.now_ms()).await
    }
}

/// Records periodically that this server is ready.
async fn run_served_records(service: &Service) {
    loop {
        tokio::time::sleep(RECORD_INTERVAL).await;
        if let Err(error) = service.record_served().await {
            tracing::warn!(%error, "it could not be stored that this server is ready");
        }
    }
}
