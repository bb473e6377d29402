//! The column board as a standalone SVG image.

use maud::Markup;

use super::ColumnBoardView;
use super::board::{draw_alone, view_box};
use crate::board::standalone_frame;
use crate::palette::{PlayerColours, colours, mix};

pub(super) fn standalone_svg(board: &ColumnBoardView) -> Markup {
    standalone_frame(view_box(board), "Trilobite", |out| {
        draw_alone(out, board, &|role, player| {
            wooden_palette(role, &colours(player))
        });
    })
}

/// The resolved colours of the roles of a column board.
fn wooden_palette(role: &str, colours: &PlayerColours) -> String {
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
        // The shadow on the table is shown on pages only.
        "ground" => r##"fill="none""##.to_owned(),
        _ => String::new(),
    }
}
