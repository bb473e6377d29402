//! Lists of games, newest activity first. Each query reads only as many rows as it returns, whatever the number
//! of games: triggers maintain the columns and indexes that it uses (migration 0005).

use serde_json::json;
use sqlx::sqlite::SqlitePool;

use crate::seats::ComputerPace;
use crate::secret::SecretHash;
use crate::store::sql::decode::{game_ids, hash, parse_page, parse_versions};
use crate::store::{
    GameId, GameList, GamePage, GameVersion, MAX_OWN_GAMES_SKIPPED, PageCursor, sql,
};

pub(super) async fn list_games(
    readers: &SqlitePool,
    list: GameList,
    after: Option<PageCursor>,
    limit: u32,
) -> Result<GamePage, sqlx::Error> {
    let after = after.unwrap_or(PageCursor::FIRST);
    let query = match &list {
        GameList::Of(browser) => sqlx::query(sql::queries::GAMES_OF).bind(hash(browser)),
        GameList::Watchable => sqlx::query(sql::queries::ALL_WATCHABLE),
    };
    let query = query.bind(after.active_ms).bind(after.serial).bind(limit);
    parse_page(&query.fetch_all(readers).await?)
}

pub(super) async fn versions(
    readers: &SqlitePool,
    games: &[GameId],
) -> Result<Vec<GameVersion>, sqlx::Error> {
    let games: Vec<&str> = games.iter().map(GameId::as_str).collect();
    let query = "SELECT id, entries, seats_revision,
            (SELECT next.id FROM game AS next WHERE next.rematch_of = game.id
             ORDER BY next.serial DESC LIMIT 1) AS rematch
        FROM game WHERE id IN (SELECT value FROM json_each($1))";
    let query = sqlx::query(query).bind(json!(games).to_string());
    parse_versions(&query.fetch_all(readers).await?)
}

pub(super) async fn list_watchable(
    readers: &SqlitePool,
    viewer: Option<&SecretHash>,
    limit: u32,
) -> Result<Vec<GameId>, sqlx::Error> {
    let query = sqlx::query_scalar(sql::queries::WATCHABLE)
        .bind(viewer.map(hash))
        .bind(limit)
        .bind(i64::from(limit) + i64::from(MAX_OWN_GAMES_SKIPPED));
    game_ids(query.fetch_all(readers).await)
}

pub(super) async fn list_unfinished(
    readers: &SqlitePool,
    pace: ComputerPace,
    after: Option<PageCursor>,
    limit: u32,
) -> Result<GamePage, sqlx::Error> {
    let after = after.unwrap_or(PageCursor::FIRST);
    let query = sqlx::query(sql::queries::UNFINISHED)
        .bind(pace.name())
        .bind(after.active_ms)
        .bind(after.serial)
        .bind(limit);
    parse_page(&query.fetch_all(readers).await?)
}

pub(super) async fn list_all(
    readers: &SqlitePool,
    after: Option<PageCursor>,
    limit: u32,
) -> Result<GamePage, sqlx::Error> {
    let after = after.map_or(i64::MIN, |cursor| cursor.serial);
    let query = sqlx::query(sql::queries::ALL_GAMES).bind(after).bind(limit);
    parse_page(&query.fetch_all(readers).await?)
}

#[cfg(test)]
mod tests {
    use super::super::SqliteStore;
    use super::super::retention;
    use super::*;
    use crate::store::GameStore as _;
    use sqlx::Row as _;

    /// SQLite's plan for a query.
    async fn plan(store: &SqliteStore, query: &str) -> String {
        let explain = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {query}"));
        let rows = sqlx::query(explain).fetch_all(&store.readers).await;
        let rows = rows.unwrap();
        let steps = rows.iter().map(|row| row.get::<String, _>("detail"));
        steps.collect::<Vec<_>>().join("; ")
    }

    #[tokio::test]
    async fn no_list_scans_or_sorts_all_games() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let store = SqliteStore::open(&path).await.unwrap();
        let lists = [
            (sql::queries::GAMES_OF, "shelf_newest"),
            (sql::queries::WATCHABLE, "game_watchable"),
            (sql::queries::ALL_WATCHABLE, "game_watchable"),
            (sql::queries::UNFINISHED, "game_unfinished"),
            (sql::queries::GAMES_OF_PROGRAM, "program_game"),
            (sql::queries::PROGRAM_FINISHES, "program_finish_of"),
            (sql::queries::ALL_GAMES, "INTEGER PRIMARY KEY"),
        ];
        for (query, index) in lists.into_iter().chain(retention::QUERIES) {
            let plan = plan(&store, query).await;
            assert!(plan.contains(index), "{index}: {plan}");
            // A scan of an index in order, which the limit stops, does not read all games.
            let walks = plan.contains("SCAN game;") || plan.ends_with("SCAN game");
            assert!(!walks && !plan.contains("SCAN shelf"), "{index}: {plan}");
            // Sorting is allowed for a result that is already limited, and for the unfinished games of one
            // program.
            let sorts = plan.matches("TEMP B-TREE FOR ORDER BY").count();
            let few = [sql::queries::WATCHABLE, sql::queries::GAMES_OF_PROGRAM];
            assert!(
                sorts <= usize::from(few.contains(&query)),
                "{index}: {plan}"
            );
        }
        store.close().await;
    }
}
