//! Memory use of a game, measured in a process of its own so that nothing else is counted.
//!
//! `DOD_SESSIONS=100000 cargo test --release --test router memory:: -- --nocapture` creates 100,000 games.

use std::sync::Arc;

use crate::common::{is_alone, resident_bytes};
use dice_of_doom::formats::JsonFields;
use dice_of_doom::games::{Registry, StartPosition};
use dice_of_doom::seats::SeatSpec;
use dice_of_doom::store::sqlite::SqliteStore;
use dice_of_doom::tables::{NewGame, Service, ServiceSettings};
use tempfile::TempDir;
use tokio::task::JoinSet;

/// Maximum size in bytes of a game without plies: 100,000 such games fit in 512 MB.
///
/// The process also grows by about a megabyte that does not depend on the number of games (allocator, store), so with
/// a few thousand games the average is hundreds of bytes higher than with 100,000.
const MAX_BYTES_PER_GAME: u64 = 5_120;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn untouched_games_take_little_memory() {
    if !is_alone("memory::untouched_games_take_little_memory") {
        return;
    }
    let games = std::env::var("DOD_SESSIONS");
    let games: usize = games.map_or(10_000, |games| games.parse().expect("a number of games"));
    let folder = TempDir::new().unwrap();
    let store = SqliteStore::open(&folder.path().join("games.db")).await;
    let settings = ServiceSettings {
        max_tables: games + 1_000,
        ..ServiceSettings::default()
    };
    let service = Service::new(Registry::builtin(), Arc::new(store.unwrap()), settings);
    // Allocates what a server needs in any case, such as the store's caches, before measuring.
    create_games(&service, 1_000).await;
    let before = resident_bytes(std::process::id());
    create_games(&service, games).await;
    let after = resident_bytes(std::process::id());
    assert_eq!(service.games_in_memory(), games + 1_000);
    let bytes_per_game = after.saturating_sub(before) / games as u64;
    println!(
        "{games} games in which nobody has played: {} MB at the beginning, {} MB now; {bytes_per_game} bytes a game",
        before / 1_000_000,
        after / 1_000_000
    );
    assert!(
        bytes_per_game <= MAX_BYTES_PER_GAME,
        "{bytes_per_game} bytes a game"
    );
    service.close().await;
}

/// Creates games with default seats: one human and three computers.
async fn create_games(service: &Service, games: usize) {
    let mut making = JoinSet::new();
    for number in 0..games {
        let service = service.clone();
        making.spawn(async move {
            let setting = service
                .games()
                .default_game()
                .configure(JsonFields::default())
                .unwrap();
            let seat_specs = SeatSpec::default_seats(setting.players()).collect();
            let new = NewGame::new(setting, StartPosition::Dealt(number as u64), seat_specs);
            service.create(new).await.unwrap();
        });
        if making.len() >= 100 {
            making.join_next().await.unwrap().unwrap();
        }
    }
    making.join_all().await;
}
