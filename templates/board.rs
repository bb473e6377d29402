//! The board of any game on a page: to play on, to look at, small on a card, as a table, and as a
//! picture that stands alone.
//!
//! A game draws; what drawings have in common stands here.

use std::fmt::{self, Debug, Display, Write as _};

use maud::{Escaper, Markup, PreEscaped, html};

use super::digits::number;
use super::localization::Translations;
use super::players::PlayerNames;
use super::view::DisplayOptions;

/// A board, ready to draw.
pub trait BoardComponent: Debug + Send + Sync {
    /// A board to play on: what has an address is a link. `mover` is whose turn it is.
    fn playable(
        &self,
        text: &Translations,
        look: &DisplayOptions,
        mover: Option<u8>,
        cast: &PlayerNames<'_>,
    ) -> Markup;

    /// A board to look at: one picture with a name.
    fn picture(&self, text: &Translations, look: &DisplayOptions, label: &str) -> Markup;

    /// A small board, for cards; the card says in words what it is.
    fn small(&self) -> Markup;

    /// The same as a table, folded away.
    fn table(&self, text: &Translations, look: &DisplayOptions, cast: &PlayerNames<'_>) -> Markup;

    /// A picture that stands alone: no style sheet, class or script, and every colour resolved, so that
    /// it looks the same in a chat preview, on paper and in an editor.
    fn alone(&self) -> Markup;

    /// The settings that change how it is drawn, beside light and dark.
    fn switches(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether this letter as a key plays an action. The page's own commands have the letter with Shift then.
    fn is_key(&self, _letter: char) -> bool {
        false
    }

    /// How it stands on the page.
    fn stance(&self) -> BoardLayout {
        BoardLayout::Lying
    }
}

impl dyn BoardComponent {
    /// The key of one of the page's own commands.
    pub(super) fn command_key(&self, letter: char) -> String {
        match self.is_key(letter) {
            true => letter.to_ascii_uppercase().to_string(),
            false => letter.to_string(),
        }
    }
}

/// How a board stands on the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BoardLayout {
    /// The prompt lies in its upper left corner.
    #[default]
    Lying,
    /// It fills its place, and the prompt stands above.
    Upright,
}

/// The board as a picture that stands alone: `/g/{id}/board.svg`.
#[must_use]
pub fn board_svg(board: &dyn BoardComponent) -> Markup {
    board.alone()
}

/// A picture that stands alone with how many moves were taken back, as an arrow and a number in its upper left
/// corner, which boards leave free.
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

/// Draws a picture that stands alone around its content.
pub(super) fn standing(
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
    PreEscaped(out)
}

/// The frame of every table: folded, with its name. A wide table is scrolled and can be reached by keys.
pub(super) fn folded(text: &Translations, columns: u8, table: Markup) -> Markup {
    let name = text.say("table");
    html! {
        details.astable {
            summary { (name) }
            @if columns > 9 { div.wide tabindex="0" role="group" aria-label=(name) { table { (table) } } }
            @else { table { (table) } }
        }
    }
}

/// The outermost element of a board.
pub(super) struct SvgFrame {
    pub(super) class: String,
    pub(super) view_box: [f64; 4],
    /// Pixels for each unit of a board that is not made smaller to fit into the page.
    pub(super) scale: Option<f64>,
}

impl SvgFrame {
    /// Opens the picture of a board whose parts are links, with a name and a description.
    pub(super) fn open_group(&self, out: &mut String, text: &Translations, about: &str) {
        self.open(out);
        let _ = write!(
            out,
            r##" role="group" aria-labelledby="b-t" aria-describedby="b-d"><title id="b-t">{}</title><desc id="b-d">{about}</desc>"##,
            text.say("board")
        );
    }

    /// Opens the picture of a board to look at.
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

/// An attribute value, escaped and quoted.
pub(super) fn quoted(out: &mut String, value: &str) {
    out.push('"');
    let _ = Escaper::new(out).write_str(value);
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
    fn a_picture_says_how_many_moves_were_taken_back() {
        let picture = r##"<svg viewBox="-24 -100.5 200 300"><rect/></svg>"##;
        let told = with_takebacks(picture, 2);
        assert!(told.starts_with(
            r##"<svg viewBox="-24 -100.5 200 300"><rect/><g transform="translate(-8 -84.5)">"##
        ));
        assert!(told.ends_with("</g></svg>") && told.matches("<svg").count() == 1);
        assert_ne!(told, with_takebacks(picture, 3));
        assert_eq!(with_takebacks("<svg></svg>", 2), "<svg></svg>");
    }

    #[test]
    fn numbers_are_short() {
        let check = |value, expect: &str| assert_eq!(ShortDecimal(value).to_string(), expect);
        check(0.04, "0");
        check(-0.04, "0");
        check(-2.6, "-2.6");
        check(12.0, "12");
        check(42.666, "42.7");
    }
}
