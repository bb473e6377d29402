//! Several servers share one archive: a lease says which of them goes on with a game, and all can ask how far games
//! have come.

use std::sync::Arc;
use std::time::Duration;

use dice_of_doom::level::Level;
use dice_of_doom::seats::{RematchKind, SeatLevel, SeatOccupant};
use dice_of_doom::store::{
    AppendOptions, FencingToken, GameHeader, GameId, GameStore, GameVersion, LeaseResult,
    StoreError, StoredEntry,
};

use super::{created, header, ply, resigned, seat, somebody, stored};

/// For so long that it does not end within a test, and as good as not at all.
const LONG: Duration = Duration::from_secs(600);
const NO_TIME: Duration = Duration::from_millis(1);

fn granted(lease: LeaseResult) -> FencingToken {
    match lease {
        LeaseResult::Granted(fence) => fence,
        LeaseResult::Held => panic!("somebody else has it"),
    }
}

/// Asks for the lease until it has run out.
async fn leased_next(archive: &dyn GameStore, id: &GameId) -> FencingToken {
    loop {
        if let LeaseResult::Granted(fence) = archive.lease(id, LONG).await.unwrap() {
            return fence;
        }
    }
}

pub(crate) async fn a_lease_is_one_holders_and_its_fence_only_grows(archive: Arc<dyn GameStore>) {
    let id = created(&*archive, header(0)).await;
    let first = granted(archive.lease(&id, LONG).await.unwrap());
    assert_eq!(archive.lease(&id, LONG).await, Ok(LeaseResult::Held));
    let turn = |fence, lease| AppendOptions {
        fence,
        due: false,
        lease,
    };
    let append = async |number, turn| {
        let entry = StoredEntry::Ply(ply(number));
        archive.append_turn(&id, number, entry, turn).await
    };
    // Whoever has it goes on, and keeps it.
    let kept = append(0, turn(Some(first), Some(LONG))).await;
    assert_eq!(kept, Ok(Some(first)));
    // A person's entry needs none, and takes none from others.
    assert_eq!(append(1, turn(None, Some(LONG))).await, Ok(None));
    archive.renew(&[(id.clone(), first)], LONG).await.unwrap();
    assert_eq!(archive.lease(&id, LONG).await, Ok(LeaseResult::Held));
    // It runs out, and the next one is newer.
    archive
        .renew(&[(id.clone(), first)], NO_TIME)
        .await
        .unwrap();
    let second = leased_next(&*archive, &id).await;
    assert!(second > first, "{second:?} after {first:?}");
    // Whoever comes late writes nothing, renews nothing and gives nothing back.
    let late = append(2, turn(Some(first), Some(LONG))).await;
    assert_eq!(late, Err(StoreError::Fenced));
    archive
        .renew(&[(id.clone(), first)], NO_TIME)
        .await
        .unwrap();
    archive.release(&id, first, true).await.unwrap();
    assert_eq!(archive.lease(&id, LONG).await, Ok(LeaseResult::Held));
    assert_eq!(stored(&*archive, &id).await.next(), 2);
    // A turn after which nobody is to go on ends it; the next fence is newer all the same.
    assert_eq!(append(2, turn(Some(second), None)).await, Ok(None));
    let third = granted(archive.lease(&id, LONG).await.unwrap());
    assert!(third > second, "{third:?} after {second:?}");
    archive.release(&id, third, false).await.unwrap();
    let fourth = append(3, turn(None, Some(LONG))).await.unwrap().unwrap();
    assert!(fourth > third, "{fourth:?} after {third:?}");
    // Of those who want it at the same time one gets it.
    archive.release(&id, fourth, false).await.unwrap();
    let asked = (0..8).map(|_| archive.lease(&id, LONG));
    let answers = futures_util::future::join_all(asked).await;
    let won = answers
        .iter()
        .filter(|answer| matches!(answer, Ok(LeaseResult::Granted(_))));
    assert_eq!(won.count(), 1, "{answers:?}");
}

