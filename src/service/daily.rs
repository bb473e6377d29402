//! The board of the day: one deal and one secret of dice for everybody, one scored game for each browser.
//!
//! The secret of a day is stored the day before, and its commitment is public from then on. It is disclosed when the
//! day is over ([`Day::over_ms`]), not when a game ends. Scores are derived from the games: a game that is over stores its
//! score, which counts if all its entries were stored before the day was over. A player thus decides on every entry that
//! counts before anybody can read the secret: the store reads its clock when it stores the entry, and the secret is
//! disclosed after the same clock was read and showed that the day is over, whenever the entry is committed.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::new_game::GameDraft;
use super::snapshot::Snapshot;
use super::{ClientNetwork, GameCreator, NewGame, Service, ServiceError, ServiceState};
use crate::cached_value::CachedValue;
use crate::day::Day;
use crate::formats::JsonFields;
use crate::game::Player;
use crate::game_adapters::{ConfiguredGame, LiveGameRef, StartPosition};
use crate::provably_fair::{CommittedSeed, DiceDisclosure, GameDice, Sha256Digest};
use crate::record::Ending;
use crate::seats::OpponentPreset;
use crate::secret::{Secret, SecretHash};
use crate::store::{
    DailyCount, DailyDeal, DailyScore, DatabaseTime, GameId, GameOrigin, StoreError,
};

/// How long counted scores are used. Counting those of 10,000 games takes a millisecond.
const COUNTS_LIFETIME: Duration = Duration::from_secs(1);

/// The difference between a server's clock and the database's from which on the server warns.
const MAX_CLOCK_DIFFERENCE_MS: i64 = 60_000;
const CLOCK_COMPARISON_INTERVAL: Duration = Duration::from_secs(60);

/// The own turns after which a game that is given up is counted.
const COUNTED_TURNS: usize = 2;

/// The opponents of the scored games.
const OPPONENTS: OpponentPreset = OpponentPreset::Medium;

impl Service {
    /// The current day, whose board can be begun.
    #[must_use]
    pub fn today(&self) -> Day {
        self.shared.today()
    }

    /// Whether the board of a day is over: nothing that is played counts any more, and its secret is public.
    #[must_use]
    pub fn is_day_over(&self, day: Day) -> bool {
        self.shared.is_day_over(day)
    }

    /// The first day that is not over: today, or the day before until what was begun on it counts no more.
    #[must_use]
    pub fn first_open_day(&self) -> Day {
        self.shared.first_open_day()
    }

    /// Warns when this server's clock differs much from that of the database, which decides about days.
    pub(super) async fn compare_clocks(&self) {
        let mut has_warned = false;
        loop {
            let Some(clock) = self.shared.store.clock() else {
                return;
            };
            let ahead_ms = self.now_ms().saturating_sub(clock.now_ms());
            let differs = ahead_ms.abs() > MAX_CLOCK_DIFFERENCE_MS;
            if differs && !has_warned {
                tracing::warn!(
                    ahead_s = ahead_ms / 1000,
                    "this server's clock differs from the database's by more than a minute: the database's decides when the board of the day changes, this one's is in the records of games"
                );
            }
            has_warned = differs;
            tokio::time::sleep(CLOCK_COMPARISON_INTERVAL).await;
        }
    }

