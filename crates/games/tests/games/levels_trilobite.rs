//! Tests of the levels of Trilobite and of their evaluator.

use std::num::NonZeroU64;

use dice_of_doom_core::game::{Game, Player, Status};
use dice_of_doom_core::level::{
    AgentProvider, AgentRng, ChosenAction, Level, RandomAgent, SearchLimit,
};
use dice_of_doom_core::search::{PositionEvaluator, StopToken};
use dice_of_doom_games::trilobite::evaluator::ThreatEvaluator;
use dice_of_doom_games::trilobite::solver::Solver;
use dice_of_doom_games::trilobite::{Column, Position, Setup, Trilobite};

/// Boards of many shapes: flat, narrow, wide, high, and lines of one to more than half a board.
const BOARDS: [(u8, u8, u8); 14] = [
    (1, 1, 1),
    (3, 3, 1),
    (4, 4, 2),
    (3, 3, 3),
    (5, 4, 4),
    (7, 6, 4),
    (8, 7, 4),
    (9, 6, 5),
    (7, 7, 5),
    (64, 1, 3),
    (64, 1, 40),
    (1, 127, 64),
    (21, 5, 4),
    (8, 15, 6),
];

fn game(width: u8, height: u8, win: u8) -> Trilobite {
    Trilobite::new(width, height, win).unwrap()
}

