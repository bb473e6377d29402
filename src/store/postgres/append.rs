//! Batched appends: one statement inserts all pending entries and one updates the rows of their games, whatever
//! their number.
//!
//! Other servers may write to the same database, so append points are not cached: the rows of the games are
//! first locked (`super::batch`) and then read, so that the checks hold until the commit. If a writer bypassed
//! the lock, the primary key of `entry` would still admit only one row.

use std::collections::HashMap;

use sqlx::postgres::PgConnection;

use super::leases::{self, LeaseRow};
use super::notifications;
use crate::store::hash_chain::ChainHash;
use crate::store::local_leases::is_last;
use crate::store::sql::decode::{parse_chain_hash, required_number, required_text};
use crate::store::sql::encode::{EntryColumns, finished_ms};
use crate::store::write_queue::AppendRequest;
use crate::store::{GameChange, GameHeader, GameId, StoreError, StoredEntry, sql};

/// The state from which the next entry of a game is appended.
enum PostgresAppendPoint {
    Open {
        entries: u32,
        head: ChainHash,
    },
    /// The game is finished.
    Closed {
        entries: u32,
    },
    /// The chain head in the game's row differs from the hash of its last entry.
    Damaged,
}

/// A new row of the table `entry`.
struct PostgresEntryRow<'a> {
    id: &'a GameId,
    number: u32,
    entry: &'a StoredEntry,
    hash: ChainHash,
}

/// Appends entries to games whose rows are locked; invalid ones are rejected individually. The outer error
/// comes from the database.
pub(super) async fn append_all(
    connection: &mut PgConnection,
    appends: &[&AppendRequest],
) -> Result<Vec<Result<u64, StoreError>>, sqlx::Error> {
    if appends.is_empty() {
        return Ok(Vec::new());
    }
    let mut lease_rows = leases::lock(connection, appends).await?;
    let mut append_points = load_append_points(connection, appends).await?;
    let mut rows = Vec::with_capacity(appends.len());
    let mut answers = Vec::with_capacity(appends.len());
    for append in appends {
        let lease_row = lease_rows.entry(append.id.to_string()).or_default();
        let checked = check_and_advance(&mut append_points, lease_row, append);
        answers.push(checked.map(|row| {
            rows.push(row);
            lease_row.record_append(is_last(&append.entry), append.options)
        }));
    }
    write(connection, &rows).await?;
    leases::write(connection, &lease_rows).await?;
    let changes = rows
        .iter()
        .map(|row| (row.id, GameChange::Entries(row.number + 1)));
    notifications::notify(connection, &changes.collect::<Vec<_>>()).await?;
    Ok(answers)
}

/// Appends all entries of a game that was created within the same transaction.
pub(super) async fn append_new(
    connection: &mut PgConnection,
    header: &GameHeader,
    entries: &[StoredEntry],
) -> Result<(), sqlx::Error> {
    let mut head = ChainHash::header_hash(header);
    let rows: Vec<PostgresEntryRow<'_>> = (0..)
        .zip(entries)
        .map(|(number, entry)| {
            head = head.next_hash(number, entry);
            PostgresEntryRow {
                id: &header.id,
                number,
                entry,
                hash: head,
            }
        })
        .collect();
    write(connection, &rows).await
}

async fn load_append_points(
    connection: &mut PgConnection,
    appends: &[&AppendRequest],
) -> Result<HashMap<GameId, PostgresAppendPoint>, sqlx::Error> {
    let ids: Vec<&str> = appends.iter().map(|append| append.id.as_str()).collect();
    let query = "SELECT game.id, game.entries, game.tip, last.seal, game.finished_ms, last.ending
        FROM game LEFT JOIN entry AS last ON last.game = game.id AND last.number = game.entries - 1
        WHERE game.id = ANY($1)";
    let rows = sqlx::query(query).bind(ids).fetch_all(connection).await?;
    let mut append_points = HashMap::with_capacity(rows.len());
    for row in &rows {
        let Some(id) = required_text(row, "id").ok().and_then(|id| id.parse().ok()) else {
            continue;
        };
        append_points.insert(id, append_point(row)?);
    }
    Ok(append_points)
}

fn append_point(row: &sqlx::postgres::PgRow) -> Result<PostgresAppendPoint, sqlx::Error> {
    use crate::store::sql::decode::RowAccess as _;
    let is_closed = row.integer("finished_ms")?.is_some() || row.text("ending")?.is_some();
    let entries = required_number::<u32>(row, "entries");
    Ok(
        match (
            entries,
            parse_chain_hash(row, "tip"),
            parse_chain_hash(row, "seal"),
        ) {
            (Ok(entries), ..) if is_closed => PostgresAppendPoint::Closed { entries },
            (Ok(entries), Ok(head), Ok(last)) if head == last => {
                PostgresAppendPoint::Open { entries, head }
            }
            (Ok(0), Ok(head), Err(_)) => PostgresAppendPoint::Open { entries: 0, head },
            _ => PostgresAppendPoint::Damaged,
        },
    )
}