    /// Stores the secrets of today and tomorrow unless they are stored. Called every hour.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn prepare_daily_deals(&self) -> Result<(), ServiceError> {
        let today = self.today();
        for day in [today, today.next()] {
            self.daily_deal(day).await?;
        }
        Ok(())
    }

    /// The secret of a day; `None` after tomorrow and for past days without one.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn daily_deal(&self, day: Day) -> Result<Option<DailyDeal>, ServiceError> {
        let (store, environment) = (&self.shared.store, &self.shared.environment);
        let stored = store.daily_deal(day).await?;
        let today = self.today();
        if stored.is_some() || day < today || day > today.next() {
            return Ok(stored);
        }
        let deal = DailyDeal {
            day,
            secret: environment.dice(),
            committed_ms: environment.now_ms(),
        };
        store.add_daily_deal(deal).await?;
        // Another server may have been faster.
        Ok(store.daily_deal(day).await?)
    }

    /// The game of a day at its start.
    ///
    /// # Errors
    /// If the default game cannot be dealt.
    pub fn daily_start(&self, deal: &DailyDeal) -> Result<LiveGameRef, ServiceError> {
        if let Some((of, start)) = &*self.shared.daily_cache.start.lock()
            && *of == deal.secret
        {
            return Ok(Arc::clone(start));
        }
        let game = self.daily_game()?;
        let start = game.new_game(&start(&*game, &deal.secret))?;
        if deal.day == self.today() {
            let start = Arc::clone(&start);
            *self.shared.daily_cache.start.lock() = Some((deal.secret.clone(), start));
        }
        Ok(start)
    }

    fn daily_game(&self) -> Result<Arc<dyn ConfiguredGame>, ServiceError> {
        let kind = self.games().default_game();
        Ok(kind.configure(JsonFields::default())?)
    }

    /// The browser's scored game of a day, if it has begun.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn daily_attempt(
        &self,
        day: Day,
        browser: Option<&SecretHash>,
    ) -> Result<Option<Arc<Snapshot>>, ServiceError> {
        let Some(browser) = browser else {
            return Ok(None);
        };
        match self.shared.store.daily_game(day, browser).await? {
            Some(id) => match self.snapshot_unloaded(&id).await {
                Err(ServiceError::NotFound | ServiceError::Damaged) => Ok(None),
                snapshot => Ok(Some(snapshot?)),
            },
            None => Ok(None),
        }
    }

    /// Begins the browser's scored game of a day, which must be today; returns the existing one if it has begun.
    ///
    /// # Errors
    /// [`ServiceError::NotToday`], and if the store fails or is full.
    pub async fn begin_daily(
        &self,
        day: Day,
        browser: &Secret,
        client_network: Option<ClientNetwork>,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        if let Some(begun) = self.daily_attempt(day, Some(&browser.hash())).await? {
            return Ok(begun);
        }
        if day != self.today() {
            return Err(ServiceError::NotToday);
        }
        let deal = self.daily_deal(day).await?.ok_or(ServiceError::NotFound)?;
        let game = self.daily_game()?;
        let start = start(&*game, &deal.secret);
        let new = NewGame {
            creator: GameCreator::Browser(browser.clone()),
            client_network,
            // Its dice are those of everybody who has yet to play.
            private: true,
            takebacks: false,
            origin: Some(GameOrigin::Daily { day }),
            ..NewGame::new(
                Arc::clone(&game),
                start,
                OPPONENTS.seats(game.players()).collect(),
            )
        };
        let draft = GameDraft::new(&new, &self.shared.environment)?;
        self.check_quota()?;
        let mut header = draft.header;
        header.dice = Some(deal.secret);
        let network = match client_network {
            Some(network) => self.shared.network_hash(network, day).await?,
            None => None,
        };
        let store = &self.shared.store;
        match store.create(header, draft.seats).await {
            Ok(()) => {
                if let Some(network) = network {
                    store.set_daily_network(&browser.hash(), network).await?;
                }
            }
            // It exists if it was begun in another tab at the same time.
            Err(StoreError::Exists) => {}
            Err(error) => return Err(error.into()),
        }
        let begun = self.daily_attempt(day, Some(&browser.hash())).await?;
        begun.ok_or(ServiceError::Unavailable)
    }

    /// A new unscored game with the deal of a past day, against the same opponents.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] if the day is not over or had no deal, and if the store fails or is full.
    pub async fn play_past_day(
        &self,
        day: Day,
        browser: &Secret,
        client_network: Option<ClientNetwork>,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let deal = self.daily_deal(day).await?;
        let deal = deal.filter(|_| self.is_day_over(day));
        let deal = deal.ok_or(ServiceError::NotFound)?;
        let game = self.daily_game()?;
        let start = start(&*game, &deal.secret);
        let seats = OPPONENTS.seats(game.players()).collect();
        let new = NewGame {
            creator: GameCreator::Browser(browser.clone()),
            client_network,
            ..NewGame::new(game, start, seats)
        };
        Ok(self.create(new).await?.snapshot)
    }

    /// The scores of a browser, oldest day first, with those of the games that have ended just now.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn daily_scores(
        &self,
        browser: Option<&SecretHash>,
    ) -> Result<Vec<DailyScore>, ServiceError> {
        let Some(browser) = browser else {
            return Ok(Vec::new());
        };
        self.shared.daily_writes.closed().await;
        Ok(self.shared.store.daily_scores(browser).await?)
    }

    /// The days from `since` on whose scored game the browser has begun, oldest first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn daily_attempts(
        &self,
        browser: Option<&SecretHash>,
        since: Day,
    ) -> Result<Vec<Day>, ServiceError> {
        match browser {
            Some(browser) => Ok(self.shared.store.daily_attempts(browser, since).await?),
            None => Ok(Vec::new()),
        }
    }

    /// The days from `since` on that have a board.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn daily_days(&self, since: Day) -> Result<Vec<Day>, ServiceError> {
        Ok(self.shared.store.daily_days(since).await?)
    }

    /// How many games of a day ended with each score; those of other servers may be missing for a second.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn daily_counts(&self, day: Day) -> Result<Vec<DailyCount>, ServiceError> {
        let cache = &self.shared.daily_cache.counts;
        if let Some((of, counts)) = cache.get()
            && of == day
        {
            return Ok(counts);
        }
        let counts = self.shared.store.daily_counts(day).await?;
        if day == self.today() {
            cache.set((day, counts.clone()));
        }
        Ok(counts)
    }
}

