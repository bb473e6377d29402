//! The contract of archives, tested on each of them, and how a SQLite file is opened: a room for each idea, and here
//! what they share. How a PostgreSQL database is opened, tests/postgres/database.rs tells.

use dice_of_doom::game::Player;
use dice_of_doom::provably_fair::DiceSecret;
use dice_of_doom::record::{Ending, EndingRow, EntryRow, PlyRow};
use dice_of_doom::rng::DiceSeed;
use dice_of_doom::seats::{ComputerPace, PersonCredentials, Seat, SeatOccupant};
use dice_of_doom::secret::{Secret, SecretHash};
use dice_of_doom::store::{GameHeader, GameId, GameStore, RetentionCutoffs, StoredGame, open};
use tempfile::TempDir;

mod alike;
mod changes;
mod files;
mod instances;
mod kept;
mod lists;
mod removal;
mod tokens;

// ---- what is kept ----

fn header(created_ms: i64) -> GameHeader {
    GameHeader {
        id: GameId::random(),
        game: r#"{"game":"dice","size":2}"#.to_owned(),
        start: r#"{"board":"1 2 3"}"#.to_owned(),
        dice: DiceSecret::Unsealed(DiceSeed::from_bytes([9; 32])),
        pace: ComputerPace::AtOnce,
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

fn seat(sitter: SeatOccupant) -> Seat {
    Seat {
        sitter,
        since_ms: None,
    }
}

fn person(browser: SecretHash) -> Seat {
    let keys = PersonCredentials {
        browser,
        back: None,
        joined: None,
    };
    seat(SeatOccupant::Person { keys, name: None })
}

/// A person whose browser nobody asks for.
fn somebody() -> Seat {
    person(browser())
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

async fn created(archive: &dyn GameStore, header: GameHeader) -> GameId {
    let id = header.id.clone();
    archive
        .create(header, vec![somebody(), somebody()])
        .await
        .unwrap();
    id
}

async fn stored(archive: &dyn GameStore, id: &GameId) -> StoredGame {
    archive.load(id).await.unwrap().expect("the game is there")
}

/// The unfinished games of this pace, page by page.
async fn unfinished(archive: &dyn GameStore, pace: ComputerPace) -> Vec<GameId> {
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
async fn sweep(archive: &dyn GameStore, cutoffs: RetentionCutoffs) -> u64 {
    let expired = archive.expired(&cutoffs, u32::MAX).await.unwrap();
    let removed = archive.remove(expired.clone(), cutoffs).await.unwrap();
    assert_eq!(removed, expired.len() as u64);
    removed
}

const fn finished_before(before_ms: i64) -> RetentionCutoffs {
    RetentionCutoffs {
        uploaded_ms: None,
        finished_ms: Some(before_ms),
        abandoned_ms: None,
        untouched_ms: None,
        awaited_ms: None,
    }
}

// ---- the contract ----

/// Runs each law of the contract on every archive.
macro_rules! contract {
    ($($room:ident::$law:ident),* $(,)?) => {
        mod memory {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() {
                super::$room::$law(super::open("memory:").await.unwrap()).await;
            })*
        }
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() {
                let folder = super::TempDir::new().unwrap();
                let archive = super::files::open_file(&folder.path().join("games.db")).await.unwrap();
                super::$room::$law(archive.clone()).await;
                archive.close().await;
            })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() {
                if crate::server::is_left_out() {
                    return;
                }
                let url = crate::server::shared().database().await;
                let archive = super::open(&url).await.unwrap();
                super::$room::$law(archive.clone()).await;
                archive.close().await;
            })*
        }
    };
}

contract!(
    kept::every_field_comes_back,
    kept::an_id_is_taken_once,
    kept::unknown_games_are_not_found,
    changes::only_the_next_number_is_taken,
    changes::of_many_for_one_number_one_wins,
    changes::many_games_at_once_have_no_gap,
    changes::the_ending_takes_the_next_number_and_closes,
    changes::seats_change_by_revision,
    lists::games_of_a_browser_come_by_activity,
    lists::the_book_game_is_the_newest,
    lists::unfinished_games_go_on,
    lists::every_game_is_listed_once,
    lists::sitting_down_is_activity,
    lists::one_passes_over_so_many_own_games,
    tokens::a_link_finds_its_seat,
    tokens::a_program_is_known_by_its_id_and_its_token,
    tokens::a_program_finds_its_games_that_go_on,
    tokens::the_games_of_programs_are_found_among_others,
    tokens::ends_of_games_wait_until_their_program_was_told,
    lists::everybody_may_watch_what_is_public,
    changes::a_rematch_is_made_once,
    removal::the_entry_that_ends_a_game_marks_it,
    removal::a_lost_mark_is_healed_as_of_the_last_entry,
    removal::finished_games_are_removed,
    removal::each_kind_of_game_goes_at_its_time,
    removal::what_was_brought_here_goes_after_a_time_of_its_own,
    kept::reviews_are_kept_beside_their_games,
    kept::a_game_of_another_archive_is_kept_as_it_was,
    instances::a_lease_is_one_holders_and_its_fence_only_grows,
    instances::games_are_due_when_it_is_said_and_claimed_in_that_order,
    instances::how_far_games_have_come_is_told,
    changes::counts_begin_once,
    changes::a_dropped_append_is_whole_or_absent,
    changes::a_closed_archive_takes_nothing,
);
