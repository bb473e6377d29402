//! The board of the day, `/daily`.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use dice_of_doom::day::Day;
use dice_of_doom::games::Registry;
use dice_of_doom::http::guard::RequestGuard;
use dice_of_doom::seats::Credentials;
use dice_of_doom::secret::Secret;
use dice_of_doom::site::daily::boards;
use dice_of_doom::site::{self, RateLimits};
use dice_of_doom::tables::{Service, ServiceSettings};
use dice_of_doom::templates::Language;
use dice_of_doom::templates::lettering::has_letter;
use dice_of_doom::verify::verify;
use serde_json::Value;

use crate::common::failing_store::FailingStore;
use crate::common::{
    Page, Person, Server, api_path, assert_contains, seeded_environment, sent_plies, with_clock,
};

const DAY_MS: i64 = 86_400_000;

/// A server with a clock of its own, on 2026-11-27 at noon.
pub(crate) async fn server() -> (Server, Arc<AtomicI64>) {
    let day: Day = "2026-11-27".parse().unwrap();
    let (environment, now) = with_clock(seeded_environment(1), day.start_ms() + DAY_MS / 2);
    let server = Server::with(|config| {
        config.environment = environment;
        config.settings.idle_timeout = Duration::from_millis(40);
    });
    (server.await, now)
}

/// The day of a page of a board of the day.
fn day_of(page: &Page) -> String {
    let address = page.attr("[property='og:url']", "content");
    let (_, day) = address.split_once("/daily/").expect("the address");
    day.to_owned()
}

/// Begins the board of the day, or that of a past day; returns the game.
pub(crate) async fn begin(person: &Person, path: &str) -> String {
    match path {
        "/daily" => begin_day(person, &day_of(&person.page(path).await)).await,
        _ => begin_with(person, path, "").await,
    }
}

async fn begin_day(person: &Person, day: &str) -> String {
    begin_with(person, "/daily", &format!("day={day}")).await
}

async fn begin_with(person: &Person, path: &str, form: &str) -> String {
    let mut to = person.done(path, form).await;
    // The first redirect tests whether the browser accepts cookies.
    while !to.starts_with("/g/") {
        to = person.done(path, form).await;
    }
    to
}

/// A time of 2026-11-28.
fn at(hours: i64, minutes: i64) -> i64 {
    let day: Day = "2026-11-28".parse().unwrap();
    day.start_ms() + (hours * 60 + minutes) * 60_000
}

#[tokio::test]
async fn the_secret_stays_hidden_while_something_still_counts() {
    let (server, now) = server().await;
    let [early, late, never] = server.people();
    let at = |hours, minutes| now.store(at(hours, minutes), Ordering::SeqCst);
    let day = "/daily/2026-11-27";
    let has_seed = async |browser: &Person, game: &str| {
        let record = browser.json(&format!("{game}/record.json")).await;
        let shown = [
            browser.page(day).await.contains("Seed</dt>"),
            browser
                .page(&format!("{game}/dice"))
                .await
                .contains("<dt>seed</dt>"),
        ];
        (record["dice"]["seed"].is_string(), shown)
    };
    let unfinished = "27 November: begun and not finished";
    at(-36, 0);
    let before = begin(&late, "/daily").await;
    late.resign(&before).await;
    at(-1, 58);
    let (first, second) = (begin(&early, "/daily").await, begin(&late, "/daily").await);
    at(0, 0);
    // The next board begins; this one only goes on.
    assert!(early.page("/daily").await.contains("2026-11-28"));
    let page = never.page(day).await;
    assert!(page.contains("It cannot be begun any more") && !page.contains("Play this board"));
    assert!(!page.has("button.btn.main"), "{page}");
    never.refused(day, "", 404).await;
    assert!(early.page(day).await.has(&format!("a[href='{first}']")));
    at(0, 29);
    early.lose(&first).await;
    assert_eq!(has_seed(&early, &first).await, (false, [false, false]));
    // A day that is not over does not interrupt the days in a row.
    assert!(late.page("/me").await.contains("1 day in a row"));
    assert!(late.page("/daily").await.contains(unfinished));
    at(0, 30);
    loop {
        // The game is unloaded and loaded again.
        if has_seed(&early, &first).await == (true, [true, true]) {
            break;
        }
        tokio::task::yield_now().await;
    }
    late.resign(&second).await;
    let page = late.page(day).await;
    assert!(page.contains("did not finish it in time"), "{page}");
    assert!(late.page("/daily").await.contains(unfinished));
    assert!(late.page("/me").await.contains("0 days in a row"));
    assert!(page.contains("Play this board"), "as often as one likes");
    assert!(early.page(day).await.contains("Lost with "));
    let counted = early.page(day).await;
    assert_eq!(counted.count("tbody > tr"), 1);
}

