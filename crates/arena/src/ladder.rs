//! How strong the levels of a game are: each against the book, each against the one below it, and all of
//! them mixed, for a rating. What was found is plain data that a file keeps.
//!
//! Nothing here depends on time, so the same seed and number of boards give the same file.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::arena_run::{ArenaError, Contest, Plan};
use super::estimate::Estimate;
use super::rating::Rating;
use super::report::{Played, Report};
use super::results::Row;
use super::tournament::{Form, Step, Tournament};
use super::{Contestant, TableReport};
use dice_of_doom_core::level::Level;

/// What is measured of each game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ladder {
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
pub struct Strengths {
    /// Each game, in the order in which it was measured first.
    pub games: Vec<Measured>,
}

/// How strong the levels are in one game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// The game with its parameters.
    pub parameters: Played,
    /// How many players it has, of whom one is measured.
    pub players: u8,
    /// Boards of each step.
    pub boards: u32,
    /// Their seed.
    pub seed: u64,
    /// The levels that were measured, weakest first.
    pub levels: Vec<Rung>,
}

/// How strong one level is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rung {
    /// The level.
    pub level: Level,
    /// Its rating; the weakest level of the ladder is the anchor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<Found>,
    /// The share of one of it, adjusted for luck, against the book in all other seats; none for the book itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<Found>,
    /// The share of one of it, adjusted for luck, against the level below in all other seats; none for the weakest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<Found>,
    /// Milliseconds that a decision took against the level below: they are told, not kept.
    #[serde(skip)]
    pub ms_per_decision: Option<f64>,
}

/// A number with its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Found {
    /// What was found.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Ladder {
    /// Measures a game; `play` plays a contest of it.
    ///
    /// # Errors
    /// What kept a contest from being played.
    pub fn measure(
        &self,
        parameters: Played,
        players: u8,
        mut play: impl FnMut(&Contest) -> Result<Report, ArenaError>,
    ) -> Result<Measured, ArenaError> {
        let ladder = Tournament {
            form: Form::Ladder,
            contestants: self.levels.iter().map(|&level| level.into()).collect(),
            sprt: None,
        };
        let ladder = self.contest(&parameters, "ladder", Plan::Tournament(ladder));
        let Report::Tournament(ladder) = play(&ladder)? else {
            unreachable!("a tournament was asked for");
        };
        let rungs = self.levels.iter().map(|&level| {
            let who = Contestant::from(level);
            let step = ladder.steps.iter().find(|step| step.upper == who);
            let rating = ladder.ratings.iter().find(|one| one.contestant == who);
            Ok(Rung {
                level,
                rating: rating.map(Found::from),
                book: self.against_the_book(&parameters, level, players, &mut play)?,
                below: step.map(|step| Found::from(&upper(step).adjusted)),
                ms_per_decision: step.map(|step| upper(step).work.ms_per_decision()),
            })
        });
        let levels = rungs.collect::<Result<_, ArenaError>>()?;
        Ok(Measured {
            parameters,
            players,
            boards: self.boards,
            seed: self.seed,
            levels,
        })
    }

    fn against_the_book(
        &self,
        parameters: &Played,
        level: Level,
        players: u8,
        play: &mut impl FnMut(&Contest) -> Result<Report, ArenaError>,
    ) -> Result<Option<Found>, ArenaError> {
        if level == Level::Book {
            return Ok(None);
        }
        let mut seats = vec![Contestant::from(Level::Book); usize::from(players)];
        seats[0] = level.into();
        let name = format!("{level}-book");
        let report = play(&self.contest(parameters, &name, Plan::Table(seats)))?;
        let Report::Table(TableReport { tally, .. }) = report else {
            unreachable!("a table was asked for");
        };
        Ok(tally
            .contestants
            .first()
            .map(|row| Found::from(&row.adjusted)))
    }

    fn contest(&self, parameters: &Played, name: &str, plan: Plan) -> Contest {
        let journal = |folder: &PathBuf| folder.join(format!("{}.{name}", parameters.short()));
        Contest {
            seed: self.seed,
            threads: self.threads,
            resume: self.resume.as_ref().map(journal),
            ..Contest::new(plan, self.boards)
        }
    }
}

/// The row of the contestant who should win.
fn upper(step: &Step) -> &Row {
    &step.tally.contestants[0]
}

impl Strengths {
    /// Takes in what was measured, in the place of what was known of the same game.
    pub fn take(&mut self, measured: Measured) {
        let is_same = |known: &&mut Measured| known.parameters == measured.parameters;
        match self.games.iter_mut().find(is_same) {
            Some(known) => *known = measured,
            None => self.games.push(measured),
        }
    }

    /// What is known of the game with these parameters.
    #[must_use]
    pub fn of(&self, parameters: &str) -> Option<&Measured> {
        let mut games = self.games.iter();
        games.find(|measured| measured.parameters.text() == parameters)
    }
}

impl Measured {
    /// What is known of a level.
    #[must_use]
    pub fn rung(&self, level: Level) -> Option<&Rung> {
        self.levels.iter().find(|rung| rung.level == level)
    }
}

impl From<&Rating> for Found {
    /// In whole points.
    fn from(rating: &Rating) -> Self {
        Found {
            mean: rating.rating.round(),
            low: rating.low.round(),
            high: rating.high.round(),
        }
    }
}

impl From<&Estimate> for Found {
    /// In hundredths of a percent.
    fn from(share: &Estimate) -> Self {
        let rounded = |share: f64| (share * 1e4).round() / 1e4;
        Found {
            mean: rounded(share.mean),
            low: rounded(share.low),
            high: rounded(share.high),
        }
    }
}

/// A table in Markdown, as docs/strength.md has it.
impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, boards, seed) = (self.parameters.short(), self.boards, self.seed);
        writeln!(f, "{name}, {boards} boards, seed {seed}\n")?;
        writeln!(
            f,
            "| level | rating | against the book | against the level below | ms a decision |"
        )?;
        writeln!(f, "|---|---|---|---|---|")?;
        for rung in &self.levels {
            let points = |found: Found| {
                let half = (found.high - found.low) / 2.0;
                format!("{:.0} ± {half:.0}", found.mean)
            };
            let share = |found: Found| {
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
