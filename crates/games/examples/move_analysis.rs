//! Measures the accuracy of move analysis with a given budget: compares it with four times the budget, on
//! positions of games between experts.
//!
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

/// The accumulated comparison.
#[derive(Default)]
struct ComparisonTotals {
    positions: u32,
    same_best: u32,
    /// The loss of the best action against the best action of the larger budget, in win share.
    lost: f64,
    /// The sum of the differences between the losses of each action.
    differs: f64,
    actions: u32,
    took: Duration,
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let mut argument = |default| {
        arguments
            .next()
            .map_or(default, |value| value.unwrap_or(default))
    };
    let (positions, simulations) = (argument(40), argument(100_000));
    let game = DiceOfDoom::preset(Rules::V4);
    let analyser = DiceOfDoom::move_analyser().expect("this game has hints");
    let mut totals = ComparisonTotals::default();
    let mut agent_rng = AgentRng::seed_from_u64(7);
    for seed in 0.. {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut position = game.deal(&mut rng).expect("a dealt board");
        while let Some(mover) = game.status(&position).mover() {
            if game.legal_actions(&position).count() > 1 && rng.random_ratio(1, 8) {
                compare(
                    &mut totals,
                    &*analyser,
                    &game,
                    &position,
                    mover,
                    simulations,
                );
            }
            if u64::from(totals.positions) == positions {
                return totals.print(simulations);
            }
            let action = Level::Expert.choose_action(&game, &position, &mut agent_rng);
            let outcome = game.sample_outcome(&position, action, &mut as_rng(&mut rng));
            position = game.apply(&position, action, outcome);
        }
    }
}

fn as_rng(chance: &mut ChaCha8Rng) -> impl Rng + '_ {
    chance
}

fn compare(
    totals: &mut ComparisonTotals,
    analyser: &dyn MoveAnalyser<DiceOfDoom>,
    game: &DiceOfDoom,
    position: &<DiceOfDoom as Game>::Position,
    mover: Player,
    simulations: u64,
) {
    let analyse = |simulations| {
        let analysis = analyser.analyse(game, position, simulations, &StopToken::new());
        analysis.expect("it is not stopped")
    };
    let start = Instant::now();
    let quick = analyse(simulations);
    totals.took += start.elapsed();
    let thorough = analyse(4 * simulations);
    let (one, other) = (
        best_first(&quick, mover)[0],
        best_first(&thorough, mover)[0],
    );
    let loss = |of: &[ActionAnalysis<_>], index: usize, best: usize| {
        f64::from(of[best].shares[mover] - of[index].shares[mover])
    };
    totals.positions += 1;
    totals.same_best += u32::from(one == other);
    totals.lost += loss(&thorough, one, other);
    for index in 0..quick.len() {
        totals.actions += 1;
        totals.differs += (loss(&quick, index, one) - loss(&thorough, index, other)).abs();
    }
}

impl ComparisonTotals {
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
