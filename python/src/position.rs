//! The class `Position`.

use std::hash::Hash;
use std::num::NonZeroU64;

use dice_of_doom_core::game::{Game as _, Payoffs, Player, Status};
use dice_of_doom_core::level::{Agent, Level, ObservedAction, SearchLimit};
use dice_of_doom_core::move_analysis::ActionAnalysis;
use dice_of_doom_core::search::{PositionEvaluator, StopToken};
use dice_of_doom_core::serialization::SerializableGame;
use dice_of_doom_games::dice_of_doom::DiceOfDoom;
use dice_of_doom_games::trilobite::Trilobite;
use dice_of_doom_games::trilobite::solver::{ScoreBounds, Solver};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

use crate::encoding::{LearnableGame, unstopped};
use crate::game::Game;
use crate::interrupt::interruptible;
use crate::json::{invalid, to_python};
use crate::rng::{Generator, Rng, agent_rng, pick};
use crate::{ForGame, for_game, map_game};

/// The greatest number of simulations of a search.
const MAX_SIMULATIONS: u64 = 10_000_000;

/// A search of so many positions takes about a millisecond.
const SHORT_SEARCH_NODES: u64 = 10_000;

/// The size of the solver's table of known positions.
const SOLVER_TABLE_BYTES: usize = 64 << 20;

/// A position with its game.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct At<G: dice_of_doom_core::game::Game> {
    pub(crate) game: G,
    pub(crate) position: G::Position,
}

/// A position, which never changes.
#[pyclass(module = "dice_of_doom._native", frozen, eq, hash)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Position(pub(crate) ForGame<At<DiceOfDoom>, At<Trilobite>>);

/// Actions and a value for each.
type Rated<'py> = (Vec<usize>, Bound<'py, PyArray1<f64>>);

/// Actions and the bounds of the score of each.
type SolvedActions<'py> = (
    Vec<usize>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
);

#[pymethods]
impl Position {
    #[getter]
    fn game(&self) -> Game {
        Game(map_game!(self.0, at => at.game))
    }

