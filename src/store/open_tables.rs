//! Open tables: games with a free seat that anybody may find and join.

use super::GameId;
use crate::secret::SecretHash;

/// How many open tables of one client network are listed: those that were opened first.
pub const MAX_TABLES_PER_NETWORK: u32 = 3;

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
