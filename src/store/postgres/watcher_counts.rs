//! Exchange of viewer counts between processes. Each process has one row, which it writes when its counts
//! change, at most once a second, and refreshes regularly to show that it is alive. The others read the counts
//! of a row when its revision has changed. Failed queries are not retried: the next exchange catches up.

use std::collections::HashMap;
use std::time::Duration;

use sqlx::postgres::PgPool;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::store::GameId;

/// Interval at which an unchanged row is refreshed.
const REFRESH_INTERVAL: Duration = Duration::from_secs(3);

/// Rows that are older are ignored.
const ALIVE_MS: i64 = 10_000;

/// Rows that are older are deleted by the next writer.
const DEAD_MS: i64 = 60_000;

/// Timeout for deleting the row at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(500);

/// The counts that this process has published and the counts of the others.
#[derive(Debug)]
pub(super) struct WatcherExchange {
    /// Identifies this process's row.
    name: String,
    state: Mutex<ExchangeState>,
}

#[derive(Debug, Default)]
struct ExchangeState {
    published: HashMap<GameId, u32>,
    revision: i64,
    /// Time of the last write; `None` if there is no row.
    published_at: Option<Instant>,
    remotes: HashMap<String, RemoteInstance>,
}

#[derive(Debug, Default)]
struct RemoteInstance {
    revision: i64,
    watchers: Vec<(GameId, u32)>,
}

impl WatcherExchange {
    pub(super) fn new() -> Self {
        WatcherExchange {
            name: GameId::random().to_string(),
            state: Mutex::default(),
        }
    }

    /// Publishes the local counts and returns the sums of all other processes' counts.
    pub(super) async fn exchange(
        &self,
        pool: &PgPool,
        local: HashMap<GameId, u32>,
    ) -> Result<HashMap<GameId, u32>, sqlx::Error> {
        let mut state = self.state.lock().await;
        self.publish_counts(pool, &mut state, local).await?;
        self.read_remote_counts(pool, &mut state).await?;
        let mut all = HashMap::new();
        for (id, watchers) in state.remotes.values().flat_map(|other| &other.watchers) {
            *all.entry(id.clone()).or_default() += watchers;
        }
        Ok(all)
    }

    async fn publish_counts(
        &self,
        pool: &PgPool,
        state: &mut ExchangeState,
        local: HashMap<GameId, u32>,
    ) -> Result<(), sqlx::Error> {
        if local.is_empty() {
            if state.published_at.is_some() {
                self.delete_own_row(pool).await?;
                (state.published, state.published_at) = (local, None);
            }
            return Ok(());
        }
        let is_published = state.published_at.is_some() && state.published == local;
        if is_published
            && state
                .published_at
                .is_some_and(|at| at.elapsed() < REFRESH_INTERVAL)
        {
            return Ok(());
        }
        if !is_published || !self.refresh_row(pool).await? {
            state.revision += 1;
            self.write_row(pool, state.revision, &local).await?;
            state.published = local;
        }
        state.published_at = Some(Instant::now());
        Ok(())
    }

    /// Refreshes the row; returns whether it still exists.
    async fn refresh_row(&self, pool: &PgPool) -> Result<bool, sqlx::Error> {
        let query =
            "UPDATE watching SET at_ms = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
            WHERE server = $1";
        let touched = sqlx::query(query).bind(&self.name).execute(pool).await?;
        Ok(touched.rows_affected() > 0)
    }

    async fn write_row(
        &self,
        pool: &PgPool,
        revision: i64,
        local: &HashMap<GameId, u32>,
    ) -> Result<(), sqlx::Error> {
        let games: Vec<&str> = local.keys().map(GameId::as_str).collect();
        let watchers = local
            .values()
            .map(|count| i32::try_from(*count).unwrap_or(i32::MAX));
        let query = "WITH dead AS (DELETE FROM watching
                WHERE at_ms < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $5 AND server <> $1)
            INSERT INTO watching (server, revision, at_ms, games, watchers)
            VALUES ($1, $2, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, $3, $4)
            ON CONFLICT (server) DO UPDATE SET revision = excluded.revision, at_ms = excluded.at_ms,
                games = excluded.games, watchers = excluded.watchers";
        let query = sqlx::query(query)
            .bind(&self.name)
            .bind(revision)
            .bind(games);
        let query = query.bind(watchers.collect::<Vec<_>>()).bind(DEAD_MS);
        query.execute(pool).await.map(drop)
    }

    async fn read_remote_counts(
        &self,
        pool: &PgPool,
        state: &mut ExchangeState,
    ) -> Result<(), sqlx::Error> {
        let (names, revisions): (Vec<&str>, Vec<i64>) = state
            .remotes
            .iter()
            .map(|(name, other)| (name.as_str(), other.revision))
            .unzip();
        let query = "SELECT server, watching.revision,
                CASE WHEN known.revision IS DISTINCT FROM watching.revision THEN games END,
                CASE WHEN known.revision IS DISTINCT FROM watching.revision THEN watchers END
            FROM watching LEFT JOIN unnest($2, $3) AS known (name, revision) ON known.name = server
            WHERE server <> $1 AND at_ms > (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $4";
        type WatcherRow = (String, i64, Option<Vec<String>>, Option<Vec<i32>>);
        let rows: Vec<WatcherRow> = sqlx::query_as(query)
            .bind(&self.name)
            .bind(names)
            .bind(revisions)
            .bind(ALIVE_MS)
            .fetch_all(pool)
            .await?;
        let mut before = std::mem::take(&mut state.remotes);
        for (name, revision, games, watchers) in rows {
            let other = match (games, watchers) {
                (Some(games), Some(watchers)) => RemoteInstance {
                    revision,
                    watchers: parse_counts(games, watchers),
                },
                _ => before.remove(&name).unwrap_or_default(),
            };
            state.remotes.insert(name, other);
        }
        Ok(())
    }

    async fn delete_own_row(&self, pool: &PgPool) -> Result<(), sqlx::Error> {
        let query = sqlx::query("DELETE FROM watching WHERE server = $1");
        query.bind(&self.name).execute(pool).await.map(drop)
    }

    /// Deletes this process's row at shutdown.
    pub(super) async fn stop_publishing(&self, pool: &PgPool) {
        if self.state.lock().await.published_at.is_none() {
            return;
        }
        // If the database does not answer, the row expires soon.
        if let Ok(Err(error)) = timeout(SHUTDOWN_TIMEOUT, self.delete_own_row(pool)).await {
            tracing::debug!(%error, "the viewer counts of this process remain until they expire");
        }
    }
}

/// Invalid ids and negative counts, which no current release writes, are skipped.
fn parse_counts(games: Vec<String>, watchers: Vec<i32>) -> Vec<(GameId, u32)> {
    let both = games.into_iter().zip(watchers);
    both.filter_map(|(id, count)| Some((id.parse().ok()?, u32::try_from(count).ok()?)))
        .collect()
}
