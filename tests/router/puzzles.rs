//! The puzzles, `/puzzles`.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use dice_of_doom::day::Day;
use dice_of_doom::games::puzzle::Puzzle;
use dice_of_doom::games::{FormFields, Registry};
use dice_of_doom::tables::{Environment, LoopbackPolicy};
use dice_of_doom::templates::localization::Language;
use reqwest::Response;
use serde_json::Value;

use crate::common::page::Page;
use crate::common::{Person, Server, header_of, with_clock};

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
            let found = live.position_at(0).compact();
            assert_eq!(found, Some(puzzle.position.clone()), "{id}");
            let question =
                live.position()
                    .puzzle_question(&puzzle.choices, "/", &FormFields::default());
            assert!(puzzle.choices.len() > 1 && question.is_some(), "{id}");
            let right = &puzzle.choices[puzzle.right];
            for choice in &puzzle.choices {
                let is_worse = choice.share <= right.share - 0.1;
                assert!(is_worse || choice == right, "{id}: {}", choice.action);
                let position = live.position();
                let played = position.play_choice(choice).expect(id);
                let again = position.play_choice(choice).expect(id);
                assert_eq!(played.event, again.event, "the same dice each time");
                let mut live = live.clone();
                for (number, step) in choice.line.split(',').enumerate() {
                    let (action, outcome) = step.rsplit_once('.').unwrap();
                    assert!(number > 0 || action == choice.action, "{id}: {step}");
                    let step = live.position().line_step(action, outcome.parse().unwrap());
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

#[test]
fn puzzles_differ_up_to_the_symmetries_of_their_game() {
    let games = Registry::builtin();
    for kind in games.game_types() {
        let mut identities = BTreeSet::new();
        for puzzle in kind.puzzles() {
            let (_, position) = puzzle.position.split_once('.').unwrap();
            let game = kind.game_from_compact(position).unwrap();
            let identity = game.position().puzzle_identity().unwrap();
            assert!(identities.insert(identity), "{}", puzzle.id);
        }
    }
}

#[test]
fn images_of_a_position_under_the_symmetries_of_its_game_ask_the_same() {
    let games = Registry::builtin();
    // A mirror image of Trilobite, and players of Dice of Doom that have changed places.
    for (name, position, same, other) in [
        (
            "trilobite",
            "3.2.3.000120.1",
            "3.2.3.000021.1",
            "3.2.3.000012.1",
        ),
        (
            "dice",
            "v4.2.2.3.a1b2a3b1.0.0.1",
            "v4.2.2.3.b1a2b3a1.1.0.1",
            "v4.2.2.3.b1a2b3a1.0.0.1",
        ),
        (
            "dice",
            "v4.2.2.3.a1b2a3b1.0.0.1",
            "v4.2.2.3.b1a2b3a1.1.0.1",
            "v4.2.2.3.b1a3b2a1.0.0.1",
        ),
    ] {
        let identity = |position| {
            let kind = games.game_type(name).unwrap();
            let game = kind.game_from_compact(position).unwrap();
            game.position().puzzle_identity()
        };
        assert_eq!(identity(position), identity(same), "{position}");
        assert_ne!(identity(position), identity(other), "{position}");
    }
}

/// Answers from the page of the question, which gives a browser its cookie.
async fn answer(person: &Person, id: &str, number: &str) -> Response {
    let path = format!("/puzzles/{id}");
    person.page(&path).await;
    person.post(&path, &[("answer", number)]).await
}

fn location(answer: &Response) -> &str {
    assert_eq!(answer.status(), 303);
    header_of(answer, "location")
}

#[tokio::test]
async fn a_puzzle_is_answered_by_a_form_and_explained() {
    let server = Server::start().await;
    for puzzle in puzzles(&Registry::builtin()).iter().step_by(50) {
        let (browser, id) = (server.person(), &puzzle.id);
        let question = browser.page(&format!("/puzzles/{id}")).await;
        assert_eq!(
            question.count(".answers [name=answer]"),
            puzzle.choices.len()
        );
        assert!(question.has(".ratings") && !question.has(".main"), "{id}");
        let wrong = if puzzle.right == 0 { 2 } else { 1 };
        let to = answer(&browser, id, &wrong.to_string()).await;
        let to = location(&to).to_owned();
        assert_eq!(to, format!("/puzzles/{id}?answer={wrong}"));
        let page = browser.page(&to).await;
        assert!(page.contains("Not the best. Better:"), "{id}");
        assert!(
            page.contains("(your answer)") && page.contains("(−"),
            "{id}"
        );
        assert_eq!(page.count(".main"), 1, "one golden button");
        let steps = puzzle.choices[puzzle.right].line.split(',').count();
        assert_eq!(page.count(".mini"), steps, "{id}");
        let title = page.text(".played h2");
        assert!(title.starts_with("The better choice, played out: "), "{id}");
        // The first answer counts: the rating stays.
        let right = (puzzle.right + 1).to_string();
        let to = answer(&browser, id, &right).await;
        let page = browser.page(location(&to)).await;
        assert!(page.contains("Right: ") && page.contains("(−"), "{id}");
        // The next puzzle is another one.
        let next = page.attr("a.btn.main.later", "href");
        assert!(
            next.starts_with("/puzzles/") && !next.ends_with(id.as_str()),
            "{next}"
        );
        let next = next.strip_prefix("/puzzles/").unwrap();
        answer(&browser, next, "1").await;
        // The rating has changed since.
        let page = browser.page(&format!("/puzzles/{id}?answer=1")).await;
        assert!(!page.contains("(−"), "{id}");
    }
}

/// The puzzle with this id, and its page after a choice.
async fn answered(browser: &Person, id: &str, choice: usize) -> Page {
    let to = answer(browser, id, &(choice + 1).to_string()).await;
    browser.page(location(&to)).await
}

#[tokio::test]
async fn after_a_wrong_answer_the_reason_names_the_right_one() {
    let server = Server::start().await;
    let browser = server.person();
    // If the turn ends after the better attack, the game ends: no reason is given about dice that would come.
    let page = answered(&browser, "71c-93", 0).await;
    assert_eq!(
        page.text(".question .lead"),
        "Attack Purple, 6 → 11: it costs 33 points. Better: attack Green, 6 → 12. If you end the turn after it, the game \
         ends: then only hexes count, not new dice."
    );
    assert_eq!(
        page.text(".played h2"),
        "The better choice, played out: attack Green, 6 → 12"
    );
    let page = answered(&browser, "117-9", 0).await;
    let lead = page.text(".question .lead");
    assert!(lead.starts_with("Attack Blue, 4 → 5: it costs "), "{lead}");
    assert!(lead.contains("Better: end your turn. "), "{lead}");
}

#[tokio::test]
async fn the_choices_of_a_puzzle_have_different_names() {
    let server = Server::start().await;
    let browser = server.person();
    let dice = puzzles(&Registry::builtin()).into_iter();
    for puzzle in dice.filter(|puzzle| puzzle.position.starts_with("dice.")) {
        let page = browser.page(&format!("/puzzles/{}", puzzle.id)).await;
        let names = page.texts(".answers .what b");
        let different: BTreeSet<&String> = names.iter().collect();
        assert_eq!(different.len(), names.len(), "{}: {names:?}", puzzle.id);
    }
}

#[tokio::test]
async fn an_answer_is_given_on_the_board() {
    let server = Server::start().await;
    let browser = server.person();
    let id = "98-10";
    let question = browser.page(&format!("/puzzles/{id}")).await;
    // The letters of the attacks stand on the board, that of the end of the turn beside it.
    let mut letters = question.texts(".bd a.pointer text");
    letters.sort();
    assert_eq!(letters, ["A", "B"]);
    assert_eq!(question.text(".corner .letter"), "C");
    assert_eq!(
        question.texts(".answers .what b"),
        [
            "Attack Red, 6 → 5",
            "Attack Purple, 7 → 12",
            "End your turn"
        ]
    );
    let links = question.attrs(".answers [data-link]", "data-link");
    assert_eq!(
        links,
        ["/puzzles/98-10?from=6&to=5", "/puzzles/98-10?from=7&to=12"]
    );
    let mut pointers = question.attrs(".bd a.pointer", "href");
    pointers.sort_by_key(|href| links.iter().position(|link| link == href));
    assert_eq!(pointers, links);
    // A source, then its target: the list marks the answer, which a press there confirms.
    let source = browser.page(&question.attr(".bd a#h6", "href")).await;
    assert_eq!(source.attr(".bd a#h5", "href"), links[0]);
    // The odds of another target, and not those under the pointer.
    let mut odds = source.attrs(".bd a.chip", "href");
    odds.sort();
    assert!(!odds.is_empty() && !odds.contains(&links[0]), "{odds:?}");
    let target = browser.page(&links[0]).await;
    assert_eq!(target.attr(".pressed", "value"), "1");
    // Another attack is no answer.
    assert_eq!(
        question.attr("#main", "data-refused"),
        "Not among the three answers."
    );
    let other = browser.page("/puzzles/98-10?from=6&to=0").await;
    assert!(!other.has(".pressed"));
    assert_eq!(other.text(".play-it"), "Not among the three answers.");
    for nonsense in ["?from=99", "?from=6&to=7", "?column=z", "?x=1"] {
        let page = browser.page(&format!("/puzzles/{id}{nonsense}")).await;
        assert_eq!(
            page.text(".play-it"),
            question.text(".play-it"),
            "{nonsense}"
        );
    }
    let counts = server.service.store().puzzle_counts().await.unwrap();
    assert_eq!(counts, [], "nothing of this is an answer");
}

#[tokio::test]
async fn the_roll_of_an_answer_is_shown_and_does_not_count() {
    let server = Server::start().await;
    let browser = server.person();
    // Its right attack fails.
    let page = answered(&browser, "61-29", 1).await;
    assert!(page.contains("Right: attack Blue"));
    assert!(page.contains("The answer counts, not the roll."));
    assert_eq!(page.count(".roll .face"), 4);
    let ply: Value = serde_json::from_str(&page.attr("#main", "data-played")).unwrap();
    assert_eq!(ply["captured"], false);
    let said = page.attr("#main", "data-said");
    let parts = ["Right: attack Blue, 10 → 9. ", ". 1 in a row."];
    assert!(
        said.contains(parts[0]) && said.ends_with(parts[1]),
        "{said}"
    );
    // Nothing is rolled at the end of a turn.
    let page = answered(&browser, "13-43", 1).await;
    assert!(page.has(".roll.none") && !page.contains("not the roll"));
    assert_eq!(page.text(".standing .row b"), "2");
}

#[tokio::test]
async fn trilobite_says_what_a_column_leads_to() {
    let server = Server::start().await;
    let browser = server.person();
    let question = browser.page("/puzzles/3-41").await;
    assert_eq!(
        question.attr(".bd a#col-h", "href"),
        "/puzzles/3-41?column=h"
    );
    let page = answered(&browser, "3-41", 0).await;
    assert_eq!(page.texts(".ranked .outcome"), ["draws", "loses", "loses"]);
    assert!(page.text(".question .lead").starts_with("Column c loses."));
    assert!(!page.contains("points"));
    assert!(!page.has(".percent") && !page.has(".roll"));
}

#[tokio::test]
async fn days_in_a_row_and_puzzles_in_a_row_are_counted() {
    let first: Day = "2026-11-27".parse().unwrap();
    let (environment, now) = with_clock(Environment::default(), first.start_ms());
    let server = Server::with(|config| config.environment = environment).await;
    let browser = server.person();
    let games = Registry::builtin();
    let today = async || {
        let page = browser.page("/puzzles").await;
        let id = page.attr(".of-today a", "href").replace("/puzzles/", "");
        let right = puzzles(&games).into_iter().find(|puzzle| puzzle.id == id);
        (page, id, right.unwrap().right)
    };
    let mut day = first;
    for streak in ["one day in a row", "2 days in a row"] {
        let (page, id, right) = today().await;
        assert!(page.has(".of-today .main"), "today's is still to be solved");
        let page = answered(&browser, &id, right).await;
        assert_eq!(page.texts(".eyebrow .of-day"), ["solved", streak]);
        let (page, ..) = today().await;
        assert_eq!(page.texts(".of-today .of-day"), ["solved", streak]);
        assert!(!page.has(".of-today .main"));
        day = day.next();
        now.store(day.start_ms(), Ordering::SeqCst);
    }
    // Until the end of the day after, the row is not broken.
    let (page, id, right) = today().await;
    assert_eq!(page.texts(".of-today .of-day"), ["2 days in a row"]);
    assert_eq!(page.text(".row b"), "2");
    // A wrong answer ends both.
    let page = answered(&browser, &id, (right + 1) % 2).await;
    assert_eq!(
        page.texts(".eyebrow .of-day"),
        ["not solved", "2 days in a row"]
    );
    assert_eq!(page.text(".standing .row b"), "0");
    assert!(page.contains("your best: 2"));
    now.store(day.next().start_ms(), Ordering::SeqCst);
    let (page, ..) = today().await;
    assert!(!page.has(".of-today .of-day"));
}

#[tokio::test]
async fn the_list_counts_what_was_tried_and_leads_through_a_theme() {
    let server = Server::start().await;
    let browser = server.person();
    let theme: Vec<Puzzle> = {
        let puzzles = puzzles(&Registry::builtin()).into_iter();
        puzzles.filter(|puzzle| puzzle.theme == "win").collect()
    };
    let next = "/puzzles?theme=win";
    for tried in 0..theme.len() {
        let to = browser.redirected(next).await;
        let id = to.strip_prefix("/puzzles/").unwrap().to_owned();
        let puzzle = theme.iter().find(|puzzle| puzzle.id == id).unwrap();
        answer(&browser, &id, &(puzzle.right + 1).to_string()).await;
        if tried == 0 {
            let page = browser.page("/puzzles").await;
            let count = format!("1 of {} tried, 1 solved", theme.len());
            assert!(page.contains(&count), "{page}");
        }
    }
    assert_eq!(browser.redirected(next).await, "/puzzles");
    let page = browser.page("/puzzles").await;
    assert!(page.contains(&format!("You have tried all {} puzzles", theme.len())));
    assert!(!page.contains(next));
}

#[tokio::test]
async fn answers_and_puzzles_that_do_not_exist_are_refused() {
    let server = Server::start().await;
    let browser = server.person();
    let id = &puzzles(&Registry::builtin())[0].id;
    for (number, status) in [("0", 400), ("9", 400), ("x", 422), ("", 422)] {
        let refused = answer(&browser, id, number).await;
        assert_eq!(refused.status(), status, "{number}");
    }
    for path in ["/puzzles/none", "/puzzles?theme=none"] {
        browser.page_with_status(path, 404).await;
    }
    let verdict = format!("/puzzles/{id}?answer=9");
    browser.page_with_status(&verdict, 404).await;
}

#[tokio::test]
async fn the_start_page_shows_the_puzzle_of_the_day() {
    let server = Server::start().await;
    let browser = server.person();
    let page = browser.page("/").await;
    let page = browser
        .page(&page.attr("a.btn[href^='/puzzles/']", "href"))
        .await;
    assert!(page.contains("Puzzle of the day"));
}

#[tokio::test]
async fn a_browser_sees_the_verdict_after_its_answer_is_stored() {
    let server = Server::start().await;
    let [first, other] = server.people();
    let puzzles = puzzles(&Registry::builtin());
    for puzzle in puzzles.iter().step_by(50) {
        let id = &puzzle.id;
        let question = format!("/puzzles/{id}");
        // What one browser has seen, no other one sees at the same address.
        let verdict = answer(&first, id, "1").await;
        let verdict = location(&verdict).to_owned();
        first.page(&verdict).await;
        for browser in [&other, &server.person_without_cookies()] {
            browser.page(&question).await;
            for number in 1..=puzzle.choices.len() {
                let path = format!("{question}?answer={number}");
                assert_eq!(browser.redirected(&path).await, question);
            }
        }
        answer(&other, id, "2").await;
        other.page(&format!("{question}?answer=2")).await;
    }
}

#[tokio::test]
async fn without_cookies_the_verdict_is_the_answer_to_the_form() {
    let server = Server::start().await;
    let browser = server.person_without_cookies();
    let puzzle = &puzzles(&Registry::builtin())[0];
    for number in 1..=puzzle.choices.len() {
        let answer = answer(&browser, &puzzle.id, &number.to_string()).await;
        assert_eq!(answer.status(), 200);
        let page = answer.text().await.unwrap();
        let is_right = number == puzzle.right + 1;
        assert_eq!(page.contains("Right: "), is_right);
        assert_eq!(page.contains("Not the best. Better:"), !is_right);
        assert!(page.contains("this answer is not stored and changes no rating"));
        assert!(!page.contains("you 1500 ("));
    }
    let counts = server.service.store().puzzle_counts().await.unwrap();
    assert_eq!(counts, []);
}

#[tokio::test]
async fn public_ratings_take_three_answers_of_a_network_puzzle_and_day() {
    let day: Day = "2026-11-27".parse().unwrap();
    let (environment, now) = with_clock(Environment::default(), day.start_ms());
    let server = Server::with(|config| {
        config.environment = environment;
        config.loopback = LoopbackPolicy::Limited;
        config.moves = 1_000;
    })
    .await;
    let (service, store) = (&server.service, server.service.store());
    let puzzle = &puzzles(&Registry::builtin())[0];
    let counted = async || {
        let counts = store.puzzle_counts().await.unwrap();
        counts.first().map_or(0, |count| count.answers)
    };
    for expected in [1, 2, 3, 3, 3] {
        answer(&server.person(), &puzzle.id, "1").await;
        assert_eq!(counted().await, expected);
    }
    let half_past = day.next().start_ms() + 30 * 60_000;
    now.store(half_past - 1, Ordering::SeqCst);
    answer(&server.person(), &puzzle.id, "1").await;
    assert_eq!(counted().await, 4, "another day");
    let before = service.first_open_day();
    service.store().forget_networks(before).await.unwrap();
    assert!(store.network_key(day).await.unwrap().is_some());
    now.store(half_past, Ordering::SeqCst);
    let before = service.first_open_day();
    service.store().forget_networks(before).await.unwrap();
    assert_eq!(store.network_key(day).await, Ok(None));
    assert!(store.network_key(day.next()).await.unwrap().is_some());
    assert_eq!(counted().await, 4);
    // This machine is exempt by default.
    let server = Server::start().await;
    for expected in 1..=5 {
        answer(&server.person(), &puzzle.id, "1").await;
        let counts = server.service.store().puzzle_counts().await.unwrap();
        assert_eq!(counts[0].answers, expected);
    }
}
