//! Open tables: games with a free seat that anybody may find and join.
//!
//! The creator opens and closes a table. It is listed as long as the creator's page of the game is open, and for
//! `MAX_ABSENCE_MS` afterwards, but no longer than `MAX_LISTED_MS`; at several servers the store tells them all when
//! the creator was last seen. The list has one table of each client network first, then the second ones, so that no
//! network fills its beginning; among these the one that was opened first comes first.

pub(super) mod listing;
pub mod rows;
mod unplayed_seats;

use std::collections::HashMap;
use std::sync::Arc;

use rows::{ListedSince, ListedTable, MAX_TABLES_PER_NETWORK, OpenTable};
use unplayed_seats::{UnplayedSeats, forget_played_seats};

use super::shared::app::App;
use crate::seats::Credentials;
use crate::secret::Secret;
use crate::store::GameId;
use crate::tables::{
    ClientNetwork, CreatedGame, DisplayName, NewGame, SeatChange, SeatChangeError, SeatClaimant,
    Service, ServiceError, Snapshot,
};

/// How long a table stays listed after its creator was last seen at it.
const MAX_ABSENCE_MS: i64 = 2 * 60_000;

/// How long a table stays listed after it was opened: a page that remains open does not prove that somebody is there.
const MAX_LISTED_MS: i64 = 60 * 60_000;

/// How many tables of one browser are listed.
const MAX_TABLES_PER_BROWSER: u32 = 3;

/// How many tables are considered for the list.
const MAX_CONSIDERED: u32 = 200;

/// How old the stored time must be before it is stored again.
const SEEN_INTERVAL_MS: i64 = 20_000;

/// Creates a game and lists it among the open tables.
///
/// # Errors
/// As for [`Service::create`], and [`ServiceError::TooManyOpenTables`].
pub(super) async fn create_listed(
    service: &Service,
    new: NewGame,
) -> Result<CreatedGame, ServiceError> {
    let host = Credentials {
        browser: new.creator.browser().map(Secret::hash),
        client_network: new.client_network,
        ..Credentials::default()
    };
    // What is wrong with the game is reported first.
    service.draft(&new)?;
    if has_all_tables(service, &host, None).await? {
        return Err(ServiceError::TooManyOpenTables);
    }
    let created = service.create(new).await?;
    list_table(service, &created.snapshot.id, &host).await?;
    Ok(created)
}

/// Lists a game among the open tables.
///
/// # Errors
/// [`SeatChangeError::NotYourSeat`] if this client may not do that, [`SeatChangeError::TooManyTables`] if it has the
/// maximum of open tables, or the store fails.
pub(super) async fn open_table(
    service: &Service,
    id: &GameId,
    credentials: &Credentials,
) -> Result<Arc<Snapshot>, ServiceError> {
    let snapshot = service.snapshot(id).await?;
    if !snapshot.can_be_opened_by(credentials) {
        let why = SeatChangeError::NotYourSeat;
        return Err(ServiceError::SeatChangeRejected { why, snapshot });
    }
    if has_all_tables(service, credentials, Some(id)).await? {
        let why = SeatChangeError::TooManyTables;
        return Err(ServiceError::SeatChangeRejected { why, snapshot });
    }
    list_table(service, id, credentials).await?;
    Ok(snapshot)
}

/// Lists a table. One that is listed already keeps its place, also if it is opened from another network.
async fn list_table(
    service: &Service,
    id: &GameId,
    host: &Credentials,
) -> Result<(), ServiceError> {
    let (store, now_ms) = (service.store(), service.now_ms());
    let listed = store.find_open_table(id).await?;
    let listed = listed.filter(|table| table.opened_ms > listed_since(service).opened_ms);
    let (opened_ms, network) = match listed {
        Some(table) => (table.opened_ms, table.network),
        None => {
            let network = counted_network(service, host.client_network);
            (now_ms, network.map(ClientNetwork::hash))
        }
    };
    let table = OpenTable {
        game: id.clone(),
        opened_ms,
        seen_ms: now_ms,
        network,
    };
    Ok(store.open_table(table).await?)
}

/// The network to which limits apply: none for clients on this machine, unless they are limited too.
fn counted_network(service: &Service, network: Option<ClientNetwork>) -> Option<ClientNetwork> {
    let limits_loopback = service.settings().limit_loopback;
    network.filter(|network| {
        network.is_known() && (limits_loopback || !network.address().is_loopback())
    })
}

/// Whether the browser or its client network has the maximum of listed tables, besides this game.
async fn has_all_tables(
    service: &Service,
    host: &Credentials,
    besides: Option<&GameId>,
) -> Result<bool, ServiceError> {
    let network = counted_network(service, host.client_network);
    let network = network.map(ClientNetwork::hash);
    let (mut of_browser, mut of_network) = (0, 0);
    for ListedTable { table, creator } in listed_tables(service).await? {
        if Some(&table.game) != besides {
            of_browser += u32::from(host.matches_browser(creator.as_ref()));
            of_network += u32::from(network.is_some() && table.network == network);
        }
    }
    Ok(of_browser >= MAX_TABLES_PER_BROWSER || of_network >= MAX_TABLES_PER_NETWORK)
}

