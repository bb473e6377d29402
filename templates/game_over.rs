//! The page of a finished game: the result, and what its player can do next.

use std::borrow::Cow;

use maud::{Markup, html};

use super::controls::TableContext;
use super::daily::squares;
use super::dice_audit;
use super::game::{GameView, PlayerResult, ResultView, analysis_link};
use super::games::title_of;
use super::levels::level_name;
use super::localization::Translations;
use super::log::log;
use super::message::LocalizedMessage;
use super::page::SiteContext;
use super::phrases;
use super::players::{PlayerNames, PlayerView, player_badge, players};
use super::replay;
use super::review;
use super::seats;
use super::share::share_result;
use super::start::opponents_key;

/// What a player is told and offered after a game, apart from rematches.
#[derive(Clone, PartialEq, Hash, Debug, Default)]
pub struct NextStepsView {
    /// What this win is the first of.
    pub milestone: Option<MilestoneView>,
    /// Path of the page with the result, if this was the viewer's scored game of a day.
    pub daily_result: Option<String>,
    /// The lesson that fits how the viewer played.
    pub lesson: Option<LessonCardView>,
    /// A puzzle, unless there is a lesson.
    pub puzzle: Option<PuzzleCardView>,
    /// The board of the day, unless the viewer has played it.
    pub daily: Option<DailyCardView>,
}

/// What a win is the first of. Each is said of one game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MilestoneView {
    /// The first win.
    FirstWin,
    /// The first win against computers of this strength.
    FirstWinAgainst {
        /// The name of these opponents or of their level, as in forms.
        opponents: &'static str,
    },
    /// The viewer has never won more games in a row.
    WinsInARow {
        /// The number of these games.
        wins: u32,
    },
}

impl MilestoneView {
    fn sentence(self, text: &Translations) -> Cow<'_, str> {
        match self {
            MilestoneView::FirstWin => text.get("over-first-win"),
            MilestoneView::FirstWinAgainst { opponents } => {
                let name = match opponents_key(opponents) {
                    Some(key) => text.get_with(key, &[("place", "head".into())]),
                    None => level_name(text, opponents).into(),
                };
                text.get_with("over-first-win-against", &[("name", (&*name).into())])
            }
            MilestoneView::WinsInARow { wins } => {
                text.get_with("over-wins-in-a-row", &[("n", wins.into())])
            }
        }
    }
}

/// A lesson.
#[derive(Clone, PartialEq, Hash, Debug)]
pub struct LessonCardView {
    /// Path of the lesson.
    pub address: String,
    /// Message key of its title; `None` for the first lesson.
    pub title: Option<String>,
    /// The count that led to it.
    pub reason: Option<LocalizedMessage>,
    /// How many games the viewer has lost in a row, if that is many.
    pub losses: Option<u32>,
}

/// A puzzle.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PuzzleCardView {
    /// Path of the puzzle.
    pub address: String,
    /// Its theme, as in message keys.
    pub theme: String,
}

/// The board of the day.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DailyCardView {
    /// The number of days in a row that the viewer has played, up to yesterday.
    pub streak: u32,
}

/// The result, the ways on, and the course of the game.
pub(super) fn result_section(
    site: &SiteContext<'_>,
    text: &Translations,
    view: &GameView,
    result: &ResultView,
    names: &PlayerNames<'_>,
) -> Markup {
    let display = &site.display;
    let first = result.winners.first().copied();
    let table = TableContext {
        text,
        display,
        names,
        id: &view.id,
        ply: view.ply,
    };
    let result_class = result.own_result.map(PlayerResult::class);
    let daily_result = view.next_steps.as_ref();
    let daily_result = daily_result.and_then(|next| next.daily_result.as_deref());
    let mut ways = seats::rematches(text, view, names, daily_result.is_none()).into_iter();
    let can_play_again = ways.len() > 0;
    let in_row: Vec<_> = ways.by_ref().take(2).collect();
    let own = view
        .players
        .iter()
        .find(|player| names.is_mine(player.number));
    html! {
        div class={ "over" @if let Some(result_class) = result_class { " " (result_class) } } {
            section class={ "win" @if let Some(player) = first { " p" (player % 6) } } {
                @match own.filter(|_| result.own_result == Some(PlayerResult::Won)) {
                    Some(own) => { (view.board.won_picture(text, display, &text.get("board-over"), own.number)) }
                    None => { (view.board.picture(text, display, &text.get("board-over"))) }
                }
                div.res {
                    p.whose {
                        @for player in &result.winners { (player_badge(*player)) }
                        // Whatever is not the heading is shown above it.
                        @if let Some(milestone) = view.next_steps.as_ref().and_then(|next| next.milestone) { (milestone.sentence(text)) }
                        @else if result.placement.is_some() { (result.verdict.render(text, names)) }
                        @else { (text.get_with("over-tag", &[("plies", result.plies.into())])) }
                    }
                    h1 #result tabindex="-1" { (result.heading().render(text, names)) }
                    (sums(view))
                    p.lead { (result.reason.render(text, names)) }
                    @if let Some(news) = seats::rematch_news(text, view) { p.sub { (news) } }
                    @if let Some(origin) = &view.origin { p.sub { (replay::origin(text, &view.id, origin)) } }
                    @if result.takebacks > 0 {
                        p.sub { (text.get_with("over-takebacks", &[("n", result.takebacks.into())])) }
                    }
                    div.row {
                        @if let Some(path) = daily_result { a.btn.main data-onward href=(text.path(path)) { (text.get("over-daily-result")) } }
                        @for way in in_row { (way) }
                        @if !can_play_again && daily_result.is_none() { a.btn.main href=(text.path("/")) { (text.get("new-game")) } }
                        @if view.may_review { (review::open_button(text, &view.id, "review-over")) }
                    }
                    div.menus {
                        @if let Some(share) = &view.share { (share_result(text, view, share, &result_lines(text, view, result, names))) }
                        details.menu {
                            summary { svg.ico aria-hidden="true" { use href="#i-more" {} } (text.get("over-more")) }
                            div.body {
                                @for way in ways { (way) }
                                p.links {
                                    @if can_play_again || daily_result.is_some() { a href=(text.path("/")) { (text.get("new-game")) } }
                                    a href={ (text.path("/g/")) (view.id) "/0#play" } { (text.get("replay-watch")) }
                                    // Analysis starts before the last move, so that another one can be tried.
                                    (analysis_link(text, view, view.ply.saturating_sub(1)))
                                    a href={ (text.path("/g/")) (view.id) "/log" } { (text.get("log-all")) }
                                    a href={ (text.path("/g/")) (view.id) "/record.json" } download={ (view.id) ".json" } { (text.get("record-download")) }
                                    a href={ (text.path("/g/")) (view.id) "/record.txt" } { (text.get("record-text")) }
                                    (dice_audit::dice_link(text, &view.id, view.commitment.as_deref(), true))
                                }
                            }
                        }
                    }
                }
            }
            @if let Some(next) = &view.next_steps { (next_steps(&table, next)) }
            @if let Some(course) = &view.history { (course.draw(&table)) }
            div.after {
                (players(text, display, view, names))
                (log(text, view, names))
            }
            (phrases::panel(site, text, view, names))
            div.more { (view.board.as_table(text, display, names)) }
        }
    }
}

