//! Archives that move: copies between SQLite and PostgreSQL, backups of databases in use, what is cleared away, and
//! `check` on PostgreSQL.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use crate::common::{House, Server, program};
use crate::server::{self, connect, shared};
use dice_of_doom::check::check;
use dice_of_doom::game_adapters::Registry;
use dice_of_doom::level::Level;
use dice_of_doom::maintenance::{CopyError, backup, copy, prune};
use dice_of_doom::provably_fair::{CommittedSeed, DiceSecret, Protocol, Salt};
use dice_of_doom::record::{Ending, EndingRow, EntropyContributionRow, PlyRow, TakebackRow};
use dice_of_doom::rng::DiceSeed;
use dice_of_doom::seats::{
    ComputerPace, PersonCredentials, ProgramCredentials, RematchKind, Seat, SeatCredentials,
    SeatOccupant,
};
use dice_of_doom::secret::{Secret, SecretHash};
use dice_of_doom::store::{
    GameHeader, GameId, GameList, GameOrigin, GameStore, ProgramId, RegisteredProgram,
    RetentionCutoffs, ReviewChange, StoredEntry, open,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use sqlx::{Connection as _, Executor as _};
use tempfile::TempDir;

fn sqlite(folder: &TempDir, name: &str) -> String {
    format!("sqlite:{}", folder.path().join(name).display())
}

struct Lives {
    rng: ChaCha8Rng,
    browsers: Vec<SecretHash>,
    programs: Vec<SecretHash>,
    made: Vec<GameId>,
}

impl Lives {
    fn seat(&mut self) -> Seat {
        let browser = self.browsers[self.rng.random_range(0..self.browsers.len())];
        let token = self.programs[self.rng.random_range(0..self.programs.len())];
        let person = PersonCredentials {
            browser,
            back: None,
            joined: None,
        };
        let program = ProgramCredentials {
            token,
            browser: None,
            joined: None,
        };
        let level = Level::Book.into();
        let sitter = match self.rng.random_range(0..5) {
            0 => SeatOccupant::level(Level::Book),
            1 => SeatOccupant::Level {
                level: dice_of_doom::seats::SeatLevel::Known(level),
                left: Some(SeatCredentials::Person(person)),
            },
            2 => SeatOccupant::Program {
                keys: program,
                name: Some("Robot ü".to_owned()),
            },
            3 => SeatOccupant::Open { invitation: None },
            _ => SeatOccupant::Person {
                keys: person,
                name: Some("Ada".to_owned()),
            },
        };
        Seat {
            sitter,
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
            true => DiceSecret::Sealed(CommittedSeed {
                protocol: Protocol::ByPosition,
                seed,
                salt: Salt::from_bytes(rng.random()),
            }),
            false => DiceSecret::Unsealed(seed),
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
                    told: Some("{}".to_owned()),
                }),
                _ => None,
            },
        }
    }

    /// Games as people leave them: with seats that changed, plies taken back, endings, reviews.
    async fn live(&mut self, archive: &dyn GameStore, games: u32) {
        for (number, token) in self.programs.iter().enumerate() {
            let program = RegisteredProgram {
                id: ProgramId::random(),
                name: format!("Robot {number}"),
                token: *token,
                plays: "{}".to_owned(),
                created_ms: 5,
            };
            archive.add_program(program).await.unwrap();
            archive.saw_program(token, 1_000).await.unwrap();
        }
        archive
            .add_counts(vec![("six".to_owned(), 40), ("one".to_owned(), 2)])
            .await
            .unwrap();
        for _ in 0..games {
            let header = self.header();
            let id = header.id.clone();
            let mut at_ms = header.created_ms;
            let seats = (0..3).map(|_| self.seat()).collect();
            archive.create(header, seats).await.unwrap();
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
                        words: "'ö".to_owned(),
                        at_ms,
                    }),
                    2 if number + 1 == plies => StoredEntry::FinalPly(row),
                    3 if number + 1 == plies => StoredEntry::Ending(EndingRow {
                        ending: Ending::Limit,
                        at_ms,
                    }),
                    _ => StoredEntry::Ply(row),
                };
                archive.append(&id, number, entry).await.unwrap();
                if self.rng.random_bool(0.1) {
                    let revision = archive.load(&id).await.unwrap().unwrap().seats.revision;
                    let seats = (0..3).map(|_| self.seat()).collect();
                    archive.change_seats(&id, revision, seats).await.unwrap();
                }
            }
            match self.rng.random_range(0..6) {
                0 => archive
                    .change_review(&id, ReviewChange::Want(at_ms))
                    .await
                    .unwrap(),
                1 => archive
                    .change_review(&id, ReviewChange::Keep("{}".to_owned()))
                    .await
                    .unwrap(),
                _ => {}
            }
            self.made.push(id);
        }
    }
}

