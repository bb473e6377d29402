//! The line from one instance to the truth: an archive as the instance has it, over which requests are late, out of
//! order, lost, or come twice, and on which everything stands still while the instance does.
//!
//! A request that is under way goes on when whoever asked has gone: it happens whole, or not at all.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use dice_of_doom::seats::{ComputerPace, RematchKind, Seat};
use dice_of_doom::secret::SecretHash;
use dice_of_doom::store::{
    AppendOptions, ChangeNotification, ExportedGame, FencingToken, GameHeader, GameId, GameList,
    GamePage, GameStore, GameVersion, LeaseResult, PageCursor, ProgramId, RegisteredProgram,
    RetentionCutoffs, ReviewChange, StorageUsage, StoreError, StoredEntry, StoredGame,
    StoredReview,
};
use tokio::sync::{broadcast, oneshot};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::faults::{Fate, Weather};
use super::model::{Truth, now};
use super::notifications::Bell;

pub(crate) struct Line {
    pub(crate) name: String,
    truth: Arc<Truth>,
    weather: Arc<Weather>,
    pub(crate) bell: Arc<Bell>,
    is_cut: AtomicBool,
    stands_still_until: Mutex<Instant>,
    /// How long the next answers take, where that is said.
    slow: Mutex<VecDeque<Duration>>,
}

fn away() -> StoreError {
    StoreError::Unavailable("the line is down".to_owned())
}

impl Line {
    pub(crate) fn new(
        name: &str,
        truth: &Arc<Truth>,
        weather: &Arc<Weather>,
        bell: &Arc<Bell>,
    ) -> Arc<Self> {
        Arc::new(Line {
            name: name.to_owned(),
            truth: Arc::clone(truth),
            weather: Arc::clone(weather),
            bell: Arc::clone(bell),
            is_cut: AtomicBool::new(false),
            stands_still_until: Mutex::new(Instant::now()),
            slow: Mutex::default(),
        })
    }

    /// The answers to the next requests take so long on their way back.
    pub(crate) fn answer_after(&self, times: &[Duration]) {
        let mut slow = self.slow.lock().unwrap_or_else(PoisonError::into_inner);
        slow.extend(times);
    }

    /// Nothing goes out any more, for the instance has died.
    pub(crate) fn cut(&self) {
        self.is_cut.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::Relaxed)
    }

    /// For this time nothing goes in or out, as of a process that is stopped and goes on.
    pub(crate) fn stand_still(&self, time: Duration) {
        let until = Instant::now() + time;
        *self.still() = until;
    }

    fn still(&self) -> std::sync::MutexGuard<'_, Instant> {
        self.stands_still_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the instance goes on.
    pub(crate) async fn moves(&self) {
        loop {
            let until = *self.still();
            if until <= Instant::now() {
                return;
            }
            sleep_until(until).await;
        }
    }

    async fn ask<T: Debug + Send + 'static>(
        &self,
        what: String,
        does: impl Fn(&Truth) -> Result<T, StoreError> + Send + Sync + 'static,
    ) -> Result<T, StoreError> {
        self.moves().await;
        if self.is_cut() {
            return Err(away());
        }
        let mut way = self.weather.way();
        let slow = self.slow.lock();
        let slow = slow.unwrap_or_else(PoisonError::into_inner).pop_front();
        way.back = slow.unwrap_or(way.back);
        let (story, name) = (Arc::clone(&self.weather.story), self.name.clone());
        if let Fate::Unreached = way.fate {
            story.tell(&format!("{name} {what}: never comes there"));
            sleep(way.back).await;
            self.moves().await;
            return Err(away());
        }
        let (tell, told) = oneshot::channel();
        let truth = Arc::clone(&self.truth);
        tokio::spawn(async move {
            sleep(way.there).await;
            let answer = does(&truth);
            let failed = answer.as_ref().err();
            let fate = way.fate;
            story.tell(&format!("{name} {what}: {failed:?} {fate:?}"));
            let _ = tell.send(answer);
            if let Fate::Twice = fate {
                sleep(way.again).await;
                let failed = does(&truth).err();
                story.tell(&format!("{name} {what}: {failed:?} again"));
            }
        });
        let answer = told.await.unwrap_or_else(|_| Err(away()));
        sleep(way.back).await;
        self.moves().await;
        match way.fate {
            _ if self.is_cut() => Err(away()),
            Fate::AnswerLost => Err(away()),
            _ => answer,
        }
    }

    /// What the services ask beside games: it is not what is simulated.
    fn plain(&self) -> Result<&dyn GameStore, StoreError> {
        if self.is_cut() {
            return Err(away());
        }
        Ok(&self.truth.archive)
    }
}

