//! An in-memory store that fails on demand.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use dice_of_doom::day::Day;
use dice_of_doom::seats::{RematchKind, Seat};
use dice_of_doom::secret::SecretHash;
use dice_of_doom::store::memory::MemoryStore;
use dice_of_doom::store::{
    AppendOptions, BrowserStore, ChangeNotification, DailyCount, DailyDeal, DailyScore, DailyStore,
    DerivedStore, FeedStore, FencingToken, GameHeader, GameId, GameList, GamePage, GameStore,
    GameVersion, LeaseResult, LeaseStore, ListStore, ListedSince, ListedTable, NetworkHash,
    NetworkKey, NetworkStore, OpenTable, OpenTableStore, PageCursor, PairingStore, ProgramId,
    ProgramStore, PuzzleAnswer, PuzzleCount, PuzzleStore, RecordStore, RegisteredProgram,
    RetentionCutoffs, ReviewChange, ServedPeriod, ServedStore, StorageUsage, StoreError,
    StoredCard, StoredEntry, StoredFeed, StoredGame, StoredPairingCode, StoredReview,
};
use tokio::sync::{Semaphore, broadcast};
use tokio_util::sync::CancellationToken;

/// A store that fails to append some plies of a player, and that writes a review only with a permit.
pub(crate) struct FailingStore {
    pub(crate) inner: MemoryStore,
    /// How many plies of the player are still to fail.
    pub(crate) failures: AtomicU32,
    /// The player whose plies fail.
    pub(crate) player: u8,
    /// The error of a failure.
    pub(crate) error: fn() -> StoreError,
    /// Permits to write reviews; without one, a write waits.
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
            inner: MemoryStore::new(),
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
impl RecordStore for FailingStore {
    async fn create_with_entries(
        &self,
        header: GameHeader,
        seats: Vec<Seat>,
        entries: Vec<StoredEntry>,
    ) -> Result<(), StoreError> {
        self.inner.create_with_entries(header, seats, entries).await
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

    async fn repair_finished(&self, id: &GameId) -> Result<(), StoreError> {
        self.inner.repair_finished(id).await
    }

    async fn delete_game(&self, id: &GameId, seats_revision: u32) -> Result<bool, StoreError> {
        self.inner.delete_game(id, seats_revision).await
    }

    async fn versions(&self, games: &[GameId]) -> Result<Vec<GameVersion>, StoreError> {
        self.inner.versions(games).await
    }
}

#[async_trait]
impl ListStore for FailingStore {
    async fn change_seats(
        &self,
        id: &GameId,
        expected: u32,
        seats: Vec<Seat>,
    ) -> Result<u32, StoreError> {
        self.inner.change_seats(id, expected, seats).await
    }

    async fn find_seat_by_link(
        &self,
        link: &SecretHash,
    ) -> Result<Option<(GameId, u8)>, StoreError> {
        self.inner.find_seat_by_link(link).await
    }

