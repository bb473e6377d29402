//! The packed board against the plain one it replaced, on random positions of every preset with
//! sides 2–8, 2–6 players and up to 2–8 dice.
//!
//! `DOD_POSITIONS` sets how many (100,000 unless told). A failure prints its number: the positions
//! with lower numbers need not be run again to see it.

#![allow(clippy::unwrap_used)] // A test that finds nothing to unwrap has failed.

use std::thread;

use dice_of_doom::game::{Game, Player};
use dice_of_doom::games::dice_of_doom::{
    Action, DiceOfDoom, Hex, Position, Rules, Setup, book, dice, evaluate::BookScore,
};
use dice_of_doom::level::SearchRng;
use dice_of_doom::search::{Analysis, Evaluate};
use rand::Rng;

mod plain;
use plain::{Plain, PlainScore};

fn positions() -> u64 {
    let told = std::env::var("DOD_POSITIONS").ok();
    told.map_or(100_000, |told| {
        told.parse().expect("DOD_POSITIONS is a number")
    })
}

/// A game and a position of it, the same for the same number.
fn drawn(number: u64) -> (DiceOfDoom, Setup) {
    let mut rng = SearchRng::seed_from_u64(number);
    let mut below = |bound: u64| rng.next_u64() % bound;
    let rules = Rules::ALL[below(5) as usize];
    let side = 2 + below(7) as u8;
    let players = (2 + below(5) as u8).min(side * side);
    let max_dice = 2 + below(7) as u8;
    let game = DiceOfDoom::new(rules, side, players, max_dice).unwrap();
    // Often some players own nothing, and dice are few or many.
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

/// Calls `check` with every number below, on two threads.
fn for_each(numbers: u64, check: impl Fn(u64) + Sync) {
    thread::scope(|scope| {
        for first in 0..2 {
            let check = &check;
            scope.spawn(move || (first..numbers).step_by(2).for_each(check));
        }
    });
}

#[test]
fn packed_boards_play_as_plain_ones() {
    for_each(positions(), |number| {
        let (game, setup) = drawn(number);
        let at = || format!("position {number}: {game:?} {setup:?}");
        let plain = Plain::of(&game);
        let (packed, plainly) = (game.position(&setup).unwrap(), plain.position(&setup));
        assert_eq!(game.setup(&packed), setup, "{}", at());
        check_facts(&game, &packed, &plainly, &at);
        let actions: Vec<Action> = game.actions(&packed).collect();
        let expected: Vec<plain::Action> = plain.actions(&plainly).collect();
        assert_eq!(actions.len(), expected.len(), "{}", at());
        for (action, expected) in actions.into_iter().zip(expected) {
            let at = || format!("{}, {action}", at());
            assert_eq!(numbers(action), plain_numbers(expected), "{}", at());
            let outcomes: Vec<_> = game.lottery(&packed, action).collect();
            let listed = plain
                .lottery(&plainly, expected)
                .map(|(outcome, _)| outcome);
            assert!(
                outcomes.iter().map(|&(outcome, _)| outcome).eq(listed),
                "{}",
                at()
            );
            if let (Action::Attack { from, to }, [(_, won), _]) = (action, &outcomes[..]) {
                let odds = dice::exact_odds(plainly.dice(same(from)), plainly.dice(same(to)));
                assert_eq!(*won, odds, "{}", at());
            }
            for &(outcome, _) in &outcomes {
                let after = game.play(&packed, action, outcome);
                let expected = plain.play(&plainly, expected, outcome);
                check_cells(&game, &after, &expected, &|| {
                    format!("{} {outcome:?}", at())
                });
            }
        }
    });
}

fn numbers(action: Action) -> Option<(u8, u8)> {
    match action {
        Action::EndTurn => None,
        Action::Attack { from, to } => Some((from.number(), to.number())),
    }
}

fn plain_numbers(action: plain::Action) -> Option<(u8, u8)> {
    match action {
        plain::Action::EndTurn => None,
        plain::Action::Attack { from, to } => Some((from.number(), to.number())),
    }
}

fn same(hex: Hex) -> plain::Hex {
    plain::Hex::new(hex.number())
}

fn check_cells(
    game: &DiceOfDoom,
    packed: &Position,
    plainly: &plain::Position,
    at: &impl Fn() -> String,
) {
    for hex in game.all_hexes() {
        let cell = (packed.owner(hex), packed.dice(hex));
        let expected = (plainly.owner(same(hex)), plainly.dice(same(hex)));
        assert!(cell == expected, "{}: hex {hex}", at());
    }
    let rest = (packed.player(), packed.spare(), packed.quiet());
    let expected = (plainly.player, plainly.spare, plainly.quiet);
    assert!(rest == expected, "{}", at());
    assert_eq!(packed.first_move(), plainly.first_move, "{}", at());
    let status = game.status(packed);
    assert!(
        status == Plain::of(game).status(plainly),
        "{}: {status:?}",
        at()
    );
}

/// What one may ask of a position, by the plain rules and by the definitions.
fn check_facts(
    game: &DiceOfDoom,
    packed: &Position,
    plainly: &plain::Position,
    at: &impl Fn() -> String,
) {
    check_cells(game, packed, plainly, at);
    let plain = Plain::of(game);
    let plainly_listed =
        |hexes: Vec<plain::Hex>| -> Vec<u8> { hexes.into_iter().map(plain::Hex::number).collect() };
    let listed = |hexes: Vec<Hex>| -> Vec<u8> { hexes.into_iter().map(Hex::number).collect() };
    for player in Player::all(game.players()) {
        let at = || format!("{}, player {player}", at());
        let count = game.count(packed, player);
        assert_eq!(count, plain.count(plainly, player), "{}", at());
        let cluster = listed(game.cluster(packed, player));
        let expected = plainly_listed(plain.cluster(plainly, player));
        assert_eq!(cluster, expected, "{}", at());
        assert_eq!(cluster, largest_cluster(game, packed, player), "{}", at());
        let threatened = listed(game.threatened(packed, player));
        let expected = plainly_listed(plain.threatened(plainly, player));
        assert_eq!(threatened, expected, "{}", at());
        assert_eq!(
            threatened,
            threatened_by_definition(game, packed, player),
            "{}",
            at()
        );
        let score = BookScore.evaluate(game, packed, player);
        let expected = PlainScore.evaluate(&plain, plainly, player);
        assert_eq!(score, expected, "{}", at());
    }
    assert_eq!(game.winners(packed), plain.winners(plainly), "{}", at());
    let grown = game.reinforced(packed).into_iter();
    let expected = plain.reinforced(plainly).into_iter();
    assert!(
        grown
            .map(|(hex, dice)| (hex.number(), dice))
            .eq(expected.map(|(hex, dice)| (hex.number(), dice))),
        "{}",
        at()
    );
}

/// A foreign neighbour has strictly more dice.
fn threatened_by_definition(game: &DiceOfDoom, position: &Position, player: Player) -> Vec<u8> {
    let is_threatened = |&hex: &Hex| {
        let mut around = game.neighbours(hex).iter();
        around.any(|&other| {
            position.owner(other) != player && position.dice(other) > position.dice(hex)
        })
    };
    let own = game
        .all_hexes()
        .filter(|&hex| position.owner(hex) == player);
    own.filter(is_threatened).map(Hex::number).collect()
}

/// From each hex on, over neighbours of the same owner.
fn largest_cluster(game: &DiceOfDoom, position: &Position, player: Player) -> Vec<u8> {
    let mut seen = [false; 64];
    let mut largest: Vec<u8> = Vec::new();
    for start in game.all_hexes() {
        let mut cluster = Vec::new();
        let mut open = vec![start];
        while let Some(hex) = open.pop() {
            let seen = &mut seen[usize::from(hex.number())];
            if position.owner(hex) == player && !*seen {
                *seen = true;
                cluster.push(hex.number());
                open.extend(game.neighbours(hex));
            }
        }
        if cluster.len() > largest.len() {
            largest = cluster;
        }
    }
    largest.sort_unstable();
    largest
}

#[test]
fn the_books_ratings_are_those_of_the_plain_search() {
    for_each(positions() / 20, |number| {
        let (game, setup) = drawn(number);
        let at = || format!("position {number}: {game:?} {setup:?}");
        let position = game.position(&setup).unwrap();
        let plain = Plain::of(&game);
        // Two plies with dice are searched in their own way, without dice any number of them.
        let plies = if game.rules().is_rolled() {
            2
        } else {
            (number / 2 % 4) as u32
        };
        let found = book::rate(&game, &position, plies);
        if game.rules().is_rolled() {
            let reference = book::single_precision(&game, &position, plies);
            assert_eq!(bits(&found, numbers), bits(&reference, numbers), "{}", at());
        }
        let reference = plain.rate(&plain.position(&setup), plies);
        assert_eq!(
            bits(&found, numbers),
            bits(&reference, plain_numbers),
            "{}",
            at()
        );
    });
}

type Bits = (Vec<(Option<(u8, u8)>, u64)>, Option<usize>, u64);

/// An analysis to the last bit of its ratings, its nodes included.
fn bits<A: Copy>(analysis: &Analysis<A>, numbers: impl Fn(A) -> Option<(u8, u8)>) -> Bits {
    let ratings = analysis.ratings.iter();
    let ratings = ratings.map(|&(action, value)| (numbers(action), value.to_bits()));
    (ratings.collect(), analysis.chosen, analysis.nodes)
}
