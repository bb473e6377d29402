//! How often what was rolled on this server, all games together: counts that are kept beside the games and
//! follow from them. They are written every few seconds; a server that is killed may lose the last of them.
//! Where nothing is counted, a server that starts counts all games that it has anew.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::{Service, ServiceError};
use crate::game_adapters::dice_audit::DiceThrow;
use crate::game_adapters::{LiveGameRef, SavedGame};
use crate::record::EntryRow;
use crate::store::{GameId, GameOrigin, StoreError};

/// From one writing to the next.
const WRITE: Duration = Duration::from_secs(10);

/// So many games are listed at a time while all are counted anew.
const PAGE: u32 = 100;

/// What was rolled since the last writing.
#[derive(Debug)]
pub(super) struct DiceCounters {
    counts: Mutex<BTreeMap<String, u64>>,
    /// Nothing is written while all is counted anew: a part of it would pass for the whole.
    is_held: AtomicBool,
    /// Unix time, in milliseconds, from which on what is rolled is noted here.
    since_ms: i64,
}

impl DiceCounters {
    /// Nothing was rolled yet.
    pub(super) fn new(since_ms: i64) -> Self {
        DiceCounters {
            counts: Mutex::default(),
            is_held: AtomicBool::new(false),
            since_ms,
        }
    }

    /// Counts a throw of the game of this name: as many names as there are faces and pairs of sides.
    pub(super) fn note(&self, game: &str, thrown: &DiceThrow) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut count = |name: String| *counts.entry(name).or_default() += 1;
        for face in thrown.sides.iter().flat_map(|side| &side.faces) {
            count(format!("{game} face {face}"));
        }
        if let Some(attempt) = &thrown.attempt {
            let (own, other) = attempt.dice;
            let came = if attempt.won { "won" } else { "lost" };
            count(format!("{game} {own} {other} {came}"));
        }
    }

    fn add(&self, others: Vec<(String, u64)>) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, count) in others {
            *counts.entry(name).or_default() += count;
        }
    }

    fn take(&self) -> Vec<(String, u64)> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *counts).into_iter().collect()
    }

    fn now(&self) -> BTreeMap<String, u64> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.clone()
    }
}

/// How often what was rolled in all games of a kind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DiceStatistics {
    /// How often each of the faces 1 to 6 was rolled.
    pub faces: [u64; 6],
    /// How often so many dice against so many were thrown and won, and lost.
    pub attempts: BTreeMap<(u8, u8), (u64, u64)>,
}

impl DiceStatistics {
    /// The counts of a game among all that were kept; what cannot be read is left out.
    fn of(game: &str, counts: &BTreeMap<String, u64>) -> Self {
        let mut rolled = DiceStatistics::default();
        for (name, count) in counts {
            let words: Vec<_> = name.split(' ').collect();
            match words[..] {
                [kind, "face", face] if kind == game => {
                    let face = face
                        .parse::<usize>()
                        .ok()
                        .and_then(|face| face.checked_sub(1));
                    if let Some(kept) = face.and_then(|face| rolled.faces.get_mut(face)) {
                        *kept = *count;
                    }
                }
                [kind, own, other, came @ ("won" | "lost")] if kind == game => {
                    if let (Ok(own), Ok(other)) = (own.parse(), other.parse()) {
                        let kept = rolled.attempts.entry((own, other)).or_default();
                        *(if came == "won" {
                            &mut kept.0
                        } else {
                            &mut kept.1
                        }) = *count;
                    }
                }
                _ => {}
            }
        }
        rolled
    }
}

