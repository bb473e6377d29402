//! Dice statistics of all games on this server: counters that are derived from the games and stored separately. They
//! are written every few seconds; a killed server may lose the last of them. If there are no counters, a starting
//! server rebuilds them from all games.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use super::{Service, ServiceError};
use crate::formats::saved_game::SavedGame;
use crate::game_adapters::LiveGameRef;
use crate::game_adapters::dice_audit::DiceThrow;
use crate::record::EntryRow;
use crate::store::{GameId, GameList, GameOrigin, StoreError};

/// Interval of writing the counters.
const WRITE_INTERVAL: Duration = Duration::from_secs(10);

/// Page size for listing all games during a rebuild.
const PAGE_SIZE: u32 = 100;

/// The counts since the last write.
#[derive(Debug)]
pub(super) struct DiceCounters {
    counts: Mutex<BTreeMap<String, u64>>,
    /// Writing is suspended during a rebuild: partial counts would look complete.
    is_held: AtomicBool,
    /// Unix time in milliseconds from which on throws are counted here.
    since_ms: i64,
}

impl DiceCounters {
    pub(super) fn new(since_ms: i64) -> Self {
        DiceCounters {
            counts: Mutex::default(),
            is_held: AtomicBool::new(false),
            since_ms,
        }
    }

    /// Counts a throw of the named game, by face and by pair of dice numbers.
    pub(super) fn count_throw(&self, game: &str, thrown: &DiceThrow) {
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

impl Service {
    /// The dice statistics of all games of this type on this server.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn dice_statistics(&self, game: &str) -> Result<DiceStatistics, ServiceError> {
        let mut counts = self.shared.dice_counters.now();
        for (name, count) in self.shared.store.counts().await? {
            *counts.entry(name).or_default() += count;
        }
        Ok(DiceStatistics::from_counters(game, &counts))
    }

    /// Writes the counts since the last write to the store.
    pub async fn flush_counters(&self) {
        if self.shared.dice_counters.is_held.load(Ordering::Relaxed) {
            return;
        }
        let counts = self.shared.dice_counters.take();
        if counts.is_empty() {
            return;
        }
        if let Err(error) = self.shared.store.add_counts(counts.clone()).await {
            tracing::warn!(%error, "dice counters could not be written; retrying later");
            self.shared.dice_counters.add(counts);
        }
    }

    /// Rebuilds the counters from all games if there are none, e.g. after they were deleted. Throws before the start of
    /// this service are taken from the records; later ones were counted as they happened.
    ///
    /// # Errors
    /// If the store fails. Then nothing is written until the next start, which tries again.
    pub async fn rebuild_counters(&self) -> Result<(), ServiceError> {
        let (store, dice_counters) = (&self.shared.store, &self.shared.dice_counters);
        dice_counters.is_held.store(true, Ordering::Relaxed);
        if store.counts().await?.is_empty() {
            let new_counters = DiceCounters::new(self.shared.environment.now_ms());
            let (mut after, mut counted) = (None, 0_u64);
            loop {
                let page = store.list_games(GameList::All, after, PAGE_SIZE).await?;
                for id in &page.games {
                    counted += u64::from(self.count_game(id, &new_counters).await?);
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
        self.flush_counters().await;
        Ok(())
    }

    /// Counts the throws of one game; `false` if it is uploaded, deleted or damaged.
    async fn count_game(
        &self,
        id: &GameId,
        new_counters: &DiceCounters,
    ) -> Result<bool, ServiceError> {
        let stored = match self.shared.store.load(id).await {
            Ok(Some(stored)) => stored,
            // It was deleted meanwhile, or cannot be replayed.
            Ok(None) | Err(StoreError::Damaged(_)) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        if matches!(stored.header.origin, Some(GameOrigin::Uploaded { .. })) {
            return Ok(false);
        }
        let (games, until_ms) = (
            self.shared.games.clone(),
            self.shared.dice_counters.since_ms,
        );
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

    /// Rebuilds missing counters, then writes every few seconds, until the service stops.
    pub async fn run_counters(&self) {
        let mut interval = tokio::time::interval(WRITE_INTERVAL);
        let write = async {
            if let Err(error) = self.rebuild_counters().await {
                tracing::warn!(%error, "dice counters could not be rebuilt; retrying at the next start");
            }
            loop {
                interval.tick().await;
                self.flush_counters().await;
            }
        };
        self.shared.stop.run_until_cancelled(write).await;
    }
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
    use crate::game_adapters::dice_audit::{OddsTrial, ThrowSide};
    use crate::game_adapters::{Registry, StartPosition};
    use crate::level::Level;
    use crate::seats::{ComputerPace, SeatSpec};
    use crate::service::{NewGame, ServiceSettings};
    use crate::store::sqlite::SqliteStore;

    #[tokio::test]
    async fn two_instances_that_start_together_count_each_game_once() {
        let store = Arc::new(SqliteStore::in_memory());
        let service = || {
            Service::new(
                Registry::builtin(),
                store.clone(),
                ServiceSettings::default(),
            )
        };
        let before = service();
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
        while before.shared.dice_counters.now().is_empty() {
            let ply = before.snapshot(&id).await.unwrap().live.entry_count();
            before.play_computer_ply(&id, ply).await.unwrap();
        }
        let statistics = DiceStatistics::from_counters(name, &before.shared.dice_counters.now());
        // These instances start after all throws.
        let later = crate::service::Environment {
            clock: Arc::new(|| i64::MAX),
            ..Default::default()
        };
        let instances = [(); 2].map(|()| {
            Service::with_environment(
                later.clone(),
                Registry::builtin(),
                store.clone(),
                ServiceSettings::default(),
            )
        });
        let [one, other] = &instances;
        let counted = tokio::join!(one.rebuild_counters(), other.rebuild_counters());
        assert_eq!((counted.0.is_ok(), counted.1.is_ok()), (true, true));
        assert_eq!(one.dice_statistics(name).await.unwrap(), statistics);
    }

    #[test]
    fn counters_round_trip() {
        let dice_counters = DiceCounters::new(0);
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