    async fn list_games(
        &self,
        list: GameList,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError> {
        self.inner.list_games(list, after, limit).await
    }

    async fn book_page_game(&self, browser: &SecretHash) -> Result<Option<GameId>, StoreError> {
        self.inner.book_page_game(browser).await
    }

    async fn list_watchable(
        &self,
        besides: Option<&SecretHash>,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        self.inner.list_watchable(besides, limit).await
    }

    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, StoreError> {
        self.inner.rematches_of(id).await
    }

    async fn list_expired(
        &self,
        cutoffs: &RetentionCutoffs,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        self.inner.list_expired(cutoffs, limit).await
    }

    async fn delete_expired(
        &self,
        games: Vec<GameId>,
        cutoffs: RetentionCutoffs,
    ) -> Result<u64, StoreError> {
        self.inner.delete_expired(games, cutoffs).await
    }

    async fn last_activity_ms(&self) -> Result<Option<i64>, StoreError> {
        self.inner.last_activity_ms().await
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
impl DerivedStore for FailingStore {
    async fn cards(&self, games: &[GameId]) -> Result<Vec<StoredCard>, StoreError> {
        self.inner.cards(games).await
    }

    async fn store_card(&self, id: &GameId, card: String) -> Result<(), StoreError> {
        self.inner.store_card(id, card).await
    }

    async fn change_review(&self, id: &GameId, change: ReviewChange) -> Result<(), StoreError> {
        if matches!(change, ReviewChange::Store(_)) {
            self.reviews.acquire().await.unwrap().forget();
        }
        self.inner.change_review(id, change).await
    }

    async fn review(&self, id: &GameId) -> Result<Option<StoredReview>, StoreError> {
        self.inner.review(id).await
    }

    async fn reviewed(&self, games: &[GameId]) -> Result<Vec<GameId>, StoreError> {
        self.inner.reviewed(games).await
    }

    async fn pending_reviews(&self, limit: u32) -> Result<Vec<GameId>, StoreError> {
        self.inner.pending_reviews(limit).await
    }

    async fn add_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError> {
        self.inner.add_counts(counts).await
    }

    async fn begin_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError> {
        self.inner.begin_counts(counts).await
    }

    async fn counts(&self) -> Result<Vec<(String, u64)>, StoreError> {
        self.inner.counts().await
    }
}

#[async_trait]
impl DailyStore for FailingStore {
    async fn add_daily_deal(&self, deal: DailyDeal) -> Result<(), StoreError> {
        self.inner.add_daily_deal(deal).await
    }

    async fn daily_deal(&self, day: Day) -> Result<Option<DailyDeal>, StoreError> {
        self.inner.daily_deal(day).await
    }

    async fn daily_days(&self, since: Day) -> Result<Vec<Day>, StoreError> {
        self.inner.daily_days(since).await
    }

    async fn daily_game(
        &self,
        day: Day,
        browser: &SecretHash,
    ) -> Result<Option<GameId>, StoreError> {
        self.inner.daily_game(day, browser).await
    }

    async fn daily_player(&self, game: &GameId) -> Result<Option<SecretHash>, StoreError> {
        self.inner.daily_player(game).await
    }

    async fn daily_attempts(
        &self,
        browser: &SecretHash,
        since: Day,
    ) -> Result<Vec<Day>, StoreError> {
        self.inner.daily_attempts(browser, since).await
    }

    async fn set_daily_network(
        &self,
        browser: &SecretHash,
        network: NetworkHash,
    ) -> Result<(), StoreError> {
        self.inner.set_daily_network(browser, network).await
    }

    async fn add_daily_score(&self, score: DailyScore, before_ms: i64) -> Result<(), StoreError> {
        self.scores.fetch_add(1, Ordering::SeqCst);
        self.inner.add_daily_score(score, before_ms).await
    }

    async fn daily_scores(&self, browser: &SecretHash) -> Result<Vec<DailyScore>, StoreError> {
        self.inner.daily_scores(browser).await
    }

    async fn daily_counts(&self, day: Day) -> Result<Vec<DailyCount>, StoreError> {
        self.inner.daily_counts(day).await
    }
}

#[async_trait]
impl BrowserStore for FailingStore {
    async fn move_browser_data(
        &self,
        from: &SecretHash,
        to: Option<&SecretHash>,
    ) -> Result<(), StoreError> {
        self.inner.move_browser_data(from, to).await
    }

    async fn delete_old_browser_data(&self, before_ms: i64) -> Result<(), StoreError> {
        self.inner.delete_old_browser_data(before_ms).await
    }
}

#[async_trait]
impl FeedStore for FailingStore {
    async fn set_feed(&self, feed: StoredFeed) -> Result<(), StoreError> {
        self.inner.set_feed(feed).await
    }

    async fn feed_of(&self, browser: &SecretHash) -> Result<Option<StoredFeed>, StoreError> {
        self.inner.feed_of(browser).await
    }

    async fn mark_feed_fetched(&self, token: &SecretHash, at_ms: i64) -> Result<(), StoreError> {
        self.inner.mark_feed_fetched(token, at_ms).await
    }

    async fn feed_by_token(&self, token: &SecretHash) -> Result<Option<StoredFeed>, StoreError> {
        self.inner.feed_by_token(token).await
    }
}

#[async_trait]
impl ServedStore for FailingStore {
    async fn record_served(
        &self,
        now_ms: i64,
        gap_ms: i64,
    ) -> Result<Vec<ServedPeriod>, StoreError> {
        self.inner.record_served(now_ms, gap_ms).await
    }
}

#[async_trait]
impl NetworkStore for FailingStore {
    async fn add_network_key(&self, key: NetworkKey) -> Result<(), StoreError> {
        self.inner.add_network_key(key).await
    }

    async fn network_key(&self, day: Day) -> Result<Option<NetworkKey>, StoreError> {
        self.inner.network_key(day).await
    }

    async fn forget_networks(&self, before: Day) -> Result<(), StoreError> {
        self.inner.forget_networks(before).await
    }
}

#[async_trait]
impl PairingStore for FailingStore {
    async fn set_pairing_code(&self, code: StoredPairingCode) -> Result<(), StoreError> {
        self.inner.set_pairing_code(code).await
    }

    async fn pairing_code(
        &self,
        code: &SecretHash,
    ) -> Result<Option<StoredPairingCode>, StoreError> {
        self.inner.pairing_code(code).await
    }

    async fn delete_pairing_code(&self, code: &SecretHash) -> Result<bool, StoreError> {
        self.inner.delete_pairing_code(code).await
    }

    async fn delete_expired_pairing_codes(&self, now_ms: i64) -> Result<(), StoreError> {
        self.inner.delete_expired_pairing_codes(now_ms).await
    }
}

#[async_trait]
impl PuzzleStore for FailingStore {
    async fn add_puzzle_answer(
        &self,
        answer: PuzzleAnswer,
        network: Option<NetworkHash>,
    ) -> Result<(), StoreError> {
        self.inner.add_puzzle_answer(answer, network).await
    }

    async fn puzzle_answers(&self, browser: &SecretHash) -> Result<Vec<PuzzleAnswer>, StoreError> {
        self.inner.puzzle_answers(browser).await
    }

    async fn puzzle_counts(&self) -> Result<Vec<PuzzleCount>, StoreError> {
        self.inner.puzzle_counts().await
    }
}

#[async_trait]
impl OpenTableStore for FailingStore {
    async fn open_table(&self, table: OpenTable) -> Result<(), StoreError> {
        self.inner.open_table(table).await
    }

    async fn mark_table_seen(&self, id: &GameId, at_ms: i64) -> Result<(), StoreError> {
        self.inner.mark_table_seen(id, at_ms).await
    }

    async fn close_table(&self, id: &GameId) -> Result<(), StoreError> {
        self.inner.close_table(id).await
    }

    async fn delete_open_tables(&self, opened_until_ms: i64) -> Result<u64, StoreError> {
        self.inner.delete_open_tables(opened_until_ms).await
    }

    async fn find_open_table(&self, id: &GameId) -> Result<Option<OpenTable>, StoreError> {
        self.inner.find_open_table(id).await
    }

    async fn list_open_tables(
        &self,
        since: ListedSince,
        limit: u32,
    ) -> Result<Vec<ListedTable>, StoreError> {
        self.inner.list_open_tables(since, limit).await
    }

    async fn last_name(&self, browser: &SecretHash) -> Result<Option<String>, StoreError> {
        self.inner.last_name(browser).await
    }
}

#[async_trait]
impl ProgramStore for FailingStore {
    async fn add_program(&self, program: RegisteredProgram) -> Result<(), StoreError> {
        self.inner.add_program(program).await
    }

    async fn program(&self, id: &ProgramId) -> Result<Option<RegisteredProgram>, StoreError> {
        self.inner.program(id).await
    }

    async fn program_by_token(
        &self,
        token: &SecretHash,
    ) -> Result<Option<RegisteredProgram>, StoreError> {
        self.inner.program_by_token(token).await
    }

    async fn touch_program(&self, token: &SecretHash, at_ms: i64) -> Result<(), StoreError> {
        self.inner.touch_program(token, at_ms).await
    }

    async fn delete_inactive_programs(&self, before_ms: i64) -> Result<u64, StoreError> {
        self.inner.delete_inactive_programs(before_ms).await
    }

    async fn with_programs(
        &self,
        games: &[GameId],
        tokens: &[SecretHash],
    ) -> Result<Vec<GameId>, StoreError> {
        self.inner.with_programs(games, tokens).await
    }

    async fn list_games_of_program(
        &self,
        token: &SecretHash,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        self.inner.list_games_of_program(token, limit).await
    }

    async fn count_invitations(&self, token: &SecretHash) -> Result<u32, StoreError> {
        self.inner.count_invitations(token).await
    }

    async fn list_program_finishes(
        &self,
        token: &SecretHash,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<(i64, GameId)>, StoreError> {
        self.inner.list_program_finishes(token, after, limit).await
    }

    async fn mark_finishes_reported(
        &self,
        token: &SecretHash,
        number: i64,
    ) -> Result<(), StoreError> {
        self.inner.mark_finishes_reported(token, number).await
    }
}

#[async_trait]
impl GameStore for FailingStore {
    fn notifications(&self) -> Option<broadcast::Receiver<ChangeNotification>> {
        Some(self.notifications.subscribe())
    }

    async fn storage_usage(&self) -> Result<StorageUsage, StoreError> {
        self.inner.storage_usage().await
    }

    async fn health_check(&self) -> Result<(), StoreError> {
        self.inner.health_check().await
    }

    fn failure(&self) -> CancellationToken {
        self.inner.failure()
    }

    async fn close(&self) {
        self.inner.close().await;
    }
}
