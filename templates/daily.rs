//! The pages of the board of the day: before and after the viewer's scored game, and of past days.

use std::fmt::Write as _;
use std::sync::Arc;

use maud::{Markup, PreEscaped, html};

use super::board::{BoardComponent, ShortDecimal};
use super::controls::TableContext;
use super::countdown::{CountdownView, countdown, local_time};
use super::games::sentence_with_times;
use super::localization::{MessageValue, Translations};
use super::page::{
    Refresh, SiteContext, emphasised, linked, page_title, page_with_card, stylesheet_link,
};
use super::players::{PlayerNames, PlayerView};
use super::review::{NotableDecisionView, NotableDecisionsView, action_text};
use super::social_card::SocialCard;

mod picture;
pub(super) mod squares;

pub use picture::daily_picture;

/// View of the page of a day.
#[derive(Clone, Debug)]
pub struct DailyView {
    /// The day, such as `2026-11-27`.
    pub day: String,
    /// What can be done with the board.
    pub phase: DayPhase,
    /// When it cannot be begun any more and the next board comes; `None` if that has passed.
    pub next: Option<CountdownView>,
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
    /// What was played the day before, on the page of today.
    pub yesterday: Option<YesterdayView>,
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

/// What was played yesterday.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct YesterdayView {
    /// The best result.
    pub best: DailyScoreView,
    /// Public id of the game with that result, if everybody may watch it.
    pub best_game: Option<String>,
    /// The viewer's result.
    pub own: Option<DailyScoreView>,
}

/// A result of a day.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DailyScoreView {
    /// The hexes at the end.
    pub hexes: u32,
    /// Whether the game was won.
    pub is_won: bool,
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
    /// The hexes of all players after each of the viewer's turns.
    pub by_turn: Vec<Vec<u32>>,
    /// Whether everybody may watch the game once the day is over.
    pub is_shown: bool,
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
    Scored(DailyScoreView),
}

/// From this number of games on, a result is compared with the others.
const COMPARED_GAMES: u32 = 20;

/// The most days in a row that have a tick each.
const MAX_TICKS: u32 = 7;

/// A loss of at most this many points counts as none.
const SMALL_LOSS: u32 = 2;

/// Renders the page of a day.
#[must_use]
pub fn daily_page(site: &SiteContext<'_>, text: &Translations, view: &DailyView) -> Markup {
    let title = title(text, view);
    let card = SocialCard {
        title: title.clone(),
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
            (refresh, result_page(site, text, view, result))
        }
        attempt => (
            Refresh::Never,
            start_page(site, text, view, attempt, &title),
        ),
    };
    let title = page_title(text, &title);
    page_with_card(site, text, &title, &refresh, Some(&card), main)
}

fn title(text: &Translations, view: &DailyView) -> String {
    let day = day_in_words(text, &view.day);
    let title = text.get_with("daily-title", &[("day", day.into())]);
    title.into_owned()
}

/// A day such as `2026-11-27` in words, without its year.
pub(super) fn day_in_words(text: &Translations, day: &str) -> String {
    let mut parts = day.split('-').skip(1).map(|part| part.parse::<u32>());
    let (Some(Ok(month)), Some(Ok(number))) = (parts.next(), parts.next()) else {
        return day.to_owned();
    };
    let key = format!("month-{month}");
    let name = text.get(&key);
    let values = [("day", number.into()), ("month", (&*name).into())];
    text.get_with("daily-date", &values).into_owned()
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
                @if view.phase == DayPhase::Open { (streak(text, view.streak)) }
                @if let Some(next) = &view.next { (deadline(site, text, "daily-until", next)) }
                (rules(text, view))
                @if let AttemptView::Unfinished { id } = attempt {
                    p.lead { (linked(&text.get("daily-unfinished"), html! { (text.path("/g/")) (id) })) }
                }
                (start(text, view, attempt))
                (played(text, view))
                @if let Some(yesterday) = &view.yesterday { (yesterday_line(text, yesterday)) }
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
) -> Markup {
    let heading = result_line(text, view, result);
    html! {
        main #main.daily.over {
            (stylesheet_link(site, "review.css"))
            (stylesheet_link(site, "daily.css"))
            section.head {
                @if result.is_won { (view.board.won_picture(text, &site.display, &heading, 0)) }
                @else { (view.board.picture(text, &site.display, &heading)) }
                div.facts {
                    p.eyebrow { (title(text, view)) }
                    h1 { (heading) }
                    @match better_than(view, result.hexes) {
                        Some(share) => { p.lead { (emphasised(&better_line(text, view, share))) } }
                        None => { (played(text, view)) }
                    }
                    (streak(text, view.streak))
                    div.ways {
                        button.btn.main.scripted type="button" data-of="daily-text" data-done=(text.get("seat-copied")) data-said=(text.get("daily-copied")) data-share="touch" {
                            svg.ico aria-hidden="true" { use href="#i-copy" {} }
                            span { (text.get("daily-copy")) }
                        }
                        a.btn href={ (text.path("/g/")) (result.id) "/review" } { (text.get("daily-review")) }
                        form method="post" action={ (text.path("/daily/")) (view.day) } { button.btn { (text.get("daily-again")) } }
                    }
                    @if let Some(next) = &view.next { (deadline(site, text, "daily-next-board", next)) }
                    @else { p.sub { (linked(&text.get("daily-to-today"), text.path("/daily"))) } }
                }
            }
            (distribution(text, view))
            (share(text, view, result))
            (decisions(site, text, result))
            (rest(text, view, result))
            (calendar(text, view))
            (commitment(text, view))
        }
    }
}

