//! The lessons, a question on each page: `/learn` is the first one, `/learn/{lesson}` another one. Everything is in the
//! URL, so the pages are links only.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum_extra::extract::cookie::CookieJar;
use maud::Markup;

use super::shared::app::App;
use super::shared::display_options::with_lesson_known;
use super::shared::identity::BrowserSession;
use super::shared::page_cache::{PageInput, PageRequest, RenderContext};
use crate::games::exercise::{Choice, Exercise, ExerciseAnswer, Lesson};
use crate::games::{FormFields, GameType, LiveGameRef, Registry};
use crate::http::error::HttpError;
use crate::site::shared::form::Query;
use crate::site::shared::limits::RouteLimits;
use crate::templates::BoardComponent;
use crate::templates::lesson::{
    LessonAnswer, LessonChoice, LessonEndView, LessonLink, LessonStage, LessonStepView,
    lesson_end_page, lesson_page,
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
    browser: BrowserSession,
    request: PageRequest,
    Query(query): Query<FormFields>,
) -> Result<(CookieJar, Response), HttpError> {
    let page = LessonPageInput::from_query(0, &query)?;
    let response = request.respond(&page)?;
    let lessons = lessons(&request.app.games);
    let is_end = lessons
        .first()
        .is_some_and(|lesson| page.step > lesson.steps.len());
    let jar = match is_end {
        true => with_lesson_known(browser),
        false => browser.jar,
    };
    Ok((jar, response))
}

/// `GET /learn/{lesson}`, with the parameters of [`first`].
async fn show(
    request: PageRequest,
    Path(name): Path<String>,
    Query(query): Query<FormFields>,
) -> Result<Response, HttpError> {
    let lessons = lessons(&request.app.games);
    let number = lessons.iter().skip(1).position(|one| one.name == name);
    let number = number.ok_or_else(HttpError::not_found)? + 1;
    request.respond(&LessonPageInput::from_query(number, &query)?)
}

/// The address of a lesson.
pub(super) fn lesson_address(app: &App, name: &str) -> Option<String> {
    let lessons = lessons(&app.games);
    let number = lessons.iter().position(|lesson| lesson.name == name)?;
    Some(lesson_path(number, lessons[number]))
}

/// The board of the first step of the first lesson.
pub(super) fn first_board(games: &Registry) -> Option<Arc<dyn BoardComponent>> {
    let exercise = lessons(games).first()?.steps.first()?;
    let start = games.game_at_position(&exercise.position)?;
    Some(start.preview().board)
}

/// `POST /learn`: the reader does not want the first lesson, which the start page then no longer offers.
async fn skip(State(app): State<App>, browser: BrowserSession) -> Response {
    (with_lesson_known(browser), app.redirect("/")).into_response()
}

/// The lessons of all games.
fn lessons(games: &Registry) -> Vec<&Lesson> {
    games.game_types().flat_map(GameType::lessons).collect()
}

/// What a reader requested.
#[derive(Hash)]
struct LessonPageInput {
    /// The index of the lesson.
    number: usize,
    /// From 1; the number of steps + 1 is the end.
    step: usize,
    answer: Option<usize>,
}

impl LessonPageInput {
    fn from_query(number: usize, query: &FormFields) -> Result<Self, HttpError> {
        Ok(LessonPageInput {
            number,
            step: query.number("step")?.unwrap_or(1),
            answer: query.number("answer")?,
        })
    }
}

impl PageInput for LessonPageInput {
    type Error = HttpError;

    fn render(&self, context: &RenderContext<'_>) -> Result<String, HttpError> {
        let lessons = lessons(context.games);
        let lesson = *lessons.get(self.number).ok_or_else(HttpError::not_found)?;
        if !(1..=lesson.steps.len() + 1).contains(&self.step) {
            return Err(HttpError::not_found());
        }
        let page = LessonStep {
            lessons: &lessons,
            lesson,
            requested: self,
        };
        Ok(page.render(context)?.into_string())
    }
}

/// A step of a lesson.
struct LessonStep<'a> {
    lessons: &'a [&'a Lesson],
    lesson: &'a Lesson,
    requested: &'a LessonPageInput,
}

