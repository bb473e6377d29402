//! Read-only access to a snapshot of a database, to check or copy it. A server may have it open at the same
//! time.

use std::fmt::Display;
use std::sync::Arc;

use serde_json::Value;

use super::database::connection::{SqlConnection, SqlRow, SqlValue, params};
use super::id::GameId;
use super::sql::decode::GameRows;
use super::sql::tables::{Table, TableRows, parse_tables};
use super::stored_game::StoredGame;

pub struct DatabaseReader {
    /// A connection in a transaction that sees one snapshot.
    pub(super) snapshot: Box<dyn SqlConnection>,
    /// Errors for which a server would refuse to start.
    pub(super) startup_errors: Vec<String>,
}

impl DatabaseReader {
    /// The errors that the database's own integrity check reports; empty if it is intact. PostgreSQL checks its
    /// pages while it reads them, so nothing is reported here.
    pub async fn integrity_errors(&mut self) -> Vec<String> {
        let mut errors = std::mem::take(&mut self.startup_errors);
        if let Some(check) = self.snapshot.dialect().statements().integrity_check {
            match self.fetch_texts(check, "integrity_check").await {
                Ok(found) => errors.extend(found.into_iter().filter(|error| error != "ok")),
                Err(error) => errors.push(error),
            }
        }
        errors
    }

    /// The ids of all games, including games of which only some rows are left.
    ///
    /// # Errors
    /// A message why they cannot be read.
    pub async fn games(&mut self) -> Result<Vec<String>, String> {
        let query = self.snapshot.dialect().statements().all_ids;
        self.fetch_texts(query, "id").await
    }

    /// The ids of all games in order of creation.
    ///
    /// # Errors
    /// A message why they cannot be read.
    pub async fn game_ids_by_creation(&mut self) -> Result<Vec<String>, String> {
        self.fetch_texts("SELECT id FROM game ORDER BY serial", "id")
            .await
    }

    /// A game, or `None` if the id is unknown.
    ///
    /// # Errors
    /// A message if it cannot be read or the integrity check fails.
    pub async fn load(&mut self, id: &str) -> Result<Option<StoredGame>, String> {
        let id: GameId = id.parse().map_err(|_| "no game has such a name")?;
        let rows = GameRows::read(&mut *self.snapshot, &id).await;
        let stored = rows.and_then(|rows| rows.map(|rows| rows.to_verified_game()).transpose());
        stored.map_err(|error| error.to_string())
    }

    /// The tables that are copied, by name.
    ///
    /// # Errors
    /// A message why they cannot be read.
    pub async fn tables(&mut self) -> Result<Vec<Arc<Table>>, String> {
        let columns = self.snapshot.dialect().statements().columns;
        let columns = self.fetch(columns, &[]).await?;
        parse_tables(&columns).map_err(format_error)
    }

    /// The rows of a game in a table.
    ///
    /// # Errors
    /// A message why they cannot be read.
    pub async fn rows_of_game(
        &mut self,
        table: &Arc<Table>,
        id: &GameId,
    ) -> Result<TableRows, String> {
        let select = table.select_of_game(self.snapshot.dialect());
        let rows = self.fetch_json(select, params![id]).await?;
        Ok(TableRows::new(table, rows))
    }

    /// A page of the rows of a table in the order of its key, after a page; empty after the last.
    ///
    /// # Errors
    /// A message why they cannot be read.
    pub async fn next_rows(
        &mut self,
        table: &Arc<Table>,
        after: Option<&TableRows>,
    ) -> Result<TableRows, String> {
        let select = table.select_page(self.snapshot.dialect(), after.is_none());
        let last = after.map(TableRows::last);
        let values: Vec<SqlValue> = last.into_iter().map(SqlValue::from).collect();
        let rows = self.fetch_json(select, &values).await?;
        Ok(TableRows::new(table, rows))
    }

    /// Whether exactly these rows are in this database.
    ///
    /// # Errors
    /// A message why they cannot be read.
    pub async fn has_rows(&mut self, rows: &TableRows) -> Result<bool, String> {
        let select = rows.table.select_same_keys(self.snapshot.dialect());
        let values = params![rows.to_json()];
        let mut found = self.fetch_json(select, values).await?;
        let mut wanted = rows.rows().to_vec();
        found.sort_unstable();
        wanted.sort_unstable();
        Ok(found == wanted)
    }

    /// The rows that a statement about a table returns in the column `json`; null if there is none.
    async fn fetch_json(
        &mut self,
        statement: String,
        values: &[SqlValue],
    ) -> Result<Vec<String>, String> {
        let rows = self.snapshot.fetch_built(statement, values).await;
        let rows = rows.map_err(format_error)?;
        let normalised = rows.iter().map(|row| {
            let json = row.text("json").map_err(format_error)?;
            // The databases write the same JSON with other spaces and escapes.
            let json: Value = serde_json::from_str(json.unwrap_or("null")).map_err(format_error)?;
            Ok(json.to_string())
        });
        normalised.collect()
    }

    async fn fetch(
        &mut self,
        query: &'static str,
        values: &[SqlValue],
    ) -> Result<Vec<SqlRow>, String> {
        let rows = self.snapshot.fetch_all(query, values).await;
        rows.map_err(format_error)
    }

    /// A text column of a query.
    async fn fetch_texts(
        &mut self,
        query: &'static str,
        column: &str,
    ) -> Result<Vec<String>, String> {
        let rows = self.fetch(query, &[]).await?;
        let texts = rows.iter().map(|row| row.get(column));
        texts.collect::<Result<_, _>>().map_err(format_error)
    }
}

fn format_error(error: impl Display) -> String {
    error.to_string()
}
