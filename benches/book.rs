//! What the book's player and the trees cost: `cargo bench --bench book`.
//!
//! Prints nodes per second beside the times of criterion.

use std::hint::black_box;
use std::time::Instant;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use dice_of_doom::game::Game;
use dice_of_doom::games::dice_of_doom::evaluate::BookScore;
use dice_of_doom::games::dice_of_doom::{DiceOfDoom, Position, Rules, book};
use dice_of_doom::level::{AnyAction, SearchRng, Strategy};
use dice_of_doom::search::{expectimax, perft};
use dice_of_doom::tree::GameTree;
use dice_of_doom::tree::remembered::Node;
use rand::SeedableRng;

/// Positions on the way of random games, where somebody is on turn.
fn positions(game: &DiceOfDoom) -> Vec<Position> {
    let mut rng = SearchRng::seed_from_u64(1);
    let mut positions = Vec::new();
    while positions.len() < 256 {
        let mut position = game.deal(&mut rng).expect("a board with an attack");
        for _ in 0..16 {
            if game.status(&position).is_over() {
                break;
            }
            positions.push(position.clone());
            let action = AnyAction.choose(game, &position, &mut rng).action;
            let outcome = game.sample(&position, action, &mut rng);
            position = game.play(&position, action, outcome);
        }
    }
    positions
}

fn decisions(criterion: &mut Criterion) {
    let game = DiceOfDoom::preset(Rules::V4);
    let positions = positions(&game);
    let start = Instant::now();
    let nodes: u64 = positions
        .iter()
        .map(|position| book::analyse(&game, position).nodes)
        .sum();
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "book: {:.1} M nodes/s, {} nodes a decision",
        nodes as f64 / seconds / 1e6,
        nodes / positions.len() as u64
    );
    let mut at = positions.iter().cycle();
    criterion.bench_function("book decision, v4 5x5, depth 2", |bencher| {
        bencher.iter_batched(
            || at.next().expect("a cycle"),
            |position| book::choose(&game, black_box(position)),
            BatchSize::SmallInput,
        );
    });
    let v3 = DiceOfDoom::preset(Rules::V3);
    let of_v3 = self::positions(&v3);
    let mut at = of_v3.iter().cycle();
    criterion.bench_function("book decision, v3 5x5, depth 4", |bencher| {
        bencher.iter_batched(
            || at.next().expect("a cycle"),
            |position| book::choose(&v3, black_box(position)),
            BatchSize::SmallInput,
        );
    });
    let v2 = DiceOfDoom::new(Rules::V2, 5, 2, 3).expect("the book's numbers on its large board");
    let of_v2 = self::positions(&v2);
    let mut at = of_v2.iter().cycle();
    criterion.bench_function("book decision, v2 5x5, depth 4, alpha-beta", |bencher| {
        bencher.iter_batched(
            || at.next().expect("a cycle"),
            |position| book::pruned(&v2, black_box(position), 4),
            BatchSize::SmallInput,
        );
    });
    criterion.bench_function("perft 3, v4 5x5", |bencher| {
        bencher.iter(|| perft(&game, black_box(&positions[0]), 3));
    });
}

fn remembering(criterion: &mut Criterion) {
    let game = DiceOfDoom::preset(Rules::V4);
    let start = positions(&game).swap_remove(0);
    let player = start.player();
    let look = |root: &std::sync::Arc<Node<DiceOfDoom>>| {
        expectimax(&root.view(&game).limit(3), &BookScore, player)
    };
    criterion.bench_function("first look at a remembered tree, 3 plies", |bencher| {
        bencher.iter_batched(
            || Node::root(start.clone()),
            |root| look(&root),
            BatchSize::PerIteration,
        );
    });
    let seen = Node::root(start.clone());
    look(&seen);
    criterion.bench_function("second look", |bencher| bencher.iter(|| look(&seen)));
}

criterion_group!(book_player, decisions, remembering);
criterion_main!(book_player);
