//! The list of pages for checks of every page, and how to open each.

use dice_of_doom::games::Registry;

use crate::end_turn;
use crate::harness::BrowserSession;
use crate::player::{InputDevice, Player};
use crate::trilobite_player;

/// The pages to check.
pub(crate) struct Pages {
    /// The name and the path of each page.
    pub(crate) all: Vec<(&'static str, String)>,
}

impl Pages {
    /// Plays the games that the pages need. `side` is the size of the Dice of Doom board of the finished game.
    pub(crate) async fn prepare(browser: &BrowserSession, side: u8) -> Self {
        let players = if side > 2 { 4 } else { 2 };
        crate::set_up_game(browser, &format!("size={side}&players={players}")).await;
        let over = Player::new(browser, InputDevice::Mouse)
            .play_until(|_| false)
            .await;
        let mut player = Player::new(browser, InputDevice::Mouse);
        // The dice may end a game within a few plies; then another one is started.
        let board = loop {
            crate::start_quick_game(browser).await;
            let board = player
                .play_until(|state| {
                    state.ply >= 4 && state.chosen.is_none() && !state.sources.is_empty()
                })
                .await;
            if !board.sources.is_empty() {
                break board;
            }
        };
        let source = board
            .sources
            .iter()
            .max_by_key(|hex| hex.dice)
            .expect("a hex that can attack")
            .id
            .clone();
        let chosen = player.choose_hex(&board, &source).await;
        let target = chosen.targets[0].id.trim_start_matches('h').to_owned();
        let (over, board, chosen) = (over.at, board.at, chosen.at);
        let asking = end_turn::end_question_path(browser).await;
        let since = end_turn::recap_path(browser).await;
        crate::set_up_game(browser, crate::TWO_PEOPLE).await;
        trilobite_player::drop_chips(browser, InputDevice::Mouse, 0, "dedcec").await;
        let columns = browser.path().await;
        crate::set_up_game(browser, crate::TWO_PEOPLE).await;
        trilobite_player::drop_chips(browser, InputDevice::Mouse, 0, "dedeccdaagd").await;
        let line = browser.path().await;
        crate::set_up_game(browser, "game=trilobite&chips:1=open").await;
        let host = browser.path().await;
        let join = crate::shared_game::join_path(browser).await;
        let games = Registry::builtin();
        let puzzle = format!("/puzzles/{}", games.default_game().puzzles()[0].id);
        let (reviewed, mistake) = reviewed_game(browser).await;
        Pages {
            all: vec![
                ("start", "/".to_owned()),
                ("form", "/?game=dice".to_owned()),
                ("trilobite", "/?game=trilobite".to_owned()),
                ("board", board.clone()),
                ("hint", format!("{board}/hint")),
                ("chosen", chosen.clone()),
                ("confirm", format!("{chosen}&to={target}")),
                ("asking", asking),
                ("since", since),
                ("over", over.clone()),
                (
                    "dice",
                    format!("{}/dice", board.split('?').next().unwrap_or(&board)),
                ),
                ("proof", format!("{over}/dice")),
                ("replay", format!("{over}/1")),
                ("review", format!("{reviewed}/review")),
                ("mistake", mistake),
                ("unreviewed", format!("{line}/review")),
                ("chips", format!("{line}/3")),
                ("tally", "/dice".to_owned()),
                ("log", format!("{over}/log")),
                ("film", format!("{over}/film?from=0&to=1")),
                ("embed", format!("{over}/embed")),
                ("embedded", format!("{columns}/embed")),
                ("columns", columns.clone()),
                ("column", format!("{columns}?column=d")),
                ("worth", format!("{columns}/hint")),
                ("line", line.clone()),
                ("host", host),
                ("join", join),
                (
                    "analysis",
                    "/analysis?pos=dice.v4.3.2.5.a3b1b2a2b2a1b3a2b1.0.0.1&at=4".to_owned(),
                ),
                (
                    "wells",
                    format!("/analysis?game={}&ply=6", line.trim_start_matches("/g/")),
                ),
                ("learn", "/learn?step=3".to_owned()),
                ("daily", "/daily".to_owned()),
                ("puzzles", "/puzzles".to_owned()),
                ("puzzle", puzzle.clone()),
                ("answer", format!("{puzzle}?answer=1")),
                ("rules", "/rules".to_owned()),
                ("levels", "/levels".to_owned()),
                ("games", "/me".to_owned()),
                ("delete", "/me/delete".to_owned()),
                ("device", "/device".to_owned()),
                ("tables", "/tables".to_owned()),
                ("lesson", "/learn/odds".to_owned()),
                ("upload", "/upload".to_owned()),
                ("api", "/api".to_owned()),
                ("error", "/nowhere".to_owned()),
                ("book", "/game.html".to_owned()),
                ("settings", "/settings".to_owned()),
            ],
        }
    }