#[async_trait]
impl GameStore for Line {
    async fn create_with_entries(
        &self,
        header: GameHeader,
        seats: Vec<Seat>,
        entries: Vec<StoredEntry>,
    ) -> Result<(), StoreError> {
        let what = format!("keep {}", header.id);
        self.ask(what, move |truth| {
            truth.keep(header.clone(), seats.clone(), entries.clone())
        })
        .await
    }

    async fn import(&self, moved: ExportedGame) -> Result<(), StoreError> {
        self.plain()?.import(moved).await
    }

    async fn load(&self, id: &GameId) -> Result<Option<StoredGame>, StoreError> {
        let id = id.clone();
        self.ask(format!("load {id}"), move |truth| {
            now(truth.archive.load(&id))
        })
        .await
    }

    async fn append_with(
        &self,
        id: &GameId,
        expected: u32,
        entry: StoredEntry,
        turn: AppendOptions,
    ) -> Result<Option<FencingToken>, StoreError> {
        let (id, by) = (id.clone(), self.name.clone());
        let what = format!("append {id} {expected} {entry:?} {turn:?}");
        self.ask(what, move |truth| {
            truth.append(&by, &id, expected, &entry, turn)
        })
        .await
    }

    async fn lease(&self, id: &GameId, time: Duration) -> Result<LeaseResult, StoreError> {
        let id = id.clone();
        self.ask(format!("lease {id}"), move |truth| truth.lease(&id, time))
            .await
    }

    async fn renew(
        &self,
        held: &[(GameId, FencingToken)],
        time: Duration,
    ) -> Result<(), StoreError> {
        let mut held = held.to_vec();
        held.sort();
        self.ask(format!("renew {held:?}"), move |truth| {
            now(truth.archive.renew(&held, time))
        })
        .await
    }

    async fn release(&self, id: &GameId, fence: FencingToken, due: bool) -> Result<(), StoreError> {
        let id = id.clone();
        self.ask(format!("release {id} {fence:?} {due}"), move |truth| {
            now(truth.archive.release(&id, fence, due))
        })
        .await
    }

    async fn claim(
        &self,
        most: u32,
        time: Duration,
    ) -> Result<Vec<(GameId, FencingToken)>, StoreError> {
        self.ask("claim".to_owned(), move |truth| truth.claim(most, time))
            .await
    }

    async fn versions(&self, games: &[GameId]) -> Result<Vec<GameVersion>, StoreError> {
        let mut games = games.to_vec();
        // Services ask in the order of a map, which is another one each time.
        games.sort();
        self.ask(format!("standing {}", games.len()), move |truth| {
            now(truth.archive.versions(&games))
        })
        .await
    }

