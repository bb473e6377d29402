//! Players of the command line's arena: levels, and external programs that implement the engine protocol's op
//! `choose`.

use serde::Serialize;
use serde_json::{Map, Value};

use super::RegistrableGame;
use super::engine::position_json;
use crate::arena::{
    AnswerTime, ArenaHost, BoxedPlayerFactory, Contestant, ExternalProgram, GameResult,
    MatchPlayer, PlayedGame, PlayerClock, PlayerFactory, ProgramLimits, ProgramSession, Reply,
};
use crate::formats::end_reason::player_numbers;
use crate::formats::record::{
    ArenaJson, PlayerFault, ProgramBudget, Provenance, RecordPlayerJson, RecordPlayerKind,
};
use crate::formats::{JsonFields, RecordJson, RecordMetadata, to_raw_json};
use crate::game::Player;
use crate::level::{AgentRng, ChosenAction, ChosenActionOf, ObservedAction};
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
                let with_command = |error| format!("{command}: {error}");
                let sends = RequestedLines::new(&program).map_err(with_command)?;
                Ok(Box::new(ProgramPlayerFactory {
                    command: command.clone(),
                    options: request_options(&program, sends).map_err(with_command)?,
                    sends,
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
            provenance: provenance(game),
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

/// Who played a game, and which game of the arena it is.
fn provenance<G: RegistrableGame>(game: &PlayedGame<'_, G>) -> Provenance {
    let seats = (0..).zip(&game.players);
    let seats = seats.map(|(player, who)| match who {
        Contestant::Level(strength) => RecordPlayerJson::level(player, *strength),
        Contestant::Program(name) | Contestant::Custom(name) => RecordPlayerJson {
            name: Some(name.clone()),
            ..RecordPlayerJson::new(player, RecordPlayerKind::Program)
        },
    });
    Provenance {
        seats: seats.collect(),
        seed: None,
        arena: Some(ArenaJson {
            seed: game.seed,
            number: game.number,
            programs: game.program_limits.budget,
            forfeit: game.forfeit.cloned(),
        }),
    }
}

/// The members of every request to choose, which cannot be options.
const RESERVED_MEMBERS: [&str; 7] = [
    "id",
    "op",
    "position",
    "budget_ms",
    "nodes",
    "clock",
    "seed",
];

/// The further members with `send=history`.
const HISTORY_MEMBERS: [&str; 1] = ["history"];

/// The further members with `send=games`.
const GAME_MEMBERS: [&str; 3] = ["player", "winners", "score"];

/// What a program is sent besides requests to choose: the words `send=WHAT` of its command.
#[derive(Clone, Copy, Default)]
struct RequestedLines {
    /// The requests `newgame` and `result`.
    games: bool,
    /// The earlier decisions, with each request to choose.
    history: bool,
}

impl RequestedLines {
    fn new(program: &ExternalProgram) -> Result<Self, String> {
        let mut requested = RequestedLines::default();
        for what in program.sends() {
            match what.as_str() {
                "games" => requested.games = true,
                "history" => requested.history = true,
                _ => {
                    return Err(format!(
                        "send={what}: there are send=games and send=history"
                    ));
                }
            }
        }
        Ok(requested)
    }

    /// Whether a request has its own member of this name.
    fn has_member(self, name: &str) -> bool {
        RESERVED_MEMBERS.contains(&name)
            || self.history && HISTORY_MEMBERS.contains(&name)
            || self.games && GAME_MEMBERS.contains(&name)
    }
}

/// The options of a program as members of its requests. A value is JSON, or else a text.
fn request_options(
    program: &ExternalProgram,
    sends: RequestedLines,
) -> Result<Map<String, Value>, String> {
    let mut options = Map::new();
    for (name, value) in program.options() {
        if name.is_empty() || sends.has_member(name) {
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
    command: String,
    program: ExternalProgram,
    budget: ProgramBudget,
    options: Map<String, Value>,
    sends: RequestedLines,
}

impl<G: RegistrableGame> PlayerFactory<G> for ProgramPlayerFactory {
    fn create_player(&self) -> Box<dyn MatchPlayer<G> + '_> {
        let session = self.program.start_session();
        Box::new(ProgramPlayer {
            session,
            factory: self,
            clock: None,
            player: None,
            history: Vec::new(),
        })
    }
}

/// An external program in one game.
struct ProgramPlayer<'p> {
    session: ProgramSession<'p>,
    factory: &'p ProgramPlayerFactory,
    clock: Option<PlayerClock>,
    /// The player that it is; `None` before its first choice.
    player: Option<Player>,
    /// The earlier decisions, if the program is sent them.
    history: Vec<JsonFields>,
}

/// A request to a program.
#[derive(Serialize)]
struct ProgramRequest<'o, T> {
    id: &'o Value,
    op: &'static str,
    position: JsonFields,
    #[serde(flatten)]
    fields: T,
    #[serde(flatten)]
    options: &'o Map<String, Value>,
}

/// The fields of the op `choose`.
#[derive(Serialize)]
struct ChooseFields<'o> {
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<&'o [JsonFields]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_ms: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<RequestClock>,
    /// Below 2³², which every JSON library represents exactly.
    seed: u32,
}

/// The clock of the player who chooses.
#[derive(Serialize)]
struct RequestClock {
    remaining_ms: u64,
    increment_ms: u64,
}

/// The fields of the op `newgame`.
#[derive(Serialize)]
struct NewGameFields {
    player: u8,
}

/// The fields of the op `result`.
#[derive(Serialize)]
struct ResultFields {
    player: u8,
    winners: Vec<u8>,
    /// The share of the game that the player has won, 0 to 1.
    score: f64,
}

impl ProgramPlayer<'_> {
    fn request<T>(
        &mut self,
        (op, id): (&'static str, Value),
        time: AnswerTime,
        position: JsonFields,
        fields: impl Serialize,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<T, PlayerFault> {
        let line = to_raw_json(&ProgramRequest {
            id: &id,
            op,
            position,
            fields,
            options: &self.factory.options,
        });
        let parse = |line: &str| parse_reply(&id, line, &read);
        let answer = self.session.request(line.get(), time, parse);
        if answer.is_err() {
            // The process is gone: nothing more about this game is sent.
            self.player = None;
        }
        answer
    }
}

impl<G: RegistrableGame> MatchPlayer<G> for ProgramPlayer<'_> {
    fn prepare(&mut self, game: &G, position: &G::Position) -> Result<(), PlayerFault> {
        if self.player.is_some() {
            return Ok(());
        }
        self.player = game.status(position).mover();
        let Some(player) = self.player.filter(|_| self.factory.sends.games) else {
            return Ok(());
        };
        let fields = NewGameFields {
            player: player.number(),
        };
        let position = position_json(game, position);
        self.request(
            ("newgame", "newgame".into()),
            AnswerTime::Limits,
            position,
            fields,
            |_| Some(()),
        )
    }

    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        ply: u32,
        rng: &mut AgentRng,
    ) -> Result<ChosenActionOf<G>, PlayerFault> {
        let budget = self.factory.budget;
        let history = std::mem::take(&mut self.history);
        let fields = ChooseFields {
            history: self.factory.sends.history.then_some(&history),
            budget_ms: match budget {
                ProgramBudget::MoveTime(ms) => Some(ms.get()),
                ProgramBudget::ProgramDecides | ProgramBudget::Nodes(_) => None,
            },
            nodes: match budget {
                ProgramBudget::Nodes(nodes) => Some(nodes.get()),
                ProgramBudget::ProgramDecides | ProgramBudget::MoveTime(_) => None,
            },
            clock: self.clock.map(|clock| RequestClock {
                remaining_ms: clock.remaining.as_millis() as u64,
                increment_ms: clock.increment.as_millis() as u64,
            }),
            seed: rng.next_u32(),
        };
        let time = self.clock.map_or(AnswerTime::Limits, AnswerTime::Clock);
        let json = position_json(game, position);
        let chosen = self.request(("choose", ply.into()), time, json, fields, |chosen| {
            parse_choice(game, position, chosen.as_object()?)
        });
        self.history = history;
        chosen
    }

    fn set_clock(&mut self, clock: &PlayerClock) {
        self.clock = Some(*clock);
    }

    fn observe(&mut self, game: &G, history: &mut dyn Iterator<Item = ObservedAction<G>>) {
        if self.factory.sends.history {
            let new = history.skip(self.history.len());
            self.history
                .extend(new.map(|ObservedAction { position, action }| {
                    JsonFields::default()
                        .with("position", &game.to_setup(&position))
                        .and(JsonFields::from_value(&game.action_json(action, &position)))
                }));
        }
    }

    fn finish(&mut self, game: &G, position: &G::Position, result: &GameResult) {
        let Some(player) = self.player.filter(|_| self.factory.sends.games) else {
            return;
        };
        let fields = ResultFields {
            player: player.number(),
            winners: player_numbers(&result.winners),
            score: result.win_share(player),
        };
        let json = position_json(game, position);
        let time = AnswerTime::Grace;
        let answer = self.request(
            ("result", "result".into()),
            time,
            json,
            fields,
            |_| Some(()),
        );
        if let Err(fault) = answer {
            let (command, kind) = (&self.factory.command, fault.fault.name());
            tracing::warn!("{command} is restarted: no answer to `result` ({kind})");
        }
    }
}

/// Classifies a line from the program as a response to the request with this id. A response has that `id` and `ok` or
/// `error`; an error without `id` also counts, as a program that could not parse the request does not know it.
fn parse_reply<T>(id: &Value, line: &str, read: impl Fn(&Value) -> Option<T>) -> Reply<T> {
    let Ok(Value::Object(line)) = serde_json::from_str(line) else {
        return Reply::Other;
    };
    let given_id = line.get("id");
    let matches_request = given_id == Some(id);
    if line.contains_key("error") && (matches_request || given_id.is_none_or(Value::is_null)) {
        return Reply::Wrong;
    }
    match line.get("ok") {
        Some(answer) if matches_request => read(answer).map_or(Reply::Wrong, Reply::Answer),
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
