//! Laws of reviews, on random games of all games: every change of a share is luck or a decision, the expected
//! luck is zero, and the loss of a decision is the difference in value to a better action.
//!
//! `DOD_REVIEWS=200 cargo test -p dice-of-doom-games --test games review` reviews 200 games of each; the
//! default is 10.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use dice_of_doom_core::game::{ByPlayer, Game, Player, Status};
use dice_of_doom_core::level::Level;
use dice_of_doom_core::move_analysis::{ActionAnalysis, OutcomeAnalysis};
use dice_of_doom_core::record::{Ending, Record, ReplayedPly};
use dice_of_doom_core::review::{
    self, EvaluatedDecision, EvaluatorInfo, MIN_REPORTED_LOSS, Review,
};
use dice_of_doom_core::search::WinShares;
use dice_of_doom_core::serialization::SerializableGame;
use dice_of_doom_core::session::Session;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
use dice_of_doom_games::trilobite::Trilobite;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

fn games() -> u64 {
    let variable = std::env::var("DOD_REVIEWS").ok();
    variable.and_then(|count| count.parse().ok()).unwrap_or(10)
}

/// A game finished by random players, or in which one resigned.
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
        session = session.with_ply(ply).expect("a prepared ply applies");
    }
    session
}

/// A fake evaluation of a position: shares derived from its hash, or the actual result.
fn fake_evaluation<G: Game>(game: &G, position: &G::Position) -> WinShares {
    if let Status::Over(payoffs) = game.status(position) {
        return payoffs.win_shares(game.players());
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

fn fake_analysis<G: Game>(game: &G, position: &G::Position) -> Vec<ActionAnalysis<G::Action>> {
    let one = |action| {
        let outcomes = game.chance_outcomes(position, action);
        let outcomes = outcomes.map(|(outcome, probability)| OutcomeAnalysis {
            probability,
            shares: fake_evaluation(game, &game.apply(position, action, outcome)),
        });
        ActionAnalysis::from_outcomes(action, outcomes.collect())
    };
    game.legal_actions(position).map(one).collect()
}

fn review_record<G: SerializableGame>(record: &Record<G>) -> (Review, Vec<ReplayedPly<'_, G>>) {
    let game = &record.game;
    let steps: Result<Vec<_>, _> = record.replayed_plies().collect();
    let steps = steps.expect("a replayable record");
    let newest = steps.last().map_or(&record.start, |step| &step.after);
    let result = review::game_result(record, newest).expect("the game is over");
    let judge = |step| {
        EvaluatedDecision::from_analysis(game, step, &fake_analysis(game, &step.before))
            .expect("the analysis has the game's actions")
    };
    let mut decisions: Vec<_> = steps.iter().map(judge).collect();
    if let (Some(player), Some(mover)) =
        (review::resigned_player(record), game.status(newest).mover())
    {
        let analyses = fake_analysis(game, newest);
        decisions.push(EvaluatedDecision::from_resignation(
            player, mover, result, &analyses,
        ));
    }
    let by = EvaluatorInfo {
        level: Level::Random,
        version: 0,
        simulations: 1,
    };
    (Review::new(by, game.players(), result, &decisions), steps)
}

#[track_caller]
fn check<G: SerializableGame>(game: G, seed: u64) {
    let session = played(game, seed);
    let (review, steps) = review_record(session.record());
    let at = format!("{} {seed}", G::NAME);
    // Shares are stored with six digits.
    let is_close = |one: f64, other: f64| (one - other).abs() < 1e-5;
    let all = || Player::all(game.players());
    for player in all().map(Player::number) {
        let breakdown = review.share_breakdown(player);
        let sum = breakdown.own_luck + breakdown.own_decisions;
        let sum = sum + breakdown.others_luck + breakdown.others_decisions;
        assert!(
            is_close(breakdown.start + sum, breakdown.end),
            "{at}: {breakdown:?}"
        );
        assert!(breakdown.own_decisions <= 1e-5, "{at}: {breakdown:?}");
        assert!(
            (0.0..=1.0).contains(&breakdown.accuracy),
            "{at}: {breakdown:?}"
        );
    }
    for (number, step) in steps.iter().enumerate() {
        let ply = &review.plies[number];
        let analyses = fake_analysis(&game, &step.before);
        let played = analyses.iter().find(|one| one.action == step.ply.action);
        let played = played.expect("the played action is listed");
        let mut outcomes = game.chance_outcomes(&step.before, step.ply.action);
        let actual = outcomes.position(|(outcome, _)| outcome == step.outcome);
        let actual = actual.expect("the actual outcome is listed");
        let mover = step.ply.player;
        for player in all() {
            // The expected luck, with the value of the actual outcome.
            let own = usize::from(player.number());
            let luck = played.outcomes.iter().enumerate().map(|(outcome, one)| {
                let value = if outcome == actual {
                    ply.after[own]
                } else {
                    f64::from(one.shares[player])
                };
                one.probability * (value - ply.expected[own])
            });
            let luck: f64 = luck.sum();
            assert!(is_close(luck, 0.0), "{at}: ply {number}, {luck}");
        }
        let best = analyses.iter().map(|one| f64::from(one.shares[mover]));
        let gain = best.fold(0.0, f64::max) - f64::from(played.shares[mover]);
        let loss = review.decision_loss(number);
        let bounded = |share: &f64| *share < 1e-5 || *share > 1.0 - 1e-5;
        if gain <= MIN_REPORTED_LOSS {
            assert!(
                is_close(loss, 0.0) && ply.better.is_none(),
                "{at}: ply {number}"
            );
        } else if review.shares_before(number).iter().any(bounded) {
            assert!(loss <= gain + 1e-5, "{at}: ply {number}");
        } else {
            assert!(is_close(loss, gain), "{at}: ply {number}: {loss}, {gain}");
        }
    }
}

#[test]
fn every_change_is_luck_or_a_decision() {
    for seed in 0..games() {
        let players = 2 + (seed % 3) as u8;
        let dice = DiceOfDoom::new(Rules::V4, 3, players, 4).expect("valid parameters");
        check(dice, seed);
        let dice = DiceOfDoom::new(Rules::V4, 5, 4, 5).expect("valid parameters");
        check(dice, seed);
        let columns = Trilobite::new(6, 5, 4).expect("valid parameters");
        check(columns, seed);
    }
}
