//! The board of the day: one deal and one secret of dice for everybody, one scored game for each browser.
//!
//! The secret of a day is stored the day before, and its commitment is public from then on. It is disclosed when the
//! day is over ([`Day::over_ms`]), not when a game ends. Scores are derived from the games: a game that is over stores its
//! score, which counts if all its entries were stored before the day was over. A player thus decides on every entry that
//! counts before anybody can read the secret: the store reads its clock when it stores the entry, and the secret is
//! disclosed after the same clock was read and showed that the day is over, whenever the entry is committed.
//!
//! A score that a killed server has not stored is stored when its game is loaded again.

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

use super::rows::{DailyCount, DailyDeal, DailyScore};
use crate::client_network::ClientNetwork;
use crate::day::Day;
use crate::formats::JsonFields;
use crate::game::Player;
use crate::games::{ConfiguredGame, LiveGameRef, StartPosition};
use crate::provably_fair::{Commitment, CommittedSeed, Sha256Digest};
use crate::record::Ending;
use crate::seats::OpponentPreset;
use crate::secret::{Secret, SecretHash};
use crate::site::shared::app::{App, FeatureState};
use crate::site::shared::cached_value::StoredValue;
use crate::site::shared::networks::network_hash;
use crate::store::{GameId, GameOrigin, Store, StoreError};
use crate::tables::{
    GameCreator, GameDraft, GameObserver, NewGame, Service, ServiceError, Snapshot,
};

/// The own turns after which a game that is given up is counted.
const COUNTED_TURNS: usize = 2;

/// The opponents of the scored games.
const OPPONENTS: OpponentPreset = OpponentPreset::Medium;

/// The number of days of the calendar.
pub(super) const CALENDAR_DAYS: u32 = 28;

/// The board of a day, as everybody sees it.
pub(super) struct DayBoard {
    pub(super) deal: DailyDeal,
    /// The game at its start.
    pub(super) start: LiveGameRef,
    /// How many games ended with each score.
    pub(super) counts: Vec<DailyCount>,
    /// The commitment to the secret of tomorrow, on the page of today.
    pub(super) next: Option<Commitment>,
    /// The days of the calendar that had a board.
    pub(super) known_days: Vec<Day>,
    /// The best counted score of the day before, on the page of today.
    pub(super) best_yesterday: Option<DailyScore>,
}

impl Hash for DayBoard {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let DayBoard {
            deal,
            // It follows from the deal.
            start: _,
            counts,
            next,
            known_days,
            best_yesterday,
        } = self;
        (deal, counts, next, known_days, best_yesterday).hash(state);
    }
}

/// The board of today, and the scores that are being stored.
pub(in crate::site) struct DailyState {
    /// The game at its start, and the secret that it was dealt from.
    start: Mutex<Option<(CommittedSeed, LiveGameRef)>>,
    today: StoredValue<Option<Arc<DayBoard>>>,
    /// The number of changes to scores by this process.
    changes: AtomicU64,
    /// Each task that stores a score holds a receiver.
    writes: watch::Sender<()>,
}

impl FeatureState for DailyState {
    fn new(_: &App) -> Self {
        DailyState {
            start: Mutex::default(),
            today: StoredValue::default(),
            changes: AtomicU64::new(0),
            writes: watch::Sender::default(),
        }
    }
}

/// The board of a day; `None` if it had none. What other servers changed may be missing for a second.
pub(super) async fn board_of(app: &App, day: Day) -> Result<Option<Arc<DayBoard>>, ServiceError> {
    if day != app.service.today() {
        return read_board(app, day).await;
    }
    let state = app.state::<DailyState>();
    // Counting the scores of 10,000 games takes a millisecond, so it is not done after every commit.
    let changes = state.changes.load(Ordering::Acquire);
    let known = state
        .today
        .get_or_read(&app.service, changes, async || read_board(app, day).await);
    match known.await? {
        // Today begins within a second.
        Some(board) if board.deal.day != day => read_board(app, day).await,
        board => Ok(board),
    }
}

