//! The lessons, a question on each page: `/learn` is the first one, `/learn/{lesson}` another one. Everything is in the
//! URL, so the pages are links only.

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum_extra::extract::cookie::CookieJar;
use maud::Markup;

use super::shared::app::App;
use super::shared::display_options::{RequestDisplayOptions, with_lesson_known};
use super::shared::identity::BrowserSession;
use crate::games::exercise::{Choice, Exercise, Lesson};
use crate::games::{FormFields, LiveGameRef};
use crate::http::error::HttpError;
use crate::site::shared::form::Query;
use crate::site::shared::limits::RouteLimits;
use crate::templates::lesson::{
    LessonChoice, LessonEndView, LessonLink, LessonStage, LessonStepView, lesson_end_page,
    lesson_page,
};
use crate::templates::page::NavSection;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/learn", limits.reading(get(first).post(skip)))
        .route("/learn/{lesson}", limits.reading(get(show)))
}

/// `GET /learn?step=N&answer=K`: the step with this number from 1 of the first lesson, the last one after all steps;
/// with `answer` what follows from the choice with this number from 1.
async fn first(
    State(app): State<App>,
    browser: BrowserSession,
    display: RequestDisplayOptions,
    Query(query): Query<FormFields>,
) -> Result<(CookieJar, Markup), HttpError> {
    let lessons = lessons(&app);
    let step = LessonStep::new(&lessons, 0, query)?;
    let page = step.page(&app, display)?;
    let jar = browser.jar.clone();
    let is_end = step.exercise().is_none();
    let jar = if is_end {
        with_lesson_known(browser)
    } else {
        jar
    };
    Ok((jar, page))
}

/// `GET /learn/{lesson}`, with the parameters of [`first`].
async fn show(
    State(app): State<App>,
    Path(name): Path<String>,
    display: RequestDisplayOptions,
    Query(query): Query<FormFields>,
) -> Result<Markup, HttpError> {
    let lessons = lessons(&app);
    let number = lessons.iter().skip(1).position(|one| one.name == name);
    let number = number.ok_or_else(HttpError::not_found)? + 1;
    LessonStep::new(&lessons, number, query)?.page(&app, display)
}

/// The address of a lesson.
pub(super) fn lesson_address(app: &App, name: &str) -> Option<String> {
    let lessons = lessons(app);
    let number = lessons.iter().position(|lesson| lesson.name == name)?;
    Some(lesson_path(number, &lessons[number]))
}

/// `POST /learn`: the reader does not want the first lesson, which the start page then no longer offers.
async fn skip(State(app): State<App>, browser: BrowserSession) -> Response {
    (with_lesson_known(browser), app.redirect("/")).into_response()
}

/// The lessons of all games.
fn lessons(app: &App) -> Vec<Lesson> {
    let games = app.service.games().game_types();
    games.flat_map(|game| game.exercises().lessons).collect()
}

/// What a reader requested.
struct LessonStep<'a> {
    lessons: &'a [Lesson],
    /// The index of the lesson.
    number: usize,
    lesson: &'a Lesson,
    /// From 1; the number of steps + 1 is the end.
    step: usize,
    answer: Option<usize>,
}

impl<'a> LessonStep<'a> {
    fn new(lessons: &'a [Lesson], number: usize, query: FormFields) -> Result<Self, HttpError> {
        let (step, answer) = (query.number("step")?, query.number("answer")?);
        let lesson = lessons.get(number).ok_or_else(HttpError::not_found)?;
        let step = step.unwrap_or(1);
        if !(1..=lesson.steps.len() + 1).contains(&step) {
            return Err(HttpError::not_found());
        }
        Ok(LessonStep {
            lessons,
            number,
            lesson,
            step,
            answer,
        })
    }

    /// `None` at the end.
    fn exercise(&self) -> Option<&'a Exercise> {
        self.lesson.steps.get(self.step - 1)
    }

    fn page(
        &self,
        app: &App,
        RequestDisplayOptions(display): RequestDisplayOptions,
    ) -> Result<Markup, HttpError> {
        let (site, text) = (app.site(NavSection::Learn, display), app.text(&display));
        let Some(exercise) = self.exercise() else {
            let view = LessonEndView {
                is_first: self.number == 0,
                lesson: self.lesson.name.clone(),
                others: self.others(),
                game: app.service.games().default_game().name(),
            };
            return Ok(lesson_end_page(&site, text, &view));
        };
        let position = app.service.games().game_at_position(&exercise.position);
        let position = position.ok_or_else(HttpError::not_found)?;
        let stage = match self.answer {
            None => self.question(&position, exercise),
            Some(answer) => self.answered(&position, exercise, answer),
        };
        let is_start = self.step == 1 && self.answer.is_none();
        let view = LessonStepView {
            is_first: self.number == 0,
            texts: format!("learn-{}-{}", self.lesson.name, exercise.name),
            step: self.step as u32,
            steps: self.lesson.steps.len() as u32,
            stage: stage.ok_or_else(HttpError::not_found)?,
            back: (self.step > 1).then(|| self.address(self.step - 1)),
            others: if is_start && self.number == 0 {
                self.others()
            } else {
                Vec::new()
            },
        };
        Ok(lesson_page(&site, text, &view))
    }

    fn address(&self, step: usize) -> String {
        format!("{}?step={step}", lesson_path(self.number, self.lesson))
    }

    /// The other lessons, except the first one.
    fn others(&self) -> Vec<LessonLink> {
        let others = self.lessons.iter().enumerate().skip(1);
        let others = others.filter(|(number, _)| *number != self.number);
        let others = others.map(|(number, lesson)| LessonLink {
            name: lesson.name.clone(),
            href: lesson_path(number, lesson),
            steps: lesson.steps.len() as u32,
        });
        others.collect()
    }

    fn question(&self, position: &LiveGameRef, exercise: &Exercise) -> Option<LessonStage> {
        let here = self.address(self.step);
        let choices = (1..).zip(&exercise.choices);
        let choices =
            choices.map(|(number, choice)| (choice.clone(), format!("{here}&answer={number}")));
        let choices: Vec<(Choice, String)> = choices.collect();
        let question = position.position().question(exercise.selected, &choices)?;
        let choices = choices.into_iter().zip(question.odds);
        let choices = choices.map(|((_, href), odds)| LessonChoice { href, odds });
        Some(LessonStage::Question {
            board: question.board,
            choices: choices.collect(),
        })
    }

    fn answered(
        &self,
        position: &LiveGameRef,
        exercise: &Exercise,
        answer: usize,
    ) -> Option<LessonStage> {
        let choice = exercise.choices.get(answer.checked_sub(1)?)?;
        let is_right = answer - 1 == exercise.right;
        Some(LessonStage::Answer {
            board: position.position().answer(choice)?,
            choice: answer,
            is_right,
            href: self.address(self.step + usize::from(is_right)),
        })
    }
}

fn lesson_path(number: usize, lesson: &Lesson) -> String {
    match number {
        0 => "/learn".to_owned(),
        _ => format!("/learn/{}", lesson.name),
    }
}
