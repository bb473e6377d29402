//! What happened, in sentences; every line links to its ply.

use maud::{Markup, html};

use super::game::GameView;
use super::localization::{MessageValue, Translations};
use super::message::LocalizedMessage;
use super::page::{Refresh, SiteContext, emphasised, page, titled};
use super::players::{PlayerNames, PlayerView};
use super::svg_symbols::glyph_icon;

/// One line of what happened.
#[derive(Clone, PartialEq, Debug)]
pub struct LogEntry {
    /// The number of the position after it: its page is `/g/{id}/{ply}`.
    pub ply: u32,
    /// The turn it belongs to, counted from 1; `None` where every ply is a turn, and nothing needs to be
    /// said between them.
    pub turn: Option<u32>,
    /// Whose doing it was.
    pub player: u8,
    /// What happened.
    pub said: LocalizedMessage,
    /// Whether it still counts: it was not taken back.
    pub stands: bool,
    /// The ids of the board's elements that the line lights up, with blanks between them.
    pub marks: Option<String>,
}

/// The page `/g/{id}/log`: every ply in sentences, in the order given.
#[must_use]
pub fn log_page(
    site: &SiteContext<'_>,
    text: &Translations,
    id: &str,
    entries: &[LogEntry],
    players: &[PlayerView],
) -> Markup {
    let cast = PlayerNames::new(text, players);
    let title = text.say("log-title");
    let main = html! {
        main #main.page {
            h1 { (title) }
            p.links { a href={ "/g/" (id) } { (text.say("log-back")) } a href={ "/g/" (id) "/record.json" } { (text.say("record-download")) } " " a href={ "/g/" (id) "/record.txt" } { (text.say("record-text")) } }
            @if entries.is_empty() { p.lead { (text.say("log-empty")) } }
            @else { div.log.whole { ol { (lines(text, id, entries, &cast, None)) } } }
        }
    };
    page(site, text, &titled(text, &title), &Refresh::Never, main)
}

/// The log beside the board, with the replay buttons.
pub(super) fn log(text: &Translations, view: &GameView, cast: &PlayerNames<'_>) -> Markup {
    let title = text.say("log");
    html! {
        section.log aria-label=(title) {
            header { h2 { (title) } (watching(text, view)) @if view.replay.is_none() { (plies(text, view)) } }
            @if view.log.is_empty() { p.none { (text.say(&empty(text, view))) } }
            @else {
                div.scroll tabindex="0" role="group" aria-label=(title) { ol { (lines(text, &view.id, &view.log, cast, Some(view.ply))) } }
            }
        }
    }
}

/// Which sentence says that nothing happened yet: the game's own where it has one.
fn empty(text: &Translations, view: &GameView) -> String {
    let own = format!("log-empty-{}", view.game.game);
    if view.newest > view.ply {
        "log-start".to_owned()
    } else if text.has(&own) {
        own
    } else {
        "log-empty".to_owned()
    }
}

/// How many people watch. At 0 it is hidden but present, so that the script can write into it: where kinds of
/// numbers (the plural categories of CLDR) have words of their own, it finds them there.
fn watching(text: &Translations, view: &GameView) -> Markup {
    let sentence =
        |count: MessageValue<'_>| text.say_with("watchers", &[("count", count)]).into_owned();
    let words = |kind: &'static str| sentence(kind.into()).replace(&format!("|{kind}|"), "||");
    let other = words("other");
    let kinds = ["zero", "one", "two", "few", "many"];
    let kinds = kinds.map(|kind| Some(words(kind)).filter(|words| *words != other));
    let other = kinds.iter().any(Option::is_some).then_some(other);
    let [zero, one, two, few, many] = kinds;
    html! {
        small.watching hidden[view.watchers == 0]
            data-zero=[zero] data-one=[one] data-two=[two] data-few=[few] data-many=[many] data-other=[other] {
            (emphasised(&sentence(view.watchers.into())))
        }
    }
}

/// The replay buttons: each ply has an address.
pub(super) fn plies(text: &Translations, view: &GameView) -> Markup {
    let step = |icon: &str, key: &str, to: Option<u32>| {
        let label = text.say(key);
        let picture = html! { svg.ico aria-hidden="true" { use href={ "#i-" (icon) } {} } };
        html! {
            @match to {
                Some(ply) => { a.ib data-ply=(icon) href={ "/g/" (view.id) "/" (ply) } aria-label=(label) { (picture) } }
                None => { span.ib.off { (picture) } }
            }
        }
    };
    let (back, on) = (view.ply > 0, view.ply < view.newest);
    html! {
        nav.ply aria-label=(text.say("plies")) {
            (step("first", "ply-first", back.then_some(0)))
            (step("prev", "ply-prev", back.then(|| view.ply - 1)))
            span { (view.ply) " / " (view.newest) }
            (step("next", "ply-next", on.then(|| view.ply + 1)))
            (step("last", "ply-last", on.then_some(view.newest)))
        }
    }
}

fn lines(
    text: &Translations,
    id: &str,
    entries: &[LogEntry],
    cast: &PlayerNames<'_>,
    now: Option<u32>,
) -> Markup {
    let mut before = None;
    html! {
        @for entry in entries {
            @if let Some(turn) = entry.turn.filter(|turn| before.replace(*turn) != Some(*turn)) {
                li.th { span { (text.say_with("turn", &[("turn", turn.into())])) } }
            }
            li class={ "le" @if now == Some(entry.ply) { " now" } @if !entry.stands { " back" } } {
                a href={ "/g/" (id) "/" (entry.ply) } data-marks=[&entry.marks] {
                    (glyph_icon(entry.player)) (sentence(text, entry, cast))
                }
            }
        }
    }
}

/// What happened, struck where it was taken back.
fn sentence(text: &Translations, entry: &LogEntry, cast: &PlayerNames<'_>) -> Markup {
    let told = entry.said.told(text, cast);
    html! {
        @if entry.stands { span { (emphasised(&told)) } }
        @else { span { s { (emphasised(&told)) } span.vh { " " (text.say("log-taken-back")) } } }
    }
}
