//! The network: training repeats, goes on where it was interrupted, and its files are checked.

use dice_of_doom_core::game::{Game, Player, Status};
use dice_of_doom_core::level::{Level, RandomAgent};
use dice_of_doom_core::rng::AgentRng;
use dice_of_doom_core::search::PositionEvaluator;
use dice_of_doom_games::dice_of_doom::handcrafted::HandcraftedEvaluator;
use dice_of_doom_games::dice_of_doom::nnue::builtin::{NnueEvaluator, nnue_for};
use dice_of_doom_games::dice_of_doom::nnue::codec::NnueFileError;
use dice_of_doom_games::dice_of_doom::nnue::quantized::QuantizedNetwork;
use dice_of_doom_games::dice_of_doom::nnue::trained::TrainedNetwork;
use dice_of_doom_games::dice_of_doom::nnue::training::{
    FixedOpponent, Training, TrainingConfig, TrainingOpponents,
};
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Position, Rules};
use sha2::{Digest, Sha256};

/// Some rounds of short games, on boards of two sides.
fn course() -> TrainingConfig {
    let board = |side| DiceOfDoom::new(Rules::V4, side, 2, 5).unwrap();
    TrainingConfig::new(vec![board(4), board(5)], 256, 7)
}

fn trained(threads: usize) -> Training {
    let mut training = Training::new(course());
    training.run(threads, |_, progress| {
        assert!(progress.loss.is_finite());
        true
    });
    training
}

#[test]
fn the_same_seed_gives_the_same_weights_on_any_number_of_threads() {
    let (one, two, three) = (trained(1), trained(2), trained(3));
    assert_eq!(one.games(), 256);
    assert_eq!(one.to_bytes(), two.to_bytes());
    assert_eq!(one.to_bytes(), three.to_bytes());
    let mut other = Training::new(TrainingConfig {
        seed: 8,
        ..course()
    });
    other.run(1, |_, _| true);
    assert_ne!(one.weights().to_bytes(), other.weights().to_bytes());
}

#[test]
fn an_interrupted_training_ends_as_an_unbroken_one() {
    let whole = trained(2).to_bytes();
    let mut broken = Training::new(course());
    let mut breaks = 0;
    while broken.games() < 256 {
        broken.run(1, |_, _| false);
        broken = Training::from_bytes(course(), &broken.to_bytes()).unwrap();
        breaks += 1;
    }
    assert_eq!(breaks, 4);
    assert!(broken.to_bytes() == whole);
}

#[test]
fn a_training_against_itself_finds_the_numbers_that_it_found() {
    // All steps of the same size: nothing here is left to the libraries of a system.
    let mut training = Training::new(TrainingConfig {
        games: 128,
        last: 1.0,
        ..course()
    });
    training.run(2, |_, _| true);
    let (net, mut digest) = (training.network(), Sha256::new());
    let game = course().boards[0];
    each_position(&game, |position| {
        let shares = net.win_shares(&game, position);
        Player::all(2).for_each(|player| digest.update(shares[player].to_le_bytes()));
    });
    let found = digest.finalize();
    // It is another whenever features, layers or training change on purpose.
    assert_eq!(found[..4], [178, 54, 41, 130], "{:?}", &found[..4]);
}

#[test]
fn training_learns() {
    let mut losses = Vec::new();
    Training::new(TrainingConfig {
        games: 1_024,
        ..course()
    })
    .run(2, |_, progress| {
        losses.push(progress.loss);
        true
    });
    // Two equal players have ln 2 = 0.69.
    let (first, last) = (losses[0], losses[losses.len() - 1]);
    assert!(last < 0.9 * first, "{losses:?}");
}

