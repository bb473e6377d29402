//! Who plays in an arena on the command line: levels, and programs that speak the engine's op `choose`.

use serde::Serialize;
use serde_json::{Map, Value};

use super::json::{Provenance, RecordJson, RecordMetadata, raw};
use super::{JsonFields, RegistrableGame};
use crate::arena::{
    ArenaHost, BoxedPlayerFactory, Contestant, ExternalProgram, MatchPlayer, PlayedGame,
    PlayerFactory, PlayerFault, ProgramBudget, ProgramLimits, ProgramSession, Reply,
};
use crate::level::{AgentRng, ChosenAction, ChosenActionOf};
use crate::serialization::NamedParameters;
use crate::session::Session;
use rand::Rng;

/// Seats levels and programs, and writes records.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArenaPlayers;

impl<G: RegistrableGame> ArenaHost<G> for ArenaPlayers {
    fn player_factory(
        &self,
        who: &Contestant,
        terms: &ProgramLimits,
    ) -> Result<BoxedPlayerFactory<'_, G>, String> {
        match who {
            Contestant::Level(strength) => Ok(Box::new(*strength)),
            Contestant::Program(command) => {
                let program = ExternalProgram::start(command, *terms);
                let program = program.map_err(|error| format!("{command} does not start: {error}"));
                let budget = terms.budget;
                Ok(Box::new(ProgramPlayerFactory {
                    program: program?,
                    budget,
                }))
            }
            Contestant::Custom(_) => Err(format!(
                "{who}: strategies of one's own play in the library"
            )),
        }
    }

    fn record(&self, game: &PlayedGame<'_, G>) -> Option<String> {
        let about = RecordMetadata {
            provenance: Provenance::of(game),
            ..RecordMetadata::NOTHING
        };
        let session = Session::resume(game.record.clone()).ok()?;
        Some(raw(&RecordJson::of(&session, &about)).get().to_owned())
    }
}

/// A program that plays, whatever the game.
struct ProgramPlayerFactory {
    program: ExternalProgram,
    budget: ProgramBudget,
}

impl<G: RegistrableGame> PlayerFactory<G> for ProgramPlayerFactory {
    fn create_player(&self) -> Box<dyn MatchPlayer<G> + '_> {
        let asked = self.program.sit();
        let budget = self.budget;
        Box::new(ProgramPlayer { asked, budget })
    }
}

/// A program in one game.
struct ProgramPlayer<'p> {
    asked: ProgramSession<'p>,
    budget: ProgramBudget,
}

/// A request of the engine's op `choose`: its `id` is the number of the ply.
#[derive(Serialize)]
struct ChooseRequest {
    id: u32,
    op: &'static str,
    position: JsonFields,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_ms: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    /// Below 2³², so that every language reads it exactly.
    seed: u32,
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
            position: JsonFields::of(&NamedParameters::of(game))
                .and(JsonFields::of(&game.to_setup(position))),
            budget_ms: match self.budget {
                ProgramBudget::MoveTime(ms) => Some(ms.get()),
                ProgramBudget::Own | ProgramBudget::Nodes(_) => None,
            },
            nodes: match self.budget {
                ProgramBudget::Nodes(nodes) => Some(nodes.get()),
                ProgramBudget::Own | ProgramBudget::MoveTime(_) => None,
            },
            seed: rng.next_u32(),
        };
        let line = raw(&request);
        let read = |line: &str| reply(game, position, ply, line);
        self.asked.ask(line.get(), read)
    }
}

/// What a line is to the request of a ply. Only an answer has the request's `id` and says `ok` or `error`; a program
/// that could not read the request knows no `id`.
fn reply<G: RegistrableGame>(
    game: &G,
    position: &G::Position,
    ply: u32,
    line: &str,
) -> Reply<ChosenActionOf<G>> {
    let Ok(Value::Object(line)) = serde_json::from_str(line) else {
        return Reply::Other;
    };
    let id = line.get("id");
    let is_asked = id.and_then(Value::as_u64) == Some(u64::from(ply));
    if line.contains_key("error") && (is_asked || id.is_none_or(Value::is_null)) {
        return Reply::Wrong;
    }
    match line.get("ok") {
        Some(answer) if is_asked => {
            let chosen = answer.as_object();
            let choice = chosen.and_then(|chosen| choice(game, position, chosen));
            choice.map_or(Reply::Wrong, Reply::Answer)
        }
        _ => Reply::Other,
    }
}

/// The choice that an answer names: by its `index` among the listed actions, or else by the action's own
/// fields, such as `path`.
fn choice<G: RegistrableGame>(
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
    })
}
