//! Compares the results of random calls with those of the memory store.

use dice_of_doom::level::Level;
use dice_of_doom::record::{Ending, EndingRow, EntropyContributionRow, PlyRow, TakebackRow};
use dice_of_doom::seats::{
    ComputerPace, FormerOccupant, Invitation, PersonCredentials, ProgramCredentials, RematchKind,
    Seat, SeatCredentials, SeatLevel, SeatOccupant,
};
use dice_of_doom::secret::SecretHash;
use dice_of_doom::site::reviews::rows::ReviewChange;
use dice_of_doom::store::{GameHeader, GameId, RetentionCutoffs, Store, StoredEntry, open};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};
use tempfile::TempDir;

use super::{browser, header, ply, resigned, unfinished, watchable};
use crate::server;

fn random_occupant(rng: &mut ChaCha8Rng, hashes: &[SecretHash]) -> SeatOccupant {
    let mut any = || hashes[rng.random_range(0..hashes.len())];
    // Derived from `rng`, so that both stores get the same values.
    let (browser, token, joined) = (any(), any(), any());
    let person = PersonCredentials {
        browser,
        return_link: None,
        joined_by: rng.random_bool(0.3).then_some(joined),
    };
    let program = ProgramCredentials {
        token,
        browser: rng.random_bool(0.5).then_some(browser),
        joined_by: rng.random_bool(0.3).then_some(joined),
    };
    let name = rng.random_bool(0.5).then(|| "Ada".to_owned());
    let level = SeatLevel::Known(Level::Book.into());
    let left = match rng.random_range(0..3) {
        0 => None,
        1 => Some(SeatCredentials::Person(person)),
        _ => Some(SeatCredentials::Program(program)),
    };
    let left = left.map(|credentials| {
        let name = name.clone();
        Box::new(FormerOccupant { credentials, name })
    });
    match rng.random_range(0..5) {
        0 => SeatOccupant::Person {
            credentials: person,
            name,
        },
        1 => SeatOccupant::Program {
            credentials: program,
            name,
        },
        2 => SeatOccupant::Level {
            level,
            replaced: left,
        },
        3 => SeatOccupant::Open { invitation: None },
        _ => SeatOccupant::Open {
            invitation: Some(Invitation::Random(token)),
        },
    }
}