fn listed_since(service: &Service) -> ListedSince {
    let now_ms = service.now_ms();
    ListedSince {
        opened_ms: now_ms.saturating_sub(MAX_LISTED_MS),
        seen_ms: now_ms.saturating_sub(MAX_ABSENCE_MS),
    }
}

/// The open tables in the order of the list.
async fn listed_tables(service: &Service) -> Result<Vec<ListedTable>, ServiceError> {
    let store = service.store();
    let mut tables = store
        .list_open_tables(listed_since(service), MAX_CONSIDERED)
        .await?;
    let mut of_browser = HashMap::new();
    tables.retain(|listed| {
        let tables = of_browser.entry(listed.creator).or_insert(0);
        *tables += 1;
        *tables <= MAX_TABLES_PER_BROWSER
    });
    Ok(tables)
}

/// Removes the tables that are no longer listed because they were opened too long ago.
///
/// # Errors
/// If the store fails.
pub async fn delete_old_tables(service: &Service) -> Result<u64, ServiceError> {
    let opened_until_ms = listed_since(service).opened_ms;
    Ok(service.store().delete_open_tables(opened_until_ms).await?)
}

/// Removes a game from the open tables.
///
/// # Errors
/// [`SeatChangeError::NotYourSeat`] if this client did not create the game, or the store fails.
pub(super) async fn close_table(
    service: &Service,
    id: &GameId,
    credentials: &Credentials,
) -> Result<Arc<Snapshot>, ServiceError> {
    let snapshot = service.snapshot(id).await?;
    if !snapshot.is_host(credentials) {
        let why = SeatChangeError::NotYourSeat;
        return Err(ServiceError::SeatChangeRejected { why, snapshot });
    }
    service.store().close_table(id).await?;
    Ok(snapshot)
}

/// Records that the creator is at a table that is open, if this client is the creator. Returns whether it is open;
/// `None` if this client cannot open it.
///
/// # Errors
/// If the store fails.
pub(super) async fn mark_creator_seen(
    service: &Service,
    snapshot: &Snapshot,
    credentials: &Credentials,
) -> Result<Option<bool>, ServiceError> {
    if !snapshot.can_be_opened_by(credentials) {
        return Ok(None);
    }
    let (store, now_ms) = (service.store(), service.now_ms());
    let table = store.find_open_table(&snapshot.id).await?;
    let table = table.filter(|table| table.opened_ms > listed_since(service).opened_ms);
    if let Some(table) = &table
        && now_ms.saturating_sub(table.seen_ms) >= SEEN_INTERVAL_MS
    {
        store.mark_table_seen(&snapshot.id, now_ms).await?;
    }
    Ok(Some(table.is_some()))
}

/// Up to `limit` open tables in the order of the list, with the minutes since they were opened.
///
/// # Errors
/// If the store fails.
pub(super) async fn open_tables(
    service: &Service,
    limit: u32,
) -> Result<Vec<(GameId, u32)>, ServiceError> {
    let now_ms = service.now_ms();
    let tables = listed_tables(service).await?.into_iter();
    let with_minutes = |ListedTable { table, .. }| {
        let minutes = now_ms.saturating_sub(table.opened_ms) / 60_000;
        (table.game, u32::try_from(minutes).unwrap_or(0))
    };
    Ok(tables.take(limit as usize).map(with_minutes).collect())
}

/// Takes the next free seat of an open table for a browser. A browser that has a seat keeps it.
///
/// # Errors
/// [`SeatChangeError::Taken`] if the table is closed or all its seats are taken,
/// [`SeatChangeError::TooManySeats`] if the browser or its network has not moved yet in the maximum of seats, or the
/// store fails.
pub(super) async fn join_table(
    app: &App,
    id: &GameId,
    credentials: Credentials,
    (secret, name): (Secret, Option<DisplayName>),
) -> Result<Arc<Snapshot>, ServiceError> {
    let service = &app.service;
    let snapshot = service.snapshot(id).await?;
    if !snapshot.seats_of(&credentials).is_empty() {
        return Ok(snapshot);
    }
    let table = service.store().find_open_table(id).await?;
    let is_listed = table.is_some_and(|table| listed_since(service).includes(&table));
    if !is_listed || snapshot.private {
        let why = SeatChangeError::Taken;
        return Err(ServiceError::SeatChangeRejected { why, snapshot });
    }
    let browser = secret.hash();
    let network = counted_network(service, credentials.client_network);
    let unplayed_seats = app.state::<UnplayedSeats>();
    forget_played_seats(service, &unplayed_seats, &browser, network).await;
    let reserved = unplayed_seats.reserve(id, browser, network);
    let Some(reserved) = reserved else {
        let why = SeatChangeError::TooManySeats;
        return Err(ServiceError::SeatChangeRejected { why, snapshot });
    };
    let by = SeatClaimant::Browser(secret);
    let change = SeatChange::TakeFree { by, name };
    let joined = service.change_seat(id, credentials, change).await?;
    reserved.keep();
    Ok(joined)
}
