//! Estimates of the compute time of a computer's next ply, per game.

use std::time::Duration;

use crate::level::{Level, LevelSpec};

/// Number of measured plies per level.
const SAMPLES: usize = 4;

/// The durations of the last plies of each level in one game. The estimate is their minimum, since load only ever makes
/// a ply longer; the level's default counts until there are enough measurements.
#[derive(Clone, Debug, Default)]
pub(in crate::tables) struct PlyTimeEstimates(Vec<(LevelSpec, [Duration; SAMPLES])>);

impl PlyTimeEstimates {
    /// The estimate for the next ply of this level.
    pub(in crate::tables) fn expected(&self, level: LevelSpec) -> Duration {
        let known = self.0.iter().find(|(of, _)| *of == level);
        let min = known.and_then(|(_, elapsed)| elapsed.iter().min().copied());
        min.unwrap_or_else(|| default_duration(level))
    }

    /// Records the duration of a ply.
    pub(in crate::tables) fn record(&mut self, level: LevelSpec, elapsed: Duration) {
        match self.0.iter_mut().find(|(of, _)| *of == level) {
            Some((_, last)) => {
                last.rotate_right(1);
                last[0] = elapsed;
            }
            None => {
                let mut last = [default_duration(level); SAMPLES];
                last[0] = elapsed;
                self.0.push((level, last));
            }
        }
    }
}

/// The order of magnitude of a ply's duration, on boards of default size.
fn default_duration(strength: LevelSpec) -> Duration {
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
        _ => 1_000,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_count_after_a_few_plies() {
        let mut ply_times = PlyTimeEstimates::default();
        let ms = Duration::from_millis;
        assert_eq!(ply_times.expected(Level::Book.into()), ms(1));
        for _ in 1..SAMPLES {
            ply_times.record(Level::Book.into(), ms(40));
            assert_eq!(
                ply_times.expected(Level::Book.into()),
                ms(1),
                "fewer measurements than needed"
            );
        }
        ply_times.record(Level::Book.into(), ms(30));
        assert_eq!(ply_times.expected(Level::Book.into()), ms(30));
        ply_times.record(Level::Champion.into(), ms(60));
        assert_eq!(ply_times.expected(Level::Champion.into()), ms(60));
        assert_eq!(ply_times.expected(Level::Book.into()), ms(30));
    }
}
