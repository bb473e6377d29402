//! A player: plays one game after the other, with a ply for either of its two human seats whenever one is due.

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

/// The game that is played: it has a JSON API and chance.
const GAME: &str = "dice";

/// Plays one game after the other.
pub(super) struct LoadPlayer {
    run: Arc<LoadRun>,
    server: u32,
    state: LoadGameState,
    /// The next action, requested in advance.
    next_action: Option<Value>,
    watchers: Vec<mpsc::UnboundedSender<Arc<LoadedGame>>>,
}

/// A game with the tokens of its seats and its state.
struct LoadGameState {
    game: Arc<LoadedGame>,
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
    seats: Vec<SeatReply>,
}

#[derive(Deserialize)]
struct SeatReply {
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
    /// Creates a player with a new game; `None` if that fails until the deadline.
    pub(super) async fn connect(run: Arc<LoadRun>, server: u32, deadline: Instant) -> Option<Self> {
        let state = LoadGameState::new(&run, server, deadline).await?;
        let mut player = LoadPlayer {
            run,
            server,
            state,
            next_action: None,
            watchers: Vec::new(),
        };
        // The first action is requested now, while concurrency is limited, and not by all players at the start of the
        // schedule.
        player.next_action = player.choose_action(deadline).await;
        player.next_action.is_some().then_some(player)
    }

    pub(super) fn game_id(&self) -> String {
        self.state.game.id.clone()
    }

    /// Subscribes to the games of this player, starting with the current one.
    pub(super) fn subscribe(&mut self) -> mpsc::UnboundedReceiver<Arc<LoadedGame>> {
        let (sender, receiver) = mpsc::unbounded_channel();
        // The receiver exists, so sending cannot fail.
        let _ = sender.send(Arc::clone(&self.state.game));
        self.watchers.push(sender);
        receiver
    }

    /// Plays until the end of the schedule. The legal moves are requested before the ply is due, as a page shows them
    /// before its player decides.
    pub(super) async fn run(
        mut self,
        mut pacer: Pacer,
        number: usize,
        active_games: Arc<ActiveGames>,
    ) {
        loop {
            if self.state.is_over && !self.start_next_game(pacer.deadline()).await {
                break;
            }
            active_games.set_game(number, &self.state.game.id);
            let action = match self.next_action.take() {
                Some(action) => Some(action),
                None => self.choose_action(pacer.deadline()).await,
            };
            let Some(action) = action else {
                // The response was invalid, which has been counted: continues with a new game.
                self.state.is_over = true;
                if self.run.stop.is_cancelled() || Instant::now() >= pacer.deadline() {
                    break;
                }
                continue;
            };
            let Some(due) = pacer.wait_for_next(&self.run.stats, &self.run.stop).await else {
                break;
            };
            self.play(action, due, pacer.deadline()).await;
        }
        self.state.game.done.cancel();
    }

    /// Replaces the game by a new one; returns whether that succeeded.
    async fn start_next_game(&mut self, deadline: Instant) -> bool {
        self.state.game.done.cancel();
        let Some(state) = LoadGameState::new(&self.run, self.server, deadline).await else {
            return false;
        };
        self.state = state;
        for watcher in &self.watchers {
            // Watchers exist as long as the test, so sending cannot fail.
            let _ = watcher.send(Arc::clone(&self.state.game));
        }
        true
    }

    async fn choose_action(&self, deadline: Instant) -> Option<Value> {
        let path = self.state.path("/moves");
        let request = LoadRequest {
            server: self.server,
            kind: RequestKind::Moves,
            method: Method::GET,
            path: &path,
            token: None,
            body: None,
            due: None,
            deadline,
        };
        let response = self.run.request_until_done(&request).await?;
        let moves: MovesReply = self.parse_reply(RequestKind::Moves, &response.body)?;
        let chosen = moves.moves.choose(&mut rand::rng())?;
        Some(chosen.path.clone())
    }

    async fn play(&mut self, action: Value, due: Instant, deadline: Instant) {
        let path = self.state.path("/moves");
        let body = json!({"ply": self.state.ply, "path": action});
        let request = LoadRequest {
            server: self.server,
            kind: RequestKind::Ply,
            method: Method::POST,
            path: &path,
            token: self.state.tokens.get(self.state.mover).map(String::as_str),
            body: Some(&body),
            due: Some(due),
            deadline,
        };
        self.state.game.record_sent(Instant::now());
        self.run.stats.record_sent();
        let response = self.run.request_until_done(&request).await;
        let played = response
            .and_then(|response| self.parse_reply::<PlayReply>(RequestKind::Ply, &response.body));
        let Some(played) = played else {
            self.state.is_over = true;
            return;
        };
        self.state.game.record_acknowledged(Instant::now());
        self.run.stats.record_done();
        if played.repeated {
            self.run.stats.record_repeated();
        }
        self.state.ply = played.ply;
        self.state.mover = played.state.player;
        self.state.is_over = played.over;
    }

    fn parse_reply<T: for<'a> Deserialize<'a>>(&self, kind: RequestKind, body: &[u8]) -> Option<T> {
        match serde_json::from_slice(body) {
            Ok(reply) => Some(reply),
            Err(error) => {
                self.run
                    .stats
                    .record_failure(kind, &format!("an answer that cannot be read: {error}"));
                None
            }
        }
    }
}

impl LoadGameState {
    async fn new(run: &LoadRun, server: u32, deadline: Instant) -> Option<Self> {
        let body = json!({"game": GAME, "players": 2, "seats": ["human", "human"]});
        let request = LoadRequest {
            server,
            kind: RequestKind::Game,
            method: Method::POST,
            path: "/api/v1/games",
            token: None,
            body: Some(&body),
            due: None,
            deadline,
        };
        let response = run.request_until_done(&request).await?;
        let reply: NewGameReply = match serde_json::from_slice(&response.body) {
            Ok(reply) => reply,
            Err(error) => {
                run.stats.record_failure(
                    RequestKind::Game,
                    &format!("an answer that cannot be read: {error}"),
                );
                return None;
            }
        };
        Some(LoadGameState {
            game: Arc::new(LoadedGame::new(reply.id)),
            tokens: reply.seats.into_iter().map(|seat| seat.token).collect(),
            ply: reply.ply,
            mover: reply.player.unwrap_or_default(),
            is_over: reply.player.is_none(),
        })
    }

    fn path(&self, rest: &str) -> String {
        format!("/api/v1/games/{}{rest}", self.game.id)
    }
}
