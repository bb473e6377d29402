//! Computes the hashes of games of earlier releases, which stored none (see [`crate::store::hash_chain`]).

use serde_json::Value;
use sqlx::Connection as _;
use sqlx::sqlite::SqliteConnection;

use crate::store::GameId;
use crate::store::hash_chain::StoredHashes;
use crate::store::sql::append::hex;
use crate::store::sql::connection::SqlConnection as _;
use crate::store::sql::decode::{GameRows, RowReadError};

/// Number of game ids loaded at once.
const BATCH: u32 = 100;

/// Computes the hashes of all games from their current rows, once per file and in one transaction.
///
/// The file's `user_version` records this, so that a hash that is lost later is not recomputed from a damaged
/// record.
pub(super) async fn backfill_hashes(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let version: i64 = sqlx::query_scalar("PRAGMA user_version")
        .fetch_one(&mut *connection)
        .await?;
    if version != 0 {
        return Ok(());
    }
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    let (mut last, mut games) = (i64::MIN, 0_u64);
    loop {
        let query = "SELECT serial, id FROM game WHERE serial > $1 AND tip IS NULL ORDER BY serial LIMIT $2";
        let batch: Vec<(i64, String)> = sqlx::query_as(query)
            .bind(last)
            .bind(BATCH)
            .fetch_all(&mut *transaction)
            .await?;
        let Some((serial, _)) = batch.last() else {
            break;
        };
        last = *serial;
        for (_, id) in &batch {
            backfill_game(&mut transaction, id).await?;
        }
        games += batch.len() as u64;
    }
    let query = "PRAGMA user_version = 1";
    transaction.execute(query, &[]).await?;
    transaction.commit().await?;
    if games > 0 {
        tracing::info!(games, "computed the hashes of games of an earlier release");
    }
    Ok(())
}

async fn backfill_game(connection: &mut SqliteConnection, id: &str) -> Result<(), sqlx::Error> {
    let loaded = match id.parse::<GameId>() {
        Ok(id) => {
            let rows = GameRows::read(connection, &id).await;
            rows.and_then(|rows| rows.map(|rows| rows.to_unverified_game(&id)).transpose())
        }
        Err(error) => Err(RowReadError::Damaged(error.to_string())),
    };
    let stored = match loaded {
        Ok(Some(stored)) => stored,
        Ok(None) => return Ok(()),
        Err(RowReadError::Storage(error)) if error.as_database_error().is_some() => {
            return Err(error);
        }
        // A damaged game must not keep the others from being served.
        Err(error) => {
            tracing::error!(id, ?error, "a game cannot be read; no hashes computed");
            return Ok(());
        }
    };
    let hashes = StoredHashes::from_game(&stored);
    let entry_hashes: Vec<Value> = hashes
        .entry_hashes
        .iter()
        .map(|hash| hex(hash).into())
        .collect();
    let entry_hashes = Value::from(entry_hashes).to_string();
    let query = "UPDATE entry SET seal = unhex(new.value) FROM json_each($2) AS new
        WHERE game = $1 AND number = new.key";
    let values = [id.into(), (&entry_hashes).into()];
    connection.execute(query, &values).await?;
    let query = "UPDATE game SET entries = $2, tip = $3, seats_seal = $4 WHERE id = $1";
    let (head, seats) = (&hashes.chain_head, &hashes.seats);
    let values = [id.into(), hashes.entries.into(), head.into(), seats.into()];
    connection.execute(query, &values).await?;
    Ok(())
}
