//! `/game.html` as a browser with cookies uses it: every kind of link, a whole game through the links, and requests
//! that must change nothing.

use std::sync::Arc;

use crate::common::{HANG, Page, Server, check_headers, read_page};
use dice_of_doom::client_network::LoopbackPolicy;
use dice_of_doom::game::Game;
use dice_of_doom::games::StartPosition;
use dice_of_doom::level::Level;
use dice_of_doom::seats::{ComputerPace, Credentials, SeatSpec};
use dice_of_doom::secret::Secret;
use dice_of_doom::tables::{ClientNetwork, GameCreator, NewGame, Snapshot};
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Rules, Setup};
use reqwest::Client;
use reqwest::header::HeaderMap;

const CHOOSE: &str = "Please choose a hex to move from:";
const DESTINATION: &str = "Now choose a destination:";
const CANCELLED: &str = "Move cancelled.";
const REINFORCED: &str = "Your reinforcements have been placed.";
const COMPUTER: &str = "The computer has moved.";
const MAY_PASS: &str = "You may now";

const REFRESH: &str = "meta[http-equiv=refresh]";

/// A browser with a cookie jar and, after its first choice, its book game.
struct Browser<'s> {
    server: &'s Server,
    client: Client,
    secret: Option<Secret>,
}

struct Answer {
    status: u16,
    headers: HeaderMap,
    text: Page,
}

impl Answer {
    /// The hrefs of all links to the book's page.
    fn links(&self) -> Vec<String> {
        self.text.attrs("[href^='/game.html']", "href")
    }

    /// The first link to the book's page that contains this.
    fn link(&self, part: &str) -> Option<String> {
        self.links().into_iter().find(|link| link.contains(part))
    }

    #[track_caller]
    fn assert_contains(&self, sentence: &str) -> &Self {
        assert!(
            self.text.contains(sentence),
            "{} without {sentence:?}: {}",
            self.status,
            self.text
        );
        self
    }

    #[track_caller]
    fn with_status(&self, status: u16) -> &Self {
        assert_eq!(self.status, status, "{}", self.text);
        self
    }
}

impl<'s> Browser<'s> {
    fn new(server: &'s Server) -> Self {
        let client = Client::builder().cookie_store(true).timeout(HANG);
        Browser {
            server,
            client: client.build().unwrap(),
            secret: None,
        }
    }

    /// A browser with a book game at this position, against random computers.
    async fn at(server: &'s Server, rules: Rules, side: u8, start: Setup) -> Self {
        Browser::against(server, Level::Random, rules, side, start).await
    }

    /// Like [`Self::at`], with computers of this level.
    async fn against(
        server: &'s Server,
        level: Level,
        rules: Rules,
        side: u8,
        start: Setup,
    ) -> Self {
        let secret = Secret::random();
        let owners = start.board.iter().map(|hex| hex.0);
        let players = (owners.max().unwrap() + 1).max(2);
        let mut seat_specs = vec![SeatSpec::Level(level.into()); usize::from(players)];
        seat_specs[0] = SeatSpec::Human;
        let game = Arc::new(DiceOfDoom::new(rules, side, players, 5).unwrap());
        let start = StartPosition::Given(serde_json::to_string(&start).unwrap());
        let new = NewGame {
            pace: ComputerPace::OnRequest,
            creator: GameCreator::BookPage(secret.clone()),
            ..NewGame::new(game, start, seat_specs)
        };
        server.service.create(new).await.unwrap();
        let jar = reqwest::cookie::Jar::default();
        let url = server.url("/").parse().unwrap();
        jar.add_cookie_str(&format!("dod_book={}; Path=/", secret.to_text()), &url);
        let client = Client::builder().cookie_provider(Arc::new(jar));
        Browser {
            server,
            client: client.timeout(HANG).build().unwrap(),
            secret: Some(secret),
        }
    }

