//! Stored data is returned unchanged: games with their seats and entries, reviews, and imported games.

use std::sync::Arc;

use dice_of_doom::level::Level;
use dice_of_doom::provably_fair::{CommittedSeed, Salt};
use dice_of_doom::record::{
    Ending, EndingRow, EntropyContributionRow, EntryRow, PlyRow, TakebackRow,
};
use dice_of_doom::rng::DiceSeed;
use dice_of_doom::seats::{
    ComputerPace, DerivedToken, FormerOccupant, Invitation, PersonCredentials, ProgramCredentials,
    RematchKind, SeatCredentials, SeatLevel, SeatOccupant, Seats,
};
use dice_of_doom::secret::Nonce;
use dice_of_doom::site::reviews::rows::{ReviewChange, StoredReview};
use dice_of_doom::store::{GameHeader, GameId, Store, StoreError, StoredEntry, StoredGame};

use super::{
    append, browser, created, delete_all_expired, finished_before, header, new_person, ply,
    program_seat, resigned, seat, stored, unfinished, watchable,
};

fn link() -> DerivedToken {
    DerivedToken {
        token: browser(),
        nonce: Nonce::random(),
    }
}

pub(crate) async fn every_field_comes_back(store: Arc<dyn Store>) {
    let full = GameHeader {
        game: "{\"name\":\"ö 🎲 \\u0000 ' \\\"\"}".to_owned(),
        dice: Some(CommittedSeed {
            seed: DiceSeed::from_bytes(std::array::from_fn(|index| 255 - index as u8)),
            salt: Salt::from_bytes(std::array::from_fn(|index| 100 + index as u8)),
        }),
        pace: ComputerPace::OnRequest,
        creator: Some(browser()),
        book_of: Some(browser()),
        created_ms: -1,
        private: true,
        replace_after_s: Some(u32::MAX),
        rematch_of: Some((GameId::random(), RematchKind::Same)),
        takebacks: false,
        hints: true,
        turn_s: Some(60),
        ..header(0)
    };
    let person = PersonCredentials {
        browser: browser(),
        return_link: Some(link()),
        joined_by: Some(browser()),
    };
    let program = ProgramCredentials {
        token: browser(),
        browser: Some(browser()),
        joined_by: Some(browser()),
    };
    let bare = ProgramCredentials {
        browser: None,
        joined_by: None,
        ..program
    };
    let name = Some("Ångström <b>".to_owned());
    let level = SeatLevel::Known(Level::Book.into());
    let unknown = |name: &str| SeatLevel::Unknown(name.to_owned());
    let left = |level, credentials, name: Option<&str>| SeatOccupant::Level {
        level,
        replaced: Some(Box::new(FormerOccupant {
            credentials,
            name: name.map(str::to_owned),
        })),
    };
    let mut seats = vec![
        seat(SeatOccupant::Person {
            credentials: person,
            name,
        }),
        seat(SeatOccupant::Program {
            credentials: program,
            name: Some(String::new()),
        }),
        program_seat(bare),
        new_person(),
        seat(SeatOccupant::level(Level::Champion)),
        seat(left(level, SeatCredentials::Person(person), Some("Ken"))),
        seat(left(
            unknown(""),
            SeatCredentials::Program(program),
            Some(""),
        )),
        seat(left(
            unknown("grandmaster"),
            SeatCredentials::Program(bare),
            None,
        )),
        seat(SeatOccupant::Open { invitation: None }),
        seat(SeatOccupant::Open {
            invitation: Some(Invitation::Random(browser())),
        }),
        seat(SeatOccupant::Open {
            invitation: Some(Invitation::Program {
                token: browser(),
                name: "Robot".to_owned(),
            }),
        }),
    ];
    seats[0].since_ms = Some(i64::MIN);
    seats[10].since_ms = Some(i64::MAX);
    store.create(full.clone(), seats.clone()).await.unwrap();
    let mut expected = StoredGame {
        header: full.clone(),
        seats: Seats::new(seats),
        entries: Vec::new(),
        ending: None,
        finished_ms: None,
    };
    assert_eq!(stored(&*store, &full.id).await, expected);

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
        append(&*store, &full.id, number, StoredEntry::Ply(ply.clone())).await;
        expected.entries.push(ply.into());
    }
    let takeback = TakebackRow {
        player: 255,
        to: 1,
        at_ms: i64::MAX,
    };
    let contribution = EntropyContributionRow {
        player: 0,
        text: "ö 🎲 '\" {}".to_owned(),
        at_ms: -1,
    };
    let other_entries = [
        (
            StoredEntry::Takeback(takeback),
            EntryRow::Takeback(takeback),
        ),
        (
            StoredEntry::Contribution(contribution.clone()),
            EntryRow::Contribution(contribution),
        ),
    ];
    for (number, (entry, row)) in (2..).zip(other_entries) {
        append(&*store, &full.id, number, entry).await;
        expected.entries.push(row);
        assert_eq!(stored(&*store, &full.id).await, expected);
    }
    let ending = EndingRow {
        ending: Ending::Limit,
        at_ms: 7,
    };
    append(&*store, &full.id, 4, StoredEntry::Ending(ending)).await;
    expected.ending = Some(ending);
    expected.finished_ms = Some(7);
    assert_eq!(stored(&*store, &full.id).await, expected);
    assert_eq!(expected.next_number(), 5);
    assert_eq!(expected.last_ms(), 7);

    // A game without seats and entries.
    let bare = header(0);
    store.create(bare.clone(), Vec::new()).await.unwrap();
    let seats = Seats::new(Vec::new());
    assert_eq!(
        stored(&*store, &bare.id).await,
        StoredGame {
            header: bare,
            seats,
            entries: Vec::new(),
            ending: None,
            finished_ms: None,
        }
    );
}