#[test]
fn a_training_that_searches_repeats_and_goes_on_where_it_was_interrupted() {
    let course = || TrainingConfig {
        games: 128,
        simulations: 6,
        start: Some(Box::new(trained(2).network())),
        ..course()
    };
    let whole = |threads| {
        let mut training = Training::new(course());
        training.run(threads, |_, _| true);
        training.to_bytes()
    };
    let one = whole(1);
    assert!(one == whole(2));
    let mut broken = Training::new(course());
    while broken.games() < 128 {
        broken.run(1, |_, _| false);
        broken = Training::from_bytes(course(), &broken.to_bytes()).unwrap();
    }
    assert!(broken.to_bytes() == one);
    let another = TrainingConfig {
        simulations: 0,
        ..course()
    };
    assert!(matches!(
        Training::from_bytes(another, &one),
        Err(NnueFileError::WrongShape("course", _, _))
    ));
}

#[test]
fn what_goes_on_from_weights_begins_with_what_they_say() {
    for game in [Rules::V4, Rules::Conquest].map(|rules| DiceOfDoom::new(rules, 5, 4, 5).unwrap()) {
        let shipped = nnue_for(&game).unwrap();
        let begun = Training::new(TrainingConfig {
            start: Some(Box::new(shipped.clone())),
            ..TrainingConfig::new(vec![game], 64, 1)
        });
        let again = begun.network();
        let mut furthest: f32 = 0.0;
        each_position(&game, |position| {
            let (said, says) = (
                shipped.win_shares(&game, position),
                again.win_shares(&game, position),
            );
            let far = Player::all(4).map(|player| (said[player] - says[player]).abs());
            furthest = far.fold(furthest, f32::max);
        });
        // Both are rounded, by scales of their own.
        assert!(furthest < 0.01, "{game:?}: {furthest}");
    }
}

#[test]
fn files_are_what_was_written_or_refused() {
    let training = trained(1);
    let weights = training.weights();
    assert_eq!(weights.network(), &training.network());
    assert_eq!(
        weights.description(),
        "v4 with 2 players on boards of side 4, 5"
    );
    for board in course().boards {
        assert!(weights.supports(&board));
    }
    let file = weights.to_bytes();
    assert_eq!(TrainedNetwork::from_bytes(&file).as_ref(), Ok(&weights));
    for at in (0..file.len()).step_by(499) {
        let mut damaged = file.clone();
        damaged[at] ^= 1;
        assert!(TrainedNetwork::from_bytes(&damaged).is_err(), "byte {at}");
        assert!(
            TrainedNetwork::from_bytes(&file[..at]).is_err(),
            "{at} bytes"
        );
    }
    let mut longer = file.clone();
    longer.push(0);
    assert_eq!(
        TrainedNetwork::from_bytes(&longer),
        Err(NnueFileError::Damaged)
    );
    // Networks read boards of side 4 to 7.
    for side in [3, 8] {
        let board = DiceOfDoom::new(Rules::V4, side, 2, 5).expect("a game");
        let foreign = TrainedNetwork::new(&[board], training.network()).to_bytes();
        assert_eq!(
            TrainedNetwork::from_bytes(&foreign),
            Err(NnueFileError::Damaged)
        );
    }
    let mut later = file;
    later[8] += 1;
    let refused = TrainedNetwork::from_bytes(&later).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "it has version 3, and this program reads version 2"
    );
    let checkpoint = training.to_bytes();
    let refused = TrainedNetwork::from_bytes(&checkpoint).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "this is no file of weights for Dice of Doom"
    );
    let other = TrainingConfig {
        games: 512,
        ..course()
    };
    assert!(matches!(
        Training::from_bytes(other, &checkpoint),
        Err(NnueFileError::WrongShape("course", _, _))
    ));
}

/// Positions of random games.
fn each_position(game: &DiceOfDoom, mut look: impl FnMut(&Position)) {
    let mut rng = AgentRng::seed_from_u64(3);
    for _ in 0..10 {
        let mut position = game.deal(&mut rng).unwrap();
        while let Status::Turn(_) = game.status(&position) {
            look(&position);
            let action = RandomAgent::random_action(game, &position, &mut rng);
            let outcome = game.sample_outcome(&position, action, &mut rng);
            position = game.apply(&position, action, outcome);
        }
    }
}

