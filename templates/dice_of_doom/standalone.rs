//! The hex board as a standalone SVG image.

use std::fmt::Write as _;

use maud::Markup;

use super::HexBoardView;
use super::board::place_markers;
use super::geometry::{
    DIE_HEIGHT, S, SvgPoints, arrow, centre, corners, horizontal_offset, variant, view_box,
};
use crate::board::{ShortDecimal, standalone_frame};
use crate::digits::number;
use crate::palette::{PlayerColours, colours, mix};
use crate::svg_symbols::{
    GRADIENTS, cube, define_pips, glyph, marker, pips_of, slab, slab_side, tile,
};

pub(super) fn standalone_svg(board: &HexBoardView) -> Markup {
    let frame = view_box(board.side.max(1), board.max_dice);
    standalone_frame(frame, "Dice of Doom", |out| draw(out, board))
}

fn draw(out: &mut String, board: &HexBoardView) {
    let side = board.side.max(1);
    let _ = write!(
        out,
        r##"<defs>{GRADIENTS}<radialGradient id="g-sh"><stop stop-color="#3a2410" stop-opacity=".42"/><stop stop-color="#3a2410" stop-opacity=".23" offset=".45"/><stop stop-color="#000" stop-opacity="0" offset="1"/></radialGradient>"##
    );
    marker(out, "slab", &slab(&tray));
    marker(out, "side", &slab_side(&tray));
    define_pips(out);
    let mut owners: Vec<u8> = board.hexes.iter().map(|hex| hex.owner % 6).collect();
    owners.sort_unstable();
    owners.dedup();
    for owner in owners {
        let paint = |role: &str| resolved(role, &colours(owner));
        let _ = write!(out, r##"<g id="t{owner}">{}</g>"##, tile(&paint));
        let _ = write!(out, r##"<g id="c{owner}">{}</g>"##, cube(&paint));
        for i in 0..4 {
            let pips = pips_of(i, &paint("pip"));
            let _ = write!(
                out,
                r##"<g id="d{owner}{i}"><use href="#c{owner}"/>{pips}</g>"##
            );
        }
    }
    out.push_str("</defs>");
    let centres: Vec<_> = (0..board.hexes.len())
        .map(|hex| centre(side, hex))
        .collect();
    place_markers(out, ["side", "slab"], &centres);
    for hex in 0..board.hexes.len() {
        draw_hex(out, board, hex);
    }
    if let Some((from, to)) = board.last_attack {
        let ((x, y), angle) = arrow(side, from.into(), to.into());
        let _ = write!(
            out,
            r##"<path fill="#fffaf1" stroke="#241a12" stroke-width="2.5" stroke-linejoin="round" transform="translate({} {}) scale(1 {S:.3}) rotate({})" d="M-15-7H1V-15L19 0 1 15V7H-15Z"/>"##,
            ShortDecimal(x),
            ShortDecimal(y),
            ShortDecimal(angle)
        );
    }
}

fn draw_hex(out: &mut String, board: &HexBoardView, hex: usize) {
    let (side, content) = (board.side.max(1), &board.hexes[hex]);
    let (x, y) = centre(side, hex);
    let owner = content.owner % 6;
    let ink = colours(owner).ink;
    let dice = content.dice.min(99);
    let wide = f64::from(dice) * 2.0;
    let _ = write!(
        out,
        r##"<g transform="translate({} {})"><use href="#t{owner}"/>"##,
        ShortDecimal(x),
        ShortDecimal(y)
    );
    if board
        .last_attack
        .is_some_and(|(from, to)| usize::from(from) == hex || usize::from(to) == hex)
    {
        let _ = write!(
            out,
            r##"<polygon fill="none" stroke="#fff" stroke-width="2.5" stroke-dasharray="1 7" stroke-linecap="round" points="{}"/>"##,
            SvgPoints(&corners(0.84, 0.0))
        );
    }
    let _ = write!(
        out,
        r##"<ellipse cx="{}" cy="2" rx="{}" ry="16" fill="url(#g-sh)"/><g fill="{ink}"><g transform="matrix(.6 0 0 .46 -32 6)">{}</g><g transform="matrix(.94 0 0 .81 32 6.5)">{}</g></g>"##,
        ShortDecimal(10.0 + wide),
        ShortDecimal(33.0 + wide),
        glyph(owner),
        number(dice, ink)
    );
    for z in 0..dice {
        let _ = write!(
            out,
            r##"<use href="#d{owner}{}" x="{}" y="{}"/>"##,
            variant(side, hex, z),
            ShortDecimal(horizontal_offset(side, hex, z)),
            ShortDecimal(-f64::from(z) * DIE_HEIGHT)
        );
    }
    out.push_str("</g>");
}

fn tray(role: &str) -> String {
    let colour = match role {
        "s-l" => "#5d3f2a",
        "s-r" => "#46301f",
        _ => "#7a573d",
    };
    format!(r##"fill="{colour}" stroke="{colour}" stroke-width="6" stroke-linejoin="round""##)
}

fn resolved(role: &str, colours: &PlayerColours) -> String {
    let shaded = |part| mix(colours.tile, part, colours.shadow);
    let die = |colour: String| {
        format!(r##"fill="{colour}" stroke="{colour}" stroke-width="1.6" stroke-linejoin="round""##)
    };
    let rim = |stroke: &str, opacity, width| {
        format!(
            r##"fill="none" stroke="{stroke}" stroke-opacity="{opacity}" stroke-width="{width}" stroke-linejoin="round""##
        )
    };
    match role {
        "t-t" => format!(r##"fill="{}""##, colours.tile),
        "t-l" => format!(r##"fill="{}""##, shaded(0.72)),
        "t-r" => format!(r##"fill="{}""##, shaded(0.54)),
        "t-hi" => rim("#fff", ".42", "1.6"),
        "t-lo" => rim("#1a0c00", ".22", "1.6"),
        "d-t" => die(mix(colours.tile, 0.84, "#ffffff")),
        "d-l" => die(shaded(0.93)),
        "d-r" => die(shaded(0.66)),
        "d-e" => rim("#fff", ".5", "1.3"),
        _ => format!(
            r##"fill="{}" stroke="#1a0c00" stroke-opacity=".4" stroke-width=".035""##,
            colours.pip
        ),
    }
}
