//! The levels that people choose from: their names, and what each of them does in one sentence.

use maud::{Markup, html};

use super::text::Text;

/// The name of a level as people read it.
pub(super) fn level_name(text: &Text, level: &str) -> String {
    let key = format!("level-{level}");
    if text.has(&key) {
        return text.say(&key).into_owned();
    }
    let mut letters = level.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// What a level does in a game, in a sentence: the game's own where it has one.
///
/// ```
/// use dice_of_doom::faces::Registry;
/// use dice_of_doom::templates::Language;
/// use dice_of_doom::templates::levels::level_about;
///
/// let games = Registry::house();
/// let text = games.text(Language::English);
/// assert_ne!(level_about(text, "dice", "steady"), level_about(text, "trilobite", "steady"));
/// ```
#[must_use]
pub fn level_about(text: &Text, game: &str, level: &str) -> String {
    let own = format!("level-{level}-about-{game}");
    let key = if text.has(&own) {
        own
    } else {
        format!("level-{level}-about")
    };
    text.say(&key).into_owned()
}

/// The levels and what they do, folded away, beside the choice of a level.
pub(super) fn about_levels(text: &Text, game: &str, levels: &[String]) -> Markup {
    html! {
        details.about {
            summary { (text.say("form-levels")) }
            dl.presets {
                @for level in levels {
                    dt { (level_name(text, level)) }
                    dd { (level_about(text, game, level)) }
                }
            }
        }
    }
}

/// The options of a select.
pub(super) fn level_options(text: &Text, levels: &[String], chosen: &str) -> Markup {
    html! {
        @for level in levels {
            option value=(level) selected[chosen == level] { (level_name(text, level)) }
        }
    }
}
