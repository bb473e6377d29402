//! A player: plays one game after the other, with a ply for either of its two human seats whenever one is due.

use std::sync::Arc;

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
        let request = LoadRequest::get(self.server, RequestKind::Moves, &path, deadline);
        let moves: MovesReply = self.run.request_json(&request).await?;
        let chosen = moves.moves.choose(&mut rand::rng())?;
        Some(chosen.path.clone())
    }

    async fn play(&mut self, action: Value, due: Instant, deadline: Instant) {
        let path = self.state.path("/moves");
        let body = json!({"ply": self.state.ply, "path": action});
        let request = LoadRequest {
            token: self.state.tokens.get(self.state.mover).map(String::as_str),
            due: Some(due),
            ..LoadRequest::post(self.server, RequestKind::Ply, &path, &body, deadline)
        };
        self.state.game.record_sent(Instant::now());
        self.run.stats.sent.increment();
        let Some(played) = self.run.request_json::<PlayReply>(&request).await else {
            self.state.is_over = true;
            return;
        };
        self.state.game.record_acknowledged(Instant::now());
        self.run.stats.done.increment();
        if played.repeated {
            self.run.stats.repeated.increment();
        }
        self.state.ply = played.ply;
        self.state.mover = played.state.player;
        self.state.is_over = played.over;
    }
}

impl LoadGameState {
    async fn new(run: &LoadRun, server: u32, deadline: Instant) -> Option<Self> {
        let body = json!({"game": GAME, "players": 2, "seats": ["human", "human"]});
        let path = "/api/v1/games";
        let request = LoadRequest::post(server, RequestKind::Game, path, &body, deadline);
        let reply: NewGameReply = run.request_json(&request).await?;
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
