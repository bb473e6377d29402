//! Sharing a game: the link to a ply, its image, films, and an `<iframe>` for other pages.

use maud::{Markup, html};

use super::game::GameView;
use super::localization::Translations;
use super::replay::TurnBand;
use super::seats::{LinkReach, copyable_link, link_reach_notice, to_copy};

/// How other people can open a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShareView {
    /// URL of the game, such as `http://localhost:8080/g/abcdefgh23`.
    pub address: String,
    /// Who can open it.
    pub reach: LinkReach,
    /// Whether only players can see the game.
    pub private: bool,
}

/// Default width and height of the `<iframe>`, in pixels.
const FRAME: (u32, u32) = (640, 600);

/// The panel for sharing the shown ply.
pub(super) fn share(
    text: &Translations,
    view: &GameView,
    bands: &[TurnBand],
    share: &ShareView,
) -> Markup {
    let (id, ply, newest) = (&view.id, view.ply, view.newest);
    let ShareView {
        address,
        reach: link_reach,
        private,
    } = share;
    let film = |from: u32, to: u32| format!("{}{id}/film?from={from}&to={to}", text.path("/g/"));
    html! {
        details.pass-on {
            summary { (text.get("share")) }
            div.body {
                @if *private { p.hint { (text.get("join-private")) } }
                label for="share-link" { (text.get("share-link")) }
                (copyable_link(text, "share-link", &format!("{address}/{ply}")))
                (link_reach_notice(text, link_reach))
                p.links {
                    a href={ (text.path("/g/")) (id) "/board.png?ply=" (ply) } { (text.get("share-picture")) }
                    @if let Some(turn) = turn(bands, ply) {
                        a href=(film(turn.first, turn.end())) { (text.get("share-film-turn")) }
                    }
                    @if newest > 0 { a href=(film(0, newest)) { (text.get("share-film-game")) } }
                }
                label for="share-embed" { (text.get("share-embed")) }
                (to_copy(text, "share-embed", &frame(text, view, address)))
                p.hint { (text.get("share-embed-hint")) }
            }
        }
    }
}

/// The menu of a finished game: its result as text, its picture and its film. `lines` are the first lines of the text.
pub(super) fn share_result(
    text: &Translations,
    view: &GameView,
    share: &ShareView,
    lines: &[String],
) -> Markup {
    let (id, newest) = (&view.id, view.newest);
    let address = (!share.private).then_some(&share.address);
    let lines: Vec<_> = lines.iter().chain(address).map(String::as_str).collect();
    html! {
        details.menu {
            summary { svg.ico aria-hidden="true" { use href="#i-share" {} } (text.get("share-game")) }
            div.body {
                textarea #result-text readonly rows=(lines.len()) aria-label=(text.get("share-game-text")) { (lines.join("\n")) }
                button.btn.scripted type="button" data-of="result-text" data-done=(text.get("seat-copied")) data-share="touch" { (text.get("share-game-copy")) }
                @if share.private { p.hint { (text.get("join-private")) } }
                p.links {
                    a href={ (text.path("/g/")) (id) "/board.png?ply=" (view.ply) } { (text.get("share-game-picture")) }
                    @if newest > 0 { a href={ (text.path("/g/")) (id) "/film?from=0&to=" (newest) } { (text.get("share-game-film")) } }
                }
            }
        }
    }
}

/// The turn in progress at a ply; after the last turn, the last one.
fn turn(bands: &[TurnBand], ply: u32) -> Option<&TurnBand> {
    let now = bands.iter().find(|band| ply < band.end());
    now.or(bands.last())
}

/// The `<iframe>` element that shows the ply on other pages.
fn frame(text: &Translations, view: &GameView, address: &str) -> String {
    let source = format!("{address}/embed?ply={}", view.ply);
    let title = text.get(view.game.title);
    let (width, height) = FRAME;
    let frame = html! {
        iframe src=(source) title=(title) width=(width) height=(height) style="border:0;max-width:100%" loading="lazy" {}
    };
    frame.into_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::PlyMark;

    #[test]
    fn every_ply_belongs_to_a_turn() {
        let band = |first, plies| TurnBand {
            player: 0,
            first,
            marks: vec![PlyMark::Won; plies],
        };
        let bands = [band(0, 3), band(3, 1), band(4, 2)];
        let firsts = (0..=6).map(|ply| turn(&bands, ply).unwrap().first);
        assert_eq!(firsts.collect::<Vec<_>>(), [0, 0, 0, 3, 4, 4, 4]);
        assert_eq!(turn(&[], 0), None);
    }
}
