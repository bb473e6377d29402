//! The SVG symbols of boards, defined once per page and referenced by `<use>`.
//!
//! A shape requests the attributes of a role (`t-l`, the left side of a tile): a class on a page, resolved
//! colours in a standalone image.

use std::fmt::Write as _;
use std::sync::LazyLock;

use maud::{Markup, PreEscaped, html};

use super::board::ShortDecimal;
use super::dice_of_doom::geometry::{
    DIE_HEIGHT, DIE_WIDTH, FRONT_Y, Point, S, SvgPoints, THICK, corners, die_outline, flat_corners,
};
use super::preferences::BoardDrawing;

/// Returns the SVG attributes of a role.
pub(super) type RoleAttributes<'a> = &'a dyn Fn(&str) -> String;

/// Top, left and right face of each die. All four triples occur on a real die; the first is the book's.
const DICE: [[u8; 3]; 4] = [[6, 2, 4], [5, 3, 6], [4, 6, 2], [3, 1, 2]];

/// The gradients of tiles and dice, lit from the back left.
pub(super) const GRADIENTS: &str = concat!(
    r##"<linearGradient id="g-t" x2="1" y2="1"><stop stop-color="#fff" stop-opacity=".3"/><stop stop-color="#fff" stop-opacity="0" offset="1"/></linearGradient>"##,
    r##"<linearGradient id="g-l" x2="0" y2="1"><stop stop-color="#fff" stop-opacity=".1"/><stop stop-color="#1a0c00" stop-opacity=".2" offset="1"/></linearGradient>"##,
    r##"<linearGradient id="g-r" x2="0" y2="1"><stop stop-color="#000" stop-opacity="0"/><stop stop-color="#1a0c00" stop-opacity=".24" offset="1"/></linearGradient>"##,
    r##"<linearGradient id="g-tile" x2=".8" y2="1"><stop stop-color="#fff" stop-opacity=".16"/><stop stop-color="#000" stop-opacity="0" offset="1"/></linearGradient>"##,
);

/// The symbols of a page: those of all boards, and those of each drawing of the hex board that its content shows or that
/// a script may show on it.
pub(super) fn definitions(content: &str, swapped_in: &[BoardDrawing]) -> Markup {
    let is_needed = |drawing, tile| swapped_in.contains(&drawing) || content.contains(tile);
    html! {
        svg.defs aria-hidden="true" focusable="false" {
            defs {
                (PreEscaped(&**COMMON))
                @if is_needed(BoardDrawing::Book, "\"#tile\"") { (PreEscaped(&**PILES)) }
                @if is_needed(BoardDrawing::Flat, "\"#ftile\"") { (PreEscaped(&**FLAT)) }
            }
        }
    }
}

fn class(role: &str) -> String {
    format!("class=\"{role}\"")
}

