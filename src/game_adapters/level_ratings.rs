//! How strong the levels are, as it was measured: `level_ratings.json`, which the lab's command `ladder` writes.

use std::sync::LazyLock;

use super::ConfiguredGame;
use crate::arena::RatingsFile;

pub use crate::arena::{GameRatings, LevelRating, RoundedEstimate};

static STRENGTHS: LazyLock<RatingsFile> = LazyLock::new(|| {
    serde_json::from_str(include_str!("level_ratings.json")).expect("a test reads the file")
});

/// What was measured of a game with its numbers.
#[must_use]
pub fn measured(setting: &dyn ConfiguredGame) -> Option<&'static GameRatings> {
    STRENGTHS.for_game(&setting.parameters_text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_adapters::Registry;

    #[test]
    fn whatever_was_measured_is_a_game_whose_strengths_are_told() {
        let games = Registry::builtin();
        let told = games.game_types().flat_map(|kind| kind.measured());
        let told: Vec<String> = told.map(|setting| setting.parameters_text()).collect();
        assert!(!STRENGTHS.games.is_empty());
        for measured in &STRENGTHS.games {
            let parameters = measured.parameters.text();
            assert!(told.iter().any(|told| told == parameters), "{parameters}");
            let levels: Vec<_> = measured.levels.iter().map(|rung| rung.level).collect();
            assert!(levels.is_sorted(), "{parameters}: {levels:?}");
            for rung in &measured.levels {
                for found in [rung.book, rung.below].into_iter().flatten() {
                    let in_order = found.low <= found.mean && found.mean <= found.high;
                    assert!(in_order && (0.0..=1.0).contains(&found.mean), "{rung:?}");
                }
            }
        }
    }
}
