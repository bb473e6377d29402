//! The viewer's own record: statistics, all games, and what can be done with the data.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};

use super::board::ShortDecimal;
use super::games::{CardView, MONTHS, cards};
use super::hint::percent_text;
use super::levels::level_name;
use super::localization::Translations;
use super::message::LocalizedMessage;
use super::page::{Refresh, SiteContext, page, page_title, stylesheet_link};
use super::players::PlayerNames;
use super::review::signed;
use super::seats;
use super::start::opponents_key;

/// From this number of games on, graphs are shown.
const MIN_GAMES_FOR_GRAPHS: u32 = 5;

/// The newest months in the graphs.
const MAX_MONTHS: usize = 12;

/// View of the page `/me`.
#[derive(Clone, Debug)]
pub struct MyRecordView {
    /// The filter of the statistics and of the games.
    pub filter: RecordFilterView,
    /// The number of all games, before any filter.
    pub all_games: u32,
    /// Whether older games exist that are not counted.
    pub is_truncated: bool,
    /// The month of the oldest game, such as `2026-11`.
    pub since: String,
    /// The number of finished games.
    pub played: u32,
    /// Games without another winner.
    pub won: u32,
    /// The mean part of a win, 0..=1, and the expected one.
    pub share: (f64, Option<f64>),
    /// The mean accuracy of the newest reviewed games, 0..=1.
    pub accuracy: Option<f64>,
    /// The number of games that [`Self::accuracy`] is the mean of.
    pub accuracy_games: u32,
    /// The days in a row with a scored game up to today, the longest such row, and the number of all such days.
    pub days: (u32, u32, u32),
    /// The puzzles solved and answered, and the rating.
    pub puzzles: (u32, u32, u32),
    /// Wins by opponents.
    pub by_opponents: Vec<OpponentResultsView>,
    /// What reviews say, by month.
    pub months: Vec<MonthView>,
    /// How many games are being reviewed.
    pub reviewing: u32,
    /// How many of the newest games a press on the button reviews.
    pub to_review: u32,
    /// The games of this page of the list.
    pub cards: Vec<CardView>,
    /// The number of the first game on this page, counted from 1, and of all games of the list.
    pub listed: (u32, u32),
    /// Address of the page with newer games.
    pub newer: Option<String>,
    /// Address of the page with older games.
    pub older: Option<String>,
    /// Whether the viewer has seats from before the site moved to TLS that can be carried over.
    pub carry_over: bool,
    /// The game that the button starts.
    pub game: &'static str,
}

/// The filter: what can be chosen, and what is.
#[derive(Clone, Debug, Default)]
pub struct RecordFilterView {
    /// Value and heading of each game with its parameters.
    pub rules: Vec<(String, LocalizedMessage)>,
    /// The chosen one; empty for all.
    pub chosen_rules: String,
    /// The months with games, such as `2026-11`, newest first.
    pub months: Vec<String>,
    /// The chosen month; empty for all.
    pub month: String,
    /// The text that a player's name contains.
    pub name: String,
    /// `won`, `tied`, `lost`, `open`, or empty for all.
    pub result: String,
    /// The names of the opponents, such as `easy` or `people`.
    pub opponents: Vec<&'static str>,
    /// The chosen one; empty for all.
    pub chosen_opponents: String,
}

/// Wins against the same opponents.
#[derive(Clone, Copy, Debug)]
pub struct OpponentResultsView {
    /// Name of the preset or level, `mixed` or `people`.
    pub opponents: &'static str,
    /// The number of games.
    pub games: u32,
    /// The mean part of a win, 0..=1.
    pub share: f64,
    /// The expected one.
    pub expected: Option<f64>,
}

/// What the reviews of a month say: means over its reviewed games.
#[derive(Clone, Debug)]
pub struct MonthView {
    /// Such as `2026-11`.
    pub month: String,
    /// The number of reviewed games.
    pub games: u32,
    /// Luck of the own dice, in points.
    pub luck: i32,
    /// The own decisions, in points.
    pub decisions: i32,
    /// 0..=1.
    pub accuracy: f64,
}

