//! The column board: chips behind a wooden front, and the same as a table.
//!
//! One drawing serves pages and standalone images: each shape requests the attributes of a role, which are a
//! class or resolved colours. A link covers each column. Wells and the strokes of complete lines are drawn
//! below all columns; chips and marks within their column.

use std::borrow::Cow;
use std::fmt::Write as _;

use maud::{Escaper, Markup, PreEscaped, html};

use super::{ColumnBoardView, ColumnHint, ColumnState, ColumnView};
use crate::board::{ShortDecimal, SvgFrame, folded_table, quoted};
use crate::localization::{Translations, letters};
use crate::page::odds_class;
use crate::players::PlayerNames;
use crate::svg_symbols::{GRADIENTS, glyph, glyph_icon};

/// Distance between the centres of adjacent cells.
const PITCH: f64 = 80.0;

/// Radius of a chip and of its well.
const RADIUS: f64 = 31.0;

/// The maximum number of rows or columns that is scaled down to fit the page; with more, the cells would be
/// too small to click.
const FITTED: u8 = 14;

/// Returns the SVG attributes of a role, for a shape in the colours of a player.
type PlayerRoleAttributes<'a> = &'a dyn Fn(&str, u8) -> String;

/// An interactive board: columns with an address are links.
pub(super) fn board(text: &Translations, view: &ColumnBoardView, mover: Option<u8>) -> Markup {
    let size = [
        ("width", view.width.into()),
        ("height", view.height.into()),
        ("win", view.win.into()),
    ];
    let mut out = String::with_capacity(12_000);
    frame(view).open_group(&mut out, text, &text.get_with("columns-about", &size));
    draw(
        &mut out,
        view,
        &class,
        &ColumnBoardMode::Interactive { text, mover },
    );
    out.push_str("</svg>");
    PreEscaped(out)
}

/// A read-only board: one image with an accessible name.
pub(super) fn picture(view: &ColumnBoardView, label: &str) -> Markup {
    let mut out = String::with_capacity(8_000);
    frame(view).open_picture(&mut out, label);
    draw(&mut out, view, &class, &ColumnBoardMode::ReadOnly);
    out.push_str("</svg>");
    PreEscaped(out)
}

/// A small board for cards: each chip is the round cap of a zero-length stroke.
pub(super) fn small(view: &ColumnBoardView) -> Markup {
    compared(view, None, None)
}

/// The same, with rings around the cells of the played and of the better move.
pub(super) fn compared(view: &ColumnBoardView, played: Option<u8>, better: Option<u8>) -> Markup {
    let [w, h] = [view.width, view.height].map(|cells| 80 * u32::from(cells));
    let mut players: Vec<u8> = view.cells.iter().filter_map(|cell| cell.chip).collect();
    players.sort_unstable();
    players.dedup();
    let dots = |player: Option<u8>| {
        let mut path = String::new();
        for (cell, content) in view.cells.iter().enumerate() {
            if content.chip == player {
                let (x, y) = centre(view, cell);
                let _ = write!(path, "M{} {}h0", ShortDecimal(x), ShortDecimal(y));
            }
        }
        path
    };
    html! {
        svg.mini.cols viewBox={ "-12 -12 " (w + 24) " " (h + 24) } aria-hidden="true" {
            rect.front x="-12" y="-12" width=(w + 24) height=(h + 24) rx="24" {}
            path.wells d=(dots(None)) {}
            @for player in players { path class={ "p" (player % 6) } d=(dots(Some(player))) {} }
            @for (class, cell) in [("was", played), ("bet", better)] {
                @if let Some(cell) = cell {
                    @let (x, y) = centre(view, usize::from(cell));
                    circle class=(class) cx=(ShortDecimal(x)) cy=(ShortDecimal(y)) r="27" {}
                }
            }
        }
    }
}

