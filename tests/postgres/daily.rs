//! The board of the day at two servers whose clocks are wrong: the clock of their database decides.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use dice_of_doom::clock::now_ms;
use dice_of_doom::day::Day;
use dice_of_doom::store::postgres::PostgresStore;
use dice_of_doom::tables::Environment;
use sqlx::{Connection as _, Executor as _, PgConnection, Row as _};

use crate::common::{HANG, Page, Person, Program, Server, number};
use crate::server::{self, connect, shared};

const MINUTE_MS: i64 = 60_000;

/// A database whose clock shows another time than the machine's.
struct Database {
    url: String,
    connection: PgConnection,
}

impl Database {
    async fn new() -> Self {
        let url = shared().database().await;
        let mut connection = connect(&url).await;
        // A function of this name is found before that of the system.
        let name: String = sqlx::query_scalar("SELECT current_database()::text")
            .fetch_one(&mut connection)
            .await
            .unwrap();
        let order = format!("ALTER DATABASE {name} SET search_path = public, pg_catalog");
        connection
            .execute(sqlx::AssertSqlSafe(order))
            .await
            .unwrap();
        Database { url, connection }
    }

    /// Sets the clock.
    async fn set_clock(&mut self, ms: i64) {
        let ahead_ms = ms - now_ms();
        let clock = format!(
            "CREATE OR REPLACE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
             AS 'SELECT pg_catalog.clock_timestamp() + interval ''{ahead_ms} milliseconds'''"
        );
        self.connection
            .execute(sqlx::AssertSqlSafe(clock))
            .await
            .unwrap();
    }

    /// The times at which the entries of a game were stored, by entry.
    async fn stored_ms(&mut self, id: &str) -> Vec<i64> {
        let query = sqlx::query("SELECT stored_ms FROM entry WHERE game = $1 ORDER BY number");
        let rows = query
            .bind(id)
            .fetch_all(&mut self.connection)
            .await
            .unwrap();
        rows.iter().map(|row| row.get("stored_ms")).collect()
    }
}

/// A server whose clock is ahead of the machine's.
async fn server_ahead(database: &Database, ahead_ms: i64) -> Server {
    let store = PostgresStore::join(&database.url).await.unwrap();
    let environment = Environment {
        clock: Arc::new(move || now_ms() + ahead_ms),
        ..Environment::default()
    };
    let server = Server::with(|config| {
        config.store = Arc::new(store);
        config.environment = environment;
    });
    let server = server.await;
    let background = server.service.clone();
    tokio::spawn(async move { background.run_background().await });
    server
}

/// A person and the scored game that they play.
struct Attempt {
    person: Person,
    game: String,
    /// When each ply was sent, by its number.
    sent: HashMap<u64, Instant>,
}

impl Attempt {
    async fn begin(server: &Server, day: Day) -> Self {
        let person = server.person();
        let game = person.done("/daily", &[("day", &day.to_string())]).await;
        let sent = HashMap::new();
        Attempt { person, game, sent }
    }

    /// Plays a ply if it is this player's turn.
    async fn play(&mut self) {
        let state = self.person.state(&self.game).await;
        if state["over"] == true || state["player"] != 0 {
            return;
        }
        self.sent.insert(number(&state["ply"]), Instant::now());
        self.person.play_likely(&self.game, &state).await;
    }

    async fn is_over(&self) -> bool {
        self.person.state(&self.game).await["over"] == true
    }

    async fn resign(&self) {
        if self.is_over().await {
            return;
        }
        let ply = self.person.state(&self.game).await["ply"].to_string();
        let path = format!("{}/resign", self.game);
        // While computers move, the game may be at a later ply by then.
        let resigned = self.person.post(&path, &format!("ply={ply}")).await;
        let status = resigned.status();
        assert!(status == 303 || status == 409, "{resigned:?}");
    }

    /// The page of the day, as this person sees it.
    async fn day_page(&self, day: Day) -> Page {
        self.person.page(&format!("/daily/{day}")).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_ply_counts_that_is_played_after_a_server_has_shown_the_secret() {
    if server::is_left_out() {
        return;
    }
    let day: Day = "2026-11-27".parse().unwrap();
    let mut database = Database::new().await;
    let before_ms = day.end_ms() - 5 * MINUTE_MS;
    database.set_clock(before_ms).await;
    let ahead_ms = before_ms - now_ms();
    // The clock of the first server shows the next day already.
    let fast = server_ahead(&database, ahead_ms + 10 * MINUTE_MS).await;
    let slow = server_ahead(&database, ahead_ms - 10 * MINUTE_MS).await;
    for server in [&fast, &slow] {
        assert_eq!(server.service.today(), day);
    }
    let [in_time, mut at_fast, mut at_slow] = [
        Attempt::begin(&fast, day).await,
        Attempt::begin(&fast, day).await,
        Attempt::begin(&slow, day).await,
    ];
    // Three seconds before the day is over.
    database.set_clock(day.over_ms() - 3_000).await;
    while !in_time.is_over().await {
        in_time.resign().await;
    }
    assert!(!in_time.day_page(day).await.contains("Seed</dt>"));
    let readers = [fast.person(), slow.person()];
    let mut shown = None;
    while shown.is_none() {
        at_fast.play().await;
        at_slow.play().await;
        for reader in &readers {
            let page = reader.page(&format!("/daily/{day}")).await;
            if page.contains("Seed</dt>") {
                shown = shown.or(Some(Instant::now()));
            }
        }
    }
    let shown = shown.unwrap();
    let (mut in_time_plies, mut scored) = (0, 1);
    for attempt in [&mut at_fast, &mut at_slow] {
        // Somebody who has read the secret plays on, which does not count.
        while !attempt.is_over().await {
            attempt.play().await;
            attempt.resign().await;
        }
        let stored = database.stored_ms(&attempt.game[3..]).await;
        for (ply, sent) in &attempt.sent {
            if stored[*ply as usize] < day.over_ms() {
                in_time_plies += 1;
                assert!(*sent < shown, "{ply} counts");
            }
        }
        let ended_in_time = stored.last().unwrap() < &day.over_ms();
        scored += i64::from(ended_in_time);
        // A server notices within a second that the day is over; until then the page shows the result as it is.
        let asked = Instant::now();
        let page = loop {
            let page = attempt.day_page(day).await;
            if page.contains("Seed</dt>") {
                break page;
            }
            assert!(asked.elapsed() < HANG, "{page}");
        };
        assert!(
            ended_in_time || page.contains("did not finish it in time"),
            "{page}"
        );
    }
    assert!(in_time_plies > 0, "plies were played in time");
    let page = in_time.day_page(day).await;
    assert!(page.contains("Lost with "), "{page}");
    let scores: i64 = sqlx::query_scalar("SELECT count(*) FROM daily_score")
        .fetch_one(&mut database.connection)
        .await
        .unwrap();
    assert_eq!(scores, scored);
    database.connection.close().await.unwrap();
}

#[tokio::test]
async fn a_server_whose_clock_differs_from_the_databases_logs_it() {
    if server::is_left_out() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let mut database = Database::new().await;
    for (name, ahead_ms, is_logged) in [("right", 0, false), ("wrong", 10 * MINUTE_MS, true)] {
        database.set_clock(now_ms() + ahead_ms).await;
        let program = Program::start(&database.url, &home.path().join(name));
        let differs = || program.log().contains("clock differs from the database's");
        // The comparison is the first thing that the background tasks do.
        program.person().page("/readyz").await;
        while is_logged && !differs() {
            tokio::task::yield_now().await;
        }
        assert_eq!(differs(), is_logged);
    }
}
