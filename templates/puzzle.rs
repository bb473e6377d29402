//! The pages of puzzles: the list of themes, and a puzzle before and after its answer.

use std::sync::Arc;

use maud::{Markup, html};

use super::board::BoardComponent;
use super::controls::{TableComponent, TableContext};
use super::localization::Translations;
use super::message::LocalizedMessage;
use super::page::{
    Refresh, SiteContext, emphasised, odds_class, page, page_title, stylesheet_link,
};
use super::players::PlayerNames;
use super::svg_symbols::glyph_icon;

/// View of the list of themes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PuzzlesView {
    /// All themes, those of a game together.
    pub themes: Vec<PuzzleThemeView>,
    /// Address of the puzzle of the day, and whether the viewer has answered it.
    pub today: Option<(String, bool)>,
    /// The viewer's rating; `None` before the first answer.
    pub rating: Option<u32>,
}

/// A theme.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PuzzleThemeView {
    /// Message key of the game's name.
    pub game: &'static str,
    /// The theme, as in the keys of its texts.
    pub theme: String,
    /// The number of its puzzles.
    pub puzzles: u32,
    /// The number that the viewer has answered.
    pub answered: u32,
    /// The number that the viewer has solved.
    pub solved: u32,
}

/// View of a puzzle.
#[derive(Clone, Debug)]
pub struct PuzzleView {
    /// Its address.
    pub address: String,
    /// Its theme, as in the keys of its texts.
    pub theme: String,
    /// The player to move.
    pub mover: u8,
    /// Whether it is the puzzle of the day.
    pub is_of_today: bool,
    /// Its rating on the Elo scale.
    pub rating: u32,
    /// How often it was solved, and tried; `None` before the first answer.
    pub solved: Option<(u32, u32)>,
    /// The choices, in the order of their letters.
    pub choices: Vec<PuzzleChoiceView>,
    /// The index of the right choice.
    pub right: usize,
    /// Whether it is answered.
    pub stage: PuzzleStage,
}

/// A choice of a puzzle.
#[derive(Clone, PartialEq, Debug)]
pub struct PuzzleChoiceView {
    /// The action as an item of a list.
    pub label: LocalizedMessage,
    /// The action in a few words; the message can select on the argument `place`: `head` or `within` a sentence.
    pub name: LocalizedMessage,
    /// The probability that it succeeds, where dice decide.
    pub odds: Option<f64>,
    /// The win share after it, 0..=1.
    pub share: f64,
    /// Its letter on the board; `None` if the board has letters of its own.
    pub letter: Option<char>,
}

/// Whether a puzzle is answered.
#[derive(Clone, Debug)]
pub enum PuzzleStage {
    /// The question.
    Question {
        /// The board, with a pointer for each choice.
        board: Arc<dyn BoardComponent>,
    },
    /// The answer.
    Answered(PuzzleAnswerView),
}

/// View of an answer.
#[derive(Clone, Debug)]
pub struct PuzzleAnswerView {
    /// The index of the choice.
    pub chosen: usize,
    /// The board after the choice.
    pub board: Arc<dyn BoardComponent>,
    /// Why the right choice is right.
    pub why: Option<LocalizedMessage>,
    /// What follows from the choice.
    pub steps: Vec<PuzzleStepView>,
    /// Whether it is stored; browsers without cookies have none.
    pub is_stored: bool,
    /// The viewer's rating before and after this answer; `None` if the viewer has answered another puzzle since.
    pub ratings: Option<(u32, u32)>,
    /// Address of the next puzzle.
    pub next: String,
    /// Address of the analysis board.
    pub analysis: String,
}

/// A step of what follows from a choice.
#[derive(Clone, Debug)]
pub struct PuzzleStepView {
    /// The player.
    pub player: u8,
    /// The action.
    pub action: LocalizedMessage,
    /// What the dice decided.
    pub outcome: Option<LocalizedMessage>,
    /// A small board.
    pub picture: Arc<dyn TableComponent>,
}

/// From this number of answers on, the share of right ones is shown.
const SHOWN_ANSWERS: u32 = 10;

