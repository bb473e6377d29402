//! Dice statistics of all games on this server: counters that are derived from the games and stored separately. They
//! are written every few seconds; a killed server may lose the last of them. If there are no counters, a starting
//! server rebuilds them from all games.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;

use crate::formats::saved_game::SavedGame;
use crate::games::LiveGameRef;
use crate::games::dice_audit::DiceThrow;
use crate::record::EntryRow;
use crate::site::shared::app::{App, FeatureState};
use crate::store::{GameId, GameList, GameOrigin, Store, StoreError};
use crate::tables::{GameObserver, Service, ServiceError};

/// Interval of writing the counters.
const WRITE_INTERVAL: Duration = Duration::from_secs(10);

/// Page size for listing all games during a rebuild.
const PAGE_SIZE: u32 = 100;

/// The counts since the last write.
pub(in crate::site) struct DiceCounters {
    store: Arc<dyn Store>,
    counts: Mutex<BTreeMap<String, u64>>,
    /// Writing is suspended during a rebuild: partial counts would look complete.
    is_held: AtomicBool,
    /// Unix time in milliseconds from which on throws are counted here.
    since_ms: i64,
}

impl FeatureState for DiceCounters {
    fn new(app: &App) -> Self {
        DiceCounters::with_store(Arc::clone(app.service.store()), app.service.now_ms())
    }
}

#[async_trait]
impl GameObserver for DiceCounters {
    fn dice_thrown(&self, game: &'static str, thrown: &DiceThrow) {
        self.count_throw(game, thrown);
    }

    async fn closing(&self) {
        self.flush().await;
    }
}

impl DiceCounters {
    fn with_store(store: Arc<dyn Store>, since_ms: i64) -> Self {
        DiceCounters {
            store,
            counts: Mutex::default(),
            is_held: AtomicBool::new(false),
            since_ms,
        }
    }

    /// Counts a throw of the named game, by face and by pair of dice numbers.
    fn count_throw(&self, game: &str, thrown: &DiceThrow) {
        let mut counts = self.counts.lock();
        let mut count = |name: String| *counts.entry(name).or_default() += 1;
        for face in thrown.sides.iter().flat_map(|side| &side.faces) {
            count(format!("{game} face {face}"));
        }
        if let Some(attempt) = &thrown.attempt {
            let (own, other) = attempt.dice;
            let result = if attempt.won { "won" } else { "lost" };
            count(format!("{game} {own} {other} {result}"));
        }
    }

    fn add(&self, others: Vec<(String, u64)>) {
        let mut counts = self.counts.lock();
        for (name, count) in others {
            *counts.entry(name).or_default() += count;
        }
    }

    fn take(&self) -> Vec<(String, u64)> {
        let mut counts = self.counts.lock();
        std::mem::take(&mut *counts).into_iter().collect()
    }

    fn now(&self) -> BTreeMap<String, u64> {
        let counts = self.counts.lock();
        counts.clone()
    }
}

/// The dice statistics of all games of one type.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DiceStatistics {
    /// Frequencies of the faces 1 to 6.
    pub faces: [u64; 6],
    /// Attacks won and lost, by the numbers of dice of both sides.
    pub attempts: BTreeMap<(u8, u8), (u64, u64)>,
}

impl DiceStatistics {
    /// The counters of one game; unreadable ones are skipped.
    fn from_counters(game: &str, counts: &BTreeMap<String, u64>) -> Self {
        let mut statistics = DiceStatistics::default();
        for (name, count) in counts {
            let words: Vec<_> = name.split(' ').collect();
            match words[..] {
                [kind, "face", face] if kind == game => {
                    let face = face
                        .parse::<usize>()
                        .ok()
                        .and_then(|face| face.checked_sub(1));
                    if let Some(counter) = face.and_then(|face| statistics.faces.get_mut(face)) {
                        *counter = *count;
                    }
                }
                [kind, own, other, result @ ("won" | "lost")] if kind == game => {
                    if let (Ok(own), Ok(other)) = (own.parse(), other.parse()) {
                        let counter = statistics.attempts.entry((own, other)).or_default();
                        *(if result == "won" {
                            &mut counter.0
                        } else {
                            &mut counter.1
                        }) = *count;
                    }
                }
                _ => {}
            }
        }
        statistics
    }
}

