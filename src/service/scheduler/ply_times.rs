//! How long a computer's next ply is going to take, as far as its game knows.

use std::time::Duration;

use crate::level::{Level, LevelSpec};

/// So many plies of a level are remembered.
const REMEMBERED: usize = 4;

/// What plies of each level took in one game. The least of the last ones counts: a busy machine makes a
/// ply seem long, and nothing makes it seem short. Before there are so many, the level's usual time does.
#[derive(Clone, Debug, Default)]
pub(in crate::service) struct PlyTimeEstimates(Vec<(LevelSpec, [Duration; REMEMBERED])>);

impl PlyTimeEstimates {
    /// What the next ply of this level is expected to take.
    pub(in crate::service) fn expected(&self, level: LevelSpec) -> Duration {
        let known = self.0.iter().find(|(of, _)| *of == level);
        let least = known.and_then(|(_, took)| took.iter().min().copied());
        least.unwrap_or_else(|| usual(level))
    }

    /// A ply of this level took so long.
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

/// The digit before the zeros of what a ply takes, on boards of the usual size.
fn usual(strength: LevelSpec) -> Duration {
    /// What a simulation takes, about.
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
    fn what_was_measured_counts_after_a_few_plies() {
        let mut costs = PlyTimeEstimates::default();
        let ms = Duration::from_millis;
        assert_eq!(costs.expected(Level::Book.into()), ms(1));
        for _ in 1..REMEMBERED {
            costs.note(Level::Book.into(), ms(40));
            assert_eq!(
                costs.expected(Level::Book.into()),
                ms(1),
                "it may have been noise"
            );
        }
        costs.note(Level::Book.into(), ms(30));
        assert_eq!(costs.expected(Level::Book.into()), ms(30));
        costs.note(Level::Champion.into(), ms(60));
        assert_eq!(costs.expected(Level::Champion.into()), ms(60));
        assert_eq!(costs.expected(Level::Book.into()), ms(30));
    }
}
