//! The page of a finished game: the result, and what its player can do next.

use maud::{Markup, html};

use super::controls::TableContext;
use super::dice_audit;
use super::game::{GameView, PlayerResult, ResultView, analysis_link};
use super::localization::Translations;
use super::log::log;
use super::message::LocalizedMessage;
use super::page::SiteContext;
use super::phrases;
use super::players::{PlayerNames, player_badge, players};
use super::replay;
use super::review;
use super::seats;

/// What a player is offered after a game, apart from rematches.
#[derive(Clone, PartialEq, Hash, Debug, Default)]
pub struct NextStepsView {
    /// The lesson that fits how the viewer played.
    pub lesson: Option<LessonCardView>,
    /// A puzzle, unless there is a lesson.
    pub puzzle: Option<PuzzleCardView>,
    /// The board of the day, unless the viewer has played it.
    pub daily: Option<DailyCardView>,
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
    let can_play_again = view.may_rematch || !view.seats_panel.rematches.is_empty();
    html! {
        div class={ "over" @if let Some(result_class) = result_class { " " (result_class) } } {
            section class={ "win" @if let Some(player) = first { " p" (player % 6) } } {
                (view.board.picture(text, display, &text.get("board-over")))
                div.res {
                    p.whose {
                        @for player in &result.winners { (player_badge(*player)) }
                        // Whatever is not the heading is shown above it.
                        @if result.placement.is_some() { (result.verdict.render(text, names)) }
                        @else { (text.get_with("over-tag", &[("plies", result.plies.into())])) }
                    }
                    h1 { (result.heading().render(text, names)) }
                    p.lead { (result.reason.render(text, names)) }
                    @if let Some(origin) = &view.origin { p.sub { (replay::origin(text, &view.id, origin)) } }
                    @if result.takebacks > 0 {
                        p.sub { (text.get_with("over-takebacks", &[("n", result.takebacks.into())])) }
                    }
                    div.row {
                        (seats::rematch(text, view, names))
                        @if !can_play_again { a.btn.main href=(text.path("/")) { (text.get("new-game")) } }
                        @if view.may_review { (review::open_button(text, &view.id, "review-over")) }
                    }
                    (share_strip(text, view))
                    p.links {
                        @if can_play_again { a href=(text.path("/")) { (text.get("new-game")) } }
                        a href={ (text.path("/g/")) (view.id) "/0#play" } { (text.get("replay-watch")) }
                        // Analysis starts before the last move, so that another one can be tried.
                        (analysis_link(text, view, view.ply.saturating_sub(1)))
                        a href={ (text.path("/g/")) (view.id) "/log" } { (text.get("log-all")) }
                        a href={ (text.path("/g/")) (view.id) "/record.json" } download={ (view.id) ".json" } { (text.get("record-download")) }
                        (dice_audit::dice_link(text, &view.id, view.commitment.as_deref(), true))
                    }
                }
            }
            @if let Some(next) = &view.next_steps { (next_steps(&table, view, next, result)) }
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

/// Links to the picture, the text and the film of the game.
fn share_strip(text: &Translations, view: &GameView) -> Markup {
    let (id, newest) = (&view.id, view.newest);
    html! {
        div.strip-of-links role="group" aria-labelledby="share-game" {
            span #share-game { (text.get("share-game")) }
            a href={ (text.path("/g/")) (id) "/board.png?ply=" (view.ply) } { (text.get("share-game-picture")) }
            a href={ (text.path("/g/")) (id) "/record.txt" } { (text.get("share-game-text")) }
            @if newest > 0 { a href={ (text.path("/g/")) (id) "/film?from=0&to=" (newest) } { (text.get("share-game-film")) } }
        }
    }
}

/// Cards that lead on: a lesson or a puzzle, an easier game, and the board of the day.
fn next_steps(
    table: &TableContext<'_>,
    view: &GameView,
    next: &NextStepsView,
    result: &ResultView,
) -> Markup {
    let text = table.text;
    let easier = match result.own_result {
        Some(PlayerResult::Won) => None,
        _ => seats::easier_rematch(text, view),
    };
    html! {
        @if next.lesson.is_some() || next.puzzle.is_some() || next.daily.is_some() || easier.is_some() {
            section.next-steps aria-label=(text.get("next-steps")) {
                @if let Some(lesson) = &next.lesson { (lesson_card(table, lesson)) }
                @if let Some(puzzle) = &next.puzzle {
                    (card(&text.get("puzzle"), &text.get(&format!("puzzle-theme-{}", puzzle.theme)), html! {
                        a.btn href=(table.text.path(&puzzle.address)) { (text.get("puzzle-solve-it")) }
                    }))
                }
                @if let Some((about, button)) = easier { (card(&text.get("next-easier"), &about, button)) }
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
