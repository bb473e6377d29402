//! The command `puzzles`.

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::fs;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use clap::{Args, value_parser};
use dice_of_doom::formats::JsonFields;
use dice_of_doom::games::puzzle::{Puzzle, PuzzleChoice, rating_of_share};
use dice_of_doom::games::{
    ActionIndex, ConfiguredGame, GameType, LiveGameRef, PositionAnalysis, Registry, StartPosition,
};
use dice_of_doom::level::Level;
use dice_of_doom::provably_fair::GameDice;
use dice_of_doom::rng::{AgentRng, DiceSeed};
use dice_of_doom::search::StopToken;
use rand::RngExt;
use rand::seq::IndexedRandom;

/// Shown by `--help` below the options.
pub(super) const EXAMPLES: &str = "\
Examples:
  dice-of-doom-lab puzzles dice puzzles.json --parameters '{}' --parameters '{\"size\":4,\"players\":3}'
  dice-of-doom-lab puzzles trilobite puzzles.json --count 20 --per-game 1 --random-plies 8
  dice-of-doom-lab puzzles trilobite puzzles.json --extend --count 40 --random-plies 8 --seed 50
  dice-of-doom-lab puzzles dice puzzles.json --check";

/// The options of the command `puzzles`.
#[derive(Args, Clone, Debug)]
pub struct PuzzlesArgs {
    /// The game
    #[arg(value_name = "GAME")]
    pub game: String,

    /// The file (JSON), which is written after every game
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The parameters of the games, as JSON; several are used in turn [default: {}]
    #[arg(long, value_name = "JSON")]
    pub parameters: Vec<String>,

    /// Number of puzzles
    #[arg(long, value_name = "N", default_value_t = const { NonZeroU32::new(100).expect("not 0") })]
    pub count: NonZeroU32,

    /// Maximum number of puzzles from one game [default: no limit]
    #[arg(long, value_name = "N")]
    pub per_game: Option<NonZeroUsize>,

    /// Begin each game with up to N plies chosen at random, so that games without dice differ
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub random_plies: u32,

    /// Keep the puzzles of FILE, and find others until there are as many as --count says
    #[arg(long)]
    pub extend: bool,

    /// Largest share of the puzzles that may have one theme, in per cent
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = value_parser!(u32).range(1..=100))]
    pub theme_share: u32,

    /// Seed of the games
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Check the puzzles of FILE instead: analyse each with four times the simulations that found it, and fail if the
    /// right action is not better than every other one by 10 points
    #[arg(long, conflicts_with_all = ["seed", "count", "per_game", "random_plies", "theme_share", "extend"])]
    pub check: bool,

    /// Games played in parallel, which does not change the puzzles [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
}

/// The least difference between the win shares of the best action and of the second best, in the search that finds a
/// puzzle.
const FOUND_MARGIN: f32 = 0.11;

/// The same in the deeper search that checks it, which has [`CHECK_FACTOR`] times as many simulations.
const CHECKED_MARGIN: f32 = 0.10;
const CHECK_FACTOR: u64 = 4;

/// The same in a short search before these, which has one [`QUICK_DIVISOR`]th of the simulations.
const QUICK_MARGIN: f32 = 0.05;
const QUICK_DIVISOR: u64 = 16;

/// The number of plies between two puzzles of a game.
const PUZZLE_DISTANCE: u32 = 20;

/// The win shares between which a game is still open.
const OPEN_SHARES: std::ops::RangeInclusive<f32> = 0.15..=0.93;

/// The steps of a line whose end is not proven.
const LINE_STEPS: usize = 4;

/// The maximum number of steps of a line that leads to the end of the game.
const MAX_LINE_STEPS: usize = 16;

/// The number of lines of which the most typical one is shown.
const LINES: u64 = 8;

