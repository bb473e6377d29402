//! The class `Record`: a game with its dice.

use dice_of_doom_core::game::{Game as _, Player, Status};
use dice_of_doom_core::level::{LevelSpec, ObservedAction};
use dice_of_doom_core::record::Ending;
use dice_of_doom_core::search::StopToken;
use dice_of_doom_core::serialization::SerializableGame;
use dice_of_doom_core::session::Session;
use dice_of_doom_formats::end_reason::winner_numbers;
use dice_of_doom_formats::record::RawRecord;
use dice_of_doom_formats::{RecordError, RecordJson, RecordMetadata};
use dice_of_doom_games::dice_of_doom::DiceOfDoom;
use dice_of_doom_games::trilobite::Trilobite;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use rand::SeedableRng;

use crate::encoding::LearnableGame;
use crate::game::{Game, unknown_game};
use crate::interrupt::interruptible;
use crate::json::invalid;
use crate::position::{At, Position, level_of};
use crate::rng::{Generator, Rng};
use crate::{ForGame, for_game, map_game};

/// A game with its dice, as the program writes it.
#[pyclass(module = "dice_of_doom._native")]
pub(crate) struct Record(ForGame<Session<DiceOfDoom>, Session<Trilobite>>);

#[pymethods]
impl Record {
    #[new]
    fn new(start: &Position) -> Self {
        Record(map_game!(&start.0, at => Session::new(at.game, at.position)))
    }

    /// Reads a record of the program, and checks every entry.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        fn replay<G: LearnableGame>(raw: RawRecord) -> Result<Session<G>, RecordError<String>> {
            raw.replay().map(|(session, _)| session)
        }
        let read = || {
            let raw = RawRecord::parse(text)?;
            match &*raw.game {
                DiceOfDoom::NAME => replay(raw).map(|session| Record(ForGame::Dice(session))),
                Trilobite::NAME => replay(raw).map(|session| Record(ForGame::Trilobite(session))),
                _ => Err(RecordError::UnknownGame(raw.game)),
            }
        };
        py.detach(read).map_err(|error| match error {
            RecordError::UnknownGame(name) => invalid(unknown_game(&name)),
            error => invalid(error),
        })
    }

    #[getter]
    fn game(&self) -> Game {
        Game(map_game!(&self.0, session => *session.game()))
    }

    #[getter]
    fn start(&self) -> Position {
        Position(map_game!(&self.0, session => At {
            game: *session.game(),
            position: session.record().start,
        }))
    }

    /// The position after the last entry.
    #[getter]
    fn position(&self) -> Position {
        Position(map_game!(&self.0, session => At {
            game: *session.game(),
            position: *session.position(),
        }))
    }

    /// Who won: `None` while the game is open, all who lead after an early end.
    #[getter]
    fn winners(&self) -> Option<Vec<u32>> {
        let winners = for_game!(&self.0, session => winner_numbers(session));
        winners.map(|winners| winners.into_iter().map(u32::from).collect())
    }

    /// The payoff of each player, also after an early end; 0 while the game is open.
    fn returns<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        for_game!(&self.0, session => {
            let payoff = |player| match session.status() {
                Status::Turn(_) => 0.0,
                Status::Over(payoffs) => payoffs.payoff(player),
            };
            let returns: Vec<f64> = Player::all(session.game().players()).map(payoff).collect();
            returns.into_pyarray(py)
        })
    }

    /// Player, action and outcome of every ply on the mainline.
    #[getter]
    fn plies(&self) -> Vec<(u8, usize, u8)> {
        for_game!(&self.0, session => plies(session))
    }

    /// Position and action of every ply on the mainline: the `history` for `choose`.
    #[getter]
    fn decisions(&self) -> Vec<(Position, usize)> {
        for_game!(&self.0, session => decisions(session))
    }

    fn __len__(&self) -> usize {
        for_game!(&self.0, session => session.record().entries.len())
    }

    /// Rolls the dice of an action and appends it. Returns the position after it.
    fn append(&mut self, action: i64, rng: &mut Rng) -> PyResult<Position> {
        for_game!(&mut self.0, session => {
            let action = session.game().legal(session.position(), action).map_err(invalid)?;
            append(session, action, &mut rng.0).map_err(invalid)?;
        });
        Ok(self.position())
    }

    /// The record as the program reads it. Its times are 0 where they are not known.
    fn to_json(&self) -> PyResult<String> {
        let record = for_game!(
            &self.0,
            session => RecordJson::from_session(session, &RecordMetadata::EMPTY)
        );
        serde_json::to_string(&record).map_err(invalid)
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
        Ok(Record(
            map_game!(&start.0, at => play_from(at, &levels, generator, stop)?),
        ))
    });
    played?.map_err(invalid::<String>)
}

fn play_from<G: LearnableGame>(
    start: &At<G>,
    levels: &[String],
    generator: &mut Generator,
    stop: &StopToken,
) -> Result<Session<G>, String> {
    let game = start.game;
    let players = usize::from(game.players());
    if levels.len() != players {
        return Err(format!(
            "{} levels are given for {players} players",
            levels.len()
        ));
    }
    let spec = |text: &String| {
        let spec: LevelSpec = text.parse().map_err(|why| format!("{why}"))?;
        level_of(&game, spec.level.name())?;
        Ok(spec)
    };
    let levels: Vec<LevelSpec> = levels.iter().map(spec).collect::<Result<_, String>>()?;
    // An agent is kept for the whole game, as in the program.
    let agents = levels.iter().map(|spec| G::agent(spec.level));
    let mut agents: Vec<_> = agents.collect();
    let mut history = Vec::new();
    let mut session = Session::new(game, start.position.clone());
    while let Status::Turn(player) = session.status() {
        if stop.is_stop_requested() {
            break;
        }
        let at = At {
            game,
            position: session.position().clone(),
        };
        let seat = usize::from(player.number());
        let (agent, limit) = (&mut *agents[seat], levels[seat].search_limit());
        agent.observe(&game, &mut history.iter().cloned());
        let action = at.choose(agent, limit, generator, stop)?;
        append(&mut session, action, generator)?;
        history.push(ObservedAction {
            position: at.position,
            action,
        });
    }
    Ok(session)
}

fn append<G: LearnableGame>(
    session: &mut Session<G>,
    action: G::Action,
    generator: &mut Generator,
) -> Result<(), String> {
    let Status::Turn(player) = session.status() else {
        return Err("the game is over".to_owned());
    };
    let ply = session.prepare_ply(player, action, generator, 0);
    let ply = ply.map_err(|why| why.to_string())?;
    let next = session.with_ply(ply).map_err(|why| why.to_string())?;
    *session = next;
    if session.is_at_limit() {
        session.end(Ending::Limit);
    }
    Ok(())
}

fn decisions<G: LearnableGame>(session: &Session<G>) -> Vec<(Position, usize)> {
    let game = *session.game();
    let decisions = session.mainline().map(|replayed| {
        let position = replayed.before;
        let action = game.encode(replayed.ply.action);
        (G::untyped(At { game, position }), action)
    });
    decisions.collect()
}

fn plies<G: LearnableGame>(session: &Session<G>) -> Vec<(u8, usize, u8)> {
    let plies = session.mainline().map(|replayed| {
        let action = session.game().encode(replayed.ply.action);
        let outcome = G::outcome_number(replayed.outcome);
        (replayed.ply.player.number(), action, outcome)
    });
    plies.collect()
}
