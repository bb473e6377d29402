//! The board of any game on a page: to play on, to look at, small on a card, and as a table.
//!
//! What the boards of all games share is here; [`super::hexes`] and [`super::columns`] draw.

use std::fmt::Write as _;

use maud::{Escaper, Markup, html};

use super::geometry::Short;
use super::players::Cast;
use super::text::Text;
use super::view::{Board, ColumnsView, Drawing, Look};
use super::{columns, hexes};

/// A board to play on: cells with an address are links. `mover` is the player whose chip would fall.
pub(super) fn board(
    text: &Text,
    look: &Look,
    view: &Board,
    mover: Option<u8>,
    cast: &Cast<'_>,
) -> Markup {
    match view {
        Board::Dice(view) => {
            html! { div class={ "bd s" (view.side) @if look.drawing == Drawing::Flat { " low" } } { (hexes::board(text, look, view, cast)) } }
        }
        Board::Columns(view) => upright(text, view, columns::board(text, view, mover)),
    }
}

/// A board to look at: one picture with a name.
pub(super) fn picture(text: &Text, look: &Look, view: &Board, label: &str) -> Markup {
    match view {
        Board::Dice(view) => html! { div.bd { (hexes::picture(look, view, label)) } },
        Board::Columns(view) => upright(text, view, columns::picture(view, label)),
    }
}

/// The element around a board of columns; one that is scrolled can be reached by keys.
fn upright(text: &Text, view: &ColumnsView, board: Markup) -> Markup {
    if columns::is_long(view) {
        let name = text.say("board");
        return html! { div.bd.cols tabindex="0" role="group" aria-label=(name) { (board) } };
    }
    html! { div.bd.cols.few[view.width < 6] { (board) } }
}

/// A small flat board for cards; the card describes it in words.
pub(super) fn small(view: &Board) -> Markup {
    match view {
        Board::Dice(view) => hexes::small(view),
        Board::Columns(view) => columns::small(view),
    }
}

/// The board as a table, folded away.
pub(super) fn table(text: &Text, view: &Board, cast: &Cast<'_>) -> Markup {
    match view {
        Board::Dice(view) => hexes::table(text, view, cast),
        Board::Columns(view) => columns::table(text, view, cast),
    }
}

/// The frame of every table: folded, with its name. A wide table is scrolled and can be reached by keys.
pub(super) fn folded(text: &Text, columns: u8, table: Markup) -> Markup {
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
pub(super) struct Frame {
    pub(super) class: String,
    pub(super) view_box: [f64; 4],
    /// Pixels for each unit of a board that is too long to be fitted into the page.
    pub(super) scale: Option<f64>,
}

impl Frame {
    /// Opens the picture of a board whose parts are links, with a name and a description.
    pub(super) fn open_group(&self, out: &mut String, text: &Text, about: &str) {
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
        let [x, y, w, h] = self.view_box.map(Short);
        let _ = write!(
            out,
            r##"<svg class="{}" viewBox="{x} {y} {w} {h}""##,
            self.class
        );
        if let Some(scale) = self.scale {
            let [w, h] = [w.0, h.0].map(|length| Short((length * scale).round()));
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