/// The board as a table, collapsed: rows are numbered from the bottom.
pub(super) fn table(
    text: &Translations,
    view: &ColumnBoardView,
    names: &PlayerNames<'_>,
) -> Markup {
    let width = usize::from(view.width.max(1));
    let rows = view.cells.chunks(width);
    let high = rows.len();
    folded_table(
        text,
        view.width,
        html! {
            thead { tr {
                th scope="col" { (text.get("table-row")) }
                @for column in 0..view.width { th scope="col" { (letters(column)) } }
            } }
            tbody {
                @for (y, row) in rows.enumerate() {
                    tr {
                        th scope="row" { (high - y) }
                        @for cell in row {
                            td {
                                @match cell.chip {
                                    Some(player) => { (glyph_icon(player)) span.vh { (names.name(player)) } }
                                    None => { span.vh { (text.get("table-empty")) } }
                                }
                            }
                        }
                    }
                }
                @if view.columns.iter().any(|column| column.href.is_some()) {
                    tr {
                        th scope="row" { (text.get("table-drop")) }
                        @for (number, column) in (0u8..).zip(&view.columns) {
                            td {
                                @if let Some(href) = &column.href {
                                    a href=(text.path(href)) aria-label=(label(text, view, number, column)) { (letters(number)) }
                                }
                            }
                        }
                    }
                }
            }
        },
    )
}

/// Draws a board with resolved colours into an `<svg>` that is already open.
pub(super) fn draw_alone(
    out: &mut String,
    view: &ColumnBoardView,
    paint: PlayerRoleAttributes<'_>,
) {
    let _ = write!(out, "<defs>{GRADIENTS}</defs>");
    draw(out, view, paint, &ColumnBoardMode::ReadOnly);
}

/// The `viewBox`, which includes the space for hints.
pub(super) fn view_box(view: &ColumnBoardView) -> [f64; 4] {
    let [w, h] = [view.width, view.height].map(|cells| f64::from(cells.max(1)) * PITCH);
    let above = if is_hinted(view) { ABOVE } else { 0.0 };
    [-36.0, -26.0 - above, w + 72.0, h + 100.0 + above]
}

/// Height above the board for the text of hints.
const ABOVE: f64 = 62.0;

fn is_hinted(view: &ColumnBoardView) -> bool {
    view.columns.iter().any(|column| column.hint.is_some())
}

/// Whether the page may need horizontal scrolling to show the whole board.
pub(super) fn is_wide(view: &ColumnBoardView) -> bool {
    view.width > FITTED
}

fn frame(view: &ColumnBoardView) -> SvgFrame {
    let tall = view.height > FITTED;
    let mut class = "board".to_owned();
    for (name, applies) in [
        (" wide", is_wide(view)),
        (" tall", tall),
        (" choosing", chosen(view).is_some()),
    ] {
        class.push_str(if applies { name } else { "" });
    }
    SvgFrame {
        class,
        view_box: view_box(view),
        scale: (is_wide(view) || tall).then_some(0.4),
    }
}

enum ColumnBoardMode<'a> {
    Interactive {
        text: &'a Translations,
        mover: Option<u8>,
    },
    ReadOnly,
}

fn chosen(view: &ColumnBoardView) -> Option<usize> {
    view.columns
        .iter()
        .position(|column| column.state == ColumnState::Selected)
}

fn centre(view: &ColumnBoardView, cell: usize) -> (f64, f64) {
    let width = usize::from(view.width.max(1));
    let at = |n: usize| (n as f64 + 0.5) * PITCH;
    (at(cell % width), at(cell / width))
}

