//! How well weights play that are being trained: a small arena.

use dice_of_doom_core::level::{Level, Levelled, OnePly, Strategy};
use dice_of_doom_games::dice_of_doom::DiceOfDoom;
use dice_of_doom_games::dice_of_doom::net::integer::Net;

use super::{Entrant, Estimate, Own, play_board};

/// Boards of the arena; each is played in all rotations.
const BOARDS: u32 = 250;

/// The seed of the arena, whatever the training's.
const SEED: u64 = 1;

/// The share of wins of a network that looks one ply ahead, the computer players of the book in
/// all other seats.
#[must_use]
pub fn against_the_book(game: &DiceOfDoom, net: &Net) -> Estimate {
    let pupil = Own(|| -> Box<dyn Strategy<DiceOfDoom>> { Box::new(OnePly(net.clone())) });
    let book = Own(|| DiceOfDoom::strategy(Level::Book));
    let mut seats: Vec<&dyn Entrant<DiceOfDoom>> = vec![&pupil];
    seats.resize(usize::from(game.players()), &book);
    let boards = (0..BOARDS).filter_map(|board| play_board(game, SEED, board, &seats).ok());
    let shares: Vec<f64> = boards.map(|board| board.mean_share(0)).collect();
    Estimate::of(&shares)
}
