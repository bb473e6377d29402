//! The board of hexes on a page: piles of dice on slanted hexes, and the same as a table.
//!
//! Drawn from the back row to the front one, so that the nearer covers the farther; then the tags.
//! Written into one string: a board is some 300 elements, and this is most of a page's time.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};

use super::board::{Frame, folded, quoted};
use super::geometry::{
    DIE_HEIGHT, FRONT_Y, Points, S, Short, across, arrow, centre, corners, die_outline,
    flat_corners, ground, sway, variant, view_box,
};
use super::page::percent;
use super::players::Cast;
use super::text::{Text, Value};
use super::view::{BoardView, HexState, HexView};

/// A board to play on: hexes with an address are links.
pub(super) fn board(text: &Text, view: &BoardView, cast: &Cast<'_>) -> Markup {
    let about = text.say_with("board-about", &[("side", view.side.into())]);
    let class = if chosen(view).is_some() {
        "board choosing"
    } else {
        "board"
    };
    let mut out = String::with_capacity(20_000);
    frame(view, class).open_group(&mut out, text, &about);
    draw(&mut out, view, &Mode::Play(text, cast));
    out.push_str("</svg>");
    PreEscaped(out)
}

/// A board to look at: one picture with a name.
pub(super) fn picture(view: &BoardView, label: &str) -> Markup {
    let mut out = String::with_capacity(16_000);
    frame(view, "board still").open_picture(&mut out, label);
    draw(&mut out, view, &Mode::Look);
    out.push_str("</svg>");
    PreEscaped(out)
}

fn frame(view: &BoardView, class: &'static str) -> Frame {
    Frame {
        class,
        view_box: view_box(view.side, view.max_dice),
        scale: None,
    }
}

/// A small flat board without dice, for cards; the card says in words what it is.
pub(super) fn small(view: &BoardView) -> Markup {
    let n = f64::from(view.side.max(1));
    let pitch = 101.98;
    let mut out = String::new();
    let [w, h] = [64.0 * (3.0 * n - 1.0) + 32.0, pitch * (n - 1.0) + 184.0].map(Short);
    let _ = write!(
        out,
        r##"<svg class="mini" viewBox="-16 -80 {w} {h}" aria-hidden="true">"##
    );
    for (hex, content) in view.hexes.iter().enumerate() {
        let (x, y) = centre(view.side, hex);
        let moved = flat_corners(0.965).map(|(u, v)| (u + x, v + y / 64.0 * pitch));
        let _ = write!(
            out,
            r##"<polygon class="p{}" points="{}"/>"##,
            content.owner % 6,
            Points(&moved)
        );
    }
    out.push_str("</svg>");
    PreEscaped(out)
}

/// The board as a table, folded away.
pub(super) fn table(text: &Text, view: &BoardView, cast: &Cast<'_>) -> Markup {
    folded(
        text,
        4,
        html! {
            thead { tr {
                @for key in ["table-hex", "table-owner", "table-dice", "table-do"] { th scope="col" { (text.say(key)) } }
            } }
            tbody {
                @for (hex, content) in view.hexes.iter().enumerate() {
                    tr {
                        th scope="row" { (hex) }
                        td { (cast.name(content.owner)) }
                        td { (content.dice) }
                        td { @if let Some(href) = &content.href { a href=(href) { (action(text, hex, content)) } } }
                    }
                }
            }
        },
    )
}

fn action(text: &Text, hex: usize, content: &HexView) -> String {
    let key = match content.state {
        HexState::Target { .. } => "table-attack",
        HexState::Chosen => "table-back",
        HexState::Choosable | HexState::Resting => "table-choose",
    };
    text.say_with(key, &[("hex", number(hex))]).into_owned()
}

/// The chosen source, if there is one.
pub(super) fn chosen(view: &BoardView) -> Option<usize> {
    view.hexes
        .iter()
        .position(|hex| hex.state == HexState::Chosen)
}

enum Mode<'a> {
    Play(&'a Text, &'a Cast<'a>),
    Look,
}

