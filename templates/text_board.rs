//! The board of a game without a drawing of its own: lines of text.

use maud::{Markup, html};

use super::board::{BoardComponent, standalone_frame};
use super::localization::Translations;
use super::players::PlayerNames;
use super::preferences::DisplayOptions;

/// The width and height of a character in the standalone image.
const CHARACTER: (f64, f64) = (12.0, 24.0);

/// A position as lines of text, in a fixed-width font.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextBoard(pub String);

impl TextBoard {
    fn draw(&self) -> Markup {
        html! { pre { (self.0) } }
    }
}

impl BoardComponent for TextBoard {
    fn interactive(
        &self,
        _: &Translations,
        _: &DisplayOptions,
        _: Option<u8>,
        _: &PlayerNames<'_>,
    ) -> Markup {
        self.draw()
    }

    fn picture(&self, _: &Translations, _: &DisplayOptions, label: &str) -> Markup {
        html! { div role="img" aria-label=(label) { (self.draw()) } }
    }

    fn small(&self) -> Markup {
        html! { div aria-hidden="true" { (self.draw()) } }
    }

    fn as_table(&self, _: &Translations, _: &DisplayOptions, _: &PlayerNames<'_>) -> Markup {
        html! {}
    }

    fn standalone_svg(&self) -> Markup {
        let (width, height) = CHARACTER;
        let columns = self.0.lines().map(|line| line.chars().count()).max();
        let size = [columns.unwrap_or(0) + 2, self.0.lines().count() + 1];
        let view_box = [0.0, 0.0, size[0] as f64 * width, size[1] as f64 * height];
        let lines = html! {
            @for (number, line) in (1..).zip(self.0.lines()) {
                text x=(width) y=(f64::from(number) * height) font-family="monospace" font-size="20" xml:space="preserve" {
                    (line)
                }
            }
        };
        standalone_frame(view_box, "", |out| out.push_str(&lines.into_string()))
    }

    fn layout(&self) -> super::board::BoardLayout {
        super::board::BoardLayout::Upright
    }
}
