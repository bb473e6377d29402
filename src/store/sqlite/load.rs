//! Loads games from a SQLite file.

use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};
use sqlx::{Connection as _, Executor as _};

use crate::store::sql::decode::{GameRows, RowReadError};
use crate::store::{GameId, StoredGame, sql};

/// Loads and verifies a game; `None` if the id is unknown.
pub(super) async fn load(
    readers: &SqlitePool,
    id: &GameId,
) -> Result<Option<StoredGame>, RowReadError> {
    let rows = read_rows(&mut *readers.acquire().await?, id).await?;
    rows.map(|rows| rows.to_verified_game(id)).transpose()
}

/// Like [`load`], within a transaction.
pub(super) async fn load_within(
    snapshot: &mut SqliteConnection,
    id: &GameId,
) -> Result<Option<StoredGame>, RowReadError> {
    let rows = rows_within(snapshot, id).await?;
    rows.map(|rows| rows.to_verified_game(id)).transpose()
}

/// Loads a game without verifying its hashes.
pub(super) async fn load_unchecked(
    connection: &mut SqliteConnection,
    id: &GameId,
) -> Result<Option<StoredGame>, RowReadError> {
    let rows = read_rows(connection, id).await?;
    rows.map(|rows| rows.to_unverified_game(id)).transpose()
}

async fn read_rows(
    connection: &mut SqliteConnection,
    id: &GameId,
) -> Result<Option<GameRows<SqliteRow>>, RowReadError> {
    // One transaction, so that header, seats and entries come from one snapshot.
    let mut snapshot = connection.begin().await?;
    let rows = rows_within(&mut snapshot, id).await?;
    snapshot.commit().await?;
    Ok(rows)
}

async fn rows_within(
    snapshot: &mut SqliteConnection,
    id: &GameId,
) -> Result<Option<GameRows<SqliteRow>>, RowReadError> {
    let game = sqlx::query(sql::queries::GAME).bind(id.as_str());
    let game = snapshot.fetch_optional(game).await?;
    let seats = sqlx::query(sql::queries::SEATS).bind(id.as_str());
    let seats = snapshot.fetch_all(seats).await?;
    let entries = sqlx::query(sql::queries::ENTRIES).bind(id.as_str());
    let entries = snapshot.fetch_all(entries).await?;
    GameRows::from_rows(game, seats, entries)
}
