//! The dice of an attack.

use crate::games::dice_audit::{DiceThrow, OddsTrial, ThrowSide};
use crate::record::ReplayedPly;
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Faces, win_probability};

pub(super) fn throw(game: &DiceOfDoom, step: &ReplayedPly<'_, DiceOfDoom>) -> Option<DiceThrow> {
    let throw = step.ply.roll.throw()?;
    let Action::Attack { from, to } = step.ply.action else {
        return None;
    };
    let side = |player, faces: Faces| ThrowSide {
        player,
        faces: faces.as_slice().to_vec(),
    };
    let odds = game.attack_win_probability(&step.before, from, to);
    let dice = (step.before.dice(from), step.before.dice(to));
    Some(DiceThrow {
        sides: vec![
            side(step.before.owner(from), throw.attack),
            side(step.before.owner(to), throw.defend),
        ],
        attempt: odds.map(|odds| OddsTrial {
            dice,
            odds,
            won: throw.attacker_wins(),
        }),
    })
}

pub(super) fn probability_of((attack, defend): (u8, u8)) -> Option<f64> {
    let dice_counts = 1..=8;
    let is_valid = dice_counts.contains(&attack) && dice_counts.contains(&defend);
    is_valid.then(|| win_probability(attack, defend))
}
