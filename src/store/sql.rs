//! The store in a SQL database: what SQLite and PostgreSQL share. A query runs on one of several connections for
//! reading; changes are sent to the writer of the database ([`WriteQueue`]), which applies them with [`batch`].

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use super::local_leases::{LocalLeases, can_continue, is_last};
use super::write_queue::{AppendRequest, StoreChange, WriteQueue, WriteTask, unavailable};
use super::{
    AppendOptions, BrowserStore, ChangeNotification, DailyCount, DailyDeal, DailyScore, DailyStore,
    DatabaseTime, DerivedStore, FeedStore, FencingToken, GameHeader, GameId, GameList, GamePage,
    GameStore, GameVersion, LeaseStore, ListStore, ListedSince, ListedTable, MAX_OWN_GAMES_SKIPPED,
    MAX_TABLES_PER_NETWORK, NetworkHash, NetworkKey, NetworkStore, OpenTable, OpenTableStore,
    PageCursor, PairingStore, ProgramId, ProgramStore, PuzzleAnswer, PuzzleCount, PuzzleStore,
    RecordStore, RegisteredProgram, RetentionCutoffs, ReviewChange, ServedPeriod, ServedStore,
    StorageUsage, StoreError, StoredCard, StoredEntry, StoredFeed, StoredGame, StoredPairingCode,
    StoredReview, Table, TableRows, TableStore,
};
use crate::day::Day;
use crate::seats::{ComputerPace, RematchKind, SaidPhrase, Seat};
use crate::secret::SecretHash;
use append::json_ids;
use connection::{SqlRow, SqlValue};
use decode::{
    GameRows, RowReadError, parse_card, parse_counts, parse_daily_deal, parse_daily_score,
    parse_day, parse_feed, parse_game_id, parse_game_ids, parse_hash, parse_listed_table,
    parse_network_key, parse_open_table, parse_page, parse_pairing_code, parse_program,
    parse_puzzle_answer, parse_rematch_kind, parse_version, required_number, required_text,
};
use queries::Statements;
use tables::parse_tables;

pub(super) mod append;
pub(super) mod batch;
mod changes;
pub(super) mod connection;
pub(super) mod decode;
pub(super) mod encode;
mod move_games;
pub(super) mod queries;
pub(super) mod tables;

/// What differs between the databases. Whatever implements it is a [`GameStore`].
#[async_trait]
pub(super) trait SqlStore: LeaseStore {
    /// The statements that differ between the databases.
    const STATEMENTS: &'static Statements;

    /// Whether other processes may write to the database.
    const IS_SHARED: bool;

    /// The queue of the writer.
    fn queue(&self) -> &WriteQueue;

