//! Compares the bitboard implementation with an oracle that works hex by hex, on random positions of every
//! preset with sides 2–8, 2–6 players and up to 2–8 dice.
//!
//! `DOD_POSITIONS` sets the number of positions (default 100,000). A failure prints the position's number, from
//! which it can be reproduced alone.

use std::thread;

use dice_of_doom_core::game::{Game, Player};
use dice_of_doom_core::level::AgentRng;
use dice_of_doom_core::search::{SearchResult, StaticEvaluation, alpha_beta, expectimax_in, perft};
use dice_of_doom_core::tree::{GameTree, LazyTree};
use dice_of_doom_games::dice_of_doom::{
    Action, DiceOfDoom, Hex, Position, Rules, Setup, dice, land_of_lisp,
    land_of_lisp::score::BookScore,
};
use rand::Rng;

use crate::oracle::{self, Oracle, PlainScore};

fn positions() -> u64 {
    let variable = std::env::var("DOD_POSITIONS").ok();
    variable.map_or(100_000, |variable| {
        variable.parse().expect("DOD_POSITIONS is a number")
    })
}

/// A random game and position, determined by the number: any rules, side 2 to 8, 2 to 6 players, up to 2 to 8
/// dice. Often some players own no hexes, and dice are few or many.
pub(crate) fn random_position(number: u64) -> (DiceOfDoom, Setup) {
    let mut rng = AgentRng::seed_from_u64(number);
    let mut below = |bound: u64| rng.next_u64() % bound;
    let rules = Rules::ALL[below(5) as usize];
    let side = 2 + below(7) as u8;
    let players = (2 + below(5) as u8).min(side * side);
    let max_dice = 2 + below(7) as u8;
    let game = DiceOfDoom::new(rules, side, players, max_dice).unwrap();
    let owners = 1 + below(u64::from(players));
    let (fewest, most) = match below(4) {
        0 => (1, 2),
        1 => (max_dice - 1, max_dice),
        _ => (1, max_dice),
    };
    let cell = |_| {
        let dice = fewest + below(u64::from(most - fewest + 1)) as u8;
        (below(owners) as u8, dice)
    };
    let setup = Setup {
        board: (0..side * side).map(cell).collect(),
        player: below(u64::from(players)) as u8,
        spare: if below(100) == 0 {
            u16::MAX
        } else {
            below(20) as u16
        },
        first_move: below(2) == 0,
        quiet: (rules == Rules::Conquest).then(|| below(50) as u8),
    };
    (game, setup)
}

/// Calls `check` with every number below `numbers`, on two threads.
fn for_each(numbers: u64, check: impl Fn(u64) + Sync) {
    thread::scope(|scope| {
        for first in 0..2 {
            let check = &check;
            scope.spawn(move || (first..numbers).step_by(2).for_each(check));
        }
    });
}

#[test]
fn packed_boards_agree_with_the_oracle() {
    for_each(positions(), |number| {
        let (game, setup) = random_position(number);
        let at = || format!("position {number}: {game:?} {setup:?}");
        let oracle = Oracle::of(&game);
        let (packed, plain) = (game.position(&setup).unwrap(), oracle.position(&setup));
        assert_eq!(game.setup(&packed), setup, "{}", at());
        check_cells(&game, &packed, &oracle, &plain, &at);
        check_facts(&game, &packed, &oracle, &plain, &at);
        let actions: Vec<Action> = game.legal_actions(&packed).collect();
        let expected: Vec<Action> = oracle.legal_actions(&plain).collect();
        assert_eq!(actions, expected, "{}", at());
        for action in actions {
            let at = || format!("{}, {action}", at());
            let all_outcomes: Vec<_> = game.chance_outcomes(&packed, action).collect();
            let outcomes: Vec<_> = all_outcomes.iter().map(|&(outcome, _)| outcome).collect();
            let listed: Vec<_> = oracle
                .chance_outcomes(&plain, action)
                .map(|(outcome, _)| outcome)
                .collect();
            assert_eq!(outcomes, listed, "{}", at());
            if let (Action::Attack { from, to }, [(_, won), _]) = (action, &all_outcomes[..]) {
                let dice = |hex: Hex| plain.cells[usize::from(hex.number())].1;
                let probability = dice::win_probability(dice(from), dice(to));
                assert_eq!(*won, probability, "{}", at());
            }
            for outcome in outcomes {
                let after = game.apply(&packed, action, outcome);
                let expected = oracle.apply(&plain, action, outcome);
                check_cells(&game, &after, &oracle, &expected, &|| {
                    format!("{} {outcome:?}", at())
                });
            }
        }
    });
}

