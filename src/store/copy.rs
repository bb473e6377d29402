//! Copies the rows of another database into this one as they are, by the tables that both schemas describe.

use std::sync::Arc;

use async_trait::async_trait;

use crate::store::change::{Change, ChangeConnection, ChangeError};
use crate::store::database::connection::params;
use crate::store::error::{StoreError, unavailable};
use crate::store::id::GameId;
use crate::store::sql::tables::{Table, TableRows, parse_tables};
use crate::store::traits::Store;

/// Inserts the rows of a new game, whose own row comes first. Triggers change some of its columns meanwhile and derive
/// rows for lists: the columns are set again, and the derived rows are deleted, because those of the source are copied.
struct ImportGame {
    id: GameId,
    rows: Vec<TableRows>,
}

#[async_trait]
impl Change for ImportGame {
    async fn apply(&self, connection: &mut dyn ChangeConnection) -> Result<u64, ChangeError> {
        connection.lock_creation().await?;
        let Some((game, others)) = self.rows.split_first() else {
            return Ok(0);
        };
        if insert_rows(connection, game).await? == 0 {
            return Err(StoreError::Exists.into());
        }
        for rows in others {
            insert_rows(connection, rows).await?;
        }
        let update = game.table.update(connection.dialect());
        let values = params![game.to_json()];
        connection.execute_built(update, values).await?;
        for statement in [
            "DELETE FROM browser_game WHERE serial = (SELECT serial FROM game WHERE id = $1)",
            "DELETE FROM program_game WHERE serial = (SELECT serial FROM game WHERE id = $1)",
            "DELETE FROM program_finish WHERE serial = (SELECT serial FROM game WHERE id = $1)",
        ] {
            connection.execute(statement, params![&self.id]).await?;
        }
        connection.mark_possibly_due(&self.id).await?;
        Ok(0)
    }
}

/// Inserts those rows that are not there; returns their number.
async fn insert_rows(
    connection: &mut dyn ChangeConnection,
    rows: &TableRows,
) -> Result<u64, sqlx::Error> {
    let insert = rows.table.insert(connection.dialect());
    let values = params![rows.to_json()];
    connection.execute_built(insert, values).await
}

struct InsertRows(TableRows);

#[async_trait]
impl Change for InsertRows {
    async fn apply(&self, connection: &mut dyn ChangeConnection) -> Result<u64, ChangeError> {
        Ok(insert_rows(connection, &self.0).await?)
    }
}

struct ContinueNumbers;

#[async_trait]
impl Change for ContinueNumbers {
    async fn apply(&self, connection: &mut dyn ChangeConnection) -> Result<u64, ChangeError> {
        for statement in connection.dialect().statements().continue_finish_numbers {
            connection.execute(statement, params![]).await?;
        }
        Ok(0)
    }
}

impl dyn Store {
    /// The tables that are copied, by name: all except those with the state of servers.
    pub async fn tables(&self) -> Result<Vec<Arc<Table>>, StoreError> {
        let columns = self
            .query(self.dialect().statements().columns, params![])
            .await?;
        parse_tables(&columns).map_err(unavailable)
    }

    /// Atomically inserts a game: its own row, then the rows of its seats and entries.
    ///
    /// # Errors
    /// [`StoreError::Exists`] as for [`GameStore::create_with_entries`](crate::store::GameStore::create_with_entries).
    pub async fn import_game(&self, id: GameId, rows: Vec<TableRows>) -> Result<(), StoreError> {
        let change = ImportGame { id, rows };
        self.apply(Box::new(change)).await.map(drop)
    }

    /// Inserts those rows that are not there; counters become at least as large as in the rows.
    pub async fn insert_rows(&self, rows: TableRows) -> Result<(), StoreError> {
        self.apply(Box::new(InsertRows(rows))).await.map(drop)
    }

    /// Makes the next finish number greater than all that were inserted or reported to a program.
    pub async fn continue_numbers(&self) -> Result<(), StoreError> {
        self.apply(Box::new(ContinueNumbers)).await.map(drop)
    }
}