/// The columns that a level chooses with different seeds, counted from 1.
fn choices(level: Level, columns: &str) -> Vec<u8> {
    let game = game(8, 7, 4);
    let position = game.from_columns(columns).unwrap();
    let chosen = (0..8).map(|seed| {
        let mut rng = AgentRng::seed_from_u64(seed);
        level.choose_action(&game, &position, &mut rng).number() + 1
    });
    let mut chosen: Vec<u8> = chosen.collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// The positions of a game of random columns.
fn random_positions(game: &Trilobite, seed: u64) -> Vec<Position> {
    let mut rng = AgentRng::seed_from_u64(seed);
    let mut positions = Vec::new();
    let mut position = game.empty();
    while let Status::Turn(_) = game.status(&position) {
        positions.push(position);
        let column = RandomAgent::random_action(game, &position, &mut rng);
        position = game.apply(&position, column, ());
    }
    positions
}

/// The first player's payoff in a game between two levels, 1 for a win.
fn payoff(game: &Trilobite, first: Level, second: Level, seed: u64) -> f64 {
    let mut agents = [first, second].map(Trilobite::agent);
    let mut rng = AgentRng::seed_from_u64(seed);
    let mut position = game.empty();
    loop {
        match game.status(&position) {
            Status::Over(payoffs) => return payoffs.payoff(Player::FIRST),
            Status::Turn(mover) => {
                let agent = &mut agents[usize::from(mover.number())];
                let stop = StopToken::new();
                let choice =
                    agent.choose_action(game, &position, SearchLimit::Default, &mut rng, &stop);
                position = game.apply(&position, choice.action, ());
            }
        }
    }
}

#[test]
fn completing_a_line_takes_precedence_over_blocking() {
    for level in [
        Level::Greedy,
        Level::Steady,
        Level::Expert,
        Level::Master,
        Level::Perfect,
    ] {
        // The mover has three in column 1, the opponent in column 2.
        assert_eq!(choices(level, "121212"), [1], "{level}");
    }
}

#[test]
fn an_opponents_line_is_blocked() {
    for level in [
        Level::Greedy,
        Level::Steady,
        Level::Expert,
        Level::Master,
        Level::Perfect,
    ] {
        assert_eq!(choices(level, "18171"), [1], "{level}");
    }
}

#[test]
fn an_open_pair_of_the_opponent_is_prevented() {
    // 2 . . 1 1 . . .    without a chip in c or f two ends must be blocked
    for level in [Level::Steady, Level::Expert, Level::Master] {
        let chosen = choices(level, "415");
        assert!(
            chosen.iter().all(|column| [3, 6].contains(column)),
            "{level}: {chosen:?}"
        );
    }
}

#[test]
fn a_win_in_three_plies_is_found() {
    // The mover has d and e: c or f makes an open pair.
    for level in [Level::Steady, Level::Expert, Level::Master] {
        let chosen = choices(level, "4151");
        assert!(
            chosen.iter().all(|column| [3, 6].contains(column)),
            "{level}: {chosen:?}"
        );
    }
}

#[test]
fn expert_reaches_the_perfect_result_against_the_book_on_three_by_three() {
    let game = game(3, 3, 3);
    let due = f64::from(best_result(&game, &game.empty()));
    for seed in 0..6 {
        let as_first = payoff(&game, Level::Expert, Level::Book, seed);
        assert!(as_first >= due, "first, seed {seed}");
        let as_second = -payoff(&game, Level::Book, Level::Expert, seed);
        assert!(as_second >= -due, "second, seed {seed}");
    }
}

#[test]
fn a_line_of_one_and_a_single_column_are_played() {
    for (width, height, win) in BOARDS {
        let game = game(width, height, win);
        for level in [Level::Greedy, Level::Steady] {
            let payoff = payoff(&game, level, Level::Random, 3);
            assert!(win > 1 || payoff == 1.0, "{level} at {width}×{height}");
        }
    }
}

#[test]
fn perfect_never_loses_a_drawn_game_and_wins_a_won_one() {
    for (win, due) in [(4, 0.0), (3, 1.0)] {
        let game = game(4, 4, win);
        for (seed, other) in (0..4).zip([Level::Random, Level::Book, Level::Master, Level::Perfect])
        {
            let as_first = payoff(&game, Level::Perfect, other, seed);
            assert!(as_first >= due, "first, {other}");
            let as_second = -payoff(&game, other, Level::Perfect, seed);
            assert!(as_second >= -due, "second, {other}");
        }
    }
}

/// The choice of a new agent of the level perfect.
fn perfect_choice(
    game: &Trilobite,
    columns: &str,
    limit: SearchLimit,
    stop: &StopToken,
) -> ChosenAction<Column> {
    let position = game.from_columns(columns).unwrap();
    let mut rng = AgentRng::seed_from_u64(1);
    Trilobite::agent(Level::Perfect).choose_action(game, &position, limit, &mut rng, stop)
}

#[test]
fn perfect_plays_a_move_with_the_highest_score() {
    let game = game(5, 4, 4);
    let stop = StopToken::new();
    for seed in 0..20 {
        let mut agent = Trilobite::agent(Level::Perfect);
        let mut rng = AgentRng::seed_from_u64(seed);
        for position in random_positions(&game, seed) {
            let choice =
                agent.choose_action(&game, &position, SearchLimit::Default, &mut rng, &stop);
            let mut solver = Solver::new(&game, 1 << 20);
            let mut score = |position| {
                let solution = solver.solve(position, u64::MAX, &stop);
                solution.bounds.score().unwrap()
            };
            let after = game.apply(&position, choice.action, ());
            assert_eq!(-score(&after), score(&position), "{position:?}");
            assert!(choice.is_exact, "{position:?}");
        }
    }
}

#[test]
fn perfect_uses_its_evaluator_where_it_cannot_search() {
    let game = game(8, 7, 4);
    let stop = StopToken::new();
    stop.request_stop();
    let one = SearchLimit::Simulations(NonZeroU64::MIN);
    for (limit, stop) in [(SearchLimit::Infinite, &stop), (one, &StopToken::new())] {
        let choice = perfect_choice(&game, "415", limit, stop);
        assert!(
            ["c", "f"].contains(&&*choice.action.to_string()),
            "{choice:?}"
        );
        assert!(!choice.is_exact, "{choice:?}");
    }
}

#[test]
fn win_shares_sum_to_one() {
    for (width, height, win) in BOARDS {
        let game = game(width, height, win);
        for seed in 0..20 {
            for position in random_positions(&game, seed) {
                let shares = ThreatEvaluator.win_shares(&game, &position);
                let [first, second] = [0, 1].map(|player| shares[Player::new(player)]);
                let is_share = |share: f32| (0.0..=1.0).contains(&share);
                assert!(
                    is_share(first) && is_share(second) && (first + second - 1.0).abs() < 1e-6,
                    "{first} and {second} at {position:?} of {width}×{height}, {win}"
                );
            }
        }
    }
}

#[test]
fn mirrored_positions_have_equal_shares() {
    for (width, height, win) in BOARDS {
        let game = game(width, height, win);
        for seed in 0..20 {
            for position in random_positions(&game, seed) {
                let mirrored = mirrored(&game, &position);
                let [here, there] = [position, mirrored]
                    .map(|position| ThreatEvaluator.win_shares(&game, &position));
                assert_eq!(here, there, "{position:?} of {width}×{height}, {win}");
            }
        }
    }
}

fn mirrored(game: &Trilobite, position: &Position) -> Position {
    let setup = game.setup(position);
    let rows = setup.board.chunks(usize::from(game.width()));
    let board = rows.flat_map(|row| row.iter().rev().copied()).collect();
    let last_move = -1;
    let player = setup.player;
    let mirrored = Setup {
        board,
        player,
        last_move,
    };
    game.position(&mirrored).unwrap()
}

#[test]
fn an_evaluated_forced_win_is_real() {
    // A forced win must be real: checked by a search of all replies.
    let game = game(5, 4, 4);
    let mut sure = 0;
    for seed in 0..60 {
        let positions = random_positions(&game, seed);
        for position in positions.iter().rev().take(8) {
            let mover = game.status(position).mover().unwrap();
            let share = ThreatEvaluator.win_shares(&game, position)[mover];
            if (share - 0.5).abs() < 0.4501 {
                continue;
            }
            sure += 1;
            let result = best_result(&game, position);
            assert_eq!(result, if share > 0.5 { 1 } else { -1 }, "{position:?}");
        }
    }
    assert!(sure > 100, "{sure} sure positions");
}

/// The mover's payoff under perfect play.
fn best_result(game: &Trilobite, position: &Position) -> i8 {
    if game.mover_has_lost(position) {
        return -1;
    }
    if game.is_full(position) {
        return 0;
    }
    let mut best = -1;
    for column in game.legal_actions(position) {
        best = best.max(-best_result(game, &game.apply(position, column, ())));
        if best == 1 {
            break;
        }
    }
    best
}
