//! The class `Batch`: many games at once.

use dice_of_doom_core::game::{Game as _, Payoffs, Player, PlayerSet, Status};
use dice_of_doom_core::level::SearchLimit;
use dice_of_doom_core::search::PositionEvaluator;
use dice_of_doom_games::dice_of_doom::DiceOfDoom;
use dice_of_doom_games::trilobite::Trilobite;
use numpy::{
    Element, IntoPyArray, PyArray, PyArray1, PyArray2, PyArray4, PyArrayMethods, PyReadonlyArray1,
    PyReadwriteArray, PyReadwriteArray1, PyReadwriteArray2,
};
use pyo3::prelude::*;
use rand::SeedableRng;

use crate::encoding::LearnableGame;
use crate::game::Game;
use crate::interrupt::interruptible;
use crate::json::invalid;
use crate::position::{At, Position, level_of};
use crate::rng::{Generator, pick};
use crate::{ForGame, for_game, map_game};

/// The greatest number of games.
const MAX_GAMES: usize = 1 << 20;

/// Many games of one kind, which are stepped together. README.md describes the arrays.
#[pyclass(module = "dice_of_doom._native")]
pub(crate) struct Batch {
    games: ForGame<Games<DiceOfDoom>, Games<Trilobite>>,
    observations: Option<Py<PyArray4<u8>>>,
    masks: Py<PyArray2<bool>>,
    to_move: Py<PyArray1<i8>>,
    actors: Py<PyArray1<i8>>,
    rewards: Py<PyArray2<f32>>,
    terminated: Py<PyArray1<bool>>,
    truncated: Py<PyArray1<bool>>,
}

/// The games of a batch.
struct Games<G: LearnableGame> {
    game: G,
    max_plies: u32,
    tables: Vec<Table<G>>,
    /// The decoded actions of a step.
    actions: Vec<G::Action>,
}

/// One game of a batch.
struct Table<G: LearnableGame> {
    position: G::Position,
    plies: u32,
    generator: Generator,
}