    async fn with_programs(
        &self,
        games: &[GameId],
        tokens: &[SecretHash],
    ) -> Result<Vec<GameId>, StoreError> {
        self.plain()?.with_programs(games, tokens).await
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn notifications(&self) -> Option<broadcast::Receiver<ChangeNotification>> {
        Some(self.bell.rings.subscribe())
    }

    async fn change_seats(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
    ) -> Result<u32, StoreError> {
        let id = id.clone();
        self.ask(format!("seats {id} {expected_revision}"), move |truth| {
            truth.change_seats(&id, expected_revision, seats.clone())
        })
        .await
    }

    async fn repair_finished(&self, id: &GameId) -> Result<(), StoreError> {
        let id = id.clone();
        self.ask(format!("heal {id}"), move |truth| {
            now(truth.archive.repair_finished(&id))
        })
        .await
    }

    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, StoreError> {
        let id = id.clone();
        self.ask(format!("rematches {id}"), move |truth| {
            now(truth.archive.rematches_of(&id))
        })
        .await
    }

    async fn list_games(
        &self,
        list: GameList,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError> {
        self.plain()?.list_games(list, after, limit).await
    }

    async fn book_page_game(&self, browser: &SecretHash) -> Result<Option<GameId>, StoreError> {
        self.plain()?.book_page_game(browser).await
    }

    async fn find_seat_by_link(
        &self,
        link: &SecretHash,
    ) -> Result<Option<(GameId, u8)>, StoreError> {
        self.plain()?.find_seat_by_link(link).await
    }

    async fn list_watchable(
        &self,
        besides: Option<&SecretHash>,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        self.plain()?.list_watchable(besides, limit).await
    }

    async fn list_unfinished(
        &self,
        pace: ComputerPace,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError> {
        self.plain()?.list_unfinished(pace, after, limit).await
    }

    async fn list_all(
        &self,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError> {
        self.plain()?.list_all(after, limit).await
    }

    async fn list_expired(
        &self,
        cutoffs: &RetentionCutoffs,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        self.plain()?.list_expired(cutoffs, limit).await
    }

    async fn delete_expired(
        &self,
        games: Vec<GameId>,
        cutoffs: RetentionCutoffs,
    ) -> Result<u64, StoreError> {
        self.plain()?.delete_expired(games, cutoffs).await
    }

    async fn change_review(&self, id: &GameId, change: ReviewChange) -> Result<(), StoreError> {
        self.plain()?.change_review(id, change).await
    }

    async fn review(&self, id: &GameId) -> Result<Option<StoredReview>, StoreError> {
        self.plain()?.review(id).await
    }

    async fn pending_reviews(&self, limit: u32) -> Result<Vec<GameId>, StoreError> {
        self.plain()?.pending_reviews(limit).await
    }

    async fn add_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError> {
        self.plain()?.add_counts(counts).await
    }

    async fn begin_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError> {
        self.plain()?.begin_counts(counts).await
    }

    async fn counts(&self) -> Result<Vec<(String, u64)>, StoreError> {
        self.plain()?.counts().await
    }

    async fn add_program(&self, program: RegisteredProgram) -> Result<(), StoreError> {
        self.plain()?.add_program(program).await
    }

    async fn program(&self, id: &ProgramId) -> Result<Option<RegisteredProgram>, StoreError> {
        self.plain()?.program(id).await
    }

    async fn program_by_token(
        &self,
        token: &SecretHash,
    ) -> Result<Option<RegisteredProgram>, StoreError> {
        self.plain()?.program_by_token(token).await
    }

    async fn touch_program(&self, token: &SecretHash, at_ms: i64) -> Result<(), StoreError> {
        self.plain()?.touch_program(token, at_ms).await
    }

    async fn games_of_program(
        &self,
        token: &SecretHash,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        self.plain()?.games_of_program(token, limit).await
    }

    async fn list_program_finishes(
        &self,
        token: &SecretHash,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<(i64, GameId)>, StoreError> {
        self.plain()?
            .list_program_finishes(token, after, limit)
            .await
    }

    async fn mark_finishes_reported(
        &self,
        token: &SecretHash,
        number: i64,
    ) -> Result<(), StoreError> {
        self.plain()?.mark_finishes_reported(token, number).await
    }

    async fn invitations_of(&self, token: &SecretHash) -> Result<u32, StoreError> {
        self.plain()?.invitations_of(token).await
    }

    async fn delete_inactive_programs(&self, before_ms: i64) -> Result<u64, StoreError> {
        self.plain()?.delete_inactive_programs(before_ms).await
    }

    async fn last_activity_ms(&self) -> Result<Option<i64>, StoreError> {
        self.plain()?.last_activity_ms().await
    }

    async fn storage_usage(&self) -> Result<StorageUsage, StoreError> {
        self.plain()?.storage_usage().await
    }

    async fn health_check(&self) -> Result<(), StoreError> {
        self.plain()?.health_check().await
    }

    fn failure(&self) -> CancellationToken {
        self.truth.archive.failure()
    }

    /// The truth stays: others have it, too.
    async fn close(&self) {}
}
