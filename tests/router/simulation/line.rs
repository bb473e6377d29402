//! The connection of an instance to the shared store: an implementation of [`GameStore`] that delays, reorders, loses
//! and duplicates requests, and blocks while the instance is paused.
//!
//! A request in transit is executed completely or not at all, even if its caller has gone.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use dice_of_doom::day::Day;
use dice_of_doom::seats::{RematchKind, Seat};
use dice_of_doom::secret::SecretHash;
use dice_of_doom::store::{
    AppendOptions, BrowserStore, ChangeNotification, DailyCount, DailyDeal, DailyScore, DailyStore,
    DerivedStore, FeedStore, FencingToken, GameHeader, GameId, GameList, GamePage, GameStore,
    GameVersion, LeaseResult, LeaseStore, ListStore, ListedSince, ListedTable, NetworkHash,
    NetworkKey, NetworkStore, OpenTable, OpenTableStore, PageCursor, PairingStore, ProgramId,
    ProgramStore, PuzzleAnswer, PuzzleCount, PuzzleStore, RecordStore, RegisteredProgram,
    RetentionCutoffs, ReviewChange, ServedPeriod, ServedStore, StorageUsage, StoreError,
    StoredCard, StoredEntry, StoredFeed, StoredGame, StoredPairingCode, StoredReview,
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
    fn unsimulated(&self) -> Result<&dyn GameStore, StoreError> {
        if self.is_disconnected() {
            return Err(unavailable());
        }
        Ok(&self.shared.store)
    }
}

