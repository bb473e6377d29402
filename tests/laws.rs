//! What every game owes, by random play with fixed seeds; a failure prints its seed.

#![allow(clippy::unwrap_used)] // A test that finds nothing to unwrap has failed.

use std::str::FromStr;

use dice_of_doom::game::{Game, Roll, Status};
use dice_of_doom::games::dice_of_doom::{
    Action, DiceOfDoom, Outcome, Refusal, Rules, Setup, SetupError,
};
use dice_of_doom::level::{AnyAction, Level, SearchRng, Strategy};
use dice_of_doom::search::perft;
use rand::SeedableRng;

/// The most plies of one random game.
const PLIES: usize = 400;

/// Plays one random game and holds every position of it to the laws; tells how many there were.
fn check_laws<G>(game: &G, start: G::Position, rng: &mut SearchRng, at: &str) -> usize
where
    G: Roll,
    <G::Action as FromStr>::Err: std::fmt::Debug,
    <G::Roll as FromStr>::Err: std::fmt::Debug,
{
    let mut position = start;
    for ply in 0..PLIES {
        let at = format!("{at}, ply {ply}");
        let actions: Vec<G::Action> = game.actions(&position).collect();
        match game.status(&position) {
            Status::Turn(player) => {
                assert!(player.number() < game.players(), "{at}");
                assert!(!actions.is_empty(), "{at}: on turn without an action");
            }
            Status::Over(payoffs) => {
                assert!(actions.is_empty(), "{at}: over with an action");
                assert!(payoffs.winners().count() > 0, "{at}: nobody wins");
                return ply;
            }
        }
        for (index, &action) in actions.iter().enumerate() {
            assert!(!actions[..index].contains(&action), "{at}: {action} twice");
            check_action(game, &position, action, rng, &at);
        }
        let action = AnyAction.choose(game, &position, rng).action;
        let roll = game.roll(&position, action, rng);
        let outcome = game
            .outcome(&position, action, &roll)
            .expect("our own roll fits");
        position = game.play(&position, action, outcome);
    }
    PLIES
}

fn check_action<G>(
    game: &G,
    position: &G::Position,
    action: G::Action,
    rng: &mut SearchRng,
    at: &str,
) where
    G: Roll,
    <G::Action as FromStr>::Err: std::fmt::Debug,
    <G::Roll as FromStr>::Err: std::fmt::Debug,
{
    let lottery: Vec<(G::Outcome, f64)> = game.lottery(position, action).collect();
    let sum: f64 = lottery.iter().map(|&(_, probability)| probability).sum();
    assert!((sum - 1.0).abs() < 1e-12, "{at}: {action} sums to {sum}");
    for &(outcome, probability) in &lottery {
        assert!(
            (0.0..=1.0).contains(&probability),
            "{at}: {action} {outcome:?}"
        );
        assert_ne!(
            game.play(position, action, outcome),
            *position,
            "{at}: {action} does nothing"
        );
    }
    assert_eq!(
        action.to_string().parse::<G::Action>().unwrap(),
        action,
        "{at}"
    );
    let roll = game.roll(position, action, rng);
    assert_eq!(
        roll.to_string().parse::<G::Roll>().unwrap(),
        roll,
        "{at}: {action}"
    );
    let decided = game
        .outcome(position, action, &roll)
        .expect("our own roll fits");
    assert!(
        lottery.iter().any(|&(outcome, _)| outcome == decided),
        "{at}: {action} {roll}"
    );
    let sampled = game.sample(position, action, rng);
    assert!(
        lottery.iter().any(|&(outcome, _)| outcome == sampled),
        "{at}: {action}"
    );
}

fn every_game() -> impl Iterator<Item = DiceOfDoom> {
    Rules::ALL.into_iter().flat_map(|rules| {
        let numbers = [
            (2, 2, 3),
            (3, 3, 2),
            (4, 4, 5),
            (5, 4, 5),
            (6, 6, 8),
            (8, 5, 8),
        ];
        let others = numbers.into_iter().map(move |(side, players, dice)| {
            DiceOfDoom::new(rules, side, players, dice).expect("a possible game")
        });
        others.chain([DiceOfDoom::preset(rules)])
    })
}

#[test]
fn dice_of_doom_keeps_the_laws() {
    for game in every_game() {
        for seed in 0..6 {
            let mut rng = SearchRng::seed_from_u64(seed);
            let start = game.deal(&mut rng).expect("a board with an attack");
            let plies = check_laws(&game, start, &mut rng, &format!("{game:?}, seed {seed}"));
            assert!(plies > 0, "a dealt game begins");
        }
    }
}

