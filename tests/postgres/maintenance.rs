//! Maintenance commands: copies between SQLite and PostgreSQL, backups of databases in use, `prune`, and
//! `check` on PostgreSQL.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use crate::common::{Server, program};
use crate::server::{self, connect, shared};
use dice_of_doom::check::check;
use dice_of_doom::day::Day;
use dice_of_doom::games::Registry;
use dice_of_doom::level::Level;
use dice_of_doom::maintenance::{CopyError, backup, copy, prune};
use dice_of_doom::provably_fair::{CommittedSeed, Salt};
use dice_of_doom::record::{Ending, EndingRow, EntropyContributionRow, PlyRow, TakebackRow};
use dice_of_doom::rng::DiceSeed;
use dice_of_doom::seats::{
    ComputerPace, FormerOccupant, PersonCredentials, ProgramCredentials, RematchKind, Seat,
    SeatCredentials, SeatOccupant,
};
use dice_of_doom::secret::{Nonce, Secret, SecretHash};
use dice_of_doom::site::daily::rows::{DailyDeal, DailyScore};
use dice_of_doom::site::feed::StoredFeed;
use dice_of_doom::site::open_tables::rows::OpenTable;
use dice_of_doom::site::programs::rows::{ProgramId, RegisteredProgram};
use dice_of_doom::site::puzzles::rows::PuzzleAnswer;
use dice_of_doom::site::reviews::rows::ReviewChange;
use dice_of_doom::store::reader::DatabaseReader;
use dice_of_doom::store::{
    GameHeader, GameId, GameList, GameOrigin, RetentionCutoffs, Store, StoredEntry, open,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::json;
use sqlx::{ConnectOptions as _, Connection as _, Executor as _};
use tempfile::TempDir;

fn sqlite(folder: &TempDir, name: &str) -> String {
    format!("sqlite:{}", folder.path().join(name).display())
}

struct GeneratedGames {
    rng: ChaCha8Rng,
    browsers: Vec<SecretHash>,
    programs: Vec<SecretHash>,
    made: Vec<GameId>,
}

impl GeneratedGames {
    fn seat(&mut self) -> Seat {
        let browser = self.browsers[self.rng.random_range(0..self.browsers.len())];
        let token = self.programs[self.rng.random_range(0..self.programs.len())];
        let person = PersonCredentials {
            browser,
            return_link: None,
            joined_by: None,
        };
        let program = ProgramCredentials {
            token,
            browser: None,
            joined_by: None,
        };
        let level = Level::Book.into();
        let occupant = match self.rng.random_range(0..5) {
            0 => SeatOccupant::level(Level::Book),
            1 => SeatOccupant::Level {
                level: dice_of_doom::seats::SeatLevel::Known(level),
                replaced: Some(Box::new(FormerOccupant {
                    credentials: SeatCredentials::Person(person),
                    name: Some("Ken".to_owned()),
                })),
            },
            2 => SeatOccupant::Program {
                credentials: program,
                name: Some("Robot ü".to_owned()),
            },
            3 => SeatOccupant::Open { invitation: None },
            _ => SeatOccupant::Person {
                credentials: person,
                name: Some("Ada".to_owned()),
            },
        };
        Seat {
            occupant,
            since_ms: self
                .rng
                .random_bool(0.5)
                .then(|| self.rng.random_range(0..90_000)),
        }
    }

    fn header(&mut self) -> GameHeader {
        let rng = &mut self.rng;
        let some = |rng: &mut ChaCha8Rng, all: &[SecretHash]| {
            rng.random_bool(0.5)
                .then(|| all[rng.random_range(0..all.len())])
        };
        let seed = DiceSeed::from_bytes(rng.random());
        let dice = match rng.random_bool(0.8) {
            true => Some(CommittedSeed {
                seed,
                salt: Salt::from_bytes(rng.random()),
            }),
            false => None,
        };
        let of = self.made.last().cloned();
        GameHeader {
            id: GameId::random(),
            game: r#"{"game":"dice","size":2}"#.to_owned(),
            start: r#"{"board":"1 2 3 ö"}"#.to_owned(),
            dice,
            pace: if rng.random_bool(0.5) {
                ComputerPace::AtOnce
            } else {
                ComputerPace::OnRequest
            },
            creator: some(rng, &self.browsers),
            book_of: some(rng, &self.browsers[..1]),
            created_ms: rng.random_range(0..60_000),
            private: rng.random_bool(0.3),
            turn_s: rng.random_bool(0.3).then_some(60),
            replace_after_s: rng.random_bool(0.3).then_some(60),
            rematch_of: of
                .clone()
                .filter(|_| rng.random_bool(0.3))
                .map(|of| (of, RematchKind::Same)),
            takebacks: rng.random_bool(0.5),
            hints: rng.random_bool(0.5),
            origin: match rng.random_range(0..4) {
                0 => of.map(|of| GameOrigin::PlayedOn { of, ply: 3 }),
                1 => Some(GameOrigin::Uploaded {
                    id: Some(GameId::random()),
                    provenance: Some("{}".to_owned()),
                }),
                _ => None,
            },
        }
    }

    /// Fills every table of the store, with varied games: changed seats, takebacks, endings, reviews.
    async fn generate(&mut self, store: &dyn Store, games: usize) {
        for (number, token) in self.programs.iter().enumerate() {
            let program = RegisteredProgram {
                id: ProgramId::random(),
                name: format!("Robot {number}"),
                token: *token,
                game: "{}".to_owned(),
                created_ms: 5,
            };
            store.add_program(program).await.unwrap();
            store.touch_program(token, 1_000).await.unwrap();
        }
        store
            .add_counts(vec![("six".to_owned(), 40), ("one".to_owned(), 2)])
            .await
            .unwrap();
        self.generate_data_of_browsers(store).await;
        // Each browser has created one.
        for _ in self.browsers.len()..games {
            let header = self.header();
            let id = header.id.clone();
            let mut at_ms = header.created_ms;
            let seats = (0..3).map(|_| self.seat()).collect();
            store.create(header, seats).await.unwrap();
            let plies = self.rng.random_range(0..12);
            for number in 0..plies {
                at_ms += self.rng.random_range(0..2_000);
                let player = self.rng.random_range(0..3);
                let row = PlyRow {
                    player,
                    action: format!("{number}>{player}"),
                    roll: "3,4/2".to_owned(),
                    at_ms,
                };
                let entry = match self.rng.random_range(0..12) {
                    0 if number > 0 => StoredEntry::Takeback(TakebackRow {
                        player,
                        to: 0,
                        at_ms,
                    }),
                    1 => StoredEntry::Contribution(EntropyContributionRow {
                        player,
                        text: "'ö".to_owned(),
                        at_ms,
                    }),
                    2 if number + 1 == plies => StoredEntry::FinalPly(row),
                    3 if number + 1 == plies => StoredEntry::Ending(EndingRow {
                        ending: Ending::Limit,
                        at_ms,
                    }),
                    _ => StoredEntry::Ply(row),
                };
                store.append(&id, number, entry).await.unwrap();
                if self.rng.random_bool(0.1) {
                    let revision = store.load(&id).await.unwrap().unwrap().seats.revision;
                    let seats = (0..3).map(|_| self.seat()).collect();
                    store.change_seats(&id, revision, seats).await.unwrap();
                }
            }
            match self.rng.random_range(0..6) {
                0 => store
                    .change_review(&id, ReviewChange::Request(at_ms))
                    .await
                    .unwrap(),
                1 => store
                    .change_review(&id, ReviewChange::Store("{}".to_owned()))
                    .await
                    .unwrap(),
                _ => {}
            }
            if self.rng.random_bool(0.5) {
                store.store_card(&id, "{}".to_owned()).await.unwrap();
            }
            if self.rng.random_bool(0.2) {
                let table = OpenTable {
                    game: id.clone(),
                    opened_ms: at_ms,
                    seen_ms: at_ms + 5,
                    network: self.rng.random_bool(0.5).then_some(at_ms),
                };
                store.open_table(table).await.unwrap();
            }
            self.made.push(id);
        }
        let token = &self.programs[1];
        if let [(first, _), ..] = store.list_program_finishes(token, None, 9).await.unwrap()[..] {
            store.mark_finishes_reported(token, first).await.unwrap();
        }
    }

    async fn generate_data_of_browsers(&mut self, store: &dyn Store) {
        let day: Day = "2026-11-27".parse().unwrap();
        let secret = CommittedSeed {
            seed: DiceSeed::from_bytes(self.rng.random()),
            salt: Salt::from_bytes(self.rng.random()),
        };
        let deal = DailyDeal {
            day,
            secret,
            committed_ms: 7,
        };
        store.add_daily_deal(deal).await.unwrap();
        for now_ms in [5, 90] {
            store.record_served(now_ms, 0).await.unwrap();
        }
        for browser in self.browsers.clone() {
            let header = GameHeader {
                creator: Some(browser),
                origin: Some(GameOrigin::Daily { day }),
                ..self.header()
            };
            let game = header.id.clone();
            let begun = store.create_daily_game(header, vec![self.seat()], None);
            begun.await.unwrap();
            let score = DailyScore {
                day,
                browser,
                game,
                hexes: self.rng.random_range(0..30),
                is_won: true,
                is_counted: false,
                is_shown: false,
            };
            store.add_daily_score(score, i64::MAX).await.unwrap();
            let feed = StoredFeed {
                browser,
                token: Secret::random().hash(),
                nonce: Nonce::random(),
                language: "ja".to_owned(),
                created_ms: 8,
                fetched_ms: 9,
            };
            store.set_feed(feed).await.unwrap();
            // More than are read at a time, all browsers together.
            for number in 0..200 {
                let answer = PuzzleAnswer {
                    browser,
                    puzzle: format!("\"ö{number}"),
                    is_right: number % 3 == 0,
                    at_ms: 9,
                    is_counted: number % 2 == 0,
                };
                store.add_puzzle_answer(answer, None).await.unwrap();
            }
        }
    }
}

/// The rows of all tables that are copied.
async fn all_rows(url: &str) -> BTreeMap<String, Vec<String>> {
    let mut reader = DatabaseReader::open(url).await.unwrap();
    let mut all = BTreeMap::new();
    for table in reader.tables().await.unwrap() {
        let (mut rows, mut page) = (Vec::new(), reader.next_rows(&table, None).await.unwrap());
        while !page.rows().is_empty() {
            rows.extend(page.rows().iter().cloned());
            page = reader.next_rows(&table, Some(&page)).await.unwrap();
        }
        rows.sort();
        assert!(
            !rows.is_empty(),
            "this test writes no row of the table {}: it must",
            table.name()
        );
        all.insert(table.name().to_owned(), rows);
    }
    all
}

/// The first column of a query, which the databases write differently.
async fn texts(url: &str, sqlite: &'static str, postgres: &'static str) -> Vec<String> {
    let Some(path) = url.strip_prefix("sqlite:") else {
        let mut connection = connect(url).await;
        let found = sqlx::query_scalar(postgres)
            .fetch_all(&mut connection)
            .await;
        connection.close().await.unwrap();
        return found.unwrap();
    };
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
    let mut connection = options.connect().await.unwrap();
    let found = sqlx::query_scalar(sqlite).fetch_all(&mut connection).await;
    connection.close().await.unwrap();
    found.unwrap()
}

/// The tables with a column `browser`.
async fn tables_of_browsers(url: &str) -> Vec<String> {
    let sqlite = "SELECT t.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
        WHERE t.type = 'table' AND c.name = 'browser'";
    let postgres = "SELECT table_name::text FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name = 'browser'";
    texts(url, sqlite, postgres).await
}

/// The tables whose rows are deleted with their game.
async fn tables_of_games(url: &str) -> Vec<String> {
    let sqlite = r#"SELECT t.name FROM sqlite_schema AS t JOIN pragma_foreign_key_list(t.name) AS k
        WHERE t.type = 'table' AND k."table" = 'game' AND k.on_delete = 'CASCADE'"#;
    let postgres = "SELECT conrelid::regclass::text FROM pg_constraint
        WHERE contype = 'f' AND confrelid = 'game'::regclass AND confdeltype = 'c'";
    texts(url, sqlite, postgres).await
}

/// A row goes with its browser (column `browser`), with its game (a foreign key that cascades), or with what is named
/// here.
const OTHER_RETENTION: [(&str, &str); 10] = [
    ("game", "the options --keep-…"),
    ("program", "90 days without a request"),
    (
        "daily_deal",
        "one row for each day: its secret proves the dice of that day",
    ),
    ("network_key", "00:30 UTC of the next day"),
    ("served_period", "the newest 1,000 rows"),
    ("counter", "as many rows as there are counters"),
    ("_sqlx_migrations", "one row for each migration"),
    ("commit_count", "one row"),
    (
        "instance",
        "rows of servers that have ended are deleted after a week",
    ),
    ("sqlite_sequence", "one row for each numbered table"),
];

#[tokio::test]
async fn every_row_has_an_end() {
    let folder = TempDir::new().unwrap();
    let mut urls = vec![sqlite(&folder, "games.db")];
    if !server::is_left_out() {
        urls.push(shared().database().await);
    }
    for url in urls {
        let store = open(&url).await.unwrap();
        let mut generator = generator(8);
        generator.generate(&*store, 60).await;
        let (of_browsers, of_games) = (tables_of_browsers(&url).await, tables_of_games(&url).await);
        let sqlite = "SELECT name FROM sqlite_schema WHERE type = 'table'";
        let postgres =
            "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public'";
        for table in texts(&url, sqlite, postgres).await {
            let is_named = OTHER_RETENTION.iter().any(|(name, _)| *name == table);
            assert!(
                is_named || of_browsers.contains(&table) || of_games.contains(&table),
                "when are rows of {table} deleted? Add a column \"browser\", a foreign key to the game, or a reason"
            );
        }
        // "Delete everything" reaches every table with a browser; seats are changed game by game.
        for browser in &generator.browsers {
            store.move_browser_data(browser, None).await.unwrap();
        }
        store.close().await;
        prune(&url, i64::MAX).await.unwrap();
        for table in of_browsers.iter().chain(&of_games) {
            let query: &'static str = format!("SELECT '' FROM {table}").leak();
            assert!(texts(&url, query, query).await.is_empty(), "{table}");
        }
    }
}

fn generator(seed: u64) -> GeneratedGames {
    let hashes = || (0..4).map(|_| Secret::random().hash()).collect();
    GeneratedGames {
        rng: ChaCha8Rng::seed_from_u64(seed),
        browsers: hashes(),
        programs: hashes(),
        made: Vec::new(),
    }
}

/// The results of all queries about the generated data, as text.
async fn query_results(store: &dyn Store, generator: &GeneratedGames) -> Vec<String> {
    let limit = 100_000;
    let mut results = Vec::new();
    results.push(format!(
        "{:?}",
        store
            .list_games(GameList::All, None, limit)
            .await
            .unwrap()
            .games
    ));
    for id in &generator.made {
        let stored = store.load(id).await.unwrap().unwrap();
        results.push(format!(
            "{stored:?} {:?}",
            stored
                .header
                .dice
                .as_ref()
                .map(|dice| (*dice.seed.as_bytes(), *dice.salt.as_bytes()))
        ));
        results.push(format!(
            "{:?} {:?}",
            store.review(id).await,
            store.rematches_of(id).await
        ));
    }
    for pace in [ComputerPace::AtOnce, ComputerPace::OnRequest] {
        results.push(format!(
            "{:?}",
            store
                .list_games(GameList::Unfinished(pace), None, limit)
                .await
                .unwrap()
                .games
        ));
    }
    results.push(format!(
        "{:?}",
        store
            .list_games(GameList::Watchable, None, limit)
            .await
            .unwrap()
            .games
    ));
    for browser in &generator.browsers {
        results.push(format!("{:?}", store.list_games_of(browser, limit).await));
        results.push(format!("{:?}", store.book_page_game(browser).await));
    }
    for token in &generator.programs {
        results.push(format!("{:?}", store.program_by_token(token).await));
        results.push(format!(
            "{:?} {:?}",
            store.list_games_of_program(token, limit).await,
            store.list_program_finishes(token, None, limit).await
        ));
    }
    for before_ms in [30_000, 60_000, i64::MAX] {
        for kind in 0..5 {
            let at = |this| (kind == this).then_some(before_ms);
            let cutoffs = RetentionCutoffs {
                finished_ms: at(0),
                abandoned_ms: at(1),
                untouched_ms: at(2),
                awaited_ms: at(3),
                uploaded_ms: at(4),
            };
            results.push(format!("{:?}", store.list_expired(&cutoffs, limit).await));
        }
    }
    let mut counts = store.counts().await.unwrap();
    counts.sort();
    results.push(format!(
        "{counts:?} {:?}",
        store.pending_reviews(limit).await
    ));
    results
}

async fn results_of(url: &str, generator: &GeneratedGames) -> Vec<String> {
    let store = open(url).await.unwrap();
    let results = query_results(&*store, generator).await;
    store.close().await;
    results
}

#[track_caller]
fn assert_same(before: &[String], after: &[String]) {
    for (before, after) in before.iter().zip(after) {
        assert_eq!(before, after);
    }
    assert_eq!(before.len(), after.len());
}

/// A copied game is played on, and a program is told that it has ended.
async fn assert_games_continue(url: &str, generator: &GeneratedGames) {
    let store = open(url).await.unwrap();
    let token = &generator.programs[0];
    let game = store
        .list_games_of_program(token, 1)
        .await
        .unwrap()
        .remove(0);
    let next = store.load(&game).await.unwrap().unwrap().next_number();
    let ending = EndingRow {
        ending: Ending::Limit,
        at_ms: 99_000,
    };
    let finishes = store.list_program_finishes(token, None, 100).await.unwrap();
    store
        .append(&game, next, StoredEntry::Ending(ending))
        .await
        .unwrap();
    let newest = store.list_program_finishes(token, None, 100).await.unwrap();
    assert_eq!(newest.len(), finishes.len() + 1);
    assert_eq!(newest.last().map(|(_, id)| id), Some(&game));
    store.close().await;
}

/// `DOD_COPIES=10000 cargo test --test postgres both_ways -- --nocapture` copies 10,000 games; by default a
/// hundredth of that.
#[tokio::test]
async fn games_are_identical_after_copying_both_ways() {
    if server::is_left_out() {
        return;
    }
    let games = std::env::var("DOD_COPIES").map_or(100, |games| games.parse().expect("a number"));
    let folder = TempDir::new().unwrap();
    let mut generator = generator(3);
    let (first, back) = (sqlite(&folder, "first.db"), sqlite(&folder, "back.db"));
    let store = open(&first).await.unwrap();
    generator.generate(&*store, games).await;
    let before = query_results(&*store, &generator).await;
    store.close().await;
    let rows = all_rows(&first).await;

    let postgres = shared().database().await;
    let to_postgres = copy(&first, &postgres, &|_, _| {}).await.unwrap();
    assert_eq!((to_postgres.games, to_postgres.there_before), (games, 0));
    assert_eq!(all_rows(&postgres).await, rows);
    assert_same(&before, &results_of(&postgres, &generator).await);
    // Copying again adds no games and does not count twice.
    let repeated = copy(&first, &postgres, &|_, _| {}).await.unwrap();
    assert_eq!(repeated.there_before, games);
    assert_same(&before, &results_of(&postgres, &generator).await);

    let to_sqlite = copy(&postgres, &back, &|_, _| {}).await.unwrap();
    assert_eq!(to_sqlite.checksum, to_postgres.checksum);
    assert_eq!(all_rows(&back).await, rows);
    assert_same(&before, &results_of(&back, &generator).await);
    assert_games_continue(&back, &generator).await;
    assert_games_continue(&postgres, &generator).await;
    println!(
        "{games} games there and back, checksum {}",
        to_sqlite.checksum
    );
}

/// `DOD_COPY_KILLS=20 cargo test --test postgres maintenance::a_copy` interrupts the copy 20 times in each
/// direction; by default once.
#[tokio::test]
async fn a_copy_can_be_resumed_after_a_kill_9() {
    if server::is_left_out() {
        return;
    }
    let kills: usize =
        std::env::var("DOD_COPY_KILLS").map_or(1, |kills| kills.parse().expect("a number"));
    let folder = TempDir::new().unwrap();
    let mut generator = generator(4);
    let first = sqlite(&folder, "first.db");
    let store = open(&first).await.unwrap();
    generator.generate(&*store, 600).await;
    let before = query_results(&*store, &generator).await;
    store.close().await;
    let postgres = shared().database().await;
    let back = sqlite(&folder, "back.db");
    for (from, to) in [(&first, &postgres), (&postgres, &back)] {
        for kill in 0..kills {
            let mut command = program();
            command
                .args(["copy", "--from", from, "--to", to])
                .stdout(Stdio::null());
            let mut copying = command.spawn().unwrap();
            // Later each time.
            let kill_at = 1 + 500 * kill / kills;
            while copying.try_wait().unwrap().is_none() && games_in(to).await < kill_at {
                tokio::task::yield_now().await;
            }
            copying.kill().unwrap();
            copying.wait().unwrap();
        }
        let mut command = program();
        command.args(["copy", "--from", from, "--to", to]);
        let output = command.output().unwrap();
        let summary = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success(),
            "{summary}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(
            summary.starts_with("600 games, ") && !summary.contains(" 0 of them"),
            "{summary}"
        );
        assert_same(&before, &results_of(to, &generator).await);
    }
}

