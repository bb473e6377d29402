//! Tests of the network: training is reproducible and resumable, and files are checked.

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

/// A configuration of a few rounds of short games, on boards of two sides.
fn config() -> TrainingConfig {
    let board = |side| DiceOfDoom::new(Rules::V4, side, 2, 5).unwrap();
    TrainingConfig::new(vec![board(4), board(5)], 256, 7)
}

fn trained(threads: usize) -> Training {
    let mut training = Training::new(config());
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
        ..config()
    });
    other.run(1, |_, _| true);
    assert_ne!(one.weights().to_bytes(), other.weights().to_bytes());
}

#[test]
fn a_resumed_training_ends_like_an_uninterrupted_one() {
    let uninterrupted = trained(2).to_bytes();
    let mut resumed = Training::new(config());
    let mut breaks = 0;
    while resumed.games() < 256 {
        resumed.run(1, |_, _| false);
        resumed = Training::from_bytes(config(), &resumed.to_bytes()).unwrap();
        breaks += 1;
    }
    assert_eq!(breaks, 4);
    assert!(resumed.to_bytes() == uninterrupted);
}

#[test]
fn self_play_training_is_reproducible() {
    // A constant learning rate, so that no platform-dependent function is used.
    let mut training = Training::new(TrainingConfig {
        games: 128,
        last: 1.0,
        ..config()
    });
    training.run(2, |_, _| true);
    let (net, mut digest) = (training.network(), Sha256::new());
    let game = config().boards[0];
    each_position(&game, |position| {
        let shares = net.win_shares(&game, position);
        Player::all(2).for_each(|player| digest.update(shares[player].to_le_bytes()));
    });
    let found = digest.finalize();
    // The expected value changes when features, layers or training are changed on purpose.
    assert_eq!(found[..4], [178, 54, 41, 130], "{:?}", &found[..4]);
}

#[test]
fn training_reduces_the_loss() {
    let mut losses = Vec::new();
    Training::new(TrainingConfig {
        games: 1_024,
        ..config()
    })
    .run(2, |_, progress| {
        losses.push(progress.loss);
        true
    });
    // The loss of two equal players is ln 2 = 0.69.
    let (first, last) = (losses[0], losses[losses.len() - 1]);
    assert!(last < 0.9 * first, "{losses:?}");
}

#[test]
fn training_with_search_is_reproducible_and_resumable() {
    let config = || TrainingConfig {
        games: 128,
        simulations: 6,
        start: Some(Box::new(trained(2).network())),
        ..config()
    };
    let uninterrupted = |threads| {
        let mut training = Training::new(config());
        training.run(threads, |_, _| true);
        training.to_bytes()
    };
    let one = uninterrupted(1);
    assert!(one == uninterrupted(2));
    let mut resumed = Training::new(config());
    while resumed.games() < 128 {
        resumed.run(1, |_, _| false);
        resumed = Training::from_bytes(config(), &resumed.to_bytes()).unwrap();
    }
    assert!(resumed.to_bytes() == one);
    let another = TrainingConfig {
        simulations: 0,
        ..config()
    };
    assert!(matches!(
        Training::from_bytes(another, &one),
        Err(NnueFileError::WrongShape("course", _, _))
    ));
}

#[test]
fn training_from_a_network_starts_with_its_evaluation() {
    for game in [Rules::V4, Rules::Conquest].map(|rules| DiceOfDoom::new(rules, 5, 4, 5).unwrap()) {
        let shipped = nnue_for(&game).unwrap();
        let started = Training::new(TrainingConfig {
            start: Some(Box::new(shipped.clone())),
            ..TrainingConfig::new(vec![game], 64, 1)
        });
        let again = started.network();
        let mut furthest: f32 = 0.0;
        each_position(&game, |position| {
            let (expected, actual) = (
                shipped.win_shares(&game, position),
                again.win_shares(&game, position),
            );
            let differences =
                Player::all(4).map(|player| (expected[player] - actual[player]).abs());
            furthest = differences.fold(furthest, f32::max);
        });
        // Both are quantized, with different scales.
        assert!(furthest < 0.01, "{game:?}: {furthest}");
    }
}

