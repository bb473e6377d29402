//! The class `Game`.

use dice_of_doom_core::game::Game as _;
use dice_of_doom_core::level::AgentProvider;
use dice_of_doom_core::serialization::SerializableGame;
use dice_of_doom_formats::{GameFormat, JsonFields};
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
use dice_of_doom_games::trilobite::Trilobite;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use serde_json::Value;
use std::str::FromStr;

use crate::encoding::LearnableGame;
use crate::json::{from_python, invalid, to_python};
use crate::position::{At, Position};
use crate::rng::Rng;
use crate::{ForGame, for_game, map_game};

/// A game with its parameters.
#[pyclass(module = "dice_of_doom._native", frozen, eq, hash)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Game(pub(crate) ForGame<DiceOfDoom, Trilobite>);

/// The class and its arguments.
type Reduced<'py> = (Bound<'py, PyType>, (&'static str, Bound<'py, PyAny>));

#[pymethods]
impl Game {
    /// The game with this name and these parameters; those that are missing have their default values.
    #[new]
    #[pyo3(signature = (name, parameters=None))]
    fn new(name: &str, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let given: JsonFields = parameters
            .map(|parameters| from_python(parameters))
            .transpose()?
            .unwrap_or_default();
        Game::from_json(name, given).map_err(invalid)
    }

    /// Dice of Doom.
    #[staticmethod]
    #[pyo3(signature = (rules="v4", size=None, players=None, max_dice=None))]
    fn dice(
        rules: &str,
        size: Option<u8>,
        players: Option<u8>,
        max_dice: Option<u8>,
    ) -> PyResult<Self> {
        let rules: Rules = rules.parse().map_err(invalid)?;
        let (default_players, default_dice, default_size) = rules.defaults();
        let game = DiceOfDoom::new(
            rules,
            size.unwrap_or(default_size),
            players.unwrap_or(default_players),
            max_dice.unwrap_or(default_dice),
        );
        Ok(Game(ForGame::Dice(game.map_err(invalid)?)))
    }

    /// Trilobite: connect-`win` with gravity.
    #[staticmethod]
    #[pyo3(signature = (width=8, height=7, win=4))]
    fn trilobite(width: u8, height: u8, win: u8) -> PyResult<Self> {
        let game = Trilobite::new(width, height, win).map_err(invalid)?;
        Ok(Game(ForGame::Trilobite(game)))
    }

    #[getter]
    pub(crate) fn name(&self) -> &'static str {
        match self.0 {
            ForGame::Dice(_) => DiceOfDoom::NAME,
            ForGame::Trilobite(_) => Trilobite::NAME,
        }
    }

    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        for_game!(self.0, game => to_python(py, &game.parameters()))
    }

    #[getter]
    fn players(&self) -> u8 {
        for_game!(self.0, game => game.players())
    }

    #[getter]
    fn num_actions(&self) -> usize {
        for_game!(self.0, game => game.action_count())
    }

    #[getter]
    fn observation_shape(&self) -> (usize, usize, usize) {
        let [planes, rows, columns] = for_game!(self.0, game => game.observation_shape());
        (planes, rows, columns)
    }

    #[getter]
    fn max_outcomes(&self) -> usize {
        match self.0 {
            ForGame::Dice(game) if game.rules().is_rolled() => 2,
            _ => 1,
        }
    }

    #[getter]
    fn levels(&self) -> Vec<&'static str> {
        fn names<G: AgentProvider>(_: G) -> Vec<&'static str> {
            G::LEVELS.iter().map(|level| level.name()).collect()
        }
        for_game!(self.0, game => names(game))
    }

    /// A start position.
    fn deal(&self, rng: &mut Rng) -> PyResult<Position> {
        Ok(Position(map_game!(self.0, game => At {
            game,
            position: game.deal(&mut rng.0).map_err(invalid)?,
        })))
    }

    /// The position with this setup.
    fn position(&self, setup: &Bound<'_, PyAny>) -> PyResult<Position> {
        Ok(Position(map_game!(self.0, game => At {
            game,
            position: game.position_from_setup(&from_python(setup)?).map_err(invalid)?,
        })))
    }

    fn action_to_string(&self, action: i64) -> PyResult<String> {
        for_game!(self.0, game => {
            let known = usize::try_from(action).ok().and_then(|action| game.decode(action));
            let known = known.ok_or_else(|| invalid(format!("there is no action {action}")))?;
            Ok(known.to_string())
        })
    }

    fn string_to_action(&self, text: &str) -> PyResult<usize> {
        fn parse<G: LearnableGame>(game: G, text: &str) -> Result<usize, String>
        where
            <G::Action as FromStr>::Err: std::fmt::Display,
        {
            let action = text.parse::<G::Action>().map_err(|why| why.to_string())?;
            let number = game.encode(action);
            // An attack on a hex that is no neighbour has no number.
            let is_known = game.decode(number) == Some(action);
            is_known
                .then_some(number)
                .ok_or_else(|| format!("there is no action {text} on this board"))
        }
        for_game!(self.0, game => parse(game, text)).map_err(invalid)
    }

    fn __repr__(&self) -> PyResult<String> {
        let parameters = for_game!(self.0, game => serde_json::to_value(game.parameters()));
        let Value::Object(parameters) = parameters.map_err(invalid)? else {
            return Ok(self.name().to_owned());
        };
        let fields = parameters.iter().map(|(name, value)| match value {
            Value::String(text) => format!("{name}='{text}'"),
            value => format!("{name}={value}"),
        });
        let fields: Vec<String> = fields.collect();
        Ok(format!("Game.{}({})", self.name(), fields.join(", ")))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let game = slf.get();
        Ok((slf.get_type(), (game.name(), game.parameters(slf.py())?)))
    }
}

impl Game {
    /// The game with this name; parameters that are missing have their defaults.
    pub(crate) fn from_json(name: &str, given: JsonFields) -> Result<Self, String> {
        fn build<G: GameFormat>(given: JsonFields) -> Result<G, String> {
            let parameters = given.into().and_then(G::with_defaults);
            let parameters = parameters.map_err(|why| why.to_string())?;
            G::from_parameters(&parameters).map_err(|why| why.to_string())
        }
        match name {
            DiceOfDoom::NAME => build(given).map(|game| Game(ForGame::Dice(game))),
            Trilobite::NAME => build(given).map(|game| Game(ForGame::Trilobite(game))),
            _ => Err(unknown_game(name)),
        }
    }
}

pub(crate) fn unknown_game(name: &str) -> String {
    format!("there is no game called {name:?}; there are dice and trilobite")
}
