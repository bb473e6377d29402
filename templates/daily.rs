//! The pages of the board of the day: before and after the viewer's scored game, and of past days.

use std::fmt::Write as _;
use std::sync::Arc;

use maud::{Markup, PreEscaped, html};

use super::board::{BoardComponent, ShortDecimal};
use super::localization::Translations;
use super::page::{Refresh, SiteContext, emphasised, page, page_title, stylesheet_link};

/// View of the page of a day.
#[derive(Clone, Debug)]
pub struct DailyView {
    /// The day, such as `2026-11-27`.
    pub day: String,
    /// Whether the day is not over.
    pub is_today: bool,
    /// The board at the start.
    pub board: Arc<dyn BoardComponent>,
    /// The total number of hexes.
    pub hexes: u32,
    /// The viewer's scored game.
    pub attempt: AttemptView,
    /// How many games ended with each score.
    pub counts: Vec<ScoreCountView>,
    /// The number of days in a row that the viewer has played, up to this one.
    pub streak: u32,
    /// The last days before this one, newest first.
    pub calendar: Vec<CalendarDayView>,
    /// The hash of the day's secret.
    pub commitment: String,
    /// The hash of the secret of the day after, while the day is not over.
    pub next_commitment: Option<String>,
    /// Whether the hash was published only on the day itself.
    pub is_late: bool,
    /// Seed and salt, once the day is over.
    pub secret: Option<(String, String)>,
}

/// The viewer's scored game of a day.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AttemptView {
    /// It has not begun.
    None,
    /// It is in progress.
    Begun {
        /// Public id of the game.
        id: String,
    },
    /// It is over.
    Over(Box<DailyResultView>),
}

/// The viewer's result of a day.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DailyResultView {
    /// Public id of the game.
    pub id: String,
    /// The viewer's hexes at the end.
    pub hexes: u32,
    /// Whether the viewer was the only winner.
    pub is_won: bool,
    /// The viewer's hexes after each own turn.
    pub by_turn: Vec<u32>,
    /// All players with hexes at the end, most first: glyph and number.
    pub players: Vec<(&'static str, u32)>,
    /// Address of this page as the viewer sees it.
    pub address: String,
}

/// A score and how many games ended with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScoreCountView {
    /// The hexes at the end.
    pub hexes: u32,
    /// Whether these games were won.
    pub is_won: bool,
    /// The number of games.
    pub games: u32,
}

/// A day of the calendar.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CalendarDayView {
    /// The day, such as `2026-11-27`.
    pub day: String,
    /// Whether it had a board.
    pub exists: bool,
    /// The viewer's score and whether the game was won; `None` if it was not played.
    pub score: Option<(u32, bool)>,
}

/// From this number of games on, a result is compared with the others.
const COMPARED_GAMES: u32 = 20;

/// The most turns that the text shows: of more, every second one.
const TEXT_TURNS: usize = 20;

