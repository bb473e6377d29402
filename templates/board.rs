//! The board of any game: interactive, read-only, small on a card, as a table, and as a standalone SVG image.
//!
//! Each game renders its own board; this module holds what the drawings have in common.

use std::fmt::{self, Debug, Display, Write as _};

use maud::{Markup, Render, html};

use super::digits::number;
use super::localization::Translations;
use super::players::PlayerNames;
use super::preferences::DisplayOptions;
use super::xml;

/// A board that can be rendered in every form the pages need.
pub trait BoardComponent: Debug + Send + Sync {
    /// An interactive board: cells with an address are links. `mover` is the player to move.
    fn interactive(
        &self,
        text: &Translations,
        display: &DisplayOptions,
        mover: Option<u8>,
        names: &PlayerNames<'_>,
    ) -> Markup;

    /// A read-only board: one image with the accessible name `label`.
    fn picture(&self, text: &Translations, display: &DisplayOptions, label: &str) -> Markup;

    /// The read-only final board of a game that the viewer has won as this player: where the drawing allows it, the
    /// player's cells are raised.
    fn won_picture(
        &self,
        text: &Translations,
        display: &DisplayOptions,
        label: &str,
        _player: u8,
    ) -> Markup {
        self.picture(text, display, label)
    }

    /// A small board for cards; hidden from screen readers, because the card describes it in words.
    fn small(&self) -> Markup;

    /// The position as a table, in a collapsed `<details>`.
    fn as_table(
        &self,
        text: &Translations,
        display: &DisplayOptions,
        names: &PlayerNames<'_>,
    ) -> Markup;

    /// A standalone SVG image: no style sheet, class or script, and all colours are resolved, so that it
    /// looks the same in a chat preview, on paper and in an editor.
    fn standalone_svg(&self) -> Markup;

    /// The display settings that change the drawing, except light and dark.
    fn switches(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether this letter is the keyboard shortcut of an action. The page's own command on that letter then
    /// requires Shift.
    fn is_key(&self, _letter: char) -> bool {
        false
    }

    /// How the board is laid out on the page.
    fn layout(&self) -> BoardLayout {
        BoardLayout::Lying
    }
}

impl dyn BoardComponent {
    /// The keyboard shortcut of one of the page's own commands.
    pub(super) fn command_key(&self, letter: char) -> String {
        match self.is_key(letter) {
            true => letter.to_ascii_uppercase().to_string(),
            false => letter.to_string(),
        }
    }
}

/// How a board is laid out on the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BoardLayout {
    /// The prompt overlays its upper left corner.
    #[default]
    Lying,
    /// It fills its container, and the prompt is above it.
    Upright,
}

/// The board as a standalone SVG image: `/g/{id}/board.svg`.
#[must_use]
pub fn board_svg(board: &dyn BoardComponent) -> Markup {
    board.standalone_svg()
}

/// Adds the number of takebacks to a standalone SVG image, as an arrow and a number in the upper left corner,
/// which boards leave free.
#[must_use]
pub fn with_takebacks(picture: &str, takebacks: u32) -> String {
    let view_box = picture
        .split_once("viewBox=\"")
        .and_then(|(_, rest)| rest.split_once('"'))
        .map_or("", |(numbers, _)| numbers);
    let mut numbers = view_box
        .split(' ')
        .filter_map(|number| number.parse::<f64>().ok());
    let (Some(x), Some(y)) = (numbers.next(), numbers.next()) else {
        return picture.to_owned();
    };
    let count = number(u8::try_from(takebacks).unwrap_or(u8::MAX), "#2a2018");
    let badge = format!(
        r##"<g transform="translate({} {})"><rect width="104" height="44" rx="12" fill="#fff6e4" stroke="#2a2018" stroke-width="3"/><path d="M24 12l-9 9 9 9M15 21h17a7 7 0 0 1 0 14h-4" fill="none" stroke="#2a2018" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round"/><g transform="translate(72 22)">{count}</g></g></svg>"##,
        ShortDecimal(x + 16.0),
        ShortDecimal(y + 16.0)
    );
    match picture.strip_suffix("</svg>") {
        Some(open) => format!("{open}{badge}"),
        None => picture.to_owned(),
    }
}