#[tokio::test]
async fn a_page_left_open_over_midnight_begins_nothing() {
    let (server, now) = server().await;
    let [browser, other] = server.people();
    let day = day_of(&browser.page("/daily").await);
    let begun = begin(&other, "/daily").await;
    for minutes in [0, 10, 40] {
        now.store(at(0, minutes), Ordering::SeqCst);
        let page = browser.refused("/daily", &[("day", &*day)], 422).await;
        assert!(page.contains("day that has ended"), "{page}");
        // What was begun is continued.
        assert_eq!(begin_day(&other, &day).await, begun);
    }
    browser.refused("/daily", "", 422).await;
    assert!(
        browser
            .page("/daily")
            .await
            .has("[name=day][value='2026-11-28']")
    );
    assert_ne!(begin(&browser, "/daily").await, begun);
}

#[tokio::test]
async fn the_same_decisions_meet_the_same_dice() {
    let (server, now) = server().await;
    let [one, other] = server.people();
    let (first, second) = (begin(&one, "/daily").await, begin(&other, "/daily").await);
    assert_ne!(first, second);
    let record = one.play_to_the_end(&first).await;
    let again = other.play_to_the_end(&second).await;
    assert_eq!(record["start"], again["start"]);
    assert_eq!(sent_plies(&record), sent_plies(&again));
    // The secret stays hidden until the day is over, although the game is.
    assert_eq!(record["dice"]["seed"], Value::Null, "{}", record["dice"]);
    let page = one.page("/daily").await;
    assert!(page.contains("2 people have played so far"), "{page}");
    assert!(page.contains("Dice of Doom, 27 November\nLost with "));
    assert!(!page.contains("Seed</dt>"));
    now.fetch_add(DAY_MS, Ordering::SeqCst);
    let page = one.page("/daily/2026-11-27").await;
    assert!(page.contains("Seed</dt>"), "{page}");
    assert!(
        one.page("/daily")
            .await
            .contains("Everybody plays this board today")
    );
}

#[tokio::test]
async fn a_browser_has_one_attempt_without_help() {
    let (server, _) = server().await;
    let browser = server.person();
    assert!(browser.page("/daily").await.contains("Be the first today."));
    let game = begin(&browser, "/daily").await;
    assert_eq!(begin(&browser, "/daily").await, game);
    assert!(
        browser
            .page("/daily")
            .await
            .contains("Continue today’s board")
    );
    for path in ["hint", "undo"] {
        let page = browser.page(&game).await;
        assert!(
            !page.has(&format!("[href='{game}/{path}'], [action='{game}/{path}']")),
            "{path}"
        );
    }
    let refused = browser.get(&format!("{game}/hint")).await;
    assert_ne!(refused.status(), 200);
    browser
        .page_with_status(&format!("/analysis?game={}", &game[3..]), 404)
        .await;
    let words = "ply=0&words=tea";
    let refused = browser.post(&format!("{game}/entropy"), words).await;
    assert!(refused.status().is_client_error(), "{}", refused.status());
    // Others cannot look at the dice.
    let stranger = server.person();
    assert_eq!(stranger.get(&game).await.status(), 404);
    browser.lose(&game).await;
    let page = browser.page("/daily").await;
    assert_contains(&page, &["Lost with ", "1 person has played"]);
    assert_eq!(begin(&browser, "/daily").await, game);
}