/// Renders the page of a day.
#[must_use]
pub fn daily_page(site: &SiteContext<'_>, text: &Translations, view: &DailyView) -> Markup {
    let day = [("day", view.day.as_str().into())];
    let title = text.get_with("daily-title", &day);
    let games: u32 = view.counts.iter().map(|count| count.games).sum();
    let main = html! {
        main #main.daily {
            (stylesheet_link(site, "daily.css"))
            section.facts {
                p.eyebrow { (title) }
                @match &view.attempt {
                    AttemptView::Over(result) => { (result_section(text, view, result)) }
                    attempt => {
                        h1 { (text.get(if view.is_today { "daily-headline" } else { "daily-headline-past" })) }
                        (rules(text, view))
                        (start(text, view, attempt))
                    }
                }
                @if view.is_today { p.sub { (text.get_with("daily-played", &[("games", games.into())])) } }
            }
            div.picture { (view.board.picture(text, &site.display, &title)) }
            @if games > 0 { (distribution(text, view)) }
            (calendar(text, view))
            (commitment(text, view))
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}

/// What the viewer should know before the first attack.
fn rules(text: &Translations, view: &DailyView) -> Markup {
    let keys = if view.is_today {
        &["daily-deal", "daily-dice", "daily-once", "daily-off"][..]
    } else {
        &["daily-past"]
    };
    html! { ul { @for key in keys { li { (text.get(key)) } } } }
}

fn start(text: &Translations, view: &DailyView, attempt: &AttemptView) -> Markup {
    html! {
        @match attempt {
            AttemptView::Begun { id } => { a.btn.main.huge href={ "/g/" (id) } { (text.get("daily-continue")) } }
            _ if view.is_today => {
                form method="post" action="/daily" { button.btn.main.huge { (text.get("daily-start")) } }
            }
            _ => {
                form method="post" action={ "/daily/" (view.day) } { button.btn.main { (text.get("daily-play-past")) } }
            }
        }
    }
}

/// Better than this share of all games: those with fewer hexes. `None` if there are too few.
fn better_than(view: &DailyView, hexes: u32) -> Option<u32> {
    let games: u32 = view.counts.iter().map(|count| count.games).sum();
    let fewer = view.counts.iter().filter(|count| count.hexes < hexes);
    let fewer: u32 = fewer.map(|count| count.games).sum();
    (games >= COMPARED_GAMES).then(|| fewer * 100 / games)
}

fn result_line(text: &Translations, view: &DailyView, result: &DailyResultView) -> String {
    let values = [
        ("result", if result.is_won { "won" } else { "lost" }.into()),
        ("hexes", result.hexes.into()),
        ("all", view.hexes.into()),
        ("turns", (result.by_turn.len() as u32).into()),
    ];
    text.get_with("daily-result", &values).into_owned()
}

fn share_line(text: &Translations, view: &DailyView, result: &DailyResultView) -> Option<String> {
    let share = better_than(view, result.hexes);
    let better = share.map(|share| text.get_with("daily-better", &[("share", share.into())]));
    let streak =
        (view.streak > 1).then(|| text.get_with("daily-streak", &[("days", view.streak.into())]));
    let parts: Vec<_> = better.into_iter().chain(streak).collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

fn result_section(text: &Translations, view: &DailyView, result: &DailyResultView) -> Markup {
    let game = format!("/g/{}", result.id);
    html! {
        h1 { (result_line(text, view, result)) }
        @if let Some(line) = share_line(text, view, result) { p.lead { (line) } }
        p.go {
            a.btn.main href={ (game) "/review" } { (text.get("daily-review")) }
            a.btn href=(game) { (text.get("daily-look")) }
            a.btn href={ (game) "/board.png" } { (text.get("daily-picture")) }
        }
        div.hand {
            textarea #daily-text readonly rows="7" aria-label=(text.get("daily-text")) { (result_text(text, view, result)) }
            button.btn.scripted type="button" data-of="daily-text" data-done=(text.get("seat-copied")) { (text.get("seat-copy")) }
        }
    }
}

/// The result as plain text without moves or hexes.
fn result_text(text: &Translations, view: &DailyView, result: &DailyResultView) -> String {
    let players = result.players.iter();
    let players: Vec<String> = players
        .map(|(glyph, hexes)| format!("{glyph} {hexes}"))
        .collect();
    let mut lines = vec![
        text.get("daily-text-title").into_owned(),
        view.day.clone(),
        result_line(text, view, result),
        bars(&result.by_turn, view.hexes),
        players.join("  "),
    ];
    lines.extend(share_line(text, view, result));
    lines.push(result.address.clone());
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

/// A bar for each number, of eight heights.
fn bars(numbers: &[u32], most: u32) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let step = if numbers.len() > TEXT_TURNS { 2 } else { 1 };
    let bar = |number: &u32| {
        let height = (number * 8).div_ceil(most.max(1)).clamp(1, 8);
        BARS[height as usize - 1]
    };
    numbers.iter().step_by(step).map(bar).collect()
}

/// The number of games by hexes: won games are filled, others are outlined.
fn distribution(text: &Translations, view: &DailyView) -> Markup {
    let own = match &view.attempt {
        AttemptView::Over(result) => Some(result.hexes),
        _ => None,
    };
    html! {
        section.scores {
            h2 { (text.get("daily-scores")) }
            (histogram(view, own))
            p.key { span { i.won {} (text.get("daily-won")) } span { i {} (text.get("daily-lost")) } @if own.is_some() { span { b { "▾" } (text.get("daily-you")) } } }
            details {
                summary { (text.get("daily-table")) }
                table {
                    thead { tr { th scope="col" { (text.get("daily-hexes")) } th scope="col" { (text.get("daily-won")) } th scope="col" { (text.get("daily-lost")) } } }
                    tbody {
                        @for hexes in 0..=view.hexes {
                            @let (won, lost) = games_with(view, hexes);
                            @if won + lost > 0 { tr { th scope="row" { (hexes) } td { (won) } td { (lost) } } }
                        }
                    }
                }
            }
        }
    }
}

/// The numbers of won and of other games with this many hexes.
fn games_with(view: &DailyView, hexes: u32) -> (u32, u32) {
    let games = |is_won| {
        let counts = view.counts.iter();
        let counts = counts.filter(|count| count.hexes == hexes && count.is_won == is_won);
        counts.map(|count| count.games).sum()
    };
    (games(true), games(false))
}

fn histogram(view: &DailyView, own: Option<u32>) -> Markup {
    const STEP: f64 = 24.0;
    const HEIGHT: f64 = 110.0;
    let most = (0..=view.hexes).map(|hexes| {
        let (won, lost) = games_with(view, hexes);
        won + lost
    });
    let scale = HEIGHT / f64::from(most.max().unwrap_or(1).max(1));
    let width = STEP * f64::from(view.hexes + 1);
    let mut bars = String::new();
    for hexes in 0..=view.hexes {
        let (won, lost) = games_with(view, hexes);
        let x = STEP * f64::from(hexes) + 2.0;
        let middle = ShortDecimal(x + STEP / 2.0 - 2.0);
        let mut y = HEIGHT + 18.0;
        for (class, games) in [("won", won), ("lost", lost)] {
            let height = f64::from(games) * scale;
            y -= height;
            if games > 0 {
                let (x, y, height) = (ShortDecimal(x), ShortDecimal(y), ShortDecimal(height));
                let _ = write!(
                    bars,
                    r#"<rect class="{class}" x="{x}" y="{y}" width="20" height="{height}"/>"#
                );
            }
        }
        if own == Some(hexes) {
            let y = ShortDecimal(y - 4.0);
            let _ = write!(bars, r#"<text class="own" x="{middle}" y="{y}">▾</text>"#);
        }
        if hexes % 5 == 0 {
            let _ = write!(
                bars,
                r#"<text x="{middle}" y="{}">{hexes}</text>"#,
                HEIGHT + 34.0
            );
        }
    }
    html! {
        svg.bars viewBox={ "0 0 " (ShortDecimal(width)) " " (ShortDecimal(HEIGHT + 40.0)) } aria-hidden="true" { (PreEscaped(bars)) }
    }
}

fn calendar(text: &Translations, view: &DailyView) -> Markup {
    html! {
        section.past {
            h2 { (text.get("daily-calendar")) }
            ol {
                @for day in &view.calendar {
                    @let (class, words) = match day.score {
                        Some((hexes, true)) => ("won", text.get_with("daily-day-won", &[("hexes", hexes.into())])),
                        Some((hexes, false)) => ("lost", text.get_with("daily-day-lost", &[("hexes", hexes.into())])),
                        None => ("", text.get("daily-day-none")),
                    };
                    li {
                        @if day.exists {
                            a class=(class) href={ "/daily/" (day.day) } {
                                span.vh { (day.day) ": " (words) }
                                span aria-hidden="true" { (day.day.get(8..).unwrap_or_default()) }
                            }
                        } @else {
                            span { (day.day.get(8..).unwrap_or_default()) }
                        }
                    }
                }
            }
        }
    }
}

fn commitment(text: &Translations, view: &DailyView) -> Markup {
    html! {
        section.seal {
            h2 { (text.get("daily-seal")) }
            p { (text.get("daily-seal-why")) " " (text.get("daily-openly")) }
            @if view.is_late { p { (text.get("daily-late")) } }
            dl {
                dt { (view.day) } dd { code { (view.commitment) } }
                @if let Some(next) = &view.next_commitment { dt { (text.get("daily-next")) } dd { code { (next) } } }
                @if let Some((seed, salt)) = &view.secret {
                    dt { (text.get("daily-seed")) } dd { code { (seed) } }
                    dt { (text.get("daily-salt")) } dd { code { (salt) } }
                }
            }
            @if view.is_today { p.sub { (emphasised(&text.get("daily-opens"))) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_eight_heights_and_at_most_twenty_columns() {
        assert_eq!(bars(&[0, 1, 3, 4, 12, 24, 25], 25), "▁▁▁▂▄██");
        let long: Vec<u32> = (0..25).collect();
        assert_eq!(bars(&long, 25).chars().count(), 13);
    }
}