impl<'a> LessonStep<'a> {
    /// `None` at the end.
    fn exercise(&self) -> Option<&'a Exercise> {
        self.lesson.steps.get(self.requested.step - 1)
    }

    fn render(&self, context: &RenderContext<'_>) -> Result<Markup, HttpError> {
        let (site, text) = (context.site(NavSection::Elsewhere), context.text());
        let LessonPageInput { step, answer, .. } = *self.requested;
        let Some(exercise) = self.exercise() else {
            let view = LessonEndView {
                is_first: self.requested.number == 0,
                lesson: self.lesson.name.clone(),
                others: self.others(),
                game: context.games.default_game().name(),
            };
            return Ok(lesson_end_page(&site, text, &view));
        };
        let position = context.games.game_at_position(&exercise.position);
        let position = position.ok_or_else(HttpError::not_found)?;
        let stage = match answer {
            None => self.question(&position, exercise, None),
            Some(answer) => self.answered(&position, exercise, answer),
        };
        let is_start = step == 1 && answer.is_none();
        let view = LessonStepView {
            is_first: self.requested.number == 0,
            texts: format!("learn-{}-{}", self.lesson.name, exercise.name),
            step: step as u32,
            steps: self.lesson.steps.len() as u32,
            stage: stage.ok_or_else(HttpError::not_found)?,
            back: (step > 1).then(|| self.address(step - 1)),
            others: if is_start && self.requested.number == 0 {
                self.others()
            } else {
                Vec::new()
            },
        };
        Ok(lesson_page(&site, text, &view))
    }

    fn address(&self, step: usize) -> String {
        format!(
            "{}?step={step}",
            lesson_path(self.requested.number, self.lesson)
        )
    }

    /// The other lessons, except the first one.
    fn others(&self) -> Vec<LessonLink> {
        let others = self.lessons.iter().enumerate().skip(1);
        let others = others.filter(|(number, _)| *number != self.requested.number);
        let others = others.map(|(number, lesson)| LessonLink {
            name: lesson.name.clone(),
            href: lesson_path(number, lesson),
            steps: lesson.steps.len() as u32,
        });
        others.collect()
    }

    /// The question; with `tried` the choice that was made last and is wrong.
    fn question(
        &self,
        position: &LiveGameRef,
        exercise: &Exercise,
        tried: Option<LessonAnswer>,
    ) -> Option<LessonStage> {
        let here = self.address(self.requested.step);
        let choices = (1..).zip(&exercise.choices).map(|(number, choice)| {
            let is_open = tried.as_ref().is_none_or(|tried| tried.choice != number);
            (
                choice.clone(),
                is_open.then(|| format!("{here}&answer={number}")),
            )
        });
        let choices: Vec<(Choice, Option<String>)> = choices.collect();
        let question = position.position().question(exercise.selected, &choices)?;
        let choices = choices.into_iter().zip(question.odds);
        let choices = choices.map(|((_, href), odds)| LessonChoice { href, odds });
        Some(LessonStage::Open {
            board: question.board,
            strip: question.strip,
            choices: choices.collect(),
            tried,
        })
    }

    fn answered(
        &self,
        position: &LiveGameRef,
        exercise: &Exercise,
        number: usize,
    ) -> Option<LessonStage> {
        let index = number.checked_sub(1)?;
        let answer = position.position().answer(exercise.choices.get(index)?)?;
        let (board, strip, played) = match answer {
            ExerciseAnswer::Element { board, strip } => (board, strip, None),
            ExerciseAnswer::Action(played) => (
                Arc::clone(&played.board),
                played.strip.clone(),
                Some(played),
            ),
        };
        let answer = LessonAnswer {
            choice: number,
            played,
        };
        match index == exercise.right {
            true => Some(LessonStage::Right {
                answer,
                board,
                strip,
                next: self.address(self.requested.step + 1),
            }),
            false => self.question(position, exercise, Some(answer)),
        }
    }
}

fn lesson_path(number: usize, lesson: &Lesson) -> String {
    match number {
        0 => "/learn".to_owned(),
        _ => format!("/learn/{}", lesson.name),
    }
}
