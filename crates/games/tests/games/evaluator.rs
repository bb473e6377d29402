//! Tests of the handcrafted evaluator: its features equal those of a plain definition, its shares are valid,
//! and the built-in weights equal the file.
//!
//! A failure prints the number of its position.

use dice_of_doom_core::game::{Game, MAX_PLAYERS, Player};
use dice_of_doom_core::level::{AgentRng, RandomAgent};
use dice_of_doom_core::search::{PositionEvaluator, WinShares};
use dice_of_doom_games::dice_of_doom::handcrafted::HandcraftedEvaluator;
use dice_of_doom_games::dice_of_doom::handcrafted::features::{self, COUNT, Features, NAMES};
use dice_of_doom_games::dice_of_doom::handcrafted::weights::HandcraftedWeights;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Hex, Position, Reinforcement, Rules};
use dice_of_doom_games::trilobite::Trilobite;
use dice_of_doom_games::trilobite::evaluator::ThreatEvaluator;
use rand::Rng as _;

use crate::packed::random_position;

/// The number of positions per test.
const POSITIONS: u64 = 10_000;

/// A plain reference implementation of the features.
struct Plain<'p> {
    game: &'p DiceOfDoom,
    position: &'p Position,
}

impl Plain<'_> {
    fn own(&self, player: Player) -> Vec<Hex> {
        let hexes = self.game.all_hexes();
        hexes
            .filter(|&hex| self.position.owner(hex) == player)
            .collect()
    }

    fn hexes(&self, player: Player) -> f32 {
        self.own(player).len() as f32
    }

    fn dice(&self, player: Player) -> f32 {
        let own = self.own(player).into_iter();
        own.map(|hex| f32::from(self.position.dice(hex))).sum()
    }

    /// The size of the player's largest group, by flood fill from each own hex.
    fn cluster(&self, player: Player) -> f32 {
        let reached = |start: Hex| {
            let mut reached = vec![start];
            let mut next = 0;
            while let Some(&hex) = reached.get(next) {
                next += 1;
                for &other in self.game.neighbours(hex) {
                    if self.position.owner(other) == player && !reached.contains(&other) {
                        reached.push(other);
                    }
                }
            }
            reached.len()
        };
        self.own(player).into_iter().map(reached).max().unwrap_or(0) as f32
    }

    /// The dice gained at the end of the turn: exact for the mover, an estimate for the others.
    fn gain(&self, player: Player) -> f32 {
        let due = match self.game.rules().reinforcement() {
            Reinforcement::Cluster => self.cluster(player),
            Reinforcement::Captured if player == self.position.player() => {
                (f32::from(self.position.spare()) - 1.0).max(0.0)
            }
            Reinforcement::Captured => 0.0,
        };
        let room = self.hexes(player) * f32::from(self.game.max_dice()) - self.dice(player);
        due.min(room)
    }

    fn full(&self, player: Player) -> f32 {
        let own = self.own(player).into_iter();
        own.filter(|&hex| self.position.dice(hex) == self.game.max_dice())
            .count() as f32
    }

    fn foreign_around(&self, hex: Hex) -> impl Iterator<Item = Hex> {
        let owner = self.position.owner(hex);
        let around = self.game.neighbours(hex).iter().copied();
        around.filter(move |&other| self.position.owner(other) != owner)
    }

    fn threatened(&self, player: Player) -> f32 {
        let dice = |hex| self.position.dice(hex);
        let own = self.own(player).into_iter();
        own.filter(|&hex| {
            self.foreign_around(hex)
                .any(|other| dice(other) > dice(hex))
        })
        .count() as f32
    }

    /// The hexes that could attack if the player were to move.
    fn attackers(&self, player: Player) -> f32 {
        let dice = |hex| self.position.dice(hex);
        let needed = |target| {
            if self.game.rules().is_rolled() {
                2
            } else {
                dice(target) + 1
            }
        };
        let own = self.own(player).into_iter();
        own.filter(|&hex| {
            self.foreign_around(hex)
                .any(|other| dice(hex) >= needed(other))
        })
        .count() as f32
    }

    fn stuck(&self, player: Player) -> f32 {
        (1.0 / (1.0 + self.attackers(player))).powi(2)
    }

    fn others(&self, than: Player) -> impl Iterator<Item = Player> {
        Player::all(self.game.players()).filter(move |&player| player != than)
    }

    fn lead(&self, player: Player) -> f32 {
        let others = self.others(player).map(|other| self.hexes(other));
        self.hexes(player) - others.fold(0.0, f32::max)
    }

    fn feature(&self, name: &str, player: Player) -> f32 {
        let mover = self.position.player();
        let board = f32::from(self.game.hexes());
        let leads = f32::from(u8::from(self.lead(player) >= 0.0));
        let next_is_stuck = self.stuck(mover.next(self.game.players()));
        let stuck = self.others(mover).map(|other| self.stuck(other));
        let one_is_stuck = stuck.fold(0.0, f32::max);
        match name {
            "hexes" => self.hexes(player) / board,
            "dice" => self.dice(player) / (board * f32::from(self.game.max_dice())),
            "cluster" => self.cluster(player) / board,
            "gain" => self.gain(player) / board,
            "full" => self.full(player) / board,
            "threatened" => self.threatened(player) / board,
            "attackers" => self.attackers(player) / board,
            "few attackers" => 1.0 / (1.0 + self.attackers(player)),
            "no attacker" => f32::from(u8::from(self.attackers(player) == 0.0)),
            "lead" => self.lead(player) / board,
            "leads" => leads,
            "lead, next is stuck" => self.lead(player) / board * next_is_stuck,
            "leads, next is stuck" => leads * next_is_stuck,
            "lead, one is stuck" => self.lead(player) / board * one_is_stuck,
            "leads, one is stuck" => leads * one_is_stuck,
            "hexes, one is stuck" => self.hexes(player) / board * one_is_stuck,
            _ => panic!("{name} has no plain definition"),
        }
    }
}

