//! Three browsers at two servers behind a load balancer, while the servers are restarted and killed: two players and a
//! spectator. No page is reloaded, and in the end all three show the same board.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::balanced::{BalancedServers, is_without_balancer};
use crate::bots::{Seen, start_bots, stop_bots, wait_for_progress};
use crate::common::loops::{promised, times};
use crate::harness::{BrowserSession, Motion, Scripts, TIMEOUT};

/// The longest interruption of a game, also for a person in a browser.
const MAX_INTERRUPTION: Duration = Duration::from_secs(3);

/// The columns of a complete drawn game on the board below.
const DRAWN: &str = "aaabbcccb";

/// A small board for two people, one of whom joins by invitation.
const TABLE: &str = "game=trilobite&chips:0=human&chips:1=open&width=3&height=3&win=3";

/// The chips on the board of the page.
const BOARD: &str = "return [...document.querySelectorAll('.board [class]')].map((at) => at.getAttribute('class') + (at.getAttribute('transform') ?? '') + (at.getAttribute('cx') ?? '') + (at.getAttribute('cy') ?? ''))";

/// The browsers of two players and a spectator; each page is loaded once per game.
struct ThreeBrowsers {
    people: [BrowserSession; 2],
    spectator: BrowserSession,
}

impl ThreeBrowsers {
    async fn open_at(url: &str) -> Self {
        let visit = async || BrowserSession::open_at(url, Scripts::On, Motion::Reduced).await;
        let party = ThreeBrowsers {
            people: [visit().await, visit().await],
            spectator: visit().await,
        };
        party.start_game().await;
        party
    }

    fn pages(&self) -> [&BrowserSession; 3] {
        [&self.people[0], &self.people[1], &self.spectator]
    }

    /// Starts a new game in all three browsers.
    async fn start_game(&self) {
        let [host, guest] = &self.people;
        crate::set_up_game(host, TABLE).await;
        let game = host.path().await;
        guest.goto(&crate::shared_game::join_path(host).await).await;
        guest.click(".join form .btn").await;
        let there = "return Boolean(document.querySelector('main[data-game]'))";
        guest.wait_for(there, "the page of the game").await;
        host.wait_for_element(".lobby .clock").await;
        crate::shared_game::start(host).await;
        guest.wait_for_element("main .stage").await;
        self.spectator.goto(&game).await;
        for page in self.pages() {
            wait_for_ply(page, 0).await;
            page.run("window.sameWindow = true").await;
        }
    }

    /// Plays a ply and waits until all pages show it; returns the time that this took.
    async fn drop_chip(&self, ply: usize, column: char) -> Duration {
        let begun = Instant::now();
        let player = &self.people[ply % 2];
        let mine = format!("return Boolean(document.querySelector('#col-{column}'))");
        player.wait_for(&mine, "the turn").await;
        // A click may be lost between two servers, so it is repeated until the ply is played.
        let played = format!("return Number(document.getElementById('main')?.dataset.ply) > {ply}");
        'press: loop {
            player.try_click(&format!("#col-{column}")).await;
            let pressed = Instant::now();
            while pressed.elapsed() < Duration::from_secs(1) {
                if player.run(&played).await == true {
                    break 'press;
                }
            }
            if begun.elapsed() > TIMEOUT {
                let page = "return document.body.innerText";
                panic!(
                    "ply {ply} is not played at {}: {}",
                    player.path().await,
                    player.run(page).await
                );
            }
        }
        for page in self.pages() {
            wait_for_ply(page, ply + 1).await;
        }
        begun.elapsed()
    }

    /// Checks that all pages show the same result and were not reloaded.
    async fn check_same_end(&self) {
        let mut boards: Vec<Value> = Vec::new();
        for page in self.pages() {
            let headline = "return document.querySelector('.res h1')?.textContent ?? null";
            let headline = page.wait_for(headline, "the result").await;
            assert!(
                headline
                    .as_str()
                    .is_some_and(|headline| headline.contains("draw")),
                "{headline}"
            );
            let found = page.eval("window.sameWindow").await;
            assert_eq!(found, true, "the page was reloaded");
            boards.push(page.run(BOARD).await);
        }
        let chips = boards[0].as_array().expect("a list").len();
        assert!(chips >= DRAWN.len(), "{}", boards[0]);
        assert_eq!(boards[0], boards[1]);
        assert_eq!(boards[0], boards[2]);
    }
}

/// Waits until the page shows the game after the given number of plies.
async fn wait_for_ply(page: &BrowserSession, plies: usize) {
    let there = format!("return document.getElementById('main')?.dataset.ply === '{plies}'");
    page.wait_for(&there, "the ply").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_in_three_browsers_continue_while_servers_are_restarted() {
    if is_without_balancer() {
        return;
    }
    let mut servers = BalancedServers::new().await;
    let party = ThreeBrowsers::open_at(&servers.url).await;
    let is_done = AtomicBool::new(false);
    let restarting = async {
        for at in 0..2 {
            servers.restart(at).await;
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
        longest < promised("DOD_BROWSER_KILLS", MAX_INTERRUPTION),
        "{longest:?}"
    );
    println!(
        "{games} complete games in three browsers over the restart of both servers, {longest:?} for a ply at most"
    );
}

/// `DOD_BROWSER_KILLS=50 cargo test --test browser mixed -- --nocapture` kills the servers alternately, 50 times in all;
/// the default is one kill.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mixed_browsers_and_bots_continue_after_each_kill_9() {
    if is_without_balancer() {
        return;
    }
    let kills = times("DOD_BROWSER_KILLS", 50) as usize;
    let bound = promised("DOD_BROWSER_KILLS", MAX_INTERRUPTION);
    let mut servers = BalancedServers::new().await;
    let party = ThreeBrowsers::open_at(&servers.url).await;
    let seen = Arc::new(Seen::default());
    let bots = start_bots(&servers, &seen);
    let (mut kill, mut games, mut ply) = (0, 0, 0);
    let mut longest = Duration::ZERO;
    while kill < kills || ply > 0 {
        let column = DRAWN.chars().nth(ply).expect("the game is in progress");
        if kill < kills && ply % 2 == 1 {
            let begun = Instant::now();
            let killing = servers.kill(kill % 2);
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
        "{kills} kills: {games} complete games in three browsers, {} plies of bots acknowledged, none lost, none twice; longest interruption {longest:?}",
        seen.plies.load(Ordering::Relaxed)
    );
}
