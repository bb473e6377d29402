//! Pairing codes: another device takes over a browser's secret with a code that is valid once and for ten minutes.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::client_network::ClientNetwork;
use crate::secret::{PairingCode, PairingKeys, Secret, SecretHash};
use crate::store::{Store, StoreError, params, row};
use crate::tables::{ComputeDemand, JobKind, Service, ServiceError};

/// How long a code is valid.
pub(super) const PAIRING_TIME: Duration = Duration::from_secs(10 * 60);

/// The time that the keys of a code are expected to take.
const DERIVATION_TIME: Duration = Duration::from_millis(30);

/// The interval at which expired codes are deleted.
const DELETION_INTERVAL: Duration = Duration::from_secs(60);

/// Gives the browser a new pairing code; an earlier one becomes invalid.
pub(super) async fn create(
    service: &Service,
    browser: &Secret,
    client_network: ClientNetwork,
) -> Result<PairingCode, ServiceError> {
    let environment = service.environment();
    let code = environment.pairing_code();
    let keys = derive_keys(service, &code, client_network).await?;
    let valid_ms = i64::try_from(PAIRING_TIME.as_millis()).unwrap_or(i64::MAX);
    let stored = StoredPairingCode {
        browser: browser.hash(),
        code: keys.hash,
        secret: keys.encrypt(browser, environment.cipher_nonce()),
        until_ms: service.now_ms().saturating_add(valid_ms),
    };
    service.store().set_pairing_code(stored).await?;
    Ok(code)
}

/// The secret that a code gives; `None` if the code is not valid. With `uses` this use ends the code: of several
/// calls only one gets the secret.
pub(super) async fn open(
    service: &Service,
    code: &PairingCode,
    uses: bool,
    client_network: ClientNetwork,
) -> Result<Option<Secret>, ServiceError> {
    let (store, now_ms) = (service.store(), service.now_ms());
    let keys = derive_keys(service, code, client_network).await?;
    let stored = store.pairing_code(&keys.hash).await?;
    let Some(stored) = stored.filter(|stored| stored.until_ms > now_ms) else {
        return Ok(None);
    };
    let secret = keys.decrypt(&stored.secret, &stored.browser);
    if uses && !store.delete_pairing_code(&keys.hash).await? {
        return Ok(None);
    }
    Ok(secret)
}

/// Deletes expired codes until the server stops.
pub(in crate::site) async fn delete_expired(service: Service, stop: CancellationToken) {
    let run = async {
        loop {
            let now_ms = service.now_ms();
            if let Err(error) = service.store().delete_expired_pairing_codes(now_ms).await {
                tracing::warn!(%error, "expired pairing codes could not be deleted");
            }
            tokio::time::sleep(DELETION_INTERVAL).await;
        }
    };
    stop.run_until_cancelled(run).await;
}

async fn derive_keys(
    service: &Service,
    code: &PairingCode,
    client_network: ClientNetwork,
) -> Result<PairingKeys, ServiceError> {
    let code = code.clone();
    let demand = ComputeDemand {
        bytes: PairingCode::MEMORY,
        ..ComputeDemand::time(DERIVATION_TIME)
    };
    let derive = move |_: &_| code.derive_keys();
    service
        .run_job(JobKind::PairingCode, client_network, demand, derive)
        .await
}

row! {
    /// A pairing code that was not used yet.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct StoredPairingCode {
        /// The browser whose secret the code gives; it has one code at most.
        pub browser: SecretHash,
        /// The hash of the code.
        pub code: SecretHash,
        /// The browser's secret, encrypted with a key that is derived from the code.
        pub secret: Vec<u8>,
        /// Unix time until which the code is valid, in milliseconds.
        pub until_ms: i64,
    }
}

impl dyn Store {
    /// Stores the code of a browser instead of the one that it had.
    pub async fn set_pairing_code(&self, code: StoredPairingCode) -> Result<(), StoreError> {
        let statement =
            "INSERT INTO pairing_code (browser, code, secret, until_ms) VALUES ($1, $2, $3, $4)
            ON CONFLICT (browser) DO UPDATE SET code = excluded.code, secret = excluded.secret,
                until_ms = excluded.until_ms";
        let values = params![
            &code.browser,
            &code.code,
            code.secret.as_slice(),
            code.until_ms
        ];
        self.execute(statement, values).await.map(drop)
    }

    /// The code with this hash, expired or not.
    pub async fn pairing_code(
        &self,
        code: &SecretHash,
    ) -> Result<Option<StoredPairingCode>, StoreError> {
        let query = "SELECT * FROM pairing_code WHERE code = $1";
        self.fetch_optional(query, params![code]).await
    }

    /// Deletes the code with this hash; returns whether it was stored. Of several calls only one returns true.
    pub async fn delete_pairing_code(&self, code: &SecretHash) -> Result<bool, StoreError> {
        let statement = "DELETE FROM pairing_code WHERE code = $1";
        Ok(self.execute(statement, params![code]).await? > 0)
    }

    /// Deletes the codes that were valid until this time or before; writes nothing if there are none.
    pub async fn delete_expired_pairing_codes(&self, now_ms: i64) -> Result<(), StoreError> {
        let query = "SELECT browser FROM pairing_code WHERE until_ms <= $1 LIMIT 1";
        let expired: Option<SecretHash> = self.fetch_optional(query, params![now_ms]).await?;
        if expired.is_some() {
            let statement = "DELETE FROM pairing_code WHERE until_ms <= $1";
            self.execute(statement, params![now_ms]).await?;
        }
        Ok(())
    }
}