#[test]
fn features_match_the_plain_definition() {
    for number in 0..POSITIONS {
        let (game, setup) = random_position(number);
        let position = game.position(&setup).unwrap();
        let plain = Plain {
            game: &game,
            position: &position,
        };
        let found = features::features_of_position(&game, &position);
        for player in Player::all(MAX_PLAYERS as u8) {
            let numbers = found[usize::from(player.number())];
            for (name, found) in NAMES.into_iter().zip(numbers) {
                let expected = if player.number() < game.players() {
                    plain.feature(name, player)
                } else {
                    0.0
                };
                assert!(
                    (found - expected).abs() < 1e-5,
                    "position {number}: {game:?} {setup:?}: {name} of {player} is {found}, not {expected}"
                );
            }
        }
    }
}

/// Meaningless weights, some of them large.
fn hashed_weights(number: u64) -> HandcraftedWeights {
    let mut rng = AgentRng::seed_from_u64(number);
    let weight = |_| (rng.next_u64() % 4_001) as f32 / 100.0 - 20.0;
    let mut weights = (0..COUNT * MAX_PLAYERS).map(weight);
    HandcraftedWeights(std::array::from_fn(|_| {
        std::array::from_fn::<f32, COUNT, _>(|_| weights.next().unwrap())
    }))
}

fn check_shares(shares: WinShares, players: u8, at: &str) {
    let all = Player::all(MAX_PLAYERS as u8).map(|player| shares[player]);
    assert!(
        all.clone().all(|share| (0.0..=1.0).contains(&share)),
        "{at}: {shares:?}"
    );
    assert!((all.sum::<f32>() - 1.0).abs() < 1e-5, "{at}: {shares:?}");
    let mut beyond = Player::all(MAX_PLAYERS as u8).skip(usize::from(players));
    assert!(
        beyond.all(|player| shares[player] == 0.0),
        "{at}: {shares:?}"
    );
}

#[test]
fn win_shares_sum_to_one() {
    for number in 0..POSITIONS {
        let (game, setup) = random_position(number);
        let position = game.position(&setup).unwrap();
        let at = format!("position {number}: {game:?} {setup:?}");
        check_shares(
            HandcraftedEvaluator.win_shares(&game, &position),
            game.players(),
            &at,
        );
        let weights = hashed_weights(number);
        check_shares(weights.win_shares(&game, &position), game.players(), &at);
        for action in game.legal_actions(&position) {
            let prior = HandcraftedEvaluator.prior(&game, &position, action);
            assert!((0.0..=1.0).contains(&prior), "{at}: {action} {prior}");
        }
    }
}

#[test]
fn batched_successors_are_evaluated_like_single_positions() {
    for number in 0..POSITIONS {
        let (game, setup) = random_position(number);
        let position = game.position(&setup).unwrap();
        let weights = hashed_weights(number);
        let plies = game.legal_actions(&position).flat_map(|action| {
            let outcomes = game.chance_outcomes(&position, action);
            outcomes.map(move |(outcome, _)| game.apply(&position, action, outcome))
        });
        let after: Vec<Position> = plies.collect();
        let mut batched = Vec::new();
        weights.win_shares_after(&game, &position, &after, &mut batched);
        let single: Vec<WinShares> = after
            .iter()
            .map(|after| weights.win_shares(&game, after))
            .collect();
        // Bit-exact equality, because otherwise search results would depend on the batching.
        assert_eq!(batched, single, "position {number}: {game:?} {setup:?}");
    }
}

