//! A game on its way from one archive to another.

use super::{Entry, Stored};
use crate::record::EntryRow;

/// A game with all that its archive knows of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moved {
    /// The game.
    pub stored: Stored,
    /// Whether a person has played in it, who may have left since.
    pub played: bool,
    /// Unix time of its activity, in milliseconds, as lists have it.
    pub active_ms: i64,
}

impl Moved {
    /// The entries as they are appended. That the game is finished, its mark says.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let rows = self.stored.entries.iter().map(|row| match row {
            EntryRow::Ply(row) => Entry::Ply(row.clone()),
            EntryRow::Takeback(row) => Entry::Takeback(*row),
            EntryRow::Contribution(row) => Entry::Contribution(row.clone()),
        });
        rows.chain(self.stored.ending.map(Entry::Ending)).collect()
    }
}
