//! The display switches next to the board: they change the drawing without a visit to the settings page.
//!
//! All are buttons of one form; each changes one setting and returns to the page.

use maud::{Markup, html};

use super::game::GameView;
use super::localization::Translations;
use super::preferences::{BoardDrawing, DisplayOptions};
use super::prompt::Prompt;

/// A setting that is on or off.
struct Switch {
    name: &'static str,
    /// The form value that flips the setting.
    flipped_value: &'static str,
    on: bool,
}

/// The switches that apply to this board, and the switch between light and dark.
pub(super) fn switches(text: &Translations, display: &DisplayOptions, view: &GameView) -> Markup {
    let settings = &display.preferences;
    let has = |name: &str| view.board.switches().contains(&name);
    let on_off = |name, on: bool| Switch {
        name,
        flipped_value: if on { "off" } else { "on" },
        on,
    };
    let flips = [
        on_off("odds", settings.odds),
        on_off("coordinates", settings.coordinates),
    ];
    let next = match view.prompt {
        Prompt::Replay => format!("/g/{}/{}", view.id, view.ply),
        _ => format!("/g/{}", view.id),
    };
    let theme = settings.non_default("theme");
    html! {
        form.switches method="post" action=(text.path("/settings")) aria-label=(text.get("switches")) {
            input type="hidden" name="next" value=(next);
            @if has("board") {
                span.seg {
                    @for (drawing, key) in [(BoardDrawing::Book, "switch-piles"), (BoardDrawing::Flat, "switch-flat")] {
                        button name="board" value=(drawing.attribute_value()) aria-pressed=(pressed(display.drawing == drawing)) { (text.get(key)) }
                    }
                }
            }
            @for flip in flips.iter().filter(|flip| has(flip.name)) {
                button.flip name=(flip.name) value=(flip.flipped_value) aria-pressed=(pressed(flip.on)) {
                    i aria-hidden="true" {} (text.get(&format!("switch-{}", flip.name)))
                }
            }
            // Without a stored theme the style sheet follows the system and hides one of the two buttons.
            @for (value, other) in [("dark", "light"), ("light", "dark")] {
                @if theme != Some(value) {
                    @let label = text.get(if value == "dark" { "set-theme-dark" } else { "set-theme-light" });
                    button class={ "theme" @if theme.is_none() { " not-" (value) } } name="theme" value=(value) aria-label=(label) title=(label) {
                        svg.ico aria-hidden="true" { use href={ "#i-" (if other == "light" { "moon" } else { "sun" }) } {} }
                    }
                }
            }
        }
    }
}

fn pressed(on: bool) -> &'static str {
    if on { "true" } else { "false" }
}
