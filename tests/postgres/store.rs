//! Contract tests for every store, one module per topic with shared helpers here, and tests of opening a SQLite
//! file. Tests of opening a PostgreSQL database are in tests/postgres/database.rs.

use dice_of_doom::game::Player;
use dice_of_doom::record::{Ending, EndingRow, EntryRow, PlyRow};
use dice_of_doom::seats::{
    ComputerPace, PersonCredentials, ProgramCredentials, Seat, SeatOccupant,
};
use dice_of_doom::secret::{Secret, SecretHash};
use dice_of_doom::store::{
    GameHeader, GameId, GameList, RetentionCutoffs, Store, StoredEntry, StoredGame, open,
};
use tempfile::TempDir;

mod browser_data;
mod cards;
mod changes;
mod daily;
mod equivalence;
mod feeds;
mod files;
mod instances;
mod lists;
mod networks;
mod open_tables;
mod pairing;
mod puzzles;
mod records;
mod removal;
mod served;
mod tokens;

// ---- test data ----

fn header(created_ms: i64) -> GameHeader {
    GameHeader {
        created_ms,
        ..crate::common::records::header()
    }
}

fn browser() -> SecretHash {
    Secret::random().hash()
}

fn seat(occupant: SeatOccupant) -> Seat {
    Seat {
        occupant,
        since_ms: None,
    }
}

fn person(browser: SecretHash) -> Seat {
    let keys = PersonCredentials {
        browser,
        return_link: None,
        joined_by: None,
    };
    seat(SeatOccupant::Person {
        credentials: keys,
        name: None,
    })
}

fn program_seat(credentials: ProgramCredentials) -> Seat {
    let name = None;
    seat(SeatOccupant::Program { credentials, name })
}

/// The seat of a program with this token.
fn program(token: SecretHash) -> Seat {
    program_seat(ProgramCredentials {
        token,
        browser: None,
        joined_by: None,
    })
}

/// A person with a new browser.
fn new_person() -> Seat {
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

fn plies(count: u32) -> Vec<EntryRow> {
    (0..count).map(ply).map(EntryRow::Ply).collect()
}

fn resigned(at_ms: i64) -> EndingRow {
    EndingRow {
        ending: Ending::Resigned(Player::new(1)),
        at_ms,
    }
}

async fn created(store: &dyn Store, header: GameHeader) -> GameId {
    let id = header.id.clone();
    store
        .create(header, vec![new_person(), new_person()])
        .await
        .unwrap();
    id
}

/// A game that differs from others in what the function changes.
async fn created_with(
    store: &dyn Store,
    created_ms: i64,
    change: impl FnOnce(&mut GameHeader),
) -> GameId {
    let mut header = header(created_ms);
    change(&mut header);
    created(store, header).await
}

/// Appends an entry, which must be accepted.
async fn append(store: &dyn Store, id: &GameId, number: u32, entry: StoredEntry) {
    store.append(id, number, entry).await.unwrap();
}

async fn stored(store: &dyn Store, id: &GameId) -> StoredGame {
    store.load(id).await.unwrap().expect("the game exists")
}

/// The games that anybody may watch.
async fn watchable(store: &dyn Store, limit: u32) -> Vec<GameId> {
    let list = store.list_games(GameList::Watchable, None, limit);
    list.await.unwrap().games
}

/// All unfinished games of this pace, page by page.
async fn unfinished(store: &dyn Store, pace: ComputerPace) -> Vec<GameId> {
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let page = store
            .list_games(GameList::Unfinished(pace), after, 2)
            .await
            .unwrap();
        found.extend(page.games);
        after = page.next;
        if after.is_none() {
            return found;
        }
    }
}

