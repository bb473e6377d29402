//! A game in transfer from one store to another.

use super::{StoredEntry, StoredGame};
use crate::record::EntryRow;

/// A game with the derived data that its store holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExportedGame {
    pub stored: StoredGame,
    /// Whether a person has made an entry; that player may have left since.
    pub played: bool,
    /// Unix time of its last activity, in milliseconds, as used by lists.
    pub active_ms: i64,
}

impl ExportedGame {
    /// The entries in the form in which they are appended, without `FinalPly`: `finished_ms` marks the game as
    /// finished.
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
