//! The reader's own games, as cards with a small board.

use std::sync::Arc;

use maud::{Markup, html};

use super::board::Board;
use super::game::ResultView;
use super::page::{Refresh, Site, page, titled};
use super::players::{Cast, PlayerView, Who};
use super::said::Said;
use super::text::Text;

/// A card of "your games".
#[derive(Clone, Debug)]
pub struct CardView {
    /// Public id of the game.
    pub id: String,
    /// The board as it stands (no links): drawn small and flat.
    pub board: Arc<dyn Board>,
    /// The list of players.
    pub players: Vec<PlayerView>,
    /// How far the game has come.
    pub stage: Said,
    /// The reader is to move.
    pub your_turn: bool,
    /// How it ended, for finished games.
    pub result: Option<ResultView>,
}

/// The reader's own games.
#[derive(Clone, Debug, Default)]
pub struct GamesView {
    /// The newest first.
    pub games: Vec<CardView>,
    /// The name of the game that the button begins.
    pub game: &'static str,
}

/// The page `/games`.
#[must_use]
pub fn games_page(site: &Site<'_>, text: &Text, view: &GamesView) -> Markup {
    let games = &view.games;
    let title = text.say("games-title");
    let main = html! {
        main #main.page.wide {
            h1 { (title) }
            @if games.is_empty() { p.lead { (text.say("games-none")) } } @else { (cards(text, games)) }
            form.now method="post" action="/games" {
                input type="hidden" name="game" value=(view.game);
                input type="hidden" name="opponents" value="easy";
                button.btn.main { (text.say("start-play")) }
            }
        }
    };
    page(site, text, &titled(text, &title), &Refresh::Never, main)
}

/// A list of cards.
pub(super) fn cards(text: &Text, games: &[CardView]) -> Markup {
    html! { ul.cards { @for game in games { li { (card(text, game)) } } } }
}

fn card(text: &Text, game: &CardView) -> Markup {
    let cast = Cast::new(text, &game.players);
    let others: Vec<_> = game
        .players
        .iter()
        .filter(|player| player.who != Who::You)
        .map(|player| cast.name(player.number))
        .collect();
    let watching = !game
        .players
        .iter()
        .any(|player| matches!(player.who, Who::You | Who::YouToo));
    let title = if watching {
        text.say_with(
            "card-between",
            &[("who", others.join(", ").as_str().into())],
        )
    } else if others.is_empty() {
        text.say_with("card-alone", &[("id", game.id.as_str().into())])
    } else {
        text.say_with(
            "card-against",
            &[("who", others.join(", ").as_str().into())],
        )
    };
    let when = game.stage.told(text, &cast);
    let status = match &game.result {
        Some(result) if result.winners.is_empty() => "card-draw",
        Some(result) => match game.players.iter().find(|player| player.who == Who::You) {
            None => "card-over",
            Some(you) if !result.winners.contains(&you.number) => "card-lost",
            Some(_) if result.winners.len() > 1 => "card-tie",
            Some(_) => "card-won",
        },
        None if game.your_turn => "card-your-turn",
        None if watching => "card-watch",
        None => "card-waiting",
    };
    html! {
        a.gcard.me[game.your_turn] href={ "/g/" (game.id) } {
            (game.board.small())
            span.cardtext { b { (title) } small { (when) } em { (text.say(status)) } }
        }
    }
}
