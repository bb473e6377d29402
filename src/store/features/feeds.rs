//! The Atom feeds of browsers.

use crate::secret::{Nonce, SecretHash};
use crate::store::sql::connection::params;
use crate::store::sql::row::row;
use crate::store::{Store, StoreError};

row! {
    /// The feed of a browser. Its token is derived from the browser's secret and the nonce.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct StoredFeed {
        pub browser: SecretHash,
        /// The hash of the token in the feed's address.
        pub token: SecretHash,
        pub nonce: Nonce,
        /// The language tag.
        pub language: String,
        /// Unix time, in milliseconds.
        pub created_ms: i64,
        /// Unix time of the last fetch, in milliseconds, to a day; that of the creation before the first one.
        pub fetched_ms: i64,
    }
}

pub(super) const DELETE_OLD: &str = "DELETE FROM feed WHERE fetched_ms < $1";

impl dyn Store {
    /// Stores the feed of a browser instead of the one that it had.
    pub async fn set_feed(&self, feed: StoredFeed) -> Result<(), StoreError> {
        let statement = "INSERT INTO feed (browser, token, nonce, language, created_ms, fetched_ms)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (browser) DO UPDATE SET token = excluded.token, nonce = excluded.nonce,
                language = excluded.language, created_ms = excluded.created_ms, fetched_ms = excluded.fetched_ms";
        let StoredFeed {
            browser,
            token,
            nonce,
            language,
            created_ms,
            fetched_ms,
        } = feed;
        let values = params![&browser, &token, &nonce, language, created_ms, fetched_ms];
        self.execute(statement, values).await.map(drop)
    }

    pub async fn feed_of(&self, browser: &SecretHash) -> Result<Option<StoredFeed>, StoreError> {
        let query = "SELECT * FROM feed WHERE browser = $1";
        self.fetch_optional(query, params![browser]).await
    }

    pub async fn feed_by_token(
        &self,
        token: &SecretHash,
    ) -> Result<Option<StoredFeed>, StoreError> {
        let query = "SELECT * FROM feed WHERE token = $1";
        self.fetch_optional(query, params![token]).await
    }

    /// Stores when the feed was fetched.
    pub async fn mark_feed_fetched(
        &self,
        token: &SecretHash,
        at_ms: i64,
    ) -> Result<(), StoreError> {
        let statement = "UPDATE feed SET fetched_ms = $2 WHERE token = $1 AND fetched_ms < $2";
        self.execute(statement, params![token, at_ms])
            .await
            .map(drop)
    }
}
