//! Batched appends: one statement inserts all pending entries and one updates the rows of their games, whatever
//! their number. A statement costs a round trip to SQLite's thread, which is more than the cost of writing a
//! row.
//!
//! The writer caches the append points (next entry number and chain head) of games in play, since it is the
//! only writer. So an entry is checked before anything is written, and a rejected one needs no rollback.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection as _, Row as _};

use super::open::{code, primary_code};
use crate::store::hash_chain::ChainHash;
use crate::store::sql::decode::parse_chain_hash;
use crate::store::sql::encode::{EntryColumns, finished_ms};
use crate::store::write_queue::{AppendRequest, unavailable};
use crate::store::{AppendOptions, GameHeader, GameId, StoreError, StoredEntry, sql};

/// The maximum number of cached append points; beyond it the cache is cleared.
const MAX_CACHED: usize = 10_000;

/// The state from which the next entry of a game is appended.
#[derive(Clone)]
enum SqliteAppendPoint {
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

/// The append points of games in play.
#[derive(Default)]
pub(super) struct AppendPointCache(HashMap<GameId, SqliteAppendPoint>);

/// A new row of the table `entry`, and the update of its game's row.
struct SqliteEntryRow<'a> {
    append: &'a AppendRequest,
    hash: ChainHash,
}

impl AppendPointCache {
    /// Clears the cache, after games were changed by something other than appends.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Loads the append points that are not cached.
    async fn load_missing(
        &mut self,
        connection: &mut SqliteConnection,
        appends: &[&AppendRequest],
    ) -> Result<(), sqlx::Error> {
        if self.0.len() > MAX_CACHED {
            self.clear();
        }
        let unknown: Vec<&str> = appends
            .iter()
            .filter(|append| !self.0.contains_key(&append.id))
            .map(|append| append.id.as_str())
            .collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let query = "SELECT game.id, game.entries, game.tip, last.seal,
                finished_ms IS NOT NULL OR last.ending IS NOT NULL AS closed
            FROM game LEFT JOIN entry AS last ON last.game = game.id AND last.number = game.entries - 1
            WHERE game.id IN (SELECT value FROM json_each($1))";
        let rows = sqlx::query(query)
            .bind(json!(unknown).to_string())
            .fetch_all(connection)
            .await?;
        for row in rows {
            let entries: u32 = row.try_get("entries")?;
            let point = match (
                parse_chain_hash(&row, "tip"),
                parse_chain_hash(&row, "seal"),
            ) {
                _ if row.try_get("closed")? => SqliteAppendPoint::Closed { entries },
                (Ok(head), Ok(last)) if head == last => SqliteAppendPoint::Open { entries, head },
                (Ok(head), Err(_)) if entries == 0 => SqliteAppendPoint::Open { entries, head },
                _ => SqliteAppendPoint::Damaged,
            };
            let id: &str = row.try_get("id")?;
            if let Ok(id) = id.parse() {
                self.0.insert(id, point);
            }
        }
        Ok(())
    }

    /// Checks that an entry is the next one of its game, and advances the append point.
    fn check_and_advance<'a>(
        &mut self,
        append: &'a AppendRequest,
    ) -> Result<SqliteEntryRow<'a>, StoreError> {
        let point = self.0.get_mut(&append.id).ok_or(StoreError::NotFound)?;
        let head = match point {
            SqliteAppendPoint::Open { entries, head } if *entries == append.expected => *head,
            SqliteAppendPoint::Open { entries, .. } | SqliteAppendPoint::Closed { entries } => {
                return Err(StoreError::Conflict { next: *entries });
            }
            SqliteAppendPoint::Damaged => {
                let message = format!("game {}: its end is not as it was written", append.id);
                return Err(StoreError::Damaged(message));
            }
        };
        let hash = head.next_hash(append.expected, &append.entry);
        let entries = append.expected + 1;
        *point = match append.entry {
            StoredEntry::Ply(_) | StoredEntry::Takeback(_) | StoredEntry::Contribution(_) => {
                SqliteAppendPoint::Open {
                    entries,
                    head: hash,
                }
            }
            StoredEntry::FinalPly(_) | StoredEntry::Ending(_) => {
                SqliteAppendPoint::Closed { entries }
            }
        };
        Ok(SqliteEntryRow { append, hash })
    }
}

/// Appends entries one by one within a transaction, each in a savepoint: one that violates a constraint is
/// rolled back alone.
pub(super) async fn append_each(
    transaction: &mut SqliteConnection,
    append_points: &mut AppendPointCache,
    appends: &[&AppendRequest],
) -> Result<Vec<Result<u64, StoreError>>, sqlx::Error> {
    let mut answers = Vec::with_capacity(appends.len());
    for append in appends {
        append_points.clear();
        let mut savepoint = transaction.begin().await?;
        match append_together(&mut savepoint, append_points, &[append]).await {
            Ok(answer) => {
                savepoint.commit().await?;
                answers.extend(answer);
            }
            Err(error) if is_constraint(&error) => {
                savepoint.rollback().await?;
                answers.push(Err(unavailable(error)));
            }
            Err(error) => return Err(error),
        }
    }
    // The last entry may have been rolled back, so its append point is invalid.
    append_points.clear();
    Ok(answers)
}

