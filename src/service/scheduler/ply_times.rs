//! Estimates of the compute time of a computer's next ply, per game.

use std::time::Duration;

use crate::level::{Level, LevelSpec};

/// Number of measured plies per level.
const REMEMBERED: usize = 4;

/// The durations of the last plies of each level in one game. The estimate is their minimum, since load only ever makes
/// a ply longer; the level's default counts until there are enough measurements.
#[derive(Clone, Debug, Default)]
pub(in crate::service) struct PlyTimeEstimates(Vec<(LevelSpec, [Duration; REMEMBERED])>);

impl PlyTimeEstimates {
    /// The estimate for the next ply of this level.
    pub(in crate::service) fn expected(&self, level: LevelSpec) -> Duration {
        let known = self.0.iter().find(|(of, _)| *of == level);
        let least = known.and_then(|(_, took)| took.iter().min().copied());
        least.unwrap_or_else(|| usual(level))
    }

    /// Records the duration of a ply.
    pub(in crate::service) fn note(&mut self, level: LevelSpec, took: Duration) {
        match self.0.iter_mut().find(|(of, _)| *of == level) {
            Some((_, last)) => {
                last.rotate_right(1);
                last[0] = took;
            }
            None => {
                let mut last = [usual(level); REMEMBERED];
                last[0] = took;
                self.0.push((level, last));
            }
        }
    }
}

/// The order of magnitude of a ply's duration, on boards of default size.
fn usual(strength: LevelSpec) -> Duration {
    /// Approximate duration of one simulation.
    const SIMULATION: Duration = Duration::from_micros(50);
    if let Some(simulations) = strength.simulations {
        let simulations = u32::try_from(simulations.get()).unwrap_or(u32::MAX);
        return SIMULATION.saturating_mul(simulations);
    }
    Duration::from_millis(match strength.level {
        Level::Novice
        | Level::Random
        | Level::Book
        | Level::Greedy
        | Level::Steady
        | Level::Advanced => 1,
        Level::Expert => 5,
        Level::Master => 50,
        Level::Champion => 500,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_count_after_a_few_plies() {
        let mut costs = PlyTimeEstimates::default();
        let ms = Duration::from_millis;
        assert_eq!(costs.expected(Level::Book.into()), ms(1));
        for _ in 1..REMEMBERED {
            costs.note(Level::Book.into(), ms(40));
            assert_eq!(
                costs.expected(Level::Book.into()),
                ms(1),
                "fewer measurements than needed"
            );
        }
        costs.note(Level::Book.into(), ms(30));
        assert_eq!(costs.expected(Level::Book.into()), ms(30));
        costs.note(Level::Champion.into(), ms(60));
        assert_eq!(costs.expected(Level::Champion.into()), ms(60));
        assert_eq!(costs.expected(Level::Book.into()), ms(30));
    }
}
