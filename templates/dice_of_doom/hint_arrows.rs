//! The arrows of a hint: the best attacks, numbered, each on the edge that it crosses; their targets have a
//! ring and a label with the odds.

use std::fmt::Write as _;

use super::board::HexBoardStyle;
use super::geometry::Point;
use super::{HexBoardView, HintArrow};
use crate::board::{ShortDecimal, quoted};
use crate::localization::{SitePath, Translations};
use crate::page::odds_class;
use crate::preferences::DisplayOptions;

/// Length of the tip, for edges between hexes of the same row and of different rows: the latter hide more of
/// an arrow.
const TIPS: [f64; 2] = [21.0, 27.0];

/// Distance of the disc with the number behind the edge.
const BEHIND: f64 = 6.4;

/// Draws the arrows above everything else; with `links`, those with an address are links.
pub(super) fn draw(
    out: &mut String,
    style: &dyn HexBoardStyle,
    display: &DisplayOptions,
    links: Option<&Translations>,
    view: &HexBoardView,
    centres: &[Point],
) {
    let (mut targets, mut odds_labels) = (Vec::<u8>::new(), String::new());
    for HintArrow { from, to, odds, .. } in &view.hint_arrows {
        let Some(&(x, y)) = centres.get(usize::from(*to)) else {
            continue;
        };
        // Further attacks on the same target have their odds in the list only.
        if targets.contains(to) || usize::from(*from) >= centres.len() {
            continue;
        }
        targets.push(*to);
        let ring = style.ring_symbol();
        let _ = write!(
            out,
            r##"<use class="hinted" href="#{ring}" x="{}" y="{}"/>"##,
            ShortDecimal(x),
            ShortDecimal(y)
        );
        if let Some(odds) = display.odds(*odds) {
            let (right, down) = style.odds_offset(view, usize::from(*to));
            let _ = write!(
                odds_labels,
                r##"<g class="chip {} hinted" transform="translate({} {})"><g><rect x="-32" y="-13" width="64" height="26" rx="8"/><text y="6.4">"##,
                odds_class(odds),
                ShortDecimal(x + right),
                ShortDecimal(y + down + 4.0)
            );
            let percent = display.language.format_percent(odds);
            let _ = maud::Escaper::new(&mut odds_labels).write_str(&percent);
            odds_labels.push_str("%</text></g></g>");
        }
    }
    // Draws the best attack last, on top of the others.
    for HintArrow {
        label,
        is_first,
        from,
        to,
        href,
        ..
    } in view.hint_arrows.iter().rev()
    {
        let (Some(&a), Some(&b)) = (
            centres.get(usize::from(*from)),
            centres.get(usize::from(*to)),
        ) else {
            continue;
        };
        let link = links.and_then(|text| Some(text.path(href.as_deref()?)));
        arrow(out, *label, *is_first, link, a, b);
    }
    // An arrow from below reaches into the label of its target.
    out.push_str(&odds_labels);
}

fn arrow(
    out: &mut String,
    label: char,
    is_first: bool,
    link: Option<SitePath<'_>>,
    from: Point,
    to: Point,
) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let tip = TIPS[usize::from(uy.abs() > 0.2)];
    let first = if is_first { " first" } else { "" };
    let element = match link {
        Some(href) => {
            out.push_str(r##"<a tabindex="-1" href="##);
            quoted(out, href);
            "a"
        }
        None => {
            out.push_str("<g");
            "g"
        }
    };
    let _ = write!(
        out,
        r##" class="pointer{first}" transform="translate({} {})"><path transform="rotate({})" d="M0-12 {tip} 0 0 12Z"/><g transform="translate({} {})"><circle r="12"/><text y="6.5">{}</text></g></{element}>"##,
        ShortDecimal((from.0 + to.0) / 2.0),
        ShortDecimal((from.1 + to.1) / 2.0),
        ShortDecimal(dy.atan2(dx).to_degrees()),
        ShortDecimal(-ux * BEHIND),
        ShortDecimal(-uy * BEHIND),
        label
    );
}
