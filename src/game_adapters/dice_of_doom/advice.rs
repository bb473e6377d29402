//! The lesson that fits how a player has played.

use crate::game::Player;
use crate::game_adapters::exercise::LessonAdvice;
use crate::games::dice_of_doom::{Action, DiceOfDoom};
use crate::session::Session;
use crate::templates::message::LocalizedMessage;

/// How often a habit must occur to be named.
const MIN_OCCURRENCES: u32 = 3;

/// The lesson on odds for a player who often attacked with less than even odds, else that on clusters for one who
/// often ended a turn with more than a third of the hexes outside the largest cluster.
pub(super) fn lesson_advice(session: &Session<DiceOfDoom>, player: Player) -> Option<LessonAdvice> {
    let game = session.game();
    let (mut poor_attacks, mut failed, mut split_turns) = (0, 0, 0);
    for step in session.mainline().filter(|step| step.ply.player == player) {
        match step.ply.action {
            Action::Attack { from, to } => {
                let odds = game.attack_win_probability(&step.before, from, to);
                if odds.is_some_and(|odds| odds < 0.5) {
                    poor_attacks += 1;
                    failed += u32::from(step.after.owner(to) != player);
                }
            }
            Action::EndTurn => {
                let (hexes, _) = game.hex_and_dice_count(&step.before, player);
                let cluster = game.largest_cluster(&step.before, player);
                split_turns += u32::from(3 * cluster < 2 * hexes);
            }
        }
    }
    let advice = |lesson, reason| Some(LessonAdvice { lesson, reason });
    if poor_attacks >= MIN_OCCURRENCES {
        let reason = LocalizedMessage::new("advice-odds")
            .with_value("n", poor_attacks)
            .with_value("failed", failed);
        advice("odds", reason)
    } else if split_turns >= MIN_OCCURRENCES {
        let reason = LocalizedMessage::new("advice-cluster").with_value("n", split_turns);
        advice("cluster", reason)
    } else {
        None
    }
}