    pub(crate) fn path(&self, name: &str) -> &str {
        let found = self.all.iter().find(|(other, _)| *other == name);
        &found.expect("a page of this name").1
    }

    /// Sets the display options cookie; an empty value selects the defaults.
    pub(crate) async fn set_display_options(browser: &BrowserSession, words: &str) {
        browser.goto("/healthz").await;
        let age = if words.is_empty() { 0 } else { 600 };
        let keep = format!("document.cookie = 'dod_look={words}; path=/; max-age={age}'");
        browser.run(&keep).await;
    }

    /// Opens the page and waits until it is complete.
    pub(crate) async fn open(browser: &BrowserSession, name: &str, path: &str) {
        // A URL that differs only in its fragment would not be loaded again.
        if path.contains('#') {
            browser.goto("/healthz").await;
        }
        browser.goto(path).await;
        if name == "form" {
            browser.click(".about > summary").await;
        }
        // Results that are computed in the background must be present.
        let known = match name {
            "hint" | "worth" => "document.querySelector('.hints button') !== null",
            "analysis" | "wells" => "document.querySelector('.next a') !== null",
            _ => "true",
        };
        let there = format!("return document.readyState === 'complete' && {known}");
        browser.wait_for(&there, name).await;
    }
}

/// Creates a finished game with the level `random`, whose mistakes give the review some content.
async fn create_finished_game(browser: &BrowserSession) -> String {
    let fields = "size=3&players=2&seats:0=random&seats:1=greedy&seed=5";
    crate::set_up_game(browser, fields).await;
    let game = browser.path().await;
    let over = "return document.querySelector('.res') !== null";
    // Reloads the page to skip the playback of the plies.
    browser.goto(&game).await;
    browser.wait_for(over, "the end of the game").await;
    game
}

/// A reviewed game, and the page of one of its decisions. The dice of a game may leave nothing to decide.
pub(crate) async fn reviewed_game(browser: &BrowserSession) -> (String, String) {
    for _ in 0..10 {
        let game = create_finished_game(browser).await;
        run_review(browser, &game).await;
        for player in 0..2 {
            browser
                .goto(&format!("{game}/review?player={player}"))
                .await;
            let link = "return document.querySelector('.decision a')?.getAttribute('href') ?? null";
            if let Some(link) = browser.run(link).await.as_str() {
                return (game, link.to_owned());
            }
        }
    }
    panic!("none of ten games has a decision worth a look");
}

/// Requests the review of a finished game, and waits as long as its progress increases.
async fn run_review(browser: &BrowserSession, game: &str) {
    browser.goto(&format!("{game}/review")).await;
    browser.click(".head form button").await;
    let mut come = -1.0;
    loop {
        let nearer = format!(
            "if (document.querySelector('.review .chances')) return 'made';
             const come = document.querySelector('[data-wait] progress')?.value ?? -1;
             return come > {come} ? come : null"
        );
        let now = browser.wait_for(&nearer, "a decision that is judged").await;
        let Some(now) = now.as_f64() else { return };
        come = now;
    }
}
