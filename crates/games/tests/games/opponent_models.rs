//! Tests of opponent inference: whether agents recognise the levels of their opponents.

use dice_of_doom_core::game::{Game, Player, Status};
use dice_of_doom_core::level::{AgentProvider, AgentRng, Level, ObservedAction, OpponentBeliefs};
use dice_of_doom_core::search::{OpponentModel, OpponentModels};
use dice_of_doom_games::dice_of_doom::nnue::builtin::NnueEvaluator;
use dice_of_doom_games::dice_of_doom::opponent_models::models;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};

/// The levels to recognise.
const KNOWN: [Level; 6] = [
    Level::Random,
    Level::Book,
    Level::Greedy,
    Level::Steady,
    Level::Advanced,
    Level::Expert,
];

/// The observing player.
const OWN: Player = Player::FIRST;

fn game() -> DiceOfDoom {
    DiceOfDoom::preset(Rules::V4)
}

/// All decisions of a game, in which the level of a player may depend on the ply.
fn decisions(seed: u64, level: impl Fn(Player, usize) -> Level) -> Vec<ObservedAction<DiceOfDoom>> {
    let game = game();
    let mut rng = AgentRng::seed_from_u64(seed);
    let mut position = game.deal(&mut rng).unwrap();
    let mut decisions = Vec::new();
    while let Status::Turn(mover) = game.status(&position) {
        let level = level(mover, decisions.len());
        let action = level.choose_action(&game, &position, &mut rng);
        let outcome = game.sample_outcome(&position, action, &mut rng);
        let after = game.apply(&position, action, outcome);
        let position = std::mem::replace(&mut position, after);
        decisions.push(ObservedAction { position, action });
    }
    decisions
}

fn infer_models(decisions: &[ObservedAction<DiceOfDoom>]) -> OpponentModels<DiceOfDoom> {
    let mut beliefs = OpponentBeliefs::new(models());
    beliefs.update(&game(), decisions.iter().cloned(), &NnueEvaluator);
    beliefs.opponent_models_for(&game(), OWN)
}

fn others() -> impl Iterator<Item = Player> {
    Player::all(4).filter(|&player| player != OWN)
}

/// Of the other players' decisions from number `from` on: how many were predicted correctly from the earlier
/// ones, and how many there were.
fn count_correct_predictions(decisions: &[ObservedAction<DiceOfDoom>], from: usize) -> (u32, u32) {
    let game = game();
    let mut beliefs = OpponentBeliefs::new(models());
    let (mut right, mut all) = (0, 0);
    for (at, decision) in decisions.iter().enumerate().skip(from) {
        let mover = game.status(&decision.position).mover().unwrap();
        if mover == OWN || game.legal_actions(&decision.position).nth(1).is_none() {
            continue;
        }
        beliefs.update(&game, decisions[..at].iter().cloned(), &NnueEvaluator);
        let known = beliefs.opponent_models_for(&game, OWN);
        all += 1;
        let predicted = known.predict(&game, &decision.position, mover);
        let is_right = predicted
            .iter()
            .any(|&(action, _)| action == decision.action);
        right += u32::from(is_right);
    }
    (right, all)
}

#[test]
fn a_level_is_predicted_after_some_plies() {
    for level in KNOWN {
        let (mut right, mut all) = (0, 0);
        for seed in 0..6 {
            let decisions = decisions(seed, |player, _| match player {
                OWN => Level::Random,
                _ => level,
            });
            let (one, of) = count_correct_predictions(&decisions, 16);
            (right, all) = (right + one, all + of);
        }
        // Levels often choose the same action, so the chosen model may differ from the true level.
        let part = f64::from(right) / f64::from(all);
        assert!(all > 60 && part > 0.7, "{level}: {right} of {all}");
    }
}

#[test]
fn players_of_different_levels_are_distinguished() {
    let (mut right, mut all) = (0, 0);
    for seed in 0..6 {
        let levels = [Level::Random, Level::Book, Level::Steady, Level::Expert];
        let decisions = decisions(seed, |player, _| levels[usize::from(player.number())]);
        let (one, of) = count_correct_predictions(&decisions, 24);
        (right, all) = (right + one, all + of);
    }
    assert!(
        all > 60 && f64::from(right) > 0.7 * f64::from(all),
        "{right} of {all}"
    );
}

