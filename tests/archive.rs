//! The contract of archives, tested on each of them; and how a SQLite file is opened. How a PostgreSQL database
//! is, tests/postgres.rs tells.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[path = "common/postgres.rs"]
mod server;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use dice_of_doom::archive::{
    Archive, ArchiveError, Cutoffs, Entry, Fence, GameId, Header, KeptReview, Lease, Moved,
    OWN_PASSED_OVER, OpenError, Origin, Program, ProgramId, ReviewChange, Standing, Stored, Turn,
    open,
};
use dice_of_doom::fair::{DiceSecret, Salt, Sealed};
use dice_of_doom::game::Player;
use dice_of_doom::level::Level;
use dice_of_doom::record::{ContributionRow, Ending, EndingRow, EntryRow, PlyRow, TakebackRow};
use dice_of_doom::seats::{
    DerivedLink, Invitation, Keys, Pace, PersonKeys, ProgramKeys, RematchKind, Seat, SeatLevel,
    Seats, Sitter,
};
use dice_of_doom::secret::{Nonce, Secret, SecretHash};
use dice_of_doom::streams::DiceSeed;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;
use tokio::task::JoinSet;

// ---- what is kept ----

fn header(created_ms: i64) -> Header {
    Header {
        id: GameId::random(),
        game: r#"{"game":"dice","size":2}"#.to_owned(),
        start: r#"{"board":"1 2 3"}"#.to_owned(),
        dice: DiceSecret::Unsealed(DiceSeed::from_bytes([9; 32])),
        pace: Pace::AtOnce,
        creator: None,
        book_of: None,
        created_ms,
        private: false,
        replace_after_s: None,
        rematch_of: None,
        origin: None,
        takebacks: true,
        hints: false,
    }
}

fn browser() -> SecretHash {
    Secret::random().hash()
}

fn seat(sitter: Sitter) -> Seat {
    Seat {
        sitter,
        since_ms: None,
    }
}

fn person(browser: SecretHash) -> Seat {
    let keys = PersonKeys {
        browser,
        back: None,
        joined: None,
    };
    seat(Sitter::Person { keys, name: None })
}

/// A person whose browser nobody asks for.
fn somebody() -> Seat {
    person(browser())
}

fn link() -> DerivedLink {
    DerivedLink {
        token: browser(),
        nonce: Nonce::random(),
    }
}

fn ply(number: u32) -> PlyRow {
    PlyRow {
        player: u8::try_from(number % 2).unwrap(),
        action: format!("{number}>{}", number + 1),
        roll: format!("3,4/{number}"),
        at_ms: 1_000_000 + i64::from(number) * 2_000,
    }
}

fn plies(most: u32) -> Vec<EntryRow> {
    (0..most).map(ply).map(EntryRow::Ply).collect()
}

fn resigned(at_ms: i64) -> EndingRow {
    EndingRow {
        ending: Ending::Resigned(Player::new(1)),
        at_ms,
    }
}

async fn created(archive: &dyn Archive, header: Header) -> GameId {
    let id = header.id.clone();
    archive
        .create(header, vec![somebody(), somebody()])
        .await
        .unwrap();
    id
}

async fn stored(archive: &dyn Archive, id: &GameId) -> Stored {
    archive.load(id).await.unwrap().expect("the game is there")
}

/// The unfinished games of this pace, page by page.
async fn unfinished(archive: &dyn Archive, pace: Pace) -> Vec<GameId> {
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let page = archive.unfinished(pace, after, 2).await.unwrap();
        found.extend(page.games);
        after = page.next;
        if after.is_none() {
            return found;
        }
    }
}

/// Removes all games that are to go; how many.
async fn sweep(archive: &dyn Archive, cutoffs: Cutoffs) -> u64 {
    let expired = archive.expired(&cutoffs, u32::MAX).await.unwrap();
    let removed = archive.remove(expired.clone(), cutoffs).await.unwrap();
    assert_eq!(removed, expired.len() as u64);
    removed
}

const fn finished_before(before_ms: i64) -> Cutoffs {
    Cutoffs {
        finished_ms: Some(before_ms),
        abandoned_ms: None,
        untouched_ms: None,
        awaited_ms: None,
    }
}

// ---- the contract ----

async fn every_field_comes_back(archive: Arc<dyn Archive>) {
    let full = Header {
        game: "{\"name\":\"ö 🎲 \\u0000 ' \\\"\"}".to_owned(),
        dice: DiceSecret::Sealed(Sealed {
            seed: DiceSeed::from_bytes(std::array::from_fn(|index| 255 - index as u8)),
            salt: Salt::from_bytes(std::array::from_fn(|index| 100 + index as u8)),
        }),
        pace: Pace::OnRequest,
        creator: Some(browser()),
        book_of: Some(browser()),
        created_ms: -1,
        private: true,
        replace_after_s: Some(u32::MAX),
        rematch_of: Some((GameId::random(), RematchKind::Same)),
        takebacks: false,
        hints: true,
        ..header(0)
    };
    let person = PersonKeys {
        browser: browser(),
        back: Some(link()),
        joined: Some(browser()),
    };
    let program = ProgramKeys {
        token: browser(),
        browser: Some(browser()),
        joined: Some(browser()),
    };
    let bare = ProgramKeys {
        browser: None,
        joined: None,
        ..program
    };
    let name = Some("Ångström <b>".to_owned());
    let level = SeatLevel::Known(Level::Book.into());
    let unknown = |name: &str| SeatLevel::Unknown(name.to_owned());
    let left = |level, keys| Sitter::Level {
        level,
        left: Some(keys),
    };
    let mut seats = vec![
        seat(Sitter::Person { keys: person, name }),
        seat(Sitter::Program {
            keys: program,
            name: Some(String::new()),
        }),
        seat(Sitter::Program {
            keys: bare,
            name: None,
        }),
        somebody(),
        seat(Sitter::level(Level::Champion)),
        seat(left(level, Keys::Person(person))),
        seat(left(unknown(""), Keys::Program(program))),
        seat(left(unknown("grandmaster"), Keys::Program(bare))),
        seat(Sitter::Open { invitation: None }),
        seat(Sitter::Open {
            invitation: Some(Invitation::Told(browser())),
        }),
        seat(Sitter::Open {
            invitation: Some(Invitation::Derived(link())),
        }),
        seat(Sitter::Open {
            invitation: Some(Invitation::Program {
                token: browser(),
                name: "Robot".to_owned(),
            }),
        }),
    ];
    seats[0].since_ms = Some(i64::MIN);
    seats[10].since_ms = Some(i64::MAX);
    archive.create(full.clone(), seats.clone()).await.unwrap();
    let mut expected = Stored {
        header: full.clone(),
        seats: Seats { revision: 0, seats },
        entries: Vec::new(),
        ending: None,
        finished_ms: None,
    };
    assert_eq!(stored(&*archive, &full.id).await, expected);

    let plies = [
        PlyRow {
            player: 255,
            action: String::new(),
            roll: String::new(),
            at_ms: i64::MAX,
        },
        PlyRow {
            player: 0,
            action: "end".to_owned(),
            roll: "6,6,6|1".to_owned(),
            at_ms: i64::MIN,
        },
    ];
    for (number, ply) in (0..).zip(plies) {
        archive
            .append(&full.id, number, Entry::Ply(ply.clone()))
            .await
            .unwrap();
        expected.entries.push(ply.into());
    }
    let takeback = TakebackRow {
        player: 255,
        to: 1,
        at_ms: i64::MAX,
    };
    let words = ContributionRow {
        player: 0,
        words: "ö 🎲 '\" {}".to_owned(),
        at_ms: -1,
    };
    let others = [
        (Entry::Takeback(takeback), EntryRow::Takeback(takeback)),
        (
            Entry::Contribution(words.clone()),
            EntryRow::Contribution(words),
        ),
    ];
    for (number, (entry, row)) in (2..).zip(others) {
        archive.append(&full.id, number, entry).await.unwrap();
        expected.entries.push(row);
        assert_eq!(stored(&*archive, &full.id).await, expected);
    }
    let ending = EndingRow {
        ending: Ending::Limit,
        at_ms: 7,
    };
    archive
        .append(&full.id, 4, Entry::Ending(ending))
        .await
        .unwrap();
    expected.ending = Some(ending);
    expected.finished_ms = Some(7);
    assert_eq!(stored(&*archive, &full.id).await, expected);
    assert_eq!(expected.next(), 5);
    assert_eq!(expected.last_ms(), 7);

    // A game may have no seats and no plies.
    let bare = header(0);
    archive.create(bare.clone(), Vec::new()).await.unwrap();
    let seats = Seats {
        revision: 0,
        seats: Vec::new(),
    };
    assert_eq!(
        stored(&*archive, &bare.id).await,
        Stored {
            header: bare,
            seats,
            entries: Vec::new(),
            ending: None,
            finished_ms: None,
        }
    );
}