impl PuzzlesArgs {
    /// Finds the puzzles and writes them.
    ///
    /// # Errors
    /// If there is no such game, or the file cannot be written.
    pub fn run(
        &self,
        games: &Registry,
        report: &mut dyn FnMut(&str),
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let kind = games.game_type(&self.game)?;
        let settings = self.parameters.iter().map(|parameters| {
            let fields: JsonFields = serde_json::from_str(parameters)?;
            Ok::<_, Box<dyn Error + Send + Sync>>(kind.configure(fields)?)
        });
        let mut settings: Vec<Arc<dyn ConfiguredGame>> = settings.collect::<Result<_, _>>()?;
        if settings.is_empty() {
            settings.push(kind.configure(JsonFields::default())?);
        }
        let levels = settings[0].levels();
        let finder = Finder {
            kind,
            levels,
            settings,
            per_game: self.per_game.map_or(usize::MAX, NonZeroUsize::get),
            random_plies: self.random_plies,
        };
        if self.check {
            return finder.check(&serde_json::from_slice(&fs::read(&self.file)?)?, report);
        }
        let mut puzzles: Vec<Puzzle> = match self.extend {
            true => serde_json::from_slice(&fs::read(&self.file)?)?,
            false => Vec::new(),
        };
        let mut themes: BTreeMap<String, u64> = BTreeMap::new();
        let mut known: HashSet<String> = HashSet::new();
        for puzzle in &puzzles {
            *themes.entry(puzzle.theme.clone()).or_default() += 1;
            known.insert(finder.identity(puzzle)?);
        }
        let per_theme = (u64::from(self.count.get()) * u64::from(self.theme_share)).div_ceil(100);
        let threads = self
            .threads
            .map_or_else(thread::available_parallelism, Ok)?;
        let mut seed = self.seed;
        while puzzles.len() < self.count.get() as usize {
            let seeds = (0..threads.get() as u64).map(|offset| seed.wrapping_add(offset));
            let found: Vec<_> = thread::scope(|scope| {
                let finder = &finder;
                let games = seeds.map(|seed| scope.spawn(move || finder.play_one_game(seed)));
                let games: Vec<_> = games.collect();
                let found = games.into_iter().map(thread::ScopedJoinHandle::join);
                found.collect()
            });
            let found: Result<Vec<_>, _> = found.into_iter().collect();
            let found = found.map_err(|_| "a thread panicked")?;
            let found = found.into_iter().collect::<Result<Vec<_>, _>>()?;
            for puzzle in found.into_iter().flatten() {
                let with_theme = themes.entry(puzzle.theme.clone()).or_default();
                let is_wanted =
                    *with_theme < per_theme && puzzles.len() < self.count.get() as usize;
                if is_wanted && known.insert(finder.identity(&puzzle)?) {
                    *with_theme += 1;
                    puzzles.push(puzzle);
                }
            }
            seed = seed.wrapping_add(threads.get() as u64);
            fs::write(&self.file, lines_of_json(&puzzles)?)?;
            report(&format!(
                "{} games, {} puzzles: {themes:?}",
                seed - self.seed,
                puzzles.len()
            ));
        }
        Ok(())
    }
}

/// A JSON array with one puzzle per line.
fn lines_of_json(puzzles: &[Puzzle]) -> serde_json::Result<String> {
    let lines = puzzles.iter().map(serde_json::to_string);
    let lines: Vec<String> = lines.collect::<serde_json::Result<_>>()?;
    Ok(format!("[\n{}\n]\n", lines.join(",\n")))
}

/// Finds puzzles in games between levels.
struct Finder<'a> {
    kind: &'a dyn GameType,
    settings: Vec<Arc<dyn ConfiguredGame>>,
    levels: &'static [Level],
    per_game: usize,
    random_plies: u32,
}