/// The parts of the arrays that a step writes.
struct Views<'a> {
    observations: Option<&'a mut [u8]>,
    masks: &'a mut [bool],
    to_move: &'a mut [i8],
    actors: &'a mut [i8],
    rewards: &'a mut [f32],
    terminated: &'a mut [bool],
    truncated: &'a mut [bool],
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (game, n, seed=0, max_plies=1000, observations=true))]
    fn new(
        py: Python<'_>,
        game: &Game,
        n: usize,
        seed: u64,
        max_plies: u32,
        observations: bool,
    ) -> PyResult<Self> {
        if !(1..=MAX_GAMES).contains(&n) {
            return Err(invalid(format!(
                "a batch has 1 to {MAX_GAMES} games, not {n}"
            )));
        }
        if max_plies == 0 {
            return Err(invalid("max_plies is at least 1"));
        }
        let games = map_game!(game.0, game => Games::deal(game, n, seed, max_plies)
            .map_err(invalid)?);
        let (players, actions, [planes, rows, columns]) = for_game!(game.0, game => {
            (game.players().into(), game.action_count(), game.observation_shape())
        });
        let zeros = |_: ()| PyArray4::zeros(py, [n, planes, rows, columns], false).unbind();
        let mut batch = Batch {
            games,
            observations: observations.then_some(()).map(zeros),
            masks: PyArray2::zeros(py, [n, actions], false).unbind(),
            to_move: PyArray1::zeros(py, n, false).unbind(),
            actors: PyArray1::zeros(py, n, false).unbind(),
            rewards: PyArray2::zeros(py, [n, players], false).unbind(),
            terminated: PyArray1::zeros(py, n, false).unbind(),
            truncated: PyArray1::zeros(py, n, false).unbind(),
        };
        batch.write(py, |games, views| {
            for_game!(games, games => games.show_all(views));
            Ok(())
        })?;
        Ok(batch)
    }

    #[getter]
    fn game(&self) -> Game {
        Game(map_game!(&self.games, games => games.game))
    }

    #[getter]
    fn observations(&self, py: Python<'_>) -> Option<Py<PyArray4<u8>>> {
        self.observations.as_ref().map(|array| array.clone_ref(py))
    }

    #[getter]
    fn masks(&self, py: Python<'_>) -> Py<PyArray2<bool>> {
        self.masks.clone_ref(py)
    }

    #[getter]
    fn to_move(&self, py: Python<'_>) -> Py<PyArray1<i8>> {
        self.to_move.clone_ref(py)
    }

    #[getter]
    fn actors(&self, py: Python<'_>) -> Py<PyArray1<i8>> {
        self.actors.clone_ref(py)
    }

    #[getter]
    fn rewards(&self, py: Python<'_>) -> Py<PyArray2<f32>> {
        self.rewards.clone_ref(py)
    }

    #[getter]
    fn terminated(&self, py: Python<'_>) -> Py<PyArray1<bool>> {
        self.terminated.clone_ref(py)
    }

    #[getter]
    fn truncated(&self, py: Python<'_>) -> Py<PyArray1<bool>> {
        self.truncated.clone_ref(py)
    }

    fn __len__(&self) -> usize {
        for_game!(&self.games, games => games.tables.len())
    }

    /// Deals all games.
    fn reset(&mut self, py: Python<'_>) -> PyResult<()> {
        self.write(py, |games, views| {
            for_game!(games, games => {
                for table in &mut games.tables {
                    table.deal(&games.game)?;
                }
                views.rewards.fill(0.0);
                views.terminated.fill(false);
                views.truncated.fill(false);
                games.show_all(views);
                Ok(())
            })
        })
    }

    /// Plays an action in each game.
    fn step(&mut self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let actions = actions.as_slice()?;
        self.write(
            py,
            |games, mut views| for_game!(games, games => games.step(actions, &mut views)),
        )
    }

    /// Writes a uniform legal action of each game.
    fn random_actions(
        &mut self,
        py: Python<'_>,
        mut out: PyReadwriteArray1<'_, i64>,
    ) -> PyResult<()> {
        let out = out.as_slice_mut()?;
        py.detach(|| {
            for_game!(&mut self.games, games => {
                check_length("out", out.len(), games.tables.len())?;
                for (table, out) in games.tables.iter_mut().zip(out) {
                    let actions = games.game.legal_actions(&table.position);
                    if let Some(action) = pick(actions, &mut table.generator) {
                        *out = games.game.encode(action) as i64;
                    }
                }
                Ok(())
            })
        })
        .map_err(invalid::<String>)
    }

    /// Writes the action of a computer player in each game, or in those that are marked.
    #[pyo3(signature = (level, out, which=None))]
    fn choose(
        &mut self,
        py: Python<'_>,
        level: &str,
        mut out: PyReadwriteArray1<'_, i64>,
        which: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<()> {
        let out = out.as_slice_mut()?;
        let which = which.as_ref().map(|which| which.as_slice()).transpose()?;
        let chosen = interruptible(py, |stop| {
            for_game!(&mut self.games, games => {
                let level = level_of(&games.game, level)?;
                let count = games.tables.len();
                check_length("out", out.len(), count)?;
                check_length("which", which.map_or(count, <[bool]>::len), count)?;
                for (index, (table, out)) in games.tables.iter_mut().zip(out).enumerate() {
                    if stop.is_stop_requested() {
                        break;
                    }
                    if which.is_none_or(|which| which[index]) {
                        let at = At { game: games.game, position: table.position };
                        let agent = &mut *at.agent(level);
                        let action = at.choose(agent, SearchLimit::Default, &mut table.generator, stop)?;
                        *out = games.game.encode(action) as i64;
                    }
                }
                Ok(())
            })
        });
        chosen?.map_err(invalid::<String>)
    }

    /// Writes the network's win shares of each player in each game.
    fn evaluate(&self, py: Python<'_>, mut out: PyReadwriteArray2<'_, f32>) -> PyResult<()> {
        let out = out.as_slice_mut()?;
        py.detach(|| for_game!(&self.games, games => games.evaluate(out)))
            .map_err(invalid)
    }

    /// The positions after every legal action and outcome of the games, or of those that are marked.
    #[pyo3(signature = (which=None))]
    fn successors<'py>(
        &self,
        py: Python<'py>,
        which: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<SuccessorArrays<'py>> {
        let which = which.as_ref().map(|which| which.as_slice()).transpose()?;
        let found = py.detach(|| for_game!(&self.games, games => games.successors(which)));
        let found = found.map_err(invalid)?;
        let count = found.games.len();
        let (players, [planes, rows, columns]) = for_game!(&self.games, games => {
            (usize::from(games.game.players()), games.game.observation_shape())
        });
        let observations = found.observations.into_pyarray(py);
        Ok((
            found.games.into_pyarray(py),
            found.actions.into_pyarray(py),
            found.probabilities.into_pyarray(py),
            found.to_move.into_pyarray(py),
            observations.reshape([count, planes, rows, columns])?,
            found.shares.into_pyarray(py).reshape([count, players])?,
        ))
    }

    /// One game.
    fn position(&self, index: usize) -> PyResult<Position> {
        let position = map_game!(&self.games, games => At {
            game: games.game,
            position: games.tables.get(index).ok_or_else(|| no_game(index))?.position,
        });
        Ok(Position(position))
    }

    /// Replaces one game by a position that is not over.
    fn set_position(&mut self, py: Python<'_>, index: usize, position: &Position) -> PyResult<()> {
        let new = match (&mut self.games, &position.0) {
            (ForGame::Dice(games), ForGame::Dice(at)) => games.set(index, at),
            (ForGame::Trilobite(games), ForGame::Trilobite(at)) => games.set(index, at),
            _ => Err(OTHER_GAME.to_owned()),
        };
        new.map_err(invalid)?;
        self.write(py, |games, mut views| {
            for_game!(games, games => games.show(index, &mut views));
            Ok(())
        })
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!(
            "<Batch of {} {}>",
            self.__len__(),
            self.game().name()
        ))
    }
}