async fn an_id_is_taken_once(archive: Arc<dyn Archive>) {
    let first = header(1);
    created(&*archive, first.clone()).await;
    let second = Header {
        created_ms: 2,
        ..first.clone()
    };
    assert_eq!(
        archive.create(second, vec![somebody()]).await,
        Err(ArchiveError::Exists)
    );
    let kept = stored(&*archive, &first.id).await;
    assert_eq!((kept.header, kept.seats.seats.len()), (first, 2));
}

async fn unknown_games_are_not_found(archive: Arc<dyn Archive>) {
    let id = GameId::random();
    assert_eq!(archive.load(&id).await, Ok(None));
    assert_eq!(
        archive.append(&id, 0, Entry::Ply(ply(0))).await,
        Err(ArchiveError::NotFound)
    );
    assert_eq!(
        archive.append(&id, 5, Entry::Ending(resigned(0))).await,
        Err(ArchiveError::NotFound)
    );
    assert_eq!(
        archive.change_seats(&id, 0, Vec::new()).await,
        Err(ArchiveError::NotFound)
    );
    assert_eq!(
        archive.heal_finished(&id).await,
        Err(ArchiveError::NotFound)
    );
    assert_eq!(archive.games_of(&browser(), 10).await, Ok(Vec::new()));
    assert_eq!(archive.book_game(&browser()).await, Ok(None));
    assert_eq!(archive.seat_of_link(&browser()).await, Ok(None));
    assert_eq!(archive.watchable(None, 10).await, Ok(Vec::new()));
    assert_eq!(archive.rematches_of(&id).await, Ok(Vec::new()));
    assert_eq!(unfinished(&*archive, Pace::AtOnce).await, []);
    assert_eq!(sweep(&*archive, finished_before(i64::MAX)).await, 0);
}

async fn only_the_next_number_is_taken(archive: Arc<dyn Archive>) {
    let id = created(&*archive, header(0)).await;
    for number in 0..20_u32 {
        for wrong in [number + 1, number + 2, number.wrapping_sub(1), u32::MAX] {
            let refused = archive.append(&id, wrong, Entry::Ply(ply(0))).await;
            assert_eq!(
                refused,
                Err(ArchiveError::Conflict { next: number }),
                "{wrong} at {number}"
            );
        }
        archive
            .append(&id, number, Entry::Ply(ply(number)))
            .await
            .unwrap();
    }
    assert_eq!(stored(&*archive, &id).await.entries, plies(20));
}

async fn of_many_for_one_number_one_wins(archive: Arc<dyn Archive>) {
    let id = created(&*archive, header(0)).await;
    for number in 0..3_u32 {
        let mut racers = JoinSet::new();
        for racer in 0..200_u32 {
            let (archive, id) = (archive.clone(), id.clone());
            let mine = PlyRow {
                action: racer.to_string(),
                ..ply(number)
            };
            racers
                .spawn(async move { (racer, archive.append(&id, number, Entry::Ply(mine)).await) });
        }
        let mut winners = Vec::new();
        while let Some(ended) = racers.join_next().await {
            match ended.unwrap() {
                (racer, Ok(())) => winners.push(racer),
                (_, refused) => {
                    assert_eq!(refused, Err(ArchiveError::Conflict { next: number + 1 }))
                }
            }
        }
        assert_eq!(winners.len(), 1, "{winners:?}");
        let kept = stored(&*archive, &id).await;
        assert_eq!(kept.entries.len(), number as usize + 1);
        let EntryRow::Ply(winner) = &kept.entries[number as usize] else {
            panic!("{kept:?}");
        };
        assert_eq!(winner.action, winners[0].to_string());
    }
}

async fn many_games_at_once_have_no_gap(archive: Arc<dyn Archive>) {
    let mut games = JoinSet::new();
    for created_ms in 0..50 {
        let archive = archive.clone();
        games.spawn(async move {
            let id = created(&*archive, header(created_ms)).await;
            for number in 0..40 {
                archive
                    .append(&id, number, Entry::Ply(ply(number)))
                    .await
                    .unwrap();
            }
            id
        });
    }
    let plies = plies(40);
    while let Some(id) = games.join_next().await {
        assert_eq!(stored(&*archive, &id.unwrap()).await.entries, plies);
    }
}

async fn the_ending_takes_the_next_number_and_closes(archive: Arc<dyn Archive>) {
    let id = created(&*archive, header(0)).await;
    archive.append(&id, 0, Entry::Ply(ply(0))).await.unwrap();
    for wrong in [0, 2] {
        let refused = archive.append(&id, wrong, Entry::Ending(resigned(5))).await;
        assert_eq!(refused, Err(ArchiveError::Conflict { next: 1 }));
    }
    archive
        .append(&id, 1, Entry::Ending(resigned(5)))
        .await
        .unwrap();
    for number in 0..4 {
        for entry in [Entry::Ply(ply(number)), Entry::Ending(resigned(6))] {
            let refused = archive.append(&id, number, entry).await;
            assert_eq!(refused, Err(ArchiveError::Conflict { next: 2 }), "{number}");
        }
    }
    let kept = stored(&*archive, &id).await;
    assert_eq!((kept.entries.len(), kept.ending), (1, Some(resigned(5))));
    // An ended game has nothing to go on with.
    assert_eq!(unfinished(&*archive, Pace::AtOnce).await, []);

    let at_once = created(&*archive, header(0)).await;
    archive
        .append(&at_once, 0, Entry::Ending(resigned(9)))
        .await
        .unwrap();
    assert_eq!(stored(&*archive, &at_once).await.next(), 1);
}

async fn seats_change_by_revision(archive: Arc<dyn Archive>) {
    let id = created(&*archive, header(0)).await;
    let seats = vec![
        somebody(),
        seat(Sitter::Open { invitation: None }),
        seat(Sitter::level(Level::Book)),
    ];
    assert_eq!(
        archive.change_seats(&id, 1, seats.clone()).await,
        Err(ArchiveError::StaleSeats { revision: 0 })
    );
    assert_eq!(archive.change_seats(&id, 0, seats.clone()).await, Ok(1));
    assert_eq!(
        archive.change_seats(&id, 0, Vec::new()).await,
        Err(ArchiveError::StaleSeats { revision: 1 })
    );
    assert_eq!(
        stored(&*archive, &id).await.seats,
        Seats { revision: 1, seats }
    );

    let mut racers = JoinSet::new();
    for _ in 0..50 {
        let (archive, id) = (archive.clone(), id.clone());
        racers.spawn(async move { archive.change_seats(&id, 1, vec![somebody()]).await });
    }
    let answers = racers.join_all().await;
    assert_eq!(answers.iter().filter(|answer| **answer == Ok(2)).count(), 1);
    let stale = Err(ArchiveError::StaleSeats { revision: 2 });
    assert_eq!(
        answers.iter().filter(|answer| **answer == stale).count(),
        49
    );
    // Seats are no plies.
    archive.append(&id, 0, Entry::Ply(ply(0))).await.unwrap();
    assert_eq!(stored(&*archive, &id).await.seats.revision, 2);
}

async fn games_of_a_browser_come_by_activity(archive: Arc<dyn Archive>) {
    let (me, other) = (browser(), browser());
    let made = created(
        &*archive,
        Header {
            creator: Some(me),
            ..header(100_000)
        },
    )
    .await;
    let sat = header(200_000);
    archive
        .create(sat.clone(), vec![person(other), person(me)])
        .await
        .unwrap();
    let sat = sat.id;
    let both = Header {
        creator: Some(me),
        ..header(200_000)
    };
    archive
        .create(both.clone(), vec![person(me), person(me)])
        .await
        .unwrap();
    let both = both.id;
    created(
        &*archive,
        Header {
            creator: Some(me),
            book_of: Some(me),
            ..header(900_000)
        },
    )
    .await;
    created(
        &*archive,
        Header {
            creator: Some(other),
            ..header(901_000)
        },
    )
    .await;

    // At the same time the younger game comes first, and each comes once.
    assert_eq!(
        archive.games_of(&me, 10).await.unwrap(),
        [both.clone(), sat.clone(), made.clone()]
    );
    archive
        .append(
            &made,
            0,
            Entry::Ply(PlyRow {
                at_ms: 300_000,
                ..ply(0)
            }),
        )
        .await
        .unwrap();
    assert_eq!(
        archive.games_of(&me, 10).await.unwrap(),
        [made.clone(), both.clone(), sat.clone()]
    );
    archive
        .append(&sat, 0, Entry::Ending(resigned(301_000)))
        .await
        .unwrap();
    assert_eq!(
        archive.games_of(&me, 10).await.unwrap(),
        [sat.clone(), made.clone(), both.clone()]
    );
    assert_eq!(
        archive.games_of(&me, 2).await.unwrap(),
        [sat.clone(), made.clone()]
    );
    assert_eq!(archive.games_of(&me, 0).await.unwrap(), []);
    // Who leaves a seat no longer has the game.
    archive
        .change_seats(&sat, 0, vec![person(other), somebody()])
        .await
        .unwrap();
    assert_eq!(archive.games_of(&me, u32::MAX).await.unwrap(), [made, both]);
}

