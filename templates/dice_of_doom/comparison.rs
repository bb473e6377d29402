//! A small flat board that compares the action played with a better one.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped};

use super::HexBoardView;
use super::geometry::{SvgPoints, flat_centre, flat_corners};
use crate::board::ShortDecimal;
use crate::controls::{TableComponent, TableContext};

/// A board with two attacks, as source and target; `None` stands for ending the turn.
#[derive(Clone, Debug)]
pub struct AttackComparison {
    /// The position.
    pub board: HexBoardView,
    /// The action played.
    pub played: Option<(u8, u8)>,
    /// The better action.
    pub better: Option<(u8, u8)>,
}

impl TableComponent for AttackComparison {
    /// Hidden from screen readers: the adjacent text says the same.
    fn draw(&self, _: &TableContext<'_>) -> Markup {
        let side = self.board.side.max(1);
        let last = usize::from(side) * (usize::from(side) - 1);
        let width = 64.0 * (3.0 * f64::from(side) - 1.0) + 32.0;
        let height = flat_centre(side, last).1 + 184.0;
        let mut out = String::with_capacity(8_000);
        let _ = write!(
            out,
            r##"<svg class="mini" viewBox="-16 -80 {} {}" aria-hidden="true">"##,
            ShortDecimal(width),
            ShortDecimal(height)
        );
        for (hex, content) in self.board.hexes.iter().enumerate() {
            let (x, y) = flat_centre(side, hex);
            let moved = flat_corners(0.965, 0.0).map(|(u, v)| (u + x, v + y));
            let owner = content.owner % 6;
            let _ = write!(
                out,
                r##"<g class="p{owner}"><polygon points="{}"/><use class="mg" href="#gl{owner}" x="{}" y="{}" width="44" height="44"/><text class="mn" x="{}" y="{}">{}</text></g>"##,
                SvgPoints(&moved),
                ShortDecimal(x - 48.0),
                ShortDecimal(y - 22.0),
                ShortDecimal(x + 20.0),
                ShortDecimal(y + 23.0),
                content.dice.min(99)
            );
            let involved_hexes = [self.played, self.better].into_iter().flatten();
            let mut involved_hexes = involved_hexes.flat_map(|(from, to)| [from, to]);
            if involved_hexes.any(|one| usize::from(one) == hex) {
                let (x, y) = (ShortDecimal(x), ShortDecimal(y - 30.0));
                let _ = write!(
                    out,
                    r##"<text class="mh p{owner}" x="{x}" y="{y}">{hex}</text>"##
                );
            }
        }
        for (class, attack) in [("was", self.played), ("bet", self.better)] {
            let Some((from, to)) = attack else { continue };
            let (a, b) = (flat_centre(side, from.into()), flat_centre(side, to.into()));
            let angle = (b.1 - a.1).atan2(b.0 - a.0).to_degrees().round();
            let _ = write!(
                out,
                r##"<path class="{class}" transform="translate({} {}) rotate({}) scale(1.35)" d="M-24-12H-2V-30L26 0-2 30V12H-24Z"/>"##,
                ShortDecimal((a.0 + b.0) / 2.0),
                ShortDecimal((a.1 + b.1) / 2.0),
                ShortDecimal(angle)
            );
        }
        out.push_str("</svg>");
        PreEscaped(out)
    }
}
