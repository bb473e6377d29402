//! Who plays Dice of Doom at each level.

use std::num::NonZeroUsize;

use rand::RngExt;

use super::evaluate::BookScore;
use super::forecast::ByHand;
use super::{Action, DiceOfDoom, Outcome, Position, book};
use dice_of_doom_core::game::{Game, Status};
use dice_of_doom_core::level::{
    AnyAction, Choice, Effort, Level, Levelled, OnePly, SearchRng, Searching, Strategy,
};
use dice_of_doom_core::search::puct::Tuning;
use dice_of_doom_core::search::{Evaluate, Stop};

/// Found in the arena.
const TUNING: Tuning = Tuning {
    exploration: 0.2,
    thorough_from: 2,
    temperature: 0.03,
    discount: 0.98,
};

impl Levelled for DiceOfDoom {
    fn strategy(level: Level) -> Box<dyn Strategy<Self>> {
        match level {
            Level::Random => Box::new(RandomPlayer),
            Level::Book => Box::new(ByTheBook),
            Level::Greedy => Box::new(Greedy),
            Level::Steady => Box::new(OnePly(ByHand)),
            Level::Expert => searching(|game| 4 * hexes(game)),
            Level::Master => searching(|game| 40 * hexes(game)),
            Level::Champion => searching(|game| 640 * hexes(game)),
        }
    }
}

/// A search with so many simulations; larger boards have more to look at. In one tree, so that the
/// other cores are left to other games.
fn searching(simulations: fn(&DiceOfDoom) -> u64) -> Box<dyn Strategy<DiceOfDoom>> {
    let trees = NonZeroUsize::MIN;
    Box::new(Searching::new(ByHand, TUNING, simulations, trees))
}

fn hexes(game: &DiceOfDoom) -> u64 {
    u64::from(game.hexes())
}

/// Plays what the computer player of the book plays.
#[derive(Clone, Copy, Debug)]
struct ByTheBook;

impl Strategy<DiceOfDoom> for ByTheBook {
    fn choose(
        &mut self,
        game: &DiceOfDoom,
        position: &Position,
        _: Effort,
        _: &mut SearchRng,
        _: &Stop,
    ) -> Choice<Action> {
        Choice::of(&book::analyse(game, position))
    }
}

/// Of the attacks that are more likely to succeed than not those on the player with most hexes, of
/// these the likeliest; then the end of the turn, and at once where that wins the game.
///
/// Where more dice win, every attack is sure: the one that takes most dice, of those the one after
/// which the board scores best by the book's count.
#[derive(Clone, Copy, Debug)]
struct Greedy;

impl Strategy<DiceOfDoom> for Greedy {
    fn choose(
        &mut self,
        game: &DiceOfDoom,
        position: &Position,
        _: Effort,
        rng: &mut SearchRng,
        _: &Stop,
    ) -> Choice<Action> {
        let preferences: Vec<(Action, (f64, f64))> = game
            .actions(position)
            .map(|action| (action, preference(game, position, action)))
            .collect();
        let of_all = preferences.iter().map(|&(_, preference)| preference);
        let best = of_all.fold((f64::NEG_INFINITY, 0.0), |best, preference| {
            if preference > best { preference } else { best }
        });
        let equals = preferences
            .iter()
            .filter(|(_, preference)| *preference >= best);
        let equals: Vec<Action> = equals.map(|&(action, _)| action).collect();
        Choice {
            action: equals[rng.random_range(0..equals.len())],
            shares: None,
            nodes: preferences.len() as u64,
        }
    }
}

/// What a greedy player likes, and between equals likes more: at once the end that wins, then attacks
/// that are worth their dice, then the end of the turn, then any attack.
fn preference(game: &DiceOfDoom, position: &Position, action: Action) -> (f64, f64) {
    const END_OF_TURN: f64 = 1.0;
    match action {
        Action::EndTurn => {
            let after = game.play(position, action, Outcome::Sure);
            match game.status(&after) {
                Status::Over(payoffs) if payoffs.share(position.player()) == 1.0 => {
                    (f64::INFINITY, 0.0)
                }
                Status::Over(payoffs) => (payoffs.share(position.player()), 0.0),
                Status::Turn(_) => (END_OF_TURN, 0.0),
            }
        }
        Action::Attack { from, to } => match game.odds(position, from, to) {
            Some(odds) if odds > EVEN => {
                let (hexes, _) = game.count(position, position.owner(to));
                (END_OF_TURN + f64::from(hexes), odds)
            }
            Some(odds) => (odds, 0.0),
            None => {
                let after = game.play(position, action, Outcome::Won);
                let score = BookScore.evaluate(game, &after, position.player());
                (END_OF_TURN + f64::from(position.dice(to)), score)
            }
        },
    }
}

/// Above which odds an attack is worth its dice.
const EVEN: f64 = 0.5;