/// A plain reference implementation of the softmax of weighted features.
fn softmax(game: &DiceOfDoom, position: &Position, weights: &HandcraftedWeights) -> Vec<f64> {
    let features = features::features_of_position(game, position);
    let mover = position.player();
    let powers = Player::all(game.players()).map(|player| {
        let row = &weights.0[player.turns_until(mover, game.players())];
        let numbers = features[usize::from(player.number())];
        let products = row.iter().zip(numbers);
        let sum: f64 = products
            .map(|(&weight, number)| f64::from(weight) * f64::from(number))
            .sum();
        sum.exp()
    });
    let powers: Vec<f64> = powers.collect();
    let all: f64 = powers.iter().sum();
    powers.iter().map(|power| power / all).collect()
}

#[test]
fn shares_are_a_softmax_of_the_weighted_features() {
    for number in 0..POSITIONS {
        let (game, setup) = random_position(number);
        let position = game.position(&setup).unwrap();
        let weights = hashed_weights(number);
        let shares = weights.win_shares(&game, &position);
        let expected = softmax(&game, &position, &weights);
        for (player, expected) in Player::all(game.players()).zip(expected) {
            assert!(
                (f64::from(shares[player]) - expected).abs() < 1e-4,
                "position {number}: {game:?} {setup:?}: {player} has {}, not {expected}",
                shares[player]
            );
        }
    }
}

#[test]
fn trilobite_win_shares_sum_to_one() {
    for seed in 0..1_000 {
        let mut rng = AgentRng::seed_from_u64(seed);
        let game = Trilobite::new(8, 7, 4).unwrap();
        let mut position = game.empty();
        while !game.status(&position).is_over() {
            check_shares(
                ThreatEvaluator.win_shares(&game, &position),
                2,
                &format!("seed {seed}"),
            );
            let column = RandomAgent::random_action(&game, &position, &mut rng);
            position = game.apply(&position, column, ());
        }
    }
}

#[test]
fn renumbering_the_players_permutes_the_shares() {
    for number in 0..POSITIONS {
        let (game, setup) = random_position(number);
        let position = game.position(&setup).unwrap();
        let players = game.players();
        let by = 1 + (number % u64::from(players - 1)) as u8;
        let renamed = |player: u8| (player + by) % players;
        let mut other = setup.clone();
        other.player = renamed(setup.player);
        for (owner, _) in &mut other.board {
            *owner = renamed(*owner);
        }
        let other = game.position(&other).unwrap();
        let weights = hashed_weights(number);
        let (before, after) = (
            weights.win_shares(&game, &position),
            weights.win_shares(&game, &other),
        );
        for player in Player::all(players) {
            let difference = before[player] - after[Player::new(renamed(player.number()))];
            assert!(
                difference.abs() < 1e-4,
                "position {number}: {game:?} {setup:?}: {before:?} {after:?}"
            );
        }
    }
}

#[test]
fn the_built_in_weights_equal_the_file() {
    let file = include_str!("../../src/dice_of_doom/handcrafted/weights.csv");
    let mut rows = file.lines().skip_while(|line| line.starts_with('#'));
    let header = NAMES.map(|name| name.replace(", ", " ")).join(",");
    let found = rows.next();
    assert_eq!(found, Some(&*format!("kind,players,distance,{header}")));
    for (kind, rules) in [
        ("more-dice", Rules::V3),
        ("rolled", Rules::V4),
        ("conquest", Rules::Conquest),
    ] {
        for players in 2..=MAX_PLAYERS as u8 {
            let game = DiceOfDoom::new(rules, 5, players, 5).unwrap();
            let weights = &HandcraftedWeights::for_game(&game).0;
            for (distance, row) in weights.iter().take(players.into()).enumerate() {
                let cells = row.map(|weight| format!(",{weight:.3}")).concat();
                let found = rows.next();
                assert_eq!(found, Some(&*format!("{kind},{players},{distance}{cells}")));
            }
        }
    }
    assert_eq!(rows.next(), None);
}

#[test]
fn no_weights_table_is_zero() {
    for rules in Rules::ALL {
        for players in 2..=MAX_PLAYERS as u8 {
            let game = DiceOfDoom::new(rules, 5, players, 5).unwrap();
            let rows: &[Features; MAX_PLAYERS] = &HandcraftedWeights::for_game(&game).0;
            for (distance, row) in rows.iter().enumerate() {
                let has_weights = row.iter().any(|&weight| weight != 0.0);
                let is_in_game = distance < usize::from(players);
                assert_eq!(has_weights, is_in_game, "{game:?}, {distance} turns on");
            }
        }
    }
}
