//! The open tables as pages list them.

use std::collections::HashMap;
use std::sync::Arc;

use super::open_tables;
use crate::http::error::HttpError;
use crate::seats::Credentials;
use crate::site::game_view;
use crate::site::shared::app::{App, FeatureState};
use crate::site::shared::cached_value::StoredValue;
use crate::store::GameId;
use crate::tables::{GameSummary, ServiceError};
use crate::templates::tables::OpenTableView;

/// The maximum number of tables on the page.
const MAX_LISTED: u32 = 50;

/// The number of tables on the start page.
const START_PAGE_TABLES: usize = 2;

/// The open tables in the order of the list, with the minutes since they were opened, and the summaries of their games.
type TablesAndGames = (Arc<Vec<(GameId, u32)>>, Arc<Vec<Arc<GameSummary>>>);

struct ListedTables(StoredValue<TablesAndGames>);

impl FeatureState for ListedTables {
    fn new(_: &App) -> Self {
        ListedTables(StoredValue::default())
    }
}

/// The tables on the start page, the number of all tables, and whether the reader has no name yet.
pub(in crate::site) async fn on_start_page(
    app: &App,
    credentials: &Credentials,
) -> Result<(Vec<OpenTableView>, u32, bool), HttpError> {
    let (tables, count) = listed(app, credentials, START_PAGE_TABLES).await?;
    let asks_name = !tables.is_empty() && known_name(app, credentials).await?.is_none();
    Ok((tables, count, asks_name))
}

/// Up to `max` of the open tables, and how many there are.
pub(in crate::site) async fn listed(
    app: &App,
    credentials: &Credentials,
    max: usize,
) -> Result<(Vec<OpenTableView>, u32), HttpError> {
    let ListedTables(tables) = &*app.state();
    let tables = tables.get_or_read(&app.service, app.service.store().commits(), async || {
        let open = open_tables(&app.service, MAX_LISTED).await?;
        let ids: Vec<GameId> = open.iter().map(|(id, _)| id.clone()).collect();
        let network = credentials.client_network;
        let games = app.service.summaries(&ids, network).await?;
        Ok::<_, ServiceError>((Arc::new(open), Arc::new(games)))
    });
    let (open, games) = tables.await?;
    let count = u32::try_from(open.len()).unwrap_or(u32::MAX);
    let minutes: HashMap<&GameId, _> = open.iter().map(|(id, minutes)| (id, *minutes)).collect();
    let free = games.iter().filter(|game| {
        let mut seats = game.newest.seats.seats.iter();
        let is_anybody_there = seats.any(|seat| seat.occupant.is_human());
        is_anybody_there && !game.newest.free_seats().is_empty()
    });
    let tables = free.take(max).map(|game| {
        let snapshot = &game.newest;
        OpenTableView {
            id: snapshot.id.to_string(),
            rules: game.game.heading(),
            // Everybody has a name here, the reader too.
            players: game_view::named_players(snapshot, &[]),
            turn_s: snapshot.turn_s,
            minutes: minutes.get(&snapshot.id).copied().unwrap_or_default(),
            is_own: !snapshot.seats_of(credentials).is_empty() || snapshot.is_host(credentials),
        }
    });
    let tables = tables.collect();
    Ok((tables, count))
}

/// The name that the reader used last.
pub(in crate::site) async fn known_name(
    app: &App,
    credentials: &Credentials,
) -> Result<Option<String>, HttpError> {
    for browser in credentials.browsers() {
        if let Some(name) = app.service.store().last_name(browser).await? {
            return Ok(Some(name));
        }
    }
    Ok(None)
}
