//! The game of docs/new-game.md, which uses the defaults of every adapter, is played on every front end.

use std::sync::Arc;

use dice_of_doom::engine::{Engine, RequestLimits};
use dice_of_doom::formats::JsonFields;
use dice_of_doom::games::Registry;
use dice_of_doom::games::terminal::ColourMode;
use dice_of_doom::level::Level;
use dice_of_doom::store::sqlite::SqliteStore;
use dice_of_doom::templates::Language;
use dice_of_doom::terminal::{TerminalGame, TerminalSeat};
use serde_json::{Value, json};

use crate::common::{Server, assert_contains, problem};
use crate::nim::Nim;

fn games() -> Registry {
    Registry::builtin().with_game::<Nim>()
}

async fn server() -> Server {
    Server::with(|config| {
        config.store = Arc::new(SqliteStore::in_memory());
        config.games = games();
    })
    .await
}

#[test]
fn the_page_contains_the_program_in_less_than_150_lines() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let read = |file: &str| std::fs::read_to_string(format!("{folder}/{file}")).unwrap();
    let (page, program) = (read("docs/new-game.md"), read("tests/router/nim.rs"));
    assert!(program.lines().count() < 150);
    assert!(page.contains(&format!("```rust\n{program}```")));
}

#[tokio::test]
async fn the_api_plays_it_to_its_end() {
    let server = server().await;
    let api = server.api();
    let new = json!({"game": "nim", "seats": ["human", "human"]});
    let table = api.create(new).await;
    let play = async |ply: usize, take: u8| {
        let body = json!({"ply": ply, "take": take});
        let path = table.path("/moves");
        api.post_as(table.token(ply % 2), &path, &body).await
    };
    let moves = table.moves().await;
    assert_eq!(
        moves["moves"],
        json!([{"take": 1}, {"take": 2}, {"take": 3}])
    );
    let refused = problem(play(0, 4).await, 422).await;
    assert_eq!(refused["detail"], "take 1 to 3");
    for ply in 0..7 {
        assert_eq!(play(ply, 3).await.status(), 200);
    }
    let end = table.state().await;
    assert_eq!(
        (&end["state"]["stones"], &end["winners"]),
        (&json!(0), &json!([0]))
    );
    let record = table.record().await;
    assert_eq!(record["plies"][6]["take"], 3);
}

#[tokio::test]
async fn pages_show_the_position_as_text_and_a_button_for_each_action() {
    let server = server().await;
    let browser = server.person();
    let form = [("game", "nim"), ("seats", "human"), ("seats", "human")];
    let game = browser.create(&form).await;
    let page = browser.page(&game).await;
    assert_eq!(page.text("pre"), "21 stones");
    assert_eq!(page.attrs("[name=action]", "value"), ["1", "2", "3"]);
    let moves = format!("{game}/moves");
    browser.done(&moves, "ply=0&action=3").await;
    let played = browser.page(&game).await;
    assert_eq!(played.text("pre"), "18 stones");
    for action in ["4", "none"] {
        let form = [("ply", "1"), ("action", action)];
        browser.refused(&moves, &form, 422).await;
    }
    assert!(
        !played.has("[href^='/analysis?game']"),
        "it has no analysis board"
    );
    let picture = browser.get(&format!("{game}/board.png")).await;
    assert_eq!(picture.status(), 200);
}

#[test]
fn the_terminal_plays_it() {
    let setting = games()
        .game_type("nim")
        .unwrap()
        .configure(JsonFields::default());
    let game = TerminalGame {
        setting: setting.unwrap(),
        seats: vec![
            TerminalSeat::Human,
            TerminalSeat::Level(Level::Random.into()),
        ],
        seed: 1,
        record: None,
        resumed: None,
    };
    let mut printed = Vec::new();
    let games = games();
    let text = games.translations(Language::English);
    game.play(&b"3\nq\n"[..], &mut printed, ColourMode::Plain, text)
        .unwrap();
    let printed = String::from_utf8(printed).unwrap();
    assert_contains(&printed, &["21 stones", "18 stones"]);
}

#[test]
fn the_engine_lists_its_moves_and_chooses_one() {
    let mut engine = Engine::new(games(), RequestLimits::default());
    let mut result = |request: Value| -> Value {
        let answer = engine.answer(request.to_string().as_bytes());
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert!(answer["error"].is_null(), "{answer} to {request}");
        answer["ok"].clone()
    };
    let position = json!({"game": "nim", "stones": 2, "second": true});
    let moves = result(json!({"op": "moves", "position": position}));
    assert_eq!(moves["moves"], json!([{"take": 1}, {"take": 2}]));
    let chosen = result(json!({"op": "choose", "position": position, "level": "book", "seed": 1}));
    assert!(
        moves["moves"]
            .as_array()
            .unwrap()
            .contains(&json!({"take": chosen["take"]}))
    );
}