/// Checks that an entry is the next one of its game, and advances the append point.
fn check_and_advance<'a>(
    append_points: &mut HashMap<GameId, PostgresAppendPoint>,
    lease_row: &LeaseRow,
    append: &'a AppendRequest,
) -> Result<PostgresEntryRow<'a>, StoreError> {
    let point = append_points
        .get_mut(&append.id)
        .ok_or(StoreError::NotFound)?;
    let head = match point {
        PostgresAppendPoint::Open { entries, head } if *entries == append.expected => *head,
        PostgresAppendPoint::Open { entries, .. } | PostgresAppendPoint::Closed { entries } => {
            return Err(StoreError::Conflict { next: *entries });
        }
        PostgresAppendPoint::Damaged => {
            let message = format!("game {}: its end is not as it was written", append.id);
            return Err(StoreError::Damaged(message));
        }
    };
    lease_row.check_fence(append.options)?;
    let hash = head.next_hash(append.expected, &append.entry);
    let entries = append.expected + 1;
    *point = match finished_ms(&append.entry) {
        None => PostgresAppendPoint::Open {
            entries,
            head: hash,
        },
        Some(_) => PostgresAppendPoint::Closed { entries },
    };
    Ok(PostgresEntryRow {
        id: &append.id,
        number: append.expected,
        entry: &append.entry,
        hash,
    })
}

/// The columns of many rows, one array per column.
#[derive(Default)]
struct EntryArrays<'a> {
    games: Vec<&'a str>,
    numbers: Vec<i64>,
    players: Vec<Option<i64>>,
    actions: Vec<Option<&'a str>>,
    rolls: Vec<Option<&'a str>>,
    endings: Vec<Option<&'a str>>,
    at_ms: Vec<i64>,
    hashes: Vec<&'a [u8]>,
    takebacks: Vec<Option<i64>>,
    entropies: Vec<Option<&'a str>>,
}

impl<'a> EntryArrays<'a> {
    fn push(&mut self, row: &'a PostgresEntryRow<'a>) {
        let columns = EntryColumns::from_entry(row.entry);
        self.games.push(row.id.as_str());
        self.numbers.push(row.number.into());
        self.players.push(columns.player.map(i64::from));
        self.actions.push(columns.action);
        self.rolls.push(columns.roll);
        self.endings.push(columns.ending);
        self.at_ms.push(columns.at_ms);
        self.hashes.push(row.hash.as_bytes());
        self.takebacks.push(columns.takeback.map(i64::from));
        self.entropies.push(columns.entropy);
    }
}

async fn write(
    connection: &mut PgConnection,
    rows: &[PostgresEntryRow<'_>],
) -> Result<(), sqlx::Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut arrays = EntryArrays::default();
    rows.iter().for_each(|row| arrays.push(row));
    let query = "INSERT INTO entry (game, number, player, action, roll, ending, at_ms, seal, takeback, entropy)
        SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    let inserted = sqlx::query(query)
        .bind(arrays.games)
        .bind(arrays.numbers)
        .bind(arrays.players)
        .bind(arrays.actions)
        .bind(arrays.rolls)
        .bind(arrays.endings)
        .bind(arrays.at_ms)
        .bind(arrays.hashes)
        .bind(arrays.takebacks)
        .bind(arrays.entropies)
        .execute(&mut *connection)
        .await?;
    // The last entry of each game determines the update of its row.
    let last_rows: HashMap<&GameId, &PostgresEntryRow<'_>> =
        rows.iter().map(|row| (row.id, row)).collect();
    let last_rows: Vec<&PostgresEntryRow<'_>> = last_rows.into_values().collect();
    let ids: Vec<&str> = last_rows.iter().map(|row| row.id.as_str()).collect();
    let entries: Vec<i64> = last_rows
        .iter()
        .map(|row| i64::from(row.number) + 1)
        .collect();
    let heads: Vec<&[u8]> = last_rows
        .iter()
        .map(|row| row.hash.as_bytes().as_slice())
        .collect();
    // Indexes depend on `finished_ms`, so it is written only if it changes.
    let query = "UPDATE game SET entries = new.entries, tip = new.tip
        FROM unnest($1, $2, $3) AS new (id, entries, tip) WHERE game.id = new.id";
    let updated = sqlx::query(query)
        .bind(ids)
        .bind(entries)
        .bind(heads)
        .execute(&mut *connection)
        .await?;
    for row in &last_rows {
        if let Some(finished_ms) = finished_ms(row.entry) {
            let query = sqlx::query(sql::queries::FINISH).bind(row.id.as_str());
            query.bind(finished_ms).execute(&mut *connection).await?;
        }
    }
    let expected_rows = (rows.len() as u64, last_rows.len() as u64);
    if (inserted.rows_affected(), updated.rows_affected()) == expected_rows {
        Ok(())
    } else {
        Err(sqlx::Error::Decode(
            "a game's row was not found when an entry was appended".into(),
        ))
    }
}
