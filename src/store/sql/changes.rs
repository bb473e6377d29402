//! Changes of games, seats, reviews and programs, within the writer's transaction. A rejected change has
//! written nothing.

use super::append::{append_new, json_ids};
use super::connection::{BatchConnection, SqlValue};
use super::decode::{DICE_FORMAT, parse_seats};
use super::encode::SeatColumns;
use super::move_games::move_games;
use super::queries;
use super::tables::tables_of_browsers;
use crate::seats::{Seat, Seats};
use crate::secret::SecretHash;
use crate::store::hash_chain::ChainHash;
use crate::store::write_queue::StoreChange;
use crate::store::{
    COUNTED_PER_NETWORK, DailyAttempt, GameChange, GameHeader, GameId, GameOrigin,
    MAX_SERVED_PERIODS, NetworkHash, NetworkKey, RetentionCutoffs, ReviewChange, StoreError,
    StoredEntry, TableRows,
};

/// The result of a change; the outer error comes from the database.
type ChangeResult = Result<Result<u64, StoreError>, sqlx::Error>;

pub(super) async fn apply_change(
    connection: &mut impl BatchConnection,
    change: &StoreChange,
) -> ChangeResult {
    match change {
        StoreChange::Create {
            header,
            seats,
            entries,
        } => create_begun(connection, header, seats, entries).await,
        StoreChange::ImportGame { id, rows } => import_game(connection, id, rows).await,
        StoreChange::InsertRows(rows) => Ok(Ok(insert_rows(connection, rows).await?)),
        StoreChange::ContinueNumbers => {
            for statement in connection.statements().continue_finish_numbers {
                connection.execute(statement, &[]).await?;
            }
            Ok(Ok(0))
        }
        StoreChange::Seats {
            id,
            expected_revision,
            seats,
        } => change_seats(connection, id, *expected_revision, seats).await,
        StoreChange::RepairFinished { id } => {
            let values = [id.into()];
            let repaired = connection
                .execute(queries::REPAIR_FINISHED, &values)
                .await?;
            Ok(require_changed(repaired, StoreError::NotFound))
        }
        StoreChange::AddCounts { counts, first } => count(connection, counts, *first).await,
        StoreChange::Remove { games, cutoffs } => delete_expired(connection, games, cutoffs).await,
        StoreChange::Delete { id, seats_revision } => {
            let values = [id.into(), (*seats_revision).into()];
            Ok(Ok(connection
                .execute(queries::DELETE_GAME, &values)
                .await?))
        }
        StoreChange::MoveBrowserData { from, to } => {
            if let Some(to) = to {
                move_games(connection, from, to).await?;
                for query in queries::COPY_BROWSER_DATA {
                    connection.execute(query, &[from.into(), to.into()]).await?;
                }
            }
            delete_browser_data(connection, from).await?;
            Ok(Ok(0))
        }
        StoreChange::StoreCard { id, card } => {
            let values = [id.into(), card.into()];
            Ok(Ok(connection.execute(queries::STORE_CARD, &values).await?))
        }
        StoreChange::Review { id, change } => change_review(connection, id, change).await,
        StoreChange::SetFeed(feed) => {
            let values = [
                (&feed.browser).into(),
                (&feed.token).into(),
                (&feed.nonce).into(),
                (&feed.language).into(),
                feed.created_ms.into(),
                feed.fetched_ms.into(),
            ];
            Ok(Ok(connection.execute(queries::SET_FEED, &values).await?))
        }
        StoreChange::MarkFeedFetched { token, at_ms } => {
            let query = queries::MARK_FEED_FETCHED;
            let values = [token.into(), (*at_ms).into()];
            Ok(Ok(connection.execute(query, &values).await?))
        }
        StoreChange::DeleteOldBrowserData { before_ms } => {
            for query in queries::DELETE_OLD_BROWSER_DATA {
                connection.execute(query, &[(*before_ms).into()]).await?;
            }
            Ok(Ok(0))
        }
        StoreChange::SetPairingCode(code) => {
            let values = [
                (&code.browser).into(),
                (&code.code).into(),
                code.secret.as_slice().into(),
                code.until_ms.into(),
            ];
            let query = queries::SET_PAIRING_CODE;
            Ok(Ok(connection.execute(query, &values).await?))
        }
        StoreChange::DeletePairingCode(code) => {
            let query = queries::DELETE_PAIRING_CODE;
            Ok(Ok(connection.execute(query, &[code.into()]).await?))
        }
        StoreChange::DeleteExpiredPairingCodes { now_ms } => {
            let query = queries::DELETE_EXPIRED_PAIRING_CODES;
            Ok(Ok(connection.execute(query, &[(*now_ms).into()]).await?))
        }
        StoreChange::AnnouncePhrase { id, said } => {
            let change = GameChange::Phrase(*said);
            connection.notify(&[(id, change)]).await?;
            Ok(Ok(0))
        }
        StoreChange::OpenTable(table) => {
            let values = [
                (&table.game).into(),
                table.opened_ms.into(),
                table.seen_ms.into(),
                table.network.into(),
            ];
            let opened = connection.execute(queries::OPEN_TABLE, &values).await?;
            Ok(require_changed(opened, StoreError::NotFound))
        }
        StoreChange::MarkTableSeen { id, at_ms } => {
            let query = queries::MARK_TABLE_SEEN;
            let values = [id.into(), (*at_ms).into()];
            Ok(Ok(connection.execute(query, &values).await?))
        }
        StoreChange::CloseTable { id } => {
            let query = queries::CLOSE_TABLE;
            Ok(Ok(connection.execute(query, &[id.into()]).await?))
        }
        StoreChange::DeleteOpenTables { opened_until_ms } => {
            let query = queries::DELETE_OPEN_TABLES;
            let values = [(*opened_until_ms).into()];
            Ok(Ok(connection.execute(query, &values).await?))
        }
        StoreChange::AddPuzzleAnswer(answer, network) => {
            let network = lock_network_key(connection, network.as_ref()).await?;
            let values = [
                (&answer.browser).into(),
                (&answer.puzzle).into(),
                answer.is_right.into(),
                answer.at_ms.into(),
                network.map(|network| &network.hash).into(),
                answer.is_counted.into(),
                COUNTED_PER_NETWORK.into(),
            ];
            Ok(Ok(connection
                .execute(queries::ADD_PUZZLE_ANSWER, &values)
                .await?))
        }
        StoreChange::AddNetworkKey(NetworkKey { day, key }) => {
            let query = queries::ADD_NETWORK_KEY;
            let values = [day.number().into(), key.into()];
            Ok(Ok(connection.execute(query, &values).await?))
        }
        StoreChange::ForgetNetworks { before } => {
            for query in queries::FORGET_NETWORKS {
                connection.execute(query, &[before.number().into()]).await?;
            }
            Ok(Ok(0))
        }
        StoreChange::RecordServed { now_ms, gap_ms } => {
            let now = [(*now_ms).into()];
            connection
                .execute(queries::DELETE_LATER_SERVED, &now)
                .await?;
            let values = [(*now_ms).into(), (*gap_ms).into()];
            let extended = connection.execute(queries::EXTEND_SERVED, &values).await?;
            if extended == 0 {
                connection.execute(queries::ADD_SERVED, &now).await?;
                connection
                    .execute(queries::DELETE_OLD_SERVED, &[MAX_SERVED_PERIODS.into()])
                    .await?;
            }
            Ok(Ok(0))
        }
        StoreChange::AddDailyDeal(deal) => {
            let values = [
                deal.day.number().into(),
                deal.secret.seed.as_bytes().into(),
                deal.secret.salt.as_bytes().into(),
                deal.committed_ms.into(),
            ];
            let query = queries::ADD_DAILY_DEAL;
            Ok(Ok(connection.execute(query, &values).await?))
        }
        StoreChange::SetDailyNetwork { browser, network } => {
            let network = lock_network_key(connection, Some(network)).await?;
            let Some(NetworkHash { day, hash }) = network else {
                return Ok(Ok(0));
            };
            let query = queries::SET_DAILY_NETWORK;
            let values = [browser.into(), day.number().into(), hash.into()];
            Ok(Ok(connection.execute(query, &values).await?))
        }
        StoreChange::AddDailyScore { score, before_ms } => {
            // Servers count the scores of a day one after the other.
            let day = [score.day.number().into()];
            connection.execute(queries::LOCK_NETWORK_KEY, &day).await?;
            let values = [
                (&score.browser).into(),
                score.day.number().into(),
                (&score.game).into(),
                score.hexes.into(),
                score.is_won.into(),
                (*before_ms).into(),
                score.is_counted.into(),
                COUNTED_PER_NETWORK.into(),
            ];
            let query = queries::ADD_DAILY_SCORE;
            Ok(Ok(connection.execute(query, &values).await?))
        }
        StoreChange::AddProgram { program } => {
            let values = [
                program.id.as_str().into(),
                (&program.name).into(),
                (&program.token).into(),
                (&program.game).into(),
                program.created_ms.into(),
            ];
            let added = connection.execute(queries::ADD_PROGRAM, &values).await?;
            Ok(require_changed(added, StoreError::Exists))
        }
        StoreChange::TouchProgram { token, at_ms } => {
            let values = [token.into(), (*at_ms).into()];
            let seen = connection.execute(queries::TOUCH_PROGRAM, &values).await?;
            Ok(require_changed(seen, StoreError::NotFound))
        }
        StoreChange::ToldProgram { token, number } => {
            let query = queries::MARK_FINISHES_REPORTED;
            let values = [token.into(), (*number).into()];
            let reported = connection.execute(query, &values).await?;
            Ok(require_changed(reported, StoreError::NotFound))
        }
        StoreChange::DeleteInactivePrograms { before_ms } => {
            let query = queries::DELETE_INACTIVE_PROGRAMS;
            Ok(Ok(connection
                .execute(query, &[(*before_ms).into()])
                .await?))
        }
    }
}

