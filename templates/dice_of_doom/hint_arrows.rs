//! The pointers of a hint: the best attacks, numbered, each on the edge that it crosses; their targets
//! are ringed and wear their odds.

use std::fmt::Write as _;

use super::board::HexBoardStyle;
use super::geometry::Point;
use super::{HexBoardView, HintArrow};
use crate::board::ShortDecimal;
use crate::page::band;
use crate::preferences::DisplayOptions;

/// A steeper edge hides more of a pointer, so its tip is longer.
const TIPS: [f64; 2] = [21.0, 27.0];

/// How far behind the edge the disc with the number stands.
const BEHIND: f64 = 6.4;

/// Draws the pointers of a board above everything else.
pub(super) fn draw(
    out: &mut String,
    manner: &dyn HexBoardStyle,
    look: &DisplayOptions,
    view: &HexBoardView,
    places: &[Point],
) {
    let mut targets: Vec<u8> = Vec::new();
    for HintArrow { from, to, odds, .. } in &view.pointers {
        let Some(&(x, y)) = places.get(usize::from(*to)) else {
            continue;
        };
        // An attack from elsewhere has its odds in the list.
        if targets.contains(to) || usize::from(*from) >= places.len() {
            continue;
        }
        targets.push(*to);
        let ring = manner.ring();
        let _ = write!(
            out,
            r##"<use class="hinted" href="#{ring}" x="{}" y="{}"/>"##,
            ShortDecimal(x),
            ShortDecimal(y)
        );
        if let Some(odds) = look.odds(*odds) {
            let (right, down) = manner.odds_at(view, usize::from(*to));
            let _ = write!(
                out,
                r##"<g class="chip {} hinted" transform="translate({} {})"><g><rect x="-32" y="-13" width="64" height="26" rx="8"/><text y="6.4">"##,
                band(odds),
                ShortDecimal(x + right),
                ShortDecimal(y + down + 10.0)
            );
            let _ = maud::Escaper::new(out).write_str(&look.language.percent(odds));
            out.push_str("%</text></g></g>");
        }
    }
    // The first is drawn last, above the others.
    for HintArrow { rank, from, to, .. } in view.pointers.iter().rev() {
        let (Some(&a), Some(&b)) = (places.get(usize::from(*from)), places.get(usize::from(*to)))
        else {
            continue;
        };
        pointer(out, *rank, a, b);
    }
}

fn pointer(out: &mut String, rank: usize, from: Point, to: Point) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let tip = TIPS[usize::from(uy.abs() > 0.2)];
    let first = if rank == 1 { " first" } else { "" };
    let _ = write!(
        out,
        r##"<g class="pointer{first}" transform="translate({} {})"><path transform="rotate({})" d="M0-12 {tip} 0 0 12Z"/><g transform="translate({} {})"><circle r="12"/><text y="6.5">{}</text></g></g>"##,
        ShortDecimal((from.0 + to.0) / 2.0),
        ShortDecimal((from.1 + to.1) / 2.0),
        ShortDecimal(dy.atan2(dx).to_degrees()),
        ShortDecimal(-ux * BEHIND),
        ShortDecimal(-uy * BEHIND),
        rank
    );
}
