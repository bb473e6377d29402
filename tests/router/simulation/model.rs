//! The truth that all instances share: one archive in memory, what it must never do, and the bells that it rings.
//!
//! It notes by itself which lease of a game is the newest and when each entry was kept. What is planted here breaks a
//! promise of archives on purpose.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dice_of_doom::seats::Seat;
use dice_of_doom::store::memory::MemoryStore;
use dice_of_doom::store::{
    AppendOptions, ChangeNotification, FencingToken, GameChange, GameHeader, GameId,
    GameStore as _, LeaseResult, StoreError, StoredEntry,
};
use futures_util::FutureExt as _;
use tokio::time::Instant;

use super::counts::Counts;
use super::notifications::Bell;
use super::scenario::Story;

/// A fault that is planted, to see whether the simulation finds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Plant {
    /// An entry under an old lease is kept.
    NoFence,
    /// A bell's connection that comes back lets its instance look first, and listens afterwards.
    ReadBeforeListen,
    /// An entry is kept under whatever number is the next.
    NoNumber,
}

pub(crate) struct Truth {
    pub(crate) archive: MemoryStore,
    pub(crate) story: Arc<Story>,
    pub(crate) plant: Option<Plant>,
    pub(crate) counts: Arc<Counts>,
    book: Mutex<Book>,
}

#[derive(Default)]
struct Book {
    newest: BTreeMap<GameId, FencingToken>,
    /// When each entry was kept, by game, in the order of their numbers.
    kept: BTreeMap<GameId, Vec<Instant>>,
    bells: Vec<Arc<Bell>>,
}

/// What an archive in memory answers: it waits for nothing.
pub(crate) fn now<T>(answer: impl Future<Output = T>) -> T {
    answer.now_or_never().expect("memory answers at once")
}

impl Truth {
    pub(crate) fn new(story: &Arc<Story>, plant: Option<Plant>, counts: &Arc<Counts>) -> Arc<Self> {
        Arc::new(Truth {
            archive: MemoryStore::new(),
            story: Arc::clone(story),
            plant,
            counts: Arc::clone(counts),
            book: Mutex::default(),
        })
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on this bell rings, too.
    pub(crate) fn hang_up(&self, bell: &Arc<Bell>) {
        let mut book = self.book();
        book.bells.retain(|bell| !bell.is_silent_for_ever());
        book.bells.push(Arc::clone(bell));
    }

    fn ring(&self, id: &GameId, news: GameChange) {
        let bells = self.book().bells.clone();
        for bell in bells {
            bell.ring(ChangeNotification::Game(id.clone(), news.clone()));
        }
    }

    /// All games that were made, in the order of their names.
    pub(crate) fn games(&self) -> Vec<GameId> {
        self.book().kept.keys().cloned().collect()
    }

    /// When each entry of a game was kept.
    pub(crate) fn kept(&self, id: &GameId) -> Vec<Instant> {
        self.book().kept.get(id).cloned().unwrap_or_default()
    }

    /// How many entries a game has.
    pub(crate) fn len(&self, id: &GameId) -> usize {
        self.book().kept.get(id).map_or(0, Vec::len)
    }

    pub(crate) fn keep(
        &self,
        header: GameHeader,
        seats: Vec<Seat>,
        entries: Vec<StoredEntry>,
    ) -> Result<(), StoreError> {
        let (id, rematch_of) = (header.id.clone(), header.rematch_of.clone());
        now(self.archive.create_with_entries(header, seats, entries))?;
        self.book().kept.entry(id.clone()).or_default();
        if let Some((of, _)) = rematch_of {
            self.ring(&of, GameChange::Rematch(id));
        }
        Ok(())
    }

    pub(crate) fn append(
        &self,
        by: &str,
        id: &GameId,
        expected: u32,
        entry: &StoredEntry,
        turn: AppendOptions,
    ) -> Result<Option<FencingToken>, StoreError> {
        let newest = self.book().newest.get(id).copied();
        let is_late = turn.fence.is_some() && turn.fence != newest;
        let mut told = turn;
        if self.plant == Some(Plant::NoFence) && is_late {
            told.fence = None;
        }
        let append = |number| now(self.archive.append_with(id, number, entry.clone(), told));
        let mut appended = append(expected);
        if self.plant == Some(Plant::NoNumber)
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
            self.story.fault(&format!(
                "one fence, one thinker: {by} kept entry {expected} of {id} under another lease than the newest"
            ));
        }
        let entries = {
            let mut book = self.book();
            book.newest.extend(granted.map(|fence| (id.clone(), fence)));
            let kept = book.kept.entry(id.clone()).or_default();
            kept.push(Instant::now());
            kept.len() as u32
        };
        self.counts.entries.add();
        self.ring(id, GameChange::Entries(entries));
        Ok(granted)
    }

    pub(crate) fn lease(&self, id: &GameId, time: Duration) -> Result<LeaseResult, StoreError> {
        let lease = now(self.archive.lease(id, time))?;
        if let LeaseResult::Granted(fence) = lease {
            self.granted(id, fence);
        }
        Ok(lease)
    }

    pub(crate) fn claim(
        &self,
        most: u32,
        time: Duration,
    ) -> Result<Vec<(GameId, FencingToken)>, StoreError> {
        let claimed = now(self.archive.claim(most, time))?;
        for (id, fence) in &claimed {
            self.granted(id, *fence);
        }
        Ok(claimed)
    }

    fn granted(&self, id: &GameId, fence: FencingToken) {
        let before = self.book().newest.insert(id.clone(), fence);
        if before >= Some(fence) {
            self.story.fault(&format!("the fences of {id} do not grow"));
        }
    }

    pub(crate) fn change_seats(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
    ) -> Result<u32, StoreError> {
        let revision = now(self.archive.change_seats(id, expected_revision, seats))?;
        self.ring(id, GameChange::Seats(revision));
        Ok(revision)
    }
}
