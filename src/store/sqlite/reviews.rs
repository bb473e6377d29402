//! Reviews, which are derived from records: the table may be emptied at any time.

use sqlx::Row as _;
use sqlx::sqlite::{SqliteConnection, SqlitePool};

use crate::store::{GameId, StoredReview, sql};

/// Notes that a review is wanted; answers how many games that is.
pub(super) async fn want(
    connection: &mut SqliteConnection,
    id: &GameId,
    at_ms: i64,
) -> Result<u64, sqlx::Error> {
    let query = sqlx::query(sql::queries::WANT_REVIEW)
        .bind(id.as_str())
        .bind(at_ms);
    Ok(query.execute(connection).await?.rows_affected())
}

/// Keeps a review; answers of how many games.
pub(super) async fn keep(
    connection: &mut SqliteConnection,
    id: &GameId,
    review: &str,
) -> Result<u64, sqlx::Error> {
    let query = sqlx::query(sql::queries::KEEP_REVIEW)
        .bind(id.as_str())
        .bind(review);
    Ok(query.execute(connection).await?.rows_affected())
}

/// A review is not wanted any more; answers how many games there are of this id.
pub(super) async fn unwant(
    connection: &mut SqliteConnection,
    id: &GameId,
) -> Result<u64, sqlx::Error> {
    for query in sql::queries::UNWANT_REVIEW {
        let query = sqlx::query(query).bind(id.as_str());
        query.execute(&mut *connection).await?;
    }
    let query = sqlx::query_scalar(sql::queries::GAMES_WITH_ID);
    query.bind(id.as_str()).fetch_one(connection).await
}

/// What is kept of a game's review.
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

/// The games whose review is wanted, the longest wanted first.
pub(super) async fn wanted(readers: &SqlitePool, limit: u32) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar(sql::queries::WANTED_REVIEWS)
        .bind(limit)
        .fetch_all(readers)
        .await
}
