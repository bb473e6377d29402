//! Leases of games, and the queue of due games. Each statement outside the writer's transactions commits on its
//! own: if its reply is lost, the lease expires. All times are those of the database's clock.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use sqlx::postgres::{PgConnection, PgPool};

use crate::store::error::StoreError;
use crate::store::id::GameId;
use crate::store::lease::{AppendOptions, FencingToken, LeaseResult};
use crate::store::local_leases::is_last;
use crate::store::sql::batch::BatchLeases;
use crate::store::stored_game::StoredEntry;
use crate::store::write_queue::AppendRequest;

/// A game's row in the table `lease`, locked by the transaction, with its pending update.
#[derive(Clone, Copy, Default, Debug)]
struct LeaseRow {
    /// `None` if there is no row.
    token: Option<i64>,
    /// Whether the lease has not expired.
    is_held: bool,
    change: Option<LeaseRowChange>,
}

#[derive(Clone, Copy, Debug)]
struct LeaseRowChange {
    /// After how many milliseconds the game is due.
    due_ms: Option<i64>,
    /// The lease's new duration in milliseconds from now; 0 ends the lease, a negative value leaves it unchanged.
    lease_ms: i64,
}

/// Leaves the lease unchanged.
const UNCHANGED: i64 = -1;

/// The rows of the games of a batch, by game.
#[derive(Default, Debug)]
pub(in crate::store) struct LeaseRows(HashMap<String, LeaseRow>);

impl LeaseRows {
    /// Locks and reads the rows of the games of these entries, in the order of their ids.
    pub(super) async fn lock(
        connection: &mut PgConnection,
        appends: &[&AppendRequest],
    ) -> Result<Self, sqlx::Error> {
        let games: Vec<&str> = appends.iter().map(|append| append.id.as_str()).collect();
        let query =
            "SELECT game, token, until_ms > (extract(epoch FROM clock_timestamp()) * 1000)::bigint
        FROM lease WHERE game = ANY($1) ORDER BY game FOR UPDATE";
        let rows: Vec<(String, i64, bool)> = sqlx::query_as(query)
            .bind(games)
            .fetch_all(connection)
            .await?;
        let row = |(game, token, is_held)| {
            let row = LeaseRow {
                token: Some(token),
                is_held,
                change: None,
            };
            (game, row)
        };
        Ok(LeaseRows(rows.into_iter().map(row).collect()))
    }

    /// Writes the updated rows, and inserts missing rows of due games.
    pub(super) async fn write(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        // In the order of their ids, as they were locked.
        let changed: BTreeMap<&String, (Option<i64>, LeaseRowChange)> = self
            .0
            .iter()
            .filter_map(|(game, row)| Some((game, (row.token, row.change?))))
            .filter(|(_, (token, change))| token.is_some() || change.due_ms.is_some())
            .collect();
        if changed.is_empty() {
            return Ok(());
        }
        let games: Vec<&str> = changed.keys().map(|game| game.as_str()).collect();
        let due = changed.values().map(|(_, change)| change.due_ms);
        let tokens = changed.values().map(|(token, _)| token.unwrap_or(0));
        let leases = changed.values().map(|(_, change)| change.lease_ms);
        let query = "INSERT INTO lease (game, due_ms, token, until_ms)
        SELECT game, now.ms + due, token,
            CASE WHEN lease_ms > 0 THEN now.ms + lease_ms ELSE lease_ms END
        FROM unnest($1, $2, $3, $4) AS new (game, due, token, lease_ms),
            (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms) AS now
        ON CONFLICT (game) DO UPDATE SET due_ms = excluded.due_ms, token = excluded.token,
            until_ms = CASE WHEN excluded.until_ms < 0 THEN lease.until_ms ELSE excluded.until_ms END";
        sqlx::query(query)
            .bind(games)
            .bind(due.collect::<Vec<_>>())
            .bind(tokens.collect::<Vec<_>>())
            .bind(leases.collect::<Vec<_>>())
            .execute(connection)
            .await?;
        Ok(())
    }
}

impl BatchLeases for LeaseRows {
    fn check_fence(&self, id: &GameId, options: AppendOptions) -> Result<(), StoreError> {
        let row = self.0.get(id.as_str()).copied();
        row.unwrap_or_default().check_fence(options)
    }

    fn record_append(&mut self, id: &GameId, entry: &StoredEntry, options: AppendOptions) -> u64 {
        let row = self.0.entry(id.to_string()).or_default();
        row.record_append(is_last(entry), options)
    }
}

impl LeaseRow {
    fn check_fence(&self, options: AppendOptions) -> Result<(), StoreError> {
        match options.fence {
            Some(fence) if self.token != Some(token_to_db(fence)) => Err(StoreError::Fenced),
            Some(_) | None => Ok(()),
        }
    }

    /// Records the scheduling data of an append; returns the granted fencing token, 0 for none.
    fn record_append(&mut self, is_last: bool, options: AppendOptions) -> u64 {
        let due_ms = options.due.filter(|_| !is_last).map(millis);
        let requested = options.lease.filter(|_| !is_last);
        let (lease_ms, granted) = match requested {
            None if due_ms == Some(0) => (UNCHANGED, 0),
            None => {
                self.is_held = false;
                (0, 0)
            }
            Some(_) if self.is_held && options.fence.is_none() => (UNCHANGED, 0),
            Some(time) => {
                let next = options.fence.map(token_to_db);
                let token = next.unwrap_or_else(|| self.token.unwrap_or(0) + 1);
                (self.token, self.is_held) = (Some(token), true);
                (millis(time), token.unsigned_abs())
            }
        };
        self.change = Some(LeaseRowChange { due_ms, lease_ms });
        granted
    }
}