async fn read_board(app: &App, day: Day) -> Result<Option<Arc<DayBoard>>, ServiceError> {
    let (service, store) = (&app.service, app.service.store());
    let Some(deal) = deal_of(service, day).await? else {
        return Ok(None);
    };
    let today = service.today();
    let (next, best_yesterday) = match day == today {
        true => (
            deal_of(service, day.next()).await?,
            store.best_daily_score(day.before(1)).await?,
        ),
        false => (None, None),
    };
    Ok(Some(Arc::new(DayBoard {
        start: start_of(app, &deal)?,
        counts: store.daily_counts(day).await?,
        next: next.map(|next| next.secret.commitment()),
        known_days: store.daily_days(today.before(CALENDAR_DAYS)).await?,
        best_yesterday,
        deal,
    })))
}

/// Stores the scores of games that end from now on.
pub(in crate::site) fn store_scores(app: &App) {
    app.service.observe(Arc::new(ScoreWriter {
        store: Arc::clone(app.service.store()),
        tasks: app.service.tasks(),
        state: app.state(),
    }));
}

/// Stores the secrets of today and tomorrow unless they are stored. Called every hour.
pub(in crate::site) async fn prepare_deals(service: &Service) -> Result<(), ServiceError> {
    let today = service.today();
    for day in [today, today.next()] {
        deal_of(service, day).await?;
    }
    Ok(())
}

