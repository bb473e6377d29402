//! The rules of Dice of Doom: what to do, where dice come from, how it ends, the odds; then the other
//! rules.

use maud::{Markup, html};

use super::form::presets;
use crate::templates::page::emphasised;
use crate::templates::text::Text;

/// Chances to capture in percent, rows for 2 to 5 attacking dice, columns for 1 to 5 defending ones:
/// counted over all rolls, the attacker needs strictly more.
const ODDS: [[u8; 5]; 4] = [
    [84, 44, 15, 4, 1],
    [97, 78, 45, 19, 6],
    [100, 94, 74, 46, 22],
    [100, 99, 91, 72, 46],
];

/// The part of the rules page.
#[must_use]
pub fn rules(text: &Text) -> Markup {
    let say = |key| emphasised(&text.say(key));
    html! {
        h2 { (text.say("rules-do-title")) }
        ol.steps {
            @for key in ["rules-do-choose", "rules-do-attack", "rules-do-won", "rules-do-lost", "rules-do-again"] { li { (say(key)) } }
        }
        h2 { (text.say("rules-new-title")) }
        p { (say("rules-new-text")) }
        p { (say("rules-new-tip")) }
        h2 { (text.say("rules-end-title")) }
        p { (say("rules-end-text")) }
        p { (say("rules-end-stuck")) }
        h2 { (text.say("rules-odds-title")) }
        p { (text.say("rules-odds-text")) }
        (odds(text))
        h2 { (text.say("rules-plain-title")) }
        p { (say("rules-plain-text")) }
        ul.points {
            @for key in ["rules-plain-win", "rules-plain-back", "rules-plain-two", "rules-plain-computer"] { li { (say(key)) } }
        }
        h2 { (text.say("rules-presets-title")) }
        (presets(text))
        form.now method="post" action="/games" {
            input type="hidden" name="game" value="dice";
            button.btn.main { (text.say("rules-play")) }
        }
    }
}

fn odds(text: &Text) -> Markup {
    html! {
        table.odds {
            caption { (text.say("rules-odds-caption")) }
            thead { tr {
                th scope="col" { (text.say("rules-odds-attack")) }
                @for dice in 1u8..=5 { th scope="col" { (text.say_with("rules-odds-theirs", &[("dice", dice.into())])) } }
            } }
            tbody {
                @for (dice, row) in (2u8..).zip(ODDS) {
                    tr {
                        th scope="row" { (dice) }
                        @for chance in row {
                            td class=(if chance >= 60 { "hi" } else if chance >= 35 { "mid" } else { "lo" }) { (chance) }
                        }
                    }
                }
            }
        }
    }
}
