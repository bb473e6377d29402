//! Feeds in memory.

use async_trait::async_trait;

use super::MemoryStore;
use crate::secret::SecretHash;
use crate::store::{FeedStore, StoreError, StoredFeed};

#[async_trait]
impl FeedStore for MemoryStore {
    async fn set_feed(&self, feed: StoredFeed) -> Result<(), StoreError> {
        self.lock_games()?.feeds.insert(feed.browser, feed);
        Ok(())
    }

    async fn feed_of(&self, browser: &SecretHash) -> Result<Option<StoredFeed>, StoreError> {
        Ok(self.lock_games()?.feeds.get(browser).cloned())
    }

    async fn mark_feed_fetched(&self, token: &SecretHash, at_ms: i64) -> Result<(), StoreError> {
        let mut games = self.lock_games()?;
        let mut feeds = games.feeds.values_mut();
        if let Some(feed) = feeds.find(|feed| feed.token == *token) {
            feed.fetched_ms = feed.fetched_ms.max(at_ms);
        }
        Ok(())
    }

    async fn feed_by_token(&self, token: &SecretHash) -> Result<Option<StoredFeed>, StoreError> {
        let games = self.lock_games()?;
        let mut feeds = games.feeds.values();
        Ok(feeds.find(|feed| feed.token == *token).cloned())
    }
}
