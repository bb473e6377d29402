//! The fields of the new-game form for Trilobite.

use maud::{Markup, html};

use crate::levels::about_levels;
use crate::localization::Translations;
use crate::new_game_form::seat;
use crate::page::Component;
use crate::preferences::DisplayOptions;

/// The fields `width`, `height`, `win` and `chips` (one for each player: `human`, `open` or a level's name),
/// with the current input.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TrilobiteForm {
    /// Number of columns; `None`: the default.
    pub width: Option<u8>,
    /// Number of rows; `None`: the default.
    pub height: Option<u8>,
    /// Number of chips in a row that win; `None`: the default.
    pub win: Option<u8>,
    /// Occupants of the seats; two are shown.
    pub seats: Vec<String>,
    /// Names of the levels.
    pub levels: Vec<String>,
}

impl Component for TrilobiteForm {
    fn draw(&self, text: &Translations, _: &DisplayOptions) -> Markup {
        let view = self;
        let sizes = [
            ("width", "form-width", view.width, "8"),
            ("height", "form-height", view.height, "7"),
            ("win", "form-win", view.win, "4"),
        ];
        html! {
            fieldset.of.of-trilobite {
                legend { (text.get("form-trilobite")) }
                p.hint { (text.get("form-trilobite-about")) }
                div.three {
                    @for (name, label, value, default_value) in sizes {
                        label { (text.get(label))
                            input type="number" name=(name) min="1" max="127" inputmode="numeric" autocomplete="off" placeholder=(default_value) value=[value];
                        }
                    }
                }
                fieldset {
                    legend { (text.get("form-seats")) }
                    @for player in 0..2 { (seat(text, "chips", player, &view.seats, &view.levels)) }
                    (about_levels(text, &["trilobite"], &view.levels))
                }
            }
        }
    }
}
