//! A link or a token finds the seat or the program it belongs to, and a program finds its games.

use std::sync::Arc;

use dice_of_doom::level::Level;
use dice_of_doom::seats::{Invitation, ProgramCredentials, SeatOccupant};
use dice_of_doom::secret::SecretHash;
use dice_of_doom::store::{
    GameId, GameStore, ProgramId, RegisteredProgram, StoreError, StoredEntry,
};

use super::{browser, header, person, ply, seat, somebody};

pub(crate) async fn a_link_finds_its_seat(archive: Arc<dyn GameStore>) {
    let (invite, token, joined) = (browser(), browser(), browser());
    let first = header(1);
    let program = |token, joined| {
        let keys = ProgramCredentials {
            token,
            browser: None,
            joined,
        };
        seat(SeatOccupant::Program { keys, name: None })
    };
    let seats = vec![
        program(token, None),
        seat(SeatOccupant::Open {
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

fn program(token: SecretHash, created_ms: i64) -> RegisteredProgram {
    RegisteredProgram {
        id: ProgramId::random(),
        name: "Robot".to_owned(),
        token,
        plays: "{}".to_owned(),
        created_ms,
    }
}

pub(crate) async fn a_program_is_known_by_its_id_and_its_token(archive: Arc<dyn GameStore>) {
    let robot = program(browser(), 1_000);
    archive.add_program(robot.clone()).await.unwrap();
    let again = archive.add_program(robot.clone()).await;
    assert_eq!(again, Err(StoreError::Exists));
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
    assert_eq!(unknown, Err(StoreError::NotFound));
    // Who was heard of stays, and a clock that was set back takes nothing away.
    archive.saw_program(&robot.token, 9_000).await.unwrap();
    archive.saw_program(&robot.token, 10).await.unwrap();
    assert_eq!(archive.forget_programs(2_000).await, Ok(0));
    assert_eq!(archive.forget_programs(9_000).await, Ok(1));
    assert_eq!(archive.program(&other.id).await, Ok(None));
    assert_eq!(archive.program(&robot.id).await, Ok(Some(robot)));
}

pub(crate) async fn a_program_finds_its_games_that_go_on(archive: Arc<dyn GameStore>) {
    let (robot, stranger) = (program(browser(), 0), browser());
    archive.add_program(robot.clone()).await.unwrap();
    let sits = |token| {
        let keys = ProgramCredentials {
            token,
            browser: None,
            joined: None,
        };
        seat(SeatOccupant::Program { keys, name: None })
    };
    let asked = |token| {
        let name = "Robot".to_owned();
        let invitation = Some(Invitation::Program { token, name });
        seat(SeatOccupant::Open { invitation })
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
    let seats = vec![sits(stranger), seat(SeatOccupant::level(Level::Book))];
    archive.change_seats(asking, 1, seats).await.unwrap();
    assert_eq!(found().await, std::slice::from_ref(played));
    // A game that is over is none that goes on, and is still one of its games.
    let last = StoredEntry::FinalPly(ply(0));
    archive.append(played, 0, last).await.unwrap();
    assert_eq!(found().await, []);
    assert_eq!(
        archive.games_of(&robot.token, 10).await,
        Ok(vec![played.clone()])
    );
    assert_eq!(
        archive.games_of(&stranger, 10).await,
        Ok(vec![asking.clone()])
    );
    assert_eq!(
        archive.games_of_program(&stranger, 10).await.map(drop),
        Ok(())
    );
}

pub(crate) async fn the_games_of_programs_are_found_among_others(archive: Arc<dyn GameStore>) {
    let [sits, asked, elsewhere] = [browser(), browser(), browser()];
    let keys = ProgramCredentials {
        token: sits,
        browser: None,
        joined: None,
    };
    let name = "Robot".to_owned();
    let invitation = Some(Invitation::Program { token: asked, name });
    let seats = [
        vec![somebody(), seat(SeatOccupant::Program { keys, name: None })],
        vec![somebody(), seat(SeatOccupant::Open { invitation })],
        vec![somebody(), somebody()],
    ];
    let mut games = Vec::new();
    for seats in seats {
        let header = header(games.len() as i64);
        archive.create(header.clone(), seats).await.unwrap();
        games.push(header.id);
    }
    games.push(GameId::random());
    let last = StoredEntry::FinalPly(ply(0));
    archive.append(&games[0], 0, last).await.unwrap();
    let found = async |games: &[GameId], tokens: &[SecretHash]| {
        let mut found = archive.with_programs(games, tokens).await.unwrap();
        found.sort();
        found
    };
    let mut both = games[..2].to_vec();
    both.sort();
    assert_eq!(found(&games, &[sits, asked, elsewhere]).await, both);
    assert_eq!(found(&games, &[asked]).await, games[1..2]);
    assert_eq!(found(&games[1..], &[sits]).await, []);
    assert_eq!(found(&games, &[elsewhere]).await, []);
    assert_eq!(found(&games, &[]).await, []);
}

pub(crate) async fn ends_of_games_wait_until_their_program_was_told(archive: Arc<dyn GameStore>) {
    let (robot, other) = (program(browser(), 0), program(browser(), 0));
    let stranger = browser();
    archive.add_program(robot.clone()).await.unwrap();
    archive.add_program(other.clone()).await.unwrap();
    let sits = |token| {
        let keys = ProgramCredentials {
            token,
            browser: None,
            joined: None,
        };
        seat(SeatOccupant::Program { keys, name: None })
    };
    let ends = async |token, after, limit| {
        let found = archive.list_program_finishes(token, after, limit).await;
        found.unwrap()
    };
    let mut games = Vec::new();
    for seats in [
        vec![sits(robot.token), sits(robot.token)],
        vec![sits(other.token), sits(robot.token)],
        vec![sits(stranger), sits(robot.token)],
    ] {
        let header = header(games.len() as i64 + 1);
        archive.create(header.clone(), seats).await.unwrap();
        games.push(header.id);
    }
    assert_eq!(ends(&robot.token, None, 10).await, []);
    // In the order in which they end, not in that in which they began.
    for game in games.iter().rev() {
        let last = StoredEntry::FinalPly(ply(0));
        archive.append(game, 0, last).await.unwrap();
    }
    let told = ends(&robot.token, None, 10).await;
    let ended: Vec<_> = told.iter().map(|(_, id)| id.clone()).collect();
    assert_eq!(ended, games.iter().rev().cloned().collect::<Vec<_>>());
    assert!(told.is_sorted() && told[0].0 > 0, "{told:?}");
    assert_eq!(ends(&robot.token, None, 2).await, told[1..], "the newest");
    assert_eq!(ends(&robot.token, Some(told[0].0), 10).await, told[1..]);
    assert_eq!(ends(&robot.token, Some(0), 1).await, told[2..]);
    assert_eq!(ends(&other.token, None, 10).await.len(), 1);
    assert_eq!(ends(&stranger, None, 10).await, [], "it is no program");
    // What it was told is noted; a smaller number takes nothing back.
    archive.told_program(&robot.token, told[1].0).await.unwrap();
    archive.told_program(&robot.token, told[0].0).await.unwrap();
    assert_eq!(ends(&robot.token, None, 10).await, told[2..]);
    assert_eq!(ends(&robot.token, Some(told[0].0), 10).await, told[1..]);
    // A number that no end has had yet says nothing.
    assert_eq!(ends(&robot.token, Some(i64::MAX - 1), 10).await, told[2..]);
    assert_eq!(ends(&other.token, None, 10).await.len(), 1);
    let unknown = archive.told_program(&stranger, 1).await;
    assert_eq!(unknown, Err(StoreError::NotFound));
}
