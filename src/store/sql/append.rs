//! Batched appends: one statement inserts all pending entries and one updates the rows of their games, whatever
//! their number.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::batch::BatchConnection;
use super::batch::BatchLeases as _;
use super::encode::{EntryColumns, finished_ms};
use crate::provably_fair::hex;
use crate::store::chain_hash::ChainHash;
use crate::store::change::ChangeConnection;
use crate::store::database::connection::{SqlRow, params};
use crate::store::error::StoreError;
use crate::store::id::{GameId, json_ids};
use crate::store::notification::GameChange;
use crate::store::stored_game::{GameHeader, StoredEntry};
use crate::store::write_queue::{AppendRequest, BatchResults};

/// The maximum number of cached append points; beyond it the cache is cleared.
const MAX_CACHED: usize = 10_000;

/// The state from which the next entry of a game is appended.
#[derive(Clone, Copy)]
enum AppendPoint {
    Open {
        entries: u32,
        head: ChainHash,
    },
    /// The game is finished.
    Closed {
        entries: u32,
    },
    /// A column of the game's row has another type, or its chain head differs from the hash of its last entry.
    Damaged,
}

/// The append points of games, with which an entry is checked before anything is written, so a rejected one needs no
/// rollback. They are valid while no other process writes to the games; after a rollback and after a change that
/// [invalidates them](crate::store::Change::invalidates_append_points) they are cleared.
#[derive(Default)]
pub(in crate::store) struct AppendPoints(HashMap<GameId, AppendPoint>);

/// A new row of the table `entry`, and the update of its game's row.
struct EntryInsert<'a> {
    id: &'a GameId,
    number: u32,
    entry: &'a StoredEntry,
    /// The game's card after the entry.
    card: Option<&'a str>,
    hash: ChainHash,
}

impl AppendPoints {
    pub(in crate::store) fn clear(&mut self) {
        self.0.clear();
    }