impl Finder<'_> {
    /// The text that a puzzle shares with those that ask the same.
    fn identity(&self, puzzle: &Puzzle) -> Result<String, Box<dyn Error + Send + Sync>> {
        let identity = self.game_at(puzzle)?.position().puzzle_identity();
        Ok(identity.ok_or("the game has no compact notation")?)
    }

    /// The game at a puzzle's position.
    fn game_at(&self, puzzle: &Puzzle) -> Result<LiveGameRef, Box<dyn Error + Send + Sync>> {
        let (_, text) = puzzle.position.split_once('.').ok_or("no position")?;
        Ok(self.kind.game_from_compact(text)?)
    }

    /// Plays a game between levels of different strength, and returns the puzzles at its positions.
    fn play_one_game(&self, seed: u64) -> Result<Vec<Puzzle>, Box<dyn Error + Send + Sync>> {
        let mut rng = AgentRng::seed_from_u64(seed);
        let setting = &self.settings[(seed % self.settings.len() as u64) as usize];
        let mut game = setting.new_game(&StartPosition::Dealt(seed))?;
        let dice = GameDice::PerEntryStreams(DiceSeed::from_bytes(rng.random()));
        let levels = self.levels;
        let seats: Vec<Level> = (0..game.players())
            .map(|_| levels[rng.random_range(levels.len() / 2..levels.len())])
            .collect();
        let random_plies = rng.random_range(0..=self.random_plies);
        let (mut puzzles, mut next) = (Vec::new(), random_plies);
        while let Some(mover) = game.mover() {
            if game.entry_count() >= next
                && let Some(puzzle) = self.puzzle_at(&game, seed)
            {
                puzzles.push(puzzle);
                if puzzles.len() == self.per_game {
                    break;
                }
                next = game.entry_count() + PUZZLE_DISTANCE;
            }
            let level = seats[usize::from(mover.number())];
            let index = match game.entry_count() < random_plies {
                true => random_action(&game, &mut rng),
                false => choose(&game, level),
            };
            let index = index.ok_or("there is a legal action")?;
            game = game.prepare_ply(mover, index, &dice, 0)?.next;
        }
        Ok(puzzles)
    }

    /// Analyses every puzzle again.
    fn check(
        &self,
        puzzles: &Vec<Puzzle>,
        report: &mut dyn FnMut(&str),
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let (mut failed, mut least, mut proven) = (0, f32::MAX, 0);
        for puzzle in puzzles {
            let game = self.game_at(puzzle)?;
            let cost = game
                .configured_game()
                .analysis_cost()
                .ok_or("the game has no analyser")?;
            let simulations = CHECK_FACTOR * cost.default_simulations;
            let analysis = game.position_at(0).analyse(simulations, &StopToken::new());
            let analysis = analysis.ok_or("the game is over")?;
            let margin = margin(&analysis).ok_or("there is nothing to choose")?;
            let best = notation(&game, analysis.best_first[0]);
            let right = &puzzle.choices[puzzle.right].action;
            proven += u32::from(analysis.actions.iter().all(|action| action.is_exact));
            least = least.min(margin);
            if best.as_ref() != Some(right) || margin < CHECKED_MARGIN {
                failed += 1;
                let best = best.unwrap_or_default();
                let points = 100.0 * margin;
                report(&format!(
                    "{}: {best} is best by {points:.1} points",
                    puzzle.id
                ));
            }
        }
        report(&format!(
            "{} puzzles, {failed} failed, {proven} proven, least margin {:.1} points",
            puzzles.len(),
            100.0 * least
        ));
        if failed == 0 {
            Ok(())
        } else {
            Err("some puzzles failed".into())
        }
    }

    fn puzzle_at(&self, game: &LiveGameRef, seed: u64) -> Option<Puzzle> {
        let simulations = game.configured_game().analysis_cost()?.default_simulations;
        self.clear_answer(game, simulations / QUICK_DIVISOR, QUICK_MARGIN)?;
        self.clear_answer(game, simulations, FOUND_MARGIN)?;
        let checked = self.clear_answer(game, CHECK_FACTOR * simulations, CHECKED_MARGIN)?;
        let draft = game.position().puzzle_draft(&checked)?;
        let best = checked.best_first[0];
        let solved = self.levels.iter().map(|&level| choose(game, level));
        let solved = solved.filter(|choice| choice.map(ActionIndex::number) == Some(best));
        let (solved, levels) = (solved.count(), self.levels.len());
        if solved == levels {
            return None;
        }
        let position = game.position().compact()?;
        // A game without the moves so far, as the page shows it.
        let start = self
            .kind
            .game_from_compact(position.split_once('.')?.1)
            .ok()?;
        let choices = draft.choices.iter().map(|&index| {
            let share = checked.actions[index].shares[checked.mover];
            Some(PuzzleChoice {
                action: notation(&start, index)?,
                share: (f64::from(share) * 1000.0).round() / 1000.0,
                line: typical_line(&start, index, share, seed)?,
            })
        });
        Some(Puzzle {
            id: format!("{seed:x}-{}", game.entry_count()),
            theme: draft.theme.to_owned(),
            choices: choices.collect::<Option<_>>()?,
            right: draft.choices.iter().position(|&index| index == best)?,
            rating: rating_of_share((solved as f64 + 0.5) / (levels as f64 + 1.0)),
            position,
        })
    }

    /// The analysis, if the game is still open and the best action is better than all others by `least_margin`.
    fn clear_answer(
        &self,
        game: &LiveGameRef,
        simulations: u64,
        least_margin: f32,
    ) -> Option<PositionAnalysis> {
        let analysis = game.position().analyse(simulations, &StopToken::new())?;
        let best = analysis.best();
        let is_open = best.is_exact || OPEN_SHARES.contains(&best.shares[analysis.mover]);
        (is_open && margin(&analysis)? >= least_margin).then_some(analysis)
    }
}

