//! What the form asks about a game of Dice of Doom.

use maud::{Markup, html};

use super::WAYS;
use crate::levels::about_levels;
use crate::localization::Translations;
use crate::new_game_form::seat;
use crate::page::Component;
use crate::preferences::DisplayOptions;

const RULES: [(&str, &str, &str); 5] = [
    ("v4", "form-rules-v4", "form-about-v4"),
    ("conquest", "form-rules-conquest", "form-about-conquest"),
    ("v3", "form-rules-v3", "form-about-v3"),
    ("v2", "form-rules-v2", "form-about-v2"),
    ("v1", "form-rules-v1", "form-about-v1"),
];

/// The fields `rules`, `size`, `players`, `max_dice`, `seats` (one a player: `human`, `open` or a
/// level's name) and `seed`, as they are filled in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DiceForm {
    /// Chosen preset.
    pub rules: String,
    /// Chosen side, `None` = the preset's.
    pub size: Option<u8>,
    /// Chosen number of players, `None` = the preset's.
    pub players: Option<u8>,
    /// Chosen most dice, `None` = the preset's.
    pub max_dice: Option<u8>,
    /// Chosen seats; six of them are shown.
    pub seats: Vec<String>,
    /// Chosen seed.
    pub seed: String,
    /// The levels that can be chosen, by name.
    pub levels: Vec<String>,
    /// The numbers of each preset.
    pub usual: Vec<UsualNumbers>,
}

/// The numbers that a preset has where none are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UsualNumbers {
    /// The preset.
    pub rules: &'static str,
    /// Hexes along each side.
    pub size: u8,
    /// Players.
    pub players: u8,
    /// The most dice on a hex.
    pub max_dice: u8,
}

impl Component for DiceForm {
    fn draw(&self, text: &Translations, _: &DisplayOptions) -> Markup {
        let view = self;
        html! {
            fieldset.of.of-dice {
                legend { (text.say("form-dice")) }
                label { (text.say("form-rules"))
                    select name="rules" {
                        @for (value, name, _) in RULES { option value=(value) selected[view.rules == value] { (text.say(name)) } }
                    }
                }
                details.about { summary { (text.say("form-about")) } (presets(text)) }
                div.three {
                    (number(text, view, "size", "form-size", 2..=8, view.size, |usual| usual.size))
                    (number(text, view, "players", "form-players", 2..=6, view.players, |usual| usual.players))
                    (number(text, view, "max_dice", "form-max-dice", 2..=8, view.max_dice, |usual| usual.max_dice))
                }
                fieldset {
                    legend { (text.say("form-seats")) }
                    p.hint.empty { (text.say("form-seats-hint")) }
                    @for player in 0..6 { (seat(text, "seats", player, &view.seats, &view.levels)) }
                    (about_levels(text, &WAYS, &view.levels))
                }
                label { (text.say("form-seed"))
                    input name="seed" inputmode="numeric" autocomplete="off" maxlength="20" value=(view.seed) aria-describedby="seed-hint";
                }
                p.hint #seed-hint { (text.say("form-seed-hint")) }
            }
        }
    }
}

/// The presets and what they mean, in a list of terms.
pub(super) fn presets(text: &Translations) -> Markup {
    html! { dl.presets { @for (_, name, about) in RULES { dt { (text.say(name)) } dd { (text.say(about)) } } } }
}

/// The first choice is the number of the chosen preset; the script keeps it so when another is chosen.
fn number(
    text: &Translations,
    view: &DiceForm,
    name: &str,
    label: &str,
    range: std::ops::RangeInclusive<u8>,
    chosen: Option<u8>,
    of: fn(&UsualNumbers) -> u8,
) -> Markup {
    let written = |n: u8| match name {
        "size" => text
            .say_with("form-size-n", &[("n", n.into())])
            .into_owned(),
        _ => n.to_string(),
    };
    let usual = |numbers: &UsualNumbers| {
        let n = written(of(numbers));
        text.say_with("form-usual", &[("n", n.as_str().into())])
            .into_owned()
    };
    let own = view.usual.iter().find(|usual| usual.rules == view.rules);
    let own = own.or(view.usual.first());
    let each = view.usual.iter();
    let each: Vec<_> = each
        .map(|numbers| format!("{}={}", numbers.rules, usual(numbers)))
        .collect();
    html! {
        label { (text.say(label))
            select name=(name) {
                option value="" selected[chosen.is_none()] data-usual=(each.join(";")) { @if let Some(own) = own { (usual(own)) } }
                @for n in range {
                    option value=(n) selected[chosen == Some(n)] { (written(n)) }
                }
            }
        }
    }
}
