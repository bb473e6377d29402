//! The tables in memory: how each is reached, and which of them are to leave when there are too many.
//!
//! A game that is being removed from the archive gets no table, and one that has a table, or is about
//! to get one, is not removed: both are written down here, under one lock.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use super::table::TableCommand;
use super::viewer_activity::ViewerActivity;
use super::{ServiceState, Snapshot};
use crate::store::GameId;

/// Games in memory.
pub const TABLES: &str = "games_in_memory";

/// Of a full house so many parts leave at once, so that not every new table looks at all others.
const PARTS: usize = 16;

/// How a table is reached.
#[derive(Clone, Debug)]
pub(super) struct TableHandle {
    pub(super) inbox: mpsc::Sender<Box<TableCommand>>,
    pub(super) snapshots: watch::Receiver<Arc<Snapshot>>,
    /// Who looks at the table.
    pub(super) visits: Arc<ViewerActivity>,
}

impl TableHandle {
    /// Whether somebody hears who knocks.
    pub(super) fn is_attended(&self) -> bool {
        !self.inbox.is_closed()
    }

    /// Asks the table to leave memory if nothing keeps it. One that has too much to do to hear it stays.
    pub(super) fn ask_to_leave(&self) {
        let _ = self.inbox.try_send(Box::new(TableCommand::Leave));
    }
}

/// The doors of all tables.
pub(super) struct TableRegistry {
    by_id: HashMap<GameId, RegisteredTable>,
    /// Games whose records are being read, so that they get tables, and by how many askers.
    loading: HashMap<GameId, usize>,
    /// Games that are being removed.
    removing: HashSet<GameId>,
    /// How many tables there may be.
    most: usize,
    /// How many tables were added since some were asked to leave.
    added: usize,
    /// Counts looks.
    looks: u64,
}

struct RegisteredTable {
    door: TableHandle,
    /// The look that was the last one at this table.
    looked: u64,
}

impl TableRegistry {
    pub(super) fn new(most: usize) -> Self {
        TableRegistry {
            by_id: HashMap::new(),
            loading: HashMap::new(),
            removing: HashSet::new(),
            most: most.max(1),
            added: usize::MAX,
            looks: 0,
        }
    }

    /// How many games are in memory.
    pub(super) fn attended(&self) -> usize {
        let doors = self.by_id.values();
        doors.filter(|standing| standing.door.is_attended()).count()
    }

    /// Whether there are as many tables as there may be.
    pub(super) fn are_full(&self) -> bool {
        self.by_id.len() >= self.most
    }

    /// The door of a game that is in memory. A task that panicked leaves a door behind with nobody
    /// inside: that is none, and the game's next table takes its place.
    pub(super) fn find(&mut self, id: &GameId) -> Option<TableHandle> {
        self.looks += 1;
        let standing = self.by_id.get_mut(id)?;
        standing.looked = self.looks;
        let door = &standing.door;
        door.is_attended().then(|| door.clone())
    }

    /// The door of a game that is in memory, for news: that is no look at it.
    pub(super) fn standing_at(&self, id: &GameId) -> Option<TableHandle> {
        let door = &self.by_id.get(id)?.door;
        door.is_attended().then(|| door.clone())
    }

    /// The games that are in memory.
    pub(super) fn games(&self) -> Vec<GameId> {
        self.by_id.keys().cloned().collect()
    }

    /// Puts a table's door where others find it; answers those who are to be asked to leave: the ones
    /// at which nobody has looked for the longest time.
    pub(super) fn put(&mut self, id: GameId, door: TableHandle) -> Vec<TableHandle> {
        self.looks += 1;
        let looked = self.looks;
        self.by_id.insert(id, RegisteredTable { door, looked });
        metrics::gauge!(TABLES).set(self.by_id.len() as f64);
        self.added = self.added.saturating_add(1);
        let part = (self.most / PARTS).max(1);
        let Some(over) = self.by_id.len().checked_sub(self.most + 1) else {
            return Vec::new();
        };
        if self.added < part {
            return Vec::new();
        }
        self.added = 0;
        let leaving = (over + part).min(self.by_id.len() - 1);
        let mut oldest: Vec<_> = self.by_id.values().collect();
        oldest.select_nth_unstable_by_key(leaving, |standing| standing.looked);
        let oldest = oldest[..leaving].iter();
        oldest.map(|standing| standing.door.clone()).collect()
    }

    /// Takes a door away if it is this one; the game may have got another table in the meantime.
    pub(super) fn close(&mut self, id: &GameId, own: &watch::Receiver<Arc<Snapshot>>) {
        let found = self.by_id.get(id);
        if found.is_some_and(|standing| standing.door.snapshots.same_channel(own)) {
            self.by_id.remove(id);
            metrics::gauge!(TABLES).set(self.by_id.len() as f64);
        }
    }
}

impl ServiceState {
    /// Notes that a game is about to get a table; `None` where it is being removed.
    pub(super) fn loading(self: &Arc<Self>, id: &GameId) -> Option<LoadingGuard> {
        let mut doors = self.doors();
        if doors.removing.contains(id) {
            return None;
        }
        *doors.loading.entry(id.clone()).or_default() += 1;
        Some(LoadingGuard {
            shared: Arc::clone(self),
            id: id.clone(),
        })
    }

    /// Notes that these games are being removed, without those that have a table or are about to.
    pub(super) fn removing(self: &Arc<Self>, mut games: Vec<GameId>, most: usize) -> RemovalGuard {
        let mut doors = self.doors();
        games.retain(|id| !doors.by_id.contains_key(id) && !doors.loading.contains_key(id));
        let found = games.len();
        games.truncate(most);
        doors.removing.extend(games.iter().cloned());
        drop(doors);
        RemovalGuard {
            shared: Arc::clone(self),
            found,
            games,
        }
    }
}

/// A game that is about to get a table, as long as this is held.
pub(super) struct LoadingGuard {
    shared: Arc<ServiceState>,
    id: GameId,
}

impl Drop for LoadingGuard {
    fn drop(&mut self) {
        let mut doors = self.shared.doors();
        if let Some(askers) = doors.loading.get_mut(&self.id) {
            *askers -= 1;
            if *askers == 0 {
                doors.loading.remove(&self.id);
            }
        }
    }
}

/// Games that are being removed, as long as this is held.
pub(super) struct RemovalGuard {
    shared: Arc<ServiceState>,
    /// How many could be removed, those beyond this batch included.
    pub(super) found: usize,
    pub(super) games: Vec<GameId>,
}

impl Drop for RemovalGuard {
    fn drop(&mut self) {
        let mut doors = self.shared.doors();
        for id in &self.games {
            doors.removing.remove(id);
        }
    }
}