async fn the_book_game_is_the_newest(archive: Arc<dyn Archive>) {
    let (me, other) = (browser(), browser());
    assert_eq!(archive.book_game(&me).await, Ok(None));
    created(
        &*archive,
        Header {
            book_of: Some(me),
            ..header(50)
        },
    )
    .await;
    // The clock was set back in between: the later game still is the newer one.
    let second = created(
        &*archive,
        Header {
            book_of: Some(me),
            ..header(40)
        },
    )
    .await;
    created(
        &*archive,
        Header {
            book_of: Some(other),
            ..header(60)
        },
    )
    .await;
    created(
        &*archive,
        Header {
            creator: Some(me),
            ..header(70)
        },
    )
    .await;
    assert_eq!(archive.book_game(&me).await, Ok(Some(second)));
    assert_eq!(archive.games_of(&other, 9).await.unwrap(), []);
}

async fn unfinished_games_go_on(archive: Arc<dyn Archive>) {
    let old = created(&*archive, header(1)).await;
    let new = created(&*archive, header(2)).await;
    let slow = created(
        &*archive,
        Header {
            pace: Pace::OnRequest,
            ..header(3)
        },
    )
    .await;
    assert_eq!(
        unfinished(&*archive, Pace::AtOnce).await,
        [new.clone(), old.clone()]
    );
    assert_eq!(unfinished(&*archive, Pace::OnRequest).await, [slow]);
    archive.append(&old, 0, Entry::Ply(ply(0))).await.unwrap();
    assert_eq!(
        unfinished(&*archive, Pace::AtOnce).await,
        [old.clone(), new.clone()]
    );
    archive
        .append(&old, 1, Entry::FinalPly(ply(1)))
        .await
        .unwrap();
    assert_eq!(unfinished(&*archive, Pace::AtOnce).await, [new]);
}

/// Finished or not, whatever their pace, private or of the book: a page at a time, each of them once.
async fn every_game_is_listed_once(archive: Arc<dyn Archive>) {
    let every = async || {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let page = archive.every(after, 2).await.unwrap();
            assert!(page.games.len() <= 2);
            found.extend(page.games);
            after = page.next;
            if after.is_none() {
                return found;
            }
        }
    };
    assert_eq!(every().await, []);
    // The newest activity stands first in other lists; here the order is that of creation.
    let over = created(&*archive, header(9_000)).await;
    let entry = Entry::FinalPly(ply(9_001));
    archive.append(&over, 0, entry).await.unwrap();
    let private = Header {
        private: true,
        pace: Pace::OnRequest,
        ..header(1_000)
    };
    let private = created(&*archive, private).await;
    let uploaded = |id, told| Header {
        origin: Some(Origin::Uploaded { id, told }),
        ..header(5)
    };
    let (as_id, told) = (GameId::random(), r#"{"seed":1}"#.to_owned());
    let whole = uploaded(Some(as_id), Some(told));
    let bare = uploaded(None, None);
    let mut expected = vec![over, private];
    for header in [whole, bare] {
        let id = created(&*archive, header.clone()).await;
        assert_eq!(stored(&*archive, &id).await.header, header);
        expected.push(id);
    }
    assert_eq!(every().await, expected);
}

async fn sitting_down_is_activity(archive: Arc<dyn Archive>) {
    let old = created(&*archive, header(1_000)).await;
    let new = created(&*archive, header(2_000)).await;
    let watched = async || archive.watchable(None, 9).await.unwrap();
    let sat = |since_ms| Seat {
        since_ms: Some(since_ms),
        ..somebody()
    };
    archive
        .change_seats(&old, 0, vec![sat(3_000), somebody()])
        .await
        .unwrap();
    assert_eq!(watched().await, [old.clone(), new.clone()]);
    let later = Entry::Ply(PlyRow {
        at_ms: 4_000,
        ..ply(0)
    });
    archive.append(&new, 0, later).await.unwrap();
    assert_eq!(watched().await, [new.clone(), old.clone()]);
    // Who sits since long ago is no news, whoever changes a name.
    archive
        .change_seats(&old, 1, vec![sat(3_000), sat(2_000)])
        .await
        .unwrap();
    assert_eq!(watched().await, [new, old]);
    assert_eq!(archive.newest_ms().await, Ok(Some(4_000)));
}

async fn one_passes_over_so_many_own_games(archive: Arc<dyn Archive>) {
    let me = browser();
    let other = created(&*archive, header(1)).await;
    for at_ms in 0..i64::from(OWN_PASSED_OVER) {
        let own = Header {
            creator: Some(me),
            ..header(2 + at_ms)
        };
        created(&*archive, own).await;
    }
    assert_eq!(archive.watchable(Some(&me), 1).await.unwrap(), [other]);
    let own = Header {
        creator: Some(me),
        ..header(9_000)
    };
    created(&*archive, own).await;
    assert_eq!(archive.watchable(Some(&me), 1).await.unwrap(), []);
}

async fn a_link_finds_its_seat(archive: Arc<dyn Archive>) {
    let (invite, token, joined) = (browser(), browser(), browser());
    let first = header(1);
    let program = |token, joined| {
        let keys = ProgramKeys {
            token,
            browser: None,
            joined,
        };
        seat(Sitter::Program { keys, name: None })
    };
    let seats = vec![
        program(token, None),
        seat(Sitter::Open {
            invitation: Some(Invitation::Told(invite)),
        }),
    ];
    archive.create(first.clone(), seats.clone()).await.unwrap();
    let at = |player| Ok(Some((first.id.clone(), player)));
    assert_eq!(archive.seat_of_link(&token).await, at(0));
    assert_eq!(archive.seat_of_link(&invite).await, at(1));
    assert_eq!(archive.seat_of_link(&joined).await, Ok(None));
    let taken = vec![seats[0].clone(), program(browser(), Some(joined))];
    archive.change_seats(&first.id, 0, taken).await.unwrap();
    assert_eq!(archive.seat_of_link(&invite).await, Ok(None));
    assert_eq!(archive.seat_of_link(&joined).await, at(1));
    // A program's token goes along into the rematch; the newer game is meant.
    let second = header(0);
    archive.create(second.clone(), seats).await.unwrap();
    assert_eq!(archive.seat_of_link(&token).await, Ok(Some((second.id, 0))));
}

fn program(token: SecretHash, created_ms: i64) -> Program {
    Program {
        id: ProgramId::random(),
        name: "Robot".to_owned(),
        token,
        plays: "{}".to_owned(),
        created_ms,
    }
}

async fn a_program_is_known_by_its_id_and_its_token(archive: Arc<dyn Archive>) {
    let robot = program(browser(), 1_000);
    archive.add_program(robot.clone()).await.unwrap();
    let again = archive.add_program(robot.clone()).await;
    assert_eq!(again, Err(ArchiveError::Exists));
    let other = program(browser(), 2_000);
    archive.add_program(other.clone()).await.unwrap();
    assert_eq!(archive.program(&robot.id).await, Ok(Some(robot.clone())));
    assert_eq!(
        archive.program_with(&other.token).await,
        Ok(Some(other.clone()))
    );
    assert_eq!(archive.program(&ProgramId::random()).await, Ok(None));
    assert_eq!(archive.program_with(&browser()).await, Ok(None));
    let unknown = archive.saw_program(&browser(), 1).await;
    assert_eq!(unknown, Err(ArchiveError::NotFound));
    // Who was heard of stays, and a clock that was set back takes nothing away.
    archive.saw_program(&robot.token, 9_000).await.unwrap();
    archive.saw_program(&robot.token, 10).await.unwrap();
    assert_eq!(archive.forget_programs(2_000).await, Ok(0));
    assert_eq!(archive.forget_programs(9_000).await, Ok(1));
    assert_eq!(archive.program(&other.id).await, Ok(None));
    assert_eq!(archive.program(&robot.id).await, Ok(Some(robot)));
}