/// The columns of [`Successors`] as arrays.
type SuccessorArrays<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f32>>,
    Bound<'py, PyArray1<i8>>,
    Bound<'py, PyArray4<u8>>,
    Bound<'py, PyArray2<f32>>,
);

/// The positions after every legal action and outcome of some games, by columns.
#[derive(Default)]
struct Successors {
    games: Vec<i64>,
    actions: Vec<i64>,
    probabilities: Vec<f32>,
    to_move: Vec<i8>,
    observations: Vec<u8>,
    shares: Vec<f32>,
}

/// The games of a batch, whichever they are.
type AnyGames = ForGame<Games<DiceOfDoom>, Games<Trilobite>>;

const OTHER_GAME: &str = "the position is of another game";

fn no_game(index: usize) -> PyErr {
    invalid(format!("the batch has no game {index}"))
}

fn check_length(name: &str, given: usize, expected: usize) -> Result<(), String> {
    (given == expected)
        .then_some(())
        .ok_or_else(|| format!("{name} has {given} elements where {expected} are due"))
}

/// An array as a slice of this many elements.
fn slice<'a, T: Element, D: numpy::ndarray::Dimension>(
    array: &'a mut PyReadwriteArray<'_, T, D>,
    length: usize,
) -> PyResult<&'a mut [T]> {
    let slice = array.as_slice_mut()?;
    check_length("an array of the batch", slice.len(), length).map_err(invalid)?;
    Ok(slice)
}

