//! The Atom feeds of browsers. The address of a feed contains a token that is derived from the browser's secret, so that
//! the browser can show it again; it gives access to nothing but the feed.

use super::{Service, ServiceError};
use crate::day::Day;
use crate::secret::{Nonce, Secret};
use crate::store::StoredFeed;

fn token(browser: &Secret, nonce: Nonce) -> Secret {
    browser.derive(&[b"feed", nonce.as_bytes()])
}

impl Service {
    /// The token of the browser's feed, if it has one.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn feed_token(&self, browser: &Secret) -> Result<Option<Secret>, ServiceError> {
        let feed = self.shared.store.feed_of(&browser.hash()).await?;
        Ok(feed.map(|feed| token(browser, feed.nonce)))
    }

    /// Gives the browser a feed with a new token; an earlier token becomes invalid.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn renew_feed(&self, browser: &Secret, language: &str) -> Result<(), ServiceError> {
        let environment = &self.shared.environment;
        let (nonce, now_ms) = (environment.nonce(), environment.now_ms());
        let feed = StoredFeed {
            browser: browser.hash(),
            token: token(browser, nonce).hash(),
            nonce,
            language: language.to_owned(),
            created_ms: now_ms,
            fetched_ms: now_ms,
        };
        Ok(self.shared.store.set_feed(feed).await?)
    }

    /// The feed with this token, which is about to be sent. Its fetch is stored at most once a day.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn fetch_feed(&self, token: &Secret) -> Result<Option<StoredFeed>, ServiceError> {
        let store = &self.shared.store;
        let feed = store.feed_by_token(&token.hash()).await?;
        let now_ms = self.shared.environment.now_ms();
        if let Some(feed) = &feed
            && Day::of_ms(feed.fetched_ms) < Day::of_ms(now_ms)
        {
            store.mark_feed_fetched(&feed.token, now_ms).await?;
        }
        Ok(feed)
    }
}