    /// Loads the append points that are missing.
    async fn load_missing(
        &mut self,
        connection: &mut impl BatchConnection,
        appends: &[&AppendRequest],
    ) -> Result<(), sqlx::Error> {
        if self.0.len() > MAX_CACHED {
            self.clear();
        }
        let missing = appends.iter().map(|append| &append.id);
        let missing: Vec<&GameId> = missing.filter(|id| !self.0.contains_key(*id)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let query = "SELECT game.id, game.entries, game.chain_head, last.hash, game.finished_ms, last.ending
            FROM game LEFT JOIN entry AS last ON last.game = game.id AND last.number = game.entries - 1
            WHERE game.id IN ($1[])";
        let values = params![json_ids(missing)];
        for row in &connection.fetch_all(query, values).await? {
            if let Ok(id) = row.get("id") {
                self.0.insert(id, AppendPoint::from_row(row));
            }
        }
        Ok(())
    }

    /// Checks that an entry is the next one of its game.
    fn check(&self, append: &AppendRequest) -> Result<ChainHash, StoreError> {
        match self.0.get(&append.id).ok_or(StoreError::NotFound)? {
            AppendPoint::Open { entries, head } if *entries == append.expected => Ok(*head),
            AppendPoint::Open { entries, .. } | AppendPoint::Closed { entries } => {
                Err(StoreError::Conflict { next: *entries })
            }
            AppendPoint::Damaged => {
                let message = format!("game {}: its end is not as it was written", append.id);
                Err(StoreError::Damaged(message))
            }
        }
    }

    /// Moves the append point of a game behind an entry.
    fn advance(&mut self, inserted: &EntryInsert<'_>) {
        let (entries, head) = (inserted.number + 1, inserted.hash);
        let point = match finished_ms(inserted.entry) {
            None => AppendPoint::Open { entries, head },
            Some(_) => AppendPoint::Closed { entries },
        };
        self.0.insert(inserted.id.clone(), point);
    }
}

impl AppendPoint {
    fn from_row(row: &SqlRow) -> Self {
        let (Ok(finished_ms), Ok(ending)) = (row.integer("finished_ms"), row.text("ending")) else {
            return AppendPoint::Damaged;
        };
        let is_closed = finished_ms.is_some() || ending.is_some();
        let entries = row.get::<u32>("entries");
        let (head, last) = (row.get("chain_head"), row.get::<ChainHash>("hash"));
        match (entries, head, last) {
            (Ok(entries), ..) if is_closed => AppendPoint::Closed { entries },
            (Ok(entries), Ok(head), Ok(last)) if head == last => {
                AppendPoint::Open { entries, head }
            }
            (Ok(0), Ok(head), Err(_)) => AppendPoint::Open { entries: 0, head },
            _ => AppendPoint::Damaged,
        }
    }
}

/// Appends entries within a transaction; invalid ones are rejected individually. An outer error comes from the
/// storage and may leave a part of them in the transaction.
pub(super) async fn append_all(
    connection: &mut impl BatchConnection,
    append_points: &mut AppendPoints,
    appends: &[&AppendRequest],
) -> Result<BatchResults, sqlx::Error> {
    if appends.is_empty() {
        return Ok(Vec::new());
    }
    let mut leases = connection.lock_leases(appends).await?;
    append_points.load_missing(connection, appends).await?;
    let mut inserts = Vec::with_capacity(appends.len());
    let mut answers = Vec::with_capacity(appends.len());
    for append in appends {
        let AppendRequest {
            id,
            expected,
            entry,
            card,
            options,
        } = append;
        let checked = append_points.check(append).and_then(|head| {
            leases.check_fence(id, *options)?;
            Ok(head)
        });
        answers.push(checked.map(|head| {
            let insert = EntryInsert {
                id,
                number: *expected,
                entry,
                card: card.as_deref(),
                hash: head.next_hash(*expected, entry),
            };
            append_points.advance(&insert);
            inserts.push(insert);
            leases.record_append(id, entry, *options)
        }));
    }
    write(connection, &inserts).await?;
    connection.write_leases(&leases).await?;
    let changes = inserts
        .iter()
        .map(|insert| (insert.id, GameChange::Entries(insert.number + 1)));
    connection.notify(&changes.collect::<Vec<_>>()).await?;
    Ok(answers)
}

/// Appends all entries of a game that was created within the same transaction.
pub(super) async fn append_new(
    connection: &mut dyn ChangeConnection,
    header: &GameHeader,
    entries: &[StoredEntry],
) -> Result<(), sqlx::Error> {
    let mut head = ChainHash::header_hash(header);
    let inserts = (0..).zip(entries).map(|(number, entry)| {
        head = head.next_hash(number, entry);
        EntryInsert {
            id: &header.id,
            number,
            entry,
            card: None,
            hash: head,
        }
    });
    write(connection, &inserts.collect::<Vec<_>>()).await
}

async fn write(
    connection: &mut dyn ChangeConnection,
    inserts: &[EntryInsert<'_>],
) -> Result<(), sqlx::Error> {
    if inserts.is_empty() {
        return Ok(());
    }
    let statements = connection.dialect().statements();
    let entries = Value::from_iter(inserts.iter().map(EntryInsert::entry_values)).to_string();
    let inserted = connection
        .execute(statements.insert_entries, params![entries])
        .await?;
    // The last entry of each game determines the update of its row.
    let last: HashMap<&GameId, &EntryInsert<'_>> =
        inserts.iter().map(|insert| (insert.id, insert)).collect();
    let games = Value::from_iter(last.values().map(|insert| insert.game_values())).to_string();
    // Indexes depend on `finished_ms`, so it is written only if it changes.
    let updated = connection
        .execute(statements.update_games, params![games])
        .await?;
    let cards = last
        .values()
        .filter_map(|insert| Some(json!([insert.id.as_str(), insert.card?])));
    let cards: Vec<Value> = cards.collect();
    if !cards.is_empty() {
        let cards = Value::from(cards).to_string();
        let values = params![cards];
        connection.execute(statements.replace_cards, values).await?;
    }
    for insert in last.values() {
        if let Some(finished_ms) = finished_ms(insert.entry) {
            let statement = "UPDATE game SET finished_ms = $2 WHERE id = $1";
            let values = params![insert.id, finished_ms];
            connection.execute(statement, values).await?;
        }
    }
    // A damaged index may hide a game's row, and readers would not find the entry.
    if (inserted, updated) == (inserts.len() as u64, last.len() as u64) {
        Ok(())
    } else {
        Err(sqlx::Error::Decode(
            "a game's row was not found when an entry was appended".into(),
        ))
    }
}

impl EntryInsert<'_> {
    fn entry_values(&self) -> Value {
        let columns = EntryColumns::from_entry(self.entry);
        json!([
            self.id.as_str(),
            self.number,
            columns.player,
            columns.action,
            columns.roll,
            columns.ending,
            columns.at_ms,
            hex(self.hash.as_bytes()),
            columns.takeback,
            columns.entropy
        ])
    }

    /// The new values of the game's row, and the time of the entry.
    fn game_values(&self) -> Value {
        json!([
            self.id.as_str(),
            self.number + 1,
            hex(self.hash.as_bytes()),
            EntryColumns::from_entry(self.entry).at_ms
        ])
    }
}