/// The start of the day with this secret: a balanced deal that does not disclose it.
fn start(game: &dyn ConfiguredGame, secret: &CommittedSeed) -> StartPosition {
    let digest = Sha256Digest::compute(&[b"deal", &secret.seed.as_bytes()[..]].concat());
    let first = digest.as_bytes().first_chunk().copied().unwrap_or_default();
    StartPosition::Dealt(game.balanced_seed(u64::from_le_bytes(first)))
}

/// What almost every page of the current day shows.
pub(super) struct DailyCache {
    /// The game at its start, and the secret that it was dealt from.
    start: Mutex<Option<(CommittedSeed, LiveGameRef)>>,
    /// The counts of the scores of a day.
    counts: CachedValue<(Day, Vec<DailyCount>)>,
}

impl Default for DailyCache {
    fn default() -> Self {
        DailyCache {
            start: Mutex::default(),
            counts: CachedValue::new(COUNTS_LIFETIME),
        }
    }
}

impl ServiceState {
    pub(super) fn today(&self) -> Day {
        let clock = self.store.clock();
        let now_ms = clock.map_or_else(|| self.environment.now_ms(), DatabaseTime::now_ms);
        Day::of_ms(now_ms)
    }

    pub(super) fn first_open_day(&self) -> Day {
        let today = self.today();
        let yesterday = today.before(1);
        match self.is_day_over(yesterday) {
            true => today,
            false => yesterday,
        }
    }

    fn is_day_over(&self, day: Day) -> bool {
        let clock = self.store.clock();
        let passed_ms = clock.map_or_else(|| self.environment.now_ms(), |clock| clock.passed_ms);
        passed_ms >= day.over_ms()
    }

    /// Discloses the dice of a game that is over; of a scored one when its day is over. Returns whether it did.
    pub(super) fn disclose_dice(&self, current: &mut Snapshot, dice: Option<&GameDice>) -> bool {
        let is_due = matches!(current.dice, DiceDisclosure::Committed(_))
            && current.live.is_over()
            && current.day().is_none_or(|day| self.is_day_over(day));
        match dice {
            Some(GameDice::Committed(committed, _)) if is_due => {
                current.dice = DiceDisclosure::Revealed(committed.clone());
                true
            }
            _ => false,
        }
    }

    /// Stores the score of a scored game that is over, unless it is stored. It belongs to the browser that began the game,
    /// whoever sits in it.
    pub(super) fn store_daily_score(self: &Arc<Self>, snapshot: &Snapshot) {
        let Some(result) = DailyResult::new(snapshot) else {
            return;
        };
        let shared = Arc::clone(self);
        let writing = self.daily_writes.subscribe();
        self.tasks.spawn(async move {
            // If this fails, the score is stored when the game is loaded again.
            if let Err(error) = shared.add_daily_score(result).await {
                tracing::warn!(%error, "the score of a daily game was not stored");
            }
            drop(writing);
        });
    }

    async fn add_daily_score(&self, result: DailyResult) -> Result<(), StoreError> {
        let DailyResult {
            day,
            game,
            hexes,
            is_won,
            is_counted,
        } = result;
        let Some(browser) = self.store.daily_player(&game).await? else {
            return Ok(());
        };
        let stored = self.store.daily_scores(&browser).await?;
        if stored.iter().any(|other| other.day == day) {
            return Ok(());
        }
        let score = DailyScore {
            day,
            browser,
            game,
            hexes,
            is_won,
            is_counted,
        };
        self.store.add_daily_score(score, day.over_ms()).await?;
        self.daily_cache.counts.clear();
        Ok(())
    }
}

/// The result of a day's game that is over.
struct DailyResult {
    day: Day,
    game: GameId,
    hexes: u32,
    is_won: bool,
    /// Whether the public counts take it: not if the game was given up before the third own turn.
    is_counted: bool,
}

impl DailyResult {
    fn new(snapshot: &Snapshot) -> Option<Self> {
        let (player, live) = (Player::FIRST, &snapshot.live);
        let day = snapshot.day().filter(|_| live.is_over())?;
        let is_given_up = live.ending() == Some(Ending::Resigned(player));
        Some(DailyResult {
            day,
            game: snapshot.id.clone(),
            hexes: live.territory(player)?,
            is_won: live.winners() == [player],
            is_counted: !is_given_up || live.territory_by_turn(player).len() >= COUNTED_TURNS,
        })
    }
}
