//! Text as outlines, for standalone SVG images: a renderer may have no fonts.
//!
//! The letters are those of M PLUS 1p Bold, under the Open Font License (`lettering/OFL.txt`): those that the texts of
//! pictures have in any language. `lettering/extract.py` writes them.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use super::board::ShortDecimal;

/// Advance width and outline of each letter, in thousandths of the font size.
static LETTERS: LazyLock<HashMap<char, (f64, &'static str)>> = LazyLock::new(|| {
    let lines = include_str!("lettering/m-plus-1p-bold.tsv").lines();
    let letters = lines.filter_map(|line| {
        let mut parts = line.split('\t');
        let letter = parts.next()?.chars().next()?;
        Some((letter, (parts.next()?.parse().ok()?, parts.next()?)))
    });
    letters.collect()
});

/// Whether pictures can show this letter; others are left out.
#[must_use]
pub fn has_letter(letter: char) -> bool {
    LETTERS.contains_key(&letter)
}

/// The width of a line of text in this size.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let widths = text.chars().filter_map(|letter| LETTERS.get(&letter));
    widths.map(|(width, _)| width).sum::<f64>() * size / 1000.0
}

/// Draws a line of text from this point on the baseline.
pub(super) fn draw(out: &mut String, text: &str, (x, y): (f64, f64), size: f64, colour: &str) {
    let scale = size / 1000.0;
    let _ = write!(
        out,
        r#"<g fill="{colour}" transform="translate({} {}) scale({scale})">"#,
        ShortDecimal(x),
        ShortDecimal(y)
    );
    let mut at = 0.0;
    for (width, outline) in text.chars().filter_map(|letter| LETTERS.get(&letter)) {
        let _ = write!(
            out,
            r#"<path transform="translate({})" d="{outline}"/>"#,
            ShortDecimal(at)
        );
        at += width;
    }
    out.push_str("</g>");
}
