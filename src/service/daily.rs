//! The board of the day: one deal and one secret of dice for everybody, one scored game for each browser.
//!
//! The secret of a day is stored the day before, and its commitment is public from then on. It is disclosed when the
//! day is over, not when a game ends. Scores are derived from the games: a game that is over stores its score.

use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::new_game::GameDraft;
use super::snapshot::Snapshot;
use super::{ClientNetwork, GameCreator, NewGame, Service, ServiceError, ServiceState};
use crate::day::Day;
use crate::game::Player;
use crate::game_adapters::{ConfiguredGame, JsonFields, LiveGameRef, StartPosition};
use crate::provably_fair::{CommittedSeed, DiceSecret, GameDice, Sha256Digest};
use crate::seats::OpponentPreset;
use crate::secret::{Secret, SecretHash};
use crate::store::{DailyCount, DailyDeal, DailyScore, GameOrigin, StoreError};

/// How long counted scores are used. Counting those of 10,000 games takes a millisecond.
const COUNTS_LIFETIME: Duration = Duration::from_secs(1);

/// The opponents of the scored games.
const OPPONENTS: OpponentPreset = OpponentPreset::Medium;

impl Service {
    /// The current day.
    #[must_use]
    pub fn today(&self) -> Day {
        Day::of_ms(self.shared.environment.now_ms())
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
        if let DiceSecret::Committed(secret) = environment.dice() {
            let committed_ms = environment.now_ms();
            let deal = DailyDeal {
                day,
                secret,
                committed_ms,
            };
            store.add_daily_deal(deal).await?;
        }
        // Another server may have been faster.
        Ok(store.daily_deal(day).await?)
    }

    /// The game of a day at its start.
    ///
    /// # Errors
    /// If the default game cannot be dealt.
    pub fn daily_start(&self, deal: &DailyDeal) -> Result<LiveGameRef, ServiceError> {
        if let Some((of, start)) = &self.shared.daily_cache().start
            && *of == deal.secret
        {
            return Ok(Arc::clone(start));
        }
        let game = self.daily_game()?;
        let start = game.new_game(&start(&*game, &deal.secret))?;
        if deal.day == self.today() {
            let start = Arc::clone(&start);
            self.shared.daily_cache().start = Some((deal.secret.clone(), start));
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

    /// Begins the browser's scored game of today; returns the existing one if it has begun.
    ///
    /// # Errors
    /// If the store fails or is full.
    pub async fn begin_daily(
        &self,
        browser: &Secret,
        client_network: Option<ClientNetwork>,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let day = self.today();
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
        if let Some(begun) = self.daily_attempt(day, Some(&browser.hash())).await? {
            return Ok(begun);
        }
        let draft = GameDraft::new(&new, &self.shared.environment)?;
        self.check_quota()?;
        let mut header = draft.header;
        header.dice = DiceSecret::Committed(deal.secret);
        match self.shared.store.create(header, draft.seats).await {
            // It exists if it was begun in another tab at the same time.
            Ok(()) | Err(StoreError::Exists) => {}
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
        let deal = deal.filter(|_| day < self.today());
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

    /// The scores of a browser, oldest day first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn daily_scores(
        &self,
        browser: Option<&SecretHash>,
    ) -> Result<Vec<DailyScore>, ServiceError> {
        match browser {
            Some(browser) => Ok(self.shared.store.daily_scores(browser).await?),
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
        if let Some((of, counted, counts)) = &self.shared.daily_cache().counts
            && *of == day
            && counted.elapsed() < COUNTS_LIFETIME
        {
            return Ok(counts.clone());
        }
        let counted = Instant::now();
        let counts = self.shared.store.daily_counts(day).await?;
        if day == self.today() {
            self.shared.daily_cache().counts = Some((day, counted, counts.clone()));
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
#[derive(Default)]
pub(super) struct DailyCache {
    /// The game at its start, and the secret that it was dealt from.
    start: Option<(CommittedSeed, LiveGameRef)>,
    /// The counts of the scores of a day, and when they were counted.
    counts: Option<(Day, Instant, Vec<DailyCount>)>,
}

impl ServiceState {
    fn daily_cache(&self) -> MutexGuard<'_, DailyCache> {
        // No code under the lock panics between two changes.
        let cache = self.daily_cache.lock();
        cache.unwrap_or_else(PoisonError::into_inner)
    }

    /// Discloses the dice of a game that is over; of a scored one when its day is over.
    pub(super) fn disclose_dice(&self, current: &mut Snapshot, dice: &GameDice) {
        let today = Day::of_ms(self.environment.now_ms());
        if current.live.is_over() && current.day().is_none_or(|day| day < today) {
            current.dice = dice.revealed();
        }
    }

    /// Stores the score of a scored game that is over, unless it is stored.
    pub(super) fn store_daily_score(self: &Arc<Self>, snapshot: &Snapshot) {
        let Some(score) = score(snapshot) else {
            return;
        };
        let shared = Arc::clone(self);
        self.tasks.spawn(async move {
            let add = async {
                let stored = shared.store.daily_scores(&score.browser).await?;
                if stored.iter().all(|other| other.day != score.day) {
                    shared.store.add_daily_score(score).await?;
                    shared.daily_cache().counts = None;
                }
                Ok::<_, StoreError>(())
            };
            // If this fails, the score is stored when the game is loaded again.
            if let Err(error) = add.await {
                tracing::warn!(%error, "the score of a daily game was not stored");
            }
        });
    }
}

/// The score of a day's game that is over. It belongs to the browser in the seat, which may have taken over the seat of
/// the one that began the game.
fn score(snapshot: &Snapshot) -> Option<DailyScore> {
    let player = Player::FIRST;
    let keys = snapshot.seat(player)?.occupant.credentials();
    let day = snapshot.day().filter(|_| snapshot.live.is_over())?;
    let hexes = snapshot.live.territory(player)?;
    Some(DailyScore {
        day,
        browser: keys?.browser().copied()?,
        game: snapshot.id.clone(),
        hexes,
        is_won: snapshot.live.winners() == [player],
    })
}
