//! Finding and deleting expired games.

use sqlx::sqlite::{SqliteConnection, SqlitePool};

use crate::store::sql::decode::game_ids;
use crate::store::sql::queries::{ABANDONED, AWAITED, FINISHED, UNTOUCHED, UPLOADED};
use crate::store::{GameId, RetentionCutoffs, sql};

/// The queries, with the index that each must use.
#[cfg(test)]
pub(super) const QUERIES: [(&str, &str); 6] = [
    (UPLOADED, "game_uploaded"),
    (FINISHED, "game_finished"),
    (UNTOUCHED, "game_untouched"),
    (AWAITED, "game_awaited"),
    (ABANDONED[0], "game_unfinished"),
    (ABANDONED[1], "game_unfinished"),
];

/// Up to `limit` expired games.
pub(super) async fn list_expired(
    readers: &SqlitePool,
    cutoffs: &RetentionCutoffs,
    limit: u32,
) -> Result<Vec<GameId>, sqlx::Error> {
    let kinds = [
        (UPLOADED, cutoffs.uploaded_ms),
        (FINISHED, cutoffs.finished_ms),
        (UNTOUCHED, cutoffs.untouched_ms),
        (AWAITED, cutoffs.awaited_ms),
        (ABANDONED[0], cutoffs.abandoned_ms),
        (ABANDONED[1], cutoffs.abandoned_ms),
    ];
    let mut found = Vec::new();
    for (query, before_ms) in kinds {
        let remaining = i64::from(limit) - i64::try_from(found.len()).unwrap_or(i64::MAX);
        let (Some(before_ms), 1..) = (before_ms, remaining) else {
            continue;
        };
        let query = sqlx::query_scalar(query).bind(before_ms).bind(remaining);
        found.extend(game_ids(query.fetch_all(readers).await)?);
    }
    Ok(found)
}

/// Deletes those of the given games that are expired now; returns their number.
pub(super) async fn delete_expired(
    connection: &mut SqliteConnection,
    games: &[GameId],
    cutoffs: &RetentionCutoffs,
) -> Result<u64, sqlx::Error> {
    let games: Vec<&str> = games.iter().map(GameId::as_str).collect();
    let games = serde_json::Value::from(games).to_string();
    // A comparison with a missing cutoff is NULL, which counts as false.
    let query = "DELETE FROM game WHERE id IN (SELECT value FROM json_each($1)) AND CASE
        WHEN uploaded = 1 THEN active_ms < $6
        WHEN finished_ms IS NOT NULL THEN finished_ms < $2
        WHEN played = 1 THEN active_ms < $3
        WHEN people > 1 OR open_seats > 0 THEN active_ms < $5
        ELSE active_ms < $4 END";
    let removed = sqlx::query(query)
        .bind(games)
        .bind(cutoffs.finished_ms)
        .bind(cutoffs.abandoned_ms)
        .bind(cutoffs.untouched_ms)
        .bind(cutoffs.awaited_ms)
        .bind(cutoffs.uploaded_ms)
        .execute(connection)
        .await?;
    Ok(removed.rows_affected())
}

/// Unix time of the latest activity in any game, in milliseconds.
pub(super) async fn last_activity_ms(readers: &SqlitePool) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar(sql::queries::LAST_ACTIVITY)
        .fetch_one(readers)
        .await
}
