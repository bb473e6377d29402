//! Reviews, which are derived from records: the table may be emptied at any time.

use sqlx::Row as _;
use sqlx::sqlite::{SqliteConnection, SqlitePool};

use crate::store::{GameId, StoredReview, sql};

/// Requests a review; returns the number of games with this id.
pub(super) async fn request(
    connection: &mut SqliteConnection,
    id: &GameId,
    at_ms: i64,
) -> Result<u64, sqlx::Error> {
    let query = sqlx::query(sql::queries::REQUEST_REVIEW)
        .bind(id.as_str())
        .bind(at_ms);
    Ok(query.execute(connection).await?.rows_affected())
}

/// Stores a review; returns the number of games with this id.
pub(super) async fn store(
    connection: &mut SqliteConnection,
    id: &GameId,
    review: &str,
) -> Result<u64, sqlx::Error> {
    let query = sqlx::query(sql::queries::STORE_REVIEW)
        .bind(id.as_str())
        .bind(review);
    Ok(query.execute(connection).await?.rows_affected())
}

/// Cancels a request; returns the number of games with this id.
pub(super) async fn cancel(
    connection: &mut SqliteConnection,
    id: &GameId,
) -> Result<u64, sqlx::Error> {
    for query in sql::queries::CANCEL_REVIEW {
        let query = sqlx::query(query).bind(id.as_str());
        query.execute(&mut *connection).await?;
    }
    let query = sqlx::query_scalar(sql::queries::GAMES_WITH_ID);
    query.bind(id.as_str()).fetch_one(connection).await
}

pub(super) async fn review(
    readers: &SqlitePool,
    id: &GameId,
) -> Result<Option<StoredReview>, sqlx::Error> {
    let row = sqlx::query(sql::queries::REVIEW)
        .bind(id.as_str())
        .fetch_optional(readers)
        .await?;
    row.map(|row| {
        Ok(StoredReview {
            is_wanted: row.try_get("is_wanted")?,
            review: row.try_get("review")?,
        })
    })
    .transpose()
}

/// Ids of games with a pending review request, oldest request first.
pub(super) async fn pending(readers: &SqlitePool, limit: u32) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar(sql::queries::PENDING_REVIEWS)
        .bind(limit)
        .fetch_all(readers)
        .await
}
