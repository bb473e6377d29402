//! The connection of an instance to the shared store: an implementation of [`Store`] that delays, reorders, loses
//! and duplicates requests, and blocks while the instance is paused.
//!
//! A request in transit is executed completely or not at all, even if its caller has gone.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use dice_of_doom::seats::{RematchKind, Seat, Seats, Waiting};
use dice_of_doom::store::{
    AppendOptions, Change, ChangeNotification, DataStore, Dialect, FencingToken, GameHeader,
    GameId, GameStore, GameVersion, LeaseResult, LeaseStore, SqlRow, SqlValue, StorageUsage, Store,
    StoreError, StoredEntry, StoredGame,
};
use tokio::sync::{broadcast, oneshot};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::faults::{Fate, FaultModel};
use super::model::{SharedStore, now};
use super::notifications::NotificationChannel;

pub(crate) struct StoreLink {
    pub(crate) name: String,
    shared: Arc<SharedStore>,
    faults: Arc<FaultModel>,
    pub(crate) channel: Arc<NotificationChannel>,
    is_disconnected: AtomicBool,
    paused_until: Mutex<Instant>,
    /// Response delays of the next requests that override the random ones.
    extra_delays: Mutex<VecDeque<Duration>>,
}

fn unavailable() -> StoreError {
    StoreError::Unavailable("the connection is down".to_owned())
}

impl StoreLink {
    pub(crate) fn new(
        name: &str,
        shared: &Arc<SharedStore>,
        faults: &Arc<FaultModel>,
        channel: &Arc<NotificationChannel>,
    ) -> Arc<Self> {
        Arc::new(StoreLink {
            name: name.to_owned(),
            shared: Arc::clone(shared),
            faults: Arc::clone(faults),
            channel: Arc::clone(channel),
            is_disconnected: AtomicBool::new(false),
            paused_until: Mutex::new(Instant::now()),
            extra_delays: Mutex::default(),
        })
    }

    /// Sets the response delays of the next requests.
    pub(crate) fn delay_responses(&self, times: &[Duration]) {
        let mut extra_delays = self
            .extra_delays
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        extra_delays.extend(times);
    }

    /// Blocks all further requests, because the instance has crashed.
    pub(crate) fn disconnect(&self) {
        self.is_disconnected.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_disconnected(&self) -> bool {
        self.is_disconnected.load(Ordering::Relaxed)
    }

    /// Blocks requests and responses for this time, like a stopped process.
    pub(crate) fn pause(&self, time: Duration) {
        let until = Instant::now() + time;
        *self.lock_pause() = until;
    }

    fn lock_pause(&self) -> std::sync::MutexGuard<'_, Instant> {
        self.paused_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the instance is resumed.
    pub(crate) async fn wait_while_paused(&self) {
        loop {
            let until = *self.lock_pause();
            if until <= Instant::now() {
                return;
            }
            sleep_until(until).await;
        }
    }

    async fn send<T: Debug + Send + 'static>(
        &self,
        what: String,
        execute: impl Fn(&SharedStore) -> Result<T, StoreError> + Send + Sync + 'static,
    ) -> Result<T, StoreError> {
        self.wait_while_paused().await;
        if self.is_disconnected() {
            return Err(unavailable());
        }
        let mut delivery = self.faults.delivery();
        let extra_delay = self.extra_delays.lock();
        let extra_delay = extra_delay
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front();
        delivery.response_delay = extra_delay.unwrap_or(delivery.response_delay);
        let (trace, name) = (Arc::clone(&self.faults.trace), self.name.clone());
        if let Fate::RequestLost = delivery.fate {
            trace.log(&format!("{name} {what}: request lost"));
            sleep(delivery.response_delay).await;
            self.wait_while_paused().await;
            return Err(unavailable());
        }
        let (sender, receiver) = oneshot::channel();
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move {
            sleep(delivery.request_delay).await;
            let answer = execute(&shared);
            let failed = answer.as_ref().err();
            let fate = delivery.fate;
            trace.log(&format!("{name} {what}: {failed:?} {fate:?}"));
            let _ = sender.send(answer);
            if let Fate::Duplicated = fate {
                sleep(delivery.duplicate_delay).await;
                let failed = execute(&shared).err();
                trace.log(&format!("{name} {what}: {failed:?} again"));
            }
        });
        let answer = receiver.await.unwrap_or_else(|_| Err(unavailable()));
        sleep(delivery.response_delay).await;
        self.wait_while_paused().await;
        match delivery.fate {
            _ if self.is_disconnected() => Err(unavailable()),
            Fate::ResponseLost => Err(unavailable()),
            _ => answer,
        }
    }

    /// The store for operations without simulated faults.
    fn unsimulated(&self) -> Result<&dyn Store, StoreError> {
        if self.is_disconnected() {
            return Err(unavailable());
        }
        Ok(&self.shared.store)
    }
}

