//! Search costs are counted, a reused tree saves simulations, and a stop request ends a search.

use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use dice_of_doom_core::game::Game;
use dice_of_doom_core::level::{Agent, AgentRng, PuctAgent, SearchLimit};
use dice_of_doom_core::search::puct::{PuctResult, PuctSearch};
use dice_of_doom_core::search::{PositionEvaluator, StopToken, WinShares};
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};

use super::{Hashed, LEVEL_PARAMETERS, check_sound, many_positions, one_tree, trees};

/// Counts the evaluations.
struct Counting<F> {
    evaluator: F,
    evaluated: AtomicU64,
}

impl<F> Counting<F> {
    fn new(evaluator: F) -> Self {
        Counting {
            evaluator,
            evaluated: AtomicU64::new(0),
        }
    }
}

impl<G: Game, F: PositionEvaluator<G>> PositionEvaluator<G> for &Counting<F> {
    fn win_shares_after(
        &self,
        game: &G,
        position: &G::Position,
        after: &[G::Position],
        shares: &mut Vec<WinShares>,
    ) {
        let evaluated = after.len() as u64;
        self.evaluated.fetch_add(evaluated, Ordering::Relaxed);
        self.evaluator
            .win_shares_after(game, position, after, shares);
    }

    fn win_shares(&self, game: &G, position: &G::Position) -> WinShares {
        self.evaluated.fetch_add(1, Ordering::Relaxed);
        self.evaluator.win_shares(game, position)
    }

    fn prior(&self, game: &G, position: &G::Position, action: G::Action) -> f32 {
        self.evaluator.prior(game, position, action)
    }
}

#[test]
fn evaluated_positions_are_counted() {
    // No game ends within the search on this board, so each counted position was evaluated.
    let game = DiceOfDoom::preset(Rules::Conquest);
    let start = game.deal(&mut AgentRng::seed_from_u64(4)).unwrap();
    for count in [1, 2] {
        let counting = Counting::new(Hashed);
        let mut puct = PuctSearch::new(&counting, LEVEL_PARAMETERS);
        let mut rng = AgentRng::seed_from_u64(5);
        let budget = trees(500, count);
        let found = puct.search(&game, &start, budget, &mut rng, &StopToken::new());
        assert_eq!(found.simulations, 500);
        assert_eq!(found.nodes, counting.evaluated.load(Ordering::Relaxed));
        let again = puct.search(&game, &start, budget, &mut rng, &StopToken::new());
        assert_eq!((again.simulations, again.nodes), (0, 0), "{count} trees");
    }
}

#[test]
fn a_reused_tree_saves_simulations_within_a_turn() {
    let mut saved = 0;
    for (game, position, at) in many_positions() {
        let mut rng = AgentRng::seed_from_u64(7);
        let budget = one_tree(400);
        let mut puct = PuctSearch::new(Hashed, LEVEL_PARAMETERS);
        let mover = game.status(&position).mover();
        let found = puct.search(&game, &position, budget, &mut rng, &StopToken::new());
        let best = found.best(mover.unwrap(), &mut rng);
        let outcome = game.sample_outcome(&position, best.action, &mut rng);
        let after = game.apply(&position, best.action, outcome);
        if game.status(&after).is_over() {
            continue;
        }
        let reused = puct.search(&game, &after, budget, &mut rng, &StopToken::new());
        let mut fresh = PuctSearch::new(Hashed, LEVEL_PARAMETERS);
        let fresh = fresh.search(&game, &after, budget, &mut rng, &StopToken::new());
        check_sound(&reused, game.players(), &at);
        let actions = |found: &PuctResult<_>| {
            found
                .actions
                .iter()
                .map(|rated| rated.action)
                .collect::<Vec<_>>()
        };
        assert_eq!(actions(&reused), actions(&fresh), "{at}");
        if game.status(&after).mover() == mover {
            assert!(reused.simulations <= fresh.simulations, "{at}");
            saved += fresh.simulations - reused.simulations;
            let visits: u64 = reused.actions.iter().map(|rated| rated.visits).sum();
            assert!(reused.is_solved || visits == 400, "{at}: {visits}");
        } else {
            assert_eq!(reused, fresh, "{at}: another turn");
        }
        // Searching the first position again: its freed subtree is gone.
        let back = puct.search(&game, &position, budget, &mut rng, &StopToken::new());
        assert_eq!(back, found, "{at}");
    }
    assert!(saved > 1_000, "{saved} simulations");
}

#[test]
fn a_stop_request_ends_a_search() {
    let stop = StopToken::new();
    stop.request_stop();
    for (game, position, at) in many_positions() {
        for count in [1, 2] {
            let mut rng = AgentRng::seed_from_u64(8);
            let mut puct = PuctSearch::new(Hashed, LEVEL_PARAMETERS);
            let found = puct.search(&game, &position, trees(u64::MAX, count), &mut rng, &stop);
            assert!(
                found.simulations <= 16 * count as u64,
                "{at}: {}",
                found.simulations
            );
            let best = found.best(position.player(), &mut rng);
            assert!(
                game.check_action(&position, best.action).is_ok(),
                "{at}: {best:?}"
            );
        }
    }
}

#[test]
fn a_stop_request_of_another_thread_ends_an_unlimited_search() {
    let game = DiceOfDoom::preset(Rules::V4);
    let start = game.deal(&mut AgentRng::seed_from_u64(4)).unwrap();
    for count in [1, 2] {
        let counting = Counting::new(Hashed);
        let (stop, count) = (StopToken::new(), NonZeroUsize::new(count).unwrap());
        let mut agent = PuctAgent::new(&counting, LEVEL_PARAMETERS, |_| 1, count);
        let choice = thread::scope(|scope| {
            scope.spawn(|| {
                while counting.evaluated.load(Ordering::Relaxed) < 1_000 {
                    thread::yield_now();
                }
                stop.request_stop();
            });
            let mut rng = AgentRng::seed_from_u64(9);
            agent.choose_action(&game, &start, SearchLimit::Infinite, &mut rng, &stop)
        });
        assert!(choice.nodes >= 900, "{choice:?}");
        assert_eq!(game.check_action(&start, choice.action), Ok(()));
    }
}

#[test]
fn the_requested_number_of_simulations_is_done() {
    let game = DiceOfDoom::preset(Rules::V4);
    let start = game.deal(&mut AgentRng::seed_from_u64(4)).unwrap();
    let mut rng = AgentRng::seed_from_u64(9);
    let mut nodes = |effort| {
        let mut agent = PuctAgent::new(Hashed, LEVEL_PARAMETERS, |_| 40, NonZeroUsize::MIN);
        let choice = agent.choose_action(&game, &start, effort, &mut rng, &StopToken::new());
        choice.nodes
    };
    let forty = SearchLimit::Simulations(NonZeroU64::new(40).unwrap());
    let many = SearchLimit::Simulations(NonZeroU64::new(80).unwrap());
    assert_eq!(nodes(SearchLimit::Default), nodes(forty));
    assert!(nodes(SearchLimit::Default) < nodes(many));
}