/// Compares all cells of a position, the side to move and the status.
fn check_cells(
    game: &DiceOfDoom,
    packed: &Position,
    oracle: &Oracle,
    plain: &oracle::Position,
    at: &impl Fn() -> String,
) {
    for (hex, &expected) in game.all_hexes().zip(&plain.cells) {
        let cell = (packed.owner(hex), packed.dice(hex));
        assert!(cell == expected, "{}: hex {hex}", at());
    }
    let rest = (packed.player(), packed.spare(), packed.quiet());
    assert!(rest == (plain.player, plain.spare, plain.quiet), "{}", at());
    assert_eq!(packed.first_move(), plain.first_move, "{}", at());
    let status = game.status(packed);
    assert!(status == oracle.status(plain), "{}: {status:?}", at());
}

/// Compares the derived facts of a position.
fn check_facts(
    game: &DiceOfDoom,
    packed: &Position,
    oracle: &Oracle,
    plain: &oracle::Position,
    at: &impl Fn() -> String,
) {
    let numbers = |hexes: Vec<Hex>| -> Vec<usize> {
        hexes
            .into_iter()
            .map(|hex| usize::from(hex.number()))
            .collect()
    };
    for player in Player::all(game.players()) {
        let at = || format!("{}, player {player}", at());
        let own = oracle.owned(plain, player);
        let dice = own.iter().map(|&hex| u32::from(plain.cells[hex].1)).sum();
        assert_eq!(
            game.hex_and_dice_count(packed, player),
            (own.len() as u32, dice),
            "{}",
            at()
        );
        let cluster = numbers(game.cluster(packed, player));
        assert_eq!(cluster, oracle.cluster(plain, player), "{}", at());
        let threatened = numbers(game.threatened(packed, player));
        assert_eq!(threatened, oracle.threatened(plain, player), "{}", at());
        let score = BookScore.evaluate(game, packed, player);
        assert_eq!(
            score,
            PlainScore.evaluate(oracle, plain, player),
            "{}",
            at()
        );
    }
    assert_eq!(game.winners(packed), oracle.winners(plain), "{}", at());
    let (hexes, dice): (Vec<Hex>, Vec<u8>) = game.reinforced(packed).into_iter().unzip();
    assert_eq!(numbers(hexes), oracle.reinforced(plain), "{}", at());
    assert!(dice.iter().all(|&dice| dice == 1), "{}: {dice:?}", at());
}

#[test]
fn packed_boards_have_the_perft_counts_of_the_oracle() {
    for_each(positions() / 200, |number| {
        let (game, setup) = random_position(number);
        let (packed, oracle) = (game.position(&setup).unwrap(), Oracle::of(&game));
        let plain = oracle.position(&setup);
        for plies in 0..=2 {
            assert_eq!(
                perft(&game, &packed, plies),
                perft(&oracle, &plain, plies),
                "position {number}, {plies} plies: {game:?} {setup:?}"
            );
        }
    });
}

#[test]
fn the_books_ratings_equal_those_of_the_plain_search() {
    for_each(positions() / 20, |number| {
        let (game, setup) = random_position(number);
        let at = || format!("position {number}: {game:?} {setup:?}");
        let position = game.position(&setup).unwrap();
        let oracle = Oracle::of(&game);
        // With dice, depth 2 has a specialised search; without dice, any depth.
        let plies = if game.rules().is_rolled() {
            2
        } else {
            (number / 2 % 4) as u32
        };
        let result = land_of_lisp::analyse_at_depth(&game, &position, plies);
        if game.rules().is_rolled() {
            let reference = land_of_lisp::expectimax_f32(&game, &position, plies);
            assert_eq!(bits(&result), bits(&reference), "{}", at());
        }
        let player = position.player();
        let tree = LazyTree::new(&oracle, oracle.position(&setup)).limit_depth(plies);
        let reference = if game.rules().is_rolled() {
            expectimax_in::<f32, _>(&tree, &PlainScore, player)
        } else {
            alpha_beta(&tree, &PlainScore, player)
        };
        assert_eq!(bits(&result), bits(&reference), "{}", at());
    });
}

type Bits = (Vec<(Action, u64)>, Option<usize>, u64);

/// A search result with the exact bits of its ratings, and its node count.
fn bits(analysis: &SearchResult<Action>) -> Bits {
    let ratings = analysis.ratings.iter();
    let ratings = ratings.map(|&(action, value)| (action, value.to_bits()));
    (ratings.collect(), analysis.chosen, analysis.nodes)
}
