//! Whether opponents are recognised by what they do.

use dice_of_doom_core::game::{Game, Player, Status};
use dice_of_doom_core::level::{AgentProvider, AgentRng, Level, ObservedAction, OpponentBeliefs};
use dice_of_doom_core::search::{OpponentModel, OpponentModels};
use dice_of_doom_games::dice_of_doom::nnue::builtin::NnueEvaluator;
use dice_of_doom_games::dice_of_doom::opponent_models::models;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};

/// Levels whose way of playing is looked for.
const KNOWN: [Level; 6] = [
    Level::Random,
    Level::Book,
    Level::Greedy,
    Level::Steady,
    Level::Advanced,
    Level::Expert,
];

/// The player who looks.
const OWN: Player = Player::FIRST;

fn game() -> DiceOfDoom {
    DiceOfDoom::preset(Rules::V4)
}

/// What is decided in a game, until it is over, in which the level of a player may depend on the ply.
fn line(seed: u64, level: impl Fn(Player, usize) -> Level) -> Vec<ObservedAction<DiceOfDoom>> {
    let game = game();
    let mut rng = AgentRng::seed_from_u64(seed);
    let mut position = game.deal(&mut rng).unwrap();
    let mut line = Vec::new();
    while let Status::Turn(mover) = game.status(&position) {
        let level = level(mover, line.len());
        let action = level.choose_action(&game, &position, &mut rng);
        let outcome = game.sample_outcome(&position, action, &mut rng);
        let after = game.apply(&position, action, outcome);
        let position = std::mem::replace(&mut position, after);
        line.push(ObservedAction { position, action });
    }
    line
}

fn read(line: &[ObservedAction<DiceOfDoom>]) -> OpponentModels<DiceOfDoom> {
    let mut readings = OpponentBeliefs::new(models());
    readings.update(&game(), line.iter().cloned(), &NnueEvaluator);
    readings.opponent_models_for(&game(), OWN)
}

fn others() -> impl Iterator<Item = Player> {
    Player::all(4).filter(|&player| player != OWN)
}

/// Of the decisions of other players from number `from` on, how many were foretold right, by what was known before
/// each, and how many there were.
fn foretold(line: &[ObservedAction<DiceOfDoom>], from: usize) -> (u32, u32) {
    let game = game();
    let mut readings = OpponentBeliefs::new(models());
    let (mut right, mut all) = (0, 0);
    for (at, decision) in line.iter().enumerate().skip(from) {
        let mover = game.status(&decision.position).mover().unwrap();
        if mover == OWN || game.legal_actions(&decision.position).nth(1).is_none() {
            continue;
        }
        readings.update(&game, line[..at].iter().cloned(), &NnueEvaluator);
        let known = readings.opponent_models_for(&game, OWN);
        all += 1;
        let foretold = known.predict(&game, &decision.position, mover);
        let is_right = foretold
            .iter()
            .any(|&(action, _)| action == decision.action);
        right += u32::from(is_right);
    }
    (right, all)
}

#[test]
fn who_plays_as_a_level_does_is_foretold_after_some_plies() {
    for level in KNOWN {
        let (mut right, mut all) = (0, 0);
        for seed in 0..6 {
            let line = line(seed, |player, _| match player {
                OWN => Level::Random,
                _ => level,
            });
            let (one, of) = foretold(&line, 16);
            (right, all) = (right + one, all + of);
        }
        // Levels often choose alike: not every miss is a mistake.
        let part = f64::from(right) / f64::from(all);
        assert!(all > 60 && part > 0.7, "{level}: {right} of {all}");
    }
}

#[test]
fn at_a_mixed_table_each_is_told_from_the_others() {
    let (mut right, mut all) = (0, 0);
    for seed in 0..6 {
        let levels = [Level::Random, Level::Book, Level::Steady, Level::Expert];
        let line = line(seed, |player, _| levels[usize::from(player.number())]);
        let (one, of) = foretold(&line, 24);
        (right, all) = (right + one, all + of);
    }
    assert!(
        all > 60 && f64::from(right) > 0.7 * f64::from(all),
        "{right} of {all}"
    );
}

