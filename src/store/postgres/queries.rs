//! Queries: lists of games, expired games, reviews, programs.

use sqlx::postgres::PgPool;

use crate::seats::{ComputerPace, RematchKind};
use crate::secret::SecretHash;
use crate::store::sql::decode::{
    ascending_finishes, game_ids, hash, parse_page, parse_program, parse_rematch_kind,
    parse_versions,
};
use crate::store::sql::queries::{ABANDONED, AWAITED, FINISHED, UNTOUCHED, UPLOADED};
use crate::store::{
    GameId, GameList, GamePage, GameVersion, MAX_OWN_GAMES_SKIPPED, PageCursor, RegisteredProgram,
    RetentionCutoffs, StoredReview, sql,
};

pub(super) async fn list_games(
    pool: &PgPool,
    list: GameList,
    after: Option<PageCursor>,
    limit: u32,
) -> Result<GamePage, sqlx::Error> {
    let after = after.unwrap_or(PageCursor::FIRST);
    let query = match &list {
        GameList::Of(browser) => sqlx::query(sql::queries::GAMES_OF).bind(hash(browser)),
        GameList::Watchable => sqlx::query(sql::queries::ALL_WATCHABLE),
    };
    let query = query.bind(after.active_ms).bind(after.serial);
    parse_page(&query.bind(i64::from(limit)).fetch_all(pool).await?)
}

pub(super) async fn versions(
    pool: &PgPool,
    games: &[GameId],
) -> Result<Vec<GameVersion>, sqlx::Error> {
    let games: Vec<&str> = games.iter().map(GameId::as_str).collect();
    let query = "SELECT id, entries, seats_revision,
            (SELECT next.id FROM game AS next WHERE next.rematch_of = game.id
             ORDER BY next.serial DESC LIMIT 1) AS rematch
        FROM game WHERE id = ANY($1)";
    let query = sqlx::query(query).bind(games);
    parse_versions(&query.fetch_all(pool).await?)
}

pub(super) async fn list_watchable(
    pool: &PgPool,
    viewer: Option<&SecretHash>,
    limit: u32,
) -> Result<Vec<GameId>, sqlx::Error> {
    let query = sqlx::query_scalar(sql::queries::WATCHABLE)
        .bind(viewer.map(hash))
        .bind(i64::from(limit))
        .bind(i64::from(limit) + i64::from(MAX_OWN_GAMES_SKIPPED));
    game_ids(query.fetch_all(pool).await)
}

pub(super) async fn list_unfinished(
    pool: &PgPool,
    pace: ComputerPace,
    after: Option<PageCursor>,
    limit: u32,
) -> Result<GamePage, sqlx::Error> {
    let after = after.unwrap_or(PageCursor::FIRST);
    let query = sqlx::query(sql::queries::UNFINISHED)
        .bind(pace.name())
        .bind(after.active_ms)
        .bind(after.serial)
        .bind(i64::from(limit));
    parse_page(&query.fetch_all(pool).await?)
}

pub(super) async fn list_all(
    pool: &PgPool,
    after: Option<PageCursor>,
    limit: u32,
) -> Result<GamePage, sqlx::Error> {
    let after = after.map_or(i64::MIN, |cursor| cursor.serial);
    let query = sqlx::query(sql::queries::ALL_GAMES)
        .bind(after)
        .bind(i64::from(limit));
    parse_page(&query.fetch_all(pool).await?)
}

pub(super) async fn book_page_game(
    pool: &PgPool,
    browser: &SecretHash,
) -> Result<Option<GameId>, sqlx::Error> {
    let query = sqlx::query_scalar(sql::queries::BOOK_GAME).bind(hash(browser));
    Ok(game_ids(query.fetch_all(pool).await)?.into_iter().next())
}

pub(super) async fn find_seat_by_link(
    pool: &PgPool,
    link: &SecretHash,
) -> Result<Option<(GameId, u8)>, sqlx::Error> {
    let query = sqlx::query_as(sql::queries::SEAT_OF_LINK).bind(hash(link));
    let found: Option<(String, i64)> = query.fetch_optional(pool).await?;
    Ok(found.and_then(|(id, player)| Some((id.parse().ok()?, u8::try_from(player).ok()?))))
}

pub(super) async fn rematches(
    pool: &PgPool,
    id: &GameId,
) -> Result<Vec<(RematchKind, GameId)>, sqlx::Error> {
    let query = sqlx::query_as(sql::queries::REMATCHES).bind(id.as_str());
    let found: Vec<(String, String)> = query.fetch_all(pool).await?;
    let found = found.iter();
    // Damaged rows are skipped so that they do not hide others.
    let mut found: Vec<_> = found
        .filter_map(|(id, kind)| Some((parse_rematch_kind(kind).ok()?, id.parse().ok()?)))
        .collect();
    found.sort();
    Ok(found)
}

