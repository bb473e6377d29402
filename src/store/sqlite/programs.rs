//! Registered programs and their games.

use serde_json::json;
use sqlx::sqlite::{SqliteConnection, SqlitePool};

use crate::secret::SecretHash;
use crate::store::sql::decode::{ascending_finishes, game_ids, hash, parse_program};
use crate::store::{GameId, RegisteredProgram, sql};

/// Inserts a program; returns the number of rows inserted.
pub(super) async fn add(
    connection: &mut SqliteConnection,
    program: &RegisteredProgram,
) -> Result<u64, sqlx::Error> {
    let query = sqlx::query(sql::queries::ADD_PROGRAM)
        .bind(program.id.as_str())
        .bind(program.name.as_str())
        .bind(hash(&program.token))
        .bind(program.game.as_str())
        .bind(program.created_ms);
    Ok(query.execute(connection).await?.rows_affected())
}

/// Records the last activity of a program; returns the number of rows found.
pub(super) async fn touch(
    connection: &mut SqliteConnection,
    token: &SecretHash,
    at_ms: i64,
) -> Result<u64, sqlx::Error> {
    let query = sqlx::query(sql::queries::TOUCH_PROGRAM)
        .bind(hash(token))
        .bind(at_ms);
    Ok(query.execute(connection).await?.rows_affected())
}

/// Records up to which finish number was reported to a program; returns the number of rows found.
pub(super) async fn mark_finishes_reported(
    connection: &mut SqliteConnection,
    token: &SecretHash,
    number: i64,
) -> Result<u64, sqlx::Error> {
    let query = sqlx::query(sql::queries::MARK_FINISHES_REPORTED)
        .bind(hash(token))
        .bind(number);
    Ok(query.execute(connection).await?.rows_affected())
}

/// Deletes the programs without activity since then; returns their number.
pub(super) async fn delete_inactive(
    connection: &mut SqliteConnection,
    before_ms: i64,
) -> Result<u64, sqlx::Error> {
    let query = sqlx::query(sql::queries::DELETE_INACTIVE_PROGRAMS).bind(before_ms);
    Ok(query.execute(connection).await?.rows_affected())
}

pub(super) async fn by_id(
    readers: &SqlitePool,
    id: &str,
) -> Result<Option<RegisteredProgram>, sqlx::Error> {
    let row = sqlx::query(sql::queries::PROGRAM)
        .bind(id)
        .fetch_optional(readers)
        .await?;
    row.as_ref().map_or(Ok(None), parse_program)
}

pub(super) async fn by_token(
    readers: &SqlitePool,
    token: &SecretHash,
) -> Result<Option<RegisteredProgram>, sqlx::Error> {
    let query = sqlx::query(sql::queries::PROGRAM_BY_TOKEN).bind(hash(token));
    let row = query.fetch_optional(readers).await?;
    row.as_ref().map_or(Ok(None), parse_program)
}

/// Unfinished games in which a program has a seat or an invitation, newest activity first.
pub(super) async fn list_games(
    readers: &SqlitePool,
    token: &SecretHash,
    limit: u32,
) -> Result<Vec<GameId>, sqlx::Error> {
    let query = sqlx::query_scalar(sql::queries::GAMES_OF_PROGRAM)
        .bind(hash(token))
        .bind(limit);
    game_ids(query.fetch_all(readers).await)
}

/// Those of the given games in which one of these programs has a seat or an invitation.
pub(super) async fn with_programs(
    readers: &SqlitePool,
    games: &[GameId],
    tokens: &[SecretHash],
) -> Result<Vec<GameId>, sqlx::Error> {
    let games: Vec<&str> = games.iter().map(GameId::as_str).collect();
    let tokens = tokens.iter().map(|token| {
        let bytes = token.as_bytes().iter();
        bytes.map(|byte| format!("{byte:02X}")).collect()
    });
    let tokens: Vec<String> = tokens.collect();
    let query = "SELECT DISTINCT game FROM seat WHERE game IN (SELECT value FROM json_each($1))
        AND hex(coalesce(invite, token)) IN (SELECT value FROM json_each($2))";
    let query = sqlx::query_scalar(query).bind(json!(games).to_string());
    game_ids(
        query
            .bind(json!(tokens).to_string())
            .fetch_all(readers)
            .await,
    )
}

/// The finishes of its games after this number, or after the last reported one.
pub(super) async fn list_finishes(
    readers: &SqlitePool,
    token: &SecretHash,
    after: Option<i64>,
    limit: u32,
) -> Result<Vec<(i64, GameId)>, sqlx::Error> {
    let query = sqlx::query_as(sql::queries::PROGRAM_FINISHES)
        .bind(hash(token))
        .bind(after.unwrap_or(i64::MAX))
        .bind(limit);
    Ok(ascending_finishes(query.fetch_all(readers).await?))
}

/// The number of unfinished games in which it has an unanswered invitation.
pub(super) async fn invitations(
    readers: &SqlitePool,
    token: &SecretHash,
) -> Result<u32, sqlx::Error> {
    let query = sqlx::query_scalar(sql::queries::INVITATIONS).bind(hash(token));
    query.fetch_one(readers).await
}