    #[getter]
    fn setup<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        for_game!(&self.0, at => to_python(py, &at.game.to_setup(&at.position)))
    }

    #[getter]
    fn notation(&self) -> String {
        for_game!(&self.0, at => at.game.notation(&at.position))
    }

    #[getter(to_move)]
    fn mover(&self) -> Option<u8> {
        self.status().mover().map(Player::number)
    }

    #[getter]
    fn is_over(&self) -> bool {
        self.status().is_over()
    }

    #[getter]
    fn winners(&self) -> Vec<u32> {
        // As bytes, Python would get them as `bytes`.
        let winners = for_game!(&self.0, at => at.game.winners(&at.position));
        winners
            .into_iter()
            .map(|player| player.number().into())
            .collect()
    }

    fn returns<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let payoffs = self.payoffs();
        let payoff = |player| payoffs.map_or(0.0, |payoffs| payoffs.payoff(player));
        let returns: Vec<f64> = Player::all(self.players()).map(payoff).collect();
        returns.into_pyarray(py)
    }

    fn shares<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let payoffs = self.payoffs();
        let share = |player| payoffs.map_or(0.5, |payoffs| payoffs.win_share(player));
        let shares: Vec<f64> = Player::all(self.players()).map(share).collect();
        shares.into_pyarray(py)
    }

    fn legal_actions(&self) -> Vec<usize> {
        for_game!(&self.0, at => {
            at.game.legal_actions(&at.position).map(|action| at.game.encode(action)).collect()
        })
    }

    fn outcomes(&self, action: i64) -> PyResult<Vec<(u8, f64)>> {
        for_game!(&self.0, at => at.outcomes(action)).map_err(invalid)
    }

    /// The position without what no longer affects the game, so that equivalent ones are equal.
    fn canonical(&self) -> Self {
        Position(map_game!(&self.0, at => {
            let mut position = at.position;
            at.game.canonicalise(&mut position);
            At { game: at.game, position }
        }))
    }

    #[pyo3(signature = (action, outcome=None))]
    fn apply(&self, action: i64, outcome: Option<u8>) -> PyResult<Self> {
        let after = map_game!(&self.0, at => at.apply(action, outcome).map_err(invalid)?);
        Ok(Position(after))
    }

    fn sample(&self, action: i64, rng: &mut Rng) -> PyResult<Self> {
        let after = map_game!(&self.0, at => {
            let action = at.game.legal(&at.position, action).map_err(invalid)?;
            at.sample(action, &mut rng.0)
        });
        Ok(Position(after))
    }

    fn random_action(&self, rng: &mut Rng) -> PyResult<usize> {
        let picked = for_game!(&self.0, at => {
            pick(at.game.legal_actions(&at.position), &mut rng.0).map(|action| at.game.encode(action))
        });
        picked.ok_or_else(over)
    }

    #[pyo3(signature = (rng, max_plies=1000))]
    fn playout(&self, py: Python<'_>, rng: &mut Rng, max_plies: u32) -> Self {
        let generator = &mut rng.0;
        py.detach(|| Position(map_game!(&self.0, at => at.playout(max_plies, generator))))
    }

    fn observation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let (shape, observation) = for_game!(&self.0, at => {
            let shape = at.game.observation_shape();
            let mut observation = vec![0; shape.iter().product()];
            at.game.observe(&at.position, &mut observation);
            (shape, observation)
        });
        observation.into_pyarray(py).reshape(shape)
    }

    fn mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let mask = for_game!(&self.0, at => {
            let mut mask = vec![false; at.game.action_count()];
            at.game.mark_legal(&at.position, &mut mask);
            mask
        });
        mask.into_pyarray(py)
    }

    #[pyo3(signature = (level, rng, simulations=None, history=None))]
    fn choose(
        &self,
        py: Python<'_>,
        level: &str,
        rng: &mut Rng,
        simulations: Option<u64>,
        history: Option<Vec<(PyRef<'_, Position>, i64)>>,
    ) -> PyResult<usize> {
        let limit = search_limit(simulations)?;
        let generator = &mut rng.0;
        for_game!(&self.0, at => {
            let level = level_of(&at.game, level).map_err(invalid)?;
            let mut earlier = Vec::new();
            for (number, (position, action)) in history.iter().flatten().enumerate() {
                let decision = at.decision(position, *action);
                let decision = decision.map_err(|why| invalid(format!("history: decision {number}: {why}")));
                earlier.push(decision?);
            }
            let mut agent = at.agent(level);
            agent.observe(&at.game, &mut earlier.into_iter());
            let mut choose = |stop: &StopToken| at.choose(&mut *agent, limit, generator, stop);
            // A short search needs no thread.
            let chosen = if level < Level::Master && simulations.is_none() {
                py.detach(|| choose(&unstopped()))
            } else {
                interruptible(py, choose)?
            };
            Ok(at.game.encode(chosen.map_err(invalid)?))
        })
    }

    #[pyo3(signature = (search="book", depth=None, max_nodes=10_000_000))]
    fn rate<'py>(
        &self,
        py: Python<'py>,
        search: &str,
        depth: Option<u32>,
        max_nodes: u64,
    ) -> PyResult<Rated<'py>> {
        let rate = |max_nodes, stop: &StopToken| {
            for_game!(&self.0, at => {
                if search == "book" && at.game.status(&at.position).is_over() {
                    return Ok((Vec::new(), Vec::new()));
                }
                let found = at.game.rate(&at.position, search, depth, max_nodes, stop)?;
                let ratings = found.ratings.into_iter();
                Ok(ratings.map(|(action, value)| (at.game.encode(action), value)).unzip())
            })
        };
        // A short search needs no thread.
        let short = py.detach(|| rate(max_nodes.min(SHORT_SEARCH_NODES), &unstopped()));
        let rated: Result<(_, Vec<f64>), String> = match short {
            Err(_) if max_nodes > SHORT_SEARCH_NODES => {
                interruptible(py, |stop| rate(max_nodes, stop))?
            }
            rated => rated,
        };
        let (actions, values) = rated.map_err(invalid)?;
        Ok((actions, values.into_pyarray(py)))
    }

    #[pyo3(signature = (simulations=None))]
    fn analyse<'py>(
        &self,
        py: Python<'py>,
        simulations: Option<u64>,
    ) -> PyResult<(Vec<usize>, Bound<'py, PyArray2<f32>>)> {
        search_limit(simulations)?;
        let players = self.players();
        let analysed = interruptible(
            py,
            |stop| for_game!(&self.0, at => at.analyse(simulations, stop)),
        );
        let (actions, shares) = analysed?.map_err(invalid)?;
        let count = actions.len();
        let shares = shares.into_pyarray(py).reshape([count, players.into()])?;
        Ok((actions, shares))
    }

    fn evaluate<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<f32>>) {
        let (values, priors) = py.detach(|| for_game!(&self.0, at => at.evaluate()));
        (values.into_pyarray(py), priors.into_pyarray(py))
    }

    #[pyo3(signature = (max_nodes=10_000_000, book=true))]
    fn solve(&self, py: Python<'_>, max_nodes: u64, book: bool) -> PyResult<(i32, i32)> {
        let at = self.solvable()?;
        let bounds = interruptible(py, |stop| {
            at.solver(book).solve(&at.position, max_nodes, stop).bounds
        })?;
        Ok((bounds.lower, bounds.upper))
    }

    #[pyo3(signature = (max_nodes=10_000_000, book=true))]
    fn solve_moves<'py>(
        &self,
        py: Python<'py>,
        max_nodes: u64,
        book: bool,
    ) -> PyResult<SolvedActions<'py>> {
        let at = self.solvable()?;
        let solved = interruptible(py, |stop| {
            at.solver(book)
                .solve_moves(&at.position, max_nodes, stop)
                .moves
        })?;
        let column = |bound: fn(&ScoreBounds) -> i32| -> Vec<i64> {
            solved
                .iter()
                .map(|(_, bounds)| bound(bounds).into())
                .collect()
        };
        let actions = solved.iter().map(|&(column, _)| at.game.encode(column));
        Ok((
            actions.collect(),
            column(|bounds| bounds.lower).into_pyarray(py),
            column(|bounds| bounds.upper).into_pyarray(py),
        ))
    }

    fn __repr__(&self) -> String {
        format!("<Position {} {}>", self.game().name(), self.notation())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
        let position = slf.get();
        let make = Bound::new(slf.py(), position.game())?.getattr("position")?;
        Ok((make, (position.setup(slf.py())?,)))
    }
}

