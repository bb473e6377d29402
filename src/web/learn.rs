//! The first lesson: `/learn`, a question on each page. Everything is in the URL, so the pages are links only.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use maud::Markup;

use super::App;
use super::error::HttpError;
use super::game_page::Pairs;
use super::page_context::site;
use super::preferences::RequestDisplayOptions;
use crate::game_adapters::exercise::{Choice, Exercise, Lesson};
use crate::game_adapters::{FormFields, GameType, LiveGameRef};
use crate::templates::lesson::{
    LessonChoice, LessonStage, LessonStepView, lesson_end_page, lesson_page,
};
use crate::templates::view::NavSection;

/// `GET /learn?step=N&answer=K`: the step with this number from 1, the last one after all steps; with `answer` what follows
/// from the choice with this number from 1.
pub(super) async fn show(
    State(app): State<App>,
    RequestDisplayOptions(display): RequestDisplayOptions,
    query: Result<Query<Pairs>, QueryRejection>,
) -> Result<Markup, HttpError> {
    let query = FormFields(query?.0);
    let (step, answer) = (query.number("step")?, query.number("answer")?);
    let game = app.service.games().default_game();
    let lesson = game.exercises().lessons.into_iter().next();
    let lesson = lesson.ok_or_else(HttpError::not_found)?;
    let (site, text) = (site(NavSection::Learn, display), app.text(&display));
    let step: usize = step.unwrap_or(1);
    if step == lesson.steps.len() + 1 {
        return Ok(lesson_end_page(&site, text, game.name()));
    }
    let exercise = step.checked_sub(1).and_then(|step| lesson.steps.get(step));
    let exercise = exercise.ok_or_else(HttpError::not_found)?;
    let position = app.service.games().game_at_position(&exercise.position);
    let position = position.ok_or_else(HttpError::not_found)?;
    let stage = match answer {
        None => question(&position, exercise, step),
        Some(answer) => answered(&position, exercise, step, answer),
    };
    let view = LessonStepView {
        texts: text_prefix(&lesson, exercise),
        step: step as u32,
        steps: lesson.steps.len() as u32,
        stage: stage.ok_or_else(HttpError::not_found)?,
        back: (step > 1).then(|| address(step - 1)),
    };
    Ok(lesson_page(&site, text, &view))
}

/// The address of an exercise in the first lesson; `None` if it is not one of this game's.
pub(super) fn exercise_address(
    game: &dyn GameType,
    lesson: &str,
    exercise: &str,
) -> Option<String> {
    let first = game.exercises().lessons.into_iter().next()?;
    let mut steps = first.steps.iter();
    let index = steps.position(|step| first.name == lesson && step.name == exercise)?;
    Some(address(index + 1))
}

fn address(step: usize) -> String {
    format!("/learn?step={step}")
}

/// The beginning of the keys of an exercise's texts.
fn text_prefix(lesson: &Lesson, exercise: &Exercise) -> String {
    format!("learn-{}-{}", lesson.name, exercise.name)
}

fn question(position: &LiveGameRef, exercise: &Exercise, step: usize) -> Option<LessonStage> {
    let here = address(step);
    let choices = (1..).zip(&exercise.choices);
    let choices =
        choices.map(|(number, choice)| (choice.clone(), format!("{here}&answer={number}")));
    let choices: Vec<(Choice, String)> = choices.collect();
    let question = position.question(exercise.selected, &choices)?;
    let choices = choices.into_iter().zip(question.odds);
    let choices = choices.map(|((_, href), odds)| LessonChoice { href, odds });
    Some(LessonStage::Question {
        board: question.board,
        choices: choices.collect(),
    })
}

fn answered(
    position: &LiveGameRef,
    exercise: &Exercise,
    step: usize,
    answer: usize,
) -> Option<LessonStage> {
    let choice = exercise.choices.get(answer.checked_sub(1)?)?;
    let is_right = answer - 1 == exercise.right;
    Some(LessonStage::Answer {
        board: position.answer(choice)?,
        choice: answer,
        is_right,
        href: address(if is_right { step + 1 } else { step }),
    })
}
