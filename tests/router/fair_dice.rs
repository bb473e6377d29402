//! Statistical tests of the server's dice: faces, pairs and attacks are compared with their expected frequencies.
//!
//! `DOD_ROLLS=1000000 cargo test --test router fair_dice::` rolls 1,000,000 dice, and a tenth as many attacks for
//! each cell of the table of odds. The default is 50,000.

use dice_of_doom::chi_squared::p_value;
use dice_of_doom::game::{Player, RecordableGame as _};
use dice_of_doom::provably_fair::{
    CommittedSeed, EntropyInput, GameDice, RollContext, RollInput, Salt, Sha256Digest,
};
use dice_of_doom::rng::DiceSeed;
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Rules, Setup};

/// Fixed, so that a failure can be reproduced.
const SEED: u8 = 7;

fn rolls() -> u32 {
    let setting = std::env::var("DOD_ROLLS").ok();
    setting.map_or(50_000, |rolls| rolls.parse().unwrap())
}

fn dice(seed: u8) -> GameDice {
    let committed = CommittedSeed {
        seed: DiceSeed::from_bytes([seed; 32]),
        salt: Salt::from_bytes([0; 32]),
    };
    let table = RollContext {
        game: "0123456789".to_owned(),
        deal: Sha256Digest::compute(b"a deal"),
    };
    GameDice::Committed(committed, table)
}

/// A throw after `plies` plies. The position is the same for all of them, because it does not matter here.
fn throw<'a>(entropy: &'a [EntropyInput<'a>], plies: u32) -> RollInput<'a> {
    RollInput {
        entry: plies,
        plies,
        position: "a3b1/a1b2 a 0 1",
        action: "0-1",
        entropy,
    }
}

/// Draws one face in the way the games do.
fn face(dice: &mut impl rand::Rng) -> usize {
    loop {
        let mut byte = [0];
        dice.fill_bytes(&mut byte);
        if byte[0] < 252 {
            return usize::from(byte[0] % 6);
        }
    }
}

#[track_caller]
fn assert_fair(what: &str, counts: &[u64], shares: &[f64]) {
    let p = p_value(counts, shares);
    println!(
        "{what}: p = {p:.4} of {} counted",
        counts.iter().sum::<u64>()
    );
    assert!(p > 1e-4, "{what}: p = {p}, seed {SEED}, {counts:?}");
}

#[test]
fn faces_and_pairs_are_uniform() {
    let dice = dice(SEED);
    let (mut faces, mut within_roll, mut between_rolls) = ([0; 6], [0; 36], [0; 36]);
    let mut before = None;
    // Nine dice per entry, so that some entries need a second hash block.
    for entry in 0..rolls() / 9 {
        let mut roll = dice.rng_for_roll(&throw(&[], entry));
        let thrown: [usize; 9] = std::array::from_fn(|_| face(&mut roll));
        for face in thrown {
            faces[face] += 1;
        }
        for pair in thrown.windows(2) {
            within_roll[6 * pair[0] + pair[1]] += 1;
        }
        if let Some(before) = before.replace(thrown[0]) {
            between_rolls[6 * before + thrown[0]] += 1;
        }
    }
    assert_fair("faces", &faces, &[1.0 / 6.0; 6]);
    assert_fair("pairs within a roll", &within_roll, &[1.0 / 36.0; 36]);
    assert_fair("pairs of rolls", &between_rolls, &[1.0 / 36.0; 36]);
}

#[test]
fn entropy_text_changes_every_face_uniformly() {
    let dice = dice(SEED);
    let mut pairs = [0; 36];
    for entry in 1..=rolls() / 10 {
        let entropy = EntropyInput {
            entry: 0,
            player: Player::FIRST,
            text: "tea at five, 1987",
        };
        let without = face(&mut dice.rng_for_roll(&throw(&[], entry)));
        let with = face(&mut dice.rng_for_roll(&throw(&[entropy], entry)));
        pairs[6 * without + with] += 1;
    }
    assert_fair(
        "the same entry with and without entropy text",
        &pairs,
        &[1.0 / 36.0; 36],
    );
}

#[test]
fn attacks_win_as_often_as_the_table_of_odds_states() {
    let game = DiceOfDoom::new(Rules::V4, 2, 2, 8).unwrap();
    let action: Action = "0-1".parse().unwrap();
    let dice = dice(SEED);
    let attacks = rolls() / 10;
    let mut entry = 0;
    for attack in 2..=8_u8 {
        for defend in 1..=8_u8 {
            let board = vec![(0, attack), (1, defend), (0, 1), (1, 1)];
            let position = game.position(&Setup::start(board)).unwrap();
            let mut won = 0;
            for _ in 0..attacks {
                let roll = game.roll(
                    &position,
                    action,
                    &mut dice.rng_for_roll(&throw(&[], entry)),
                );
                won += u64::from(roll.throw().unwrap().attacker_wins());
                entry += 1;
            }
            let (from, to) = (game.hex(0).unwrap(), game.hex(1).unwrap());
            let odds = game.attack_win_probability(&position, from, to).unwrap();
            let counts = [won, u64::from(attacks) - won];
            assert_fair(
                &format!("{attack} against {defend}"),
                &counts,
                &[odds, 1.0 - odds],
            );
        }
    }
}
