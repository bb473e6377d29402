//! Solved results are exact: they are compared with a full search.

use std::collections::HashMap;
use std::fmt::Debug;

use dice_of_doom_core::game::{ByPlayer, Game, Payoffs, Player, PlayerSet, Status};
use dice_of_doom_core::level::AgentRng;
use dice_of_doom_core::search::StopToken;
use dice_of_doom_core::search::puct::{PuctParameters, PuctResult, PuctSearch};
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};

use super::{HIGH_EXPLORATION, Hashed, hash, one_tree, played, trilobite};

/// A game that ends after a limited number of turns, with winners hashed from the position: small enough for a
/// full search, and with unpredictable results.
#[derive(Debug)]
struct Short<G>(G);

impl<G: Game> Game for Short<G> {
    /// The position and the number of turns left.
    type Position = (G::Position, u8);
    type Action = G::Action;
    type Outcome = G::Outcome;

    fn players(&self) -> u8 {
        self.0.players()
    }
    fn status(&self, (position, turns): &Self::Position) -> Status {
        if *turns > 0 {
            return self.0.status(position);
        }
        let is_winner = |player: &Player| hash((position, player)).is_multiple_of(3);
        let winners: PlayerSet = Player::all(self.players()).filter(is_winner).collect();
        if winners.count() > 0 {
            return Status::Over(Payoffs::for_winners(winners));
        }
        Status::Over(Payoffs::for_winners(Player::all(self.players()).collect()))
    }
    fn legal_actions(
        &self,
        (position, turns): &Self::Position,
    ) -> impl Iterator<Item = G::Action> + Clone {
        let most = if *turns > 0 { usize::MAX } else { 0 };
        self.0.legal_actions(position).take(most)
    }
    fn chance_outcomes(
        &self,
        (position, _): &Self::Position,
        action: G::Action,
    ) -> impl Iterator<Item = (G::Outcome, f64)> + Clone {
        self.0.chance_outcomes(position, action)
    }
    fn apply(
        &self,
        (position, turns): &Self::Position,
        action: G::Action,
        outcome: G::Outcome,
    ) -> Self::Position {
        let after = self.0.apply(position, action, outcome);
        let is_later = self.0.status(&after).mover() != self.0.status(position).mover();
        (after, turns - u8::from(is_later))
    }
    fn adjudicate(&self, (position, _): &Self::Position, gave_up: PlayerSet) -> Payoffs {
        self.0.adjudicate(position, gave_up)
    }
}

/// The minimum and maximum win share of each player if all players maximise their own share and ties are broken
/// arbitrarily.
type Bounds = ByPlayer<(f64, f64)>;

/// A plain full search.
struct Plain<'g, G: Game> {
    game: &'g G,
    discount: f64,
    seen: HashMap<G::Position, Bounds>,
}

impl<'g, G: Game> Plain<'g, G> {
    fn new(game: &'g G, parameters: PuctParameters) -> Self {
        Plain {
            game,
            discount: f64::from(parameters.discount),
            seen: HashMap::new(),
        }
    }

    fn bounds(&mut self, position: &G::Position) -> Bounds {
        let mover = match self.game.status(position) {
            Status::Over(payoffs) => {
                let shares = payoffs.win_shares(self.game.players());
                return ByPlayer::from_fn(|player| {
                    (f64::from(shares[player]), f64::from(shares[player]))
                });
            }
            Status::Turn(mover) => mover,
        };
        if let Some(&bounds) = self.seen.get(position) {
            return bounds;
        }
        let game = self.game;
        let actions = game.legal_actions(position);
        let all: Vec<Bounds> = actions.map(|action| self.after(position, action)).collect();
        let sure = all.iter().map(|bounds| bounds[mover].0);
        let sure = sure.fold(f64::NEG_INFINITY, f64::max);
        let bounds = all
            .iter()
            .filter(|bounds| bounds[mover].1 > sure - 1e-5)
            .copied()
            .reduce(|a, b| {
                ByPlayer::from_fn(|player| {
                    (a[player].0.min(b[player].0), a[player].1.max(b[player].1))
                })
            });
        let bounds = bounds.expect("at least one action is maximal");
        self.seen.insert(position.clone(), bounds);
        bounds
    }

    /// The expectation over an action's outcomes.
    fn after(&mut self, position: &G::Position, action: G::Action) -> Bounds {
        let game = self.game;
        let mover = game.status(position).mover();
        let mut sum = ByPlayer::from_fn(|_| (0.0, 0.0));
        for (outcome, probability) in game.chance_outcomes(position, action) {
            let after = game.apply(position, action, outcome);
            let next = game.status(&after).mover();
            let discount = if next.is_some() && next != mover {
                self.discount
            } else {
                1.0
            };
            let bounds = self.bounds(&after);
            let equal = (1.0 - discount) / f64::from(game.players());
            sum = ByPlayer::from_fn(|player| {
                let (least, most) = bounds[player];
                (
                    sum[player].0 + probability * (discount * least + equal),
                    sum[player].1 + probability * (discount * most + equal),
                )
            });
        }
        sum
    }
}

