//! Win shares sum to one, visits add up, and irrelevant parts of a position have no effect.

use dice_of_doom_core::game::{Game, Player, Status};
use dice_of_doom_core::level::AgentRng;
use dice_of_doom_core::search::puct::PuctSearch;
use dice_of_doom_core::search::{PositionEvaluator, StopToken};
use dice_of_doom_games::dice_of_doom::handcrafted::HandcraftedEvaluator;

use super::{
    HIGH_EXPLORATION, Hashed, LEVEL_PARAMETERS, canonical, check_sound, many_positions, one_tree,
    trees,
};

#[test]
fn shares_sum_to_one_and_visits_add_up() {
    for (game, position, at) in many_positions() {
        let mut rng = AgentRng::seed_from_u64(6);
        for parameters in [LEVEL_PARAMETERS, HIGH_EXPLORATION] {
            let mut puct = PuctSearch::new(Hashed, parameters);
            let found = puct.search(&game, &position, one_tree(300), &mut rng, &StopToken::new());
            check_sound(&found, game.players(), &at);
            let visits: u64 = found.actions.iter().map(|rated| rated.visits).sum();
            assert_eq!(visits, found.simulations, "{at}");
            assert!(found.is_solved || visits == 300, "{at}: {visits}");
            let listed = found.actions.iter().map(|rated| rated.action);
            assert!(listed.eq(game.legal_actions(&position)), "{at}");
        }
        let mut puct = PuctSearch::new(HandcraftedEvaluator, LEVEL_PARAMETERS);
        let found = puct.search(&game, &position, trees(200, 2), &mut rng, &StopToken::new());
        check_sound(&found, game.players(), &at);
        let visits: u64 = found.actions.iter().map(|rated| rated.visits).sum();
        assert!(found.is_solved || visits == 200, "{at}: {visits}");
    }
}

#[test]
fn initial_values_are_expectations_over_outcomes() {
    for (game, position, at) in many_positions() {
        let mover = game.status(&position).mover();
        let mut rng = AgentRng::seed_from_u64(6);
        let mut puct = PuctSearch::new(Hashed, LEVEL_PARAMETERS);
        let found = puct.search(&game, &position, one_tree(0), &mut rng, &StopToken::new());
        assert_eq!(found.simulations, 0, "{at}");
        for rated in &found.actions {
            assert_eq!(rated.visits, 0, "{at}");
            let mut expected = [0.0; 6];
            for (outcome, probability) in game.chance_outcomes(&position, rated.action) {
                let after = canonical(&game, game.apply(&position, rated.action, outcome));
                let (shares, discount) = match game.status(&after) {
                    Status::Over(payoffs) => (payoffs.win_shares(game.players()), 1.0),
                    Status::Turn(next) if Some(next) == mover => {
                        (Hashed.win_shares(&game, &after), 1.0)
                    }
                    Status::Turn(_) => (Hashed.win_shares(&game, &after), 0.99),
                };
                for (player, expected) in Player::all(game.players()).zip(&mut expected) {
                    let share = discount * f64::from(shares[player]);
                    let equal = (1.0 - discount) / f64::from(game.players());
                    *expected += probability * (share + equal);
                }
            }
            for (player, expected) in Player::all(6).zip(expected) {
                let difference = f64::from(rated.shares[player]) - expected;
                assert!(difference.abs() < 1e-5, "{at}: {rated:?} {expected}");
            }
        }
    }
}

#[test]
fn equal_canonical_positions_have_equal_successors() {
    for (game, position, at) in many_positions() {
        let left = canonical(&game, position);
        assert_eq!(canonical(&game, left), left, "{at}");
        assert_eq!(game.status(&left), game.status(&position), "{at}");
        assert!(
            game.legal_actions(&left).eq(game.legal_actions(&position)),
            "{at}"
        );
        let shares = HandcraftedEvaluator.win_shares(&game, &position);
        let found = HandcraftedEvaluator.win_shares(&game, &left);
        assert_eq!(found, shares, "{at}");
        for action in game.legal_actions(&position) {
            let outcomes = game.chance_outcomes(&position, action);
            assert!(
                game.chance_outcomes(&left, action).eq(outcomes.clone()),
                "{at}"
            );
            for (outcome, _) in outcomes {
                let after = game.apply(&position, action, outcome);
                let without = game.apply(&left, action, outcome);
                let (one, other) = (canonical(&game, after), canonical(&game, without));
                assert_eq!(one, other, "{at}: {action}");
            }
        }
    }
}
