//! The pages that are looked at one by one, and how to get to each.

use crate::dropper;
use crate::ending;
use crate::harness::BrowserSession;
use crate::player::{InputDevice, Player};

/// A page by name, and how it is reached.
pub(crate) struct Pages {
    /// Name and path.
    pub(crate) all: Vec<(&'static str, String)>,
}

impl Pages {
    /// Plays what is needed: one game to its end, one a few plies long with a source chosen.
    pub(crate) async fn prepare(world: &BrowserSession, side: u8) -> Self {
        let players = if side > 2 { 4 } else { 2 };
        let (side, players) = (side.to_string(), players.to_string());
        crate::set_up_game(world, &[("size", &side), ("players", &players)]).await;
        let over = Player::new(world, InputDevice::Mouse)
            .play_until(|_| false)
            .await;
        let mut player = Player::new(world, InputDevice::Mouse);
        // The dice may end a game within a few plies: then another one is begun.
        let board = loop {
            crate::start_quick_game(world).await;
            let board = player
                .play_until(|seen| {
                    seen.ply >= 4 && seen.chosen.is_none() && !seen.sources.is_empty()
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
            .expect("just looked")
            .id
            .clone();
        let chosen = player.choose_hex(&board, &source).await;
        let target = chosen.targets[0].id.trim_start_matches('h').to_owned();
        let (over, board, chosen) = (over.at, board.at, chosen.at);
        let asking = ending::end_question_path(world).await;
        let since = ending::recap_path(world).await;
        crate::set_up_game(world, &crate::TWO_PEOPLE).await;
        dropper::drop_chips(world, InputDevice::Mouse, 0, "dedcec").await;
        let columns = world.path().await;
        crate::set_up_game(world, &crate::TWO_PEOPLE).await;
        dropper::drop_chips(world, InputDevice::Mouse, 0, "dedeccdaagd").await;
        let line = world.path().await;
        crate::set_up_game(world, &[("game", "trilobite"), ("chips:1", "open")]).await;
        let host = world.path().await;
        let link = "return document.querySelector('input.link[id^=link-]')?.value ?? null";
        let link = world.wait_for(link, "the link of the open seat").await;
        let link = link.as_str().expect("a link");
        let join = link[link.find("/join/").expect("a link to join")..].to_owned();
        let reviewed = create_finished_game(world).await;
        run_review(world, &reviewed).await;
        Pages {
            all: vec![
                ("start", "/".to_owned()),
                ("form", "/#form".to_owned()),
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
                ("rules", "/rules".to_owned()),
                ("levels", "/levels".to_owned()),
                ("games", "/games".to_owned()),
                ("upload", "/upload".to_owned()),
                ("api", "/api".to_owned()),
                ("error", "/nowhere".to_owned()),
                ("book", "/game.html".to_owned()),
                ("settings", "/settings".to_owned()),
            ],
        }
    }

    /// The path of a page.
    pub(crate) fn path(&self, name: &str) -> &str {
        let found = self.all.iter().find(|(other, _)| *other == name);
        &found.expect("a page of this name").1
    }

    /// Chooses a look, in the words of its cookie; none is the usual one.
    pub(crate) async fn set_display_options(world: &BrowserSession, words: &str) {
        world.goto("/healthz").await;
        let age = if words.is_empty() { 0 } else { 600 };
        let keep = format!("document.cookie = 'dod_look={words}; path=/; max-age={age}'");
        world.run_script(&keep, vec![]).await;
    }

    /// Goes there.
    pub(crate) async fn open(world: &BrowserSession, name: &str, path: &str) {
        // A page that differs in its fragment alone would not be loaded.
        if path.contains('#') {
            world.goto("/healthz").await;
        }
        world.goto(path).await;
        if name == "form" {
            world.click(".custom > summary").await;
            world.click(".about > summary").await;
        }
        // What is looked up in the background is there.
        let known = match name {
            "hint" | "worth" => "document.querySelector('.hints button') !== null",
            "analysis" | "wells" => "document.querySelector('.next a') !== null",
            _ => "true",
        };
        let there = format!("return document.readyState === 'complete' && {known}");
        world.wait_for(&there, name).await;
    }
}

/// A finished game of a computer that attacks at random, so that there is something to review.
async fn create_finished_game(world: &BrowserSession) -> String {
    let seats = [("seats:0", "random"), ("seats:1", "greedy"), ("seed", "5")];
    crate::set_up_game(
        world,
        &[&[("size", "3"), ("players", "2")][..], &seats[..]].concat(),
    )
    .await;
    let game = world.path().await;
    let over = "return document.querySelector('.res') !== null";
    // Whoever watches sees every ply; the end is there before.
    world.goto(&game).await;
    world.wait_for(over, "the end of the game").await;
    game
}

/// Asks for the review of a finished game, and waits for it as long as it comes nearer.
async fn run_review(world: &BrowserSession, game: &str) {
    world.goto(&format!("{game}/review")).await;
    world.click(".head form button").await;
    let mut come = -1.0;
    loop {
        let nearer = format!(
            "if (document.querySelector('.review .chances')) return 'made';
             const come = document.querySelector('[data-wait] progress')?.value ?? -1;
             return come > {come} ? come : null"
        );
        let now = world.wait_for(&nearer, "a decision that is judged").await;
        let Some(now) = now.as_f64() else { return };
        come = now;
    }
}
