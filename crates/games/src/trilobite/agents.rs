//! The strategies of the levels of Trilobite.

use std::num::NonZeroUsize;

use rand::RngExt;

use super::evaluator::ThreatEvaluator;
use super::exact_analysis::ExactAnalyser;
use super::static_evaluation::weighted_open_lines;
use super::{Column, Position, Trilobite, land_of_lisp};
use dice_of_doom_core::game::Game;
use dice_of_doom_core::level::{
    Agent, AgentProvider, AgentRng, ChosenAction, Level, OnePlyAgent, PuctAgent, RandomAgent,
    SearchLimit,
};
use dice_of_doom_core::move_analysis::{MoveAnalyser, SearchAnalyser};
use dice_of_doom_core::search::StopToken;
use dice_of_doom_core::search::puct::PuctParameters;

/// These values played strongest in the arena.
const TUNING: PuctParameters = PuctParameters {
    c_puct: 0.5,
    full_expansion_visits: 2,
    temperature: 0.15,
    discount: 0.99,
};

/// By how much less in win share an action may promise and still be played, so that games differ.
const TOLERANCE: f32 = 0.01;

impl AgentProvider for Trilobite {
    fn agent(level: Level) -> Box<dyn Agent<Self>> {
        let search = |simulations: fn(&Trilobite) -> u64, trees| {
            let trees = NonZeroUsize::new(trees).expect("written here");
            let search = PuctAgent::new(ThreatEvaluator, TUNING, simulations, trees);
            let search = search.with_max_branching(|game| u64::from(game.width()));
            Box::new(search.with_choice_tolerance(TOLERANCE))
        };
        match level {
            // There is no turn to end early.
            Level::Novice | Level::Random => Box::new(RandomAgent),
            Level::Book => Box::new(TrilobiteBookAgent),
            Level::Greedy => Box::new(TrilobiteGreedyAgent),
            Level::Steady => Box::new(OnePlyAgent(ThreatEvaluator)),
            Level::Advanced => search(|_| 50, 1),
            Level::Expert => search(|_| 200, 1),
            Level::Master => search(|_| 2_000, 1),
            Level::Champion => search(|_| 20_000, 2),
        }
    }

    const EVALUATION_VERSION: u32 = 3;

    fn move_analyser() -> Option<Box<dyn MoveAnalyser<Self>>> {
        Some(Box::new(ExactAnalyser(SearchAnalyser {
            forecast: ThreatEvaluator,
            tuning: TUNING,
            usual: |_: &Self| 160_000,
            breadth: |game: &Self| u64::from(game.width()),
        })))
    }
}

/// Plays what the computer player of the original plays.
#[derive(Clone, Copy, Debug)]
struct TrilobiteBookAgent;

impl Agent<Trilobite> for TrilobiteBookAgent {
    fn choose(
        &mut self,
        game: &Trilobite,
        position: &Position,
        _: SearchLimit,
        _: &mut AgentRng,
        _: &StopToken,
    ) -> ChosenAction<Column> {
        ChosenAction::of(&land_of_lisp::analyse(game, position))
    }
}

/// Completes a line, else stops the other's, else drops where the own lines grow most and the
/// other's least; between equals as near to the middle as there is room. The book looks further and is mostly stronger.
#[derive(Clone, Copy, Debug)]
struct TrilobiteGreedyAgent;

impl Agent<Trilobite> for TrilobiteGreedyAgent {
    fn choose(
        &mut self,
        game: &Trilobite,
        position: &Position,
        _: SearchLimit,
        rng: &mut AgentRng,
        _: &StopToken,
    ) -> ChosenAction<Column> {
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
        let equals: Vec<Column> = preferences
            .iter()
            .filter(|&&(_, preference)| Some(preference) == best)
            .map(|&(column, _)| column)
            .collect();
        ChosenAction {
            action: equals[rng.random_range(0..equals.len())],
            shares: None,
            nodes: preferences.len() as u64,
        }
    }
}
