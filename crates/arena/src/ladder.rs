//! Measures the strength of a game's levels: each against the book level, each against the level below, and all of them
//! at mixed tables for a rating. The results are plain data that is stored in a file.
//!
//! The results do not depend on time (except the milliseconds per decision, which are not stored), so the same seed and
//! number of boards give the same file.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::arena_run::{ArenaConfig, ArenaError, ArenaPlan};
use super::estimate::Estimate;
use super::rating::Rating;
use super::report::{ArenaReport, GameParametersJson};
use super::results::ResultRow;
use super::tournament::{Pairing, Tournament, TournamentFormat};
use super::{Contestant, TableReport};
use dice_of_doom_core::level::Level;

/// How the levels of each game are measured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LadderConfig {
    /// The levels, weakest first; at least two.
    pub levels: Vec<Level>,
    /// Boards of each step, of each match against the book level, and of the mixed tables.
    pub boards: u32,
    /// The seed of the boards, the dice and the players' random choices.
    pub seed: u64,
    /// The number of threads, each of which plays one board at a time; `None` means one per core.
    pub threads: Option<NonZeroUsize>,
    /// The folder of the journals, one file per arena; `None` means that finished boards are not stored.
    pub resume: Option<PathBuf>,
}

/// The strength of the levels in several games, as stored in a file.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatingsFile {
    /// The games, in the order in which they were first measured.
    pub games: Vec<GameRatings>,
}

/// The strength of the levels in one game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameRatings {
    /// The game with its parameters.
    pub parameters: GameParametersJson,
    /// The number of players; one of them has the measured level.
    pub players: u8,
    /// Boards of each step.
    pub boards: u32,
    /// The seed of the boards.
    pub seed: u64,
    /// The measured levels, weakest first.
    pub levels: Vec<LevelRating>,
}

/// The strength of one level.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelRating {
    /// The measured level.
    pub level: Level,
    /// Its rating; the weakest level of the ladder is the anchor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<RoundedEstimate>,
    /// The win share of one player of this level, adjusted for luck, against the book level in all other seats; `None`
    /// for the book level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<RoundedEstimate>,
    /// The win share of one player of this level, adjusted for luck, against the level below in all other seats; `None`
    /// for the weakest level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<RoundedEstimate>,
    /// Milliseconds per decision against the level below; printed, but not stored.
    #[serde(skip)]
    pub ms_per_decision: Option<f64>,
}

/// A rounded estimate with its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundedEstimate {
    /// The estimate.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl LadderConfig {
    /// Measures the levels of a game; `play` runs an arena of it.
    ///
    /// # Errors
    /// When an arena cannot be played.
    pub fn measure(
        &self,
        parameters: GameParametersJson,
        players: u8,
        mut play: impl FnMut(&ArenaConfig) -> Result<ArenaReport, ArenaError>,
    ) -> Result<GameRatings, ArenaError> {
        let ladder = Tournament {
            format: TournamentFormat::Ladder,
            contestants: self.levels.iter().map(|&level| level.into()).collect(),
            sprt: None,
        };
        let ladder = self.arena_config(&parameters, "ladder", ArenaPlan::Tournament(ladder));
        let ArenaReport::Tournament(ladder) = play(&ladder)? else {
            unreachable!("the plan is a tournament");
        };
        let ratings_by_level = self.levels.iter().map(|&level| {
            let measured = Contestant::from(level);
            let step = ladder.steps.iter().find(|step| step.upper == measured);
            let rating = ladder.ratings.iter().find(|row| row.contestant == measured);
            Ok(LevelRating {
                level,
                rating: rating.map(RoundedEstimate::from),
                book: self.share_against_book(&parameters, level, players, &mut play)?,
                below: step.map(|step| RoundedEstimate::from(&upper_row(step).adjusted)),
                ms_per_decision: step.map(|step| upper_row(step).work.ms_per_decision()),
            })
        });
        let levels = ratings_by_level.collect::<Result<_, ArenaError>>()?;
        Ok(GameRatings {
            parameters,
            players,
            boards: self.boards,
            seed: self.seed,
            levels,
        })
    }

    fn share_against_book(
        &self,
        parameters: &GameParametersJson,
        level: Level,
        players: u8,
        play: &mut impl FnMut(&ArenaConfig) -> Result<ArenaReport, ArenaError>,
    ) -> Result<Option<RoundedEstimate>, ArenaError> {
        if level == Level::Book {
            return Ok(None);
        }
        let mut seats = vec![Contestant::from(Level::Book); usize::from(players)];
        seats[0] = level.into();
        let name = format!("{level}-book");
        let report = play(&self.arena_config(parameters, &name, ArenaPlan::Table(seats)))?;
        let ArenaReport::Table(TableReport { results, .. }) = report else {
            unreachable!("the plan is a table");
        };
        Ok(results
            .contestants
            .first()
            .map(|row| RoundedEstimate::from(&row.adjusted)))
    }

    fn arena_config(
        &self,
        parameters: &GameParametersJson,
        name: &str,
        plan: ArenaPlan,
    ) -> ArenaConfig {
        let journal = |folder: &PathBuf| folder.join(format!("{}.{name}", parameters.short_name()));
        ArenaConfig {
            seed: self.seed,
            threads: self.threads,
            resume: self.resume.as_ref().map(journal),
            ..ArenaConfig::new(plan, self.boards)
        }
    }
}

