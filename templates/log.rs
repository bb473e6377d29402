//! The log of a game, in sentences; every entry links to its ply.

use maud::{Markup, html};

use super::game::GameView;
use super::localization::{MessageValue, Translations};
use super::message::LocalizedMessage;
use super::page::{Refresh, SiteContext, emphasised, page, page_title};
use super::players::{PlayerNames, PlayerView, former_name, player_badge};
use super::svg_symbols::glyph_icon;

/// An entry of the log.
#[derive(Clone, PartialEq, Debug)]
pub struct LogEntry {
    /// Number of plies after it: the page of the position is `/g/{id}/{ply}`.
    pub ply: u32,
    /// The turn it belongs to, counted from 1; `None` if every ply is a turn, so that headings would be
    /// pointless.
    pub turn: Option<u32>,
    /// The player who acted.
    pub player: u8,
    /// What happened.
    pub sentence: LocalizedMessage,
    /// Whether it is on the mainline, i.e. was not taken back.
    pub is_on_mainline: bool,
    /// Ids of the board elements that the entry highlights, separated by spaces.
    pub marks: Option<String>,
}

/// Somebody who joined the game or left it to a computer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeatEvent {
    /// Number of entries before it.
    pub ply: u32,
    /// The player of the seat.
    pub player: u8,
    /// Unix time in milliseconds.
    pub at_ms: i64,
    /// Whether a computer plays on.
    pub has_left: bool,
    /// Whether the viewer has not moved since.
    pub is_news: bool,
}

/// What is in a log, newest first, and who played.
#[derive(Clone, Copy, Debug)]
pub struct LogView<'a> {
    /// Public id of the game.
    pub id: &'a str,
    /// What the players did.
    pub entries: &'a [LogEntry],
    /// Who joined and left.
    pub seat_events: &'a [SeatEvent],
    /// The players.
    pub players: &'a [PlayerView],
}

impl SeatEvent {
    /// What happened, with the name between bars.
    fn sentence(
        &self,
        text: &Translations,
        players: &[PlayerView],
        names: &PlayerNames<'_>,
    ) -> String {
        let player = players.iter().find(|one| one.number == self.player);
        match (self.has_left, player) {
            (true, Some(player)) => {
                let who = former_name(names, player);
                text.get_with("log-left", &[("who", who.into())])
            }
            _ if names.is_mine(self.player) => text.get("log-joined-you"),
            _ => text.get_with("log-joined", &[("who", names.name(self.player).into())]),
        }
        .into_owned()
    }
}

/// The departures since the viewer's last move, newest first.
pub(super) fn departures(view: &GameView) -> impl Iterator<Item = &SeatEvent> {
    let events = view.seat_events.iter();
    events.filter(|event| event.has_left && event.is_news)
}

/// The sentence about a departure without emphasis.
pub(super) fn departure(
    text: &Translations,
    view: &GameView,
    event: &SeatEvent,
    names: &PlayerNames<'_>,
) -> String {
    let sentence = event.sentence(text, &view.players, names);
    sentence.replace('|', "")
}

/// The departures since the viewer's last move, above the board. A script removes them on request.
pub(super) fn departure_notices(
    text: &Translations,
    view: &GameView,
    names: &PlayerNames<'_>,
) -> Markup {
    let others = |one: &PlayerView| !names.is_mine(one.number) && one.occupant.is_person();
    let is_alone = !view.players.iter().any(others);
    html! {
        @for event in departures(view) {
            div.notice.departed data-at=(event.at_ms) {
                (player_badge(event.player))
                p { b { (departure(text, view, event, names)) } @if is_alone { (text.get("sentence-gap")) (text.get("departed-alone")) } }
                button.btn.scripted type="button" { (text.get("departed-ok")) }
            }
        }
    }
}

