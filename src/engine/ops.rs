//! What each op does, written once; what differs from game to game is one [`Spoken`] a game.

use std::cell::Cell;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::RequestLimits;
use super::deadline;
use super::position::{self, AnyPosition};
use super::request::{Code, Fields, Trouble};
use crate::game::{Game, Player};
use crate::games::dice_of_doom::{self, DiceOfDoom, book};
use crate::games::trilobite::evaluate::OpenLines;
use crate::games::trilobite::{self, Trilobite};
use crate::level::{Effort, Level, Levelled, SearchRng};
use crate::search::{Analysis, alpha_beta, perft_within};
use crate::templates::levels::level_about;
use crate::templates::text::{Language, Text};
use crate::tree::{GameTree, Metered, Unfold};
use crate::wire::{ActionJson, Wired};

/// Performs an op; returns the answer's `ok`.
pub(super) fn perform(
    op: &str,
    fields: Fields<'_>,
    limits: &RequestLimits,
) -> Result<Box<RawValue>, Trouble> {
    match op {
        "new" => new(fields),
        "moves" => fields.into::<Moves<'_>>(Code::BadRequest)?.answer(),
        "rate" => fields.into::<Rate<'_>>(Code::BadRequest)?.answer(limits),
        "choose" => fields.into::<Choose<'_>>(Code::BadRequest)?.answer(limits),
        "perft" => fields.into::<Perft<'_>>(Code::BadRequest)?.answer(limits),
        "levels" => fields.into::<Levels<'_>>(Code::BadRequest)?.answer(),
        // Answered for programs that ask, and listed nowhere until there is a solver.
        "solve" => Err(Trouble::new(Code::Unsupported, "there is no solver yet")),
        _ => {
            let message = "no such op; there are new, moves, rate, choose, perft and levels";
            Err(Trouble::new(Code::UnknownOp, message))
        }
    }
}

/// What differs from game to game in the engine's answers.
trait Spoken: Wired + Levelled {
    /// How deep a search may look.
    const MOST_PLIES: i64;

    /// The ratings of one of the game's searches; `None` once it made `most_nodes` positions.
    fn rate(&self, position: &Self::Position, rate: &Rate<'_>, most_nodes: u64) -> Rated<Self>;
}

type Rated<G> = Result<Option<Analysis<<G as Game>::Action>>, Trouble>;

impl Spoken for DiceOfDoom {
    const MOST_PLIES: i64 = 12;

    fn rate(
        &self,
        position: &dice_of_doom::Position,
        rate: &Rate<'_>,
        most_nodes: u64,
    ) -> Rated<Self> {
        let search = match &*rate.search {
            "book" => book::Search::Book,
            "expectimax" => book::Search::Expectimax,
            "alphabeta" if self.rules().is_rolled() => {
                let message = "alphabeta is for v1, v2 and v3, where nothing is rolled";
                return Err(Trouble::new(Code::Unsupported, message));
            }
            "alphabeta" => book::Search::AlphaBeta,
            _ => return Err(no_search("book, expectimax and alphabeta")),
        };
        let plies = rate.plies(Self::MOST_PLIES)?;
        Ok(book::within(self, position, search, plies, most_nodes))
    }
}

impl Spoken for Trilobite {
    const MOST_PLIES: i64 = 128;

