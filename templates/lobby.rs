//! The page of a game that waits for players: who is there, the link for the others, and the board that they will play.

use std::borrow::Cow;

use maud::{Markup, html};

use super::clock::countdown;
use super::game::GameView;
use super::localization::Translations;
use super::page::{SiteContext, linked, stylesheet_link};
use super::players::{OccupantView, PlayerNames, PlayerView, player_badge, role};
use super::qr::qr;
use super::seats;

/// A game that waits for players.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LobbyView {
    /// Whether the viewer is the host, who invites others.
    pub is_host: bool,
    /// Whether the viewer may start it: the host, or the others once the host has left.
    pub may_start: bool,
    /// The link that takes the next free seat, for the host.
    pub link: Option<String>,
    /// Whether the game is listed among the open tables; `None` if the viewer cannot change that.
    pub listed: Option<bool>,
    /// Seconds until it starts by itself.
    pub starts_in_s: Option<u32>,
    /// How many people and programs are there.
    pub here: u32,
    /// How many open seats wait for others.
    pub missing: u32,
    /// The last of the others who came, unless nobody or only the host is there.
    pub newest: Option<u8>,
}

/// Who has come last, or that nobody has.
pub(super) fn headline(text: &Translations, view: &GameView, names: &PlayerNames<'_>) -> String {
    let newest = view.seats_panel.lobby.as_ref();
    match newest.and_then(|lobby| lobby.newest) {
        Some(player) => text.get_with("lobby-here", &[("who", names.name(player).into())]),
        None => text.get("lobby-waiting"),
    }
    .into_owned()
}

/// How many of the people are there.
pub(super) fn count(text: &Translations, lobby: &LobbyView) -> String {
    let all = lobby.here.saturating_add(lobby.missing);
    let numbers = [("here", lobby.here.into()), ("all", all.into())];
    text.get_with("lobby-count", &numbers).into_owned()
}

/// When the game starts.
fn start(text: &Translations, view: &GameView, lobby: &LobbyView) -> String {
    let is_player = view.may_resign;
    let missing = [("n", lobby.missing.into())];
    match (lobby.missing, lobby.starts_in_s) {
        (0, Some(left_s)) => text.get_with("lobby-soon", &[("n", left_s.into())]),
        (0, None) if lobby.may_start => text.get("lobby-held-host"),
        (0, None) => text.get("lobby-held"),
        _ if lobby.is_host => text.get_with("lobby-send", &missing),
        _ if is_player => text.get_with("lobby-missing", &missing),
        _ => text.get("lobby-watching"),
    }
    .into_owned()
}

/// What is announced when the page has changed.
pub(super) fn news(
    text: &Translations,
    view: &GameView,
    names: &PlayerNames<'_>,
) -> Option<String> {
    let lobby = view.seats_panel.lobby.as_ref()?;
    let (headline, count) = (headline(text, view, names), count(text, lobby));
    let start = start(text, view, lobby);
    let sentences = [headline, count, start];
    Some(text.join_sentences(sentences.map(Cow::from)))
}

