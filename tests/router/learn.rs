//! The lessons, `/learn`.

use std::collections::BTreeSet;

use dice_of_doom::game_adapters::Registry;
use dice_of_doom::game_adapters::exercise::{Choice, Exercise, Lesson};
use dice_of_doom::templates::localization::Language;

use crate::common::{Server, plain_client};

fn lessons(games: &Registry) -> Vec<Lesson> {
    let lessons = games.game_types().flat_map(|game| game.exercises().lessons);
    lessons.collect()
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
async fn every_lesson_is_played_to_its_end_by_links_alone() {
    let server = Server::start().await;
    assert!(page(&server, "/").await.contains(r#"href="/learn""#));
    let first = page(&server, "/learn").await;
    for (number, lesson) in lessons(&Registry::builtin()).into_iter().enumerate() {
        let start = match number {
            0 => "/learn".to_owned(),
            _ => format!("/learn/{}", lesson.name),
        };
        assert!(number == 0 || first.contains(&format!(r#"href="{start}""#)));
        let steps = lesson.steps.len();
        let mut path = start.clone();
        for (step, exercise) in (1..).zip(&lesson.steps) {
            let question = page(&server, &path).await;
            assert!(question.contains(&format!("Step {step} of {steps}")));
            for choice in 1..=exercise.choices.len() {
                let address = format!("{start}?step={step}&amp;answer={choice}");
                assert!(
                    question.contains(&format!(r#"href="{address}""#)),
                    "{address}"
                );
                let answer = page(&server, &address).await;
                if choice == exercise.right + 1 {
                    assert!(answer.contains("reply right"), "{address}");
                    path = link(&answer, ">Next<").to_owned();
                } else {
                    let again = format!("{start}?step={step}");
                    assert_eq!(link(&answer, ">Try again<"), again);
                }
            }
            // The board offers choices, too.
            let on_board = |begin| question.matches(begin).count();
            let links = on_board(r#"<a class="hex"#) + on_board(r#"class="col can"#);
            assert!(links > 0, "{path}");
        }
        let end = page(&server, &path).await;
        assert!(end.contains(r#"action="/games""#));
        assert_eq!(end.contains("You know the game"), number == 0);
        assert!(end.contains("More lessons"));
    }
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

/// The cookies that a browser keeps from a response.
async fn cookies(server: &Server, post: bool, path: &str) -> String {
    let client = plain_client();
    let url = server.url(path);
    let request = if post {
        client.post(url)
    } else {
        client.get(url)
    };
    let answer = request.send().await.unwrap();
    let lines = answer.headers().get_all("set-cookie").iter();
    let pairs = lines.map(|line| line.to_str().unwrap().split(';').next().unwrap());
    pairs.collect::<Vec<_>>().join("; ")
}

#[tokio::test]
async fn the_first_lesson_is_offered_until_it_is_finished_or_skipped() {
    let server = Server::start().await;
    let is_offered = async |cookies: String| {
        let request = plain_client()
            .get(server.url("/"))
            .header("cookie", cookies);
        let page = request.send().await.unwrap().text().await.unwrap();
        assert!(page.contains(r#"<a href="/learn">Learn</a>"#), "{page}");
        page.contains("Learn in 3 minutes")
    };
    for path in ["/learn", "/learn?step=6", "/learn/odds?step=4"] {
        assert!(
            is_offered(cookies(&server, false, path).await).await,
            "{path}"
        );
    }
    assert!(!is_offered(cookies(&server, false, "/learn?step=7").await).await);
    assert!(!is_offered(cookies(&server, true, "/learn").await).await);
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
        let answer = reqwest::get(server.url(&format!("/learn{path}"))).await;
        assert_eq!(answer.unwrap().status().as_u16(), 404, "{path}");
    }
}
