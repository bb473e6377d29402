//! Laws of reviews, on random games of every game: everything that changed is luck or a decision, luck is
//! expected to be nothing, and a better action costs what it promised more.
//!
//! `DOD_REVIEWS=200 cargo test -p dice-of-doom-games --test games review` reviews that many games of each; a
//! twentieth is the default.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use dice_of_doom_core::game::{ByPlayer, Game, Player, Status};
use dice_of_doom_core::level::Level;
use dice_of_doom_core::move_analysis::{ActionAnalysis, OutcomeAnalysis};
use dice_of_doom_core::record::{Ending, Record, ReplayedPly};
use dice_of_doom_core::review::{self, EvaluatedDecision, EvaluatorInfo, NOISE, Review};
use dice_of_doom_core::search::{WinShares, win_shares_of_payoffs};
use dice_of_doom_core::serialization::SerializableGame;
use dice_of_doom_core::session::Session;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
use dice_of_doom_games::trilobite::Trilobite;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn games() -> u64 {
    let asked = std::env::var("DOD_REVIEWS").ok();
    asked.and_then(|count| count.parse().ok()).unwrap_or(10)
}

/// A game that random players have finished, or in which one gave up.
fn played<G: SerializableGame>(game: G, seed: u64) -> Session<G> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let start = game.deal(&mut rng).expect("a board is dealt");
    let mut session = Session::new(game, start);
    while let Some(mover) = session.status().mover() {
        if session.record().len() >= 60 || rng.random_range(0..200) == 0 {
            session.end(Ending::Resigned(mover));
            break;
        }
        let actions: Vec<_> = game.legal_actions(session.position()).collect();
        let action = actions[rng.random_range(0..actions.len())];
        let ply = session
            .prepare_ply(mover, action, &mut rng, 0)
            .expect("it is legal");
        session = session.with_ply(ply).expect("it was decided here");
    }
    session
}

/// What a fake evaluator expects of a position: shares that are made of its hash, or what everybody got.
fn guess<G: Game>(game: &G, position: &G::Position) -> WinShares {
    if let Status::Over(payoffs) = game.status(position) {
        return win_shares_of_payoffs(payoffs, game.players());
    }
    let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(position);
    let mut rng = ChaCha8Rng::seed_from_u64(hash);
    let mut parts: ByPlayer<f32> = ByPlayer::default();
    for player in Player::all(game.players()) {
        parts[player] = rng.random_range(1..1000) as f32;
    }
    let sum: f32 = Player::all(game.players())
        .map(|player| parts[player])
        .sum();
    ByPlayer::from_fn(|player| parts[player] / sum)
}

fn weighed<G: Game>(game: &G, position: &G::Position) -> Vec<ActionAnalysis<G::Action>> {
    let one = |action| {
        let outcomes = game.chance_outcomes(position, action);
        let outcomes = outcomes.map(|(outcome, probability)| OutcomeAnalysis {
            probability,
            shares: guess(game, &game.apply(position, action, outcome)),
        });
        ActionAnalysis::from_outcomes(action, outcomes.collect())
    };
    game.legal_actions(position).map(one).collect()
}

fn reviewed<G: SerializableGame>(record: &Record<G>) -> (Review, Vec<ReplayedPly<'_, G>>) {
    let game = &record.game;
    let steps: Result<Vec<_>, _> = record.replayed_plies().collect();
    let steps = steps.expect("it was played");
    let newest = steps.last().map_or(&record.start, |step| &step.after);
    let result = review::game_result(record, newest).expect("it is over");
    let judge = |step| {
        EvaluatedDecision::from_analysis(game, step, &weighed(game, &step.before))
            .expect("its own actions")
    };
    let mut judged: Vec<_> = steps.iter().map(judge).collect();
    if let (Some(player), Some(mover)) =
        (review::resigned_player(record), game.status(newest).mover())
    {
        let said = weighed(game, newest);
        judged.push(EvaluatedDecision::from_resignation(
            player, mover, result, &said,
        ));
    }
    let by = EvaluatorInfo {
        level: Level::Random,
        version: 0,
        simulations: 1,
    };
    (Review::new(by, game.players(), result, &judged), steps)
}

#[track_caller]
fn check<G: SerializableGame>(game: G, seed: u64) {
    let session = played(game, seed);
    let (review, steps) = reviewed(session.record());
    let at = format!("{} {seed}", G::NAME);
    // Shares are kept to a millionth.
    let about = |one: f64, other: f64| (one - other).abs() < 1e-5;
    let all = || Player::all(game.players());
    for player in all().map(Player::number) {
        let account = review.share_breakdown(player);
        let sum = account.own_luck + account.own_decisions;
        let sum = sum + account.others_luck + account.others_decisions;
        assert!(about(account.start + sum, account.end), "{at}: {account:?}");
        assert!(account.own_decisions <= 1e-5, "{at}: {account:?}");
        assert!((0.0..=1.0).contains(&account.accuracy), "{at}: {account:?}");
    }
    for (number, step) in steps.iter().enumerate() {
        let ply = &review.plies[number];
        let said = weighed(&game, &step.before);
        let played = said.iter().find(|one| one.action == step.ply.action);
        let played = played.expect("it was legal");
        let mut lottery = game.chance_outcomes(&step.before, step.ply.action);
        let came = lottery.position(|(outcome, _)| outcome == step.outcome);
        let came = came.expect("it came");
        let mover = step.ply.player;
        for player in all() {
            // The expected luck: what came is worth what it turned out to be worth.
            let own = usize::from(player.number());
            let luck = played.outcomes.iter().enumerate().map(|(outcome, one)| {
                let worth = if outcome == came {
                    ply.after[own]
                } else {
                    f64::from(one.shares[player])
                };
                one.probability * (worth - ply.expected[own])
            });
            let luck: f64 = luck.sum();
            assert!(about(luck, 0.0), "{at}: ply {number}, {luck}");
        }
        let best = said.iter().map(|one| f64::from(one.shares[mover]));
        let gain = best.fold(0.0, f64::max) - f64::from(played.shares[mover]);
        let cost = review.decision_loss(number);
        let bounded = |share: &f64| *share < 1e-5 || *share > 1.0 - 1e-5;
        if gain <= NOISE {
            assert!(
                about(cost, 0.0) && ply.better.is_none(),
                "{at}: ply {number}"
            );
        } else if review.shares_before(number).iter().any(bounded) {
            assert!(cost <= gain + 1e-5, "{at}: ply {number}");
        } else {
            assert!(about(cost, gain), "{at}: ply {number}: {cost}, {gain}");
        }
    }
}

#[test]
fn all_that_changed_is_luck_or_a_decision() {
    for seed in 0..games() {
        let players = 2 + (seed % 3) as u8;
        let dice = DiceOfDoom::new(Rules::V4, 3, players, 4).expect("small numbers");
        check(dice, seed);
        let dice = DiceOfDoom::new(Rules::V4, 5, 4, 5).expect("the usual numbers");
        check(dice, seed);
        let columns = Trilobite::new(6, 5, 4).expect("small numbers");
        check(columns, seed);
    }
}