/// The number of games in the database; 0 while there is no table.
async fn games_in(url: &str) -> usize {
    let count = "SELECT count(*) FROM game";
    let counted: Result<i64, _> = match url.strip_prefix("sqlite:") {
        None => {
            let mut connection = connect(url).await;
            let counted = sqlx::query_scalar(count).fetch_one(&mut connection).await;
            connection.close().await.unwrap();
            counted
        }
        Some(path) if Path::new(path).exists() => {
            let options = sqlx::sqlite::SqliteConnectOptions::new()
                .filename(path)
                .read_only(true);
            let Ok(mut connection) = options.connect().await else {
                return 0;
            };
            sqlx::query_scalar(count).fetch_one(&mut connection).await
        }
        Some(_) => return 0,
    };
    counted.map_or(0, |counted| counted as usize)
}

#[tokio::test]
async fn a_different_game_with_the_same_id_is_not_overwritten() {
    let folder = TempDir::new().unwrap();
    let (one, two) = (sqlite(&folder, "one.db"), sqlite(&folder, "two.db"));
    let mut generator = generator(5);
    let store = open(&one).await.unwrap();
    generator.generate(&*store, 5).await;
    store.close().await;
    copy(&one, &two, &|_, _| {}).await.unwrap();
    // The copied game continues.
    let store = open(&two).await.unwrap();
    let page = store
        .list_games(GameList::Unfinished(ComputerPace::AtOnce), None, 9)
        .await
        .unwrap();
    let id = &page.games[0];
    let next = store.load(id).await.unwrap().unwrap().next_number();
    let row = PlyRow {
        player: 0,
        action: "end".to_owned(),
        roll: String::new(),
        at_ms: 9,
    };
    store.append(id, next, StoredEntry::Ply(row)).await.unwrap();
    store.close().await;
    let refused = copy(&one, &two, &|_, _| {}).await;
    assert!(matches!(refused, Err(CopyError::Differs { id: differs }) if differs == *id));
}