#[tokio::test]
async fn chosen_opponents_stay_chosen_after_the_board_of_the_day() {
    let (server, _) = server().await;
    let person = server.person();
    let chosen = async || {
        let page = person.page("/").await;
        page.attrs("[name=opponents][checked]", "value")
    };
    assert_eq!(chosen().await, ["easy"]);
    person.create("game=dice&opponents=hard").await;
    assert_eq!(chosen().await, ["hard"]);
    // Its opponents are medium, which nobody has chosen.
    let day = begin(&person, "/daily").await;
    assert_eq!(chosen().await, ["hard"]);
    person.lose(&day).await;
    assert_eq!(chosen().await, ["hard"]);
}

#[tokio::test]
async fn the_commitment_is_published_the_day_before_and_kept() {
    let (server, now) = server().await;
    let browser = server.person();
    let commitments = |page: &Page| page.texts("code");
    let today = browser.page("/daily").await;
    assert!(today.contains("This server started only on the day itself"));
    let game = begin(&browser, "/daily").await;
    browser.resign(&game).await;
    now.fetch_add(DAY_MS, Ordering::SeqCst);
    let tomorrow = browser.page("/daily").await;
    assert!(!tomorrow.contains("This server started only on the day itself"));
    assert_eq!(commitments(&today)[1], commitments(&tomorrow)[0]);
    let game = begin(&browser, "/daily").await;
    browser.resign(&game).await;
    assert!(browser.page("/daily").await.contains("2 days in a row"));
    // A past day is played without a score, and has no second commitment.
    let past = browser.page("/daily/2026-11-27").await;
    assert_eq!(commitments(&past)[0], commitments(&today)[0]);
    assert_eq!(commitments(&past).len(), 3, "commitment, seed, salt");
    let stranger = server.person();
    assert!(
        stranger
            .page("/daily/2026-11-27")
            .await
            .contains("Play this board")
    );
    let unscored = begin(&stranger, "/daily/2026-11-27").await;
    stranger.resign(&unscored).await;
    assert!(
        stranger
            .page("/daily/2026-11-27")
            .await
            .contains("Play this board")
    );
    for path in [
        "/daily/2026-11-29",
        "/daily/2026-11-26",
        "/daily/yesterday",
        "/daily/2026-11-31",
    ] {
        browser.page_with_status(path, 404).await;
    }
    let refused = stranger.post("/daily/2026-11-28", "").await;
    assert_eq!(refused.status(), 404, "today is not past");
}

#[tokio::test]
async fn a_record_of_a_past_day_verifies() {
    let (server, now) = server().await;
    let browser = server.person();
    let game = begin(&browser, "/daily").await;
    let state = browser.own_turn(&game).await;
    browser.play_likely(&game, &state).await;
    browser.resign(&game).await;
    now.fetch_add(DAY_MS, Ordering::SeqCst);
    // A game that nobody uses is unloaded, and discloses its dice when it is loaded after the day.
    let record = loop {
        let record = browser.json(&format!("{game}/record.json")).await;
        if record["dice"]["seed"].is_string() {
            break record;
        }
        tokio::task::yield_now().await;
    };
    let verified = verify(&Registry::builtin(), &record.to_string());
    assert!(verified.is_ok(), "{:?}", verified.err());
}

#[tokio::test]
async fn the_result_names_the_best_and_the_costliest_decision() {
    let (server, _) = server().await;
    let browser = server.person();
    let game = begin(&browser, "/daily").await;
    let state = browser.own_turn(&game).await;
    browser.play_likely(&game, &state).await;
    // The page of a game in progress does not request an analysis.
    assert!(!browser.page("/daily").await.has("[data-wait]"));
    let review = api_path(&game, "/review");
    browser.page_with_status(&review, 404).await;
    browser.resign(&game).await;
    let page = browser.page("/daily").await;
    assert!(page.contains("Looking for your best decision…"), "{page}");
    // It is requested once: the review is in progress or ready.
    let status = browser.get(&review).await.status();
    assert!(status == 200 || status == 202, "{status}");
    let page = loop {
        let page = browser.page("/daily").await;
        if !page.has("[data-wait]") {
            break page;
        }
        tokio::task::yield_now().await;
    };
    assert!(page.contains("Your costliest decision"), "{page}");
    assert!(
        page.contains("<b>Resignation</b>, where <b>") && page.contains("A point is one percent"),
        "{page}"
    );
    let stranger = server.person();
    let page = stranger.page("/daily").await;
    assert!(!page.contains("Your costliest decision"), "{page}");
    stranger.page_with_status(&review, 404).await;
}

