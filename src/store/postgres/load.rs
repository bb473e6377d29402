//! Reads games from PostgreSQL.

use sqlx::Executor as _;
use sqlx::postgres::{PgConnection, PgPool, PgRow};

use crate::store::sql::decode::{GameRows, RowReadError};
use crate::store::{GameId, StoredGame, sql};

/// What all statements of one look see is of one moment.
pub(super) const ONE_MOMENT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// A game, if it is there and as it was written.
pub(super) async fn load(pool: &PgPool, id: &GameId) -> Result<Option<StoredGame>, RowReadError> {
    let mut moment = pool.begin_with(ONE_MOMENT).await?;
    let rows = read_rows(&mut moment, id).await?;
    moment.commit().await?;
    rows.map(|rows| rows.checked(id)).transpose()
}

/// As [`load`], within a transaction that sees one moment.
pub(super) async fn load_within(
    moment: &mut PgConnection,
    id: &GameId,
) -> Result<Option<StoredGame>, RowReadError> {
    let rows = read_rows(moment, id).await?;
    rows.map(|rows| rows.checked(id)).transpose()
}

async fn read_rows(
    moment: &mut PgConnection,
    id: &GameId,
) -> Result<Option<GameRows<PgRow>>, RowReadError> {
    let game = sqlx::query(sql::queries::GAME).bind(id.as_str());
    let game = moment.fetch_optional(game).await?;
    let seats = sqlx::query(sql::queries::SEATS).bind(id.as_str());
    let seats = moment.fetch_all(seats).await?;
    let entries = sqlx::query(sql::queries::ENTRIES).bind(id.as_str());
    let entries = moment.fetch_all(entries).await?;
    GameRows::found(game, seats, entries)
}