/// Locks the key of the hash, so that servers count the rows with a hash one after the other. `None` if the key has been
/// deleted since.
async fn lock_network_key<'n>(
    connection: &mut impl BatchConnection,
    network: Option<&'n NetworkHash>,
) -> Result<Option<&'n NetworkHash>, sqlx::Error> {
    let Some(network) = network else {
        return Ok(None);
    };
    let query = queries::LOCK_NETWORK_KEY;
    let locked = connection
        .execute(query, &[network.day.number().into()])
        .await?;
    Ok((locked > 0).then_some(network))
}

fn require_changed(changed: u64, none: StoreError) -> Result<u64, StoreError> {
    if changed == 0 { Err(none) } else { Ok(changed) }
}

/// Creates a game that its creator has begun; a scored game of a day is the creator's attempt.
async fn create_begun(
    connection: &mut impl BatchConnection,
    header: &GameHeader,
    seats: &[Seat],
    entries: &[StoredEntry],
) -> ChangeResult {
    let Some(attempt) = DailyAttempt::of_new_game(header) else {
        return create(connection, header, seats, entries).await;
    };
    connection.lock_creation().await?;
    let values = [attempt.day.number().into(), (&attempt.browser).into()];
    let begun = connection.fetch_all(queries::DAILY_GAME, &values).await?;
    if !begun.is_empty() {
        return Ok(Err(StoreError::Exists));
    }
    let created = create(connection, header, seats, entries).await?;
    if created.is_ok() {
        let values = attempt_values(&attempt);
        connection
            .execute(queries::ADD_DAILY_ATTEMPT, &values)
            .await?;
    }
    Ok(created)
}