#[tokio::test]
async fn only_the_player_sees_the_picture_of_a_result() {
    let (server, now) = server().await;
    let [browser, stranger] = server.people();
    let picture = "/daily/2026-11-27/result.png";
    let game = begin(&browser, "/daily").await;
    browser.page_with_status(picture, 404).await;
    browser.resign(&game).await;
    let answer = browser.get(picture).await;
    assert_eq!(answer.headers()["cache-control"], "private, no-cache");
    let png = answer.bytes().await.unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(&png[16..24], [0, 0, 4, 0xb0, 0, 0, 2, 0x76], "1200 by 630");
    stranger.page_with_status(picture, 404).await;
    // Previews show the board at the start, which everybody sees.
    let page = stranger.page("/daily").await;
    assert!(
        page.has("[content$='/daily/2026-11-27/board.png']"),
        "{page}"
    );
    let board = "/daily/2026-11-27/board.png";
    let start = stranger.get(board).await.bytes().await.unwrap();
    assert_eq!(start, browser.get(board).await.bytes().await.unwrap());
    assert_ne!(start, png);
    now.fetch_add(DAY_MS, Ordering::SeqCst);
    stranger.page_with_status(picture, 404).await;
    assert_eq!(browser.get(picture).await.status(), 200);
    let tomorrow = "/daily/2026-11-29/board.png";
    browser.page_with_status(tomorrow, 404).await;
}

#[test]
fn pictures_have_all_letters_of_their_texts() {
    for language in Language::ALL {
        let games = Registry::builtin();
        let text = games.translations(language);
        let number = |name: &'static str| (name, 1_234_567_890_u32.into());
        let mut lines = Vec::new();
        for month in 1..=12 {
            let key = format!("month-{month}");
            let name = text.get(&key);
            let values = [number("day"), ("month", (&*name).into())];
            let day = text.get_with("daily-date", &values);
            let title = text.get_with("daily-text-title", &[("day", (&*day).into())]);
            lines.push(title.into_owned());
        }
        for result in ["won", "lost"] {
            let values = [("result", result.into()), number("hexes"), number("all")];
            lines.push(text.get_with("daily-result", &values).into_owned());
        }
        for state in ["open", "over"] {
            for people in [21_u32, 22, 25] {
                let values = [
                    number("share"),
                    ("people", people.into()),
                    ("state", state.into()),
                ];
                lines.push(text.get_with("daily-better", &values).replace('|', ""));
            }
        }
        lines.push(
            text.get_with("daily-streak", &[number("days")])
                .into_owned(),
        );
        for line in lines {
            let missing: String = line.chars().filter(|letter| !has_letter(*letter)).collect();
            assert_eq!(missing, "", "{line}: run templates/lettering/extract.py");
        }
    }
}