impl DiceCounters {
    /// Writes the counts since the last write to the store.
    async fn flush(&self) {
        if self.is_held.load(Ordering::Relaxed) {
            return;
        }
        let counts = self.take();
        if counts.is_empty() {
            return;
        }
        if let Err(error) = self.store.add_counts(counts.clone()).await {
            tracing::warn!(%error, "dice counters could not be written; retrying later");
            self.add(counts);
        }
    }
}

/// The dice statistics of all games of this type on this server.
///
/// # Errors
/// If the store fails.
pub async fn statistics(app: &App, game: &str) -> Result<DiceStatistics, ServiceError> {
    let mut counts = app.state::<DiceCounters>().now();
    for (name, count) in app.service.store().counts().await? {
        *counts.entry(name).or_default() += count;
    }
    Ok(DiceStatistics::from_counters(game, &counts))
}

/// Rebuilds the counters from all games if there are none, e.g. after they were deleted. Throws before the start of this
/// server are taken from the records; later ones were counted as they happened.
///
/// # Errors
/// If the store fails. Then nothing is written until the next start, which tries again.
pub async fn rebuild(app: &App) -> Result<(), ServiceError> {
    let (service, dice_counters) = (&app.service, app.state::<DiceCounters>());
    let store = service.store();
    dice_counters.is_held.store(true, Ordering::Relaxed);
    if store.counts().await?.is_empty() {
        let new_counters = DiceCounters::with_store(Arc::clone(store), service.now_ms());
        let until_ms = dice_counters.since_ms;
        let (mut after, mut counted) = (None, 0_u64);
        loop {
            let page = store.list_games(GameList::All, after, PAGE_SIZE).await?;
            for id in &page.games {
                let is_counted = count_game(service, id, until_ms, &new_counters).await?;
                counted += u64::from(is_counted);
            }
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        match store.begin_counts(new_counters.take()).await {
            Ok(()) if counted > 0 => {
                tracing::info!(games = counted, "dice counters were rebuilt")
            }
            // Another instance has rebuilt the counters meanwhile.
            Ok(()) | Err(StoreError::Exists) => {}
            Err(error) => return Err(error.into()),
        }
    }
    dice_counters.is_held.store(false, Ordering::Relaxed);
    dice_counters.flush().await;
    Ok(())
}

/// Counts the throws of one game before this time; `false` if it is uploaded, deleted or damaged.
async fn count_game(
    service: &Service,
    id: &GameId,
    until_ms: i64,
    new_counters: &DiceCounters,
) -> Result<bool, ServiceError> {
    let stored = match service.store().load(id).await {
        Ok(Some(stored)) => stored,
        // It was deleted meanwhile, or cannot be replayed.
        Ok(None) | Err(StoreError::Damaged(_)) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    if matches!(stored.header.origin, Some(GameOrigin::Uploaded { .. })) {
        return Ok(false);
    }
    let games = service.games().clone();
    let throws = tokio::task::spawn_blocking(move || {
        let live = games.load(&SavedGame {
            parameters: &stored.header.game,
            start: &stored.header.start,
            entries: &stored.entries,
            ending: stored.ending,
        });
        live.ok().map(|live| throws_before(&live, until_ms))
    });
    let throws = throws.await.map_err(|_| ServiceError::Unavailable)?;
    let Some((game, throws)) = throws else {
        return Ok(false);
    };
    for throw in &throws {
        new_counters.count_throw(game, throw);
    }
    Ok(true)
}

/// Rebuilds missing counters, then writes every few seconds, until the service is closed.
pub(in crate::site) async fn run(app: App) {
    let mut interval = tokio::time::interval(WRITE_INTERVAL);
    let counters = app.state::<DiceCounters>();
    let write = async {
        if let Err(error) = rebuild(&app).await {
            tracing::warn!(%error, "dice counters could not be rebuilt; retrying at the next start");
        }
        loop {
            interval.tick().await;
            counters.flush().await;
        }
    };
    app.service.run_until_closed(write).await;
}

/// The throws of a game before this Unix time in milliseconds, and the game's name.
fn throws_before(live: &LiveGameRef, until_ms: i64) -> (&'static str, Vec<DiceThrow>) {
    let is_before = |entry: u32| {
        let row = live.entry(entry);
        row.is_some_and(|row: EntryRow| row.at_ms() < until_ms)
    };
    let rolls = live.rolls(None).into_iter();
    let rolls = rolls.filter(|roll| is_before(roll.entry));
    let thrown = rolls.filter_map(|roll| roll.dice_throw);
    (live.configured_game().name(), thrown.collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::formats::JsonFields;
    use crate::game::Player;
    use crate::games::dice_audit::{OddsTrial, ThrowSide};
    use crate::games::{Registry, StartPosition};
    use crate::level::Level;
    use crate::seats::{ComputerPace, SeatSpec};
    use crate::store::sqlite::SqliteStore;
    use crate::tables::{NewGame, ServiceSettings};

    #[tokio::test]
    async fn two_instances_that_start_together_count_each_game_once() {
        let store = Arc::new(SqliteStore::in_memory());
        let settings = ServiceSettings::default();
        let before = Service::new(Registry::builtin(), store.clone(), settings);
        let counters = Arc::new(DiceCounters::with_store(store.clone(), 0));
        before.observe(counters.clone());
        let setting = before
            .games()
            .default_game()
            .configure(JsonFields::default())
            .unwrap();
        let name = setting.name();
        let seat_specs = vec![SeatSpec::Level(Level::Random.into()); setting.players().into()];
        let new = NewGame {
            pace: ComputerPace::OnRequest,
            ..NewGame::new(setting, StartPosition::Dealt(1), seat_specs)
        };
        let id = before.create(new).await.unwrap().snapshot.id.clone();
        while counters.now().is_empty() {
            let ply = before.snapshot(&id).await.unwrap().live.entry_count();
            before.play_computer_ply(&id, ply).await.unwrap();
        }
        let statistics = DiceStatistics::from_counters(name, &counters.now());
        // These instances start after all throws.
        let later = crate::tables::Environment {
            clock: Arc::new(|| i64::MAX),
            ..Default::default()
        };
        let instances = [(); 2].map(|()| {
            let settings = ServiceSettings::default();
            let games = Registry::builtin();
            let service = Service::with_environment(later.clone(), games, store.clone(), settings);
            App::of(service)
        });
        let [one, other] = &instances;
        let counted = tokio::join!(rebuild(one), rebuild(other));
        assert_eq!((counted.0.is_ok(), counted.1.is_ok()), (true, true));
        let counted = super::statistics(one, name).await.unwrap();
        assert_eq!(counted, statistics);
    }

    #[tokio::test]
    async fn counters_round_trip() {
        let dice_counters = DiceCounters::with_store(Arc::new(SqliteStore::in_memory()), 0);
        let thrown = |won| DiceThrow {
            sides: vec![ThrowSide {
                player: Player::FIRST,
                faces: vec![6, 6, 1],
            }],
            attempt: Some(OddsTrial {
                dice: (3, 2),
                odds: 0.5,
                won,
            }),
        };
        dice_counters.count_throw("dice", &thrown(true));
        dice_counters.count_throw("dice", &thrown(false));
        dice_counters.count_throw("dice", &thrown(true));
        dice_counters.count_throw("pig", &thrown(true));
        let counter = dice_counters.take();
        dice_counters.add(counter);
        let statistics = DiceStatistics::from_counters("dice", &dice_counters.now());
        assert_eq!(statistics.faces, [3, 0, 0, 0, 0, 6]);
        assert_eq!(statistics.attempts, BTreeMap::from([((3, 2), (2, 1))]));
        assert_eq!(
            DiceStatistics::from_counters("pig", &dice_counters.now()).faces,
            [1, 0, 0, 0, 0, 2]
        );
    }
}