/// Renders the page `/me`.
#[must_use]
pub fn my_record_page(site: &SiteContext<'_>, text: &Translations, view: &MyRecordView) -> Markup {
    let title = text.get("me-title");
    let main = html! {
        main #main.record {
            (stylesheet_link(site, "my-record.css"))
            header.intro {
                h1 { (title) }
                @if view.all_games > 0 {
                    p.sub {
                        (since(text, view)) (text.get("sentence-gap"))
                        a href=(text.path("/device")) { (text.get("me-device")) }
                    }
                    (period(text, view))
                } @else {
                    p.lead { (text.get("games-none")) }
                    form.now method="post" action=(text.path("/games")) {
                        input type="hidden" name="game" value=(view.game);
                        input type="hidden" name="opponents" value="easy";
                        button.btn.main { (text.get("start-play")) }
                    }
                    p { a href=(text.path("/device")) { (text.get("me-device")) } }
                }
            }
            @if view.carry_over { (seats::carry_over(text, None)) }
            @if view.all_games > 0 || view.puzzles.1 > 0 { (numbers(text, view)) }
            @if view.all_games > 0 {
                @if view.played >= MIN_GAMES_FOR_GRAPHS { (graphs(text, view)) }
                @else { p.sub { (text.get_with("me-few", &[("games", MIN_GAMES_FOR_GRAPHS.into())])) } }
                (games(text, view))
            }
            @if view.all_games > 0 || view.days.2 > 0 || view.puzzles.1 > 0 { (data(text)) }
            p.links { a href=(text.path("/upload")) { (text.get("upload-ask")) } }
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}

fn since(text: &Translations, view: &MyRecordView) -> String {
    let values = [
        ("games", view.all_games.into()),
        ("month", month_name(text, &view.since, "within").into()),
    ];
    let sentence = text.get_with("me-since", &values).into_owned();
    if view.is_truncated {
        let newest = text.get_with("me-newest", &[("games", view.all_games.into())]);
        return format!("{sentence} {newest}");
    }
    sentence
}

/// A month such as `2026-11` in words.
/// A month such as `2026-11` by its name; `place` is `within` a sentence, or `alone`.
fn month_name(text: &Translations, month: &str, place: &'static str) -> String {
    let (year, number) = month.split_once('-').unwrap_or((month, "1"));
    let number: u32 = number.parse().unwrap_or(1);
    let name = text.get(MONTHS[(number.saturating_sub(1)) as usize % MONTHS.len()]);
    let values = [
        ("month", (&*name).into()),
        ("n", number.into()),
        ("place", place.into()),
        ("year", year.into()),
    ];
    text.get_with("me-month", &values).into_owned()
}

fn opponents_name(text: &Translations, opponents: &str) -> String {
    match opponents_key(opponents) {
        Some(key) => text.get_with(key, &[("place", "head".into())]).into_owned(),
        None if opponents == "people" => text.get("me-people").into_owned(),
        None if opponents == "mixed" => text.get("me-mixed").into_owned(),
        None => level_name(text, opponents),
    }
}

/// A select of the filter's form.
fn select(
    text: &Translations,
    (name, label): (&str, &str),
    all: &str,
    options: impl Iterator<Item = (String, String)>,
    chosen: &str,
) -> Markup {
    html! {
        select name=(name) form="filter" aria-label=(text.get(label)) {
            option value="" { (text.get(all)) }
            @for (value, label) in options {
                option value=(value) selected[value == chosen] { (label) }
            }
        }
    }
}

/// The part of the filter that applies to the statistics too.
fn period(text: &Translations, view: &MyRecordView) -> Markup {
    let filter = &view.filter;
    let names = PlayerNames::none(text);
    let rules = filter.rules.iter();
    let rules = rules.map(|(value, heading)| (value.clone(), heading.render(text, &names)));
    let months = filter.months.iter();
    let months = months.map(|month| (month.clone(), month_name(text, month, "alone")));
    html! {
        div.choices {
            (select(text, ("rules", "me-rules"), "me-all-rules", rules, &filter.chosen_rules))
            (select(text, ("month", "me-period"), "me-all-time", months, &filter.month))
            noscript { button.btn form="filter" { (text.get("me-show")) } }
        }
    }
}

fn numbers(text: &Translations, view: &MyRecordView) -> Markup {
    let percent = |share: f64| text.language().format_percent(share);
    let (share, expected) = view.share;
    let (streak, longest, days) = view.days;
    let (solved, answered, rating) = view.puzzles;
    html! {
        dl.numbers {
            div {
                dt { (text.get("me-won")) }
                dd {
                    b { (text.get_with("me-won-of", &[("won", view.won.into()), ("games", view.played.into())])) }
                    @if view.played > 0 {
                        small {
                            @match expected {
                                Some(expected) => { (text.get_with("me-share-expected", &[("share", percent(share).into()), ("expected", percent(expected).into())])) }
                                None => { (text.get_with("me-share", &[("share", percent(share).into())])) }
                            }
                        }
                    }
                }
            }
            div {
                dt { (text.get("me-accuracy")) }
                dd {
                    b { @match view.accuracy { Some(accuracy) => { (percent_text(text, accuracy)) } None => "–" } }
                    small { (text.get_with("me-accuracy-games", &[("games", view.accuracy_games.into())])) }
                }
            }
            div {
                dt { a href=(text.path("/daily")) { (text.get("me-daily")) } }
                dd {
                    b { (text.get_with("me-days", &[("days", streak.into())])) }
                    small { (text.get_with("me-days-of", &[("longest", longest.into()), ("days", days.into())])) }
                }
            }
            div {
                dt { a href=(text.path("/puzzles")) { (text.get("me-puzzles")) } }
                dd {
                    b { (text.get_with("me-solved", &[("solved", solved.into())])) }
                    small { (text.get_with("me-solved-of", &[("answered", answered.into()), ("rating", rating.to_string().into())])) }
                }
            }
        }
    }
}

fn graphs(text: &Translations, view: &MyRecordView) -> Markup {
    let months = &view.months[view.months.len().saturating_sub(MAX_MONTHS)..];
    html! {
        div.graphs {
            section.card {
                h2 { (text.get("me-by-level")) }
                (wins(text, &view.by_opponents))
                p.sub { (text.get("me-by-level-line")) (text.get("sentence-gap")) a href=(text.path("/levels")) { (text.get("levels-title")) } }
            }
            section.card {
                h2 { (text.get("me-luck")) }
                @if months.is_empty() { (no_reviews(text)) } @else {
                    (luck_and_decisions(text, months))
                    p.key { span { i.full {} (text.get("me-your-dice")) } span { i {} (text.get("me-your-decisions")) } }
                    p.sub { (text.get("me-points")) }
                }
            }
            section.card {
                h2 { (text.get("me-accuracy-time")) }
                @if months.is_empty() { (no_reviews(text)) } @else {
                    (accuracy(text, months))
                    p.sub { (text.get("me-accuracy-why")) }
                    (month_table(text, months))
                }
                @if view.reviewing > 0 {
                    p { (text.get_with("me-reviewing", &[("games", view.reviewing.into())])) (text.get("sentence-gap")) a href=(text.path("/me")) { (text.get("me-refresh")) } }
                } @else if view.to_review > 0 {
                    form method="post" action=(text.path("/me/reviews")) { button.btn { (text.get_with("me-review", &[("games", view.to_review.into())])) } }
                }
            }
        }
    }
}

fn no_reviews(text: &Translations) -> Markup {
    html! { p { (text.get("me-no-reviews")) } }
}

fn wins(text: &Translations, rows: &[OpponentResultsView]) -> Markup {
    let percent = |share: f64| percent_text(text, share);
    html! {
        table {
            thead {
                tr {
                    th scope="col" { (text.get("me-opponents")) } th scope="col" { (text.get("me-games")) }
                    td {} th scope="col" { (text.get("me-share-won")) } th scope="col" { (text.get("me-expected")) } td {}
                }
            }
            tbody {
                @for row in rows {
                    tr {
                        th scope="row" { (opponents_name(text, row.opponents)) }
                        td { (row.games) }
                        td { (win_bar(row)) }
                        td { b { (percent(row.share)) } }
                        td { @if let Some(expected) = row.expected { (percent(expected)) } }
                        td {
                            @if let Some(expected) = row.expected {
                                @let more = ((row.share - expected) * 100.0).round() as i32;
                                span.good[more > 0].bad[more < 0] { (signed(more)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The bar is the share that was won, the line the expected one.
fn win_bar(row: &OpponentResultsView) -> Markup {
    let percent = |share: f64| ShortDecimal((share * 100.0).clamp(0.0, 100.0));
    html! {
        svg.bar viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true" {
            rect width="100" height="12" {}
            rect.part width=(percent(row.share)) height="12" {}
            @if let Some(expected) = row.expected { path d={ "M" (percent(expected)) " -2V14" } {} }
        }
    }
}

/// The width of a month in the graphs.
const MONTH: f64 = 60.0;

fn luck_and_decisions(text: &Translations, months: &[MonthView]) -> Markup {
    const HEIGHT: f64 = 60.0;
    let values = months
        .iter()
        .flat_map(|month| [month.luck, month.decisions]);
    let largest = values.map(i32::unsigned_abs).max().unwrap_or(0).max(1);
    let mut bars = String::new();
    for (index, month) in months.iter().enumerate() {
        for (part, (class, value)) in [("full", month.luck), ("outline", month.decisions)]
            .into_iter()
            .enumerate()
        {
            let x = MONTH * index as f64 + 6.0 + 25.0 * part as f64;
            let height = HEIGHT * f64::from(value.unsigned_abs()) / f64::from(largest);
            let (y, label) = if value > 0 {
                (-height, -height - 5.0)
            } else {
                (0.0, height + 14.0)
            };
            let (middle, x) = (ShortDecimal(x + 11.0), ShortDecimal(x));
            let (y, label, height) = (ShortDecimal(y), ShortDecimal(label), ShortDecimal(height));
            let value = signed(value);
            let _ = write!(
                bars,
                r#"<rect class="{class}" x="{x}" y="{y}" width="22" height="{height}"/><text x="{middle}" y="{label}">{value}</text>"#
            );
        }
    }
    let width = MONTH * months.len() as f64;
    let label = text.get("me-luck");
    html! {
        svg.bars viewBox={ "0 -78 " (ShortDecimal(width)) " 180" } role="img" aria-label=(label) {
            (PreEscaped(bars))
            path.axis d={ "M0 0H" (ShortDecimal(width)) } {}
            (month_labels(months, 94.0))
        }
    }
}

fn month_labels(months: &[MonthView], y: f64) -> Markup {
    html! {
        @for (index, month) in months.iter().enumerate() {
            text x=(ShortDecimal(MONTH * (index as f64 + 0.5))) y=(ShortDecimal(y)) { (month.month) }
        }
    }
}

/// The lowest value of the scale of the accuracy, in percent: a multiple of 5 below all values.
fn lowest_percent(months: &[MonthView]) -> f64 {
    let least = months.iter().map(|month| month.accuracy * 100.0);
    let least = least.fold(80.0, f64::min);
    ((least / 5.0).floor() * 5.0).clamp(0.0, 95.0)
}

fn accuracy(text: &Translations, months: &[MonthView]) -> Markup {
    const HEIGHT: f64 = 120.0;
    let lowest = lowest_percent(months);
    let y = |percent: f64| HEIGHT * (100.0 - percent) / (100.0 - lowest);
    let mut line = String::new();
    for (index, month) in months.iter().enumerate() {
        let x = ShortDecimal(MONTH * (index as f64 + 0.5));
        let command = if index == 0 { 'M' } else { 'L' };
        let _ = write!(
            line,
            "{command}{x} {}",
            ShortDecimal(y(month.accuracy * 100.0))
        );
    }
    let width = MONTH * months.len() as f64;
    let middle = (lowest + 100.0) / 2.0;
    html! {
        svg.bars viewBox={ "-46 -14 " (ShortDecimal(width + 56.0)) " 160" } role="img" aria-label=(text.get("me-accuracy-time")) {
            @for percent in [100.0, middle, lowest] {
                path.grid d={ "M0 " (ShortDecimal(y(percent))) "H" (ShortDecimal(width)) } {}
                text.scale x="-8" y=(ShortDecimal(y(percent) + 4.0)) { (text.get_with("odds", &[("odds", text.language().format_decimal(ShortDecimal(percent).to_string()).into())])) }
            }
            path.line d=(line) {}
            @for (index, month) in months.iter().enumerate() {
                circle cx=(ShortDecimal(MONTH * (index as f64 + 0.5))) cy=(ShortDecimal(y(month.accuracy * 100.0))) r="4" {}
            }
            (month_labels(months, HEIGHT + 20.0))
        }
    }
}

fn month_table(text: &Translations, months: &[MonthView]) -> Markup {
    html! {
        details {
            summary { (text.get("daily-table")) }
            table {
                thead {
                    tr {
                        @for key in ["me-month-column", "me-reviewed", "me-your-dice", "me-your-decisions", "me-accuracy-time"] {
                            th scope="col" { (text.get(key)) }
                        }
                    }
                }
                tbody {
                    @for month in months {
                        tr {
                            th scope="row" { (month_name(text, &month.month, "alone")) }
                            td { (month.games) } td { (signed(month.luck)) } td { (signed(month.decisions)) }
                            td { (percent_text(text, month.accuracy)) }
                        }
                    }
                }
            }
        }
    }
}

fn games(text: &Translations, view: &MyRecordView) -> Markup {
    let filter = &view.filter;
    let results = [
        ("won", "me-result-won"),
        ("tied", "me-result-tied"),
        ("lost", "me-result-lost"),
        ("open", "me-result-open"),
    ];
    let results = results.map(|(result, key)| (result.to_owned(), text.get(key).into_owned()));
    let opponents = filter.opponents.iter();
    let opponents = opponents.map(|name| ((*name).to_owned(), opponents_name(text, name)));
    let (first, all) = view.listed;
    let last = first + (view.cards.len() as u32).saturating_sub(1);
    html! {
        section.list {
            div.heading {
                h2 #games { (text.get("me-games-title")) }
                form #filter.choices method="get" action=(text.path("/me#games")) role="search" {
                    input type="search" name="name" value=(filter.name) maxlength="64" placeholder=(text.get("me-name")) aria-label=(text.get("me-name"));
                    (select(text, ("result", "me-result"), "me-all-results", results.into_iter(), &filter.result))
                    (select(text, ("opponents", "me-opponents"), "me-all-opponents", opponents, &filter.chosen_opponents))
                    noscript { button.btn { (text.get("me-show")) } }
                }
            }
            @if view.cards.is_empty() { p { (text.get("me-none-found")) } } @else { (cards(text, &view.cards)) }
            p.pages {
                span { @if all > 0 { (text.get_with("me-listed", &[("first", first.into()), ("last", last.into()), ("all", all.into())])) } }
                @if let Some(newer) = &view.newer { a.btn rel="prev" href=(text.path(newer)) { (text.get("me-newer")) } }
                @if let Some(older) = &view.older { a.btn rel="next" href=(text.path(older)) { (text.get("games-older")) } }
            }
        }
    }
}

fn data(text: &Translations) -> Markup {
    html! {
        section.card.data {
            p { b { (text.get("me-data")) } (text.get("sentence-gap")) (text.get("me-data-why")) }
            a.btn href=(text.path("/api/v1/games.ndjson?of=me")) download="games.ndjson" { (text.get("me-export")) }
            a.btn href=(text.path("/me/delete")) { (text.get("me-delete")) }
        }
    }
}

/// View of the page that asks before everything is deleted.
#[derive(Clone, Copy, Debug)]
pub struct DeleteRecordView {
    /// The number of games.
    pub games: u32,
    /// The number of daily scores.
    pub days: u32,
    /// The number of answers to puzzles.
    pub puzzles: u32,
}

/// Renders the page `/me/delete`.
#[must_use]
pub fn delete_record_page(
    site: &SiteContext<'_>,
    text: &Translations,
    view: &DeleteRecordView,
) -> Markup {
    let title = text.get("me-delete-title");
    let values = [
        ("games", view.games.into()),
        ("days", view.days.into()),
        ("puzzles", view.puzzles.into()),
    ];
    let main = html! {
        main #main.page {
            h1 { (title) }
            p.lead { (text.get_with("me-delete-count", &values)) }
            p { (text.get("me-delete-why")) }
            p { a.btn.main href=(text.path("/me")) { (text.get("me-keep")) } }
            form method="post" action=(text.path("/me/delete")) { button.btn { (text.get("me-delete-now")) } }
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}
