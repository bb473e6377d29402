//! Programs with an identity of their own, and the games in which they sit.

use sqlx::Row as _;
use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};

use super::lists;
use crate::archive::rows::hash;
use crate::archive::{GameId, Program, sql};
use crate::secret::SecretHash;

/// Adds a program; answers how many were added.
pub(super) async fn add(
    connection: &mut SqliteConnection,
    program: &Program,
) -> Result<u64, sqlx::Error> {
    let query = sqlx::query(sql::ADD_PROGRAM)
        .bind(program.id.as_str())
        .bind(program.name.as_str())
        .bind(hash(&program.token))
        .bind(program.plays.as_str())
        .bind(program.created_ms);
    Ok(query.execute(connection).await?.rows_affected())
}

/// Notes when a program was last heard of; answers how many that are.
pub(super) async fn saw(
    connection: &mut SqliteConnection,
    token: &SecretHash,
    at_ms: i64,
) -> Result<u64, sqlx::Error> {
    let query = sqlx::query(sql::SAW_PROGRAM).bind(hash(token)).bind(at_ms);
    Ok(query.execute(connection).await?.rows_affected())
}

/// Forgets those that were not heard of since then; answers how many.
pub(super) async fn forget(
    connection: &mut SqliteConnection,
    before_ms: i64,
) -> Result<u64, sqlx::Error> {
    let query = sqlx::query(sql::FORGET_PROGRAMS).bind(before_ms);
    Ok(query.execute(connection).await?.rows_affected())
}

pub(super) async fn by_id(readers: &SqlitePool, id: &str) -> Result<Option<Program>, sqlx::Error> {
    let row = sqlx::query(sql::PROGRAM)
        .bind(id)
        .fetch_optional(readers)
        .await?;
    row.as_ref().map_or(Ok(None), read)
}

pub(super) async fn by_token(
    readers: &SqlitePool,
    token: &SecretHash,
) -> Result<Option<Program>, sqlx::Error> {
    let query = sqlx::query(sql::PROGRAM_WITH).bind(hash(token));
    let row = query.fetch_optional(readers).await?;
    row.as_ref().map_or(Ok(None), read)
}

/// As [`read`], with the time at which it was last heard of.
pub(super) fn read_seen(row: &SqliteRow) -> Result<Option<(Program, i64)>, sqlx::Error> {
    let seen_ms = row.try_get("seen_ms")?;
    Ok(read(row)?.map(|program| (program, seen_ms)))
}

/// `None` where a row is damaged: such a program is not known.
fn read(row: &SqliteRow) -> Result<Option<Program>, sqlx::Error> {
    let id: &str = row.try_get("id")?;
    let token: &[u8] = row.try_get("token")?;
    let (Ok(id), Ok(token)) = (id.parse(), <[u8; 32]>::try_from(token)) else {
        return Ok(None);
    };
    Ok(Some(Program {
        id,
        name: row.try_get("name")?,
        token: SecretHash::from_bytes(token),
        plays: row.try_get("plays")?,
        created_ms: row.try_get("created_ms")?,
    }))
}

/// The games that go on in which a program sits or is asked to, newest activity first.
pub(super) async fn games(
    readers: &SqlitePool,
    token: &SecretHash,
    limit: u32,
) -> Result<Vec<GameId>, sqlx::Error> {
    let query = sqlx::query_scalar(sql::GAMES_OF_PROGRAM)
        .bind(hash(token))
        .bind(limit);
    lists::ids(query.fetch_all(readers).await)
}

/// In how many of them it is asked and has not answered.
pub(super) async fn invitations(
    readers: &SqlitePool,
    token: &SecretHash,
) -> Result<u32, sqlx::Error> {
    let query = sqlx::query_scalar(sql::INVITATIONS).bind(hash(token));
    query.fetch_one(readers).await
}
