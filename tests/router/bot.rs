//! The bot in Python plays games over HTTP. By the server's own request counts it needs one stream, and one POST for
//! each ply, its game and itself.
//!
//! `DOD_BOT_GAMES=100 cargo test --test router bot:: -- --nocapture` plays 100 games; the default is 5.
//! The metrics count the requests of the whole process, so the test runs in a process of its own.

use std::collections::BTreeMap;
use std::process::{Command, Output};

use crate::common::{Server, is_alone};
use dice_of_doom::game::Player;
use dice_of_doom::metrics;

/// The number of requests by method and route.
fn request_counts() -> BTreeMap<String, u64> {
    let text = metrics::render();
    let label = |line: &str, name: &str| {
        let (_, rest) = line.split_once(&format!("{name}=\"")).unwrap();
        rest.split_once('"').unwrap().0.to_owned()
    };
    let mut counts = BTreeMap::new();
    for line in text
        .lines()
        .filter(|line| line.starts_with("http_requests_total{"))
    {
        assert!(label(line, "status").starts_with('2'), "{line}");
        let request = format!("{} {}", label(line, "method"), label(line, "route"));
        let count: u64 = line.rsplit_once(' ').unwrap().1.parse().unwrap();
        *counts.entry(request).or_default() += count;
    }
    counts
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_stream_and_one_post_a_ply() {
    if !is_alone("bot::one_stream_and_one_post_a_ply") {
        return;
    }
    let games: u64 = std::env::var("DOD_BOT_GAMES").map_or(5, |games| games.parse().unwrap());
    let server = Server::start().await;
    let bot = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/bots/bot.py");
    let url = format!("http://{}", server.address);
    let (mut plies, mut bot_plies, mut won) = (0, 0, 0);
    for _ in 0..games {
        let arguments = [bot.to_owned(), url.clone()];
        let run = move || Command::new("python3").args(arguments).output();
        let run = tokio::task::spawn_blocking(run).await.unwrap();
        let Ok(Output {
            status,
            stdout,
            stderr,
        }) = run
        else {
            println!("skipped: the bot in Python (no python3)");
            return;
        };
        assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
        let out = String::from_utf8(stdout).unwrap();
        let (page, winners) = out.trim().split_once("\nwinners: ").unwrap();
        let (_, id) = page.rsplit_once('/').unwrap();
        let snapshot = server.service.snapshot(&id.parse().unwrap()).await.unwrap();
        let live = &snapshot.live;
        assert!(live.is_over() && live.ending().is_none(), "{out}");
        let by_bot = |ply: &u32| live.ply_player(*ply) == Some(Player::FIRST);
        bot_plies += (0..live.entry_count()).filter(by_bot).count() as u64;
        plies += u64::from(live.entry_count());
        won += u64::from(winners == "[0]");
    }
    let counted = request_counts();
    let expected = BTreeMap::from([
        ("POST /api/v1/programs".to_owned(), games),
        ("POST /api/v1/games".to_owned(), games),
        ("GET /api/v1/events".to_owned(), games),
        ("POST /api/v1/games/{id}/moves".to_owned(), bot_plies),
    ]);
    println!(
        "{games} games, {plies} plies, {bot_plies} of them the bot's, {won} games won by it alone"
    );
    println!("the server counted: {counted:?}");
    assert_eq!(counted, expected);
}