fn lives(seed: u64) -> Lives {
    let hashes = || (0..4).map(|_| Secret::random().hash()).collect();
    Lives {
        rng: ChaCha8Rng::seed_from_u64(seed),
        browsers: hashes(),
        programs: hashes(),
        made: Vec::new(),
    }
}

/// All that an archive answers about these lives, as text.
async fn answers(archive: &dyn GameStore, lives: &Lives) -> Vec<String> {
    let most = 100_000;
    let mut told = Vec::new();
    told.push(format!(
        "{:?}",
        archive.every(None, most).await.unwrap().games
    ));
    for id in &lives.made {
        let stored = archive.load(id).await.unwrap().unwrap();
        told.push(format!(
            "{stored:?} {:?} {:?}",
            stored.header.dice.seed().as_bytes(),
            stored.header.dice.salt().map(|salt| *salt.as_bytes())
        ));
        told.push(format!(
            "{:?} {:?}",
            archive.review(id).await,
            archive.rematches_of(id).await
        ));
    }
    for pace in [ComputerPace::AtOnce, ComputerPace::OnRequest] {
        told.push(format!(
            "{:?}",
            archive.unfinished(pace, None, most).await.unwrap().games
        ));
    }
    told.push(format!(
        "{:?}",
        archive
            .listed(GameList::Watchable, None, most)
            .await
            .unwrap()
            .games
    ));
    for browser in &lives.browsers {
        told.push(format!("{:?}", archive.games_of(browser, most).await));
        told.push(format!("{:?}", archive.book_game(browser).await));
    }
    for token in &lives.programs {
        told.push(format!("{:?}", archive.program_with(token).await));
        told.push(format!("{:?}", archive.games_of_program(token, most).await));
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
            told.push(format!("{:?}", archive.expired(&cutoffs, most).await));
        }
    }
    let mut counts = archive.counts().await.unwrap();
    counts.sort();
    told.push(format!(
        "{counts:?} {:?}",
        archive.wanted_reviews(most).await
    ));
    told
}

async fn answers_of(url: &str, lives: &Lives) -> Vec<String> {
    let archive = open(url).await.unwrap();
    let told = answers(&*archive, lives).await;
    archive.close().await;
    told
}

#[track_caller]
fn assert_same(before: &[String], after: &[String]) {
    for (before, after) in before.iter().zip(after) {
        assert_eq!(before, after);
    }
    assert_eq!(before.len(), after.len());
}

/// `DOD_COPIES=10000 cargo test --test postgres both_ways -- --nocapture` copies so many games; without a number it is a
/// hundredth of that.
#[tokio::test]
async fn games_are_the_same_after_moving_both_ways() {
    if server::is_left_out() {
        return;
    }
    let games = std::env::var("DOD_COPIES").map_or(100, |games| games.parse().expect("a number"));
    let folder = TempDir::new().unwrap();
    let mut lives = lives(3);
    let (first, back) = (sqlite(&folder, "first.db"), sqlite(&folder, "back.db"));
    let archive = open(&first).await.unwrap();
    lives.live(&*archive, games).await;
    let before = answers(&*archive, &lives).await;
    archive.close().await;

    let postgres = shared().database().await;
    let there = copy(&first, &postgres, &|_, _| {}).await.unwrap();
    assert_eq!((there.games, there.there_before), (games as usize, 0));
    assert_same(&before, &answers_of(&postgres, &lives).await);
    // Again: nothing is new, nothing is counted twice.
    let again = copy(&first, &postgres, &|_, _| {}).await.unwrap();
    assert_eq!(again.there_before, games as usize);
    assert_same(&before, &answers_of(&postgres, &lives).await);

    let home = copy(&postgres, &back, &|_, _| {}).await.unwrap();
    assert_eq!(home.checksum, there.checksum);
    assert_same(&before, &answers_of(&back, &lives).await);
    println!("{games} games there and back, checksum {}", home.checksum);
}