/// The days in a row, with a tick for each of the last ones.
fn streak(text: &Translations, days: u32) -> Markup {
    html! {
        @if days > 0 {
            p.streak {
                @for _ in 0..days.min(MAX_TICKS) { i aria-hidden="true" { svg.ico { use href="#i-tick" {} } } }
                b { (text.get_with("daily-streak", &[("days", days.into())])) }
            }
        }
    }
}

/// A sentence with the time left, and when that is.
fn deadline(
    site: &SiteContext<'_>,
    text: &Translations,
    key: &str,
    until: &CountdownView,
) -> Markup {
    let sentence = text.get_with(key, &[("left", "|".into())]);
    let (before, after) = sentence.split_once('|').unwrap_or((&sentence, ""));
    html! {
        p.deadline { b { (before) (countdown(site, text, until)) (after) } (text.get("sentence-gap")) (local_time(text, until)) }
    }
}

/// The best result of yesterday and the viewer's own.
pub(super) fn yesterday_line(text: &Translations, yesterday: &YesterdayView) -> Markup {
    let YesterdayView {
        best,
        best_game,
        own,
    } = yesterday;
    let score = |key, score: &DailyScoreView| {
        let result = if score.is_won { "won" } else { "lost" };
        let values = [("hexes", score.hexes.into()), ("result", result.into())];
        text.get_with(key, &values)
    };
    html! {
        p.yesterday {
            (emphasised(&score("daily-yesterday-best", best)))
            @if let Some(own) = own { (text.get("sentence-gap")) (emphasised(&score("daily-yesterday-own", own))) }
            @if let Some(game) = best_game {
                (text.get("sentence-gap")) a href={ (text.path("/g/")) (game) "/0#play" } { (text.get("daily-yesterday-watch")) }
            }
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
    let (keys, counts) = match view.phase {
        DayPhase::Open => (
            &["daily-deal", "daily-dice", "daily-once", "daily-off"][..],
            Some("daily-times"),
        ),
        DayPhase::Closing => (&[][..], Some("daily-closing")),
        DayPhase::Over => (&["daily-past"][..], None),
    };
    html! {
        ul {
            @for key in keys { li { (text.get(key)) } }
            @if let Some(key) = counts { li { (sentence_with_times(text, key, &[("over", view.over_ms)])) } }
        }
    }
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
    let values = result_values(view, result);
    text.get_with("daily-result", &values).into_owned()
}

fn result_values(
    view: &DailyView,
    result: &DailyResultView,
) -> [(&'static str, MessageValue<'static>); 4] {
    [
        ("result", if result.is_won { "won" } else { "lost" }.into()),
        ("hexes", result.hexes.into()),
        ("all", view.hexes.into()),
        ("days", view.streak.into()),
    ]
}

/// Which share of the others is worse, with that number between bars.
fn better_line(text: &Translations, view: &DailyView, share: u32) -> String {
    let values = [
        ("share", share.into()),
        ("people", view.games().into()),
        (
            "state",
            match view.phase {
                DayPhase::Over => "over",
                DayPhase::Open | DayPhase::Closing => "open",
            }
            .into(),
        ),
    ];
    text.get_with("daily-better", &values).into_owned()
}

/// The text that is copied, drawn as it is copied. Without scripts its field is shown, and where it is focused.
fn share(text: &Translations, view: &DailyView, result: &DailyResultView) -> Markup {
    let rows = squares::rows(&result.by_turn);
    html! {
        section.shared {
            h2 { (text.get("daily-text")) }
            div.drawn {
                p { (text_title(text, view)) }
                p { (text_result(text, view, result)) }
                ol {
                    @for (turn, row) in &rows {
                        @let own = row.iter().filter(|player| **player == 0).count();
                        li {
                            span.vh { (text.get_with("daily-squares", &[("turn", (*turn).into()), ("own", (own as u32).into())])) }
                            @for player in row { i class={ "p" (player % 6) } aria-hidden="true" {} }
                        }
                    }
                }
                p.address { (result.address) }
            }
            textarea #daily-text readonly rows="8" aria-label=(text.get("daily-text")) { (result_text(text, view, result, &rows)) }
        }
    }
}

/// What else can be done with the game.
fn rest(text: &Translations, view: &DailyView, result: &DailyResultView) -> Markup {
    let shown = if result.is_shown { "off" } else { "on" };
    html! {
        section.rest {
            form method="post" action={ (text.path("/daily/")) (view.day) "/shown" } {
                button.flip name="shown" value=(shown) aria-pressed=(if result.is_shown { "true" } else { "false" }) { i {} (text.get("daily-show")) }
                p.sub { (sentence_with_times(text, "daily-show-about", &[("over", view.over_ms)])) }
            }
            p.links {
                a href={ (text.path("/g/")) (result.id) } { (text.get("daily-look")) }
                a href={ (text.path("/daily/")) (view.day) "/result.png" } { (text.get("daily-picture")) }
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
                    @if let Some(best) = &found.best {
                        h2 { (text.get("daily-best")) }
                        (best.board.draw(&table))
                        p { (decision(&table, best, "daily-best-text")) }
                    }
                    h2 { (text.get("daily-costliest")) }
                    @match found.costliest.as_ref().filter(|one| one.points > SMALL_LOSS) {
                        Some(costliest) => { p { (decision(&table, costliest, "daily-costliest-text")) } }
                        None => { p { (text.get_with("daily-no-cost", &[("points", SMALL_LOSS.into())])) } }
                    }
                    p.sub { (text.get("review-point")) }
                }
            }
        }
    }
}

fn decision(table: &TableContext<'_>, decision: &NotableDecisionView, sentence: &str) -> Markup {
    let text = table.text;
    let action = |action, place| action_text(table, action, place).into();
    let values = [
        ("points", decision.points.into()),
        ("played", action(decision.played.as_ref(), "head")),
        ("other", action(Some(&decision.other), "within")),
    ];
    html! {
        (emphasised(&text.get_with(sentence, &values))) " "
        @if let Some(why) = &decision.why { (emphasised(&table.sentence(why))) " " }
        a href={ (text.path("/g/")) (table.id) "/" (decision.page) } { (text.get("daily-see")) }
    }
}

fn text_title(text: &Translations, view: &DailyView) -> String {
    let day = day_in_words(text, &view.day);
    let title = text.get_with("daily-text-title", &[("day", day.into())]);
    title.into_owned()
}

fn text_result(text: &Translations, view: &DailyView, result: &DailyResultView) -> String {
    let values = result_values(view, result);
    text.get_with("daily-text-result", &values).into_owned()
}

/// The result as plain text: what was held after each turn, without moves or places.
fn result_text(
    text: &Translations,
    view: &DailyView,
    result: &DailyResultView,
    rows: &[squares::Row],
) -> String {
    let mut lines = vec![text_title(text, view), text_result(text, view, result)];
    lines.extend(rows.iter().map(|(_, row)| squares::emoji(row)));
    lines.push(result.address.clone());
    lines.join("\n")
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
            header {
                h2 { (text.get("daily-scores")) }
                p.key { span { i.won {} (text.get("daily-won")) } span { i {} (text.get("daily-lost")) } }
            }
            (histogram(text, view, own))
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

fn histogram(text: &Translations, view: &DailyView, own: Option<u32>) -> Markup {
    const STEP: f64 = 24.0;
    const HEIGHT: f64 = 150.0;
    /// The space above the highest bar, for the viewer's mark.
    const TOP: f64 = 40.0;
    let most = (0..=view.hexes).map(|hexes| {
        let (won, lost) = games_with(view, hexes);
        won + lost
    });
    let scale = HEIGHT / f64::from(most.max().unwrap_or(1).max(1));
    let width = STEP * f64::from(view.hexes + 1);
    let mut bars = String::new();
    for hexes in 0..=view.hexes {
        let (won, lost) = games_with(view, hexes);
        let is_own = own == Some(hexes);
        let x = STEP * f64::from(hexes) + 2.0;
        let middle = x + STEP / 2.0 - 2.0;
        let mut y = HEIGHT + TOP;
        for (class, games) in [("won", won), ("lost", lost)] {
            let height = f64::from(games) * scale;
            y -= height;
            if games > 0 {
                let own = if is_own { " own" } else { "" };
                let (x, y, height) = (ShortDecimal(x), ShortDecimal(y), ShortDecimal(height));
                let _ = write!(
                    bars,
                    r#"<rect class="{class}{own}" x="{x}" y="{y}" width="20" height="{height}"/>"#
                );
            }
        }
        if is_own {
            let (x, tip) = (ShortDecimal(middle), ShortDecimal(y - 4.0));
            // The flag is on the side with more space.
            let (anchor, glyph, words) = match hexes * 2 > view.hexes {
                true => ("end", -14.0, -26.0),
                false => ("start", 14.0, 26.0),
            };
            let flag = text.get_with("daily-flag", &[("hexes", hexes.into())]);
            let _ = write!(
                bars,
                r##"<path class="own" d="M{x} {tip}l-8-11h16z"/><use class="own" href="#gl0" x="{}" y="{}" width="16" height="16"/><text class="own" text-anchor="{anchor}" x="{}" y="{}">{flag}</text>"##,
                ShortDecimal(middle + glyph - 8.0),
                ShortDecimal(y - 33.0),
                ShortDecimal(middle + words),
                ShortDecimal(y - 19.0),
            );
        }
        if hexes % 5 == 0 {
            let _ = write!(
                bars,
                r#"<text x="{}" y="{}">{hexes}</text>"#,
                ShortDecimal(middle),
                HEIGHT + TOP + 18.0
            );
        }
    }
    let about = match own {
        Some(own) => text.get_with("daily-bars-own", &[("hexes", own.into())]),
        None => text.get("daily-bars"),
    };
    html! {
        svg.bars.p0 viewBox={ "0 0 " (ShortDecimal(width)) " " (ShortDecimal(HEIGHT + TOP + 40.0)) } role="img" aria-label=(about) {
            (PreEscaped(bars))
            text x=(ShortDecimal(width / 2.0)) y=(ShortDecimal(HEIGHT + TOP + 37.0)) { (text.get("daily-bars-below")) }
        }
    }
}

fn calendar(text: &Translations, view: &DailyView) -> Markup {
    html! {
        section.past {
            h2 { (text.get("daily-calendar")) }
            ol {
                @for day in &view.calendar {
                    @let (class, words) = match day.own {
                        OwnDayView::Scored(DailyScoreView { hexes, is_won: true }) => ("won", text.get_with("daily-day-won", &[("hexes", hexes.into())])),
                        OwnDayView::Scored(DailyScoreView { hexes, is_won: false }) => ("lost", text.get_with("daily-day-lost", &[("hexes", hexes.into())])),
                        OwnDayView::Begun => ("begun", text.get("daily-day-begun")),
                        OwnDayView::None => ("", text.get("daily-day-none")),
                    };
                    li {
                        @if day.exists {
                            a class=(class) href={ (text.path("/daily/")) (day.day) } {
                                span.vh { (day_in_words(text, &day.day)) (text.get("label-colon")) (words) }
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
        details.seal {
            summary { (text.get("daily-check")) }
            p { (text.get("daily-seal-why")) (text.get("sentence-gap")) (text.get("daily-openly")) }
            @if view.is_late { p { (text.get("daily-late")) } }
            dl {
                dt { (day_in_words(text, &view.day)) } dd { code { (view.commitment) } }
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
