//! Three browsers at two servers behind a balancer, while servers are restarted and killed: two who play and one who
//! watches. Nobody reloads a page, and in the end all three show the same board.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::balanced::{BalancedServers, is_without_balancer};
use crate::bots::{Seen, start_bots, stop_bots, wait_for_progress};
use crate::common::loops::{promised, times};
use crate::harness::{BrowserSession, Motion, Scripts, TIMEOUT};

/// After so long every game goes on, a person's in a browser included.
const GOES_ON: Duration = Duration::from_secs(3);

/// Columns of a whole game that nobody wins, on the board below.
const DRAWN: &str = "aaabbcccb";

/// A small board for two people, one of whom is invited.
const TABLE: [(&str, &str); 6] = [
    ("game", "trilobite"),
    ("chips:0", "human"),
    ("chips:1", "open"),
    ("width", "3"),
    ("height", "3"),
    ("win", "3"),
];

/// The chips of the board as the page shows them.
const BOARD: &str = "return [...document.querySelectorAll('.board [class]')].map((at) => at.getAttribute('class') + (at.getAttribute('transform') ?? '') + (at.getAttribute('cx') ?? '') + (at.getAttribute('cy') ?? ''))";

/// Two who play and one who watches; each page has been loaded once since.
struct ThreeBrowsers {
    people: [BrowserSession; 2],
    watcher: BrowserSession,
}

impl ThreeBrowsers {
    async fn open_at(url: &str) -> Self {
        let visit = async || BrowserSession::open_at(url, Scripts::On, Motion::Reduced).await;
        let party = ThreeBrowsers {
            people: [visit().await, visit().await],
            watcher: visit().await,
        };
        party.start_game().await;
        party
    }

    fn pages(&self) -> [&BrowserSession; 3] {
        [&self.people[0], &self.people[1], &self.watcher]
    }

    /// Sits down at a new table.
    async fn start_game(&self) {
        let [host, guest] = &self.people;
        crate::set_up_game(host, &TABLE).await;
        let game = host.path().await;
        let link = "return document.querySelector('input.link[id^=link-]')?.value ?? null";
        let link = host.wait_for(link, "the link of the open seat").await;
        let link = link.as_str().expect("a link");
        let join = link.find("/join/").expect("a link to join");
        guest.goto(&link[join..]).await;
        guest.click(".join form .btn").await;
        let there = "return Boolean(document.querySelector('main[data-game]'))";
        guest.wait_for(there, "the board").await;
        self.watcher.goto(&game).await;
        for page in self.pages() {
            wait_for_ply(page, 0).await;
            page.run_script("window.sameWindow = true", vec![]).await;
        }
    }

    /// Plays a ply in its browser until all pages show it; how long that took.
    async fn drop_chip(&self, ply: usize, column: char) -> Duration {
        let begun = Instant::now();
        let player = &self.people[ply % 2];
        let mine = format!("return Boolean(document.querySelector('#col-{column}'))");
        player.wait_for(&mine, "the turn").await;
        // What fell into a gap between two servers is pressed again by whoever sees that nothing happened.
        let played = format!("return Number(document.getElementById('main')?.dataset.ply) > {ply}");
        'press: loop {
            player.try_click(&format!("#col-{column}")).await;
            let pressed = Instant::now();
            while pressed.elapsed() < Duration::from_secs(1) {
                if player.run_script(&played, vec![]).await == true {
                    break 'press;
                }
            }
            if begun.elapsed() > TIMEOUT {
                let page = "return document.body.innerText";
                panic!(
                    "ply {ply} is not played at {}: {}",
                    player.path().await,
                    player.run_script(page, vec![]).await
                );
            }
        }
        for page in self.pages() {
            wait_for_ply(page, ply + 1).await;
        }
        begun.elapsed()
    }

    /// All pages show the same end, and are those that were loaded at the beginning.
    async fn check_same_end(&self) {
        let mut boards: Vec<Value> = Vec::new();
        for page in self.pages() {
            let words = "return document.querySelector('.res h1')?.textContent ?? null";
            let words = page.wait_for(words, "the result").await;
            assert!(
                words.as_str().is_some_and(|words| words.contains("draw")),
                "{words}"
            );
            assert_eq!(
                page.run_script("return window.sameWindow", vec![]).await,
                true,
                "no page was loaded anew"
            );
            boards.push(page.run_script(BOARD, vec![]).await);
        }
        let chips = boards[0].as_array().expect("a list").len();
        assert!(chips >= DRAWN.len(), "{}", boards[0]);
        assert_eq!(boards[0], boards[1]);
        assert_eq!(boards[0], boards[2]);
    }
}

