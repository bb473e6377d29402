//! Registry of the tables in memory: holds their handles and selects tables to unload when the limit is exceeded.
//!
//! It also excludes loading and deleting the same game at the same time: both are recorded here, under one lock.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{mpsc, watch};

use super::command::TableCommand;
use super::snapshot::Snapshot;
use super::viewer_activity::ViewerActivity;
use crate::metrics;
use crate::seats::Credentials;
use crate::store::GameId;

/// One of this many parts of the table limit is unloaded at once, so that not every new table scans all others.
const UNLOAD_PARTS: usize = 16;

/// The maximum number of games whose trees are cached: those looked up last. A tree has at most 50 KB.
const MAX_CACHED_TREES: usize = 640;

/// A handle to a table's task.
#[derive(Clone, Debug)]
pub(super) struct TableHandle {
    pub(super) inbox: mpsc::Sender<Box<TableCommand>>,
    pub(super) snapshots: watch::Receiver<Arc<Snapshot>>,
    pub(super) viewer_activity: Arc<ViewerActivity>,
}

impl TableHandle {
    /// Whether the task receives commands.
    pub(super) fn is_running(&self) -> bool {
        !self.inbox.is_closed()
    }

    /// Asks the table to unload if it is idle. The request is dropped if its channel is full: a busy table stays.
    pub(super) fn request_unload(&self) {
        let _ = self.inbox.try_send(Box::new(TableCommand::Unload));
    }

    /// Asks the table to drop its cached tree. The request is dropped if its channel is full.
    fn request_cache_drop(&self) {
        let _ = self.inbox.try_send(Box::new(TableCommand::DropCache));
    }
}

/// A loaded table, so that a command that follows a read needs no second lookup.
#[derive(Clone, Debug)]
pub struct TableRef {
    /// The state at the time of the lookup.
    pub snapshot: Arc<Snapshot>,
    pub(super) handle: TableHandle,
}

impl TableRef {
    /// Records a view by this client, which resumes a paused game.
    pub fn mark_viewed(&self, credentials: &Credentials) {
        self.handle
            .viewer_activity
            .record_view(credentials.client_network);
    }
}

pub(super) struct TableRegistry {
    by_id: HashMap<GameId, RegisteredTable>,
    /// Games that are being loaded, with the number of concurrent loads.
    loading: HashMap<GameId, usize>,
    /// Games that are being deleted from the store.
    removing: HashSet<GameId>,
    max_tables: usize,
    /// The number of tables added since the last unload requests.
    added: usize,
    /// Logical clock of lookups.
    lookups: u64,
    /// The games of the last lookups, oldest first.
    last_lookups: VecDeque<GameId>,
}

struct RegisteredTable {
    handle: TableHandle,
    /// The time of the last lookup, by the registry's logical clock.
    last_lookup: u64,
}

impl TableRegistry {
    pub(super) fn new(max_tables: usize) -> Self {
        TableRegistry {
            by_id: HashMap::new(),
            loading: HashMap::new(),
            removing: HashSet::new(),
            max_tables: max_tables.max(1),
            added: usize::MAX,
            lookups: 0,
            last_lookups: VecDeque::new(),
        }
    }

    /// The number of running tables.
    pub(super) fn loaded_count(&self) -> usize {
        let tables = self.by_id.values();
        tables.filter(|entry| entry.handle.is_running()).count()
    }

    pub(super) fn is_full(&self) -> bool {
        self.by_id.len() >= self.max_tables
    }

    /// The handle of a loaded game. The handle of a task that has panicked does not count; the game's next table
    /// replaces it.
    pub(super) fn find(&mut self, id: &GameId) -> Option<TableHandle> {
        if !self.by_id.contains_key(id) {
            return None;
        }
        self.count_lookup(id);
        let handle = &self.by_id.get(id)?.handle;
        handle.is_running().then(|| handle.clone())
    }

    /// Counts a lookup of a game. The game whose last lookup is now too long ago drops its cached tree.
    fn count_lookup(&mut self, id: &GameId) {
        self.lookups += 1;
        if let Some(entry) = self.by_id.get_mut(id) {
            entry.last_lookup = self.lookups;
        }
        self.last_lookups.push_back(id.clone());
        if self.last_lookups.len() > MAX_CACHED_TREES {
            let oldest = self.last_lookups.pop_front();
            let oldest = oldest.and_then(|id| self.by_id.get(&id));
            // A later lookup of the same game counts instead.
            if let Some(entry) = oldest
                && entry.last_lookup + MAX_CACHED_TREES as u64 <= self.lookups
            {
                entry.handle.request_cache_drop();
            }
        }
    }

    /// Like [`find`](Self::find), but does not count as a use of the table.
    pub(super) fn get_untouched(&self, id: &GameId) -> Option<TableHandle> {
        let handle = &self.by_id.get(id)?.handle;
        handle.is_running().then(|| handle.clone())
    }

    pub(super) fn games(&self) -> Vec<GameId> {
        self.by_id.keys().cloned().collect()
    }

    /// The loaded games that satisfy the condition, and all that are being loaded.
    pub(super) fn loaded_or_loading(&self, is_sought: impl Fn(&Snapshot) -> bool) -> Vec<GameId> {
        let loaded = self.by_id.iter();
        let loaded = loaded.filter(|(_, entry)| is_sought(&entry.handle.snapshots.borrow()));
        let loaded = loaded.map(|(id, _)| id);
        loaded.chain(self.loading.keys()).cloned().collect()
    }