/// `DOD_COPY_KILLS=20 cargo test --test postgres moving::a_copy` interrupts each direction so often; without a number once.
#[tokio::test]
async fn a_copy_goes_on_after_a_kill_9() {
    if server::is_left_out() {
        return;
    }
    let kills: usize =
        std::env::var("DOD_COPY_KILLS").map_or(1, |kills| kills.parse().expect("a number"));
    let folder = TempDir::new().unwrap();
    let mut lives = lives(4);
    let first = sqlite(&folder, "first.db");
    let archive = open(&first).await.unwrap();
    lives.live(&*archive, 600).await;
    let before = answers(&*archive, &lives).await;
    archive.close().await;
    let postgres = shared().database().await;
    let back = sqlite(&folder, "back.db");
    for (from, to) in [(&first, &postgres), (&postgres, &back)] {
        for kill in 0..kills {
            let mut command = program();
            command
                .args(["copy", "--from", from, "--to", to])
                .stdout(Stdio::null());
            let mut copying = command.spawn().unwrap();
            // A few more each time.
            let enough = 1 + 500 * kill / kills;
            while copying.try_wait().unwrap().is_none() && games_in(to).await < enough {
                tokio::task::yield_now().await;
            }
            copying.kill().unwrap();
            copying.wait().unwrap();
        }
        let mut command = program();
        command.args(["copy", "--from", from, "--to", to]);
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success(),
            "{told}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(
            told.starts_with("600 games, ") && !told.contains(" 0 of them"),
            "{told}"
        );
        assert_same(&before, &answers_of(to, &lives).await);
    }
}

/// How many games are there so far; none while there is no table.
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
            use sqlx::ConnectOptions as _;
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
async fn another_game_of_the_same_name_is_not_written_over() {
    let folder = TempDir::new().unwrap();
    let (one, two) = (sqlite(&folder, "one.db"), sqlite(&folder, "two.db"));
    let mut lives = lives(5);
    let archive = open(&one).await.unwrap();
    lives.live(&*archive, 5).await;
    archive.close().await;
    copy(&one, &two, &|_, _| {}).await.unwrap();
    // Somebody played on in the copy.
    let archive = open(&two).await.unwrap();
    let page = archive
        .unfinished(ComputerPace::AtOnce, None, 9)
        .await
        .unwrap();
    let id = &page.games[0];
    let next = archive.load(id).await.unwrap().unwrap().next();
    let row = PlyRow {
        player: 0,
        action: "end".to_owned(),
        roll: String::new(),
        at_ms: 9,
    };
    archive
        .append(id, next, StoredEntry::Ply(row))
        .await
        .unwrap();
    archive.close().await;
    let refused = copy(&one, &two, &|_, _| {}).await;
    assert!(matches!(refused, Err(CopyError::Differs { id: differs }) if differs == *id));
}