/// Renders the page `/g/{id}/log`: every ply in sentences, in the given order.
#[must_use]
pub fn log_page(site: &SiteContext<'_>, text: &Translations, log: &LogView<'_>) -> Markup {
    let names = PlayerNames::new(text, log.players);
    let id = log.id;
    let title = text.get("log-title");
    let main = html! {
        main #main.page {
            h1 { (title) }
            p.links { a href={ (text.path("/g/")) (id) } { (text.get("log-back")) } a href={ (text.path("/g/")) (id) "/record.json" } { (text.get("record-download")) } " " a href={ (text.path("/g/")) (id) "/record.txt" } { (text.get("record-text")) } }
            @if log.entries.is_empty() { p.lead { (text.get("log-empty")) } }
            div.log.whole { ol { (lines(text, log, &names, None)) } }
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}

/// The log next to the board, with the replay buttons.
pub(super) fn log(text: &Translations, view: &GameView, names: &PlayerNames<'_>) -> Markup {
    let title = text.get("log");
    let log = LogView {
        id: &view.id,
        entries: &view.log,
        seat_events: &view.seat_events,
        players: &view.players,
    };
    html! {
        section.log aria-label=(title) {
            header { h2 { (title) } (watching(text, view)) @if view.replay.is_none() { (plies(text, view)) } }
            @if view.log.is_empty() { p.none { (text.get(&empty(text, view))) } }
            @if !view.log.is_empty() || !view.seat_events.is_empty() {
                div.scroll tabindex="0" role="group" aria-label=(title) { ol { (lines(text, &log, names, Some(view.ply))) } }
            }
        }
    }
}

/// Message key of the text for an empty log: the game's own, if it has one.
fn empty(text: &Translations, view: &GameView) -> String {
    let game_key = format!("log-empty-{}", view.game.game);
    if view.newest > view.ply {
        "log-start".to_owned()
    } else if text.has(&game_key) {
        game_key
    } else {
        "log-empty".to_owned()
    }
}

/// The number of spectators. At 0 the element is hidden but present, because a script updates it; if the
/// plural forms of the language (CLDR categories) differ, they are in its `data-` attributes.
fn watching(text: &Translations, view: &GameView) -> Markup {
    let sentence =
        |count: MessageValue<'_>| text.get_with("watchers", &[("count", count)]).into_owned();
    let template =
        |category: &'static str| sentence(category.into()).replace(&format!("|{category}|"), "||");
    let other = template("other");
    let categories = ["zero", "one", "two", "few", "many"];
    let categories =
        categories.map(|category| Some(template(category)).filter(|template| *template != other));
    let other = categories.iter().any(Option::is_some).then_some(other);
    let [zero, one, two, few, many] = categories;
    html! {
        small.watching hidden[view.watchers == 0]
            data-zero=[zero] data-one=[one] data-two=[two] data-few=[few] data-many=[many] data-other=[other] {
            (emphasised(&sentence(view.watchers.into())))
        }
    }
}

/// The replay buttons: each ply has a URL.
pub(super) fn plies(text: &Translations, view: &GameView) -> Markup {
    let step = |icon: &str, key: &str, to: Option<u32>| {
        let label = text.get(key);
        let picture = html! { svg.ico aria-hidden="true" { use href={ "#i-" (icon) } {} } };
        html! {
            @match to {
                Some(ply) => { a.ib data-ply=(icon) href={ (text.path("/g/")) (view.id) "/" (ply) } aria-label=(label) { (picture) } }
                None => { span.ib.off { (picture) } }
            }
        }
    };
    let (back, forward) = (view.ply > 0, view.ply < view.newest);
    html! {
        nav.ply aria-label=(text.get("plies")) {
            (step("first", "ply-first", back.then_some(0)))
            (step("prev", "ply-prev", back.then(|| view.ply - 1)))
            span { (view.ply) " / " (view.newest) }
            (step("next", "ply-next", forward.then(|| view.ply + 1)))
            (step("last", "ply-last", forward.then_some(view.newest)))
        }
    }
}

/// The entries, and who joined or left between them. `now` is the ply that the page shows.
fn lines(
    text: &Translations,
    log: &LogView<'_>,
    names: &PlayerNames<'_>,
    now: Option<u32>,
) -> Markup {
    let mut next = u32::MAX;
    let mut between = |ply: u32| {
        let later = next;
        next = ply;
        let events = log.seat_events.iter();
        let events = events.filter(move |event| (ply..later).contains(&event.ply));
        html! {
            @for event in events {
                li.le { span.seat-event { (glyph_icon(event.player)) span { (emphasised(&event.sentence(text, log.players, names))) } } }
            }
        }
    };
    let mut previous_turn = None;
    html! {
        @for entry in log.entries {
            (between(entry.ply))
            (line(text, log.id, entry, names, (now, &mut previous_turn)))
        }
        (between(log.entries.last().map_or(0, |oldest| oldest.ply.saturating_sub(1))))
    }
}

/// An entry, below a heading if it is the first of its turn.
fn line(
    text: &Translations,
    id: &str,
    entry: &LogEntry,
    names: &PlayerNames<'_>,
    (now, previous_turn): (Option<u32>, &mut Option<u32>),
) -> Markup {
    html! {
        @if let Some(turn) = entry.turn.filter(|turn| previous_turn.replace(*turn) != Some(*turn)) {
            li.th { span { (text.get_with("turn", &[("turn", turn.into())])) } }
        }
        li class={ "le" @if now == Some(entry.ply) { " now" } @if !entry.is_on_mainline { " back" } } {
            a href={ (text.path("/g/")) (id) "/" (entry.ply) } data-marks=[&entry.marks] {
                (glyph_icon(entry.player)) (sentence(text, entry, names))
            }
        }
    }
}

/// The sentence of an entry, struck through if it was taken back.
fn sentence(text: &Translations, entry: &LogEntry, names: &PlayerNames<'_>) -> Markup {
    let sentence = entry.sentence.render(text, names);
    html! {
        @if entry.is_on_mainline { span { (emphasised(&sentence)) } }
        @else { span { s { (emphasised(&sentence)) } span.vh { (text.get("sentence-gap")) (text.get("log-taken-back")) } } }
    }
}
