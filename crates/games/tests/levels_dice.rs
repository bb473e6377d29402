//! The strong levels of Dice of Doom: by a network alone where one knows the game, and by a search elsewhere.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::num::NonZeroU64;

use dice_of_doom_core::game::Game;
use dice_of_doom_core::level::{
    Choice, Effort, Level, Levelled, OnePly, SearchRng, Softened, Strategy, Strength,
};
use dice_of_doom_core::search::{Forecast, Stop};
use dice_of_doom_games::dice_of_doom::net::shipped::{ByNet, net_of};
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Position, Rules};

/// A game that a network knows, and one that none knows.
fn games() -> [DiceOfDoom; 2] {
    let games = [Rules::V4, Rules::V1].map(DiceOfDoom::preset);
    assert!(net_of(&games[0]).is_some() && net_of(&games[1]).is_none());
    games
}

fn dealt(game: &DiceOfDoom) -> Position {
    game.deal(&mut SearchRng::seed_from_u64(4)).unwrap()
}

fn chosen(
    mut strategy: Box<dyn Strategy<DiceOfDoom>>,
    game: &DiceOfDoom,
    effort: Effort,
    seed: u64,
) -> Choice<Action> {
    let mut rng = SearchRng::seed_from_u64(seed);
    strategy.choose(game, &dealt(game), effort, &mut rng, &Stop::new())
}

fn simulations(number: u64) -> Effort {
    Effort::Simulations(NonZeroU64::new(number).unwrap())
}

fn at(level: Level) -> Box<dyn Strategy<DiceOfDoom>> {
    DiceOfDoom::strategy(level)
}

#[test]
fn expert_is_the_network_one_ply_ahead() {
    let [known, _] = games();
    for seed in 0..4 {
        let expert = chosen(at(Level::Expert), &known, Effort::Usual, seed);
        assert_eq!(
            expert,
            chosen(Box::new(OnePly(ByNet)), &known, Effort::Usual, seed)
        );
        assert!(expert.shares.is_some());
    }
}

#[test]
fn with_a_number_of_simulations_they_search() {
    let [known, _] = games();
    for level in [Level::Advanced, Level::Expert] {
        let alone = chosen(at(level), &known, Effort::Usual, 1);
        let few = chosen(at(level), &known, simulations(100), 1);
        let many = chosen(at(level), &known, simulations(400), 1);
        assert!(alone.nodes < few.nodes && few.nodes < many.nodes, "{level}");
        assert_eq!(many, chosen(at(Level::Master), &known, simulations(400), 1));
    }
    let strength: Strength = "expert:400".parse().unwrap();
    let mut rng = SearchRng::seed_from_u64(1);
    let action = strength.choose(&known, &dealt(&known), &mut rng);
    let searched = chosen(at(Level::Expert), &known, simulations(400), 1);
    assert_eq!(action, searched.action);
}

#[test]
fn where_no_network_knows_the_game_they_search() {
    let [_, unknown] = games();
    let hexes = u64::from(unknown.hexes());
    for (level, each) in [
        (Level::Advanced, 1),
        (Level::Expert, 4),
        (Level::Master, 40),
        (Level::Champion, 640),
    ] {
        let usual = chosen(at(level), &unknown, Effort::Usual, 2);
        let told = chosen(at(level), &unknown, simulations(each * hexes), 2);
        assert_eq!(usual, told, "{level}");
    }
}

#[test]
fn only_who_searches_remembers() {
    let [known, unknown] = games();
    for level in [Level::Advanced, Level::Expert] {
        let strategy = DiceOfDoom::strategy(level);
        assert_eq!(strategy.most_bytes(&known, Effort::Usual), 0, "{level}");
        assert!(strategy.most_bytes(&known, simulations(9)) > 0, "{level}");
        assert!(strategy.most_bytes(&unknown, Effort::Usual) > 0, "{level}");
        assert_eq!(strategy.threads().get(), 1);
    }
}

/// Forecasts of the position after each action, as the mover sees them.
fn promised(game: &DiceOfDoom) -> Vec<(Action, f64)> {
    let position = dealt(game);
    let mover = game.status(&position).mover().unwrap();
    let promised = game.actions(&position).map(|action| {
        let outcomes = game.lottery(&position, action);
        let share = outcomes.into_iter().map(|(outcome, probability)| {
            let after = game.play(&position, action, outcome);
            probability * f64::from(ByNet.shares(game, &after)[mover])
        });
        (action, share.sum())
    });
    promised.collect()
}

#[test]
fn softened_draws_as_the_softmax_says() {
    const DRAWS: u64 = 4_000;
    const TEMPERATURE: f64 = 0.03;
    let [known, _] = games();
    let promised = promised(&known);
    let most = promised.iter().map(|&(_, share)| share);
    let most = most.fold(f64::NEG_INFINITY, f64::max);
    let weight = |share: f64| ((share - most) / TEMPERATURE).exp();
    let all: f64 = promised.iter().map(|&(_, share)| weight(share)).sum();
    let softened = || Softened {
        forecast: ByNet,
        temperature: TEMPERATURE as f32,
    };
    let mut drawn = vec![0_u64; promised.len()];
    for seed in 0..DRAWS {
        let choice = chosen(Box::new(softened()), &known, Effort::Usual, seed);
        let at = promised
            .iter()
            .position(|&(action, _)| action == choice.action);
        drawn[at.unwrap()] += 1;
    }
    // Five standard deviations; the drawing is the same in every run.
    for ((action, share), drawn) in promised.iter().zip(drawn) {
        let due = weight(*share) / all;
        let deviation = (due * (1.0 - due) / DRAWS as f64).sqrt();
        let found = drawn as f64 / DRAWS as f64;
        assert!(
            (found - due).abs() <= 5.0 * deviation + 1e-3,
            "{action}: {found} instead of {due}"
        );
    }
    let again = |seed| chosen(at(Level::Advanced), &known, Effort::Usual, seed);
    assert_eq!(again(7), again(7));
}

#[test]
fn a_low_temperature_plays_the_best() {
    let [known, _] = games();
    let best = chosen(Box::new(OnePly(ByNet)), &known, Effort::Usual, 1).action;
    for seed in 0..20 {
        let cold = Softened {
            forecast: ByNet,
            temperature: 1e-6,
        };
        assert_eq!(
            chosen(Box::new(cold), &known, Effort::Usual, seed).action,
            best
        );
    }
}
