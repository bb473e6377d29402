//! The picture of a day's result, to be shared: the final board without the last move, and the lines of the text.

use std::borrow::Cow;

use super::{AttemptView, DailyView, better_line, better_than, result_line, text_title};
use crate::board::standalone_frame;
use crate::lettering;
use crate::localization::Translations;
use crate::palette::colours;
use crate::svg_symbols::glyph;

/// Width and height, in the proportions of a social card within its margin.
const SIZE: (f64, f64) = (1140.0, 570.0);

const INK: &str = "#2a2018";
const QUIET: &str = "#6b5a4a";

/// The picture as a standalone SVG; `None` before the viewer's game is over.
#[must_use]
pub fn daily_picture(text: &Translations, view: &DailyView) -> Option<String> {
    let AttemptView::Over(result) = &view.attempt else {
        return None;
    };
    let (width, height) = SIZE;
    let title = text_title(text, view);
    let better = better_than(view, result.hexes);
    let better = better.map(|share| better_line(text, view, share).replace('|', ""));
    let streak =
        (view.streak > 1).then(|| text.get_with("daily-streak", &[("days", view.streak.into())]));
    let parts: Vec<_> = better
        .into_iter()
        .chain(streak.map(Cow::into_owned))
        .collect();
    let line = parts.join(" · ");
    let picture = standalone_frame([0.0, 0.0, width, height], "Dice of Doom", |out| {
        centred(out, &title, 26.0, 26.0, QUIET);
        centred(out, &result_line(text, view, result), 84.0, 52.0, INK);
        let board = view.board.standalone_svg().into_string();
        let board = board.strip_prefix("<svg ").unwrap_or_default();
        out.push_str(r#"<svg x="0" y="86" width="1140" height="398" "#);
        out.push_str(board);
        counts(out, &result.players, 524.0, 44.0);
        centred(out, &line, 565.0, 30.0, QUIET);
    });
    Some(picture.into_string())
}

/// A centred line, smaller if it would be too wide.
fn centred(out: &mut String, line: &str, y: f64, size: f64, colour: &str) {
    let size = size * (SIZE.0 / lettering::width(line, size)).min(1.0);
    let x = (SIZE.0 - lettering::width(line, size)) / 2.0;
    lettering::draw(out, line, (x, y), size, colour);
}

/// The symbol and the hexes of each player.
fn counts(out: &mut String, players: &[(u8, u32)], y: f64, size: f64) {
    let (symbol, gap) = (size, size);
    let width = |hexes: u32| symbol + lettering::width(&hexes.to_string(), size);
    let all: f64 = players.iter().map(|(_, hexes)| width(*hexes) + gap).sum();
    let mut x = (SIZE.0 - all + gap) / 2.0;
    for &(player, hexes) in players {
        let (middle, scale) = (y - 0.36 * size, size / 30.0);
        let tile = colours(player).tile;
        out.push_str(&format!(
            r#"<g fill="{tile}" transform="translate({:.1} {middle:.1}) scale({scale:.2})">{}</g>"#,
            x + symbol / 3.0,
            glyph(player)
        ));
        lettering::draw(out, &hexes.to_string(), (x + symbol, y), size, INK);
        x += width(hexes) + gap;
    }
}
