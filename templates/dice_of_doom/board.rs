//! The hex board on a page, and the same as a table.
//!
//! This module has what both drawings share: links, accessible names, marks, and the drawing order.
//! [`super::piles`] and [`super::flat`] determine shapes and positions. The SVG is written into one string,
//! because the board with its 300 or so elements takes most of a page's rendering time.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};

use super::flat::FlatStyle;
use super::geometry::{Point, SvgPoints, centre, edge_neighbours, flat_centre, flat_corners};
use super::piles::PileStyle;
use super::{HexBoardView, HexState, HexView};
use crate::board::{ShortDecimal, SvgFrame, folded_table, quoted};
use crate::localization::{MessageValue, SitePath, Translations};
use crate::page::odds_class;
use crate::players::PlayerNames;
use crate::preferences::{BoardDrawing, DisplayOptions};

/// How far the hexes of a winner are raised: less than a tile is thick.
const RISE: u8 = 10;

/// A style of drawing a hex board.
pub(super) trait HexBoardStyle: Sync {
    fn class(&self) -> &'static str;
    /// The `viewBox`; it depends only on the side and the maximum number of dice.
    fn view_box(&self, side: u8, max_dice: u8) -> [f64; 4];
    fn hex_centre(&self, side: u8, hex: usize) -> Point;
    /// Draws everything below all hexes.
    fn draw_base(&self, out: &mut String, side: u8, centres: &[Point]);
    /// Draws the contents of a hex.
    fn draw_hex(&self, out: &mut String, view: &HexBoardView, hex: usize);
    fn draw_arrow(&self, out: &mut String, side: u8, from: u8, to: u8);
    /// Position of the odds, relative to the centre of the target.
    fn odds_offset(&self, view: &HexBoardView, hex: usize) -> Point;
    /// Symbol of the ring around a hex that a hint mentions.
    fn ring_symbol(&self) -> &'static str;
    /// Symbol of what is under a raised hex; `None` if this drawing raises none.
    fn base_symbol(&self) -> Option<&'static str>;
    /// Symbol of a tile's top, if piles can cover it.
    fn tile_top_symbol(&self) -> Option<&'static str>;
    /// Position of a hex's number, relative to its centre.
    fn number_offset(&self) -> Point;
    /// Position of the label of new dice, relative to the centre of a hex with `dice` dice.
    fn reinforcement_offset(&self, dice: u8) -> Point;
    /// Draws the dice that are placed if the turn ends now.
    fn draw_pending_dice(&self, out: &mut String, view: &HexBoardView, hex: usize, at: Point);
}

fn style(drawing: BoardDrawing) -> &'static dyn HexBoardStyle {
    match drawing {
        BoardDrawing::Book => &PileStyle,
        BoardDrawing::Flat => &FlatStyle,
    }
}

/// An interactive board: hexes with an address are links.
pub(super) fn board(
    text: &Translations,
    display: &DisplayOptions,
    view: &HexBoardView,
    names: &PlayerNames<'_>,
) -> Markup {
    let about = text.get_with("board-about", &[("side", view.side.into())]);
    let choosing = if chosen(view).is_some() {
        " choosing"
    } else {
        ""
    };
    let style = style(display.drawing);
    let mut out = String::with_capacity(20_000);
    frame(style, view, choosing).open_group(&mut out, text, &about);
    draw(
        &mut out,
        style,
        view,
        &HexBoardMode::Interactive(text, display, names),
    );
    out.push_str("</svg>");
    PreEscaped(out)
}

/// A read-only board: one image with an accessible name. The hexes of the player who has won stand out.
pub(super) fn picture(
    display: &DisplayOptions,
    view: &HexBoardView,
    label: &str,
    winner: Option<u8>,
) -> Markup {
    let choosing = if chosen(view).is_some() || winner.is_some() {
        " still choosing"
    } else {
        " still"
    };
    let style = style(display.drawing);
    let mut out = String::with_capacity(16_000);
    frame(style, view, choosing).open_picture(&mut out, label);
    draw(
        &mut out,
        style,
        view,
        &HexBoardMode::ReadOnly(display, winner),
    );
    out.push_str("</svg>");
    PreEscaped(out)
}

