//! The laws of PUCT: its results are exact where a plain search can visit everything, the same on every
//! machine, and it ends when it is asked to.
//!
//! A failure prints game and seed.

#![allow(clippy::unwrap_used)] // A test that finds nothing to unwrap has failed.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use dice_of_doom_core::game::{ByPlayer, Game, Payoffs, Player, Players, Status};
use dice_of_doom_core::level::{
    Effort, Level, Levelled, RandomPlayer, SearchRng, Searching, Strategy,
};
use dice_of_doom_core::search::puct::{Findings, Puct, SearchBudget, Tuning};
use dice_of_doom_core::search::{Forecast, Shares, Stop, results};
use dice_of_doom_games::dice_of_doom::forecast::ByHand;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Position, Rules};
use dice_of_doom_games::trilobite::Trilobite;
use dice_of_doom_games::trilobite::forecast::ByThreats;

/// Far from what levels use: nothing is so unlikely that it is never looked at.
const CURIOUS: Tuning = Tuning {
    exploration: 50.0,
    thorough_from: 4,
    temperature: 5.0,
    discount: 1.0,
};

/// As levels search.
const USUAL: Tuning = Tuning {
    exploration: 0.4,
    thorough_from: 4,
    temperature: 0.03,
    discount: 0.99,
};

fn one_tree(simulations: u64) -> SearchBudget {
    trees(simulations, 1)
}

fn trees(simulations: u64, trees: usize) -> SearchBudget {
    let trees = NonZeroUsize::new(trees).unwrap();
    SearchBudget { simulations, trees }
}

fn hash(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// A forecast that means nothing: shares and priors hashed from the position.
#[derive(Clone, Copy)]
struct Hashed;

impl<G: Game> Forecast<G> for Hashed {
    fn shares(&self, game: &G, position: &G::Position) -> Shares {
        let part = |player| (hash((position, player)) % 100 + 1) as f32;
        let sum: f32 = Player::all(game.players()).map(part).sum();
        ByPlayer::from_fn(|player| {
            if player.number() < game.players() {
                part(player) / sum
            } else {
                0.0
            }
        })
    }

    fn prior(&self, _: &G, position: &G::Position, action: G::Action) -> f32 {
        (hash((position, action)) % 8 + 1) as f32
    }
}

/// A game that ends after some turns at the latest, with winners hashed from the position: small
/// enough to look at everything, and nothing in it is as anybody would expect.
#[derive(Debug)]
struct Short<G>(G);

impl<G: Game> Game for Short<G> {
    /// And how many turns are left.
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
        let winners: Players = Player::all(self.players()).filter(is_winner).collect();
        if winners.count() > 0 {
            return Status::Over(Payoffs::shared_by(winners));
        }
        Status::Over(Payoffs::shared_by(Player::all(self.players()).collect()))
    }
    fn actions(
        &self,
        (position, turns): &Self::Position,
    ) -> impl Iterator<Item = G::Action> + Clone {
        let most = if *turns > 0 { usize::MAX } else { 0 };
        self.0.actions(position).take(most)
    }
    fn lottery(
        &self,
        (position, _): &Self::Position,
        action: G::Action,
    ) -> impl Iterator<Item = (G::Outcome, f64)> + Clone {
        self.0.lottery(position, action)
    }
    fn play(
        &self,
        (position, turns): &Self::Position,
        action: G::Action,
        outcome: G::Outcome,
    ) -> Self::Position {
        let after = self.0.play(position, action, outcome);
        let is_later = self.0.status(&after).mover() != self.0.status(position).mover();
        (after, turns - u8::from(is_later))
    }
    fn adjudicate(&self, (position, _): &Self::Position, gave_up: Players) -> Payoffs {
        self.0.adjudicate(position, gave_up)
    }
}

/// The least and the most that each player may get where everybody plays for the own share and
/// nobody knows how others choose between equals.
type Bounds = ByPlayer<(f64, f64)>;

/// Looks at everything, as plainly as it can be written.
struct Plain<'g, G: Game> {
    game: &'g G,
    discount: f64,
    seen: HashMap<G::Position, Bounds>,
}

impl<'g, G: Game> Plain<'g, G> {
    fn new(game: &'g G, tuning: Tuning) -> Self {
        Plain {
            game,
            discount: f64::from(tuning.discount),
            seen: HashMap::new(),
        }
    }