#[async_trait]
impl GameStore for StoreLink {
    async fn create_together(
        &self,
        header: GameHeader,
        seats: Seats,
        entries: Vec<StoredEntry>,
        change: Option<Box<dyn Change>>,
    ) -> Result<(), StoreError> {
        assert!(change.is_none(), "the simulation stores games only");
        let what = format!("create {}", header.id);
        self.send(what, move |shared| {
            shared.create(header.clone(), seats.clone(), entries.clone())
        })
        .await
    }

    async fn load(&self, id: &GameId) -> Result<Option<StoredGame>, StoreError> {
        let id = id.clone();
        self.send(format!("load {id}"), move |shared| {
            now(shared.store.load(&id))
        })
        .await
    }

    async fn append_with(
        &self,
        id: &GameId,
        expected: u32,
        entry: StoredEntry,
        card: Option<String>,
        turn: AppendOptions,
    ) -> Result<Option<FencingToken>, StoreError> {
        let (id, by) = (id.clone(), self.name.clone());
        let what = format!("append {id} {expected} {entry:?} {turn:?}");
        self.send(what, move |shared| {
            shared.append(&by, &id, expected, (&entry, &card), turn)
        })
        .await
    }

    async fn versions(&self, games: &[GameId]) -> Result<Vec<GameVersion>, StoreError> {
        let mut games = games.to_vec();
        // The service's order is that of a hash map, which is not deterministic.
        games.sort();
        self.send(format!("versions {}", games.len()), move |shared| {
            now(shared.store.versions(&games))
        })
        .await
    }

    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, StoreError> {
        let id = id.clone();
        self.send(format!("rematches {id}"), move |shared| {
            now(shared.store.rematches_of(&id))
        })
        .await
    }

    async fn change_table(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
        waiting: Option<Waiting>,
    ) -> Result<u32, StoreError> {
        let id = id.clone();
        self.send(format!("seats {id} {expected_revision}"), move |shared| {
            shared.change_table(&id, expected_revision, seats.clone(), waiting)
        })
        .await
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn notifications(&self) -> Option<broadcast::Receiver<ChangeNotification>> {
        Some(self.channel.sender.subscribe())
    }

    async fn storage_usage(&self) -> Result<StorageUsage, StoreError> {
        self.unsimulated()?.storage_usage().await
    }

    async fn health_check(&self) -> Result<(), StoreError> {
        self.unsimulated()?.health_check().await
    }

    fn commits(&self) -> u64 {
        self.shared.store.commits()
    }

    fn failure(&self) -> CancellationToken {
        self.shared.store.failure()
    }

    /// The shared store stays open for the other instance.
    async fn close(&self) {}
}

#[async_trait]
impl LeaseStore for StoreLink {
    async fn lease(&self, id: &GameId, time: Duration) -> Result<LeaseResult, StoreError> {
        let id = id.clone();
        self.send(format!("lease {id}"), move |shared| shared.lease(&id, time))
            .await
    }

    async fn renew(
        &self,
        held: &[(GameId, FencingToken)],
        time: Duration,
    ) -> Result<(), StoreError> {
        let mut held = held.to_vec();
        held.sort();
        self.send(format!("renew {held:?}"), move |shared| {
            now(shared.store.renew(&held, time))
        })
        .await
    }

    async fn release(
        &self,
        id: &GameId,
        fence: FencingToken,
        due: Option<Duration>,
    ) -> Result<(), StoreError> {
        let id = id.clone();
        self.send(format!("release {id} {fence:?} {due:?}"), move |shared| {
            now(shared.store.release(&id, fence, due))
        })
        .await
    }

    async fn claim(
        &self,
        limit: u32,
        time: Duration,
    ) -> Result<Vec<(GameId, FencingToken)>, StoreError> {
        self.send("claim".to_owned(), move |shared| shared.claim(limit, time))
            .await
    }
}

/// Without simulated faults.
#[async_trait]
impl DataStore for StoreLink {
    async fn apply(&self, change: Box<dyn Change>) -> Result<u64, StoreError> {
        self.unsimulated()?.apply(change).await
    }

    async fn query(
        &self,
        query: &'static str,
        values: &[SqlValue],
    ) -> Result<Vec<SqlRow>, StoreError> {
        self.unsimulated()?.query(query, values).await
    }

    fn dialect(&self) -> Dialect {
        self.shared.store.dialect()
    }
}