    fn rate(
        &self,
        position: &trilobite::Position,
        rate: &Rate<'_>,
        most_nodes: u64,
    ) -> Rated<Self> {
        match &*rate.search {
            "minimax" => Ok(trilobite::book::minimax(self, position, most_nodes).ok()),
            "alphabeta" => {
                let plies = rate.plies(Self::MOST_PLIES)?;
                let budget = Cell::new(most_nodes);
                let tree = Metered::new(Unfold::new(self, *position), &budget);
                let cut = tree.clone().limit(plies);
                let analysis = alpha_beta(&cut, &OpenLines, position.player());
                Ok((!tree.is_exhausted()).then_some(analysis))
            }
            _ => Err(no_search("minimax and alphabeta")),
        }
    }
}

fn no_search(there_are: &str) -> Trouble {
    let message = format!("no such search; this game has {there_are}");
    Trouble::new(Code::Unsupported, message)
}

fn new(mut fields: Fields<'_>) -> Result<Box<RawValue>, Trouble> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Deal {
        seed: Option<u64>,
    }
    #[derive(Serialize)]
    struct Dealt<P> {
        position: P,
    }
    let parameters = position::parameters(&mut fields, Code::BadRequest)?;
    let Deal { seed } = fields.into(Code::BadRequest)?;
    let position = AnyPosition::deal(parameters, seed.unwrap_or_else(rand::random))?;
    Ok(raw(&Dealt {
        position: position.written(parameters),
    }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Moves<'l> {
    #[serde(borrow)]
    position: &'l RawValue,
}

impl Moves<'_> {
    fn answer(&self) -> Result<Box<RawValue>, Trouble> {
        Ok(match AnyPosition::read(self.position)? {
            AnyPosition::Dice(game, position) => raw(&game.moves_json(&position)),
            AnyPosition::Trilobite(game, position) => raw(&game.moves_json(&position)),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rate<'l> {
    #[serde(borrow)]
    position: &'l RawValue,
    search: String,
    depth: Option<i64>,
}

impl Rate<'_> {
    fn answer(&self, limits: &RequestLimits) -> Result<Box<RawValue>, Trouble> {
        match AnyPosition::read(self.position)? {
            AnyPosition::Dice(game, position) => self.of(&game, &position, limits),
            AnyPosition::Trilobite(game, position) => self.of(&game, &position, limits),
        }
    }

    fn of<G: Spoken>(
        &self,
        game: &G,
        position: &G::Position,
        limits: &RequestLimits,
    ) -> Result<Box<RawValue>, Trouble> {
        #[derive(Serialize)]
        struct Ratings {
            ratings: Vec<f64>,
            chosen: Option<usize>,
            nodes: u64,
        }
        let analysis = game.rate(position, self, limits.nodes)?;
        let analysis = analysis.ok_or_else(|| too_large(limits))?;
        Ok(raw(&Ratings {
            ratings: analysis.ratings.iter().map(|&(_, rating)| rating).collect(),
            chosen: analysis.chosen,
            nodes: analysis.nodes,
        }))
    }

    fn plies(&self, most: i64) -> Result<u32, Trouble> {
        let depth = self
            .depth
            .ok_or_else(|| Trouble::new(Code::BadRequest, "missing field `depth`"))?;
        in_range("depth", depth, 1, most)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Choose<'l> {
    #[serde(borrow)]
    position: &'l RawValue,
    level: String,
    budget_ms: Option<i64>,
    nodes: Option<i64>,
    seed: Option<u64>,
}

/// The longest time a level may be given: ten minutes.
const MOST_BUDGET_MS: i64 = 600_000;

/// More time than any level needs for its own budget.
const USUAL_MOST: Duration = Duration::from_secs(60);

/// How much a level may compute, and after which time it has to answer in any case.
#[derive(Clone, Copy)]
struct Allowance {
    effort: Effort,
    time: Duration,
}

impl Choose<'_> {
    fn answer(&self, limits: &RequestLimits) -> Result<Box<RawValue>, Trouble> {
        let level = self.level.parse::<Level>();
        let level = level.map_err(|unknown| Trouble::new(Code::UnknownLevel, unknown))?;
        let allowance = self.allowance(limits)?;
        match AnyPosition::read(self.position)? {
            AnyPosition::Dice(game, position) => self.of(&game, &position, level, allowance),
            AnyPosition::Trilobite(game, position) => self.of(&game, &position, level, allowance),
        }
    }

    fn allowance(&self, limits: &RequestLimits) -> Result<Allowance, Trouble> {
        let budget = match self.budget_ms {
            Some(ms) => Some(in_range("budget_ms", ms, 1, MOST_BUDGET_MS)?),
            None => None,
        };
        let nodes = match self.nodes {
            Some(nodes) => {
                let most = i64::try_from(limits.nodes).unwrap_or(i64::MAX);
                let within = Some(nodes).filter(|nodes| (1..=most).contains(nodes));
                let within = within.and_then(|nodes| NonZeroU64::new(nodes.cast_unsigned()));
                Some(within.ok_or_else(|| Trouble::range("nodes", 1, most))?)
            }
            None => None,
        };
        let (effort, time) = match (budget, nodes) {
            (None, None) => (Effort::Usual, USUAL_MOST),
            (Some(ms), None) => (Effort::UntilStopped, Duration::from_millis(ms.into())),
            (None, Some(nodes)) => {
                let most = Duration::from_millis(MOST_BUDGET_MS.unsigned_abs());
                (Effort::Simulations(nodes), most)
            }
            (Some(_), Some(_)) => {
                let message = "give budget_ms or nodes, not both";
                return Err(Trouble::new(Code::BadRequest, message));
            }
        };
        Ok(Allowance { effort, time })
    }

    fn of<G: Spoken>(
        &self,
        game: &G,
        position: &G::Position,
        level: Level,
        allowance: Allowance,
    ) -> Result<Box<RawValue>, Trouble> {
        #[derive(Serialize)]
        struct Chosen {
            index: usize,
            #[serde(flatten)]
            action: ActionJson,
            /// What the level expects each player to get; null if it makes no forecast.
            win: Option<Vec<f32>>,
            nodes: u64,
            elapsed_ms: f64,
        }
        if game.status(position).is_over() {
            return Err(Trouble::new(Code::GameOver, "the game is over"));
        }
        let seed = self.seed.unwrap_or_else(rand::random);
        let begun = Instant::now();
        let mut rng = SearchRng::seed_from_u64(seed);
        let mut strategy = G::strategy(level);
        let Allowance { effort, time } = allowance;
        let choice = deadline::within(time, |stop| {
            strategy.choose(game, position, effort, &mut rng, stop)
        });
        let elapsed = begun.elapsed();
        let index = game
            .actions(position)
            .position(|listed| listed == choice.action);
        Ok(raw(&Chosen {
            index: index.expect("levels choose listed actions"),
            action: game.action_json(choice.action, position),
            win: choice.shares.map(|shares| {
                let players = Player::all(game.players());
                players.map(|player| shares[player]).collect()
            }),
            nodes: choice.nodes,
            elapsed_ms: in_ms(elapsed),
        }))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Perft<'l> {
    #[serde(borrow)]
    position: &'l RawValue,
    depth: i64,
}

impl Perft<'_> {
    fn answer(&self, limits: &RequestLimits) -> Result<Box<RawValue>, Trouble> {
        match AnyPosition::read(self.position)? {
            AnyPosition::Dice(game, position) => self.of(&game, &position, limits),
            AnyPosition::Trilobite(game, position) => self.of(&game, &position, limits),
        }
    }

    fn of<G: Spoken>(
        &self,
        game: &G,
        position: &G::Position,
        limits: &RequestLimits,
    ) -> Result<Box<RawValue>, Trouble> {
        #[derive(Serialize)]
        struct Nodes {
            nodes: u64,
        }
        // The empty sequence is one, too.
        let plies = in_range("depth", self.depth, 0, G::MOST_PLIES)?;
        let nodes = perft_within(game, position, plies, limits.nodes);
        Ok(raw(&Nodes {
            nodes: nodes.ok_or_else(|| too_large(limits))?,
        }))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Levels<'l> {
    #[serde(borrow)]
    game: &'l RawValue,
}

impl Levels<'_> {
    fn answer(&self) -> Result<Box<RawValue>, Trouble> {
        #[derive(Serialize)]
        struct LevelsJson {
            levels: Vec<LevelJson>,
        }
        #[derive(Serialize)]
        struct LevelJson {
            name: &'static str,
            description: String,
        }
        // Every level plays every game.
        let game = position::game_named(self.game)?;
        let text = Text::of(Language::English);
        let levels = Level::ALL.into_iter().map(|level| LevelJson {
            name: level.name(),
            description: level_about(text, game.name(), level.name()),
        });
        Ok(raw(&LevelsJson {
            levels: levels.collect(),
        }))
    }
}

fn in_range(name: &str, number: i64, least: i64, most: i64) -> Result<u32, Trouble> {
    let out_of_range = || Trouble::range(name, least, most);
    if !(least..=most).contains(&number) {
        return Err(out_of_range());
    }
    u32::try_from(number).map_err(|_| out_of_range())
}

fn too_large(limits: &RequestLimits) -> Trouble {
    let message = format!(
        "that would be more than {} positions; ask for less depth",
        limits.nodes
    );
    Trouble::new(Code::TooLarge, message)
}

/// A duration in milliseconds, to the microsecond.
fn in_ms(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1000.0
}

pub(super) fn raw(answer: &impl Serialize) -> Box<RawValue> {
    to_raw_value(answer).expect("answers are plain values with names for keys")
}
