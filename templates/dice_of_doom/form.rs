//! The fields of the new-game form for Dice of Doom.

use maud::{Markup, html};

use super::LEVEL_VARIANTS;
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

/// The fields `rules`, `size`, `players`, `max_dice`, `seats` (one for each player: `human`, `open` or a
/// level's name) and `seed`, with the current input.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DiceForm {
    /// The selected preset.
    pub rules: String,
    /// Hexes along each side; `None`: the preset's default.
    pub size: Option<u8>,
    /// Number of players; `None`: the preset's default.
    pub players: Option<u8>,
    /// Maximum number of dice on a hex; `None`: the preset's default.
    pub max_dice: Option<u8>,
    /// Occupants of the seats; six are shown.
    pub seats: Vec<String>,
    /// The seed.
    pub seed: String,
    /// Names of the levels.
    pub levels: Vec<String>,
    /// The default values of each preset.
    pub defaults: Vec<PresetDefaults>,
}

/// The default values of a preset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PresetDefaults {
    /// The preset.
    pub rules: &'static str,
    /// Hexes along each side.
    pub size: u8,
    /// Number of players.
    pub players: u8,
    /// Maximum number of dice on a hex.
    pub max_dice: u8,
}

impl Component for DiceForm {
    fn draw(&self, text: &Translations, _: &DisplayOptions) -> Markup {
        let view = self;
        html! {
            fieldset.of.of-dice {
                legend { (text.get("form-dice")) }
                label { (text.get("form-rules"))
                    select name="rules" {
                        @for (value, name, _) in RULES { option value=(value) selected[view.rules == value] { (text.get(name)) } }
                    }
                }
                details.about { summary { (text.get("form-about")) } (presets(text)) }
                div.three {
                    (number(text, view, "size", "form-size", 2..=8, view.size, |defaults| defaults.size))
                    (number(text, view, "players", "form-players", 2..=6, view.players, |defaults| defaults.players))
                    (number(text, view, "max_dice", "form-max-dice", 2..=8, view.max_dice, |defaults| defaults.max_dice))
                }
                fieldset {
                    legend { (text.get("form-seats")) }
                    p.hint.empty { (text.get("form-seats-hint")) }
                    @for player in 0..6 { (seat(text, "seats", player, &view.seats, &view.levels)) }
                    (about_levels(text, &LEVEL_VARIANTS, &view.levels))
                }
                label { (text.get("form-seed"))
                    input name="seed" inputmode="numeric" autocomplete="off" maxlength="20" value=(view.seed) aria-describedby="seed-hint";
                }
                p.hint #seed-hint { (text.get("form-seed-hint")) }
            }
        }
    }
}

pub(super) fn presets(text: &Translations) -> Markup {
    html! { dl.presets { @for (_, name, about) in RULES { dt { (text.get(name)) } dd { (text.get(about)) } } } }
}

/// A select whose first option is the default of the selected preset; a script updates it when another preset
/// is selected.
fn number(
    text: &Translations,
    view: &DiceForm,
    name: &str,
    label: &str,
    range: std::ops::RangeInclusive<u8>,
    chosen: Option<u8>,
    field: fn(&PresetDefaults) -> u8,
) -> Markup {
    let label_of = |n: u8| match name {
        "size" => text
            .get_with("form-size-n", &[("n", n.into())])
            .into_owned(),
        _ => n.to_string(),
    };
    let default_caption = |numbers: &PresetDefaults| {
        let n = label_of(field(numbers));
        text.get_with("form-usual", &[("n", n.as_str().into())])
            .into_owned()
    };
    let defaults = view
        .defaults
        .iter()
        .find(|preset| preset.rules == view.rules);
    let defaults = defaults.or(view.defaults.first());
    let all_defaults = view.defaults.iter();
    let all_defaults: Vec<_> = all_defaults
        .map(|numbers| format!("{}={}", numbers.rules, default_caption(numbers)))
        .collect();
    html! {
        label { (text.get(label))
            select name=(name) {
                option value="" selected[chosen.is_none()] data-usual=(all_defaults.join(";")) { @if let Some(defaults) = defaults { (default_caption(defaults)) } }
                @for n in range {
                    option value=(n) selected[chosen == Some(n)] { (label_of(n)) }
                }
            }
        }
    }
}
