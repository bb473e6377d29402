//! How fast the net is.
#![allow(missing_docs)]
use dice_of_doom_core::game::{Game, Status};
use dice_of_doom_core::level::RandomPlayer;
use dice_of_doom_core::search::Forecast;
use dice_of_doom_core::streams::SearchRng;
use dice_of_doom_games::dice_of_doom::forecast::ByHand;
use dice_of_doom_games::dice_of_doom::net::integer::Net;
use dice_of_doom_games::dice_of_doom::net::layers::Parameters;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Position, Rules};
use std::time::Instant;

fn speed<F: Forecast<DiceOfDoom>>(
    name: &str,
    game: &DiceOfDoom,
    forecast: &F,
    nodes: &[(Position, Vec<Position>)],
) {
    for _ in 0..3 {
        let mut sum = 0.0;
        let mut count = 0;
        let begun = Instant::now();
        for (position, after) in nodes {
            let basis = forecast.basis(game, position);
            for after in after {
                sum += forecast.shares_after(game, &basis, after)[position.player()];
                count += 1;
            }
        }
        let gone = begun.elapsed().as_secs_f64();
        println!(
            "{name}: {:.2} M/s, {:.0} ns ({sum})",
            count as f64 / gone / 1e6,
            gone * 1e9 / count as f64
        );
    }
    let begun = Instant::now();
    for (position, _) in nodes {
        std::hint::black_box(forecast.basis(game, position));
    }
    println!(
        "{name}: basis {:.0} ns",
        begun.elapsed().as_secs_f64() * 1e9 / nodes.len() as f64
    );
}

fn main() {
    let mut rng = SearchRng::seed_from_u64(1);
    let game = DiceOfDoom::new(Rules::V4, 5, 4, 5).expect("a game");
    let mut nodes = Vec::new();
    while nodes.len() < 20_000 {
        let mut position = game.deal(&mut rng).expect("a board");
        for _ in 0..60 {
            if matches!(game.status(&position), Status::Over(_)) {
                break;
            }
            let mut after = Vec::new();
            for action in game.actions(&position) {
                for (outcome, _) in game.lottery(&position, action) {
                    let next = game.play(&position, action, outcome);
                    if !game.status(&next).is_over() && !after.contains(&next) {
                        after.push(next);
                    }
                }
            }
            nodes.push((position, after));
            let action = RandomPlayer::pick(&game, &position, &mut rng);
            let outcome = game.sample(&position, action, &mut rng);
            position = game.play(&position, action, outcome);
        }
    }
    let net = Net::of(&Parameters::random(4, &mut rng));
    speed("hand", &game, &ByHand, &nodes);
    speed("net", &game, &&net, &nodes);
}
