//! The lessons, `/learn`.

use std::collections::BTreeSet;

use dice_of_doom::games::Registry;
use dice_of_doom::games::exercise::{Choice, Exercise, Lesson};
use dice_of_doom::templates::localization::Language;
use serde_json::{Value, json};

use crate::common::{Person, Server};

fn lessons(games: &Registry) -> Vec<Lesson> {
    let lessons = games.game_types().flat_map(|game| game.lessons());
    lessons.cloned().collect()
}

/// The exercises of all lessons, with the beginning of the keys of their texts.
fn exercises(games: &Registry) -> Vec<(String, Exercise)> {
    let exercises = lessons(games).into_iter().flat_map(|lesson| {
        let texts = move |exercise: &Exercise| format!("learn-{}-{}", lesson.name, exercise.name);
        let steps = lesson.steps.into_iter();
        steps.map(move |exercise| (texts(&exercise), exercise))
    });
    exercises.collect()
}

/// The keys of all texts of the lessons.
pub(crate) fn text_keys(games: &Registry) -> Vec<String> {
    let lessons = lessons(games).into_iter();
    let names = lessons
        .skip(1)
        .map(|lesson| format!("learn-{}-name", lesson.name));
    let mut keys: Vec<String> = names.collect();
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
        let found = live.position_at(0).compact();
        assert_eq!(found, Some(exercise.position.clone()), "{texts}");
        assert!(exercise.right < exercise.choices.len(), "{texts}");
        let choices = exercise.choices.iter();
        let choices: Vec<(Choice, Option<String>)> =
            choices.map(|choice| (choice.clone(), None)).collect();
        assert!(
            live.position()
                .question(exercise.selected, &choices)
                .is_some(),
            "{texts}"
        );
        for choice in &exercise.choices {
            assert!(
                live.position().answer(choice).is_some(),
                "{texts}: {choice:?}"
            );
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

#[tokio::test]
async fn every_lesson_is_played_to_its_end_by_links_alone() {
    let server = Server::start().await;
    let reader = server.person();
    let link = |href: &str| format!("a[href='{href}']");
    assert!(reader.page("/").await.has(&link("/learn")));
    let first = reader.page("/learn").await;
    for (number, lesson) in lessons(&Registry::builtin()).into_iter().enumerate() {
        let start = match number {
            0 => "/learn".to_owned(),
            _ => format!("/learn/{}", lesson.name),
        };
        assert!(number == 0 || first.has(&link(&start)));
        let steps = lesson.steps.len();
        let mut path = start.clone();
        for (step, exercise) in (1..).zip(&lesson.steps) {
            let question = reader.page(&path).await;
            assert!(question.contains(&format!("Step {step} of {steps}")));
            for choice in 1..=exercise.choices.len() {
                let address = format!("{start}?step={step}&answer={choice}");
                assert!(question.has(&link(&address)), "{address}");
                let answer = reader.page(&address).await;
                let is_right = choice == exercise.right + 1;
                assert_eq!(answer.has(".task.right"), is_right, "{address}");
                assert_eq!(answer.has(".tried"), !is_right, "{address}");
                if is_right {
                    path = answer.link("Next");
                    continue;
                }
                // The board is live: everything but what was tried can be chosen at once.
                assert!(!answer.has(&link(&address)), "{address}");
                let right = format!("{start}?step={step}&answer={}", exercise.right + 1);
                assert!(answer.has(&link(&right)), "{address}");
                let reply = answer.text(".task");
                assert!(reply.ends_with("Choose the other one."));
                let is_set_back = reply.contains("The board is as it was before.");
                assert_eq!(is_set_back, answer.has("template"), "{address}");
            }
            // The board offers choices, too.
            assert!(question.has("a.hex, a.col.can"), "{path}");
        }
        let end = reader.page(&path).await;
        assert!(end.has("[action='/games']"));
        assert_eq!(end.contains("You know the game"), number == 0);
        assert!(end.contains("More lessons"));
    }
}

#[tokio::test]
async fn the_dice_of_a_lesson_lie_in_the_tray_and_are_said_in_words() {
    let server = Server::start().await;
    let reader = server.person();
    let question = reader.page("/learn?step=2").await;
    assert!(question.has(".roll.none") && !question.has("#main[data-played]"));
    let right = reader.page("/learn?step=2&answer=1").await;
    let faces: Vec<String> = right.attrs(".roll .face use", "href");
    assert_eq!(faces, ["#f6", "#f4", "#f3", "#f5"]);
    let rolling = right.attr("#main", "data-rolling");
    assert_eq!(rolling, "Rolling 3 dice against 1: 97%");
    let said = right.attr("#main", "data-said");
    assert!(said.starts_with("13 beats 5. The hex is yours. "), "{said}");
    let ply: Value = serde_json::from_str(&right.attr("#main", "data-played")).unwrap();
    assert_eq!(
        (&ply["path"], &ply["captured"]),
        (&json!([2, 0]), &json!(true))
    );
    assert!(!right.has("template"));
    // The board after a wrong attack is shown, and then set back: the tried hex keeps its mark.
    let wrong = reader.page("/learn?step=3&answer=2").await;
    assert!(wrong.has("#main > .bd a.tgt#h0") && wrong.has("#main > .bd g.tgt#h4"));
    assert_eq!(wrong.count(".bd .chip .cross"), 1);
    assert!(wrong.has("template"));
    let said = wrong.attr("#main", "data-said");
    assert!(said.starts_with("9 does not beat 12. Lost"), "{said}");
}

#[test]
fn lessons_have_different_names() {
    let lessons = lessons(&Registry::builtin());
    let names: BTreeSet<&str> = lessons.iter().map(|lesson| lesson.name.as_str()).collect();
    assert_eq!(names.len(), lessons.len());
    for lesson in &lessons[1..] {
        assert!((2..=4).contains(&lesson.steps.len()), "{}", lesson.name);
    }
}

#[tokio::test]
async fn the_first_lesson_is_offered_until_it_is_finished_or_skipped() {
    let server = Server::start().await;
    let is_offered = async |person: &Person| {
        let page = person.page("/").await;
        let links = page.texts("a[href='/learn']");
        assert!(links.contains(&"Learn".to_owned()), "{links:?}");
        page.contains("Learn in 3 minutes")
    };
    for (path, offered) in [
        ("/learn", true),
        ("/learn?step=6", true),
        ("/learn/odds?step=4", true),
        ("/learn?step=7", false),
    ] {
        let person = server.person();
        person.page(path).await;
        assert_eq!(is_offered(&person).await, offered, "{path}");
    }
    let person = server.person();
    person.post("/learn", "").await;
    assert!(!is_offered(&person).await, "skipped");
}

#[tokio::test]
async fn lessons_steps_and_answers_that_do_not_exist_are_not_found() {
    let server = Server::start().await;
    for path in [
        "?step=0",
        "?step=8",
        "?answer=0",
        "?step=2&answer=3",
        "/odds?step=5",
        "/odds?answer=3",
        // The first lesson has only one address.
        "/rules",
        "/tea",
    ] {
        server
            .person()
            .page_with_status(&format!("/learn{path}"), 404)
            .await;
    }
}
