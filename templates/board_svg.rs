//! The board as a picture that stands alone: `/g/{id}/board.svg`.
//!
//! It has no style sheet and no custom properties: every colour is resolved, so that it looks the same
//! in a chat preview, on paper and in an editor.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped};

use super::columns;
use super::geometry::{
    DIE_HEIGHT, Points, S, Short, arrow, centre, corners, sway, variant, view_box,
};
use super::palette::{Colours, colours, mix};
use super::symbols::{GRADIENTS, die, glyph, slab, slab_side, tile};
use super::view::{Board, BoardView, ColumnsView};

/// The board alone, with resolved colours, without style sheets, classes and scripts.
#[must_use]
pub fn board_svg(board: &Board) -> Markup {
    let mut out = String::with_capacity(30_000);
    match board {
        Board::Dice(board) => hexes(&mut out, board),
        Board::Columns(board) => chips(&mut out, board),
    }
    out.push_str("</svg>");
    PreEscaped(out)
}

fn open(out: &mut String, view_box: [f64; 4], title: &str) {
    let [x, y, w, h] = view_box.map(Short);
    let _ = write!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x} {y} {w} {h}" font-family="system-ui,Segoe UI,Roboto,Noto Sans,Liberation Sans,sans-serif"><title>{title}</title>"##
    );
}

fn chips(out: &mut String, board: &ColumnsView) {
    open(out, columns::view_box(board), "Trilobite");
    columns::alone(out, board, &|role, player| wooden(role, &colours(player)));
}

fn hexes(out: &mut String, board: &BoardView) {
    let side = board.side.max(1);
    open(out, view_box(side, board.max_dice), "Dice of Doom");
    let _ = write!(
        out,
        r##"<defs>{GRADIENTS}<radialGradient id="g-sh"><stop stop-color="#3a2410" stop-opacity=".42"/><stop stop-color="#3a2410" stop-opacity=".23" offset=".45"/><stop stop-color="#000" stop-opacity="0" offset="1"/></radialGradient><g id="slab">{}</g><g id="side">{}</g>"##,
        slab(&|role| tray(role)),
        slab_side(&|role| tray(role)),
    );
    let mut owners: Vec<u8> = board.hexes.iter().map(|hex| hex.owner % 6).collect();
    owners.sort_unstable();
    owners.dedup();
    for owner in owners {
        let paint = |role: &str| resolved(role, &colours(owner));
        let _ = write!(out, r##"<g id="t{owner}">{}</g>"##, tile(&paint));
        for i in 0..4 {
            let _ = write!(out, r##"<g id="d{owner}{i}">{}</g>"##, die(i, &paint));
        }
    }
    out.push_str("</defs>");
    for symbol in ["side", "slab"] {
        for hex in 0..board.hexes.len() {
            let (x, y) = centre(side, hex);
            let _ = write!(
                out,
                r##"<use href="#{symbol}" x="{}" y="{}"/>"##,
                Short(x),
                Short(y)
            );
        }
    }
    for hex in 0..board.hexes.len() {
        draw_hex(out, board, hex);
    }
    if let Some((from, to)) = board.last_attack {
        let ((x, y), angle) = arrow(side, from.into(), to.into());
        let _ = write!(
            out,
            r##"<path fill="#fffaf1" stroke="#241a12" stroke-width="2.5" stroke-linejoin="round" transform="translate({} {}) scale(1 {S:.3}) rotate({})" d="M-15-7H1V-15L19 0 1 15V7H-15Z"/>"##,
            Short(x),
            Short(y),
            Short(angle)
        );
    }
}

fn draw_hex(out: &mut String, board: &BoardView, hex: usize) {
    let (side, content) = (board.side.max(1), &board.hexes[hex]);
    let (x, y) = centre(side, hex);
    let owner = content.owner % 6;
    let ink = colours(owner).ink;
    let dice = content.dice.min(99);
    let wide = f64::from(dice) * 2.0;
    let _ = write!(
        out,
        r##"<g transform="translate({} {})"><use href="#t{owner}"/>"##,
        Short(x),
        Short(y)
    );
    if board
        .last_attack
        .is_some_and(|(from, to)| usize::from(from) == hex || usize::from(to) == hex)
    {
        let _ = write!(
            out,
            r##"<polygon fill="none" stroke="#fff" stroke-width="2.5" stroke-dasharray="1 7" stroke-linecap="round" points="{}"/>"##,
            Points(&corners(0.84, 0.0))
        );
    }
    let _ = write!(
        out,
        r##"<ellipse cx="{}" cy="2" rx="{}" ry="16" fill="url(#g-sh)"/><g fill="{ink}"><g transform="matrix(.6 0 0 .46 -32 6)">{}</g><text font-size="22" font-weight="800" text-anchor="middle" transform="matrix(1 0 0 .86 32 14)">{dice}</text></g>"##,
        Short(10.0 + wide),
        Short(33.0 + wide),
        glyph(owner)
    );
    for z in 0..dice {
        let _ = write!(
            out,
            r##"<use href="#d{owner}{}" x="{}" y="{}"/>"##,
            variant(side, hex, z),
            Short(sway(side, hex, z)),
            Short(-f64::from(z) * DIE_HEIGHT)
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

fn resolved(role: &str, colours: &Colours) -> String {
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

/// The resolved colours of the roles of a board of columns.
fn wooden(role: &str, colours: &Colours) -> String {
    let fill = |colour: &str| format!(r##"fill="{colour}""##);
    let line = |colour: &str, width: &str| {
        format!(r##"fill="none" stroke="{colour}" stroke-width="{width}" stroke-linecap="round""##)
    };
    match role {
        "front" => fill("#7a573d"),
        "front-s" | "foot-s" => fill("#46301f"),
        "foot-t" => fill("#5d3f2a"),
        "front-e" => line("#9c7a5c", "1.6"),
        "panel" => r##"fill="#fff" fill-opacity=".05""##.to_owned(),
        "well" => fill("#2e1e13"),
        "names" => {
            r##"fill="#f6e6cc" font-size="25" font-weight="700" text-anchor="middle""##.to_owned()
        }
        "k-s" => fill(&mix(colours.tile, 0.54, colours.shadow)),
        "k-t" => fill(colours.tile),
        "k-r" => format!(
            r##"fill="none" stroke="{}" stroke-opacity=".38" stroke-width="1.6""##,
            colours.ink
        ),
        "k-g" => fill(colours.ink),
        "lit-case" => line("#241a12", "8"),
        "lit" => line("#fff", "4.5"),
        "line-case" => line("#241a12", "20"),
        "line" => line("#fff", "14"),
        "ring-last" => line(colours.ink, "2.5") + r##" stroke-dasharray="1 6.85""##,
        // Only pages show the shadow on the table.
        "ground" => r##"fill="none""##.to_owned(),
        _ => String::new(),
    }
}