/// A backup of a database in use has every game as it was at one moment, and can be restored.
#[tokio::test]
async fn a_backup_is_taken_while_games_go_on() {
    if server::is_left_out() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let postgres = shared().database().await;
    for (round, url) in [sqlite(&folder, "games.db"), postgres]
        .into_iter()
        .enumerate()
    {
        let archive = open(&url).await.unwrap();
        let mut lives = lives(6);
        lives.live(&*archive, 100).await;
        // Two games of which the second never has more plies than the first.
        let mut pair = Vec::new();
        for _ in 0..2 {
            let header = GameHeader {
                rematch_of: None,
                ..lives.header()
            };
            pair.push(header.id.clone());
            archive.create(header, Vec::new()).await.unwrap();
        }
        let file = folder.path().join(format!("backup {round}.db"));
        let going = {
            let (archive, pair) = (Arc::clone(&archive), pair.clone());
            tokio::spawn(async move {
                for number in 0.. {
                    for id in &pair {
                        let row = PlyRow {
                            player: 0,
                            action: "end".to_owned(),
                            roll: String::new(),
                            at_ms: number.into(),
                        };
                        archive
                            .append(id, number, StoredEntry::Ply(row))
                            .await
                            .unwrap();
                    }
                }
            })
        };
        let taken = backup(&url, &file, &|_, _| {}).await.unwrap();
        assert!(!going.is_finished());
        going.abort();
        let _ = going.await;
        archive.close().await;
        assert_eq!(taken.games, 102);
        assert!(matches!(
            backup(&url, &file, &|_, _| {}).await,
            Err(CopyError::Exists(_))
        ));

        let restored = shared().database().await;
        let from = file.display().to_string();
        let copied = copy(&from, &restored, &|_, _| {}).await.unwrap();
        assert_eq!(copied.checksum, taken.checksum);
        let archive = open(&restored).await.unwrap();
        let first = archive.load(&pair[0]).await.unwrap().unwrap().next();
        let second = archive.load(&pair[1]).await.unwrap().unwrap().next();
        assert!(
            first == second || first == second + 1,
            "{first}, {second}: of two moments"
        );
        archive.close().await;
    }
}

#[tokio::test]
async fn old_games_are_cleared_away() {
    let folder = TempDir::new().unwrap();
    let mut urls = vec![sqlite(&folder, "games.db")];
    if !server::is_left_out() {
        urls.push(shared().database().await);
    }
    for url in urls {
        let archive = open(&url).await.unwrap();
        let mut lives = lives(7);
        lives.live(&*archive, 300).await;
        archive.close().await;
        let removed = prune(&url, 30_000).await.unwrap();
        let archive = open(&url).await.unwrap();
        let left = archive.every(None, 1_000).await.unwrap().games;
        assert_eq!(left.len() as u64 + removed, 300);
        assert!(removed > 20 && !left.is_empty(), "{removed}");
        for id in &left {
            let stored = archive.load(id).await.unwrap().unwrap();
            let sat_down = stored
                .seats
                .seats
                .iter()
                .filter_map(|seat| seat.since_ms)
                .max();
            let newest = stored.last_ms().max(sat_down.unwrap_or(0));
            assert!(newest >= 29_000, "{stored:?}");
        }
        archive.close().await;
        assert_eq!(prune(&url, 30_000).await.unwrap(), 0);
    }
}

#[tokio::test]
async fn check_reads_postgresql() {
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
    let house = House {
        archive: open(&url).await.unwrap(),
        ..House::default()
    };
    let archive = Arc::clone(&house.archive);
    let server = Server::of(house).await;
    let mut ids = Vec::new();
    for seed in 0..2 {
        let new = json!({"game": "trilobite", "width": 3, "height": 3, "win": 2, "seats": ["random", "random"], "seed": seed});
        let table = server.api().create(new).await;
        table.wait(9).await;
        ids.push(table.id);
    }
    // While the server has it open.
    let found = check(&url, &games, &mut Vec::new()).await.unwrap();
    assert!(found.is_whole() && found.games == 2, "{found:?}");
    let mut connection = connect(&url).await;
    let change = sqlx::query("UPDATE entry SET at_ms = at_ms + 1 WHERE game = $1 AND number = 1");
    connection.execute(change.bind(&ids[0])).await.unwrap();
    connection.close().await.unwrap();
    let mut told = Vec::new();
    let found = check(&url, &games, &mut told).await.unwrap();
    assert_eq!((found.games, found.damaged), (2, 1));
    let told = String::from_utf8(told).unwrap();
    assert!(told.contains(&format!("game {}", ids[0])), "{told}");
    let output = program().args(["check", &url]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    archive.close().await;
}