/// Whether somebody is believed to draw between all actions of a position, or to choose one.
fn draws(known: &OpponentModels<DiceOfDoom>, player: Player) -> Option<bool> {
    let game = game();
    let start = game.deal(&mut AgentRng::seed_from_u64(1)).unwrap();
    match known.predict(&game, &start, player).len() {
        0 => None,
        several => Some(several == game.legal_actions(&start).count()),
    }
}

#[test]
fn who_searches_is_not_taken_for_somebody_who_draws() {
    let (mut random, mut searching) = (0, 0);
    for seed in 0..30 {
        let levels = [Level::Expert, Level::Random, Level::Master, Level::Steady];
        let known = read(&line(seed, |player, _| {
            levels[usize::from(player.number())]
        }));
        random += u32::from(draws(&known, Player::new(1)) == Some(true));
        searching += u32::from(draws(&known, Player::new(2)) == Some(true));
    }
    // Some games are over before much is decided.
    assert!(
        random >= 12 && searching <= 1,
        "{random} and {searching} of 30"
    );
}

#[test]
fn nothing_is_known_before_anybody_played_and_nothing_of_oneself() {
    assert!(Player::all(4).all(|player| !read(&[]).has_model(player)));
    let known = read(&line(1, |_, _| Level::Book));
    assert!(!known.has_model(OWN));
    assert!(others().all(|player| known.has_model(player)));
}

#[test]
fn who_changes_is_not_believed_any_more() {
    let (mut before, mut after) = (0, 0);
    for seed in 0..20 {
        let line = line(seed, |_, ply| match ply {
            0..20 => Level::Book,
            _ => Level::Random,
        });
        let chooses = |plies: usize| {
            let known = read(&line[..plies.min(line.len())]);
            let one = |player: &Player| draws(&known, *player) == Some(false);
            others().filter(one).count()
        };
        (before, after) = (before + chooses(20), after + chooses(80));
    }
    assert!(before > 40 && after < 12, "{before} and {after} of 60");
}

#[test]
fn what_is_taken_back_is_forgotten() {
    let (game, line) = (game(), line(3, |_, _| Level::Book));
    let mut readings = OpponentBeliefs::new(models());
    readings.update(&game, line.iter().cloned(), &NnueEvaluator);
    assert!(
        readings
            .opponent_models_for(&game, OWN)
            .has_model(Player::new(1))
    );
    readings.update(&game, line[..1].iter().cloned(), &NnueEvaluator);
    assert!(
        !readings
            .opponent_models_for(&game, OWN)
            .has_model(Player::new(1))
    );
    // And read again it says the same.
    readings.update(&game, line.iter().cloned(), &NnueEvaluator);
    assert!(
        readings
            .opponent_models_for(&game, OWN)
            .has_model(Player::new(1))
    );
}

#[test]
fn only_what_is_quick_is_foretold() {
    let sure = DiceOfDoom::preset(Rules::V2);
    let start = sure.deal(&mut AgentRng::seed_from_u64(1)).unwrap();
    let foretells = |model: &std::sync::Arc<dyn OpponentModel<DiceOfDoom>>| {
        !model.predict(&sure, &start).is_empty()
    };
    // No network knows these rules, and the book's player thinks four plies ahead.
    assert!(!models().iter().any(foretells));
}

#[test]
fn a_level_that_observes_plays_otherwise_than_one_that_does_not() {
    let (game, line) = (game(), line(5, |_, _| Level::Book));
    let own = |decision: &&ObservedAction<DiceOfDoom>| {
        game.status(&decision.position).mover() == Some(OWN)
    };
    let (mut alike, mut all) = (0, 0);
    let late = line.iter().enumerate().skip(line.len() / 2);
    for (at, decision) in late.filter(|(_, decision)| own(decision)) {
        let chosen = [0, at].map(|known| {
            let mut strategy = DiceOfDoom::agent(Level::Master);
            strategy.observe(&game, &mut line[..known].iter().cloned());
            let rng = &mut AgentRng::seed_from_u64(1);
            let choice = strategy.choose_action(
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