pub(super) fn lobby(
    site: &SiteContext<'_>,
    text: &Translations,
    view: &GameView,
    lobby: &LobbyView,
    names: &PlayerNames<'_>,
) -> Markup {
    let mut players = view.players.iter();
    // Somebody else can still take a seat.
    let has_rest = players
        .any(|player| matches!(player.occupant, OccupantView::Open | OccupantView::Level(_)));
    html! {
        (stylesheet_link(site, "lobby.css"))
        div.lobby data-left=(text.get_with("lobby-left", &[("who", "#".into())])) {
            header.lobby-head {
                div {
                    h1 { (headline(text, view, names)) " " span.lobby-count { (count(text, lobby)) } }
                    p { @if lobby.starts_in_s.is_some() { (text.get("lobby-starts")) } @else { (start(text, view, lobby)) } }
                }
                @if let Some(left_s) = lobby.starts_in_s {
                    (countdown(site, left_s))
                    @if lobby.may_start && has_rest { (command(text, view, "wait", false, "lobby-wait")) }
                }
            }
            section.lobby-panel aria-label=(text.get("players")) {
                div.lobby-people {
                    ul { @for player in &view.players { (seat(text, player, names)) } }
                    @if lobby.may_start {
                        (command(text, view, "start", lobby.missing == 0, if has_rest { "lobby-start-rest" } else { "lobby-start" }))
                    }
                }
                @if lobby.is_host && has_rest { (invitation(text, view, lobby)) }
            }
            div.lobby-board {
                div.bd { (view.board.picture(text, &site.display, &text.get("lobby-board"))) }
                p.hint { (text.get("lobby-board")) }
                (seats::level_forms(text, view, names))
                (seats::own_seats(text, view, names))
                (seats::unmoved_seats(text, view, names))
                (seats::lost_seat_help(text, view))
                @if view.may_resign { (seats::resign(text, view)) }
            }
        }
    }
}

fn seat(text: &Translations, player: &PlayerView, names: &PlayerNames<'_>) -> Markup {
    let colour = [("colour", names.colour(player.number).into())];
    let (name, about) = match &player.occupant {
        OccupantView::Open => (
            text.get("lobby-free").into_owned(),
            text.get_with("lobby-free-about", &colour).into_owned(),
        ),
        OccupantView::Level(_) => {
            let what = role(text, player, names, false);
            let about = text.get_with("lobby-computer", &[("what", what.as_str().into())]);
            (names.name(player.number).to_owned(), about.into_owned())
        }
        OccupantView::Invited | OccupantView::FromUpload => (
            names.name(player.number).to_owned(),
            role(text, player, names, false),
        ),
        OccupantView::You | OccupantView::YouToo | OccupantView::Person | OccupantView::Program => {
            (
                names.name(player.number).to_owned(),
                text.get_with("lobby-there", &colour).into_owned(),
            )
        }
    };
    let is_there = player.occupant.is_person();
    html! {
        li.there[is_there].vacant[player.occupant == OccupantView::Open] {
            (player_badge(player.number))
            span { b { (name) } small { (about) } }
            @if is_there { span.lobby-ready { (text.get("lobby-ready")) } }
        }
    }
}

/// The link for everybody who joins, and where else they can find the table.
fn invitation(text: &Translations, view: &GameView, lobby: &LobbyView) -> Markup {
    let is_next = lobby.missing > 0;
    let mut open = view.players.iter();
    let open = open.find(|player| player.occupant == OccupantView::Open);
    html! {
        div.lobby-invite {
            @if let Some(link) = &lobby.link {
                (qr(link, &text.get("lobby-qr")))
                label for="link" { (text.get("lobby-link")) }
                (seats::link_to_copy(text, "link", link, is_next))
                (seats::link_reach_notice(text, &view.seats_panel.link_reach))
            } @else { p.hint { (text.get("seat-link-none")) } }
            @if let Some(open) = open {
                (seats::button(text, view, open.number, "renew", if lobby.link.is_some() { "seat-renew" } else { "seat-make-link" }))
            }
            @if let Some(listed) = lobby.listed {
                p.hint { @if listed { (linked(&text.get("table-listed"), text.path("/tables"))) } @else { (text.get("table-unlisted")) } }
                (command(text, view, if listed { "close" } else { "open" }, false, if listed { "table-close" } else { "table-open" }))
            }
        }
    }
}

/// A button that changes the table.
fn command(text: &Translations, view: &GameView, what: &str, is_next: bool, key: &str) -> Markup {
    html! {
        form method="post" action={ (text.path("/g/")) (view.id) "/table" } {
            button.btn.main[is_next] id={ "do-" (what) } name="do" value=(what) { (text.get(key)) }
        }
    }
}