fn attempt_values(attempt: &DailyAttempt) -> [SqlValue<'_>; 4] {
    [
        (&attempt.browser).into(),
        attempt.day.number().into(),
        (&attempt.game).into(),
        attempt.begun_ms.into(),
    ]
}

async fn create(
    connection: &mut impl BatchConnection,
    header: &GameHeader,
    seats: &[Seat],
    entries: &[StoredEntry],
) -> ChangeResult {
    connection.lock_creation().await?;
    let rematch = header.rematch_of.as_ref();
    let (mut played_on, mut uploaded, mut daily) = (None, None, None);
    match &header.origin {
        Some(GameOrigin::PlayedOn { of, ply }) => played_on = Some((of, *ply)),
        Some(GameOrigin::Uploaded { id, provenance }) => uploaded = Some((id, provenance)),
        Some(GameOrigin::Daily { day }) => daily = Some(day.number()),
        None => {}
    }
    let chain_head = ChainHash::header_hash(header);
    let seats_hash = ChainHash::seats_hash(&Seats::new(seats.to_vec()));
    let dice = header.dice.as_ref();
    let values = [
        (&header.id).into(),
        DICE_FORMAT.into(),
        (&header.game).into(),
        (&header.start).into(),
        dice.map_or(&[0; 32], |dice| dice.seed.as_bytes()).into(),
        dice.map(|dice| dice.salt.as_bytes()).into(),
        header.pace.name().into(),
        header.creator.as_ref().into(),
        header.book_of.as_ref().into(),
        header.created_ms.into(),
        header.private.into(),
        header.replace_after_s.into(),
        rematch.map(|(of, _)| of).into(),
        rematch.map(|(_, kind)| kind.name()).into(),
        (&chain_head).into(),
        (&seats_hash).into(),
        played_on.map(|(of, _)| of).into(),
        played_on.map(|(_, ply)| ply).into(),
        uploaded.is_some().into(),
        header.takebacks.into(),
        uploaded.and_then(|(id, _)| id.as_ref()).into(),
        header.hints.into(),
        uploaded
            .and_then(|(_, provenance)| provenance.as_ref())
            .into(),
        daily.into(),
        header.turn_s.into(),
    ];
    if connection.execute(queries::CREATE, &values).await? == 0 {
        return Ok(Err(StoreError::Exists));
    }
    insert_seats(connection, &header.id, seats).await?;
    append_new(connection, header, entries).await?;
    connection.mark_possibly_due(&header.id).await?;
    if let Some((of, _)) = rematch {
        let change = GameChange::Rematch(header.id.clone());
        connection.notify(&[(of, change)]).await?;
    }
    Ok(Ok(0))
}

