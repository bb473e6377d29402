//! Searches are reproducible, and several trees explore different parts.

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use dice_of_doom_core::level::{AgentProvider, AgentRng, SearchLimit};
use dice_of_doom_core::search::StopToken;
use dice_of_doom_core::search::puct::PuctSearch;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};

use super::{HIGH_EXPLORATION, Hashed, LEVEL_PARAMETERS, trees, trilobite};

#[test]
fn searches_are_reproducible() {
    let game = DiceOfDoom::preset(Rules::V4);
    let start = game.deal(&mut AgentRng::seed_from_u64(4)).unwrap();
    for count in [1, 2, 3] {
        let search = || {
            let mut puct = PuctSearch::new(Hashed, LEVEL_PARAMETERS);
            let mut rng = AgentRng::seed_from_u64(5);
            puct.search(
                &game,
                &start,
                trees(600, count),
                &mut rng,
                &StopToken::new(),
            )
        };
        let first = search();
        let is_done = AtomicBool::new(false);
        thread::scope(|scope| {
            for round in 0..6 {
                assert_eq!(search(), first, "{count} trees, round {round}");
                // From here on other threads compete for the processor.
                scope.spawn(|| {
                    while !is_done.load(Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                });
            }
            is_done.store(true, Ordering::Relaxed);
        });
    }
}

#[test]
fn several_trees_explore_different_parts() {
    let game = DiceOfDoom::preset(Rules::V4);
    let start = game.deal(&mut AgentRng::seed_from_u64(4)).unwrap();
    let mut puct = PuctSearch::new(Hashed, HIGH_EXPLORATION);
    let mut rng = AgentRng::seed_from_u64(5);
    let found = puct.search(&game, &start, trees(1_000, 2), &mut rng, &StopToken::new());
    let mut visits = found.actions.iter().map(|rated| rated.visits);
    // Identical trees would visit each action equally often.
    assert!(visits.any(|visits| visits % 2 == 1), "{found:?}");
}

/// Checks that every level repeats its choice with a fresh agent and the same random stream.
fn check_repeats<G: AgentProvider + Debug>(game: &G, position: &G::Position, at: &str) {
    for &level in G::LEVELS {
        let choose = || {
            let mut rng = AgentRng::seed_from_u64(10);
            let mut agent = G::agent(level);
            agent.choose_action(
                game,
                position,
                SearchLimit::Default,
                &mut rng,
                &StopToken::new(),
            )
        };
        assert_eq!(choose(), choose(), "{game:?}, {level}, {at}");
    }
}

#[test]
fn levels_are_reproducible() {
    for rules in [Rules::V2, Rules::V4, Rules::Conquest] {
        let game = DiceOfDoom::new(rules, 3, 3, 4).unwrap();
        for seed in 0..2 {
            let start = game.deal(&mut AgentRng::seed_from_u64(seed)).unwrap();
            check_repeats(&game, &start, &format!("seed {seed}"));
        }
    }
    let game = trilobite(5, 4, 4);
    for moves in ["", "334"] {
        check_repeats(&game, &game.from_columns(moves).unwrap(), moves);
    }
}
