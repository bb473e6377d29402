//! Records and databases that an earlier commit wrote: they open here, and their games go on.
//!
//! `tests/golden/earlier/games.db` was written by the program at commit 455db8c. Its games were played
//! over HTTP, by pages with the cookie of a browser and by the JSON API with tokens, beside
//! computers; each of them is in the list below. Then the server was
//! stopped by SIGTERM. Two things were done to the file afterwards, with the SQLite of Python 3:
//! `UPDATE game SET finished_ms = NULL` for `v4-unmarked` (what a crash between the last ply and the
//! mark that the game is over left behind in those days), and `VACUUM` with a checkpoint, so that no
//! log lies beside it. `NAME.json` is what `GET /g/ID/record.json` answered just before the stop.
//!
//! The files are not to be written again: they stand for what is on people's disks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dice_of_doom::store::sqlite::SqliteStore;
use dice_of_doom::verify::{VerifiedRecord, verify};
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{House, Server, likely, number};

/// How somebody shows that a seat, or a private game, is theirs.
#[derive(Clone, Copy, Debug)]
enum Key {
    /// The cookie of a browser, for pages.
    Browser(&'static str),
    /// The token of a program's seat, for the API.
    Token(&'static str),
    /// Nobody's: the game is public.
    Nobody,
}

/// The browser that made most of the games.
const ADA: Key = Key::Browser("dod=K9gGyX8OAK8aH8Myj6djqQ");

/// The browser of another person.
const BOB: Key = Key::Browser("dod=gbY32PzSxtpjWeaWMROhFw");

/// The book's page keeps its secret in a cookie of its own.
const OF_THE_BOOK: &str = "dod_book=tgMPJzcblIgmUHm7ZdG1xA";

/// The same secret as a browser's: it lets the book's game be looked at like any other.
const READER_OF_THE_BOOK: Key = Key::Browser("dod=tgMPJzcblIgmUHm7ZdG1xA");

/// A game of the file.
struct Kept {
    /// The file of its record, without the extension.
    name: &'static str,
    id: &'static str,
    /// Who may look at it.
    seen_by: Key,
    /// How it was left when the server stopped.
    stands: Stands,
}

/// How a game was left.
#[derive(Clone, Copy, Debug)]
enum Stands {
    /// This key's seat is to move.
    Running(Key),
    /// Nobody moves here: a seat is open, computers wait to be asked, or only the book's page plays.
    Waiting,
    /// It was over.
    Over,
}

use Stands::{Over, Running, Waiting};

#[rustfmt::skip]
const GAMES: [Kept; 18] = [
    // A program against three computers.
    kept("v4", "4yten38xfy", ONE, Running(ONE)),
    // By pages; its person has a name, and would be replaced after a day.
    kept("v4-named", "a1x7ka4bps", ADA, Running(ADA)),
    kept("v4-finished", "9198gfhf0p", ADA, Over),
    // Over by the rules, but not marked as finished.
    kept("v4-unmarked", "nbjccq92rr", ADA, Over),
    kept("v4-resigned", "0nakqs9yez", ADA, Over),
    // Private: Ada, a program that joined by a link, a computer, and one for Bob, who resigned.
    kept("v4-shared", "2pmrbnkht6", ADA, Running(JOINED)),
    // The seat to move waits for whoever has its link.
    kept("v4-open", "kfdfmwgzej", ADA, Waiting),
    // Computers that move only when they are asked to.
    kept("v4-on-request", "qd3as2t94g", Key::Nobody, Waiting),
    kept("v1-finished", "3wvvg31sfq", ADA, Over),
    kept("v2", "92e0hkp52g", ADA, Running(ADA)),
    kept("conquest", "xxtkn8pebb", TWO, Running(TWO)),
    kept("trilobite", "d08fby5k5c", ADA, Running(ADA)),
    // The computer began.
    kept("trilobite-second", "061k4hjyrg", THREE, Running(THREE)),
    kept("trilobite-won", "pvk5n0ajdn", BOB, Over),
    kept("trilobite-drawn", "8np7z3d1fk", ADA, Over),
    // Rematches of `v4-finished` and `trilobite-drawn`.
    kept("rematch-new", "b6hfjkm400", ADA, Running(ADA)),
    kept("rematch-same", "8stkynpyt6", ADA, Running(ADA)),
    // The game of the book's page, played through its links.
    kept("book", "qnycmrdtbb", READER_OF_THE_BOOK, Waiting),
];

const ONE: Key = Key::Token("37W9TtwTye7tmKQplCrXqw");
const TWO: Key = Key::Token("cX4gaXnK3tGl3piyStJmSw");
const THREE: Key = Key::Token("b7RaAtyIr2T3ygvtvSWHPA");
const JOINED: Key = Key::Token("3V81RsM_yI6O-OOG3x-XxQ");

const fn kept(name: &'static str, id: &'static str, seen_by: Key, stands: Stands) -> Kept {
    Kept {
        name,
        id,
        seen_by,
        stands,
    }
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/earlier")
}

impl Kept {
    /// Its record as the earlier program told it.
    fn record(&self) -> Value {
        let text = std::fs::read_to_string(golden().join(format!("{}.json", self.name)));
        serde_json::from_str(&text.unwrap()).unwrap()
    }
}

/// A server in this process on a copy of the file.
struct Reopened {
    server: Server,
    file: PathBuf,
    _directory: TempDir,
}

impl Reopened {
    async fn copy() -> Self {
        let directory = TempDir::new().unwrap();
        let file = directory.path().join("games.db");
        std::fs::copy(golden().join("games.db"), &file).unwrap();
        Reopened {
            server: serve(&file).await,
            file,
            _directory: directory,
        }
    }

    /// Stops, and starts again on the same file.
    async fn again(self) -> Self {
        self.server.stop();
        self.server.service.close().await;
        Reopened {
            server: serve(&self.file).await,
            ..self
        }
    }

    fn request(&self, key: Key, request: RequestBuilder) -> RequestBuilder {
        match key {
            Key::Browser(cookie) => request.header("cookie", cookie),
            Key::Token(token) => request.bearer_auth(token),
            Key::Nobody => request,
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

    async fn look(&self, game: &Kept) -> Value {
        let path = format!("/api/v1/games/{}", game.id);
        self.json(game.seen_by, &path).await
    }

    async fn record(&self, game: &Kept) -> Value {
        let path = format!("/g/{}/record.json", game.id);
        self.json(game.seen_by, &path).await
    }

    /// A ply by the seat of this key: as a form by a browser, as JSON by a program.
    async fn play(&self, game: &Kept, key: Key) {
        let now = self.look(game).await;
        let moves = format!("/api/v1/games/{}/moves", game.id);
        let moves = self.json(game.seen_by, &moves).await;
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
            Key::Token(_) | Key::Nobody => {
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

    /// How a game stands once no computer is to move any more.
    async fn settled(&self, game: &Kept) -> Value {
        let mut now = self.look(game).await;
        while let Some(player) = now["player"].as_u64() {
            if !is_level(&now, &json!(player)) {
                break;
            }
            let next = number(&now["ply"]) + 1;
            let path = format!("/api/v1/games/{}?wait={next}", game.id);
            now = self.json(game.seen_by, &path).await;
        }
        now
    }
}

async fn serve(file: &Path) -> Server {
    Server::of(House {
        archive: Arc::new(SqliteStore::open(file).await.unwrap()),
        ..House::default()
    })
    .await
}

/// The fields of a form that ends the turn, or attacks along a path.
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

/// Whether a computer sits there.
fn is_level(game: &Value, player: &Value) -> bool {
    let seat = usize::try_from(number(player)).unwrap();
    game["seats"][seat]["kind"] == "level"
}

/// A record that begins with all plies of an earlier one and has more of them.
#[track_caller]
fn check_goes_on(record: &Value, earlier: &Value, name: &str) {
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
async fn every_game_opens_with_its_record() {
    let reopened = Reopened::copy().await;
    for game in &GAMES {
        let (name, earlier) = (game.name, game.record());
        let mut record = reopened.record(game).await;
        let added = ["id", "seal"].map(|field| record.as_object_mut().unwrap().remove(field));
        assert!(added.iter().all(Option::is_some), "{name}: {added:?}");
        // Who sits there is told since then, and as the game's answer has it.
        let sat = record.as_object_mut().unwrap().remove("seats").unwrap();
        let seats = reopened.look(game).await["seats"].clone();
        for (sat, seat) in sat
            .as_array()
            .unwrap()
            .iter()
            .zip(seats.as_array().unwrap())
        {
            for field in ["player", "level", "name"] {
                assert_eq!(sat[field], seat[field], "{name}: {field}");
            }
        }
        assert_eq!(
            sat.as_array().unwrap().len(),
            seats.as_array().unwrap().len()
        );
        // Who gave up is told since records can be checked by others.
        let resigned = record.as_object_mut().unwrap().remove("resigned");
        assert_eq!(
            resigned.is_some(),
            earlier["ending"] == "resigned",
            "{name}"
        );
        assert_eq!(record, earlier, "{name}");
        let now = reopened.look(game).await;
        let plies = earlier["plies"].as_array().unwrap().len();
        assert_eq!(now["ply"], plies, "{name}");
        assert_eq!(now["over"], !earlier["winners"].is_null(), "{name}");
        assert_eq!(now["winners"], earlier["winners"], "{name}");
        assert_eq!(now["ending"], earlier["ending"], "{name}");
        assert_eq!(
            now["over"],
            matches!(game.stands, Over),
            "{name}: {:?}",
            game.stands
        );
        for page in ["", "/0", &format!("/{plies}"), "/log", "/board.svg"] {
            let path = format!("/g/{}{page}", game.id);
            let answer = reopened.get(game.seen_by, &path).await;
            assert_eq!(answer.status(), 200, "{name}: {path}");
        }
    }
}

/// Records as an earlier program wrote them can still be brought, and as they are told now they hold.
#[tokio::test]
async fn records_of_then_and_of_now_hold() {
    let reopened = Reopened::copy().await;
    let games = reopened.server.service.games();
    for game in &GAMES {
        let (name, then) = (game.name, game.record());
        let entries = u32::try_from(then["plies"].as_array().unwrap().len()).unwrap();
        let read = games.read_verified_record(&then.to_string());
        // Who gave up was not told then, and has to be known.
        let resigned = then["ending"] == "resigned";
        assert_eq!(read.is_err(), resigned, "{name}: {:?}", read.err());
        let now = reopened.record(game).await.to_string();
        let holds = verify(games, &now);
        assert_eq!(holds, Ok(VerifiedRecord::Unsealed { entries }), "{name}");
    }
}

#[tokio::test]
async fn running_games_go_on() {
    let reopened = Reopened::copy().await;
    let mut played = Vec::new();
    for game in &GAMES {
        let Running(key) = game.stands else { continue };
        let (name, earlier) = (game.name, game.record());
        let before = earlier["plies"].as_array().unwrap().len();
        let mover = reopened.look(game).await["player"].clone();
        // Until a computer has answered, or somebody else is to move.
        let (now, answered) = loop {
            reopened.play(game, key).await;
            let now = reopened.settled(game).await;
            let record = reopened.record(game).await;
            check_goes_on(&record, &earlier, name);
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
    // What was played on is kept as before.
    let reopened = reopened.again().await;
    for (game, record) in played {
        assert_eq!(reopened.record(game).await, record, "{}", game.name);
    }
}

#[tokio::test]
async fn the_games_of_the_book_go_on() {
    let reopened = Reopened::copy().await;
    let book = GAMES.iter().find(|game| game.name == "book").unwrap();
    let earlier = book.record();
    let before = earlier["plies"].as_array().unwrap().len();
    let visitor = Key::Browser(OF_THE_BOOK);
    // Its person ends the turn; then each `continue` asks for one ply of a computer.
    for (ply, chosen) in (before..).zip(["pass", "NIL", "NIL"]) {
        let path = format!("/game.html?chosen={chosen}&ply={ply}");
        let page = reopened.get(visitor, &path).await;
        assert_eq!(page.status(), 200, "{path}");
        assert_eq!(reopened.look(book).await["ply"], ply + 1);
    }
    check_goes_on(&reopened.record(book).await, &earlier, book.name);
}

#[tokio::test]
async fn lists_name_the_games_of_their_people() {
    let reopened = Reopened::copy().await;
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
