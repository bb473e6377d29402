//! Open tables: games with a free seat that anybody may find and join.

use crate::secret::SecretHash;
use crate::store::{FromRow, GameId, RowReadError, SqlRow, Store, StoreError, params, row};

/// How many open tables of one client network are listed: those that were opened first.
pub const MAX_TABLES_PER_NETWORK: u32 = 3;

row! {
    /// A game that is listed among the open tables, if it has a free seat and its creator was seen lately.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct OpenTable {
        pub game: GameId,
        /// Unix time at which it was opened, in milliseconds.
        pub opened_ms: i64,
        /// Unix time at which its creator was last seen, in milliseconds.
        pub seen_ms: i64,
        /// A hash of the client network that opened it; `None` if the network is not counted.
        pub network: Option<i64>,
    }
}

/// Which open tables are listed: those after both Unix times, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListedSince {
    pub opened_ms: i64,
    /// The creator was seen at the table.
    pub seen_ms: i64,
}

impl ListedSince {
    #[must_use]
    pub fn includes(&self, table: &OpenTable) -> bool {
        table.opened_ms > self.opened_ms && table.seen_ms > self.seen_ms
    }
}

/// An open table in the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedTable {
    pub table: OpenTable,
    /// The browser that created the game.
    pub creator: Option<SecretHash>,
}

impl FromRow for ListedTable {
    fn from_row(row: &SqlRow) -> Result<Self, RowReadError> {
        Ok(ListedTable {
            table: OpenTable::from_row(row)?,
            creator: row.get("creator")?,
        })
    }
}

impl dyn Store {
    /// Lists a game among the open tables.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn open_table(&self, table: OpenTable) -> Result<(), StoreError> {
        let statement = "INSERT INTO open_table (game, opened_ms, seen_ms, network)
                SELECT id, $2, $3, $4 FROM game WHERE id = $1
            ON CONFLICT (game) DO UPDATE SET opened_ms = excluded.opened_ms, seen_ms = excluded.seen_ms,
                network = excluded.network";
        let game = &table.game;
        let values = params![game, table.opened_ms, table.seen_ms, table.network];
        match self.execute_for(game, statement, values).await? {
            0 => Err(StoreError::NotFound),
            _ => Ok(()),
        }
    }

    /// Records when the creator of an open table was seen; nothing if the game is not listed or the stored time is later.
    pub async fn mark_table_seen(&self, id: &GameId, at_ms: i64) -> Result<(), StoreError> {
        let statement = "UPDATE open_table SET seen_ms = $2 WHERE game = $1 AND seen_ms < $2";
        let marked = self.execute_for(id, statement, params![id, at_ms]).await;
        marked.map(drop)
    }

    /// Removes a game from the open tables.
    pub async fn close_table(&self, id: &GameId) -> Result<(), StoreError> {
        let statement = "DELETE FROM open_table WHERE game = $1";
        let closed = self.execute_for(id, statement, params![id]).await;
        closed.map(drop)
    }

    /// Removes the tables that were opened at or before this time; returns their number.
    pub async fn delete_open_tables(&self, opened_until_ms: i64) -> Result<u64, StoreError> {
        let statement = "DELETE FROM open_table WHERE opened_ms <= $1";
        self.execute(statement, params![opened_until_ms]).await
    }

    /// The open table with this game, whether or not it has a free seat and its creator was seen lately.
    pub async fn find_open_table(&self, id: &GameId) -> Result<Option<OpenTable>, StoreError> {
        let query = "SELECT * FROM open_table WHERE game = $1";
        self.fetch_optional(query, params![id]).await
    }

    /// Up to `limit` open tables, listed since these times: public, unfinished games with a free seat. Of each client
    /// network the [`MAX_TABLES_PER_NETWORK`] that were opened first: first one of each network, then the second ones,
    /// each in the order of their opening. A table without a network counts as one of its own.
    pub async fn list_open_tables(
        &self,
        since: ListedSince,
        limit: u32,
    ) -> Result<Vec<ListedTable>, StoreError> {
        // SQLite joins the tables of a CROSS JOIN in the order in which they are written.
        let query = "SELECT listed.game, opened_ms, seen_ms, network, creator FROM (
              SELECT open_table.game, opened_ms, seen_ms, network, coalesce(host, creator) AS creator,
                row_number() OVER (
                  PARTITION BY network, CASE WHEN network IS NULL THEN open_table.game END
                  ORDER BY opened_ms, open_table.game) AS place
              FROM open_table CROSS JOIN game
              WHERE game.id = open_table.game AND opened_ms > $1 AND seen_ms > $2
                AND finished_ms IS NULL AND private = 0 AND book_of IS NULL
                AND (open_seats > 0 OR waits_for IS NOT NULL AND EXISTS
                  (SELECT 1 FROM seat WHERE seat.game = game.id AND occupant = 'level'))) AS listed
            WHERE place <= $3 ORDER BY place, opened_ms, listed.game LIMIT $4";
        let (opened_ms, seen_ms) = (since.opened_ms, since.seen_ms);
        let values = params![opened_ms, seen_ms, MAX_TABLES_PER_NETWORK, limit];
        self.fetch(query, values).await
    }
}
