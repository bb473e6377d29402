//! A game in a frame on another page: the board, the score and the way to the game. Nothing can be done
//! here, and it is the same for every reader.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::game::GameView;
use super::localization::Translations;
use super::page::SiteContext;
use super::players::{PlayerNames, players, token};
use super::prompt::headline;
use super::svg_symbols;

/// Whether a frame goes with its game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameRefresh {
    /// It shows one ply, or a game that is over.
    Never,
    /// It shows the newest position of a game that goes on.
    Newest,
}

/// Without scripts a frame that follows its game is loaded again after so many seconds.
const SECONDS: u32 = 10;

/// The page in the frame.
#[must_use]
pub fn embed_page(
    site: &SiteContext<'_>,
    text: &Translations,
    view: &GameView,
    follows: FrameRefresh,
) -> Markup {
    let cast = PlayerNames::new(text, &view.players);
    let unusual = |name| site.look.settings.unusual(name);
    let game = text.say(view.game.title);
    let says = match &view.result {
        Some(result) => result.verdict.told(text, &cast),
        None => headline(text, view, &cast),
    };
    let lives = follows == FrameRefresh::Newest;
    // A ply is looked at where it is, a game that goes on at its table.
    let there = match follows {
        FrameRefresh::Never => format!("/g/{}/{}", view.id, view.ply),
        FrameRefresh::Newest => format!("/g/{}", view.id),
    };
    html! {
        (DOCTYPE)
        html lang=(text.language().tag())
            data-theme=[unusual("theme")]
            data-colours=[unusual("colours")]
            data-board=(site.look.drawing.word())
            data-coordinates=[unusual("coordinates")] {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (says) " · " (game) }
                @for name in ["colours.css", "style.css", "languages.css", "embed.css"] {
                    link rel="stylesheet" href=(site.assets.url(name));
                }
                @if lives {
                    script type="module" src=(site.assets.url("embed.js")) {}
                    noscript { meta http-equiv="refresh" content=(SECONDS); }
                }
            }
            body.framed {
                (PreEscaped(svg_symbols::BOARD.as_str()))
                main #main data-ply=(view.ply) data-follows[lives] {
                    header.says aria-live="polite" {
                        @for player in heads(view) { (token(player)) }
                        h1 { (says) }
                    }
                    div.shows { (view.board.picture(text, &site.look, &text.say("board"))) }
                    div.scores { (players(text, view, &cast)) }
                    div.ways {
                        (view.board.table(text, &site.look, &cast))
                        p { a href=(there) target="_blank" rel="noopener" { (text.say("embed-open")) } }
                        p.sub { (game) }
                    }
                }
            }
        }
    }
}

/// Whom the headline is about.
fn heads(view: &GameView) -> Vec<u8> {
    match &view.result {
        Some(result) => result.winners.clone(),
        None => view.mover.into_iter().collect(),
    }
}
