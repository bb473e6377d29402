//! Laws of move analysis, on positions of random games: all actions are analysed, probabilities sum to one, and
//! an action's shares are the expectation over its outcomes.

use dice_of_doom_core::game::{Game, Player, RecordableGame};
use dice_of_doom_core::level::{AgentProvider, AgentRng, RandomAgent};
use dice_of_doom_core::move_analysis::{ActionAnalysis, best_first};
use dice_of_doom_core::search::StopToken;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
use dice_of_doom_games::trilobite::Trilobite;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

#[test]
fn the_laws_of_move_analysis_hold_for_all_rules() {
    for rules in Rules::ALL {
        let game = DiceOfDoom::preset(rules);
        for seed in 0..3 {
            let start = game.deal(&mut ChaCha8Rng::seed_from_u64(seed)).unwrap();
            check_game(&game, start, seed);
        }
    }
}

#[test]
fn the_laws_of_move_analysis_hold_in_trilobite() {
    for (width, height, win) in [(7, 6, 4), (8, 7, 4), (3, 3, 3), (4, 4, 3)] {
        let game = Trilobite::new(width, height, win).unwrap();
        for seed in 0..2 {
            check_game(&game, game.empty(), seed);
        }
    }
}

/// An immediate win is exact and comes first.
#[test]
fn an_immediate_win_is_exact_and_first() {
    let game = Trilobite::new(7, 6, 4).unwrap();
    let position = game.from_columns("717273").unwrap();
    let analysis = analyse(&game, &position, 2_000);
    let best = &analysis[best_first(&analysis, Player::FIRST)[0]];
    assert_eq!(best.shares[Player::FIRST], 1.0);
    assert_eq!((best.is_exact, best.ends_in), (true, Some(1)));
    assert!(
        game.status(&game.apply(&position, best.action, ()))
            .is_over()
    );
}

/// The tolerance for sums of a few 32-bit shares.
const ROUNDING: f64 = 1e-5;

fn analyse<G: AgentProvider>(
    game: &G,
    position: &G::Position,
    simulations: u64,
) -> Vec<ActionAnalysis<G::Action>> {
    let analyser = G::move_analyser().expect("this game has hints");
    let analysis = analyser.analyse(game, position, simulations, &StopToken::new());
    analysis.expect("it is not stopped")
}

/// Analyses some positions of a random game.
fn check_game<G: AgentProvider + RecordableGame>(game: &G, start: G::Position, seed: u64) {
    let rng = &mut AgentRng::seed_from_u64(seed);
    let mut position = start;
    for ply in 0..120 {
        let at = format!("seed {seed}, ply {ply}");
        let over = game.status(&position).is_over();
        if ply % 7 == 0 || over {
            check(game, &position, &at);
        }
        if over {
            return;
        }
        let action = RandomAgent::random_action(game, &position, rng);
        let outcome = game.sample_outcome(&position, action, rng);
        position = game.apply(&position, action, outcome);
    }
}

fn check<G: AgentProvider>(game: &G, position: &G::Position, at: &str) {
    let analysis = analyse(game, position, 400);
    assert_eq!(
        analysis,
        analyse(game, position, 400),
        "{at}: the same again"
    );
    let actions: Vec<G::Action> = analysis.iter().map(|analysis| analysis.action).collect();
    assert_eq!(
        actions,
        Vec::from_iter(game.legal_actions(position)),
        "{at}"
    );
    for one in &analysis {
        check_one(game, position, one, at);
    }
    let analyser = G::move_analyser().expect("this game has hints");
    for action in actions.iter().take(2) {
        let reanalyse = || {
            let stop = &StopToken::new();
            let reanalysed = analyser.analyse_action(game, position, *action, 400, stop);
            reanalysed.expect("it is not stopped")
        };
        let closer = reanalyse();
        assert_eq!(closer.action, *action, "{at}");
        assert_eq!(closer, reanalyse(), "{at}: the same again");
        check_one(game, position, &closer, at);
    }
    let Some(mover) = game.status(position).mover() else {
        return assert!(analysis.is_empty(), "{at}");
    };
    let order = best_first(&analysis, mover);
    let is_descending = order
        .windows(2)
        .all(|pair| analysis[pair[0]].shares[mover] >= analysis[pair[1]].shares[mover]);
    assert!(is_descending && order.len() == analysis.len(), "{at}");
    let stop = StopToken::new();
    stop.request_stop();
    let stopped =
        G::move_analyser().and_then(|analyser| analyser.analyse(game, position, 400, &stop));
    let needs_a_search = analysis.iter().any(|analysis| !analysis.is_exact);
    assert!(stopped.is_none() || !needs_a_search, "{at}: half an answer");
}

/// Checks that probabilities equal the chance outcomes and that an action's shares are the expectation over its
/// outcomes.
fn check_one<G: AgentProvider>(
    game: &G,
    position: &G::Position,
    one: &ActionAnalysis<G::Action>,
    at: &str,
) {
    let at = format!("{at}, {}", one.action);
    let expected_probabilities = game.chance_outcomes(position, one.action);
    let expected_probabilities: Vec<f64> = expected_probabilities
        .map(|(_, probability)| probability)
        .collect();
    let reported: Vec<f64> = one.outcomes.iter().map(|out| out.probability).collect();
    assert_eq!(reported, expected_probabilities, "{at}");
    let near = |a: f64, b: f64| assert!((a - b).abs() < ROUNDING, "{at}: {a} and {b}");
    near(reported.iter().sum(), 1.0);
    let mut all = 0.0;
    for player in Player::all(game.players()) {
        let parts = one.outcomes.iter();
        let parts = parts.map(|out| out.probability * f64::from(out.shares[player]));
        near(parts.sum(), f64::from(one.shares[player]));
        assert!(
            (0.0..=1.0 + ROUNDING as f32).contains(&one.shares[player]),
            "{at}"
        );
        all += f64::from(one.shares[player]);
    }
    near(all, 1.0);
}