/// Writes the `<svg>` element of a standalone image around its content.
pub(super) fn standalone_frame(
    view_box: [f64; 4],
    title: &str,
    content: impl FnOnce(&mut String),
) -> Markup {
    let [x, y, w, h] = view_box.map(ShortDecimal);
    let mut out = String::with_capacity(30_000);
    let _ = write!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x} {y} {w} {h}" font-family="system-ui,Segoe UI,Roboto,Noto Sans,Liberation Sans,sans-serif"><title>{title}</title>"##
    );
    content(&mut out);
    out.push_str("</svg>");
    xml::document(out)
}

/// The frame of every table: a collapsed `<details>` with a caption. A table of more than nine columns
/// scrolls and can be focused.
pub(super) fn folded_table(text: &Translations, columns: u8, table: Markup) -> Markup {
    let name = text.get("table");
    html! {
        details.astable {
            summary { (name) }
            @if columns > 9 { div.wide tabindex="0" role="group" aria-label=(name) { table { (table) } } }
            @else { table { (table) } }
        }
    }
}

/// The `<svg>` element of a board on a page.
pub(super) struct SvgFrame {
    pub(super) class: String,
    pub(super) view_box: [f64; 4],
    /// Pixels per unit, for a board that is not scaled down to fit the page.
    pub(super) scale: Option<f64>,
}

impl SvgFrame {
    /// Opens the SVG of an interactive board, with a name and a description.
    pub(super) fn open_group(&self, out: &mut String, text: &Translations, about: &str) {
        self.open(out);
        let _ = write!(
            out,
            r##" role="group" aria-labelledby="b-t" aria-describedby="b-d"><title id="b-t">{}</title><desc id="b-d">{about}</desc>"##,
            text.get("board")
        );
    }

    pub(super) fn open_picture(&self, out: &mut String, label: &str) {
        self.open(out);
        out.push_str(r##" role="img" aria-label="##);
        quoted(out, label);
        out.push('>');
    }

    fn open(&self, out: &mut String) {
        let [x, y, w, h] = self.view_box.map(ShortDecimal);
        let _ = write!(
            out,
            r##"<svg class="{}" viewBox="{x} {y} {w} {h}""##,
            self.class
        );
        if let Some(scale) = self.scale {
            let [w, h] = [w.0, h.0].map(|length| ShortDecimal((length * scale).round()));
            let _ = write!(out, r##" width="{w}" height="{h}""##);
        }
    }
}

/// Appends an attribute value, escaped and quoted.
pub(super) fn quoted(out: &mut String, value: impl Render) {
    out.push('"');
    value.render_to(out);
    out.push('"');
}

/// A number with at most one decimal: `12`, `-2.6`.
pub(super) struct ShortDecimal(pub(super) f64);

impl Display for ShortDecimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        let sign = if tenths < 0 { "-" } else { "" };
        let (whole, rest) = (tenths.abs() / 10, tenths.abs() % 10);
        if rest == 0 {
            write!(f, "{sign}{whole}")
        } else {
            write!(f, "{sign}{whole}.{rest}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_takebacks_adds_the_count_to_the_image() {
        let picture = r##"<svg viewBox="-24 -100.5 200 300"><rect/></svg>"##;
        let badged = with_takebacks(picture, 2);
        assert!(badged.starts_with(
            r##"<svg viewBox="-24 -100.5 200 300"><rect/><g transform="translate(-8 -84.5)">"##
        ));
        assert!(badged.ends_with("</g></svg>") && badged.matches("<svg").count() == 1);
        assert_ne!(badged, with_takebacks(picture, 3));
        assert_eq!(with_takebacks("<svg></svg>", 2), "<svg></svg>");
    }

    #[test]
    fn short_decimal_has_at_most_one_decimal() {
        let check = |value, expect: &str| assert_eq!(ShortDecimal(value).to_string(), expect);
        check(0.04, "0");
        check(-0.04, "0");
        check(-2.6, "-2.6");
        check(12.0, "12");
        check(42.666, "42.7");
    }
}
