//! The first lesson, `/learn`.

use dice_of_doom::game_adapters::Registry;
use dice_of_doom::game_adapters::exercise::{Choice, Exercise};
use dice_of_doom::templates::localization::Language;

use crate::common::Server;

/// The exercises of all lessons, with the beginning of the keys of their texts.
fn exercises(games: &Registry) -> Vec<(String, Exercise)> {
    let lessons = games.game_types().flat_map(|game| game.exercises().lessons);
    let exercises = lessons.flat_map(|lesson| {
        let texts = move |exercise: &Exercise| format!("learn-{}-{}", lesson.name, exercise.name);
        lesson
            .steps
            .clone()
            .into_iter()
            .map(move |exercise| (texts(&exercise), exercise))
    });
    exercises.collect()
}

/// The keys of all texts of the exercises.
pub(crate) fn text_keys(games: &Registry) -> Vec<String> {
    let mut keys = Vec::new();
    for (texts, exercise) in exercises(games) {
        keys.extend(["title", "text", "task"].map(|what| format!("{texts}-{what}")));
        for number in 1..=exercise.choices.len() {
            keys.extend(["choice", "reply"].map(|what| format!("{texts}-{what}-{number}")));
        }
    }
    keys
}

#[test]
fn every_exercise_is_possible_and_has_all_its_texts() {
    let games = Registry::builtin();
    let exercises = exercises(&games);
    assert!(!exercises.is_empty());
    for (texts, exercise) in exercises {
        let (name, position) = exercise.position.split_once('.').unwrap();
        let game = games.game_type(name).unwrap();
        let live = game.game_from_compact(position).unwrap();
        assert_eq!(
            live.position_text(0),
            Some(exercise.position.clone()),
            "{texts}"
        );
        assert!(exercise.right < exercise.choices.len(), "{texts}");
        let choices: Vec<(Choice, String)> = exercise
            .choices
            .iter()
            .map(|choice| (choice.clone(), "/".to_owned()))
            .collect();
        assert!(
            live.question(exercise.selected, &choices).is_some(),
            "{texts}"
        );
        for choice in &exercise.choices {
            assert!(live.answer(choice).is_some(), "{texts}: {choice:?}");
        }
    }
    for language in Language::ALL {
        for key in text_keys(&games) {
            assert!(
                games.translations(language).has(&key),
                "{language:?}: {key}"
            );
        }
    }
}

/// The address of the link with this text or class.
fn link<'a>(page: &'a str, mark: &str) -> &'a str {
    let before = &page[..page
        .find(mark)
        .unwrap_or_else(|| panic!("no {mark} in {page}"))];
    let start = before.rfind("href=\"").unwrap() + "href=\"".len();
    let rest = &page[start..];
    &rest[..rest.find('"').unwrap()]
}

async fn page(server: &Server, path: &str) -> String {
    let path = path.replace("&amp;", "&");
    let answer = reqwest::get(server.url(&path)).await.unwrap();
    assert_eq!(answer.status().as_u16(), 200, "{path}");
    answer.text().await.unwrap()
}

#[tokio::test]
async fn the_lesson_is_played_to_its_end_by_links_alone() {
    let server = Server::start().await;
    assert!(page(&server, "/").await.contains(r#"href="/learn""#));
    let steps = exercises(&Registry::builtin());
    let mut path = "/learn".to_owned();
    for (number, (_, exercise)) in (1..).zip(&steps) {
        let question = page(&server, &path).await;
        assert!(question.contains(&format!("Step {number} of {}", steps.len())));
        for choice in 1..=exercise.choices.len() {
            let address = format!("/learn?step={number}&amp;answer={choice}");
            assert!(
                question.contains(&format!(r#"href="{address}""#)),
                "{address}"
            );
            let answer = page(&server, &address).await;
            if choice == exercise.right + 1 {
                assert!(answer.contains("reply right"), "{address}");
                path = link(&answer, ">Next<").to_owned();
            } else {
                assert_eq!(
                    link(&answer, ">Try again<"),
                    format!("/learn?step={number}")
                );
            }
        }
        // The board offers choices, too.
        let on_board = question.matches(r#"<a class="hex"#).count();
        assert!(on_board > 0, "{path}");
    }
    let end = page(&server, &path).await;
    assert!(end.contains(r#"action="/games""#));
}

#[tokio::test]
async fn steps_and_answers_that_do_not_exist_are_not_found() {
    let server = Server::start().await;
    for query in ["step=0", "step=8", "answer=0", "step=2&answer=3"] {
        let answer = reqwest::get(server.url(&format!("/learn?{query}")))
            .await
            .unwrap();
        assert_eq!(answer.status().as_u16(), 404, "{query}");
    }
}