async fn a_program_finds_its_games_that_go_on(archive: Arc<dyn Archive>) {
    let (robot, stranger) = (program(browser(), 0), browser());
    archive.add_program(robot.clone()).await.unwrap();
    let sits = |token| {
        let keys = ProgramKeys {
            token,
            browser: None,
            joined: None,
        };
        seat(Sitter::Program { keys, name: None })
    };
    let asked = |token| {
        let name = "Robot".to_owned();
        let invitation = Some(Invitation::Program { token, name });
        seat(Sitter::Open { invitation })
    };
    let found = async || archive.games_of_program(&robot.token, 10).await.unwrap();
    let invitations = async || archive.invitations_of(&robot.token).await.unwrap();
    let mut games = Vec::new();
    for seats in [
        vec![sits(robot.token), sits(robot.token)],
        vec![sits(stranger), asked(robot.token)],
        vec![person(browser()), asked(stranger)],
    ] {
        let header = header(games.len() as i64 + 1);
        archive.create(header.clone(), seats).await.unwrap();
        games.push(header.id);
    }
    let [played, asking, _] = &games[..] else {
        unreachable!()
    };
    assert_eq!(found().await, [asking.clone(), played.clone()]);
    assert_eq!(invitations().await, 1);
    let one = archive.games_of_program(&robot.token, 1).await;
    assert_eq!(one, Ok(vec![asking.clone()]));
    // It sits down, and somebody takes its place.
    let seats = vec![sits(stranger), sits(robot.token)];
    archive.change_seats(asking, 0, seats).await.unwrap();
    assert_eq!((found().await.len(), invitations().await), (2, 0));
    let seats = vec![sits(stranger), seat(Sitter::level(Level::Book))];
    archive.change_seats(asking, 1, seats).await.unwrap();
    assert_eq!(found().await, std::slice::from_ref(played));
    // A game that is over is none that goes on.
    let last = Entry::FinalPly(ply(0));
    archive.append(played, 0, last).await.unwrap();
    assert_eq!(found().await, []);
    assert_eq!(
        archive.games_of_program(&stranger, 10).await.map(drop),
        Ok(())
    );
}

async fn everybody_may_watch_what_is_public(archive: Arc<dyn Archive>) {
    let (me, other) = (browser(), browser());
    let old = created(&*archive, header(1)).await;
    let new = created(&*archive, header(2)).await;
    let mine = Header {
        creator: Some(me),
        ..header(3)
    };
    created(&*archive, mine.clone()).await;
    let sat = header(4);
    archive
        .create(sat.clone(), vec![person(me), person(other)])
        .await
        .unwrap();
    for hidden in [
        Header {
            private: true,
            ..header(5)
        },
        Header {
            book_of: Some(other),
            ..header(6)
        },
    ] {
        created(&*archive, hidden).await;
    }
    let computers = vec![
        seat(Sitter::level(Level::Book)),
        seat(Sitter::Open { invitation: None }),
    ];
    archive.create(header(7), computers).await.unwrap();
    let over = created(&*archive, header(8)).await;
    let last = Entry::FinalPly(ply(0));
    archive.append(&over, 0, last).await.unwrap();

    assert_eq!(
        archive.watchable(None, 10).await.unwrap(),
        [sat.id.clone(), mine.id.clone(), new.clone(), old.clone()]
    );
    assert_eq!(
        archive.watchable(Some(&me), 10).await.unwrap(),
        [new.clone(), old.clone()]
    );
    archive.append(&old, 0, Entry::Ply(ply(0))).await.unwrap();
    assert_eq!(
        archive.watchable(Some(&other), 2).await.unwrap(),
        [old, mine.id]
    );
    assert_eq!(archive.watchable(None, 0).await.unwrap(), []);
}

async fn a_rematch_is_made_once(archive: Arc<dyn Archive>) {
    let first = created(&*archive, header(0)).await;
    assert_eq!(archive.rematches_of(&first).await, Ok(Vec::new()));
    let mut made = Vec::new();
    for kind in RematchKind::ALL.into_iter().rev() {
        let mut racers = JoinSet::new();
        for _ in 0..40 {
            let archive = archive.clone();
            let rematch = Header {
                rematch_of: Some((first.clone(), kind)),
                ..header(1)
            };
            racers.spawn(async move {
                let id = rematch.id.clone();
                (id, archive.create(rematch, vec![somebody()]).await)
            });
        }
        let answers = racers.join_all().await;
        let winners: Vec<_> = answers
            .iter()
            .filter(|(_, answer)| answer.is_ok())
            .collect();
        assert_eq!(winners.len(), 1);
        let refused = answers.iter().filter(|(_, answer)| answer.is_err());
        for (id, answer) in refused {
            assert_eq!(*answer, Err(ArchiveError::Exists));
            assert_eq!(archive.load(id).await, Ok(None), "nothing of it is kept");
        }
        made.push((kind, winners[0].0.clone()));
    }
    made.sort();
    assert_eq!(archive.rematches_of(&first).await, Ok(made));
}

async fn the_entry_that_ends_a_game_marks_it(archive: Arc<dyn Archive>) {
    let finished_ms = async |id: &GameId| stored(&*archive, id).await.finished_ms;
    let id = created(&*archive, header(0)).await;
    archive.append(&id, 0, Entry::Ply(ply(0))).await.unwrap();
    assert_eq!(finished_ms(&id).await, None);
    // What is refused marks nothing.
    let refused = archive.append(&id, 2, Entry::FinalPly(ply(2))).await;
    assert_eq!(refused, Err(ArchiveError::Conflict { next: 1 }));
    assert_eq!(finished_ms(&id).await, None);
    archive
        .append(&id, 1, Entry::FinalPly(ply(1)))
        .await
        .unwrap();
    let kept = stored(&*archive, &id).await;
    assert_eq!(kept.entries, plies(2));
    assert_eq!((kept.ending, kept.finished_ms), (None, Some(ply(1).at_ms)));
    assert_eq!(unfinished(&*archive, Pace::AtOnce).await, []);
    assert_eq!(archive.watchable(None, 9).await, Ok(Vec::new()));
    for entry in [
        Entry::Ply(ply(2)),
        Entry::FinalPly(ply(2)),
        Entry::Ending(resigned(9)),
    ] {
        let refused = archive.append(&id, 2, entry).await;
        assert_eq!(refused, Err(ArchiveError::Conflict { next: 2 }));
    }
    // A mark that is there stays.
    archive.heal_finished(&id).await.unwrap();
    assert_eq!(finished_ms(&id).await, Some(ply(1).at_ms));
}

async fn a_lost_mark_is_healed_as_of_the_last_entry(archive: Arc<dyn Archive>) {
    let played = created(&*archive, header(5)).await;
    archive
        .append(&played, 0, Entry::Ply(ply(0)))
        .await
        .unwrap();
    let bare = created(&*archive, header(5)).await;
    for (id, at_ms) in [(played, ply(0).at_ms), (bare, 5)] {
        archive.heal_finished(&id).await.unwrap();
        let kept = stored(&*archive, &id).await;
        assert_eq!(kept.finished_ms, Some(at_ms));
    }
    assert_eq!(unfinished(&*archive, Pace::AtOnce).await, []);
}

async fn finished_games_are_removed(archive: Arc<dyn Archive>) {
    let at = |number, at_ms| PlyRow {
        at_ms,
        ..ply(number)
    };
    let first = created(&*archive, header(0)).await;
    archive.append(&first, 0, Entry::Ply(ply(0))).await.unwrap();
    archive
        .append(&first, 1, Entry::FinalPly(at(1, 100)))
        .await
        .unwrap();
    let ended = created(&*archive, header(0)).await;
    archive
        .append(&ended, 0, Entry::Ending(resigned(200)))
        .await
        .unwrap();
    let running = created(&*archive, header(0)).await;

    assert_eq!(sweep(&*archive, finished_before(100)).await, 0);
    assert_eq!(sweep(&*archive, finished_before(101)).await, 1);
    assert_eq!(archive.load(&first).await, Ok(None));
    assert_eq!(
        archive.append(&first, 2, Entry::Ply(ply(2))).await,
        Err(ArchiveError::NotFound)
    );
    assert_eq!(sweep(&*archive, finished_before(200)).await, 0);
    assert_eq!(sweep(&*archive, finished_before(i64::MAX)).await, 1);
    assert_eq!(archive.load(&ended).await, Ok(None));
    assert!(archive.load(&running).await.unwrap().is_some());

    // Many at once, and an id may come again without its past.
    for _ in 0..250 {
        let id = created(&*archive, header(0)).await;
        let last = Entry::FinalPly(at(0, 10));
        archive.append(&id, 0, last).await.unwrap();
    }
    assert_eq!(sweep(&*archive, finished_before(11)).await, 250);
    let again = Header {
        id: first.clone(),
        ..header(0)
    };
    created(&*archive, again).await;
    assert_eq!(stored(&*archive, &first).await.next(), 0);
}

