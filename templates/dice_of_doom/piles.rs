//! Piles of dice on slanted hexes, as in the book: drawn from back to front, so that nearer ones cover
//! farther ones.

use std::fmt::Write as _;

use super::board::{HexBoardStyle, draw_marks, is_last, place_markers};
use super::geometry::{
    A, DIE_HEIGHT, DIE_WIDTH, Point, S, SvgPoints, arrow, centre, corners, die_outline,
    horizontal_offset, shadow_outline, variant, view_box,
};
use super::{HexBoardView, HexState};
use crate::board::ShortDecimal;

/// Half the height of the odds label, with a margin.
const TAG: f64 = 14.0;

/// Centre of an odds label that is drawn above the count on its tile.
const ABOVE_COUNT: f64 = -17.0;

/// Height of a pile above the centre of its tile.
fn pile_top(dice: u8) -> f64 {
    f64::from(dice) * DIE_HEIGHT + DIE_WIDTH * S
}

pub(super) struct PileStyle;

impl HexBoardStyle for PileStyle {
    fn class(&self) -> &'static str {
        "board"
    }

    fn view_box(&self, side: u8, max_dice: u8) -> [f64; 4] {
        view_box(side, max_dice)
    }

    fn hex_centre(&self, side: u8, hex: usize) -> Point {
        centre(side, hex)
    }

    fn draw_base(&self, out: &mut String, side: u8, centres: &[Point]) {
        let _ = write!(
            out,
            r##"<polygon class="ground" points="{}"/><g class="slab">"##,
            SvgPoints(&shadow_outline(side))
        );
        place_markers(out, ["slabside", "slab"], centres);
        out.push_str("</g>");
    }

    fn draw_hex(&self, out: &mut String, view: &HexBoardView, hex: usize) {
        let (side, content) = (view.side.max(1), &view.hexes[hex]);
        let (owner, is_chosen) = (content.owner % 6, content.state == HexState::Selected);
        if is_chosen {
            out.push_str(r##"<use href="#hole"/><g transform="translate(0 -18)">"##);
        }
        out.push_str(r##"<use href="#tile"/>"##);
        if is_last(view, hex) && content.previous_owner.is_none() {
            out.push_str(r##"<use href="#rl"/>"##);
        }
        draw_marks(out, view, hex, |scale| corners(scale, 0.0), "was");
        match content.state {
            HexState::Selectable => out.push_str(r##"<use href="#rc"/>"##),
            HexState::Selected | HexState::Target { .. } => out.push_str(r##"<use href="#rt"/>"##),
            HexState::Idle => {}
        }
        let dice = content.dice.min(99);
        let wide = f64::from(dice) * 2.0;
        let _ = write!(
            out,
            r##"<ellipse cx="{}" rx="{}"/><g class="inlay"><use href="#in{owner}"/><text>{dice}</text></g>"##,
            ShortDecimal(10.0 + wide),
            ShortDecimal(33.0 + wide)
        );
        if is_chosen {
            for class in ["aura-case", "aura"] {
                for z in 0..dice {
                    let _ = write!(
                        out,
                        r##"<polygon class="{class}" points="{}"/>"##,
                        SvgPoints(&die_outline(horizontal_offset(side, hex, z), z))
                    );
                }
            }
        }
        for z in 0..dice {
            let _ = write!(
                out,
                r##"<use href="#die{}" x="{}" y="{}"/>"##,
                variant(side, hex, z),
                ShortDecimal(horizontal_offset(side, hex, z)),
                ShortDecimal(-f64::from(z) * DIE_HEIGHT)
            );
        }
        if is_chosen {
            out.push_str("</g>");
        }
    }

    fn draw_arrow(&self, out: &mut String, side: u8, from: u8, to: u8) {
        let ((x, y), angle) = arrow(side, from.into(), to.into());
        let _ = write!(
            out,
            r##"<path class="arrow" transform="translate({} {}) scale(1 {S:.3}) rotate({})" d="M-15-7H1V-15L19 0 1 15V7H-15Z"/>"##,
            ShortDecimal(x),
            ShortDecimal(y),
            ShortDecimal(angle)
        );
    }

    /// On the target's own dice, above its count. The pile two rows nearer is in the same column: if it
    /// reaches that high, the odds are moved above it, so that they are not mistaken for its own.
    fn odds_offset(&self, view: &HexBoardView, hex: usize) -> Point {
        let side = usize::from(view.side.max(1));
        let row = hex / side;
        let nearer = (hex % side + 1 < side && row + 2 < side)
            .then(|| view.hexes.get(hex + 2 * side + 1))
            .flatten();
        let nearer_top = nearer.map_or(f64::MAX, |nearer| 2.0 * A - pile_top(nearer.dice));
        let highest = -pile_top(view.hexes[hex].dice) - TAG;
        (0.0, ABOVE_COUNT.min(nearer_top - TAG).max(highest))
    }

    fn ring_symbol(&self) -> &'static str {
        "rt"
    }

    fn base_symbol(&self) -> Option<&'static str> {
        Some("tile")
    }

    fn tile_top_symbol(&self) -> Option<&'static str> {
        Some("top")
    }

    fn number_offset(&self) -> Point {
        (-33.0, 25.0)
    }

    fn reinforcement_offset(&self, dice: u8) -> Point {
        (0.0, -f64::from(dice) * DIE_HEIGHT - 20.0)
    }
    fn draw_pending_dice(&self, out: &mut String, view: &HexBoardView, hex: usize, (x, y): Point) {
        let (side, content) = (view.side.max(1), &view.hexes[hex]);
        let dice = content.dice.min(99);
        for z in dice..dice.saturating_add(content.pending_dice) {
            let _ = write!(
                out,
                r##"<use class="soon p{}" href="#ghost" x="{}" y="{}"/>"##,
                content.owner % 6,
                ShortDecimal(x + horizontal_offset(side, hex, z)),
                ShortDecimal(y - f64::from(z) * DIE_HEIGHT)
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice_of_doom::HexView;

    /// Checks every target height with every pile in front of it: the odds are on the target's own dice or
    /// just above them, do not cover its count, and overlap a nearer pile only if that pile covers the whole
    /// target.
    #[test]
    fn odds_are_drawn_on_their_own_pile() {
        for (own, nearer) in (1..=8).flat_map(|own| (1..=8).map(move |nearer| (own, nearer))) {
            let mut hexes = vec![HexView::default(); 9];
            (hexes[0].dice, hexes[7].dice) = (own, nearer);
            let view = HexBoardView {
                side: 3,
                max_dice: 8,
                hexes,
                ..HexBoardView::default()
            };
            let (x, y) = PileStyle.odds_offset(&view, 0);
            assert_eq!(x, 0.0);
            assert!(
                y + 13.0 <= -2.0,
                "{own} before {nearer}: the count is covered"
            );
            assert!(
                y >= -pile_top(own) - TAG,
                "{own} before {nearer}: away from its pile"
            );
            let is_target_visible = 2.0 * A - pile_top(nearer) >= -pile_top(own);
            let is_apart = y + 13.0 <= 2.0 * A - pile_top(nearer);
            assert!(
                is_apart || !is_target_visible,
                "{own} before {nearer}: read as the nearer pile's odds"
            );
        }
    }
}
