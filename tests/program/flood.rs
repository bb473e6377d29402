//! Many clients request the book's page as often as allowed, each time without a cookie: memory and disk stay within
//! the bounds that the limits imply.
//!
//! `DOD_FLOOD_S=600 cargo test --release --test program flood:: -- --nocapture` runs for ten minutes.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::{HANG, Program, program, resident_bytes};
use reqwest::{Client, StatusCode};
use tempfile::TempDir;
use tokio::task::JoinSet;

/// The number of client addresses.
const ADDRESSES: u8 = 4;

/// One in this many pages is answered by a choice, so that its game is stored.
const CHOICES: u64 = 10;

/// Deals and choices a second from one address that the default limits allow.
const PER_SECOND: u64 = 50;

/// Games a minute from one address, and the same number at once.
const GAMES: u64 = 30;

/// The maximum disk space of a game in which one hex was chosen, including its part of the log.
const GAME_BYTES: u64 = 16 * 1024;

/// More than the disk space, or the memory, that a server uses without games.
const BASE_BYTES: u64 = 12_000_000;

/// The memory limit of the server: ten times what it uses when idle.
const MEMORY_BYTES: u64 = 160_000_000;

#[derive(Clone, Copy, Default, Debug)]
struct Counted {
    pages: u64,
    stored: u64,
    refused: u64,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_the_books_page_stays_within_bounds() {
    let seconds = std::env::var("DOD_FLOOD_S");
    let seconds: u64 = seconds.map_or(3, |seconds| seconds.parse().expect("seconds"));
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("games.db");
    let mut command = program();
    command.args(["--listen", "127.0.0.1:0", "--limit-loopback", "--database"]);
    command.arg(format!("sqlite:{}", database.display()));
    let program = Program::run(command, &folder.path().join("log"));

    let (before, begun) = (resident_bytes(program.pid()), Instant::now());
    let until = begun + Duration::from_secs(seconds);
    let mut flood = JoinSet::new();
    for number in 0..ADDRESSES {
        let address = IpAddr::V4(Ipv4Addr::new(127, 0, 1, number + 1));
        flood.spawn(ask(program.url.clone(), address, until));
    }
    let mut peak = before;
    let mut all = Counted::default();
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    loop {
        tokio::select! {
            _ = ticks.tick() => peak = peak.max(resident_bytes(program.pid())),
            counted = flood.join_next() => match counted {
                None => break,
                Some(counted) => {
                    let counted = counted.unwrap();
                    all.pages += counted.pages;
                    all.stored += counted.stored;
                    all.refused += counted.refused;
                }
            },
        }
    }
    let disk = disk_bytes(folder.path());
    println!(
        "{seconds} s from {ADDRESSES} addresses: {} deals shown, {} games kept, {} requests refused; memory {} MB before, {} MB at most; disk {} MB",
        all.pages,
        all.stored,
        all.refused,
        before / 1_000_000,
        peak / 1_000_000,
        disk / 1_000_000
    );
    assert!(all.pages > 0 && all.stored > 0);
    let max_stored = u64::from(ADDRESSES) * (GAMES + GAMES * (seconds + 1) / 60 + 1);
    assert!(
        all.stored <= max_stored,
        "{} games, of {max_stored}",
        all.stored
    );
    assert!(peak < MEMORY_BYTES, "{peak} bytes of memory");
    assert!(
        disk < BASE_BYTES + all.stored * GAME_BYTES,
        "{disk} bytes on the disk"
    );
    let (status, _) = program.terminate();
    assert!(status.success());
}

/// Sends as many requests as the limits allow, each without a cookie; some of the deals are stored.
async fn ask(url: String, address: IpAddr, until: Instant) -> Counted {
    let client = Client::builder().timeout(HANG).local_address(address);
    let client = client.build().unwrap();
    let mut counted = Counted::default();
    let pause = Duration::from_secs(1) / u32::try_from(PER_SECOND).unwrap();
    let mut turns = tokio::time::interval(pause);
    for number in 0_u64.. {
        turns.tick().await;
        if Instant::now() >= until {
            break;
        }
        let response = client.get(format!("{url}/game.html")).send().await.unwrap();
        if response.status() == StatusCode::TOO_MANY_REQUESTS {
            counted.refused += 1;
            continue;
        }
        assert_eq!(response.status(), 200);
        let cookies = response.headers().get_all("set-cookie").iter();
        let cookies = cookies.map(|cookie| cookie.to_str().unwrap().split(';').next().unwrap());
        let cookies = cookies.collect::<Vec<_>>().join("; ");
        let page = response.text().await.unwrap();
        counted.pages += 1;
        if number % CHOICES == 0 {
            let links = page.split("href=\"");
            let mut links = links.filter(|link| link.starts_with("/game.html?chosen="));
            let link = links.next();
            let link = link
                .unwrap()
                .split('"')
                .next()
                .unwrap()
                .replace("&amp;", "&");
            let choice = client.get(format!("{url}{link}")).header("cookie", cookies);
            match choice.send().await.unwrap().status() {
                StatusCode::OK => counted.stored += 1,
                StatusCode::TOO_MANY_REQUESTS => counted.refused += 1,
                status => panic!("{status}"),
            }
        }
    }
    counted
}

/// The size of the database and its auxiliary files.
fn disk_bytes(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).unwrap();
    let files = files.map(|file| file.unwrap());
    let own = files.filter(|file| file.file_name().to_string_lossy().starts_with("games.db"));
    own.map(|file| file.metadata().unwrap().len()).sum()
}
