//! The weights that the program brings along play well: a change that breaks the network, its features or its
//! files does not pass unseen.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use dice_of_doom_arena::{AgentFactory, PlayerFactory, play_board};
use dice_of_doom_core::level::{Agent, AgentProvider, AgentRng, Level, OnePlyAgent};
use dice_of_doom_games::dice_of_doom::DiceOfDoom;
use dice_of_doom_games::dice_of_doom::nnue::builtin::builtin_weights;
use dice_of_doom_games::dice_of_doom::nnue::float::NnueParameters;
use dice_of_doom_games::dice_of_doom::nnue::quantized::QuantizedNetwork;
use dice_of_doom_games::dice_of_doom::nnue::trained::TrainedNetwork;

/// Each is played in all rotations.
const BOARDS: u32 = 40;

/// The odds of a network one ply ahead among computer players of the book, where those of an equal are 1.
fn odds(game: &DiceOfDoom, net: &QuantizedNetwork) -> f64 {
    let net = AgentFactory(|| -> Box<dyn Agent<DiceOfDoom>> { Box::new(OnePlyAgent(net.clone())) });
    let book = AgentFactory(|| DiceOfDoom::agent(Level::Book));
    let mut seats: Vec<&dyn PlayerFactory<DiceOfDoom>> = vec![&net];
    seats.resize(usize::from(game.players()), &book);
    let boards = (0..BOARDS).map(|board| play_board(game, 1, board, &seats).unwrap());
    let won: f64 = boards.map(|board| board.mean_share(0)).sum();
    let others = f64::from(game.players() - 1);
    others * won / (f64::from(BOARDS) - won)
}

#[test]
fn every_network_is_far_above_the_book_one_ply_ahead() {
    assert!(!builtin_weights().is_empty());
    std::thread::scope(|threads| {
        for weights in builtin_weights() {
            for game in weights.boards() {
                threads.spawn(move || check(weights, &game));
            }
        }
    });
}

fn check(weights: &TrainedNetwork, game: &DiceOfDoom) {
    assert!(weights.supports(game));
    // Among four players 2 are 40 of 100 games; 2.4 to 14 are usual, and 1.6 to 5.9 on the smallest
    // boards, where the deal decides more. The seed is fixed: a network that is as it was takes what it took.
    let least = if game.side() > 4 { 2.0 } else { 1.3 };
    let odds = odds(game, weights.net());
    let (games, side) = (weights.description(), game.side());
    assert!(odds > least, "{games}, side {side}: {odds:.2}");
}

#[test]
fn a_network_that_has_learnt_nothing_is_not() {
    for weights in builtin_weights() {
        let game = weights.boards().next().unwrap();
        let mut rng = AgentRng::seed_from_u64(1);
        let net = QuantizedNetwork::of(&NnueParameters::random(game.players(), &mut rng));
        assert!(odds(&game, &net) < 1.0);
    }
}
