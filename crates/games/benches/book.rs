//! The cost of the book's player and of game trees: `cargo bench --bench book`.
//!
//! Prints nodes per second in addition to the times of criterion.

use std::hint::black_box;
use std::time::Instant;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use dice_of_doom_core::game::Game;
use dice_of_doom_core::level::{AgentRng, RandomAgent};
use dice_of_doom_core::search::{expectimax, perft};
use dice_of_doom_core::tree::GameTree;
use dice_of_doom_core::tree::cached::CachedNode;
use dice_of_doom_games::dice_of_doom::land_of_lisp::score::BookScore;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Position, Rules, land_of_lisp};

/// The number of searches of each position for the printed rates; the fastest counts.
const ROUNDS: usize = 50;

/// Unfinished positions of random games.
fn positions(game: &DiceOfDoom) -> Vec<Position> {
    let mut rng = AgentRng::seed_from_u64(1);
    let mut positions = Vec::new();
    while positions.len() < 256 {
        let mut position = game.deal(&mut rng).expect("a board with an attack");
        for _ in 0..16 {
            if game.status(&position).is_over() {
                break;
            }
            positions.push(position);
            let action = RandomAgent::random_action(game, &position, &mut rng);
            let outcome = game.sample_outcome(&position, action, &mut rng);
            position = game.apply(&position, action, outcome);
        }
    }
    positions
}

fn decisions(criterion: &mut Criterion) {
    let game = DiceOfDoom::preset(Rules::V4);
    let positions = positions(&game);
    print_rate("book, v4 5x5, depth 2", &positions, |position| {
        land_of_lisp::analyse(&game, position).nodes
    });
    let mut at = positions.iter().cycle();
    criterion.bench_function("book decision, v4 5x5, depth 2", |bencher| {
        bencher.iter_batched(
            || at.next().expect("the iterator is infinite"),
            |position| land_of_lisp::choose(&game, black_box(position)),
            BatchSize::SmallInput,
        );
    });
    let v3 = DiceOfDoom::preset(Rules::V3);
    let of_v3 = self::positions(&v3);
    print_rate("book, v3 5x5, depth 4", &of_v3, |position| {
        land_of_lisp::analyse(&v3, position).nodes
    });
    let mut at = of_v3.iter().cycle();
    criterion.bench_function("book decision, v3 5x5, depth 4", |bencher| {
        bencher.iter_batched(
            || at.next().expect("the iterator is infinite"),
            |position| land_of_lisp::choose(&v3, black_box(position)),
            BatchSize::SmallInput,
        );
    });
    let v2 = DiceOfDoom::new(Rules::V2, 5, 2, 3).expect("the book's numbers on its large board");
    let of_v2 = self::positions(&v2);
    let mut at = of_v2.iter().cycle();
    criterion.bench_function("book decision, v2 5x5, depth 4, alpha-beta", |bencher| {
        bencher.iter_batched(
            || at.next().expect("the iterator is infinite"),
            |position| land_of_lisp::alpha_beta(&v2, black_box(position), 4),
            BatchSize::SmallInput,
        );
    });
    print_rate("perft 4, v4 5x5", &positions[..8], |position| {
        perft(&game, position, 4)
    });
    criterion.bench_function("perft 3, v4 5x5", |bencher| {
        bencher.iter(|| perft(&game, black_box(&positions[0]), 3));
    });
}

/// Prints nodes per second and the median time per position. The fastest round of each position counts, to
/// reduce the influence of other programs.
fn print_rate(name: &str, positions: &[Position], nodes_at: impl Fn(&Position) -> u64) {
    let mut nodes = 0;
    let mut quickest: Vec<f64> = Vec::new();
    for position in positions {
        nodes += nodes_at(position);
        let seconds = (0..ROUNDS).map(|_| {
            let start = Instant::now();
            black_box(nodes_at(black_box(position)));
            start.elapsed().as_secs_f64()
        });
        quickest.push(seconds.fold(f64::INFINITY, f64::min));
    }
    let seconds: f64 = quickest.iter().sum();
    quickest.sort_by(f64::total_cmp);
    println!(
        "{name}: {:.1} M nodes/s, {} nodes, median {:.2} µs",
        nodes as f64 / seconds / 1e6,
        nodes / positions.len() as u64,
        quickest[quickest.len() / 2] * 1e6
    );
}

fn cached_trees(criterion: &mut Criterion) {
    let game = DiceOfDoom::preset(Rules::V4);
    let start = positions(&game).swap_remove(0);
    let player = start.player();
    let look = |root: &std::sync::Arc<CachedNode<DiceOfDoom>>| {
        expectimax(&root.cached(&game).limit_depth(3), &BookScore, player)
    };
    criterion.bench_function("first look at a remembered tree, 3 plies", |bencher| {
        bencher.iter_batched(
            || CachedNode::root(start),
            |root| look(&root),
            BatchSize::PerIteration,
        );
    });
    let seen = CachedNode::root(start);
    look(&seen);
    criterion.bench_function("second look", |bencher| bencher.iter(|| look(&seen)));
}

criterion_group!(book_player, decisions, cached_trees);
criterion_main!(book_player);
