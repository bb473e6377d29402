//! The page behind a seat link: host, game, and a button to join. Viewing it does not occupy the seat.

use std::sync::Arc;

use maud::{Markup, html};

use super::board::BoardComponent;
use super::game::GameTitle;
use super::localization::Translations;
use super::page::{Refresh, SiteContext, emphasised, page_title, page_with_card, stylesheet_link};
use super::players::{PlayerNames, PlayerView, player_badge};
use super::seats::{self, SeatNotice};
use super::social_card::SocialCard;

/// View of the page behind a seat link.
#[derive(Clone, Debug)]
pub struct JoinView {
    /// The player whose seat the link gives.
    pub player: u8,
    /// The player who invites, if known.
    pub host: Option<u8>,
    /// Whether it is the viewer's own seat, to be opened on another device.
    pub is_own_seat: bool,
    /// Title of the game.
    pub game: GameTitle,
    /// The current board.
    pub board: Arc<dyn BoardComponent>,
    /// The list of players.
    pub players: Vec<PlayerView>,
    /// Number of plies played.
    pub ply: u32,
    /// Whether only players can see the game.
    pub private: bool,
    /// Whether all players can get hints.
    pub hints: bool,
    /// Path of the board as a PNG, for link previews; `None` for private games.
    pub picture: Option<String>,
    /// The initial value of the name field.
    pub name: String,
    /// Why the name or the seat was rejected.
    pub problem: Option<SeatNotice>,
    /// The link itself, for a browser that does not store cookies.
    pub without_cookies: Option<String>,
}

/// Renders the page `/join/{token}`. The form has no `action`, so that the token does not appear in the HTML.
#[must_use]
pub fn join_page(site: &SiteContext<'_>, text: &Translations, view: &JoinView) -> Markup {
    let names = PlayerNames::new(text, &view.players);
    let game = text.get(view.game.title);
    let title = match view.host.filter(|_| !view.is_own_seat) {
        _ if view.is_own_seat => text.get_with("join-back-title", &[("game", (&*game).into())]),
        Some(host) => text.get_with(
            "join-title-host",
            &[("who", names.name(host).into()), ("game", (&*game).into())],
        ),
        None => text.get_with("join-title", &[("game", (&*game).into())]),
    };
    let colour = names.colour(view.player);
    let who = [("who", colour.into())];
    let main = html! {
        main #main.join data-plain {
            (stylesheet_link(site, "join.css"))
            section class={ "card p" (view.player % 6) } {
                p.whose { (player_badge(view.player)) (text.get_with(if view.is_own_seat { "join-back-seat" } else { "join-seat" }, &who)) }
                h1 { (title) }
                p.lead { (emphasised(&text.get(if view.is_own_seat { "join-back-lead" } else { "join-lead" }))) (text.get("sentence-gap")) (ply_count_text(text, view)) }
                @if let Some(problem) = view.problem { p.notice role="alert" { (seats::notice(text, problem)) } }
                @if let Some(link) = &view.without_cookies {
                    div.notice role="alert" {
                        p { (text.get("join-no-cookies")) }
                        label for="seat-link" { (text.get("join-no-cookies-link")) }
                        (seats::copyable_link(text, "seat-link", link))
                    }
                }
                // Drops the query, which states that a cookie was set before: the browser may store cookies
                // by now.
                form method="post" action=[view.without_cookies.as_ref().map(|_| "?")] {
                    @if !view.is_own_seat {
                        label for="name" { (text.get("join-name")) }
                        input #name type="text" name="name" value=(view.name) placeholder=(colour) autocomplete="nickname" maxlength="64" aria-describedby="name-hint";
                        p.hint #name-hint { (text.get("join-name-hint")) }
                    }
                    button.btn.main autofocus[view.is_own_seat] { (text.get_with(if view.is_own_seat { "join-back" } else { "join" }, &who)) }
                }
                p.sub { (others(text, view, &names)) @if view.private { (text.get("sentence-gap")) (text.get("join-private")) } @if view.hints { (text.get("sentence-gap")) (text.get("hint-for-all")) } }
            }
            div.bd { (view.board.picture(text, &site.display, &text.get("join-board"))) }
        }
    };
    let card = view.picture.as_ref().map(|picture| SocialCard {
        title: title.clone().into_owned(),
        description: others(text, view, &names),
        path: None,
        picture: picture.clone(),
    });
    let title = page_title(text, &title);
    page_with_card(site, text, &title, &Refresh::Never, card.as_ref(), main)
}

fn ply_count_text(text: &Translations, view: &JoinView) -> String {
    let plies = [("plies", view.ply.into())];
    text.get_with("join-plies", &plies).into_owned()
}

fn others(text: &Translations, view: &JoinView, names: &PlayerNames<'_>) -> String {
    let others = view
        .players
        .iter()
        .filter(|player| player.number != view.player);
    let who =
        text.join_with_commas(others.map(|player| names.name_and_occupant(text, player).into()));
    text.get_with("join-others", &[("who", who.as_str().into())])
        .into_owned()
}