fn frame(style: &dyn HexBoardStyle, view: &HexBoardView, state: &str) -> SvgFrame {
    SvgFrame {
        class: format!("{}{state}", style.class()),
        view_box: style.view_box(view.side, view.max_dice),
        scale: None,
    }
}

/// A small flat board without dice, for cards.
pub(super) fn small(view: &HexBoardView) -> Markup {
    let side = view.side.max(1);
    let mut out = String::new();
    let [w, h] = [
        64.0 * (3.0 * f64::from(side) - 1.0) + 32.0,
        flat_centre(side, usize::from(side) * (usize::from(side) - 1)).1 + 184.0,
    ]
    .map(ShortDecimal);
    let _ = write!(
        out,
        r##"<svg class="mini" viewBox="-16 -80 {w} {h}" aria-hidden="true">"##
    );
    for (hex, content) in view.hexes.iter().enumerate() {
        let (x, y) = flat_centre(side, hex);
        let moved = flat_corners(0.965, 0.0).map(|(u, v)| (u + x, v + y));
        let _ = write!(
            out,
            r##"<polygon class="p{}" points="{}"/>"##,
            content.owner % 6,
            SvgPoints(&moved)
        );
    }
    out.push_str("</svg>");
    PreEscaped(out)
}

pub(super) fn table(
    text: &Translations,
    display: &DisplayOptions,
    view: &HexBoardView,
    names: &PlayerNames<'_>,
) -> Markup {
    folded_table(
        text,
        5,
        html! {
            thead { tr {
                @for key in ["table-hex", "table-owner", "table-dice", "table-neighbours", "table-do"] { th { (text.get(key)) } }
            } }
            tbody {
                @for (hex, content) in view.hexes.iter().enumerate() {
                    tr {
                        th { (hex) }
                        td { (names.name(content.owner)) }
                        td { (content.dice) }
                        td { (neighbours(text, view.side, hex)) }
                        td { @if let Some(href) = &content.href { a href=(text.path(href)) { (action(text, display, hex, content)) } } }
                    }
                }
            }
        },
    )
}

fn action(text: &Translations, display: &DisplayOptions, hex: usize, content: &HexView) -> String {
    let key = match content.state {
        HexState::Target { odds } => match display.odds(odds) {
            None => "table-attack",
            Some(odds) => {
                let odds = ("odds", text.language().format_percent(odds).into());
                let values = [("hex", number(hex)), odds];
                return text.get_with("table-attack-odds", &values).into_owned();
            }
        },
        HexState::Selected => "table-back",
        HexState::Selectable | HexState::Idle => "table-choose",
    };
    text.get_with(key, &[("hex", number(hex))]).into_owned()
}

/// The numbers of the neighbours of a hex, as a list.
fn neighbours(text: &Translations, side: u8, hex: usize) -> String {
    let mut neighbours: Vec<_> = edge_neighbours(side, hex).into_iter().flatten().collect();
    neighbours.sort_unstable();
    text.join_as_list(neighbours.into_iter().map(|hex| hex.to_string().into()))
}

pub(super) fn chosen(view: &HexBoardView) -> Option<usize> {
    view.hexes
        .iter()
        .position(|hex| hex.state == HexState::Selected)
}

enum HexBoardMode<'a> {
    Interactive(&'a Translations, &'a DisplayOptions, &'a PlayerNames<'a>),
    /// With the player whose hexes stand out.
    ReadOnly(&'a DisplayOptions, Option<u8>),
}

impl HexBoardMode<'_> {
    fn display(&self) -> &DisplayOptions {
        match self {
            HexBoardMode::Interactive(_, display, _) | HexBoardMode::ReadOnly(display, _) => {
                display
            }
        }
    }
}