/// The results of the stronger contestant of a pair.
fn upper_row(step: &Pairing) -> &ResultRow {
    &step.results.contestants[0]
}

impl RatingsFile {
    /// Adds the ratings of a game, replacing those of the same game.
    pub fn merge(&mut self, measured: GameRatings) {
        let is_same = |existing: &&mut GameRatings| existing.parameters == measured.parameters;
        match self.games.iter_mut().find(is_same) {
            Some(existing) => *existing = measured,
            None => self.games.push(measured),
        }
    }

    /// The ratings of the game with these parameters (JSON text).
    #[must_use]
    pub fn for_game(&self, parameters: &str) -> Option<&GameRatings> {
        let mut games = self.games.iter();
        games.find(|measured| measured.parameters.text() == parameters)
    }
}

impl GameRatings {
    /// The rating of a level.
    #[must_use]
    pub fn level_rating(&self, level: Level) -> Option<&LevelRating> {
        self.levels.iter().find(|rating| rating.level == level)
    }
}

impl From<&Rating> for RoundedEstimate {
    /// Rounds to whole points.
    fn from(rating: &Rating) -> Self {
        RoundedEstimate {
            mean: rating.rating.round(),
            low: rating.low.round(),
            high: rating.high.round(),
        }
    }
}

impl From<&Estimate> for RoundedEstimate {
    /// Rounds to hundredths of a percent.
    fn from(share: &Estimate) -> Self {
        let rounded = |share: f64| (share * 1e4).round() / 1e4;
        RoundedEstimate {
            mean: rounded(share.mean),
            low: rounded(share.low),
            high: rounded(share.high),
        }
    }
}

/// A Markdown table, as in docs/strength.md.
impl fmt::Display for GameRatings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, boards, seed) = (self.parameters.short_name(), self.boards, self.seed);
        writeln!(f, "{name}, {boards} boards, seed {seed}\n")?;
        writeln!(
            f,
            "| level | rating | against the book | against the level below | ms a decision |"
        )?;
        writeln!(f, "|---|---|---|---|---|")?;
        for row in &self.levels {
            let points = |estimate: RoundedEstimate| {
                let half = (estimate.high - estimate.low) / 2.0;
                format!("{:.0} ± {half:.0}", estimate.mean)
            };
            let share = |estimate: RoundedEstimate| {
                let RoundedEstimate { mean, low, high } = estimate;
                let [mean, low, high] = [mean, low, high].map(|share| 100.0 * share);
                format!("{mean:.1} ({low:.1} … {high:.1})")
            };
            let or_empty = |cell: Option<String>| cell.unwrap_or_default();
            writeln!(
                f,
                "| {} | {} | {} | {} | {} |",
                row.level,
                or_empty(row.rating.map(points)),
                or_empty(row.book.map(share)),
                or_empty(row.below.map(share)),
                or_empty(row.ms_per_decision.map(|ms| format!("{ms:.3}"))),
            )?;
        }
        Ok(())
    }
}