pub(crate) async fn an_id_can_be_used_only_once(store: Arc<dyn Store>) {
    let first = header(1);
    created(&*store, first.clone()).await;
    let second = GameHeader {
        created_ms: 2,
        ..first.clone()
    };
    let found = store.create(second, vec![new_person()]).await;
    assert_eq!(found, Err(StoreError::Exists));
    let game = stored(&*store, &first.id).await;
    assert_eq!((game.header, game.seats.seats.len()), (first, 2));
}

pub(crate) async fn unknown_games_are_not_found(store: Arc<dyn Store>) {
    let id = GameId::random();
    assert_eq!(store.load(&id).await, Ok(None));
    let found = store.append(&id, 0, StoredEntry::Ply(ply(0))).await;
    assert_eq!(found, Err(StoreError::NotFound));
    let found = store.append(&id, 5, StoredEntry::Ending(resigned(0))).await;
    assert_eq!(found, Err(StoreError::NotFound));
    let found = store.change_seats(&id, 0, Vec::new()).await;
    assert_eq!(found, Err(StoreError::NotFound));
    assert_eq!(store.list_games_of(&browser(), 10).await, Ok(Vec::new()));
    assert_eq!(store.book_page_game(&browser()).await, Ok(None));
    assert_eq!(store.find_seat_by_link(&browser()).await, Ok(None));
    assert_eq!(watchable(&*store, 10).await, []);
    assert_eq!(store.rematches_of(&id).await, Ok(Vec::new()));
    assert_eq!(unfinished(&*store, ComputerPace::AtOnce).await, []);
    let found = delete_all_expired(&*store, finished_before(i64::MAX)).await;
    assert_eq!(found, 0);
}

pub(crate) async fn reviews_are_stored_with_their_games(store: Arc<dyn Store>) {
    let one = created(&*store, header(1)).await;
    let other = created(&*store, header(2)).await;
    let change = async |id: &GameId, change| store.change_review(id, change).await;
    let review = async |id: &GameId| store.review(id).await.unwrap();
    let expected = |is_pending, text: Option<&str>| {
        let review = text.map(str::to_owned);
        Some(StoredReview { is_pending, review })
    };
    assert_eq!(review(&one).await, None);
    change(&other, ReviewChange::Request(20)).await.unwrap();
    change(&one, ReviewChange::Request(10)).await.unwrap();
    // A repeated request keeps its time.
    change(&one, ReviewChange::Request(30)).await.unwrap();
    let pending = store.pending_reviews(9).await.unwrap();
    assert_eq!(pending, [one.clone(), other.clone()]);
    let found = store.pending_reviews(1).await.unwrap();
    assert_eq!(found, std::slice::from_ref(&one));
    assert_eq!(review(&one).await, expected(true, None));
    change(&one, ReviewChange::Store("first".to_owned()))
        .await
        .unwrap();
    assert_eq!(review(&one).await, expected(false, Some("first")));
    change(&one, ReviewChange::Request(40)).await.unwrap();
    assert_eq!(review(&one).await, expected(true, Some("first")));
    for id in [&one, &other] {
        change(id, ReviewChange::Cancel).await.unwrap();
    }
    assert_eq!(review(&one).await, expected(false, Some("first")));
    assert_eq!(review(&other).await, None);
    assert_eq!(store.pending_reviews(9).await.unwrap(), []);
    let unknown = GameId::random();
    for change in [
        ReviewChange::Request(1),
        ReviewChange::Store(String::new()),
        ReviewChange::Cancel,
    ] {
        let refused = store.change_review(&unknown, change).await;
        assert_eq!(refused, Err(StoreError::NotFound));
    }
    append(&*store, &one, 0, StoredEntry::Ending(resigned(1))).await;
    let found = delete_all_expired(&*store, finished_before(i64::MAX)).await;
    assert_eq!(found, 1);
    assert_eq!(review(&one).await, None);
}
