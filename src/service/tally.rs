//! How often what was rolled on this server, all games together: counts that are kept beside the games and
//! follow from them. They are written every few seconds; a server that is killed may lose the last of them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::{Service, ServiceError};
use crate::faces::fair::Thrown;

/// From one writing to the next.
const WRITE: Duration = Duration::from_secs(10);

/// What was rolled since the last writing.
#[derive(Debug, Default)]
pub(super) struct Tally(Mutex<BTreeMap<String, u64>>);

impl Tally {
    /// Counts a throw of the game of this name: as many names as there are faces and pairs of sides.
    pub(super) fn note(&self, game: &str, thrown: &Thrown) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, count) in others {
            *counts.entry(name).or_default() += count;
        }
    }

    fn take(&self) -> Vec<(String, u64)> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *counts).into_iter().collect()
    }

    fn now(&self) -> BTreeMap<String, u64> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.clone()
    }
}

/// How often what was rolled in all games of a kind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rolled {
    /// How often each of the faces 1 to 6 was rolled.
    pub faces: [u64; 6],
    /// How often so many dice against so many were thrown and won, and lost.
    pub attempts: BTreeMap<(u8, u8), (u64, u64)>,
}

impl Rolled {
    /// The counts of a game among all that were kept; what cannot be read is left out.
    fn of(game: &str, counts: &BTreeMap<String, u64>) -> Self {
        let mut rolled = Rolled::default();
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
    pub async fn rolled(&self, game: &str) -> Result<Rolled, ServiceError> {
        let mut counts = self.shared.tally.now();
        for (name, count) in self.shared.archive.counts().await? {
            *counts.entry(name).or_default() += count;
        }
        Ok(Rolled::of(game, &counts))
    }

    /// Writes down what was rolled since the last time.
    pub async fn write_tally(&self) {
        let counts = self.shared.tally.take();
        if counts.is_empty() {
            return;
        }
        if let Err(error) = self.shared.archive.add_counts(counts.clone()).await {
            tracing::warn!(%error, "what was rolled is written down later");
            self.shared.tally.add(counts);
        }
    }

    /// Writes every few seconds, until the service stops.
    pub async fn keep_tally(&self) {
        let mut writings = tokio::time::interval(WRITE);
        let write = async {
            loop {
                writings.tick().await;
                self.write_tally().await;
            }
        };
        self.shared.stop.run_until_cancelled(write).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faces::fair::{Attempt, Side};
    use crate::game::Player;

    #[test]
    fn what_is_counted_can_be_read() {
        let tally = Tally::default();
        let thrown = |won| Thrown {
            sides: vec![Side {
                player: Player::FIRST,
                faces: vec![6, 6, 1],
            }],
            attempt: Some(Attempt {
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
        let rolled = Rolled::of("dice", &tally.now());
        assert_eq!(rolled.faces, [3, 0, 0, 0, 0, 6]);
        assert_eq!(rolled.attempts, BTreeMap::from([((3, 2), (2, 1))]));
        assert_eq!(Rolled::of("pig", &tally.now()).faces, [1, 0, 0, 0, 0, 2]);
    }
}
