//! A game in an `<iframe>` on another page: the board, the score and a link to the game. It is read-only and
//! identical for all viewers.

use maud::{DOCTYPE, Markup, html};

use super::game::GameView;
use super::localization::Translations;
use super::page::SiteContext;
use super::players::{PlayerNames, player_badge, players};
use super::prompt::headline;
use super::svg_symbols;

/// Whether the frame follows its game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameRefresh {
    /// No: it shows one ply, or a finished game.
    Never,
    /// Yes: it shows the newest position of a game in progress.
    Newest,
}

/// Without scripts, a frame that follows its game reloads after this number of seconds.
const SECONDS: u32 = 10;

/// Renders the page in the frame.
#[must_use]
pub fn embed_page(
    site: &SiteContext<'_>,
    text: &Translations,
    view: &GameView,
    follows: FrameRefresh,
) -> Markup {
    let names = PlayerNames::new(text, &view.players);
    let non_default = |name| site.display.preferences.non_default(name);
    let game = text.get(view.game.title);
    let headline_text = match &view.result {
        Some(result) => result.verdict.render(text, &names),
        None => headline(text, view, &names),
    };
    let is_live = follows == FrameRefresh::Newest;
    // The link leads to the shown ply, or to the page of a game in progress.
    let game_href = match follows {
        FrameRefresh::Never => format!("{}{}/{}", text.path("/g/"), view.id, view.ply),
        FrameRefresh::Newest => format!("{}{}", text.path("/g/"), view.id),
    };
    html! {
        (DOCTYPE)
        html lang=(text.language().tag())
            data-theme=[non_default("theme")]
            data-colours=[non_default("colours")]
            data-board=(site.display.drawing.attribute_value())
            data-coordinates=[non_default("coordinates")] {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (headline_text) " · " (game) }
                @for name in ["colours.css", "style.css", "languages.css", "embed.css"] {
                    link rel="stylesheet" href=(site.assets.url(name));
                }
                @if is_live {
                    script type="module" src=(site.assets.url("embed.js")) {}
                    noscript { meta http-equiv="refresh" content=(SECONDS); }
                }
            }
            body.framed {
                (svg_symbols::definitions("", &[site.display.drawing]))
                main #main data-ply=(view.ply) data-follows[is_live] {
                    header.says aria-live="polite" {
                        @for player in headline_players(view) { (player_badge(player)) }
                        h1 { (headline_text) }
                    }
                    div.shows { (view.board.picture(text, &site.display, &text.get("board"))) }
                    div.scores { (players(text, &site.display, view, &names)) }
                    div.ways {
                        (view.board.as_table(text, &site.display, &names))
                        p { a href=(game_href) target="_blank" rel="noopener" { (text.get("embed-open")) } }
                        p.sub { (game) }
                    }
                }
            }
        }
    }
}

/// The players that the headline is about.
fn headline_players(view: &GameView) -> Vec<u8> {
    match &view.result {
        Some(result) => result.winners.clone(),
        None => view.mover.into_iter().collect(),
    }
}
