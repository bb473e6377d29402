//! The solver on sets of positions with known scores, beside the crate `connect-four-ai` on 7×6:
//! `cargo bench -p dice-of-doom-games --bench solver -- [--first N] [--mib N] [--alone] [--ms N] [--seed N]
//! [SET...]`.
//!
//! For each set prints the mean number of positions searched from an empty table, the mean time, and the ratio of the
//! times. The two solvers take turns, position by position. The set WIDTHxHEIGHTnWIN_random has 200 random positions, of
//! 4 chips to 8 empty cells. With --ms a position takes at most so many milliseconds, and the number of those solved is
//! printed. Exits with 1 after a wrong score.

use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use dice_of_doom_core::game::Game;
use dice_of_doom_core::search::StopToken;
use dice_of_doom_games::trilobite::solver::{Solution, Solver};
use dice_of_doom_games::trilobite::{Position, Trilobite};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// The public sets of 7×6 (see `tests/golden/README.md`).
const SETS: [&str; 6] = [
    "7x6n4_end-easy",
    "7x6n4_middle-easy",
    "7x6n4_middle-medium",
    "7x6n4_begin-easy",
    "7x6n4_begin-medium",
    "7x6n4_begin-hard",
];

/// The number of positions of a random set.
const RANDOM_POSITIONS: usize = 200;

struct Options {
    first: usize,
    table_bytes: usize,
    with_peer: bool,
    /// The maximum time of a position.
    limit: Option<Duration>,
    seed: u64,
}

fn main() -> ExitCode {
    let mut options = Options {
        first: usize::MAX,
        table_bytes: 128 << 20,
        with_peer: true,
        limit: None,
        seed: 1,
    };
    let mut sets = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || -> u64 {
            let number = arguments.next().and_then(|text| text.parse().ok());
            number.unwrap_or_else(|| panic!("{argument} takes a number"))
        };
        match argument.as_str() {
            "--first" => options.first = number() as usize,
            "--mib" => options.table_bytes = (number() as usize) << 20,
            "--ms" => options.limit = Some(Duration::from_millis(number())),
            "--seed" => options.seed = number(),
            "--alone" => options.with_peer = false,
            // `cargo bench` adds it.
            "--bench" => {}
            _ => sets.push(argument),
        }
    }
    if sets.is_empty() {
        sets = SETS.map(str::to_owned).to_vec();
    }
    println!(
        "{:22} {:>9} {:>6} {:>14} {:>12} {:>12} {:>6}",
        "set", "positions", "solved", "searched", "time", "peer", "ratio"
    );
    let mut wrong = 0;
    for set in sets {
        wrong += measure(&set, &options);
    }
    ExitCode::from(u8::from(wrong > 0))
}

/// The game of a set, and its positions as columns with their scores, if known.
fn read(set: &str, seed: u64) -> (Trilobite, Vec<(String, Option<i32>)>) {
    let (board, name) = set.split_once('_').expect("WIDTHxHEIGHTnWIN_NAME");
    let sizes = board.split(['x', 'n']);
    let sizes: Vec<u8> = sizes.map(|size| size.parse().expect("a size")).collect();
    let game = Trilobite::new(sizes[0], sizes[1], sizes[2]).expect("a board");
    if name == "random" {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let positions = (0..RANDOM_POSITIONS).map(|_| {
            let chips = rng.random_range(4..=game.cells() - 8);
            (random_columns(&game, chips, &mut rng), None)
        });
        return (game, positions.collect());
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/solver");
    let text = std::fs::read_to_string(folder.join(format!("{set}.txt"))).expect("a set");
    let positions = text.lines().map(|line| {
        let (columns, score) = line.split_once(' ').expect("columns and a score");
        let score = score.parse().expect("a score");
        (columns.trim_matches('-').to_owned(), Some(score))
    });
    (game, positions.collect())
}

/// The columns of an unfinished game of so many random moves.
fn random_columns(game: &Trilobite, chips: u8, rng: &mut ChaCha8Rng) -> String {
    'games: loop {
        let mut position = game.empty();
        let mut columns = String::new();
        for _ in 0..chips {
            let moves: Vec<_> = game.legal_actions(&position).collect();
            let column = moves[rng.random_range(0..moves.len())];
            columns += &(column.number() + 1).to_string();
            position = game.apply(&position, column, ());
            if game.status(&position).is_over() {
                continue 'games;
            }
        }
        return columns;
    }
}

/// Solves the first positions of a set; returns the number of wrong scores.
fn measure(set: &str, options: &Options) -> usize {
    let (game, positions) = read(set, options.seed);
    let mut solver = Solver::new(&game, options.table_bytes);
    let is_standard = (game.width(), game.height(), game.win()) == (7, 6, 4);
    let mut peer = (options.with_peer && is_standard).then(connect_four_ai::Solver::empty);
    let (mut count, mut solved, mut nodes, mut wrong) = (0, 0, 0, 0);
    let (mut time, mut peer_time) = (Duration::ZERO, Duration::ZERO);
    for (columns, score) in positions.iter().take(options.first) {
        let position = game.from_columns(columns).expect("a position");
        solver.clear();
        let start = Instant::now();
        let solution = solve(&mut solver, &position, options.limit);
        time += start.elapsed();
        count += 1;
        nodes += solution.nodes;
        let found = solution.bounds.score();
        solved += usize::from(found.is_some());
        let is_right = match (found, score) {
            (Some(found), Some(score)) => found == *score,
            (None, _) => options.limit.is_some(),
            (_, None) => true,
        };
        if !is_right {
            println!("{set}: {columns}: {found:?} instead of {score:?}");
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
        "{set:22} {count:>9} {solved:>6} {:>14.1} {:>12} {:>12} {:>6}",
        nodes as f64 / f64::from(count),
        format!("{:.1?}", mean(time)),
        peer_mean.map_or(String::new(), |mean| format!("{mean:.1?}")),
        peer_mean.map_or(String::new(), |peer| {
            format!("{:.3}", mean(time).as_secs_f64() / peer.as_secs_f64())
        }),
    );
    wrong
}

fn solve(solver: &mut Solver, position: &Position, limit: Option<Duration>) -> Solution {
    let stop = StopToken::new();
    let Some(limit) = limit else {
        return solver.solve(position, u64::MAX, &stop);
    };
    let (end, ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let stop = &stop;
        scope.spawn(move || {
            if ended.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
                stop.request_stop();
            }
        });
        let solution = solver.solve(position, u64::MAX, stop);
        drop(end);
        solution
    })
}