fn is_within(share: f32, (least, most): (f64, f64)) -> bool {
    (least - 1e-4..=most + 1e-4).contains(&f64::from(share))
}

/// Searches until the position is solved, and compares the result with the plain search.
fn check_solved<G: Game + Sync + Debug>(
    game: &G,
    start: &G::Position,
    parameters: PuctParameters,
    at: &str,
) -> PuctResult<G::Action> {
    let at = format!("{game:?}, {parameters:?}, {at}");
    let mover = game.status(start).mover().unwrap();
    let mut rng = AgentRng::seed_from_u64(0);
    let mut puct = PuctSearch::new(Hashed, parameters);
    let found = puct.search(
        game,
        start,
        one_tree(1_000_000),
        &mut rng,
        &StopToken::new(),
    );
    assert!(found.is_solved, "{at}: {found:?}");
    let mut plain = Plain::new(game, parameters);
    let bounds = plain.bounds(start);
    for player in Player::all(game.players()) {
        let share = found.shares[player];
        assert!(
            is_within(share, bounds[player]),
            "{at}: {player} {share} {bounds:?}"
        );
    }
    for rated in found.actions.iter().filter(|rated| rated.is_solved) {
        let bounds = plain.after(start, rated.action);
        for player in Player::all(game.players()) {
            assert!(
                is_within(rated.shares[player], bounds[player]),
                "{at}: {rated:?} {bounds:?}"
            );
        }
    }
    let best = found.best(mover, &mut rng);
    let value = plain.after(start, best.action)[mover].1;
    assert!(
        value > bounds[mover].0 - 1e-4,
        "{at}: {best:?} of {bounds:?}"
    );
    found
}

fn check_short_games(parameters: PuctParameters) {
    for (rules, side, players, max_dice, turns) in [
        (Rules::V1, 2, 2, 3, 6),
        (Rules::V2, 2, 2, 3, 6),
        (Rules::V2, 3, 2, 3, 2),
        (Rules::V2, 3, 3, 2, 3),
        (Rules::V3, 3, 2, 3, 2),
        (Rules::V4, 2, 2, 2, 5),
        (Rules::V4, 2, 2, 3, 4),
        (Rules::V4, 2, 3, 3, 4),
        (Rules::V4, 2, 4, 8, 3),
        (Rules::Conquest, 2, 2, 3, 5),
        (Rules::Conquest, 2, 3, 8, 4),
    ] {
        let game = DiceOfDoom::new(rules, side, players, max_dice).unwrap();
        for seed in 0..8 {
            let start = game.deal(&mut AgentRng::seed_from_u64(seed)).unwrap();
            check_solved(
                &Short(game),
                &(start, turns),
                parameters,
                &format!("seed {seed}"),
            );
        }
    }
}

#[test]
fn solved_results_equal_the_plain_search() {
    check_short_games(HIGH_EXPLORATION);
}

#[test]
fn values_are_discounted_as_in_the_plain_search() {
    check_short_games(PuctParameters {
        discount: 0.8,
        ..HIGH_EXPLORATION
    });
}

#[test]
fn early_and_late_full_expansion_solve_the_same() {
    for thorough_from in [2, 3, 1_000_000] {
        check_short_games(PuctParameters {
            full_expansion_visits: thorough_from,
            ..HIGH_EXPLORATION
        });
    }
}

#[test]
fn games_without_dice_are_solved_to_the_end() {
    for (rules, side, players, max_dice) in [
        (Rules::V1, 2, 2, 3),
        (Rules::V2, 2, 2, 3),
        (Rules::V2, 2, 3, 3),
        (Rules::V3, 2, 2, 3),
    ] {
        let game = DiceOfDoom::new(rules, side, players, max_dice).unwrap();
        for seed in 0..8 {
            let start = game.deal(&mut AgentRng::seed_from_u64(seed)).unwrap();
            check_solved(&game, &start, HIGH_EXPLORATION, &format!("seed {seed}"));
        }
    }
}

#[test]
fn trilobite_on_three_by_three_is_a_draw() {
    let game = trilobite(3, 3, 3);
    let found = check_solved(&game, &game.empty(), HIGH_EXPLORATION, "empty");
    assert_eq!(found.shares[Player::FIRST], 0.5);
    assert_eq!(found.shares[Player::new(1)], 0.5);
}

#[test]
fn trilobite_is_solved_from_random_positions() {
    let game = trilobite(3, 3, 3);
    for seed in 0..200 {
        let mut rng = AgentRng::seed_from_u64(seed);
        let start = played(&game, game.empty(), seed as usize % 8, &mut rng);
        if !game.status(&start).is_over() {
            for parameters in [
                HIGH_EXPLORATION,
                PuctParameters {
                    discount: 0.9,
                    ..HIGH_EXPLORATION
                },
            ] {
                check_solved(&game, &start, parameters, &format!("seed {seed}"));
            }
        }
    }
}
