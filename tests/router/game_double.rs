//! A store of games for tests with a paused clock: it answers without waiting, so that the clock does not advance
//! meanwhile. Everything besides games is not stored.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use dice_of_doom::record::EntryRow;
use dice_of_doom::seats::{ComputerPace, RematchKind, Seat, Seats, Waiting};
use dice_of_doom::store::{
    AppendOptions, Change, DataStore, Dialect, FencingToken, GameHeader, GameId, GameStore,
    GameVersion, LeaseResult, LeaseStore, LocalLeases, SqlRow, SqlValue, StorageUsage, StoreError,
    StoredEntry, StoredGame, can_continue, is_last,
};
use tokio_util::sync::CancellationToken;

#[derive(Default)]
pub(crate) struct GameDouble {
    games: Mutex<HashMap<GameId, StoredGame>>,
    leases: LocalLeases,
    failure: CancellationToken,
}

impl GameDouble {
    fn mark_possibly_due(&self, stored: &StoredGame) {
        let StoredGame { header, seats, .. } = stored;
        // The time to reveal entropy text may run from a change of seats on, at any pace.
        let pace = match seats.revision {
            0 => header.pace,
            _ => ComputerPace::AtOnce,
        };
        if stored.finished_ms.is_none() && can_continue(pace, header.turn_s, &seats.seats) {
            self.leases.mark_possibly_due(&header.id);
        }
    }
}

fn append(stored: &mut StoredGame, entry: StoredEntry) {
    let row = match entry {
        StoredEntry::Ply(row) => EntryRow::Ply(row),
        StoredEntry::Takeback(row) => EntryRow::Takeback(row),
        StoredEntry::Contribution(row) => EntryRow::Contribution(row),
        StoredEntry::FinalPly(row) => {
            stored.finished_ms = Some(row.at_ms);
            EntryRow::Ply(row)
        }
        StoredEntry::Ending(ending) => {
            stored.finished_ms = Some(ending.at_ms);
            stored.ending = Some(ending);
            return;
        }
    };
    stored.entries.push(row);
}

#[async_trait]
impl GameStore for GameDouble {
    async fn create_together(
        &self,
        header: GameHeader,
        seats: Seats,
        entries: Vec<StoredEntry>,
        change: Option<Box<dyn Change>>,
    ) -> Result<(), StoreError> {
        assert!(change.is_none(), "the double stores games only");
        let mut games = self.games.lock().unwrap();
        let is_same_rematch = |other: &StoredGame| {
            header.rematch_of.is_some() && other.header.rematch_of == header.rematch_of
        };
        if games.contains_key(&header.id) || games.values().any(is_same_rematch) {
            return Err(StoreError::Exists);
        }
        let mut stored = StoredGame {
            header,
            seats,
            entries: Vec::new(),
            ending: None,
            finished_ms: None,
        };
        for entry in entries {
            append(&mut stored, entry);
        }
        self.mark_possibly_due(&stored);
        games.insert(stored.header.id.clone(), stored);
        Ok(())
    }

    async fn load(&self, id: &GameId) -> Result<Option<StoredGame>, StoreError> {
        Ok(self.games.lock().unwrap().get(id).cloned())
    }

    async fn append_with(
        &self,
        id: &GameId,
        expected: u32,
        entry: StoredEntry,
        _: Option<String>,
        options: AppendOptions,
    ) -> Result<Option<FencingToken>, StoreError> {
        let mut games = self.games.lock().unwrap();
        let stored = games.get_mut(id).ok_or(StoreError::NotFound)?;
        let next = stored.next_number();
        if expected != next || stored.finished_ms.is_some() {
            return Err(StoreError::Conflict { next });
        }
        self.leases.check_fence(id, options)?;
        let is_last = is_last(&entry);
        append(stored, entry);
        Ok(self.leases.record_append(id, is_last, options))
    }

    async fn versions(&self, games: &[GameId]) -> Result<Vec<GameVersion>, StoreError> {
        let all = self.games.lock().unwrap();
        let rematch_of = |id: &GameId| {
            let is_rematch = |stored: &&StoredGame| {
                let of = stored.header.rematch_of.as_ref();
                of.is_some_and(|(of, _)| of == id)
            };
            let rematches = all.values().filter(is_rematch);
            let newest = rematches.max_by_key(|stored| stored.header.created_ms);
            newest.map(|stored| stored.header.id.clone())
        };
        let found = games.iter().filter_map(|id| {
            let stored = all.get(id)?;
            Some(GameVersion {
                id: id.clone(),
                entries: stored.next_number(),
                revision: stored.seats.revision,
                rematch: rematch_of(id),
            })
        });
        Ok(found.collect())
    }

    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, StoreError> {
        let games = self.games.lock().unwrap();
        let found = games.values().filter_map(|stored| {
            let (of, kind) = stored.header.rematch_of.as_ref()?;
            (of == id).then(|| (*kind, stored.header.id.clone()))
        });
        let mut found: Vec<_> = found.collect();
        found.sort();
        Ok(found)
    }

    async fn change_table(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
        waiting: Option<Waiting>,
    ) -> Result<u32, StoreError> {
        let mut games = self.games.lock().unwrap();
        let stored = games.get_mut(id).ok_or(StoreError::NotFound)?;
        let revision = stored.seats.revision;
        if revision != expected_revision {
            return Err(StoreError::StaleSeats { revision });
        }
        stored.seats.revision += 1;
        stored.seats.seats = seats;
        stored.seats.waiting = waiting.map(Box::new);
        self.mark_possibly_due(stored);
        Ok(stored.seats.revision)
    }

    async fn storage_usage(&self) -> Result<StorageUsage, StoreError> {
        Ok(StorageUsage::default())
    }

    async fn health_check(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn commits(&self) -> u64 {
        0
    }

    fn failure(&self) -> CancellationToken {
        self.failure.clone()
    }

    async fn close(&self) {}
}

#[async_trait]
impl LeaseStore for GameDouble {
    async fn lease(&self, id: &GameId, time: Duration) -> Result<LeaseResult, StoreError> {
        Ok(self.leases.lease(id, time))
    }

    async fn renew(
        &self,
        held: &[(GameId, FencingToken)],
        time: Duration,
    ) -> Result<(), StoreError> {
        self.leases.renew(held, time);
        Ok(())
    }

    async fn release(
        &self,
        id: &GameId,
        fence: FencingToken,
        due: Option<Duration>,
    ) -> Result<(), StoreError> {
        self.leases.release(id, fence, due);
        Ok(())
    }

    async fn claim(
        &self,
        limit: u32,
        time: Duration,
    ) -> Result<Vec<(GameId, FencingToken)>, StoreError> {
        Ok(self.leases.claim(limit, time))
    }
}

/// Stores nothing.
#[async_trait]
impl DataStore for GameDouble {
    async fn apply(&self, _: Box<dyn Change>) -> Result<u64, StoreError> {
        Ok(0)
    }

    async fn query(&self, _: &'static str, _: &[SqlValue]) -> Result<Vec<SqlRow>, StoreError> {
        Ok(Vec::new())
    }

    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }
}
