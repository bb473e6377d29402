//! The dice strip: what the last attack rolled, and how it ended.

use maud::{Markup, PreEscaped, html};

use crate::controls::{TableComponent, TableContext};
use crate::localization::Translations;
use crate::players::{PlayerNames, named};

/// The dice of the last attack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RollView {
    /// Who attacked.
    pub attacker: u8,
    /// Who was attacked.
    pub defender: u8,
    /// The source.
    pub from: u8,
    /// The target.
    pub to: u8,
    /// The attacker's faces, 1..=6 each; empty where no dice are rolled.
    pub attack: Vec<u8>,
    /// The defender's faces.
    pub defend: Vec<u8>,
    /// Dice that stood on the source and on the target.
    pub dice: (u8, u8),
    /// Whether the target changed hands.
    pub captured: bool,
}

impl TableComponent for RollView {
    /// The strip under the board.
    fn draw(&self, table: &TableContext<'_>) -> Markup {
        roll(table.text, self, table.cast)
    }
}

/// An empty strip, so that nothing on the page moves when the first dice are rolled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EmptyDiceStrip;

impl TableComponent for EmptyDiceStrip {
    fn draw(&self, _: &TableContext<'_>) -> Markup {
        html! { div.roll.none {} }
    }
}

fn roll(text: &Translations, view: &RollView, cast: &PlayerNames<'_>) -> Markup {
    let path = [
        ("who", cast.name(view.attacker).into()),
        ("from", view.from.into()),
        ("to", view.to.into()),
    ];
    let rolled = !view.attack.is_empty();
    let (attack, defend) = (sum(&view.attack), sum(&view.defend));
    let moved = view.dice.0.saturating_sub(1);
    let won = |won: bool| if won { "won" } else { "lost" };
    html! {
        section.roll aria-label=(text.say("roll")) {
            div.told {
                h2 { (text.say(if view.captured { "roll-captured" } else { "roll-held" })) }
                p { (text.say_with("roll-path", &path)) }
                p {
                    @if !rolled { (text.say_with("roll-plain", &[("attack", view.dice.0.into()), ("defend", view.dice.1.into())])) }
                    @else if view.captured { (text.say_with("roll-moved", &[("dice", moved.into())])) }
                    @else { (text.say("roll-stays")) }
                }
            }
            @if rolled {
                (side(text, cast, view.attacker, &view.attack, view.captured, ""))
                b class={ "sum " (won(view.captured)) } { (attack) }
                span.vs { (text.say(if view.captured { "roll-beats" } else { "roll-not-over" })) }
                b class={ "sum " (won(!view.captured)) } { (defend) }
                (side(text, cast, view.defender, &view.defend, !view.captured, " def"))
            }
        }
    }
}

fn side(
    text: &Translations,
    cast: &PlayerNames<'_>,
    player: u8,
    faces: &[u8],
    won: bool,
    place: &str,
) -> Markup {
    let spoken = text.row(faces.iter().map(|face| face.to_string().into()));
    let label = text.say_with(
        "roll-faces",
        &[
            ("who", cast.name(player).into()),
            ("faces", spoken.as_str().into()),
        ],
    );
    html! {
        div class={ "side p" (player % 6) (if won { " won" } else { " lost" }) (place) } {
            span.cap { (named(cast, player)) }
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
