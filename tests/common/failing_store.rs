//! A store in memory that fails on demand.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use dice_of_doom::seats::{RematchKind, Seat, Seats, Waiting};
use dice_of_doom::store::sqlite::SqliteStore;
use dice_of_doom::store::{
    AppendOptions, Change, ChangeNotification, DataStore, Dialect, FencingToken, GameHeader,
    GameId, GameStore, GameVersion, LeaseResult, LeaseStore, SqlRow, SqlValue, StorageUsage,
    StoreError, StoredEntry, StoredGame,
};
use tokio::sync::{Semaphore, broadcast};
use tokio_util::sync::CancellationToken;

/// A store that fails to append some plies of a player, and that changes a review only with a permit.
pub(crate) struct FailingStore {
    pub(crate) inner: SqliteStore,
    /// How many plies of the player are still to fail.
    pub(crate) failures: AtomicU32,
    /// The player whose plies fail.
    pub(crate) player: u8,
    /// The error of a failure.
    pub(crate) error: fn() -> StoreError,
    /// Permits to store finished reviews; without one, a write waits.
    pub(crate) reviews: Semaphore,
    /// Sends change notifications of other instances.
    pub(crate) notifications: broadcast::Sender<ChangeNotification>,
    /// How many scores of days were written.
    pub(crate) scores: AtomicU32,
    /// How many games were loaded.
    pub(crate) loads: AtomicU32,
}

impl Default for FailingStore {
    fn default() -> Self {
        FailingStore {
            inner: SqliteStore::in_memory(),
            failures: AtomicU32::new(0),
            player: 1,
            error: || StoreError::Unavailable("a test".to_owned()),
            reviews: Semaphore::new(1_000),
            notifications: broadcast::Sender::new(1_000),
            scores: AtomicU32::new(0),
            loads: AtomicU32::new(0),
        }
    }
}

#[async_trait]
impl DataStore for FailingStore {
    async fn apply(&self, change: Box<dyn Change>) -> Result<u64, StoreError> {
        if change.name() == "store_review" {
            self.reviews.acquire().await.unwrap().forget();
        }
        if change.name().ends_with("::AddDailyScore") {
            self.scores.fetch_add(1, Ordering::SeqCst);
        }
        self.inner.apply(change).await
    }

    async fn query(
        &self,
        query: &'static str,
        values: &[SqlValue],
    ) -> Result<Vec<SqlRow>, StoreError> {
        self.inner.query(query, values).await
    }

    fn dialect(&self) -> Dialect {
        self.inner.dialect()
    }
}

#[async_trait]
impl LeaseStore for FailingStore {
    async fn lease(&self, id: &GameId, time: Duration) -> Result<LeaseResult, StoreError> {
        self.inner.lease(id, time).await
    }

    async fn renew(
        &self,
        held: &[(GameId, FencingToken)],
        time: Duration,
    ) -> Result<(), StoreError> {
        self.inner.renew(held, time).await
    }

    async fn release(
        &self,
        id: &GameId,
        fence: FencingToken,
        due: Option<Duration>,
    ) -> Result<(), StoreError> {
        self.inner.release(id, fence, due).await
    }

    async fn claim(
        &self,
        most: u32,
        time: Duration,
    ) -> Result<Vec<(GameId, FencingToken)>, StoreError> {
        self.inner.claim(most, time).await
    }
}

#[async_trait]
impl GameStore for FailingStore {
    async fn create_together(
        &self,
        header: GameHeader,
        seats: Seats,
        entries: Vec<StoredEntry>,
        change: Option<Box<dyn Change>>,
    ) -> Result<(), StoreError> {
        self.inner
            .create_together(header, seats, entries, change)
            .await
    }

    async fn load(&self, id: &GameId) -> Result<Option<StoredGame>, StoreError> {
        self.loads.fetch_add(1, Ordering::SeqCst);
        self.inner.load(id).await
    }

    async fn append_with(
        &self,
        id: &GameId,
        expected: u32,
        entry: StoredEntry,
        card: Option<String>,
        turn: AppendOptions,
    ) -> Result<Option<FencingToken>, StoreError> {
        let is_theirs = matches!(&entry, StoredEntry::Ply(ply) | StoredEntry::FinalPly(ply) if ply.player == self.player);
        let fails = |left: u32| left.checked_sub(1);
        let failed = || {
            self.failures
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, fails)
                .is_ok()
        };
        if is_theirs && failed() {
            return Err((self.error)());
        }
        self.inner
            .append_with(id, expected, entry, card, turn)
            .await
    }

    async fn versions(&self, games: &[GameId]) -> Result<Vec<GameVersion>, StoreError> {
        self.inner.versions(games).await
    }

    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, StoreError> {
        self.inner.rematches_of(id).await
    }

    async fn change_table(
        &self,
        id: &GameId,
        expected: u32,
        seats: Vec<Seat>,
        waiting: Option<Waiting>,
    ) -> Result<u32, StoreError> {
        self.inner.change_table(id, expected, seats, waiting).await
    }

    fn notifications(&self) -> Option<broadcast::Receiver<ChangeNotification>> {
        Some(self.notifications.subscribe())
    }

    async fn storage_usage(&self) -> Result<StorageUsage, StoreError> {
        self.inner.storage_usage().await
    }

    async fn health_check(&self) -> Result<(), StoreError> {
        self.inner.health_check().await
    }

    fn commits(&self) -> u64 {
        self.inner.commits()
    }

    fn failure(&self) -> CancellationToken {
        self.inner.failure()
    }

    async fn close(&self) {
        self.inner.close().await;
    }
}