/// The class attribute of a role on a page.
fn class(role: &str, player: u8) -> String {
    match role {
        "disc" => format!(r#"class="p{}""#, player % 6),
        _ => format!(r#"class="{role}""#),
    }
}

fn draw(
    out: &mut String,
    view: &ColumnBoardView,
    paint: PlayerRoleAttributes<'_>,
    mode: &ColumnBoardMode<'_>,
) {
    let mover = match mode {
        ColumnBoardMode::Interactive { mover, .. } => *mover,
        ColumnBoardMode::ReadOnly => None,
    };
    draw_shapes(out, view, paint, mover);
    draw_front(out, view, paint);
    draw_lines(out, view, paint);
    for column in 0..view.width {
        draw_column(out, view, paint, mode, column);
    }
}

/// Shapes that are used repeatedly: the wells of a column, and a chip of each player.
fn draw_shapes(
    out: &mut String,
    view: &ColumnBoardView,
    paint: PlayerRoleAttributes<'_>,
    mover: Option<u8>,
) {
    out.push_str(r#"<defs><g id="wells">"#);
    for y in 0..view.height {
        let y = ShortDecimal((f64::from(y) + 0.5) * PITCH);
        let _ = write!(
            out,
            r#"<circle {} cy="{y}" r="{RADIUS}"/>"#,
            paint("well", 0)
        );
    }
    out.push_str("</g>");
    let mut players: Vec<u8> = view.cells.iter().filter_map(|cell| cell.chip).collect();
    players.extend(mover);
    players.sort_unstable();
    players.dedup();
    for player in players {
        let attributes = |role| paint(role, player);
        let _ = write!(
            out,
            r#"<g id="disc{player}" {}><circle {} cy="1.5" r="{RADIUS}"/><circle {} r="29.5"/><circle r="29.5" fill="url(#g-tile)"/><circle {} r="22"/><g {} transform="scale(1.25)">{}</g></g>"#,
            attributes("disc"),
            attributes("k-s"),
            attributes("k-t"),
            attributes("k-r"),
            attributes("k-g"),
            glyph(player)
        );
    }
    out.push_str("</defs>");
}

/// The wooden front, its wells, and the foot with the column letters.
fn draw_front(out: &mut String, view: &ColumnBoardView, paint: PlayerRoleAttributes<'_>) {
    let [w, h] = [view.width, view.height].map(|cells| f64::from(cells) * PITCH);
    let role = |role| paint(role, 0);
    let rect = |out: &mut String, attributes: &str, [x, y, w, h]: [f64; 4], rx: u8| {
        let [x, y, w, h] = [x, y, w, h].map(ShortDecimal);
        let _ = write!(
            out,
            r#"<rect {attributes} x="{x}" y="{y}" width="{w}" height="{h}" rx="{rx}"/>"#
        );
    };
    rect(out, &role("ground"), [0.0, 20.0, w + 44.0, h + 52.0], 20);
    rect(out, &role("front-s"), [-16.0, -6.0, w + 32.0, h + 24.0], 16);
    rect(out, &role("front"), [-16.0, -16.0, w + 32.0, h + 30.0], 16);
    rect(
        out,
        r#"fill="url(#g-tile)""#,
        [-16.0, -16.0, w + 32.0, h + 30.0],
        16,
    );
    rect(
        out,
        &role("front-e"),
        [-15.0, -15.0, w + 30.0, h + 28.0],
        15,
    );
    for column in 0..view.width {
        let x = f64::from(column) * PITCH;
        rect(out, &role("panel"), [x + 3.0, -7.0, 74.0, h + 14.0], 14);
        let _ = write!(
            out,
            r##"<use href="#wells" x="{}"/>"##,
            ShortDecimal(x + PITCH / 2.0)
        );
    }
    rect(out, &role("foot-s"), [-26.0, h + 18.0, w + 52.0, 46.0], 8);
    rect(out, &role("foot-t"), [-26.0, h + 14.0, w + 52.0, 42.0], 8);
    let _ = write!(out, r#"<g {}>"#, role("names"));
    for column in 0..view.width {
        let _ = write!(
            out,
            r#"<text x="{}" y="{}">{}</text>"#,
            ShortDecimal((f64::from(column) + 0.5) * PITCH),
            ShortDecimal(h + 43.0),
            letters(column)
        );
    }
    out.push_str("</g>");
}

/// A stroke along each complete line.
fn draw_lines(out: &mut String, view: &ColumnBoardView, paint: PlayerRoleAttributes<'_>) {
    let (width, height) = (i32::from(view.width), i32::from(view.height));
    let line_player_at = |x: i32, y: i32| {
        let inside = (0..width).contains(&x) && (0..height).contains(&y);
        let cell = usize::try_from(x + width * y).ok().filter(|_| inside)?;
        view.cells.get(cell).filter(|cell| cell.line)?.chip
    };
    for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
        for y in 0..height {
            for x in 0..width {
                let player = line_player_at(x, y);
                if player.is_none() || line_player_at(x - dx, y - dy) == player {
                    continue;
                }
                let length = (1..)
                    .take_while(|n| line_player_at(x + n * dx, y + n * dy) == player)
                    .count() as i32;
                if length + 1 < i32::from(view.win) || length == 0 {
                    continue;
                }
                let at = |n: i32| ShortDecimal((f64::from(n) + 0.5) * PITCH);
                let d = format!(
                    "M{} {}L{} {}",
                    at(x),
                    at(y),
                    at(x + length * dx),
                    at(y + length * dy)
                );
                for role in ["line-case", "line"] {
                    let _ = write!(out, r#"<path {} d="{d}"/>"#, paint(role, 0));
                }
            }
        }
    }
}

fn draw_column(
    out: &mut String,
    view: &ColumnBoardView,
    paint: PlayerRoleAttributes<'_>,
    mode: &ColumnBoardMode<'_>,
    number: u8,
) {
    let idle = ColumnView::default();
    let column = view.columns.get(usize::from(number)).unwrap_or(&idle);
    let x = ShortDecimal(f64::from(number) * PITCH + PITCH / 2.0);
    let linked = column.href.is_some() && matches!(mode, ColumnBoardMode::Interactive { .. });
    let tag = if linked { "a" } else { "g" };
    let _ = write!(out, r#"<{tag} transform="translate({x} 0)""#);
    if let ColumnBoardMode::Interactive { text, .. } = mode {
        let state = match column.state {
            ColumnState::Idle => "",
            ColumnState::Selectable => " can",
            ColumnState::Selected => " src",
        };
        let name = letters(number);
        let _ = write!(out, r#" class="col{state}" id="col-{name}""#);
        match &column.href {
            Some(href) => {
                let _ = write!(out, r#" data-x="{x}" data-y="0" href="#);
                quoted(out, text.path(href));
                if column.state == ColumnState::Selectable {
                    let _ = write!(out, r#" data-column="{name}" data-key="{name}""#);
                }
            }
            None => out.push_str(r#" role="img""#),
        }
        out.push_str(" aria-label=");
        quoted(out, label(text, view, number, column));
        // An empty title keeps the board's own title from appearing as a tooltip over every column.
        out.push_str("><title/>");
    } else {
        out.push('>');
    }
    if linked {
        let high = ShortDecimal(f64::from(view.height) * PITCH + 74.0);
        let _ = write!(
            out,
            r#"<rect class="hit" x="-40" y="-16" width="80" height="{high}"/>"#
        );
    }
    let rows =
        (0..view.height).map(|y| usize::from(number) + usize::from(view.width) * usize::from(y));
    for cell in rows {
        draw_cell(out, view, paint, mode, cell);
    }
    if linked && let Some(landing) = column.landing {
        draw_landing(out, view, mode, column, landing.into());
    }
    if column.tried
        && let Some(landing) = column.landing
    {
        let y = ShortDecimal(centre(view, landing.into()).1);
        let _ = write!(
            out,
            r#"<path class="cross" transform="translate(0 {y})" d="M-16-16l32 32m0-32l-32 32"/>"#
        );
    }
    if let (Some(hint), ColumnBoardMode::Interactive { text, .. }) = (&column.hint, mode) {
        draw_hint(out, text, hint);
    }
    let _ = write!(out, "</{tag}>");
}

fn draw_cell(
    out: &mut String,
    view: &ColumnBoardView,
    paint: PlayerRoleAttributes<'_>,
    mode: &ColumnBoardMode<'_>,
    cell: usize,
) {
    let Some(content) = view.cells.get(cell) else {
        return;
    };
    let Some(player) = content.chip else {
        return;
    };
    let y = ShortDecimal(centre(view, cell).1);
    let _ = write!(out, r##"<use href="#disc{player}" y="{y}""##);
    if let ColumnBoardMode::Interactive { .. } = mode {
        let _ = write!(out, r##" id="k{cell}""##);
    }
    out.push_str("/>");
    let mut ring = |role: &str, r: f64| {
        let _ = write!(
            out,
            r#"<circle {} cy="{y}" r="{}"/>"#,
            paint(role, player),
            ShortDecimal(r)
        );
    };
    if content.line {
        ring("lit-case", 30.0);
        ring("lit", 30.0);
    }
    if content.last {
        ring("ring-last", 25.5);
    }
}

/// Where a chip would land: a ring, and on hover or focus the chip itself.
fn draw_landing(
    out: &mut String,
    view: &ColumnBoardView,
    mode: &ColumnBoardMode<'_>,
    column: &ColumnView,
    landing: usize,
) {
    let y = ShortDecimal(centre(view, landing).1);
    if let ColumnBoardMode::Interactive {
        mover: Some(mover), ..
    } = mode
    {
        let _ = write!(out, r##"<use class="ghost" href="#disc{mover}" y="{y}"/>"##);
    }
    let ring = match column.state {
        ColumnState::Selected => "ring",
        _ => "rim",
    };
    let _ = write!(out, r#"<circle class="{ring}" cy="{y}" r="27"/>"#);
}

/// The evaluation of a column, above it; a word and a number go on separate lines.
fn draw_hint(out: &mut String, text: &Translations, hint: &ColumnHint) {
    let hint_text = hint.label.render(text, &PlayerNames::none(text));
    let band = if hint.best {
        "hi first"
    } else {
        low_or_mid_band(hint.share)
    };
    let _ = write!(
        out,
        r#"<g class="verdict {band}" aria-hidden="true"><path d="M-34-74h68a6 6 0 0 1 6 6v34a6 6 0 0 1-6 6h-26l-8 9-8-9h-26a6 6 0 0 1-6-6v-34a6 6 0 0 1 6-6Z"/>"#
    );
    let escaped = |out: &mut String, y: f64, line: &str| {
        let _ = write!(out, r#"<text y="{}">"#, ShortDecimal(y));
        let _ = Escaper::new(out).write_str(line);
        out.push_str("</text>");
    };
    match hint_text
        .split_once(' ')
        .filter(|_| hint_text.chars().count() > 5)
    {
        Some((word, rest)) => {
            escaped(out, -55.0, word);
            out.push(' ');
            escaped(out, -36.0, rest);
        }
        None => escaped(out, -45.0, &hint_text),
    }
    out.push_str("</g>");
}

fn low_or_mid_band(share: f32) -> &'static str {
    match odds_class(f64::from(share)) {
        "lo" => "lo",
        _ => "mid",
    }
}

fn label(text: &Translations, view: &ColumnBoardView, number: u8, column: &ColumnView) -> String {
    let width = usize::from(view.width.max(1));
    let names = PlayerNames::none(text);
    let column_cells = view.cells.iter().skip(number.into()).step_by(width);
    let mut owners: Vec<_> = column_cells
        .filter_map(|cell| Some(Cow::from(names.name(cell.chip?).to_owned())))
        .collect();
    // The cells are in the order of rows from the top.
    owners.reverse();
    let chips = owners.len() as u32;
    let key = match column.state {
        ColumnState::Selectable => "column-choose",
        ColumnState::Selected => "column-chosen",
        ColumnState::Idle if chips >= u32::from(view.height) => "column-full",
        ColumnState::Idle => "column",
    };
    let letters = letters(number);
    let name = text.get_with(
        key,
        &[("column", letters.as_str().into()), ("chips", chips.into())],
    );
    let stack = (chips > 0).then(|| {
        let owners = text.join_with_commas(owners);
        text.get_with("column-owners", &[("owners", owners.as_str().into())])
            .into_owned()
            .into()
    });
    // The hint is drawn on the link, so that it belongs to the link's accessible name.
    let hint = column
        .hint
        .as_ref()
        .map(|hint| hint.label.render(text, &names).into());
    text.join_with_commas([Some(name), stack, hint].into_iter().flatten())
}
