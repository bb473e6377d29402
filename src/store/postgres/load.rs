//! Loads games from PostgreSQL.

use sqlx::Executor as _;
use sqlx::postgres::{PgConnection, PgPool, PgRow};

use crate::store::sql::decode::{GameRows, RowReadError};
use crate::store::{GameId, StoredGame, sql};

/// Begins a transaction whose statements all see the same snapshot.
pub(super) const BEGIN_SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Loads and verifies a game; `None` if the id is unknown.
pub(super) async fn load(pool: &PgPool, id: &GameId) -> Result<Option<StoredGame>, RowReadError> {
    let mut snapshot = pool.begin_with(BEGIN_SNAPSHOT).await?;
    let rows = read_rows(&mut snapshot, id).await?;
    snapshot.commit().await?;
    rows.map(|rows| rows.to_verified_game(id)).transpose()
}

/// Like [`load`], within a transaction that sees one snapshot.
pub(super) async fn load_within(
    snapshot: &mut PgConnection,
    id: &GameId,
) -> Result<Option<StoredGame>, RowReadError> {
    let rows = read_rows(snapshot, id).await?;
    rows.map(|rows| rows.to_verified_game(id)).transpose()
}

async fn read_rows(
    snapshot: &mut PgConnection,
    id: &GameId,
) -> Result<Option<GameRows<PgRow>>, RowReadError> {
    let game = sqlx::query(sql::queries::GAME).bind(id.as_str());
    let game = snapshot.fetch_optional(game).await?;
    let seats = sqlx::query(sql::queries::SEATS).bind(id.as_str());
    let seats = snapshot.fetch_all(seats).await?;
    let entries = sqlx::query(sql::queries::ENTRIES).bind(id.as_str());
    let entries = snapshot.fetch_all(entries).await?;
    GameRows::from_rows(game, seats, entries)
}
