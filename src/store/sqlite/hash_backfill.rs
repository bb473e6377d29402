//! Computes the hashes of games of earlier releases, which stored none (see [`crate::store::hash_chain`]).

use serde_json::Value;
use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection as _, Executor as _};

use super::append::hex;
use super::load::load_unchecked;
use crate::store::GameId;
use crate::store::hash_chain::{ChainHash, StoredHashes};
use crate::store::sql::decode::RowReadError;

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
    transaction.execute("PRAGMA user_version = 1").await?;
    transaction.commit().await?;
    if games > 0 {
        tracing::info!(games, "computed the hashes of games of an earlier release");
    }
    Ok(())
}

async fn backfill_game(connection: &mut SqliteConnection, id: &str) -> Result<(), sqlx::Error> {
    let loaded = match id.parse::<GameId>() {
        Ok(id) => load_unchecked(connection, &id).await,
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
    let query = "UPDATE entry SET seal = unhex(new.value) FROM json_each($2) AS new
        WHERE game = $1 AND number = new.key";
    sqlx::query(query)
        .bind(id)
        .bind(Value::from(entry_hashes).to_string())
        .execute(&mut *connection)
        .await?;
    let query = "UPDATE game SET entries = $2, tip = $3, seats_seal = $4 WHERE id = $1";
    sqlx::query(query)
        .bind(id)
        .bind(hashes.entries)
        .bind(bytes(&hashes.chain_head))
        .bind(bytes(&hashes.seats))
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) fn bytes(hash: &ChainHash) -> &[u8] {
    hash.as_bytes()
}
