//! The pages of a lesson: a question with a board and a few choices, and what follows from a choice.

use std::sync::Arc;

use maud::{Markup, html};

use super::board::BoardComponent;
use super::localization::Translations;
use super::page::{Refresh, SiteContext, odds_class, page, page_title, stylesheet_link};
use super::players::PlayerNames;

/// View of a step of a lesson.
#[derive(Clone, Debug)]
pub struct LessonStepView {
    /// Whether it is the first lesson, which can be skipped.
    pub is_first: bool,
    /// The beginning of the keys of its texts.
    pub texts: String,
    /// The number of the step, from 1.
    pub step: u32,
    /// The number of steps.
    pub steps: u32,
    /// Whether the question is open or answered.
    pub stage: LessonStage,
    /// Address of the step before.
    pub back: Option<String>,
    /// Lessons listed below.
    pub others: Vec<LessonLink>,
}

/// A link to a lesson.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LessonLink {
    /// Its name, as in the keys of its texts.
    pub name: String,
    /// Its address.
    pub href: String,
    /// The number of its steps.
    pub steps: u32,
}

/// View of the page after the last step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LessonEndView {
    /// Whether it was the first lesson.
    pub is_first: bool,
    /// The name of the lesson, as in the keys of its texts.
    pub lesson: String,
    /// The lessons to go on with.
    pub others: Vec<LessonLink>,
    /// The game that the button starts.
    pub game: &'static str,
}

/// Whether the question of a step is open or answered.
#[derive(Clone, Debug)]
pub enum LessonStage {
    /// The choices are links on the board and in a list.
    Question {
        /// The interactive board.
        board: Arc<dyn BoardComponent>,
        /// The choices, in the order of their texts.
        choices: Vec<LessonChoice>,
    },
    /// A choice and what follows from it.
    Answer {
        /// The board after the choice.
        board: Arc<dyn BoardComponent>,
        /// The number of the choice, from 1.
        choice: usize,
        /// Whether it was the right one.
        is_right: bool,
        /// Address of the next step, or of this one to try again.
        href: String,
    },
}

/// A choice of a question.
#[derive(Clone, Debug)]
pub struct LessonChoice {
    /// Address of the page that answers it.
    pub href: String,
    /// The probability of success; `None` if no dice are rolled.
    pub odds: Option<f64>,
}

/// The number of steps that take about a minute.
const STEPS_PER_MINUTE: u32 = 2;

/// Renders a step.
#[must_use]
pub fn lesson_page(site: &SiteContext<'_>, text: &Translations, view: &LessonStepView) -> Markup {
    let of_step = |what: &str| {
        let key = format!("{}-{what}", view.texts);
        text.get(&key).into_owned()
    };
    let title = of_step("title");
    let minutes = (view.steps + 1 - view.step).div_ceil(STEPS_PER_MINUTE);
    let minutes = ("minutes", minutes.into());
    let names = PlayerNames::none(text);
    let main = html! {
        main #main.lesson {
            (stylesheet_link(site, "lesson.css"))
            div.column {
                (progress(text, view))
                h1 { (title) }
                p.lead { (of_step("text")) }
                @match &view.stage {
                    LessonStage::Question { choices, .. } => {
                        p.task { span { (of_step("task")) } }
                        p.sub { (text.get("lesson-or-here")) }
                        div.answers {
                            @for (number, choice) in (1..).zip(choices) {
                                a.btn href=(text.path(&choice.href)) {
                                    span { (of_step(&format!("choice-{number}"))) }
                                    @if let Some(odds) = site.display.odds(choice.odds) {
                                        span class={ "tag " (odds_class(odds)) } { (text.language().format_percent(odds)) " %" }
                                    }
                                }
                            }
                        }
                    }
                    LessonStage::Answer { choice, is_right, href, .. } => {
                        p.reply.right[*is_right] role="status" {
                            svg.ico aria-hidden="true" { use href=(if *is_right { "#i-tick" } else { "#i-cross" }) {} }
                            span { (of_step(&format!("reply-{choice}"))) }
                        }
                        div.answers {
                            a.btn.main.later href=(text.path(href)) { (text.get(if *is_right { "lesson-next" } else { "lesson-again" })) }
                        }
                    }
                }
            }
            @match &view.stage {
                LessonStage::Question { board, .. } => { (board.interactive(text, &site.display, None, &names)) }
                LessonStage::Answer { board, .. } => { (board.picture(text, &site.display, &title)) }
            }
            div.around {
                @match &view.back {
                    Some(back) => { a.btn.quiet href=(text.path(back)) { (text.get("lesson-back")) } }
                    None => { span {} }
                }
                span.sub { (text.get_with("lesson-left", &[minutes])) }
                @if view.is_first {
                    form method="post" action=(text.path("/learn")) { button.btn.quiet { (text.get("lesson-skip")) } }
                } @else {
                    a.btn.quiet href=(text.path("/learn")) { (text.get("lesson-all")) }
                }
            }
            (lesson_list(text, &view.others))
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}

/// A dot for each step, and the number of the current one in words.
fn progress(text: &Translations, view: &LessonStepView) -> Markup {
    let values = [("step", view.step.into()), ("steps", view.steps.into())];
    html! {
        p.progress {
            @for step in 1..=view.steps {
                i.done[step < view.step].now[step == view.step] aria-hidden="true" {}
            }
            span { (text.get_with("lesson-step", &values)) }
        }
    }
}

fn lesson_list(text: &Translations, lessons: &[LessonLink]) -> Markup {
    html! {
        @if !lessons.is_empty() {
            section.more {
                h2 { (text.get("lesson-more")) }
                ul {
                    @for lesson in lessons {
                        li {
                            a href=(text.path(&lesson.href)) { (lesson_name(text, &lesson.name)) }
                            span.sub { (text.get_with("lesson-steps", &[("steps", lesson.steps.into())])) }
                        }
                    }
                }
            }
        }
    }
}

fn lesson_name(text: &Translations, name: &str) -> String {
    text.get(&format!("learn-{name}-name")).into_owned()
}

/// Renders the page after the last step, with a button that starts a game.
#[must_use]
pub fn lesson_end_page(
    site: &SiteContext<'_>,
    text: &Translations,
    view: &LessonEndView,
) -> Markup {
    let title = match view.is_first {
        true => text.get("lesson-end-title").into_owned(),
        false => lesson_name(text, &view.lesson),
    };
    let main = html! {
        main #main.lesson.end {
            (stylesheet_link(site, "lesson.css"))
            div.column {
                h1 { (title) }
                p.lead { (text.get(if view.is_first { "lesson-end-text" } else { "lesson-end-other" })) }
                form.answers method="post" action=(text.path("/games")) {
                    input type="hidden" name="game" value=(view.game);
                    input type="hidden" name="opponents" value="easy";
                    button.btn.main.later { (text.get("start-play")) }
                }
                p { a href=(text.path("/rules")) { (text.get("lesson-all-rules")) } }
            }
            (lesson_list(text, &view.others))
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}
