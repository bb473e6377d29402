//! Positions on a hex board, in a true isometric projection that is slightly steeper than the book's.
//!
//! ```text
//!        0   1   2      hex = x + side * y; every row is half a hex further left than the row
//!      3   4   5        behind it: centre X = A (2x + side - y), Y = A y
//!    6   7   8
//! ```

use std::fmt::{self, Display};

use crate::board::ShortDecimal;

/// Half the width of a hex.
pub(crate) const A: f64 = 64.0;
/// Sine of the camera's elevation.
pub(crate) const S: f64 = 0.577_350_269_189_625_8;
/// Half the width of a die.
pub(crate) const DIE_WIDTH: f64 = 20.0;
/// Height of a die in true isometric projection.
pub(crate) const DIE_HEIGHT: f64 = 23.1;
/// Vertical distance of the side corners of a hex from its centre.
pub(crate) const SIDE_Y: f64 = A * S * S;
/// Vertical distance of the front corner of a hex from its centre.
pub(crate) const FRONT_Y: f64 = 2.0 * A * S * S;
pub(crate) const THICK: f64 = 11.0;

/// A point (x, y) in SVG units; y grows downwards.
pub(crate) type Point = (f64, f64);

pub(crate) fn centre(side: u8, hex: usize) -> Point {
    let n = usize::from(side.max(1));
    let (x, y) = (hex % n, hex / n);
    (A * (2 * x + n) as f64 - A * y as f64, A * y as f64)
}

/// The `viewBox`. It depends only on the side and the maximum number of dice, so that the board never moves.
pub(crate) fn view_box(side: u8, max_dice: u8) -> [f64; 4] {
    let n = f64::from(side.max(1));
    let above = f64::from(max_dice) * DIE_HEIGHT + DIE_WIDTH * S + 44.0;
    let height = above + A * (n - 1.0) + FRONT_Y + THICK + 52.0;
    [-24.0, -above, A * (3.0 * n - 1.0) + 48.0, height]
}

/// The corners of a hex around its centre, clockwise from the back left.
pub(crate) fn corners(scale: f64, down: f64) -> [Point; 6] {
    let (x, s, f) = (A * scale, SIDE_Y * scale, FRONT_Y * scale);
    [
        (-x, down - s),
        (0.0, down - f),
        (x, down - s),
        (x, down + s),
        (0.0, down + f),
        (-x, down + s),
    ]
}

/// Vertical scale of flat hexes relative to slanted ones: almost regular hexagons.
const UPRIGHT: f64 = 3.0 * S * 0.92;

pub(crate) fn flat_centre(side: u8, hex: usize) -> Point {
    let (x, y) = centre(side, hex);
    (x, y * UPRIGHT)
}

/// The corners of a flat hex, in the order of [`corners`].
pub(crate) fn flat_corners(scale: f64, down: f64) -> [Point; 6] {
    corners(scale, 0.0).map(|(x, y)| (x, y * UPRIGHT + down))
}

/// The neighbours of a hex across its edges, in the order of [`corners`]: edge `i` runs from corner `i` to
/// corner `i + 1`.
pub(crate) fn edge_neighbours(side: u8, hex: usize) -> [Option<usize>; 6] {
    let n = usize::from(side.max(1));
    let (x, y) = (hex % n, hex / n);
    let (left, back, right, front) = (x > 0, y > 0, x + 1 < n, y + 1 < n);
    [
        (left && back).then(|| hex - n - 1),
        back.then(|| hex - n),
        right.then(|| hex + 1),
        (right && front).then(|| hex + n + 1),
        front.then(|| hex + n),
        left.then(|| hex - 1),
    ]
}

/// Horizontal offset of die `z` of a pile.
pub(crate) fn horizontal_offset(side: u8, hex: usize, z: u8) -> f64 {
    let n = usize::from(side.max(1));
    if (hex % n + hex / n + usize::from(z)) % 2 == 1 {
        2.6
    } else {
        -2.6
    }
}

/// Index of the drawing of a die, out of four: a pile shows various faces, but always the same ones.
pub(crate) fn variant(side: u8, hex: usize, z: u8) -> usize {
    (hex * 7 + usize::from(z) * 3 + hex / usize::from(side.max(1))) % 4
}

/// The outline of the die at height `z`.
pub(crate) fn die_outline(shift: f64, z: u8) -> [Point; 6] {
    let (w, h) = (DIE_WIDTH, DIE_HEIGHT);
    let up = f64::from(z) * h;
    [
        (-w, -h),
        (0.0, -w * S - h),
        (w, -h),
        (w, 0.0),
        (0.0, w * S),
        (-w, 0.0),
    ]
    .map(|(x, y)| (x + shift, y - up))
}

/// Position and direction (degrees in the plane of the table) of the arrow from one hex to another.
pub(crate) fn arrow(side: u8, from: usize, to: usize) -> (Point, f64) {
    let (a, b) = (centre(side, from), centre(side, to));
    let angle = ((b.1 - a.1) / S).atan2(b.0 - a.0).to_degrees().round();
    (((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0), angle)
}

pub(crate) fn shadow_outline(side: u8) -> [Point; 7] {
    let n = usize::from(side.max(1));
    let [back, right, front, left] = [0, n - 1, n * n - 1, n * n - n].map(|hex| centre(side, hex));
    [
        (back.0 - 20.0, back.1),
        (right.0 + 96.0, right.1 - 6.0),
        (right.0 + 100.0, right.1 + 50.0),
        (front.0 + 96.0, front.1 + 58.0),
        (front.0 + 40.0, front.1 + 86.0),
        (left.0 - 40.0, left.1 + 86.0),
        (left.0 - 70.0, left.1 + 30.0),
    ]
}

/// Formats points for the `points` attribute.
pub(crate) struct SvgPoints<'a>(pub(crate) &'a [Point]);

impl Display for SvgPoints<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (x, y)) in self.0.iter().enumerate() {
            let space = if i > 0 { " " } else { "" };
            write!(f, "{space}{},{}", ShortDecimal(*x), ShortDecimal(*y))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_lead_to_the_neighbours_in_the_rules() {
        let mut neighbours: Vec<_> = edge_neighbours(3, 4).into_iter().flatten().collect();
        neighbours.sort_unstable();
        assert_eq!(neighbours, [0, 1, 3, 5, 7, 8]);
        assert_eq!(
            edge_neighbours(3, 0),
            [None, None, Some(1), Some(4), Some(3), None]
        );
    }
}
