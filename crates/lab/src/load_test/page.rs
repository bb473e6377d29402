//! Whoever looks at pages: one request whenever one is due, and nothing of what the page would load.

use std::sync::{Arc, Mutex, PoisonError};

use axum::http::Method;
use rand::seq::IndexedRandom as _;

use super::LoadRun;
use super::client::LoadRequest;
use super::schedule::Pacer;
use super::stats::RequestKind;

/// Which pages are looked at.
pub(super) enum Pages {
    /// The one at this path.
    One(String),
    /// Those of the games that are played, by chance.
    Games(Arc<ActiveGames>),
}

/// The games that are played now.
pub(super) struct ActiveGames(Mutex<Vec<String>>);

impl ActiveGames {
    pub(super) fn new(games: impl IntoIterator<Item = String>) -> Arc<Self> {
        Arc::new(ActiveGames(Mutex::new(games.into_iter().collect())))
    }

    /// A player has begun another game.
    pub(super) fn show(&self, player: usize, game: &str) {
        let mut games = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if games[player] != game {
            game.clone_into(&mut games[player]);
        }
    }

    fn any(&self) -> String {
        let games = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        games.choose(&mut rand::rng()).cloned().unwrap_or_default()
    }
}

/// Looks whenever a page is due.
pub(super) async fn read(run: Arc<LoadRun>, server: u32, pages: Pages, mut pace: Pacer) {
    while let Some(due) = pace.next(&run.tally, &run.stop).await {
        let path = match &pages {
            Pages::One(path) => path.clone(),
            Pages::Games(shown) => format!("/g/{}", shown.any()),
        };
        let asked = LoadRequest {
            server,
            kind: RequestKind::Page,
            method: Method::GET,
            path: &path,
            token: None,
            body: None,
            due: Some(due),
            latest: pace.latest(),
        };
        // Beside games the plies are what was asked for, and pages come along.
        let is_all = matches!(pages, Pages::One(_));
        if is_all {
            run.tally.sent();
        }
        let answer = run.ask(&asked).await;
        if is_all && answer.is_some() {
            run.tally.done();
        }
    }
}