#[tokio::test]
async fn a_score_is_written_once() {
    let store = Arc::new(FailingStore::default());
    let service = || {
        let settings = ServiceSettings::default();
        let service = Service::new(Registry::builtin(), store.clone(), settings);
        let guard = RequestGuard::default();
        drop(site::serve(service.clone(), RateLimits::unlimited(), guard));
        service
    };
    let (browser, first) = (Secret::random(), service());
    let game = boards::begin(&first, first.today(), &browser, None);
    let game = game.await.unwrap();
    let credentials = Credentials {
        browser: Some(browser.hash()),
        ..Credentials::default()
    };
    first.resign(&game.id, credentials, None).await.unwrap();
    while store.scores.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    for _ in 0..2 {
        let later = service();
        assert!(later.snapshot(&game.id).await.unwrap().live.is_over());
        // All tasks are on this thread, and this store never waits.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(store.scores.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_seat_taken_over_by_its_link_is_no_second_attempt() {
    let (server, _) = server().await;
    let [one, other] = server.people();
    let game = begin(&one, "/daily").await;
    let link = one.seat_link(&game).await;
    let own = begin(&other, "/daily").await;
    other.lose(&own).await;
    other.done(&link, "").await;
    assert_eq!(begin(&other, "/daily").await, own, "its own attempt");
    // The result of the game is that of the browser that began it.
    other.lose(&game).await;
    let page = one.page("/daily").await;
    assert_contains(&page, &["Lost with ", "2 people have played"]);
    assert!(one.page("/me").await.contains("1 day in a row"));
}

#[tokio::test]
async fn who_deletes_everything_has_no_second_attempt() {
    let (server, now) = server().await;
    let browser = server.person();
    let day = day_of(&browser.page("/daily").await);
    let game = begin(&browser, "/daily").await;
    browser.resign(&game).await;
    browser.done("/me/delete", "").await;
    let page = browser.page("/daily").await;
    assert!(page.contains("has begun this board before"), "{page}");
    assert!(!page.has("[action='/daily']"), "{page}");
    let refused = browser.refused("/daily", &[("day", &*day)], 422).await;
    assert!(refused.contains("has begun this board before"));
    // The next day is not concerned.
    now.store(at(0, 10), Ordering::SeqCst);
    begin(&browser, "/daily").await;
}

#[tokio::test]
async fn a_game_given_up_before_the_third_turn_is_not_in_the_public_counts() {
    let (server, _) = server().await;
    let [one, other] = server.people();
    let game = begin(&one, "/daily").await;
    let state = one.own_turn(&game).await;
    one.play_likely(&game, &state).await;
    one.own_turn(&game).await;
    one.resign(&game).await;
    let page = one.page("/daily").await;
    assert_contains(&page, &["Lost with ", "Be the first today."]);
    assert!(one.page("/me").await.contains("1 day in a row"));
    let game = begin(&other, "/daily").await;
    other.lose(&game).await;
    assert!(one.page("/daily").await.contains("1 person has played"));
}

#[tokio::test]
async fn the_copied_text_has_ten_squares_for_each_own_turn() {
    let (server, _) = server().await;
    let browser = server.person();
    let game = begin(&browser, "/daily").await;
    let record = browser.play_to_the_end(&game).await;
    let plies = record["plies"].as_array().unwrap();
    let ended = plies
        .iter()
        .filter(|ply| ply["player"] == 0 && ply["path"].is_null());
    let turns = ended.count();
    assert!(turns > 1, "{turns}");
    let page = browser.page("/daily").await;
    let text = page.map("#daily-text", |field| field.text().collect::<String>());
    let text = &text[0];
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], "Dice of Doom, 27 November");
    assert!(
        lines[lines.len() - 1].ends_with("/daily/2026-11-27"),
        "{text}"
    );
    let rows = &lines[2..lines.len() - 1];
    let is_row =
        |row: &&str| row.chars().count() == 10 && row.chars().all(|it| "🟥🟦🟩🟪".contains(it));
    assert!(rows.iter().all(is_row), "{text}");
    assert!(
        (turns..=turns + 1)
            .map(|turns| turns.min(12))
            .any(|count| count == rows.len()),
        "{text}"
    );
    assert_eq!(page.count(".drawn li"), rows.len());
}

#[tokio::test]
async fn before_the_game_the_page_has_the_deadline_and_yesterday() {
    let (server, now) = server().await;
    let [browser, other, newcomer] = server.people();
    let page = browser.page("/daily").await;
    assert_contains(
        &page,
        &[
            "Closes to new attempts in ",
            ">12 h 0 min</span>",
            "(at 00:00 UTC)",
        ],
    );
    assert!(!page.has(".streak") && !page.has(".yesterday"), "{page}");
    for person in [&browser, &other] {
        let game = begin(person, "/daily").await;
        person.lose(&game).await;
    }
    let own = browser.page("/daily").await.text("h1");
    let own = own.split(' ').nth(2).expect("the hexes").to_owned();
    now.store(at(23, 59) + 1, Ordering::SeqCst);
    let page = browser.page("/daily").await;
    assert_contains(&page, &[">1 min</span>", "<b>1 day in a row</b>"]);
    let said = page.text(".yesterday");
    assert!(
        said.starts_with("Yesterday’s best: ") && said.contains(&format!("You: {own} ")),
        "{said}"
    );
    let said = newcomer.page("/daily").await.text(".yesterday");
    assert!(
        said.starts_with("Yesterday’s best: ") && !said.contains("You"),
        "{said}"
    );
    // The day after that nobody has played.
    now.fetch_add(2 * DAY_MS, Ordering::SeqCst);
    assert!(!newcomer.page("/daily").await.has(".yesterday"));
}

