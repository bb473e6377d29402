//! The lesson that fits how a player has played.

use crate::game::{Game, Player};
use crate::games::exercise::LessonAdvice;
use crate::session::Session;
use crate::templates::message::LocalizedMessage;
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom};

/// How often a habit must occur to be named.
const MIN_OCCURRENCES: u32 = 3;

/// The odds from which an attack that was left out counts.
const GOOD_ODDS: f64 = 0.75;

/// How often a player did what a lesson warns of.
#[derive(Default)]
struct Habits {
    /// Attacks with less than even odds, and how many of them failed.
    poor_attacks: u32,
    failed: u32,
    /// Turns that ended with more than a third of the hexes outside the largest cluster.
    split_turns: u32,
    /// Turns that ended while an attack with good odds was left.
    early_stops: u32,
    /// Hexes with a single die that others took.
    weak_hexes: u32,
}

/// The lesson on the first of the player's habits.
pub(super) fn lesson_advice(session: &Session<DiceOfDoom>, player: Player) -> Option<LessonAdvice> {
    let habits = habits(session, player);
    let advice = |lesson, key, n| LessonAdvice {
        lesson,
        reason: LocalizedMessage::new(key).with_value("n", n),
    };
    if habits.poor_attacks >= MIN_OCCURRENCES {
        let mut advice = advice("odds", "advice-odds", habits.poor_attacks);
        advice.reason = advice.reason.with_value("failed", habits.failed);
        return Some(advice);
    }
    let others = [
        ("cluster", "advice-cluster", habits.split_turns),
        ("stop", "advice-stop", habits.early_stops),
        ("border", "advice-border", habits.weak_hexes),
    ];
    let found = others.into_iter().find(|(.., n)| *n >= MIN_OCCURRENCES);
    found.map(|(lesson, key, n)| advice(lesson, key, n))
}

fn habits(session: &Session<DiceOfDoom>, player: Player) -> Habits {
    let game = session.game();
    let mut habits = Habits::default();
    for step in session.mainline() {
        let before = &step.before;
        let is_own = step.ply.player == player;
        match step.ply.action {
            Action::Attack { from, to } if is_own => {
                let odds = game.attack_win_probability(before, from, to);
                if odds.is_some_and(|odds| odds < 0.5) {
                    habits.poor_attacks += 1;
                    habits.failed += u32::from(step.after.owner(to) != player);
                }
            }
            Action::Attack { to, .. } => {
                let is_lost = before.owner(to) == player && step.after.owner(to) != player;
                habits.weak_hexes += u32::from(is_lost && before.dice(to) == 1);
            }
            Action::EndTurn if is_own => {
                let (hexes, _) = game.hex_and_dice_count(before, player);
                let cluster = game.largest_cluster(before, player);
                habits.split_turns += u32::from(3 * cluster < 2 * hexes);
                let is_good = |action| match action {
                    Action::Attack { from, to } => game
                        .attack_win_probability(before, from, to)
                        .is_some_and(|odds| odds >= GOOD_ODDS),
                    Action::EndTurn => false,
                };
                habits.early_stops += u32::from(game.legal_actions(before).any(is_good));
            }
            Action::EndTurn => {}
        }
    }
    habits
}
