//! What each op does, for every game of the registry.

use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::deadline;
use super::position;
use super::request::{Code, Trouble};
use super::{Engine, Hearing, RequestLimits};
use crate::faces::engine::{Chosen, SearchRequest, Unrated};
use crate::faces::{DealError, Fields, Registry, Start};
use crate::level::{Effort, Level, UnknownLevel};
use crate::search::Stop;
use crate::templates::levels::level_about;
use crate::templates::text::Language;

/// Performs an op; returns the answer's `ok`.
pub(super) fn perform(
    op: &str,
    fields: Fields,
    engine: &Engine,
    hearing: &Hearing<'_>,
) -> Result<Box<RawValue>, Trouble> {
    let Engine { games, limits, .. } = engine;
    match op {
        "new" => new(fields, games),
        "moves" => asked::<Moves>(fields)?.answer(games),
        "rate" => asked::<Rate>(fields)?.answer(games, limits),
        "choose" => asked::<Choose>(fields)?.answer(engine, hearing),
        "stop" => asked::<StopNow>(fields).map(|now| raw(&now)),
        "perft" => asked::<Perft>(fields)?.answer(games, limits),
        "levels" => asked::<Levels>(fields)?.answer(games),
        "notation" => asked::<Notation>(fields)?.answer(games),
        // Answered for programs that ask, and listed nowhere until there is a solver.
        "solve" => Err(Trouble::new(Code::Unsupported, "there is no solver yet")),
        _ => {
            let message =
                "no such op; there are new, moves, rate, choose, stop, perft, levels and notation";
            Err(Trouble::new(Code::UnknownOp, message))
        }
    }
}

/// The fields that an op knows.
fn asked<T: serde::de::DeserializeOwned>(fields: Fields) -> Result<T, Trouble> {
    let fields = fields.into();
    fields.map_err(|error| Trouble::new(Code::BadRequest, error))
}

