//! The rolls of a game, each with the result of its verification.

use std::borrow::Cow;

use maud::{Markup, html};

use super::DiceAuditView;
use crate::localization::Translations;
use crate::players::PlayerNames;

/// Number of rolls shown until all are requested.
const SAMPLE: usize = 6;

/// One roll of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RollRow {
    /// Number of its entry, counted from 0.
    pub entry: u32,
    /// The first block of HMAC bytes in hexadecimal digits, if the seed is revealed.
    pub block: Option<String>,
    /// The dice of each side.
    pub sides: Vec<SideView>,
    /// Whether the bytes give these faces; `None` if this cannot be verified.
    pub agrees: Option<bool>,
}

/// The faces of one side of a roll.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SideView {
    /// The player who rolled.
    pub player: u8,
    /// 1 to 6 each.
    pub faces: Vec<u8>,
}

pub(super) fn panel(text: &Translations, view: &DiceAuditView, names: &PlayerNames<'_>) -> Markup {
    let rolls = view.rolls.len();
    let shown = if view.shows_all_rolls {
        rolls
    } else {
        rolls.min(SAMPLE)
    };
    let at = format!("{}{}/dice", text.path("/g/"), view.id);
    html! {
        section.panel #rolls {
            header {
                h2 { (text.get("fair-rolls")) }
                @if view.shows_all_rolls && rolls > SAMPLE { a href={ (at) "#rolls" } { (text.get("fair-rolls-fewer")) } }
                @else if rolls > shown {
                    a href={ (at) "?rolls=all#rolls" } { (text.get_with("fair-rolls-all", &[("rolls", (rolls as u32).into())])) }
                }
            }
            @if rolls == 0 { p.note { (text.get("fair-rolls-none")) } }
            ol.rolls { @for roll in &view.rolls[..shown] { (row(text, roll, names, &view.id)) } }
        }
    }
}

fn row(text: &Translations, roll: &RollRow, names: &PlayerNames<'_>, id: &str) -> Markup {
    html! {
        li {
            a href={ (text.path("/g/")) (id) "/" (roll.entry + 1) } { (roll.entry) }
            @if let Some(block) = &roll.block { code title=(block) { (block.get(..7).unwrap_or(block)) "…" } }
            span.faces {
                @for (number, side) in roll.sides.iter().enumerate() {
                    @if number > 0 { span.ag { (text.get("fair-against")) } }
                    (faces(text, side, names))
                }
            }
            @match roll.agrees {
                Some(true) => { span.okay { "✓ " (text.get("fair-agrees")) } }
                Some(false) => { span.okay.wrong { "✗ " (text.get("fair-differs")) } }
                None => {}
            }
        }
    }
}

fn faces(text: &Translations, side: &SideView, names: &PlayerNames<'_>) -> Markup {
    let spoken = side.faces.iter().map(|face| Cow::from(face.to_string()));
    let values = [
        ("who", names.name(side.player).into()),
        ("faces", text.join_with_commas(spoken).into()),
    ];
    html! {
        span class={ "throw p" (side.player % 6) } role="img" aria-label=(text.get_with("fair-faces", &values)) {
            @for face in &side.faces {
                svg class={ "face p" (side.player % 6) } aria-hidden="true" { use href={ "#f" (face.clamp(&1, &6)) } {} }
            }
        }
    }
}
