//! Pairing codes in memory.

use async_trait::async_trait;

use super::MemoryStore;
use crate::secret::SecretHash;
use crate::store::{PairingStore, StoreError, StoredPairingCode};

#[async_trait]
impl PairingStore for MemoryStore {
    async fn set_pairing_code(&self, code: StoredPairingCode) -> Result<(), StoreError> {
        self.lock_games()?.pairing_codes.insert(code.browser, code);
        Ok(())
    }

    async fn pairing_code(
        &self,
        code: &SecretHash,
    ) -> Result<Option<StoredPairingCode>, StoreError> {
        let games = self.lock_games()?;
        let mut codes = games.pairing_codes.values();
        Ok(codes.find(|stored| stored.code == *code).cloned())
    }

    async fn delete_pairing_code(&self, code: &SecretHash) -> Result<bool, StoreError> {
        let codes = &mut self.lock_games()?.pairing_codes;
        let before = codes.len();
        codes.retain(|_, stored| stored.code != *code);
        Ok(codes.len() < before)
    }

    async fn delete_expired_pairing_codes(&self, now_ms: i64) -> Result<(), StoreError> {
        let codes = &mut self.lock_games()?.pairing_codes;
        codes.retain(|_, stored| stored.until_ms > now_ms);
        Ok(())
    }
}
