//! Open tables: games with a free seat that anybody may find and join.

use super::GameId;

/// A game that is listed among the open tables, if it has a free seat and its creator was seen lately.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenTable {
    pub game: GameId,
    /// Unix time at which it was opened, in milliseconds.
    pub opened_ms: i64,
    /// Unix time at which its creator was last seen, in milliseconds.
    pub seen_ms: i64,
}