async fn each_kind_of_game_goes_at_its_time(archive: Arc<dyn Archive>) {
    let seats = |sitters: [Sitter; 2]| sitters.map(seat).to_vec();
    let (one, level) = (|| somebody().sitter, || Sitter::level(Level::Book));
    let made = async |sitters: [Sitter; 2]| {
        let header = header(10_000);
        archive
            .create(header.clone(), seats(sitters))
            .await
            .unwrap();
        header.id
    };
    let open = || Sitter::Open { invitation: None };
    let alone = made([one(), level()]).await;
    let computers = made([level(), level()]).await;
    let hosted = made([one(), open()]).await;
    let offered = made([level(), open()]).await;
    let two = made([one(), one()]).await;
    let played = made([one(), open()]).await;
    let slow = Header {
        pace: Pace::OnRequest,
        ..header(10_000)
    };
    archive
        .create(slow.clone(), seats([one(), level()]))
        .await
        .unwrap();
    let at = |number: u32, at_ms| {
        Entry::Ply(PlyRow {
            at_ms,
            ..ply(number)
        })
    };
    // Of these plies only those of people count: seat 0 moves first, then seat 1.
    archive.append(&played, 0, at(0, 20_000)).await.unwrap();
    archive.append(&slow.id, 0, at(0, 21_000)).await.unwrap();
    archive.append(&computers, 0, at(0, 19_000)).await.unwrap();
    archive.append(&offered, 0, at(0, 19_000)).await.unwrap();

    let none = Cutoffs::default();
    assert_eq!(archive.expired(&none, 99).await, Ok(Vec::new()));
    assert_eq!(sweep(&*archive, finished_before(i64::MAX)).await, 0);
    let untouched = |before_ms| Cutoffs {
        untouched_ms: Some(before_ms),
        ..none
    };
    let awaited = |before_ms| Cutoffs {
        awaited_ms: Some(before_ms),
        ..none
    };
    let abandoned = |before_ms| Cutoffs {
        abandoned_ms: Some(before_ms),
        ..none
    };
    let expired = async |cutoffs| archive.expired(&cutoffs, 99).await.unwrap();
    assert_eq!(expired(untouched(10_000)).await, []);
    assert_eq!(
        expired(untouched(11_000)).await,
        std::slice::from_ref(&alone)
    );
    assert_eq!(
        expired(untouched(20_000)).await,
        [alone.clone(), computers.clone()]
    );
    let late = [hosted.clone(), two.clone(), offered.clone()];
    assert_eq!(expired(awaited(20_000)).await, late);
    assert_eq!(
        expired(abandoned(22_000)).await,
        [played.clone(), slow.id.clone()]
    );
    let all = Cutoffs {
        untouched_ms: Some(11_000),
        awaited_ms: Some(11_000),
        ..abandoned(21_000)
    };
    assert_eq!(
        archive.expired(&all, 2).await.unwrap(),
        [alone.clone(), hosted.clone()]
    );
    // A friend comes, and somebody plays: the game is another one now.
    archive
        .change_seats(&hosted, 0, seats([one(), one()]))
        .await
        .unwrap();
    archive.append(&hosted, 0, at(0, 30_000)).await.unwrap();
    // What is asked for is looked at again: whatever was played on stays.
    let asked = vec![
        hosted.clone(),
        alone.clone(),
        GameId::random(),
        alone.clone(),
    ];
    assert_eq!(archive.remove(asked, all).await, Ok(1));
    assert_eq!(archive.load(&alone).await, Ok(None));
    assert!(archive.load(&hosted).await.unwrap().is_some());
    assert_eq!(sweep(&*archive, all).await, 2, "two, played");
    let rest = Cutoffs {
        untouched_ms: Some(i64::MAX),
        awaited_ms: Some(i64::MAX),
        ..abandoned(i64::MAX)
    };
    let rest_of = [computers, offered, hosted, slow.id];
    assert_eq!(expired(rest).await, rest_of);
    assert_eq!(sweep(&*archive, rest).await, 4);
    assert_eq!(archive.newest_ms().await, Ok(None));
}

async fn reviews_are_kept_beside_their_games(archive: Arc<dyn Archive>) {
    let one = created(&*archive, header(1)).await;
    let other = created(&*archive, header(2)).await;
    let change = async |id: &GameId, change| archive.change_review(id, change).await;
    let review = async |id: &GameId| archive.review(id).await.unwrap();
    let kept = |is_wanted, text: Option<&str>| {
        let review = text.map(str::to_owned);
        Some(KeptReview { is_wanted, review })
    };
    assert_eq!(review(&one).await, None);
    change(&other, ReviewChange::Want(20)).await.unwrap();
    change(&one, ReviewChange::Want(10)).await.unwrap();
    // Asking again is no new wish.
    change(&one, ReviewChange::Want(30)).await.unwrap();
    let wanted = archive.wanted_reviews(9).await.unwrap();
    assert_eq!(wanted, [one.clone(), other.clone()]);
    assert_eq!(
        archive.wanted_reviews(1).await.unwrap(),
        std::slice::from_ref(&one)
    );
    assert_eq!(review(&one).await, kept(true, None));
    change(&one, ReviewChange::Keep("first".to_owned()))
        .await
        .unwrap();
    assert_eq!(review(&one).await, kept(false, Some("first")));
    change(&one, ReviewChange::Want(40)).await.unwrap();
    assert_eq!(review(&one).await, kept(true, Some("first")));
    for id in [&one, &other] {
        change(id, ReviewChange::Unwant).await.unwrap();
    }
    assert_eq!(review(&one).await, kept(false, Some("first")));
    assert_eq!(review(&other).await, None);
    assert_eq!(archive.wanted_reviews(9).await.unwrap(), []);
    let nobody = GameId::random();
    for change in [
        ReviewChange::Want(1),
        ReviewChange::Keep(String::new()),
        ReviewChange::Unwant,
    ] {
        let refused = archive.change_review(&nobody, change).await;
        assert_eq!(refused, Err(ArchiveError::NotFound));
    }
    archive.heal_finished(&one).await.unwrap();
    assert_eq!(sweep(&*archive, finished_before(i64::MAX)).await, 1);
    assert_eq!(review(&one).await, None);
}

async fn a_game_of_another_archive_is_kept_as_it_was(archive: Arc<dyn Archive>) {
    let me = browser();
    let header = Header {
        creator: Some(me),
        ..header(5)
    };
    let moved = Moved {
        stored: Stored {
            header: header.clone(),
            seats: Seats {
                revision: 7,
                // Who played has left, and nothing but the mark knows of it.
                seats: vec![seat(Sitter::level(Level::Book))],
            },
            entries: plies(3),
            ending: Some(resigned(1_010_000)),
            finished_ms: Some(1_010_000),
        },
        played: true,
        active_ms: 2_000_000,
    };
    archive.import(moved.clone()).await.unwrap();
    assert_eq!(stored(&*archive, &header.id).await, moved.stored);
    assert_eq!(
        archive.import(moved.clone()).await,
        Err(ArchiveError::Exists)
    );
    // An unfinished one, which comes before it by its activity and takes the next number.
    let mut going = moved;
    going.stored.header.id = GameId::random();
    (going.stored.ending, going.stored.finished_ms) = (None, None);
    going.active_ms += 1;
    let id = going.stored.header.id.clone();
    archive.import(going).await.unwrap();
    let games = vec![id.clone(), header.id.clone()];
    assert_eq!(archive.games_of(&me, 5).await, Ok(games));
    let untouched = Cutoffs {
        untouched_ms: Some(i64::MAX),
        ..Cutoffs::default()
    };
    assert_eq!(archive.expired(&untouched, 5).await, Ok(Vec::new()));
    let again = archive.append(&header.id, 4, Entry::Ply(ply(4))).await;
    assert_eq!(again, Err(ArchiveError::Conflict { next: 4 }));
    archive.append(&id, 3, Entry::Ply(ply(3))).await.unwrap();
    assert_eq!(archive.change_seats(&id, 7, vec![somebody()]).await, Ok(8));
    assert_eq!(stored(&*archive, &id).await.entries, plies(4));
}