/// Renders the list of themes.
#[must_use]
pub fn puzzles_page(site: &SiteContext<'_>, text: &Translations, view: &PuzzlesView) -> Markup {
    let title = text.get("puzzles-title");
    let main = html! {
        main #main.puzzles {
            (stylesheet_link(site, "puzzle.css"))
            h1 { (title) }
            p.lead { (text.get("puzzles-lead")) }
            @if let Some((today, is_answered)) = &view.today {
                p { a.btn.main[!is_answered] href=(text.path(today)) { (text.get("puzzle-of-the-day")) } }
            }
            @if let Some(rating) = view.rating {
                p.sub { (text.get_with("puzzle-your-rating", &[("rating", rating.to_string().into())])) }
            }
            @for (index, theme) in view.themes.iter().enumerate() {
                @if index == 0 || view.themes[index - 1].game != theme.game { h2 { (text.get(theme.game)) } }
                (theme_card(text, theme))
            }
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}

fn theme_card(text: &Translations, theme: &PuzzleThemeView) -> Markup {
    let counts = [
        ("solved", theme.solved.into()),
        ("answered", theme.answered.into()),
        ("puzzles", theme.puzzles.into()),
    ];
    let is_done = theme.answered == theme.puzzles;
    html! {
        section.theme {
            h3 { (text.get(&format!("puzzle-theme-{}", theme.theme))) }
            p.sub { (text.get_with(if is_done { "puzzle-theme-done" } else { "puzzle-theme-count" }, &counts)) }
            @if !is_done {
                a.btn href={ (text.path("/puzzles?theme=")) (theme.theme) } { (text.get("puzzle-solve")) }
            }
        }
    }
}

/// Renders a puzzle.
#[must_use]
pub fn puzzle_page(site: &SiteContext<'_>, text: &Translations, view: &PuzzleView) -> Markup {
    let names = PlayerNames::none(text);
    let theme = format!("puzzle-theme-{}", view.theme);
    let theme = text.get(&theme);
    let main = html! {
        main #main.puzzle {
            (stylesheet_link(site, "review.css"))
            (stylesheet_link(site, "puzzle.css"))
            section.question {
                p.eyebrow { (text.get(if view.is_of_today { "puzzle-of-the-day" } else { "puzzle" })) }
                @match &view.stage {
                    PuzzleStage::Question { .. } => { (question(site, text, &names, &theme, view)) }
                    PuzzleStage::Answered(answer) => { (answer_section(text, &names, view, answer)) }
                }
            }
            @match &view.stage {
                PuzzleStage::Question { board } => { (board.interactive(text, &site.display, Some(view.mover), &names)) }
                PuzzleStage::Answered(answer) => {
                    (answer.board.picture(text, &site.display, &theme))
                    (played_out(site, text, &names, &answer.steps, answer.chosen == view.right))
                }
            }
        }
    };
    page(site, text, &page_title(text, &theme), &Refresh::Never, main)
}

fn question(
    site: &SiteContext<'_>,
    text: &Translations,
    names: &PlayerNames<'_>,
    theme: &str,
    view: &PuzzleView,
) -> Markup {
    html! {
        h1 { (theme) }
        p.turn-of { (glyph_icon(view.mover)) (text.get_with("puzzle-turn", &[("player", names.name(view.mover).into())])) }
        p.lead { (text.get(&format!("puzzle-task-{}", view.theme))) }
        form.answers.narrow[view.choices.iter().all(|choice| choice.letter.is_none())] method="post" action=(text.path(&view.address)) {
            @for (number, choice) in (1u32..).zip(&view.choices) {
                button.btn name="answer" value=(number) {
                    @if let Some(letter) = choice.letter { b.letter { (letter) } }
                    span.what { (emphasised(&choice.label.render(text, names))) }
                    @if let Some(odds) = site.display.odds(choice.odds) {
                        span class={ "tag " (odds_class(odds)) } { (text.language().format_percent(odds)) " %" }
                    }
                }
            }
        }
        (facts(text, view))
    }
}