/// Inserts the rows of a new game. Triggers change some of its columns meanwhile and derive rows for lists: the columns
/// are set again, and the derived rows are deleted, because those of the source are copied.
async fn import_game(
    connection: &mut impl BatchConnection,
    id: &GameId,
    rows: &[TableRows],
) -> ChangeResult {
    connection.lock_creation().await?;
    let Some((game, others)) = rows.split_first() else {
        return Ok(Ok(0));
    };
    if insert_rows(connection, game).await? == 0 {
        return Ok(Err(StoreError::Exists));
    }
    for rows in others {
        insert_rows(connection, rows).await?;
    }
    let update = game.table.update(connection.statements().dialect);
    let row = game.to_json();
    connection.execute_built(update, &[(&row).into()]).await?;
    for statement in queries::DELETE_DERIVED {
        connection.execute(statement, &[id.into()]).await?;
    }
    connection.mark_possibly_due(id).await?;
    Ok(Ok(0))
}

/// Inserts those rows that are not there; returns their number.
async fn insert_rows(
    connection: &mut impl BatchConnection,
    rows: &TableRows,
) -> Result<u64, sqlx::Error> {
    let insert = rows.table.insert(connection.statements().dialect);
    let rows = rows.to_json();
    connection.execute_built(insert, &[(&rows).into()]).await
}

/// Deletes the rows of a browser, in whichever table they are.
async fn delete_browser_data(
    connection: &mut impl BatchConnection,
    browser: &SecretHash,
) -> Result<(), sqlx::Error> {
    let columns = connection.statements().columns;
    let columns = connection.fetch_all(columns, &[]).await?;
    for table in tables_of_browsers(&columns)? {
        let delete = format!("DELETE FROM \"{table}\" WHERE browser = $1");
        connection.execute_built(delete, &[browser.into()]).await?;
    }
    Ok(())
}