#[test]
fn files_are_read_back_or_rejected() {
    let training = trained(1);
    let weights = training.weights();
    assert_eq!(weights.network(), &training.network());
    let found = weights.description();
    assert_eq!(found, "v4 with 2 players on boards of side 4, 5");
    for board in config().boards {
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
    let found = TrainedNetwork::from_bytes(&longer);
    assert_eq!(found, Err(NnueFileError::Damaged));
    // Networks support sides 4 to 7.
    for side in [3, 8] {
        let board = DiceOfDoom::new(Rules::V4, side, 2, 5).expect("a game");
        let foreign = TrainedNetwork::new(&[board], training.network()).to_bytes();
        let found = TrainedNetwork::from_bytes(&foreign);
        assert_eq!(found, Err(NnueFileError::Damaged));
    }
    let mut later = file;
    later[8] += 1;
    let refused = TrainedNetwork::from_bytes(&later).unwrap_err();
    let found = refused.to_string();
    assert_eq!(found, "it has version 3, and this program reads version 2");
    let checkpoint = training.to_bytes();
    let refused = TrainedNetwork::from_bytes(&checkpoint).unwrap_err();
    let found = refused.to_string();
    assert_eq!(found, "this is not a file of weights for Dice of Doom");
    let other = TrainingConfig {
        games: 512,
        ..config()
    };
    assert!(matches!(
        Training::from_bytes(other, &checkpoint),
        Err(NnueFileError::WrongShape("course", _, _))
    ));
}

/// Calls `check` for positions of random games.
fn each_position(game: &DiceOfDoom, mut check: impl FnMut(&Position)) {
    let mut rng = AgentRng::seed_from_u64(3);
    for _ in 0..10 {
        let mut position = game.deal(&mut rng).unwrap();
        while let Status::Turn(_) = game.status(&position) {
            check(&position);
            let action = RandomAgent::random_action(game, &position, &mut rng);
            let outcome = game.sample_outcome(&position, action, &mut rng);
            position = game.apply(&position, action, outcome);
        }
    }
}

#[test]
fn games_without_a_network_use_the_handcrafted_evaluator() {
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
            let found = NnueEvaluator.win_shares(&game, position);
            assert_eq!(found, HandcraftedEvaluator.win_shares(&game, position));
        });
    }
}

/// The network after one round, as a fixed opponent.
fn frozen() -> QuantizedNetwork {
    let mut training = Training::new(TrainingConfig {
        games: 64,
        ..config()
    });
    training.run(1, |_, _| true);
    training.network()
}

fn config_with(opponents: TrainingOpponents) -> TrainingConfig {
    TrainingConfig {
        games: 192,
        opponents,
        ..config()
    }
}

#[test]
fn training_against_opponents_is_reproducible_and_resumable() {
    let league = TrainingOpponents::League {
        opponents: vec![
            Level::Book.into(),
            FixedOpponent::Level("master:4".parse().unwrap()),
            frozen().into(),
        ],
        part: 0.5,
    };
    for opponents in [league, TrainingOpponents::Exploit(frozen().into())] {
        let config = || config_with(opponents.clone());
        let [one, two] = [1, 2].map(|threads| {
            let mut training = Training::new(config());
            training.run(threads, |_, progress| {
                assert!(progress.loss.is_finite());
                true
            });
            training.to_bytes()
        });
        assert!(one == two);
        let mut resumed = Training::new(config());
        while resumed.games() < 192 {
            resumed.run(1, |_, _| false);
            resumed = Training::from_bytes(config(), &resumed.to_bytes()).unwrap();
        }
        assert!(resumed.to_bytes() == one);
    }
}

#[test]
fn a_checkpoint_resumes_only_with_the_same_opponents() {
    let league = |opponents, part| TrainingOpponents::League { opponents, part };
    let other = TrainingConfig {
        seed: 8,
        ..config()
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
fn games_with_opponents_give_fewer_samples() {
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
