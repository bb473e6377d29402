//! How well a budget weighs: on positions of games of experts it compares the weighing with one of four
//! times the budget.
//!
//! ```sh
//! cargo run --release -p dice-of-doom-games --example move_analysis -- 200 100000
//! ```

use std::time::{Duration, Instant};

use dice_of_doom_core::game::{Game, Player};
use dice_of_doom_core::level::{AgentProvider, AgentRng, Level};
use dice_of_doom_core::move_analysis::{ActionAnalysis, MoveAnalyser, best_first};
use dice_of_doom_core::search::StopToken;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What was compared so far.
#[derive(Default)]
struct Tally {
    positions: u32,
    same_best: u32,
    /// What the best action is worth less than the better-informed best, in win share.
    lost: f64,
    /// The difference of what an action costs against the best, summed and counted.
    differs: f64,
    actions: u32,
    took: Duration,
}

fn main() {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let mut number = |usual| numbers.next().map_or(usual, |read| read.unwrap_or(usual));
    let (positions, simulations) = (number(40), number(100_000));
    let game = DiceOfDoom::preset(Rules::V4);
    let weigher = DiceOfDoom::move_analyser().expect("this game has hints");
    let mut tally = Tally::default();
    let mut variety = AgentRng::seed_from_u64(7);
    for seed in 0.. {
        let mut chance = ChaCha8Rng::seed_from_u64(seed);
        let mut position = game.deal(&mut chance).expect("a board");
        while let Some(mover) = game.status(&position).mover() {
            if game.legal_actions(&position).count() > 1 && chance.random_ratio(1, 8) {
                compare(&mut tally, &*weigher, &game, &position, mover, simulations);
            }
            if u64::from(tally.positions) == positions {
                return tally.print(simulations);
            }
            let action = Level::Expert.choose_action(&game, &position, &mut variety);
            let outcome = game.sample_outcome(&position, action, &mut as_rng(&mut chance));
            position = game.apply(&position, action, outcome);
        }
    }
}

fn as_rng(chance: &mut ChaCha8Rng) -> impl Rng + '_ {
    chance
}

fn compare(
    tally: &mut Tally,
    weigher: &dyn MoveAnalyser<DiceOfDoom>,
    game: &DiceOfDoom,
    position: &<DiceOfDoom as Game>::Position,
    mover: Player,
    simulations: u64,
) {
    let weigh = |simulations| {
        let weighed = weigher.analyse(game, position, simulations, &StopToken::new());
        weighed.expect("nobody stops it")
    };
    let begun = Instant::now();
    let quick = weigh(simulations);
    tally.took += begun.elapsed();
    let thorough = weigh(4 * simulations);
    let (one, other) = (
        best_first(&quick, mover)[0],
        best_first(&thorough, mover)[0],
    );
    let cost = |of: &[ActionAnalysis<_>], place: usize, best: usize| {
        f64::from(of[best].shares[mover] - of[place].shares[mover])
    };
    tally.positions += 1;
    tally.same_best += u32::from(one == other);
    tally.lost += cost(&thorough, one, other);
    for place in 0..quick.len() {
        tally.actions += 1;
        tally.differs += (cost(&quick, place, one) - cost(&thorough, place, other)).abs();
    }
}

impl Tally {
    fn print(&self, simulations: u64) {
        let each = f64::from(self.positions);
        println!(
            "{simulations} simulations, {:.0} ms a position: the same best action in {:.1} %, \
             {:.2} points lost by another, costs of actions differ by {:.2} points",
            self.took.as_secs_f64() * 1000.0 / each,
            100.0 * f64::from(self.same_best) / each,
            100.0 * self.lost / each,
            100.0 * self.differs / f64::from(self.actions),
        );
    }
}