#[async_trait]
impl RecordStore for StoreLink {
    async fn create_with_entries(
        &self,
        header: GameHeader,
        seats: Vec<Seat>,
        entries: Vec<StoredEntry>,
    ) -> Result<(), StoreError> {
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

    async fn repair_finished(&self, id: &GameId) -> Result<(), StoreError> {
        let id = id.clone();
        self.send(format!("repair {id}"), move |shared| {
            now(shared.store.repair_finished(&id))
        })
        .await
    }

    async fn delete_game(&self, id: &GameId, seats_revision: u32) -> Result<bool, StoreError> {
        self.unsimulated()?.delete_game(id, seats_revision).await
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
}

#[async_trait]
impl ListStore for StoreLink {
    async fn change_seats(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
    ) -> Result<u32, StoreError> {
        let id = id.clone();
        self.send(format!("seats {id} {expected_revision}"), move |shared| {
            shared.change_seats(&id, expected_revision, seats.clone())
        })
        .await
    }

    async fn find_seat_by_link(
        &self,
        link: &SecretHash,
    ) -> Result<Option<(GameId, u8)>, StoreError> {
        self.unsimulated()?.find_seat_by_link(link).await
    }

    async fn list_games(
        &self,
        list: GameList,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError> {
        self.unsimulated()?.list_games(list, after, limit).await
    }

    async fn book_page_game(&self, browser: &SecretHash) -> Result<Option<GameId>, StoreError> {
        self.unsimulated()?.book_page_game(browser).await
    }

    async fn list_watchable(
        &self,
        besides: Option<&SecretHash>,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        self.unsimulated()?.list_watchable(besides, limit).await
    }

    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, StoreError> {
        let id = id.clone();
        self.send(format!("rematches {id}"), move |shared| {
            now(shared.store.rematches_of(&id))
        })
        .await
    }

    async fn list_expired(
        &self,
        cutoffs: &RetentionCutoffs,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        self.unsimulated()?.list_expired(cutoffs, limit).await
    }

    async fn delete_expired(
        &self,
        games: Vec<GameId>,
        cutoffs: RetentionCutoffs,
    ) -> Result<u64, StoreError> {
        self.unsimulated()?.delete_expired(games, cutoffs).await
    }

    async fn last_activity_ms(&self) -> Result<Option<i64>, StoreError> {
        self.unsimulated()?.last_activity_ms().await
    }
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

#[async_trait]
impl DerivedStore for StoreLink {
    async fn cards(&self, games: &[GameId]) -> Result<Vec<StoredCard>, StoreError> {
        self.unsimulated()?.cards(games).await
    }

    async fn store_card(&self, id: &GameId, card: String) -> Result<(), StoreError> {
        self.unsimulated()?.store_card(id, card).await
    }

    async fn change_review(&self, id: &GameId, change: ReviewChange) -> Result<(), StoreError> {
        self.unsimulated()?.change_review(id, change).await
    }

    async fn review(&self, id: &GameId) -> Result<Option<StoredReview>, StoreError> {
        self.unsimulated()?.review(id).await
    }

    async fn reviewed(&self, games: &[GameId]) -> Result<Vec<GameId>, StoreError> {
        self.unsimulated()?.reviewed(games).await
    }

    async fn pending_reviews(&self, limit: u32) -> Result<Vec<GameId>, StoreError> {
        self.unsimulated()?.pending_reviews(limit).await
    }

    async fn add_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError> {
        self.unsimulated()?.add_counts(counts).await
    }

    async fn begin_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError> {
        self.unsimulated()?.begin_counts(counts).await
    }

    async fn counts(&self) -> Result<Vec<(String, u64)>, StoreError> {
        self.unsimulated()?.counts().await
    }
}

#[async_trait]
impl DailyStore for StoreLink {
    async fn add_daily_deal(&self, deal: DailyDeal) -> Result<(), StoreError> {
        self.unsimulated()?.add_daily_deal(deal).await
    }

    async fn daily_deal(&self, day: Day) -> Result<Option<DailyDeal>, StoreError> {
        self.unsimulated()?.daily_deal(day).await
    }

    async fn daily_days(&self, since: Day) -> Result<Vec<Day>, StoreError> {
        self.unsimulated()?.daily_days(since).await
    }

    async fn daily_game(
        &self,
        day: Day,
        browser: &SecretHash,
    ) -> Result<Option<GameId>, StoreError> {
        self.unsimulated()?.daily_game(day, browser).await
    }

    async fn daily_player(&self, game: &GameId) -> Result<Option<SecretHash>, StoreError> {
        self.unsimulated()?.daily_player(game).await
    }

    async fn daily_attempts(
        &self,
        browser: &SecretHash,
        since: Day,
    ) -> Result<Vec<Day>, StoreError> {
        self.unsimulated()?.daily_attempts(browser, since).await
    }

    async fn set_daily_network(
        &self,
        browser: &SecretHash,
        network: NetworkHash,
    ) -> Result<(), StoreError> {
        self.unsimulated()?
            .set_daily_network(browser, network)
            .await
    }

    async fn add_daily_score(&self, score: DailyScore, before_ms: i64) -> Result<(), StoreError> {
        self.unsimulated()?.add_daily_score(score, before_ms).await
    }

    async fn daily_scores(&self, browser: &SecretHash) -> Result<Vec<DailyScore>, StoreError> {
        self.unsimulated()?.daily_scores(browser).await
    }

    async fn daily_counts(&self, day: Day) -> Result<Vec<DailyCount>, StoreError> {
        self.unsimulated()?.daily_counts(day).await
    }
}

#[async_trait]
impl BrowserStore for StoreLink {
    async fn move_browser_data(
        &self,
        from: &SecretHash,
        to: Option<&SecretHash>,
    ) -> Result<(), StoreError> {
        self.unsimulated()?.move_browser_data(from, to).await
    }

    async fn delete_old_browser_data(&self, before_ms: i64) -> Result<(), StoreError> {
        self.unsimulated()?.delete_old_browser_data(before_ms).await
    }
}

#[async_trait]
impl FeedStore for StoreLink {
    async fn set_feed(&self, feed: StoredFeed) -> Result<(), StoreError> {
        self.unsimulated()?.set_feed(feed).await
    }

    async fn feed_of(&self, browser: &SecretHash) -> Result<Option<StoredFeed>, StoreError> {
        self.unsimulated()?.feed_of(browser).await
    }

    async fn mark_feed_fetched(&self, token: &SecretHash, at_ms: i64) -> Result<(), StoreError> {
        self.unsimulated()?.mark_feed_fetched(token, at_ms).await
    }

    async fn feed_by_token(&self, token: &SecretHash) -> Result<Option<StoredFeed>, StoreError> {
        self.unsimulated()?.feed_by_token(token).await
    }
}

#[async_trait]
impl ServedStore for StoreLink {
    async fn record_served(
        &self,
        now_ms: i64,
        gap_ms: i64,
    ) -> Result<Vec<ServedPeriod>, StoreError> {
        self.unsimulated()?.record_served(now_ms, gap_ms).await
    }
}

#[async_trait]
impl NetworkStore for StoreLink {
    async fn add_network_key(&self, key: NetworkKey) -> Result<(), StoreError> {
        self.unsimulated()?.add_network_key(key).await
    }

    async fn network_key(&self, day: Day) -> Result<Option<NetworkKey>, StoreError> {
        self.unsimulated()?.network_key(day).await
    }

    async fn forget_networks(&self, before: Day) -> Result<(), StoreError> {
        self.unsimulated()?.forget_networks(before).await
    }
}

#[async_trait]
impl PairingStore for StoreLink {
    async fn set_pairing_code(&self, code: StoredPairingCode) -> Result<(), StoreError> {
        self.unsimulated()?.set_pairing_code(code).await
    }

    async fn pairing_code(
        &self,
        code: &SecretHash,
    ) -> Result<Option<StoredPairingCode>, StoreError> {
        self.unsimulated()?.pairing_code(code).await
    }

    async fn delete_pairing_code(&self, code: &SecretHash) -> Result<bool, StoreError> {
        self.unsimulated()?.delete_pairing_code(code).await
    }

    async fn delete_expired_pairing_codes(&self, now_ms: i64) -> Result<(), StoreError> {
        self.unsimulated()?
            .delete_expired_pairing_codes(now_ms)
            .await
    }
}

#[async_trait]
impl PuzzleStore for StoreLink {
    async fn add_puzzle_answer(
        &self,
        answer: PuzzleAnswer,
        network: Option<NetworkHash>,
    ) -> Result<(), StoreError> {
        self.unsimulated()?.add_puzzle_answer(answer, network).await
    }

    async fn puzzle_answers(&self, browser: &SecretHash) -> Result<Vec<PuzzleAnswer>, StoreError> {
        self.unsimulated()?.puzzle_answers(browser).await
    }

    async fn puzzle_counts(&self) -> Result<Vec<PuzzleCount>, StoreError> {
        self.unsimulated()?.puzzle_counts().await
    }
}

#[async_trait]
impl OpenTableStore for StoreLink {
    async fn open_table(&self, table: OpenTable) -> Result<(), StoreError> {
        self.unsimulated()?.open_table(table).await
    }

    async fn mark_table_seen(&self, id: &GameId, at_ms: i64) -> Result<(), StoreError> {
        self.unsimulated()?.mark_table_seen(id, at_ms).await
    }

    async fn close_table(&self, id: &GameId) -> Result<(), StoreError> {
        self.unsimulated()?.close_table(id).await
    }

    async fn delete_open_tables(&self, opened_until_ms: i64) -> Result<u64, StoreError> {
        self.unsimulated()?
            .delete_open_tables(opened_until_ms)
            .await
    }

    async fn find_open_table(&self, id: &GameId) -> Result<Option<OpenTable>, StoreError> {
        self.unsimulated()?.find_open_table(id).await
    }

    async fn list_open_tables(
        &self,
        since: ListedSince,
        limit: u32,
    ) -> Result<Vec<ListedTable>, StoreError> {
        self.unsimulated()?.list_open_tables(since, limit).await
    }

    async fn last_name(&self, browser: &SecretHash) -> Result<Option<String>, StoreError> {
        self.unsimulated()?.last_name(browser).await
    }
}

#[async_trait]
impl ProgramStore for StoreLink {
    async fn add_program(&self, program: RegisteredProgram) -> Result<(), StoreError> {
        self.unsimulated()?.add_program(program).await
    }

    async fn program(&self, id: &ProgramId) -> Result<Option<RegisteredProgram>, StoreError> {
        self.unsimulated()?.program(id).await
    }

    async fn program_by_token(
        &self,
        token: &SecretHash,
    ) -> Result<Option<RegisteredProgram>, StoreError> {
        self.unsimulated()?.program_by_token(token).await
    }

    async fn touch_program(&self, token: &SecretHash, at_ms: i64) -> Result<(), StoreError> {
        self.unsimulated()?.touch_program(token, at_ms).await
    }

    async fn delete_inactive_programs(&self, before_ms: i64) -> Result<u64, StoreError> {
        self.unsimulated()?
            .delete_inactive_programs(before_ms)
            .await
    }

    async fn with_programs(
        &self,
        games: &[GameId],
        tokens: &[SecretHash],
    ) -> Result<Vec<GameId>, StoreError> {
        self.unsimulated()?.with_programs(games, tokens).await
    }

    async fn list_games_of_program(
        &self,
        token: &SecretHash,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        self.unsimulated()?
            .list_games_of_program(token, limit)
            .await
    }

    async fn count_invitations(&self, token: &SecretHash) -> Result<u32, StoreError> {
        self.unsimulated()?.count_invitations(token).await
    }

    async fn list_program_finishes(
        &self,
        token: &SecretHash,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<(i64, GameId)>, StoreError> {
        self.unsimulated()?
            .list_program_finishes(token, after, limit)
            .await
    }

    async fn mark_finishes_reported(
        &self,
        token: &SecretHash,
        number: i64,
    ) -> Result<(), StoreError> {
        self.unsimulated()?
            .mark_finishes_reported(token, number)
            .await
    }
}

#[async_trait]
impl GameStore for StoreLink {
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

    fn failure(&self) -> CancellationToken {
        self.shared.store.failure()
    }

    /// The shared store stays open for the other instance.
    async fn close(&self) {}
}
