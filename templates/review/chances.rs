//! The win shares of the players over the course of a game.

use maud::{Markup, html};

use super::{BETTER_MARK, BreakdownView, ReviewView};
use crate::controls::TableContext;
use crate::line_chart::{self, ChartMarker, ChartSeries, ChartUnit};
use crate::localization::Translations;
use crate::players::named_player;

/// The win shares of all players, as a line chart and as a table.
pub(super) fn chances(table: &TableContext<'_>, view: &ReviewView) -> Markup {
    let (text, names) = (table.text, table.names);
    let label = text.get("review-chances-label");
    let line = |account: &BreakdownView| ChartSeries {
        player: account.player,
        values: shares_by_page(view, account.player),
    };
    let lines: Vec<ChartSeries> = view.breakdowns.iter().map(line).collect();
    let labels = (b'1'..).map(char::from);
    let mistakes = view.mistakes.iter().zip(labels);
    let best = view.best.iter().map(|best| (best, BETTER_MARK));
    let pins = mistakes.chain(best).map(|(decision, label)| ChartMarker {
        label,
        player: decision.player,
        turn: decision.page_ply(),
    });
    let pins: Vec<ChartMarker> = pins.collect();
    html! {
        section.panel.chances aria-labelledby="chances" {
            header { h2 #chances { (text.get("review-chances")) } }
            (line_chart::graph(text, names, &lines, &pins, &label, ChartUnit::Chance))
            (by_ply(table, view))
        }
    }
}

/// The win shares of a player in thousandths at every page of the game. They stay the same while moves are taken back; a
/// resignation, which has no page, is after the last one.
fn shares_by_page(view: &ReviewView, player: u8) -> Vec<u32> {
    let mut values: Vec<u32> = Vec::new();
    let pages = view.changes.iter().map(|change| change.page as usize);
    for (shares, page) in view.shares.iter().zip([0].into_iter().chain(pages)) {
        let share = shares.get(usize::from(player)).copied().unwrap_or(0.0);
        let last = values.last().copied().unwrap_or(0);
        values.resize(values.len().max(page), last);
        values.push((1000.0 * share).round().clamp(0.0, 1000.0) as u32);
    }
    values
}

/// A table of every decision: the shares after it, and its effect and that of its dice on the viewer's share.
fn by_ply(table: &TableContext<'_>, view: &ReviewView) -> Markup {
    let (text, names) = (table.text, table.names);
    let caption = text.get("review-chances-label");
    let percent = |share: &f64| {
        text.get_with(
            "review-percent",
            &[("n", text.language().format_tenths(100.0 * share).into())],
        )
        .into_owned()
    };
    let rows = html! {
        thead {
            tr {
                th scope="col" { (text.get("review-ply")) }
                th scope="col" { (text.get("review-who")) }
                @for account in &view.breakdowns { th scope="col" { (named_player(names, account.player)) } }
                th scope="col" { (text.get("review-decision")) }
                @if view.is_rolled { th scope="col" { (text.get("review-luck")) } }
            }
        }
        tbody {
            @for (number, shares) in view.shares.iter().enumerate() {
                @let ply = number.checked_sub(1).and_then(|before| view.changes.get(before));
                @let page = ply.map_or(0, |ply| ply.page);
                tr {
                    th scope="row" { a href={ (text.path("/g/")) (table.id) "/" (page) } { (page) } }
                    td { @if let Some(ply) = ply { (names.name(ply.player)) } @else { (text.get("review-start")) } }
                    @for share in shares { td { (percent(share)) } }
                    td { @if let Some(ply) = ply { (signed_tenths(text, 100.0 * ply.decision)) } }
                    @if view.is_rolled { td { @if let Some(ply) = ply { (signed_tenths(text, 100.0 * ply.luck)) } } }
                }
            }
        }
    };
    line_chart::folded_numbers(&text.get("review-table"), &caption, &rows)
}

/// A number with one decimal and its sign; 0 has none.
fn signed_tenths(text: &Translations, number: f64) -> String {
    let size = text.language().format_tenths(number.abs());
    match size.as_str() {
        "0.0" | "0,0" => "0".to_owned(),
        _ if number > 0.0 => format!("+{size}"),
        _ => format!("−{size}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn zero_has_no_sign() {
        let text = Translations::new(Language::English, |_| [], None);
        let shown = [0.04, -0.06, 2.0].map(|number| signed_tenths(&text, number));
        assert_eq!(shown, ["0", "−0.1", "+2.0"]);
    }
}