fn draw(out: &mut String, view: &BoardView, mode: &Mode<'_>) {
    let side = view.side.max(1);
    let places: Vec<_> = (0..view.hexes.len()).map(|hex| centre(side, hex)).collect();
    let _ = write!(
        out,
        r##"<polygon class="ground" points="{}"/><g class="slab">"##,
        Points(&ground(side))
    );
    for symbol in ["slabside", "slab"] {
        for (x, y) in &places {
            let _ = write!(
                out,
                r##"<use href="#{symbol}" x="{}" y="{}"/>"##,
                Short(*x),
                Short(*y)
            );
        }
    }
    out.push_str("</g>");
    let source = chosen(view);
    let mut tags = String::new();
    // The arrow lies on the tiles of its nearer row, under the piles of the rows before it.
    let arrow_after = view.last_attack.map(|(from, to)| {
        let row = usize::from(from.max(to)) / usize::from(side);
        row * usize::from(side) + usize::from(side) - 1
    });
    for (hex, content) in view.hexes.iter().enumerate() {
        draw_hex(out, view, mode, hex, source);
        if arrow_after == Some(hex) {
            draw_arrow(out, view);
        }
        let (x, y) = places[hex];
        if let HexState::Target { odds: Some(odds) } = content.state {
            let odds_percent = percent(odds);
            let band = if odds_percent >= 60 {
                "hi"
            } else if odds_percent >= 35 {
                "mid"
            } else {
                "lo"
            };
            let _ = write!(
                tags,
                r##"<g class="chip {band}" transform="translate({} {})"><g><rect x="-32" y="-13" width="64" height="26" rx="8"/><text y="6.4">{odds_percent} %</text></g></g>"##,
                Short(x),
                Short(y + FRONT_Y - 8.0)
            );
        }
        if content.reinforced > 0 {
            let _ = write!(
                tags,
                r##"<g class="plus" transform="translate({} {})"><g><rect x="-17" y="-12" width="34" height="23" rx="8"/><text y="6">+{}</text></g></g>"##,
                Short(x),
                Short(y - f64::from(content.dice) * DIE_HEIGHT - 20.0),
                content.reinforced
            );
        }
    }
    if !tags.is_empty() {
        let _ = write!(out, r##"<g class="tags" aria-hidden="true">{tags}</g>"##);
    }
}

fn draw_hex(
    out: &mut String,
    view: &BoardView,
    mode: &Mode<'_>,
    hex: usize,
    source: Option<usize>,
) {
    let (side, content) = (view.side.max(1), &view.hexes[hex]);
    let (x, y) = centre(side, hex);
    let (owner, is_chosen) = (content.owner % 6, content.state == HexState::Chosen);
    let state = match content.state {
        HexState::Resting => "",
        HexState::Choosable => " can",
        HexState::Chosen => " src",
        HexState::Target { .. } => " tgt",
    };
    let tag = match (mode, &content.href) {
        (Mode::Play(..), Some(_)) => "a",
        _ => "g",
    };
    let _ = write!(
        out,
        r##"<{tag} class="hex p{owner}{state}" transform="translate({} {})""##,
        Short(x),
        Short(y)
    );
    if let Mode::Play(text, cast) = mode {
        let _ = write!(out, r##" id="h{hex}""##);
        match &content.href {
            Some(href) => {
                let _ = write!(
                    out,
                    r##" data-x="{}" data-y="{}" href="##,
                    Short(x),
                    Short(y)
                );
                quoted(out, href);
                if let (HexState::Target { .. }, Some(from)) = (content.state, source) {
                    let _ = write!(out, r##" data-from="{from}" data-to="{hex}""##);
                }
            }
            None => out.push_str(r##" role="img""##),
        }
        out.push_str(" aria-label=");
        quoted(out, &label(text, cast, hex, content));
        out.push('>');
        // An empty title keeps the board's own from popping up over every hex.
        out.push_str("<title/>");
    } else {
        out.push('>');
    }
    if is_chosen {
        out.push_str(r##"<use href="#hole"/><g transform="translate(0 -18)">"##);
    }
    out.push_str(r##"<use href="#tile"/>"##);
    if view
        .last_attack
        .is_some_and(|(from, to)| usize::from(from) == hex || usize::from(to) == hex)
    {
        out.push_str(r##"<use href="#rl"/>"##);
    }
    if content.in_cluster {
        draw_border(out, view, hex);
    }
    match content.state {
        HexState::Choosable => out.push_str(r##"<use href="#rc"/>"##),
        HexState::Chosen | HexState::Target { .. } => out.push_str(r##"<use href="#rt"/>"##),
        HexState::Resting => {}
    }
    let dice = content.dice.min(99);
    let wide = f64::from(dice) * 2.0;
    let _ = write!(
        out,
        r##"<ellipse cx="{}" cy="2" rx="{}" ry="16" fill="url(#g-sh)"/><g class="inlay"><use href="#in{owner}"/><text transform="matrix(1 0 0 .86 32 14)">{dice}</text>"##,
        Short(10.0 + wide),
        Short(33.0 + wide)
    );
    if let Mode::Play(..) = mode {
        let _ = write!(out, r##"<text class="num" x="-33" y="25">{hex}</text>"##);
    }
    out.push_str("</g>");
    if is_chosen {
        for class in ["aura-case", "aura"] {
            for z in 0..dice {
                let _ = write!(
                    out,
                    r##"<polygon class="{class}" points="{}"/>"##,
                    Points(&die_outline(sway(side, hex, z), z))
                );
            }
        }
    }
    for z in 0..dice {
        let _ = write!(
            out,
            r##"<use href="#die{}" x="{}" y="{}"/>"##,
            variant(side, hex, z),
            Short(sway(side, hex, z)),
            Short(-f64::from(z) * DIE_HEIGHT)
        );
    }
    if is_chosen {
        out.push_str("</g>");
    }
    let _ = write!(out, "</{tag}>");
}

/// The edges of a cluster's hex that lead out of the cluster.
fn draw_border(out: &mut String, view: &BoardView, hex: usize) {
    let c = corners(0.93, 0.0);
    out.push_str(r##"<path class="cluster" d=""##);
    for (edge, neighbour) in across(view.side, hex).into_iter().enumerate() {
        if !neighbour
            .and_then(|hex| view.hexes.get(hex))
            .is_some_and(|hex| hex.in_cluster)
        {
            let (a, b) = (c[edge], c[(edge + 1) % 6]);
            let _ = write!(
                out,
                "M{} {}L{} {}",
                Short(a.0),
                Short(a.1),
                Short(b.0),
                Short(b.1)
            );
        }
    }
    out.push_str(r##""/>"##);
}

fn draw_arrow(out: &mut String, view: &BoardView) {
    let Some((from, to)) = view.last_attack else {
        return;
    };
    let ((x, y), angle) = arrow(view.side, from.into(), to.into());
    let _ = write!(
        out,
        r##"<path class="arrow" transform="translate({} {}) scale(1 {S:.3}) rotate({})" d="M-15-7H1V-15L19 0 1 15V7H-15Z"/>"##,
        Short(x),
        Short(y),
        Short(angle)
    );
}

fn label(text: &Text, cast: &Cast<'_>, hex: usize, content: &HexView) -> String {
    let yours = text.say("hex-yours");
    let owner: &str = if cast.is_mine(content.owner) && cast.name(content.owner) == text.say("you")
    {
        &yours
    } else {
        cast.name(content.owner)
    };
    let base = [
        ("hex", number(hex)),
        ("owner", owner.into()),
        ("dice", content.dice.into()),
    ];
    let key = match content.state {
        HexState::Resting => "hex",
        HexState::Choosable => "hex-choose",
        HexState::Chosen => "hex-chosen",
        HexState::Target { odds: None } => "hex-target-sure",
        HexState::Target { odds: Some(odds) } => {
            let [hex, owner, dice] = base;
            return text
                .say_with(
                    "hex-target",
                    &[hex, owner, dice, ("odds", percent(odds).into())],
                )
                .into_owned();
        }
    };
    text.say_with(key, &base).into_owned()
}

/// A hex's number as sentences want it.
fn number(hex: usize) -> Value<'static> {
    Value::Number(u32::try_from(hex).unwrap_or(u32::MAX))
}
