//! The pages of the board of the day: before and after the viewer's scored game, and of past days.

use std::fmt::Write as _;
use std::sync::Arc;

use maud::{Markup, PreEscaped, html};

use super::board::{BoardComponent, ShortDecimal};
use super::controls::TableContext;
use super::games::sentence_with_times;
use super::localization::Translations;
use super::page::{
    Refresh, SiteContext, emphasised, linked, page_title, page_with_card, stylesheet_link,
};
use super::players::{PlayerNames, PlayerView};
use super::review::{NotableDecisionView, NotableDecisionsView, action_text};
use super::social_card::SocialCard;
use super::svg_symbols::text_glyph;

mod picture;

pub use picture::daily_picture;

/// View of the page of a day.
#[derive(Clone, Debug)]
pub struct DailyView {
    /// The day, such as `2026-11-27`.
    pub day: String,
    /// What can be done with the board.
    pub phase: DayPhase,
    /// Unix time in milliseconds from which on it cannot be begun.
    pub end_ms: i64,
    /// Unix time in milliseconds at which the day is over: what is played then does not count, and the secret is public.
    pub over_ms: i64,
    /// The board at the start, or at the end of the viewer's game.
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

/// What can be done with the board of a day.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DayPhase {
    /// It can be begun.
    Open,
    /// It cannot be begun any more; what was begun still counts.
    Closing,
    /// Nothing counts any more.
    Over,
}

impl DailyView {
    /// The number of games that are over.
    fn games(&self) -> u32 {
        self.counts.iter().map(|count| count.games).sum()
    }
}

/// The viewer's scored game of a day.
#[derive(Clone, Debug)]
pub enum AttemptView {
    /// It has not begun.
    None,
    /// It was begun in this browser, whose record was deleted since.
    Deleted,
    /// It is in progress.
    Begun {
        /// Public id of the game.
        id: String,
    },
    /// It did not end before its day was over.
    Unfinished {
        /// Public id of the game.
        id: String,
    },
    /// It is over.
    Over(Box<DailyResultView>),
}

/// The viewer's result of a day.
#[derive(Clone, Debug)]
pub struct DailyResultView {
    /// Public id of the game.
    pub id: String,
    /// The viewer's hexes at the end.
    pub hexes: u32,
    /// Whether the viewer was the only winner.
    pub is_won: bool,
    /// The viewer's hexes after each own turn.
    pub by_turn: Vec<u32>,
    /// All players with hexes at the end, most first: player and number.
    pub players: Vec<(u8, u32)>,
    /// Address of this page as the viewer sees it.
    pub address: String,
    /// All players, for their names.
    pub seats: Vec<PlayerView>,
    /// The viewer's best and costliest decision.
    pub decisions: DailyDecisionsView,
}

/// The viewer's best and costliest decision of a day.
#[derive(Clone, Debug)]
pub enum DailyDecisionsView {
    /// The game cannot be analysed.
    Unavailable,
    /// The analysis is queued or runs.
    InProgress {
        /// Number of evaluated decisions.
        done: u32,
        /// Number of all decisions.
        of: u32,
    },
    /// The analysis is complete.
    Ready(Box<NotableDecisionsView>),
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
    /// What the viewer did.
    pub own: OwnDayView,
}

/// What the viewer did on a day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OwnDayView {
    /// Nothing.
    None,
    /// The scored game was begun and not finished.
    Begun,
    /// It has a score.
    Scored {
        /// The viewer's hexes at the end.
        hexes: u32,
        /// Whether the game was won.
        is_won: bool,
    },
}

/// From this number of games on, a result is compared with the others.
const COMPARED_GAMES: u32 = 20;

/// The most turns that the text shows: of more, every second one.
const TEXT_TURNS: usize = 20;

/// A loss of at most this many points counts as none.
const SMALL_LOSS: u32 = 2;

/// Renders the page of a day.
#[must_use]
pub fn daily_page(site: &SiteContext<'_>, text: &Translations, view: &DailyView) -> Markup {
    let day = [("day", view.day.as_str().into())];
    let title = text.get_with("daily-title", &day);
    let card = SocialCard {
        title: title.to_string(),
        description: text.get("daily-headline").into_owned(),
        path: Some(format!("/daily/{}", view.day)),
        picture: format!("/daily/{}/board.png", view.day),
    };
    let (refresh, main) = match &view.attempt {
        AttemptView::Over(result) => {
            let refresh = match result.decisions {
                DailyDecisionsView::InProgress { .. } => Refresh::WithoutScripts(5),
                _ => Refresh::Never,
            };
            (refresh, result_page(site, text, view, result, &title))
        }
        attempt => (
            Refresh::Never,
            start_page(site, text, view, attempt, &title),
        ),
    };
    let title = page_title(text, &title);
    page_with_card(site, text, &title, &refresh, Some(&card), main)
}

