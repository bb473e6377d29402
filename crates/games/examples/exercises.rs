//! Solutions of five exercises for readers of Land of Lisp (see `docs/land-of-lisp.md`).
//!
//!
//! ```sh
//! cargo run --release -p dice-of-doom-games --example exercises      # all of them
//! cargo run --release -p dice-of-doom-games --example exercises 3    # one
//! ```

use std::fmt::Write as _;

use dice_of_doom_core::game::{Game, Player, Status};
use dice_of_doom_core::search::{StaticEvaluation as _, expectimax, expectimax_in, perft};
use dice_of_doom_core::tree::{GameTree, LazyTree, cached::CachedNode};
use dice_of_doom_games::dice_of_doom::land_of_lisp::score::BookScore;
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Position, Rules, land_of_lisp};
use dice_of_doom_games::trilobite::Trilobite;
use rand::{RngExt as _, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The exercises in order; each returns its output.
pub(crate) const EXERCISES: [fn() -> String; 5] =
    [pruning, taking_turns, two_branches, laziness, rounded_odds];

fn main() {
    let selected: Option<usize> = std::env::args()
        .nth(1)
        .and_then(|number| number.parse().ok());
    for (number, exercise) in (1..).zip(EXERCISES) {
        if selected.is_none_or(|selected| selected == number) {
            println!("{number}.\n{}", exercise());
        }
    }
}

/// Alpha-beta searches fewer positions and chooses the same action.
fn pruning() -> String {
    let game = DiceOfDoom::preset(Rules::V2);
    let start = deal(&game, 18);
    let mut table = "plies  choice  without alpha-beta  with\n".to_owned();
    for plies in [2, 4, 6] {
        let whole = land_of_lisp::expectimax_f64(&game, &start, plies);
        let pruned = land_of_lisp::alpha_beta(&game, &start, plies);
        assert_eq!(whole.action(), pruned.action());
        let choice = whole.action().expect("the game is not over").to_string();
        let line = (plies, choice, whole.nodes, pruned.nodes);
        let _ = writeln!(
            table,
            "{:>5}  {:>6}  {:>18}  {:>4}",
            line.0, line.1, line.2, line.3
        );
    }
    table
}

/// A search that alternates players at every ply attributes a player's own second attack to the opponent.
fn taking_turns() -> String {
    let game = DiceOfDoom::preset(Rules::V2);
    let positions = positions(&game, 1_000);
    let mut wrong = positions.iter().filter_map(|position| {
        let right = land_of_lisp::expectimax_f64(&game, position, 3);
        let alternating = game.legal_actions(position).map(|action| {
            let after = game.apply(position, action, only_outcome(&game, position, action));
            (
                action,
                alternating(&game, &after, 2, position.player(), false),
            )
        });
        let chosen = first_best(alternating);
        let value = |wanted| {
            let rating = right.ratings.iter().find(|&&(action, _)| action == wanted);
            rating.expect("both list all actions").1
        };
        let best = right.action().expect("the game is not over");
        (value(chosen) < value(best)).then(|| {
            let (value, best_value) = (value(chosen), value(best));
            format!("{chosen} (worth {value}) where {best} is worth {best_value}")
        })
    });
    let first = wrong.next().unwrap_or_default();
    let count = 1 + wrong.count();
    let all = positions.len();
    format!("a worse choice in {count} of {all} positions; the first: {first}\n")
}

/// The value of a position for one player, by a search in which that player and the opponents alternate
/// regardless of the side to move.
fn alternating(
    game: &DiceOfDoom,
    position: &Position,
    plies: u32,
    player: Player,
    is_own: bool,
) -> f64 {
    let values = (plies > 0).then(|| {
        game.legal_actions(position).map(|action| {
            let after = game.apply(position, action, only_outcome(game, position, action));
            alternating(game, &after, plies - 1, player, !is_own)
        })
    });
    let values = values.into_iter().flatten();
    let best = values.reduce(if is_own { f64::max } else { f64::min });
    best.unwrap_or_else(|| BookScore.evaluate(game, position, player))
}

/// The value of an attack: the sum over its outcomes of probability times value.
fn two_branches() -> String {
    let game = DiceOfDoom::preset(Rules::V4);
    let start = deal(&game, 20);
    let analysis = land_of_lisp::expectimax_f32(&game, &start, 2);
    let attack = analysis.ratings.iter().find(|(action, _)| {
        let probability = match *action {
            Action::Attack { from, to } => {
                game.attack_win_probability(&start, from, to).unwrap_or(1.0)
            }
            Action::EndTurn => 1.0,
        };
        (0.6..0.9).contains(&probability)
    });
    let &(action, rating) = attack.expect("this deal has such an attack");
    let mut lines = format!("attack {action}\n");
    let mut sum = 0.0;
    for (outcome, chance) in land_of_lisp::BookOddsGame(game).chance_outcomes(&start, action) {
        let after = game.apply(&start, action, outcome);
        let value = value_after(&game, &after, &start);
        sum += chance * value;
        let _ = writeln!(lines, "{outcome:?}: chance {chance:.2}, worth {value}");
    }
    let _ = writeln!(
        lines,
        "together {sum:.2}; rated by the program: {rating:.2}"
    );
    lines
}

/// The value of a position for the mover of `before`, one ply deep.
fn value_after(game: &DiceOfDoom, after: &Position, before: &Position) -> f64 {
    let game = land_of_lisp::BookOddsGame(*game);
    let tree = LazyTree::new(&game, *after).limit_depth(1);
    let analysis = expectimax(&tree, &BookScore, before.player());
    analysis.value().expect("the game is not over")
}

/// Positions are created only when they are visited.
fn laziness() -> String {
    let game = Trilobite::new(8, 7, 4).expect("the book's size");
    let root = CachedNode::root(game.empty());
    let tree = root.cached(&game);
    let listed = tree.branches().count();
    let after_listing = root.cached_nodes();
    let mut seventh = tree.branches().nth(6).expect("eight columns").1;
    let has_child = seventh.next().is_some();
    assert!(has_child);
    let after_looking = root.cached_nodes();
    let total: u64 = (0..=6)
        .map(|plies| perft(&game, &game.empty(), plies))
        .sum();
    format!(
        "{listed} moves listed: {after_listing} position made, the root\n\
         the seventh of them looked at: {after_looking} positions made\n\
         all of them, six plies deep: {total} positions\n"
    )
}

/// How often the book's rounding of win probabilities changes the choice.
fn rounded_odds() -> String {
    let game = DiceOfDoom::preset(Rules::V4);
    let positions = positions(&game, 1_000);
    let differ = positions.iter().filter(|position| {
        let single = land_of_lisp::expectimax_f32(&game, position, 2).action();
        single != land_of_lisp::expectimax_f64(&game, position, 2).action()
    });
    let exact = positions.iter().filter(|position| {
        let tree = LazyTree::new(&game, **position).limit_depth(2);
        let exact = expectimax_in::<f32, _>(&tree, &BookScore, position.player());
        exact.action() != land_of_lisp::expectimax_f32(&game, position, 2).action()
    });
    let all = positions.len();
    format!(
        "of {all} positions another choice\n\
         with doubles instead of singles: {}\n\
         with exact odds instead of rounded ones: {}\n",
        differ.count(),
        exact.count()
    )
}

fn deal(game: &DiceOfDoom, seed: u64) -> Position {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    game.deal(&mut rng).expect("these sizes can be dealt")
}

/// Positions of games with uniformly random actions.
fn positions(game: &DiceOfDoom, count: usize) -> Vec<Position> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut position = game.deal(&mut rng).expect("these sizes can be dealt");
        for _ in 0..20 {
            if let Status::Over(_) = game.status(&position) {
                break;
            }
            positions.push(position);
            let actions: Vec<Action> = game.legal_actions(&position).collect();
            let action = actions[rng.random_range(0..actions.len())];
            let outcome = game.sample_outcome(&position, action, &mut rng);
            position = game.apply(&position, action, outcome);
        }
    }
    positions.truncate(count);
    positions
}

fn only_outcome(
    game: &DiceOfDoom,
    position: &Position,
    action: Action,
) -> <DiceOfDoom as Game>::Outcome {
    let mut outcomes = game.chance_outcomes(position, action);
    outcomes.next().expect("a legal action has an outcome").0
}

fn first_best(rated: impl Iterator<Item = (Action, f64)>) -> Action {
    let best = rated.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.expect("the game is not over").0
}
