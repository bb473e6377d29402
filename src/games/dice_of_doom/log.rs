//! The log of Dice of Doom.

use std::sync::Arc;

use crate::game::Player;
use crate::games::log::PlyDescription;
use crate::record::ReplayedPly;
use crate::templates::dice_of_doom::roll::RollView;
use crate::templates::message::LocalizedMessage;
use crate::templates::played_action::RollSentences;
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Faces, Hex, Throw};

pub(super) fn describe_ply(
    game: &DiceOfDoom,
    step: &ReplayedPly<'_, DiceOfDoom>,
) -> PlyDescription {
    let player = step.ply.player.number();
    match step.ply.action {
        Action::EndTurn => {
            let reinforced = game.reinforced(&step.before).into_iter();
            let message = match reinforced.map(|(_, dice)| u32::from(dice)).sum::<u32>() {
                0 => LocalizedMessage::new("log-end-none").with_player(player),
                dice => LocalizedMessage::new("log-end")
                    .with_player(player)
                    .with_value("dice", dice),
            };
            PlyDescription {
                message,
                marks: None,
                strip: None,
            }
        }
        Action::Attack { from, to } => {
            let roll = roll_view(step, from, to);
            PlyDescription {
                message: attack_message(&roll),
                marks: Some(format!("h{from} h{to}")),
                strip: Some(Arc::new(roll)),
            }
        }
    }
}

pub(super) fn takeback_label(action: Action) -> LocalizedMessage {
    match action {
        Action::EndTurn => LocalizedMessage::new("take-back-end"),
        Action::Attack { from, to } => LocalizedMessage::new("take-back-attack")
            .with_value("from", from.number())
            .with_value("to", to.number()),
    }
}

pub(super) fn takeback_text(player: Player, action: Action) -> LocalizedMessage {
    let message = match action {
        Action::EndTurn => LocalizedMessage::new("log-took-back-end"),
        Action::Attack { from, to } => LocalizedMessage::new("log-took-back-attack")
            .with_value("from", from.number())
            .with_value("to", to.number()),
    };
    message.with_player(player.number())
}

fn roll_view(step: &ReplayedPly<'_, DiceOfDoom>, from: Hex, to: Hex) -> RollView {
    let throw = step.ply.roll.throw();
    let faces = |side: fn(&Throw) -> &Faces| {
        let faces = throw.map(|throw| side(throw).as_slice().to_vec());
        faces.unwrap_or_default()
    };
    RollView {
        attacker: step.ply.player.number(),
        defender: step.before.owner(to).number(),
        from: from.number(),
        to: to.number(),
        attack: faces(|throw| &throw.attack),
        defend: faces(|throw| &throw.defend),
        dice: (step.before.dice(from), step.before.dice(to)),
        captured: step.after.owner(to) == step.ply.player,
    }
}

pub(super) fn roll_sentences(
    game: &DiceOfDoom,
    step: &ReplayedPly<'_, DiceOfDoom>,
) -> Option<RollSentences> {
    let Action::Attack { from, to } = step.ply.action else {
        return None;
    };
    let odds = game.attack_win_probability(&step.before, from, to)?;
    let roll = roll_view(step, from, to);
    Some(RollSentences {
        rolling: LocalizedMessage::new("roll-rolling")
            .with_value("attack", roll.dice.0)
            .with_value("defend", roll.dice.1),
        odds,
        result: LocalizedMessage::new("roll-result")
            .with_value("attack", sum(&roll.attack))
            .with_value("defend", sum(&roll.defend))
            .with_value("outcome", outcome(&roll)),
    })
}

fn sum(faces: &[u8]) -> u32 {
    faces.iter().map(|face| u32::from(*face)).sum()
}

fn outcome(roll: &RollView) -> &'static str {
    if roll.captured { "captured" } else { "held" }
}

fn attack_message(roll: &RollView) -> LocalizedMessage {
    let plain = roll.attack.is_empty();
    LocalizedMessage::new(if plain {
        "log-attack-plain"
    } else {
        "log-attack"
    })
    .with_player(roll.attacker)
    .with_value("from", roll.from)
    .with_value("to", roll.to)
    .with_value("attack", roll.dice.0)
    .with_value("defend", roll.dice.1)
    .with_value("sumA", sum(&roll.attack))
    .with_value("sumD", sum(&roll.defend))
    .with_value("outcome", outcome(roll))
}