    fn bounds(&mut self, position: &G::Position) -> Bounds {
        let mover = match self.game.status(position) {
            Status::Over(payoffs) => {
                let shares = results(payoffs, self.game.players());
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
        let actions = game.actions(position);
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
        let bounds = bounds.expect("the best is as good as itself");
        self.seen.insert(position.clone(), bounds);
        bounds
    }

    /// The expectation over the outcomes of an action.
    fn after(&mut self, position: &G::Position, action: G::Action) -> Bounds {
        let game = self.game;
        let mover = game.status(position).mover();
        let mut sum = ByPlayer::from_fn(|_| (0.0, 0.0));
        for (outcome, probability) in game.lottery(position, action) {
            let after = game.play(position, action, outcome);
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

/// Searches until the position is solved, and compares with what the plain search finds.
fn check_solved<G: Game + Sync + Debug>(
    game: &G,
    start: &G::Position,
    tuning: Tuning,
    at: &str,
) -> Findings<G::Action> {
    let at = format!("{game:?}, {tuning:?}, {at}");
    let mover = game.status(start).mover().unwrap();
    let mut rng = SearchRng::seed_from_u64(0);
    let mut puct = Puct::new(Hashed, tuning);
    let found = puct.search(game, start, one_tree(1_000_000), &mut rng, &Stop::new());
    assert!(found.is_solved, "{at}: {found:?}");
    let mut plain = Plain::new(game, tuning);
    let bounds = plain.bounds(start);
    for player in Player::all(game.players()) {
        let share = found.shares[player];
        assert!(
            is_within(share, bounds[player]),
            "{at}: {player} {share} {bounds:?}"
        );
    }
    for rated in found.rated.iter().filter(|rated| rated.is_solved) {
        let bounds = plain.after(start, rated.action);
        for player in Player::all(game.players()) {
            assert!(
                is_within(rated.shares[player], bounds[player]),
                "{at}: {rated:?} {bounds:?}"
            );
        }
    }
    let best = found.best(mover, &mut rng);
    let worth = plain.after(start, best.action)[mover].1;
    assert!(
        worth > bounds[mover].0 - 1e-4,
        "{at}: {best:?} of {bounds:?}"
    );
    found
}

fn check_short_games(tuning: Tuning) {
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
            let start = game.deal(&mut SearchRng::seed_from_u64(seed)).unwrap();
            check_solved(
                &Short(game),
                &(start, turns),
                tuning,
                &format!("seed {seed}"),
            );
        }
    }
}

#[test]
fn what_is_solved_is_what_the_plain_search_finds() {
    check_short_games(CURIOUS);
}

#[test]
fn promises_fade_as_in_the_plain_search() {
    check_short_games(Tuning {
        discount: 0.8,
        ..CURIOUS
    });
}

#[test]
fn light_and_thorough_searches_know_the_same() {
    for thorough_from in [2, 3, 1_000_000] {
        check_short_games(Tuning {
            thorough_from,
            ..CURIOUS
        });
    }
}

#[test]
fn books_games_without_dice_are_solved_to_their_end() {
    for (rules, side, players, max_dice) in [
        (Rules::V1, 2, 2, 3),
        (Rules::V2, 2, 2, 3),
        (Rules::V2, 2, 3, 3),
        (Rules::V3, 2, 2, 3),
    ] {
        let game = DiceOfDoom::new(rules, side, players, max_dice).unwrap();
        for seed in 0..8 {
            let start = game.deal(&mut SearchRng::seed_from_u64(seed)).unwrap();
            check_solved(&game, &start, CURIOUS, &format!("seed {seed}"));
        }
    }
}

fn trilobite(width: u8, height: u8, win: u8) -> Trilobite {
    Trilobite::new(width, height, win).unwrap()
}

#[test]
fn trilobite_on_three_by_three_is_a_draw() {
    let game = trilobite(3, 3, 3);
    let found = check_solved(&game, &game.empty(), CURIOUS, "empty");
    assert_eq!(found.shares[Player::FIRST], 0.5);
    assert_eq!(found.shares[Player::new(1)], 0.5);
}

#[test]
fn trilobite_is_solved_from_anywhere() {
    let game = trilobite(3, 3, 3);
    for seed in 0..200 {
        let mut rng = SearchRng::seed_from_u64(seed);
        let start = played(&game, game.empty(), seed as usize % 8, &mut rng);
        if !game.status(&start).is_over() {
            for tuning in [
                CURIOUS,
                Tuning {
                    discount: 0.9,
                    ..CURIOUS
                },
            ] {
                check_solved(&game, &start, tuning, &format!("seed {seed}"));
            }
        }
    }
}

/// A position some random plies further on, or where the game ended before.
fn played<G: Game>(game: &G, start: G::Position, plies: usize, rng: &mut SearchRng) -> G::Position {
    let mut position = start;
    for _ in 0..plies {
        if game.status(&position).is_over() {
            break;
        }
        let action = RandomPlayer::pick(game, &position, rng);
        let outcome = game.sample(&position, action, rng);
        position = game.play(&position, action, outcome);
    }
    position
}

/// What a search of some thousand simulations plays, by its column's letter, and what it found.
fn column(
    game: &Trilobite,
    moves: &str,
    tuning: Tuning,
) -> (String, Findings<dice_of_doom_games::trilobite::Column>) {
    let position = game.from_columns(moves).unwrap();
    let mut rng = SearchRng::seed_from_u64(1);
    let mut puct = Puct::new(ByThreats, tuning);
    let found = puct.search(game, &position, one_tree(200_000), &mut rng, &Stop::new());
    let best = found.best(position.player(), &mut rng);
    (best.action.to_string(), found)
}

const HASTY: Tuning = Tuning {
    discount: 0.9,
    ..CURIOUS
};

#[test]
fn a_win_at_once_is_taken() {
    // . . . . .
    // 2 . . . .
    // 2 1 1 . .
    let game = trilobite(5, 3, 3);
    let (column, found) = column(&game, "2131", HASTY);
    assert_eq!(column, "d");
    assert!(found.is_solved);
    assert_eq!(found.shares[Player::FIRST], 1.0);
}

#[test]
fn of_several_wins_the_quicker_is_played() {
    // . . . . .
    // . . . . .
    // . . 2 . .
    // . . 1 . .     wherever the first player goes on, there is a win; an open pair needs two turns
    let game = trilobite(5, 4, 3);
    let (column, found) = column(&game, "33", HASTY);
    assert!(found.is_solved);
    assert!(["b", "d"].contains(&column.as_str()), "{column}");
    assert!((found.shares[Player::FIRST] - faded(2)).abs() < 1e-5);
    let slower = found
        .rated
        .iter()
        .filter(|rated| rated.action.number() % 2 == 0);
    for rated in slower {
        assert!(rated.is_solved);
        assert!(
            (0.51..faded(3)).contains(&rated.shares[Player::FIRST]),
            "{rated:?}"
        );
    }
}

#[test]
fn who_is_lost_holds_out() {
    // . . . . .
    // . . . . .
    // . . . . .
    // . . 1 . .     all is lost, and beside the middle latest
    let game = trilobite(5, 4, 3);
    let (column, found) = column(&game, "3", HASTY);
    assert!(found.is_solved);
    assert!(["b", "d"].contains(&column.as_str()), "{column}");
    assert!((found.shares[Player::FIRST] - faded(7)).abs() < 1e-5);
    assert!(found.rated.iter().all(|rated| rated.is_solved));
}

/// What a win so many turns ahead is worth to the hasty.
fn faded(turns: i32) -> f32 {
    0.5 + 0.5 * HASTY.discount.powi(turns)
}

#[test]
fn the_same_is_found_again() {
    let game = DiceOfDoom::preset(Rules::V4);
    let start = game.deal(&mut SearchRng::seed_from_u64(4)).unwrap();
    for count in [1, 2, 3] {
        let search = || {
            let mut puct = Puct::new(Hashed, USUAL);
            let mut rng = SearchRng::seed_from_u64(5);
            puct.search(&game, &start, trees(600, count), &mut rng, &Stop::new())
        };
        let first = search();
        let is_done = AtomicBool::new(false);
        thread::scope(|scope| {
            for round in 0..6 {
                assert_eq!(search(), first, "{count} trees, round {round}");
                // From here on others want the processor too.
                scope.spawn(|| {
                    while !is_done.load(Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                });
            }
            is_done.store(true, Ordering::Relaxed);
        });
    }
}

#[test]
fn several_trees_look_at_different_things() {
    let game = DiceOfDoom::preset(Rules::V4);
    let start = game.deal(&mut SearchRng::seed_from_u64(4)).unwrap();
    let mut puct = Puct::new(Hashed, CURIOUS);
    let mut rng = SearchRng::seed_from_u64(5);
    let found = puct.search(&game, &start, trees(1_000, 2), &mut rng, &Stop::new());
    let mut visits = found.rated.iter().map(|rated| rated.visits);
    // Two equal trees try each action equally often.
    assert!(visits.any(|visits| visits % 2 == 1), "{found:?}");
}

/// What matters of a position.
fn essence(game: &DiceOfDoom, mut position: Position) -> Position {
    game.canonicalise(&mut position);
    position
}

/// Positions on the way of a random game of each preset and some other numbers.
fn many_positions() -> impl Iterator<Item = (DiceOfDoom, Position, String)> {
    let numbers = [
        (2, 2, 3),
        (3, 3, 2),
        (4, 4, 5),
        (5, 4, 5),
        (6, 6, 8),
        (8, 5, 8),
    ];
    let games = Rules::ALL.into_iter().flat_map(move |rules| {
        numbers
            .into_iter()
            .map(move |(side, players, dice)| DiceOfDoom::new(rules, side, players, dice).unwrap())
    });
    games.flat_map(|game| {
        (0..4).filter_map(move |seed| {
            let mut rng = SearchRng::seed_from_u64(seed);
            let start = game.deal(&mut rng).unwrap();
            let position = played(&game, start, 7 * seed as usize, &mut rng);
            let is_over = game.status(&position).is_over();
            (!is_over).then(|| (game, position, format!("{game:?}, seed {seed}")))
        })
    })
}

fn check_sound<A: Copy + Debug>(found: &Findings<A>, players: u8, at: &str) {
    let rated = found.rated.iter().map(|rated| rated.shares);
    for shares in rated.chain([found.shares]) {
        let all = Player::all(6).map(|player| shares[player]);
        assert!(
            all.clone().all(|share| (-1e-4..=1.0001).contains(&share)),
            "{at}: {shares:?}"
        );
        let sum: f32 = all.sum();
        assert!((sum - 1.0).abs() < 1e-3, "{at}: {shares:?}");
        let mut beyond = Player::all(6).skip(usize::from(players));
        assert!(
            beyond.all(|player| shares[player] == 0.0),
            "{at}: {shares:?}"
        );
    }
}

#[test]
fn shares_are_shares_and_visits_add_up() {
    for (game, position, at) in many_positions() {
        let mut rng = SearchRng::seed_from_u64(6);
        for tuning in [USUAL, CURIOUS] {
            let mut puct = Puct::new(Hashed, tuning);
            let found = puct.search(&game, &position, one_tree(300), &mut rng, &Stop::new());
            check_sound(&found, game.players(), &at);
            let visits: u64 = found.rated.iter().map(|rated| rated.visits).sum();
            assert_eq!(visits, found.simulations, "{at}");
            assert!(found.is_solved || visits == 300, "{at}: {visits}");
            let listed = found.rated.iter().map(|rated| rated.action);
            assert!(listed.eq(game.actions(&position)), "{at}");
        }
        let mut puct = Puct::new(ByHand, USUAL);
        let found = puct.search(&game, &position, trees(200, 2), &mut rng, &Stop::new());
        check_sound(&found, game.players(), &at);
        let visits: u64 = found.rated.iter().map(|rated| rated.visits).sum();
        assert!(found.is_solved || visits == 200, "{at}: {visits}");
    }
}

#[test]
fn at_first_an_action_is_worth_the_expectation_over_its_outcomes() {
    for (game, position, at) in many_positions() {
        let mover = game.status(&position).mover();
        let mut rng = SearchRng::seed_from_u64(6);
        let mut puct = Puct::new(Hashed, USUAL);
        let found = puct.search(&game, &position, one_tree(0), &mut rng, &Stop::new());
        assert_eq!(found.simulations, 0, "{at}");
        for rated in &found.rated {
            assert_eq!(rated.visits, 0, "{at}");
            let mut expected = [0.0; 6];
            for (outcome, probability) in game.lottery(&position, rated.action) {
                let after = essence(&game, game.play(&position, rated.action, outcome));
                let (shares, kept) = match game.status(&after) {
                    Status::Over(payoffs) => (results(payoffs, game.players()), 1.0),
                    Status::Turn(next) if Some(next) == mover => {
                        (Hashed.shares(&game, &after), 1.0)
                    }
                    Status::Turn(_) => (Hashed.shares(&game, &after), 0.99),
                };
                for (player, expected) in Player::all(game.players()).zip(&mut expected) {
                    let share = kept * f64::from(shares[player]);
                    let equal = (1.0 - kept) / f64::from(game.players());
                    *expected += probability * (share + equal);
                }
            }
            for (player, expected) in Player::all(6).zip(expected) {
                let difference = f64::from(rated.shares[player]) - expected;
                assert!(difference.abs() < 1e-5, "{at}: {rated:?} {expected}");
            }
        }
    }
}

#[test]
fn what_does_not_matter_changes_nothing_that_follows() {
    for (game, position, at) in many_positions() {
        let left = essence(&game, position);
        assert_eq!(essence(&game, left), left, "{at}");
        assert_eq!(game.status(&left), game.status(&position), "{at}");
        assert!(game.actions(&left).eq(game.actions(&position)), "{at}");
        let shares = ByHand.shares(&game, &position);
        assert_eq!(ByHand.shares(&game, &left), shares, "{at}");
        for action in game.actions(&position) {
            let lottery = game.lottery(&position, action);
            assert!(game.lottery(&left, action).eq(lottery.clone()), "{at}");
            for (outcome, _) in lottery {
                let after = game.play(&position, action, outcome);
                let without = game.play(&left, action, outcome);
                let (one, other) = (essence(&game, after), essence(&game, without));
                assert_eq!(one, other, "{at}: {action}");
            }
        }
    }
}

/// Counts what it is asked.
struct Counting<F> {
    forecast: F,
    asked: AtomicU64,
}

impl<F> Counting<F> {
    fn new(forecast: F) -> Self {
        Counting {
            forecast,
            asked: AtomicU64::new(0),
        }
    }
}

impl<G: Game, F: Forecast<G>> Forecast<G> for &Counting<F> {
    fn shares_after(
        &self,
        game: &G,
        position: &G::Position,
        after: &[G::Position],
        shares: &mut Vec<Shares>,
    ) {
        let asked = after.len() as u64;
        self.asked.fetch_add(asked, Ordering::Relaxed);
        self.forecast.shares_after(game, position, after, shares);
    }

    fn shares(&self, game: &G, position: &G::Position) -> Shares {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.forecast.shares(game, position)
    }

    fn prior(&self, game: &G, position: &G::Position, action: G::Action) -> f32 {
        self.forecast.prior(game, position, action)
    }
}

#[test]
fn what_a_search_cost_is_counted() {
    // No game ends so soon on a board of this size, so each evaluated position was forecast.
    let game = DiceOfDoom::preset(Rules::Conquest);
    let start = game.deal(&mut SearchRng::seed_from_u64(4)).unwrap();
    for count in [1, 2] {
        let counting = Counting::new(Hashed);
        let mut puct = Puct::new(&counting, USUAL);
        let mut rng = SearchRng::seed_from_u64(5);
        let budget = trees(500, count);
        let found = puct.search(&game, &start, budget, &mut rng, &Stop::new());
        assert_eq!(found.simulations, 500);
        assert_eq!(found.nodes, counting.asked.load(Ordering::Relaxed));
        let again = puct.search(&game, &start, budget, &mut rng, &Stop::new());
        assert_eq!((again.simulations, again.nodes), (0, 0), "{count} trees");
    }
}

#[test]
fn a_kept_tree_saves_simulations_within_a_turn() {
    let mut saved = 0;
    for (game, position, at) in many_positions() {
        let mut rng = SearchRng::seed_from_u64(7);
        let budget = one_tree(400);
        let mut puct = Puct::new(Hashed, USUAL);
        let mover = game.status(&position).mover();
        let found = puct.search(&game, &position, budget, &mut rng, &Stop::new());
        let best = found.best(mover.unwrap(), &mut rng);
        let outcome = game.sample(&position, best.action, &mut rng);
        let after = game.play(&position, best.action, outcome);
        if game.status(&after).is_over() {
            continue;
        }
        let kept = puct.search(&game, &after, budget, &mut rng, &Stop::new());
        let mut fresh = Puct::new(Hashed, USUAL);
        let fresh = fresh.search(&game, &after, budget, &mut rng, &Stop::new());
        check_sound(&kept, game.players(), &at);
        let actions = |found: &Findings<_>| {
            found
                .rated
                .iter()
                .map(|rated| rated.action)
                .collect::<Vec<_>>()
        };
        assert_eq!(actions(&kept), actions(&fresh), "{at}");
        if game.status(&after).mover() == mover {
            assert!(kept.simulations <= fresh.simulations, "{at}");
            saved += fresh.simulations - kept.simulations;
            let visits: u64 = kept.rated.iter().map(|rated| rated.visits).sum();
            assert!(kept.is_solved || visits == 400, "{at}: {visits}");
        } else {
            assert_eq!(kept, fresh, "{at}: another turn");
        }
        // Back again: what was freed is not remembered.
        let back = puct.search(&game, &position, budget, &mut rng, &Stop::new());
        assert_eq!(back, found, "{at}");
    }
    assert!(saved > 1_000, "{saved} simulations");
}

#[test]
fn a_raised_flag_ends_a_search() {
    let stop = Stop::new();
    stop.raise();
    for (game, position, at) in many_positions() {
        for count in [1, 2] {
            let mut rng = SearchRng::seed_from_u64(8);
            let mut puct = Puct::new(Hashed, USUAL);
            let found = puct.search(&game, &position, trees(u64::MAX, count), &mut rng, &stop);
            assert!(
                found.simulations <= 16 * count as u64,
                "{at}: {}",
                found.simulations
            );
            let best = found.best(position.player(), &mut rng);
            assert!(game.judge(&position, best.action).is_ok(), "{at}: {best:?}");
        }
    }
}

#[test]
fn an_unlimited_search_ends_when_another_thread_says_so() {
    let game = DiceOfDoom::preset(Rules::V4);
    let start = game.deal(&mut SearchRng::seed_from_u64(4)).unwrap();
    for count in [1, 2] {
        let counting = Counting::new(Hashed);
        let (stop, count) = (Stop::new(), NonZeroUsize::new(count).unwrap());
        let mut strategy = Searching::new(&counting, USUAL, |_| 1, count);
        let choice = thread::scope(|scope| {
            scope.spawn(|| {
                while counting.asked.load(Ordering::Relaxed) < 1_000 {
                    thread::yield_now();
                }
                stop.raise();
            });
            let mut rng = SearchRng::seed_from_u64(9);
            strategy.choose(&game, &start, Effort::UntilStopped, &mut rng, &stop)
        });
        assert!(choice.nodes >= 900, "{choice:?}");
        assert_eq!(game.judge(&start, choice.action), Ok(()));
    }
}

#[test]
fn so_many_simulations_are_done_as_are_asked_for() {
    let game = DiceOfDoom::preset(Rules::V4);
    let start = game.deal(&mut SearchRng::seed_from_u64(4)).unwrap();
    let mut rng = SearchRng::seed_from_u64(9);
    let mut nodes = |effort| {
        let mut strategy = Searching::new(Hashed, USUAL, |_| 40, NonZeroUsize::MIN);
        let choice = strategy.choose(&game, &start, effort, &mut rng, &Stop::new());
        choice.nodes
    };
    let forty = Effort::Simulations(NonZeroU64::new(40).unwrap());
    let many = Effort::Simulations(NonZeroU64::new(80).unwrap());
    assert_eq!(nodes(Effort::Usual), nodes(forty));
    assert!(nodes(Effort::Usual) < nodes(many));
}

/// Every level chooses the same again, with what it does not keep and with the same variety.
fn check_repeats<G: Levelled + Debug>(game: &G, position: &G::Position, at: &str) {
    for level in Level::ALL {
        let choose = || {
            let mut rng = SearchRng::seed_from_u64(10);
            let mut strategy = G::strategy(level);
            strategy.choose(game, position, Effort::Usual, &mut rng, &Stop::new())
        };
        assert_eq!(choose(), choose(), "{game:?}, {level}, {at}");
    }
}

#[test]
fn levels_repeat_themselves() {
    for rules in [Rules::V2, Rules::V4, Rules::Conquest] {
        let game = DiceOfDoom::new(rules, 3, 3, 4).unwrap();
        for seed in 0..2 {
            let start = game.deal(&mut SearchRng::seed_from_u64(seed)).unwrap();
            check_repeats(&game, &start, &format!("seed {seed}"));
        }
    }
    let game = trilobite(5, 4, 4);
    for moves in ["", "334"] {
        check_repeats(&game, &game.from_columns(moves).unwrap(), moves);
    }
}
