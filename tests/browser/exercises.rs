//! Lessons and puzzles: answers on the board, with the dice in the tray, with and without scripts.

use dice_of_doom::games::Registry;
use dice_of_doom::templates::localization::Language;

use crate::harness::{BrowserSession, Motion, Scripts};
use crate::pages::Pages;
use crate::player::tile_selector;

/// A puzzle whose answers are the attacks 6 → 5, which is right, and 7 → 12, and the end of the turn.
const PUZZLE: &str = "/puzzles/98-10";

/// The window in which nothing on the page of a lesson may move.
const WINDOW: (u32, u32) = (1280, 900);

#[tokio::test]
async fn a_puzzle_is_answered_by_clicking_the_board() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    browser.goto(PUZZLE).await;
    browser.click(&tile_selector("h6")).await;
    browser.wait_for_element(".bd a#h0.tgt").await;
    // Another attack is none of the answers, and nothing is counted.
    browser.click(&tile_selector("h0")).await;
    let refused = "Not among the three answers.";
    browser.wait_for_text(".play-it", refused).await;
    assert_eq!(browser.text_of("#say").await, refused);
    assert_eq!(browser.path().await, format!("{PUZZLE}?from=6"));
    // The dice roll in the tray before the verdict is shown.
    browser
        .run("new MutationObserver(() => { if (document.querySelector('.playing .roll .face')) window.rolled = true; }).observe(document.body, { subtree: true, childList: true })")
        .await;
    browser.click(&tile_selector("h5")).await;
    browser.wait_for_text("h1", "Right: attack Red").await;
    assert!(browser.is_true("window.rolled === true").await);
    assert_eq!(browser.path().await, format!("{PUZZLE}?answer=1"));
    browser.wait_for_text("#say", "1 in a row.").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_puzzle_is_answered_by_its_letter() {
    let browser = BrowserSession::open(Scripts::On).await;
    browser.goto(PUZZLE).await;
    let letter = format!(".bd .pointer[href='{PUZZLE}?from=6&to=5']");
    browser.click(&letter).await;
    browser.wait_for_text("h1", "Right: attack Red").await;
    browser.goto("/puzzles/3-41").await;
    browser.click(".bd a#col-h").await;
    browser.wait_for_text("h1", "Right: column h").await;
}

#[tokio::test]
async fn without_scripts_an_answer_on_the_board_is_confirmed_in_the_list() {
    let browser = BrowserSession::open(Scripts::Off).await;
    browser.goto(PUZZLE).await;
    browser.click(&tile_selector("h6")).await;
    browser.wait_for_element(".bd a#h5.tgt").await;
    browser.click(&tile_selector("h5")).await;
    browser.click(".answers .pressed").await;
    browser.wait_for_text("h1", "Right: attack Red").await;
    assert!(browser.count_elements(".roll .face").await > 0);
}

#[tokio::test]
async fn after_a_wrong_answer_the_board_of_a_lesson_stays_live() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    browser.goto("/learn?step=3").await;
    browser.click(&tile_selector("h4")).await;
    browser
        .wait_for_text(".task", "Rolling 3 dice against 3")
        .await;
    browser.wait_for_element(".bd g#h4.tgt").await;
    let said = browser.text_of("#say").await;
    assert!(said.starts_with("9 does not beat 12. "), "{said}");
    assert_eq!(browser.count_elements(".bd .cross").await, 1);
    browser.click(&tile_selector("h0")).await;
    browser.wait_for_element(".task.right").await;
    let said = browser.text_of("#say").await;
    assert!(said.starts_with("11 beats 3. The hex is yours. "), "{said}");
    let focus = "document.activeElement.matches('.later')";
    assert!(browser.is_true(focus).await);
    browser.wait_for_active_buttons().await;
    browser.click(".later").await;
    browser.wait_for_text(".progress", "Step 4").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn an_answer_moves_nothing_on_the_page_of_a_lesson() {
    let browser = BrowserSession::open(Scripts::On).await;
    let places = "return ['.task', '.answers', '.lesson > .bd', '.tray'].map((css) => {
        const { top, height } = document.querySelector(css).getBoundingClientRect();
        return `${css} ${Math.round(top)} ${Math.round(height)}`;
    }).join(', ')";
    let games = Registry::builtin();
    let lessons = games.game_types().flat_map(|game| game.lessons());
    let lessons: Vec<_> = lessons.collect();
    browser.set_window_size(WINDOW).await;
    for language in Language::ALL {
        Pages::set_display_options(&browser, &format!("language-{}", language.tag())).await;
        for (number, lesson) in lessons.iter().enumerate() {
            for (step, exercise) in (1..).zip(&lesson.steps) {
                let question = match number {
                    0 => format!("/learn?step={step}"),
                    _ => format!("/learn/{}?step={step}", lesson.name),
                };
                browser.goto(&question).await;
                let expected = browser.run(places).await;
                for answer in 1..=exercise.choices.len() {
                    let answered = format!("{question}&answer={answer}");
                    browser.goto(&answered).await;
                    let found = browser.run(places).await;
                    assert_eq!(found, expected, "{answered} {language:?}");
                }
            }
        }
    }
}