/// A backup of a database in use is a consistent snapshot and can be restored.
#[tokio::test]
async fn a_backup_can_be_made_while_games_are_played() {
    if server::is_left_out() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let postgres = shared().database().await;
    for (round, url) in [sqlite(&folder, "games.db"), postgres]
        .into_iter()
        .enumerate()
    {
        let store = open(&url).await.unwrap();
        let mut generator = generator(6);
        generator.generate(&*store, 100).await;
        // Two games; the second never has more plies than the first.
        let mut pair = Vec::new();
        for _ in 0..2 {
            let header = GameHeader {
                rematch_of: None,
                ..generator.header()
            };
            pair.push(header.id.clone());
            store.create(header, Vec::new()).await.unwrap();
        }
        let file = folder.path().join(format!("backup {round}.db"));
        let writer = {
            let (store, pair) = (Arc::clone(&store), pair.clone());
            tokio::spawn(async move {
                for number in 0.. {
                    for id in &pair {
                        let row = PlyRow {
                            player: 0,
                            action: "end".to_owned(),
                            roll: String::new(),
                            at_ms: number.into(),
                        };
                        store
                            .append(id, number, StoredEntry::Ply(row))
                            .await
                            .unwrap();
                    }
                }
            })
        };
        let backed_up = backup(&url, &file, &|_, _| {}).await.unwrap();
        assert!(!writer.is_finished());
        writer.abort();
        let _ = writer.await;
        store.close().await;
        assert_eq!(backed_up.games, 102);
        assert!(matches!(
            backup(&url, &file, &|_, _| {}).await,
            Err(CopyError::Exists(_))
        ));

        let restored = shared().database().await;
        let from = file.display().to_string();
        let copied = copy(&from, &restored, &|_, _| {}).await.unwrap();
        assert_eq!(copied.checksum, backed_up.checksum);
        let store = open(&restored).await.unwrap();
        let first = store.load(&pair[0]).await.unwrap().unwrap().next_number();
        let second = store.load(&pair[1]).await.unwrap().unwrap().next_number();
        assert!(
            first == second || first == second + 1,
            "{first}, {second}: not from one snapshot"
        );
        store.close().await;
    }
}