/// The players with their territory, most first; nothing in a game without territory.
fn by_territory(view: &GameView) -> Vec<(&PlayerView, u32)> {
    let columns = &view.count_columns;
    let players = view.players.iter();
    let held = players.filter_map(|player| Some((player, columns.territory(player)?)));
    let mut held: Vec<_> = held.filter(|(_, territory)| *territory > 0).collect();
    held.sort_by_key(|(_, territory)| std::cmp::Reverse(*territory));
    held
}

/// What each player holds. The sentences beside it say the same.
fn sums(view: &GameView) -> Markup {
    let held = by_territory(view);
    html! {
        @if !held.is_empty() {
            p.sums aria-hidden="true" {
                @for (player, territory) in held { span { (player_badge(player.number)) b { (territory) } } }
            }
        }
    }
}

/// The result as text, for others: the game, its result, and the final shares of the players as squares.
fn result_lines(
    text: &Translations,
    view: &GameView,
    result: &ResultView,
    names: &PlayerNames<'_>,
) -> Vec<String> {
    let title = text.get(view.game.title);
    let against = title_of(text, &view.id, &view.players);
    let mut lines = vec![
        format!("{title}, {against}"),
        result.heading().render(text, names).to_string(),
    ];
    let mut held: Vec<u32> = vec![0; view.players.len()];
    for (player, territory) in by_territory(view) {
        if let Some(held) = held.get_mut(usize::from(player.number)) {
            *held = territory;
        }
    }
    if held.iter().any(|held| *held > 0) {
        lines.push(squares::emoji(&squares::squares(&held)));
    }
    lines
}

/// Cards that lead on: a lesson or a puzzle, and the board of the day.
fn next_steps(table: &TableContext<'_>, next: &NextStepsView) -> Markup {
    let text = table.text;
    html! {
        @if next.lesson.is_some() || next.puzzle.is_some() || next.daily.is_some() {
            section.next-steps aria-label=(text.get("next-steps")) {
                @if let Some(lesson) = &next.lesson { (lesson_card(table, lesson)) }
                @if let Some(puzzle) = &next.puzzle {
                    (card(&text.get("puzzle"), &text.get(&format!("puzzle-theme-{}", puzzle.theme)), html! {
                        a.btn href=(table.text.path(&puzzle.address)) { (text.get("puzzle-solve-it")) }
                    }))
                }
                @if let Some(daily) = next.daily {
                    (card(&text.get("next-daily"), &text.get_with("next-daily-about", &[("days", daily.streak.into())]), html! {
                        a.btn href=(text.path("/daily")) { (text.get("next-daily-play")) }
                    }))
                }
            }
        }
    }
}

fn card(title: &str, about: &str, button: Markup) -> Markup {
    html! { div.panel { div { h2 { (title) } p { (about) } } (button) } }
}

fn lesson_card(table: &TableContext<'_>, lesson: &LessonCardView) -> Markup {
    let text = table.text;
    let title = match &lesson.title {
        Some(key) => text.get_with("next-lesson", &[("title", (&*text.get(key)).into())]),
        None => text.get("start-lesson"),
    };
    html! {
        div.panel.advised[lesson.losses.is_some()] {
            div {
                h2 { (title) }
                p {
                    @if let Some(losses) = lesson.losses { (text.get_with("next-losses", &[("n", losses.into())])) " " }
                    @if let Some(reason) = &lesson.reason { (table.sentence(reason)) }
                }
            }
            a.btn href=(table.text.path(&lesson.address)) { (text.get("next-lesson-start")) }
        }
    }
}
