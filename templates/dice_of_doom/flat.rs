//! The flat board: large numbers on flat hexes, for small screens and quick reading. Glyph and number are
//! side by side, with the odds below them.

use std::fmt::Write as _;

use super::board::{HexBoardStyle, draw_marks, is_last, place_markers};
use super::geometry::{Point, flat_centre, flat_corners};
use super::{HexBoardView, HexState};
use crate::board::ShortDecimal;

pub(super) struct FlatStyle;

impl HexBoardStyle for FlatStyle {
    fn class(&self) -> &'static str {
        "board flat"
    }

    fn view_box(&self, side: u8, _: u8) -> [f64; 4] {
        let n = usize::from(side.max(1));
        let (right, _) = flat_centre(side, n - 1);
        let (_, front) = flat_centre(side, n * n - n);
        let reach = -flat_corners(1.08, 0.0)[1].1;
        [
            -16.0,
            -reach - 5.0,
            right + 64.0 + 32.0,
            front + 2.0 * reach + 34.0,
        ]
    }

    fn hex_centre(&self, side: u8, hex: usize) -> Point {
        flat_centre(side, hex)
    }

    fn draw_base(&self, out: &mut String, _: u8, centres: &[Point]) {
        out.push_str(r##"<g class="slab">"##);
        place_markers(out, ["fslabside", "fslab"], centres);
        out.push_str("</g>");
    }

    fn draw_hex(&self, out: &mut String, view: &HexBoardView, hex: usize) {
        let content = &view.hexes[hex];
        out.push_str(r##"<use href="#ftile"/>"##);
        if is_last(view, hex) && content.previous_owner.is_none() {
            out.push_str(r##"<use href="#frl"/>"##);
        }
        draw_marks(out, view, hex, |scale| flat_corners(scale, 0.0), "fwas");
        match content.state {
            HexState::Selectable => out.push_str(r##"<use href="#frc"/>"##),
            HexState::Selected | HexState::Target { .. } => out.push_str(r##"<use href="#frt"/>"##),
            HexState::Idle => {}
        }
        let up = match content.state {
            HexState::Target { odds: Some(_) } => r##" transform="translate(0 -15)""##,
            _ => "",
        };
        let (owner, dice) = (content.owner % 6, content.dice.min(99));
        let _ = write!(
            out,
            r##"<g class="inlay"><g class="lift"{up}><use href="#gf{owner}"/><text class="big" x="18" y="20">{dice}</text></g></g>"##
        );
    }

    fn draw_arrow(&self, out: &mut String, side: u8, from: u8, to: u8) {
        let (a, b) = (flat_centre(side, from.into()), flat_centre(side, to.into()));
        let angle = (b.1 - a.1).atan2(b.0 - a.0).to_degrees().round();
        let _ = write!(
            out,
            r##"<path class="arrow" transform="translate({} {}) rotate({})" d="M-13-7H1V-14L17 0 1 14V7H-13Z"/>"##,
            ShortDecimal((a.0 + b.0) / 2.0),
            ShortDecimal((a.1 + b.1) / 2.0),
            ShortDecimal(angle)
        );
    }

    fn odds_offset(&self, _: &HexBoardView, _: usize) -> Point {
        (0.0, 32.0)
    }

    fn ring_symbol(&self) -> &'static str {
        "frt"
    }

    fn base_symbol(&self) -> Option<&'static str> {
        None
    }

    fn tile_top_symbol(&self) -> Option<&'static str> {
        None
    }

    fn number_offset(&self) -> Point {
        (0.0, -42.0)
    }

    fn reinforcement_offset(&self, _: u8) -> Point {
        (0.0, -50.0)
    }
    /// Draws nothing: the label suffices, because there are no piles.
    fn draw_pending_dice(&self, _: &mut String, _: &HexBoardView, _: usize, _: Point) {}
}