#[tokio::test]
async fn old_games_are_pruned() {
    let folder = TempDir::new().unwrap();
    let mut urls = vec![sqlite(&folder, "games.db")];
    if !server::is_left_out() {
        urls.push(shared().database().await);
    }
    for url in urls {
        let store = open(&url).await.unwrap();
        let mut generator = generator(7);
        generator.generate(&*store, 300).await;
        store.close().await;
        let removed = prune(&url, 30_000).await.unwrap();
        let store = open(&url).await.unwrap();
        let remaining = store
            .list_games(GameList::All, None, 1_000)
            .await
            .unwrap()
            .games;
        assert_eq!(remaining.len() as u64 + removed, 300);
        assert!(removed > 20 && !remaining.is_empty(), "{removed}");
        for id in &remaining {
            let stored = store.load(id).await.unwrap().unwrap();
            let last_seated = stored
                .seats
                .seats
                .iter()
                .filter_map(|seat| seat.since_ms)
                .max();
            let last_activity = stored.last_ms().max(last_seated.unwrap_or(0));
            assert!(last_activity >= 29_000, "{stored:?}");
        }
        store.close().await;
        assert_eq!(prune(&url, 30_000).await.unwrap(), 0);
    }
}

#[tokio::test]
async fn check_works_on_postgresql() {
    if server::is_left_out() {
        return;
    }
    let url = shared().database().await;
    let games = Registry::builtin();
    let empty = check(&url, &games, &mut Vec::new()).await;
    assert!(
        empty
            .unwrap_err()
            .to_string()
            .contains("no server has used it")
    );
    let store = open(&url).await.unwrap();
    let server = Server::on(Arc::clone(&store)).await;
    let mut ids = Vec::new();
    for seed in 0..2 {
        let new = json!({"game": "trilobite", "width": 3, "height": 3, "win": 2, "seats": ["random", "random"], "seed": seed});
        let table = server.api().create(new).await;
        table.wait(9).await;
        ids.push(table.id);
    }
    // The server has the database open.
    let result = check(&url, &games, &mut Vec::new()).await.unwrap();
    assert!(result.is_intact() && result.games == 2, "{result:?}");
    let mut connection = connect(&url).await;
    let change = sqlx::query("UPDATE entry SET at_ms = at_ms + 1 WHERE game = $1 AND number = 1");
    connection.execute(change.bind(&ids[0])).await.unwrap();
    connection.close().await.unwrap();
    let mut report = Vec::new();
    let result = check(&url, &games, &mut report).await.unwrap();
    assert_eq!((result.games, result.damaged), (2, 1));
    let report = String::from_utf8(report).unwrap();
    assert!(report.contains(&format!("game {}", ids[0])), "{report}");
    let output = program().args(["check", &url]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    store.close().await;
}
