//! Pairing codes, which give another device a browser's secret. `move_browser_data` deletes that of the browser.

use crate::secret::SecretHash;
use crate::store::sql::connection::params;
use crate::store::sql::row::row;
use crate::store::{Store, StoreError};

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