#[test]
fn where_no_network_knows_the_game_the_forecast_is_by_hand() {
    let known = DiceOfDoom::preset(Rules::V4);
    assert!(nnue_for(&known).is_some());
    let mut differ = 0;
    each_position(&known, |position| {
        let shares = NnueEvaluator.win_shares(&known, position);
        differ += u32::from(shares != HandcraftedEvaluator.win_shares(&known, position));
        let sum: f32 = Player::all(4).map(|player| shares[player]).sum();
        assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    });
    assert!(differ > 100);
    for game in [
        DiceOfDoom::preset(Rules::V3),
        DiceOfDoom::new(Rules::V4, 3, 4, 5).unwrap(),
        DiceOfDoom::new(Rules::V4, 5, 4, 6).unwrap(),
        DiceOfDoom::new(Rules::V4, 8, 4, 5).unwrap(),
    ] {
        assert!(nnue_for(&game).is_none());
        each_position(&game, |position| {
            assert_eq!(
                NnueEvaluator.win_shares(&game, position),
                HandcraftedEvaluator.win_shares(&game, position)
            );
        });
    }
}

/// The net of one round, as an opponent.
fn frozen() -> QuantizedNetwork {
    let mut training = Training::new(TrainingConfig {
        games: 64,
        ..course()
    });
    training.run(1, |_, _| true);
    training.network()
}

fn config_with(opponents: TrainingOpponents) -> TrainingConfig {
    TrainingConfig {
        games: 192,
        opponents,
        ..course()
    }
}

#[test]
fn with_opponents_too_the_seed_decides_and_a_training_goes_on() {
    let league = TrainingOpponents::League {
        opponents: vec![
            Level::Book.into(),
            FixedOpponent::Level("master:4".parse().unwrap()),
            frozen().into(),
        ],
        part: 0.5,
    };
    for opponents in [league, TrainingOpponents::Exploit(frozen().into())] {
        let course = || config_with(opponents.clone());
        let [one, two] = [1, 2].map(|threads| {
            let mut training = Training::new(course());
            training.run(threads, |_, progress| {
                assert!(progress.loss.is_finite());
                true
            });
            training.to_bytes()
        });
        assert!(one == two);
        let mut broken = Training::new(course());
        while broken.games() < 192 {
            broken.run(1, |_, _| false);
            broken = Training::from_bytes(course(), &broken.to_bytes()).unwrap();
        }
        assert!(broken.to_bytes() == one);
    }
}

#[test]
fn a_checkpoint_goes_on_against_the_same_opponents_alone() {
    let league = |opponents, part| TrainingOpponents::League { opponents, part };
    let other = TrainingConfig {
        seed: 8,
        ..course()
    };
    let mut other = Training::new(other);
    other.run(1, |_, _| false);
    let all_opponents = [
        TrainingOpponents::SelfPlay,
        TrainingOpponents::Exploit(Level::Book.into()),
        TrainingOpponents::Exploit(frozen().into()),
        TrainingOpponents::Exploit(other.network().into()),
        league(vec![Level::Book.into()], 0.5),
        league(vec![Level::Book.into()], 0.25),
        league(vec![Level::Book.into(), Level::Random.into()], 0.5),
    ];
    for (at, opponents) in all_opponents.iter().enumerate() {
        let checkpoint = Training::new(config_with(opponents.clone())).to_bytes();
        for (with, other) in all_opponents.iter().enumerate() {
            let read = Training::from_bytes(config_with(other.clone()), &checkpoint);
            assert_eq!(read.is_ok(), at == with, "{at} with {with}");
        }
    }
}

#[test]
fn in_company_fewer_positions_are_learnt() {
    let positions = |opponents| {
        let mut positions = 0.0;
        Training::new(config_with(opponents)).run(2, |_, progress| {
            positions += progress.positions;
            true
        });
        positions
    };
    let alone = positions(TrainingOpponents::SelfPlay);
    let book = || FixedOpponent::from(Level::Book);
    let league = positions(TrainingOpponents::League {
        opponents: vec![book()],
        part: 1.0,
    });
    let exploiter = positions(TrainingOpponents::Exploit(book()));
    assert!(
        exploiter < league && league < alone,
        "{exploiter} {league} {alone}"
    );
}
