//! The puzzles, `/puzzles`.

use std::collections::BTreeSet;

use dice_of_doom::game_adapters::Registry;
use dice_of_doom::game_adapters::puzzle::Puzzle;
use dice_of_doom::templates::localization::Language;
use reqwest::redirect::Policy;
use reqwest::{Client, Response};

use crate::common::Server;

fn puzzles(games: &Registry) -> Vec<Puzzle> {
    let puzzles = games.game_types().flat_map(|game| game.puzzles().to_vec());
    puzzles.collect()
}

/// The keys of the texts of all themes.
pub(crate) fn text_keys(games: &Registry) -> BTreeSet<String> {
    let puzzles = puzzles(games);
    let keys = puzzles
        .iter()
        .flat_map(|puzzle| ["theme", "task"].map(|what| format!("puzzle-{what}-{}", puzzle.theme)));
    keys.collect()
}

#[test]
fn every_puzzle_is_possible_and_has_one_clearly_best_answer() {
    let games = Registry::builtin();
    let mut ids = BTreeSet::new();
    for kind in games.game_types() {
        assert_eq!(kind.puzzles().len(), 100, "{}", kind.name());
        for puzzle in kind.puzzles() {
            let id = &puzzle.id;
            assert!(ids.insert(id.clone()), "{id} occurs twice");
            let (name, position) = puzzle.position.split_once('.').unwrap();
            assert_eq!(name, kind.name(), "{id}");
            let live = kind.game_from_compact(position).unwrap();
            assert_eq!(
                live.position_text(0).as_ref(),
                Some(&puzzle.position),
                "{id}"
            );
            assert!(
                puzzle.choices.len() > 1 && live.puzzle_board(&puzzle.choices).is_some(),
                "{id}"
            );
            let right = &puzzle.choices[puzzle.right];
            for choice in &puzzle.choices {
                let is_worse = choice.share <= right.share - 0.1;
                assert!(is_worse || choice == right, "{id}: {}", choice.action);
                let mut live = live.clone();
                for (number, step) in choice.line.split(',').enumerate() {
                    let (action, outcome) = step.rsplit_once('.').unwrap();
                    assert!(number > 0 || action == choice.action, "{id}: {step}");
                    let step = live.line_step(action, outcome.parse().unwrap());
                    live = step.unwrap_or_else(|| panic!("{id}: {}", choice.line)).live;
                }
            }
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

/// A browser with cookies that does not follow redirects.
fn browser() -> Client {
    let builder = Client::builder().cookie_store(true);
    builder.redirect(Policy::none()).build().unwrap()
}

async fn get(browser: &Client, server: &Server, path: &str) -> String {
    let answer = browser.get(server.url(path)).send().await.unwrap();
    assert_eq!(answer.status().as_u16(), 200, "{path}");
    answer.text().await.unwrap()
}

async fn answer(browser: &Client, server: &Server, id: &str, number: &str) -> Response {
    let form = [("answer", number)];
    let request = browser.post(server.url(&format!("/puzzles/{id}")));
    request.form(&form).send().await.unwrap()
}

fn location(answer: &Response) -> &str {
    assert_eq!(answer.status().as_u16(), 303);
    answer.headers()["location"].to_str().unwrap()
}

#[tokio::test]
async fn a_puzzle_is_answered_by_a_form_and_explained() {
    let server = Server::start().await;
    for puzzle in puzzles(&Registry::builtin()).iter().step_by(50) {
        let (browser, id) = (browser(), &puzzle.id);
        let question = get(&browser, &server, &format!("/puzzles/{id}")).await;
        assert_eq!(
            question.matches(r#"name="answer""#).count(),
            puzzle.choices.len()
        );
        assert!(question.contains("Rating"), "{id}");
        let wrong = if puzzle.right == 0 { 2 } else { 1 };
        let to = answer(&browser, &server, id, &wrong.to_string()).await;
        let to = location(&to).to_owned();
        assert_eq!(to, format!("/puzzles/{id}?answer={wrong}"));
        let page = get(&browser, &server, &to).await;
        assert!(page.contains("Not the best. Better:"), "{id}");
        assert!(
            page.contains("(your answer)") && page.contains("was 1500"),
            "{id}"
        );
        let steps = puzzle.choices[wrong - 1].line.split(',').count();
        assert_eq!(page.matches(r#"class="mini"#).count(), steps, "{id}");
        // The first answer counts: the rating stays.
        let right = (puzzle.right + 1).to_string();
        let to = answer(&browser, &server, id, &right).await;
        let page = get(&browser, &server, location(&to)).await;
        assert!(
            page.contains("Right: ") && page.contains("was 1500"),
            "{id}"
        );
        // The next puzzle is another one.
        let next = page.split("btn main later\" href=\"").nth(1).unwrap();
        let next = next.split('"').next().unwrap();
        assert!(
            next.starts_with("/puzzles/") && !next.ends_with(id.as_str()),
            "{next}"
        );
        let next = next.strip_prefix("/puzzles/").unwrap();
        answer(&browser, &server, next, "1").await;
        // The rating has changed since.
        let page = get(&browser, &server, &format!("/puzzles/{id}?answer=1")).await;
        assert!(!page.contains("was 1500"), "{id}");
    }
}

#[tokio::test]
async fn the_list_counts_what_was_tried_and_leads_through_a_theme() {
    let server = Server::start().await;
    let browser = browser();
    let theme: Vec<Puzzle> = {
        let puzzles = puzzles(&Registry::builtin()).into_iter();
        puzzles.filter(|puzzle| puzzle.theme == "win").collect()
    };
    let next = "/puzzles?theme=win";
    for tried in 0..theme.len() {
        let to = browser.get(server.url(next)).send().await.unwrap();
        let id = location(&to).strip_prefix("/puzzles/").unwrap().to_owned();
        let puzzle = theme.iter().find(|puzzle| puzzle.id == id).unwrap();
        answer(&browser, &server, &id, &(puzzle.right + 1).to_string()).await;
        if tried == 0 {
            let page = get(&browser, &server, "/puzzles").await;
            let count = format!("1 of {} tried, 1 solved", theme.len());
            assert!(page.contains(&count), "{page}");
        }
    }
    let to = browser.get(server.url(next)).send().await.unwrap();
    assert_eq!(location(&to), "/puzzles");
    let page = get(&browser, &server, "/puzzles").await;
    assert!(page.contains(&format!("You have tried all {} puzzles", theme.len())));
    assert!(!page.contains(next));
}

#[tokio::test]
async fn answers_and_puzzles_that_do_not_exist_are_refused() {
    let server = Server::start().await;
    let browser = browser();
    let id = &puzzles(&Registry::builtin())[0].id;
    for (number, status) in [("0", 400), ("9", 400), ("x", 422), ("", 422)] {
        let refused = answer(&browser, &server, id, number).await;
        assert_eq!(refused.status().as_u16(), status, "{number}");
    }
    for path in ["/puzzles/none", "/puzzles?theme=none"] {
        let refused = browser.get(server.url(path)).send().await.unwrap();
        assert_eq!(refused.status().as_u16(), 404, "{path}");
    }
    let refused = browser
        .get(server.url(&format!("/puzzles/{id}?answer=9")))
        .send();
    assert_eq!(refused.await.unwrap().status().as_u16(), 404);
}

#[tokio::test]
async fn the_start_page_shows_the_puzzle_of_the_day() {
    let server = Server::start().await;
    let browser = browser();
    let page = get(&browser, &server, "/").await;
    let link = page.split(r#"class="btn" href="/puzzles/"#).nth(1).unwrap();
    let id = link.split('"').next().unwrap();
    let page = get(&browser, &server, &format!("/puzzles/{id}")).await;
    assert!(page.contains("Puzzle of the day"));
}