/// Marks a game as possibly due after its creation or a change of seats, if computers play together with others or
/// people have limited time for a turn, or before a start at a set time. A change of seats may also begin the time to reveal entropy text, at any pace.
pub(super) async fn mark_possibly_due(
    connection: &mut PgConnection,
    id: &GameId,
) -> Result<(), sqlx::Error> {
    let query = "INSERT INTO lease (game, due_ms, token, until_ms)
        SELECT id, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, 0, 0
        FROM game WHERE id = $1 AND (pace = 'at-once' OR seats_revision > 0) AND finished_ms IS NULL
          AND (turn_s IS NOT NULL OR waits_for = 'time' OR EXISTS (SELECT 1 FROM seat WHERE seat.game = id AND occupant = 'level'))
          AND EXISTS (SELECT 1 FROM seat WHERE seat.game = id AND occupant <> 'level')
        ON CONFLICT (game) DO UPDATE SET due_ms = least(lease.due_ms, excluded.due_ms)";
    let result = sqlx::query(query).bind(id.as_str()).execute(connection);
    result.await.map(drop)
}

pub(super) async fn lease(
    pool: &PgPool,
    id: &GameId,
    time: Duration,
) -> Result<LeaseResult, sqlx::Error> {
    let query = "INSERT INTO lease (game, token, until_ms)
        SELECT id, 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $2 FROM game WHERE id = $1
        ON CONFLICT (game) DO UPDATE SET token = lease.token + 1, until_ms = excluded.until_ms
            WHERE lease.until_ms <= (extract(epoch FROM clock_timestamp()) * 1000)::bigint
        RETURNING token";
    let token: Option<i64> = sqlx::query_scalar(query)
        .bind(id.as_str())
        .bind(millis(time))
        .fetch_optional(pool)
        .await?;
    Ok(token.map_or(LeaseResult::HeldByOther, |token| {
        LeaseResult::Granted(token_from_db(token))
    }))
}

/// A locked row is being written and is skipped: the append renews its lease, or the next call does.
pub(super) async fn renew(
    pool: &PgPool,
    held: &[(GameId, FencingToken)],
    time: Duration,
) -> Result<(), sqlx::Error> {
    let games: Vec<&str> = held.iter().map(|(id, _)| id.as_str()).collect();
    let tokens: Vec<i64> = held.iter().map(|(_, fence)| token_to_db(*fence)).collect();
    let query =
        "UPDATE lease SET until_ms = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $3
        FROM (SELECT lease.game FROM lease JOIN unnest($1, $2) AS held (game, token)
                  ON lease.game = held.game AND lease.token = held.token
              FOR UPDATE OF lease SKIP LOCKED) AS mine
        WHERE lease.game = mine.game";
    let query = sqlx::query(query).bind(games).bind(tokens);
    query.bind(millis(time)).execute(pool).await.map(drop)
}

pub(super) async fn release(
    pool: &PgPool,
    id: &GameId,
    fence: FencingToken,
    due: Option<Duration>,
) -> Result<(), sqlx::Error> {
    // A game that is due already keeps its place.
    let query = "UPDATE lease SET until_ms = 0, due_ms = CASE WHEN $3 = 0 THEN least(due_ms, now.ms) ELSE now.ms + $3 END
        FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms) AS now
        WHERE game = $1 AND token = $2";
    let query = sqlx::query(query)
        .bind(id.as_str())
        .bind(token_to_db(fence));
    query.bind(due.map(millis)).execute(pool).await.map(drop)
}

/// Skips games that another transaction is writing or claiming.
pub(super) async fn claim(
    pool: &PgPool,
    limit: u32,
    time: Duration,
) -> Result<Vec<(GameId, FencingToken)>, sqlx::Error> {
    let query = "UPDATE lease SET token = token + 1,
            until_ms = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $2
        FROM (SELECT game AS next FROM lease
              WHERE due_ms <= (extract(epoch FROM clock_timestamp()) * 1000)::bigint
                AND until_ms <= (extract(epoch FROM clock_timestamp()) * 1000)::bigint
              ORDER BY due_ms LIMIT $1 FOR UPDATE SKIP LOCKED) AS free
        WHERE game = next
        RETURNING game, token";
    let claimed: Vec<(String, i64)> = sqlx::query_as(query)
        .bind(i64::from(limit))
        .bind(millis(time))
        .fetch_all(pool)
        .await?;
    let claimed = claimed.into_iter();
    Ok(claimed
        .filter_map(|(id, token)| Some((id.parse().ok()?, token_from_db(token))))
        .collect())
}

fn token_from_db(token: i64) -> FencingToken {
    FencingToken(token.unsigned_abs())
}

fn token_to_db(fence: FencingToken) -> i64 {
    i64::try_from(fence.0).unwrap_or(i64::MAX)
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
