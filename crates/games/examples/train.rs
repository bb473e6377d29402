//! Trains a net and plays it against the book.
#![allow(missing_docs)]
use dice_of_doom_core::game::{Game, Player, Status};
use dice_of_doom_core::search::Stop;
use dice_of_doom_core::search::puct::{Puct, SearchBudget, Tuning};
use dice_of_doom_core::streams::SearchRng;
use dice_of_doom_games::dice_of_doom::net::integer::Net;
use dice_of_doom_games::dice_of_doom::net::layers::Parameters;
use dice_of_doom_games::dice_of_doom::net::training::{Course, Training, one_ply};
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules, book};
use std::time::Instant;

fn arena(game: &DiceOfDoom, net: &Parameters, boards: u64) -> f64 {
    let mut won = 0.0;
    for board in 0..boards {
        let mut rng = SearchRng::seed_from_u64(1_000_000 + board);
        let start = game.deal(&mut rng).expect("a board");
        for seat in 0..game.players() {
            let mut position = start.clone();
            let mut plies = 0;
            let payoffs = loop {
                match game.status(&position) {
                    Status::Over(payoffs) => break payoffs,
                    Status::Turn(_) if plies > 1000 => {
                        break game.adjudicate(&position, Default::default());
                    }
                    Status::Turn(mover) => {
                        let action = if mover.number() == seat {
                            one_ply(game, &position, net, &mut rng)
                        } else {
                            book::analyse(game, &position).action().expect("an action")
                        };
                        let outcome = game.sample(&position, action, &mut rng);
                        position = game.play(&position, action, outcome);
                        plies += 1;
                    }
                }
            };
            won += payoffs.share(Player::new(seat));
        }
    }
    won / (boards * u64::from(game.players())) as f64
}

fn searching(game: &DiceOfDoom, net: &'static Net, boards: u64, simulations: u64) -> (f64, f64) {
    let tuning = Tuning {
        exploration: 0.2,
        thorough_from: 2,
        temperature: 0.03,
        discount: 0.98,
    };
    let mut won = 0.0;
    let mut decisions = 0;
    let mut time = 0.0;
    for board in 0..boards {
        let mut rng = SearchRng::seed_from_u64(1_000_000 + board);
        let start = game.deal(&mut rng).expect("a board");
        for seat in 0..game.players() {
            let mut position = start.clone();
            let mut puct: Puct<DiceOfDoom, &Net> = Puct::new(net, tuning);
            let mut plies = 0;
            let payoffs = loop {
                match game.status(&position) {
                    Status::Over(payoffs) => break payoffs,
                    Status::Turn(_) if plies > 1000 => {
                        break game.adjudicate(&position, Default::default());
                    }
                    Status::Turn(mover) => {
                        let action = if mover.number() == seat {
                            let begun = Instant::now();
                            let budget = SearchBudget {
                                simulations,
                                trees: std::num::NonZeroUsize::MIN,
                            };
                            let found = puct
                                .search(game, &position, budget, &mut rng, &Stop::new())
                                .best(mover, &mut rng)
                                .action;
                            time += begun.elapsed().as_secs_f64();
                            decisions += 1;
                            found
                        } else {
                            book::analyse(game, &position).action().expect("an action")
                        };
                        let outcome = game.sample(&position, action, &mut rng);
                        position = game.play(&position, action, outcome);
                        plies += 1;
                    }
                }
            };
            won += payoffs.share(Player::new(seat));
        }
    }
    (
        won / (boards * u64::from(game.players())) as f64,
        time * 1000.0 / f64::from(decisions),
    )
}

fn main() {
    let mut args = std::env::args().skip(1);
    let mut next = |usual: f64| args.next().map_or(usual, |a| a.parse().expect("a number"));
    let minutes = next(1.0);
    let games = next(100_000.0) as u64;
    let threads = next(1.0) as usize;
    let rate = next(0.002) as f32;
    let last = next(0.05) as f32;
    let lambda = next(0.7) as f32;
    let exploration = next(0.02) as f32;
    let discount = next(1.0) as f32;
    let players = next(4.0) as u8;
    let game = DiceOfDoom::new(Rules::V4, 5, players, 5).expect("a game");
    let course = Course {
        boards: vec![game],
        games,
        seed: 1,
        rate,
        last,
        lambda,
        exploration,
        discount,
    };
    let mut training = Training::new(course.clone());
    let begun = Instant::now();
    let mut reported = 0.0;
    let mut loss = (0.0, 0.0);
    training.run(threads, |training, progress| {
        let gone = begun.elapsed().as_secs_f64() / 60.0;
        loss = (loss.0 + progress.loss, loss.1 + 1.0);
        if gone - reported >= 1.0 {
            reported = gone;
            std::fs::write("net.bin", Net::of(training.mean()).to_bytes()).expect("written");
            std::fs::write("checkpoint.bin", training.to_bytes()).expect("written");
            println!(
                "{gone:.2} min {} games, {} plies, loss {:.4}: {:.3}",
                progress.games,
                progress.plies,
                loss.0 / loss.1,
                arena(&game, training.mean(), 250)
            );
            loss = (0.0, 0.0);
        }
        gone < minutes
    });
    std::fs::write("net.bin", Net::of(training.mean()).to_bytes()).expect("written");
    let net: &'static Net = Box::leak(Box::new(Net::of(training.mean())));
    for (simulations, boards) in [(1, 1000), (100, 1000), (1000, 250)] {
        println!(
            "{simulations}: {:?}",
            searching(&game, net, boards, simulations)
        );
    }
    println!(
        "{:.2} min {course:?}: {:.4}",
        begun.elapsed().as_secs_f64() / 60.0,
        arena(&game, training.mean(), 2500)
    );
}