async fn a_dropped_append_is_whole_or_absent(archive: Arc<dyn Archive>) {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let id = created(&*archive, header(0)).await;
    let mut next = 0;
    let mut kept_though_dropped = 0;
    for _ in 0..200 {
        let asking = {
            let (archive, id) = (archive.clone(), id.clone());
            tokio::spawn(async move { archive.append(&id, next, Entry::Ply(ply(next))).await })
        };
        for _ in 0..rng.random_range(0..4) {
            tokio::task::yield_now().await;
        }
        if rng.random_bool(0.5) {
            tokio::time::sleep(Duration::from_micros(rng.random_range(0..300))).await;
        }
        asking.abort();
        let answered = asking.await.is_ok_and(|answer| answer.is_ok());
        // Whatever was handed over before is done before this is answered.
        let changed = archive.append(&id, u32::MAX, Entry::Ply(ply(0))).await;
        let kept = stored(&*archive, &id).await;
        assert_eq!(kept.entries, plies(kept.next()));
        assert_eq!(changed, Err(ArchiveError::Conflict { next: kept.next() }));
        assert!(
            kept.next() == next + 1 || (!answered && kept.next() == next),
            "{next} {answered}"
        );
        kept_though_dropped += u32::from(!answered && kept.next() == next + 1);
        next = kept.next();
    }
    println!("{next} kept, of them {kept_though_dropped} whose asker had gone");
}

async fn a_closed_archive_takes_nothing(archive: Arc<dyn Archive>) {
    let id = created(&*archive, header(0)).await;
    archive.check().await.unwrap();
    let mut asking = JoinSet::new();
    for number in 0..50 {
        let (archive, id) = (archive.clone(), id.clone());
        asking.spawn(async move { archive.append(&id, number, Entry::Ply(ply(number))).await });
    }
    tokio::join!(archive.close(), archive.close());
    archive.close().await;
    asking.join_all().await;
    assert!(matches!(
        archive.append(&id, 0, Entry::Ply(ply(0))).await,
        Err(ArchiveError::Unavailable(_))
    ));
    assert!(matches!(
        archive.load(&id).await,
        Err(ArchiveError::Unavailable(_))
    ));
    assert!(matches!(
        archive.check().await,
        Err(ArchiveError::Unavailable(_))
    ));
    assert!(!archive.broken().is_cancelled(), "closing is not breaking");
}

/// Runs each law of the contract on every archive.
/// For so long that it does not end within a test, and as good as not at all.
const LONG: Duration = Duration::from_secs(600);
const NO_TIME: Duration = Duration::from_millis(1);

fn granted(lease: Lease) -> Fence {
    match lease {
        Lease::Granted(fence) => fence,
        Lease::Held => panic!("somebody else has it"),
    }
}

/// Asks for the lease until it has run out.
async fn leased_next(archive: &dyn Archive, id: &GameId) -> Fence {
    loop {
        if let Lease::Granted(fence) = archive.lease(id, LONG).await.unwrap() {
            return fence;
        }
    }
}

async fn a_lease_is_one_holders_and_its_fence_only_grows(archive: Arc<dyn Archive>) {
    let id = created(&*archive, header(0)).await;
    let first = granted(archive.lease(&id, LONG).await.unwrap());
    assert_eq!(archive.lease(&id, LONG).await, Ok(Lease::Held));
    let turn = |fence, lease| Turn {
        fence,
        due: false,
        lease,
    };
    let append = async |number, turn| {
        let entry = Entry::Ply(ply(number));
        archive.append_turn(&id, number, entry, turn).await
    };
    // Whoever has it goes on, and keeps it.
    let kept = append(0, turn(Some(first), Some(LONG))).await;
    assert_eq!(kept, Ok(Some(first)));
    // A person's entry needs none, and takes none from others.
    assert_eq!(append(1, turn(None, Some(LONG))).await, Ok(None));
    archive.renew(&[(id.clone(), first)], LONG).await.unwrap();
    assert_eq!(archive.lease(&id, LONG).await, Ok(Lease::Held));
    // It runs out, and the next one is newer.
    archive
        .renew(&[(id.clone(), first)], NO_TIME)
        .await
        .unwrap();
    let second = leased_next(&*archive, &id).await;
    assert!(second > first, "{second:?} after {first:?}");
    // Whoever comes late writes nothing, renews nothing and gives nothing back.
    let late = append(2, turn(Some(first), Some(LONG))).await;
    assert_eq!(late, Err(ArchiveError::Fenced));
    archive
        .renew(&[(id.clone(), first)], NO_TIME)
        .await
        .unwrap();
    archive.release(&id, first, true).await.unwrap();
    assert_eq!(archive.lease(&id, LONG).await, Ok(Lease::Held));
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
        .filter(|answer| matches!(answer, Ok(Lease::Granted(_))));
    assert_eq!(won.count(), 1, "{answers:?}");
}