/// Waits until the page shows the game after so many plies.
async fn wait_for_ply(page: &BrowserSession, plies: usize) {
    let there = format!("return document.getElementById('main')?.dataset.ply === '{plies}'");
    page.wait_for(&there, "the ply").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whole_games_in_three_browsers_while_servers_are_restarted() {
    if is_without_balancer() {
        return;
    }
    let mut house = BalancedServers::new().await;
    let party = ThreeBrowsers::open_at(&house.url).await;
    let is_done = AtomicBool::new(false);
    let restarting = async {
        for at in 0..2 {
            house.restart(at).await;
        }
        is_done.store(true, Ordering::Relaxed);
    };
    let playing = async {
        let (mut games, mut longest) = (0, Duration::ZERO);
        loop {
            for (ply, column) in DRAWN.chars().enumerate() {
                longest = longest.max(party.drop_chip(ply, column).await);
            }
            party.check_same_end().await;
            games += 1;
            if is_done.load(Ordering::Relaxed) {
                return (games, longest);
            }
            party.start_game().await;
        }
    };
    let ((), (games, longest)) = tokio::join!(restarting, playing);
    assert!(
        longest < promised("DOD_BROWSER_KILLS", GOES_ON),
        "{longest:?}"
    );
    println!(
        "{games} whole games in three browsers over the restart of both servers, {longest:?} for a ply at most"
    );
}

/// `DOD_BROWSER_KILLS=50 cargo test --test browser mixed -- --nocapture` kills one server after the other so often;
/// without a number one kill.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn browsers_and_bots_mixed_go_on_after_each_kill_9() {
    if is_without_balancer() {
        return;
    }
    let kills = times("DOD_BROWSER_KILLS", 50) as usize;
    let bound = promised("DOD_BROWSER_KILLS", GOES_ON);
    let mut house = BalancedServers::new().await;
    let party = ThreeBrowsers::open_at(&house.url).await;
    let seen = Arc::new(Seen::default());
    let bots = start_bots(&house, &seen);
    let (mut kill, mut games, mut ply) = (0, 0, 0);
    let mut longest = Duration::ZERO;
    while kill < kills || ply > 0 {
        let column = DRAWN.chars().nth(ply).expect("the game goes on");
        if kill < kills && ply % 2 == 1 {
            let begun = Instant::now();
            let killing = house.kill(kill % 2);
            let (took, all, ()) = tokio::join!(
                party.drop_chip(ply, column),
                wait_for_progress(&bots, begun),
                killing
            );
            longest = longest.max(took).max(all);
            assert!(longest < bound, "{took:?}, {all:?}");
            kill += 1;
        } else {
            party.drop_chip(ply, column).await;
        }
        ply += 1;
        if ply == DRAWN.len() {
            party.check_same_end().await;
            (games, ply) = (games + 1, 0);
            if kill < kills {
                party.start_game().await;
            }
        }
    }
    stop_bots(bots, &seen).await;
    println!(
        "{kills} kills: {games} whole games in three browsers, {} plies of bots acknowledged, none lost, none twice; all had gone on after {longest:?}",
        seen.plies.load(Ordering::Relaxed)
    );
}