fn start_page(
    site: &SiteContext<'_>,
    text: &Translations,
    view: &DailyView,
    attempt: &AttemptView,
    title: &str,
) -> Markup {
    html! {
        main #main.daily {
            (stylesheet_link(site, "daily.css"))
            section.facts {
                p.eyebrow { (title) }
                h1 { (text.get(if view.phase == DayPhase::Open { "daily-headline" } else { "daily-headline-past" })) }
                (rules(text, view))
                @if let AttemptView::Unfinished { id } = attempt {
                    p.lead { (linked(&text.get("daily-unfinished"), html! { (text.path("/g/")) (id) })) }
                }
                (start(text, view, attempt))
                (played(text, view))
            }
            div.picture { (view.board.picture(text, &site.display, title)) }
            (distribution(text, view))
            (calendar(text, view))
            (commitment(text, view))
        }
    }
}

fn result_page(
    site: &SiteContext<'_>,
    text: &Translations,
    view: &DailyView,
    result: &DailyResultView,
    title: &str,
) -> Markup {
    html! {
        main #main.daily.over {
            (stylesheet_link(site, "review.css"))
            (stylesheet_link(site, "daily.css"))
            section.facts {
                p.eyebrow { (title) }
                h1 { (result_line(text, view, result)) }
                @if let Some(line) = share_line(text, view, result) { p.lead { (line) } }
                p.go {
                    a.btn href={ (text.path("/g/")) (result.id) "/review" } { (text.get("daily-review")) }
                    a.btn href={ (text.path("/g/")) (result.id) } { (text.get("daily-look")) }
                }
                (played(text, view))
            }
            (distribution(text, view))
            (share(text, view, result))
            (decisions(site, text, result))
            (calendar(text, view))
            (commitment(text, view))
        }
    }
}

/// How many people have played, while more can.
fn played(text: &Translations, view: &DailyView) -> Markup {
    let games = [("games", view.games().into())];
    html! { @if view.phase != DayPhase::Over { p.sub { (text.get_with("daily-played", &games)) } } }
}

/// What the viewer should know before the first attack.
fn rules(text: &Translations, view: &DailyView) -> Markup {
    let keys = match view.phase {
        DayPhase::Open => &["daily-deal", "daily-dice", "daily-once", "daily-off"][..],
        DayPhase::Closing => &[],
        DayPhase::Over => &["daily-past"],
    };
    html! {
        ul {
            @for key in keys { li { (text.get(key)) } }
            @if let Some(times) = times(text, view) { li { (times) } }
        }
    }
}

/// Until when the board can be begun, and until when what was begun counts.
fn times(text: &Translations, view: &DailyView) -> Option<Markup> {
    let key = match view.phase {
        DayPhase::Open => "daily-times",
        DayPhase::Closing => "daily-closing",
        DayPhase::Over => return None,
    };
    Some(sentence_with_times(
        text,
        key,
        &[("end", view.end_ms), ("over", view.over_ms)],
    ))
}

fn start(text: &Translations, view: &DailyView, attempt: &AttemptView) -> Markup {
    html! {
        @match attempt {
            AttemptView::Begun { id } => { a.btn.main.huge href={ (text.path("/g/")) (id) } { (text.get("daily-continue")) } }
            AttemptView::Deleted if view.phase != DayPhase::Over => { p { (text.get("daily-begun-before")) } }
            _ if view.phase == DayPhase::Open => {
                form method="post" action=(text.path("/daily")) { input type="hidden" name="day" value=(view.day); button.btn.main.huge { (text.get("daily-start")) } }
            }
            _ if view.phase == DayPhase::Closing => {}
            _ => {
                form method="post" action={ (text.path("/daily/")) (view.day) } { button.btn.main { (text.get("daily-play-past")) } }
            }
        }
    }
}

