//! Games of Trilobite's level `perfect` on 7×6 from the empty board, against itself, `steady` and `random` in turn:
//! `cargo bench -p dice-of-doom-games --bench perfect -- [--games N] [--nodes N] [--seed N]`.
//!
//! `perfect` searches at most --nodes positions for each move, by default its own budget. For each opponent prints the
//! results of `perfect` as either player, how many of its moves were not proven to be best, the mean and the longest time
//! of a move, and in how many games it lost a position that was won or drawn, or drew one that was won. A solver without
//! a budget decides that. Exits with 1 if there is such a game.

use std::num::NonZeroU64;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use dice_of_doom_core::game::{Game, Player, Status};
use dice_of_doom_core::level::{AgentProvider, AgentRng, Level, SearchLimit};
use dice_of_doom_core::search::StopToken;
use dice_of_doom_games::trilobite::solver::{ScoreBounds, Solver};
use dice_of_doom_games::trilobite::{Position, Trilobite};

const OPPONENTS: [Level; 3] = [Level::Perfect, Level::Steady, Level::Random];

const TABLE_BYTES: usize = 1 << 30;

/// The results of `perfect` in one seat against one opponent.
#[derive(Default)]
struct Tally {
    /// Wins, draws and losses.
    results: [u32; 3],
    moves: u32,
    unproven: u32,
    failures: u32,
    time: Duration,
    longest: Duration,
}

/// A move of `perfect`.
struct Decision {
    position: Position,
    is_exact: bool,
    time: Duration,
}

fn main() -> ExitCode {
    let (mut games, mut seed, mut limit) = (200, 1, SearchLimit::Default);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || -> u64 {
            let number = arguments.next().and_then(|text| text.parse().ok());
            number.unwrap_or_else(|| panic!("{argument} takes a number"))
        };
        match argument.as_str() {
            "--games" => games = number(),
            "--nodes" => {
                let nodes = NonZeroU64::new(number()).expect("at least one position");
                limit = SearchLimit::Simulations(nodes);
            }
            "--seed" => seed = number(),
            // `cargo bench` adds it.
            "--bench" => {}
            _ => panic!("there is no option {argument}"),
        }
    }
    let game = Trilobite::new(7, 6, 4).expect("a board");
    let mut solver = Solver::new(&game, TABLE_BYTES);
    solver.use_book(true);
    let mut tallies = OPPONENTS.map(|_| [Tally::default(), Tally::default()]);
    for number in 0..games {
        let pair = (number % OPPONENTS.len() as u64) as usize;
        let opponent = OPPONENTS[pair];
        let perfect_first = (number / OPPONENTS.len() as u64).is_multiple_of(2);
        let levels = match perfect_first {
            true => [Level::Perfect, opponent],
            false => [opponent, Level::Perfect],
        };
        let (payoff, decisions) = play(&game, levels, limit, seed + number);
        for (player, decisions) in decisions.into_iter().enumerate() {
            if levels[player] == Level::Perfect {
                let payoff = if player == 0 { payoff } else { -payoff };
                tallies[pair][player].add(payoff, &decisions, &mut solver);
            }
        }
    }
    println!("opponent  player  won  drawn  lost  moves  not proven  mean      longest   failures");
    for (opponent, tallies) in OPPONENTS.iter().zip(&tallies) {
        for (player, tally) in (1..).zip(tallies) {
            let [won, drawn, lost] = tally.results;
            let mean = tally.time / tally.moves.max(1);
            println!(
                "{opponent:8}  {player:6}  {won:3}  {drawn:5}  {lost:4}  {:5}  {:10}  {:8}  {:8}  {:8}",
                tally.moves,
                tally.unproven,
                format!("{mean:.1?}"),
                format!("{:.1?}", tally.longest),
                tally.failures
            );
        }
    }
    let failed = tallies.iter().flatten().any(|tally| tally.failures > 0);
    ExitCode::from(u8::from(failed))
}

/// Plays a game; returns the payoff of the first player, 1, 0 or −1, and the decisions of each player of the level
/// `perfect`.
fn play(
    game: &Trilobite,
    levels: [Level; 2],
    limit: SearchLimit,
    seed: u64,
) -> (i32, [Vec<Decision>; 2]) {
    let mut agents = levels.map(Trilobite::agent);
    let mut decisions = [Vec::new(), Vec::new()];
    let mut rng = AgentRng::seed_from_u64(seed);
    let mut position = game.empty();
    let mut columns = String::new();
    loop {
        let mover = match game.status(&position) {
            Status::Over(payoffs) => {
                let payoff = payoffs.payoff(Player::FIRST);
                println!("{} {}: {columns} {payoff}", levels[0], levels[1]);
                return (payoff as i32, decisions);
            }
            Status::Turn(mover) => usize::from(mover.number()),
        };
        let is_perfect = levels[mover] == Level::Perfect;
        let limit = if is_perfect {
            limit
        } else {
            SearchLimit::Default
        };
        let start = Instant::now();
        let stop = StopToken::new();
        let choice = agents[mover].choose_action(game, &position, limit, &mut rng, &stop);
        if is_perfect {
            decisions[mover].push(Decision {
                position,
                is_exact: choice.is_exact,
                time: start.elapsed(),
            });
        }
        columns += &(choice.action.number() + 1).to_string();
        position = game.apply(&position, choice.action, ());
    }
}

impl Tally {
    /// Adds a game with this payoff: 1, 0 or −1.
    fn add(&mut self, payoff: i32, decisions: &[Decision], solver: &mut Solver) {
        self.results[(1 - payoff) as usize] += 1;
        for decision in decisions {
            self.moves += 1;
            self.unproven += u32::from(!decision.is_exact);
            self.time += decision.time;
            self.longest = self.longest.max(decision.time);
        }
        // The last positions are the easiest to solve, and help with earlier ones.
        let mut positions = decisions.iter().rev().map(|decision| &decision.position);
        let has_failed = positions.any(|position| is_score_above(solver, position, payoff));
        self.failures += u32::from(has_failed);
    }
}

/// Whether the outcome of a position under perfect play is better for the mover than this payoff.
fn is_score_above(solver: &mut Solver, position: &Position, payoff: i32) -> bool {
    if payoff == 1 {
        return false;
    }
    let question = ScoreBounds {
        lower: payoff,
        upper: payoff + 1,
    };
    let known = match solver.book_bounds(position) {
        bounds if bounds.lower > payoff => return true,
        bounds if bounds.upper <= payoff => return false,
        _ => question,
    };
    let solution = solver.solve_within(position, known, u64::MAX, &StopToken::new());
    solution.bounds.score() == Some(payoff + 1)
}