impl Position {
    fn status(&self) -> Status {
        for_game!(&self.0, at => at.game.status(&at.position))
    }

    fn players(&self) -> u8 {
        for_game!(&self.0, at => at.game.players())
    }

    fn payoffs(&self) -> Option<Payoffs> {
        match self.status() {
            Status::Turn(_) => None,
            Status::Over(payoffs) => Some(payoffs),
        }
    }

    fn solvable(&self) -> PyResult<&At<Trilobite>> {
        match &self.0 {
            ForGame::Trilobite(at) => Ok(at),
            ForGame::Dice(_) => Err(invalid("only trilobite has a solver")),
        }
    }
}

impl<G: LearnableGame> At<G> {
    fn outcomes(&self, action: i64) -> Result<Vec<(u8, f64)>, String> {
        let action = self.game.legal(&self.position, action)?;
        let outcomes = self.game.chance_outcomes(&self.position, action);
        let numbered =
            outcomes.map(|(outcome, probability)| (G::outcome_number(outcome), probability));
        Ok(numbered.collect())
    }

    fn apply(&self, number: i64, outcome: Option<u8>) -> Result<Self, String> {
        let action = self.game.legal(&self.position, number)?;
        let mut outcomes = self.game.chance_outcomes(&self.position, action);
        let found = match outcome {
            Some(given) => outcomes.find(|&(outcome, _)| G::outcome_number(outcome) == given),
            None => outcomes.next().filter(|_| outcomes.next().is_none()),
        };
        let (outcome, _) = found.ok_or_else(|| match outcome {
            Some(given) => format!("action {number} ({action}) has no outcome {given}"),
            None => format!("action {number} ({action}) has several outcomes; name one, or sample"),
        })?;
        Ok(self.after(action, outcome))
    }

    fn after(&self, action: G::Action, outcome: G::Outcome) -> Self {
        At {
            game: self.game,
            position: self.game.apply(&self.position, action, outcome),
        }
    }