pub(crate) async fn games_are_due_when_it_is_said_and_claimed_in_that_order(
    archive: Arc<dyn GameStore>,
) {
    let due = |due| AppendOptions {
        due,
        ..AppendOptions::UNKNOWN
    };
    let mut games = Vec::new();
    for at in 0..4 {
        games.push(created(&*archive, header(at)).await);
    }
    assert_eq!(
        archive.claim(10, LONG).await,
        Ok(Vec::new()),
        "people alone"
    );
    for (number, turn) in [(2, true), (0, true), (1, false), (3, true)] {
        let entry = StoredEntry::Ply(ply(0));
        let id = &games[number];
        archive.append_turn(id, 0, entry, due(turn)).await.unwrap();
        // Times are told to the millisecond.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let first = archive.claim(2, NO_TIME).await.unwrap();
    let ids = |claimed: &[(GameId, FencingToken)]| -> Vec<GameId> {
        claimed.iter().map(|(id, _)| id.clone()).collect()
    };
    let mut expect = vec![games[2].clone(), games[0].clone()];
    let mut found = ids(&first);
    expect.sort();
    found.sort();
    assert_eq!(found, expect, "the first two that became due");
    tokio::time::sleep(Duration::from_millis(5)).await;
    // Their leases have run out, and the one after them has waited.
    let all = archive.claim(10, LONG).await.unwrap();
    assert_eq!(all.len(), 3);
    assert_eq!(archive.claim(10, LONG).await, Ok(Vec::new()), "all are had");
    // One has nothing to do after all, one is handed over, one is over.
    let fence = |id: &GameId| all.iter().find(|(of, _)| of == id).unwrap().1;
    archive
        .release(&games[0], fence(&games[0]), false)
        .await
        .unwrap();
    archive
        .release(&games[2], fence(&games[2]), true)
        .await
        .unwrap();
    let last = StoredEntry::FinalPly(ply(1));
    let turn = AppendOptions {
        fence: Some(fence(&games[3])),
        due: true,
        lease: Some(LONG),
    };
    let ended = archive.append_turn(&games[3], 1, last, turn).await;
    assert_eq!(ended, Ok(None), "nobody goes on with what is over");
    assert_eq!(
        ids(&archive.claim(10, LONG).await.unwrap()),
        [games[2].clone()]
    );
    // New seats at which a computer sits beside a person: somebody is to look.
    let level = seat(SeatOccupant::Level {
        level: SeatLevel::Known(Level::Book.into()),
        left: None,
    });
    let seats = vec![somebody(), level];
    archive
        .change_seats(&games[1], 0, seats.clone())
        .await
        .unwrap();
    assert_eq!(
        ids(&archive.claim(10, LONG).await.unwrap()),
        [games[1].clone()]
    );
    let new = header(9);
    archive.create(new.clone(), seats).await.unwrap();
    assert_eq!(ids(&archive.claim(10, LONG).await.unwrap()), [new.id]);
}

pub(crate) async fn how_far_games_have_come_is_told(archive: Arc<dyn GameStore>) {
    let id = created(&*archive, header(0)).await;
    let over = created(&*archive, header(1)).await;
    let unknown = GameId::random();
    archive
        .append(&id, 0, StoredEntry::Ply(ply(0)))
        .await
        .unwrap();
    let seats = vec![somebody(), somebody()];
    archive.change_seats(&id, 0, seats).await.unwrap();
    let ending = StoredEntry::Ending(resigned(5));
    archive.append(&over, 0, ending).await.unwrap();
    // Of several the one that was made last, whenever that says it was.
    let mut rematch = None;
    for (kind, created_ms) in [(RematchKind::Same, 9), (RematchKind::New, 8)] {
        let header = GameHeader {
            rematch_of: Some((over.clone(), kind)),
            ..header(created_ms)
        };
        rematch = Some(created(&*archive, header).await);
    }
    let asked = [id.clone(), over.clone(), unknown];
    let mut found = archive.standing(&asked).await.unwrap();
    let mut expect = vec![
        GameVersion {
            id,
            entries: 1,
            revision: 1,
            rematch: None,
        },
        GameVersion {
            id: over,
            entries: 1,
            revision: 0,
            rematch,
        },
    ];
    found.sort_by(|one, other| one.id.cmp(&other.id));
    expect.sort_by(|one, other| one.id.cmp(&other.id));
    assert_eq!(found, expect);
}
