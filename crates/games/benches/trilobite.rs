//! The cost of Trilobite: `cargo bench --bench trilobite`.
//!
//! Prints nodes per second in addition to the times of criterion.

use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use dice_of_doom_core::search::{StopToken, perft};
use dice_of_doom_games::trilobite::solver::Solver;
use dice_of_doom_games::trilobite::{Trilobite, land_of_lisp};

fn game(width: u8, height: u8, win: u8) -> Trilobite {
    Trilobite::new(width, height, win).expect("valid parameters")
}

/// Prints the nodes per second of one run.
fn print_speed(what: &str, run: impl FnOnce() -> u64) {
    let start = Instant::now();
    let nodes = run();
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{what}: {:.1} M nodes/s, {nodes} nodes",
        nodes as f64 / seconds / 1e6
    );
}

fn trees(criterion: &mut Criterion) {
    for (width, height) in [(7, 6), (8, 7), (9, 7)] {
        let game = game(width, height, 4);
        print_speed(&format!("perft 8, {width}x{height}"), || {
            perft(&game, &game.empty(), 8)
        });
        print_speed(&format!("alpha-beta 10, {width}x{height}"), || {
            land_of_lisp::alpha_beta(&game, &game.empty(), 10).nodes
        });
    }
    let large = game(8, 7, 4);
    criterion.bench_function("perft 6, 8x7", |bencher| {
        bencher.iter(|| perft(&large, black_box(&large.empty()), 6));
    });
    criterion.bench_function("alpha-beta 6, 8x7", |bencher| {
        bencher.iter(|| land_of_lisp::alpha_beta(&large, black_box(&large.empty()), 6));
    });
}

fn decisions(criterion: &mut Criterion) {
    for (width, height, win) in [(3, 3, 3), (8, 7, 4)] {
        let game = game(width, height, win);
        let name = format!("book decision, {width}x{height} from empty");
        criterion.bench_function(&name, |bencher| {
            bencher.iter(|| land_of_lisp::choose(&game, black_box(&game.empty())));
        });
    }
}

/// Middlegame positions, each solved to its exact score.
const MIDDLES: [(u8, u8, &str); 3] = [
    (7, 6, "274552224131661"),
    (8, 7, "33782555518753661177634546"),
    (8, 7, "75585857236585178388854113"),
];

fn proofs(_: &mut Criterion) {
    const PLENTY: u64 = 1_000_000_000;
    for (width, height, columns) in MIDDLES {
        let game = game(width, height, 4);
        let position = game.from_columns(columns).expect("a valid position");
        print_speed(&format!("solver, {width}x{height}, {columns}"), || {
            let mut solver = Solver::new(&game, 128 << 20);
            black_box(solver.solve(&position, PLENTY, &StopToken::new())).nodes
        });
    }
}

criterion_group!(trilobite, trees, decisions, proofs);
criterion_main!(trilobite);
