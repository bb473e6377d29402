//! Playing strength of the levels as measured by the lab's command `ladder`, which writes `level_ratings.json`.

use std::sync::LazyLock;

use super::ConfiguredGame;
use crate::arena::RatingsFile;

pub use crate::arena::{GameRatings, LevelRating, RoundedEstimate};

static RATINGS: LazyLock<RatingsFile> = LazyLock::new(|| {
    serde_json::from_str(include_str!("level_ratings.json"))
        .expect("level_ratings.json is valid (tested)")
});

/// The ratings for the game with these parameters, if it has been measured.
#[must_use]
pub fn ratings_for(setting: &dyn ConfiguredGame) -> Option<&'static GameRatings> {
    RATINGS.for_game(&setting.parameters_text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_adapters::Registry;

    #[test]
    fn ratings_exist_only_for_rated_games_and_are_consistent() {
        let games = Registry::builtin();
        let rated = games.game_types().flat_map(|kind| kind.rated_games());
        let rated: Vec<String> = rated.map(|setting| setting.parameters_text()).collect();
        assert!(!RATINGS.games.is_empty());
        for ratings in &RATINGS.games {
            let parameters = ratings.parameters.text();
            assert!(
                rated.iter().any(|rated| rated == parameters),
                "{parameters}"
            );
            let levels: Vec<_> = ratings
                .levels
                .iter()
                .map(|level_rating| level_rating.level)
                .collect();
            assert!(levels.is_sorted(), "{parameters}: {levels:?}");
            for level_rating in &ratings.levels {
                for estimate in [level_rating.book, level_rating.below]
                    .into_iter()
                    .flatten()
                {
                    let in_order = estimate.low <= estimate.mean && estimate.mean <= estimate.high;
                    assert!(
                        in_order && (0.0..=1.0).contains(&estimate.mean),
                        "{level_rating:?}"
                    );
                }
            }
        }
    }
}