async fn change_seats(
    connection: &mut impl BatchConnection,
    id: &GameId,
    expected_revision: u32,
    seats: &[Seat],
) -> ChangeResult {
    let rows = connection
        .fetch_all(queries::REVISION, &[id.into()])
        .await?;
    let Some(row) = rows.first() else {
        return Ok(Err(StoreError::NotFound));
    };
    let mut changed = match parse_seats(id, row, &[]) {
        Ok(before) if before.revision == expected_revision => before,
        Ok(Seats { revision, .. }) => return Ok(Err(StoreError::StaleSeats { revision })),
        Err(error) => return Ok(Err(StoreError::Damaged(format!("game {id}: {error}")))),
    };
    changed.revision = expected_revision.wrapping_add(1);
    changed.seats = seats.to_vec();
    let (revision, hash) = (changed.revision, ChainHash::seats_hash(&changed));
    let values = [id.into(), (&hash).into()];
    connection
        .execute(queries::UPDATE_SEATS_REVISION, &values)
        .await?;
    connection
        .execute(queries::DELETE_SEATS, &[id.into()])
        .await?;
    insert_seats(connection, id, seats).await?;
    connection.mark_possibly_due(id).await?;
    connection
        .notify(&[(id, GameChange::Seats(revision))])
        .await?;
    Ok(Ok(u64::from(revision)))
}

async fn insert_seats(
    connection: &mut impl BatchConnection,
    id: &GameId,
    seats: &[Seat],
) -> Result<(), sqlx::Error> {
    for (player, seat) in (0_u32..).zip(seats) {
        let columns = SeatColumns::from_occupant(&seat.occupant);
        let values = [
            id.into(),
            player.into(),
            columns.sitter.into(),
            columns.level.as_deref().into(),
            seat.occupant.name().into(),
            columns.browser.as_ref().into(),
            columns.token.as_ref().into(),
            columns.invite.as_ref().into(),
            columns.joined.as_ref().into(),
            columns.nonce.as_ref().into(),
            seat.since_ms.into(),
        ];
        connection.execute(queries::INSERT_SEAT, &values).await?;
    }
    Ok(())
}

async fn count(
    connection: &mut impl BatchConnection,
    counts: &[(String, u64)],
    first: bool,
) -> ChangeResult {
    if first {
        connection.lock_counts().await?;
        if !connection
            .fetch_all(queries::ANY_COUNT, &[])
            .await?
            .is_empty()
        {
            return Ok(Err(StoreError::Exists));
        }
    }
    for (name, count) in counts {
        let count = i64::try_from(*count).unwrap_or(i64::MAX);
        let values = [name.into(), count.into()];
        connection.execute(queries::ADD_COUNT, &values).await?;
    }
    Ok(Ok(0))
}

/// Deletes those of the given games that are expired now; returns their number.
async fn delete_expired(
    connection: &mut impl BatchConnection,
    games: &[GameId],
    cutoffs: &RetentionCutoffs,
) -> ChangeResult {
    let games = json_ids(games);
    let values = [
        (&games).into(),
        cutoffs.finished_ms.into(),
        cutoffs.abandoned_ms.into(),
        cutoffs.untouched_ms.into(),
        cutoffs.awaited_ms.into(),
        cutoffs.uploaded_ms.into(),
    ];
    let query = connection.statements().delete_expired;
    Ok(Ok(connection.execute(query, &values).await?))
}

async fn change_review(
    connection: &mut impl BatchConnection,
    id: &GameId,
    change: &ReviewChange,
) -> ChangeResult {
    let changed = match change {
        ReviewChange::Request(at_ms) => {
            let values = [id.into(), (*at_ms).into()];
            connection.execute(queries::REQUEST_REVIEW, &values).await?
        }
        ReviewChange::Store(review) => {
            let values = [id.into(), review.into()];
            connection.execute(queries::STORE_REVIEW, &values).await?
        }
        ReviewChange::Cancel => {
            for query in queries::CANCEL_REVIEW {
                connection.execute(query, &[id.into()]).await?;
            }
            let values = [id.into()];
            let games = connection.fetch_all(queries::GAMES_WITH_ID, &values);
            games.await?.len() as u64
        }
    };
    Ok(require_changed(changed, StoreError::NotFound))
}
