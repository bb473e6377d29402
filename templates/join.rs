//! The page behind a link: who invites to what, and one button. Looking at it takes no seat.

use std::sync::Arc;

use maud::{Markup, html};

use super::board::BoardComponent;
use super::game::GameTitle;
use super::localization::Translations;
use super::page::{Refresh, SiteContext, emphasised, page_with_card, titled};
use super::players::{PlayerNames, PlayerView, token};
use super::seats::{self, SeatNotice};
use super::social_card::SocialCard;

/// The page behind a link.
#[derive(Clone, Debug)]
pub struct JoinView {
    /// Whose seat the link opens.
    pub player: u8,
    /// The seat of who invites, where it is known.
    pub host: Option<u8>,
    /// It is the reader's own seat, on another device.
    pub back: bool,
    /// What is played.
    pub game: GameTitle,
    /// The board as it stands.
    pub board: Arc<dyn BoardComponent>,
    /// The list of players.
    pub players: Vec<PlayerView>,
    /// Plies played.
    pub ply: u32,
    /// Only people with a seat see the game.
    pub private: bool,
    /// Everybody at the table gets hints.
    pub hints: bool,
    /// Where the board is as a PNG, for chats that show a card for the link; private games have none.
    pub picture: Option<String>,
    /// The name in the field.
    pub name: String,
    /// What was wrong with it.
    pub problem: Option<SeatNotice>,
    /// The link itself, for a browser that keeps no cookies.
    pub without_cookies: Option<String>,
}

/// The page `/join/{token}`. Its form is sent to the page's own address, so that the token is not in it.
#[must_use]
pub fn join_page(site: &SiteContext<'_>, text: &Translations, view: &JoinView) -> Markup {
    let cast = PlayerNames::new(text, &view.players);
    let game = text.say(view.game.title);
    let title = match view.host.filter(|_| !view.back) {
        _ if view.back => text.say_with("join-back-title", &[("game", (&*game).into())]),
        Some(host) => text.say_with(
            "join-title-host",
            &[("who", cast.name(host).into()), ("game", (&*game).into())],
        ),
        None => text.say_with("join-title", &[("game", (&*game).into())]),
    };
    let colour = cast.colour(view.player);
    let who = [("who", colour.into())];
    let main = html! {
        main #main.join data-plain {
            section class={ "card p" (view.player % 6) } {
                p.whose { (token(view.player)) (text.say_with(if view.back { "join-back-seat" } else { "join-seat" }, &who)) }
                h1 { (title) }
                p.lead { (emphasised(&text.say(if view.back { "join-back-lead" } else { "join-lead" }))) " " (stands(text, view)) }
                @if let Some(problem) = view.problem { p.notice role="alert" { (seats::notice(text, problem)) } }
                @if let Some(link) = &view.without_cookies {
                    div.notice role="alert" {
                        p { (text.say("join-no-cookies")) }
                        label for="seat-link" { (text.say("join-no-cookies-link")) }
                        (seats::handed_on(text, "seat-link", link))
                    }
                }
                // Without the query, which says that a cookie was sent before: the browser may keep one now.
                form method="post" action=[view.without_cookies.as_ref().map(|_| "?")] {
                    @if !view.back {
                        label for="name" { (text.say("join-name")) }
                        input #name type="text" name="name" value=(view.name) placeholder=(colour) autocomplete="nickname" maxlength="64" aria-describedby="name-hint";
                        p.hint #name-hint { (text.say("join-name-hint")) }
                    }
                    button.btn.main autofocus[view.back] { (text.say_with(if view.back { "join-back" } else { "join" }, &who)) }
                }
                p.sub { (others(text, view, &cast)) @if view.private { " " (text.say("join-private")) } @if view.hints { " " (text.say("hint-for-all")) } }
            }
            div.bd { (view.board.picture(text, &site.look, &text.say("join-board"))) }
        }
    };
    let card = view.picture.as_ref().map(|picture| SocialCard {
        title: title.clone().into_owned(),
        description: others(text, view, &cast),
        path: None,
        picture: picture.clone(),
    });
    let title = titled(text, &title);
    page_with_card(site, text, &title, &Refresh::Never, card.as_ref(), main)
}

fn stands(text: &Translations, view: &JoinView) -> String {
    let plies = [("plies", view.ply.into())];
    text.say_with("join-plies", &plies).into_owned()
}

/// Who else is at the table.
fn others(text: &Translations, view: &JoinView, cast: &PlayerNames<'_>) -> String {
    let others = view
        .players
        .iter()
        .filter(|player| player.number != view.player);
    let who = text.row(others.map(|player| cast.described(text, player).into()));
    text.say_with("join-others", &[("who", who.as_str().into())])
        .into_owned()
}