/// Makes one random call, which depends only on `rng`; returns the result as text.
async fn random_call(
    store: &dyn Store,
    ids: &[GameId],
    browsers: &[SecretHash],
    mut rng: ChaCha8Rng,
) -> String {
    let id = &ids[rng.random_range(0..ids.len())];
    let browser = browsers[rng.random_range(0..browsers.len())];
    let at_ms = rng.random_range(0..50) * 300;
    let browser_if = |yes: bool| yes.then_some(browser);
    let seats = (0..rng.random_range(0..4))
        .map(|_| Seat {
            occupant: random_occupant(&mut rng, browsers),
            since_ms: rng.random_bool(0.5).then_some(at_ms),
        })
        .collect();
    let pace = if rng.random_bool(0.5) {
        ComputerPace::AtOnce
    } else {
        ComputerPace::OnRequest
    };
    match rng.random_range(0..100) {
        0..10 => {
            let header = GameHeader {
                id: id.clone(),
                pace,
                creator: browser_if(rng.random_bool(0.5)),
                book_of: browser_if(rng.random_bool(0.3)),
                private: rng.random_bool(0.3),
                rematch_of: rng
                    .random_bool(0.5)
                    .then(|| (ids[0].clone(), RematchKind::ALL[at_ms as usize / 300 % 4])),
                ..header(at_ms)
            };
            format!("{:?}", store.create(header, seats).await)
        }
        10..55 => {
            // Usually the next number.
            let next = store
                .load(id)
                .await
                .unwrap()
                .map_or(0, |stored| stored.next_number());
            let expected = if rng.random_bool(0.8) {
                next
            } else {
                rng.random_range(0..6)
            };
            let row = PlyRow {
                at_ms,
                ..ply(expected)
            };
            let entry = match rng.random_range(0..40) {
                0 => StoredEntry::Ending(resigned(at_ms)),
                1 => StoredEntry::Ending(EndingRow {
                    ending: Ending::Limit,
                    at_ms,
                }),
                2 => StoredEntry::FinalPly(row),
                3..6 if expected > 0 => StoredEntry::Takeback(TakebackRow {
                    player: row.player,
                    to: rng.random_range(0..expected),
                    at_ms,
                }),
                6..9 => StoredEntry::Contribution(EntropyContributionRow {
                    player: row.player,
                    text: row.action,
                    at_ms,
                }),
                _ => StoredEntry::Ply(row),
            };
            format!("{:?}", store.append(id, expected, entry).await)
        }
        55..65 => {
            let revision = rng.random_range(0..3);
            format!("{:?}", store.change_seats(id, revision, seats).await)
        }
        65..72 => {
            let mut before = || rng.random_bool(0.5).then(|| rng.random_range(0..12) * 300);
            let cutoffs = RetentionCutoffs {
                uploaded_ms: before(),
                finished_ms: before(),
                abandoned_ms: before(),
                untouched_ms: before(),
                awaited_ms: before(),
            };
            let expired = store.list_expired(&cutoffs, rng.random_range(0..4)).await;
            let all = store.delete_expired(ids.to_vec(), cutoffs).await;
            format!("{expired:?} {all:?} {:?}", store.last_activity_ms().await)
        }
        72..80 => format!(
            "{:?}",
            store.list_games_of(&browser, rng.random_range(0..8)).await
        ),
        80..86 => format!("{:?}", store.book_page_game(&browser).await),
        86..89 => format!("{:?}", unfinished(store, pace).await),
        89..92 => {
            let limit = rng.random_range(0..8);
            format!("{:?}", watchable(store, limit).await)
        }
        92..95 => format!("{:?}", store.find_seat_by_link(&browser).await),
        95 => format!("{:?}", store.rematches_of(&ids[0]).await),
        96 => {
            let change = match rng.random_range(0..4) {
                0 => ReviewChange::Store(at_ms.to_string()),
                1 => ReviewChange::Cancel,
                _ => ReviewChange::Request(at_ms),
            };
            let changed = store.change_review(id, change).await;
            let pending = store.pending_reviews(rng.random_range(0..4)).await;
            format!("{changed:?} {pending:?} {:?}", store.review(id).await)
        }
        _ => format!("{:?}", store.load(id).await),
    }
}

/// Compares a store with the memory store; reopens it every 100 steps.
async fn assert_same_results_as_memory(url: &str, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let memory = open("memory:").await.unwrap();
    let mut store = open(url).await.unwrap();
    let ids: Vec<GameId> = (0..8).map(|_| GameId::random()).collect();
    let browsers: Vec<SecretHash> = (0..3).map(|_| browser()).collect();
    for step in 0..400 {
        let call = rng.random();
        let call = || ChaCha8Rng::seed_from_u64(call);
        let expected = random_call(&*memory, &ids, &browsers, call()).await;
        let answer = random_call(&*store, &ids, &browsers, call()).await;
        assert_eq!(answer, expected, "seed {seed}, step {step}");
        if step % 100 == 99 {
            store.close().await;
            store = open(url).await.unwrap();
        }
    }
    for id in &ids {
        assert_eq!(store.load(id).await, memory.load(id).await, "seed {seed}");
    }
    store.close().await;
}

#[tokio::test]
async fn memory_and_sqlite_return_the_same_results() {
    for seed in 0..8 {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("games.db");
        assert_same_results_as_memory(&format!("sqlite:{}", path.display()), seed).await;
    }
}

#[tokio::test]
async fn memory_and_postgresql_return_the_same_results() {
    if server::is_left_out() {
        return;
    }
    for seed in 0..8 {
        assert_same_results_as_memory(&server::shared().database().await, seed).await;
    }
}
