//! The solver on sets of positions with known scores, beside the crate `connect-four-ai` on 7×6:
//! `cargo bench -p dice-of-doom-games --bench solver -- [--first N] [--mib N] [SET...]`.
//!
//! For each set prints the mean number of positions searched from an empty table, the mean time, and the ratio of the
//! times. The two solvers take turns, position by position. Exits with 1 after a wrong score.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use dice_of_doom_core::search::StopToken;
use dice_of_doom_games::trilobite::Trilobite;
use dice_of_doom_games::trilobite::solver::Solver;

/// The public sets of 7×6 (see `tests/golden/README.md`).
const SETS: [&str; 6] = [
    "7x6n4_end-easy",
    "7x6n4_middle-easy",
    "7x6n4_middle-medium",
    "7x6n4_begin-easy",
    "7x6n4_begin-medium",
    "7x6n4_begin-hard",
];

fn main() -> ExitCode {
    let (mut first, mut mib, mut sets) = (usize::MAX, 128, Vec::new());
    let mut with_peer = true;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|text| text.parse().ok());
        match argument.as_str() {
            "--first" => first = number().expect("--first takes a number"),
            "--mib" => mib = number().expect("--mib takes a number"),
            "--alone" => with_peer = false,
            // `cargo bench` adds it.
            "--bench" => {}
            _ => sets.push(argument),
        }
    }
    if sets.is_empty() {
        sets = SETS.map(str::to_owned).to_vec();
    }
    println!(
        "{:22} {:>9} {:>14} {:>12} {:>12} {:>6}",
        "set", "positions", "searched", "time", "peer", "ratio"
    );
    let mut wrong = 0;
    for set in sets {
        wrong += measure(&set, first, mib << 20, with_peer);
    }
    ExitCode::from(u8::from(wrong > 0))
}

/// Solves the first positions of a set; returns the number of wrong scores.
fn measure(set: &str, first: usize, table_bytes: usize, with_peer: bool) -> usize {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/solver");
    let text = std::fs::read_to_string(file.join(format!("{set}.txt"))).expect("a set");
    let sizes = set
        .split('_')
        .next()
        .expect("WIDTHxHEIGHTnWIN_NAME")
        .split(['x', 'n']);
    let sizes: Vec<u8> = sizes.map(|size| size.parse().expect("a size")).collect();
    let game = Trilobite::new(sizes[0], sizes[1], sizes[2]).expect("a board");
    let (mut solver, stop) = (Solver::new(&game, table_bytes), StopToken::new());
    let mut peer = (with_peer && sizes == [7, 6, 4]).then(connect_four_ai::Solver::empty);
    let (mut count, mut nodes, mut wrong) = (0, 0, 0);
    let (mut time, mut peer_time) = (Duration::ZERO, Duration::ZERO);
    for line in text.lines().take(first) {
        let (columns, score) = line.split_once(' ').expect("columns and a score");
        let columns = columns.trim_matches('-');
        let position = game.from_columns(columns).expect("a position");
        solver.clear();
        let start = Instant::now();
        let solution = solver.solve(&position, u64::MAX, &stop);
        time += start.elapsed();
        count += 1;
        nodes += solution.nodes;
        let found = solution.bounds.score();
        if found != score.parse().ok() {
            println!("{set}: {columns}: {found:?} instead of {score}");
            wrong += 1;
        }
        if let Some(peer) = &mut peer {
            let position = connect_four_ai::Position::from_moves(columns).expect("a position");
            peer.reset();
            let start = Instant::now();
            let _ = std::hint::black_box(peer.solve(&position));
            peer_time += start.elapsed();
        }
    }
    let mean = |time: Duration| time / count;
    let peer_mean = peer.is_some().then(|| mean(peer_time));
    println!(
        "{set:22} {count:>9} {:>14.1} {:>12} {:>12} {:>6}",
        nodes as f64 / f64::from(count),
        format!("{:.1?}", mean(time)),
        peer_mean.map_or(String::new(), |mean| format!("{mean:.1?}")),
        peer_mean.map_or(String::new(), |peer| {
            format!("{:.3}", mean(time).as_secs_f64() / peer.as_secs_f64())
        }),
    );
    wrong
}
