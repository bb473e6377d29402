//! The end of a game in sentences: who won, how a player did, and why it was over.

use std::cmp::Reverse;

use crate::faces::page::End;
use crate::game::Player;
use crate::games::dice_of_doom::{DiceOfDoom, EndCondition, Position};
use crate::record::Ending;
use crate::templates::said::{Part, Said};

/// Who won, and by how many hexes against how many.
pub(super) fn verdict(game: &DiceOfDoom, end: &End<'_, DiceOfDoom>) -> Said {
    let scores = scores(game, end);
    let hexes = |player: Player| game.count(end.position, player).0;
    match end.winners {
        [] => Said::new("over-draw"),
        [winner] => Said::new("over-one")
            .of(winner.number())
            .with("hexes", hexes(*winner))
            .with("next", best_but(&scores, *winner)),
        winners => Said::new("over-tie")
            .of_all(winners.iter().map(|winner| winner.number()))
            .with("hexes", hexes(winners[0])),
    }
}

/// How a player did.
pub(super) fn place(game: &DiceOfDoom, end: &End<'_, DiceOfDoom>, player: Player) -> Option<Said> {
    if end.ending == Some(Ending::Resigned(player)) {
        return Some(Said::new("over-gave-up"));
    }
    let scores = scores(game, end);
    let hexes = game.count(end.position, player).0;
    let best = best_but(&scores, player);
    let others = || end.winners.iter().filter(|winner| **winner != player);
    Some(match end.winners {
        [] => return None,
        [winner] if *winner == player && best == 0 => Said::new("over-won-all"),
        [winner] if *winner == player => {
            Said::new("over-won-by").with("n", hexes.saturating_sub(best))
        }
        winners if winners.contains(&player) => {
            Said::new("over-tied").of_all(others().map(|winner| winner.number()))
        }
        _ => Said::new("over-lost-by").with("n", best.saturating_sub(hexes)),
    })
}

/// Why the game is over.
pub(super) fn reason(game: &DiceOfDoom, end: &End<'_, DiceOfDoom>) -> Said {
    let counted = |said: Said| said.with("scores", Part::Scores(scores(game, end)));
    match (end.ending, game.rules().end_condition()) {
        (Some(Ending::Resigned(player)), _) => {
            counted(Said::new("over-resigned").of(player.number()))
        }
        (Some(Ending::Limit), _) => counted(Said::new("over-limit")),
        (None, EndCondition::NoAttack) => counted(stuck(game, end.position)),
        (None, EndCondition::Conquest) => match end.winners {
            [winner] if best_but(&scores(game, end), *winner) == 0 => {
                Said::new("over-conquered").of(winner.number())
            }
            _ => counted(Said::new("over-quiet")),
        },
    }
}

/// Why the player whose turn began had no attack.
fn stuck(game: &DiceOfDoom, position: &Position) -> Said {
    let player = position.player();
    let own = game
        .all_hexes()
        .filter(|hex| position.owner(*hex) == player);
    let piles: Vec<u8> = own.map(|hex| position.dice(hex)).collect();
    let said = if piles.is_empty() {
        Said::new("over-no-land")
    } else if piles.iter().all(|dice| *dice == 1) {
        Said::new("over-one-die").with("hexes", piles.len() as u32)
    } else if game.rules().is_rolled() {
        Said::new("over-no-neighbour")
    } else {
        Said::new("over-none-larger")
    };
    said.of(player.number())
}

/// Everybody who is counted, with their hexes, the most first.
fn scores(game: &DiceOfDoom, end: &End<'_, DiceOfDoom>) -> Vec<(u8, u32)> {
    let gave_up = end.ending.and_then(Ending::player);
    let counted = Player::all(game.players()).filter(|player| Some(*player) != gave_up);
    let scores = counted.map(|player| (player.number(), game.count(end.position, player).0));
    let mut scores: Vec<_> = scores.collect();
    scores.sort_by_key(|(_, hexes)| Reverse(*hexes));
    scores
}

/// The most hexes that anybody else holds.
fn best_but(scores: &[(u8, u32)], player: Player) -> u32 {
    let others = scores.iter().filter(|(other, _)| *other != player.number());
    others.map(|(_, hexes)| *hexes).max().unwrap_or(0)
}
