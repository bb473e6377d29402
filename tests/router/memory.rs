//! What a game in memory costs, in a process of its own so that nothing else is counted.
//!
//! `DOD_SESSIONS=100000 cargo test --release --test router memory:: -- --nocapture` makes as many games as that.

use std::sync::Arc;

use crate::common::{is_alone, resident_bytes};
use dice_of_doom::game_adapters::{JsonFields, Registry, StartPosition};
use dice_of_doom::seats::SeatSpec;
use dice_of_doom::service::{NewGame, Service, ServiceSettings};
use dice_of_doom::store::sqlite::SqliteStore;
use tempfile::TempDir;
use tokio::task::JoinSet;

/// The most bytes that a game may take in which nobody has played: 100,000 in 512 MB.
///
/// A megabyte that is no game's (the allocator's, the archive's) grows beside them, so a few
/// thousand games would be charged hundreds of bytes each that 100,000 do not take.
const MOST: u64 = 5_120;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn untouched_games_take_little_memory() {
    if !is_alone("memory::untouched_games_take_little_memory") {
        return;
    }
    let games = std::env::var("DOD_SESSIONS");
    let games: usize = games.map_or(10_000, |games| games.parse().expect("a number of games"));
    let folder = TempDir::new().unwrap();
    let archive = SqliteStore::open(&folder.path().join("games.db")).await;
    let settings = ServiceSettings {
        max_tables: games + 1_000,
        ..ServiceSettings::default()
    };
    let service = Service::new(Registry::builtin(), Arc::new(archive.unwrap()), settings);
    // What a server has anyway, such as the archive's caches, is there before.
    add(&service, 1_000).await;
    let before = resident_bytes(std::process::id());
    add(&service, games).await;
    let after = resident_bytes(std::process::id());
    assert_eq!(service.games_in_memory(), games + 1_000);
    let each = after.saturating_sub(before) / games as u64;
    println!(
        "{games} games in which nobody has played: {} MB at the beginning, {} MB now; {each} bytes a game",
        before / 1_000_000,
        after / 1_000_000
    );
    assert!(each <= MOST, "{each} bytes a game");
    service.close().await;
}

/// Games of the usual kind: a person against three computers.
async fn add(service: &Service, games: usize) {
    let mut making = JoinSet::new();
    for number in 0..games {
        let service = service.clone();
        making.spawn(async move {
            let setting = service
                .games()
                .default_game()
                .configure(JsonFields::default())
                .unwrap();
            let sitters = SeatSpec::usual(setting.players()).collect();
            let new = NewGame::of(setting, StartPosition::Deal(number as u64), sitters);
            service.create(new).await.unwrap();
        });
        if making.len() >= 100 {
            making.join_next().await.unwrap().unwrap();
        }
    }
    making.join_all().await;
}
