//! Whoever plays: one game after the other, a ply whenever one is due, for both of its people.

use std::sync::Arc;

use axum::http::Method;
use rand::seq::IndexedRandom as _;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::LoadRun;
use super::client::LoadRequest;
use super::game::LoadedGame;
use super::page::ActiveGames;
use super::schedule::Pacer;
use super::stats::RequestKind;

/// The game that is played: its people play by JSON, and chance has a part in it.
const GAME: &str = "dice";

/// Plays one game after the other.
pub(super) struct LoadPlayer {
    run: Arc<LoadRun>,
    server: u32,
    seat: LoadGameState,
    /// What to play next, as soon as it is due.
    choice: Option<Value>,
    watchers: Vec<mpsc::UnboundedSender<Arc<LoadedGame>>>,
}

/// A game with the secrets of its seats, and what to play next.
struct LoadGameState {
    table: Arc<LoadedGame>,
    tokens: Vec<String>,
    /// The number of the next ply.
    ply: u32,
    mover: usize,
    is_over: bool,
}

#[derive(Deserialize)]
struct NewGameReply {
    id: String,
    ply: u32,
    player: Option<usize>,
    seats: Vec<BegunSeat>,
}

#[derive(Deserialize)]
struct BegunSeat {
    token: String,
}

#[derive(Deserialize)]
struct MovesReply {
    moves: Vec<MoveReply>,
}

#[derive(Deserialize)]
struct MoveReply {
    path: Value,
}

#[derive(Deserialize)]
struct PlayReply {
    ply: u32,
    state: PositionReply,
    over: bool,
    repeated: bool,
}

#[derive(Deserialize)]
struct PositionReply {
    player: usize,
}

impl LoadPlayer {
    /// A player with a new game; nothing where none could be had by then.
    pub(super) async fn seated(run: Arc<LoadRun>, server: u32, latest: Instant) -> Option<Self> {
        let seat = LoadGameState::new(&run, server, latest).await?;
        let mut player = LoadPlayer {
            run,
            server,
            seat,
            choice: None,
            watchers: Vec::new(),
        };
        // Now, where few do so at a time, and not all when the schedule begins.
        player.choice = player.choose(latest).await;
        player.choice.is_some().then_some(player)
    }

    pub(super) fn game(&self) -> String {
        self.seat.table.id.clone()
    }

    /// The games of this player from now on, each as it begins.
    pub(super) fn listen(&mut self) -> mpsc::UnboundedReceiver<Arc<LoadedGame>> {
        let (tell, told) = mpsc::unbounded_channel();
        // The other end is held below.
        let _ = tell.send(Arc::clone(&self.seat.table));
        self.watchers.push(tell);
        told
    }

    /// Plays until the schedule is over. The legal moves are asked for beforehand, as a page shows them before its
    /// player decides.
    pub(super) async fn run(mut self, mut pace: Pacer, number: usize, shown: Arc<ActiveGames>) {
        loop {
            if self.seat.is_over && !self.next_game(pace.latest()).await {
                break;
            }
            shown.show(number, &self.seat.table.id);
            let choice = match self.choice.take() {
                Some(choice) => Some(choice),
                None => self.choose(pace.latest()).await,
            };
            let Some(choice) = choice else {
                // Something odd was answered, and counted: this game is left, and another one begun.
                self.seat.is_over = true;
                if self.run.stop.is_cancelled() || Instant::now() >= pace.latest() {
                    break;
                }
                continue;
            };
            let Some(due) = pace.next(&self.run.tally, &self.run.stop).await else {
                break;
            };
            self.play(choice, due, pace.latest()).await;
        }
        self.seat.table.done.cancel();
    }

    /// Whether there is one.
    async fn next_game(&mut self, latest: Instant) -> bool {
        self.seat.table.done.cancel();
        let Some(seat) = LoadGameState::new(&self.run, self.server, latest).await else {
            return false;
        };
        self.seat = seat;
        for watcher in &self.watchers {
            // Watchers stay as long as the run.
            let _ = watcher.send(Arc::clone(&self.seat.table));
        }
        true
    }

    async fn choose(&self, latest: Instant) -> Option<Value> {
        let path = self.seat.path("/moves");
        let asked = LoadRequest {
            server: self.server,
            kind: RequestKind::Moves,
            method: Method::GET,
            path: &path,
            token: None,
            body: None,
            due: None,
            latest,
        };
        let answer = self.run.ask(&asked).await?;
        let moves: MovesReply = self.read(RequestKind::Moves, &answer.body)?;
        let chosen = moves.moves.choose(&mut rand::rng())?;
        Some(chosen.path.clone())
    }

    async fn play(&mut self, choice: Value, due: Instant, latest: Instant) {
        let path = self.seat.path("/moves");
        let body = json!({"ply": self.seat.ply, "path": choice});
        let asked = LoadRequest {
            server: self.server,
            kind: RequestKind::Ply,
            method: Method::POST,
            path: &path,
            token: self.seat.tokens.get(self.seat.mover).map(String::as_str),
            body: Some(&body),
            due: Some(due),
            latest,
        };
        self.seat.table.sent(Instant::now());
        self.run.tally.sent();
        let answer = self.run.ask(&asked).await;
        let played =
            answer.and_then(|answer| self.read::<PlayReply>(RequestKind::Ply, &answer.body));
        let Some(played) = played else {
            self.seat.is_over = true;
            return;
        };
        self.seat.table.acknowledged(Instant::now());
        self.run.tally.done();
        if played.repeated {
            self.run.tally.repeated();
        }
        self.seat.ply = played.ply;
        self.seat.mover = played.state.player;
        self.seat.is_over = played.over;
    }

    fn read<T: for<'a> Deserialize<'a>>(&self, kind: RequestKind, body: &[u8]) -> Option<T> {
        match serde_json::from_slice(body) {
            Ok(read) => Some(read),
            Err(error) => {
                self.run
                    .tally
                    .failed(kind, &format!("an answer that cannot be read: {error}"));
                None
            }
        }
    }
}

impl LoadGameState {
    async fn new(run: &LoadRun, server: u32, latest: Instant) -> Option<Self> {
        let body = json!({"game": GAME, "players": 2, "seats": ["human", "human"]});
        let asked = LoadRequest {
            server,
            kind: RequestKind::Game,
            method: Method::POST,
            path: "/api/v1/games",
            token: None,
            body: Some(&body),
            due: None,
            latest,
        };
        let answer = run.ask(&asked).await?;
        let begun: NewGameReply = match serde_json::from_slice(&answer.body) {
            Ok(begun) => begun,
            Err(error) => {
                run.tally.failed(
                    RequestKind::Game,
                    &format!("an answer that cannot be read: {error}"),
                );
                return None;
            }
        };
        Some(LoadGameState {
            table: Arc::new(LoadedGame::new(begun.id)),
            tokens: begun.seats.into_iter().map(|seat| seat.token).collect(),
            ply: begun.ply,
            mover: begun.player.unwrap_or_default(),
            is_over: begun.player.is_none(),
        })
    }

    fn path(&self, rest: &str) -> String {
        format!("/api/v1/games/{}{rest}", self.table.id)
    }
}
