//! The dice strip: the roll of the last attack, and its result.

use maud::{Markup, PreEscaped, html};

use crate::controls::{TableComponent, TableContext};
use crate::localization::Translations;
use crate::players::{PlayerNames, named_player};

/// The roll of the last attack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RollView {
    /// The attacking player.
    pub attacker: u8,
    /// The defending player.
    pub defender: u8,
    /// The attacking hex.
    pub from: u8,
    /// The attacked hex.
    pub to: u8,
    /// The attacker's faces, 1..=6 each; empty if no dice are rolled.
    pub attack: Vec<u8>,
    /// The defender's faces.
    pub defend: Vec<u8>,
    /// Number of dice on the source and on the target.
    pub dice: (u8, u8),
    /// Whether the target was captured.
    pub captured: bool,
}

impl TableComponent for RollView {
    /// Renders the strip under the board.
    fn draw(&self, table: &TableContext<'_>) -> Markup {
        roll(table.text, self, table.names)
    }
}

/// An empty strip, so that the layout does not shift when the first dice are rolled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EmptyDiceStrip;

impl TableComponent for EmptyDiceStrip {
    fn draw(&self, _: &TableContext<'_>) -> Markup {
        html! { div.roll.none {} }
    }
}

fn roll(text: &Translations, view: &RollView, names: &PlayerNames<'_>) -> Markup {
    let path = [
        ("who", names.name(view.attacker).into()),
        ("from", view.from.into()),
        ("to", view.to.into()),
    ];
    let is_rolled = !view.attack.is_empty();
    let (attack, defend) = (sum(&view.attack), sum(&view.defend));
    let moved_dice = view.dice.0.saturating_sub(1);
    let class_if_won = |is_winner: bool| if is_winner { "won" } else { "lost" };
    html! {
        section.roll aria-label=(text.get("roll")) {
            div.told {
                h2 { (text.get(if view.captured { "roll-captured" } else { "roll-held" })) }
                p { (text.get_with("roll-path", &path)) }
                p {
                    @if !is_rolled { (text.get_with("roll-plain", &[("attack", view.dice.0.into()), ("defend", view.dice.1.into())])) }
                    @else if view.captured { (text.get_with("roll-moved", &[("dice", moved_dice.into())])) }
                    @else { (text.get("roll-stays")) }
                }
            }
            @if is_rolled {
                (side(text, names, view.attacker, &view.attack, view.captured, ""))
                b class={ "sum " (class_if_won(view.captured)) } { (attack) }
                span.vs { (text.get(if view.captured { "roll-beats" } else { "roll-not-over" })) }
                b class={ "sum " (class_if_won(!view.captured)) } { (defend) }
                (side(text, names, view.defender, &view.defend, !view.captured, " def"))
            }
        }
    }
}

fn side(
    text: &Translations,
    names: &PlayerNames<'_>,
    player: u8,
    faces: &[u8],
    won: bool,
    place: &str,
) -> Markup {
    let spoken = text.join_with_commas(faces.iter().map(|face| face.to_string().into()));
    let label = text.get_with(
        "roll-faces",
        &[
            ("who", names.name(player).into()),
            ("faces", spoken.as_str().into()),
        ],
    );
    html! {
        div class={ "side p" (player % 6) (if won { " won" } else { " lost" }) (place) } {
            span.cap { (named_player(names, player)) }
            span.faces role="img" aria-label=(label) { @for face in faces { (PreEscaped(face_icon(*face))) } }
        }
    }
}

fn face_icon(face: u8) -> String {
    format!(
        r##"<svg class="face"><use href="#f{}"/></svg>"##,
        face.clamp(1, 6)
    )
}

fn sum(faces: &[u8]) -> u32 {
    faces.iter().map(|face| u32::from(*face)).sum()
}