fn new(mut fields: Fields, games: &Registry) -> Result<Box<RawValue>, Trouble> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Deal {
        seed: Option<u64>,
    }
    #[derive(Serialize)]
    struct Dealt {
        position: Fields,
    }
    let (kind, parameters) = position::parameters(&mut fields, games, Code::BadRequest)?;
    let setting = kind.setting(parameters);
    let Deal { seed } = match &setting {
        // Parameters that are not written as such come first.
        Err(DealError::Field(error)) => return Err(Trouble::new(Code::BadRequest, error)),
        _ => asked(fields)?,
    };
    let setting = setting.map_err(|error| Trouble::new(Code::OutOfRange, error))?;
    let seed = seed.unwrap_or_else(rand::random);
    let dealt = setting.begin(&Start::Deal(seed));
    let dealt = dealt.map_err(|error| Trouble::new(Code::BadPosition, error))?;
    Ok(raw(&Dealt {
        position: position::written(&*dealt),
    }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Moves {
    position: Box<RawValue>,
}

impl Moves {
    fn answer(&self, games: &Registry) -> Result<Box<RawValue>, Trouble> {
        Ok(position::read(&self.position, games)?.moves())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rate {
    position: Box<RawValue>,
    search: String,
    depth: Option<i64>,
}

impl Rate {
    fn answer(&self, games: &Registry, limits: &RequestLimits) -> Result<Box<RawValue>, Trouble> {
        let spot = position::read(&self.position, games)?;
        let ratings = spot.rate(&SearchRequest {
            search: &self.search,
            depth: self.depth,
            most_nodes: limits.nodes,
        });
        let ratings = ratings.map_err(|why| match why {
            Unrated::Unsupported(message) => Trouble::new(Code::Unsupported, message),
            Unrated::NoDepth => Trouble::new(Code::BadRequest, "the field `depth` is missing"),
            Unrated::Depth { most } => Trouble::range("depth", 1, most),
            Unrated::TooLarge => too_large(limits),
        })?;
        Ok(raw(&ratings))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Choose {
    position: Box<RawValue>,
    level: Option<String>,
    budget_ms: Option<i64>,
    nodes: Option<i64>,
    seed: Option<u64>,
    lines: Option<i64>,
    #[serde(default)]
    info: bool,
}

/// What ends the thinking before it; there is nothing to say about it.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct StopNow {}

/// More than any position of the games has actions.
const MOST_LINES: i64 = 1_000;

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

impl Choose {
    fn answer(&self, engine: &Engine, hearing: &Hearing<'_>) -> Result<Box<RawValue>, Trouble> {
        #[derive(Serialize)]
        struct ChosenJson {
            #[serde(flatten)]
            chosen: Chosen,
            elapsed_ms: f64,
        }
        let usual = engine.level;
        let level = self.level.as_ref().map_or(Ok(usual), |name| name.parse());
        let level =
            level.map_err(|unknown: UnknownLevel| Trouble::new(Code::UnknownLevel, unknown))?;
        let Allowance { effort, time } = self.allowance(&engine.limits)?;
        let lines = match self.lines {
            Some(lines) => Some(in_range("lines", lines, 1, MOST_LINES)? as usize),
            None => None,
        };
        let spot = position::read(&self.position, &engine.games)?;
        let seed = self.seed.unwrap_or_else(rand::random);
        let stop = Stop::watched();
        if let Some(desk) = hearing.desk {
            desk.think(hearing.line, &stop);
        }
        let begun = Instant::now();
        let told = |chosen: Chosen| {
            let elapsed_ms = in_ms(begun.elapsed());
            raw(&ChosenJson { chosen, elapsed_ms })
        };
        let watch = stop.watch();
        let look = || {
            let Some(watch) = watch else { return };
            if let Some(so_far) = watch.take().and_then(|seen| spot.so_far(&seen, lines)) {
                (hearing.tell)(told(so_far));
            }
            watch.ask();
        };
        if let Some(watch) = watch.filter(|_| self.info) {
            watch.ask();
        }
        let look = self.info.then_some(look);
        let chosen = deadline::within(time, &stop, look, |stop| {
            spot.choose(level, effort, seed, stop, lines)
        });
        let chosen = chosen.ok_or_else(|| Trouble::new(Code::GameOver, "the game is over"))?;
        Ok(told(chosen))
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
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Perft {
    position: Box<RawValue>,
    depth: i64,
}

impl Perft {
    fn answer(&self, games: &Registry, limits: &RequestLimits) -> Result<Box<RawValue>, Trouble> {
        #[derive(Serialize)]
        struct Nodes {
            nodes: u64,
        }
        let spot = position::read(&self.position, games)?;
        // The empty sequence is one, too.
        let plies = in_range("depth", self.depth, 0, spot.most_plies().into())?;
        let nodes = spot.perft(plies, limits.nodes);
        Ok(raw(&Nodes {
            nodes: nodes.ok_or_else(|| too_large(limits))?,
        }))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Levels {
    game: Box<RawValue>,
}

impl Levels {
    fn answer(&self, games: &Registry) -> Result<Box<RawValue>, Trouble> {
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
        let game = position::game_named(&self.game, games)?.name();
        let text = games.text(Language::English);
        let levels = Level::ALL.into_iter().map(|level| LevelJson {
            name: level.name(),
            description: level_about(text, game, level.name()),
        });
        Ok(raw(&LevelsJson {
            levels: levels.collect(),
        }))
    }
}

/// A game in one form, to be written in both.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Notation {
    record: Option<Box<RawValue>>,
    text: Option<String>,
}

impl Notation {
    fn answer(&self, games: &Registry) -> Result<Box<RawValue>, Trouble> {
        #[derive(Serialize)]
        struct Both {
            text: String,
            record: Box<RawValue>,
        }
        let game = match (&self.record, &self.text) {
            (Some(record), None) => games.accept_record(record.get()),
            (None, Some(text)) => games.accept_record(text),
            _ => return Err(Trouble::new(Code::BadRequest, "give record or text")),
        };
        let (game, _) = game.map_err(|error| Trouble::new(Code::BadRecord, error))?;
        Ok(raw(&Both {
            text: game.notation(),
            record: game.live.record_json(&game.about),
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

fn raw(answer: &impl Serialize) -> Box<RawValue> {
    to_raw_value(answer).expect("answers are plain values with names for keys")
}
