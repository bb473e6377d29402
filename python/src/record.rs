//! The class `Record`: a game with its dice.

use dice_of_doom_core::game::{Game as _, Payoffs, Player, Status};
use dice_of_doom_core::level::{LevelSpec, ObservedAction};
use dice_of_doom_core::record::{
    Ending, EntropyContribution, EntropyText, Entry, MAX_ENTRIES, Ply, Record as CoreRecord,
    ReplayedEntry, Takeback,
};
use dice_of_doom_core::search::StopToken;
use dice_of_doom_core::serialization::SerializableGame;
use dice_of_doom_games::dice_of_doom::DiceOfDoom;
use dice_of_doom_games::trilobite::Trilobite;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use rand::SeedableRng;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::encoding::LearnableGame;
use crate::game::Game;
use crate::interrupt::interruptible;
use crate::json::invalid;
use crate::position::{At, Position, level_of};
use crate::rng::{Generator, Rng};
use crate::{ForGame, for_game, map_game};

/// The format of records.
const FORMAT: u64 = 2;

/// A game with its dice, as the program writes it.
#[pyclass(module = "dice_of_doom._native")]
pub(crate) struct Record(ForGame<Played<DiceOfDoom>, Played<Trilobite>>);

/// A record, and the position after its last entry.
struct Played<G: LearnableGame> {
    record: CoreRecord<G>,
    position: G::Position,
}

/// The fields of a record that are read.
#[derive(Deserialize)]
struct Written {
    format: u64,
    game: String,
    start: Value,
    plies: Vec<Map<String, Value>>,
    ending: Option<String>,
    resigned: Option<u8>,
    winners: Option<Vec<u8>>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

#[pymethods]
impl Record {
    #[new]
    fn new(start: &Position) -> Self {
        Record(map_game!(&start.0, at => Played::new(at)))
    }

    /// Reads a record of the program, and checks every entry.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        let read = || {
            let written: Written = serde_json::from_str(text).map_err(|why| why.to_string())?;
            match written.format {
                FORMAT => {}
                1 => {
                    return Err(
                        "an earlier build wrote this record; the last one that reads it is c1691778".to_owned(),
                    );
                }
                _ => return Err(format!("format: only {FORMAT} is known")),
            }
            let names: &[&str] = match &*written.game {
                DiceOfDoom::NAME => &["rules", "size", "players", "max_dice"],
                _ => &["width", "height", "win"],
            };
            let mut parameters = Map::new();
            for &name in names {
                let missing = || format!("the field {name} is missing");
                let value = written.other.get(name).ok_or_else(missing)?;
                parameters.insert(name.to_owned(), value.clone());
            }
            let game = Game::from_json(&written.game, parameters)?;
            Ok(Record(
                map_game!(game.0, game => Played::read(game, &written)?),
            ))
        };
        py.detach(read).map_err(invalid::<String>)
    }

    #[getter]
    fn game(&self) -> Game {
        Game(map_game!(&self.0, played => played.record.game))
    }

    #[getter]
    fn start(&self) -> Position {
        Position(map_game!(&self.0, played => At {
            game: played.record.game,
            position: played.record.start,
        }))
    }

    /// The position after the last entry.
    #[getter]
    fn position(&self) -> Position {
        Position(map_game!(&self.0, played => At {
            game: played.record.game,
            position: played.position,
        }))
    }

    /// Who won: `None` while the game is open, all who lead after an early end.
    #[getter]
    fn winners(&self) -> Option<Vec<u32>> {
        let winners = for_game!(&self.0, played => played.winners());
        winners.map(|winners| winners.into_iter().map(u32::from).collect())
    }

    /// The payoff of each player, also after an early end; 0 while the game is open.
    fn returns<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        for_game!(&self.0, played => {
            let payoffs = played.payoffs();
            let payoff = |player| payoffs.map_or(0.0, |payoffs| payoffs.payoff(player));
            let returns: Vec<f64> = Player::all(played.record.game.players()).map(payoff).collect();
            returns.into_pyarray(py)
        })
    }

    /// Player, action and outcome of every ply on the mainline.
    #[getter]
    fn plies(&self) -> Vec<(u8, usize, u8)> {
        for_game!(&self.0, played => played.plies())
    }

    /// Position and action of every ply on the mainline: the `history` for `choose`.
    #[getter]
    fn decisions(&self) -> Vec<(Position, usize)> {
        for_game!(&self.0, played => played.decisions())
    }

    fn __len__(&self) -> usize {
        for_game!(&self.0, played => played.record.entries.len())
    }

    /// Rolls the dice of an action and appends it. Returns the position after it.
    fn append(&mut self, action: i64, rng: &mut Rng) -> PyResult<Position> {
        for_game!(&mut self.0, played => {
            let action = played.record.game.legal(&played.position, action).map_err(invalid)?;
            played.append(action, &mut rng.0).map_err(invalid)?;
        });
        Ok(self.position())
    }

    /// The record as the program reads it. Its times are 0 where they are not known.
    fn to_json(&self) -> PyResult<String> {
        let header = self.game().header();
        let text = for_game!(&self.0, played => played.write(header.map_err(invalid)?));
        text.map_err(invalid)
    }

    fn __repr__(&self) -> String {
        format!(
            "<Record of {} with {} entries>",
            self.game().name(),
            self.__len__()
        )
    }
}

