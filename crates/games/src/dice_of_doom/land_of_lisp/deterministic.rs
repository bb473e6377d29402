//! The book's alpha-beta search for the rules without dice (Land of Lisp, chapter 18).
//!
//! It returns the same move and node count as the reference [`super::alpha_beta`], but is faster: it has no
//! chance nodes and uses integers.

use super::super::action::{Action, Outcome};
use super::super::position::Position;
use super::super::rules::DiceOfDoom;
use super::score::score;
use dice_of_doom_core::game::{Game, Player};
use dice_of_doom_core::search::SearchResult;

/// Rates the mover's actions by a search of the given depth; pruned actions are rated with bounds.
pub(super) fn analyse(game: &DiceOfDoom, position: &Position, plies: u32) -> SearchResult<Action> {
    let mut search = DeterministicSearch {
        game,
        player: position.player(),
        nodes: 1,
    };
    let mut ratings = Vec::with_capacity(32);
    let (mut best, mut chosen) = (i32::MIN, None);
    if let Some(child_depth) = plies.checked_sub(1) {
        for action in game.legal_actions(position) {
            // The root has an infinite upper bound, so no action is pruned from its list.
            let value = search.value(&after(game, position, action), child_depth, best, i32::MAX);
            if value > best {
                (best, chosen) = (value, Some(ratings.len()));
            }
            ratings.push((action, f64::from(value)));
        }
    }
    SearchResult {
        ratings,
        chosen,
        nodes: search.nodes,
    }
}

fn after(game: &DiceOfDoom, position: &Position, action: Action) -> Position {
    let outcome = match action {
        Action::EndTurn => Outcome::Certain,
        Action::Attack { .. } => Outcome::Won,
    };
    game.apply(position, action, outcome)
}

struct DeterministicSearch<'g> {
    game: &'g DiceOfDoom,
    player: Player,
    nodes: u64,
}

impl DeterministicSearch<'_> {
    /// The value of a position, or a bound outside `alpha..beta` (fail-soft).
    fn value(&mut self, position: &Position, plies: u32, mut alpha: i32, mut beta: i32) -> i32 {
        self.nodes += 1;
        let (game, player) = (self.game, self.player);
        let leaf = || score(game, position, player);
        let Some(child_depth) = plies.checked_sub(1) else {
            return leaf();
        };
        let mut best = None;
        for action in game.legal_actions(position) {
            let child = after(game, position, action);
            let value = self.value(&child, child_depth, alpha, beta);
            if position.player() == player {
                best = best.max(Some(value));
                if value >= beta {
                    break;
                }
                alpha = alpha.max(value);
            } else {
                best = Some(best.map_or(value, |best: i32| best.min(value)));
                if value <= alpha {
                    break;
                }
                beta = beta.min(value);
            }
        }
        best.unwrap_or_else(leaf)
    }
}