/// Whether the believed model of a player predicts all actions of a position, or a single one.
fn predicts_all_actions(known: &OpponentModels<DiceOfDoom>, player: Player) -> Option<bool> {
    let game = game();
    let start = game.deal(&mut AgentRng::seed_from_u64(1)).unwrap();
    match known.predict(&game, &start, player).len() {
        0 => None,
        several => Some(several == game.legal_actions(&start).count()),
    }
}

#[test]
fn a_searching_level_is_not_mistaken_for_the_random_level() {
    let (mut random, mut searching) = (0, 0);
    for seed in 0..30 {
        let levels = [Level::Expert, Level::Random, Level::Master, Level::Steady];
        let known = infer_models(&decisions(seed, |player, _| {
            levels[usize::from(player.number())]
        }));
        random += u32::from(predicts_all_actions(&known, Player::new(1)) == Some(true));
        searching += u32::from(predicts_all_actions(&known, Player::new(2)) == Some(true));
    }
    // Some games end after few decisions.
    assert!(
        random >= 12 && searching <= 1,
        "{random} and {searching} of 30"
    );
}

#[test]
fn there_is_no_model_before_the_first_ply_or_of_the_observer() {
    assert!(Player::all(4).all(|player| !infer_models(&[]).has_model(player)));
    let known = infer_models(&decisions(1, |_, _| Level::Book));
    assert!(!known.has_model(OWN));
    assert!(others().all(|player| known.has_model(player)));
}

#[test]
fn a_player_who_changes_level_is_no_longer_predicted() {
    let (mut before, mut after) = (0, 0);
    for seed in 0..20 {
        let decisions = decisions(seed, |_, ply| match ply {
            0..20 => Level::Book,
            _ => Level::Random,
        });
        let chooses = |plies: usize| {
            let known = infer_models(&decisions[..plies.min(decisions.len())]);
            let one = |player: &Player| predicts_all_actions(&known, *player) == Some(false);
            others().filter(one).count()
        };
        (before, after) = (before + chooses(20), after + chooses(80));
    }
    assert!(before > 40 && after < 12, "{before} and {after} of 60");
}

#[test]
fn decisions_taken_back_are_discarded() {
    let (game, decisions) = (game(), decisions(3, |_, _| Level::Book));
    let mut beliefs = OpponentBeliefs::new(models());
    beliefs.update(&game, decisions.iter().cloned(), &NnueEvaluator);
    assert!(
        beliefs
            .opponent_models_for(&game, OWN)
            .has_model(Player::new(1))
    );
    beliefs.update(&game, decisions[..1].iter().cloned(), &NnueEvaluator);
    assert!(
        !beliefs
            .opponent_models_for(&game, OWN)
            .has_model(Player::new(1))
    );
    // Updating again gives the same result.
    beliefs.update(&game, decisions.iter().cloned(), &NnueEvaluator);
    assert!(
        beliefs
            .opponent_models_for(&game, OWN)
            .has_model(Player::new(1))
    );
}

#[test]
fn only_fast_models_predict() {
    let sure = DiceOfDoom::preset(Rules::V2);
    let start = sure.deal(&mut AgentRng::seed_from_u64(1)).unwrap();
    let foretells = |model: &std::sync::Arc<dyn OpponentModel<DiceOfDoom>>| {
        !model.predict(&sure, &start).is_empty()
    };
    // There is no network for these rules, and the book's player searches four plies.
    assert!(!models().iter().any(foretells));
}

#[test]
fn observing_changes_the_choice_of_a_level() {
    let (game, decisions) = (game(), decisions(5, |_, _| Level::Book));
    let own = |decision: &&ObservedAction<DiceOfDoom>| {
        game.status(&decision.position).mover() == Some(OWN)
    };
    let (mut alike, mut all) = (0, 0);
    let late = decisions.iter().enumerate().skip(decisions.len() / 2);
    for (at, decision) in late.filter(|(_, decision)| own(decision)) {
        let chosen = [0, at].map(|known| {
            let mut agent = DiceOfDoom::agent(Level::Master);
            agent.observe(&game, &mut decisions[..known].iter().cloned());
            let rng = &mut AgentRng::seed_from_u64(1);
            let choice = agent.choose_action(
                &game,
                &decision.position,
                Default::default(),
                rng,
                &Default::default(),
            );
            choice.shares.unwrap()[OWN]
        });
        all += 1;
        alike += u32::from(chosen[0] == chosen[1]);
    }
    assert!(all > 3 && alike < all, "{alike} of {all}");
}