pub(super) async fn list_expired(
    pool: &PgPool,
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
        found.extend(game_ids(query.fetch_all(pool).await)?);
    }
    Ok(found)
}

pub(super) async fn last_activity_ms(pool: &PgPool) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar(sql::queries::LAST_ACTIVITY)
        .fetch_one(pool)
        .await
}

pub(super) async fn counts(pool: &PgPool) -> Result<Vec<(String, u64)>, sqlx::Error> {
    let counts: Vec<(String, i64)> = sqlx::query_as(sql::queries::COUNTS).fetch_all(pool).await?;
    let counts = counts.into_iter();
    Ok(counts
        .map(|(name, count)| (name, count.unsigned_abs()))
        .collect())
}

pub(super) async fn review(
    pool: &PgPool,
    id: &GameId,
) -> Result<Option<StoredReview>, sqlx::Error> {
    let query = sqlx::query_as(sql::queries::REVIEW).bind(id.as_str());
    let found: Option<(bool, Option<String>)> = query.fetch_optional(pool).await?;
    Ok(found.map(|(is_wanted, review)| StoredReview { is_wanted, review }))
}

pub(super) async fn pending_reviews(pool: &PgPool, limit: u32) -> Result<Vec<GameId>, sqlx::Error> {
    let query = sqlx::query_scalar(sql::queries::PENDING_REVIEWS).bind(i64::from(limit));
    game_ids(query.fetch_all(pool).await)
}

pub(super) async fn program(
    pool: &PgPool,
    id: &str,
) -> Result<Option<RegisteredProgram>, sqlx::Error> {
    let query = sqlx::query(sql::queries::PROGRAM).bind(id);
    let row = query.fetch_optional(pool).await?;
    row.as_ref().map_or(Ok(None), parse_program)
}

pub(super) async fn program_by_token(
    pool: &PgPool,
    token: &SecretHash,
) -> Result<Option<RegisteredProgram>, sqlx::Error> {
    let query = sqlx::query(sql::queries::PROGRAM_BY_TOKEN).bind(hash(token));
    let row = query.fetch_optional(pool).await?;
    row.as_ref().map_or(Ok(None), parse_program)
}

pub(super) async fn list_games_of_program(
    pool: &PgPool,
    token: &SecretHash,
    limit: u32,
) -> Result<Vec<GameId>, sqlx::Error> {
    let query = sqlx::query_scalar(sql::queries::GAMES_OF_PROGRAM).bind(hash(token));
    let query = query.bind(i64::from(limit));
    game_ids(query.fetch_all(pool).await)
}

pub(super) async fn with_programs(
    pool: &PgPool,
    games: &[GameId],
    tokens: &[SecretHash],
) -> Result<Vec<GameId>, sqlx::Error> {
    let games: Vec<&str> = games.iter().map(GameId::as_str).collect();
    let tokens: Vec<&[u8]> = tokens.iter().map(hash).collect();
    let query = "SELECT DISTINCT game FROM seat
        WHERE game = ANY($1) AND coalesce(invite, token) = ANY($2)";
    let query = sqlx::query_scalar(query).bind(games).bind(tokens);
    game_ids(query.fetch_all(pool).await)
}

pub(super) async fn program_finishes(
    pool: &PgPool,
    token: &SecretHash,
    after: Option<i64>,
    limit: u32,
) -> Result<Vec<(i64, GameId)>, sqlx::Error> {
    let query = sqlx::query_as(sql::queries::PROGRAM_FINISHES)
        .bind(hash(token))
        .bind(after.unwrap_or(i64::MAX))
        .bind(i64::from(limit));
    Ok(ascending_finishes(query.fetch_all(pool).await?))
}

pub(super) async fn invitations(pool: &PgPool, token: &SecretHash) -> Result<u32, sqlx::Error> {
    let query = sqlx::query_scalar(sql::queries::INVITATIONS).bind(hash(token));
    let count: i64 = query.fetch_one(pool).await?;
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

/// The size of the database on its server's disk, in bytes.
pub(super) async fn used_bytes(pool: &PgPool) -> Result<u64, sqlx::Error> {
    let query = "SELECT pg_database_size(current_database())";
    let bytes: i64 = sqlx::query_scalar(query).fetch_one(pool).await?;
    Ok(bytes.unsigned_abs())
}
