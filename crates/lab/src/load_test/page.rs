//! Page requests at a fixed rate; the resources of a page are not loaded.

use std::sync::Arc;

use parking_lot::Mutex;
use rand::seq::IndexedRandom as _;

use super::LoadRun;
use super::client::LoadRequest;
use super::schedule::Pacer;
use super::stats::RequestKind;

/// The pages to request.
pub(super) enum Pages {
    /// The page at this path.
    One(String),
    /// The pages of the games in progress, chosen at random.
    Games(Arc<ActiveGames>),
}

/// The ids of the games in progress, one per player.
pub(super) struct ActiveGames(Mutex<Vec<String>>);

impl ActiveGames {
    pub(super) fn new(games: impl IntoIterator<Item = String>) -> Arc<Self> {
        Arc::new(ActiveGames(Mutex::new(games.into_iter().collect())))
    }

    /// Sets the current game of a player.
    pub(super) fn set_game(&self, player: usize, game: &str) {
        let mut games = self.0.lock();
        if games[player] != game {
            game.clone_into(&mut games[player]);
        }
    }

    fn random_game(&self) -> String {
        let games = self.0.lock();
        games.choose(&mut rand::rng()).cloned().unwrap_or_default()
    }
}

/// Requests a page whenever one is due.
pub(super) async fn request_pages(run: Arc<LoadRun>, server: u32, pages: Pages, mut pacer: Pacer) {
    while let Some(due) = pacer.wait_for_next(&run.stats, &run.stop).await {
        let path = match &pages {
            Pages::One(path) => path.clone(),
            Pages::Games(active_games) => format!("/g/{}", active_games.random_game()),
        };
        let request = LoadRequest {
            due: Some(due),
            ..LoadRequest::get(server, RequestKind::Page, &path, pacer.deadline())
        };
        // In a workload with games only the plies count as scheduled requests, not the pages.
        let is_scheduled = matches!(pages, Pages::One(_));
        if is_scheduled {
            run.stats.sent.increment();
        }
        let response = run.request_until_done(&request).await;
        if is_scheduled && response.is_some() {
            run.stats.done.increment();
        }
    }
}