    /// The rows of a query, without a check that the store is usable.
    async fn run_query(
        &self,
        query: &'static str,
        values: &[SqlValue<'_>],
    ) -> Result<Vec<SqlRow>, StoreError>;

    /// The rows of one snapshot of a game; `None` if the id is unknown.
    async fn read_game(&self, id: &GameId) -> Result<Option<GameRows>, RowReadError>;

    /// The error of a game that was not read.
    fn load_error(&self, id: &GameId, error: RowReadError) -> StoreError;

    /// The leases, unless they are stored in the database.
    fn local_leases(&self) -> Option<&LocalLeases> {
        None
    }

    /// The clock of the database; `None` if it has none of its own.
    fn database_time(&self) -> Option<DatabaseTime> {
        None
    }

    /// The channel of change notifications; `None` if the database is not shared.
    fn notification_receiver(&self) -> Option<broadcast::Receiver<ChangeNotification>> {
        None
    }

    /// Reads from the database without waiting for other readers.
    async fn probe(&self) -> Result<(), sqlx::Error>;

    async fn measure_usage(&self) -> Result<StorageUsage, StoreError>;

    fn publish_address(&self, address: &str);

    /// Releases the storage, after the writer has ended.
    async fn release_storage(&self);

    async fn change(&self, change: StoreChange) -> Result<u64, StoreError> {
        self.queue().submit(WriteTask::Change(change)).await
    }

    async fn fetch_all(
        &self,
        query: &'static str,
        values: &[SqlValue<'_>],
    ) -> Result<Vec<SqlRow>, StoreError> {
        self.queue().ensure_usable()?;
        self.run_query(query, values).await
    }

    /// The game ids in the column `id` of a query.
    async fn fetch_ids(
        &self,
        query: &'static str,
        values: &[SqlValue<'_>],
    ) -> Result<Vec<GameId>, StoreError> {
        Ok(parse_game_ids(&self.fetch_all(query, values).await?, "id"))
    }

    async fn fetch_program(
        &self,
        query: &'static str,
        key: SqlValue<'_>,
    ) -> Result<Option<RegisteredProgram>, StoreError> {
        let rows = self.fetch_all(query, &[key]).await?;
        let program = rows.first().map_or(Ok(None), parse_program);
        program.map_err(unavailable)
    }

    /// Marks a game as possibly due in the local leases.
    fn mark_possibly_due(&self, id: &GameId) {
        if let Some(leases) = self.local_leases() {
            leases.mark_possibly_due(id);
        }
    }
}

#[async_trait]
impl<S: SqlStore> RecordStore for S {
    async fn create_with_entries(
        &self,
        header: GameHeader,
        seats: Vec<Seat>,
        entries: Vec<StoredEntry>,
    ) -> Result<(), StoreError> {
        let may_be_due = !entries.last().is_some_and(is_last)
            && can_continue(header.pace, header.turn_s, &seats);
        let id = header.id.clone();
        let header = Box::new(header);
        let change = StoreChange::Create {
            header,
            seats,
            entries,
        };
        self.change(change).await?;
        if may_be_due {
            self.mark_possibly_due(&id);
        }
        Ok(())
    }

    async fn load(&self, id: &GameId) -> Result<Option<StoredGame>, StoreError> {
        self.queue().ensure_usable()?;
        let rows = self.read_game(id).await;
        let stored = rows.and_then(|rows| rows.map(|rows| rows.to_verified_game(id)).transpose());
        stored.map_err(|error| self.load_error(id, error))
    }

    async fn append_with(
        &self,
        id: &GameId,
        expected: u32,
        entry: StoredEntry,
        card: Option<String>,
        options: AppendOptions,
    ) -> Result<Option<FencingToken>, StoreError> {
        let leases = self.local_leases();
        if let Some(leases) = leases {
            leases.check_fence(id, options)?;
        }
        let is_last = is_last(&entry);
        let append = AppendRequest {
            id: id.clone(),
            expected,
            entry,
            card,
            options,
        };
        let granted = self.queue().submit(WriteTask::Append(append)).await?;
        Ok(match leases {
            Some(leases) => leases.record_append(id, is_last, options),
            None => (granted > 0).then_some(FencingToken(granted)),
        })
    }

    async fn repair_finished(&self, id: &GameId) -> Result<(), StoreError> {
        let id = id.clone();
        let change = StoreChange::RepairFinished { id };
        self.change(change).await.map(drop)
    }

    async fn delete_game(&self, id: &GameId, seats_revision: u32) -> Result<bool, StoreError> {
        let id = id.clone();
        let change = StoreChange::Delete { id, seats_revision };
        Ok(self.change(change).await? > 0)
    }

    async fn versions(&self, games: &[GameId]) -> Result<Vec<GameVersion>, StoreError> {
        let rows = self
            .fetch_all(S::STATEMENTS.versions, &[(&json_ids(games)).into()])
            .await?;
        // Damaged rows are skipped so that they do not hide others.
        Ok(rows.iter().filter_map(parse_version).collect())
    }
}

#[async_trait]
impl<S: SqlStore> ListStore for S {
    async fn change_seats(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
    ) -> Result<u32, StoreError> {
        let mut may_be_due = can_continue(ComputerPace::AtOnce, None, &seats);
        if !may_be_due && self.local_leases().is_some() {
            let with_clock = self.fetch_ids(queries::HAS_CLOCK, &[id.into()]).await?;
            may_be_due = !with_clock.is_empty();
        }
        let change = StoreChange::Seats {
            id: id.clone(),
            expected_revision,
            seats,
        };
        let revision = self.change(change).await?;
        if may_be_due {
            self.mark_possibly_due(id);
        }
        u32::try_from(revision).map_err(unavailable)
    }

    async fn find_seat_by_link(
        &self,
        link: &SecretHash,
    ) -> Result<Option<(GameId, u8)>, StoreError> {
        let rows = self
            .fetch_all(queries::SEAT_OF_LINK, &[link.into()])
            .await?;
        let Some(row) = rows.first() else {
            return Ok(None);
        };
        let seat = parse_game_id(row, "game").zip(required_number(row, "player").ok());
        let damaged = || StoreError::Damaged("the seat of a link cannot be read".to_owned());
        seat.map(Some).ok_or_else(damaged)
    }

    async fn list_games(
        &self,
        list: GameList,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError> {
        let PageCursor { active_ms, serial } = after.unwrap_or(PageCursor::FIRST);
        let (active_ms, serial, limit) = (active_ms.into(), serial.into(), limit.into());
        let rows = match &list {
            GameList::Of(browser) => {
                let values = [browser.into(), active_ms, serial, limit];
                self.fetch_all(queries::GAMES_OF, &values).await?
            }
            GameList::Watchable => {
                let values = [active_ms, serial, limit];
                self.fetch_all(queries::ALL_WATCHABLE, &values).await?
            }
            GameList::Unfinished(pace) => {
                let values = [pace.name().into(), active_ms, serial, limit];
                self.fetch_all(queries::UNFINISHED, &values).await?
            }
            GameList::All => {
                let after = after.map_or(i64::MIN, |cursor| cursor.serial);
                let values = [after.into(), limit];
                self.fetch_all(queries::ALL_GAMES, &values).await?
            }
        };
        parse_page(&rows).map_err(unavailable)
    }

    async fn book_page_game(&self, browser: &SecretHash) -> Result<Option<GameId>, StoreError> {
        let found = self
            .fetch_ids(queries::BOOK_GAME, &[browser.into()])
            .await?;
        Ok(found.into_iter().next())
    }

    async fn list_watchable(
        &self,
        viewer: Option<&SecretHash>,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        let searched = i64::from(limit) + i64::from(MAX_OWN_GAMES_SKIPPED);
        let values = [viewer.into(), limit.into(), searched.into()];
        self.fetch_ids(queries::WATCHABLE, &values).await
    }

    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, StoreError> {
        let rows = self.fetch_all(queries::REMATCHES, &[id.into()]).await?;
        let rematch = |row: &SqlRow| {
            let kind = parse_rematch_kind(row.text("rematch_kind").ok()??).ok()?;
            Some((kind, parse_game_id(row, "id")?))
        };
        // Damaged rows are skipped so that they do not hide others.
        let mut found: Vec<_> = rows.iter().filter_map(rematch).collect();
        found.sort();
        Ok(found)
    }

    async fn list_expired(
        &self,
        cutoffs: &RetentionCutoffs,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        let kinds = [
            (queries::UPLOADED, cutoffs.uploaded_ms),
            (queries::FINISHED, cutoffs.finished_ms),
            (queries::UNTOUCHED, cutoffs.untouched_ms),
            (queries::AWAITED, cutoffs.awaited_ms),
            (queries::ABANDONED[0], cutoffs.abandoned_ms),
            (queries::ABANDONED[1], cutoffs.abandoned_ms),
        ];
        let mut found = Vec::new();
        for (query, before_ms) in kinds {
            let remaining = i64::from(limit) - i64::try_from(found.len()).unwrap_or(i64::MAX);
            if let (Some(before_ms), 1..) = (before_ms, remaining) {
                let values = [before_ms.into(), remaining.into()];
                found.extend(self.fetch_ids(query, &values).await?);
            }
        }
        Ok(found)
    }

    async fn delete_expired(
        &self,
        games: Vec<GameId>,
        cutoffs: RetentionCutoffs,
    ) -> Result<u64, StoreError> {
        self.change(StoreChange::Remove { games, cutoffs }).await
    }

    async fn last_activity_ms(&self) -> Result<Option<i64>, StoreError> {
        let rows = self.fetch_all(queries::LAST_ACTIVITY, &[]).await?;
        let newest = rows.first().map_or(Ok(None), |row| row.integer("at_ms"));
        newest.map_err(unavailable)
    }
}

#[async_trait]
impl<S: SqlStore> DerivedStore for S {
    async fn cards(&self, games: &[GameId]) -> Result<Vec<StoredCard>, StoreError> {
        let ids = json_ids(games);
        let rows = self
            .fetch_all(S::STATEMENTS.cards, &[(&ids).into()])
            .await?;
        // The seats are read after the revision in the game's row: a list that is based on an older revision is read
        // again.
        let query = S::STATEMENTS.seats_of_games;
        let mut seats: HashMap<GameId, Vec<SqlRow>> = HashMap::new();
        for seat in self.fetch_all(query, &[(&ids).into()]).await? {
            if let Some(id) = parse_game_id(&seat, "game") {
                seats.entry(id).or_default().push(seat);
            }
        }
        let cards = rows.into_iter().filter_map(|row| {
            let seats = seats.remove(&parse_game_id(&row, "id")?)?;
            parse_card(row, seats).ok()
        });
        Ok(cards.collect())
    }

    async fn store_card(&self, id: &GameId, card: String) -> Result<(), StoreError> {
        let id = id.clone();
        let change = StoreChange::StoreCard { id, card };
        self.change(change).await.map(drop)
    }

    async fn change_review(&self, id: &GameId, change: ReviewChange) -> Result<(), StoreError> {
        let id = id.clone();
        let change = StoreChange::Review { id, change };
        self.change(change).await.map(drop)
    }

    async fn review(&self, id: &GameId) -> Result<Option<StoredReview>, StoreError> {
        let rows = self.fetch_all(queries::REVIEW, &[id.into()]).await?;
        let review = |row: &SqlRow| {
            Ok::<_, sqlx::Error>(StoredReview {
                is_wanted: row.integer("wanted_ms")?.is_some(),
                review: row.text("review")?.map(str::to_owned),
            })
        };
        rows.first().map(review).transpose().map_err(unavailable)
    }

    async fn reviewed(&self, games: &[GameId]) -> Result<Vec<GameId>, StoreError> {
        let query = S::STATEMENTS.reviewed;
        let rows = self.fetch_all(query, &[(&json_ids(games)).into()]).await?;
        Ok(parse_game_ids(&rows, "game"))
    }

    async fn pending_reviews(&self, limit: u32) -> Result<Vec<GameId>, StoreError> {
        let rows = self
            .fetch_all(queries::PENDING_REVIEWS, &[limit.into()])
            .await?;
        Ok(parse_game_ids(&rows, "game"))
    }

    async fn add_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError> {
        let first = false;
        let change = StoreChange::AddCounts { counts, first };
        self.change(change).await.map(drop)
    }

    async fn begin_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError> {
        let first = true;
        let change = StoreChange::AddCounts { counts, first };
        self.change(change).await.map(drop)
    }

    async fn counts(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let rows = self.fetch_all(queries::COUNTS, &[]).await?;
        parse_counts(&rows).map_err(unavailable)
    }
}

#[async_trait]
impl<S: SqlStore> DailyStore for S {
    async fn add_daily_deal(&self, deal: DailyDeal) -> Result<(), StoreError> {
        let change = StoreChange::AddDailyDeal(Box::new(deal));
        self.change(change).await.map(drop)
    }

    async fn daily_deal(&self, day: Day) -> Result<Option<DailyDeal>, StoreError> {
        let rows = self
            .fetch_all(queries::DAILY_DEAL, &[day.number().into()])
            .await?;
        let deal = rows.first().map(parse_daily_deal);
        deal.transpose().map_err(unavailable)
    }

    async fn daily_days(&self, since: Day) -> Result<Vec<Day>, StoreError> {
        let rows = self
            .fetch_all(queries::DAILY_DAYS, &[since.number().into()])
            .await?;
        let days = rows.iter().map(|row| parse_day(row, "day"));
        days.collect::<Result<_, _>>().map_err(unavailable)
    }

    async fn daily_game(
        &self,
        day: Day,
        browser: &SecretHash,
    ) -> Result<Option<GameId>, StoreError> {
        let values = [day.number().into(), browser.into()];
        let found = self.fetch_ids(queries::DAILY_GAME, &values).await?;
        Ok(found.into_iter().next())
    }

    async fn daily_player(&self, game: &GameId) -> Result<Option<SecretHash>, StoreError> {
        let rows = self
            .fetch_all(queries::DAILY_PLAYER, &[game.into()])
            .await?;
        let player = rows
            .first()
            .map_or(Ok(None), |row| parse_hash(row, "browser"));
        player.map_err(unavailable)
    }

    async fn daily_attempts(
        &self,
        browser: &SecretHash,
        since: Day,
    ) -> Result<Vec<Day>, StoreError> {
        let values = [browser.into(), since.number().into()];
        let rows = self.fetch_all(queries::DAILY_ATTEMPTS, &values).await?;
        let days = rows.iter().map(|row| parse_day(row, "day"));
        days.collect::<Result<_, _>>().map_err(unavailable)
    }

    async fn set_daily_network(
        &self,
        browser: &SecretHash,
        network: NetworkHash,
    ) -> Result<(), StoreError> {
        let browser = *browser;
        let change = StoreChange::SetDailyNetwork { browser, network };
        self.change(change).await.map(drop)
    }

    async fn add_daily_score(&self, score: DailyScore, before_ms: i64) -> Result<(), StoreError> {
        let change = StoreChange::AddDailyScore { score, before_ms };
        self.change(change).await.map(drop)
    }

    async fn daily_scores(&self, browser: &SecretHash) -> Result<Vec<DailyScore>, StoreError> {
        let rows = self
            .fetch_all(queries::DAILY_SCORES, &[browser.into()])
            .await?;
        let scores = rows.iter().map(parse_daily_score);
        scores.collect::<Result<_, _>>().map_err(unavailable)
    }

    async fn daily_counts(&self, day: Day) -> Result<Vec<DailyCount>, StoreError> {
        let rows = self
            .fetch_all(queries::DAILY_COUNTS, &[day.number().into()])
            .await?;
        let count = |row: &SqlRow| {
            Ok::<_, RowReadError>(DailyCount {
                hexes: required_number(row, "hexes")?,
                is_won: required_number::<u8>(row, "is_won")? == 1,
                games: required_number(row, "games")?,
            })
        };
        let counts = rows.iter().map(count);
        counts.collect::<Result<_, _>>().map_err(unavailable)
    }
}

#[async_trait]
impl<S: SqlStore> BrowserStore for S {
    async fn move_browser_data(
        &self,
        from: &SecretHash,
        to: Option<&SecretHash>,
    ) -> Result<(), StoreError> {
        let (from, to) = (*from, to.copied());
        let change = StoreChange::MoveBrowserData { from, to };
        self.change(change).await.map(drop)
    }

    async fn delete_old_browser_data(&self, before_ms: i64) -> Result<(), StoreError> {
        let change = StoreChange::DeleteOldBrowserData { before_ms };
        self.change(change).await.map(drop)
    }
}

#[async_trait]
impl<S: SqlStore> OpenTableStore for S {
    async fn open_table(&self, table: OpenTable) -> Result<(), StoreError> {
        self.change(StoreChange::OpenTable(table)).await.map(drop)
    }

    async fn mark_table_seen(&self, id: &GameId, at_ms: i64) -> Result<(), StoreError> {
        let id = id.clone();
        let change = StoreChange::MarkTableSeen { id, at_ms };
        self.change(change).await.map(drop)
    }

    async fn close_table(&self, id: &GameId) -> Result<(), StoreError> {
        let id = id.clone();
        self.change(StoreChange::CloseTable { id }).await.map(drop)
    }

    async fn delete_open_tables(&self, opened_until_ms: i64) -> Result<u64, StoreError> {
        let change = StoreChange::DeleteOpenTables { opened_until_ms };
        self.change(change).await
    }

    async fn find_open_table(&self, id: &GameId) -> Result<Option<OpenTable>, StoreError> {
        let rows = self
            .fetch_all(queries::FIND_OPEN_TABLE, &[id.into()])
            .await?;
        let table = rows.first().map(parse_open_table);
        table.transpose().map_err(unavailable)
    }

    async fn list_open_tables(
        &self,
        since: ListedSince,
        limit: u32,
    ) -> Result<Vec<ListedTable>, StoreError> {
        let values = [
            since.opened_ms.into(),
            since.seen_ms.into(),
            MAX_TABLES_PER_NETWORK.into(),
            limit.into(),
        ];
        let rows = self.fetch_all(queries::OPEN_TABLES, &values).await?;
        let tables = rows.iter().map(parse_listed_table);
        tables.collect::<Result<_, _>>().map_err(unavailable)
    }

    async fn last_name(&self, browser: &SecretHash) -> Result<Option<String>, StoreError> {
        let rows = self
            .fetch_all(queries::LAST_NAME, &[browser.into()])
            .await?;
        let name = rows.first().map_or(Ok(None), |row| row.text("name"));
        Ok(name.map_err(unavailable)?.map(str::to_owned))
    }
}

#[async_trait]
impl<S: SqlStore> PuzzleStore for S {
    async fn add_puzzle_answer(
        &self,
        answer: PuzzleAnswer,
        network: Option<NetworkHash>,
    ) -> Result<(), StoreError> {
        let change = StoreChange::AddPuzzleAnswer(answer, network);
        self.change(change).await.map(drop)
    }

    async fn puzzle_answers(&self, browser: &SecretHash) -> Result<Vec<PuzzleAnswer>, StoreError> {
        let rows = self
            .fetch_all(queries::PUZZLE_ANSWERS, &[browser.into()])
            .await?;
        let answers = rows.iter().map(parse_puzzle_answer);
        answers.collect::<Result<_, _>>().map_err(unavailable)
    }

    async fn puzzle_counts(&self) -> Result<Vec<PuzzleCount>, StoreError> {
        let rows = self.fetch_all(queries::PUZZLE_COUNTS, &[]).await?;
        let count = |row: &SqlRow| {
            Ok::<_, RowReadError>(PuzzleCount {
                puzzle: required_text(row, "puzzle")?.to_owned(),
                answers: required_number(row, "answers")?,
                right: required_number(row, "solved")?,
            })
        };
        let counts = rows.iter().map(count);
        counts.collect::<Result<_, _>>().map_err(unavailable)
    }
}

#[async_trait]
impl<S: SqlStore> NetworkStore for S {
    async fn add_network_key(&self, key: NetworkKey) -> Result<(), StoreError> {
        let change = StoreChange::AddNetworkKey(key);
        self.change(change).await.map(drop)
    }

    async fn network_key(&self, day: Day) -> Result<Option<NetworkKey>, StoreError> {
        let rows = self
            .fetch_all(queries::NETWORK_KEY, &[day.number().into()])
            .await?;
        let key = rows.first().map(parse_network_key);
        key.transpose().map_err(unavailable)
    }

    async fn forget_networks(&self, before: Day) -> Result<(), StoreError> {
        let change = StoreChange::ForgetNetworks { before };
        self.change(change).await.map(drop)
    }
}

#[async_trait]
impl<S: SqlStore> ServedStore for S {
    async fn record_served(
        &self,
        now_ms: i64,
        gap_ms: i64,
    ) -> Result<Vec<ServedPeriod>, StoreError> {
        let change = StoreChange::RecordServed { now_ms, gap_ms };
        self.change(change).await?;
        let rows = self.fetch_all(queries::SERVED, &[]).await?;
        let period = |row: &SqlRow| {
            Ok::<_, RowReadError>(ServedPeriod {
                from_ms: required_number(row, "from_ms")?,
                until_ms: required_number(row, "until_ms")?,
            })
        };
        let periods = rows.iter().map(period);
        periods.collect::<Result<_, _>>().map_err(unavailable)
    }
}

#[async_trait]
impl<S: SqlStore> FeedStore for S {
    async fn set_feed(&self, feed: StoredFeed) -> Result<(), StoreError> {
        let change = StoreChange::SetFeed(feed);
        self.change(change).await.map(drop)
    }

    async fn feed_of(&self, browser: &SecretHash) -> Result<Option<StoredFeed>, StoreError> {
        let rows = self.fetch_all(queries::FEED_OF, &[browser.into()]).await?;
        rows.first()
            .map(parse_feed)
            .transpose()
            .map_err(unavailable)
    }

    async fn mark_feed_fetched(&self, token: &SecretHash, at_ms: i64) -> Result<(), StoreError> {
        let token = *token;
        let change = StoreChange::MarkFeedFetched { token, at_ms };
        self.change(change).await.map(drop)
    }

    async fn feed_by_token(&self, token: &SecretHash) -> Result<Option<StoredFeed>, StoreError> {
        let rows = self
            .fetch_all(queries::FEED_BY_TOKEN, &[token.into()])
            .await?;
        rows.first()
            .map(parse_feed)
            .transpose()
            .map_err(unavailable)
    }
}

#[async_trait]
impl<S: SqlStore> PairingStore for S {
    async fn set_pairing_code(&self, code: StoredPairingCode) -> Result<(), StoreError> {
        let change = StoreChange::SetPairingCode(Box::new(code));
        self.change(change).await.map(drop)
    }

    async fn pairing_code(
        &self,
        code: &SecretHash,
    ) -> Result<Option<StoredPairingCode>, StoreError> {
        let rows = self
            .fetch_all(queries::PAIRING_CODE, &[code.into()])
            .await?;
        let found = rows.first().map(parse_pairing_code);
        found.transpose().map_err(unavailable)
    }

    async fn delete_pairing_code(&self, code: &SecretHash) -> Result<bool, StoreError> {
        let deleted = self.change(StoreChange::DeletePairingCode(*code)).await?;
        Ok(deleted > 0)
    }

    async fn delete_expired_pairing_codes(&self, now_ms: i64) -> Result<(), StoreError> {
        let query = queries::ANY_EXPIRED_PAIRING_CODE;
        if self.fetch_all(query, &[now_ms.into()]).await?.is_empty() {
            return Ok(());
        }
        let change = StoreChange::DeleteExpiredPairingCodes { now_ms };
        self.change(change).await.map(drop)
    }
}

#[async_trait]
impl<S: SqlStore> ProgramStore for S {
    async fn add_program(&self, program: RegisteredProgram) -> Result<(), StoreError> {
        let program = Box::new(program);
        let change = StoreChange::AddProgram { program };
        self.change(change).await.map(drop)
    }

    async fn program(&self, id: &ProgramId) -> Result<Option<RegisteredProgram>, StoreError> {
        self.fetch_program(queries::PROGRAM, id.as_str().into())
            .await
    }

    async fn program_by_token(
        &self,
        token: &SecretHash,
    ) -> Result<Option<RegisteredProgram>, StoreError> {
        self.fetch_program(queries::PROGRAM_BY_TOKEN, token.into())
            .await
    }

    async fn touch_program(&self, token: &SecretHash, at_ms: i64) -> Result<(), StoreError> {
        let token = *token;
        let change = StoreChange::TouchProgram { token, at_ms };
        self.change(change).await.map(drop)
    }

    async fn delete_inactive_programs(&self, before_ms: i64) -> Result<u64, StoreError> {
        self.change(StoreChange::DeleteInactivePrograms { before_ms })
            .await
    }

    async fn with_programs(
        &self,
        games: &[GameId],
        tokens: &[SecretHash],
    ) -> Result<Vec<GameId>, StoreError> {
        let query = S::STATEMENTS.programs_of_games;
        let rows = self.fetch_all(query, &[(&json_ids(games)).into()]).await?;
        let is_one = |row: &&SqlRow| {
            let program = row.bytes("program").ok().flatten();
            program.is_some_and(|program| tokens.iter().any(|token| token.as_bytes() == program))
        };
        let found = rows.iter().filter(is_one);
        let found: HashSet<_> = found.filter_map(|row| parse_game_id(row, "game")).collect();
        let found = games.iter().filter(|id| found.contains(id));
        Ok(found.cloned().collect())
    }

    async fn list_games_of_program(
        &self,
        token: &SecretHash,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        let values = [token.into(), limit.into()];
        self.fetch_ids(queries::GAMES_OF_PROGRAM, &values).await
    }

    async fn count_invitations(&self, token: &SecretHash) -> Result<u32, StoreError> {
        let rows = self
            .fetch_all(queries::INVITATIONS, &[token.into()])
            .await?;
        let count = rows.first().map(|row| required_number(row, "invitations"));
        count
            .transpose()
            .map_err(unavailable)
            .map(Option::unwrap_or_default)
    }

    async fn list_program_finishes(
        &self,
        token: &SecretHash,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<(i64, GameId)>, StoreError> {
        let after = after.unwrap_or(i64::MAX);
        let values = [token.into(), after.into(), limit.into()];
        let rows = self.fetch_all(queries::PROGRAM_FINISHES, &values).await?;
        // The query returns the newest first.
        let finishes = rows.iter().rev().filter_map(|row| {
            Some((
                required_number(row, "number").ok()?,
                parse_game_id(row, "id")?,
            ))
        });
        Ok(finishes.collect())
    }

    async fn mark_finishes_reported(
        &self,
        token: &SecretHash,
        number: i64,
    ) -> Result<(), StoreError> {
        let token = *token;
        let change = StoreChange::ToldProgram { token, number };
        self.change(change).await.map(drop)
    }
}

#[async_trait]
impl<S: SqlStore> TableStore for S {
    async fn tables(&self) -> Result<Vec<Arc<Table>>, StoreError> {
        let columns = self.fetch_all(S::STATEMENTS.columns, &[]).await?;
        parse_tables(&columns).map_err(unavailable)
    }

    async fn import_game(&self, id: GameId, rows: Vec<TableRows>) -> Result<(), StoreError> {
        let change = StoreChange::ImportGame { id, rows };
        self.change(change).await.map(drop)
    }

    async fn insert_rows(&self, rows: TableRows) -> Result<(), StoreError> {
        self.change(StoreChange::InsertRows(rows)).await.map(drop)
    }

    async fn continue_numbers(&self) -> Result<(), StoreError> {
        self.change(StoreChange::ContinueNumbers).await.map(drop)
    }
}

#[async_trait]
impl<S: SqlStore> GameStore for S {
    fn is_shared(&self) -> bool {
        S::IS_SHARED
    }

    fn clock(&self) -> Option<DatabaseTime> {
        self.database_time()
    }

    fn notifications(&self) -> Option<broadcast::Receiver<ChangeNotification>> {
        self.notification_receiver()
    }

    async fn storage_usage(&self) -> Result<StorageUsage, StoreError> {
        self.queue().ensure_usable()?;
        self.measure_usage().await
    }

    async fn health_check(&self) -> Result<(), StoreError> {
        self.queue().ensure_usable()?;
        self.probe().await.map_err(unavailable)
    }

    fn failure(&self) -> CancellationToken {
        self.queue().failure().token.clone()
    }

    fn failure_reason(&self) -> Option<String> {
        self.queue().failure().reason().map(str::to_owned)
    }

    async fn announce_phrase(&self, id: &GameId, said: SaidPhrase) -> Result<(), StoreError> {
        if !S::IS_SHARED {
            return Ok(());
        }
        let id = id.clone();
        let change = StoreChange::AnnouncePhrase { id, said };
        self.change(change).await.map(drop)
    }

    fn set_public_address(&self, address: &str) {
        self.publish_address(address);
    }

    async fn close(&self) {
        self.queue().close().await;
        self.release_storage().await;
    }
}
