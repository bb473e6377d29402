//! Entries that wait together are written together: one statement for all of them and one for the
//! rows of their games, however many there are. A statement costs a hop to SQLite's thread and back,
//! which is more than writing a row.
//!
//! The writer knows the last number and seal of the games that are played, for nobody else writes. So
//! an entry is judged before anything is written, and a refusal leaves nothing to undo.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection as _, Row as _};

use super::open::{code, primary_code};
use crate::store::hash_chain::ChainHash;
use crate::store::sql::decode::read_seal;
use crate::store::sql::encode::{EntryColumns, finished_ms};
use crate::store::write_queue::{AppendRequest, unavailable};
use crate::store::{AppendOptions, GameHeader, GameId, StoreError, StoredEntry, sql};

/// How many games' ends are known by heart; beyond it all are forgotten and learnt anew.
const KNOWN: usize = 10_000;

/// Where the next entry of a game goes.
#[derive(Clone)]
enum SqliteAppendPoint {
    Open {
        entries: u32,
        tip: ChainHash,
    },
    /// Nothing comes any more.
    Closed {
        entries: u32,
    },
    /// The game's row and its last entry do not fit each other.
    Damaged,
}

/// The ends of the games that are played.
#[derive(Default)]
pub(super) struct AppendPointCache(HashMap<GameId, SqliteAppendPoint>);

/// A row of the table `entry`, and what it makes of its game's row.
struct SqliteEntryRow<'a> {
    append: &'a AppendRequest,
    seal: ChainHash,
}

impl AppendPointCache {
    /// Forgets everything: games were changed in another way than by entries.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Learns the ends of the games that are not known.
    async fn learn(
        &mut self,
        connection: &mut SqliteConnection,
        appends: &[&AppendRequest],
    ) -> Result<(), sqlx::Error> {
        if self.0.len() > KNOWN {
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
            let end = match (read_seal(&row, "tip"), read_seal(&row, "seal")) {
                _ if row.try_get("closed")? => SqliteAppendPoint::Closed { entries },
                (Ok(tip), Ok(last)) if tip == last => SqliteAppendPoint::Open { entries, tip },
                (Ok(tip), Err(_)) if entries == 0 => SqliteAppendPoint::Open { entries, tip },
                _ => SqliteAppendPoint::Damaged,
            };
            let id: &str = row.try_get("id")?;
            if let Ok(id) = id.parse() {
                self.0.insert(id, end);
            }
        }
        Ok(())
    }

    /// Whether an entry is the next one of its game. If so, the entry after it may come.
    fn judge<'a>(&mut self, append: &'a AppendRequest) -> Result<SqliteEntryRow<'a>, StoreError> {
        let end = self.0.get_mut(&append.id).ok_or(StoreError::NotFound)?;
        let tip = match end {
            SqliteAppendPoint::Open { entries, tip } if *entries == append.expected => *tip,
            SqliteAppendPoint::Open { entries, .. } | SqliteAppendPoint::Closed { entries } => {
                return Err(StoreError::Conflict { next: *entries });
            }
            SqliteAppendPoint::Damaged => {
                let what = format!("game {}: its end is not as it was written", append.id);
                return Err(StoreError::Damaged(what));
            }
        };
        let seal = tip.after(append.expected, &append.entry);
        let entries = append.expected + 1;
        *end = match append.entry {
            StoredEntry::Ply(_) | StoredEntry::Takeback(_) | StoredEntry::Contribution(_) => {
                SqliteAppendPoint::Open { entries, tip: seal }
            }
            StoredEntry::FinalPly(_) | StoredEntry::Ending(_) => {
                SqliteAppendPoint::Closed { entries }
            }
        };
        Ok(SqliteEntryRow { append, seal })
    }
}

