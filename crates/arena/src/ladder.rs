//! How strong the levels of a game are: each against the book, each against the one below it, and all of
//! them mixed, for a rating. What was found is plain data that a file keeps.
//!
//! Nothing here depends on time, so the same seed and number of boards give the same file.

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

/// What is measured of each game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LadderConfig {
    /// Who is measured, weakest first; at least two.
    pub levels: Vec<Level>,
    /// Boards of each step, of each match against the book, and of the mixed tables.
    pub boards: u32,
    /// The seed of boards, dice and variety.
    pub seed: u64,
    /// How many boards are played at the same time; without it, one for each core.
    pub threads: Option<NonZeroUsize>,
    /// Where finished boards are kept, a file for each contest; without it they are kept nowhere.
    pub resume: Option<PathBuf>,
}

/// How strong levels are in several games: the file that keeps it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatingsFile {
    /// Each game, in the order in which it was measured first.
    pub games: Vec<GameRatings>,
}

/// How strong the levels are in one game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameRatings {
    /// The game with its parameters.
    pub parameters: GameParametersJson,
    /// How many players it has, of whom one is measured.
    pub players: u8,
    /// Boards of each step.
    pub boards: u32,
    /// Their seed.
    pub seed: u64,
    /// The levels that were measured, weakest first.
    pub levels: Vec<LevelRating>,
}

/// How strong one level is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelRating {
    /// The level.
    pub level: Level,
    /// Its rating; the weakest level of the ladder is the anchor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<RoundedEstimate>,
    /// The share of one of it, adjusted for luck, against the book in all other seats; none for the book itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<RoundedEstimate>,
    /// The share of one of it, adjusted for luck, against the level below in all other seats; none for the weakest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<RoundedEstimate>,
    /// Milliseconds that a decision took against the level below: they are told, not kept.
    #[serde(skip)]
    pub ms_per_decision: Option<f64>,
}

/// A number with its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundedEstimate {
    /// What was found.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl LadderConfig {
    /// Measures a game; `play` plays a contest of it.
    ///
    /// # Errors
    /// What kept a contest from being played.
    pub fn measure(
        &self,
        parameters: GameParametersJson,
        players: u8,
        mut play: impl FnMut(&ArenaConfig) -> Result<ArenaReport, ArenaError>,
    ) -> Result<GameRatings, ArenaError> {
        let ladder = Tournament {
            form: TournamentFormat::Ladder,
            contestants: self.levels.iter().map(|&level| level.into()).collect(),
            sprt: None,
        };
        let ladder = self.contest(&parameters, "ladder", ArenaPlan::Tournament(ladder));
        let ArenaReport::Tournament(ladder) = play(&ladder)? else {
            unreachable!("a tournament was asked for");
        };
        let rungs = self.levels.iter().map(|&level| {
            let who = Contestant::from(level);
            let step = ladder.steps.iter().find(|step| step.upper == who);
            let rating = ladder.ratings.iter().find(|one| one.contestant == who);
            Ok(LevelRating {
                level,
                rating: rating.map(RoundedEstimate::from),
                book: self.against_the_book(&parameters, level, players, &mut play)?,
                below: step.map(|step| RoundedEstimate::from(&upper(step).adjusted)),
                ms_per_decision: step.map(|step| upper(step).work.ms_per_decision()),
            })
        });
        let levels = rungs.collect::<Result<_, ArenaError>>()?;
        Ok(GameRatings {
            parameters,
            players,
            boards: self.boards,
            seed: self.seed,
            levels,
        })
    }

    fn against_the_book(
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
        let report = play(&self.contest(parameters, &name, ArenaPlan::Table(seats)))?;
        let ArenaReport::Table(TableReport { tally, .. }) = report else {
            unreachable!("a table was asked for");
        };
        Ok(tally
            .contestants
            .first()
            .map(|row| RoundedEstimate::from(&row.adjusted)))
    }

    fn contest(&self, parameters: &GameParametersJson, name: &str, plan: ArenaPlan) -> ArenaConfig {
        let journal = |folder: &PathBuf| folder.join(format!("{}.{name}", parameters.short()));
        ArenaConfig {
            seed: self.seed,
            threads: self.threads,
            resume: self.resume.as_ref().map(journal),
            ..ArenaConfig::new(plan, self.boards)
        }
    }
}

/// The row of the contestant who should win.
fn upper(step: &Pairing) -> &ResultRow {
    &step.tally.contestants[0]
}

impl RatingsFile {
    /// Takes in what was measured, in the place of what was known of the same game.
    pub fn merge(&mut self, measured: GameRatings) {
        let is_same = |known: &&mut GameRatings| known.parameters == measured.parameters;
        match self.games.iter_mut().find(is_same) {
            Some(known) => *known = measured,
            None => self.games.push(measured),
        }
    }

    /// What is known of the game with these parameters.
    #[must_use]
    pub fn for_game(&self, parameters: &str) -> Option<&GameRatings> {
        let mut games = self.games.iter();
        games.find(|measured| measured.parameters.text() == parameters)
    }
}

impl GameRatings {
    /// What is known of a level.
    #[must_use]
    pub fn level_rating(&self, level: Level) -> Option<&LevelRating> {
        self.levels.iter().find(|rung| rung.level == level)
    }
}

impl From<&Rating> for RoundedEstimate {
    /// In whole points.
    fn from(rating: &Rating) -> Self {
        RoundedEstimate {
            mean: rating.rating.round(),
            low: rating.low.round(),
            high: rating.high.round(),
        }
    }
}

impl From<&Estimate> for RoundedEstimate {
    /// In hundredths of a percent.
    fn from(share: &Estimate) -> Self {
        let rounded = |share: f64| (share * 1e4).round() / 1e4;
        RoundedEstimate {
            mean: rounded(share.mean),
            low: rounded(share.low),
            high: rounded(share.high),
        }
    }
}

/// A table in Markdown, as docs/strength.md has it.
impl fmt::Display for GameRatings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, boards, seed) = (self.parameters.short(), self.boards, self.seed);
        writeln!(f, "{name}, {boards} boards, seed {seed}\n")?;
        writeln!(
            f,
            "| level | rating | against the book | against the level below | ms a decision |"
        )?;
        writeln!(f, "|---|---|---|---|---|")?;
        for rung in &self.levels {
            let points = |found: RoundedEstimate| {
                let half = (found.high - found.low) / 2.0;
                format!("{:.0} ± {half:.0}", found.mean)
            };
            let share = |found: RoundedEstimate| {
                let half = 50.0 * (found.high - found.low);
                format!("{:.1} ± {half:.1}", 100.0 * found.mean)
            };
            let or_nothing = |cell: Option<String>| cell.unwrap_or_default();
            writeln!(
                f,
                "| {} | {} | {} | {} | {} |",
                rung.level,
                or_nothing(rung.rating.map(points)),
                or_nothing(rung.book.map(share)),
                or_nothing(rung.below.map(share)),
                or_nothing(rung.ms_per_decision.map(|ms| format!("{ms:.3}"))),
            )?;
        }
        Ok(())
    }
}