impl Service {
    /// How often what was rolled in all games of this kind on this server.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn rolled(&self, game: &str) -> Result<DiceStatistics, ServiceError> {
        let mut counts = self.shared.tally.now();
        for (name, count) in self.shared.archive.counts().await? {
            *counts.entry(name).or_default() += count;
        }
        Ok(DiceStatistics::of(game, &counts))
    }

    /// Writes down what was rolled since the last time.
    pub async fn write_tally(&self) {
        if self.shared.tally.is_held.load(Ordering::Relaxed) {
            return;
        }
        let counts = self.shared.tally.take();
        if counts.is_empty() {
            return;
        }
        if let Err(error) = self.shared.archive.add_counts(counts.clone()).await {
            tracing::warn!(%error, "what was rolled is written down later");
            self.shared.tally.add(counts);
        }
    }

    /// Counts all games anew where nothing is counted, as where the counts were removed. What was rolled before
    /// this service began is taken from the records, what came since then was noted.
    ///
    /// # Errors
    /// When the archive fails. Then nothing is written until the next start, which counts again.
    pub async fn count_anew(&self) -> Result<(), ServiceError> {
        let (archive, tally) = (&self.shared.archive, &self.shared.tally);
        tally.is_held.store(true, Ordering::Relaxed);
        if archive.counts().await?.is_empty() {
            let anew = DiceCounters::new(self.shared.machine.now_ms());
            let (mut after, mut counted) = (None, 0_u64);
            loop {
                let page = archive.every(after, PAGE).await?;
                for id in &page.games {
                    counted += u64::from(self.count_game(id, &anew).await?);
                }
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
            match archive.begin_counts(anew.take()).await {
                Ok(()) if counted > 0 => tracing::info!(
                    games = counted,
                    "what was rolled in all games is counted anew"
                ),
                // Another instance has counted the same games meanwhile.
                Ok(()) | Err(StoreError::Exists) => {}
                Err(error) => return Err(error.into()),
            }
        }
        tally.is_held.store(false, Ordering::Relaxed);
        self.write_tally().await;
        Ok(())
    }

    /// Adds what was rolled in a game of this server; `false` where it is none, or damaged.
    async fn count_game(&self, id: &GameId, anew: &DiceCounters) -> Result<bool, ServiceError> {
        let stored = match self.shared.archive.load(id).await {
            Ok(Some(stored)) => stored,
            // It has gone meanwhile, or nobody can tell what was rolled in it.
            Ok(None) | Err(StoreError::Damaged(_)) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        if matches!(stored.header.origin, Some(GameOrigin::Uploaded { .. })) {
            return Ok(false);
        }
        let (games, until_ms) = (self.shared.games.clone(), self.shared.tally.since_ms);
        let rolled = tokio::task::spawn_blocking(move || {
            let live = games.resume(&SavedGame {
                parameters: &stored.header.game,
                start: &stored.header.start,
                entries: &stored.entries,
                ending: stored.ending,
            });
            live.ok().map(|live| rolled_before(&live, until_ms))
        });
        let rolled = rolled.await.map_err(|_| ServiceError::Unavailable)?;
        let Some((game, rolled)) = rolled else {
            return Ok(false);
        };
        for thrown in &rolled {
            anew.note(game, thrown);
        }
        Ok(true)
    }

    /// Counts anew where nothing is counted, then writes every few seconds, until the service stops.
    pub async fn keep_tally(&self) {
        let mut writings = tokio::time::interval(WRITE);
        let write = async {
            if let Err(error) = self.count_anew().await {
                tracing::warn!(%error, "what was rolled is counted anew at the next start");
            }
            loop {
                writings.tick().await;
                self.write_tally().await;
            }
        };
        self.shared.stop.run_until_cancelled(write).await;
    }
}

/// What was thrown in a game before this Unix time, in milliseconds, and what the game is called.
fn rolled_before(live: &LiveGameRef, until_ms: i64) -> (&'static str, Vec<DiceThrow>) {
    let is_before = |entry: u32| {
        let row = live.entry(entry);
        row.is_some_and(|row: EntryRow| row.at_ms() < until_ms)
    };
    let rolls = live.rolls(None).into_iter();
    let rolls = rolls.filter(|roll| is_before(roll.entry));
    let thrown = rolls.filter_map(|roll| roll.thrown);
    (live.setting().name(), thrown.collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::game::Player;
    use crate::game_adapters::dice_audit::{OddsTrial, ThrowSide};
    use crate::game_adapters::{JsonFields, Registry, StartPosition};
    use crate::level::Level;
    use crate::seats::{ComputerPace, SeatSpec};
    use crate::service::{NewGame, ServiceSettings};
    use crate::store::memory::MemoryStore;

    #[tokio::test]
    async fn two_instances_that_begin_together_count_each_game_once() {
        let archive = Arc::new(MemoryStore::new());
        let service = || {
            Service::new(
                Registry::builtin(),
                archive.clone(),
                ServiceSettings::default(),
            )
        };
        let before = service();
        let setting = before
            .games()
            .default_game()
            .setting(JsonFields::default())
            .unwrap();
        let name = setting.name();
        let sitters = vec![SeatSpec::Level(Level::Random.into()); setting.players().into()];
        let new = NewGame {
            pace: ComputerPace::OnRequest,
            ..NewGame::of(setting, StartPosition::Deal(1), sitters)
        };
        let id = before.create(new).await.unwrap().snapshot.id.clone();
        while before.shared.tally.now().is_empty() {
            let ply = before.snapshot(&id).await.unwrap().live.ply();
            before.play_computer_ply(&id, ply).await.unwrap();
        }
        let rolled = DiceStatistics::of(name, &before.shared.tally.now());
        // Rolls count that were made before the instances began.
        let later = crate::service::Environment {
            clock: Arc::new(|| i64::MAX),
            ..Default::default()
        };
        let instances = [(); 2].map(|()| {
            Service::with_environment(
                later.clone(),
                Registry::builtin(),
                archive.clone(),
                ServiceSettings::default(),
            )
        });
        let [one, other] = &instances;
        let counted = tokio::join!(one.count_anew(), other.count_anew());
        assert_eq!((counted.0.is_ok(), counted.1.is_ok()), (true, true));
        assert_eq!(one.rolled(name).await.unwrap(), rolled);
    }

    #[test]
    fn what_is_counted_can_be_read() {
        let tally = DiceCounters::new(0);
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
        tally.note("dice", &thrown(true));
        tally.note("dice", &thrown(false));
        tally.note("dice", &thrown(true));
        tally.note("pig", &thrown(true));
        let kept = tally.take();
        tally.add(kept);
        let rolled = DiceStatistics::of("dice", &tally.now());
        assert_eq!(rolled.faces, [3, 0, 0, 0, 0, 6]);
        assert_eq!(rolled.attempts, BTreeMap::from([((3, 2), (2, 1))]));
        assert_eq!(
            DiceStatistics::of("pig", &tally.now()).faces,
            [1, 0, 0, 0, 0, 2]
        );
    }
}