/// Rating, and how often it was solved.
fn facts(text: &Translations, view: &PuzzleView) -> Markup {
    let solved = view.solved.filter(|(_, answers)| *answers >= SHOWN_ANSWERS);
    html! {
        p.facts {
            span { (text.get_with("puzzle-rating", &[("rating", view.rating.to_string().into())])) }
            @if let Some((right, answers)) = solved {
                @let share = text.language().format_percent(f64::from(right) / f64::from(answers));
                span { (text.get_with("puzzle-solved-by", &[("share", share.into()), ("answers", answers.into())])) }
            }
        }
    }
}

fn answer_section(
    text: &Translations,
    names: &PlayerNames<'_>,
    view: &PuzzleView,
    answer: &PuzzleAnswerView,
) -> Markup {
    let chosen = answer.chosen;
    let is_right = chosen == view.right;
    let best = &view.choices[view.right];
    let named = |choice: &PuzzleChoiceView, place: &str| {
        let name = choice.name.clone().with_value("place", place.to_owned());
        name.render(text, names)
    };
    let verdict = if is_right {
        "puzzle-right"
    } else {
        "puzzle-wrong"
    };
    let lost = ((best.share - view.choices[chosen].share) * 100.0).round() as u32;
    let cost = [
        ("what", named(&view.choices[chosen], "head").into()),
        ("points", lost.into()),
    ];
    let mut ranked: Vec<usize> = (0..view.choices.len()).collect();
    ranked.sort_by(|&a, &b| view.choices[b].share.total_cmp(&view.choices[a].share));
    html! {
        h1 { (text.get_with(verdict, &[("what", named(best, "within").into())])) }
        p.lead {
            @if !is_right { (emphasised(&text.get_with("puzzle-cost", &cost))) " " }
            @if let Some(why) = &answer.why { (emphasised(&why.render(text, names))) }
        }
        ol.ranked {
            @for index in ranked {
                @let choice = &view.choices[index];
                li.best[index == view.right].wrong[index == chosen && !is_right] {
                    @if index == view.right { svg.ico aria-hidden="true" { use href="#i-tick" {} } }
                    @else if index == chosen { svg.ico aria-hidden="true" { use href="#i-cross" {} } }
                    @else if let Some(letter) = choice.letter { b.letter { (letter) } }
                    @else { span {} }
                    span.what {
                        (emphasised(&choice.label.render(text, names)))
                        @if index == chosen { " " (text.get("puzzle-your-answer")) }
                    }
                    b.percent { (text.language().format_percent(choice.share)) " %" }
                    svg.bar viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
                        rect width="100" height="6" {}
                        rect.part width=((choice.share.clamp(0.0, 1.0) * 100.0).round()) height="6" {}
                    }
                }
            }
        }
        p.sub {
            (text.get("puzzle-points")) " "
            @if let Some((before, now)) = answer.ratings {
                (text.get_with("puzzle-new-rating", &[("rating", now.to_string().into()), ("before", before.to_string().into())]))
            }
            @if !answer.is_stored { (text.get("puzzle-not-stored")) }
        }
        p.go {
            a.btn.main.later href=(text.path(&answer.next)) { (text.get("puzzle-next")) }
            a.btn href=(text.path(&answer.analysis)) { (text.get("puzzle-analyse")) }
        }
    }
}

/// The steps that follow from a choice, each with a small board.
fn played_out(
    site: &SiteContext<'_>,
    text: &Translations,
    names: &PlayerNames<'_>,
    steps: &[PuzzleStepView],
    is_right: bool,
) -> Markup {
    let title = if is_right {
        "puzzle-line-right"
    } else {
        "puzzle-line-wrong"
    };
    let table = TableContext {
        text,
        display: &site.display,
        names,
        id: "",
        ply: 0,
    };
    html! {
        section.played {
            h2 { (text.get(title)) }
            ol {
                @for step in steps {
                    li {
                        p {
                            (glyph_icon(step.player)) " "
                            b { (names.name(step.player)) } ": "
                            (emphasised(&step.action.render(text, names)))
                            @if let Some(outcome) = &step.outcome { ". " (emphasised(&outcome.render(text, names))) }
                        }
                        (step.picture.draw(&table))
                    }
                }
            }
        }
    }
}
