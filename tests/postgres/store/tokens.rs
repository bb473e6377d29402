//! Lookup of seats and programs by link or token, and of the games of programs.

use std::sync::Arc;

use dice_of_doom::level::Level;
use dice_of_doom::seats::{Invitation, ProgramCredentials, SeatOccupant};
use dice_of_doom::secret::SecretHash;
use dice_of_doom::site::programs::rows::{ProgramId, RegisteredProgram};
use dice_of_doom::store::{GameId, Store, StoreError, StoredEntry};

use super::{append, browser, header, new_person, person, ply, program, program_seat, seat};

pub(crate) async fn a_link_finds_its_seat(store: Arc<dyn Store>) {
    let (invite, token, joined) = (browser(), browser(), browser());
    let first = header(1);
    let invitation = Some(Invitation::Random(invite));
    let seats = vec![program(token), seat(SeatOccupant::Open { invitation })];
    store.create(first.clone(), seats.clone()).await.unwrap();
    let at = |player| Ok(Some((first.id.clone(), player)));
    assert_eq!(store.find_seat_by_link(&token).await, at(0));
    assert_eq!(store.find_seat_by_link(&invite).await, at(1));
    assert_eq!(store.find_seat_by_link(&joined).await, Ok(None));
    let joined_program = program_seat(ProgramCredentials {
        token: browser(),
        browser: None,
        joined_by: Some(joined),
    });
    let occupied = vec![seats[0].clone(), joined_program];
    store.change_seats(&first.id, 0, occupied).await.unwrap();
    assert_eq!(store.find_seat_by_link(&invite).await, Ok(None));
    assert_eq!(store.find_seat_by_link(&joined).await, at(1));
    // A program keeps its token in the rematch; the newer game is returned.
    let second = header(0);
    store.create(second.clone(), seats).await.unwrap();
    let found = store.find_seat_by_link(&token).await;
    assert_eq!(found, Ok(Some((second.id, 0))));
}

fn registered(token: SecretHash, created_ms: i64) -> RegisteredProgram {
    RegisteredProgram {
        id: ProgramId::random(),
        name: "Robot".to_owned(),
        token,
        game: "{}".to_owned(),
        created_ms,
    }
}

pub(crate) async fn a_program_is_found_by_its_id_and_its_token(store: Arc<dyn Store>) {
    let robot = registered(browser(), 1_000);
    store.add_program(robot.clone()).await.unwrap();
    let again = store.add_program(robot.clone()).await;
    assert_eq!(again, Err(StoreError::Exists));
    let other = registered(browser(), 2_000);
    store.add_program(other.clone()).await.unwrap();
    assert_eq!(store.program(&robot.id).await, Ok(Some(robot.clone())));
    let found = store.program_by_token(&other.token).await;
    assert_eq!(found, Ok(Some(other.clone())));
    assert_eq!(store.program(&ProgramId::random()).await, Ok(None));
    assert_eq!(store.program_by_token(&browser()).await, Ok(None));
    let unknown = store.touch_program(&browser(), 1).await;
    assert_eq!(unknown, Err(StoreError::NotFound));
    // Active programs stay, and an earlier time than the stored one has no effect.
    store.touch_program(&robot.token, 9_000).await.unwrap();
    store.touch_program(&robot.token, 10).await.unwrap();
    assert_eq!(store.delete_inactive_programs(2_000).await, Ok(0));
    assert_eq!(store.delete_inactive_programs(9_000).await, Ok(1));
    assert_eq!(store.program(&other.id).await, Ok(None));
    assert_eq!(store.program(&robot.id).await, Ok(Some(robot)));
}

pub(crate) async fn the_unfinished_games_of_a_program_are_listed(store: Arc<dyn Store>) {
    let (robot, stranger) = (registered(browser(), 0), browser());
    store.add_program(robot.clone()).await.unwrap();
    let invited_seat = |token| {
        let name = "Robot".to_owned();
        let invitation = Some(Invitation::Program { token, name });
        seat(SeatOccupant::Open { invitation })
    };
    let listed = async || store.list_games_of_program(&robot.token, 10).await.unwrap();
    let invitations = async || store.count_invitations(&robot.token).await.unwrap();
    let mut games = Vec::new();
    for seats in [
        vec![program(robot.token), program(robot.token)],
        vec![program(stranger), invited_seat(robot.token)],
        vec![person(browser()), invited_seat(stranger)],
    ] {
        let header = header(games.len() as i64 + 1);
        store.create(header.clone(), seats).await.unwrap();
        games.push(header.id);
    }
    let [played, inviting, _] = &games[..] else {
        unreachable!()
    };
    assert_eq!(listed().await, [inviting.clone(), played.clone()]);
    assert_eq!(invitations().await, 1);
    let one = store.list_games_of_program(&robot.token, 1).await;
    assert_eq!(one, Ok(vec![inviting.clone()]));
    // It sits down, and later another player replaces it.
    let seats = vec![program(stranger), program(robot.token)];
    store.change_seats(inviting, 0, seats).await.unwrap();
    assert_eq!((listed().await.len(), invitations().await), (2, 0));
    let seats = vec![program(stranger), seat(SeatOccupant::level(Level::Book))];
    store.change_seats(inviting, 1, seats).await.unwrap();
    assert_eq!(listed().await, std::slice::from_ref(played));
    // A finished game is no longer listed here, but is still one of its games.
    append(&*store, played, 0, StoredEntry::FinalPly(ply(0))).await;
    assert_eq!(listed().await, []);
    let found = store.list_games_of(&robot.token, 10).await;
    assert_eq!(found, Ok(vec![played.clone()]));
    let found = store.list_games_of(&stranger, 10).await;
    assert_eq!(found, Ok(vec![inviting.clone()]));
    let found = store.list_games_of_program(&stranger, 10).await.map(drop);
    assert_eq!(found, Ok(()));
}