/// Deletes all expired games; returns their number.
async fn delete_all_expired(store: &dyn Store, cutoffs: RetentionCutoffs) -> u64 {
    let expired = store.list_expired(&cutoffs, u32::MAX).await.unwrap();
    let removed = store
        .delete_expired(expired.clone(), cutoffs)
        .await
        .unwrap();
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

/// Runs each contract test on every store.
macro_rules! contract {
    ($($module:ident::$test:ident),* $(,)?) => {
        mod memory {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                super::$module::$test(super::open("memory:").await.unwrap()).await;
            })*
        }
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                let folder = super::TempDir::new().unwrap();
                let store = super::files::open_file(&folder.path().join("games.db")).await.unwrap();
                super::$module::$test(store.clone()).await;
                store.close().await;
            })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                if crate::server::is_left_out() {
                    return;
                }
                let url = crate::server::shared().database().await;
                let store = super::open(&url).await.unwrap();
                super::$module::$test(store.clone()).await;
                store.close().await;
            })*
        }
    };
}

contract!(
    records::every_field_comes_back,
    records::an_id_can_be_used_only_once,
    records::unknown_games_are_not_found,
    changes::only_the_next_entry_number_is_accepted,
    changes::exactly_one_of_many_appends_with_the_same_number_wins,
    changes::concurrent_games_have_no_gaps,
    changes::an_ending_takes_the_next_number_and_finishes_the_game,
    changes::a_game_waits_for_players,
    changes::a_start_at_a_set_time_is_due,
    changes::seats_change_by_revision,
    lists::games_of_a_browser_are_listed_by_activity,
    lists::the_book_page_game_is_the_newest,
    lists::only_unfinished_games_are_listed_as_unfinished,
    lists::every_game_is_listed_once,
    lists::sitting_down_is_activity,
    cards::a_card_is_stored_with_an_entry,
    daily::a_day_has_one_secret,
    daily::a_browser_has_one_scored_game_of_a_day,
    daily::a_game_with_a_late_entry_has_no_score,
    daily::of_two_joined_attempts_the_earlier_one_counts,
    feeds::a_browser_has_one_feed,
    open_tables::a_browser_has_the_name_that_it_used_last,
    open_tables::a_closed_table_stays_closed,
    open_tables::networks_alternate_among_the_open_tables,
    open_tables::open_tables_have_a_free_seat_and_a_creator_who_was_seen,
    networks::a_day_has_one_network_key_until_it_is_deleted,
    served::served_periods_end_with_a_gap,
    networks::few_answers_of_one_network_are_counted,
    networks::few_scores_of_one_network_are_counted,
    puzzles::the_first_answer_to_a_puzzle_counts,
    browser_data::answers_and_scores_move_to_another_browser,
    browser_data::old_data_of_browsers_is_deleted,
    browser_data::seats_and_created_games_move_to_another_browser,
    browser_data::games_are_deleted_and_reviews_found,
    pairing::a_browser_has_one_code_which_is_used_once,
    tokens::a_link_finds_its_seat,
    tokens::a_program_is_found_by_its_id_and_its_token,
    tokens::the_unfinished_games_of_a_program_are_listed,
    tokens::games_with_programs_are_found_among_others,
    tokens::finishes_are_listed_until_they_are_reported,
    lists::public_unfinished_games_are_watchable,
    changes::a_rematch_is_created_only_once,
    removal::the_last_entry_marks_the_game_finished,
    removal::expired_finished_games_are_deleted,
    removal::each_kind_of_game_has_its_own_cutoff,
    removal::uploaded_games_have_their_own_cutoff,
    records::reviews_are_stored_with_their_games,
    instances::a_lease_has_one_holder_and_its_fencing_token_only_grows,
    instances::a_game_is_due_after_its_time_and_not_before,
    instances::games_with_a_clock_are_checked_after_changes_of_seats,
    instances::due_games_are_claimed_in_the_order_in_which_they_became_due,
    instances::versions_of_games_are_returned,
    changes::initial_counts_are_accepted_once,
    changes::a_dropped_append_is_atomic,
    changes::a_closed_store_rejects_all_requests,
);