#[test]
fn judging_agrees_with_the_list() {
    for game in every_game() {
        let mut rng = SearchRng::seed_from_u64(7);
        let mut position = game.deal(&mut rng).expect("a board with an attack");
        for _ in 0..60 {
            let listed: Vec<Action> = game.actions(&position).collect();
            let hexes: Vec<_> = game.all_hexes().collect();
            let attacks = hexes
                .iter()
                .flat_map(|&from| hexes.iter().map(move |&to| Action::Attack { from, to }));
            for action in attacks.chain([Action::EndTurn]) {
                let judged = game.judge(&position, action).is_ok();
                assert_eq!(
                    judged,
                    listed.contains(&action),
                    "{game:?} {position:?} {action}"
                );
            }
            if listed.is_empty() {
                break;
            }
            let action = AnyAction.choose(&game, &position, &mut rng).action;
            let outcome = game.sample(&position, action, &mut rng);
            position = game.play(&position, action, outcome);
        }
    }
}

#[test]
fn reinforced_hexes_are_those_that_grow() {
    for game in every_game() {
        let mut rng = SearchRng::seed_from_u64(11);
        let mut position = game.deal(&mut rng).expect("a board with an attack");
        for _ in 0..200 {
            let Some(action) = game.actions(&position).next() else {
                break;
            };
            let outcome = game.sample(&position, action, &mut rng);
            let after = game.play(&position, action, outcome);
            if action == Action::EndTurn {
                let grown: Vec<_> = game
                    .all_hexes()
                    .map(|hex| (hex, after.dice(hex) - position.dice(hex)))
                    .filter(|&(_, dice)| dice > 0)
                    .collect();
                assert_eq!(game.reinforced(&position), grown, "{game:?}");
            }
            position = after;
        }
    }
}

#[test]
fn levels_choose_what_is_legal() {
    for game in every_game().filter(|game| game.side() <= 5) {
        for level in Level::ALL {
            let mut rng = SearchRng::seed_from_u64(3);
            let mut position = game.deal(&mut rng).expect("a board with an attack");
            for _ in 0..8 {
                if game.status(&position).is_over() {
                    break;
                }
                let action = level.choose(&game, &position, &mut rng);
                assert_eq!(
                    game.judge(&position, action),
                    Ok(()),
                    "{game:?} {level} {action}"
                );
                let outcome = game.sample(&position, action, &mut rng);
                position = game.play(&position, action, outcome);
            }
        }
    }
}

#[test]
fn rolls_that_do_not_fit_decide_nothing() {
    let setup = Setup::start(vec![(0, 2), (1, 1), (0, 1), (1, 1)]);
    let rolled = DiceOfDoom::new(Rules::V4, 2, 2, 3).unwrap();
    let sure = DiceOfDoom::new(Rules::V2, 2, 2, 3).unwrap();
    let start = rolled.position(&setup).unwrap();
    let attack: Action = "0-1".parse().unwrap();
    let outcome = |game: &DiceOfDoom, action, roll: &str| {
        game.outcome(&start, action, &roll.parse().unwrap())
    };
    assert_eq!(outcome(&rolled, attack, "1 2/2"), Some(Outcome::Won));
    // The defender wins ties.
    assert_eq!(outcome(&rolled, attack, "1 1/2"), Some(Outcome::Lost));
    for roll in ["", "1/1", "1 1 1/1", "1 1/1 1"] {
        assert_eq!(outcome(&rolled, attack, roll), None, "{roll:?}");
    }
    assert_eq!(outcome(&rolled, Action::EndTurn, ""), Some(Outcome::Sure));
    assert_eq!(outcome(&rolled, Action::EndTurn, "1 2/2"), None);
    assert_eq!(outcome(&sure, attack, ""), Some(Outcome::Won));
    assert_eq!(outcome(&sure, attack, "1 2/2"), None);
}

