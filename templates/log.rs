//! What happened, in sentences; every line links to its ply.

use maud::{Markup, html};

use super::page::{Refresh, Site, emphasised, page, titled};
use super::players::Cast;
use super::symbols::glyph_icon;
use super::text::{Text, letters};
use super::view::{GameView, LogEntry, LogEvent, PlayerView};

/// The page `/g/{id}/log`: every ply in sentences, in the order given.
#[must_use]
pub fn log_page(
    site: &Site<'_>,
    text: &Text,
    id: &str,
    entries: &[LogEntry],
    players: &[PlayerView],
) -> Markup {
    let cast = Cast::new(text, players);
    let title = text.say("log-title");
    let main = html! {
        main #main.page {
            h1 { (title) }
            p.links { a href={ "/g/" (id) } { (text.say("log-back")) } a href={ "/g/" (id) "/record.json" } { (text.say("record-download")) } }
            @if entries.is_empty() { p.lead { (text.say("log-empty")) } }
            @else { div.panel.log.whole { ol { (lines(text, id, entries, &cast, None)) } } }
        }
    };
    page(site, text, &titled(text, &title), &Refresh::Never, main)
}

/// The log beside the board, with the replay buttons.
pub(super) fn log(text: &Text, view: &GameView, cast: &Cast<'_>) -> Markup {
    let title = text.say("log");
    html! {
        section.log aria-label=(title) {
            header { h2 { (title) } (watching(text, view)) (plies(text, view)) }
            @if view.log.is_empty() { p.none { (text.say("log-empty")) } }
            @else {
                div.scroll tabindex="0" role="group" aria-label=(title) { ol { (lines(text, &view.id, &view.log, cast, Some(view.ply))) } }
            }
        }
    }
}

/// How many people watch. At 0 it is hidden but present, so that the script can write into it.
fn watching(text: &Text, view: &GameView) -> Markup {
    let sentence = text.say_with("watchers", &[("count", view.watchers.into())]);
    html! { small.watching hidden[view.watchers == 0] { (emphasised(&sentence)) } }
}

/// The replay buttons: each ply has an address.
pub(super) fn plies(text: &Text, view: &GameView) -> Markup {
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

fn lines(text: &Text, id: &str, entries: &[LogEntry], cast: &Cast<'_>, now: Option<u32>) -> Markup {
    let mut turn = entries.first().map(|entry| entry.turn);
    html! {
        @for entry in entries {
            // Where every ply is a turn of its own, no line marks the turns.
            @if turn.replace(entry.turn) != Some(entry.turn) && !matches!(entry.event, LogEvent::Drop { .. }) {
                li.th { span { (text.say_with("turn", &[("turn", entry.turn.into())])) } }
            }
            li class={ "le" @if now == Some(entry.ply) { " now" } } {
                a href={ "/g/" (id) "/" (entry.ply) } data-marks=[marks(&entry.event)] {
                    (glyph_icon(entry.player)) span { (sentence(text, entry, cast)) }
                }
            }
        }
    }
}

/// The elements of the board that a line highlights.
fn marks(event: &LogEvent) -> Option<String> {
    match event {
        LogEvent::Attack(roll) => Some(format!("h{} h{}", roll.from, roll.to)),
        LogEvent::Drop { cell, .. } => Some(format!("k{cell}")),
        LogEvent::EndTurn { .. } | LogEvent::Resigned | LogEvent::Limit => None,
    }
}

/// One entry as a sentence.
fn sentence(text: &Text, entry: &LogEntry, cast: &Cast<'_>) -> Markup {
    let (who, person) = (
        ("who", cast.name(entry.player).into()),
        ("person", cast.person(entry.player)),
    );
    let sentence = match &entry.event {
        LogEvent::Attack(roll) => {
            let sum = |faces: &[u8]| faces.iter().map(|face| u32::from(*face)).sum::<u32>();
            let outcome = if roll.captured { "captured" } else { "held" };
            let key = if roll.attack.is_empty() {
                "log-attack-plain"
            } else {
                "log-attack"
            };
            text.say_with(
                key,
                &[
                    who,
                    person,
                    ("from", roll.from.into()),
                    ("to", roll.to.into()),
                    ("attack", roll.dice.0.into()),
                    ("defend", roll.dice.1.into()),
                    ("sumA", sum(&roll.attack).into()),
                    ("sumD", sum(&roll.defend).into()),
                    ("outcome", outcome.into()),
                ],
            )
        }
        LogEvent::EndTurn { dice: 0 } => text.say_with("log-end-none", &[who, person]),
        LogEvent::EndTurn { dice } => {
            text.say_with("log-end", &[who, person, ("dice", (*dice).into())])
        }
        LogEvent::Drop { column, .. } => {
            let column = letters(*column);
            text.say_with(
                "log-drop",
                &[who, person, ("column", column.as_str().into())],
            )
        }
        LogEvent::Resigned => text.say_with("log-resigned", &[who, person]),
        LogEvent::Limit => text.say("log-limit"),
    };
    emphasised(&sentence)
}