fn lock<'py, T: Element, D: numpy::ndarray::Dimension>(
    py: Python<'py>,
    array: &Py<PyArray<T, D>>,
) -> PyResult<PyReadwriteArray<'py, T, D>> {
    array.bind(py).try_readwrite().map_err(invalid)
}

impl Batch {
    /// Runs a function over the games and the arrays, without the interpreter's lock.
    fn write(
        &mut self,
        py: Python<'_>,
        run: impl FnOnce(&mut AnyGames, Views<'_>) -> Result<(), String> + Send,
    ) -> PyResult<()> {
        let count = self.__len__();
        let (players, actions, observation) = for_game!(&self.games, games => {
            let shape = games.game.observation_shape();
            let players = usize::from(games.game.players());
            (players, games.game.action_count(), shape.iter().product::<usize>())
        });
        let observations = self.observations.as_ref();
        let mut observations = observations.map(|array| lock(py, array)).transpose()?;
        let mut masks = lock(py, &self.masks)?;
        let mut to_move = lock(py, &self.to_move)?;
        let mut actors = lock(py, &self.actors)?;
        let mut rewards = lock(py, &self.rewards)?;
        let mut terminated = lock(py, &self.terminated)?;
        let mut truncated = lock(py, &self.truncated)?;
        let views = Views {
            observations: match &mut observations {
                Some(array) => Some(slice(array, count * observation)?),
                None => None,
            },
            masks: slice(&mut masks, count * actions)?,
            to_move: slice(&mut to_move, count)?,
            actors: slice(&mut actors, count)?,
            rewards: slice(&mut rewards, count * players)?,
            terminated: slice(&mut terminated, count)?,
            truncated: slice(&mut truncated, count)?,
        };
        let games = &mut self.games;
        py.detach(|| run(games, views)).map_err(invalid)
    }
}

impl<G: LearnableGame> Table<G> {
    fn deal(&mut self, game: &G) -> Result<(), String> {
        self.position = game
            .deal(&mut self.generator)
            .map_err(|why| why.to_string())?;
        self.plies = 0;
        Ok(())
    }
}

impl<G: LearnableGame> Games<G>
where
    G::Position: Copy,
{
    fn deal(game: G, count: usize, seed: u64, max_plies: u32) -> Result<Self, String> {
        let mut seeds = Generator::seed_from_u64(seed);
        let tables = (0..count).map(|_| {
            let mut generator = Generator::from_rng(&mut seeds);
            let position = game.deal(&mut generator).map_err(|why| why.to_string())?;
            let plies = 0;
            Ok(Table {
                position,
                plies,
                generator,
            })
        });
        Ok(Games {
            game,
            max_plies,
            tables: tables.collect::<Result<_, String>>()?,
            actions: Vec::with_capacity(count),
        })
    }

    fn set(&mut self, index: usize, at: &At<G>) -> Result<(), String>
    where
        G: PartialEq,
    {
        if at.game != self.game {
            return Err(OTHER_GAME.to_owned());
        }
        if self.game.status(&at.position).is_over() {
            return Err("the game is over".to_owned());
        }
        let table = self.tables.get_mut(index);
        let table = table.ok_or_else(|| format!("the batch has no game {index}"))?;
        (table.position, table.plies) = (at.position, 0);
        Ok(())
    }

    fn step(&mut self, actions: &[i64], views: &mut Views<'_>) -> Result<(), String> {
        check_length("actions", actions.len(), self.tables.len())?;
        self.actions.clear();
        for (index, (table, &number)) in self.tables.iter().zip(actions).enumerate() {
            let action = self.game.legal(&table.position, number);
            let action = action.map_err(|why| format!("game {index}: {why}"))?;
            self.actions.push(action);
        }
        views.actors.copy_from_slice(views.to_move);
        for index in 0..self.tables.len() {
            self.play(index, views)?;
            self.show(index, views);
        }
        Ok(())
    }

    /// Plays the decoded action of one game.
    fn play(&mut self, index: usize, views: &mut Views<'_>) -> Result<(), String> {
        let (game, table, action) = (&self.game, &mut self.tables[index], self.actions[index]);
        let outcome = game.sample_outcome(&table.position, action, &mut table.generator);
        table.position = game.apply(&table.position, action, outcome);
        table.plies += 1;
        let (payoffs, truncated) = match game.status(&table.position) {
            Status::Over(payoffs) => (Some(payoffs), false),
            Status::Turn(_) if table.plies >= self.max_plies => {
                let payoffs = game.adjudicate(&table.position, PlayerSet::default());
                (Some(payoffs), true)
            }
            Status::Turn(_) => (None, false),
        };
        let players = usize::from(game.players());
        let rewards = &mut views.rewards[index * players..][..players];
        views.terminated[index] = payoffs.is_some() && !truncated;
        views.truncated[index] = truncated;
        match payoffs {
            None => rewards.fill(0.0),
            Some(payoffs) => {
                write_payoffs(payoffs, rewards);
                table.deal(game)?;
            }
        }
        Ok(())
    }

    /// Writes mask, observation and player of one game.
    fn show(&self, index: usize, views: &mut Views<'_>) {
        let (game, position) = (&self.game, &self.tables[index].position);
        let actions = game.action_count();
        game.mark_legal(position, &mut views.masks[index * actions..][..actions]);
        if let Some(observations) = &mut views.observations {
            let length = game.observation_shape().iter().product();
            game.observe(position, &mut observations[index * length..][..length]);
        }
        let mover = game.status(position).mover();
        views.to_move[index] = mover.map_or(-1, |player| player.number() as i8);
    }

    fn show_all(&self, mut views: Views<'_>) {
        for index in 0..self.tables.len() {
            self.show(index, &mut views);
        }
    }

    fn successors(&self, which: Option<&[bool]>) -> Result<Successors, String> {
        let count = self.tables.len();
        check_length("which", which.map_or(count, <[bool]>::len), count)?;
        let (game, mut found) = (&self.game, Successors::default());
        let length: usize = game.observation_shape().iter().product();
        for (index, table) in self.tables.iter().enumerate() {
            if which.is_some_and(|which| !which[index]) {
                continue;
            }
            for action in game.legal_actions(&table.position) {
                for (outcome, probability) in game.chance_outcomes(&table.position, action) {
                    let after = game.apply(&table.position, action, outcome);
                    found.games.push(index as i64);
                    found.actions.push(game.encode(action) as i64);
                    found.probabilities.push(probability as f32);
                    let start = found.observations.len();
                    found.observations.resize(start + length, 0);
                    game.observe(&after, &mut found.observations[start..]);
                    let (to_move, payoffs) = match game.status(&after) {
                        Status::Turn(player) => (player.number() as i8, None),
                        Status::Over(payoffs) => (-1, Some(payoffs)),
                    };
                    found.to_move.push(to_move);
                    let share =
                        |player| payoffs.map_or(0.0, |payoffs| payoffs.win_share(player) as f32);
                    found.shares.extend(Player::all(game.players()).map(share));
                }
            }
        }
        Ok(found)
    }

    fn evaluate(&self, out: &mut [f32]) -> Result<(), String> {
        let players = usize::from(self.game.players());
        check_length("out", out.len(), self.tables.len() * players)?;
        for (table, out) in self.tables.iter().zip(out.chunks_exact_mut(players)) {
            let shares = G::EVALUATOR.value(&self.game, &table.position);
            for (player, out) in Player::all(self.game.players()).zip(out) {
                *out = shares[player];
            }
        }
        Ok(())
    }
}

fn write_payoffs(payoffs: Payoffs, rewards: &mut [f32]) {
    let players = Player::all(rewards.len() as u8);
    for (player, reward) in players.zip(rewards) {
        *reward = payoffs.payoff(player) as f32;
    }
}