async fn games_are_due_when_it_is_said_and_claimed_in_that_order(archive: Arc<dyn Archive>) {
    let due = |due| Turn {
        due,
        ..Turn::UNKNOWN
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
        let entry = Entry::Ply(ply(0));
        let id = &games[number];
        archive.append_turn(id, 0, entry, due(turn)).await.unwrap();
        // Times are told to the millisecond.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let first = archive.claim(2, NO_TIME).await.unwrap();
    let ids = |claimed: &[(GameId, Fence)]| -> Vec<GameId> {
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
    let last = Entry::FinalPly(ply(1));
    let turn = Turn {
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
    let level = seat(Sitter::Level {
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

async fn how_far_games_have_come_is_told(archive: Arc<dyn Archive>) {
    let id = created(&*archive, header(0)).await;
    let over = created(&*archive, header(1)).await;
    let unknown = GameId::random();
    archive.append(&id, 0, Entry::Ply(ply(0))).await.unwrap();
    let seats = vec![somebody(), somebody()];
    archive.change_seats(&id, 0, seats).await.unwrap();
    let ending = Entry::Ending(resigned(5));
    archive.append(&over, 0, ending).await.unwrap();
    // Of several the one that was made last, whenever that says it was.
    let mut rematch = None;
    for (kind, created_ms) in [(RematchKind::Same, 9), (RematchKind::New, 8)] {
        let header = Header {
            rematch_of: Some((over.clone(), kind)),
            ..header(created_ms)
        };
        rematch = Some(created(&*archive, header).await);
    }
    let asked = [id.clone(), over.clone(), unknown];
    let mut found = archive.standing(&asked).await.unwrap();
    let mut expect = vec![
        Standing {
            id,
            entries: 1,
            revision: 1,
            rematch: None,
        },
        Standing {
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

macro_rules! contract {
    ($($law:ident),* $(,)?) => {
        mod memory {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() {
                super::$law(super::open("memory:").await.unwrap()).await;
            })*
        }
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() {
                let folder = super::TempDir::new().unwrap();
                let archive = super::open_file(&folder.path().join("games.db")).await.unwrap();
                super::$law(archive.clone()).await;
                archive.close().await;
            })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() {
                if super::server::is_left_out() {
                    return;
                }
                let url = super::server::shared().database().await;
                let archive = super::open(&url).await.unwrap();
                super::$law(archive.clone()).await;
                archive.close().await;
            })*
        }
    };
}

contract!(
    every_field_comes_back,
    an_id_is_taken_once,
    unknown_games_are_not_found,
    only_the_next_number_is_taken,
    of_many_for_one_number_one_wins,
    many_games_at_once_have_no_gap,
    the_ending_takes_the_next_number_and_closes,
    seats_change_by_revision,
    games_of_a_browser_come_by_activity,
    the_book_game_is_the_newest,
    unfinished_games_go_on,
    every_game_is_listed_once,
    sitting_down_is_activity,
    one_passes_over_so_many_own_games,
    a_link_finds_its_seat,
    a_program_is_known_by_its_id_and_its_token,
    a_program_finds_its_games_that_go_on,
    everybody_may_watch_what_is_public,
    a_rematch_is_made_once,
    the_entry_that_ends_a_game_marks_it,
    a_lost_mark_is_healed_as_of_the_last_entry,
    finished_games_are_removed,
    each_kind_of_game_goes_at_its_time,
    reviews_are_kept_beside_their_games,
    a_game_of_another_archive_is_kept_as_it_was,
    a_lease_is_one_holders_and_its_fence_only_grows,
    games_are_due_when_it_is_said_and_claimed_in_that_order,
    how_far_games_have_come_is_told,
    a_dropped_append_is_whole_or_absent,
    a_closed_archive_takes_nothing,
);

// ---- all archives answer alike ----

fn random_sitter(rng: &mut ChaCha8Rng, hashes: &[SecretHash]) -> Sitter {
    let mut any = || hashes[rng.random_range(0..hashes.len())];
    // The same on both archives, so not from the system's randomness.
    let (browser, token, joined) = (any(), any(), any());
    let person = PersonKeys {
        browser,
        back: None,
        joined: rng.random_bool(0.3).then_some(joined),
    };
    let program = ProgramKeys {
        token,
        browser: rng.random_bool(0.5).then_some(browser),
        joined: rng.random_bool(0.3).then_some(joined),
    };
    let name = rng.random_bool(0.5).then(|| "Ada".to_owned());
    let level = SeatLevel::Known(Level::Book.into());
    let left = match rng.random_range(0..3) {
        0 => None,
        1 => Some(Keys::Person(person)),
        _ => Some(Keys::Program(program)),
    };
    match rng.random_range(0..5) {
        0 => Sitter::Person { keys: person, name },
        1 => Sitter::Program {
            keys: program,
            name,
        },
        2 => Sitter::Level { level, left },
        3 => Sitter::Open { invitation: None },
        _ => Sitter::Open {
            invitation: Some(Invitation::Told(token)),
        },
    }
}

/// One random call, the same on both archives; answers as text, so that all kinds compare.
async fn random_call(
    archive: &dyn Archive,
    ids: &[GameId],
    browsers: &[SecretHash],
    mut rng: ChaCha8Rng,
) -> String {
    let id = &ids[rng.random_range(0..ids.len())];
    let browser = browsers[rng.random_range(0..browsers.len())];
    let at_ms = rng.random_range(0..50) * 300;
    let some = |yes: bool| yes.then_some(browser);
    let seats = (0..rng.random_range(0..4))
        .map(|_| Seat {
            sitter: random_sitter(&mut rng, browsers),
            since_ms: rng.random_bool(0.5).then_some(at_ms),
        })
        .collect();
    let pace = if rng.random_bool(0.5) {
        Pace::AtOnce
    } else {
        Pace::OnRequest
    };
    match rng.random_range(0..100) {
        0..10 => {
            let header = Header {
                id: id.clone(),
                pace,
                creator: some(rng.random_bool(0.5)),
                book_of: some(rng.random_bool(0.3)),
                private: rng.random_bool(0.3),
                rematch_of: rng
                    .random_bool(0.5)
                    .then(|| (ids[0].clone(), RematchKind::ALL[at_ms as usize / 300 % 4])),
                ..header(at_ms)
            };
            format!("{:?}", archive.create(header, seats).await)
        }
        10..55 => {
            // Nearly always the number that is next, as in life.
            let next = archive
                .load(id)
                .await
                .unwrap()
                .map_or(0, |stored| stored.next());
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
                0 => Entry::Ending(resigned(at_ms)),
                1 => Entry::Ending(EndingRow {
                    ending: Ending::Limit,
                    at_ms,
                }),
                2 => Entry::FinalPly(row),
                3..6 if expected > 0 => Entry::Takeback(TakebackRow {
                    player: row.player,
                    to: rng.random_range(0..expected),
                    at_ms,
                }),
                6..9 => Entry::Contribution(ContributionRow {
                    player: row.player,
                    words: row.action,
                    at_ms,
                }),
                _ => Entry::Ply(row),
            };
            format!("{:?}", archive.append(id, expected, entry).await)
        }
        55..65 => {
            let revision = rng.random_range(0..3);
            format!("{:?}", archive.change_seats(id, revision, seats).await)
        }
        65..67 => format!("{:?}", archive.heal_finished(id).await),
        67..72 => {
            let mut before = || rng.random_bool(0.5).then(|| rng.random_range(0..12) * 300);
            let cutoffs = Cutoffs {
                finished_ms: before(),
                abandoned_ms: before(),
                untouched_ms: before(),
                awaited_ms: before(),
            };
            let expired = archive.expired(&cutoffs, rng.random_range(0..4)).await;
            let all = archive.remove(ids.to_vec(), cutoffs).await;
            format!("{expired:?} {all:?} {:?}", archive.newest_ms().await)
        }
        72..80 => format!(
            "{:?}",
            archive.games_of(&browser, rng.random_range(0..8)).await
        ),
        80..86 => format!("{:?}", archive.book_game(&browser).await),
        86..89 => format!("{:?}", unfinished(archive, pace).await),
        89..92 => {
            let limit = rng.random_range(0..8);
            let besides = some(rng.random_bool(0.5));
            format!("{:?}", archive.watchable(besides.as_ref(), limit).await)
        }
        92..95 => format!("{:?}", archive.seat_of_link(&browser).await),
        95 => format!("{:?}", archive.rematches_of(&ids[0]).await),
        96 => {
            let change = match rng.random_range(0..4) {
                0 => ReviewChange::Keep(at_ms.to_string()),
                1 => ReviewChange::Unwant,
                _ => ReviewChange::Want(at_ms),
            };
            let changed = archive.change_review(id, change).await;
            let wanted = archive.wanted_reviews(rng.random_range(0..4)).await;
            format!("{changed:?} {wanted:?} {:?}", archive.review(id).await)
        }
        _ => format!("{:?}", archive.load(id).await),
    }
}

/// Opens an archive again and again: each time with what it had.
async fn answers_as_memory_does(url: &str, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let memory = open("memory:").await.unwrap();
    let mut archive = open(url).await.unwrap();
    let ids: Vec<GameId> = (0..8).map(|_| GameId::random()).collect();
    let browsers: Vec<SecretHash> = (0..3).map(|_| browser()).collect();
    for step in 0..400 {
        let call = ChaCha8Rng::from_rng(&mut rng);
        let expected = random_call(&*memory, &ids, &browsers, call.clone()).await;
        let answer = random_call(&*archive, &ids, &browsers, call).await;
        assert_eq!(answer, expected, "seed {seed}, step {step}");
        if step % 100 == 99 {
            archive.close().await;
            archive = open(url).await.unwrap();
        }
    }
    for id in &ids {
        assert_eq!(archive.load(id).await, memory.load(id).await, "seed {seed}");
    }
    archive.close().await;
}

#[tokio::test]
async fn memory_and_sqlite_answer_alike() {
    for seed in 0..8 {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("games.db");
        answers_as_memory_does(&format!("sqlite:{}", path.display()), seed).await;
    }
}

#[tokio::test]
async fn memory_and_postgresql_answer_alike() {
    if server::is_left_out() {
        return;
    }
    for seed in 0..8 {
        answers_as_memory_does(&server::shared().database().await, seed).await;
    }
}

// ---- SQLite files ----

async fn open_file(path: &Path) -> Result<Arc<dyn Archive>, OpenError> {
    open(&format!("sqlite:{}", path.display())).await
}

async fn refusal(path: &Path) -> OpenError {
    open_file(path).await.err().expect("this cannot be opened")
}

#[tokio::test]
async fn a_file_opened_again_has_the_same() {
    let folder = TempDir::new().unwrap();
    let path = folder
        .path()
        .join("not")
        .join("yet there ?#%")
        .join("games.db");
    let archive = open_file(&path).await.unwrap();
    let me = browser();
    let id = created(
        &*archive,
        Header {
            creator: Some(me),
            ..header(1)
        },
    )
    .await;
    for number in 0..10 {
        archive
            .append(&id, number, Entry::Ply(ply(number)))
            .await
            .unwrap();
    }
    archive
        .change_seats(&id, 0, vec![person(me)])
        .await
        .unwrap();
    let before = stored(&*archive, &id).await;
    archive.close().await;

    let archive = open_file(&path).await.unwrap();
    assert_eq!(stored(&*archive, &id).await, before);
    assert_eq!(
        archive.games_of(&me, 5).await.unwrap(),
        std::slice::from_ref(&id)
    );
    archive.append(&id, 10, Entry::Ply(ply(10))).await.unwrap();
    archive.close().await;
    let names: Vec<_> = std::fs::read_dir(path.parent().unwrap())
        .unwrap()
        .map(|found| found.unwrap().file_name())
        .collect();
    assert_eq!(names, ["games.db"], "closing in good order leaves one file");
}

/// A file as the first release left it: migration 1 alone, with a game in it.
#[tokio::test]
async fn a_file_of_the_first_release_opens_and_keeps_its_games() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.db");
    let first = include_str!("../migrations/sqlite/0001_games.sql");
    let only = folder.path().join("migrations");
    std::fs::create_dir(&only).unwrap();
    std::fs::write(only.join("0001_games.sql"), first).unwrap();
    {
        use sqlx::{ConnectOptions as _, Connection as _};
        let options = sqlx::sqlite::SqliteConnectOptions::new()
            .filename(&path)
            .create_if_missing(true);
        let mut connection = options.connect().await.unwrap();
        let migrations = sqlx::migrate::Migrator::new(only.as_path()).await.unwrap();
        migrations.run(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }
    sql(&path, "INSERT INTO game (id, format, game, start, dice_seed, pace, creator, created_ms) VALUES ('abcdefgh', 1, '{}', '{}', zeroblob(32), 'at-once', zeroblob(32), 7)").await;
    sql(&path, "INSERT INTO seat (game, player, sitter, level, name, browser, token) VALUES ('abcdefgh', 0, 'human', NULL, 'Ada', zeroblob(32), zeroblob(32)), ('abcdefgh', 1, 'level', 'book', NULL, NULL, NULL)").await;
    sql(&path, "INSERT INTO entry (game, number, player, action, roll, at_ms) VALUES ('abcdefgh', 0, 0, 'end', '', 8)").await;

    let archive = open_file(&path).await.unwrap();
    let id: GameId = "abcdefgh".parse().unwrap();
    let kept = stored(&*archive, &id).await;
    assert_eq!((kept.header.created_ms, kept.next()), (7, 1));
    assert!(!kept.header.private);
    assert_eq!(
        (kept.header.replace_after_s, kept.header.rematch_of),
        (None, None)
    );
    let seats = &kept.seats.seats;
    assert_eq!(seats[0].sitter.name(), Some("Ada"));
    let Sitter::Program { keys, .. } = &seats[0].sitter else {
        panic!("a token without a nonce is a program's: {seats:?}");
    };
    assert!(keys.browser.is_some());
    assert_eq!(seats[1], seat(Sitter::level(Level::Book)));
    archive.append(&id, 1, Entry::Ply(ply(1))).await.unwrap();
    archive
        .change_seats(&id, 0, kept.seats.seats)
        .await
        .unwrap();
    assert_eq!(archive.watchable(None, 5).await, Ok(vec![id]));
    archive.close().await;
}

#[tokio::test]
async fn a_file_never_closed_has_what_was_acknowledged() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.db");
    let archive = open_file(&path).await.unwrap();
    let id = created(&*archive, header(1)).await;
    archive.append(&id, 0, Entry::Ply(ply(0))).await.unwrap();
    // What a power cut would leave: the files as they are now.
    let cut = TempDir::new().unwrap();
    for name in ["games.db", "games.db-wal"] {
        std::fs::copy(folder.path().join(name), cut.path().join(name)).unwrap();
    }
    let again = open_file(&cut.path().join("games.db")).await.unwrap();
    assert_eq!(stored(&*again, &id).await.entries, plies(1));
    again.close().await;
    archive.close().await;
}

#[tokio::test]
async fn a_file_has_one_owner() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.db");
    let one = open_file(&path).await.unwrap();
    one.served_at("http://127.0.0.1:8080/");
    let id = created(&*one, header(1)).await;
    let error = refusal(&path).await;
    assert!(matches!(error, OpenError::Owned { .. }), "{error:?}");
    let me = std::process::id();
    for said in [&format!("process {me}"), "http://127.0.0.1:8080/"] {
        assert!(error.to_string().contains(said), "{error}");
    }
    // Under another name it is the same file.
    #[cfg(unix)]
    {
        let link = folder.path().join("link.db");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let error = refusal(&link).await;
        assert!(matches!(error, OpenError::Owned { .. }), "{error:?}");
    }
    one.append(&id, 0, Entry::Ply(ply(0))).await.unwrap();
    one.close().await;
    let two = open_file(&path).await.unwrap();
    assert_eq!(stored(&*two, &id).await.next(), 1);
    two.close().await;
}

#[cfg(unix)]
#[tokio::test]
async fn only_its_owner_reads_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.db");
    let archive = open_file(&path).await.unwrap();
    created(&*archive, header(1)).await;
    for name in ["games.db", "games.db-wal"] {
        let mode = std::fs::metadata(folder.path().join(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    archive.close().await;
}

#[tokio::test]
async fn what_cannot_be_written_is_said() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let below_a_file = refusal(&file.join("games.db")).await;
    assert!(
        matches!(below_a_file, OpenError::NotWritable { .. }),
        "{below_a_file:?}"
    );

    let directory = refusal(folder.path()).await;
    assert!(
        matches!(directory, OpenError::NotWritable { .. }),
        "{directory:?}"
    );
    assert!(directory.to_string().contains("directory"), "{directory}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_without_rights_is_said() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.db");
    open_file(&path).await.unwrap().close().await;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o400)).unwrap();
    if std::fs::OpenOptions::new().write(true).open(&path).is_ok() {
        return; // The superuser may write everything.
    }
    let error = refusal(&path).await;
    assert!(matches!(error, OpenError::NotWritable { .. }), "{error:?}");
}

#[tokio::test]
async fn other_files_are_left_alone() {
    let folder = TempDir::new().unwrap();
    let garbage = folder.path().join("garbage");
    let text = "Not a database at all.\n".repeat(1000);
    std::fs::write(&garbage, &text).unwrap();
    let error = refusal(&garbage).await;
    assert!(matches!(error, OpenError::NotADatabase { .. }), "{error:?}");
    assert_eq!(std::fs::read_to_string(&garbage).unwrap(), text);

    let foreign = folder.path().join("foreign.db");
    sql(&foreign, "CREATE TABLE bookmarks (url TEXT)").await;
    let error = refusal(&foreign).await;
    assert!(matches!(error, OpenError::Foreign { .. }), "{error:?}");
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.db");
    open_file(&path).await.unwrap().close().await;
    sql(
        &path,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'from the future', TRUE, x'00', 1)",
    )
    .await;
    let error = refusal(&path).await;
    assert!(
        matches!(error, OpenError::TooNew { version: 9999, .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("newer release"), "{error}");
}

#[tokio::test]
async fn a_gap_made_by_hand_is_no_record() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.db");
    let archive = open_file(&path).await.unwrap();
    let id = created(&*archive, header(1)).await;
    for number in 0..3 {
        archive
            .append(&id, number, Entry::Ply(ply(number)))
            .await
            .unwrap();
    }
    sql(&path, "DELETE FROM entry WHERE number = 1").await;
    let read = archive.load(&id).await;
    assert!(matches!(read, Err(ArchiveError::Damaged(_))), "{read:?}");
    archive.close().await;
}

/// Columns of a seat or of an ending that no release has written together.
#[tokio::test]
async fn rows_that_cannot_be_are_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.db");
    let archive = open_file(&path).await.unwrap();
    let id = created(&*archive, header(1)).await;
    archive
        .append(&id, 0, Entry::Ending(resigned(1)))
        .await
        .unwrap();
    let refused = async |statement: &'static str| match archive.load(&id).await {
        Err(ArchiveError::Damaged(why)) => why,
        read => panic!("{statement}: {read:?}"),
    };
    const NOBODY: &str = "UPDATE seat SET sitter = 'open', level = NULL, name = NULL, browser = NULL, token = NULL, invite = NULL, joined = NULL, nonce = NULL";
    for statement in [
        "UPDATE seat SET sitter = 'human'",
        "UPDATE seat SET sitter = 'human', joined = zeroblob(32)",
        "UPDATE seat SET sitter = 'human', browser = zeroblob(32), nonce = zeroblob(16)",
        "UPDATE seat SET sitter = 'human', token = zeroblob(32), nonce = zeroblob(16)",
        "UPDATE seat SET sitter = 'human', token = zeroblob(32), invite = zeroblob(32)",
        "UPDATE seat SET name = 'Ada'",
        "UPDATE seat SET browser = zeroblob(32)",
        "UPDATE seat SET token = zeroblob(32)",
        "UPDATE seat SET joined = zeroblob(32)",
        "UPDATE seat SET nonce = zeroblob(16)",
        "UPDATE seat SET sitter = 'level', level = 'book', name = 'Ada'",
        "UPDATE seat SET sitter = 'level', level = 'book', invite = zeroblob(32)",
        "UPDATE seat SET sitter = 'level', level = 'book', joined = zeroblob(32)",
    ] {
        sql(&path, NOBODY).await;
        sql(&path, statement).await;
        let why = refused(statement).await;
        assert!(why.contains("fit no sitter"), "{statement}: {why}");
    }
    for statement in [
        "UPDATE entry SET ending = 'limit'",
        "UPDATE entry SET ending = 'resigned', player = NULL",
        "UPDATE entry SET ending = 'resigned', player = 6",
        "UPDATE entry SET ending = 'asleep', player = NULL",
    ] {
        sql(&path, statement).await;
        refused(statement).await;
    }
    archive.close().await;
}

async fn sql(path: &Path, statement: &'static str) {
    use sqlx::{ConnectOptions as _, Connection as _};
    let options = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true);
    let mut connection = options.connect().await.unwrap();
    sqlx::query(statement)
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}