#[test]
fn refusals_say_why() {
    // a-2 b-3
    //  a-1 b-1
    let setup = Setup::start(vec![(0, 2), (1, 3), (0, 1), (1, 1)]);
    let game = DiceOfDoom::new(Rules::V2, 2, 2, 3).unwrap();
    let start = game.position(&setup).unwrap();
    let refused = |action: &str| {
        let refusal = game.judge(&start, action.parse().unwrap()).unwrap_err();
        (refusal, refusal.to_string())
    };
    let hex = |number| game.hex(number).unwrap();
    assert_eq!(game.judge(&start, "0-3".parse().unwrap()), Ok(()));
    assert_eq!(refused("pass").0, Refusal::NothingToPass);
    assert_eq!(refused("1-0").0, Refusal::NotYourHex { hex: hex(1) });
    assert_eq!(refused("2-3").1, "hex 2 has one die and cannot attack");
    assert_eq!(refused("0-2").0, Refusal::OwnTarget { to: hex(2) });
    assert_eq!(
        refused("0-1").0,
        Refusal::TooFewDice {
            from: hex(0),
            to: hex(1)
        }
    );
    assert_eq!(refused("0-4").1, "there is no hex 4");
    let over = game
        .position(&Setup::start(vec![(0, 1), (1, 3), (0, 1), (1, 1)]))
        .unwrap();
    assert_eq!(game.judge(&over, Action::EndTurn), Err(Refusal::GameOver));
}

#[test]
fn conquest_goes_on_until_nobody_dares() {
    // a-1 b-1
    //  a-1 b-1
    let game = DiceOfDoom::new(Rules::Conquest, 2, 3, 5).unwrap();
    let mut setup = Setup::start(vec![(0, 1), (1, 1), (0, 1), (1, 1)]);
    let mut position = game.position(&setup).unwrap();
    // Player c owns nothing and is skipped; two owners may be quiet for sixteen turns.
    for turn in 0..16 {
        assert_eq!(position.quiet(), turn);
        assert_eq!(position.player().number(), turn % 2);
        assert_eq!(game.actions(&position).next(), Some(Action::EndTurn));
        position = game.play(&position, Action::EndTurn, Outcome::Sure);
    }
    assert!(game.status(&position).is_over());
    assert_eq!(game.actions(&position).count(), 0);
    // A turn with an attack starts the count again.
    setup.board[0] = (0, 5);
    setup.quiet = Some(15);
    let daring = game.position(&setup).unwrap();
    let attacked = game.play(&daring, "0-1".parse().unwrap(), Outcome::Won);
    assert_eq!(
        game.play(&attacked, Action::EndTurn, Outcome::Sure).quiet(),
        0
    );
    let v4 = DiceOfDoom::new(Rules::V4, 2, 3, 5).unwrap();
    assert_eq!(v4.position(&setup), Err(SetupError::Quiet));
}

#[test]
fn impossible_games_and_positions_are_refused() {
    let game = |side, players, dice| DiceOfDoom::new(Rules::V4, side, players, dice).unwrap_err();
    assert_eq!(game(1, 2, 3), SetupError::Side(1));
    assert_eq!(game(9, 2, 3), SetupError::Side(9));
    assert_eq!(game(5, 7, 3), SetupError::Players(7));
    assert_eq!(game(5, 4, 9), SetupError::MaxDice(9));
    assert_eq!(
        game(2, 5, 5),
        SetupError::TooFewHexes {
            hexes: 4,
            players: 5
        }
    );
    let game = DiceOfDoom::new(Rules::V4, 2, 2, 3).unwrap();
    let wrong = |change: &dyn Fn(&mut Setup)| {
        let mut setup = Setup::start(vec![(0, 2), (1, 1), (0, 1), (1, 1)]);
        change(&mut setup);
        game.position(&setup).unwrap_err()
    };
    assert_eq!(
        wrong(&|setup| setup.board.truncate(3)),
        SetupError::BoardLength {
            given: 3,
            expected: 4
        }
    );
    assert_eq!(
        wrong(&|setup| setup.board[1] = (2, 1)),
        SetupError::Owner { hex: 1, owner: 2 }
    );
    let dice = |dice| SetupError::Dice {
        hex: 2,
        dice,
        max_dice: 3,
    };
    assert_eq!(wrong(&|setup| setup.board[2] = (0, 0)), dice(0));
    assert_eq!(wrong(&|setup| setup.board[2] = (0, 4)), dice(4));
    assert_eq!(wrong(&|setup| setup.player = 2), SetupError::Player(2));
}

#[test]
fn perft_counts() {
    let start = |game: &DiceOfDoom| game.deal(&mut SearchRng::seed_from_u64(1)).unwrap();
    let counts = |rules| {
        let game = DiceOfDoom::preset(rules);
        let start = start(&game);
        [0, 1, 2, 3].map(|plies| perft(&game, &start, plies))
    };
    let found = Rules::ALL.map(counts);
    assert_eq!(found, PERFT);
}

/// Plies 0 to 3 from the board that seed 1 deals, for each preset.
const PERFT: [[u64; 4]; 5] = [
    [1, 3, 3, 0],
    [1, 4, 12, 46],
    [1, 9, 65, 362],
    [1, 16, 174, 1848],
    [1, 17, 229, 4577],
];
