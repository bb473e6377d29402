//! The levels of computer players, and their playing strength as measured by the lab's command `ladder`, which writes
//! `level_ratings.json`.

use std::sync::LazyLock;

use serde::Serialize;

use super::ConfiguredGame;
use crate::arena::RatingsFile;
use crate::templates::levels::level_about;
use crate::templates::localization::Translations;

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

/// A level of computer players.
#[derive(Clone, Debug, Serialize)]
pub struct LevelJson {
    /// The name of the level, as in the `seats` of a new game.
    name: &'static str,
    /// How the level plays with the default parameters of the game, in the language of `Accept-Language`.
    description: String,
    /// The rating in games with the default parameters: 400 points are odds of ten to one. Absent if it was not
    /// measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    rating: Option<f64>,
    /// The share of games that one player of this level wins with the default parameters against `book` in all other
    /// seats, 0 to 1. Absent if it was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    book: Option<f64>,
}

/// The levels of a game.
#[derive(Clone, Debug, Serialize)]
pub struct LevelsJson {
    /// The levels, weakest first.
    levels: Vec<LevelJson>,
}

impl LevelsJson {
    /// The levels of the game with these parameters.
    #[must_use]
    pub fn new(setting: &dyn ConfiguredGame, text: &Translations) -> Self {
        let ratings = ratings_for(setting);
        let levels = setting.levels().iter().map(|&level| {
            let measured = ratings.and_then(|ratings| ratings.level_rating(level));
            let rating = measured.and_then(|measured| measured.rating);
            let book = measured.and_then(|measured| measured.book);
            LevelJson {
                name: level.name(),
                description: level_about(text, setting.level_variant_name(), level.name()),
                rating: rating.map(|estimate| estimate.mean),
                book: book.map(|estimate| estimate.mean),
            }
        });
        LevelsJson {
            levels: levels.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Registry;

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
