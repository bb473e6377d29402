//! Stored reviews. They are derived from records and may be deleted at any time.

use std::slice::from_ref;

use async_trait::async_trait;

use crate::store::{
    Change, ChangeConnection, ChangeError, FromRow, GameId, RowReadError, SqlRow, Store,
    StoreError, json_ids, params,
};

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StoredReview {
    /// Whether a review is requested and not yet finished.
    pub is_pending: bool,
    /// The latest review.
    pub review: Option<String>,
}

impl FromRow for StoredReview {
    fn from_row(row: &SqlRow) -> Result<Self, RowReadError> {
        Ok(StoredReview {
            is_pending: row.get::<Option<i64>>("requested_ms")?.is_some(),
            review: row.get("review")?,
        })
    }
}

/// A change of a stored review.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReviewChange {
    /// Requests a review at this Unix time in milliseconds; an earlier pending request keeps its time.
    Request(i64),
    /// Stores a finished review.
    Store(String),
    /// Cancels the request because the review cannot be computed.
    Cancel,
}

struct ChangeReview {
    id: GameId,
    change: ReviewChange,
}

#[async_trait]
impl Change for ChangeReview {
    fn name(&self) -> &'static str {
        match self.change {
            ReviewChange::Request(_) => "request_review",
            ReviewChange::Store(_) => "store_review",
            ReviewChange::Cancel => "cancel_review",
        }
    }

    fn games(&self) -> &[GameId] {
        from_ref(&self.id)
    }

    async fn apply(&self, connection: &mut dyn ChangeConnection) -> Result<u64, ChangeError> {
        let id = &self.id;
        let changed = match &self.change {
            ReviewChange::Request(at_ms) => {
                let statement =
                    "INSERT INTO review (game, requested_ms) SELECT id, $2 FROM game WHERE id = $1
                    ON CONFLICT (game) DO UPDATE SET
                        requested_ms = coalesce(review.requested_ms, excluded.requested_ms)";
                connection.execute(statement, params![id, *at_ms]).await?
            }
            ReviewChange::Store(review) => {
                let statement =
                    "INSERT INTO review (game, review) SELECT id, $2 FROM game WHERE id = $1
                    ON CONFLICT (game) DO UPDATE SET review = excluded.review, requested_ms = NULL";
                connection.execute(statement, params![id, review]).await?
            }
            ReviewChange::Cancel => {
                let never_made = "DELETE FROM review WHERE game = $1 AND review IS NULL";
                connection.execute(never_made, params![id]).await?;
                let made = "UPDATE review SET requested_ms = NULL WHERE game = $1";
                connection.execute(made, params![id]).await?;
                let games = "SELECT id FROM game WHERE id = $1";
                connection.fetch_all(games, params![id]).await?.len() as u64
            }
        };
        match changed {
            0 => Err(StoreError::NotFound.into()),
            changed => Ok(changed),
        }
    }
}

impl dyn Store {
    /// Changes the stored review of a game.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn change_review(&self, id: &GameId, change: ReviewChange) -> Result<(), StoreError> {
        let id = id.clone();
        let change = ChangeReview { id, change };
        self.apply(Box::new(change)).await.map(drop)
    }

    /// The stored review of a game; `None` if none was requested.
    pub async fn review(&self, id: &GameId) -> Result<Option<StoredReview>, StoreError> {
        let query = "SELECT * FROM review WHERE game = $1";
        self.fetch_optional(query, params![id]).await
    }

    /// Up to `limit` games whose review is pending, oldest request first.
    pub async fn pending_reviews(&self, limit: u32) -> Result<Vec<GameId>, StoreError> {
        let query = "SELECT game FROM review WHERE requested_ms IS NOT NULL ORDER BY requested_ms, game LIMIT $1";
        self.fetch_undamaged(query, params![limit]).await
    }

    /// Those of the given games that have a finished review, in any order.
    pub async fn reviewed(&self, games: &[GameId]) -> Result<Vec<GameId>, StoreError> {
        let query = "SELECT game FROM review WHERE review IS NOT NULL AND game IN ($1[])";
        self.fetch_undamaged(query, params![json_ids(games)]).await
    }
}