/// The secret of a day; `None` after tomorrow and for past days without one.
async fn deal_of(service: &Service, day: Day) -> Result<Option<DailyDeal>, ServiceError> {
    let (store, environment) = (service.store(), service.environment());
    let stored = store.daily_deal(day).await?;
    let today = service.today();
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
fn start_of(app: &App, deal: &DailyDeal) -> Result<LiveGameRef, ServiceError> {
    let state = app.state::<DailyState>();
    if let Some((of, start)) = &*state.start.lock()
        && *of == deal.secret
    {
        return Ok(Arc::clone(start));
    }
    let game = game(&app.service)?;
    let start = game.new_game(&start_position(&*game, &deal.secret))?;
    if deal.day == app.service.today() {
        let start = Arc::clone(&start);
        *state.start.lock() = Some((deal.secret.clone(), start));
    }
    Ok(start)
}

/// The game of every day.
fn game(service: &Service) -> Result<Arc<dyn ConfiguredGame>, ServiceError> {
    let kind = service.games().default_game();
    Ok(kind.configure(JsonFields::default())?)
}

/// The start of the day with this secret: a balanced deal that does not disclose it.
fn start_position(game: &dyn ConfiguredGame, secret: &CommittedSeed) -> StartPosition {
    let digest = Sha256Digest::compute(&[b"deal", &secret.seed.as_bytes()[..]].concat());
    let first = digest.as_bytes().first_chunk().copied().unwrap_or_default();
    StartPosition::Dealt(game.balanced_seed(u64::from_le_bytes(first)))
}

/// The browser's scored game of a day, if it has begun.
pub(super) async fn attempt(
    service: &Service,
    day: Day,
    browser: Option<&SecretHash>,
) -> Result<Option<Arc<Snapshot>>, ServiceError> {
    let Some(browser) = browser else {
        return Ok(None);
    };
    match service.store().daily_game(day, browser).await? {
        Some(id) => match service.snapshot_unloaded(&id).await {
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
pub async fn begin(
    service: &Service,
    day: Day,
    browser: &Secret,
    client_network: Option<ClientNetwork>,
) -> Result<Arc<Snapshot>, ServiceError> {
    if let Some(begun) = attempt(service, day, Some(&browser.hash())).await? {
        return Ok(begun);
    }
    if day != service.today() {
        return Err(ServiceError::NotToday);
    }
    let deal = deal_of(service, day).await?;
    let deal = deal.ok_or(ServiceError::NotFound)?;
    let new = NewGame {
        // Its dice are those of everybody who has yet to play.
        private: true,
        takebacks: false,
        origin: Some(GameOrigin::Daily { day }),
        ..new_game(service, &deal, browser, client_network)?
    };
    let GameDraft {
        mut header, seats, ..
    } = service.draft(&new)?;
    header.dice = Some(deal.secret);
    let network = match client_network {
        Some(network) => network_hash(service, network, day).await?,
        None => None,
    };
    let created = service
        .store()
        .create_daily_game(header, seats.seats, network);
    match created.await {
        // It exists if it was begun in another tab at the same time.
        Ok(()) | Err(StoreError::Exists) => {}
        Err(error) => return Err(error.into()),
    }
    let begun = attempt(service, day, Some(&browser.hash())).await?;
    begun.ok_or(ServiceError::Unavailable)
}

/// A new unscored game with the deal of a day and new dice, against the same opponents: when the day is over, or the
/// browser's scored game is.
///
/// # Errors
/// [`ServiceError::NotFound`] if it is neither or had no deal, and if the store fails or is full.
pub(super) async fn play_unscored(
    service: &Service,
    day: Day,
    browser: &Secret,
    client_network: Option<ClientNetwork>,
) -> Result<Arc<Snapshot>, ServiceError> {
    let deal = deal_of(service, day).await?;
    let is_open = match service.is_day_over(day) {
        true => true,
        false => {
            let scored = attempt(service, day, Some(&browser.hash())).await?;
            scored.is_some_and(|game| game.live.is_over())
        }
    };
    let deal = deal.filter(|_| is_open);
    let deal = deal.ok_or(ServiceError::NotFound)?;
    let new = new_game(service, &deal, browser, client_network)?;
    Ok(service.create(new).await?.snapshot)
}

/// A game with the deal of a day.
fn new_game(
    service: &Service,
    deal: &DailyDeal,
    browser: &Secret,
    client_network: Option<ClientNetwork>,
) -> Result<NewGame, ServiceError> {
    let game = game(service)?;
    let start = start_position(&*game, &deal.secret);
    let seats = OPPONENTS.seats(game.players()).collect();
    Ok(NewGame {
        creator: GameCreator::Browser(browser.clone()),
        client_network,
        ..NewGame::new(game, start, seats)
    })
}

/// The scores of a browser, oldest day first, with those of the games that have ended just now.
pub(in crate::site) async fn scores(
    app: &App,
    browser: Option<&SecretHash>,
) -> Result<Vec<DailyScore>, ServiceError> {
    let Some(browser) = browser else {
        return Ok(Vec::new());
    };
    app.state::<DailyState>().writes.closed().await;
    Ok(app.service.store().daily_scores(browser).await?)
}

/// The days from `since` on whose scored game the browser has begun, oldest first.
pub(super) async fn attempts(
    service: &Service,
    browser: Option<&SecretHash>,
    since: Day,
) -> Result<Vec<Day>, ServiceError> {
    match browser {
        Some(browser) => Ok(service.store().daily_attempts(browser, since).await?),
        None => Ok(Vec::new()),
    }
}

/// Sets whether everybody may watch a browser's scored game once its day is over.
pub(super) async fn set_shown(
    app: &App,
    day: Day,
    browser: &SecretHash,
    is_shown: bool,
) -> Result<(), ServiceError> {
    let store = app.service.store();
    store.set_daily_game_shown(day, browser, is_shown).await?;
    // The page of the next day shows it at once.
    let state = app.state::<DailyState>();
    state.changes.fetch_add(1, Ordering::Release);
    Ok(())
}

/// Stores the score of each scored game that ends, unless it is stored. It belongs to the browser that began the game,
/// whoever sits in it. If that fails, or the server is killed, it is stored when the game is loaded again.
struct ScoreWriter {
    store: Arc<dyn Store>,
    tasks: TaskTracker,
    state: Arc<DailyState>,
}

impl GameObserver for ScoreWriter {
    fn game_ended(&self, now: &Arc<Snapshot>) {
        let Some(result) = DailyResult::new(now) else {
            return;
        };
        let (store, state) = (Arc::clone(&self.store), Arc::clone(&self.state));
        let writing = self.state.writes.subscribe();
        self.tasks.spawn(async move {
            if let Err(error) = store_score(&*store, result).await {
                tracing::warn!(%error, "the score of a daily game was not stored");
            }
            state.changes.fetch_add(1, Ordering::Release);
            drop(writing);
        });
    }
}

async fn store_score(store: &dyn Store, result: DailyResult) -> Result<(), StoreError> {
    let DailyResult {
        day,
        game,
        hexes,
        is_won,
        is_counted,
    } = result;
    let Some(browser) = store.daily_player(&game).await? else {
        return Ok(());
    };
    let stored = store.daily_scores(&browser).await?;
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
        is_shown: false,
    };
    store.add_daily_score(score, day.over_ms()).await
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
            is_counted: !is_given_up || live.territories_by_turn(player).len() >= COUNTED_TURNS,
        })
    }
}