/// The difference between the win shares of the best action and of the second best; `None` if there is only one.
fn margin(analysis: &PositionAnalysis) -> Option<f32> {
    let share = |index: &usize| analysis.actions[*index].shares[analysis.mover];
    let second = analysis.best_first.get(1)?;
    Some(analysis.best().shares[analysis.mover] - share(second))
}

fn choose(game: &LiveGameRef, level: Level) -> Option<ActionIndex> {
    game.configured_game()
        .computer_player(level.into())
        .choose(&**game, &StopToken::new())
}

fn random_action(game: &LiveGameRef, rng: &mut AgentRng) -> Option<ActionIndex> {
    let actions: Vec<ActionIndex> = (0..).map_while(|index| game.action(index)).collect();
    actions.choose(rng).copied()
}

/// The notation of a legal action.
fn notation(game: &LiveGameRef, index: usize) -> Option<String> {
    let dice = GameDice::PerEntryStreams(DiceSeed::from_bytes([0; 32]));
    let ply = game.prepare_ply(game.mover()?, game.action(index)?, &dice, 0);
    Some(ply.ok()?.row.action)
}

/// A continuation from a legal action on: of [`LINES`] lines the one after which the win share of the player to move is
/// closest to the expected one.
fn typical_line(start: &LiveGameRef, first: usize, share: f32, seed: u64) -> Option<String> {
    let mut best: Option<(f32, String)> = None;
    for number in 0..LINES {
        let rng = AgentRng::seed_from_u64(seed.wrapping_mul(LINES).wrapping_add(number));
        let line = play_line(start, first, rng)?;
        let distance = (line.end_share - share).abs();
        if best.as_ref().is_none_or(|(least, _)| distance < *least) {
            best = Some((distance, line.steps.join(",")));
        }
        // All lines would be the same.
        if line.is_forced {
            break;
        }
    }
    best.map(|(_, line)| line)
}

/// A continuation with the best actions of a short search and rolled dice.
struct Line {
    /// In the format of [`PuzzleChoice::line`].
    steps: Vec<String>,
    /// The win share at its end of the player to move at its start.
    end_share: f32,
    /// Whether nothing was rolled and its end is proven.
    is_forced: bool,
}

fn play_line(start: &LiveGameRef, first: usize, mut rng: AgentRng) -> Option<Line> {
    let mover = start.mover()?;
    let quick = start.configured_game().analysis_cost()?.default_simulations / QUICK_DIVISOR;
    let (mut game, mut steps) = (Arc::clone(start), Vec::new());
    let (mut is_rolled, mut is_exact) = (false, false);
    let mut action = Some(first);
    let end_share = loop {
        let analysis = game.position().analyse(quick, &StopToken::new());
        let Some(analysis) = analysis else {
            // The game is over.
            break match game.winners()[..] {
                [] => 0.5,
                ref winners => f32::from(winners.contains(&mover)) / winners.len() as f32,
            };
        };
        let index = action.take().unwrap_or(analysis.best_first[0]);
        let analysed = &analysis.actions[index];
        is_exact = analysed.is_exact;
        let limit = match is_exact && !is_rolled {
            true => MAX_LINE_STEPS,
            false => LINE_STEPS,
        };
        if steps.len() == limit {
            break analysis.best().shares[mover];
        }
        let mut left: f64 = rng.random();
        let mut outcomes = analysed.outcomes.iter();
        let outcome = outcomes.position(|outcome| {
            left -= outcome.probability;
            left < 0.0
        });
        let outcome = outcome.unwrap_or(0);
        is_rolled |= analysed.outcomes.len() > 1;
        let text = notation(&game, index)?;
        game = game.position().line_step(&text, outcome)?.live;
        steps.push(format!("{text}.{outcome}"));
    };
    Some(Line {
        steps,
        end_share,
        is_forced: is_exact && !is_rolled,
    })
}