/// Whether a row violates the schema: a defect in one entry, not in the storage.
pub(super) fn is_constraint(error: &sqlx::Error) -> bool {
    primary_code(error) == Some(code::CONSTRAINT)
}

/// Appends entries within a transaction; invalid ones are rejected individually. An outer error comes from the
/// storage and may leave a part of them in the transaction.
pub(super) async fn append_together(
    connection: &mut SqliteConnection,
    append_points: &mut AppendPointCache,
    appends: &[&AppendRequest],
) -> Result<Vec<Result<u64, StoreError>>, sqlx::Error> {
    append_points.load_missing(connection, appends).await?;
    let mut rows = Vec::with_capacity(appends.len());
    let mut answers = Vec::with_capacity(appends.len());
    for append in appends {
        answers.push(append_points.check_and_advance(append).map(|row| {
            rows.push(row);
            0
        }));
    }
    if !rows.is_empty() {
        write(connection, &rows).await?;
    }
    Ok(answers)
}

/// Appends all entries of a game that was created within the same transaction.
pub(super) async fn append_new(
    connection: &mut SqliteConnection,
    header: &GameHeader,
    entries: &[StoredEntry],
) -> Result<(), sqlx::Error> {
    if entries.is_empty() {
        return Ok(());
    }
    let appends: Vec<AppendRequest> = (0..)
        .zip(entries)
        .map(|(expected, entry)| AppendRequest {
            id: header.id.clone(),
            expected,
            entry: entry.clone(),
            options: AppendOptions::UNKNOWN,
        })
        .collect();
    let mut head = ChainHash::header_hash(header);
    let rows: Vec<SqliteEntryRow<'_>> = appends
        .iter()
        .map(|append| {
            head = head.next_hash(append.expected, &append.entry);
            SqliteEntryRow { append, hash: head }
        })
        .collect();
    write(connection, &rows).await
}

async fn write(
    connection: &mut SqliteConnection,
    rows: &[SqliteEntryRow<'_>],
) -> Result<(), sqlx::Error> {
    let entries: Vec<Value> = rows.iter().map(SqliteEntryRow::entry_values).collect();
    let query = "INSERT INTO entry (game, number, player, action, roll, ending, at_ms, seal, takeback, entropy)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
               unhex(value ->> 7), value ->> 8, value ->> 9
        FROM json_each($1)";
    let inserted = sqlx::query(query)
        .bind(Value::from(entries).to_string())
        .execute(&mut *connection)
        .await?;
    // The last entry of each game determines the update of its row.
    let last_rows: HashMap<&GameId, &SqliteEntryRow<'_>> =
        rows.iter().map(|row| (&row.append.id, row)).collect();
    let games: Vec<Value> = last_rows.values().map(|row| row.game_values()).collect();
    // Indexes depend on `finished_ms`, so it is written only if it changes.
    let query = "UPDATE game SET entries = new.value ->> 1, tip = unhex(new.value ->> 2)
        FROM json_each($1) AS new WHERE game.id = new.value ->> 0";
    let updated = sqlx::query(query)
        .bind(Value::from(games).to_string())
        .execute(&mut *connection)
        .await?;
    for row in last_rows.values() {
        if let Some(finished_ms) = finished_ms(&row.append.entry) {
            sqlx::query(sql::queries::FINISH)
                .bind(row.append.id.as_str())
                .bind(finished_ms)
                .execute(&mut *connection)
                .await?;
        }
    }
    // A damaged index may hide a game's row, and readers would not find the entry.
    let expected_rows = (rows.len() as u64, last_rows.len() as u64);
    if (inserted.rows_affected(), updated.rows_affected()) == expected_rows {
        Ok(())
    } else {
        Err(sqlx::Error::Protocol(
            "a game's row was not found when an entry was appended".to_owned(),
        ))
    }
}

impl SqliteEntryRow<'_> {
    fn entry_values(&self) -> Value {
        let AppendRequest {
            id,
            expected,
            entry,
            ..
        } = self.append;
        let columns = EntryColumns::from_entry(entry);
        json!([
            id.as_str(),
            expected,
            columns.player,
            columns.action,
            columns.roll,
            columns.ending,
            columns.at_ms,
            hex(&self.hash),
            columns.takeback,
            columns.entropy
        ])
    }

    /// The new values of the game's row.
    fn game_values(&self) -> Value {
        let id = self.append.id.as_str();
        json!([id, self.append.expected + 1, hex(&self.hash)])
    }
}

/// A hash as hexadecimal digits, for SQLite's `unhex`.
pub(super) fn hex(hash: &ChainHash) -> String {
    let mut text = String::with_capacity(32);
    for byte in hash.as_bytes() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
