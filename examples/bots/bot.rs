//! A bot for Dice of Doom. It makes the attack with the best odds, and ends its turn when no attack has 60 %.
//!
//!     cargo run --example bot                             answers an arena on stdin and stdout
//!     cargo run --example bot -- http://localhost:8080    plays a game on a server

use std::error::Error;
use std::io::{BufRead, BufReader, Write, stdin};
use std::process::{Command, Stdio};
use std::time::Duration;

use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use tokio::time::sleep;

/// The path of the best move: from hex to hex, or null to end the turn.
fn choose(moves: &Value) -> &Value {
    let value = |action: &Value| action["odds"].as_f64().unwrap_or(0.6);
    let mut best = &moves[0];
    for action in moves.as_array().into_iter().flatten() {
        if value(action) > value(best) {
            best = action;
        }
    }
    &best["path"]
}

fn play_in_arena() -> Result<(), Box<dyn Error>> {
    let program = std::env::var("DICE_OF_DOOM").unwrap_or("dice-of-doom".to_owned());
    let mut engine = Command::new(program);
    engine
        .arg("engine")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let engine = engine.spawn()?;
    let mut questions = engine.stdin.ok_or("no stdin")?;
    let mut answers = BufReader::new(engine.stdout.ok_or("no stdout")?).lines();
    for line in stdin().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let question = json!({"op": "moves", "position": request["position"], "successors": false});
        writeln!(questions, "{question}")?;
        let answer: Value = serde_json::from_str(&answers.next().ok_or("no answer")??)?;
        let path = choose(&answer["ok"]["moves"]);
        println!("{}", json!({"id": request["id"], "ok": {"path": path}}));
    }
    Ok(())
}

async fn send(request: RequestBuilder) -> Result<Value, Box<dyn Error>> {
    loop {
        let copy = request
            .try_clone()
            .ok_or("a body that cannot be sent again")?;
        let mut pause_s = 1;
        match copy.send().await {
            Ok(answer) if [429, 503].contains(&answer.status().as_u16()) => {
                if let Some(seconds) = answer.headers().get("Retry-After") {
                    pause_s = seconds.to_str()?.parse()?;
                }
            }
            Ok(answer) => return Ok(answer.error_for_status()?.json().await?),
            // No answer: a move that is sent twice is played once.
            Err(error) => eprintln!("{error}"),
        }
        sleep(Duration::from_secs(pause_s)).await;
    }
}

async fn play_on_server(url: &str) -> Result<(), Box<dyn Error>> {
    let client = Client::new();
    let games = format!("{url}/api/v1/games");
    let new = json!({"game": "dice", "seats": ["human", "book", "book", "book"]});
    let mut game = send(client.post(&games).json(&new)).await?;
    let token = game["seats"][0]["token"]
        .as_str()
        .ok_or("no token")?
        .to_owned();
    let id = game["id"].as_str().ok_or("no id")?.to_owned();
    println!("{url}/g/{id}");
    while game["over"] == false {
        if game["player"] == 0 {
            let moves = send(client.get(format!("{games}/{id}/moves"))).await?;
            let play = json!({"ply": game["ply"], "path": choose(&moves["moves"])});
            let post = client
                .post(format!("{games}/{id}/moves"))
                .bearer_auth(&token);
            send(post.json(&play)).await?;
        }
        let next = game["ply"].as_u64().ok_or("no ply")? + 1;
        // The server answers at the next ply, at the latest after 30 seconds.
        game = send(client.get(format!("{games}/{id}?wait={next}"))).await?;
    }
    println!("winners: {}", game["winners"]);
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1) {
        Some(url) => play_on_server(url.trim_end_matches('/')).await,
        None => play_in_arena(),
    }
}