pub(crate) async fn games_with_programs_are_found_among_others(store: Arc<dyn Store>) {
    let [seated, invited, stranger] = [browser(), browser(), browser()];
    let name = "Robot".to_owned();
    let invitation = Some(Invitation::Program {
        token: invited,
        name,
    });
    let seats = [
        vec![new_person(), program(seated)],
        vec![new_person(), seat(SeatOccupant::Open { invitation })],
        vec![new_person(), new_person()],
    ];
    let mut games = Vec::new();
    for seats in seats {
        let header = header(games.len() as i64);
        store.create(header.clone(), seats).await.unwrap();
        games.push(header.id);
    }
    games.push(GameId::random());
    append(&*store, &games[0], 0, StoredEntry::FinalPly(ply(0))).await;
    let found = async |games: &[GameId], tokens: &[SecretHash]| {
        let mut found = store.with_programs(games, tokens).await.unwrap();
        found.sort();
        found
    };
    let mut both = games[..2].to_vec();
    both.sort();
    assert_eq!(found(&games, &[seated, invited, stranger]).await, both);
    assert_eq!(found(&games, &[invited]).await, games[1..2]);
    assert_eq!(found(&games[1..], &[seated]).await, []);
    assert_eq!(found(&games, &[stranger]).await, []);
    assert_eq!(found(&games, &[]).await, []);
}

pub(crate) async fn finishes_are_listed_until_they_are_reported(store: Arc<dyn Store>) {
    let (robot, other) = (registered(browser(), 0), registered(browser(), 0));
    let stranger = browser();
    store.add_program(robot.clone()).await.unwrap();
    store.add_program(other.clone()).await.unwrap();
    let finishes = async |token, after, limit| {
        let found = store.list_program_finishes(token, after, limit).await;
        found.unwrap()
    };
    let mut games = Vec::new();
    for seats in [
        vec![program(robot.token), program(robot.token)],
        vec![program(other.token), program(robot.token)],
        vec![program(stranger), program(robot.token)],
    ] {
        let header = header(games.len() as i64 + 1);
        store.create(header.clone(), seats).await.unwrap();
        games.push(header.id);
    }
    assert_eq!(finishes(&robot.token, None, 10).await, []);
    // The order is that in which the games end, not that of creation.
    for game in games.iter().rev() {
        append(&*store, game, 0, StoredEntry::FinalPly(ply(0))).await;
    }
    let all = finishes(&robot.token, None, 10).await;
    let finished_ids: Vec<_> = all.iter().map(|(_, id)| id.clone()).collect();
    assert_eq!(
        finished_ids,
        games.iter().rev().cloned().collect::<Vec<_>>()
    );
    assert!(all.is_sorted() && all[0].0 > 0, "{all:?}");
    let actual = finishes(&robot.token, None, 2).await;
    assert_eq!(actual, all[1..], "the newest");
    assert_eq!(finishes(&robot.token, Some(all[0].0), 10).await, all[1..]);
    assert_eq!(finishes(&robot.token, Some(0), 1).await, all[2..]);
    assert_eq!(finishes(&other.token, None, 10).await.len(), 1);
    let actual = finishes(&stranger, None, 10).await;
    assert_eq!(actual, [], "it is not a registered program");
    // A smaller number does not undo an earlier report.
    store
        .mark_finishes_reported(&robot.token, all[1].0)
        .await
        .unwrap();
    store
        .mark_finishes_reported(&robot.token, all[0].0)
        .await
        .unwrap();
    assert_eq!(finishes(&robot.token, None, 10).await, all[2..]);
    assert_eq!(finishes(&robot.token, Some(all[0].0), 10).await, all[1..]);
    // A number that was never assigned is ignored.
    let actual = finishes(&robot.token, Some(i64::MAX - 1), 10).await;
    assert_eq!(actual, all[2..]);
    assert_eq!(finishes(&other.token, None, 10).await.len(), 1);
    let unknown = store.mark_finishes_reported(&stranger, 1).await;
    assert_eq!(unknown, Err(StoreError::NotFound));
}
