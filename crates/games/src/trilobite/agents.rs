//! The agents of Trilobite's levels.

use std::num::NonZeroUsize;

use rand::RngExt;

use super::evaluator::ThreatEvaluator;
use super::exact_analysis::ExactAnalyser;
use super::perfect::PerfectAgent;
use super::static_evaluation::weighted_open_lines;
use super::{Column, Position, Trilobite, land_of_lisp};
use dice_of_doom_core::game::Game;
use dice_of_doom_core::level::{
    Agent, AgentProvider, AgentRng, ChosenAction, Level, OnePlyAgent, PolicyAgent, PuctAgent,
    RandomAgent,
};
use dice_of_doom_core::move_analysis::{MoveAnalyser, SearchAnalyser};
use dice_of_doom_core::search::puct::PuctParameters;

/// The strongest values in arena tests.
const PUCT_PARAMETERS: PuctParameters = PuctParameters {
    c_puct: 0.5,
    full_expansion_visits: 2,
    temperature: 0.15,
    discount: 0.99,
};

/// An action may be played if its win share is at most this much below the best, so that games differ.
const CHOICE_TOLERANCE: f32 = 0.01;

impl AgentProvider for Trilobite {
    const LEVELS: &'static [Level] = Level::ALL;

    fn agent(level: Level) -> Box<dyn Agent<Self>> {
        let search = |simulations: fn(&Trilobite) -> u64, trees| {
            let trees = NonZeroUsize::new(trees).expect("a positive constant");
            let search = PuctAgent::new(ThreatEvaluator, PUCT_PARAMETERS, simulations, trees);
            let search = search.with_max_branching(|game| u64::from(game.width()));
            Box::new(search.with_choice_tolerance(CHOICE_TOLERANCE))
        };
        match level {
            // No turn can be ended early, so `Novice` plays like `Random`.
            Level::Novice | Level::Random => Box::new(RandomAgent),
            Level::Book => Box::new(PolicyAgent(book)),
            Level::Greedy => Box::new(PolicyAgent(greedy)),
            Level::Steady => Box::new(OnePlyAgent(ThreatEvaluator)),
            Level::Advanced => search(|_| 50, 1),
            Level::Expert => search(|_| 200, 1),
            Level::Master => search(|_| 2_000, 1),
            Level::Champion => search(|_| 20_000, 2),
            // `Level::Perfect` and what is above it.
            _ => Box::new(PerfectAgent::default()),
        }
    }

    const EVALUATION_VERSION: u32 = 4;

    fn move_analyser() -> Option<Box<dyn MoveAnalyser<Self>>> {
        Some(Box::new(ExactAnalyser(search_analyser())))
    }
}

/// Analyses moves by a search alone.
pub(super) fn search_analyser() -> SearchAnalyser<Trilobite, ThreatEvaluator> {
    SearchAnalyser {
        evaluator: ThreatEvaluator,
        parameters: PUCT_PARAMETERS,
        default_simulations: |_| 160_000,
        max_branching: |game| u64::from(game.width()),
    }
}

/// Plays like the computer player of the original.
fn book(game: &Trilobite, position: &Position, _: &mut AgentRng) -> ChosenAction<Column> {
    ChosenAction::from_search(&land_of_lisp::analyse(game, position))
}

/// Completes a line; otherwise blocks the opponent's; otherwise maximises its lead in open lines; breaks ties
/// towards the middle. Usually weaker than the book, which searches deeper.
fn greedy(game: &Trilobite, position: &Position, rng: &mut AgentRng) -> ChosenAction<Column> {
    let mover = position.player();
    let other = mover.next(game.players());
    let preference = |column: Column| {
        let after = game.apply(position, column, ());
        let from_edge = column.number().min(game.width() - 1 - column.number());
        (
            game.completes(position, column, mover),
            game.completes(position, column, other),
            weighted_open_lines(game, &after, mover),
            from_edge,
        )
    };
    let preferences: Vec<_> = game
        .legal_actions(position)
        .map(|column| (column, preference(column)))
        .collect();
    let best = preferences.iter().map(|&(_, preference)| preference).max();
    let candidates: Vec<Column> = preferences
        .iter()
        .filter(|&&(_, preference)| Some(preference) == best)
        .map(|&(column, _)| column)
        .collect();
    ChosenAction::without_shares(
        candidates[rng.random_range(0..candidates.len())],
        preferences.len() as u64,
    )
}
