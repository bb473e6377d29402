//! Compatibility with records and a database of an earlier commit: they open, and their games continue.
//!
//! `tests/golden/earlier/games.db` was written by the program at commit 455db8c. Its games were played over HTTP, on
//! pages with a browser cookie and in the JSON API with tokens, against humans and computers; `GAMES` lists all of
//! them. Then the server was stopped by SIGTERM. Two changes were made to the file afterwards, with the SQLite of
//! Python 3: `UPDATE game SET finished_ms = NULL` for `v4-unmarked` (the state after a crash between the last ply and
//! the mark that the game is over, in that version), and `VACUUM` with a checkpoint, so that there is no log file.
//! `NAME.json` is the response to `GET /g/ID/record.json` just before the stop.
//!
//! Do not regenerate these files: they represent existing users' data.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dice_of_doom::store::sqlite::SqliteStore;
use dice_of_doom::verify::{VerifiedRecord, verify};
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{Server, ServerConfig, likely, number};

/// The credentials for a seat or for a private game.
#[derive(Clone, Copy, Debug)]
enum Key {
    /// A browser cookie, for pages.
    Browser(&'static str),
    /// The token of a program's seat, for the API.
    Token(&'static str),
    /// No credentials: the game is public.
    None,
}

/// The browser that created most of the games.
const ADA: Key = Key::Browser("dod=K9gGyX8OAK8aH8Myj6djqQ");

/// The browser of another user.
const BOB: Key = Key::Browser("dod=gbY32PzSxtpjWeaWMROhFw");

/// The cookie of the book's page, which has its own name.
const BOOK_PAGE_COOKIE: &str = "dod_book=tgMPJzcblIgmUHm7ZdG1xA";

/// The same secret as a browser cookie: with it the book's game can be viewed like any other.
const BOOK_PAGE_BROWSER: Key = Key::Browser("dod=tgMPJzcblIgmUHm7ZdG1xA");

/// A game in the database.
struct SavedGame {
    /// The name of its record file, without the extension.
    name: &'static str,
    id: &'static str,
    /// The credentials that can view it.
    viewer: Key,
    /// Its state when the server was stopped.
    state: SavedState,
}

/// The state in which a game was left.
#[derive(Clone, Copy, Debug)]
enum SavedState {
    /// The seat with these credentials is to move.
    Running(Key),
    /// No ply is due: a seat is open, computers move only on request, or only the book's page can play.
    Waiting,
    /// The game was over.
    Over,
}

use SavedState::{Over, Running, Waiting};

#[rustfmt::skip]
const GAMES: [SavedGame; 18] = [
    // A program against three computers.
    saved_game("v4", "4yten38xfy", ONE, Running(ONE)),
    // Played on pages; the human has a name and a time limit of a day.
    saved_game("v4-named", "a1x7ka4bps", ADA, Running(ADA)),
    saved_game("v4-finished", "9198gfhf0p", ADA, Over),
    // Over by the rules, but not marked as finished.
    saved_game("v4-unmarked", "nbjccq92rr", ADA, Over),
    saved_game("v4-resigned", "0nakqs9yez", ADA, Over),
    // Private: Ada, a program that joined by a link, a computer, and a seat of Bob, who resigned.
    saved_game("v4-shared", "2pmrbnkht6", ADA, Running(JOINED)),
    // The seat to move is open; its link has not been used.
    saved_game("v4-open", "kfdfmwgzej", ADA, Waiting),
    // Computers that move only on request.
    saved_game("v4-on-request", "qd3as2t94g", Key::None, Waiting),
    saved_game("v1-finished", "3wvvg31sfq", ADA, Over),
    saved_game("v2", "92e0hkp52g", ADA, Running(ADA)),
    saved_game("conquest", "xxtkn8pebb", TWO, Running(TWO)),
    saved_game("trilobite", "d08fby5k5c", ADA, Running(ADA)),
    // The computer moved first.
    saved_game("trilobite-second", "061k4hjyrg", THREE, Running(THREE)),
    saved_game("trilobite-won", "pvk5n0ajdn", BOB, Over),
    saved_game("trilobite-drawn", "8np7z3d1fk", ADA, Over),
    // Rematches of `v4-finished` and `trilobite-drawn`.
    saved_game("rematch-new", "b6hfjkm400", ADA, Running(ADA)),
    saved_game("rematch-same", "8stkynpyt6", ADA, Running(ADA)),
    // The game of the book's page, played through its links.
    saved_game("book", "qnycmrdtbb", BOOK_PAGE_BROWSER, Waiting),
];

const ONE: Key = Key::Token("37W9TtwTye7tmKQplCrXqw");
const TWO: Key = Key::Token("cX4gaXnK3tGl3piyStJmSw");
const THREE: Key = Key::Token("b7RaAtyIr2T3ygvtvSWHPA");
const JOINED: Key = Key::Token("3V81RsM_yI6O-OOG3x-XxQ");

const fn saved_game(
    name: &'static str,
    id: &'static str,
    viewer: Key,
    state: SavedState,
) -> SavedGame {
    SavedGame {
        name,
        id,
        viewer,
        state,
    }
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/earlier")
}

impl SavedGame {
    /// The record as the earlier version returned it.
    fn record(&self) -> Value {
        let text = std::fs::read_to_string(golden().join(format!("{}.json", self.name)));
        serde_json::from_str(&text.unwrap()).unwrap()
    }
}

/// A server on a copy of the database.
struct TestServer {
    server: Server,
    file: PathBuf,
    _directory: TempDir,
}

impl TestServer {
    async fn copy() -> Self {
        let directory = TempDir::new().unwrap();
        let file = directory.path().join("games.db");
        std::fs::copy(golden().join("games.db"), &file).unwrap();
        TestServer {
            server: serve(&file).await,
            file,
            _directory: directory,
        }
    }

    /// Restarts the server on the same file.
    async fn restart(self) -> Self {
        self.server.stop();
        self.server.service.close().await;
        TestServer {
            server: serve(&self.file).await,
            ..self
        }
    }

    fn request(&self, key: Key, request: RequestBuilder) -> RequestBuilder {
        match key {
            Key::Browser(cookie) => request.header("cookie", cookie),
            Key::Token(token) => request.bearer_auth(token),
            Key::None => request,
        }
    }

    async fn get(&self, key: Key, path: &str) -> Response {
        let request = self.server.api().client.get(self.server.url(path));
        self.request(key, request).send().await.unwrap()
    }

    async fn json(&self, key: Key, path: &str) -> Value {
        let answer = self.get(key, path).await;
        assert_eq!(answer.status(), 200, "{path}");
        answer.json().await.unwrap()
    }

    async fn game_json(&self, game: &SavedGame) -> Value {
        let path = format!("/api/v1/games/{}", game.id);
        self.json(game.viewer, &path).await
    }

    async fn record(&self, game: &SavedGame) -> Value {
        let path = format!("/g/{}/record.json", game.id);
        self.json(game.viewer, &path).await
    }

    /// Plays one ply with these credentials: as a form for a browser, as JSON for a program.
    async fn play(&self, game: &SavedGame, key: Key) {
        let now = self.game_json(game).await;
        let moves = format!("/api/v1/games/{}/moves", game.id);
        let moves = self.json(game.viewer, &moves).await;
        let ply = now["ply"].clone();
        let dice = now["game"] == "dice";
        let api = self.server.api();
        let request = match key {
            Key::Browser(_) => {
                let form = if dice {
                    attack(&ply, &likely(&moves))
                } else {
                    let column = number(&moves["moves"][0]) % number(&now["width"]);
                    let column = char::from(b'a' + u8::try_from(column).unwrap());
                    vec![("ply", ply.to_string()), ("column", column.to_string())]
                };
                let url = self.server.url(&format!("/g/{}/moves", game.id));
                api.client.post(url).form(&form)
            }
            Key::Token(_) | Key::None => {
                let body = if dice {
                    json!({"ply": ply, "path": likely(&moves)})
                } else {
                    json!({"ply": ply, "cell": moves["moves"][0]})
                };
                let path = format!("/api/v1/games/{}/moves", game.id);
                api.client.post(self.server.url(&path)).json(&body)
            }
        };
        let answer = self.request(key, request).send().await.unwrap();
        let status = answer.status();
        assert_eq!(
            status,
            200,
            "{}: {}",
            game.name,
            answer.text().await.unwrap()
        );
    }

    /// The state of the game once no computer is to move.
    async fn settled(&self, game: &SavedGame) -> Value {
        let mut now = self.game_json(game).await;
        while let Some(player) = now["player"].as_u64() {
            if !is_level(&now, &json!(player)) {
                break;
            }
            let next = number(&now["ply"]) + 1;
            let path = format!("/api/v1/games/{}?wait={next}", game.id);
            now = self.json(game.viewer, &path).await;
        }
        now
    }
}

async fn serve(file: &Path) -> Server {
    Server::start_with(ServerConfig {
        archive: Arc::new(SqliteStore::open(file).await.unwrap()),
        ..ServerConfig::default()
    })
    .await
}

/// The fields of a form that ends the turn or attacks along a path.
fn attack(ply: &Value, path: &Value) -> Vec<(&'static str, String)> {
    let mut form = vec![("ply", ply.to_string())];
    match path.as_array() {
        None => form.push(("pass", "1".to_owned())),
        Some(path) => {
            form.push(("from", path[0].to_string()));
            form.push(("to", path[1].to_string()));
        }
    }
    form
}

/// Whether a computer has this seat.
fn is_level(game: &Value, player: &Value) -> bool {
    let seat = usize::try_from(number(player)).unwrap();
    game["seats"][seat]["kind"] == "level"
}

/// Checks that a record starts with all plies of an earlier one and has more.
#[track_caller]
fn check_continues(record: &Value, earlier: &Value, name: &str) {
    for field in ["format", "game", "rules", "size", "width", "height", "win"] {
        assert_eq!(record[field], earlier[field], "{name}: {field}");
    }
    assert_eq!(record["start"], earlier["start"], "{name}");
    let (plies, before) = (&record["plies"], earlier["plies"].as_array().unwrap());
    let plies = plies.as_array().unwrap();
    assert!(plies.len() > before.len(), "{name}: {record}");
    assert_eq!(&plies[..before.len()], before, "{name}");
}

#[tokio::test]
async fn every_game_opens_with_an_unchanged_record() {
    let reopened = TestServer::copy().await;
    for game in &GAMES {
        let (name, earlier) = (game.name, game.record());
        let mut record = reopened.record(game).await;
        let added = ["id", "seal"].map(|field| record.as_object_mut().unwrap().remove(field));
        assert!(added.iter().all(Option::is_some), "{name}: {added:?}");
        // Records have contained the seats since then; they must match the game's state.
        let recorded = record.as_object_mut().unwrap().remove("seats").unwrap();
        let seats = reopened.game_json(game).await["seats"].clone();
        for (recorded, seat) in recorded
            .as_array()
            .unwrap()
            .iter()
            .zip(seats.as_array().unwrap())
        {
            for field in ["player", "level", "name"] {
                assert_eq!(recorded[field], seat[field], "{name}: {field}");
            }
        }
        assert_eq!(
            recorded.as_array().unwrap().len(),
            seats.as_array().unwrap().len()
        );
        // Records have contained resignations since they can be verified independently.
        let resigned = record.as_object_mut().unwrap().remove("resigned");
        assert_eq!(
            resigned.is_some(),
            earlier["ending"] == "resigned",
            "{name}"
        );
        assert_eq!(record, earlier, "{name}");
        let now = reopened.game_json(game).await;
        let plies = earlier["plies"].as_array().unwrap().len();
        assert_eq!(now["ply"], plies, "{name}");
        assert_eq!(now["over"], !earlier["winners"].is_null(), "{name}");
        assert_eq!(now["winners"], earlier["winners"], "{name}");
        assert_eq!(now["ending"], earlier["ending"], "{name}");
        assert_eq!(
            now["over"],
            matches!(game.state, Over),
            "{name}: {:?}",
            game.state
        );
        for page in ["", "/0", &format!("/{plies}"), "/log", "/board.svg"] {
            let path = format!("/g/{}{page}", game.id);
            let answer = reopened.get(game.viewer, &path).await;
            assert_eq!(answer.status(), 200, "{name}: {path}");
        }
    }
}

/// Records of the earlier version can still be uploaded, and their current form passes verification.
#[tokio::test]
async fn old_and_current_records_are_valid() {
    let reopened = TestServer::copy().await;
    let games = reopened.server.service.games();
    for game in &GAMES {
        let (name, old) = (game.name, game.record());
        let entries = u32::try_from(old["plies"].as_array().unwrap().len()).unwrap();
        let read = games.read_verified_record(&old.to_string());
        // Old records do not name the player who resigned, which verification requires.
        let resigned = old["ending"] == "resigned";
        assert_eq!(read.is_err(), resigned, "{name}: {:?}", read.err());
        let current = reopened.record(game).await.to_string();
        let verified = verify(games, &current);
        assert_eq!(
            verified,
            Ok(VerifiedRecord::NoCommitment { entries }),
            "{name}"
        );
    }
}

#[tokio::test]
async fn games_in_progress_can_be_continued() {
    let reopened = TestServer::copy().await;
    let mut played = Vec::new();
    for game in &GAMES {
        let Running(key) = game.state else { continue };
        let (name, earlier) = (game.name, game.record());
        let before = earlier["plies"].as_array().unwrap().len();
        let mover = reopened.game_json(game).await["player"].clone();
        // Plays until a computer has moved or another player is to move.
        let (now, answered) = loop {
            reopened.play(game, key).await;
            let now = reopened.settled(game).await;
            let record = reopened.record(game).await;
            check_continues(&record, &earlier, name);
            let new = &record["plies"].as_array().unwrap()[before..];
            assert_eq!(new[0]["player"], mover, "{name}");
            let answered = new.iter().any(|ply| is_level(&now, &ply["player"]));
            if answered || now["player"] != mover {
                break (now, answered);
            }
        };
        let computers = (0..now["seats"].as_array().unwrap().len())
            .filter(|&seat| is_level(&now, &json!(seat)))
            .count();
        assert!(answered || computers == 0 || now["over"] == true, "{name}");
        played.push((game, reopened.record(game).await));
    }
    assert_eq!(played.len(), 9);
    // The new plies persist over a restart.
    let reopened = reopened.restart().await;
    for (game, record) in played {
        assert_eq!(reopened.record(game).await, record, "{}", game.name);
    }
}

#[tokio::test]
async fn the_game_of_the_book_page_can_be_continued() {
    let reopened = TestServer::copy().await;
    let book = GAMES.iter().find(|game| game.name == "book").unwrap();
    let earlier = book.record();
    let before = earlier["plies"].as_array().unwrap().len();
    let visitor = Key::Browser(BOOK_PAGE_COOKIE);
    // The human ends the turn; then each `continue` plays one ply of a computer.
    for (ply, chosen) in (before..).zip(["pass", "NIL", "NIL"]) {
        let path = format!("/game.html?chosen={chosen}&ply={ply}");
        let page = reopened.get(visitor, &path).await;
        assert_eq!(page.status(), 200, "{path}");
        assert_eq!(reopened.game_json(book).await["ply"], ply + 1);
    }
    check_continues(&reopened.record(book).await, &earlier, book.name);
}

#[tokio::test]
async fn lists_contain_the_games_of_the_browser() {
    let reopened = TestServer::copy().await;
    for (key, listed) in [
        (ADA, ["v4-named", "v4-unmarked", "trilobite-drawn"]),
        (BOB, ["trilobite-won"; 3]),
    ] {
        let page = reopened.get(key, "/games").await.text().await.unwrap();
        for name in listed {
            let game = GAMES.iter().find(|game| game.name == name).unwrap();
            assert!(page.contains(&format!("/g/{}", game.id)), "{name}");
        }
        assert!(!page.contains("/g/qnycmrdtbb"), "book games are not listed");
    }
}
