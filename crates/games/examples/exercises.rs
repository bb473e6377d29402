//! Five exercises for readers of Land of Lisp, each with what it shows (`docs/land-of-lisp.md` asks the
//! questions).
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

/// What each exercise prints, in order.
pub(crate) const EXERCISES: [fn() -> String; 5] =
    [pruning, taking_turns, two_branches, laziness, rounded_odds];

fn main() {
    let wanted: Option<usize> = std::env::args()
        .nth(1)
        .and_then(|number| number.parse().ok());
    for (number, exercise) in (1..).zip(EXERCISES) {
        if wanted.is_none_or(|wanted| wanted == number) {
            println!("{number}.\n{}", exercise());
        }
    }
}

/// Alpha-beta looks at fewer positions and chooses the same.
fn pruning() -> String {
    let game = DiceOfDoom::preset(Rules::V2);
    let start = deal(&game, 18);
    let mut table = "plies  choice  without alpha-beta  with\n".to_owned();
    for plies in [2, 4, 6] {
        let whole = land_of_lisp::expectimax_f64(&game, &start, plies);
        let pruned = land_of_lisp::alpha_beta(&game, &start, plies);
        assert_eq!(whole.action(), pruned.action());
        let choice = whole.action().expect("the game goes on").to_string();
        let line = (plies, choice, whole.nodes, pruned.nodes);
        let _ = writeln!(
            table,
            "{:>5}  {:>6}  {:>18}  {:>4}",
            line.0, line.1, line.2, line.3
        );
    }
    table
}

/// A search that takes turns at every ply gives a player's own second attack to the enemy.
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
        let worth = |wanted| {
            let found = right.ratings.iter().find(|&&(action, _)| action == wanted);
            found.expect("both list all actions").1
        };
        let best = right.action().expect("the game goes on");
        (worth(chosen) < worth(best)).then(|| {
            let (worth, best_worth) = (worth(chosen), worth(best));
            format!("{chosen} (worth {worth}) where {best} is worth {best_worth}")
        })
    });
    let first = wrong.next().unwrap_or_default();
    let count = 1 + wrong.count();
    let all = positions.len();
    format!("a worse choice in {count} of {all} positions; the first: {first}\n")
}

/// The value of a position for one player, by a search in which that player and the others choose in turns,
/// whoever is to move.
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

/// What an attack is worth: each branch's worth times its chance.
fn two_branches() -> String {
    let game = DiceOfDoom::preset(Rules::V4);
    let start = deal(&game, 20);
    let rated = land_of_lisp::expectimax_f32(&game, &start, 2);
    let attack = rated.ratings.iter().find(|(action, _)| {
        let odds = match *action {
            Action::Attack { from, to } => {
                game.attack_win_probability(&start, from, to).unwrap_or(1.0)
            }
            Action::EndTurn => 1.0,
        };
        (0.6..0.9).contains(&odds)
    });
    let &(action, rating) = attack.expect("this deal has such an attack");
    let mut lines = format!("attack {action}\n");
    let mut sum = 0.0;
    for (outcome, chance) in land_of_lisp::BookOddsGame(game).chance_outcomes(&start, action) {
        let after = game.apply(&start, action, outcome);
        let worth = worth_after(&game, &after, &start);
        sum += chance * worth;
        let _ = writeln!(lines, "{outcome:?}: chance {chance:.2}, worth {worth}");
    }
    let _ = writeln!(
        lines,
        "together {sum:.2}; rated by the program: {rating:.2}"
    );
    lines
}

/// The worth of a position for whoever moved before it, looking one ply ahead.
fn worth_after(game: &DiceOfDoom, after: &Position, before: &Position) -> f64 {
    let game = land_of_lisp::BookOddsGame(*game);
    let tree = LazyTree::new(&game, *after).limit_depth(1);
    let rated = expectimax(&tree, &BookScore, before.player());
    rated.value().expect("the game goes on")
}

/// Only what is looked at is made.
fn laziness() -> String {
    let game = Trilobite::new(8, 7, 4).expect("the book's size");
    let root = CachedNode::root(game.empty());
    let tree = root.cached(&game);
    let listed = tree.branches().count();
    let after_listing = root.cached_nodes();
    let mut seventh = tree.branches().nth(6).expect("eight columns").1;
    let made = seventh.next().is_some();
    assert!(made);
    let after_looking = root.cached_nodes();
    let whole: u64 = (0..=6)
        .map(|plies| perft(&game, &game.empty(), plies))
        .sum();
    format!(
        "{listed} moves listed: {after_listing} position made, the root\n\
         the seventh of them looked at: {after_looking} positions made\n\
         all of them, six plies deep: {whole} positions\n"
    )
}

/// The book's odds have two digits; how often that matters.
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

/// Positions of games in which every legal action is as likely as any other.
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
    best.expect("the game goes on").0
}
