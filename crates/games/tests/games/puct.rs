//! Laws of PUCT: results are exact where a plain search can visit everything, equal on every machine, and a
//! stop request ends the search. Each submodule tests one law; shared code is here.
//!
//! A failure prints game and seed.

use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;

use dice_of_doom_core::game::{ByPlayer, Game, Player};
use dice_of_doom_core::level::{AgentRng, RandomAgent};
use dice_of_doom_core::search::puct::{PuctParameters, PuctResult, SearchBudget};
use dice_of_doom_core::search::{PositionEvaluator, WinShares};
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Position, Rules};
use dice_of_doom_games::trilobite::Trilobite;

mod cost;
mod exact;
mod repeats;
mod sound;
mod wins;

/// High exploration, unlike the levels: every action is visited.
const HIGH_EXPLORATION: PuctParameters = PuctParameters {
    c_puct: 50.0,
    full_expansion_visits: 4,
    temperature: 5.0,
    discount: 1.0,
};

/// The parameters of the levels.
const LEVEL_PARAMETERS: PuctParameters = PuctParameters {
    c_puct: 0.4,
    full_expansion_visits: 4,
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

/// A meaningless evaluator: shares and priors hashed from the position.
#[derive(Clone, Copy)]
struct Hashed;

impl<G: Game> PositionEvaluator<G> for Hashed {
    fn win_shares(&self, game: &G, position: &G::Position) -> WinShares {
        let part = |player| (hash((position, player)) % 100 + 1) as f32;
        let sum: f32 = Player::all(game.players()).map(part).sum();
        ByPlayer::for_players(game.players(), |player| part(player) / sum)
    }

    fn prior(&self, _: &G, position: &G::Position, action: G::Action) -> f32 {
        (hash((position, action)) % 8 + 1) as f32
    }
}

fn trilobite(width: u8, height: u8, win: u8) -> Trilobite {
    Trilobite::new(width, height, win).unwrap()
}

/// The position after `plies` random plies, or the end of the game.
fn played<G: Game>(game: &G, start: G::Position, plies: usize, rng: &mut AgentRng) -> G::Position {
    let mut position = start;
    for _ in 0..plies {
        if game.status(&position).is_over() {
            break;
        }
        let action = RandomAgent::random_action(game, &position, rng);
        let outcome = game.sample_outcome(&position, action, rng);
        position = game.apply(&position, action, outcome);
    }
    position
}

/// The canonical form of a position.
fn canonical(game: &DiceOfDoom, mut position: Position) -> Position {
    game.canonicalise(&mut position);
    position
}

/// Positions of random games of each preset and some other parameters.
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
            let mut rng = AgentRng::seed_from_u64(seed);
            let start = game.deal(&mut rng).unwrap();
            let position = played(&game, start, 7 * seed as usize, &mut rng);
            let is_over = game.status(&position).is_over();
            (!is_over).then(|| (game, position, format!("{game:?}, seed {seed}")))
        })
    })
}

fn check_sound<A: Copy + Debug>(found: &PuctResult<A>, players: u8, at: &str) {
    let rated = found.actions.iter().map(|rated| rated.shares);
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