#[tokio::test]
async fn the_best_game_of_yesterday_can_be_watched_if_its_player_shows_it() {
    let (server, now) = server().await;
    let [player, stranger] = server.people();
    let (today, shown) = ("/daily/2026-11-27", "/daily/2026-11-27/shown");
    player.refused(shown, "shown=on", 404).await;
    let game = begin(&player, "/daily").await;
    player.refused(shown, "shown=on", 404).await;
    player.lose(&game).await;
    assert_eq!(
        player.page(today).await.attr(".flip", "aria-pressed"),
        "false"
    );
    player.refused(shown, "shown=perhaps", 422).await;
    stranger.refused(shown, "shown=on", 404).await;
    let replay = format!("{game}/0");
    let watch = format!("a[href='{replay}#play']");
    player.done(shown, "shown=on").await;
    assert_eq!(
        player.page(today).await.attr(".flip", "aria-pressed"),
        "true"
    );
    // What counts is not shown before the day is over.
    stranger.page_with_status(&replay, 404).await;
    now.store(at(0, 29), Ordering::SeqCst);
    let page = stranger.page("/daily").await;
    assert!(page.has(".yesterday") && !page.has(&watch), "{page}");
    stranger.page_with_status(&replay, 404).await;
    now.store(at(0, 30), Ordering::SeqCst);
    assert!(stranger.page("/daily").await.has(&watch));
    for path in [&replay, &game, &format!("{game}/record.json")] {
        assert_eq!(stranger.get(path).await.status(), 200, "{path}");
    }
    player.done(shown, "shown=off").await;
    let page = stranger.page("/daily").await;
    assert!(
        page.has(".yesterday") && !page.has(&watch),
        "the number stands alone"
    );
    stranger.page_with_status(&replay, 404).await;
    player.done(shown, "shown=on").await;
    player.done("/me/delete", "").await;
    now.fetch_add(1000, Ordering::SeqCst);
    assert!(!stranger.page("/daily").await.has(".yesterday"));
    stranger.page_with_status(&replay, 404).await;
}

#[tokio::test]
async fn the_board_is_played_again_with_new_dice_after_the_scored_game() {
    let (server, _) = server().await;
    let browser = server.person();
    let again = "/daily/2026-11-27";
    let game = begin(&browser, "/daily").await;
    browser.refused(again, "", 404).await;
    browser.lose(&game).await;
    let page = browser.page("/daily").await;
    assert!(page.has(&format!("form[action='{again}']")), "{page}");
    let copy = begin(&browser, again).await;
    assert_ne!(copy, game);
    let [scored, unscored] = [&game, &copy].map(|game| format!("{game}/record.json"));
    let (scored, unscored) = (browser.json(&scored).await, browser.json(&unscored).await);
    assert_eq!(scored["start"], unscored["start"]);
    assert_ne!(scored["dice"], unscored["dice"]);
    browser.resign(&copy).await;
    // It has no score.
    assert!(browser.page("/daily").await.contains("1 person has played"));
}

#[tokio::test]
async fn the_scored_game_ends_on_the_page_of_its_result() {
    let (server, _) = server().await;
    let [browser, other] = server.people();
    let today = "/daily/2026-11-27";
    let resign = async |game: &str| {
        let form = format!("ply={}", browser.state(game).await["ply"]);
        browser.done(&format!("{game}/resign"), form).await
    };
    let game = begin(&browser, "/daily").await;
    assert_eq!(resign(&game).await, today);
    let onward = format!("a.main[data-onward][href='{today}']");
    assert!(browser.page(&game).await.has(&onward));
    // A game on the same board has no score.
    let copy = begin(&browser, today).await;
    assert_eq!(resign(&copy).await, copy);
    assert!(!browser.page(&copy).await.has("[data-onward]"));
    // The result is that of the browser that began the game.
    let begun = begin(&other, "/daily").await;
    let link = other.seat_link(&begun).await;
    browser.done(&link, "").await;
    assert_eq!(resign(&begun).await, begun);
}