    /// Registers a table; returns the tables to unload, the least recently used ones.
    pub(super) fn insert(&mut self, id: GameId, handle: TableHandle) -> Vec<TableHandle> {
        let table = RegisteredTable {
            handle,
            last_lookup: 0,
        };
        self.by_id.insert(id.clone(), table);
        self.count_lookup(&id);
        metrics::GAMES_IN_MEMORY.set(self.by_id.len() as i64);
        self.added = self.added.saturating_add(1);
        let part = (self.max_tables / UNLOAD_PARTS).max(1);
        let Some(over) = self.by_id.len().checked_sub(self.max_tables + 1) else {
            return Vec::new();
        };
        if self.added < part {
            return Vec::new();
        }
        self.added = 0;
        let unload_count = (over + part).min(self.by_id.len() - 1);
        let mut oldest: Vec<_> = self.by_id.values().collect();
        oldest.select_nth_unstable_by_key(unload_count, |entry| entry.last_lookup);
        let oldest = oldest[..unload_count].iter();
        oldest.map(|entry| entry.handle.clone()).collect()
    }

    /// Removes a table if it is this one; the game may have another table by now.
    pub(super) fn remove(&mut self, id: &GameId, own: &watch::Receiver<Arc<Snapshot>>) {
        let found = self.by_id.get(id);
        if found.is_some_and(|entry| entry.handle.snapshots.same_channel(own)) {
            self.by_id.remove(id);
            metrics::GAMES_IN_MEMORY.set(self.by_id.len() as i64);
        }
    }
}

/// Records that a game is being loaded; `None` if it is being deleted.
pub(super) fn begin_loading(
    registry: &Arc<Mutex<TableRegistry>>,
    id: &GameId,
) -> Option<LoadingGuard> {
    let mut tables = registry.lock();
    if tables.removing.contains(id) {
        return None;
    }
    *tables.loading.entry(id.clone()).or_default() += 1;
    Some(LoadingGuard {
        registry: Arc::clone(registry),
        id: id.clone(),
    })
}

/// Records that up to `max` of these games are being deleted, except those that are loaded or being loaded.
pub(super) fn begin_removal(
    registry: &Arc<Mutex<TableRegistry>>,
    mut games: Vec<GameId>,
    max: usize,
) -> RemovalGuard {
    let mut tables = registry.lock();
    games.retain(|id| !tables.by_id.contains_key(id) && !tables.loading.contains_key(id));
    let found = games.len();
    games.truncate(max);
    tables.removing.extend(games.iter().cloned());
    drop(tables);
    RemovalGuard {
        registry: Arc::clone(registry),
        found,
        games,
    }
}

/// Protects a game that is being loaded from deletion.
pub(super) struct LoadingGuard {
    registry: Arc<Mutex<TableRegistry>>,
    id: GameId,
}

impl Drop for LoadingGuard {
    fn drop(&mut self) {
        let mut tables = self.registry.lock();
        if let Some(loads) = tables.loading.get_mut(&self.id) {
            *loads -= 1;
            if *loads == 0 {
                tables.loading.remove(&self.id);
            }
        }
    }
}

/// Protects games that are being deleted from being loaded.
pub(super) struct RemovalGuard {
    registry: Arc<Mutex<TableRegistry>>,
    /// How many games could be deleted, including those beyond this batch.
    pub(super) found: usize,
    pub(super) games: Vec<GameId>,
}

impl Drop for RemovalGuard {
    fn drop(&mut self) {
        let mut tables = self.registry.lock();
        for id in &self.games {
            tables.removing.remove(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::JsonFields;
    use crate::games::{Registry, StartPosition};
    use crate::seats::{Credentials, Phrase, SeatSpec};
    use crate::store::sqlite::SqliteStore;
    use crate::tables::{NewGame, Service, ServiceSettings};
    use crate::tree::GameTree as _;
    use dice_of_doom_games::dice_of_doom::DiceOfDoom;

    #[tokio::test]
    async fn only_the_games_looked_up_last_keep_their_trees() {
        let store = Arc::new(SqliteStore::in_memory());
        let service = Service::new(Registry::builtin(), store, ServiceSettings::default());
        let game = service.games().default_game();
        let setting = game.configure(JsonFields::default()).unwrap();
        let create = async || {
            let seats = vec![SeatSpec::Human; usize::from(setting.players())];
            let new = NewGame::new(Arc::clone(&setting), StartPosition::Dealt(1), seats);
            service.create(new).await.unwrap().snapshot
        };
        let has_tree = |snapshot: &Snapshot| snapshot.live.without_cache().is_some();
        let [first, second] = [create().await, create().await];
        for snapshot in [&first, &second] {
            let session = snapshot.live.session::<DiceOfDoom>().unwrap();
            for (_, chances) in session.tree().branches() {
                chances.for_each(drop);
            }
            assert!(has_tree(snapshot));
        }
        for _ in 0..MAX_CACHED_TREES - 1 {
            create().await;
        }
        for (snapshot, keeps) in [(&second, true), (&first, false)] {
            // The table handles its commands in order.
            let said = service.say(&snapshot.id, Credentials::default(), Phrase::ALL[0]);
            assert!(said.await.is_err());
            let snapshot = service.snapshot(&snapshot.id).await.unwrap();
            assert_eq!(has_tree(&snapshot), keeps);
        }
    }
}