    async fn get_with(&mut self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = self.client.get(self.server.url(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.unwrap();
        check_headers(response.headers(), path);
        assert_eq!(response.headers()["cache-control"], "no-store");
        for line in response.headers().get_all("set-cookie") {
            let line = line.to_str().unwrap();
            // A cookie that is deleted needs no attributes.
            let has_attributes = line.contains("HttpOnly") && line.contains("SameSite=Strict");
            assert!(has_attributes || line.contains("Max-Age=0"), "{line}");
            if let Some(text) = line.strip_prefix("dod_book=") {
                self.secret = text.split(';').next().unwrap().parse().ok();
            }
        }
        Answer {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            text: Page(response.text().await.unwrap()),
        }
    }

    async fn get(&mut self, path: &str) -> Answer {
        self.get_with(path, &[]).await
    }

    async fn choose(&mut self, chosen: impl std::fmt::Display) -> Answer {
        self.get(&format!("/game.html?chosen={chosen}")).await
    }

    /// Visits a page, and checks its status and a sentence of it.
    async fn check_page(&mut self, path: &str, status: u16, sentence: &str) {
        let page = self.get(path).await;
        page.with_status(status).assert_contains(sentence);
    }

    /// Chooses, and checks the status and a sentence of the page.
    async fn check_choice(&mut self, chosen: impl std::fmt::Display, status: u16, sentence: &str) {
        self.check_page(&format!("/game.html?chosen={chosen}"), status, sentence)
            .await;
    }

    /// The stored game of this browser, if there is one.
    async fn find_game(&self) -> Option<Arc<Snapshot>> {
        let hash = self.secret.as_ref()?.hash();
        let store = self.server.service.store();
        let id = store.book_page_game(&hash).await.unwrap()?;
        Some(self.server.service.snapshot(&id).await.unwrap())
    }

    /// The stored game of this browser.
    async fn game(&self) -> Arc<Snapshot> {
        self.find_game().await.expect("a game")
    }

    /// Visits the page for the first time and chooses the first offered hex.
    async fn begin(&mut self) -> Answer {
        let deal = self.get("/game.html").await;
        let choice = deal.link("chosen=").expect("a hex to choose");
        self.get(&choice).await
    }

    async fn ply(&self) -> u32 {
        self.game().await.live.entry_count()
    }

    /// The first legal attack.
    async fn attack(&self) -> (u8, u8) {
        let game = self.game().await;
        let session = game.live.session::<DiceOfDoom>().unwrap();
        let mut actions = session.game().legal_actions(session.position());
        let attack = actions.find_map(|action| match action {
            Action::Attack { from, to } => Some((from.number(), to.number())),
            Action::EndTurn => None,
        });
        attack.expect("an attack is legal")
    }
}

/// A board of three by three: a (five dice in the middle) between b and c. Every player always has an attack.
fn even() -> Setup {
    let owners = [1, 1, 1, 2, 0, 0, 2, 2, 1];
    let dice = [5, 4, 3, 4, 5, 3, 5, 4, 4];
    Setup::start(owners.into_iter().zip(dice).collect())
}

#[tokio::test]
async fn every_kind_of_choice_has_its_message() {
    let server = Server::start().await;
    let mut browser = Browser::at(&server, Rules::V4, 3, even()).await;
    let (from, to) = browser.attack().await;

    browser.check_choice("NIL", 200, CHOOSE).await;
    browser.check_choice(from, 200, DESTINATION).await;
    // The choice persists over a reload.
    browser.check_page("/game.html", 200, DESTINATION).await;
    browser.check_choice(from, 200, CANCELLED).await;
    browser.choose(from).await.assert_contains(DESTINATION);
    browser.check_choice("NIL", 200, CHOOSE).await;
    browser.choose(from).await.assert_contains(DESTINATION);
    assert_eq!(browser.ply().await, 0);

    let attacked = browser.choose(to).await;
    attacked
        .with_status(200)
        .assert_contains(MAY_PASS)
        .assert_contains(" dice rolled ")
        .assert_contains("On 5 dice rolled ");
    assert_eq!(browser.ply().await, 1);
    let pass = attacked.link("chosen=pass").expect("the link pass");
    // The book's original program lost this link after a reload and after a cancel.
    let reloaded = browser.get("/game.html").await;
    assert!(reloaded.assert_contains(MAY_PASS).links().contains(&pass));

    let passed = browser.get(&pass).await;
    passed
        .with_status(200)
        .assert_contains(REINFORCED)
        .assert_contains("continue");
    assert!(!passed.text.has(REFRESH), "the book waits for continue");
    let game = browser.game().await;
    assert!(game.live.is_over() || game.computer_to_move().is_some());

    let continue_link = passed.link("chosen=NIL").expect("the link continue");
    let ply = browser.ply().await;
    let moved = browser.get(&continue_link).await;
    assert_eq!(browser.ply().await, ply + 1, "exactly one ply");
    moved.with_status(200).assert_contains(COMPUTER);
    let game = browser.game().await;
    if game.computer_to_move().is_some() {
        assert!(moved.text.has(REFRESH), "{}", moved.text);
    }
}

/// Checks that no link and no refresh of the page “The computer is thinking.” plays a ply.
fn check_thinking(page: &Answer) {
    page.with_status(200)
        .assert_contains("The computer is thinking.");
    let links = page.links();
    assert!(!links.is_empty() && links.iter().all(|link| link == "/game.html"));
    let refresh = page.text.attr(REFRESH, "content");
    assert!(refresh.ends_with("url=/game.html"), "{refresh}");
}

#[tokio::test]
async fn a_page_during_a_computers_turn_says_so_and_plays_the_ply_once() {
    let server = Server::with(|config| config.settings.compute_threads = 1).await;
    let start = Setup {
        player: 1,
        ..even()
    };
    let mut browser = Browser::against(&server, Level::Champion, Rules::V4, 3, start).await;
    let secret = browser.secret.clone().unwrap();
    // Turns of the same browser and client network that are queued earlier and take long.
    let mut others = Vec::new();
    for seed in 0..8 {
        let setting = Arc::new(DiceOfDoom::new(Rules::V4, 8, 2, 5).unwrap());
        let seat_specs = vec![SeatSpec::Level(Level::Champion.into()), SeatSpec::Human];
        let new = NewGame {
            creator: GameCreator::Browser(secret.clone()),
            client_network: Some(ClientNetwork::from_ip(server.address.ip())),
            ..NewGame::new(setting, StartPosition::Dealt(seed), seat_specs)
        };
        others.push(server.service.create(new).await.unwrap().snapshot);
    }
    check_thinking(&browser.choose("NIL&ply=0").await);
    check_thinking(&browser.get("/game.html").await);
    check_thinking(&browser.choose("NIL&ply=0").await);
    assert_eq!(browser.ply().await, 0);
    let credentials = Credentials {
        browser: Some(secret.hash()),
        ..Credentials::default()
    };
    for other in others {
        let resigned = server.service.resign(&other.id, credentials, None).await;
        assert!(resigned.unwrap().live.is_over());
    }
    // The next view shows the requested ply, which was played once.
    let page = loop {
        let page = browser.get("/game.html").await;
        if !page.text.contains("is thinking") {
            break page;
        }
    };
    page.with_status(200).assert_contains(COMPUTER);
    assert_eq!(browser.ply().await, 1);
    browser.check_page("/game.html", 200, COMPUTER).await;
    assert_eq!(browser.ply().await, 1);
}

#[tokio::test]
async fn a_deal_is_shown_and_stored_by_the_first_choice() {
    let server = Server::start().await;
    let mut browser = Browser::new(&server);
    // Without a deal cookie every request shows a new deal, and nothing is stored.
    let dealt = browser.choose(3).await;
    dealt.with_status(200).assert_contains(CHOOSE);
    for again in [
        "/game.html",
        "/game.html?chosen=NIL",
        "/game.html?chosen=NIL&ply=0",
    ] {
        assert_eq!(browser.get(again).await.with_status(200).text, dealt.text);
    }
    for (refused, expected) in [
        ("100", "There is no such hex"),
        ("pass", "Attack once before you end your turn."),
        ("3&ply=1", "The game had moved on, so nothing was changed."),
        (
            "pass&ply=7",
            "The game had moved on, so nothing was changed.",
        ),
    ] {
        browser.check_choice(refused, 409, expected).await;
        browser.get("/game.html").await.assert_contains(CHOOSE);
    }
    browser.choose("nonsense").await.with_status(400);
    assert!(browser.find_game().await.is_none());
    assert_eq!(server.service.store().last_activity_ms().await, Ok(None));

    let hex = dealt.link("chosen=").unwrap();
    let chosen = browser.get(&hex).await;
    chosen.with_status(200).assert_contains(DESTINATION);
    let lines = chosen.headers.get_all("set-cookie").iter();
    let mut lines = lines.map(|line| line.to_str().unwrap());
    assert!(lines.any(|line| line.starts_with("dod_deal=;") && line.contains("Max-Age=0")));
    let game = browser.game().await;
    let session = game.live.session::<DiceOfDoom>().unwrap();
    assert_eq!(session.game().rules(), Rules::V4);
    assert_eq!((session.game().side(), session.game().players()), (5, 4));
    assert_eq!(game.live.entry_count(), 0);
    // The stored game is the one that was shown, and it stays the same from now on.
    let back = browser.choose("NIL").await;
    assert_eq!(back.with_status(200).text, dealt.text);
    browser.get(&hex).await.assert_contains(DESTINATION);
    assert_eq!(browser.game().await.id, game.id);
    // The choice of a second hex plays the first ply.
    browser.choose("NIL").await.assert_contains(CHOOSE);
    let (from, to) = browser.attack().await;
    browser.choose(from).await.assert_contains(DESTINATION);
    browser.choose(to).await.assert_contains(MAY_PASS);
    assert_eq!(browser.ply().await, 1);
}

#[tokio::test]
async fn storing_a_deal_counts_as_creating_a_game() {
    let server = Server::with(|config| {
        config.loopback = LoopbackPolicy::Limited;
        config.moves = 1_000;
    })
    .await;
    // Deals are not limited; this server allows two new games a minute.
    for browsers in 0..4 {
        let mut browser = Browser::new(&server);
        let page = browser.begin().await;
        if browsers < 2 {
            page.with_status(200).assert_contains(DESTINATION);
        } else {
            page.with_status(429);
            assert!(page.headers.contains_key("retry-after"));
            assert!(browser.find_game().await.is_none());
            browser.check_page("/game.html", 200, CHOOSE).await;
        }
    }
}

#[tokio::test]
async fn a_whole_game_through_its_links() {
    let server = Server::start().await;
    let mut browser = Browser::at(&server, Rules::V4, 3, even()).await;
    let mut page = browser.get("/game.html").await;
    let (mut attacks, mut visits) = (0, 0);
    while !page.text.contains("play again") {
        visits += 1;
        assert!(visits < 1_000, "the game does not end");
        page.with_status(200);
        let links = page.links();
        let is_known = |link: &String| link == "/game.html" || link.contains("&ply=");
        assert!(links.iter().all(is_known), "{links:?}");
        let nil = links.iter().find(|link| link.contains("chosen=NIL"));
        let pass = links.iter().find(|link| link.contains("chosen=pass"));
        let hex = links
            .iter()
            .find(|link| !link.contains("chosen=pass") && link.contains("chosen="));
        let ply = browser.ply().await;
        let next = match (nil, hex, pass) {
            (Some(nil), ..) => nil.clone(),
            (None, Some(hex), pass) if attacks % 3 != 2 || pass.is_none() => {
                let choosing = browser.get(hex).await;
                choosing.with_status(200).assert_contains(DESTINATION);
                assert_eq!(browser.ply().await, ply);
                // Selects a target, not the source hex, which would cancel the choice.
                let own = format!("chosen={}&", hex.split(['=', '&']).nth(1).unwrap());
                let target = choosing.links().into_iter().find(|link| {
                    !link.contains(&own)
                        && !link.contains("chosen=pass")
                        && link.contains("chosen=")
                });
                attacks += 1;
                target.expect("a target")
            }
            (None, _, Some(pass)) => {
                attacks += 1;
                pass.clone()
            }
            (None, None, None) | (None, Some(_), None) => panic!("a dead end: {}", page.text),
        };
        page = browser.get(&next).await;
        page.with_status(200);
        assert_eq!(browser.ply().await, ply + 1, "{next}");
    }
    assert!(attacks > 0);
    assert!(
        page.text.contains("The winner is ") || page.text.contains("The game is a tie between (")
    );
    assert!(browser.game().await.live.is_over());
    // Only “play again” leaves the finished game.
    let over = browser.game().await.id.clone();
    browser.choose("NIL").await.assert_contains("play again");
    assert_eq!(browser.game().await.id, over);
    assert!(page.links().contains(&"/game.html".to_owned()));
    // A new deal is shown, then stored by a choice; until then the newest game is the finished one.
    let dealt = browser.get("/game.html").await;
    dealt.with_status(200).assert_contains(CHOOSE);
    assert_eq!(browser.game().await.id, over);
    browser.choose("NIL").await.assert_contains(CHOOSE);
    let hex = dealt.link("chosen=").unwrap();
    browser.get(&hex).await.assert_contains(DESTINATION);
    assert_ne!(browser.game().await.id, over);
}

#[tokio::test]
async fn winner_and_tie_are_announced_as_in_the_book() {
    let server = Server::start().await;
    let ones = |owners: &[u8]| Setup::start(owners.iter().map(|owner| (*owner, 1)).collect());
    for (owners, words) in [
        (&[0, 0, 0, 1][..], "The winner is a"),
        (&[0, 1, 1, 1], "The winner is b"),
        (&[0, 0, 1, 1], "The game is a tie between (a b)"),
        (&[0, 0, 1, 1, 2, 2, 3, 3, 3], "The winner is d"),
        (
            &[0, 0, 0, 1, 1, 1, 2, 2, 2],
            "The game is a tie between (a b c)",
        ),
    ] {
        let side = if owners.len() == 4 { 2 } else { 3 };
        let mut browser = Browser::at(&server, Rules::V4, side, ones(owners)).await;
        let page = browser.choose("NIL").await;
        page.with_status(200)
            .assert_contains(words)
            .assert_contains("play again");
        assert!(!page.text.contains(CHOOSE), "{}", page.text);
    }
}

#[tokio::test]
async fn two_browsers_have_two_games() {
    let server = Server::start().await;
    let (mut one, mut two) = (Browser::new(&server), Browser::new(&server));
    one.begin().await.assert_contains(DESTINATION);
    two.begin().await.assert_contains(DESTINATION);
    for browser in [&mut one, &mut two] {
        browser.choose("NIL").await.assert_contains(CHOOSE);
    }
    assert_ne!(one.game().await.id, two.game().await.id);
    let (from, to) = one.attack().await;
    one.choose(from).await.assert_contains(DESTINATION);
    two.get("/game.html").await.assert_contains(CHOOSE);
    one.choose(to).await.assert_contains(MAY_PASS);
    assert_eq!((one.ply().await, two.ply().await), (1, 0));
}

#[tokio::test]
async fn rejected_requests_change_nothing_and_state_the_reason() {
    let server = Server::start().await;
    let mut browser = Browser::at(&server, Rules::V4, 3, even()).await;
    let (from, to) = browser.attack().await;
    let before = browser.get("/game.html").await.text;
    for (chosen, status, expected) in [
        ("pass", 409, "Attack once before you end your turn."),
        ("0", 409, "is not yours"),
        ("9", 409, "There is no such hex on this board."),
        ("255", 409, "There is no such hex on this board."),
        ("256", 400, "did not understand"),
        ("-1", 400, "did not understand"),
        ("1.5", 400, "did not understand"),
        ("nonsense", 400, "did not understand"),
        ("(quit)", 400, "did not understand"),
        ("%00", 400, "did not understand"),
        ("", 400, "did not understand"),
        ("%3Cscript%3E", 400, "did not understand"),
    ] {
        let page = browser.choose(chosen).await;
        page.with_status(status).assert_contains(expected);
        assert!(
            !page.text.contains("(quit)") && !page.text.contains("<script>"),
            "{chosen}"
        );
        assert_eq!(browser.ply().await, 0, "{chosen}");
        assert_eq!(browser.get("/game.html").await.text, before, "{chosen}");
    }
    for query in [
        "chosen=NIL&ply=x",
        "chosen=NIL&ply=-1",
        "chosen=1&chosen=2",
        "ply=99999999999",
    ] {
        browser
            .get(&format!("/game.html?{query}"))
            .await
            .with_status(400);
    }
    // With a source chosen, an illegal target is rejected and the choice remains.
    browser.choose(from).await.assert_contains(DESTINATION);
    for (target, expected) in [
        (100, "There is no such hex"),
        (if from == 4 { 5 } else { 4 }, "is yours already"),
    ] {
        let page = browser.choose(target).await;
        page.with_status(409)
            .assert_contains(expected)
            .assert_contains(DESTINATION);
        assert_eq!(browser.ply().await, 0);
    }
    browser.get("/game.html").await.assert_contains(DESTINATION);
    browser
        .check_page(&format!("/game.html?chosen={to}&ply=0"), 200, MAY_PASS)
        .await;

    // The same link again and other links of that ply are stale: nothing is played.
    for chosen in [to.to_string(), "pass".to_owned(), "NIL".to_owned()] {
        let page = browser
            .get(&format!("/game.html?chosen={chosen}&ply=0"))
            .await;
        page.with_status(409)
            .assert_contains("The game had moved on, so nothing was changed.");
        assert_eq!(browser.ply().await, 1);
    }
    browser
        .get("/game.html?chosen=pass&ply=7")
        .await
        .with_status(409);
    browser
        .get("/game.html?chosen=pass&ply=1")
        .await
        .with_status(200);
    // On a computer's turn only NIL is accepted.
    let game = browser.game().await;
    assert!(
        game.computer_to_move().is_some(),
        "the position leaves b an attack"
    );
    for chosen in ["pass", "4"] {
        browser
            .check_choice(chosen, 409, "It is not your turn.")
            .await;
        assert_eq!(browser.ply().await, 2);
    }
    // Viewing the page does not make the computer move.
    browser.get("/game.html").await.with_status(200);
    assert_eq!(browser.ply().await, 2);
}

#[tokio::test]
async fn cross_site_requests_and_prefetches_play_nothing() {
    let server = Server::start().await;
    let mut browser = Browser::at(&server, Rules::V4, 3, even()).await;
    let (from, _) = browser.attack().await;
    let link = format!("/game.html?chosen={from}&ply=0");
    for site in ["cross-site", "same-site", "nonsense"] {
        browser
            .get_with(&link, &[("sec-fetch-site", site)])
            .await
            .with_status(403)
            .assert_contains("another site");
    }
    for (name, value) in [
        ("purpose", "prefetch"),
        ("sec-purpose", "prefetch"),
        ("sec-purpose", "prefetch;prerender"),
    ] {
        let page = browser.get_with(&link, &[(name, value)]).await;
        page.with_status(503)
            .assert_contains("cannot be loaded ahead of time");
    }
    browser.get("/game.html").await.assert_contains(CHOOSE);
    for site in ["same-origin", "none"] {
        let page = browser.get_with(&link, &[("sec-fetch-site", site)]).await;
        page.with_status(200).assert_contains(if site == "none" {
            CANCELLED
        } else {
            DESTINATION
        });
    }
}

#[tokio::test]
async fn a_cross_site_visit_sets_no_cookie() {
    let server = Server::start().await;
    let mut browser = Browser::new(&server);
    for path in [
        "/game.html",
        "/game.html?chosen=3",
        "/game.html?chosen=NIL&ply=0",
    ] {
        let page = browser
            .get_with(path, &[("sec-fetch-site", "cross-site")])
            .await;
        assert!(!page.headers.contains_key("set-cookie"), "{path}");
        assert_eq!(page.status, if path.contains('?') { 403 } else { 200 });
        if page.status == 200 {
            let game: Vec<_> = page.links();
            assert!(game.contains(&"/game.html".to_owned()), "{game:?}");
            assert!(game.iter().all(|link| !link.contains("chosen")), "{game:?}");
        }
    }
    // A game in progress is neither shown nor reset.
    let mut player = Browser::at(&server, Rules::V4, 3, even()).await;
    let id = player.game().await.id.clone();
    let page = player
        .get_with("/game.html", &[("sec-fetch-site", "cross-site")])
        .await;
    assert!(!page.headers.contains_key("set-cookie"));
    assert_eq!(player.game().await.id, id);
}

#[tokio::test]
async fn without_a_cookie_every_visit_shows_a_deal_and_stores_nothing() {
    let server = Server::start().await;
    let reader = server.person_without_cookies();
    for path in [
        "/game.html",
        "/game.html?chosen=3",
        "/game.html?chosen=pass",
    ] {
        let response = reader.get(path).await;
        let cookies = response.headers().get_all("set-cookie").iter();
        let mut cookies: Vec<_> = cookies.map(|line| line.to_str().unwrap()).collect();
        cookies.sort_unstable();
        let [secret, deal] = cookies[..] else {
            panic!("{cookies:?}")
        };
        assert!(secret.starts_with("dod_book=") && secret.contains("; Max-Age=31536000"));
        assert!(deal.starts_with("dod_deal="), "{deal}");
        assert!(read_page(response, 200, path).await.contains(CHOOSE));
    }
    // A forged cookie counts as none: it does not open another player's game.
    let forged = reader.with("cookie", "dod_book=AAAAAAAAAAAAAAAAAAAAAA");
    assert!(forged.page("/game.html?chosen=3").await.contains(CHOOSE));
    assert_eq!(server.service.store().last_activity_ms().await, Ok(None));
}
