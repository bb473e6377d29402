//! How many watch which games at each process: one row a process, written when its numbers change, once a second at
//! most, and touched now and then so that the others know that it is alive. Others read the numbers of a row when its
//! revision is another than the one they know. Nothing here is worth asking twice for: the next exchange makes good.

use std::collections::HashMap;
use std::time::Duration;

use sqlx::postgres::PgPool;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::store::GameId;

/// How often a row is touched that has not changed.
const TOUCH: Duration = Duration::from_secs(3);

/// A row that was not touched for so long counts no more.
const ALIVE_MS: i64 = 10_000;

/// A row that was not touched for so long is cleared away by whoever writes next.
const DEAD_MS: i64 = 60_000;

/// How long an end in good order takes for this at most.
const LEAVE: Duration = Duration::from_millis(500);

/// What this process has told, and what it knows of the others.
#[derive(Debug)]
pub(super) struct WatcherExchange {
    /// Tells the rows of processes apart.
    name: String,
    known: Mutex<ExchangeState>,
}

#[derive(Debug, Default)]
struct ExchangeState {
    told: HashMap<GameId, u32>,
    revision: i64,
    /// When it was told; none where there is no row.
    told_at: Option<Instant>,
    others: HashMap<String, RemoteInstance>,
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
            known: Mutex::default(),
        }
    }

    /// Tells what is watched here, and answers what is watched elsewhere.
    pub(super) async fn exchange(
        &self,
        pool: &PgPool,
        here: HashMap<GameId, u32>,
    ) -> Result<HashMap<GameId, u32>, sqlx::Error> {
        let mut known = self.known.lock().await;
        self.tell(pool, &mut known, here).await?;
        self.hear(pool, &mut known).await?;
        let mut all = HashMap::new();
        for (id, watchers) in known.others.values().flat_map(|other| &other.watchers) {
            *all.entry(id.clone()).or_default() += watchers;
        }
        Ok(all)
    }

    async fn tell(
        &self,
        pool: &PgPool,
        known: &mut ExchangeState,
        here: HashMap<GameId, u32>,
    ) -> Result<(), sqlx::Error> {
        if here.is_empty() {
            if known.told_at.is_some() {
                self.forget(pool).await?;
                (known.told, known.told_at) = (here, None);
            }
            return Ok(());
        }
        let is_told = known.told_at.is_some() && known.told == here;
        if is_told && known.told_at.is_some_and(|at| at.elapsed() < TOUCH) {
            return Ok(());
        }
        if !is_told || !self.touch(pool).await? {
            known.revision += 1;
            self.write(pool, known.revision, &here).await?;
            known.told = here;
        }
        known.told_at = Some(Instant::now());
        Ok(())
    }

    /// Whether the row is there still.
    async fn touch(&self, pool: &PgPool) -> Result<bool, sqlx::Error> {
        let query =
            "UPDATE watching SET at_ms = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
            WHERE server = $1";
        let touched = sqlx::query(query).bind(&self.name).execute(pool).await?;
        Ok(touched.rows_affected() > 0)
    }

    async fn write(
        &self,
        pool: &PgPool,
        revision: i64,
        here: &HashMap<GameId, u32>,
    ) -> Result<(), sqlx::Error> {
        let games: Vec<&str> = here.keys().map(GameId::as_str).collect();
        let watchers = here
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

    async fn hear(&self, pool: &PgPool, known: &mut ExchangeState) -> Result<(), sqlx::Error> {
        let (names, revisions): (Vec<&str>, Vec<i64>) = known
            .others
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
        let mut before = std::mem::take(&mut known.others);
        for (name, revision, games, watchers) in rows {
            let other = match (games, watchers) {
                (Some(games), Some(watchers)) => RemoteInstance {
                    revision,
                    watchers: read(games, watchers),
                },
                _ => before.remove(&name).unwrap_or_default(),
            };
            known.others.insert(name, other);
        }
        Ok(())
    }

    async fn forget(&self, pool: &PgPool) -> Result<(), sqlx::Error> {
        let query = sqlx::query("DELETE FROM watching WHERE server = $1");
        query.bind(&self.name).execute(pool).await.map(drop)
    }

    /// Nobody watches here any more.
    pub(super) async fn leave(&self, pool: &PgPool) {
        if self.known.lock().await.told_at.is_none() {
            return;
        }
        // Where the database does not answer, the row is soon too old.
        if let Ok(Err(error)) = timeout(LEAVE, self.forget(pool)).await {
            tracing::debug!(%error, "who watched here is forgotten in a while");
        }
    }
}

/// A name that is no game's, or a number below nought, comes from no process of this release.
fn read(games: Vec<String>, watchers: Vec<i32>) -> Vec<(GameId, u32)> {
    let both = games.into_iter().zip(watchers);
    both.filter_map(|(id, count)| Some((id.parse().ok()?, u32::try_from(count).ok()?)))
        .collect()
}