static PILES: LazyLock<String> = LazyLock::new(|| {
    let mut out = String::from(
        r##"<radialGradient id="g-sh"><stop class="k5"/><stop class="k4" offset=".45"/><stop stop-color="#000" stop-opacity="0" offset="1"/></radialGradient>"##,
    );
    let ring = |role: &str, scale| polygon(&class(role), &corners(scale, 0.0));
    let rings = |roles: &[&str], scale| {
        roles
            .iter()
            .map(|role| ring(role, scale))
            .collect::<String>()
    };
    group(
        &mut out,
        "tile",
        &(tile(&class) + &rings(&["edge-case", "edge"], 0.9)),
    );
    marker(&mut out, "slab", &slab(&class));
    marker(&mut out, "slabside", &slab_side(&class));
    group(&mut out, "cube", &cube(&class));
    for i in 0..DICE.len() {
        let pips = pips_of(i, r#"class="pip""#);
        group(
            &mut out,
            &format!("die{i}"),
            &format!(r##"<use href="#cube"/>{pips}"##),
        );
    }
    group(&mut out, "rc", &rings(&["rim-case", "rim"], 0.9));
    group(&mut out, "rt", &rings(&["ring-case", "ring"], 0.9));
    group(&mut out, "rl", &ring("ring-last", 0.84));
    group(&mut out, "hole", &ring("hole", 0.972));
    group(&mut out, "was", &rings(&TAPE, 0.86));
    group(&mut out, "ghost", &ghost());
    group(&mut out, "top", &ring("lid", 0.972));
    for n in 0..6 {
        let _ = write!(
            out,
            r#"<g id="in{n}" transform="matrix(.6 0 0 .46 -32 6)">{}</g>"#,
            glyph(n)
        );
    }
    out
});

/// The strip on a hex that changed hands, from below.
const TAPE: [&str; 3] = ["was-case", "was-a", "was-b"];

fn group(out: &mut String, id: &str, body: &str) {
    let _ = write!(out, r#"<g id="{id}">{body}</g>"#);
}

/// A shape that a line repeats at each of its points.
pub(super) fn marker(out: &mut String, id: &str, body: &str) {
    let _ = write!(
        out,
        r#"<marker id="{id}" overflow="visible" markerUnits="userSpaceOnUse">{body}</marker>"#
    );
}

fn polygon(attributes: &str, points: &[Point]) -> String {
    format!(r#"<polygon {attributes} points="{}"/>"#, SvgPoints(points))
}

/// The shapes of the flat board. They have the same roles as those of the board with piles, and so the same
/// colours and marks.
static FLAT: LazyLock<String> = LazyLock::new(|| {
    let mut out = String::new();
    let shape = |role: &str, scale, down| polygon(&class(role), &flat_corners(scale, down));
    let sheen = polygon(r#"fill="url(#g-tile)""#, &flat_corners(0.965, 0.0));
    let tile = shape("t-l", 0.965, 6.0) + &shape("t-t", 0.965, 0.0) + &sheen;
    let edge = shape("edge-case", 0.89, 0.0) + &shape("edge", 0.89, 0.0);
    group(&mut out, "ftile", &(tile + &edge));
    marker(&mut out, "fslab", &shape("s-t", 1.04, 5.0));
    marker(&mut out, "fslabside", &shape("s-r", 1.04, 19.0));
    let rims = shape("rim-case", 0.87, 0.0) + &shape("rim", 0.87, 0.0);
    group(&mut out, "frc", &rims);
    let rings = shape("ring-case", 0.89, 0.0) + &shape("ring", 0.89, 0.0);
    group(&mut out, "frt", &rings);
    group(&mut out, "frl", &shape("ring-last", 0.8, 0.0));
    group(
        &mut out,
        "fwas",
        &TAPE.map(|role| shape(role, 0.85, 0.0)).concat(),
    );
    for n in 0..6 {
        let _ = write!(
            out,
            r#"<g id="gf{n}" transform="translate(-23 0) scale(1.15)">{}</g>"#,
            glyph(n)
        );
    }
    out
});

/// Gradients, glyphs, die faces and icons.
static COMMON: LazyLock<String> = LazyLock::new(|| {
    let mut out = GRADIENTS.to_owned();
    out.push_str(r#"<filter id="soft" x="-20%" y="-40%" width="140%" height="180%"><feGaussianBlur stdDeviation="15"/></filter>"#);
    define_pips(&mut out);
    out.push_str(r#"<g id="face"><rect class="f-s" y="2" width="40" height="40" rx="9"/><rect class="f-t" width="40" height="40" rx="9"/><rect class="f-h" x="1.2" y="1.2" width="37.6" height="37.6" rx="8"/></g>"#);
    for n in 0..6 {
        let _ = write!(
            out,
            r#"<symbol id="gl{n}" viewBox="-12 -12 24 24">{}</symbol>"#,
            glyph(n)
        );
    }
    for n in 1..=6 {
        let _ = write!(
            out,
            r##"<symbol id="f{n}" viewBox="-2 -2 44 46"><use href="#face"/><use class="fpip" href="#pips{n}" transform="scale(40)"/></symbol>"##
        );
    }
    for (name, path) in [
        ("first", "M6 5v14M18 6l-8 6 8 6Z"),
        ("prev", "M16 6l-8 6 8 6Z"),
        ("next", "M8 6l8 6-8 6Z"),
        ("last", "M18 5v14M6 6l8 6-8 6Z"),
        ("pause", "M9 6v12M15 6v12"),
        ("go", "M8 6l9 6-9 6Z"),
        ("tick", "M5 13l5 5L20 6"),
        ("cross", "M6 6l12 12M18 6L6 18"),
        ("more", "M4 12h2M11 12h2M18 12h2"),
        ("share", "M12 15V3M8 7l4-4 4 4M5 11v9h14v-9"),
        ("copy", "M9 9h11v11H9ZM15 9V4H4v11h5"),
        (
            "sun",
            "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5",
        ),
        (
            "moon",
            "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z",
        ),
        (
            "set",
            "M4 8h9M19 8h1M4 16h1M11 16h9M13 5v6h3V5ZM6 13v6h3v-6Z",
        ),
    ] {
        let _ = write!(
            out,
            r#"<symbol id="i-{name}" viewBox="0 0 24 24"><path d="{path}"/></symbol>"#
        );
    }
    out
});

/// The outline of a player's glyph, about 20 units high; a path, so that it does not depend on fonts.
pub(super) fn glyph(player: u8) -> &'static str {
    match player % 6 {
        0 => r#"<circle r="8.6"/>"#,
        1 => r#"<path d="M0-9.4 10 7.8H-10Z"/>"#,
        2 => r#"<path d="M-8-8H8V8H-8Z"/>"#,
        3 => r#"<path d="M0-11 9.4 0 0 11-9.4 0Z"/>"#,
        4 => {
            r#"<path d="M0-10.5 2.9-3.4 10.4-2.9 4.6 2 6.5 9.4 0 5.3-6.5 9.4-4.6 2-10.4-2.9-2.9-3.4Z"/>"#
        }
        _ => r#"<path d="M-3.4-9.5H3.4V-3.4H9.5V3.4H3.4V9.5H-3.4V3.4H-9.5V-3.4H-3.4Z"/>"#,
    }
}

/// Positions of the pips of a face, in quarters of its side.
pub(super) fn pip_positions(face: u8) -> &'static [(u8, u8)] {
    match face {
        1 => &[(2, 2)],
        2 => &[(1, 1), (3, 3)],
        3 => &[(1, 1), (2, 2), (3, 3)],
        4 => &[(1, 1), (3, 1), (1, 3), (3, 3)],
        5 => &[(1, 1), (3, 1), (2, 2), (1, 3), (3, 3)],
        _ => &[(1, 1), (1, 2), (1, 3), (3, 1), (3, 2), (3, 3)],
    }
}

/// Writes the pips of each face, on a unit square.
pub(super) fn define_pips(out: &mut String) {
    let quarters = |i: u8| ["0", ".25", ".5", ".75"][usize::from(i)];
    for face in 1..=6 {
        let circle = |&(x, y)| {
            let (x, y) = (quarters(x), quarters(y));
            format!(r#"<circle cx="{x}" cy="{y}" r=".1"/>"#)
        };
        let circles: String = pip_positions(face).iter().map(circle).collect();
        group(out, &format!("pips{face}"), &circles);
    }
}

/// A tile: top, the two front edges, light and rims.
pub(super) fn tile(paint: RoleAttributes<'_>) -> String {
    let top = corners(0.972, 0.0);
    let low = |(x, y): Point| (x, y + THICK);
    let left = [top[5], top[4], (0.0, FRONT_Y * 0.972 + THICK), low(top[5])];
    let right = [top[4], top[3], low(top[3]), (0.0, FRONT_Y * 0.972 + THICK)];
    let rim = corners(0.954, 0.0);
    let line = |attributes: &str, points: &[Point]| {
        format!(r#"<path {attributes} d="M{}"/>"#, SvgPoints(points))
    };
    polygon(&paint("t-l"), &left)
        + &polygon(&paint("t-r"), &right)
        + &polygon(&paint("t-t"), &top)
        + &polygon(r#"fill="url(#g-tile)""#, &top)
        + &line(&paint("t-hi"), &[rim[5], rim[0], rim[1], rim[2]])
        + &line(&paint("t-lo"), &[rim[2], rim[3], rim[4], rim[5]])
}

/// The top of the tray under one hex.
pub(super) fn slab(paint: RoleAttributes<'_>) -> String {
    format!(
        r#"<polygon {} points="{}"/>"#,
        paint("s-t"),
        SvgPoints(&corners(1.1, THICK))
    )
}

/// The front edges of the tray under one hex.
pub(super) fn slab_side(paint: RoleAttributes<'_>) -> String {
    let c = corners(1.1, THICK);
    let low = |(x, y): Point| (x, y + 15.0);
    format!(
        r#"<polygon {} points="{}"/><polygon {} points="{}"/>"#,
        paint("s-l"),
        SvgPoints(&[c[5], c[4], low(c[4]), low(c[5])]),
        paint("s-r"),
        SvgPoints(&[c[4], c[3], low(c[3]), low(c[4])]),
    )
}

/// A die without pips, with its foot at the origin.
pub(super) fn cube(paint: RoleAttributes<'_>) -> String {
    let (w, h) = (DIE_WIDTH, DIE_HEIGHT);
    let (mid, foot) = (w * S - h, w * S);
    let left = [(-w, -h), (0.0, mid), (0.0, foot), (-w, 0.0)];
    let right = [(w, -h), (0.0, mid), (0.0, foot), (w, 0.0)];
    let top = [(0.0, -w * S - h), (w, -h), (0.0, mid), (-w, -h)];
    let mut out = String::new();
    for (role, shine, points) in [
        ("d-l", "g-l", left),
        ("d-r", "g-r", right),
        ("d-t", "g-t", top),
    ] {
        let points = SvgPoints(&points).to_string();
        let _ = write!(
            out,
            r#"<polygon {} points="{points}"/><polygon points="{points}" fill="url(#{shine})"/>"#,
            paint(role)
        );
    }
    let _ = write!(
        out,
        r#"<path {} d="M{} {}L0 {}L{} {}"/>"#,
        paint("d-e"),
        ShortDecimal(1.1 - w),
        ShortDecimal(-h),
        ShortDecimal(mid),
        ShortDecimal(w - 1.1),
        ShortDecimal(-h)
    );
    out
}

/// The pips of a die, with the given attributes: each face is a unit square under a matrix.
pub(super) fn pips_of(variant: usize, attributes: &str) -> String {
    let (w, h) = (DIE_WIDTH, DIE_HEIGHT);
    let [up, at_left, at_right] = DICE[variant % DICE.len()];
    let mut out = String::new();
    for (face, matrix) in [
        (up, [w, -w * S, w, w * S, -w, -h]),
        (at_left, [w, w * S, 0.0, h, -w, -h]),
        (at_right, [w, -w * S, 0.0, h, 0.0, w * S - h]),
    ] {
        let [a, b, c, d, e, f] = matrix.map(ShortDecimal);
        let _ = write!(
            out,
            r##"<use {attributes} href="#pips{face}" transform="matrix({a} {b} {c} {d} {e} {f})"/>"##
        );
    }
    out
}

/// The outline of a die that an action would add.
fn ghost() -> String {
    let (w, h) = (DIE_WIDTH, DIE_HEIGHT);
    let mid = ShortDecimal(w * S - h);
    polygon(r#"class="ghost-d""#, &die_outline(0.0, 0))
        + &format!(
            r#"<path class="ghost-e" d="M{} {}L0 {mid}L{} {}M0 {mid}V{}"/>"#,
            ShortDecimal(-w),
            ShortDecimal(-h),
            ShortDecimal(w),
            ShortDecimal(-h),
            ShortDecimal(w * S)
        )
}

pub(super) fn glyph_icon(player: u8) -> Markup {
    let player = player % 6;
    PreEscaped(format!(
        r##"<svg class="gl p{player}" aria-hidden="true"><use href="#gl{player}"/></svg>"##
    ))
}

/// The glyph of a player as a character, for plain text.
#[must_use]
pub const fn text_glyph(player: u8) -> &'static str {
    match player % 6 {
        0 => "●",
        1 => "▲",
        2 => "■",
        3 => "◆",
        4 => "★",
        _ => "✚",
    }
}
