//! The store that all instances share: one store of games in memory that sends notifications, with checks of its guarantees.
//!
//! It records the newest lease of each game and the time of each entry by itself. Injected bugs violate a guarantee
//! deliberately.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dice_of_doom::seats::{Seat, Seats, Waiting};
use dice_of_doom::store::{
    AppendOptions, ChangeNotification, FencingToken, GameChange, GameHeader, GameId,
    GameStore as _, LeaseResult, LeaseStore as _, StoreError, StoredEntry,
};
use futures_util::FutureExt as _;
use tokio::time::Instant;

use super::counts::Counts;
use super::notifications::NotificationChannel;
use super::scenario::Trace;
use crate::game_double::GameDouble;

/// A deliberate bug, to check that the simulation detects it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InjectedBug {
    /// An entry with an old fencing token is stored.
    IgnoredFencing,
    /// After a reconnection the instance reads before it listens.
    ReadBeforeListen,
    /// An entry is stored under the next free number instead of the expected one.
    IgnoredNumber,
}

pub(crate) struct SharedStore {
    pub(crate) store: GameDouble,
    pub(crate) trace: Arc<Trace>,
    pub(crate) bug: Option<InjectedBug>,
    pub(crate) counts: Arc<Counts>,
    history: Mutex<History>,
}

#[derive(Default)]
struct History {
    newest_tokens: BTreeMap<GameId, FencingToken>,
    /// The time of each entry, by game and number.
    stored_at: BTreeMap<GameId, Vec<Instant>>,
    channels: Vec<Arc<NotificationChannel>>,
}

/// The result of a future of the store of the simulation, which never waits.
pub(crate) fn now<T>(answer: impl Future<Output = T>) -> T {
    answer
        .now_or_never()
        .expect("the store of the simulation answers at once")
}

impl SharedStore {
    pub(crate) fn new(
        trace: &Arc<Trace>,
        bug: Option<InjectedBug>,
        counts: &Arc<Counts>,
    ) -> Arc<Self> {
        Arc::new(SharedStore {
            store: GameDouble::default(),
            trace: Arc::clone(trace),
            bug,
            counts: Arc::clone(counts),
            history: Mutex::default(),
        })
    }

    fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a channel that receives notifications.
    pub(crate) fn add_channel(&self, channel: &Arc<NotificationChannel>) {
        let mut history = self.history();
        history.channels.retain(|channel| !channel.is_closed());
        history.channels.push(Arc::clone(channel));
    }

    fn notify(&self, id: &GameId, change: GameChange) {
        let channels = self.history().channels.clone();
        for channel in channels {
            channel.notify(ChangeNotification::Changed(id.clone(), change.clone()));
        }
    }

    /// The ids of all games, in order.
    pub(crate) fn games(&self) -> Vec<GameId> {
        self.history().stored_at.keys().cloned().collect()
    }

    /// The time of each entry of a game.
    pub(crate) fn stored_at(&self, id: &GameId) -> Vec<Instant> {
        self.history()
            .stored_at
            .get(id)
            .cloned()
            .unwrap_or_default()
    }

    /// The number of entries of a game.
    pub(crate) fn len(&self, id: &GameId) -> usize {
        self.history().stored_at.get(id).map_or(0, Vec::len)
    }

    pub(crate) fn create(
        &self,
        header: GameHeader,
        seats: Seats,
        entries: Vec<StoredEntry>,
    ) -> Result<(), StoreError> {
        let (id, rematch_of) = (header.id.clone(), header.rematch_of.clone());
        now(self.store.create_together(header, seats, entries, None))?;
        self.history().stored_at.entry(id.clone()).or_default();
        if let Some((of, _)) = rematch_of {
            self.notify(&of, GameChange::Rematch(id));
        }
        Ok(())
    }

    pub(crate) fn append(
        &self,
        by: &str,
        id: &GameId,
        expected: u32,
        (entry, card): (&StoredEntry, &Option<String>),
        turn: AppendOptions,
    ) -> Result<Option<FencingToken>, StoreError> {
        let newest = self.history().newest_tokens.get(id).copied();
        let is_late = turn.fence.is_some() && turn.fence != newest;
        let mut options = turn;
        if self.bug == Some(InjectedBug::IgnoredFencing) && is_late {
            options.fence = None;
        }
        let append = |number| {
            let (entry, card) = (entry.clone(), card.clone());
            now(self.store.append_with(id, number, entry, card, options))
        };
        let mut appended = append(expected);
        if self.bug == Some(InjectedBug::IgnoredNumber)
            && let Err(StoreError::Conflict { next }) = appended
            && next != expected
        {
            appended = append(next);
        }
        if appended == Err(StoreError::Fenced) {
            self.counts.fenced.add();
        }
        let granted = appended?;
        if is_late {
            self.trace.fail(&format!(
                "{by} stored entry {expected} of {id} under an old lease"
            ));
        }
        let entries = {
            let mut history = self.history();
            history
                .newest_tokens
                .extend(granted.map(|fence| (id.clone(), fence)));
            let stored_at = history.stored_at.entry(id.clone()).or_default();
            stored_at.push(Instant::now());
            stored_at.len() as u32
        };
        self.counts.entries.add();
        self.notify(id, GameChange::Entries(entries));
        Ok(granted)
    }

    pub(crate) fn lease(&self, id: &GameId, time: Duration) -> Result<LeaseResult, StoreError> {
        let lease = now(self.store.lease(id, time))?;
        if let LeaseResult::Granted(fence) = lease {
            self.record_grant(id, fence);
        }
        Ok(lease)
    }

    pub(crate) fn claim(
        &self,
        limit: u32,
        time: Duration,
    ) -> Result<Vec<(GameId, FencingToken)>, StoreError> {
        let claimed = now(self.store.claim(limit, time))?;
        for (id, fence) in &claimed {
            self.record_grant(id, *fence);
        }
        Ok(claimed)
    }

    fn record_grant(&self, id: &GameId, fence: FencingToken) {
        let before = self.history().newest_tokens.insert(id.clone(), fence);
        if before >= Some(fence) {
            self.trace
                .fail(&format!("the fencing tokens of {id} do not increase"));
        }
    }

    pub(crate) fn change_table(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
        waiting: Option<Waiting>,
    ) -> Result<u32, StoreError> {
        let changed = self
            .store
            .change_table(id, expected_revision, seats, waiting);
        let revision = now(changed)?;
        self.notify(id, GameChange::Seats(revision));
        Ok(revision)
    }
}