/// Plays a game between levels, one for each player, to its end or to the greatest length of a record.
#[pyfunction]
#[pyo3(signature = (start, levels, seed=0))]
pub(crate) fn play(
    py: Python<'_>,
    start: &Position,
    levels: Vec<String>,
    seed: u64,
) -> PyResult<Record> {
    let played = interruptible(py, |stop| {
        let generator = &mut Generator::seed_from_u64(seed);
        Ok(Record(map_game!(&start.0, at => {
            let mut played = Played::new(at);
            played.play(&levels, generator, stop)?;
            played
        })))
    });
    played?.map_err(invalid::<String>)
}

impl<G: LearnableGame> Played<G>
where
    G::Position: Copy,
{
    fn new(at: &At<G>) -> Self {
        Played {
            record: CoreRecord::new(at.game, at.position),
            position: at.position,
        }
    }

    fn append(&mut self, action: G::Action, generator: &mut Generator) -> Result<(), String> {
        let game = &self.record.game;
        let Status::Turn(player) = game.status(&self.position) else {
            return Err("the game is over".to_owned());
        };
        if self.record.ending.is_some() || self.record.len() >= MAX_ENTRIES {
            return Err("the game has been ended".to_owned());
        }
        let roll = game.roll(&self.position, action, generator);
        let outcome = game.outcome_of_roll(&self.position, action, &roll);
        let outcome = outcome.ok_or("the dice do not fit the action")?;
        self.position = game.apply(&self.position, action, outcome);
        let ply = Ply {
            player,
            action,
            roll,
            at_ms: 0,
        };
        self.record.entries.push(ply.into());
        if self.record.len() == MAX_ENTRIES && !self.is_over() {
            self.record.ending = Some(Ending::Limit);
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.record.game.status(&self.position).is_over()
    }

    fn play(
        &mut self,
        levels: &[String],
        generator: &mut Generator,
        stop: &StopToken,
    ) -> Result<(), String> {
        let players = usize::from(self.record.game.players());
        if levels.len() != players {
            return Err(format!(
                "{} levels are given for {players} players",
                levels.len()
            ));
        }
        let spec = |text: &String| {
            let spec: LevelSpec = text.parse().map_err(|why| format!("{why}"))?;
            level_of(&self.record.game, spec.level.name())?;
            Ok(spec)
        };
        let levels: Vec<LevelSpec> = levels.iter().map(spec).collect::<Result<_, String>>()?;
        // An agent is kept for the whole game, as in the program.
        let agents = levels.iter().map(|spec| G::agent(spec.level));
        let mut agents: Vec<_> = agents.collect();
        let mut history = Vec::new();
        while let Status::Turn(player) = self.record.game.status(&self.position) {
            if self.record.ending.is_some() || stop.is_stop_requested() {
                break;
            }
            let at = At {
                game: self.record.game,
                position: self.position,
            };
            let seat = usize::from(player.number());
            let (agent, limit) = (&mut *agents[seat], levels[seat].search_limit());
            agent.observe(&at.game, &mut history.iter().cloned());
            let action = at.choose(agent, limit, generator, stop)?;
            self.append(action, generator)?;
            history.push(ObservedAction {
                position: at.position,
                action,
            });
        }
        Ok(())
    }

    /// The position and the action of every ply on the mainline.
    fn decisions(&self) -> Vec<(Position, usize)> {
        let game = self.record.game;
        let replayed = self.record.replayed_plies().filter_map(Result::ok);
        let mainline = replayed.filter(|ply| ply.is_on_mainline);
        mainline
            .map(|replayed| {
                let at = At {
                    game,
                    position: replayed.before,
                };
                (G::untyped(at), game.encode(replayed.ply.action))
            })
            .collect()
    }

    fn plies(&self) -> Vec<(u8, usize, u8)> {
        let replayed = self.record.replayed_plies().filter_map(Result::ok);
        let mainline = replayed.filter(|ply| ply.is_on_mainline);
        mainline
            .map(|replayed| {
                let action = self.record.game.encode(replayed.ply.action);
                let outcome = G::outcome_number(replayed.outcome);
                (replayed.ply.player.number(), action, outcome)
            })
            .collect()
    }

    fn read(game: G, written: &Written) -> Result<Self, String> {
        let setup: G::Setup =
            serde_json::from_value(written.start.clone()).map_err(|why| format!("start: {why}"))?;
        let start = game
            .position_from_setup(&setup)
            .map_err(|why| format!("start: {why}"))?;
        let mut record = CoreRecord::new(game, start);
        if written.plies.len() > MAX_ENTRIES as usize {
            return Err(format!("plies: a record has at most {MAX_ENTRIES} entries"));
        }
        for (number, entry) in written.plies.iter().enumerate() {
            let has_number = entry.get("ply").and_then(Value::as_u64) == Some(number as u64);
            let entry = read_entry(&game, entry).filter(|_| has_number);
            let entry = entry.ok_or_else(|| format!("entry {number} cannot be read"))?;
            record.entries.push(entry);
        }
        let mut position = start;
        for (entry, written) in record.replay().zip(&written.plies) {
            let entry = entry.map_err(|why| why.to_string())?;
            if let ReplayedEntry::Ply(ply) = &entry {
                // The cell of a chip follows from its column.
                let (field, value) = game.action_json(ply.ply.action, &ply.before);
                if written.get(field) != Some(&value) {
                    return Err(format!(
                        "entry {} has another {field} than {value}",
                        ply.number
                    ));
                }
            }
            position = entry.into_after();
        }
        let is_over = game.status(&position).is_over();
        record.ending = match (written.ending.as_deref(), is_over) {
            (Some("rules"), true) | (None, false) => None,
            (Some(name), false) => {
                let resigned = written.resigned;
                let player = resigned.map(|number| Player::try_new(number, game.players()));
                let known = player.is_none_or(|player| player.is_some());
                let ending = Ending::from_name(name, player.flatten()).filter(|_| known);
                Some(ending.ok_or("the ending cannot be read")?)
            }
            (_, true) => return Err("the ending does not match the entries".to_owned()),
        };
        let played = Played { record, position };
        if played.winners() != written.winners {
            return Err("the winners do not match the entries".to_owned());
        }
        Ok(played)
    }

    /// The result of a game that is over, or has been ended.
    fn payoffs(&self) -> Option<Payoffs> {
        let game = &self.record.game;
        match (self.record.ending, game.status(&self.position)) {
            (None, Status::Turn(_)) => None,
            (None, Status::Over(payoffs)) => Some(payoffs),
            (Some(ending), _) => {
                let resigned = ending.player().into_iter().collect();
                Some(game.adjudicate(&self.position, resigned))
            }
        }
    }

    /// The winners of a game that is over, or has been ended, in the order of records.
    fn winners(&self) -> Option<Vec<u8>> {
        let payoffs = self.payoffs()?;
        let winners = match self.record.ending {
            None => self.record.game.winners(&self.position),
            Some(_) => payoffs.winners().iter().collect(),
        };
        Some(winners.into_iter().map(Player::number).collect())
    }

    fn write(&self, mut fields: Map<String, Value>) -> Result<String, String> {
        let game = &self.record.game;
        fields.insert("format".to_owned(), json!(FORMAT));
        let start = serde_json::to_value(game.to_setup(&self.record.start));
        fields.insert("start".to_owned(), start.map_err(|why| why.to_string())?);
        let mut plies = Vec::new();
        for entry in self.record.replay() {
            plies.push(write_entry(game, &entry.map_err(|why| why.to_string())?));
        }
        fields.insert("plies".to_owned(), plies.into());
        let over = self.is_over();
        let ending = match self.record.ending {
            Some(ending) => json!(ending.name()),
            None if over => json!("rules"),
            None => Value::Null,
        };
        let resigned = self.record.ending.and_then(Ending::player);
        if let Some(player) = resigned {
            fields.insert("resigned".to_owned(), json!(player.number()));
        }
        fields.insert("ending".to_owned(), ending);
        fields.insert("winners".to_owned(), json!(self.winners()));
        serde_json::to_string(&fields).map_err(|why| why.to_string())
    }
}

fn read_entry<G: LearnableGame>(game: &G, entry: &Map<String, Value>) -> Option<Entry<G>> {
    let number = |name: &str| entry.get(name).and_then(Value::as_u64);
    let player = Player::try_new(u8::try_from(number("player")?).ok()?, game.players())?;
    let at_ms = entry.get("at").map_or(Some(0), Value::as_i64)?;
    if let Some(to) = entry.get("takeback") {
        let to = u32::try_from(to.as_u64()?).ok()?;
        return Some(Entry::Takeback(Takeback { player, to, at_ms }));
    }
    if let Some(text) = entry.get("entropy") {
        let text = EntropyText::from_exact(text.as_str()?)?;
        return Some(Entry::Contribution(EntropyContribution {
            player,
            text,
            at_ms,
        }));
    }
    let action = game.action_from_json(entry)?;
    let roll = G::roll_from_json(entry.get("roll").unwrap_or(&Value::Null))?;
    Some(Entry::Ply(Ply {
        player,
        action,
        roll,
        at_ms,
    }))
}

fn write_entry<G: LearnableGame>(game: &G, entry: &ReplayedEntry<'_, G>) -> Value {
    match entry {
        ReplayedEntry::Ply(replayed) => {
            let ply = replayed.ply;
            let (field, value) = game.action_json(ply.action, &replayed.before);
            json!({"ply": replayed.number, "player": ply.player.number(), field: value,
                "roll": G::roll_json(&ply.roll), "at": ply.at_ms})
        }
        ReplayedEntry::Takeback {
            number, takeback, ..
        } => {
            json!({"ply": number, "player": takeback.player.number(), "takeback": takeback.to,
                "at": takeback.at_ms})
        }
        ReplayedEntry::Contribution {
            number,
            contribution,
            ..
        } => {
            json!({"ply": number, "player": contribution.player.number(),
                "entropy": contribution.text.as_str(), "at": contribution.at_ms})
        }
    }
}
