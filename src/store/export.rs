//! A game on its way from one archive to another.

use super::{StoredEntry, StoredGame};
use crate::record::EntryRow;

/// A game with all that its archive knows of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExportedGame {
    /// The game.
    pub stored: StoredGame,
    /// Whether a person has played in it, who may have left since.
    pub played: bool,
    /// Unix time of its activity, in milliseconds, as lists have it.
    pub active_ms: i64,
}

impl ExportedGame {
    /// The entries as they are appended. That the game is finished, its mark says.
    pub(super) fn entries(&self) -> Vec<StoredEntry> {
        let rows = self.stored.entries.iter().map(|row| match row {
            EntryRow::Ply(row) => StoredEntry::Ply(row.clone()),
            EntryRow::Takeback(row) => StoredEntry::Takeback(*row),
            EntryRow::Contribution(row) => StoredEntry::Contribution(row.clone()),
        });
        rows.chain(self.stored.ending.map(StoredEntry::Ending))
            .collect()
    }
}
