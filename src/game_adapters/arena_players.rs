//! Players of the command line's arena: levels, and external programs that implement the engine protocol's op
//! `choose`.

use serde::Serialize;
use serde_json::{Map, Value};

use super::engine::position_json;
use super::json::{Provenance, RecordJson, RecordMetadata, to_raw_json};
use super::{JsonFields, RegistrableGame};
use crate::arena::{
    ArenaHost, BoxedPlayerFactory, Contestant, ExternalProgram, MatchPlayer, PlayedGame,
    PlayerClock, PlayerFactory, PlayerFault, ProgramBudget, ProgramLimits, ProgramSession, Reply,
};
use crate::level::{AgentRng, ChosenAction, ChosenActionOf};
use crate::session::Session;
use rand::Rng;

/// Creates players from levels and programs, and writes records.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArenaPlayers;

impl<G: RegistrableGame> ArenaHost<G> for ArenaPlayers {
    fn player_factory(
        &self,
        who: &Contestant,
        terms: &ProgramLimits,
    ) -> Result<BoxedPlayerFactory<'_, G>, String> {
        match who {
            Contestant::Level(strength) => match G::check_level(G::TITLE, strength.level) {
                Ok(()) => Ok(Box::new(*strength)),
                Err(missing) => Err(missing.to_string()),
            },
            Contestant::Program(command) => {
                let program = ExternalProgram::start(command, *terms);
                let program = program.map_err(|error| format!("{command} does not start: {error}"));
                let program = program?;
                let options = request_options(&program);
                Ok(Box::new(ProgramPlayerFactory {
                    options: options.map_err(|error| format!("{command}: {error}"))?,
                    program,
                    budget: terms.budget,
                }))
            }
            Contestant::Custom(_) => Err(format!(
                "{who}: strategies of one's own play in the library"
            )),
        }
    }

    fn record(&self, game: &PlayedGame<'_, G>) -> Option<String> {
        let metadata = RecordMetadata {
            provenance: Provenance::from_arena_game(game),
            ..RecordMetadata::EMPTY
        };
        let session = Session::from_record(game.record.clone()).ok()?;
        Some(
            to_raw_json(&RecordJson::from_session(&session, &metadata))
                .get()
                .to_owned(),
        )
    }
}

/// The members of a request that are not options.
const RESERVED_MEMBERS: [&str; 7] = [
    "id",
    "op",
    "position",
    "budget_ms",
    "nodes",
    "clock",
    "seed",
];

/// The options of a program as members of its requests. A value is JSON, or else a text.
fn request_options(program: &ExternalProgram) -> Result<Map<String, Value>, String> {
    let mut options = Map::new();
    for (name, value) in program.options() {
        if name.is_empty() || RESERVED_MEMBERS.contains(&name.as_str()) {
            return Err(format!("option.{name} is not an option"));
        }
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value.as_str()));
        if options.insert(name.clone(), value).is_some() {
            return Err(format!("option.{name} is there twice"));
        }
    }
    Ok(options)
}

/// Creates players that an external program plays.
struct ProgramPlayerFactory {
    program: ExternalProgram,
    budget: ProgramBudget,
    options: Map<String, Value>,
}

impl<G: RegistrableGame> PlayerFactory<G> for ProgramPlayerFactory {
    fn create_player(&self) -> Box<dyn MatchPlayer<G> + '_> {
        let session = self.program.start_session();
        Box::new(ProgramPlayer {
            session,
            budget: self.budget,
            options: &self.options,
            clock: None,
        })
    }
}

/// An external program in one game.
struct ProgramPlayer<'p> {
    session: ProgramSession<'p>,
    budget: ProgramBudget,
    options: &'p Map<String, Value>,
    clock: Option<PlayerClock>,
}

/// A request of the engine's op `choose`; its `id` is the ply number.
#[derive(Serialize)]
struct ChooseRequest<'o> {
    id: u32,
    op: &'static str,
    position: JsonFields,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_ms: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<RequestClock>,
    /// Below 2³², which every JSON library represents exactly.
    seed: u32,
    #[serde(flatten)]
    options: &'o Map<String, Value>,
}

/// The clock of the player who chooses.
#[derive(Serialize)]
struct RequestClock {
    remaining_ms: u64,
    increment_ms: u64,
}

impl<G: RegistrableGame> MatchPlayer<G> for ProgramPlayer<'_> {
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        ply: u32,
        rng: &mut AgentRng,
    ) -> Result<ChosenActionOf<G>, PlayerFault> {
        let request = ChooseRequest {
            id: ply,
            op: "choose",
            position: position_json(game, position),
            budget_ms: match self.budget {
                ProgramBudget::MoveTime(ms) => Some(ms.get()),
                ProgramBudget::ProgramDecides | ProgramBudget::Nodes(_) => None,
            },
            nodes: match self.budget {
                ProgramBudget::Nodes(nodes) => Some(nodes.get()),
                ProgramBudget::ProgramDecides | ProgramBudget::MoveTime(_) => None,
            },
            clock: self.clock.map(|clock| RequestClock {
                remaining_ms: clock.remaining.as_millis() as u64,
                increment_ms: clock.increment.as_millis() as u64,
            }),
            seed: rng.next_u32(),
            options: self.options,
        };
        let line = to_raw_json(&request);
        let read = |line: &str| parse_reply(game, position, ply, line);
        let time = self.clock.map(|clock| clock.remaining);
        self.session.request(line.get(), time, read)
    }

    fn set_clock(&mut self, clock: &PlayerClock) {
        self.clock = Some(*clock);
    }
}

/// Classifies a line from the program as a response to the request with id `ply`. A response has that `id` and
/// `ok` or `error`; an error without `id` also counts, as a program that could not parse the request does not
/// know it.
fn parse_reply<G: RegistrableGame>(
    game: &G,
    position: &G::Position,
    ply: u32,
    line: &str,
) -> Reply<ChosenActionOf<G>> {
    let Ok(Value::Object(line)) = serde_json::from_str(line) else {
        return Reply::Other;
    };
    let id = line.get("id");
    let matches_request = id.and_then(Value::as_u64) == Some(u64::from(ply));
    if line.contains_key("error") && (matches_request || id.is_none_or(Value::is_null)) {
        return Reply::Wrong;
    }
    match line.get("ok") {
        Some(answer) if matches_request => {
            let chosen = answer.as_object();
            let choice = chosen.and_then(|chosen| parse_choice(game, position, chosen));
            choice.map_or(Reply::Wrong, Reply::Answer)
        }
        _ => Reply::Other,
    }
}

/// Decodes the chosen action: by its `index` among the legal actions, otherwise by the action's own fields,
/// such as `path`.
fn parse_choice<G: RegistrableGame>(
    game: &G,
    position: &G::Position,
    chosen: &Map<String, Value>,
) -> Option<ChosenActionOf<G>> {
    let mut actions = game.legal_actions(position);
    let action = match chosen.get("index") {
        Some(index) => actions.nth(usize::try_from(index.as_u64()?).ok()?),
        None => actions.find(|&action| {
            let fields = serde_json::to_value(game.action_json(action, position));
            let Ok(Value::Object(fields)) = fields else {
                return false;
            };
            fields
                .iter()
                .all(|(name, value)| chosen.get(name) == Some(value))
        }),
    };
    let nodes = chosen.get("nodes").and_then(Value::as_u64);
    Some(ChosenAction {
        action: action?,
        shares: None,
        nodes: nodes.unwrap_or(0),
        is_exact: false,
    })
}
