//! The pages of a lesson: a question with a board and a few choices, and what follows from a choice.

use std::borrow::Cow;
use std::sync::Arc;

use maud::{Markup, html};

use super::board::BoardComponent;
use super::controls::TableComponent;
use super::hint::percent_text;
use super::localization::Translations;
use super::page::{Refresh, SiteContext, odds_class, page, page_title, stylesheet_link};
use super::played_action::{PlayedActionView, dice_tray, exercise_script};
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
    /// The question, or its answer.
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

/// Whether the right choice of a step is still to be found.
#[derive(Clone, Debug)]
pub enum LessonStage {
    /// The choices are links on the board and in a list.
    Open {
        /// The interactive board.
        board: Arc<dyn BoardComponent>,
        /// The empty tray of the dice, in a game with dice.
        strip: Option<Arc<dyn TableComponent>>,
        /// The choices, in the order of their texts.
        choices: Vec<LessonChoice>,
        /// The wrong choice that was made last, after which the board was set back.
        tried: Option<LessonAnswer>,
    },
    /// The right choice and what follows from it.
    Right {
        /// The choice.
        answer: LessonAnswer,
        /// The board with it.
        board: Arc<dyn BoardComponent>,
        /// The tray of the dice, in a game with dice.
        strip: Option<Arc<dyn TableComponent>>,
        /// Address of the next step.
        next: String,
    },
}

/// A choice that was made.
#[derive(Clone, Debug)]
pub struct LessonAnswer {
    /// Its number, from 1.
    pub choice: usize,
    /// What was played; `None` if the choice was only a place on the board.
    pub played: Option<PlayedActionView>,
}

/// A choice of a question.
#[derive(Clone, Debug)]
pub struct LessonChoice {
    /// Address of the page that answers it; `None` if it was tried and is wrong.
    pub href: Option<String>,
    /// The probability of success; `None` if no dice are rolled.
    pub odds: Option<f64>,
}

impl LessonStage {
    fn answer(&self) -> Option<&LessonAnswer> {
        match self {
            LessonStage::Open { tried, .. } => tried.as_ref(),
            LessonStage::Right { answer, .. } => Some(answer),
        }
    }

    fn played(&self) -> Option<&PlayedActionView> {
        self.answer()?.played.as_ref()
    }

    fn is_right(&self) -> bool {
        matches!(self, LessonStage::Right { .. })
    }
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
    let played = view.stage.played();
    let reply = reply(text, &view.stage, of_step);
    // What a script says when the dice lie.
    let said = reply.as_ref().map(|reply| {
        let result = played.and_then(|played| played.result(text));
        let sentences = result.into_iter().chain([reply.clone()]);
        text.join_sentences(sentences.map(Cow::from))
    });
    let main = html! {
        main #main.lesson
            data-played=[played.map(|played| &played.event)]
            data-rolling=[played.and_then(|played| played.rolling(site, text))]
            data-said=[said] {
            (stylesheet_link(site, "lesson.css"))
            div.column {
                (progress(text, view))
                h1 { (title) }
                p.lead { (of_step("text")) }
                p.task.right[view.stage.is_right()] {
                    @match reply {
                        None => { span { (of_step("task")) } }
                        Some(reply) => {
                            svg.ico aria-hidden="true" { use href=(if view.stage.is_right() { "#i-tick" } else { "#i-cross" }) {} }
                            span { (reply) }
                        }
                    }
                }
            }
            @match &view.stage {
                LessonStage::Open { board, .. } => {
                    (board.interactive(text, &site.display, None, &names))
                    // The board before it was set back.
                    @if let Some(played) = played { template { (played.board.interactive(text, &site.display, None, &names)) } }
                }
                LessonStage::Right { board, .. } => { (board.interactive(text, &site.display, None, &names)) }
            }
            div.tray { (dice_tray(site, text, strip(&view.stage))) }
            (answers(site, text, view, of_step))
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
            (exercise_script(site))
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}

/// What follows from the choice that was made.
fn reply(
    text: &Translations,
    stage: &LessonStage,
    of_step: impl Fn(&str) -> String,
) -> Option<String> {
    let reply = of_step(&format!("reply-{}", stage.answer()?.choice));
    Some(match stage.is_right() {
        true => reply,
        false => {
            let set_back = stage.played().map(|_| text.get("lesson-set-back"));
            let sentences = [Some(reply.into()), set_back, Some(text.get("lesson-other"))];
            text.join_sentences(sentences.into_iter().flatten())
        }
    })
}

/// The tray of the dice, with the last roll.
fn strip(stage: &LessonStage) -> Option<&Arc<dyn TableComponent>> {
    match stage {
        LessonStage::Open { strip, .. } => {
            let rolled = stage.played().and_then(|played| played.strip.as_ref());
            rolled.or(strip.as_ref())
        }
        LessonStage::Right { strip, .. } => strip.as_ref(),
    }
}

/// The list of the choices, or the way to the next step in its place.
fn answers(
    site: &SiteContext<'_>,
    text: &Translations,
    view: &LessonStepView,
    of_step: impl Fn(&str) -> String,
) -> Markup {
    let choice = |number: u32, odds: Option<f64>| {
        html! {
            span { (of_step(&format!("choice-{number}"))) }
            @if let Some(odds) = site.display.odds(odds) {
                span class={ "tag " (odds_class(odds)) } { (percent_text(text, odds)) }
            }
        }
    };
    html! {
        div.answers {
            @match &view.stage {
                LessonStage::Open { choices, .. } => {
                    @for (number, LessonChoice { href, odds }) in (1..).zip(choices) {
                        @match href {
                            Some(href) => { a.btn href=(text.path(href)) { (choice(number, *odds)) } }
                            None => {
                                p.btn.tried {
                                    (choice(number, *odds))
                                    svg.ico role="img" aria-label=(text.get("lesson-tried")) { use href="#i-cross" {} }
                                }
                            }
                        }
                    }
                }
                LessonStage::Right { next, .. } => { a.btn.main.later href=(text.path(next)) { (text.get("lesson-next")) } }
            }
        }
    }
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