/// Better than this share of all games: those with fewer hexes. `None` if there are too few games, or
/// for less than one per cent.
fn better_than(view: &DailyView, hexes: u32) -> Option<u32> {
    let games = view.games();
    let fewer = view.counts.iter().filter(|count| count.hexes < hexes);
    let fewer: u32 = fewer.map(|count| count.games).sum();
    let share = (games >= COMPARED_GAMES).then(|| fewer * 100 / games);
    share.filter(|share| *share > 0)
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

/// The result as text and as a picture.
fn share(text: &Translations, view: &DailyView, result: &DailyResultView) -> Markup {
    html! {
        section.hand {
            h2 { (text.get("daily-share")) }
            textarea #daily-text readonly rows="7" aria-label=(text.get("daily-text")) { (result_text(text, view, result)) }
            p.go {
                button.btn.main.scripted type="button" data-of="daily-text" data-done=(text.get("seat-copied")) { (text.get("daily-copy")) }
                button.btn.sharing type="button" data-of="daily-text" data-share { (text.get("seat-share")) }
                a.btn href={ (text.path("/daily/")) (view.day) "/result.png" } { (text.get("daily-picture")) }
            }
        }
    }
}

/// The viewer's best and costliest decision; the space is kept while they are being looked for.
fn decisions(site: &SiteContext<'_>, text: &Translations, result: &DailyResultView) -> Markup {
    let names = PlayerNames::new(text, &result.seats);
    let table = TableContext {
        text,
        display: &site.display,
        names: &names,
        id: &result.id,
        ply: 0,
    };
    html! {
        @match &result.decisions {
            DailyDecisionsView::Unavailable => {}
            DailyDecisionsView::InProgress { done, of } => {
                section.decisions.looking data-wait aria-live="polite" {
                    p { (text.get("daily-looking")) }
                    progress value=(done) max=((*of).max(1)) aria-label=(text.get("daily-looking")) {}
                    script type="module" src=(site.assets.url("wait.js")) {}
                }
            }
            DailyDecisionsView::Ready(found) => {
                section.decisions {
                    @if let Some(best) = &found.best { (decision(&table, best, DecisionKind::Best)) }
                    @match found.costliest.as_ref().filter(|one| one.points > SMALL_LOSS) {
                        Some(costliest) => { (decision(&table, costliest, DecisionKind::Costliest)) }
                        None => { div.notable.none { h2 { (text.get("daily-costliest")) } p { (text.get_with("daily-no-cost", &[("points", SMALL_LOSS.into())])) } } }
                    }
                    p.sub { (text.get("review-point")) }
                }
            }
        }
    }
}

#[derive(Clone, Copy)]
enum DecisionKind {
    Best,
    Costliest,
}

fn decision(
    table: &TableContext<'_>,
    decision: &NotableDecisionView,
    kind: DecisionKind,
) -> Markup {
    let text = table.text;
    let (title, sentence) = match kind {
        DecisionKind::Best => ("daily-best", "daily-best-text"),
        DecisionKind::Costliest => ("daily-costliest", "daily-costliest-text"),
    };
    let action = |action, place| action_text(table, action, place).into();
    let values = [
        ("points", decision.points.into()),
        ("played", action(decision.played.as_ref(), "head")),
        ("other", action(Some(&decision.other), "within")),
    ];
    html! {
        div.notable {
            (decision.board.draw(table))
            div {
                h2 { (text.get(title)) }
                p {
                    (emphasised(&text.get_with(sentence, &values))) " "
                    @if let Some(why) = &decision.why { (emphasised(&table.sentence(why))) " " }
                    a href={ (text.path("/g/")) (table.id) "/" (decision.page) } { (text.get("daily-see")) }
                }
            }
        }
    }
}

/// The result as plain text without moves or hexes.
fn result_text(text: &Translations, view: &DailyView, result: &DailyResultView) -> String {
    let players = result.players.iter();
    let players: Vec<String> = players
        .map(|(player, hexes)| format!("{} {hexes}", text_glyph(*player)))
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
    if view.games() == 0 {
        return html! {};
    }
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
                    @let (class, words) = match day.own {
                        OwnDayView::Scored { hexes, is_won: true } => ("won", text.get_with("daily-day-won", &[("hexes", hexes.into())])),
                        OwnDayView::Scored { hexes, is_won: false } => ("lost", text.get_with("daily-day-lost", &[("hexes", hexes.into())])),
                        OwnDayView::Begun => ("begun", text.get("daily-day-begun")),
                        OwnDayView::None => ("", text.get("daily-day-none")),
                    };
                    li {
                        @if day.exists {
                            a class=(class) href={ (text.path("/daily/")) (day.day) } {
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
            @if view.phase != DayPhase::Over { p.sub { (sentence_with_times(text, "daily-opens", &[("over", view.over_ms)])) } }
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