    fn sample(&self, action: G::Action, generator: &mut Generator) -> Self {
        let outcome = self.game.sample_outcome(&self.position, action, generator);
        self.after(action, outcome)
    }

    fn playout(&self, max_plies: u32, generator: &mut Generator) -> Self {
        let (game, mut position) = (self.game, self.position.clone());
        for _ in 0..max_plies {
            let Some(action) = pick(game.legal_actions(&position), generator) else {
                break;
            };
            let outcome = game.sample_outcome(&position, action, generator);
            position = game.apply(&position, action, outcome);
        }
        At { game, position }
    }

    pub(crate) fn agent(&self, level: Level) -> Box<dyn Agent<G>> {
        G::agent(level)
    }

    /// An earlier decision of the same game.
    fn decision(&self, position: &Position, action: i64) -> Result<ObservedAction<G>, String> {
        let earlier = G::typed(position).filter(|earlier| earlier.game == self.game);
        let position = &earlier.ok_or("its position is of another game")?.position;
        Ok(ObservedAction {
            position: position.clone(),
            action: self.game.legal(position, action)?,
        })
    }

    /// The action that an agent chooses.
    pub(crate) fn choose(
        &self,
        agent: &mut dyn Agent<G>,
        limit: SearchLimit,
        generator: &mut Generator,
        stop: &StopToken,
    ) -> Result<G::Action, String> {
        if self.game.status(&self.position).is_over() {
            return Err("the game is over".to_owned());
        }
        let rng = &mut agent_rng(generator);
        let chosen = agent.choose_action(&self.game, &self.position, limit, rng, stop);
        Ok(chosen.action)
    }

    fn analyse(
        &self,
        simulations: Option<u64>,
        stop: &StopToken,
    ) -> Result<(Vec<usize>, Vec<f32>), String> {
        let analyser = G::move_analyser().ok_or("this game has no analysis")?;
        let simulations = simulations.unwrap_or_else(|| analyser.default_simulations(&self.game));
        let analyses = analyser.analyse(&self.game, &self.position, simulations, stop);
        let analyses = analyses.unwrap_or_default();
        let shares = |analysis: &ActionAnalysis<G::Action>| {
            let shares = analysis.shares;
            Player::all(self.game.players()).map(move |player| shares[player])
        };
        Ok((
            analyses
                .iter()
                .map(|analysis| self.game.encode(analysis.action))
                .collect(),
            analyses.iter().flat_map(shares).collect(),
        ))
    }

    fn evaluate(&self) -> (Vec<f32>, Vec<f32>) {
        let shares = G::EVALUATOR.value(&self.game, &self.position);
        let values = Player::all(self.game.players()).map(|player| shares[player]);
        let mut priors = vec![0.0; self.game.action_count()];
        for action in self.game.legal_actions(&self.position) {
            priors[self.game.encode(action)] =
                G::EVALUATOR.prior(&self.game, &self.position, action);
        }
        let sum: f32 = priors.iter().sum();
        if sum > 0.0 {
            priors.iter_mut().for_each(|prior| *prior /= sum);
        }
        (values.collect(), priors)
    }
}

impl At<Trilobite> {
    fn solver(&self, book: bool) -> Solver {
        let mut solver = Solver::new(&self.game, SOLVER_TABLE_BYTES);
        solver.use_book(book);
        solver
    }
}

fn over() -> PyErr {
    invalid("the game is over")
}

/// The limit of this number of simulations.
pub(crate) fn search_limit(simulations: Option<u64>) -> PyResult<SearchLimit> {
    let Some(simulations) = simulations else {
        return Ok(SearchLimit::Default);
    };
    let within = NonZeroU64::new(simulations).filter(|number| number.get() <= MAX_SIMULATIONS);
    let within = within.ok_or_else(|| {
        invalid(format!(
            "simulations are 1 to {MAX_SIMULATIONS}, not {simulations}"
        ))
    })?;
    Ok(SearchLimit::Simulations(within))
}

/// The level of this game with this name.
pub(crate) fn level_of<G: LearnableGame>(_: &G, name: &str) -> Result<Level, String> {
    let level = name.parse::<Level>().map_err(|why| why.to_string())?;
    G::check_level(G::NAME, level).map_err(|why| why.to_string())?;
    Ok(level)
}