fn draw(out: &mut String, style: &dyn HexBoardStyle, view: &HexBoardView, mode: &HexBoardMode<'_>) {
    let side = view.side.max(1);
    let centres: Vec<_> = (0..view.hexes.len())
        .map(|hex| style.hex_centre(side, hex))
        .collect();
    style.draw_base(out, side, &centres);
    let source = chosen(view);
    let (mut tops, mut tags, mut stuck_labels) = (String::new(), String::new(), String::new());
    // The arrow is drawn above the tiles of its front row and below the piles of the rows in front of it.
    let arrow_after = view.last_attack.map(|(from, to)| {
        let row = usize::from(from.max(to)) / usize::from(side);
        row * usize::from(side) + usize::from(side) - 1
    });
    for (hex, content) in view.hexes.iter().enumerate() {
        draw_hex(out, style, view, mode, hex, source);
        if content.pending_dice > 0 {
            style.draw_pending_dice(out, view, hex, centres[hex]);
        }
        if let Some((from, to)) = view.last_attack.filter(|_| arrow_after == Some(hex)) {
            style.draw_arrow(out, side, from, to);
        }
        let link = match (mode, &content.href) {
            (HexBoardMode::Interactive(text, ..), Some(href)) => Some(TopLink {
                source,
                hex,
                href: text.path(href),
            }),
            _ => None,
        };
        if let (Some(link), Some(symbol)) = (link, style.tile_top_symbol()) {
            draw_top(&mut tops, link, content, symbol, centres[hex]);
        }
        draw_tags(
            &mut tags,
            style,
            mode.display(),
            view,
            hex,
            centres[hex],
            link,
        );
        if let HexBoardMode::Interactive(text, ..) = mode
            && has_stuck_label(view, hex)
        {
            tag_stuck(&mut stuck_labels, text, style, view, hex, &centres);
        }
    }
    let links = match mode {
        HexBoardMode::Interactive(text, ..) => Some(*text),
        HexBoardMode::ReadOnly(..) => None,
    };
    super::hint_arrows::draw(&mut tags, style, mode.display(), links, view, &centres);
    // The ring of a choice crosses such a label.
    tags.push_str(&stuck_labels);
    if !tops.is_empty() {
        let _ = write!(out, r##"<g class="tops" aria-hidden="true">{tops}</g>"##);
    }
    if !tags.is_empty() {
        let _ = write!(out, r##"<g class="tags" aria-hidden="true">{tags}</g>"##);
    }
}

/// Whether the label "stuck" is shown at this hex: at all of up to three stuck hexes, otherwise only at the
/// frontmost one.
fn has_stuck_label(view: &HexBoardView, hex: usize) -> bool {
    let count_stuck_from = |from: usize| view.hexes[from..].iter().filter(|hex| hex.stuck).count();
    view.hexes[hex].stuck && (count_stuck_from(0) <= 3 || count_stuck_from(hex) == 1)
}

/// How far the label "stuck" gives way to a pointer.
const STUCK_ASIDE: f64 = 32.0;

fn tag_stuck(
    tags: &mut String,
    text: &Translations,
    style: &dyn HexBoardStyle,
    view: &HexBoardView,
    hex: usize,
    centres: &[Point],
) {
    let (x, y) = centres[hex];
    let (right, down) = style.odds_offset(view, hex);
    let down = down + 9.0;
    let mut pointers = view.hint_arrows.iter();
    let from_below = pointers.find_map(|arrow| {
        let from = centres.get(usize::from(arrow.from)).copied()?;
        (usize::from(arrow.to) == hex && from.1 > y).then_some(from)
    });
    // A pointer from below and a label in the lower half of the hex are close together.
    let aside = from_below.filter(|_| down > 0.0);
    let right = right + aside.map_or(0.0, |from| STUCK_ASIDE.copysign(x - from.0));
    let _ = write!(
        tags,
        r##"<g class="chip lo" transform="translate({} {})"><g><rect x="-34" y="-13" width="68" height="26" rx="8"/><text y="6">{}</text></g></g>"##,
        ShortDecimal(x + right),
        ShortDecimal(y + down),
        text.get("tag-stuck")
    );
}

/// The tag of the wrong choice: a cross, and the odds of an attack.
fn tag_tried(
    tags: &mut String,
    style: &dyn HexBoardStyle,
    display: &DisplayOptions,
    view: &HexBoardView,
    hex: usize,
    (x, y): Point,
) {
    let odds = match view.hexes[hex].state {
        HexState::Target { odds } => display.odds(odds),
        _ => None,
    };
    let (right, down) = style.odds_offset(view, hex);
    let (width, cross) = if odds.is_some() { (92, -30) } else { (40, 0) };
    let _ = write!(
        tags,
        r##"<g class="chip lo" transform="translate({} {})"><g><rect x="{}" y="-13" width="{width}" height="26" rx="8"/><path class="cross" d="M{} -6l12 12m0-12l-12 12"/>"##,
        ShortDecimal(x + right),
        ShortDecimal(y + down),
        -width / 2,
        cross - 6
    );
    if let Some(odds) = odds {
        tags.push_str(r##"<text x="12" y="6.4">"##);
        let _ = maud::Escaper::new(tags).write_str(&display.language.format_percent(odds));
        tags.push_str("%</text>");
    }
    tags.push_str("</g></g>");
}

/// A link above all piles with the same target as that of its hex. Only the link of the hex has a name and
/// can be focused; this one just takes clicks.
#[derive(Clone, Copy)]
struct TopLink<'a> {
    source: Option<usize>,
    hex: usize,
    href: SitePath<'a>,
}

impl TopLink<'_> {
    /// Writes the start tag, up to the next attribute.
    fn open(&self, out: &mut String, content: &HexView) {
        let TopLink { source, hex, href } = *self;
        out.push_str("<a href=");
        quoted(out, href);
        let _ = write!(
            out,
            r##" tabindex="-1" data-marks="{}""##,
            marks(
                source.filter(|_| matches!(content.state, HexState::Target { .. })),
                hex
            )
        );
        if let (HexState::Target { .. }, Some(from)) = (content.state, source) {
            let _ = write!(out, r##" data-from="{from}" data-to="{hex}""##);
        }
    }
}

/// The ids of the hexes that a link concerns.
fn marks(from: Option<usize>, to: usize) -> String {
    from.map_or(String::new(), |from| format!("h{from} ")) + &format!("h{to}")
}

/// The top of a tile, above all piles, so that a pile in front of it does not take its clicks.
fn draw_top(tops: &mut String, link: TopLink<'_>, content: &HexView, symbol: &str, (x, y): Point) {
    link.open(tops, content);
    let _ = write!(
        tops,
        r##"><use href="#{symbol}" x="{}" y="{}"/></a>"##,
        ShortDecimal(x),
        ShortDecimal(y)
    );
}

/// Whether the pointer of a puzzle's choice stands at a hex, where it would hide the odds; the list has those of the choice.
fn is_pointed_at(view: &HexBoardView, hex: usize) -> bool {
    let mut choices = view.hint_arrows.iter();
    choices.any(|arrow| arrow.href.is_some() && usize::from(arrow.to) == hex)
}

/// The odds of targets and the labels of new dice, which are drawn above everything else.
fn draw_tags(
    tags: &mut String,
    style: &dyn HexBoardStyle,
    display: &DisplayOptions,
    view: &HexBoardView,
    hex: usize,
    (x, y): Point,
    link: Option<TopLink<'_>>,
) {
    let content = &view.hexes[hex];
    if content.tried {
        tag_tried(tags, style, display, view, hex, (x, y));
    } else if let HexState::Target { odds } = content.state
        && let Some(odds) = display.odds(odds)
        && !is_pointed_at(view, hex)
    {
        let (right, down) = style.odds_offset(view, hex);
        let band = odds_class(odds);
        let element = match link {
            Some(link) => {
                link.open(tags, content);
                "a"
            }
            None => {
                tags.push_str("<g");
                "g"
            }
        };
        let _ = write!(
            tags,
            r##" class="chip {band}" transform="translate({} {})"><g><rect x="-32" y="-13" width="64" height="26" rx="8"/><text y="6.4">"##,
            ShortDecimal(x + right),
            ShortDecimal(y + down)
        );
        let _ = maud::Escaper::new(tags).write_str(&display.language.format_percent(odds));
        let _ = write!(tags, "%</text></g></{element}>");
    }
    if content.reinforced > 0 {
        let (right, down) = style.reinforcement_offset(content.dice);
        let _ = write!(
            tags,
            r##"<g class="plus" transform="translate({} {})"><g><rect/><text y="6">+{}</text></g></g>"##,
            ShortDecimal(x + right),
            ShortDecimal(y + down),
            content.reinforced
        );
    }
    if content.pending_dice > 0 {
        let (right, down) = style.reinforcement_offset(content.dice + content.pending_dice);
        let _ = write!(
            tags,
            r##"<g class="plus soon" transform="translate({} {})"><g><rect/><text y="6">+{}</text></g></g>"##,
            ShortDecimal(x + right),
            ShortDecimal(y + down),
            content.pending_dice
        );
    }
}

fn draw_hex(
    out: &mut String,
    style: &dyn HexBoardStyle,
    view: &HexBoardView,
    mode: &HexBoardMode<'_>,
    hex: usize,
    source: Option<usize>,
) {
    let (side, content) = (view.side.max(1), &view.hexes[hex]);
    let (x, y) = style.hex_centre(side, hex);
    let owner = content.owner % 6;
    let state = match content.state {
        HexState::Idle => "",
        HexState::Selectable => " can",
        HexState::Selected => " src",
        HexState::Target { .. } => " tgt",
    };
    let is_winners =
        matches!(mode, HexBoardMode::ReadOnly(_, Some(winner)) if *winner == content.owner);
    let state = if is_winners { " tgt" } else { state };
    let confirm_class = match view.attack_to_confirm {
        Some((from, to)) if [from, to].map(usize::from).contains(&hex) => " ask",
        _ => "",
    };
    let tag = match (mode, &content.href) {
        (HexBoardMode::Interactive(..), Some(_)) => "a",
        _ => "g",
    };
    let _ = write!(
        out,
        r##"<{tag} class="hex p{owner}{state}{confirm_class}" transform="translate({} {})""##,
        ShortDecimal(x),
        ShortDecimal(y)
    );
    if let HexBoardMode::Interactive(text, display, names) = mode {
        let _ = write!(out, r##" id="h{hex}""##);
        match &content.href {
            Some(href) => {
                // The coordinates are the same in both drawings, so that the arrow keys move in the same way.
                let (x, y) = centre(side, hex);
                let _ = write!(
                    out,
                    r##" data-x="{}" data-y="{}" href="##,
                    ShortDecimal(x),
                    ShortDecimal(y)
                );
                quoted(out, text.path(href));
                if let (HexState::Target { .. }, Some(from)) = (content.state, source) {
                    let _ = write!(
                        out,
                        r##" data-from="{from}" data-to="{hex}" data-marks="{}""##,
                        marks(source, hex)
                    );
                }
            }
            None => out.push_str(r##" role="img""##),
        }
        out.push_str(" aria-label=");
        quoted(out, label(text, display, names, view, hex));
        out.push('>');
        // An empty title keeps the board's own title from appearing as a tooltip over every hex.
        match content.reason_key {
            Some(why) => {
                out.push_str("<title>");
                let _ = maud::Escaper::new(out).write_str(&text.get(why));
                out.push_str("</title>");
            }
            None => out.push_str("<title/>"),
        }
    } else {
        out.push('>');
    }
    match style.base_symbol().filter(|_| is_winners) {
        Some(base) => {
            let _ = write!(
                out,
                r##"<use href="#{base}"/><g class="risen" transform="translate(0 -{RISE})">"##
            );
            style.draw_hex(out, view, hex);
            out.push_str("</g>");
        }
        None => style.draw_hex(out, view, hex),
    }
    // The number is placed next to the link instead of inside it, where screen readers would read it together
    // with the count.
    let (right, down) = style.number_offset();
    let selected_class = match content.state {
        HexState::Selected => " up",
        _ => "",
    };
    let named_class = if is_named(view, hex) { " named" } else { "" };
    let _ = write!(
        out,
        r##"</{tag}><text class="num p{owner}{selected_class}{named_class}" aria-hidden="true" x="{}" y="{}">{hex}</text>"##,
        ShortDecimal(x + right),
        ShortDecimal(y + down)
    );
}

/// Whether the page mentions this hex by number: selection, confirmation, last attack, hints.
fn is_named(view: &HexBoardView, hex: usize) -> bool {
    let is_chosen = matches!(
        view.hexes[hex].state,
        HexState::Selected | HexState::Target { .. }
    );
    let hinted_attacks = view.hint_arrows.iter().map(|one| (one.from, one.to));
    let mut pairs = view.attack_to_confirm.into_iter().chain(hinted_attacks);
    let is_mentioned = view.mentioned.is_some_and(|one| usize::from(one) == hex);
    is_chosen
        || is_mentioned
        || is_last(view, hex)
        || pairs.any(|(from, to)| [from, to].map(usize::from).contains(&hex))
}

/// Places each of the markers on all hexes.
pub(super) fn place_markers(out: &mut String, markers: [&str; 2], centres: &[Point]) {
    let points = SvgPoints(centres).to_string();
    for marker in markers {
        let at = format!("url(#{marker})");
        let _ = write!(
            out,
            r##"<polyline fill="none" marker-start="{at}" marker-mid="{at}" marker-end="{at}" points="{points}"/>"##
        );
    }
}

/// Whether the last attack was from or to this hex.
pub(super) fn is_last(view: &HexBoardView, hex: usize) -> bool {
    view.last_attack
        .is_some_and(|(from, to)| usize::from(from) == hex || usize::from(to) == hex)
}

/// The marks on a tile and under its pile: clusters that earned or will earn dice, stuck players, previous
/// owners.
pub(super) fn draw_marks(
    out: &mut String,
    view: &HexBoardView,
    hex: usize,
    corners: impl Fn(f64) -> [Point; 6],
    tape: &str,
) {
    let content = &view.hexes[hex];
    if content.stuck {
        let _ = write!(
            out,
            r##"<polygon class="veil" points="{}"/>"##,
            SvgPoints(&corners(0.972))
        );
    }
    if content.in_cluster {
        draw_border(out, "cluster", view, hex, &corners(0.93), |hex| {
            hex.in_cluster
        });
    }
    if content.in_pending_cluster {
        for class in ["soon pays-case", "soon pays"] {
            draw_border(out, class, view, hex, &corners(0.95), |hex| {
                hex.in_pending_cluster
            });
        }
    }
    if let Some(player) = content.previous_owner {
        let _ = write!(
            out,
            r##"<use class="was p{}" href="#{tape}"/>"##,
            player % 6
        );
    }
}

/// The edges of a hex that lead out of its cluster, between the given corners.
fn draw_border(
    out: &mut String,
    class: &str,
    view: &HexBoardView,
    hex: usize,
    corners: &[Point; 6],
    is_inside: fn(&HexView) -> bool,
) {
    let _ = write!(out, r##"<path class="{class}" d=""##);
    let mut end = None;
    for (edge, neighbour) in edge_neighbours(view.side, hex).into_iter().enumerate() {
        if !neighbour
            .and_then(|hex| view.hexes.get(hex))
            .is_some_and(is_inside)
        {
            let (a, b) = (corners[edge], corners[(edge + 1) % 6]);
            if end != Some(a) {
                let _ = write!(out, "M{} {}", ShortDecimal(a.0), ShortDecimal(a.1));
            }
            let _ = write!(out, "L{} {}", ShortDecimal(b.0), ShortDecimal(b.1));
            end = Some(b);
        }
    }
    out.push_str(r##""/>"##);
}

fn label(
    text: &Translations,
    display: &DisplayOptions,
    names: &PlayerNames<'_>,
    view: &HexBoardView,
    hex: usize,
) -> String {
    let content = &view.hexes[hex];
    let yours = text.get("hex-yours");
    let owner: &str =
        if names.is_mine(content.owner) && names.name(content.owner) == text.get("you") {
            &yours
        } else {
            names.name(content.owner)
        };
    let mut values = vec![
        ("hex", number(hex)),
        ("owner", owner.into()),
        ("dice", content.dice.into()),
    ];
    let key = match content.state {
        HexState::Idle if content.stuck => "hex-stuck",
        HexState::Idle => "hex",
        HexState::Selectable => "hex-choose",
        HexState::Selected => "hex-chosen",
        HexState::Target { odds } => match display.odds(odds) {
            None => "hex-target-sure",
            Some(odds) => {
                values.push(("odds", text.language().format_percent(odds).into()));
                "hex-target"
            }
        },
    };
    let label = text.get_with(key, &values).into_owned();
    let neighbours = neighbours(text, view.side, hex);
    let values = [
        ("label", label.as_str().into()),
        ("hexes", neighbours.as_str().into()),
    ];
    text.get_with("hex-neighbours", &values).into_owned()
}

/// A hex's number as a message argument.
fn number(hex: usize) -> MessageValue<'static> {
    MessageValue::Number(u32::try_from(hex).unwrap_or(u32::MAX))
}