/// Appends entries one by one within a transaction; an entry that violates a constraint is undone alone.
pub(super) async fn append_each(
    transaction: &mut SqliteConnection,
    ends: &mut AppendPointCache,
    appends: &[&AppendRequest],
) -> Result<Vec<Result<u64, StoreError>>, sqlx::Error> {
    let mut answers = Vec::with_capacity(appends.len());
    for append in appends {
        ends.clear();
        let mut savepoint = transaction.begin().await?;
        match append_together(&mut savepoint, ends, &[append]).await {
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
    // What was refused last is not the end of its game.
    ends.clear();
    Ok(answers)
}

/// Whether the schema does not accept a row: a fault of ours in one entry, not of the disk.
pub(super) fn is_constraint(error: &sqlx::Error) -> bool {
    primary_code(error) == Some(code::CONSTRAINT)
}

/// Appends entries within a transaction, or refuses them one by one. After an error, which is the storage's, the
/// transaction may hold a part of them.
pub(super) async fn append_together(
    connection: &mut SqliteConnection,
    ends: &mut AppendPointCache,
    appends: &[&AppendRequest],
) -> Result<Vec<Result<u64, StoreError>>, sqlx::Error> {
    ends.learn(connection, appends).await?;
    let mut rows = Vec::with_capacity(appends.len());
    let mut answers = Vec::with_capacity(appends.len());
    for append in appends {
        answers.push(ends.judge(append).map(|row| {
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
            turn: AppendOptions::UNKNOWN,
        })
        .collect();
    let mut tip = ChainHash::of_header(header);
    let rows: Vec<SqliteEntryRow<'_>> = appends
        .iter()
        .map(|append| {
            tip = tip.after(append.expected, &append.entry);
            SqliteEntryRow { append, seal: tip }
        })
        .collect();
    write(connection, &rows).await
}

async fn write(
    connection: &mut SqliteConnection,
    rows: &[SqliteEntryRow<'_>],
) -> Result<(), sqlx::Error> {
    let entries: Vec<Value> = rows.iter().map(SqliteEntryRow::of_entry).collect();
    let query = "INSERT INTO entry (game, number, player, action, roll, ending, at_ms, seal, takeback, entropy)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
               unhex(value ->> 7), value ->> 8, value ->> 9
        FROM json_each($1)";
    let inserted = sqlx::query(query)
        .bind(Value::from(entries).to_string())
        .execute(&mut *connection)
        .await?;
    // Of several entries of a game the last one is its end.
    let ends: HashMap<&GameId, &SqliteEntryRow<'_>> =
        rows.iter().map(|row| (&row.append.id, row)).collect();
    let games: Vec<Value> = ends.values().map(|row| row.of_game()).collect();
    // Indexes depend on whether a game is finished, so that is written only where it changes.
    let query = "UPDATE game SET entries = new.value ->> 1, tip = unhex(new.value ->> 2)
        FROM json_each($1) AS new WHERE game.id = new.value ->> 0";
    let updated = sqlx::query(query)
        .bind(Value::from(games).to_string())
        .execute(&mut *connection)
        .await?;
    for row in ends.values() {
        if let Some(finished_ms) = finished_ms(&row.append.entry) {
            sqlx::query(sql::queries::FINISH)
                .bind(row.append.id.as_str())
                .bind(finished_ms)
                .execute(&mut *connection)
                .await?;
        }
    }
    // A damaged index may hide a row, and an entry without its game's row would be lost to readers.
    let whole = (rows.len() as u64, ends.len() as u64);
    if (inserted.rows_affected(), updated.rows_affected()) == whole {
        Ok(())
    } else {
        Err(sqlx::Error::Protocol(
            "rows of games that are played have gone".to_owned(),
        ))
    }
}

impl SqliteEntryRow<'_> {
    /// The columns of the table `entry`.
    fn of_entry(&self) -> Value {
        let AppendRequest {
            id,
            expected,
            entry,
            ..
        } = self.append;
        let columns = EntryColumns::of(entry);
        json!([
            id.as_str(),
            expected,
            columns.player,
            columns.action,
            columns.roll,
            columns.ending,
            columns.at_ms,
            hex(&self.seal),
            columns.takeback,
            columns.entropy
        ])
    }

    /// What the game's row becomes.
    fn of_game(&self) -> Value {
        let id = self.append.id.as_str();
        json!([id, self.append.expected + 1, hex(&self.seal)])
    }
}

/// A seal as JSON carries it to SQLite's `unhex`.
pub(super) fn hex(seal: &ChainHash) -> String {
    let mut text = String::with_capacity(32);
    for byte in seal.as_bytes() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
